//! The table of a tournament, from the games it left behind.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, Visitor};

use crate::base::text::between_tags;
use crate::learning::elo::{EloText, elo_of_score};

/// Games won, drawn and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games won.
    pub won: u32,
    /// Games drawn.
    pub drawn: u32,
    /// Games lost.
    pub lost: u32,
}

impl Tally {
    /// Games in all.
    pub fn games(self) -> u32 {
        self.won + self.drawn + self.lost
    }

    fn points(self) -> f64 {
        f64::from(self.won) + f64::from(self.drawn) / 2.0
    }

    /// Points per game; one half before the first.
    pub fn score(self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => self.points() / f64::from(games),
        }
    }

    /// The difference in Elo to the opponents, and half the width of its 95 % interval, each game
    /// counted by itself.
    pub fn elo(self) -> (f64, f64) {
        let (games, score) = (f64::from(self.games()), self.score());
        let part = |count: u32, points: f64| f64::from(count) * (points - score).powi(2);
        let squares = part(self.won, 1.0) + part(self.drawn, 0.5) + part(self.lost, 0.0);
        let error = 1.96 * squares.sqrt() / games.max(1.0);
        let width = elo_of_score(score + error) - elo_of_score(score - error);
        (elo_of_score(score), width / 2.0)
    }

    fn add(&mut self, result: Outcome) {
        match result {
            Outcome::Won => self.won += 1,
            Outcome::Drawn => self.drawn += 1,
            Outcome::Lost => self.lost += 1,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Won,
    Drawn,
    Lost,
}

/// What one engine came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// All its games.
    pub all: Tally,
    /// Its games against each opponent.
    pub against: BTreeMap<String, Tally>,
    /// Games it lost on time.
    pub time_forfeits: u32,
    /// Games it lost by an illegal move, a crash or a stall.
    pub faults: u32,
}

/// All engines of a tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standings {
    engines: BTreeMap<String, Entry>,
    /// Games by the names of White and Black.
    meetings: BTreeMap<(String, String), u32>,
    /// Games without a result.
    unfinished: u32,
}

impl Standings {
    /// Counts the games of a PGN file.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn read(pgn: impl Read) -> io::Result<Standings> {
        let mut standings = Standings::default();
        let mut reader = Reader::new(pgn);
        while let Some(game) = reader.read_game(&mut Heads)? {
            standings.add(&game);
        }
        Ok(standings)
    }

    fn add(&mut self, game: &Head) {
        let result = match game.result.as_str() {
            "1-0" => Outcome::Won,
            "1/2-1/2" => Outcome::Drawn,
            "0-1" => Outcome::Lost,
            _ => return self.unfinished += 1,
        };
        let meeting = (game.white.clone(), game.black.clone());
        *self.meetings.entry(meeting).or_default() += 1;
        let other = match result {
            Outcome::Won => Outcome::Lost,
            Outcome::Drawn => Outcome::Drawn,
            Outcome::Lost => Outcome::Won,
        };
        let sides = [
            (&game.white, &game.black, result),
            (&game.black, &game.white, other),
        ];
        for (name, opponent, result) in sides {
            let entry = self.engines.entry(name.clone()).or_default();
            entry.all.add(result);
            let tally = entry.against.entry(opponent.clone()).or_default();
            tally.add(result);
            if result == Outcome::Lost {
                match game.termination.as_str() {
                    "time forfeit" => entry.time_forfeits += 1,
                    "illegal move" | "abandoned" | "stalled connection" | "rules infraction" => {
                        entry.faults += 1;
                    }
                    _ => {}
                }
            }
        }
    }

    /// Games with a result in which these two had White and Black.
    pub fn between(&self, white: &str, black: &str) -> u32 {
        let meeting = (white.to_owned(), black.to_owned());
        self.meetings.get(&meeting).copied().unwrap_or_default()
    }

    /// The engines, the best first.
    fn ranked(&self) -> Vec<(&str, &Entry)> {
        let mut ranked: Vec<_> = self
            .engines
            .iter()
            .map(|(name, e)| (name.as_str(), e))
            .collect();
        ranked.sort_by(|one, other| other.1.all.score().total_cmp(&one.1.all.score()));
        ranked
    }

    /// Prints the table.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let ranked = self.ranked();
        let width = ranked.iter().map(|(name, _)| name.chars().count()).max();
        let width = width.unwrap_or_default().max(6);
        writeln!(
            out,
            "{:width$}  games    won  drawn   lost    score  on time  faults  Elo to its opponents",
            "engine"
        )?;
        for (name, entry) in ranked {
            let (all, (elo, error)) = (entry.all, entry.all.elo());
            writeln!(
                out,
                "{name:width$} {:6} {:6} {:6} {:6} {:6.1} % {:8} {:7}  {}",
                all.games(),
                all.won,
                all.drawn,
                all.lost,
                100.0 * all.score(),
                entry.time_forfeits,
                entry.faults,
                EloText(elo, error),
            )?;
        }
        if self.unfinished > 0 {
            writeln!(
                out,
                "{} games without a result are left out",
                self.unfinished
            )?;
        }
        Ok(())
    }

    /// The cross table as a page: each engine's games against each other one.
    pub fn html(&self, title: &str) -> String {
        let ranked = self.ranked();
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{0}</title>\n\
             <style>body{{font-family:sans-serif}}table{{border-collapse:collapse}}\
             td,th{{border:1px solid #bbb;padding:.3em .7em;text-align:right}}\
             th:first-child,td:first-child{{text-align:left}}</style>\n<h1>{0}</h1>\n<table>\n",
            between_tags(title)
        );
        let mut heads = vec!["engine".to_string(), "score".to_string(), "Elo".to_string()];
        heads.extend(ranked.iter().map(|(name, _)| (*name).to_string()));
        heads.extend(["on time".to_string(), "faults".to_string()]);
        row(&mut page, "th", &heads);
        for (name, entry) in &ranked {
            let (elo, error) = entry.all.elo();
            let mut cells = vec![
                (*name).to_string(),
                format!(
                    "{:.1} % of {}",
                    100.0 * entry.all.score(),
                    entry.all.games()
                ),
                EloText(elo, error).to_string(),
            ];
            cells.extend(
                ranked
                    .iter()
                    .map(|(other, _)| match entry.against.get(*other) {
                        Some(t) => format!("+{} ={} −{}", t.won, t.drawn, t.lost),
                        None => String::new(),
                    }),
            );
            cells.extend([entry.time_forfeits.to_string(), entry.faults.to_string()]);
            row(&mut page, "td", &cells);
        }
        page.push_str("</table>\n</html>\n");
        page
    }
}

