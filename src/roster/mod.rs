//! Floor 1: the roster, `engines.toml`: which engines, profiles and tournaments there are.
//!
//! An `[engines.ID]` table has the keys of cutechess-cli's `-engine`, one to one; `args` and
//! `options` hold what that writes as repeated `arg=` and `option.NAME=`. A `[profiles.NAME]` table
//! is a set of options of Standpat itself. A `[tournaments.ID]` table names engines and holds what
//! cutechess-cli takes beside them. Unknown keys are mistakes.
//!
//! | file | its one job |
//! |---|---|
//! | [`engine`] | what an engine's table may say |
//! | [`profile`] | what a profile's table may say |
//! | [`tournament`] | what a tournament's table may say |
//! | [`mistake`] | what is wrong, with file, line and key |
//! | [`place`] | where the file is looked for |
//! | [`program`] | the program that an engine's `cmd` means |

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

pub mod engine;
pub mod mistake;
pub mod place;
pub mod profile;
pub mod program;
#[cfg(test)]
mod tests;
pub mod tournament;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

pub use engine::{Engine, Protocol, Restart, Setting};
pub use mistake::Mistake;
pub use profile::Profile;
pub use tournament::{Openings, Tournament};

use mistake::Wrong;

/// Options and their values, by the names of profiles.
pub type Profiles = BTreeMap<String, BTreeMap<String, Setting>>;

/// A whole file, checked.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Roster {
    /// Engines by identifier.
    #[serde(default)]
    pub engines: BTreeMap<String, Engine>,
    /// Profiles by name.
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
    /// Tournaments by name.
    #[serde(default)]
    pub tournaments: BTreeMap<String, Tournament>,
    /// The folder that relative paths start from: the file's own.
    #[serde(skip)]
    pub folder: PathBuf,
    /// Where the file lies, as it was named.
    #[serde(skip)]
    path: PathBuf,
    /// What it says, to find the line of a mistake that is noticed later.
    #[serde(skip)]
    text: String,
}

impl Roster {
    /// Reads and checks a file.
    ///
    /// # Errors
    ///
    /// What is wrong with the file, and where.
    pub fn read(path: &Path) -> Result<Roster, Mistake> {
        let unreadable = |error: std::io::Error| Mistake::of_file(path, error.to_string());
        let text = fs::read_to_string(path).map_err(unreadable)?;
        let absolute = std::path::absolute(path).map_err(unreadable)?;
        let folder = absolute.parent().unwrap_or(Path::new("/"));
        Roster::parse(&text, path, folder)
    }

    /// Reads and checks the text of a file at `path` whose relative paths start from `folder`.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and where.
    pub fn parse(text: &str, path: &Path, folder: &Path) -> Result<Roster, Mistake> {
        let mut roster: Roster =
            toml::from_str(text).map_err(|error| Mistake::of_text(path, text, &error))?;
        roster.folder = folder.to_path_buf();
        roster.path = path.to_path_buf();
        text.clone_into(&mut roster.text);
        roster
            .check()
            .map_err(|wrong| Mistake::of_content(path, text, wrong))?;
        Ok(roster)
    }

    /// A mistake that only shows when the file is used, such as a program that is not there: `keys`
    /// lead to the value.
    pub fn mistake(&self, keys: &[&str], reason: impl Into<String>) -> Mistake {
        let wrong = Wrong::new(keys, reason);
        Mistake::of_content(&self.path, &self.text, wrong)
    }

    /// A path of the file, made absolute.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        // `components` drops the dots that a join leaves.
        self.folder.join(path).components().collect()
    }

    /// The options of an engine, the paths among those of Standpat itself made absolute.
    pub fn options(&self, engine: &Engine) -> BTreeMap<String, Setting> {
        let mut options = engine.options.clone();
        if engine.is_ours() {
            self.settle(&mut options);
        }
        options
    }

    /// The options of all profiles, the paths among them made absolute.
    pub fn settled_profiles(&self) -> Profiles {
        let settled = |(name, profile): (&String, &Profile)| {
            let mut options = profile.options.clone();
            self.settle(&mut options);
            (name.clone(), options)
        };
        self.profiles.iter().map(settled).collect()
    }

    /// An option of Standpat that names a file which is not there, and the file.
    pub fn missing_file(&self, engine: &Engine) -> Option<(String, String)> {
        let options = self.options(engine).into_iter();
        let mut options = options.map(|(name, value)| (name, value.to_string()));
        options.find(|(name, path)| {
            let reads = engine.is_ours() && engine::reads_file(name);
            reads && !path.is_empty() && !Path::new(path).is_file()
        })
    }

    fn settle(&self, options: &mut BTreeMap<String, Setting>) {
        for (name, value) in options {
            if let Setting::Text(text) = value
                && !text.is_empty()
                && engine::takes_path(name)
            {
                *text = self
                    .absolute(Path::new(text))
                    .to_string_lossy()
                    .into_owned();
            }
        }
    }

    fn check(&self) -> Result<(), Wrong> {
        let mut names: Vec<String> = vec!["none".to_owned()];
        for (name, profile) in &self.profiles {
            let lower = name.to_lowercase();
            let refused = if names.contains(&lower) {
                Err(Wrong::here(
                    "upper and lower case mean the same, and None is taken",
                ))
            } else {
                profile.check(name)
            };
            refused.map_err(|wrong| wrong.within(name).within("profiles"))?;
            names.push(lower);
        }
        for (id, engine) in &self.engines {
            engine
                .check(&self.profiles)
                .and_then(|()| engine.is_complete())
                .map_err(|wrong| wrong.within(id).within("engines"))?;
        }
        for (name, tournament) in &self.tournaments {
            tournament
                .check(&self.engines, &self.profiles)
                .map_err(|wrong| wrong.within(name).within("tournaments"))?;
        }
        Ok(())
    }
}
