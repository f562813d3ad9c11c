//! `standpat tournament`: plays a tournament of `engines.toml` with a runner that knows how.

use std::fs::{self, File};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::UNIX_EPOCH;

use crate::base::text::shell_word;
use crate::roster::engine::check_time_control;
use crate::roster::{Openings, Roster, Tournament, program};
use crate::tools::Failure;

mod resume;
mod runners;
mod standings;

use resume::{Leg, Resume};

pub use runners::Runner;
pub use standings::Standings;

/// What `standpat tournament` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The tournament; without one, all tournaments and engines are listed
    pub name: Option<String>,
    /// The roster of engines and tournaments
    #[arg(long, default_value = "engines.toml", value_name = "FILE")]
    pub file: PathBuf,
    /// The program that plays it
    #[arg(long, value_enum, default_value = "cutechess-cli")]
    pub runner: Runner,
    /// Where that program lies, when it is not in PATH
    #[arg(long, value_name = "PATH")]
    pub runner_path: Option<PathBuf>,
    /// Games for each pair of engines instead of the tournament's own number; even
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub games: Option<u32>,
    /// Games at a time
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub concurrency: Option<u32>,
    /// Time control for each engine: moves/seconds+increment
    #[arg(long)]
    pub tc: Option<String>,
    /// A file of openings (.epd or .pgn)
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Write the games to this file
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// Instead of playing, tell the table of the games in this file
    #[arg(long, value_name = "FILE", conflicts_with = "name")]
    pub results: Option<PathBuf>,
    /// Write the cross table to this file, as a page for a browser
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Another program for an engine, as ID=COMMAND; may be repeated
    #[arg(long, value_name = "ID=COMMAND")]
    pub cmd: Vec<String>,
    /// Only print the command line
    #[arg(long)]
    pub dry_run: bool,
    /// More arguments for the runner
    #[arg(last = true)]
    pub more: Vec<String>,
}

/// Prints or plays a tournament.
///
/// # Errors
///
/// When the roster is wrong, something is not found, or the runner fails.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(path) = &args.results {
        return tell(path, 0, args, out);
    }
    let mut roster = Roster::read(&args.file)?;
    let Some(name) = &args.name else {
        return list(&roster, out);
    };
    replace_commands(&mut roster, &args.cmd)?;
    let tournament = chosen(&roster, name, args)?;
    if !args.dry_run {
        check_files(&roster, &tournament, args)?;
    }
    let plan = Plan {
        args,
        roster: &roster,
        tournament: &tournament,
    };
    let runner = plan.runner()?;
    let resume = plan.resume()?;
    let legs = match &resume {
        Some(resume) => resume.legs.clone(),
        None => vec![Leg::whole(&tournament)],
    };
    if args.dry_run {
        for leg in &legs {
            let words = plan.words(leg)?;
            let words: Vec<String> = std::iter::once(&runner)
                .chain(&words)
                .map(|word| shell_word(word))
                .collect();
            writeln!(out, "{}", words.join(" "))?;
        }
        return Ok(());
    }
    if let Some(resume) = &resume {
        if resume.played > 0 {
            let (played, wanted) = (resume.played, resume.wanted);
            writeln!(
                out,
                "{played} of {wanted} games are played; it goes on from there"
            )?;
        }
        resume.begin()?;
    }
    out.flush()?;
    plan.play(&runner, &legs, resume.as_ref())?;
    match (resume, &tournament.pgnout) {
        (Some(resume), Some(pgn)) => {
            resume.finish();
            tell(&roster.absolute(pgn), resume.begins_at, args, out)
        }
        _ => Ok(()),
    }
}

/// A tournament as it is to be played.
struct Plan<'a> {
    args: &'a Args,
    roster: &'a Roster,
    tournament: &'a Tournament,
}

