//! What earlier subtrees taught: history tables for move ordering, and corrections of the static
//! evaluation.
//!
//! Every ordering table holds values within ±[`HISTORY_MAX`], updated by *gravity*: a bonus pulls
//! the value towards its sign, the more the further away it is, so old lessons fade.

use shakmaty::{Bitboard, Color, Piece, Role, Square};

use crate::base::params;
use crate::base::score::{EVALUATION_LIMIT, Score};
use crate::board::{Move, Position};

/// The bound of every history value.
pub const HISTORY_MAX: i32 = 16_384;

/// Positions a correction table tells apart, per colour.
const CORRECTION_SLOTS: usize = 16_384;

/// A correction is stored in 256ths of a centipawn.
const CORRECTION_GRAIN: i32 = 256;

/// The largest correction stored, in [`CORRECTION_GRAIN`]s.
const CORRECTION_MAX: i32 = 96 * CORRECTION_GRAIN;

/// Twelve pieces times sixty-four squares.
const PIECE_TO: usize = 12 * 64;

/// A piece and the square it moved to as one index below 768: the key of continuation history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// The index of a piece on its new square.
    #[inline]
    pub fn new(piece: Piece, to: Square) -> PieceTo {
        let color = usize::from(piece.color.is_white());
        PieceTo(((color * 6 + role_index(piece.role)) * 64 + to.to_usize()) as u16)
    }

    /// The index of a move in the position it is played in.
    #[inline]
    pub fn of(pos: &Position, mv: Move) -> PieceTo {
        // A move that is played moves a piece; a stale one maps to some index, harmlessly.
        let role = pos.role_at(mv.from()).unwrap_or(Role::Pawn);
        PieceTo::new(
            Piece {
                color: pos.turn(),
                role,
            },
            mv.to(),
        )
    }

    #[inline]
    const fn index(self) -> usize {
        self.0 as usize
    }
}

#[inline]
const fn role_index(role: Role) -> usize {
    role as usize - Role::Pawn as usize
}

/// Moves the value towards the bonus's sign by gravity.
#[inline]
fn gravity(value: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-HISTORY_MAX, HISTORY_MAX);
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
}

/// The bonus for a move that caused a cutoff at this depth.
pub fn bonus(depth: i32) -> i32 {
    (params::history_bonus_scale() * depth + params::history_bonus_base())
        .clamp(0, params::history_bonus_max())
}

/// The malus for a move that was tried before the one that caused the cutoff.
pub fn malus(depth: i32) -> i32 {
    (params::history_malus_scale() * depth).min(params::history_malus_max())
}

/// The depth that a cutoff's bonus and maluses are reckoned by: a ply more when the score beat beta by
/// far. *Source*: Stockfish. *Measured*: in the second group of [`params`].
pub fn lesson(depth: i32, surplus: Score) -> i32 {
    depth + i32::from(surplus > params::history_bonus_margin())
}

/// The bonus as a reply (or with a minus the malus) for a late quiet move that beat alpha when it was
/// reduced, by what its second, full search of this depth says.
///
/// *Source*: Stockfish. *Measured*: in the second group of [`params`].
pub fn second_search(score: Score, alpha: Score, beta: Score, depth: i32) -> i32 {
    if score >= beta {
        bonus(depth) * params::lmr_held_bonus() / 128
    } else if score <= alpha {
        -malus(depth) * params::lmr_failed_malus() / 128
    } else {
        0
    }
}

/// What of a bonus goes to the quiet move that led to a node where every reply failed.
pub fn share_for_last_move(bonus: i32) -> i32 {
    bonus * params::last_move_bonus() / 128
}

/// The bonus for a quiet move that changed the static evaluation by so much for its side.
///
/// *Idea*: what made the position better without a search is worth trying early elsewhere. *Source*:
/// Stockfish. *Measured*: in a group, see [`hindsight`](super::rules::hindsight).
pub fn evaluation_bonus(gain: Score) -> i32 {
    let most = params::evaluation_bonus_max();
    (params::evaluation_bonus_scale() * gain).clamp(-most, most) + params::evaluation_bonus_base()
}

