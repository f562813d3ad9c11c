//! Floor 2: from a position to a [`Score`](crate::base::score::Score).
//!
//! [`Evaluator`] is what the search sees: it follows the moves of a line with `push` and `pop` and
//! judges the position at its end. What stands behind it may change; the four calls do not.

pub mod accumulator;
pub mod evaluator;
pub mod features;
pub mod kernels;
pub mod network;

pub use evaluator::Evaluator;
pub use network::Network;

#[cfg(test)]
mod testing;
