//! The register of engines and tournaments: `engines.toml`.
//!
//! An `[engines.ID]` table has the keys of cutechess-cli's `-engine`, one to one; `args` and
//! `options` hold what that writes as repeated `arg=` and `option.NAME=`. A `[tournaments.ID]`
//! table names engines and holds what cutechess-cli takes beside them. Unknown keys are mistakes.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::base::options::{Described, Options};
use crate::tools::Failure;

/// A whole file, checked.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Register {
    /// Engines by identifier.
    #[serde(default)]
    pub engines: BTreeMap<String, Engine>,
    /// Tournaments by name.
    #[serde(default)]
    pub tournaments: BTreeMap<String, Tournament>,
    /// The folder that relative paths start from: the file's own.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// One engine, or what a tournament sets for each engine: the keys of cutechess-cli's `-engine`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct Engine {
    /// An engine of Cute Chess' own configuration, by name.
    pub conf: Option<String>,
    /// The name to show.
    pub name: Option<String>,
    /// The program: a path, or a name to be found as the shell does.
    pub cmd: Option<String>,
    /// Its working directory.
    pub dir: Option<PathBuf>,
    /// Its command line arguments.
    pub args: Vec<String>,
    /// The protocol it speaks.
    pub proto: Option<Protocol>,
    /// Sent to it before the protocol begins.
    pub initstr: Option<String>,
    /// Where its standard error goes.
    pub stderr: Option<PathBuf>,
    /// Is it started anew for each game?
    pub restart: Option<Restart>,
    /// Believe its claims of results.
    pub trust: bool,
    /// Time control: `moves/time+increment`, in seconds, or `inf`.
    pub tc: Option<String>,
    /// Seconds for each move.
    pub st: Option<f64>,
    /// Milliseconds it may exceed its time.
    pub timemargin: Option<u32>,
    /// A Polyglot opening book.
    pub book: Option<PathBuf>,
    /// Full moves to take from that book.
    pub bookdepth: Option<u32>,
    /// Does it report scores from White's view?
    pub whitepov: bool,
    /// Plies it searches at most.
    pub depth: Option<u32>,
    /// Nodes it searches at most.
    pub nodes: Option<u64>,
    /// Let it think on its opponent's time.
    pub ponder: bool,
    /// Multiplies the runner's patience.
    pub tscale: Option<f64>,
    /// Switch on the protocol's debug mode.
    pub debug: bool,
    /// Options of the engine itself.
    pub options: BTreeMap<String, Setting>,
}

/// A protocol between engine and runner.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The Universal Chess Interface.
    Uci,
    /// The older protocol of XBoard and WinBoard.
    Xboard,
}

/// When an engine is started anew.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Restart {
    /// As the engine wishes.
    Auto,
    /// For each game.
    On,
    /// Never.
    Off,
}

/// The value of an engine's option.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Setting {
    /// Of a check.
    Check(bool),
    /// Of a spin.
    Spin(i64),
    /// Of a string or combo.
    Text(String),
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Check(value) => value.fmt(f),
            Setting::Spin(value) => value.fmt(f),
            Setting::Text(value) => value.fmt(f),
        }
    }
}

/// A tournament: who plays, and the keys of cutechess-cli beside `-engine`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Tournament {
    /// What it is for, in one sentence.
    #[serde(default)]
    pub about: String,
    /// Identifiers of the engines; in a gauntlet the first one plays all the others.
    pub engines: Vec<String>,
    /// Who meets whom.
    #[serde(default, rename = "tournament")]
    pub schedule: Schedule,
    /// Set for each engine, over what the engine's own table says.
    #[serde(default)]
    pub each: Engine,
    /// Chess or Chess960.
    #[serde(default)]
    pub variant: Variant,
    /// Rounds; in each of them every pair plays two games from one opening, colours changed.
    pub rounds: u32,
    /// Games at a time.
    #[serde(default = "one")]
    pub concurrency: u32,
    /// Where the games begin.
    pub openings: Option<Openings>,
    /// When a game is called drawn.
    pub draw: Option<DrawRule>,
    /// When a game is called lost.
    pub resign: Option<ResignRule>,
    /// Full moves after which a game is drawn.
    pub maxmoves: Option<u32>,
    /// A sequential test that may end the match early.
    pub sprt: Option<Sprt>,
    /// Go on when an engine crashes.
    #[serde(default)]
    pub recover: bool,
    /// Seed of the runner's random numbers.
    pub srand: Option<u32>,
    /// Games between two tables of results.
    pub ratinginterval: Option<u32>,
    /// Milliseconds between games.
    pub wait: Option<u32>,
    /// The event's name in the game file.
    pub event: Option<String>,
    /// Where the games are written.
    pub pgnout: Option<PathBuf>,
    /// Where the last positions are written.
    pub epdout: Option<PathBuf>,
}

const fn one() -> u32 {
    1
}

/// Who meets whom.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// Each plays each.
    #[default]
    RoundRobin,
    /// The first plays all the others.
    Gauntlet,
}

