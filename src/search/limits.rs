//! What one `go` asks for.

use std::time::Duration;

use shakmaty::ByColor;

use crate::board::Move;

/// One side's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideClock {
    /// Time left on the clock; `None` when `go` did not name it. Never negative: a clock that
    /// already fell counts as zero.
    pub remaining: Option<Duration>,
    /// Added after each move.
    pub increment: Duration,
}

/// The limits of one search. Those that are set all hold: the first one reached ends the search.
/// With none set the search is infinite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Both sides' clocks.
    pub clocks: ByColor<SideClock>,
    /// Moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// Exactly this long, less the overhead.
    pub move_time: Option<Duration>,
    /// Deepest iteration, in plies.
    pub depth: Option<u32>,
    /// Nodes after which the search stops at once.
    pub nodes: Option<u64>,
    /// Nodes after which no new iteration starts; for self-play.
    pub soft_nodes: Option<u64>,
    /// Stop when a mate in this many moves (or fewer) is found.
    pub mate: Option<u32>,
    /// Wait for `stop`, whatever the other limits say.
    pub infinite: bool,
    /// Search on the opponent's time: no limit ends it before `ponderhit`.
    pub ponder: bool,
    /// Only these root moves; empty means all.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// Search to a fixed depth, in plies.
    pub fn depth(depth: u32) -> Limits {
        Limits {
            depth: Some(depth),
            ..Limits::default()
        }
    }

    /// Search until so many nodes are visited.
    pub fn nodes(nodes: u64) -> Limits {
        Limits {
            nodes: Some(nodes),
            ..Limits::default()
        }
    }
}
