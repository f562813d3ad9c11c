//! Banksia: an `engines.json` wherever it is run.

use serde_json::json;

use crate::roster::Protocol;

use super::Merged;
use super::entry::Entry;
use super::json::{self, Object};

/// Merges an engine into the list.
pub(super) fn merge(old: Option<&str>, entry: &Entry) -> Result<Merged, String> {
    let engine = &entry.engine;
    let lines = engine.initstr.iter().flat_map(|lines| lines.split('\n'));
    let lines: Vec<&str> = lines.collect();
    let object = Object {
        name_at: "/app/name",
        wanted: json!({
            "app": {
                "name": entry.name,
                "command": entry.program,
                "working folder": entry.folder,
                "protocol": match engine.proto {
                    Some(Protocol::Xboard) => "wb",
                    Some(Protocol::Uci) | None => "uci",
                },
                "arguments": engine.args,
                "initStrings": lines,
            },
            // It asks an engine for options that the list does not describe.
            "options": if entry.ours { entry.described_options("string") } else { Vec::new() },
        }),
        at_first: json!({ "comment": "" }),
    };
    json::merge(old, &object)
}
