//! Events become lines of UCI.

use std::fmt::{self, Write};

use crate::base::score::{Bound, moves_to_mate, win_draw_loss};
use crate::board::Move;
use crate::search::report::{Event, Line, Progress};

/// How a search's events are written; fixed while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Castling is written as king takes rook.
    pub chess960: bool,
    /// Scores come with the chances to win, draw and lose.
    pub wdl: bool,
}

/// Appends an event's line, with its line end, to `out`.
pub fn event(out: &mut String, event: &Event, style: Style) {
    // Writing to a string cannot fail.
    let _ = match event {
        Event::Line(line, progress) => info(out, line, progress, style),
        Event::CurrentMove { depth, mv, number } => {
            let mv = mv.uci(style.chess960);
            writeln!(
                out,
                "info depth {depth} currmove {mv} currmovenumber {number}"
            )
        }
        Event::Note(text) => {
            note(out, text);
            Ok(())
        }
        Event::Finished { best, ponder } => best_move(out, *best, *ponder, style),
    };
}

/// Appends a remark. Line ends within it become blanks: a remark is one line.
pub fn note(out: &mut String, text: &str) {
    out.push_str("info string ");
    out.extend(
        text.trim()
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c }),
    );
    out.push('\n');
}

/// Appends an error, as a remark.
pub fn error(out: &mut String, reason: &dyn fmt::Display) {
    note(out, &format!("error: {reason}"));
}

fn info(out: &mut String, line: &Line, progress: &Progress, style: Style) -> fmt::Result {
    write!(
        out,
        "info depth {} seldepth {} multipv {}",
        line.depth, line.seldepth, line.multipv
    )?;
    match moves_to_mate(line.score) {
        Some(moves) => write!(out, " score mate {moves}")?,
        None => write!(out, " score cp {}", line.score)?,
    }
    out.push_str(match line.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    });
    if style.wdl {
        let [win, draw, loss] = win_draw_loss(line.score);
        write!(out, " wdl {win} {draw} {loss}")?;
    }
    write!(
        out,
        " nodes {} nps {} hashfull {} tbhits {} time {}",
        progress.nodes,
        nodes_per_second(progress),
        progress.hashfull.min(1000),
        progress.tb_hits,
        progress.elapsed.as_millis()
    )?;
    if !line.pv.is_empty() {
        out.push_str(" pv");
        for mv in &line.pv {
            write!(out, " {}", mv.uci(style.chess960))?;
        }
    }
    out.push('\n');
    Ok(())
}

fn best_move(
    out: &mut String,
    best: Option<Move>,
    ponder: Option<Move>,
    style: Style,
) -> fmt::Result {
    let Some(best) = best else {
        return writeln!(out, "bestmove (none)");
    };
    write!(out, "bestmove {}", best.uci(style.chess960))?;
    if let Some(ponder) = ponder {
        write!(out, " ponder {}", ponder.uci(style.chess960))?;
    }
    out.push('\n');
    Ok(())
}

/// Nodes per second; a search that took no measurable time counts as one microsecond.
fn nodes_per_second(progress: &Progress) -> u64 {
    let micros = progress.elapsed.as_micros().max(1);
    u64::try_from(u128::from(progress.nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use crate::base::score::{Score, mate_in, mated_in};
    use shakmaty::{Role, Square};

    fn written(value: &Event, style: Style) -> String {
        let mut text = String::new();
        event(&mut text, value, style);
        text
    }

    fn line(score: Score, bound: Bound) -> Event {
        let line = Line {
            multipv: 1,
            depth: 7,
            seldepth: 12,
            score,
            bound,
            pv: vec![
                Move::castle(Square::E1, Square::H1),
                Move::promotion(Square::A2, Square::A1, Role::Queen),
            ],
        };
        let elapsed = Duration::from_millis(250);
        Event::Line(
            line,
            Progress {
                elapsed,
                nodes: 1_000_000,
                hashfull: 17,
                ..Progress::default()
            },
        )
    }

    const CHESS960: Style = Style {
        chess960: true,
        wdl: false,
    };
    const WDL: Style = Style {
        chess960: false,
        wdl: true,
    };

    #[test]
    fn a_line_is_written_field_by_field() {
        assert_eq!(
            written(&line(31, Bound::Exact), Style::default()),
            "info depth 7 seldepth 12 multipv 1 score cp 31 nodes 1000000 nps 4000000 \
             hashfull 17 tbhits 0 time 250 pv e1g1 a2a1q\n"
        );
        let text = written(&line(mated_in(4), Bound::Upper), CHESS960);
        assert!(text.contains(" score mate -2 upperbound nodes "));
        assert!(text.ends_with(" pv e1h1 a2a1q\n"));
        let text = written(&line(mate_in(5), Bound::Lower), WDL);
        assert!(text.contains(" score mate 3 lowerbound wdl 1000 0 0 nodes "));
    }

    #[test]
    fn a_finished_game_has_a_score_without_a_line() {
        let over = Line {
            multipv: 1,
            depth: 0,
            seldepth: 0,
            score: mated_in(0),
            bound: Bound::Exact,
            pv: vec![],
        };
        assert_eq!(
            written(&Event::Line(over, Progress::default()), Style::default()),
            "info depth 0 seldepth 0 multipv 1 score mate 0 nodes 0 nps 0 hashfull 0 tbhits 0 time 0\n"
        );
        let none = Event::Finished {
            best: None,
            ponder: None,
        };
        assert_eq!(written(&none, Style::default()), "bestmove (none)\n");
    }

    #[test]
    fn the_answer_has_a_reply_or_not() {
        let best = Some(Move::castle(Square::E8, Square::A8));
        let ponder = Some(Move::normal(Square::E2, Square::E4));
        assert_eq!(
            written(&Event::Finished { best, ponder }, Style::default()),
            "bestmove e8c8 ponder e2e4\n"
        );
        assert_eq!(
            written(&Event::Finished { best, ponder: None }, CHESS960),
            "bestmove e8a8\n"
        );
    }

    #[test]
    fn a_remark_is_one_line() {
        let note = Event::Note("one\r\ntwo\n".to_owned());
        assert_eq!(written(&note, Style::default()), "info string one  two\n");
        let mut text = String::new();
        error(&mut text, &"no such thing");
        assert_eq!(text, "info string error: no such thing\n");
        let mv = Move::normal(Square::E2, Square::E4);
        assert_eq!(
            written(
                &Event::CurrentMove {
                    depth: 9,
                    mv,
                    number: 3
                },
                Style::default()
            ),
            "info depth 9 currmove e2e4 currmovenumber 3\n"
        );
    }
}
