//! `standpat anytime`: what the engine would answer if it were stopped at many moments, and what
//! the half-searched iteration would have said instead.
//!
//! One search is watched to its end. On one thread a search that is stopped after `n` nodes has
//! done exactly what a longer one does in its first `n` nodes, so that one search tells of all
//! stops. The engine itself never uses a half-searched iteration; where the two moves differ, a
//! deeper search of each says which was right.

use std::collections::HashMap;
use std::io::Write;
use std::thread;

use crate::base::score::{Pawns, Score};
use crate::board::notation::san;
use crate::board::{Game, Move};
use crate::eval::Network;
use crate::learning::player::Player;
use crate::search::report::BestSoFar;
use crate::search::{Clock, Event, Job, Limits, Shared, Sink, Worker};
use crate::tools::Failure;

/// So many plies deeper searches the judge.
const DEEPER: u32 = 2;

/// Size of the transposition table, in MiB.
const HASH: usize = 16;

/// What `standpat anytime` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The position
    pub fen: String,
    /// At how many moments to stop
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub stops: u32,
    /// Plies to search
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(2..=200))]
    pub depth: u32,
}

/// Everything that a search has told, with the nodes it had visited by then.
#[derive(Clone, Debug, Default)]
struct Watched {
    /// Completed iterations.
    completed: Vec<BestSoFar>,
    /// Best moves of running iterations.
    so_far: Vec<BestSoFar>,
}

impl Sink for Watched {
    fn event(&mut self, event: Event) {
        if let Event::Line(line, progress) = event
            && let Some(&mv) = line.pv.first()
            && line.bound == crate::base::score::Bound::Exact
        {
            self.completed.push(BestSoFar {
                depth: line.depth,
                mv,
                score: line.score,
                nodes: progress.nodes,
            });
        }
    }

    fn best_so_far(&mut self, best: BestSoFar) {
        self.so_far.push(best);
    }
}

/// One moment at which the search might have been stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stop {
    /// Nodes visited by then.
    nodes: u64,
    /// The last completed iteration: its move is the engine's answer.
    completed: BestSoFar,
    /// What the iteration after it has found so far, if it has finished any root move.
    half: Option<BestSoFar>,
}

impl Stop {
    /// The move of the half-searched iteration, where it is another.
    fn other(&self) -> Option<Move> {
        let half = self.half.map(|half| half.mv);
        half.filter(|&mv| mv != self.completed.mv)
    }
}

impl Watched {
    /// What would be known after so many nodes. The first iteration is always completed.
    fn at(&self, nodes: u64) -> Option<Stop> {
        let in_time = |found: &&BestSoFar| found.nodes < nodes;
        let last = self.completed.iter().rev().find(in_time);
        let completed = *last.or(self.completed.first())?;
        let half = self.so_far.iter().rev().find(in_time);
        Some(Stop {
            nodes,
            completed,
            half: half.filter(|half| half.depth > completed.depth).copied(),
        })
    }

    /// So many moments from the end of the first iteration to the end of the search, each later
    /// than the one before by the same factor: iterations grow like that too.
    fn stops(&self, count: u32) -> Vec<Stop> {
        let (Some(first), Some(last)) = (self.completed.first(), self.completed.last()) else {
            return Vec::new();
        };
        let (first, last) = (first.nodes as f64 + 1.0, last.nodes as f64 + 1.0);
        let moment = |number: u32| {
            let share = f64::from(number) / f64::from(count);
            (first * (last / first).powf(share)).round() as u64
        };
        (1..=count)
            .filter_map(|number| self.at(moment(number)))
            .collect()
    }
}

/// Shows the answers at each moment, then how often they differ and which was right.
///
/// # Errors
///
/// When the position is none or its game is over, or the memory cannot be had.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let game = Game::from_fen(&args.fen).map_err(|error| Failure::BadInput(error.to_string()))?;
    if !game.position().has_legal_move() {
        let fen = game.fen();
        return Err(Failure::BadInput(format!("the game is over in {fen}")));
    }
    let (stops, judged) = on_search_stack(|| {
        let stops = watch(&game, args.depth)?.stops(args.stops);
        let judged = judge(&game, &stops, args.depth + DEEPER)?;
        Ok((stops, judged))
    })?;
    print(&game, &stops, out)?;
    print_judgement(&stops, &judged, args.depth + DEEPER, out)
}

/// A search needs a deep stack.
fn on_search_stack<T: Send>(
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(Worker::STACK_BYTES);
        let running = builder
            .spawn_scoped(scope, work)
            .map_err(|error| Failure::Failed(format!("no thread to search on: {error}")))?;
        let failed = |_| Err(Failure::Failed("the search has failed".to_string()));
        running.join().unwrap_or_else(failed)
    })
}

