//! A tapered piece-square evaluation: each piece has a worth in the middle game and one in the
//! ending, both depending on its square; the material left blends them. Kept simple: it is a
//! stand-in for a learned judgement.
//!
//! The tables are formulas of the square's rank and of its distance from the edges, worked out at
//! compile time.

use shakmaty::{Bitboard, Color, Role};

use super::features::{Delta, FEATURES, feature};
use crate::base::score::{EVALUATION_LIMIT, MAX_PLY, Score};
use crate::board::{Move, Position};

/// What the right to move is worth, in centipawns.
const TEMPO: Score = 14;

/// What two bishops on squares of both colours are worth, in centipawns: middle game, ending.
const BISHOP_PAIR: (Score, Score) = (25, 45);

/// The phase of the start position: the sum of all pieces' [`PHASE`].
const FULL_PHASE: Score = 24;

/// By role: how much a piece makes the position a middle game.
const PHASE: [Score; 6] = [0, 1, 1, 2, 4, 0];

/// A sum over pieces, from White's view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    /// Centipawns in the middle game.
    middle: Score,
    /// Centipawns in the ending.
    ending: Score,
    /// 24 with all pieces, 0 with kings and pawns.
    phase: Score,
}

impl Sum {
    const ZERO: Sum = Sum {
        middle: 0,
        ending: 0,
        phase: 0,
    };

    fn add(&mut self, other: Sum) {
        self.middle += other.middle;
        self.ending += other.ending;
        self.phase += other.phase;
    }

    fn remove(&mut self, other: Sum) {
        self.middle -= other.middle;
        self.ending -= other.ending;
        self.phase -= other.phase;
    }
}

/// By feature: the worth of a piece on a square, negative for Black's.
static WORTH: [Sum; FEATURES] = worth_table();

const fn worth_table() -> [Sum; FEATURES] {
    let mut table = [Sum::ZERO; FEATURES];
    let mut index = 0;
    while index < FEATURES {
        let (color, role, square) = (index / 384, index / 64 % 6, index % 64);
        let rank = if color == 0 {
            square / 8
        } else {
            7 - square / 8
        };
        let (middle, ending) = worth(role, square as Score % 8, rank as Score);
        let sign = if color == 0 { 1 } else { -1 };
        table[index] = Sum {
            middle: sign * middle,
            ending: sign * ending,
            phase: PHASE[role],
        };
        index += 1;
    }
    table
}

/// The worth of a piece, in centipawns (middle game, ending); `rank` counts from its own side.
const fn worth(role: usize, file: Score, rank: Score) -> (Score, Score) {
    // 0 on the edge, 3 on the central files or ranks.
    let inward = if file < 4 { file } else { 7 - file };
    let upward = if rank < 4 { rank } else { 7 - rank };
    let centre = inward + upward;
    let advance = rank - 1;
    match role {
        0 => {
            let holds_centre = if inward == 3 && (rank == 3 || rank == 4) {
                18
            } else {
                0
            };
            let shield = if inward < 3 && rank == 1 { 10 } else { 0 };
            (
                80 + holds_centre + shield + 2 * inward + advance * advance,
                98 + 3 * advance * advance,
            )
        }
        1 => (
            300 + 9 * centre - if rank == 0 { 8 } else { 0 },
            280 + 7 * centre,
        ),
        2 => (
            325 + 4 * centre - if rank == 0 { 10 } else { 0 },
            300 + 3 * centre,
        ),
        3 => {
            let seventh = if rank == 6 { 20 } else { 0 };
            (470 + 4 * inward + seventh, 520 + seventh)
        }
        4 => (975 + centre, 960 + 5 * centre),
        _ => {
            let tucked_away = if rank == 0 && inward == 1 {
                30
            } else {
                -6 * inward
            };
            (tucked_away - 18 * rank, 11 * centre - 30)
        }
    }
}

/// Judges positions along a line of play.
#[derive(Clone, Debug)]
pub struct PieceSquareEvaluator {
    /// The sums at each ply of the line, the root's first; never empty.
    line: Vec<Sum>,
}

impl Default for PieceSquareEvaluator {
    fn default() -> PieceSquareEvaluator {
        PieceSquareEvaluator::new()
    }
}

impl PieceSquareEvaluator {
    /// An evaluator that stands on an empty board: [`reset`](PieceSquareEvaluator::reset) it first.
    pub fn new() -> PieceSquareEvaluator {
        let mut line = Vec::with_capacity(MAX_PLY + 8);
        line.push(Sum::ZERO);
        PieceSquareEvaluator { line }
    }

