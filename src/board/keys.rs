//! Hash keys: of the whole position, and of the parts that correction histories look at.

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{CastlingSide, Color, Piece, Square};

/// The incremental keys of a position.
///
/// `full` equals shakmaty's `Zobrist64` with `EnPassantMode::Legal`; the others are exclusive-ors of
/// the same piece values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Keys {
    /// Everything: pieces, side to move, castling rights, a legal en passant file.
    pub(super) full: u64,
    /// The pieces alone, by class and colour (black first, as shakmaty numbers them).
    parts: [[u64; 2]; 3],
}

/// Pawns, minor pieces (the king among them, as it stands with them), major pieces.
const CLASS: [u8; 6] = [0, 1, 1, 2, 2, 1];

impl Keys {
    /// Puts a piece on a square, or takes it away.
    #[inline]
    pub(super) fn toggle(&mut self, piece: Piece, sq: Square) {
        let key = piece_key(piece, sq);
        self.full ^= key;
        let class = CLASS[piece.role as usize - 1];
        self.parts[class as usize][piece.color as usize] ^= key;
    }

    /// Pawns of both colours.
    #[inline]
    pub(super) const fn pawns(&self) -> u64 {
        self.parts[0][0] ^ self.parts[0][1]
    }

    /// Knights, bishops and kings of both colours.
    #[inline]
    pub(super) const fn minors(&self) -> u64 {
        self.parts[1][0] ^ self.parts[1][1]
    }

    /// All pieces but pawns of one colour.
    #[inline]
    pub(super) const fn non_pawns(&self, color: Color) -> u64 {
        self.parts[1][color as usize] ^ self.parts[2][color as usize]
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
