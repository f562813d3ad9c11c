//! `standpat tournament`: plays a tournament of `engines.toml` with a runner that knows how.

use std::env;
use std::fs::{self, File};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools::Failure;

mod register;
mod runners;
mod standings;

pub use register::{Engine, Register, Tournament};
pub use runners::Runner;
pub use standings::Standings;

/// Folders that hold games but are often missing from `PATH`.
const GAME_FOLDERS: [&str; 2] = ["/usr/games", "/usr/local/games"];

/// What `standpat tournament` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The tournament; without one, all tournaments and engines are listed
    pub name: Option<String>,
    /// The register of engines and tournaments
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
/// When the register is wrong, something is not found, or the runner fails.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(path) = &args.results {
        return tell(path, 0, args, out);
    }
    let mut register = Register::read(&args.file)?;
    let Some(name) = &args.name else {
        return list(&register, out);
    };
    replace_commands(&mut register, &args.cmd)?;
    let tournament = chosen(&register, name, args)?;
    // A dry run may name programs that this machine does not have.
    let find = |cmd: &str| match program(&register.folder, cmd) {
        Err(reason) if args.dry_run => {
            log::warn!("{reason}");
            Ok(located(&register.folder, cmd)
                .to_string_lossy()
                .into_owned())
        }
        found => found,
    };
    let mut arguments = args
        .runner
        .arguments(&register, &tournament, &find)
        .map_err(Failure::BadInput)?;
    arguments.extend(args.more.iter().cloned());
    let runner = match &args.runner_path {
        Some(path) => path.to_string_lossy().into_owned(),
        None => args.runner.program().to_string(),
    };
    if args.dry_run {
        let words: Vec<String> = std::iter::once(&runner)
            .chain(&arguments)
            .map(|word| quoted(word))
            .collect();
        return Ok(writeln!(out, "{}", words.join(" "))?);
    }
    let runner = program(Path::new("."), &runner).map_err(|reason| {
        Failure::BadInput(format!("{reason}; name the runner with --runner-path"))
    })?;
    let pgn = tournament.pgnout.as_ref().map(|pgn| register.absolute(pgn));
    // Both runners append: what is there already belongs to another tournament.
    let before = pgn.as_ref().and_then(|pgn| fs::metadata(pgn).ok());
    let before = before.map_or(0, |data| data.len());
    out.flush()?;
    log::info!("{runner} {}", arguments.join(" "));
    let status = Command::new(&runner)
        .args(&arguments)
        .status()
        .map_err(|error| Failure::Failed(format!("cannot start {runner}: {error}")))?;
    if !status.success() {
        return Err(Failure::Failed(format!("{runner} ended with {status}")));
    }
    match pgn {
        Some(pgn) => tell(&pgn, before, args, out),
        None => Ok(()),
    }
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
fn chosen(register: &Register, name: &str, args: &Args) -> Result<Tournament, Failure> {
    let mut tournament = register.tournaments.get(name).cloned().ok_or_else(|| {
        let names: Vec<&str> = register.tournaments.keys().map(String::as_str).collect();
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
        register::check_time_control(tc).map_err(Failure::BadInput)?;
        tournament.each.tc = Some(tc.clone());
        tournament.each.st = None;
    }
    if let Some(book) = &args.book {
        tournament.openings = Some(register::Openings::of(absolute(book)?));
    }
    if let Some(pgn) = &args.pgn {
        tournament.pgnout = Some(absolute(pgn)?);
    }
    Ok(tournament)
}

/// A path of the command line, made absolute: those of the register start from its folder.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::BadInput(error.to_string()))
}

