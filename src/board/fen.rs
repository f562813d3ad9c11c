//! Reading FEN: tolerant where no harm comes of it, never panicking.

use std::error::Error;
use std::fmt;
use std::num::NonZeroU32;

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, Position as _, PositionError, PositionErrorKinds,
    Setup,
};

use super::position::Position;

/// Why a FEN was rejected; displays as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FenError {
    /// A field could not be read; the text names it.
    Syntax(&'static str),
    /// The position breaks the rules of chess in these ways.
    Illegal(PositionErrorKinds),
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = match self {
            FenError::Syntax(field) => return write!(f, "invalid FEN: {field}"),
            FenError::Illegal(kinds) => kinds,
        };
        let reason = if kinds.contains(PositionErrorKinds::EMPTY_BOARD) {
            "empty board"
        } else if kinds.contains(PositionErrorKinds::MISSING_KING) {
            "a king is missing"
        } else if kinds.contains(PositionErrorKinds::TOO_MANY_KINGS) {
            "too many kings"
        } else if kinds.contains(PositionErrorKinds::PAWNS_ON_BACKRANK) {
            "a pawn on the first or last rank"
        } else if kinds.contains(PositionErrorKinds::OPPOSITE_CHECK) {
            "the side not to move is in check"
        } else if kinds.contains(PositionErrorKinds::TOO_MUCH_MATERIAL) {
            "too much material"
        } else {
            "impossible position"
        };
        write!(f, "illegal position: {reason}")
    }
}

impl Error for FenError {}

/// Reads a FEN, X-FEN or Shredder-FEN.
///
/// Missing fields get their usual values; counters are saturated, negative ones taken as the least
/// possible. Impossible castling rights and en passant squares are dropped, and impossible checks
/// accepted. The result holds an en passant square only if the capture is legal.
pub(super) fn parse(text: &str) -> Result<Chess, FenError> {
    let mut fields = text.split_ascii_whitespace();
    let board = fields.next().ok_or(FenError::Syntax("it is empty"))?;
    let mut setup = Setup::empty();
    setup.board = parse_board(board)?;
    setup.turn = match fields.next() {
        None | Some("w" | "W") => Color::White,
        Some("b" | "B") => Color::Black,
        Some(_) => return Err(FenError::Syntax("side to move")),
    };
    let castling = fields.next().unwrap_or("-");
    let en_passant = fields.next().unwrap_or("-");
    setup.halfmoves = counter(fields.next(), "halfmove clock")?;
    let fullmoves = counter(fields.next(), "move number")?;
    setup.fullmoves = NonZeroU32::new(fullmoves).unwrap_or(NonZeroU32::MIN);
    if fields.next().is_some() {
        return Err(FenError::Syntax("more than six fields"));
    }
    parse_rights(&mut setup, board, castling, en_passant)?;
    validate(setup)
}

/// The board, without the extensions for other variants that shakmaty reads.
fn parse_board(field: &str) -> Result<shakmaty::Board, FenError> {
    let plain = |ch: u8| ch == b'/' || ch.is_ascii_alphanumeric();
    if !field.bytes().all(plain) || field.bytes().filter(|ch| *ch == b'/').count() != 7 {
        return Err(FenError::Syntax("board"));
    }
    shakmaty::Board::from_ascii_board_fen(field.as_bytes()).map_err(|_| FenError::Syntax("board"))
}

/// Castling rights and en passant square, which shakmaty resolves by looking at the board.
fn parse_rights(
    setup: &mut Setup,
    board: &str,
    castling: &str,
    en_passant: &str,
) -> Result<(), FenError> {
    if castling.contains('_') || en_passant.contains('_') {
        return Err(FenError::Syntax("castling or en passant"));
    }
    let text = format!("{board} w {castling} {en_passant}");
    let fen = Fen::from_ascii(text.as_bytes()).map_err(|error| {
        FenError::Syntax(match error {
            ParseFenError::InvalidCastling => "castling rights",
            ParseFenError::InvalidEpSquare => "en passant square",
            _ => "board",
        })
    })?;
    setup.castling_rights = fen.as_setup().castling_rights;
    setup.ep_square = fen.as_setup().ep_square;
    Ok(())
}

