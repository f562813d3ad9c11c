//! The position the search works on: copied for each move, never taken back.

use std::fmt;

use shakmaty::{
    Bitboard, Board, CastlingSide, Chess, Color, Piece, Position as _, Rank, Role, Square, attacks,
};

use super::keys::{self, Keys};
use super::moves::Move;

/// A legal position: shakmaty's `Board` and everything the search asks for often.
///
/// It is copied for every move (`play` returns the new one). It knows nothing of earlier positions:
/// see [`Game`](super::game::Game) for repetitions.
#[derive(Clone)]
pub struct Position {
    pub(super) board: Board,
    /// What stands on each square; its colour is in `board`.
    roles: [Option<Role>; 64],
    keys: Keys,
    pub(super) checkers: Bitboard,
    pub(super) pinned: Bitboard,
    /// The rooks that may still castle.
    pub(super) castling: Bitboard,
    pub(super) turn: Color,
    /// The square a pawn just jumped over, if taking it is legal for at least one pawn.
    pub(super) ep_square: Option<Square>,
    halfmoves: u16,
    /// Where the kings stand, by colour (black first, as shakmaty numbers them).
    kings: [Square; 2],
}

impl Position {
    /// The position a `Chess` holds.
    pub fn from_chess(chess: &Chess) -> Position {
        let mut position = Position {
            board: chess.board().clone(),
            roles: Square::ALL.map(|sq| chess.board().role_at(sq)),
            keys: Keys::default(),
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            castling: chess.castles().castling_rights(),
            turn: chess.turn(),
            ep_square: None,
            halfmoves: chess.halfmoves().min(u32::from(u16::MAX)) as u16,
            kings: [Color::Black, Color::White].map(|color| king_on(chess.board(), color)),
        };
        for (sq, piece) in chess.board() {
            position.keys.toggle(piece, sq);
        }
        if position.turn == Color::White {
            position.keys.full ^= keys::turn_key();
        }
        for rook in position.castling {
            let color = Color::from_white(rook.rank() == Rank::First);
            position.keys.full ^= keys::castling_key(color, position.king_of(color), rook);
        }
        position.find_checks();
        if let Some(target) = chess.maybe_ep_square() {
            position.set_ep_square(target);
        }
        position
    }

    /// The pieces.
    #[inline]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The side to move.
    #[inline]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// The pieces of the side to move.
    #[inline]
    pub const fn us(&self) -> Bitboard {
        self.board.by_color(self.turn)
    }

    /// The pieces of the other side.
    #[inline]
    pub const fn them(&self) -> Bitboard {
        self.board.by_color(self.turn.other())
    }

    /// All pieces.
    #[inline]
    pub const fn occupied(&self) -> Bitboard {
        self.board.occupied()
    }

    /// What stands on a square, and whose it is.
    #[inline]
    pub fn piece_at(&self, sq: Square) -> Option<Piece> {
        let role = self.role_at(sq)?;
        let color = Color::from_white(self.board.white().contains(sq));
        Some(Piece { color, role })
    }

    /// What stands on a square.
    #[inline]
    pub const fn role_at(&self, sq: Square) -> Option<Role> {
        self.roles[sq.to_usize()]
    }

    /// Where a side's king stands.
    #[inline]
    pub const fn king_of(&self, color: Color) -> Square {
        self.kings[color as usize]
    }