/// The rules of the game.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// Chess.
    #[default]
    Standard,
    /// Chess960.
    Fischerandom,
}

/// A file of openings and how it is used.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Openings {
    /// The file.
    pub file: PathBuf,
    /// Positions or games.
    #[serde(default)]
    pub format: OpeningFormat,
    /// In which order they are played.
    #[serde(default)]
    pub order: OpeningOrder,
    /// Plies to follow a game.
    pub plies: Option<u32>,
    /// Number of the first opening, from 1.
    pub start: Option<u32>,
}

impl Openings {
    /// A file of openings in random order, its format told by its name.
    pub fn of(file: PathBuf) -> Openings {
        let is_pgn = file
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"));
        let format = if is_pgn {
            OpeningFormat::Pgn
        } else {
            OpeningFormat::Epd
        };
        Openings {
            file,
            format,
            order: OpeningOrder::Random,
            plies: None,
            start: None,
        }
    }
}

/// The format of a file of openings.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum OpeningFormat {
    /// A position a line.
    #[default]
    Epd,
    /// Games.
    Pgn,
}

/// The order of openings.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum OpeningOrder {
    /// As `srand` has it.
    #[default]
    Random,
    /// As in the file.
    Sequential,
}

/// A game is drawn when both engines say so for long enough.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// The first full move at which it may happen.
    pub movenumber: u32,
    /// Moves in a row.
    pub movecount: u32,
    /// Centipawns from zero, at most.
    pub score: u32,
}

/// A game is lost when an engine says so for long enough.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ResignRule {
    /// Moves in a row.
    pub movecount: u32,
    /// Centipawns below zero, at least.
    pub score: u32,
    /// Must the other engine agree?
    #[serde(default)]
    pub twosided: bool,
}

/// A sequential probability ratio test.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Sprt {
    /// Elo of the null hypothesis.
    pub elo0: f64,
    /// Elo of the alternative.
    pub elo1: f64,
    /// Chance of a false positive.
    pub alpha: f64,
    /// Chance of a false negative.
    pub beta: f64,
}

impl Register {
    /// Reads and checks a file.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong with the file, and where.
    pub fn read(path: &Path) -> Result<Register, Failure> {
        let complain = |reason: String| Failure::BadInput(format!("{}: {reason}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| complain(error.to_string()))?;
        let mut register =
            Register::parse(&text).map_err(|reason| match reason.strip_prefix("line ") {
                Some(rest) => Failure::BadInput(format!("{}:{rest}", path.display())),
                None => complain(reason),
            })?;
        let absolute = std::path::absolute(path).map_err(|error| complain(error.to_string()))?;
        register.folder = absolute.parent().unwrap_or(Path::new("/")).to_path_buf();
        Ok(register)
    }

    /// Reads and checks a file's text; the error may start with `line N: `.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong.
    pub fn parse(text: &str) -> Result<Register, String> {
        let register: Register = toml::from_str(text).map_err(|error| {
            let reason = error
                .message()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            match error.span() {
                Some(span) => {
                    let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
                    format!("line {line}: {reason}")
                }
                None => reason,
            }
        })?;
        register.check()?;
        Ok(register)
    }

    fn check(&self) -> Result<(), String> {
        for (id, engine) in &self.engines {
            engine
                .check()
                .map_err(|reason| format!("engine {id}: {reason}"))?;
            if engine.cmd.is_none() && engine.conf.is_none() {
                return Err(format!("engine {id} has neither cmd nor conf"));
            }
        }
        for (name, tournament) in &self.tournaments {
            self.check_tournament(tournament)
                .map_err(|reason| format!("tournament {name}: {reason}"))?;
        }
        Ok(())
    }

    fn check_tournament(&self, tournament: &Tournament) -> Result<(), String> {
        tournament
            .each
            .check()
            .map_err(|reason| format!("each: {reason}"))?;
        if tournament.engines.len() < 2 {
            return Err("it takes two engines".to_string());
        }
        for id in &tournament.engines {
            let engine = self
                .engines
                .get(id)
                .ok_or_else(|| format!("there is no engine {id}"))?;
            let clock = |engine: &Engine| {
                engine.tc.is_some()
                    || engine.st.is_some()
                    || engine.nodes.is_some()
                    || engine.depth.is_some()
            };
            if !clock(engine) && !clock(&tournament.each) {
                return Err(format!("engine {id} has no time control"));
            }
        }
        if tournament.rounds == 0 || tournament.concurrency == 0 {
            return Err("rounds and concurrency start at 1".to_string());
        }
        Ok(())
    }

    /// A path of the file, made absolute.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        // `components` drops the dots that a join leaves.
        self.folder.join(path).components().collect()
    }
}

impl Engine {
    /// Is this one of our own, so that its options can be checked?
    fn is_ours(&self) -> bool {
        let stem = self
            .cmd
            .as_deref()
            .and_then(|cmd| Path::new(cmd).file_stem());
        stem.is_some_and(|stem| stem == "standpat")
    }