/// A move counter: absent means nought, too large the largest, negative nought.
fn counter(field: Option<&str>, name: &'static str) -> Result<u32, FenError> {
    let Some(field) = field.filter(|field| *field != "-") else {
        return Ok(0);
    };
    let (negative, digits) = match field.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, field),
    };
    if digits.is_empty() || !digits.bytes().all(|ch| ch.is_ascii_digit()) {
        return Err(FenError::Syntax(name));
    }
    if negative {
        return Ok(0);
    }
    // Only too large a number fails here. Room is left to count on.
    Ok(digits.parse().unwrap_or(MAX_COUNTER).min(MAX_COUNTER))
}

/// The largest counter read from a FEN.
const MAX_COUNTER: u32 = 1_000_000;

fn validate(mut setup: Setup) -> Result<Chess, FenError> {
    let chess = position(setup.clone())?;
    // What shakmaty takes for an en passant square need not be one that matters.
    setup.castling_rights = chess.castles().castling_rights();
    setup.ep_square = Position::from_chess(&chess).ep_square();
    position(setup)
}

fn position(setup: Setup) -> Result<Chess, FenError> {
    setup
        .position::<Chess>(CastlingMode::Chess960)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_impossible_check)
        .map_err(|error| FenError::Illegal(error.kinds()))
}

/// The FEN of a position: en passant only when legal, castling as X-FEN.
pub(super) fn write(chess: &Chess) -> String {
    Fen::from_position(chess, EnPassantMode::Legal).to_string()
}

#[cfg(test)]
mod tests {
    use crate::board::Game;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn legal_moves(fen: &str) -> usize {
        Game::from_fen(fen).expect(fen).legal_moves().len()
    }

    #[test]
    fn missing_fields_get_their_usual_values() {
        let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        for fields in 1..=6 {
            let fen: Vec<&str> = START.split(' ').take(fields).collect();
            let game = Game::from_fen(&fen.join("  \t")).expect("legal");
            assert_eq!(game.position().halfmoves(), 0);
            assert_eq!(game.fullmoves(), 1);
            assert_eq!(legal_moves(&fen.join(" ")), 20);
        }
        let game = Game::from_fen(board).expect("legal");
        assert_eq!(game.fen(), format!("{board} w - - 0 1"));
    }

    #[test]
    fn strange_counters_are_tolerated() {
        let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";
        let read = |counters: &str| {
            let game = Game::from_fen(&format!("{after_e4} {counters}")).expect("legal");
            (game.position().halfmoves(), game.fullmoves())
        };
        assert_eq!(read("0 0"), (0, 1));
        assert_eq!(read("150 200"), (150, 200));
        assert_eq!(read("256 1"), (256, 1));
        assert_eq!(read("-3 -1"), (0, 1));
        assert_eq!(read("- -"), (0, 1));
        assert_eq!(read("999999 999999"), (65_535, 999_999));
        assert_eq!(read("99999999999999999999 99999999999999999999").0, 65_535);
        // And counting on from there does not wrap.
        let mut game = Game::from_fen(&format!("{after_e4} 999999 4294967295")).expect("legal");
        game.play(game.parse_uci("b8c6").expect("legal"));
        assert_eq!(game.position().halfmoves(), 65_535);
    }