fn watch(game: &Game, depth: u32) -> Result<Watched, Failure> {
    let shared = Shared::new(HASH, 1).map_err(|error| Failure::Failed(error.to_string()))?;
    shared.start();
    let limits = Limits::depth(depth);
    let clock = Clock::unlimited();
    let job = Job {
        game: game.clone(),
        limits,
        multi_pv: 1,
    };
    let mut watched = Watched::default();
    Worker::new(0, &Network::shipped()).search(&job, &clock, &shared, &mut watched);
    Ok(watched)
}

/// What a search to this depth says of each move that is in question.
fn judge(game: &Game, stops: &[Stop], depth: u32) -> Result<HashMap<Move, Score>, Failure> {
    let mut player = Player::new(&Network::shipped(), HASH)
        .map_err(|error| Failure::Failed(error.to_string()))?;
    let mut judged = HashMap::new();
    for stop in stops {
        let Some(other) = stop.other() else {
            continue;
        };
        for mv in [stop.completed.mv, other] {
            if judged.contains_key(&mv) {
                continue;
            }
            player.new_game();
            let limits = Limits {
                search_moves: vec![mv],
                ..Limits::depth(depth)
            };
            if let Some((_, score)) = player.think(game, limits) {
                judged.insert(mv, score);
            }
        }
    }
    Ok(judged)
}

fn print(game: &Game, stops: &[Stop], out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "{}\n", game.fen())?;
    writeln!(
        out,
        "    nodes  depth completed, answered   depth half searched"
    )?;
    for stop in stops {
        let told = |found: BestSoFar| {
            let (mv, score) = (san(game, &[found.mv]), Pawns(found.score));
            format!("{:5} {mv:<7} {score:>7}", found.depth)
        };
        let half = stop.half.map(told).unwrap_or_default();
        let mark = if stop.other().is_some() {
            "  differs"
        } else {
            ""
        };
        let line = format!(
            "{:9}  {:<27} {half}{mark}",
            stop.nodes,
            told(stop.completed)
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn print_judgement(
    stops: &[Stop],
    judged: &HashMap<Move, Score>,
    depth: u32,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (count, mut differ, mut completed, mut half) = (stops.len(), 0, 0, 0);
    for stop in stops {
        let Some(other) = stop.other() else {
            continue;
        };
        differ += 1;
        let (one, other) = (judged.get(&stop.completed.mv), judged.get(&other));
        completed += u32::from(one > other);
        half += u32::from(other > one);
    }
    writeln!(out, "\nthe moves differ at {differ} of {count} stops")?;
    if differ > 0 {
        writeln!(
            out,
            "to a search of depth {depth} the completed one is better at {completed} of them, the \
             half-searched one at {half}"
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::options::Options;
    use crate::engine::Engine;
    use crate::search::report::Silent;

    const FEN: &str = "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1";

    /// The engine, really stopped at each of these moments, answers with the completed move.
    #[test]
    fn the_engine_answers_as_is_shown() {
        let game = Game::from_fen(FEN).unwrap();
        let stops = on_search_stack(|| Ok(watch(&game, 8)?.stops(15))).unwrap();
        assert_eq!(stops.len(), 15);
        let mut engine = Engine::new(Options::default()).unwrap();
        for stop in stops {
            engine.new_game().unwrap();
            let limits = Limits::nodes(stop.nodes);
            let study = engine.study(game.clone(), limits, &mut Silent).unwrap();
            assert_eq!(study.best, Some(stop.completed.mv), "{stop:?}");
            assert_eq!(study.lines[0].depth, stop.completed.depth, "{stop:?}");
        }
    }

    fn found(depth: u32, mv: &str, nodes: u64) -> BestSoFar {
        let mv = Game::start().parse_uci(mv).unwrap();
        BestSoFar {
            depth,
            mv,
            score: 0,
            nodes,
        }
    }

    /// Two iterations, the second of which changes its mind twice.
    #[test]
    fn a_stop_between_iterations_knows_the_best_so_far() {
        let watched = Watched {
            completed: vec![found(1, "e2e4", 20), found(2, "d2d4", 100)],
            so_far: vec![
                found(1, "e2e4", 5),
                found(2, "e2e4", 40),
                found(2, "g1f3", 60),
                found(2, "d2d4", 90),
            ],
        };
        let at = |nodes| {
            let stop = watched.at(nodes).unwrap();
            (
                stop.completed.depth,
                stop.half.map(|half| half.nodes),
                stop.other().is_some(),
            )
        };
        assert_eq!(at(3), (1, None, false));
        assert_eq!(at(30), (1, None, false));
        assert_eq!(at(50), (1, Some(40), false));
        assert_eq!(at(61), (1, Some(60), true));
        assert_eq!(at(100), (1, Some(90), true));
        assert_eq!(at(101), (2, None, false));
        let nodes: Vec<u64> = watched.stops(2).iter().map(|stop| stop.nodes).collect();
        assert_eq!(nodes, [46, 101]);
    }

    #[test]
    fn finished_games_are_refused() {
        let args = Args {
            fen: "R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1".to_string(),
            stops: 3,
            depth: 3,
        };
        assert_eq!(run(&args, &mut Vec::new()).unwrap_err().exit_code(), 2);
    }
}
