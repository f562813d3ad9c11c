//! What each piece contributes to the evaluation: its value with the piece less its value without
//! it, on a board in text or as a picture (SVG).

use std::fmt::Write as _;
use std::io::{self, Write};

use shakmaty::{Color, Piece, Role, Square};

use crate::base::score::{Pawns, Score};
use crate::board::{Game, Position};
use crate::eval::Evaluator;

/// What each piece contributes, by square (a1 first), in centipawns from the view of the side to
/// move: the enemy's pieces count against it. Nothing for kings and empty squares.
pub fn contributions(pos: &Position, evaluator: &mut Evaluator) -> [Option<Score>; 64] {
    let mut judged = |pos: &Position| {
        evaluator.reset(pos);
        evaluator.evaluate(pos)
    };
    let whole = judged(pos);
    Square::ALL.map(|square| pos.without(square).map(|rest| whole - judged(&rest)))
}

/// Prints the board with the contributions, White at the bottom.
///
/// # Errors
///
/// When the output cannot be written.
pub fn print(
    pos: &Position,
    contributions: &[Option<Score>; 64],
    out: &mut dyn Write,
) -> io::Result<()> {
    let rule = format!("  {}+", "+-------".repeat(8));
    for rank in (0..8).rev() {
        let squares = || (0..8).map(move |file| Square::new(8 * rank + file));
        let pieces = squares().map(|square| {
            let letter = pos.piece_at(square).map_or(' ', Piece::char);
            format!("|   {letter}   ")
        });
        let values = squares().map(|square| {
            let value = contributions[square.to_usize()].map(|value| Pawns(value).to_string());
            format!("|{:^7}", value.unwrap_or_default())
        });
        writeln!(out, "{rule}")?;
        writeln!(out, "{} {}|", rank + 1, pieces.collect::<String>())?;
        writeln!(out, "  {}|", values.collect::<String>())?;
    }
    let files: String = ('a'..='h').map(|file| format!("    {file}   ")).collect();
    writeln!(out, "{rule}\n  {}", files.trim_end())
}

/// The side of a square.
const SIDE: u32 = 84;
const LEFT: u32 = 30;
const TOP: u32 = 56;

/// From so many centipawns on a square has its full colour.
const FULL: f64 = 1000.0;

/// The board with the contributions as a picture: squares of pieces that help the side to move are
/// blue, of those that harm it orange, the more the deeper.
pub fn draw(game: &Game, contributions: &[Option<Score>; 64]) -> String {
    let (width, height) = (LEFT + 8 * SIDE + 10, TOP + 8 * SIDE + 30);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"14\" text-anchor=\"middle\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"16\" text-anchor=\"start\">What each piece \
         contributes, in pawns for the side to move</text>\n\
         <text x=\"{LEFT}\" y=\"43\" text-anchor=\"start\" fill=\"#555\">{}</text>\n",
        game.fen(),
    );
    for square in Square::ALL {
        draw_square(
            &mut svg,
            square,
            game.position().piece_at(square),
            contributions[square.to_usize()],
        );
    }
    for index in 0..8 {
        let middle = index * SIDE + SIDE / 2;
        let file = char::from(b'a' + index as u8);
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\">{file}</text><text x=\"15\" y=\"{}\">{}</text>",
            LEFT + middle,
            TOP + 8 * SIDE + 20,
            TOP + middle + 5,
            8 - index,
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw_square(svg: &mut String, square: Square, piece: Option<Piece>, value: Option<Score>) {
    let (file, rank) = (square.file().to_u32(), square.rank().to_u32());
    let (x, y) = (LEFT + file * SIDE, TOP + (7 - rank) * SIDE);
    let ground = if square.is_light() {
        "#f4f1ea"
    } else {
        "#ddd6c8"
    };
    let _ = writeln!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{ground}\"/>"
    );
    let middle = x + SIDE / 2;
    if let Some(value) = value {
        let colour = if value >= 0 { "#1668a8" } else { "#d55e00" };
        let depth = (f64::from(value.abs()) / FULL).min(1.0).sqrt() * 0.6;
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{colour}\" \
             fill-opacity=\"{depth:.2}\"/><text x=\"{middle}\" y=\"{}\">{}</text>",
            y + SIDE - 9,
            Pawns(value),
        );
    }
    if let Some(piece) = piece {
        let _ = writeln!(
            svg,
            "<text x=\"{middle}\" y=\"{}\" font-size=\"46\">{}</text>",
            y + 52,
            symbol(piece),
        );
    }
}

