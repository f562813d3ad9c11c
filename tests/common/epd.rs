//! EPD lines: a position and its operations.

use shakmaty::fen::Epd;
use shakmaty::{CastlingMode, Chess};

/// One line of an EPD file.
#[derive(Clone, Debug)]
pub struct Record {
    /// The position's four fields.
    pub position: String,
    operations: Vec<(String, String)>,
}

impl Record {
    /// Reads a line; `None` for a blank one or a remark.
    pub fn parse(line: &str) -> Option<Record> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let mut words = line.split_whitespace();
        let position: Vec<&str> = words.by_ref().take(4).collect();
        let rest: Vec<&str> = words.collect();
        let operations = rest
            .join(" ")
            .split(';')
            .filter_map(|part| {
                let (name, value) = part.trim().split_once(' ')?;
                Some((name.to_owned(), value.trim().trim_matches('"').to_owned()))
            })
            .collect();
        Some(Record {
            position: position.join(" "),
            operations,
        })
    }

    /// A full FEN, with fresh counters.
    pub fn fen(&self) -> String {
        format!("{} 0 1", self.position)
    }

    /// The value of an operation.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.operations
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// The record's name.
    pub fn id(&self) -> &str {
        self.get("id").unwrap_or(&self.position)
    }

    /// The best moves in UCI's form (our files keep them in `c9`, those to avoid in `c1`).
    pub fn best(&self) -> Vec<String> {
        self.get("c9")
            .unwrap_or_default()
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    }

    /// Moves to mate.
    pub fn mate(&self) -> Option<i32> {
        self.get("dm")?.parse().ok()
    }

    /// The position.
    pub fn chess(&self) -> Chess {
        let epd: Epd = self
            .position
            .parse()
            .expect("the files hold valid positions");
        epd.into_position(CastlingMode::Chess960)
            .expect("the files hold legal positions")
    }
}

/// All records of a file in `tests/data`.
pub fn read(name: &str) -> Vec<Record> {
    super::data(name)
        .lines()
        .filter_map(Record::parse)
        .collect()
}

/// About `count` records of a file, spread evenly over it.
pub fn sample(name: &str, count: usize) -> Vec<Record> {
    let records = read(name);
    let step = records.len().div_ceil(count.max(1)).max(1);
    records.into_iter().step_by(step).collect()
}
