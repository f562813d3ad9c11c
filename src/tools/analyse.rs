//! `standpat analyse`: the best move of a position, for a person to read.

use std::io::Write;
use std::time::{Duration, Instant};

use crossbeam_channel::unbounded;
use shakmaty::san::SanPlus;

use crate::base::options::Options;
use crate::base::score::{Bound, Score, moves_to_mate};
use crate::board::{Game, Move};
use crate::engine::Engine;
use crate::search::limits::Limits;
use crate::search::report::{Event, Line, Progress};
use crate::tools::Failure;

/// How long to think when nothing else is asked for.
const DEFAULT_TIME: Duration = Duration::from_secs(3);

/// What `standpat analyse` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The position; without it the start of the game
    pub fen: Vec<String>,
    /// Plies to search
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Nodes to search
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Time to search, in milliseconds (3000 when no limit is given)
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..))]
    pub movetime: Option<u32>,
    /// Moves to play before the search, as UCI writes them
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    pub moves: Vec<String>,
    /// How many of the best moves to show
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub multipv: u32,
    /// Threads that search
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,
    /// Size of the transposition table, in MiB
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=33_554_432))]
    pub hash: u32,
}

impl Args {
    fn game(&self) -> Result<Game, Failure> {
        let mut game = if self.fen.is_empty() {
            Game::start()
        } else {
            let fen = self.fen.join(" ");
            Game::from_fen(&fen).map_err(|error| Failure::BadInput(error.to_string()))?
        };
        for text in &self.moves {
            let mv = game.parse_uci(text).ok_or_else(|| {
                Failure::BadInput(format!("'{text}' is no legal move in {}", game.fen()))
            })?;
            game.play(mv);
        }
        Ok(game)
    }

    fn limits(&self) -> Limits {
        let time = self.movetime.map(|ms| Duration::from_millis(ms.into()));
        let unlimited = self.depth.is_none() && self.nodes.is_none();
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: time.or(unlimited.then_some(DEFAULT_TIME)),
            ..Limits::default()
        }
    }
}

/// Searches and prints each completed line, then the best move.
///
/// # Errors
///
/// When the position or a move is none, or the table or the threads cannot be had.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let game = args.game()?;
    let options = Options {
        hash: args.hash,
        threads: args.threads,
        multi_pv: args.multipv,
        ..Options::default()
    };
    let mut engine = Engine::new(options).map_err(|error| Failure::Failed(error.to_string()))?;
    let (sender, events) = unbounded();
    let sink = move |event| drop(sender.send(event));
    writeln!(out, "{}", game.fen())?;
    writeln!(out, "depth   score       nodes   time  line")?;
    engine
        .go(game.clone(), args.limits(), Instant::now(), Box::new(sink))
        .map_err(|error| Failure::Failed(error.to_string()))?;
    for event in events {
        match event {
            Event::Line(line, progress) if line.bound == Bound::Exact => {
                print_line(&game, &line, &progress, out)?;
            }
            Event::Line(..) | Event::CurrentMove { .. } => {}
            Event::Note(text) => writeln!(out, "{text}")?,
            Event::Finished {
                best: Some(best), ..
            } => {
                let text = san(&game, &[best]);
                return Ok(writeln!(out, "best move {} ({text})", best.uci(false))?);
            }
            Event::Finished { best: None, .. } => break,
        }
    }
    Ok(writeln!(out, "no move: the game is over")?)
}

fn print_line(
    game: &Game,
    line: &Line,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (depth, nodes) = (line.depth, progress.nodes);
    let (score, seconds) = (score(line.score), progress.elapsed.as_secs_f64());
    let text = san(game, &line.pv);
    Ok(writeln!(
        out,
        "{depth:5} {score:>7} {nodes:11} {seconds:6.2}  {text}"
    )?)
}

/// Pawns with a sign, or moves to mate.
fn score(score: Score) -> String {
    match moves_to_mate(score) {
        Some(moves) => format!("#{moves}"),
        None => format!("{:+.2}", f64::from(score) / 100.0),
    }
}

/// A line of play in the notation of books, as far as it is legal.
fn san(game: &Game, line: &[Move]) -> String {
    let mut game = game.clone();
    let mut words = Vec::new();
    for &mv in line {
        let Some(played) = game.to_shakmaty(mv) else {
            break;
        };
        words.push(SanPlus::from_move(game.to_chess(), played).to_string());
        game.play(mv);
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn printed(words: &str) -> Result<String, Failure> {
        let args = Cli::parse_from(std::iter::once("analyse").chain(words.split_whitespace())).args;
        let mut out = Vec::new();
        run(&args, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_mate_is_found_and_written_as_books_write_it() {
        let text = printed("--depth 4 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1").unwrap();
        assert!(
            text.contains("     #1 ") && text.contains("  Ra8#"),
            "{text}"
        );
        assert!(text.ends_with("best move a1a8 (Ra8#)\n"), "{text}");
    }

    #[test]
    fn finished_games_and_bad_input_are_answered() {
        let over = printed("--depth 2 --moves f2f3 e7e5 g2g4 d8h4").unwrap();
        assert!(over.ends_with("no move: the game is over\n"), "{over}");
        for bad in ["nonsense w", "--moves e2e5", "8/8/8/8/8/8/8/8 w - - 0 1"] {
            let failure = printed(bad).unwrap_err();
            assert_eq!(failure.exit_code(), 2, "{bad}");
            assert!(!failure.to_string().contains('\n'));
        }
    }

    #[test]
    fn scores_are_pawns_or_moves_to_mate() {
        assert_eq!(score(34), "+0.34");
        assert_eq!(score(-120), "-1.20");
        assert_eq!(score(crate::base::score::mated_in(4)), "#-2");
    }
}
