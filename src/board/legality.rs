//! Is a move possible here, is it legal, does it give check?

use shakmaty::{Bitboard, CastlingSide, Color, Rank, Role, Square, attacks};

use super::generate::{forward, pawn_threats};
use super::moves::Move;
use super::position::{Position, behind};

impl Position {
    /// All squares that the side not to move attacks.
    pub fn threats(&self) -> Bitboard {
        let (board, them, occupied) = (&self.board, self.them(), self.occupied());
        let mut squares = attacks::king_attacks(self.king_of(self.turn.other()));
        squares |= match self.turn {
            Color::White => pawn_threats::<-8>(board.pawns() & them),
            Color::Black => pawn_threats::<8>(board.pawns() & them),
        };
        for from in board.knights() & them {
            squares |= attacks::knight_attacks(from);
        }
        for from in board.bishops_and_queens() & them {
            squares |= attacks::bishop_attacks(from, occupied);
        }
        for from in board.rooks_and_queens() & them {
            squares |= attacks::rook_attacks(from, occupied);
        }
        squares
    }

    /// Would the generators yield this move here? Safe to ask of any sixteen bits, as a
    /// transposition table returns them.
    pub fn is_pseudo_legal(&self, m: Move) -> bool {
        let (from, to) = (m.from(), m.to());
        let Some(role) = self.role_at(from) else {
            return false;
        };
        if !self.us().contains(from) || !m.is_well_formed() {
            return false;
        }
        if m.is_castle() {
            return self.is_pseudo_legal_castling(role, from, to);
        }
        if m.is_en_passant() {
            return role == Role::Pawn
                && self.ep_square == Some(to)
                && attacks::pawn_attacks(self.turn, from).contains(to)
                && !self.checkers.more_than_one();
        }
        if self.us().contains(to) {
            return false;
        }
        if role == Role::King {
            return m.is_normal() && attacks::king_attacks(from).contains(to);
        }
        if self.in_check() && !self.answers_check(to) {
            return false;
        }
        if role == Role::Pawn {
            let last = to.rank() == self.turn.relative_rank(Rank::Eighth);
            return m.is_promotion() == last && self.is_pseudo_legal_pawn(from, to);
        }
        m.is_normal() && self.reaches(role, from, to)
    }

    /// Is a pseudo-legal move legal: is our king safe after it?
    #[inline]
    pub fn is_legal(&self, m: Move) -> bool {
        let (from, to) = (m.from(), m.to());
        let king = self.king_of(self.turn);
        // Most moves are of pieces that shield nothing.
        if !(self.pinned | Bitboard::from(king)).contains(from) && !m.is_en_passant() {
            return true;
        }
        if from == king {
            self.is_legal_king_move(m, king, to)
        } else if m.is_en_passant() {
            self.is_safe_en_passant(from, to)
        } else {
            attacks::aligned(king, from, to)
        }
    }

    fn is_legal_king_move(&self, m: Move, king: Square, to: Square) -> bool {
        if m.is_castle() {
            self.is_legal_castling(king, to)
        } else {
            !self.is_attacked(to, self.occupied() ^ Bitboard::from(king))
        }
    }

    /// Does a legal move give check?
    pub fn gives_check(&self, m: Move) -> bool {
        let (from, to) = (m.from(), m.to());
        let king = self.king_of(self.turn.other());
        if m.is_castle() || m.is_en_passant() {
            return self.gives_special_check(m, king);
        }
        let Some(role) = m.promoted_role().or(self.role_at(from)) else {
            return false;
        };
        let occupied = self.occupied() ^ Bitboard::from(from) | Bitboard::from(to);
        let direct = match role {
            Role::Pawn => attacks::pawn_attacks(self.turn, to),
            Role::Knight => attacks::knight_attacks(to),
            Role::Bishop => attacks::bishop_attacks(to, occupied),
            Role::Rook => attacks::rook_attacks(to, occupied),
            Role::Queen => attacks::queen_attacks(to, occupied),
            Role::King => Bitboard::EMPTY,
        };
        if direct.contains(king) {
            return true;
        }
        // Whoever leaves a line to the king may open it for a slider behind.
        let line = attacks::ray(king, from);
        let sliders = self.board.sliders() & self.us() & !Bitboard::from(from);
        (line & sliders).any() && self.sliders_attack(king, occupied, sliders)
    }