fn zeroed<T: Clone + Default>(len: usize) -> Box<[T]> {
    vec![T::default(); len].into_boxed_slice()
}

/// All that one worker remembers between searches of a game, besides the table.
pub struct Histories {
    /// Quiet moves by colour, whether from and to are attacked, and from–to. *Measured*: the attacks,
    /// and the order's value reused for pruning and reductions, +19 ± 21 Elo (700 games, 8000 nodes a
    /// move).
    quiet: Box<[i16]>,
    /// Captures by piece, to and captured role.
    capture: Box<[i16]>,
    /// Quiet moves by an earlier move's piece–to and their own.
    continuation: Box<[i16]>,
    /// Quiet moves by pawn structure.
    pawn: Box<[i16]>,
    /// Corrections of the static evaluation.
    corrections: Corrections,
}

/// Pawn structures that the pawn history tells apart.
const PAWN_SLOTS: usize = 512;

/// One value for each piece and square: a row of the tables by position or by earlier move.
type Row = [i16; PIECE_TO];

/// The row of an earlier move that is not there.
static NO_HISTORY: Row = [0; PIECE_TO];

/// The rows that one position's quiet moves are judged by.
pub struct QuietHistory<'a> {
    pos: &'a Position,
    quiet: &'a [i16],
    threats: Bitboard,
    pawn: &'a Row,
    continuation: [&'a Row; 3],
}

impl QuietHistory<'_> {
    /// See [`Histories::quiet_value`].
    #[inline]
    pub fn value(&self, mv: Move) -> i32 {
        let moved = PieceTo::of(self.pos, mv).index() % PIECE_TO;
        let index = Histories::quiet_index(self.pos.turn(), self.threats, mv);
        let [reply, follow_up, plan] = self.continuation;
        let sum = params::order_quiet() * i32::from(self.quiet[index])
            + params::order_pawn() * i32::from(self.pawn[moved])
            + params::order_reply() * i32::from(reply[moved])
            + params::order_follow_up() * i32::from(follow_up[moved])
            + params::order_plan() * i32::from(plan[moved]);
        sum / 64
    }
}

/// Where the earlier moves of the line stand: piece–to of the moves one, two and four plies ago.
pub type Line = [Option<PieceTo>; 3];

impl Default for Histories {
    fn default() -> Self {
        Histories {
            quiet: zeroed(2 * 4 * 4096),
            capture: zeroed(PIECE_TO * 6),
            continuation: zeroed(PIECE_TO * PIECE_TO),
            pawn: zeroed(PAWN_SLOTS * PIECE_TO),
            corrections: Corrections::default(),
        }
    }
}

impl Histories {
    /// Forgets everything: for a new game.
    pub fn clear(&mut self) {
        for table in [
            &mut self.quiet,
            &mut self.capture,
            &mut self.continuation,
            &mut self.pawn,
        ] {
            table.fill(0);
        }
        self.corrections.clear();
    }

    #[inline]
    fn quiet_index(turn: Color, threats: Bitboard, mv: Move) -> usize {
        let attacked = |square| usize::from(threats.contains(square));
        let attacked = attacked(mv.from()) * 2 + attacked(mv.to());
        (turn as usize * 4 + attacked) * 4096 + mv.from_to()
    }

    #[inline]
    fn capture_index(pos: &Position, mv: Move) -> usize {
        let captured = pos.captured_role(mv).unwrap_or(Role::Pawn);
        PieceTo::of(pos, mv).index() * 6 + role_index(captured)
    }

    #[inline]
    fn pawn_index(pos: &Position, moved: PieceTo) -> usize {
        (pos.pawn_key() as usize % PAWN_SLOTS) * PIECE_TO + moved.index()
    }

