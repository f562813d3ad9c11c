//! Floor 3: the search.
//!
//! | file | its one job |
//! |---|---|
//! | [`limits`], [`report`] | what one `go` asks for, and what it is answered |
//! | [`clock`] | when to stop |
//! | [`worker`] | what a thread remembers, and the state of its search |
//! | `deepening` | iterative deepening, and what a completed iteration is |
//! | `alpha_beta`, `quiescence` | the recursion |
//! | [`rules`], [`reductions`] | every pruning, extension and reduction rule |
//! | [`picker`], [`history`] | move ordering |
//! | [`table`], with `table/pages` | the transposition table and its memory |

mod alpha_beta;
pub mod clock;
mod deepening;
pub mod history;
pub mod limits;
mod node;
pub mod picker;
mod quiescence;
pub mod reductions;
pub mod report;
pub mod rules;
pub mod stack;
pub mod table;
pub mod worker;

pub use clock::Clock;
pub use limits::Limits;
pub use report::{Event, Iteration, Sink};
pub use table::Table;
pub use worker::{Job, Shared, Worker};