fn replace_commands(register: &mut Register, changes: &[String]) -> Result<(), Failure> {
    for change in changes {
        let (id, cmd) = change
            .split_once('=')
            .ok_or_else(|| Failure::BadInput(format!("--cmd takes ID=COMMAND, not '{change}'")))?;
        let engine = register
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

fn list(register: &Register, out: &mut dyn Write) -> Result<(), Failure> {
    let names = register.tournaments.keys().chain(register.engines.keys());
    let width = names.map(String::len).max().unwrap_or_default() + 2;
    writeln!(out, "Tournaments")?;
    for (name, tournament) in &register.tournaments {
        writeln!(out, "  {name:<width$}{}", tournament.about)?;
    }
    writeln!(out, "Engines")?;
    for (id, engine) in &register.engines {
        let place = match &engine.cmd {
            Some(cmd) => program(&register.folder, cmd).unwrap_or_else(|reason| reason),
            None => "as Cute Chess has it".to_string(),
        };
        writeln!(out, "  {id:<width$}{place}")?;
    }
    Ok(())
}

/// The program that a command means: a path starts from `folder`; a mere name is looked for in
/// `PATH`, then where Debian keeps games.
fn program(folder: &Path, cmd: &str) -> Result<String, String> {
    if cmd.contains(std::path::is_separator) {
        let path = located(folder, cmd);
        if is_program(&path) {
            return Ok(path.to_string_lossy().into_owned());
        }
        return Err(format!("there is no program {}", path.display()));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let name = format!("{cmd}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path)
        .chain(GAME_FOLDERS.iter().map(PathBuf::from))
        .map(|folder| folder.join(&name))
        .find(|path| is_program(path))
        .map(|path| path.to_string_lossy().into_owned())
        .ok_or_else(|| format!("{cmd} is neither in PATH nor in {}", GAME_FOLDERS[0]))
}

/// Where a command's path leads from `folder`; a mere name stays as it is.
fn located(folder: &Path, cmd: &str) -> PathBuf {
    if !cmd.contains(std::path::is_separator) {
        return PathBuf::from(cmd);
    }
    let path: PathBuf = folder.join(cmd).components().collect();
    std::path::absolute(&path).unwrap_or(path)
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// A word as a POSIX shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_=+./:,@%^".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The register that the project ships.
    fn shipped() -> Register {
        Register::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("engines.toml")).unwrap()
    }

    #[test]
    fn every_tournament_of_the_shipped_register_has_its_command_line() {
        let register = shipped();
        let find = |cmd: &str| Ok(cmd.to_string());
        assert!(register.tournaments.len() >= 2);
        for (name, tournament) in &register.tournaments {
            let arguments = Runner::CutechessCli
                .arguments(&register, tournament, &find)
                .unwrap();
            let engines = arguments.iter().filter(|word| *word == "-engine").count();
            assert_eq!(engines, tournament.engines.len(), "{name}");
            let fast = Runner::Fastchess.arguments(&register, tournament, &find);
            assert_eq!(fast.is_err(), tournament.each.ponder, "{name}");
            let book = tournament.openings.as_ref().expect("openings");
            assert!(register.absolute(&book.file).is_file(), "{name}");
        }
    }

    #[test]
    fn words_are_quoted_when_a_shell_would_split_or_change_them() {
        assert_eq!(quoted("tc=2+0.02"), "tc=2+0.02");
        assert_eq!(
            quoted("option.Move Overhead=30"),
            "'option.Move Overhead=30'"
        );
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("$HOME"), "'$HOME'");
    }

    #[cfg(unix)]
    #[test]
    fn programs_are_found_by_path_and_by_name() {
        assert_eq!(program(Path::new("/bin"), "./sh").unwrap(), "/bin/sh");
        assert!(program(Path::new("/"), "sh").unwrap().ends_with("/sh"));
        let missing = program(Path::new("/"), "no-such-engine").unwrap_err();
        assert_eq!(
            missing,
            "no-such-engine is neither in PATH nor in /usr/games"
        );
        assert_eq!(
            program(Path::new("/"), "no/such").unwrap_err(),
            "there is no program /no/such"
        );
        assert!(program(Path::new("/"), "etc/").is_err());
    }
}
