//! The trainer: from positions of games to a network, on the processor alone.
//!
//! Feature weights are sparse on the way in (some twenty of 768 features are active), so a position
//! costs a few dozen additions of rows and no matrix products. Each thread owns some columns of the
//! hidden layer; nothing is summed up across threads, and the result does not depend on how many
//! there are, nor on the instruction set.
//!
//! | file | its one job |
//! |---|---|
//! | `sample.rs` | a position in 28 bytes, and its features |
//! | `data.rs` | from files of games to shuffled samples; the order of an epoch |
//! | `scale.rs` | how many centipawns are worth odds of e to 1 |
//! | `group.rs` | 256 positions taken apart into lists of features |
//! | `kernels.rs` | the inner loops, for several instruction sets |
//! | `model.rs` | the weights and their moments, in tiles of columns |
//! | `steps.rs`, `crew.rs` | training steps on several threads |
//! | `evaluate.rs` | outputs and losses without learning |
//! | `quantise.rs` | the finished network, and what rounding costs |
//! | `checkpoint.rs` | a run on disk |
//! | `curve.rs` | the loss as a picture |
//! | `run.rs` | all of it: from settings and data to a network |

pub mod checkpoint;
pub mod crew;
pub mod curve;
pub mod data;
pub mod evaluate;
pub mod group;
pub mod kernels;
mod math;
pub mod model;
pub mod quantise;
pub mod run;
pub mod sample;
pub mod scale;
pub mod steps;

pub use data::{DataError, Dataset};
pub use kernels::Loss;
pub use quantise::Quantisation;
pub use run::{Config, Environment, Progress, Report, Start, TrainError, Trained, train};
pub use scale::fit_scale;

#[cfg(test)]
mod tests;
