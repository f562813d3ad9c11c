//! A game: a position and what of its past the rules remember.

use std::fmt;

use shakmaty::{
    CastlingMode, CastlingSide, Chess, Color, EnPassantMode, Position as _, Role, Setup, Square,
};

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

    /// The game that begins with this position, whose castling is king takes rook.
    pub fn from_chess(chess: Chess) -> Game {
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

    /// Does a side have a right to castle that only Chess960 knows?
    pub fn is_chess960(&self) -> bool {
        let setup = self.chess.to_setup(EnPassantMode::Legal);
        CastlingMode::detect(&setup) == CastlingMode::Chess960
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

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn game(fen: &str) -> Game {
        Game::from_fen(fen).expect(fen)
    }

    fn play(game: &mut Game, moves: &str) {
        for text in moves.split(' ') {
            let m = game.parse_uci(text).expect(text);
            game.play(m);
        }
    }

    fn rejects(fen: &str, text: &str) {
        assert_eq!(game(fen).parse_uci(text), None, "{text} in {fen}");
    }

    #[test]
    fn the_third_occurrence_is_a_draw() {
        let mut game = Game::start();
        play(&mut game, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1");
        assert_eq!(game.outcome(), None);
        play(&mut game, "f6g8");
        assert_eq!(game.outcome(), Some(Outcome::Draw));
        assert_eq!(game.keys().len(), 8);
        play(&mut game, "e2e4");
        assert!(game.keys().is_empty());
        assert_eq!(game.outcome(), None);
    }

    #[test]
    fn a_right_to_castle_or_to_take_en_passant_makes_another_position() {
        let mut game = game("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        play(&mut game, "e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1 e7e8");
        // The first position still had the right: this one has occurred twice.
        assert_eq!(game.outcome(), None);
        play(&mut game, "e1e2 e8e7 e2e1 e7e8");
        assert_eq!(game.outcome(), Some(Outcome::Draw));
    }

    #[test]
    fn en_passant_counts_only_if_it_is_legal() {
        let key = |fen: &str| game(fen).position().key();
        // No pawn beside it; a pinned one; one pinned along the rank through both pawns.
        for (with, without) in [
            (
                "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1",
                "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1",
            ),
            (
                "3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1",
                "3k4/8/8/8/3pP3/8/8/3RK3 b - - 0 1",
            ),
            (
                "8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1",
                "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1",
            ),
        ] {
            assert_eq!(key(with), key(without), "{with}");
        }
        assert_ne!(
            key("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"),
            key("4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1")
        );
        // The same by playing the pawn's move.
        let mut pinned = game("3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1");
        play(&mut pinned, "e2e4");
        assert_eq!(pinned.position().ep_square(), None);
        assert_eq!(
            pinned.position().key(),
            key("3k4/8/8/8/3pP3/8/8/3RK3 b - - 0 1")
        );
        let mut free = game("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1");
        play(&mut free, "e2e4");
        assert_eq!(free.position().ep_square(), Some(Square::E3));
        assert_eq!(free.fen(), "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1");
    }

    #[test]
    fn fifty_moves_draw_unless_the_last_one_mates() {
        let mate = "7k/8/5KQ1/8/8/8/8/8 w - - 99 80";
        let mut mated = game(mate);
        play(&mut mated, "g6g7");
        assert_eq!(mated.outcome(), Some(Outcome::Win(Color::White)));
        let mut drawn = game(mate);
        play(&mut drawn, "g6e4");
        assert_eq!(drawn.outcome(), Some(Outcome::Draw));
        assert_eq!(
            game("8/8/8/4k3/8/8/R7/4K3 w - - 150 200").outcome(),
            Some(Outcome::Draw)
        );
        let mut pawn = game("7k/8/5K2/8/8/8/P7/8 w - - 99 80");
        play(&mut pawn, "a2a3");
        assert_eq!(pawn.outcome(), None);
    }

    #[test]
    fn too_little_material_draws() {
        for (fen, drawn) in [
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
            ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", true),
            ("4k3/8/8/8/8/8/8/4KB2 w - - 0 1", true),
            ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", true),
            ("4k1b1/8/8/8/8/8/8/2B1K3 w - - 0 1", false),
            ("4kn2/8/8/8/8/8/8/4KN2 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", false),
            ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", false),
        ] {
            assert_eq!(
                game(fen).position().is_insufficient_material(),
                drawn,
                "{fen}"
            );
        }
    }

    #[test]
    fn mate_is_out_of_reach_with_two_knights_or_a_minor_piece_each() {
        for (fen, known) in [
            ("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", true),
            ("4kn2/8/8/8/8/8/8/4KN2 w - - 0 1", true),
            ("4k1b1/8/8/8/8/8/8/2B1K3 w - - 0 1", true),
            ("4k1n1/8/8/8/8/8/8/2B1K3 b - - 0 1", true),
            ("4k3/8/8/8/8/8/8/3NKB2 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", false),
            ("4k3/5p2/8/8/8/8/8/4KN2 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/1NN1KN2 w - - 0 1", false),
        ] {
            assert_eq!(game(fen).position().is_mate_out_of_reach(), known, "{fen}");
        }
    }

    #[test]
    fn mate_and_stalemate_end_the_game() {
        let mut fool = Game::start();
        play(&mut fool, "f2f3 e7e5 g2g4 d8h4");
        assert_eq!(fool.outcome(), Some(Outcome::Win(Color::Black)));
        assert_eq!(
            game("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").outcome(),
            Some(Outcome::Draw)
        );
    }

    #[test]
    fn castling_is_read_in_every_form() {
        let opening = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6";
        for text in ["e1h1", "e1g1", "O-O", "0-0"] {
            let mut game = Game::start();
            play(&mut game, opening);
            play(&mut game, text);
            assert_eq!(game.position().king_of(Color::White), Square::G1, "{text}");
            assert_eq!(
                game.position().role_at(Square::F1),
                Some(Role::Rook),
                "{text}"
            );
        }
        let both = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1";
        for text in ["e8a8", "e8c8", "O-O-O"] {
            let m = game(both).parse_uci(text).expect(text);
            assert_eq!(m, Move::castle(Square::E8, Square::A8));
        }
        rejects("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1");
        rejects("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "O-O");
    }

    #[test]
    fn a_king_step_is_not_castling() {
        let castling = game("4k3/8/8/8/8/8/8/5KR1 w G - 0 1")
            .parse_uci("f1g1")
            .expect("legal");
        assert!(castling.is_castle());
        let both = game("4k3/8/8/8/8/8/8/5K1R w H - 0 1");
        let step = both.parse_uci("f1g1").expect("legal");
        assert_eq!(step, Move::normal(Square::F1, Square::G1));
        assert!(both.parse_uci("f1h1").expect("legal").is_castle());
    }

    #[test]
    fn a_promotion_needs_its_letter() {
        let fen = "8/4P1k1/8/8/8/8/6K1/8 w - - 0 1";
        let queen = Move::promotion(Square::E7, Square::E8, Role::Queen);
        assert_eq!(game(fen).parse_uci("e7e8q"), Some(queen));
        assert_eq!(game(fen).parse_uci("e7e8Q"), Some(queen));
        assert_eq!(queen.uci(false).to_string(), "e7e8q");
        for text in ["e7e8", "e7e8k", "e7e8p", "e7e8qq", "g2g3q"] {
            rejects(fen, text);
        }
    }

    #[test]
    fn what_is_no_move_is_rejected() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for text in [
            "", "0000", "e2", "e2e5", "e7e5", "e9e4", "e2e4 ", "ééé", "e1g1", "(none)",
        ] {
            rejects(start, text);
        }
    }

    #[test]
    fn all_starting_positions_of_chess960_are_legal() {
        for number in 0..960 {
            let game = Game::chess960_start(number);
            assert_eq!(game.position().castling_rights().count(), 4, "{number}");
            let again = Game::from_fen(&game.fen()).expect("legal");
            assert_eq!(again.position().key(), game.position().key(), "{number}");
        }
        assert_eq!(Game::chess960_start(518).fen(), Game::start().fen());
        assert_eq!(
            Game::chess960_start(518).position().key(),
            Game::start().position().key()
        );
    }
}