    /// Castling and en passant change more than two squares.
    fn gives_special_check(&self, m: Move, king: Square) -> bool {
        let (from, to) = (m.from(), m.to());
        let sliders = self.board.sliders() & self.us();
        if m.is_en_passant() {
            let taken = Bitboard::from(behind(to));
            let occupied = self.occupied() ^ Bitboard::from(from) ^ taken | Bitboard::from(to);
            return attacks::pawn_attacks(self.turn, to).contains(king)
                || self.sliders_attack(king, occupied, sliders);
        }
        let side = CastlingSide::from_king_side(from < to);
        let rook_to = Bitboard::from(side.rook_to(self.turn));
        let king_to = Bitboard::from(side.king_to(self.turn));
        let occupied =
            self.occupied() & !(Bitboard::from(from) | Bitboard::from(to)) | rook_to | king_to;
        attacks::rook_attacks(side.rook_to(self.turn), occupied).contains(king)
            || self.sliders_attack(king, occupied, sliders & !Bitboard::from(to))
    }

    /// Does one of these sliders, standing where they stand now, attack the square?
    fn sliders_attack(&self, sq: Square, occupied: Bitboard, sliders: Bitboard) -> bool {
        let (board, sliders) = (&self.board, sliders & occupied);
        (attacks::rook_attacks(sq, occupied) & board.rooks_and_queens() & sliders).any()
            || (attacks::bishop_attacks(sq, occupied) & board.bishops_and_queens() & sliders).any()
    }

    /// Does the side not to move attack a square, with these squares occupied?
    #[inline]
    pub(super) fn is_attacked(&self, sq: Square, occupied: Bitboard) -> bool {
        let (board, them) = (&self.board, self.them());
        let near = attacks::pawn_attacks(self.turn, sq) & board.pawns()
            | attacks::knight_attacks(sq) & board.knights()
            | attacks::king_attacks(sq) & board.kings();
        (near & them).any()
            || (attacks::rook_attacks(sq, occupied) & board.rooks_and_queens() & them).any()
            || (attacks::bishop_attacks(sq, occupied) & board.bishops_and_queens() & them).any()
    }

    /// Does a piece other than the king, going there, take the only checker or step in between?
    fn answers_check(&self, to: Square) -> bool {
        match self.checkers.single_square() {
            Some(checker) => {
                to == checker || attacks::between(self.king_of(self.turn), checker).contains(to)
            }
            None => false,
        }
    }

    fn is_pseudo_legal_castling(&self, role: Role, king: Square, rook: Square) -> bool {
        role == Role::King
            && !self.in_check()
            && (self.castling & self.us()).contains(rook)
            && (self.castling_path(king, rook) & self.occupied()).is_empty()
    }

    fn is_legal_castling(&self, king: Square, rook: Square) -> bool {
        let side = CastlingSide::from_king_side(king < rook);
        let (king_to, rook_to) = (side.king_to(self.turn), side.rook_to(self.turn));
        let without_king = self.occupied() ^ Bitboard::from(king);
        let after = without_king & !Bitboard::from(rook) | Bitboard::from(rook_to);
        // The rook may have shielded the king's new square.
        !self.is_attacked(king_to, after)
            && attacks::between(king, king_to)
                .into_iter()
                .all(|sq| !self.is_attacked(sq, without_king))
    }

    fn is_pseudo_legal_pawn(&self, from: Square, to: Square) -> bool {
        if self.them().contains(to) {
            return attacks::pawn_attacks(self.turn, from).contains(to);
        }
        let empty = !self.occupied();
        let step = forward(self.turn);
        let single = Bitboard::from(from).shift(step) & empty;
        let third = Bitboard::from(self.turn.relative_rank(Rank::Third));
        let double = (single & third).shift(step) & empty;
        (single | double).contains(to)
    }

    fn reaches(&self, role: Role, from: Square, to: Square) -> bool {
        let occupied = self.occupied();
        match role {
            // As in the generators: a pinned knight never moves.
            Role::Knight => {
                attacks::knight_attacks(from).contains(to) && !self.pinned.contains(from)
            }
            Role::Bishop => attacks::bishop_attacks(from, occupied).contains(to),
            Role::Rook => attacks::rook_attacks(from, occupied).contains(to),
            Role::Queen => attacks::queen_attacks(from, occupied).contains(to),
            Role::Pawn | Role::King => false,
        }
    }
}