    /// The value of a quiet move, for ordering: the sum over all tables.
    #[inline]
    pub fn quiet_value(&self, pos: &Position, mv: Move, line: &Line) -> i32 {
        self.quiet_at(pos, line).value(mv)
    }

    /// What the tables say of this position's quiet moves, looked up once for all of them.
    #[inline]
    pub fn quiet_at<'a>(&'a self, pos: &'a Position, line: &Line) -> QuietHistory<'a> {
        let row = |table: &'a [i16], number: usize| {
            table[number * PIECE_TO..]
                .first_chunk()
                .unwrap_or(&NO_HISTORY)
        };
        QuietHistory {
            pos,
            quiet: &self.quiet,
            threats: pos.threats(),
            pawn: row(&self.pawn, pos.pawn_key() as usize % PAWN_SLOTS),
            continuation: line.map(|earlier| match earlier {
                Some(earlier) => row(&self.continuation, earlier.index()),
                None => &NO_HISTORY,
            }),
        }
    }

    /// The part of a quiet move's value that pruning looks at: how it did as a reply and a
    /// follow-up.
    #[inline]
    pub fn continuation_value(&self, pos: &Position, mv: Move, line: &Line) -> i32 {
        let moved = PieceTo::of(pos, mv);
        line[..2]
            .iter()
            .flatten()
            .map(|earlier| i32::from(self.continuation[earlier.index() * PIECE_TO + moved.index()]))
            .sum()
    }

    /// The value of a capture, within ±[`HISTORY_MAX`].
    #[inline]
    pub fn capture_value(&self, pos: &Position, mv: Move) -> i32 {
        i32::from(self.capture[Self::capture_index(pos, mv)])
    }

    /// Rewards (or with a negative bonus punishes) a quiet move.
    pub fn update_quiet(
        &mut self,
        pos: &Position,
        threats: Bitboard,
        mv: Move,
        line: &Line,
        bonus: i32,
    ) {
        let moved = PieceTo::of(pos, mv);
        let index = Self::quiet_index(pos.turn(), threats, mv);
        gravity(&mut self.quiet[index], bonus);
        gravity(&mut self.pawn[Self::pawn_index(pos, moved)], bonus);
        self.update_continuation(moved, line, bonus);
    }

    /// Rewards or punishes a quiet move of the side that is not to move, wherever it is played from.
    pub fn update_last_quiet(&mut self, pos: &Position, threats: Bitboard, mv: Move, bonus: i32) {
        let index = Self::quiet_index(pos.turn().other(), threats, mv);
        gravity(&mut self.quiet[index], bonus);
    }

    /// Rewards or punishes a move as the continuation of a line.
    pub fn update_continuation(&mut self, moved: PieceTo, line: &Line, bonus: i32) {
        for earlier in line.iter().flatten() {
            gravity(
                &mut self.continuation[earlier.index() * PIECE_TO + moved.index()],
                bonus,
            );
        }
    }

    /// Rewards or punishes a capture.
    pub fn update_capture(&mut self, pos: &Position, mv: Move, bonus: i32) {
        gravity(&mut self.capture[Self::capture_index(pos, mv)], bonus);
    }

    /// The static evaluation corrected by what searches of similar positions found, in
    /// centipawns. `line` is the moves that led here.
    #[inline]
    pub fn corrected(&self, evaluation: Score, pos: &Position, line: &Line) -> Score {
        let correction = self.corrections.value(pos, line);
        (evaluation + correction).clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
    }

    /// Learns from a search of this depth whose score differs by so much from the static
    /// evaluation.
    pub fn update_correction(&mut self, pos: &Position, line: &Line, depth: i32, diff: Score) {
        self.corrections.update(pos, line, depth, diff);
    }
}

/// How the static evaluation errs, by features of the position that searches share: pawn
/// structure, minor pieces, each side's pieces, and the last two moves.
///
/// *Source*: Caissa and Stockfish, 2023–24, under the name *correction history*.
struct Corrections {
    pawn: Box<[i16]>,
    minor: Box<[i16]>,
    pieces: [Box<[i16]>; 2],
    continuation: Box<[i16]>,
}

