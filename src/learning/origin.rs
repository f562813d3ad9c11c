//! A note beside each file of games: how it was made. Without it a run could be resumed with other
//! settings, and nobody could repeat it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::eval::network::Network;

use super::failure::LearnError;
use super::selfplay::Settings;

/// How a file of games was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The hash of the network's file, in hexadecimal.
    pub network: String,
    /// Hidden neurons of that network, of one perspective.
    pub hidden: usize,
    /// How its games were played.
    pub settings: Settings,
}

impl Origin {
    /// The origin of games played with these settings by this network.
    pub fn new(settings: &Settings, network: &Network) -> Origin {
        Origin {
            network: fingerprint(network),
            hidden: network.hidden(),
            settings: *settings,
        }
    }

    /// Makes sure that the games at `path` are of this origin: writes the note if the file is
    /// `fresh`, compares with the note that is there if not.
    pub fn claim(&self, path: &Path, fresh: bool) -> Result<(), LearnError> {
        let note = note_path(path);
        if fresh {
            let text = toml::to_string(self).map_err(|error| LearnError::content(&note, error))?;
            return write_whole(&note, text.as_bytes());
        }
        let text = fs::read_to_string(&note).map_err(LearnError::file(&note))?;
        let there: Origin =
            toml::from_str(&text).map_err(|error| LearnError::content(&note, error.message()))?;
        if there == *self {
            Ok(())
        } else {
            let why = "the games were played by another network or with other settings (see the \
                       .toml file beside them); choose another file";
            Err(LearnError::content(path, why))
        }
    }
}

/// The hash that ends the network's file, in hexadecimal: names the network exactly.
pub fn fingerprint(network: &Network) -> String {
    let bytes = network.write();
    let tail = bytes.last_chunk::<8>().copied().unwrap_or_default();
    format!("{:016x}", u64::from_le_bytes(tail))
}

/// Where the note about a file of games stands: `x.games` has `x.games.toml`.
fn note_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".toml");
    name.into()
}

/// Writes a file so that it is there whole or not at all, whenever the machine stops.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), LearnError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let write = || {
        let mut file = fs::File::create(&new)?;
        std::io::Write::write_all(&mut file, bytes)?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    write().map_err(LearnError::file(path))
}
