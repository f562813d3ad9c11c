//! `standpat explain`: why a move is good or bad, and what each piece contributes.
//!
//! The position is searched before the move and behind it; the line behind it is the refutation if
//! the move was not the best. The *exchange* is that line as far as it consists of captures and
//! answers to checks. All figures are from the view of the side to move.

pub mod contributions;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use crate::base::options::Options;
use crate::base::score::{DRAW, Pawns, Score, from_table, win_draw_loss};
use crate::board::notation::{self, san};
use crate::board::{Game, Move, Position, exchange};
use crate::engine::Engine;
use crate::eval::Evaluator;
use crate::search::Limits;
use crate::search::report::Silent;
use crate::tools::Failure;

/// What `standpat explain` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The position
    pub fen: String,
    /// The move to explain, as books or as UCI write it; without it the best one
    #[arg(value_name = "MOVE")]
    pub mv: Option<String>,
    /// Plies to search
    #[arg(long, default_value_t = 14, value_parser = clap::value_parser!(u32).range(2..=200))]
    pub depth: u32,
    /// Draw what each piece contributes into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// Explains the move, then shows the board with the contributions of its pieces.
///
/// # Errors
///
/// When the position or the move is none, the game is over, or a file cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let game = Game::from_fen(&args.fen).map_err(|error| Failure::BadInput(error.to_string()))?;
    let named = args
        .mv
        .as_deref()
        .map(|text| read_move(&game, text))
        .transpose()?;
    let (mut engine, before) = (engine()?, &game);
    let (score, line) = search(&mut engine, before, args.depth)?;
    let Some(&best) = line.first() else {
        let fen = game.fen();
        return Err(Failure::BadInput(format!("the game is over in {fen}")));
    };
    let mv = named.unwrap_or(best);
    let (after, reply) = if mv == best {
        (score, line[1..].to_vec())
    } else {
        search_behind(&mut engine, &game, mv, args.depth)?
    };
    let mut evaluator = Evaluator::new(std::sync::Arc::clone(engine.network()));
    let story = Story {
        game: &game,
        best,
        score,
        mv,
        after,
        reply,
    };
    story.print(&mut evaluator, out)?;
    let found = contributions::contributions(game.position(), &mut evaluator);
    writeln!(
        out,
        "\nwhat each piece contributes to the static evaluation:"
    )?;
    contributions::print(game.position(), &found, out)?;
    if let Some(path) = &args.svg {
        fs::write(path, contributions::draw(&game, &found)).map_err(|error| {
            Failure::Failed(format!("{} cannot be written: {error}", path.display()))
        })?;
    }
    Ok(())
}

fn read_move(game: &Game, text: &str) -> Result<Move, Failure> {
    notation::parse(game, text)
        .ok_or_else(|| Failure::BadInput(format!("'{text}' is no legal move in {}", game.fen())))
}

fn engine() -> Result<Engine, Failure> {
    Engine::new(Options::default()).map_err(|error| Failure::Failed(error.to_string()))
}

/// The score and the line of a search to this depth.
fn search(engine: &mut Engine, game: &Game, depth: u32) -> Result<(Score, Vec<Move>), Failure> {
    let study = engine
        .study(game.clone(), Limits::depth(depth), &mut Silent)
        .map_err(|error| Failure::Failed(error.to_string()))?;
    let line = study.lines.into_iter().next();
    Ok(line.map_or((DRAW, Vec::new()), |line| (line.score, line.pv)))
}

/// The same behind a move, from the view of the side that makes it. A mate is a ply further away.
fn search_behind(
    engine: &mut Engine,
    game: &Game,
    mv: Move,
    depth: u32,
) -> Result<(Score, Vec<Move>), Failure> {
    let mut game = game.clone();
    game.play(mv);
    if game.outcome() == Some(crate::board::Outcome::Draw) {
        return Ok((DRAW, Vec::new()));
    }
    let (score, line) = search(engine, &game, depth - 1)?;
    Ok((from_table(-score, 1), line))
}

/// What is known of a move.
struct Story<'a> {
    game: &'a Game,
    /// The best move of the position, and its score.
    best: Move,
    score: Score,
    /// The move to explain, its score, and the line behind it.
    mv: Move,
    after: Score,
    reply: Vec<Move>,
}

