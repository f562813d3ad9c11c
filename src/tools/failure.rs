//! Why a tool gave up.

use std::fmt;
use std::io;

use crate::roster::Mistake;

/// Why a tool gave up. Displays as one line.
#[derive(Debug)]
pub enum Failure {
    /// What the user asked for makes no sense: a bad FEN, an unknown name.
    BadInput(String),
    /// The work itself failed.
    Failed(String),
    /// Output could not be written. A closed pipe is the reader's way to say "enough".
    Output(io::Error),
}

impl Failure {
    /// The exit code of the process: 2 for bad input, as for bad arguments; 0 when the reader of a
    /// pipe has read enough; 1 otherwise.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::BadInput(_) => 2,
            Failure::Failed(_) => 1,
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Failure::Output(_) => 1,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::BadInput(reason) | Failure::Failed(reason) => f.write_str(reason),
            Failure::Output(error) => write!(f, "cannot write the output: {error}"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Mistake> for Failure {
    fn from(mistake: Mistake) -> Failure {
        Failure::BadInput(mistake.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}
