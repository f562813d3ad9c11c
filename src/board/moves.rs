//! A move in sixteen bits, and a list of moves on the stack.

use std::fmt;
use std::num::NonZeroU16;
use std::ops::{Deref, DerefMut};

use arrayvec::ArrayVec;
use shakmaty::{File, Role, Square};

/// A move in sixteen bits: from (0–5), to (6–11), kind (12–15).
///
/// Castling is written king-takes-rook: `to` is the square of the castling rook, in standard chess
/// as in Chess960. Zero (a1a1) is no move, so `Option<Move>` is two bytes as well.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

const CASTLE: u16 = 1 << 12;
const EN_PASSANT: u16 = 2 << 12;
const PROMOTION: u16 = 4 << 12;
const KIND: u16 = 0xf << 12;

impl Move {
    const fn build(from: Square, to: Square, kind: u16) -> Move {
        let bits = from.to_u32() as u16 | (to.to_u32() as u16) << 6 | kind;
        match NonZeroU16::new(bits) {
            Some(bits) => Move(bits),
            // Only a1a1 without a kind is zero, and no piece moves to its own square.
            None => Move(NonZeroU16::MAX),
        }
    }

    /// A move without anything special, capture or not.
    pub const fn normal(from: Square, to: Square) -> Move {
        Move::build(from, to, 0)
    }

    /// Castling: the king's square and the castling rook's.
    pub const fn castle(king: Square, rook: Square) -> Move {
        Move::build(king, rook, CASTLE)
    }

    /// A pawn taking en passant; `to` is the empty square it lands on.
    pub const fn en_passant(from: Square, to: Square) -> Move {
        Move::build(from, to, EN_PASSANT)
    }

    /// A promotion, capturing or not. `role` must be knight, bishop, rook or queen.
    pub const fn promotion(from: Square, to: Square, role: Role) -> Move {
        Move::build(
            from,
            to,
            PROMOTION + ((role as u16 - Role::Knight as u16) << 12),
        )
    }

    /// The raw bits, for storage.
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// A move from stored bits. Any non-zero value gives *a* move, which need not be possible
    /// anywhere: ask [`is_pseudo_legal`](super::position::Position::is_pseudo_legal) first.
    pub const fn from_bits(bits: u16) -> Option<Move> {
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Move(bits)),
            None => None,
        }
    }

    /// The square the piece leaves.
    #[inline]
    pub const fn from(self) -> Square {
        Square::new(self.0.get() as u32 & 63)
    }

    /// The square the piece goes to; for castling the rook's square.
    #[inline]
    pub const fn to(self) -> Square {
        Square::new(self.0.get() as u32 >> 6 & 63)
    }

    /// From and to as one index below 4096, for history tables.
    #[inline]
    pub const fn from_to(self) -> usize {
        self.0.get() as usize & 0xfff
    }

    /// Is this castling?
    #[inline]
    pub const fn is_castle(self) -> bool {
        self.0.get() & KIND == CASTLE
    }

    /// Is this an en passant capture?
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.0.get() & KIND == EN_PASSANT
    }

    /// Is this a promotion?
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.0.get() & PROMOTION != 0
    }

    /// Nothing special: neither castling, en passant nor promotion.
    #[inline]
    pub const fn is_normal(self) -> bool {
        self.0.get() & KIND == 0
    }

    /// Is the kind one of those this module builds? Bits from elsewhere may hold another.
    pub(super) const fn is_well_formed(self) -> bool {
        let kind = self.0.get() & KIND;
        kind < EN_PASSANT + CASTLE || (kind & PROMOTION != 0 && kind < 2 * PROMOTION)
    }

    /// What a pawn becomes, if it is promoted.
    #[inline]
    pub const fn promoted_role(self) -> Option<Role> {
        if !self.is_promotion() {
            return None;
        }
        Some(match self.0.get() >> 12 & 3 {
            0 => Role::Knight,
            1 => Role::Bishop,
            2 => Role::Rook,
            _ => Role::Queen,
        })
    }

    /// The move as UCI writes it. Castling is `e1g1` in standard chess, king-takes-rook when
    /// `chess960` is set.
    pub const fn uci(self, chess960: bool) -> UciText {
        UciText { mv: self, chess960 }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.uci(true))
    }
}

/// A move that displays itself in UCI's long algebraic form: see [`Move::uci`].
#[derive(Clone, Copy, Debug)]
pub struct UciText {
    mv: Move,
    chess960: bool,
}

impl fmt::Display for UciText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.mv.from(), self.mv.to());
        if self.mv.is_castle() && !self.chess960 {
            let file = if to > from { File::G } else { File::C };
            return write!(f, "{from}{}", Square::from_coords(file, from.rank()));
        }
        write!(f, "{from}{to}")?;
        match self.mv.promoted_role() {
            Some(role) => write!(f, "{}", role.char()),
            None => Ok(()),
        }
    }
}

/// The most moves any list holds: no position, legal or not, with sixteen men a side has as many.
pub const MAX_MOVES: usize = 256;

/// Moves on the stack, at most [`MAX_MOVES`] of them.
#[derive(Clone, Debug, Default)]
pub struct MoveList(ArrayVec<Move, MAX_MOVES>);

impl MoveList {
    /// An empty list.
    #[inline]
    pub const fn new() -> MoveList {
        MoveList(ArrayVec::new_const())
    }

    /// Appends a move. A move beyond [`MAX_MOVES`] would be dropped; no position has as many.
    #[inline]
    pub fn push(&mut self, m: Move) {
        let pushed = self.0.try_push(m);
        debug_assert!(pushed.is_ok(), "more than {MAX_MOVES} moves");
    }

    /// Empties the list.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Keeps only the moves for which `keep` holds, in their order.
    #[inline]
    pub fn retain(&mut self, mut keep: impl FnMut(Move) -> bool) {
        self.0.retain(|m| keep(*m));
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.0
    }
}

impl DerefMut for MoveList {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.0
    }
}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = arrayvec::IntoIter<Move, MAX_MOVES>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
