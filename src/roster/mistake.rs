//! What is wrong with a roster: one line with the file, the line, the key and what is allowed.

use std::fmt;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Something is wrong with a file. Displays as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    file: PathBuf,
    /// From 1.
    line: Option<usize>,
    /// The key in question, with the tables it stands in; empty when it is the whole file.
    key: String,
    reason: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for Mistake {}

impl Mistake {
    /// The file as a whole cannot be used.
    pub(super) fn of_file(file: &Path, reason: String) -> Mistake {
        Mistake {
            file: file.to_path_buf(),
            line: None,
            key: String::new(),
            reason,
        }
    }

    /// The text is no TOML, or not of the right shape.
    pub(super) fn of_text(file: &Path, text: &str, error: &toml::de::Error) -> Mistake {
        let start = error.span().map(|span| span.start);
        let keys = start
            .and_then(|start| keys_at(text, start))
            .unwrap_or_default();
        Mistake {
            file: file.to_path_buf(),
            line: start.map(|start| line_of(text, start)),
            key: dotted(&keys),
            reason: plainly(error.message()),
        }
    }

    /// The text has the right shape, but something in it makes no sense.
    pub(super) fn of_content(file: &Path, text: &str, wrong: Wrong) -> Mistake {
        Mistake {
            file: file.to_path_buf(),
            line: start_of(text, &wrong.keys).map(|start| line_of(text, start)),
            key: dotted(&wrong.keys),
            reason: wrong.reason,
        }
    }
}

/// A mistake on its way up from the value to the file: each table adds its own name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    keys: Vec<String>,
    reason: String,
}

impl Wrong {
    /// At the end of this way of keys.
    pub fn new(keys: &[&str], reason: impl Into<String>) -> Wrong {
        Wrong {
            keys: keys.iter().map(|&key| key.to_owned()).collect(),
            reason: reason.into(),
        }
    }

    /// The table itself.
    pub fn here(reason: impl Into<String>) -> Wrong {
        Wrong::new(&[], reason)
    }

    /// A value of the table.
    pub fn at(key: &str, reason: impl Into<String>) -> Wrong {
        Wrong::new(&[key], reason)
    }

    /// The same, seen from the table around it.
    pub fn within(mut self, key: &str) -> Wrong {
        self.keys.insert(0, key.to_owned());
        self
    }
}

/// The number of the line, from 1, in which this byte stands.
fn line_of(text: &str, byte: usize) -> usize {
    let before = text.bytes().take(byte);
    before.filter(|&byte| byte == b'\n').count() + 1
}

/// A way of keys as TOML writes it.
fn dotted(keys: &[String]) -> String {
    let plain = |key: &str| {
        !key.is_empty()
            && key
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    let words: Vec<String> = keys
        .iter()
        .map(|key| {
            if plain(key) {
                key.clone()
            } else {
                format!("{key:?}")
            }
        })
        .collect();
    words.join(".")
}

/// Where the last key of the way that is there begins.
fn start_of(text: &str, keys: &[String]) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let mut table = root.get_ref();
    let mut start = None;
    for key in keys {
        let Some((name, value)) = table.iter().find(|(name, _)| name.get_ref() == key) else {
            break;
        };
        start = Some(name.span().start);
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    start
}

/// The way to the smallest key or value in which this byte stands.
fn keys_at(text: &str, byte: usize) -> Option<Vec<String>> {
    let (root, _) = DeTable::parse_recoverable(text);
    let mut best = None;
    search(root.get_ref(), byte, &mut Vec::new(), &mut best);
    best.map(|(_, keys)| keys)
}

type Smallest = Option<(usize, Vec<String>)>;

fn search(table: &DeTable<'_>, byte: usize, way: &mut Vec<String>, best: &mut Smallest) {
    for (name, value) in table {
        way.push(name.get_ref().to_string());
        for span in [name.span(), value.span()] {
            let is_smaller = best.as_ref().is_none_or(|(size, _)| span.len() < *size);
            if span.contains(&byte) && is_smaller {
                *best = Some((span.len(), way.clone()));
            }
        }
        if let DeValue::Table(inner) = Spanned::get_ref(value) {
            search(inner, byte, way, best);
        }
        way.pop();
    }
}

/// The reader's complaint in one line, with names of types that a person knows.
fn plainly(message: &str) -> String {
    let words: Vec<&str> = message.split_whitespace().collect();
    let mut text = words.join(" ");
    for (type_name, plain) in [
        ("expected u32", "expected a whole number"),
        ("expected u64", "expected a whole number"),
        ("expected i64", "expected a whole number"),
        ("expected f64", "expected a number"),
        ("expected a boolean", "expected true or false"),
        ("expected a sequence", "expected a list in [ ]"),
        ("expected a map", "expected a table"),
        ("expected path string", "expected a path in quotes"),
        ("expected a string", "expected text in quotes"),
    ] {
        text = text.replace(type_name, plain);
    }
    match text.split_once("expected struct ") {
        Some((before, _)) => format!("{before}expected a table"),
        None => text,
    }
}
