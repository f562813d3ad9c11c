//! Floor 5: the engine's voice. Text becomes commands, events become text.
//!
//! | file | its one job |
//! |---|---|
//! | [`command`] | a line of text to a [`Command`](command::Command) |
//! | [`print`](mod@print) | an event to lines of text |
//! | [`inspect`] | what a person asks for: position, evaluation, perft |
//! | `tune` | the search constants as options, in builds for tuning |
//! | `wire` | the thread that reads, and the output |
//! | `run` | the loop between them and the engine |

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

pub mod command;
pub mod inspect;
pub mod print;
mod run;
#[cfg(feature = "tune")]
mod tune;
mod wire;

pub use run::{Bench, run};
