//! A search on one thread, as the tests use it.

use std::thread;

use shakmaty::{CastlingMode, Chess, Position};
use standpat::base::score::Bound;
use standpat::board::{Game, Move};
use standpat::eval::Network;
use standpat::search::{Clock, Event, Iteration, Job, Limits, Shared, Worker};

use crate::common::check;

/// A completed iteration, and the nodes that had been visited when it was complete.
#[derive(Clone, Debug, PartialEq)]
pub struct Completed {
    pub iteration: Iteration,
    pub nodes: u64,
}

/// What came of a search.
#[derive(Clone, Debug)]
pub struct Run {
    /// What the search gave back.
    pub answer: Iteration,
    /// Every completed iteration that it reported, in order.
    pub completed: Vec<Completed>,
    /// Nodes visited in all.
    pub nodes: u64,
}

impl Run {
    pub fn score(&self) -> i32 {
        self.answer.lines[0].score
    }

    pub fn best(&self) -> Move {
        self.answer.lines[0].pv[0]
    }

    pub fn pv(&self) -> &[Move] {
        &self.answer.lines[0].pv
    }
}

/// A worker and its table, that remember from search to search.
pub struct Searcher {
    pub worker: Box<Worker>,
    pub shared: Shared,
}

impl Searcher {
    pub fn new(hash_mib: usize) -> Searcher {
        Searcher {
            worker: Worker::new(0, &Network::shipped()),
            shared: Shared::new(hash_mib, 1).expect("memory for the table"),
        }
    }

    /// As `ucinewgame` does.
    pub fn clear(&mut self) {
        self.worker.clear();
        self.shared.table.clear(1);
    }

    pub fn search(&mut self, game: &Game, limits: Limits) -> Run {
        self.search_lines(game, limits, 1)
    }

    pub fn search_lines(&mut self, game: &Game, limits: Limits, multi_pv: usize) -> Run {
        let job = Job {
            game: game.clone(),
            limits,
            multi_pv,
        };
        self.shared.start();
        let mut completed: Vec<Completed> = Vec::new();
        let mut sink = |event: Event| record(&mut completed, event);
        let answer = self
            .worker
            .search(&job, &Clock::unlimited(), &self.shared, &mut sink)
            .expect("the position has a legal move");
        Run {
            answer,
            completed,
            nodes: self.shared.total_nodes(),
        }
    }
}

/// Collects the exact lines of a search's events into iterations.
pub fn record(completed: &mut Vec<Completed>, event: Event) {
    let Event::Line(line, progress) = event else {
        return;
    };
    if line.bound != Bound::Exact {
        return;
    }
    if line.multipv == 1 {
        completed.push(Completed {
            iteration: Iteration {
                depth: line.depth,
                lines: vec![line],
            },
            nodes: progress.nodes,
        });
    } else if let Some(last) = completed.last_mut() {
        last.iteration.lines.push(line);
    }
}

/// Runs on a thread with the stack that a search needs.
pub fn on_search_stack<T: Send>(test: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .stack_size(Worker::STACK_BYTES)
            .spawn_scoped(scope, test)
            .expect("a thread");
        match thread.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The game that starts from a FEN.
pub fn game(fen: &str) -> Game {
    Game::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The game after moves in UCI's form.
pub fn game_after(fen: &str, moves: &str) -> Game {
    let mut game = game(fen);
    for text in moves.split_whitespace() {
        let mv = game
            .parse_uci(text)
            .unwrap_or_else(|| panic!("{text} is illegal"));
        game.play(mv);
    }
    game
}

/// Plays a variation by shakmaty's rules and gives the last position.
pub fn play_out(game: &Game, pv: &[Move]) -> Chess {
    let texts: Vec<String> = pv.iter().map(|mv| mv.uci(true).to_string()).collect();
    match check::play_line(&game.to_chess(), CastlingMode::Chess960, &texts) {
        Ok(end) => end,
        Err(error) => panic!("{}: pv {texts:?}: {error}", game.fen()),
    }
}

/// Is a variation legal, and if its score is a mate, does it end in that mate at the right ply?
pub fn mates_as_promised(game: &Game, run: &Run) -> bool {
    let end = play_out(game, run.pv());
    let plies = (standpat::base::score::MATE - run.score().abs()) as usize;
    run.pv().len() == plies && end.is_checkmate()
}