fn row(page: &mut String, tag: &str, cells: &[String]) {
    page.push_str("<tr>");
    for cell in cells {
        // Writing to a string cannot fail.
        let _ = write!(page, "<{tag}>{}</{tag}>", between_tags(cell));
    }
    page.push_str("</tr>\n");
}

/// What the table needs of a game.
#[derive(Default)]
struct Head {
    white: String,
    black: String,
    result: String,
    termination: String,
}

/// Reads tags and skips moves.
struct Heads;

impl Visitor for Heads {
    type Tags = Head;
    type Movetext = ();
    type Output = Head;

    fn begin_tags(&mut self) -> ControlFlow<Head, Head> {
        ControlFlow::Continue(Head::default())
    }

    fn tag(&mut self, head: &mut Head, name: &[u8], value: RawTag<'_>) -> ControlFlow<Head> {
        let field = match name {
            b"White" => &mut head.white,
            b"Black" => &mut head.black,
            b"Result" => &mut head.result,
            b"Termination" => &mut head.termination,
            _ => return ControlFlow::Continue(()),
        };
        *field = value.decode_utf8_lossy().into_owned();
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, head: Head) -> ControlFlow<Head> {
        ControlFlow::Break(head)
    }

    fn end_game(&mut self, (): ()) -> Head {
        Head::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(white: &str, black: &str, result: &str, termination: &str) -> String {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\
             [Termination \"{termination}\"]\n\n1. e4 {{a comment}} e5 (1... c5) {result}\n\n"
        )
    }

    fn standings() -> Standings {
        let pgn = [
            game("A <1>", "B", "1-0", "normal"),
            game("B", "A <1>", "1/2-1/2", "adjudication"),
            game("A <1>", "C", "0-1", "time forfeit"),
            game("C", "A <1>", "0-1", "illegal move"),
            game("C", "B", "*", "unterminated"),
        ]
        .concat();
        Standings::read(pgn.as_bytes()).unwrap()
    }

    #[test]
    fn games_are_counted_for_both_sides_and_faults_for_the_loser() {
        let standings = standings();
        let a = &standings.engines["A <1>"];
        let all = Tally {
            won: 2,
            drawn: 1,
            lost: 1,
        };
        assert_eq!((a.all, a.time_forfeits, a.faults), (all, 1, 0));
        let c = &standings.engines["C"];
        assert_eq!((c.time_forfeits, c.faults), (0, 1));
        assert_eq!(c.against["A <1>"].won, 1);
        assert_eq!(standings.unfinished, 1);
        let order: Vec<&str> = standings.ranked().iter().map(|(name, _)| *name).collect();
        assert_eq!(order, ["A <1>", "C", "B"]);
    }

    #[test]
    fn the_elo_of_a_match_is_the_one_of_its_score() {
        // 75 % is 190.85 Elo by definition.
        let tally = Tally {
            won: 60,
            drawn: 30,
            lost: 10,
        };
        let (elo, error) = tally.elo();
        assert!((elo - 190.85).abs() < 0.01, "{elo}");
        // The score's standard error is the root of 0.1125 / 100, or 3.35 %.
        assert!((58.0..66.0).contains(&error), "{error}");
        let nothing = Tally::default();
        assert_eq!((nothing.score(), nothing.elo().0), (0.5, 0.0));
    }

    #[test]
    fn the_table_and_the_page_name_every_engine() {
        let mut text = Vec::new();
        standings().print(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.lines().count(), 5, "{text}");
        assert!(text.lines().nth(1).unwrap().starts_with("A <1>"));
        assert!(text.contains("1 games without a result"));
        let page = standings().html("Cup & more");
        assert!(page.contains("<h1>Cup &amp; more</h1>") && page.contains("A &lt;1&gt;"));
        assert!(
            page.contains("+1 =1 −0") && page.matches("<tr>").count() == 4,
            "{page}"
        );
    }
}