impl Plan<'_> {
    /// The program that plays, found unless it is only to be named.
    fn runner(&self) -> Result<String, Failure> {
        let named = match &self.args.runner_path {
            Some(path) => path.to_string_lossy().into_owned(),
            None => self.args.runner.program().to_string(),
        };
        if self.args.dry_run {
            return Ok(named);
        }
        program::find(Path::new("."), &named).map_err(|reason| {
            Failure::BadInput(format!("{reason}; name the runner with --runner-path"))
        })
    }

    /// The runner's arguments for a part of the tournament.
    fn words(&self, leg: &Leg) -> Result<Vec<String>, Failure> {
        let folder = &self.roster.folder;
        // A dry run may name programs that this machine does not have.
        let find = |cmd: &str| match program::find(folder, cmd) {
            Err(reason) if self.args.dry_run => {
                log::warn!("{reason}");
                let path = program::located(folder, cmd);
                Ok(path.to_string_lossy().into_owned())
            }
            found => found,
        };
        let runner = self.args.runner;
        let words = runner.arguments(self.roster, leg, &find);
        let mut words = words.map_err(Failure::BadInput)?;
        words.extend(self.args.more.iter().cloned());
        Ok(words)
    }

    /// What is left to play; `None` when the games are not written anywhere.
    fn resume(&self) -> Result<Option<Resume>, Failure> {
        let Some(pgn) = &self.tournament.pgnout else {
            return Ok(None);
        };
        let pgn = self.roster.absolute(pgn);
        let from_state = self.args.runner == Runner::Fastchess;
        let conditions = self.conditions()?;
        Resume::find(&pgn, self.roster, self.tournament, conditions, from_state).map(Some)
    }

    /// What decides about the games: the runner's words, but not how many games there are and how
    /// many are played at a time; and which programs play.
    fn conditions(&self) -> Result<Vec<String>, Failure> {
        let mut leg = Leg::whole(self.tournament);
        leg.tournament.rounds = 1;
        leg.tournament.concurrency = 1;
        let mut words = vec![self.args.runner.program().to_string()];
        words.extend(self.words(&leg)?);
        let programs: Vec<String> = words
            .iter()
            .filter_map(|word| word.strip_prefix("cmd="))
            .filter_map(|path| {
                let data = fs::metadata(path).ok()?;
                let since = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
                let (size, time) = (data.len(), since.as_secs());
                Some(format!("{path} of {size} bytes and time {time}"))
            })
            .collect();
        words.extend(programs);
        Ok(words)
    }

    /// Plays one part after the other. Ctrl-C reaches the runner by itself; it ends in its own
    /// time, and then nothing more is begun.
    fn play(&self, runner: &str, legs: &[Leg], resume: Option<&Resume>) -> Result<(), Failure> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        if let Err(error) = ctrlc::set_handler(move || flag.store(true, Ordering::Release)) {
            // Then Ctrl-C ends this program before the runner.
            log::info!("Ctrl-C cannot be taken over: {error}");
        }
        // A sequential test may end early; of everything else all games must be there.
        let counted = resume.filter(|_| self.tournament.sprt.is_none());
        let mut due = resume.map_or(0, |resume| resume.played);
        for (number, leg) in legs.iter().enumerate() {
            let words = self.words(leg)?;
            log::info!("{runner} {}", words.join(" "));
            let status = Command::new(runner)
                .args(&words)
                .status()
                .map_err(|error| Failure::Failed(format!("cannot start {runner}: {error}")))?;
            let stopped = interrupted.load(Ordering::Acquire);
            due += leg.total();
            let count = counted.map(|resume| resume.count(self.roster, self.tournament));
            let missing = count.transpose()?.is_some_and(|count| count < due);
            let is_last = number + 1 == legs.len();
            let is_whole = status.success() && is_last && !missing && counted.is_some();
            let why = if stopped && !is_whole {
                "it was interrupted".to_owned()
            } else if !status.success() {
                format!("{runner} ended with {status}")
            } else if missing {
                "the runner gave up".to_owned()
            } else {
                continue;
            };
            return Err(self.unfinished(&why, resume));
        }
        Ok(())
    }

    fn unfinished(&self, why: &str, resume: Option<&Resume>) -> Failure {
        let counted = resume.and_then(|resume| {
            let played = resume.count(self.roster, self.tournament).ok()?;
            Some((played, resume.wanted))
        });
        Failure::Failed(match counted {
            Some((played, wanted)) => format!(
                "{why}; {played} of {wanted} games are played, the same command goes on from there"
            ),
            None => why.to_owned(),
        })
    }
}

/// Are the files there that the tournament needs? Nothing is begun when one is missing.
fn check_files(roster: &Roster, tournament: &Tournament, args: &Args) -> Result<(), Failure> {
    for id in &tournament.engines {
        let Some(engine) = roster.engines.get(id) else {
            continue;
        };
        if let Some(cmd) = &engine.cmd
            && let Err(reason) = program::find(&roster.folder, cmd)
        {
            let replaced = args
                .cmd
                .iter()
                .any(|change| change.starts_with(&format!("{id}=")));
            return Err(match replaced {
                true => Failure::BadInput(format!("--cmd {id}: {reason}")),
                false => roster.mistake(&["engines", id, "cmd"], reason).into(),
            });
        }
        if let Some(book) = &engine.book
            && !roster.absolute(book).is_file()
        {
            let reason = no_file(&roster.absolute(book));
            return Err(roster.mistake(&["engines", id, "book"], reason).into());
        }
        if let Some((option, path)) = roster.missing_file(engine) {
            let reason = no_file(Path::new(&path));
            let keys = ["engines", id, "options", &option];
            return Err(roster.mistake(&keys, reason).into());
        }
    }
    match &tournament.openings {
        Some(openings) if !roster.absolute(&openings.file).is_file() => {
            let reason = no_file(&roster.absolute(&openings.file));
            let name = args.name.as_deref().unwrap_or_default();
            Err(match &args.book {
                Some(_) => Failure::BadInput(format!("--book: {reason}")),
                None => {
                    let keys = ["tournaments", name, "openings", "file"];
                    roster.mistake(&keys, reason).into()
                }
            })
        }
        _ => Ok(()),
    }
}