/// The piece's character in Unicode's chess symbols.
const fn symbol(piece: Piece) -> char {
    match (piece.color, piece.role) {
        (Color::White, Role::King) => '♔',
        (Color::White, Role::Queen) => '♕',
        (Color::White, Role::Rook) => '♖',
        (Color::White, Role::Bishop) => '♗',
        (Color::White, Role::Knight) => '♘',
        (Color::White, Role::Pawn) => '♙',
        (Color::Black, Role::King) => '♚',
        (Color::Black, Role::Queen) => '♛',
        (Color::Black, Role::Rook) => '♜',
        (Color::Black, Role::Bishop) => '♝',
        (Color::Black, Role::Knight) => '♞',
        (Color::Black, Role::Pawn) => '♟',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Network;

    fn of(fen: &str) -> (Game, [Option<Score>; 64]) {
        let game = Game::from_fen(fen).unwrap();
        let found = contributions(game.position(), &mut Evaluator::new(Network::shipped()));
        (game, found)
    }

    /// The definition, by another way: the piece is taken out of the FEN.
    #[test]
    fn a_contribution_is_the_value_with_the_piece_less_that_without_it() {
        let judged = |fen: &str| {
            let game = Game::from_fen(fen).unwrap();
            let mut evaluator = Evaluator::new(Network::shipped());
            evaluator.reset(game.position());
            evaluator.evaluate(game.position())
        };
        let whole = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4";
        let (game, found) = of(whole);
        for (square, rest) in [
            (
                Square::D1,
                "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNB1K2R w KQkq - 4 4",
            ),
            (
                Square::E5,
                "r1bqkb1r/pppp1ppp/2n2n2/8/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
            ),
            (
                Square::H1,
                "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK3 w Qkq - 4 4",
            ),
        ] {
            assert_eq!(found[square.to_usize()], Some(judged(whole) - judged(rest)));
            let lifted = game.position().without(square).map(|pos| pos.key());
            let key = Game::from_fen(rest).unwrap().position().key();
            assert_eq!(lifted, Some(key), "{rest}");
        }
        assert_eq!(found.iter().flatten().count(), 30);
        assert!(found[Square::D1.to_usize()] > Some(300));
        assert!(found[Square::D8.to_usize()] < Some(-300));
        assert_eq!(found[Square::E1.to_usize()], None);
    }

    #[test]
    fn board_and_picture_show_each_piece() {
        let (game, found) = of("4k3/8/8/8/8/8/3PP3/Q3K3 w - - 0 1");
        let mut text = Vec::new();
        print(game.position(), &found, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let queen = Pawns(found[0].unwrap()).to_string();
        assert!(
            text.contains("1 |   Q   |       |       |       |   K   |"),
            "{text}"
        );
        assert!(text.contains(&format!("\n  |{queen:^7}|")), "{text}");
        let svg = draw(&game, &found);
        assert!(
            svg.contains(&format!(">{queen}<")) && svg.contains('♕'),
            "{svg}"
        );
        assert_eq!(svg.matches("font-size=\"46\"").count(), 5);
    }

    /// A piece that shields the other king: the position without it could never arise.
    #[test]
    fn a_piece_between_rook_and_king_can_be_lifted() {
        let (_, found) = of("4k3/4p3/8/8/8/8/8/4RK2 w - - 0 1");
        assert!(found[Square::E7.to_usize()].is_some());
    }
}
