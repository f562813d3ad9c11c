//! En Croissant: `engines/engines.json` in its folder of data.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::base::options::{Described, Kind, Options};
use crate::roster::Protocol;

use super::Merged;
use super::entry::{Entry, plain};
use super::json::{self, Object};
use super::place::Home;

/// Settings that it wants to know of every engine.
const REQUIRED: [&str; 3] = ["MultiPV", "Threads", "Hash"];

/// Where En Croissant looks, unless its settings name another folder.
pub(super) fn list(home: &Home) -> Result<PathBuf, String> {
    home.in_data("org.encroissant.app/engines/engines.json")
}

/// Merges an engine into the list.
pub(super) fn merge(old: Option<&str>, entry: &Entry) -> Result<Merged, String> {
    let engine = &entry.engine;
    if engine.proto == Some(Protocol::Xboard) || !engine.args.is_empty() {
        return Err("En Croissant starts UCI engines only, without arguments".to_owned());
    }
    let setting = |(name, value)| json!({ "name": name, "value": plain(value) });
    let settings: Vec<Value> = entry.options.iter().map(setting).collect();
    let version = if entry.ours {
        env!("CARGO_PKG_VERSION")
    } else {
        ""
    };
    let object = Object {
        name_at: "/name",
        wanted: json!({
            "type": "local",
            "name": entry.name,
            "path": entry.program,
            "settings": settings,
        }),
        at_first: json!({
            "version": version,
            "loaded": true,
            "enabled": true,
            "settings": if entry.ours { required() } else { Vec::new() },
        }),
    };
    json::merge(old, &object)
}

fn required() -> Vec<Value> {
    let default = |name: &&str| match Options::row(name).ok()?.kind {
        Kind::Spin { default, .. } => Some(json!({ "name": name, "value": default })),
        _ => None,
    };
    REQUIRED.iter().filter_map(default).collect()
}
