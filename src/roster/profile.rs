//! A profile: a named set of options, for user interfaces that offer a choice but pass no
//! arguments.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::engine::{self, Setting};
use super::mistake::Wrong;

/// What `[profiles.NAME]` says.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// What it is for, in one sentence.
    #[serde(default)]
    pub about: String,
    /// Options of Standpat and their values.
    pub options: BTreeMap<String, Setting>,
}

impl Profile {
    pub(super) fn check(&self, name: &str) -> Result<(), Wrong> {
        // In the answer to `uci` a blank would end the name.
        let is_word = |c: char| c.is_alphanumeric() || "-_.+".contains(c);
        if name.is_empty() || !name.chars().all(is_word) {
            let reason = "a profile's name has letters, digits, and - _ . + only";
            return Err(Wrong::here(reason));
        }
        for (option, value) in &self.options {
            let checked = if option.eq_ignore_ascii_case("profile") {
                Err("a profile cannot choose another one".to_owned())
            } else {
                engine::check_own(option, value)
            };
            checked.map_err(|reason| Wrong::at(option, reason).within("options"))?;
        }
        Ok(())
    }
}
