//! Hash keys: of the whole position, and of the parts that correction histories look at.

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{CastlingSide, Color, Piece, Role, Square};

/// The incremental keys of a position.
///
/// `full` equals shakmaty's `Zobrist64` with `EnPassantMode::Legal`; the others are exclusive-ors of
/// the same piece values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Keys {
    /// Everything: pieces, side to move, castling rights, a legal en passant file.
    pub(super) full: u64,
    /// Pawns of both colours.
    pub(super) pawns: u64,
    /// Knights, bishops and kings of both colours.
    pub(super) minors: u64,
    /// All but pawns, by colour (black first, as shakmaty numbers them).
    pub(super) non_pawns: [u64; 2],
}

impl Keys {
    /// Puts a piece on a square, or takes it away.
    #[inline]
    pub(super) fn toggle(&mut self, piece: Piece, sq: Square) {
        let key = piece_key(piece, sq);
        self.full ^= key;
        if piece.role == Role::Pawn {
            self.pawns ^= key;
            return;
        }
        self.non_pawns[piece.color as usize] ^= key;
        if !matches!(piece.role, Role::Rook | Role::Queen) {
            self.minors ^= key;
        }
    }
}

/// The value of a piece on a square.
#[inline]
pub(super) fn piece_key(piece: Piece, sq: Square) -> u64 {
    Zobrist64::zobrist_for_piece(sq, piece).0
}

/// The value of White being to move.
#[inline]
pub(super) fn turn_key() -> u64 {
    Zobrist64::zobrist_for_white_turn().0
}

/// The value of the right to castle with the rook on `rook`, the king standing on `king`.
#[inline]
pub(super) fn castling_key(color: Color, king: Square, rook: Square) -> u64 {
    let side = CastlingSide::from_king_side(king < rook);
    Zobrist64::zobrist_for_castling_right(color, side).0
}

/// The value of a legal en passant capture on a square.
#[inline]
pub(super) fn en_passant_key(target: Square) -> u64 {
    Zobrist64::zobrist_for_en_passant_file(target.file()).0
}