    /// The enemy pieces giving check to the side to move.
    #[inline]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Is the side to move in check?
    #[inline]
    pub const fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The pieces of the side to move that are pinned to their own king.
    #[inline]
    pub const fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// The key of the position: shakmaty's `Zobrist64` with `EnPassantMode::Legal`.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.keys.full
    }

    /// The key of the pawns alone.
    #[inline]
    pub const fn pawn_key(&self) -> u64 {
        self.keys.pawns()
    }

    /// The key of a side's pieces without its pawns.
    #[inline]
    pub const fn non_pawn_key(&self, color: Color) -> u64 {
        self.keys.non_pawns(color)
    }

    /// The key of both sides' knights, bishops and kings.
    #[inline]
    pub const fn minor_key(&self) -> u64 {
        self.keys.minors()
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub const fn halfmoves(&self) -> u32 {
        self.halfmoves as u32
    }

    /// The squares of the rooks that may still castle, of both sides.
    #[inline]
    pub const fn castling_rights(&self) -> Bitboard {
        self.castling
    }

    /// The square behind a pawn that just advanced two squares, if it can legally be taken.
    #[inline]
    pub const fn ep_square(&self) -> Option<Square> {
        self.ep_square
    }

    /// Has a side anything but king and pawns?
    #[inline]
    pub fn has_non_pawn_material(&self, color: Color) -> bool {
        (self.board.by_color(color) & !(self.board.pawns() | self.board.kings())).any()
    }

    /// All pieces on the board, counted in pawns as beginners learn it: 1, 3, 3, 5, 9.
    #[inline]
    pub fn material(&self) -> i32 {
        let board = &self.board;
        let of = |pieces: Bitboard, worth: i32| pieces.count() as i32 * worth;
        of(board.pawns(), 1)
            + of(board.knights() | board.bishops(), 3)
            + of(board.rooks(), 5)
            + of(board.queens(), 9)
    }

    /// Can neither side mate, whatever both play?
    pub fn is_insufficient_material(&self) -> bool {
        let board = &self.board;
        if (board.pawns() | board.rooks_and_queens()).any() {
            return false;
        }
        if board.occupied().count() <= 3 {
            return true;
        }
        // Bishops alone, all on squares of one colour.
        board.knights().is_empty()
            && ((board.bishops() & Bitboard::DARK_SQUARES).is_empty()
                || (board.bishops() & Bitboard::LIGHT_SQUARES).is_empty())
    }

    /// Is it known that neither side can force mate, though one is possible? With no more than one
    /// knight or bishop on each side, or two knights against a bare king.
    pub fn is_mate_out_of_reach(&self) -> bool {
        let board = &self.board;
        if board.occupied().count() > 4 || (board.pawns() | board.rooks_and_queens()).any() {
            return false;
        }
        let alone = |color| board.by_color(color).count() == 1;
        let one_each = !alone(Color::White) && !alone(Color::Black);
        board.occupied().count() <= 3 || one_each || board.knights().count() == 2
    }

    /// Is this a capture, en passant included? Castling is none.
    #[inline]
    pub const fn is_capture(&self, m: Move) -> bool {
        (self.role_at(m.to()).is_some() && !m.is_castle()) || m.is_en_passant()
    }

    /// What a move takes.
    #[inline]
    pub const fn captured_role(&self, m: Move) -> Option<Role> {
        if m.is_en_passant() {
            Some(Role::Pawn)
        } else if m.is_castle() {
            None
        } else {
            self.role_at(m.to())
        }
    }

    /// About the key after a move, for prefetching: exact unless castling, promotion, en passant or
    /// a castling right is involved.
    #[inline]
    pub fn key_after(&self, m: Move) -> u64 {
        let mut key = self.keys.full ^ keys::turn_key();
        if let Some(role) = self.role_at(m.from()) {
            let piece = role.of(self.turn);
            key ^= keys::piece_key(piece, m.from()) ^ keys::piece_key(piece, m.to());
        }
        if let Some(role) = self.role_at(m.to()) {
            key ^= keys::piece_key(role.of(self.turn.other()), m.to());
        }
        if let Some(target) = self.ep_square {
            key ^= keys::en_passant_key(target);
        }
        key
    }

    /// The position after a legal move.
    #[inline]
    pub fn play(&self, m: Move) -> Position {
        let mut next = self.clone();
        next.make(m);
        next
    }

    /// The position after passing. The side to move must not be in check.
    pub fn play_null(&self) -> Position {
        debug_assert!(!self.in_check(), "passing in check");
        let mut next = self.clone();
        next.flip_turn();
        next.halfmoves = next.halfmoves.saturating_add(1);
        next.find_checks();
        next
    }

    /// The position with the piece on this square lifted off; nothing for a king or an empty square.
    /// For asking what the piece is worth: the side that has just moved may be left in check.
    pub fn without(&self, square: Square) -> Option<Position> {
        let piece = self.piece_at(square).filter(|p| p.role != Role::King)?;
        let mut next = self.clone();
        if let Some(target) = next.ep_square.take() {
            next.keys.full ^= keys::en_passant_key(target);
        }
        next.lose_castling_rights(Bitboard::from(square));
        next.remove(piece, square);
        next.find_checks();
        Some(next)
    }

    /// Makes a legal move in place. Not inlined: the copy is then changed where it lies instead of
    /// being taken apart into registers.
    #[inline(never)]
    fn make(&mut self, m: Move) {
        let (us, from, to) = (self.turn, m.from(), m.to());
        let Some(role) = self.role_at(from) else {
            debug_assert!(false, "{m:?} moves nothing");
            return;
        };
        self.flip_turn();
        self.halfmoves = self.halfmoves.saturating_add(1);
        if (self.castling & lost_rights(us, role, from, to)).any() {
            self.lose_castling_rights(lost_rights(us, role, from, to));
        }
        if m.is_castle() {
            self.castle(us, from, to);
            self.find_checks();
            return;
        }

        if let Some(captured) = self.role_at(to) {
            self.keys.toggle(captured.of(us.other()), to);
            self.halfmoves = 0;
        }
        self.remove(role.of(us), from);
        self.put(m.promoted_role().unwrap_or(role).of(us), to);
        match role {
            Role::Pawn => {
                self.halfmoves = 0;
                if m.is_en_passant() {
                    self.remove(us.other().pawn(), behind(to));
                }
            }
            Role::King => self.kings[us as usize] = to,
            _ => {}
        }
        self.find_checks();
        if role == Role::Pawn && from.abs_diff(to) == 16 {
            self.set_ep_square(behind(to));
        }
    }

    #[inline]
    fn flip_turn(&mut self) {
        self.turn = self.turn.other();
        self.keys.full ^= keys::turn_key();
        if let Some(target) = self.ep_square.take() {
            self.keys.full ^= keys::en_passant_key(target);
        }
    }

    #[inline]
    fn put(&mut self, piece: Piece, sq: Square) {
        self.board.set_piece_at(sq, piece);
        self.roles[sq.to_usize()] = Some(piece.role);
        self.keys.toggle(piece, sq);
    }

    #[inline]
    fn remove(&mut self, piece: Piece, sq: Square) {
        self.board.discard_piece_at(sq);
        self.roles[sq.to_usize()] = None;
        self.keys.toggle(piece, sq);
    }

    #[cold]
    fn lose_castling_rights(&mut self, lost: Bitboard) {
        for rook in self.castling & lost {
            let color = Color::from_white(rook.rank() == Rank::First);
            self.keys.full ^= keys::castling_key(color, self.king_of(color), rook);
        }
        self.castling &= !lost;
    }

    #[cold]
    fn castle(&mut self, us: Color, king: Square, rook: Square) {
        let side = CastlingSide::from_king_side(king < rook);
        self.remove(us.king(), king);
        self.remove(us.rook(), rook);
        self.put(us.king(), side.king_to(us));
        self.put(us.rook(), side.rook_to(us));
        self.kings[us as usize] = side.king_to(us);
    }

    /// Finds the checkers and the pinned pieces of the side to move.
    #[inline]
    fn find_checks(&mut self) {
        let (us, them) = (self.us(), self.them());
        let king = self.king_of(self.turn);
        let board = &self.board;
        let mut checkers = (attacks::pawn_attacks(self.turn, king) & board.pawns()
            | attacks::knight_attacks(king) & board.knights())
            & them;
        // Through our own men, so that whoever stands alone in between is pinned.
        let snipers = (attacks::rook_attacks(king, them) & board.rooks_and_queens()
            | attacks::bishop_attacks(king, them) & board.bishops_and_queens())
            & them;
        let mut pinned = Bitboard::EMPTY;
        for sniper in snipers {
            let between = attacks::between(king, sniper) & us;
            if between.is_empty() {
                checkers.add(sniper);
            } else if !between.more_than_one() {
                pinned |= between;
            }
        }
        self.checkers = checkers;
        self.pinned = pinned;
    }

    /// Notes the en passant square if one of our pawns may legally take there.
    fn set_ep_square(&mut self, target: Square) {
        let takers = attacks::pawn_attacks(self.turn.other(), target) & self.our(Role::Pawn);
        for from in takers {
            if self.is_safe_en_passant(from, target) {
                self.ep_square = Some(target);
                self.keys.full ^= keys::en_passant_key(target);
                return;
            }
        }
    }

    /// Would the king be safe after this en passant capture?
    pub(super) fn is_safe_en_passant(&self, from: Square, target: Square) -> bool {
        let taken = Bitboard::from(behind(target));
        let occupied = (self.occupied() ^ Bitboard::from(from) ^ taken) | Bitboard::from(target);
        let king = self.king_of(self.turn);
        (self.board.attacks_to(king, self.turn.other(), occupied) & !taken).is_empty()
    }

    /// Our pieces of one kind.
    #[inline]
    pub(super) const fn our(&self, role: Role) -> Bitboard {
        self.board.by_piece(Piece {
            color: self.turn,
            role,
        })
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.board.board_fen(), self.turn.char())
    }
}

/// A side's king; every legal position has one.
fn king_on(board: &Board, color: Color) -> Square {
    debug_assert!(board.king_of(color).is_some(), "a position has two kings");
    board.king_of(color).unwrap_or(Square::E1)
}

/// The squares whose castling rooks lose their right when `us` moves a piece between these.
#[inline]
fn lost_rights(us: Color, role: Role, from: Square, to: Square) -> Bitboard {
    let squares = Bitboard::from(from) | Bitboard::from(to);
    if role == Role::King {
        squares | Bitboard::from(us.backrank())
    } else {
        squares
    }
}

/// The square one rank nearer the middle or one further: of a pawn that jumped over `sq`, or the
/// square it jumped over.
#[inline]
pub(super) const fn behind(sq: Square) -> Square {
    sq.xor(Square::A2)
}

const _: () = assert!(size_of::<Position>() <= 224);
