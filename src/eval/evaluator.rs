//! What the search judges by: a network, or the piece-square tables until a network is shipped.

use std::sync::Arc;

use super::net_evaluator::NetEvaluator;
use super::network::Network;
use super::piece_square::PieceSquareEvaluator;
use crate::base::score::Score;
use crate::board::{Move, Position};

/// What positions are judged by.
#[derive(Clone, Default, PartialEq)]
pub enum Model {
    /// The piece-square tables.
    #[default]
    PieceSquare,
    /// A learned network.
    Network(Arc<Network>),
}

/// Judges positions along a line of play by a [`Model`].
#[derive(Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "each worker has one; a box would cost an indirection at every move"
)]
pub enum Evaluator {
    /// By the piece-square tables.
    PieceSquare(PieceSquareEvaluator),
    /// By a network.
    Network(NetEvaluator),
}

impl Evaluator {
    /// An evaluator without a position: [`reset`](Evaluator::reset) it first.
    pub fn new(model: &Model) -> Evaluator {
        match model {
            Model::PieceSquare => Evaluator::PieceSquare(PieceSquareEvaluator::new()),
            Model::Network(network) => Evaluator::Network(NetEvaluator::new(Arc::clone(network))),
        }
    }

    /// Starts a new line at this position.
    pub fn reset(&mut self, root: &Position) {
        match self {
            Evaluator::PieceSquare(tables) => tables.reset(root),
            Evaluator::Network(network) => network.reset(root),
        }
    }

    /// Follows `m`, which led from `before` to `after`.
    #[inline]
    pub fn push(&mut self, before: &Position, m: Move, after: &Position) {
        match self {
            Evaluator::PieceSquare(tables) => tables.push(before, m, after),
            Evaluator::Network(network) => network.push(before, m, after),
        }
    }

    /// Follows a null move.
    #[inline]
    pub fn push_null(&mut self) {
        match self {
            Evaluator::PieceSquare(tables) => tables.push_null(),
            Evaluator::Network(network) => network.push_null(),
        }
    }

    /// Takes back the last move or null move; the root stays.
    #[inline]
    pub fn pop(&mut self) {
        match self {
            Evaluator::PieceSquare(tables) => tables.pop(),
            Evaluator::Network(network) => network.pop(),
        }
    }

    /// The judgement of `pos`, the position at the end of the line, in centipawns from the view of
    /// the side to move, within ±[`EVALUATION_LIMIT`](crate::base::score::EVALUATION_LIMIT).
    #[inline]
    pub fn evaluate(&mut self, pos: &Position) -> Score {
        match self {
            Evaluator::PieceSquare(tables) => tables.evaluate(pos),
            Evaluator::Network(network) => network.evaluate(pos),
        }
    }
}