fn no_file(path: &Path) -> String {
    format!("there is no file {}", path.display())
}

/// Prints the table of a file's games from byte `from` on, and writes the page if one is wanted.
fn tell(path: &Path, from: u64, args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let bad = |error: io::Error| Failure::BadInput(format!("{}: {error}", path.display()));
    let mut file = File::open(path).map_err(bad)?;
    file.seek(SeekFrom::Start(from)).map_err(bad)?;
    let standings = Standings::read(BufReader::new(file)).map_err(bad)?;
    standings.print(out)?;
    if let Some(page) = &args.html {
        let title = path.file_stem().unwrap_or_default().to_string_lossy();
        fs::write(page, standings.html(&title))
            .map_err(|error| Failure::Failed(format!("{}: {error}", page.display())))?;
    }
    Ok(())
}

/// The tournament of this name, with what the command line changes.
fn chosen(roster: &Roster, name: &str, args: &Args) -> Result<Tournament, Failure> {
    let mut tournament = roster.tournaments.get(name).cloned().ok_or_else(|| {
        let names: Vec<&str> = roster.tournaments.keys().map(String::as_str).collect();
        Failure::BadInput(format!(
            "there is no tournament '{name}', only {}",
            names.join(", ")
        ))
    })?;
    if let Some(games) = args.games {
        if !games.is_multiple_of(2) {
            let reason = "--games must be even: each opening is played with both colours";
            return Err(Failure::BadInput(reason.to_string()));
        }
        tournament.rounds = games / 2;
    }
    tournament.concurrency = args.concurrency.unwrap_or(tournament.concurrency);
    if let Some(tc) = &args.tc {
        check_time_control(tc).map_err(Failure::BadInput)?;
        tournament.each.tc = Some(tc.clone());
        tournament.each.st = None;
    }
    if let Some(book) = &args.book {
        tournament.openings = Some(Openings::of(absolute(book)?));
    }
    if let Some(pgn) = &args.pgn {
        tournament.pgnout = Some(absolute(pgn)?);
    }
    Ok(tournament)
}

/// A path of the command line, made absolute: those of the roster start from its folder.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::BadInput(error.to_string()))
}

fn replace_commands(roster: &mut Roster, changes: &[String]) -> Result<(), Failure> {
    for change in changes {
        let (id, cmd) = change
            .split_once('=')
            .ok_or_else(|| Failure::BadInput(format!("--cmd takes ID=COMMAND, not '{change}'")))?;
        let engine = roster
            .engines
            .get_mut(id)
            .ok_or_else(|| Failure::BadInput(format!("there is no engine '{id}'")))?;
        let is_path = cmd.contains('/');
        let cmd = if is_path {
            absolute(Path::new(cmd))?.to_string_lossy().into_owned()
        } else {
            cmd.to_string()
        };
        engine.cmd = Some(cmd);
    }
    Ok(())
}

fn list(roster: &Roster, out: &mut dyn Write) -> Result<(), Failure> {
    let names = roster.tournaments.keys().chain(roster.engines.keys());
    let width = names.map(String::len).max().unwrap_or_default() + 2;
    writeln!(out, "Tournaments")?;
    for (name, tournament) in &roster.tournaments {
        writeln!(out, "  {name:<width$}{}", tournament.about)?;
    }
    writeln!(out, "Engines")?;
    for (id, engine) in &roster.engines {
        let place = match &engine.cmd {
            Some(cmd) => program::find(&roster.folder, cmd).unwrap_or_else(|reason| reason),
            None => "as Cute Chess has it".to_string(),
        };
        writeln!(out, "  {id:<width$}{place}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The roster that the project ships.
    fn shipped() -> Roster {
        Roster::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("engines.toml")).unwrap()
    }

    #[test]
    fn every_tournament_of_the_shipped_roster_has_its_command_line() {
        let roster = shipped();
        let find = |cmd: &str| Ok(cmd.to_string());
        assert!(roster.tournaments.len() >= 2);
        for (name, tournament) in &roster.tournaments {
            let arguments = Runner::CutechessCli
                .arguments(&roster, &Leg::whole(tournament), &find)
                .unwrap();
            let engines = arguments.iter().filter(|word| *word == "-engine").count();
            assert_eq!(engines, tournament.engines.len(), "{name}");
            let fast = Runner::Fastchess.arguments(&roster, &Leg::whole(tournament), &find);
            assert_eq!(fast.is_err(), tournament.each.ponder, "{name}");
            let book = tournament.openings.as_ref().expect("openings");
            assert!(roster.absolute(&book.file).is_file(), "{name}");
        }
    }
}