impl Default for Corrections {
    fn default() -> Self {
        let table = || zeroed(2 * CORRECTION_SLOTS);
        Corrections {
            pawn: table(),
            minor: table(),
            pieces: [table(), table()],
            continuation: zeroed(PIECE_TO * PIECE_TO),
        }
    }
}

impl Corrections {
    fn clear(&mut self) {
        let [white, black] = &mut self.pieces;
        for table in [
            &mut self.pawn,
            &mut self.minor,
            white,
            black,
            &mut self.continuation,
        ] {
            table.fill(0);
        }
    }

    #[inline]
    fn slot(turn: Color, key: u64) -> usize {
        turn as usize * CORRECTION_SLOTS + key as usize % CORRECTION_SLOTS
    }

    #[inline]
    fn continuation_slot(line: &Line) -> Option<usize> {
        match line {
            [Some(last), Some(before), _] => Some(before.index() * PIECE_TO + last.index()),
            _ => None,
        }
    }

    fn value(&self, pos: &Position, line: &Line) -> Score {
        let turn = pos.turn();
        let read = |table: &[i16], key| i32::from(table[Self::slot(turn, key)]);
        let mut sum = params::correction_pawn() * read(&self.pawn, pos.pawn_key())
            + params::correction_minor() * read(&self.minor, pos.minor_key())
            + params::correction_pieces()
                * (read(&self.pieces[0], pos.non_pawn_key(Color::White))
                    + read(&self.pieces[1], pos.non_pawn_key(Color::Black)));
        if let Some(slot) = Self::continuation_slot(line) {
            sum += params::correction_continuation() * i32::from(self.continuation[slot]);
        }
        sum / (128 * CORRECTION_GRAIN)
    }

    fn update(&mut self, pos: &Position, line: &Line, depth: i32, diff: Score) {
        let turn = pos.turn();
        let weight = (depth + 1).min(params::correction_weight());
        let update = |entry: &mut i16| {
            let target = (diff * CORRECTION_GRAIN).clamp(-CORRECTION_MAX, CORRECTION_MAX);
            let old = i32::from(*entry);
            *entry = ((old * (256 - weight) + target * weight) / 256) as i16;
        };
        update(&mut self.pawn[Self::slot(turn, pos.pawn_key())]);
        update(&mut self.minor[Self::slot(turn, pos.minor_key())]);
        update(&mut self.pieces[0][Self::slot(turn, pos.non_pawn_key(Color::White))]);
        update(&mut self.pieces[1][Self::slot(turn, pos.non_pawn_key(Color::Black))]);
        if let Some(slot) = Self::continuation_slot(line) {
            update(&mut self.continuation[slot]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gravity_approaches_the_bound_and_never_passes_it() {
        let mut value = 0;
        for _ in 0..1000 {
            gravity(&mut value, 2000);
            assert!(i32::from(value) <= HISTORY_MAX);
        }
        assert!(i32::from(value) > HISTORY_MAX * 9 / 10);
        let high = value;
        gravity(&mut value, -2000);
        // Far from its sign a malus counts nearly double.
        assert!(i32::from(high - value) > 3500);
        gravity(&mut value, i32::MIN / 2);
        assert_eq!(i32::from(value), -HISTORY_MAX);
    }

    #[test]
    fn bonuses_grow_with_depth_up_to_their_limits() {
        assert!(bonus(1) > 0 && bonus(2) > bonus(1) && malus(2) > malus(1));
        assert_eq!(bonus(200), params::history_bonus_max());
        assert_eq!([lesson(5, 0), lesson(5, 1000)], [5, 6]);
        assert!(second_search(80, 0, 50, 6) > 0 && second_search(-5, 0, 50, 6) < 0);
        assert_eq!(second_search(20, 0, 50, 6), 0);
        assert_eq!(malus(200), params::history_malus_max());
    }
}
