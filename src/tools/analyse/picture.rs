//! The evaluation over a game, as a picture (SVG): White's share of the points, move by move.

use std::fmt::Write;

use shakmaty::Color;

use crate::base::score::Score;
use crate::base::text::between_tags;

use super::judge::{eval, expected};
use super::pgn::Pgn;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 40.0;

/// Scores, in centipawns, that have a line of the grid.
const GRID: [Score; 7] = [500, 300, 100, 0, -100, -300, -500];

/// Glyphs with their colours and names.
const ERRORS: [(u8, &str, &str); 3] = [
    (6, "#e6a700", "dubious ?!"),
    (2, "#e06c00", "mistake ?"),
    (4, "#c81e1e", "blunder ??"),
];

/// Draws White's expected points. `scores` are White's, one for each position of the main line.
pub fn draw(pgn: &Pgn, scores: &[Score]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    title(&mut svg, pgn);
    area(&mut svg, scores);
    grid(&mut svg, pgn, scores.len());
    curve(&mut svg, pgn, scores);
    svg.push_str("</svg>\n");
    svg
}

fn x(index: usize, positions: usize) -> f64 {
    let last = positions.saturating_sub(1).max(1);
    LEFT + (WIDTH - LEFT - RIGHT) * index as f64 / last as f64
}

fn y(score: Score) -> f64 {
    TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - expected(score))
}

fn title(svg: &mut String, pgn: &Pgn) {
    let tag = |name: &str| pgn.tag(name).filter(|value| !value.contains('?'));
    let name = |name: &str| between_tags(tag(name).unwrap_or("?"));
    let details: Vec<String> = ["Event", "Date"]
        .iter()
        .filter_map(|name| tag(name).map(between_tags))
        .collect();
    let (white, black, result) = (name("White"), name("Black"), pgn.outcome());
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"24\" font-size=\"16\">{white} – {black}  {result}</text>\n\
         <text x=\"{LEFT}\" y=\"44\" fill=\"#666\">{}</text>",
        details.join(", ")
    );
    for (row, (_, colour, word)) in ERRORS.iter().rev().enumerate() {
        let end = WIDTH - RIGHT - 100.0 * row as f64;
        let _ = writeln!(
            svg,
            "<text x=\"{end}\" y=\"44\" text-anchor=\"end\" fill=\"{colour}\">● {word}</text>"
        );
    }
}

/// What White may expect is light, what Black may is dark.
fn area(svg: &mut String, scores: &[Score]) {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let mut path = format!("M{LEFT} {bottom}");
    for (index, &score) in scores.iter().enumerate() {
        let _ = write!(path, "L{:.1} {:.1}", x(index, scores.len()), y(score));
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{LEFT} {TOP}H{right}V{bottom}H{LEFT}Z\" fill=\"#8f9aa3\"/>\n\
         <path d=\"{path}L{right} {bottom}Z\" fill=\"#f2f0ea\"/>"
    );
}

fn grid(svg: &mut String, pgn: &Pgn, positions: usize) {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for score in GRID {
        let (at, ink) = (y(score), if score == 0 { "#555" } else { "#bbb" });
        let label = if score == 0 {
            "0".to_owned()
        } else {
            format!("{:+}", score / 100)
        };
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"{ink}\" stroke-width=\"0.7\"/>\
             <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 8.0,
            at + 4.0
        );
    }
    let first = pgn.start.fullmoves();
    let black = usize::from(pgn.start.position().turn() == Color::Black);
    let moves = (positions + black) / 2;
    let step = [1, 2, 5, 10, 20, 50, 100]
        .into_iter()
        .find(|step| moves / step <= 16)
        .unwrap_or(500);
    for number in (0..=moves).filter(|number| (number + first as usize).is_multiple_of(step)) {
        // The position after White's move of that number.
        let index = (2 * number + 1).saturating_sub(black);
        if index < positions {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                x(index, positions),
                bottom + 18.0,
                number + first as usize
            );
        }
    }
}

/// The line itself, with a dot for each error that tells the move.
fn curve(svg: &mut String, pgn: &Pgn, scores: &[Score]) {
    let mut path = String::new();
    for (index, &score) in scores.iter().enumerate() {
        let letter = if index == 0 { 'M' } else { 'L' };
        let _ = write!(
            path,
            "{letter}{:.1} {:.1}",
            x(index, scores.len()),
            y(score)
        );
    }
    let _ = writeln!(
        svg,
        "<path d=\"{path}\" fill=\"none\" stroke=\"#222\" stroke-width=\"1.6\"/>"
    );
    let black = u32::from(pgn.start.position().turn() == Color::Black);
    for (index, (node, &score)) in pgn
        .line
        .nodes
        .iter()
        .zip(&scores[scores.len().min(1)..])
        .enumerate()
    {
        let known = ERRORS.iter().find(|(nag, ..)| node.nags.contains(nag));
        let Some((_, colour, word)) = known else {
            continue;
        };
        let ply = index as u32 + black;
        let number = pgn.start.fullmoves() + ply / 2;
        let dots = if ply.is_multiple_of(2) { "." } else { "..." };
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{colour}\" stroke=\"white\">\
             <title>{number}{dots} {}: {word}, {}</title></circle>",
            x(index + 1, scores.len()),
            y(score),
            between_tags(&node.san),
            eval(score)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::pgn::read;
    use super::*;

    #[test]
    fn the_picture_has_a_point_for_each_position_and_a_dot_for_each_error() {
        let text = b"[White \"A & B\"]\n\n1. e4 e5 $4 2. Nf3 $6 Nc6 *";
        let pgn = read(text).remove(0).expect("a game");
        let svg = draw(&pgn, &[20, 30, 400, 100, 31_998]);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(
            svg.contains("<title>1... e5: blunder ??, 4.00</title>"),
            "{svg}"
        );
        assert!(svg.contains("A &amp; B – ?  *"), "{svg}");
        assert!(!svg.contains("NaN") && svg.ends_with("</svg>\n"));
        // A mate is at the very top; the start lies in the lower half of nothing.
        assert!(
            svg.contains(&format!("L{:.1} {TOP:.1}", WIDTH - RIGHT)),
            "{svg}"
        );
    }

    #[test]
    fn a_game_without_moves_is_drawn_too() {
        let pgn = read(b"[Event \"none\"]\n\n*").remove(0).expect("a game");
        for scores in [&[][..], &[0]] {
            assert!(!draw(&pgn, scores).contains("NaN"));
        }
    }
}
