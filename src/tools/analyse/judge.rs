//! From the engine's view of each position of a game to what a reader is told: values, errors, and
//! what would have been better.

use shakmaty::{Color, Position as _};

use crate::base::score::{Score, is_mate, moves_to_mate};
use crate::board::{Game, Move, notation};
use crate::search::report::{Line as Found, Progress};

use super::pgn::{Line, Node, Pgn};

/// Plies of a better line that are shown.
const LONGEST: usize = 12;

/// Points lost, as a share of one, and the glyph for it: dubious, mistake, blunder. The limits, and
/// the curve of [`expected`], are those of Lichess, so that its readers find the words they know.
const ERRORS: [(f64, u8); 3] = [(0.15, 4), (0.10, 2), (0.05, 6)];

/// What the engine says of one position.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The best lines, the best first; the score is the side to move's. Empty only if nothing was
    /// searched.
    pub lines: Vec<Found>,
    /// How much was searched.
    pub progress: Progress,
}

impl View {
    /// The value of the position for White.
    pub fn score(&self, turn: Color) -> Score {
        let score = self.lines.first().map_or(0, |line| line.score);
        for_white(score, turn)
    }

    fn best(&self) -> Option<Move> {
        self.lines.first()?.pv.first().copied()
    }
}

/// A score of the side to move as one of White's.
pub fn for_white(score: Score, turn: Color) -> Score {
    if turn.is_white() { score } else { -score }
}

/// The positions of a game's main line: before the first move, and after each.
///
/// # Errors
///
/// When a null move leaves a position that cannot be.
pub fn positions(pgn: &Pgn) -> Result<Vec<Game>, String> {
    let mut game = pgn.start.clone();
    let mut found = vec![game.clone()];
    for node in &pgn.line.nodes {
        let played = node
            .played
            .and_then(|mv| notation::from_shakmaty(&game, mv));
        match played {
            Some(mv) => game.play(mv),
            None => {
                let passed = game.to_chess().swap_turn();
                let passed = passed.map_err(|_| "a null move in check".to_owned())?;
                game = Game::from_chess(passed);
            }
        }
        found.push(game.clone());
    }
    Ok(found)
}

/// Points that a player with this score (his own view) may expect: 1 for a win, 0 for a loss.
pub fn expected(score: Score) -> f64 {
    const STEEPNESS: f64 = 0.003_682_08;
    match is_mate(score) {
        true if score > 0 => 1.0,
        true => 0.0,
        false => 1.0 / (1.0 + (-STEEPNESS * f64::from(score)).exp()),
    }
}

/// The glyph for a move after which the mover's score fell from `before` to `after`.
pub fn error(before: Score, after: Score) -> Option<u8> {
    let lost = expected(before) - expected(after);
    let found = ERRORS.iter().find(|(limit, _)| lost >= *limit);
    found.map(|&(_, nag)| nag)
}

/// Moves until mate, negative when Black mates, for a score of White's whoever moves.
pub fn mate(score: Score) -> Option<i32> {
    moves_to_mate(score.abs()).map(|moves| score.signum() * moves)
}

/// A score of White's as PGN has it: pawns with two decimals, or moves to mate.
pub fn eval(score: Score) -> String {
    match mate(score) {
        Some(moves) => format!("#{moves}"),
        None => format!("{:.2}", f64::from(score) / 100.0),
    }
}

/// Adds values, glyphs and better lines to a game. `views` has one view for each position.
pub fn annotate(pgn: &mut Pgn, positions: &[Game], views: &[View]) {
    let pairs = positions.iter().zip(views);
    let after = pairs.clone().skip(1);
    for ((node, before), after) in pgn.line.nodes.iter_mut().zip(pairs).zip(after) {
        annotate_move(node, before, after);
    }
}

fn annotate_move(node: &mut Node, before: (&Game, &View), after: (&Game, &View)) {
    let (game, view) = before;
    let turn = game.position().turn();
    let score = after.1.score(after.0.position().turn());
    forget_value(node);
    if after.0.position().has_legal_move() || !after.0.position().in_check() {
        let value = format!("[%eval {}]", eval(score));
        // In one comment with what stands there: some programs show several without a blank.
        match node.comments.first_mut() {
            Some(first) => *first = format!("{value} {}", first.trim()),
            None => node.comments.push(value),
        }
    }
    let played = node.played.and_then(|mv| notation::from_shakmaty(game, mv));
    if played.is_none() || played == view.best() {
        return;
    }
    let mine = |score: Score| for_white(score, turn);
    let Some(nag) = error(mine(view.score(turn)), mine(score)) else {
        return;
    };
    // Where somebody has judged the move before, his word stands.
    if !node.nags.iter().any(|nag| (1..=6).contains(nag)) {
        node.nags.insert(0, nag);
    }
    let better = view
        .lines
        .iter()
        .filter(|line| line.pv.first().copied() != played);
    let variations = better.map(|line| variation(game, line));
    node.variations
        .extend(variations.filter(|line| !line.nodes.is_empty()));
}

