//! What an evaluation is made of: one feature for each piece on each square, and which of them a
//! move switches on and off.
//!
//! A feature is numbered as White sees it: `colour * 384 + role * 64 + square`, White = 0, pawn = 0
//! … king = 5, a1 = 0 … h8 = 63. Black sees the same board turned over: colours exchanged, ranks
//! reversed. A perspective whose own king stands on files e–h also sees the files reversed, so that
//! its king is always on the left half and the two wings share what was learned.

use shakmaty::{Color, File, Piece, Role, Square};

use crate::board::{Move, Position};

/// How many features there are.
pub const FEATURES: usize = 768;

/// The features of one colour.
const PER_COLOR: u16 = 384;

/// The feature of a piece on a square, as White sees it.
#[inline]
pub const fn feature(piece: Piece, square: Square) -> u16 {
    let color = if piece.color.is_white() { 0 } else { PER_COLOR };
    color + (piece.role as u16 - Role::Pawn as u16) * 64 + square.to_u32() as u16
}

/// The same feature as `perspective` sees it; `mirrored` says whether it sees the files reversed.
#[inline]
pub const fn seen_by(feature: u16, perspective: Color, mirrored: bool) -> u16 {
    // The square is the low six bits: 7 reverses its file, 56 its rank.
    let files = if mirrored { 7 } else { 0 };
    match perspective {
        Color::White => feature ^ files,
        Color::Black if feature < PER_COLOR => (feature + PER_COLOR) ^ 56 ^ files,
        Color::Black => (feature - PER_COLOR) ^ 56 ^ files,
    }
}

/// Does a perspective whose king stands here see the files reversed?
#[inline]
pub fn is_mirrored(king: Square) -> bool {
    king.file() >= File::E
}

/// How many features a move switches on and off. No move needs another shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One on, one off: a move to an empty square.
    Quiet,
    /// One on, two off: a capture.
    Capture,
    /// Two on, two off: castling.
    Castle,
}

/// The features that one move switches, as White sees them.
#[derive(Clone, Copy, Debug)]
pub struct Delta {
    /// How many of the entries below count.
    pub shape: Shape,
    /// Switched on; the second only for castling.
    pub added: [u16; 2],
    /// Switched off; the second only for captures and castling.
    pub removed: [u16; 2],
}

impl Delta {
    /// What `m`, legal in `before`, changes.
    pub fn of(before: &Position, m: Move) -> Delta {
        let us = before.turn();
        let (from, to) = (m.from(), m.to());
        if m.is_castle() {
            return Delta::castle(us, from, to);
        }
        // A legal move has a piece to move; a pawn stands in for one that is missing.
        let moved = before.role_at(from).unwrap_or(Role::Pawn);
        let placed = m.promoted_role().unwrap_or(moved);
        let added = feature(placed.of(us), to);
        let removed = feature(moved.of(us), from);
        let taken = if m.is_en_passant() {
            let square = Square::from_coords(to.file(), from.rank());
            Some(feature(us.other().pawn(), square))
        } else {
            before
                .role_at(to)
                .map(|role| feature(role.of(us.other()), to))
        };
        Delta {
            shape: if taken.is_some() {
                Shape::Capture
            } else {
                Shape::Quiet
            },
            added: [added, 0],
            removed: [removed, taken.unwrap_or(0)],
        }
    }

    fn castle(us: Color, king: Square, rook: Square) -> Delta {
        let (king_file, rook_file) = if rook > king {
            (File::G, File::F)
        } else {
            (File::C, File::D)
        };
        let rank = king.rank();
        Delta {
            shape: Shape::Castle,
            added: [
                feature(us.king(), Square::from_coords(king_file, rank)),
                feature(us.rook(), Square::from_coords(rook_file, rank)),
            ],
            removed: [feature(us.king(), king), feature(us.rook(), rook)],
        }
    }

    /// The features switched on.
    #[inline]
    pub fn added(&self) -> &[u16] {
        if self.shape == Shape::Castle {
            &self.added
        } else {
            &self.added[..1]
        }
    }

    /// The features switched off.
    #[inline]
    pub fn removed(&self) -> &[u16] {
        if self.shape == Shape::Quiet {
            &self.removed[..1]
        } else {
            &self.removed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_numbered_without_gaps_and_seen_one_to_one() {
        let mut numbers = Vec::new();
        for color in Color::ALL {
            for role in Role::ALL {
                for square in Square::ALL {
                    numbers.push(feature(role.of(color), square));
                }
            }
        }
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..FEATURES as u16));

        for perspective in Color::ALL {
            for mirrored in [false, true] {
                for &number in &numbers {
                    let seen = seen_by(number, perspective, mirrored);
                    assert_eq!(seen_by(seen, perspective, mirrored), number);
                }
            }
        }
    }

    #[test]
    fn black_sees_its_own_pieces_where_white_sees_white_ones() {
        let white = feature(Color::White.knight(), Square::B1);
        let black = feature(Color::Black.knight(), Square::B8);
        assert_eq!(seen_by(black, Color::Black, false), white);
        assert_eq!(
            seen_by(black, Color::Black, true),
            feature(Color::White.knight(), Square::G1)
        );
        assert_eq!(seen_by(white, Color::White, false), white);
    }
}
