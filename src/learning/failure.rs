//! What can go wrong while learning, in one line for the user.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::search::table::TableError;

use super::games::GameError;

/// Why learning stopped.
#[derive(Debug)]
pub enum LearnError {
    /// A file could not be read or written.
    File(PathBuf, io::Error),
    /// A file of games is unusable.
    Games(PathBuf, GameError),
    /// A file does not say what it should: the reason.
    Content(PathBuf, String),
    /// No memory for a player's table.
    Table(TableError),
    /// A thread could not be started.
    Thread(io::Error),
    /// A thread of players died; the cause is in the log.
    Player,
    /// The trainer gave up: the reason.
    Training(String),
}

impl LearnError {
    /// For `map_err`: an input/output error of this file.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> LearnError + use<> {
        let path = path.to_owned();
        move |error| LearnError::File(path, error)
    }

    /// For `map_err`: an error of this file of games.
    pub fn games(path: &Path) -> impl FnOnce(GameError) -> LearnError + use<> {
        let path = path.to_owned();
        move |error| LearnError::Games(path, error)
    }

    /// This file does not say what it should.
    pub fn content(path: &Path, why: impl fmt::Display) -> LearnError {
        LearnError::Content(path.to_owned(), why.to_string())
    }
}

impl fmt::Display for LearnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LearnError::File(path, error) => write!(f, "{}: {error}", path.display()),
            LearnError::Games(path, error) => write!(f, "{}: {error}", path.display()),
            LearnError::Content(path, why) => write!(f, "{}: {why}", path.display()),
            LearnError::Table(error) => write!(f, "{error}"),
            LearnError::Thread(error) => write!(f, "no thread could be started: {error}"),
            LearnError::Player => f.write_str("a thread of players died"),
            LearnError::Training(why) => write!(f, "training: {why}"),
        }
    }
}

impl std::error::Error for LearnError {}

impl From<TableError> for LearnError {
    fn from(error: TableError) -> LearnError {
        LearnError::Table(error)
    }
}
