//! A position in 28 bytes: what a game starts from.
//!
//! | bytes | content |
//! |---|---|
//! | 0–7 | the occupied squares, little-endian, a1 lowest |
//! | 8–23 | one nibble a man, in the order of the squares, low nibble first |
//! | 24 | bits 0–6: the en passant square, 64 for none; bit 7: Black is to move |
//! | 25 | half-moves since the last capture or pawn move |
//! | 26–27 | the number of the move, little-endian, from 1 |
//!
//! A nibble is the role (pawn 0 … king 5) plus 8 for Black; 6 is a rook that may still castle, so
//! that Chess960 needs nothing else.

use shakmaty::fen::Fen;
use shakmaty::{Bitboard, Board, Color, Piece, Role, Setup, Square};

use crate::board::{Game, Position};

/// Bytes of a packed position.
pub const PACKED_BYTES: usize = 28;

/// The most men a packed position holds.
const MAX_MEN: u32 = 32;
/// The nibble of a rook that may still castle.
const CASTLING_ROOK: u8 = 6;
/// Added to the nibble of a black man.
const BLACK: u8 = 8;
/// In place of an en passant square.
const NO_SQUARE: u8 = 64;
/// Set in the same byte when Black is to move.
const BLACK_TO_MOVE: u8 = 0x80;

/// A position in 28 bytes (see the module's table).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedPosition([u8; PACKED_BYTES]);

/// Why a position could not be packed or unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackError {
    /// More than 32 men.
    TooManyMen,
    /// A nibble or a square that means nothing.
    Meaningless,
    /// It unpacks to something that is no position of chess; the board's reason.
    NoPosition(String),
}

impl std::fmt::Display for PackError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PackError::TooManyMen => write!(f, "more than {MAX_MEN} men on the board"),
            PackError::Meaningless => write!(f, "a packed position holds a meaningless value"),
            PackError::NoPosition(why) => write!(f, "a packed position is no chess: {why}"),
        }
    }
}

impl std::error::Error for PackError {}

impl PackedPosition {
    /// Packs a game's current position.
    pub fn new(game: &Game) -> Result<PackedPosition, PackError> {
        let position: &Position = game.position();
        let occupied = position.occupied();
        if occupied.count() as u32 > MAX_MEN {
            return Err(PackError::TooManyMen);
        }
        let mut bytes = [0; PACKED_BYTES];
        bytes[..8].copy_from_slice(&u64::from(occupied).to_le_bytes());
        let rights = position.castling_rights();
        for (i, square) in occupied.into_iter().enumerate() {
            let Some(piece) = position.piece_at(square) else {
                continue;
            };
            bytes[8 + i / 2] |= nibble(piece, rights.contains(square)) << (4 * (i % 2));
        }
        bytes[24] = position
            .ep_square()
            .map_or(NO_SQUARE, |square| square.to_u32() as u8);
        if position.turn() == Color::Black {
            bytes[24] |= BLACK_TO_MOVE;
        }
        bytes[25] = position.halfmoves().min(u8::MAX.into()) as u8;
        let number = game.fullmoves().min(u16::MAX.into()) as u16;
        bytes[26..].copy_from_slice(&number.to_le_bytes());
        Ok(PackedPosition(bytes))
    }

    /// The bytes, for storage.
    pub const fn to_bytes(self) -> [u8; PACKED_BYTES] {
        self.0
    }

    /// A packed position from stored bytes: whether they mean anything, [`unpack`](Self::unpack)
    /// tells.
    pub const fn from_bytes(bytes: [u8; PACKED_BYTES]) -> PackedPosition {
        PackedPosition(bytes)
    }

    /// Plies since the start of the game, by the number of the move.
    pub fn ply(&self) -> u32 {
        let number = u32::from(u16::from_le_bytes([self.0[26], self.0[27]]));
        number.saturating_sub(1) * 2 + u32::from(self.0[24] & BLACK_TO_MOVE != 0)
    }

    /// The position, as the root of a game.
    pub fn unpack(&self) -> Result<Game, PackError> {
        let setup = self.setup()?;
        let fen = Fen::try_from_setup(setup).map_err(|_| PackError::Meaningless)?;
        Game::from_fen(&fen.to_string()).map_err(|error| PackError::NoPosition(error.to_string()))
    }

