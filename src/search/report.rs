//! What a search tells its client: events, and the sink that takes them.
//!
//! The search never prints. The UCI loop, `bench`, self-play and the tests are all clients, and
//! see the same events.

use std::time::Duration;

use crate::base::score::{Bound, Score};
use crate::board::Move;

/// One line of play with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// 1 for the best line, then 2, 3 … when several are asked for.
    pub multipv: usize,
    /// Depth of the iteration, in plies.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// From the side to move's view.
    pub score: Score,
    /// Whether the score is exact; a line that is not comes from an unfinished iteration.
    pub bound: Bound,
    /// The principal variation; its first move is the line's move. Legal to its end.
    pub pv: Vec<Move>,
}

/// What the main worker's tree was made of, since the search began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeCounts {
    /// Nodes of the main search and of quiescence.
    pub nodes: u64,
    /// Those of quiescence.
    pub quiescence: u64,
    /// Nodes at which the transposition table was asked.
    pub probes: u64,
    /// Those at which it knew the position.
    pub hits: u64,
    /// Nodes of the main search at which a move failed high.
    pub cutoffs: u64,
    /// Those at which the first move did.
    pub first_move_cutoffs: u64,
}

/// How far a search has come, over all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Since the `go` line arrived.
    pub elapsed: Duration,
    /// Nodes visited by all threads.
    pub nodes: u64,
    /// Table entries of this search, per mille.
    pub hashfull: u32,
    /// Successful probes of endgame tables.
    pub tb_hits: u64,
    /// What the main worker's tree was made of.
    pub tree: TreeCounts,
}

/// A completed iteration: all that a search may base its answer on.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    /// Depth in plies.
    pub depth: u32,
    /// The lines, best first; at least one.
    pub lines: Vec<Line>,
}

/// One thing a search has to say.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A line: exact when its iteration is complete, else a bound.
    Line(Line, Progress),
    /// A root move is being searched (sent when a search takes longer than three seconds).
    CurrentMove {
        /// Depth of the running iteration.
        depth: u32,
        /// The root move.
        mv: Move,
        /// Its number in the root's order, from 1.
        number: usize,
    },
    /// A remark for the user.
    Note(String),
    /// The answer. The last event of every search; `best` is `None` when the game is over.
    Finished {
        /// The move to play.
        best: Option<Move>,
        /// The expected reply.
        ponder: Option<Move>,
    },
}

/// The best root move so far of an iteration that still runs.
///
/// No [`Event`], since nothing may be based on it: the iteration may yet be thrown away. It is there
/// for those who want to know what would have been thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestSoFar {
    /// Depth of the running iteration, in plies.
    pub depth: u32,
    /// The move.
    pub mv: Move,
    /// Its score, a bound where it lies outside of the aspiration window.
    pub score: Score,
    /// Nodes that the main worker had visited by then.
    pub nodes: u64,
}

/// Takes a search's events.
pub trait Sink {
    /// Called from the search's thread: must not block.
    fn event(&mut self, event: Event);

    /// A root move has become the best of the running iteration.
    fn best_so_far(&mut self, _: BestSoFar) {}

    /// Does anybody listen? If not, the search spares itself the work of telling.
    fn listens(&self) -> bool {
        true
    }
}

/// Drops every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Sink for Silent {
    fn event(&mut self, _: Event) {}

    fn listens(&self) -> bool {
        false
    }
}

impl<F: FnMut(Event)> Sink for F {
    fn event(&mut self, event: Event) {
        self(event);
    }
}
