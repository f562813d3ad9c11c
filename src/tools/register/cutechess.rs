//! Cute Chess: one `engines.json` for its window and its command line runner.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::roster::Restart;

use super::Merged;
use super::entry::Entry;
use super::json::{self, Object};
use super::place::{Home, System};

/// The list's name; the command line runner prefers one in the folder where it is started.
pub(super) const FILE: &str = "engines.json";

/// Where Cute Chess looks. It keeps its settings as Qt does in INI files: on macOS as on Linux.
pub(super) fn list(home: &Home) -> Result<PathBuf, String> {
    let file = format!("cutechess/{FILE}");
    match home.system {
        System::Windows => home.in_roaming(&file),
        System::Xdg | System::Mac => home.in_xdg_config(&file),
    }
}

/// Merges an engine into the list.
pub(super) fn merge(old: Option<&str>, entry: &Entry) -> Result<Merged, String> {
    let engine = &entry.engine;
    if !engine.args.is_empty() {
        return Err("Cute Chess passes no arguments (args) to an engine".to_owned());
    }
    let mut wanted = json!({
        "name": entry.name,
        "command": entry.program,
        "workingDirectory": entry.folder,
        "protocol": engine.proto.unwrap_or_default().word(),
        "options": entry.described_options("text"),
    });
    let mut set = |key: &str, value: Value| {
        if let Value::Object(wanted) = &mut wanted {
            wanted.insert(key.to_owned(), value);
        }
    };
    if let Some(lines) = &engine.initstr {
        set("initStrings", lines.split('\n').collect());
    }
    for (key, flag) in [
        ("whitepov", engine.whitepov),
        ("ponder", engine.ponder),
        ("debug", engine.debug),
    ] {
        if flag {
            set(key, json!(true));
        }
    }
    if engine.trust {
        set("validateClaims", json!(false));
    }
    match engine.restart {
        Some(Restart::On) => set("restart", json!("on")),
        Some(Restart::Off) => set("restart", json!("off")),
        Some(Restart::Auto) | None => {}
    }
    if let Some(scale) = engine.tscale {
        set("timeoutScaleFactor", json!(scale));
    }
    if entry.ours {
        set("variants", json!(["standard", "fischerandom"]));
    }
    let object = Object {
        name_at: "/name",
        wanted,
        at_first: json!({ "stderrFile": "" }),
    };
    json::merge(old, &object)
}
