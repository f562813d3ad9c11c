//! Dialogues with the real binary over pipes: one test per case of `tests/data/dialogues.toml`.
//!
//! `cargo test --test uci` runs them with generous times. `cargo test --test uci -- --ignored`
//! adds the long ones and takes all times literally (best on an idle machine, with
//! `--test-threads 1`); a strict case may fail twice and must then succeed. A name or a part of
//! one selects: `cargo test --test uci -- T05`.

#[path = "../common/mod.rs"]
mod common;

mod coded;
mod ids;
mod script;

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;

use script::Timing;

/// The file of dialogues.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dialogues {
    case: Vec<Case>,
    left_out: Vec<LeftOut>,
}

/// One case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    severity: char,
    title: String,
    #[serde(default)]
    ignored: bool,
    script: Option<String>,
    code: Option<String>,
    elsewhere: Option<String>,
}

/// A case that is not tested.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LeftOut {
    id: String,
    severity: char,
    reason: String,
}

fn main() {
    let arguments = Arguments::from_args();
    let dialogues: Dialogues =
        toml::from_str(&common::data("dialogues.toml")).expect("dialogues.toml is well formed");
    let mut trials = Vec::new();
    for case in &dialogues.case {
        let title = format!("{} {}", case.id, case.title);
        if let Some(text) = &case.script {
            let (id, body) = (case.id.clone(), text.clone());
            let run = move || failed(script::run(&id, &body, Timing::Generous));
            trials.push(Trial::test(title.clone(), run).with_ignored_flag(case.ignored));
            if text.contains(" within ") {
                let (id, body) = (case.id.clone(), text.clone());
                let run = move || failed(thrice(|| script::run(&id, &body, Timing::Strict)));
                trials.push(Trial::test(format!("{title} (strict)"), run).with_ignored_flag(true));
            }
        } else if let Some(name) = case.code.clone() {
            let run = move || failed(coded::run(&name));
            trials.push(Trial::test(title, run).with_ignored_flag(case.ignored));
        }
    }
    trials.push(Trial::test(
        "every case is covered or left out for a reason",
        move || failed(ids::check(&dialogues)),
    ));
    libtest_mimic::run(&arguments, trials).exit();
}

fn failed(outcome: Result<(), String>) -> Result<(), Failed> {
    outcome.map_err(Failed::from)
}

/// The machine may hiccup: what fails on its account succeeds the next time.
fn thrice(attempt: impl Fn() -> Result<(), String>) -> Result<(), String> {
    attempt().or_else(|_| attempt()).or_else(|_| attempt())
}
