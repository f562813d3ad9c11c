//! A training run on disk, from which it goes on exactly as if it had never stopped.
//!
//! The file: the magic `STPTRAIN`, a version and the length of a text (four bytes each), the text
//! (TOML: settings, progress, history), all numbers of the model (32-bit floats), and a 64-bit
//! FNV-1a hash of everything before. It is written beside the old one and then takes its place.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::model::Model;
use super::{Config, TrainError};
use crate::learning::game_file::fnv1a;

const MAGIC: &[u8; 8] = b"STPTRAIN";
const VERSION: u32 = 2;
const HEAD: usize = 16;

/// One point of the loss curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Positions trained on so far, repetitions counted.
    pub positions: u64,
    /// Mean loss of the training positions since the last point.
    pub training: f64,
    /// Mean loss of the positions held back, where it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<f64>,
}

/// How far a run has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The settings it was started with.
    pub config: Config,
    /// Tells the data it learns from, in hexadecimal digits.
    pub data: String,
    /// Batches done.
    pub step: usize,
    /// Batches of the whole run.
    pub steps: usize,
    /// Positions trained on.
    pub positions: u64,
    /// Summed loss and number of positions since the last point of the history.
    pub pending: (f64, u64),
    /// The loss curve so far.
    pub history: Vec<Point>,
}

/// Writes a checkpoint.
pub fn save(path: &Path, state: &State, model: &mut Model) -> Result<(), TrainError> {
    let fail = |error: io::Error| TrainError::Checkpoint(path.to_owned(), error.to_string());
    let text = toml::to_string(state)
        .map_err(|error| TrainError::Checkpoint(path.to_owned(), error.to_string()))?;
    let mut bytes = Vec::from(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    for part in model.numbers() {
        bytes.extend(part.into_iter().flat_map(|number| number.to_le_bytes()));
    }
    let hash = fnv1a(&bytes);
    bytes.extend_from_slice(&hash.to_le_bytes());
    replace(path, &bytes).map_err(fail)
}

/// Writes a file so that there is always either the old one or the whole new one.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    let mut file = File::create(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&new, path)
}

/// Reads a checkpoint.
pub fn load(path: &Path) -> Result<(State, Model), TrainError> {
    let fail = |why: &str| TrainError::Checkpoint(path.to_owned(), why.to_owned());
    let bytes = fs::read(path).map_err(|error| fail(&error.to_string()))?;
    let Some((body, hash)) = bytes.split_last_chunk::<8>() else {
        return Err(fail("it is too short"));
    };
    let Some((head, rest)) = body.split_first_chunk::<HEAD>() else {
        return Err(fail("it is too short"));
    };
    if &head[..8] != MAGIC || head[8..12] != VERSION.to_le_bytes() {
        return Err(fail("it is no checkpoint of this version"));
    }
    if fnv1a(body) != u64::from_le_bytes(*hash) {
        return Err(fail("it is damaged"));
    }
    let length = u32::from_le_bytes([head[12], head[13], head[14], head[15]]) as usize;
    let text = rest
        .get(..length)
        .and_then(|text| std::str::from_utf8(text).ok());
    let text = text.ok_or_else(|| fail("it is damaged"))?;
    let state: State = toml::from_str(text).map_err(|error| fail(error.message()))?;
    state.config.check()?;
    let mut model = Model::random(state.config.hidden, state.config.buckets, 0);
    let mut numbers = rest[length..].as_chunks::<4>().0.iter();
    for part in model.numbers() {
        for number in part {
            let bytes = numbers.next().ok_or_else(|| fail("numbers are missing"))?;
            *number = f32::from_le_bytes(*bytes);
        }
    }
    if numbers.next().is_some() {
        return Err(fail("it has too many numbers"));
    }
    model.round(state.config.grid(state.step, state.steps));
    Ok((state, model))
}