    fn check(&self) -> Result<(), String> {
        if let Some(tc) = &self.tc {
            check_time_control(tc)?;
            if self.st.is_some() {
                return Err("tc and st exclude each other".to_string());
            }
        }
        if self
            .st
            .is_some_and(|seconds| !(seconds > 0.0 && seconds.is_finite()))
        {
            return Err("st is a positive number of seconds".to_string());
        }
        if [self.depth, self.bookdepth].contains(&Some(0)) || self.nodes == Some(0) {
            return Err("depth, bookdepth and nodes start at 1".to_string());
        }
        for (name, value) in &self.options {
            if name.is_empty() || name.contains('=') {
                return Err(format!("'{name}' is no name of an option"));
            }
            if self.is_ours() {
                check_own(name, value)?;
            }
        }
        Ok(())
    }
}

/// Would our own engine take this option?
fn check_own(name: &str, value: &Setting) -> Result<(), String> {
    Options::check(name, Some(&value.to_string())).map_err(|error| error.to_string())
}

/// Is this `moves/minutes:seconds+increment`, or `inf`?
///
/// # Errors
///
/// One line that says what is wrong.
pub fn check_time_control(text: &str) -> Result<(), String> {
    let mistake = || format!("'{text}' is no time control: moves/seconds+increment, or inf");
    if text == "inf" {
        return Ok(());
    }
    let number = |part: &str| {
        let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        part.parse::<f64>()
            .ok()
            .filter(|_| digits)
            .ok_or_else(mistake)
    };
    let (moves, rest) = text
        .split_once('/')
        .map_or((None, text), |(a, b)| (Some(a), b));
    if let Some(moves) = moves
        && !moves.parse::<u32>().is_ok_and(|moves| moves > 0)
    {
        return Err(mistake());
    }
    let (time, increment) = rest.split_once('+').unwrap_or((rest, "0"));
    let (minutes, seconds) = time.split_once(':').unwrap_or(("0", time));
    let total = number(minutes)? * 60.0 + number(seconds)?;
    if total + number(increment)? <= 0.0 {
        return Err(mistake());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "[engines.a]\ncmd = \"standpat\"\nproto = \"uci\"\ntc = \"1+0.1\"\n";

    fn refused(text: &str) -> String {
        Register::parse(text).unwrap_err()
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let unknown = refused(&format!("{HEAD}comand = \"x\"\n"));
        assert!(
            unknown.starts_with("line 5: unknown field `comand`"),
            "{unknown}"
        );
        let syntax = refused("[engines.a\n");
        assert!(
            syntax.starts_with("line 1: ") && !syntax.contains('\n'),
            "{syntax}"
        );
        assert_eq!(
            refused("[engines.a]\nname = \"A\"\n"),
            "engine a has neither cmd nor conf"
        );
        let nobody = refused(&format!(
            "{HEAD}[tournaments.t]\nengines = [\"a\", \"b\"]\nrounds = 1\n"
        ));
        assert_eq!(nobody, "tournament t: there is no engine b");
        let alone = refused(&format!(
            "{HEAD}[tournaments.t]\nengines = [\"a\"]\nrounds = 1\n"
        ));
        assert_eq!(alone, "tournament t: it takes two engines");
    }

    #[test]
    fn options_of_our_own_engine_are_checked_against_its_table() {
        let with = |options: &str| Register::parse(&format!("{HEAD}options = {{ {options} }}\n"));
        assert!(with("Hash = 64, Threads = 2, Ponder = true").is_ok());
        let unknown = with("Hahs = 64").unwrap_err();
        assert_eq!(unknown, "engine a: unknown option 'Hahs'");
        let range = with("Hash = 0").unwrap_err();
        assert!(
            range.starts_with("engine a: Hash: 0 is not within 1 to "),
            "{range}"
        );
        assert!(with("Ponder = 1").is_err());
        // Nobody knows the options of other engines.
        assert!(Register::parse("[engines.b]\ncmd = \"b\"\noptions = { Hahs = 0 }\n").is_ok());
    }

    #[test]
    fn time_controls_are_those_of_cutechess() {
        for good in [
            "inf",
            "60",
            "2+0.02",
            "40/60",
            "40/1:30+0.5",
            "0+0.1",
            "0.5+0.01",
        ] {
            assert_eq!(check_time_control(good), Ok(()), "{good}");
        }
        for bad in [
            "", "0", "+", "1+", "x", "0/60", "-1", "1e3", "40/", "1:2:3", "hg", "nan",
        ] {
            assert!(check_time_control(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_engine_needs_some_limit() {
        let text = "[engines.a]\ncmd = \"a\"\n[engines.b]\ncmd = \"b\"\nnodes = 5\n\
                    [tournaments.t]\nengines = [\"a\", \"b\"]\nrounds = 1\n";
        assert_eq!(refused(text), "tournament t: engine a has no time control");
        let each = format!("{text}each = {{ st = 0.1 }}\n");
        assert!(Register::parse(&each).is_ok());
        let both = format!("{text}each = {{ st = 0.1, tc = \"1\" }}\n");
        assert_eq!(
            refused(&both),
            "tournament t: each: tc and st exclude each other"
        );
    }
}
