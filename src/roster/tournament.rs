//! What a tournament's table may say.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::engine::Engine;
use super::mistake::Wrong;
use super::profile::Profile;

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

impl Tournament {
    pub(super) fn check(
        &self,
        engines: &BTreeMap<String, Engine>,
        profiles: &BTreeMap<String, Profile>,
    ) -> Result<(), Wrong> {
        self.each
            .check(profiles)
            .map_err(|wrong| wrong.within("each"))?;
        if self.engines.len() < 2 {
            return Err(Wrong::at("engines", "it takes two engines"));
        }
        for id in &self.engines {
            let engine = engines.get(id).ok_or_else(|| {
                let known: Vec<&str> = engines.keys().map(String::as_str).collect();
                let reason = format!("there is no engine '{id}', only {}", known.join(", "));
                Wrong::at("engines", reason)
            })?;
            if !has_limit(engine) && !has_limit(&self.each) {
                let reason = format!("engine '{id}' has no time control: tc, st, depth or nodes");
                return Err(Wrong::at("each", reason));
            }
        }
        let counts = [("rounds", self.rounds), ("concurrency", self.concurrency)];
        match counts.iter().find(|(_, count)| *count == 0) {
            Some((key, _)) => Err(Wrong::at(key, "it starts at 1")),
            None => Ok(()),
        }
    }
}

fn has_limit(engine: &Engine) -> bool {
    engine.tc.is_some() || engine.st.is_some() || engine.nodes.is_some() || engine.depth.is_some()
}
