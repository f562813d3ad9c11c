//! Floor 5: what else the binary can do.
//!
//! Each tool is a file or folder of its own and none imports another. A tool that takes arguments
//! declares them in a struct `Args` (for clap); its `run` writes to the `Write` it is given and
//! answers with a [`Failure`] when it could not do its work.

pub mod analyse;
pub mod anytime;
pub mod bench;
pub mod book;
pub mod datagen;
pub mod duel;
pub mod explain;
pub mod failure;
pub mod genfens;
pub mod horizon;
pub mod ladder;
pub mod learn;
pub mod man;
pub mod perft;
pub mod register;
pub mod solve;
#[cfg(feature = "tune")]
pub mod spsa;
pub mod tournament;
pub mod train;

pub use failure::Failure;
