//! A file of games in, the same games with the engine's remarks out.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::board::Game;
use crate::tools::Failure;

use super::analyst::Analyst;
use super::judge::{self, View};
use super::ledger::Ledger;
use super::pgn::{self, Pgn};
use super::pieces::{self, Piece};
use super::record::Record;
use super::{Args, FILE_TIME, picture, print};

/// What the bar counts for one game: its positions have their share of it.
const WHOLE: u64 = 1000;

/// Where results go.
struct Desk<'a> {
    args: &'a Args,
    analyst: Analyst,
    ledger: Option<Ledger>,
    bar: ProgressBar,
    out: &'a mut dyn Write,
    complaints: &'a mut dyn Write,
    /// Games in all files.
    total: usize,
    counts: Counts,
}

/// What has become of the games so far.
#[derive(Default)]
struct Counts {
    /// The number of the last game seen.
    seen: usize,
    broken: usize,
    /// Found in the file of results.
    earlier: usize,
    analysed: usize,
}

/// Analyses all games of these files.
///
/// # Errors
///
/// When a file cannot be read or written, none of the games is sound, or somebody interrupts.
pub fn run(
    args: &Args,
    files: &[PathBuf],
    out: &mut dyn Write,
    complaints: &mut dyn Write,
) -> Result<(), Failure> {
    let (total, sound) = survey(files)?;
    let ledger = match &args.out {
        Some(path) if sound > 0 => Some(Ledger::open(path, files, cut)?),
        _ => None,
    };
    let mut desk = Desk {
        args,
        analyst: Analyst::new(args.options(), args.limits(FILE_TIME))?,
        ledger,
        bar: bar(total),
        out,
        complaints,
        total,
        counts: Counts::default(),
    };
    let result = desk.all(files);
    desk.bar.finish_and_clear();
    result?;
    desk.finish()
}

/// How many games there are, and how many of them are sound.
fn survey(files: &[PathBuf]) -> Result<(usize, usize), Failure> {
    let (mut total, mut sound) = (0, 0);
    for file in files {
        for piece in open(file)? {
            let games = pgn::read(&piece.map_err(|error| named(file, &error))?.bytes);
            total += games.len();
            sound += games.iter().filter(|game| game.is_ok()).count();
        }
    }
    Ok((total, sound))
}

fn cut(reader: BufReader<File>) -> Box<dyn Iterator<Item = io::Result<Piece>>> {
    Box::new(pieces::games(reader))
}

fn open(file: &Path) -> Result<impl Iterator<Item = io::Result<Piece>>, Failure> {
    let reader = File::open(file).map_err(|error| named(file, &error))?;
    Ok(pieces::games(BufReader::new(reader)))
}

fn named(file: &Path, error: &io::Error) -> Failure {
    Failure::BadInput(format!("{}: {error}", file.display()))
}

