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
