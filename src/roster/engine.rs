//! What an engine's table may say.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::base::options::{Described, Effect, Options};

use super::mistake::Wrong;
use super::profile::Profile;

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
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The Universal Chess Interface.
    #[default]
    Uci,
    /// The older protocol of XBoard and WinBoard.
    Xboard,
}

impl Protocol {
    /// The word that most programs have for it.
    pub const fn word(self) -> &'static str {
        match self {
            Protocol::Uci => "uci",
            Protocol::Xboard => "xboard",
        }
    }
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
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(
    untagged,
    expecting = "an option's value is true, false, a whole number or text in quotes"
)]
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

impl Engine {
    /// Is this Standpat itself, so that its options are known?
    pub fn is_ours(&self) -> bool {
        let stem = self
            .cmd
            .as_deref()
            .and_then(|cmd| Path::new(cmd).file_stem());
        stem.is_some_and(|stem| stem == "standpat")
    }

    pub(super) fn is_complete(&self) -> Result<(), Wrong> {
        if self.cmd.is_none() && self.conf.is_none() {
            return Err(Wrong::here("neither cmd nor conf names the engine"));
        }
        Ok(())
    }

    pub(super) fn check(&self, profiles: &BTreeMap<String, Profile>) -> Result<(), Wrong> {
        if let Some(tc) = &self.tc {
            check_time_control(tc).map_err(|reason| Wrong::at("tc", reason))?;
            if self.st.is_some() {
                return Err(Wrong::at("st", "tc and st exclude each other"));
            }
        }
        if self
            .st
            .is_some_and(|seconds| !(seconds > 0.0 && seconds.is_finite()))
        {
            return Err(Wrong::at("st", "it is a positive number of seconds"));
        }
        let counts = [
            ("depth", self.depth.map(u64::from)),
            ("bookdepth", self.bookdepth.map(u64::from)),
            ("nodes", self.nodes),
        ];
        if let Some((key, _)) = counts.iter().find(|(_, count)| *count == Some(0)) {
            return Err(Wrong::at(key, "it starts at 1"));
        }
        for (name, value) in &self.options {
            self.check_option(name, value, profiles)
                .map_err(|reason| Wrong::at(name, reason).within("options"))?;
        }
        Ok(())
    }

    fn check_option(
        &self,
        name: &str,
        value: &Setting,
        profiles: &BTreeMap<String, Profile>,
    ) -> Result<(), String> {
        if name.is_empty() || name.contains('=') {
            return Err(format!("'{name}' is no name of an option"));
        }
        // Nobody knows the options of other engines.
        if !self.is_ours() {
            return Ok(());
        }
        check_own(name, value)?;
        let is_profile = Options::row(name).is_ok_and(|row| row.effect == Effect::ApplyProfile);
        let value = value.to_string();
        let known = |name: &String| name.eq_ignore_ascii_case(&value);
        if is_profile && !value.eq_ignore_ascii_case("none") && !profiles.keys().any(known) {
            let mut names = vec!["None"];
            names.extend(profiles.keys().map(String::as_str));
            return Err(format!("'{value}' is none of {}", names.join(", ")));
        }
        Ok(())
    }
}

/// Would Standpat itself take this option?
pub(super) fn check_own(name: &str, value: &Setting) -> Result<(), String> {
    if Options::row(name).is_err() {
        let names: Vec<&str> = Options::ROWS.iter().map(|row| row.name).collect();
        return Err(format!("no such option, only {}", names.join(", ")));
    }
    Options::check(name, Some(&value.to_string())).map_err(|error| error.to_string())
}

/// Is the value of this option of Standpat a file?
pub(super) fn takes_path(name: &str) -> bool {
    Options::row(name).is_ok_and(|row| {
        matches!(
            row.effect,
            Effect::LoadNetwork | Effect::OpenBook | Effect::OpenLog
        )
    })
}

/// Is the value of this option of Standpat a file that must be there?
pub(super) fn reads_file(name: &str) -> bool {
    Options::row(name).is_ok_and(|row| matches!(row.effect, Effect::LoadNetwork | Effect::OpenBook))
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