/// Takes the value that another program has written out of the comments.
fn forget_value(node: &mut Node) {
    for comment in &mut node.comments {
        while let Some(start) = comment.find("[%eval ") {
            let end = comment[start..]
                .find(']')
                .map_or(comment.len(), |end| start + end + 1);
            comment.replace_range(start..end, "");
        }
    }
    node.comments.retain(|comment| !comment.trim().is_empty());
}

/// A line of the engine's as a variation, with its value behind the first move.
fn variation(game: &Game, found: &Found) -> Line {
    let score = for_white(found.score, game.position().turn());
    let shown = &found.pv[..found.pv.len().min(LONGEST)];
    let node = |san: String| Node {
        san,
        played: None,
        nags: Vec::new(),
        comments: Vec::new(),
        variations: Vec::new(),
    };
    let mut nodes: Vec<Node> = notation::sans(game, shown).into_iter().map(node).collect();
    if let Some(first) = nodes.first_mut() {
        first.comments.push(format!("[%eval {}]", eval(score)));
    }
    Line {
        remarks: Vec::new(),
        nodes,
    }
}

#[cfg(test)]
mod tests {
    use super::super::pgn::read;
    use super::super::print;
    use super::*;
    use crate::base::score::{Bound, mate_in, mated_in};

    /// Views with these scores of the side to move, and these best lines.
    fn views(positions: &[Game], said: &[(Score, &str)]) -> Vec<View> {
        assert_eq!(positions.len(), said.len());
        let view = |(game, &(score, words)): (&Game, &(Score, &str))| {
            let mut game = game.clone();
            let moves = words.split_whitespace().map(|word| {
                let mv = notation::parse(&game, word).expect("legal");
                game.play(mv);
                mv
            });
            let line = Found {
                multipv: 1,
                depth: 9,
                seldepth: 9,
                score,
                bound: Bound::Exact,
                pv: moves.collect(),
            };
            View {
                lines: vec![line],
                progress: Progress::default(),
            }
        };
        positions.iter().zip(said).map(view).collect()
    }

    fn annotated(text: &str, said: &[(Score, &str)]) -> String {
        let mut pgn = read(text.as_bytes()).remove(0).expect("a game");
        let positions = positions(&pgn).expect("sound");
        annotate(&mut pgn, &positions, &views(&positions, said));
        let text = print::game(&pgn);
        let (_, moves) = text.split_once("\n\n").expect("tags and moves");
        moves.replace('\n', " ").trim().to_owned()
    }

    /// The values are White's whoever moves, mates are counted, and a mate on the board has none.
    #[test]
    fn the_fools_mate_is_told_as_it_is() {
        let said = [
            (30, "e4"),
            (20, "d5"),
            (-40, "d4"),
            (mate_in(1), "Qh4"),
            (mated_in(0), ""),
        ];
        assert_eq!(
            annotated("1. f3 e5 2. g4 Qh4# 0-1", &said),
            "1. f3 { [%eval -0.20] } 1... e5 { [%eval -0.40] } \
             2. g4 $4 { [%eval #-1] } ( 2. d4 { [%eval -0.40] } ) 2... Qh4# 0-1"
        );
    }

    #[test]
    fn the_word_of_an_earlier_judge_stands_and_his_value_goes() {
        let said = [(300, "e4 e5"), (200, "d5")];
        let text = "1. f3 $1 {[%eval 5.00] [%clk 0:10:00]} {[%eval 1.1]} *";
        assert_eq!(
            annotated(text, &said),
            "1. f3 $1 { [%eval -2.00] [%clk 0:10:00] } ( 1. e4 { [%eval 3.00] } 1... e5 ) *"
        );
    }

    #[test]
    fn the_best_move_is_no_error_whatever_comes_of_it() {
        let said = [(300, "e4 e5"), (200, "d5")];
        assert_eq!(annotated("1. e4 *", &said), "1. e4 { [%eval -2.00] } *");
    }

    /// Lichess, 2024: 0.00 to −0.56 is just below an inaccuracy of 5 %, and so on.
    #[test]
    fn errors_are_measured_in_points() {
        assert_eq!(expected(0), 0.5);
        assert!((expected(100) - 0.591).abs() < 1e-3);
        assert_eq!((expected(mate_in(5)), expected(mated_in(4))), (1.0, 0.0));
        assert_eq!(error(0, -50), None);
        assert_eq!(error(0, -60), Some(6));
        assert_eq!(error(0, -120), Some(2));
        assert_eq!(error(0, -200), Some(4));
        assert_eq!(error(900, 700), None);
        assert_eq!(error(-900, mated_in(2)), None);
        assert_eq!(error(mate_in(3), 0), Some(4));
        // To mate at once is no error when a longer mate was seen.
        assert_eq!(error(mate_in(3), -mated_in(0)), None);
    }

    #[test]
    fn null_moves_are_passed_over() {
        let pgn = read(b"1. e4 -- 2. d4 *").remove(0).expect("a game");
        let positions = positions(&pgn).expect("sound");
        assert_eq!(positions.len(), 4);
        assert!(positions[2].position().turn().is_white());
    }
}
