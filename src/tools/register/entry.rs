//! What is to be entered: an engine of the roster, its program found, its profile chosen.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::base::options::{Described, Effect, Kind, Options};
use crate::roster::{Engine, Mistake, Roster, Setting, program};

/// An engine with all that a program must know to start it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// The name to show.
    pub name: String,
    /// The program, found.
    pub program: String,
    /// Its working directory.
    pub folder: String,
    /// Values of its options, by name.
    pub options: BTreeMap<String, Setting>,
    /// Is it Standpat, whose options are known?
    pub ours: bool,
    /// The profiles that there are, beside `None`.
    pub profiles: Vec<String>,
    /// What else the roster says.
    pub engine: Engine,
}

impl Entry {
    /// An engine of the roster, with a profile if one is named.
    pub fn of(roster: &Roster, id: &str, profile: Option<&str>) -> Result<Entry, Mistake> {
        let keys = ["engines", id];
        let engine = roster.engines.get(id).ok_or_else(|| {
            let known: Vec<&str> = roster.engines.keys().map(String::as_str).collect();
            let reason = format!("there is no engine '{id}', only {}", known.join(", "));
            roster.mistake(&["engines"], reason)
        })?;
        let Some(cmd) = &engine.cmd else {
            return Err(roster.mistake(&keys, "cmd must name its program"));
        };
        let found = program::find(&roster.folder, cmd)
            .map_err(|reason| roster.mistake(&["engines", id, "cmd"], reason))?;
        let folder = match &engine.dir {
            Some(dir) => roster.absolute(dir),
            None => Path::new(&found).parent().unwrap_or(Path::new("/")).into(),
        };
        let mut entry = Entry {
            name: engine.name.clone().unwrap_or_else(|| id.to_owned()),
            program: found,
            folder: folder.to_string_lossy().into_owned(),
            options: roster.options(engine),
            ours: engine.is_ours(),
            profiles: roster.profiles.keys().cloned().collect(),
            engine: engine.clone(),
        };
        if let Some(wanted) = profile {
            entry.choose(roster, id, wanted)?;
        }
        Ok(entry)
    }

    /// Sets the option `Profile`. What the profile sets is left to it.
    fn choose(&mut self, roster: &Roster, id: &str, wanted: &str) -> Result<(), Mistake> {
        if !self.ours {
            let reason = "profiles are for Standpat alone, whose program is called standpat";
            return Err(roster.mistake(&["engines", id, "cmd"], reason));
        }
        let found = roster
            .profiles
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        let (name, profile) = found.ok_or_else(|| {
            let known = self.profiles.join(", ");
            let reason = format!("there is no profile '{wanted}', only {known}");
            roster.mistake(&["profiles"], reason)
        })?;
        self.options.retain(|option, _| {
            !profile
                .options
                .keys()
                .any(|set| set.eq_ignore_ascii_case(option))
        });
        let value = Setting::Text(name.clone());
        self.options.insert("Profile".to_owned(), value);
        self.name = format!("{} ({name})", self.name);
        Ok(())
    }

    /// The options that the roster sets, each as a JSON object with its kind, default and range
    /// where they are known. `text` is the program's word for an option of free text.
    pub fn described_options(&self, text: &str) -> Vec<Value> {
        let described = |(name, value): (&String, &Setting)| {
            let mut object = self.description(name, text);
            object.insert("value".to_owned(), plain(value));
            Value::Object(object)
        };
        self.options.iter().map(described).collect()
    }

    /// Name, kind, default and range of an option; only the name when it is not Standpat's.
    fn description(&self, name: &str, text: &str) -> Map<String, Value> {
        let mut object = Map::new();
        let row = Options::row(name).ok().filter(|_| self.ours);
        let Some(row) = row else {
            object.insert("name".to_owned(), json!(name));
            return object;
        };
        let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
        put("name", json!(row.name));
        put("type", json!(row.kind.word()));
        match row.kind {
            Kind::Check { default } => {
                put("default", json!(default));
            }
            Kind::Spin { default, min, max } => {
                put("default", json!(default));
                put("min", json!(min));
                put("max", json!(max));
            }
            Kind::Text { default } => {
                put("type", json!(text));
                put("default", json!(default));
            }
            Kind::Combo { default, choices } => {
                put("default", json!(default));
                put("choices", json!(choices));
            }
            Kind::Preset { default } => {
                let mut choices = vec![default.to_owned()];
                if row.effect == Effect::ApplyProfile {
                    choices.extend(self.profiles.iter().cloned());
                }
                put("default", json!(default));
                put("choices", json!(choices));
            }
            Kind::Button => {}
        }
        object
    }

    /// All options of Standpat, those with a value that the roster sets; nothing for others.
    pub fn all_options(&self, text: &str) -> Vec<Value> {
        let rows = Options::ROWS.iter().filter(|_| self.ours);
        let described = rows.map(|row| {
            let mut object = self.description(row.name, text);
            let set = self
                .options
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(row.name));
            if let Some((_, value)) = set {
                object.insert("value".to_owned(), plain(value));
            }
            Value::Object(object)
        });
        described.collect()
    }
}

/// A setting as JSON has it.
pub(super) fn plain(value: &Setting) -> Value {
    match value {
        Setting::Check(value) => json!(value),
        Setting::Spin(value) => json!(value),
        Setting::Text(value) => json!(value),
    }
}
