//! The network as an evaluator: accumulators along a line of play, one output at its end.

use std::fmt;
use std::sync::Arc;

use super::accumulator::{Accumulators, Update};
use super::kernels::Kernels;
use super::network::Network;
use crate::base::score::{DRAW, Score};
use crate::board::{Move, Position};

/// When the accumulators are brought up to date. Eager searched 8 to 10 % more nodes a second than
/// lazy at every size from 64 to 1024: the work overlaps with the table's cache misses.
const UPDATE: Update = Update::Eager;

/// Judges positions along a line of play by a network.
#[derive(Clone)]
pub struct Evaluator {
    accumulators: Accumulators,
}

impl Evaluator {
    /// An evaluator that stands on an empty board: [`reset`](Evaluator::reset) it first.
    pub fn new(network: Arc<Network>) -> Evaluator {
        Evaluator::with(network, Kernels::best(), UPDATE)
    }

    /// The same with chosen kernels and time of update.
    pub fn with(network: Arc<Network>, kernels: Kernels, update: Update) -> Evaluator {
        Evaluator {
            accumulators: Accumulators::new(network, kernels, update),
        }
    }

    /// Starts a new line at this position.
    pub fn reset(&mut self, root: &Position) {
        self.accumulators.reset(root);
    }

    /// Follows `m`, which led from `before` to `after`.
    #[inline]
    pub fn push(&mut self, before: &Position, m: Move, after: &Position) {
        self.accumulators.push(before, m, after);
    }

    /// Follows a null move.
    #[inline]
    pub fn push_null(&mut self) {
        self.accumulators.push_null();
    }

    /// Takes back the last move or null move; the root stays.
    #[inline]
    pub fn pop(&mut self) {
        self.accumulators.pop();
    }

    /// The judgement of `pos`, the position at the end of the line, in centipawns from the view of
    /// the side to move, within ±[`EVALUATION_LIMIT`](crate::base::score::EVALUATION_LIMIT).
    ///
    /// Endings in which neither side can force mate are even: that is known, and the games a network
    /// learns from have too few of them.
    #[inline]
    pub fn evaluate(&mut self, pos: &Position) -> Score {
        if pos.is_mate_out_of_reach() {
            return DRAW;
        }
        self.accumulators.bring_up_to_date(pos);
        let network = self.accumulators.network();
        let bucket = network.bucket(pos.occupied().count());
        let sum = self.accumulators.kernels().output(
            self.accumulators.sums(pos.turn()),
            self.accumulators.sums(pos.turn().other()),
            network.output_weights(bucket),
        );
        network.score(sum, bucket)
    }
}

impl fmt::Debug for Evaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evaluator")
            .field("network", self.accumulators.network())
            .field("kernels", &self.accumulators.kernels().name())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "evaluator_tests.rs"]
mod tests;
