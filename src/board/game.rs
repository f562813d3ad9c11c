//! A game: a position and what of its past the rules remember.

use shakmaty::{CastlingMode, CastlingSide, Chess, Color, Position as _, Role, Setup, Square};

use super::fen::{self, FenError};
use super::moves::{Move, MoveList};
use super::position::Position;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This side has given mate.
    Win(Color),
    /// Stalemate, threefold repetition, fifty moves, or too little material on both sides.
    Draw,
}

/// The current position of a game, with the keys of earlier ones.
#[derive(Clone)]
pub struct Game {
    position: Position,
    /// The same position as shakmaty knows it: for FEN, SAN and tablebases.
    chess: Chess,
    /// The keys of the positions since the last capture or pawn move, without the current one.
    keys: Vec<u64>,
}

impl Game {
    /// The usual starting position.
    pub fn start() -> Game {
        Game::from_chess(Chess::default())
    }

    /// A starting position of Chess960 by its Scharnagl number; numbers from 960 on wrap around.
    pub fn chess960_start(number: u32) -> Game {
        let mut setup = Setup::initial();
        setup.board = shakmaty::Board::chess960(number % 960);
        setup.castling_rights = setup.board.rooks();
        let chess = setup.position::<Chess>(CastlingMode::Chess960);
        debug_assert!(chess.is_ok(), "starting position {number} is illegal");
        Game::from_chess(chess.unwrap_or_default())
    }

    /// Reads a FEN, X-FEN or Shredder-FEN.
    ///
    /// Missing trailing fields get their usual values, counters are saturated, and impossible
    /// castling rights and en passant squares are dropped.
    ///
    /// # Errors
    ///
    /// When a field cannot be read, or the position has not one king a side, has the side not to
    /// move in check, pawns on the first or last rank, or too much material.
    pub fn from_fen(fen: &str) -> Result<Game, FenError> {
        fen::parse(fen).map(Game::from_chess)
    }

    fn from_chess(chess: Chess) -> Game {
        Game {
            position: Position::from_chess(&chess),
            chess,
            keys: Vec::new(),
        }
    }

    /// The current position.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The current position as shakmaty's `Chess`, with king-takes-rook castling.
    pub fn to_chess(&self) -> Chess {
        self.chess.clone()
    }

    /// A move of the current position as shakmaty writes it; nothing if no piece stands there.
    pub fn to_shakmaty(&self, m: Move) -> Option<shakmaty::Move> {
        let (from, to) = (m.from(), m.to());
        let role = self.position.role_at(from)?;
        Some(if m.is_castle() {
            shakmaty::Move::Castle {
                king: from,
                rook: to,
            }
        } else if m.is_en_passant() {
            shakmaty::Move::EnPassant { from, to }
        } else {
            shakmaty::Move::Normal {
                role,
                from,
                capture: self.position.role_at(to),
                to,
                promotion: m.promoted_role(),
            }
        })
    }

    /// The FEN of the current position, castling rights written as X-FEN.
    pub fn fen(&self) -> String {
        fen::write(&self.chess)
    }

    /// The number of the current move, counted from the root's FEN.
    pub fn fullmoves(&self) -> u32 {
        self.chess.fullmoves().get()
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        let Some(theirs) = self.to_shakmaty(m) else {
            debug_assert!(false, "{m:?} moves nothing");
            return;
        };
        self.chess.play_unchecked(theirs);
        let next = self.position.play(m);
        if next.halfmoves() == 0 {
            self.keys.clear();
        } else {
            self.keys.push(self.position.key());
        }
        self.position = next;
    }

    /// The keys of the positions before the current one since the last capture or pawn move, the
    /// oldest first.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The legal moves, captures first.
    pub fn legal_moves(&self) -> MoveList {
        self.position.legal_moves()
    }

    /// Reads a legal move in UCI's notation.
    ///
    /// Castling is king-takes-rook always, and the king's two-step move or `O-O` where that can
    /// mean nothing else. A promotion needs its letter, of either case.
    pub fn parse_uci(&self, text: &str) -> Option<Move> {
        let legal = self.legal_moves();
        let castling = |side: CastlingSide| {
            let on_side = |m: &&Move| {
                m.is_castle() && CastlingSide::from_king_side(m.from() < m.to()) == side
            };
            legal.iter().find(on_side).copied()
        };
        match text {
            "O-O" | "0-0" | "o-o" => return castling(CastlingSide::KingSide),
            "O-O-O" | "0-0-0" | "o-o-o" => return castling(CastlingSide::QueenSide),
            _ => {}
        }
        let (from, to, promotion) = split_uci(text)?;
        let exact = |m: &&Move| m.from() == from && m.to() == to && m.promoted_role() == promotion;
        if let Some(m) = legal.iter().find(exact) {
            return Some(*m);
        }
        // The king's own two squares. One square would be a plain king move, found above.
        let turn = self.position.turn();
        let is_king = from == self.position.king_of(turn) && promotion.is_none();
        if !is_king || from.distance(to) < 2 {
            return None;
        }
        let side = CastlingSide::from_king_side(from < to);
        castling(side).filter(|_| to == side.king_to(turn))
    }

    /// How the game has ended, if it has. A mate given by the move that completes fifty moves
    /// counts.
    pub fn outcome(&self) -> Option<Outcome> {
        let position = &self.position;
        if !position.has_legal_move() {
            return Some(if position.in_check() {
                Outcome::Win(position.turn().other())
            } else {
                Outcome::Draw
            });
        }
        let repeated = self.keys.iter().filter(|key| **key == position.key());
        let drawn = position.halfmoves() >= 100
            || position.is_insufficient_material()
            || repeated.count() >= 2;
        drawn.then_some(Outcome::Draw)
    }
}

/// From, to and promotion of a move such as `e7e8q`.
fn split_uci(text: &str) -> Option<(Square, Square, Option<Role>)> {
    let bytes = text.as_bytes();
    let from = Square::from_ascii(bytes.get(..2)?).ok()?;
    let to = Square::from_ascii(bytes.get(2..4)?).ok()?;
    let promotion = match bytes.get(4..)? {
        [] => None,
        [letter] => Some(match letter.to_ascii_lowercase() {
            b'q' => Role::Queen,
            b'r' => Role::Rook,
            b'b' => Role::Bishop,
            b'n' => Role::Knight,
            _ => return None,
        }),
        _ => return None,
    };
    Some((from, to, promotion))
}