    #[test]
    fn impossible_rights_are_dropped() {
        // A castling right without its rook.
        let fen = "2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQk - 0 14";
        assert_eq!(legal_moves(fen), 38);
        let game = Game::from_fen("4k3/8/8/8/8/6R1/8/4K3 w K - 0 1").expect("legal");
        assert!(game.position().castling_rights().is_empty());
        // En passant without a pawn to take, or without one to take it.
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
        ] {
            let game = Game::from_fen(fen).expect("legal");
            assert_eq!(game.position().ep_square(), None, "{fen}");
        }
    }

    #[test]
    fn impossible_checks_are_answered() {
        for (fen, moves) in [
            ("r7/3R2kQ/5p2/4p3/8/7P/8/5K2 b - - 2 3", &["g7f8"][..]),
            (
                "2Nq4/2K5/1b6/8/7R/3k4/7P/8 w - - 0 1",
                &["c7b7", "c7b8", "c7c6"],
            ),
            ("2N5/8/1B1R4/q7/1K6/8/3b4/5k2 w - - 0 1", &["b4b3", "b4c4"]),
        ] {
            let game = Game::from_fen(fen).expect(fen);
            let mut found: Vec<String> = game
                .legal_moves()
                .iter()
                .map(|m| m.uci(true).to_string())
                .collect();
            found.sort();
            assert_eq!(found, moves, "{fen}");
        }
    }

    #[test]
    fn illegal_positions_are_rejected_in_one_line() {
        for (fen, reason) in [
            (
                "4k3/8/8/8/8/8/8/4RK2 w - - 0 1",
                "the side not to move is in check",
            ),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "empty board"),
            ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "too many kings"),
            ("4k3/8/8/8/8/8/8/4k3 w - - 0 1", "a king is missing"),
            (
                "2P5/8/8/3p4/4bK2/8/4k1p1/2Q5 w - - 12 81",
                "a pawn on the first or last rank",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/Q7/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "too much material",
            ),
        ] {
            let error = Game::from_fen(fen).map(|game| game.fen()).expect_err(fen);
            assert_eq!(error.to_string(), format!("illegal position: {reason}"));
        }
    }

    #[test]
    fn garbage_is_rejected_in_one_line() {
        for (fen, field) in [
            ("", "it is empty"),
            ("garbage", "board"),
            (
                "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "board",
            ),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1", "board"),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
                "side to move",
            ),
            (
                "rnbqkbnr/ppppppp0/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "board",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Q] w KQkq - 0 1",
                "board",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w XYZ - 0 1",
                "castling rights",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1",
                "en passant square",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1",
                "halfmove clock",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 2",
                "more than six fields",
            ),
        ] {
            let error = Game::from_fen(fen).map(|game| game.fen()).expect_err(fen);
            assert_eq!(error.to_string(), format!("invalid FEN: {field}"), "{fen}");
        }
    }

    #[test]
    fn x_fen_and_shredder_fen_mean_the_same() {
        let board = "nqrnbkrb/pppppppp/8/8/8/8/PPPPPPPP/NQRNBKRB w";
        let x_fen = Game::from_fen(&format!("{board} KQkq - 0 1")).expect("legal");
        let shredder = Game::from_fen(&format!("{board} GCgc - 0 1")).expect("legal");
        assert_eq!(x_fen.position().key(), shredder.position().key());
        assert_eq!(x_fen.position().castling_rights().count(), 4);
        let castling = x_fen.parse_uci("f1g1").expect("legal");
        assert!(castling.is_castle());
        // The enemy's rook on a1 is not ours to castle with.
        let game = Game::from_fen("4k3/pppppppp/8/8/8/8/PPPPPPPP/rR2K3 w Q - 0 1").expect("legal");
        assert_eq!(
            game.position().castling_rights().first(),
            Some(shakmaty::Square::B1)
        );
        // The inner rook, which X-FEN cannot name by K or Q.
        let inner = "2nkn3/2p1p3/8/8/8/6r1/7r/RR3K2 w B - 0 1";
        let game = Game::from_fen(inner).expect("legal");
        assert_eq!(game.fen(), inner);
        assert!(game.parse_uci("f1b1").is_some_and(|m| m.is_castle()));
    }
}