    /// Starts a new line at this position.
    pub fn reset(&mut self, root: &Position) {
        let mut sum = Sum::ZERO;
        for (square, piece) in root.board().iter() {
            sum.add(WORTH[usize::from(feature(piece, square))]);
        }
        self.line.clear();
        self.line.push(sum);
    }

    /// Follows `m`, which led from `before` to `after`.
    #[inline]
    pub fn push(&mut self, before: &Position, m: Move, _after: &Position) {
        let mut sum = self.top();
        let delta = Delta::of(before, m);
        for &added in delta.added() {
            sum.add(WORTH[usize::from(added)]);
        }
        for &removed in delta.removed() {
            sum.remove(WORTH[usize::from(removed)]);
        }
        self.line.push(sum);
    }

    /// Follows a null move.
    #[inline]
    pub fn push_null(&mut self) {
        self.line.push(self.top());
    }

    /// Takes back the last move or null move; the root stays.
    #[inline]
    pub fn pop(&mut self) {
        if self.line.len() > 1 {
            self.line.pop();
        }
    }

    /// The judgement of the position at the end of the line, in centipawns from the view of the side
    /// to move, within ±[`EVALUATION_LIMIT`].
    #[inline]
    pub fn evaluate(&mut self, pos: &Position) -> Score {
        let mut sum = self.top();
        add_bishop_pairs(&mut sum, pos);
        // Promotions can push the phase beyond the start position's.
        let phase = sum.phase.min(FULL_PHASE);
        let white = (sum.middle * phase + sum.ending * (FULL_PHASE - phase)) / FULL_PHASE;
        let score = if pos.turn().is_white() { white } else { -white };
        (score + TEMPO).clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
    }

    #[inline]
    fn top(&self) -> Sum {
        self.line.last().copied().unwrap_or_default()
    }
}

#[inline]
fn add_bishop_pairs(sum: &mut Sum, pos: &Position) {
    let bishops = pos.board().by_role(Role::Bishop);
    for (color, sign) in [(Color::White, 1), (Color::Black, -1)] {
        let own = bishops & pos.board().by_color(color);
        if own.intersects(Bitboard::LIGHT_SQUARES) && own.intersects(Bitboard::DARK_SQUARES) {
            sum.middle += sign * BISHOP_PAIR.0;
            sum.ending += sign * BISHOP_PAIR.1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;
    use crate::board::Game;
    use crate::eval::testing::{play_randomly, starts, turned_over};

    fn from_scratch(pos: &Position) -> Score {
        let mut evaluator = PieceSquareEvaluator::new();
        evaluator.reset(pos);
        evaluator.evaluate(pos)
    }

    #[test]
    fn followed_and_from_scratch_are_the_same_at_every_node() {
        let mut rng = Rng::new(1);
        for game in starts() {
            let mut evaluator = PieceSquareEvaluator::new();
            evaluator.reset(game.position());
            play_randomly(game, 120, &mut rng, |before, m, game| {
                let after = game.position();
                evaluator.push(before, m, after);
                assert_eq!(
                    evaluator.evaluate(after),
                    from_scratch(after),
                    "{}",
                    game.fen()
                );
                evaluator.push_null();
                evaluator.pop();
                evaluator.pop();
                assert_eq!(evaluator.evaluate(before), from_scratch(before));
                evaluator.push(before, m, after);
            });
        }
    }

    #[test]
    fn a_position_turned_over_has_the_same_score() {
        let mut rng = Rng::new(2);
        for game in starts() {
            play_randomly(game, 80, &mut rng, |_, _, game| {
                let other = turned_over(game);
                assert_eq!(
                    from_scratch(game.position()),
                    from_scratch(other.position()),
                    "{}",
                    game.fen()
                );
            });
        }
    }

    #[test]
    fn the_start_position_is_worth_the_first_move() {
        assert_eq!(from_scratch(Game::start().position()), TEMPO);
    }

    #[test]
    fn material_counts() {
        let score = |fen: &str| from_scratch(Game::from_fen(fen).expect("a good FEN").position());
        assert!(score("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1") > 800);
        assert!(score("4k3/8/8/8/8/8/8/R3K3 w - - 0 1") > 400);
        assert!(score("4k3/8/8/8/8/8/8/R3K3 b - - 0 1") < -400);
        // A pawn grows in worth as it advances, a lone king shrinks as it is driven to the edge.
        assert!(
            score("4k3/P7/8/8/8/8/8/4K3 w - - 0 1") > score("4k3/8/8/8/8/P7/8/4K3 w - - 0 1") + 50
        );
        assert!(score("k7/8/8/8/8/8/8/4K2R w - - 0 1") > score("8/8/8/3k4/8/8/8/4K2R w - - 0 1"));
    }
}