impl Story<'_> {
    fn print(&self, evaluator: &mut Evaluator, out: &mut dyn Write) -> Result<(), Failure> {
        let name = |mv| san(self.game, &[mv]);
        let (mv, best) = (name(self.mv), name(self.best));
        writeln!(out, "{}\n", self.game.fen())?;
        let worse = self.after < self.score;
        if self.mv == self.best {
            writeln!(out, "{mv} is the best move.")?;
        } else if worse {
            let (score, after) = (Pawns(self.score), Pawns(self.after));
            writeln!(
                out,
                "{best} is better than {mv}: {score} instead of {after}."
            )?;
        } else {
            writeln!(out, "{mv} is as good as {best}.")?;
        }
        let line = self.line();
        let what = if worse { "refutation" } else { "line" };
        writeln!(out, "{what:<14} {}", san(self.game, &line))?;
        let value = exchange::exchange_value(self.game.position(), self.mv);
        writeln!(out, "exchange value {}", Pawns(value))?;
        let end = self.print_exchange(&line, out)?;
        self.print_values(&end, evaluator, out)
    }

    fn line(&self) -> Vec<Move> {
        let mut line = vec![self.mv];
        line.extend_from_slice(&self.reply);
        line
    }

    /// Tells where the exchange ends, and gives the position there.
    fn print_exchange(&self, line: &[Move], out: &mut dyn Write) -> Result<Position, Failure> {
        let exchange = exchange_of(self.game.position(), line);
        let end = play(self.game.position(), &exchange);
        if exchange.len() < 2 {
            writeln!(out, "no exchange follows")?;
        } else {
            let balance = |pos: &Position| Pawns(material(pos, self.game.position().turn()));
            writeln!(
                out,
                "exchange ends  after {}, material {} became {}",
                san(self.game, &exchange),
                balance(self.game.position()),
                balance(&end),
            )?;
        }
        Ok(end)
    }

    /// The table of values: searched and static, before and behind the move.
    fn print_values(
        &self,
        end: &Position,
        evaluator: &mut Evaluator,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let turn = self.game.position().turn();
        let mut judged = |pos: &Position| {
            evaluator.reset(pos);
            let value = evaluator.evaluate(pos);
            if pos.turn() == turn { value } else { -value }
        };
        let behind = self.game.position().play(self.mv);
        writeln!(out, "\n{:<28} pawns    win   draw   loss", "")?;
        for (name, score) in [
            ("searched, before the move", self.score),
            ("searched, after it", self.after),
            ("static, before the move", judged(self.game.position())),
            ("static, after it", judged(&behind)),
            ("static, after the exchange", judged(end)),
        ] {
            let [win, draw, loss] = win_draw_loss(score).map(|share| f64::from(share) / 10.0);
            let pawns = Pawns(score);
            writeln!(
                out,
                "{name:<27} {pawns:>6} {win:5.1}% {draw:5.1}% {loss:5.1}%"
            )?;
        }
        Ok(())
    }
}

/// The first move of the line and the captures and answers to checks behind it, up to the last
/// capture.
fn exchange_of(root: &Position, line: &[Move]) -> Vec<Move> {
    let mut pos = root.clone();
    let mut last = line.len().min(1);
    for (index, &mv) in line.iter().enumerate() {
        if index > 0 && !pos.is_capture(mv) && !pos.in_check() {
            break;
        }
        if pos.is_capture(mv) {
            last = index + 1;
        }
        pos = pos.play(mv);
    }
    line.iter().take(last).copied().collect()
}

fn play(root: &Position, line: &[Move]) -> Position {
    line.iter().fold(root.clone(), |pos, &mv| pos.play(mv))
}

/// The side's men less the other's, in centipawns.
fn material(pos: &Position, side: shakmaty::Color) -> Score {
    let count = |side| -> Score {
        let men = pos.board().by_color(side).into_iter();
        men.filter_map(|square| pos.role_at(square).map(exchange::value))
            .sum()
    };
    count(side) - count(side.other())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(fen: &str, mv: Option<&str>) -> Result<String, Failure> {
        let args = Args {
            fen: fen.to_string(),
            mv: mv.map(str::to_string),
            depth: 14,
            svg: None,
        };
        let mut out = Vec::new();
        run(&args, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    /// Légal's mate, Paris 1750: whoever takes the queen is mated in two. White is a pawn ahead
    /// before; Black takes the queen, White a pawn.
    const LEGAL: &str = "rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5";

    #[test]
    fn legals_mate_refutes_the_capture_of_the_queen() {
        let text = printed(LEGAL, Some("Bxd1")).unwrap();
        assert!(text.contains("is better than Bxd1: "), "{text}");
        assert!(text.contains(" instead of #-2.\n"), "{text}");
        assert!(
            text.contains("refutation     Bxd1 Bxf7+ Ke7 Nd5#\n"),
            "{text}"
        );
        // The queen is taken by a bishop, which the king or the knight takes back.
        assert!(text.contains("exchange value +6.00\n"), "{text}");
        let exchange = "exchange ends  after Bxd1 Bxf7+, material -1.00 became +7.00\n";
        assert!(text.contains(exchange), "{text}");
        let value = "searched, after it             #-2   0.0%   0.0% 100.0%\n";
        assert!(text.contains(value), "{text}");
        assert_eq!(printed(LEGAL, Some("g4d1")).unwrap(), text);
    }

    #[test]
    fn a_mate_in_one_is_the_best_move_and_no_exchange() {
        let text = printed("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", None).unwrap();
        assert!(
            text.contains("Ra8# is the best move.\nline           Ra8#\n"),
            "{text}"
        );
        assert!(text.contains("no exchange follows\n"), "{text}");
        assert!(text.contains("    #1 100.0%   0.0%   0.0%\n"), "{text}");
    }

    #[test]
    fn the_exchange_is_captures_and_answers_to_checks() {
        let game = Game::from_fen("3r2k1/5ppp/2p5/3p4/2P1P3/8/5PPP/3R2K1 w - - 0 1").unwrap();
        let mut at = game.clone();
        let mut line = Vec::new();
        for text in ["c4d5", "c6d5", "e4d5", "g8f8", "d1e1", "d8d5"] {
            let mv = at.parse_uci(text).unwrap();
            line.push(mv);
            at.play(mv);
        }
        assert_eq!(
            san(&game, &exchange_of(game.position(), &line)),
            "cxd5 cxd5 exd5"
        );
        assert_eq!(exchange_of(game.position(), &line[..1]), line[..1]);
        assert_eq!(exchange_of(game.position(), &[]), []);
        let end = play(game.position(), &line[..3]);
        assert_eq!(material(&end, shakmaty::Color::White), 100);
    }

    #[test]
    fn bad_input_is_told() {
        for (fen, mv) in [
            ("nonsense", None),
            ("R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", None),
            (LEGAL, Some("Bxd2")),
        ] {
            let failure = printed(fen, mv).unwrap_err();
            assert_eq!(failure.exit_code(), 2, "{fen}");
            assert!(!failure.to_string().contains('\n'));
        }
    }
}