    fn setup(&self) -> Result<Setup, PackError> {
        let mut occupied = [0; 8];
        occupied.copy_from_slice(&self.0[..8]);
        let occupied = Bitboard(u64::from_le_bytes(occupied));
        if occupied.count() as u32 > MAX_MEN {
            return Err(PackError::TooManyMen);
        }
        let mut board = Board::empty();
        let mut setup = Setup::empty();
        for (i, square) in occupied.into_iter().enumerate() {
            let nibble = self.0[8 + i / 2] >> (4 * (i % 2)) & 0xf;
            let (piece, castles) = piece(nibble).ok_or(PackError::Meaningless)?;
            board.set_piece_at(square, piece);
            if castles {
                setup.castling_rights.add(square);
            }
        }
        setup.board = board;
        setup.turn = Color::from_white(self.0[24] & BLACK_TO_MOVE == 0);
        setup.ep_square = match self.0[24] & !BLACK_TO_MOVE {
            NO_SQUARE => None,
            square => Some(Square::try_from(square).map_err(|_| PackError::Meaningless)?),
        };
        setup.halfmoves = self.0[25].into();
        setup.fullmoves = u32::from(u16::from_le_bytes([self.0[26], self.0[27]]))
            .try_into()
            .map_err(|_| PackError::Meaningless)?;
        Ok(setup)
    }
}

/// The nibble of a man; `castles` for a rook with a castling right.
fn nibble(piece: Piece, castles: bool) -> u8 {
    let role = if castles {
        CASTLING_ROOK
    } else {
        piece.role as u8 - Role::Pawn as u8
    };
    role + if piece.color == Color::Black {
        BLACK
    } else {
        0
    }
}

/// The man of a nibble, and whether it is a rook with a castling right.
fn piece(nibble: u8) -> Option<(Piece, bool)> {
    let color = Color::from_white(nibble & BLACK == 0);
    let (role, castles) = match nibble & !BLACK {
        CASTLING_ROOK => (Role::Rook, true),
        role @ 0..=5 => (Role::ALL[usize::from(role)], false),
        _ => return None,
    };
    Some((Piece { color, role }, castles))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_come_back_as_they_were() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 7 31",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            "8/8/8/4k3/8/8/4K3/8 b - - 93 250",
            // Chess960: inner rooks that may castle beside outer ones that may not.
            "rr2k1rr/8/8/8/8/8/8/RR2K1RR w BGbg - 3 20",
        ] {
            let game = Game::from_fen(fen).unwrap();
            let packed = PackedPosition::new(&game).unwrap();
            let back = PackedPosition::from_bytes(packed.to_bytes())
                .unpack()
                .unwrap();
            assert_eq!(back.fen(), game.fen(), "{fen}");
            assert_eq!(back.position().key(), game.position().key(), "{fen}");
            assert_eq!(
                back.position().castling_rights(),
                game.position().castling_rights()
            );
        }
    }

    #[test]
    fn every_chess960_start_comes_back() {
        for n in 0..960 {
            let game = Game::chess960_start(n);
            let back = PackedPosition::new(&game).unwrap().unpack().unwrap();
            assert_eq!(back.position().key(), game.position().key(), "start {n}");
        }
    }

    #[test]
    fn the_ply_counts_from_the_start_of_the_game() {
        let ply = |fen| {
            PackedPosition::new(&Game::from_fen(fen).unwrap())
                .unwrap()
                .ply()
        };
        assert_eq!(ply("8/8/8/4k3/8/8/4K2R/8 w - - 0 1"), 0);
        assert_eq!(ply("8/8/8/4k3/8/8/4K2R/8 b - - 0 5"), 9);
    }

    #[test]
    fn nonsense_is_an_error_and_never_a_panic() {
        let mut state = 1u64;
        for _ in 0..20_000 {
            let mut bytes = [0; PACKED_BYTES];
            for byte in &mut bytes {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                *byte = (state >> 56) as u8;
            }
            // Half the squares are occupied by chance: thin them out so that some get further.
            for byte in &mut bytes[..8] {
                *byte &= (state >> 48) as u8;
            }
            let _ = PackedPosition::from_bytes(bytes).unpack();
        }
    }
}
