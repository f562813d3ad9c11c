//! PyChess: `engines.json` in its folder of settings.

use std::path::PathBuf;

use md5::{Digest, Md5};
use serde_json::json;

use super::Merged;
use super::entry::Entry;
use super::json::{self, Object};
use super::place::Home;

/// Where PyChess looks, on every system.
pub(super) fn list(home: &Home) -> Result<PathBuf, String> {
    home.in_xdg_config("pychess/engines.json")
}

/// Merges an engine into the list.
///
/// PyChess asks an engine for its options when the program's MD5 sum is not the one in the list,
/// and forgets what the list says of them. So with the options goes the sum. Of other engines than
/// ours only PyChess knows the options: it has to ask.
pub(super) fn merge(old: Option<&str>, entry: &Entry) -> Result<Merged, String> {
    let engine = &entry.engine;
    let mut wanted = json!({
        "name": entry.name,
        "command": entry.program,
        "workingDirectory": entry.folder,
        "protocol": engine.proto.unwrap_or_default().word(),
        "args": engine.args,
        "recheck": !entry.ours,
    });
    if entry.ours
        && let Some(wanted) = wanted.as_object_mut()
    {
        let program = std::fs::read(&entry.program)
            .map_err(|error| format!("{} cannot be read: {error}", entry.program))?;
        let sum = Md5::digest(&program);
        let digits: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        wanted.insert("md5".to_owned(), json!(digits));
        wanted.insert("options".to_owned(), entry.all_options("string").into());
    }
    let object = Object {
        name_at: "/name",
        wanted,
        at_first: json!({ "country": "unknown", "comment": "", "level": 20 }),
    };
    json::merge(old, &object)
}
