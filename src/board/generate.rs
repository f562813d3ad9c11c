//! Move generation in two stages: captures, then the rest.
//!
//! Moves are pseudo-legal: the king may be left in check, so ask
//! [`is_legal`](Position::is_legal) before playing one. In check only moves that could answer it are
//! generated.

use shakmaty::{Bitboard, CastlingSide, Color, Rank, Role, Square, attacks};

use super::moves::{Move, MoveList};
use super::position::Position;

const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Knight, Role::Rook, Role::Bishop];

const NOT_A: Bitboard = Bitboard(0xfefe_fefe_fefe_fefe);
const NOT_H: Bitboard = Bitboard(0x7f7f_7f7f_7f7f_7f7f);

impl Position {
    /// Pseudo-legal captures: en passant and all four promotions of a capturing pawn included.
    pub fn captures(&self, list: &mut MoveList) {
        let them = self.them();
        self.king_moves(list, them);
        if self.checkers.more_than_one() {
            return;
        }
        let targets = if self.in_check() { self.checkers } else { them };
        match self.turn {
            Color::White => self.pawn_captures::<8>(list, targets),
            Color::Black => self.pawn_captures::<-8>(list, targets),
        }
        self.piece_moves(list, targets);
    }

    /// Pseudo-legal moves that take nothing: castling and promotions included.
    pub fn quiets(&self, list: &mut MoveList) {
        let empty = !self.occupied();
        self.king_moves(list, empty);
        if self.checkers.more_than_one() {
            return;
        }
        let targets = match self.checkers.first() {
            Some(checker) => attacks::between(self.king_of(self.turn), checker),
            None => empty,
        };
        match self.turn {
            Color::White => self.pawn_pushes::<8>(list, targets),
            Color::Black => self.pawn_pushes::<-8>(list, targets),
        }
        self.piece_moves(list, targets);
        if !self.in_check() {
            self.castling_moves(list);
        }
    }

    /// All legal moves, captures first.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.captures(&mut list);
        self.quiets(&mut list);
        list.retain(|m| self.is_legal(m));
        list
    }

    /// Is there a legal move?
    pub fn has_legal_move(&self) -> bool {
        let mut list = MoveList::new();
        self.quiets(&mut list);
        if list.iter().any(|m| self.is_legal(*m)) {
            return true;
        }
        list.clear();
        self.captures(&mut list);
        list.iter().any(|m| self.is_legal(*m))
    }

    #[inline]
    fn king_moves(&self, list: &mut MoveList, targets: Bitboard) {
        let king = self.king_of(self.turn);
        push_all(list, king, attacks::king_attacks(king) & targets);
    }

    #[inline]
    fn piece_moves(&self, list: &mut MoveList, targets: Bitboard) {
        let (board, us, occupied) = (&self.board, self.us(), self.occupied());
        // A pinned knight has no move at all.
        for from in board.knights() & us & !self.pinned {
            push_all(list, from, attacks::knight_attacks(from) & targets);
        }
        for from in board.bishops_and_queens() & us {
            push_all(
                list,
                from,
                attacks::bishop_attacks(from, occupied) & targets,
            );
        }
        for from in board.rooks_and_queens() & us {
            push_all(list, from, attacks::rook_attacks(from, occupied) & targets);
        }
    }

    fn pawn_captures<const FORWARD: i32>(&self, list: &mut MoveList, targets: Bitboard) {
        let pawns = self.our(Role::Pawn);
        let last = Bitboard::from(self.turn.relative_rank(Rank::Eighth));
        let west = shift(pawns & NOT_A, FORWARD - 1) & targets;
        let east = shift(pawns & NOT_H, FORWARD + 1) & targets;
        push_pawns(list, west & !last, FORWARD - 1);
        push_pawns(list, east & !last, FORWARD + 1);
        if ((west | east) & last).any() {
            push_promotions(list, west & last, FORWARD - 1);
            push_promotions(list, east & last, FORWARD + 1);
        }
        if let Some(target) = self.ep_square {
            for from in attacks::pawn_attacks(self.turn.other(), target) & pawns {
                list.push(Move::en_passant(from, target));
            }
        }
    }

    fn pawn_pushes<const FORWARD: i32>(&self, list: &mut MoveList, targets: Bitboard) {
        let empty = !self.occupied();
        let last = Bitboard::from(self.turn.relative_rank(Rank::Eighth));
        let third = Bitboard::from(self.turn.relative_rank(Rank::Third));
        let single = shift(self.our(Role::Pawn), FORWARD) & empty;
        let double = shift(single & third, FORWARD) & empty & targets;
        push_promotions(list, single & targets & last, FORWARD);
        push_pawns(list, single & targets & !last, FORWARD);
        push_pawns(list, double, 2 * FORWARD);
    }

    fn castling_moves(&self, list: &mut MoveList) {
        let rooks = self.castling & self.us();
        if rooks.is_empty() {
            return;
        }
        let king = self.king_of(self.turn);
        for rook in rooks {
            if (self.castling_path(king, rook) & self.occupied()).is_empty() {
                list.push(Move::castle(king, rook));
            }
        }
    }

    /// The squares that must be empty for castling with this rook.
    pub(super) fn castling_path(&self, king: Square, rook: Square) -> Bitboard {
        let side = CastlingSide::from_king_side(king < rook);
        let (king_to, rook_to) = (side.king_to(self.turn), side.rook_to(self.turn));
        let path = attacks::between(king, king_to)
            | attacks::between(rook, rook_to)
            | Bitboard::from(king_to)
            | Bitboard::from(rook_to);
        path & !(Bitboard::from(king) | Bitboard::from(rook))
    }
}

/// The step of a pawn, in squares.
#[inline]
pub(super) const fn forward(color: Color) -> i32 {
    match color {
        Color::White => 8,
        Color::Black => -8,
    }
}

/// Moves all squares by this many; the caller has cleared those that would leave the board sideways.
#[inline(always)]
const fn shift(squares: Bitboard, delta: i32) -> Bitboard {
    if delta > 0 {
        Bitboard(squares.0 << delta)
    } else {
        Bitboard(squares.0 >> -delta)
    }
}

/// The squares that pawns attack which step by `FORWARD`.
#[inline]
pub(super) fn pawn_threats<const FORWARD: i32>(pawns: Bitboard) -> Bitboard {
    shift(pawns & NOT_A, FORWARD - 1) | shift(pawns & NOT_H, FORWARD + 1)
}

#[inline]
fn push_all(list: &mut MoveList, from: Square, targets: Bitboard) {
    for to in targets {
        list.push(Move::normal(from, to));
    }
}

/// Where a pawn on `to` came from, having moved by `delta`.
#[inline]
const fn origin(to: Square, delta: i32) -> Square {
    Square::new((to.to_u32() as i32 - delta) as u32 & 63)
}

#[inline]
fn push_pawns(list: &mut MoveList, targets: Bitboard, delta: i32) {
    for to in targets {
        list.push(Move::normal(origin(to, delta), to));
    }
}

#[inline]
fn push_promotions(list: &mut MoveList, targets: Bitboard, delta: i32) {
    for to in targets {
        for role in PROMOTIONS {
            list.push(Move::promotion(origin(to, delta), to, role));
        }
    }
}