/// A bar on standard error; nothing where that is no terminal.
fn bar(total: usize) -> ProgressBar {
    let bar = ProgressBar::new(WHOLE * total as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:32} {msg}, {eta} left") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

impl Desk<'_> {
    fn all(&mut self, files: &[PathBuf]) -> Result<(), Failure> {
        for file in files {
            for piece in open(file)? {
                for game in pgn::read(&piece.map_err(|error| named(file, &error))?.bytes) {
                    self.counts.seen += 1;
                    let is_wanted = self.args.game.is_none_or(|game| game == self.counts.seen);
                    if is_wanted {
                        self.take(file, game)?;
                    }
                }
            }
        }
        match &mut self.ledger {
            Some(ledger) => ledger.finish(),
            None => Ok(()),
        }
    }

    /// One game: broken, done by an earlier run, or to be analysed.
    fn take(&mut self, file: &Path, game: Result<Pgn, String>) -> Result<(), Failure> {
        let number = self.counts.seen;
        let game = game.and_then(|pgn| judge::positions(&pgn).map(|positions| (pgn, positions)));
        let (mut pgn, positions) = match game {
            Ok(game) => game,
            Err(reason) => {
                self.counts.broken += 1;
                let line = format!("{}: game {number} is skipped: {reason}", file.display());
                let complaints = &mut *self.complaints;
                return Ok(self.bar.suspend(|| writeln!(complaints, "{line}"))?);
            }
        };
        if let Some(ledger) = &mut self.ledger
            && ledger.has_next(&print::head(&pgn), |bytes| is_whole(bytes, &pgn))?
        {
            self.counts.earlier += 1;
            self.bar.set_position(WHOLE * number as u64);
            self.bar.reset_eta();
            return Ok(());
        }
        let (bar, total) = (&self.bar, self.total);
        let step = |done: usize| {
            let share = WHOLE * done as u64 / positions.len().max(1) as u64;
            bar.set_position(WHOLE * (number as u64 - 1) + share);
            bar.set_message(format!("game {number} of {total}"));
        };
        let Some(views) = self.analyst.game(&positions, &step)? else {
            return Err(self.interrupted());
        };
        judge::annotate(&mut pgn, &positions, &views);
        self.hand_out(&pgn, &positions, &views)?;
        self.counts.analysed += 1;
        Ok(())
    }

    /// Writes all that was asked for; the game itself last, since it marks the work as done.
    fn hand_out(&mut self, pgn: &Pgn, positions: &[Game], views: &[View]) -> Result<(), Failure> {
        let number = self.counts.seen;
        if let Some(path) = &self.args.svg {
            let path = picture_path(path, number, self.is_only());
            let pairs = positions.iter().zip(views);
            let scores: Vec<_> = pairs
                .map(|(game, view)| view.score(game.position().turn()))
                .collect();
            std::fs::write(&path, picture::draw(pgn, &scores))
                .map_err(|error| Failure::Failed(format!("{}: {error}", path.display())))?;
        }
        let text = print::game(pgn);
        let told = match (self.args.json, &self.ledger) {
            (true, _) => records(number, pgn, positions, views),
            (false, Some(_)) => summary(number, pgn),
            (false, None) => text.clone(),
        };
        let out = &mut *self.out;
        self.bar.suspend(|| {
            out.write_all(told.as_bytes())?;
            out.flush()
        })?;
        match &mut self.ledger {
            Some(ledger) => ledger.append(&text),
            None => Ok(()),
        }
    }

    fn is_only(&self) -> bool {
        self.total == 1 || self.args.game.is_some()
    }

    fn interrupted(&self) -> Failure {
        let Counts {
            earlier, analysed, ..
        } = self.counts;
        let (done, total) = (earlier + analysed, self.total);
        Failure::Failed(match &self.args.out {
            Some(path) => format!(
                "interrupted: {done} of {total} games are in {}; the same command goes on there",
                path.display()
            ),
            None => format!("interrupted after {done} of {total} games"),
        })
    }

    fn finish(self) -> Result<(), Failure> {
        let counts = self.counts;
        if let Some(game) = self.args.game
            && game > counts.seen
        {
            let reason = format!("there is no game {game}: the last one is {}", counts.seen);
            return Err(Failure::BadInput(reason));
        }
        if counts.analysed + counts.earlier == 0 {
            let reason = format!("no sound game among {}", counts.seen);
            return Err(Failure::BadInput(reason));
        }
        if counts.earlier > 0 && !self.args.json {
            let line = format!("{} games were there already", counts.earlier);
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }
}

/// Is this the whole record of that game? Its tags have been looked at.
fn is_whole(bytes: &[u8], pgn: &Pgn) -> bool {
    let games = pgn::read(bytes);
    let [Ok(written)] = &games[..] else {
        return false;
    };
    let moves = |pgn: &Pgn| {
        let nodes = pgn.line.nodes.iter();
        nodes.map(|node| node.san.clone()).collect::<Vec<_>>()
    };
    bytes.ends_with(b"\n\n") && written.result.is_some() && moves(written) == moves(pgn)
}

/// `games.svg`, or `games-12.svg` for the twelfth of several games.
fn picture_path(path: &Path, number: usize, is_only: bool) -> PathBuf {
    if is_only {
        return path.to_owned();
    }
    let [stem, extension] =
        [path.file_stem(), path.extension()].map(|part| part.unwrap_or_default().to_string_lossy());
    let dot = if extension.is_empty() { "" } else { "." };
    path.with_file_name(format!("{stem}-{number}{dot}{extension}"))
}

/// One line for a person.
fn summary(number: usize, pgn: &Pgn) -> String {
    let name = |tag: &str| pgn.tag(tag).unwrap_or("?").to_owned();
    let first = usize::from(pgn.start.position().turn().is_black());
    let errors = |side: usize| {
        let nodes = pgn.line.nodes.iter().enumerate();
        let mine: Vec<_> = nodes.filter(|(ply, _)| (ply + first) % 2 == side).collect();
        let count = |nag: u8| {
            mine.iter()
                .filter(|(_, node)| node.nags.contains(&nag))
                .count()
        };
        format!("{} ?! {} ? {} ??", count(6), count(2), count(4))
    };
    let (white, black, result) = (name("White"), name("Black"), pgn.outcome());
    format!(
        "{number:4}  {white} – {black}  {result}: White {}, Black {}\n",
        errors(0),
        errors(1)
    )
}

/// The game for a program.
fn records(number: usize, pgn: &Pgn, positions: &[Game], views: &[View]) -> String {
    let chess960 = pgn.start.is_chess960();
    let lines = positions.iter().zip(views).enumerate();
    lines
        .map(|(ply, (game, view))| {
            let mut record = Record::of(game, view, chess960).with_move(pgn.line.nodes.get(ply));
            record.number = Some(number);
            record.ply = Some(ply);
            record.line()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_of_several_games_are_numbered() {
        let path = Path::new("a/games.svg");
        assert_eq!(picture_path(path, 3, true), path);
        assert_eq!(picture_path(path, 3, false), Path::new("a/games-3.svg"));
        assert_eq!(picture_path(Path::new("x"), 3, false), Path::new("x-3"));
    }

    #[test]
    fn a_record_is_whole_to_its_last_byte_and_only_for_its_own_game() {
        let read = |text: &str| pgn::read(text.as_bytes()).remove(0).expect("a game");
        let pgn = read("[White \"a\"]\n\n1. e4 e5 1/2-1/2\n");
        let text = print::game(&pgn);
        assert!(is_whole(text.as_bytes(), &pgn));
        for length in 0..text.len() {
            assert!(!is_whole(&text.as_bytes()[..length], &pgn), "{length}");
        }
        assert!(!is_whole(text.as_bytes(), &read("1. e4 c5 1/2-1/2\n")));
        assert!(!is_whole(text.as_bytes(), &read("1. e4 e5 2. Nf3 *\n")));
    }
}
