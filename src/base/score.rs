//! Scores: centipawns, or a mate counted in plies, in one integer.
//!
//! The integer is laid out so that plain comparison orders every outcome:
//!
//! | range | meaning |
//! |---|---|
//! | `±(MATE - ply)` | mate in `ply` plies from the root of the search |
//! | `±(TABLEBASE_WIN - ply)` | a won ending from the tables, `ply` plies away |
//! | `-EVALUATION_LIMIT ..= EVALUATION_LIMIT` | a static judgement, in centipawns |

use std::fmt;

/// Centipawns from the side to move's view, or a mate in plies (see the module's table).
pub type Score = i32;

/// The deepest line a search may reach, in plies from its root.
pub const MAX_PLY: usize = 246;

/// Beyond every score: the open end of a search window.
pub const INFINITE: Score = 32_001;

/// Mate on the board now; a mate `n` plies away is `MATE - n`.
pub const MATE: Score = 32_000;

/// The least score that still means a forced mate.
pub const MATE_BOUND: Score = MATE - MAX_PLY as Score;

/// A won ending known from tables; `n` plies away it is `TABLEBASE_WIN - n`.
pub const TABLEBASE_WIN: Score = 20_000;

/// The largest static evaluation, in centipawns: below every proven result.
pub const EVALUATION_LIMIT: Score = TABLEBASE_WIN - MAX_PLY as Score - 1;

/// A drawn game.
pub const DRAW: Score = 0;

/// What a score says about the true value of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The true value is at most this (the node failed low).
    Upper = 1,
    /// The true value is at least this (the node failed high).
    Lower = 2,
    /// The true value is this.
    Exact = 3,
}

/// The score of giving mate `ply` plies from the root.
pub const fn mate_in(ply: usize) -> Score {
    MATE - ply as Score
}

/// The score of being mated `ply` plies from the root.
pub const fn mated_in(ply: usize) -> Score {
    ply as Score - MATE
}

/// Is this a forced mate, for either side?
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_BOUND && score.abs() <= MATE
}

/// Is this a proven result (mate or table) rather than a judgement?
pub const fn is_decisive(score: Score) -> bool {
    score.abs() > EVALUATION_LIMIT
}

/// Moves (not plies) to mate for the `mate` field of UCI: positive when the side to move gives
/// mate, negative when it is mated, `None` when the score is no mate.
pub const fn moves_to_mate(score: Score) -> Option<i32> {
    if !is_mate(score) {
        None
    } else if score > 0 {
        Some((MATE - score + 1) / 2)
    } else {
        Some(-(MATE + score) / 2)
    }
}

/// A proven score counted from the root becomes one counted from this node, as the table stores it:
/// the node may be reached again by a path of another length.
pub const fn to_table(score: Score, ply: usize) -> Score {
    if score > EVALUATION_LIMIT {
        score + ply as Score
    } else if score < -EVALUATION_LIMIT {
        score - ply as Score
    } else {
        score
    }
}

/// The inverse of [`to_table`].
pub const fn from_table(score: Score, ply: usize) -> Score {
    if score > EVALUATION_LIMIT {
        score - ply as Score
    } else if score < -EVALUATION_LIMIT {
        score + ply as Score
    } else {
        score
    }
}

/// Centipawns at which winning and not winning are equally likely.
const EVEN_WIN: f64 = 120.0;

/// Centipawns over which the chance to win changes from 1/2 to 73 %.
const SPREAD: f64 = 55.0;

/// The chances to win, draw and lose, per mille, of a side with this score.
///
/// A logistic curve: the chance to win is `1 / (1 + exp((120 − cp) / 55))`, the chance to lose the
/// same with the sign of the score turned, and what is missing to 1 is a draw. Mates are certain.
/// The two constants are round numbers for games between engines, not fitted to any.
pub fn win_draw_loss(score: Score) -> [u32; 3] {
    if let Some(moves) = moves_to_mate(score) {
        return if moves > 0 {
            [1000, 0, 0]
        } else {
            [0, 0, 1000]
        };
    }
    let chance = |cp: f64| 1000.0 / (1.0 + ((EVEN_WIN - cp) / SPREAD).exp());
    let cp = f64::from(score);
    let (win, loss) = (chance(cp).round() as u32, chance(-cp).round() as u32);
    [win, 1000u32.saturating_sub(win + loss), loss]
}

/// A score for people to read: pawns with a sign and two decimals, or `#` and the moves to mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pawns(pub Score);

impl fmt::Display for Pawns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match moves_to_mate(self.0) {
            Some(moves) => format!("#{moves}"),
            None => format!("{:+.2}", f64::from(self.0) / 100.0),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_pawns_or_moves_to_mate() {
        assert_eq!(Pawns(34).to_string(), "+0.34");
        assert_eq!(Pawns(0).to_string(), "+0.00");
        assert_eq!(format!("{:>7}", Pawns(-120)), "  -1.20");
        assert_eq!(Pawns(mate_in(5)).to_string(), "#3");
        assert_eq!(Pawns(mated_in(4)).to_string(), "#-2");
    }

    #[test]
    fn mate_is_counted_in_moves_of_the_side_to_move() {
        assert_eq!(moves_to_mate(mate_in(1)), Some(1));
        assert_eq!(moves_to_mate(mate_in(3)), Some(2));
        assert_eq!(moves_to_mate(mated_in(2)), Some(-1));
        assert_eq!(moves_to_mate(mated_in(0)), Some(0));
        assert_eq!(moves_to_mate(EVALUATION_LIMIT), None);
        assert_eq!(moves_to_mate(TABLEBASE_WIN), None);
    }

    #[test]
    fn the_table_shift_is_undone_at_the_same_ply_and_moves_with_the_ply() {
        for score in [
            mate_in(7),
            mated_in(4),
            TABLEBASE_WIN - 9,
            35,
            -EVALUATION_LIMIT,
        ] {
            assert_eq!(from_table(to_table(score, 3), 3), score);
        }
        // Mate three plies below a node at ply 4 is mate in 5 when the node is met at ply 2.
        assert_eq!(from_table(to_table(mate_in(7), 4), 2), mate_in(5));
    }

    #[test]
    fn chances_add_up_and_rise_with_the_score() {
        let mut before = 0;
        for score in -2000..=2000 {
            let [win, draw, loss] = win_draw_loss(score);
            assert_eq!(win + draw + loss, 1000);
            assert_eq!(win_draw_loss(-score), [loss, draw, win]);
            assert!(win >= before);
            before = win;
        }
        assert_eq!(win_draw_loss(EVALUATION_LIMIT), [1000, 0, 0]);
        assert_eq!(win_draw_loss(-TABLEBASE_WIN), [0, 0, 1000]);
        assert_eq!(win_draw_loss(mated_in(0)), [0, 0, 1000]);
    }
}
