//! What to do by hand, for programs whose list no other program should write.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;

use crate::base::text::shell_word;
use crate::tools::Failure;

use super::Program;
use super::entry::{Entry, plain};

/// The instructions for a program without a list that can be merged.
pub(super) fn text(program: Program, entries: &[Entry]) -> Result<String, Failure> {
    let mut text = String::new();
    for entry in entries {
        // Writing to a string cannot fail.
        let written = match program {
            Program::Fastchess => fastchess(entry, &mut text),
            Program::LichessBot => lichess_bot(entry, &mut text),
            _ => arena(entry, &mut text),
        };
        written.map_err(|error| Failure::Failed(error.to_string()))?;
    }
    text.push_str(match program {
        Program::Fastchess => {
            "Fastchess keeps no list of engines: these words go on its command line, as `standpat \
             tournament --runner fastchess` puts them there.\n"
        }
        Program::LichessBot => {
            "This belongs in config.yml, which lies wherever lichess-bot was cloned and holds \
             comments and a token that no other program should write over: copy it there by hand, \
             over the same keys.\n"
        }
        _ => "Arena keeps its list in its own window: nothing can be written for it.\n",
    });
    Ok(text)
}

fn fastchess(entry: &Entry, text: &mut String) -> std::fmt::Result {
    let mut words = vec![
        format!("name={}", entry.name),
        format!("cmd={}", entry.program),
        format!("dir={}", entry.folder),
    ];
    if !entry.engine.args.is_empty() {
        words.push(format!("args={}", entry.engine.args.join(" ")));
    }
    words.push("proto=uci".to_owned());
    let options = entry.options.iter();
    words.extend(options.map(|(name, value)| format!("option.{name}={value}")));
    let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
    writeln!(text, "-engine {}", words.join(" "))
}

fn lichess_bot(entry: &Entry, text: &mut String) -> std::fmt::Result {
    let protocol = entry.engine.proto.unwrap_or_default().word();
    writeln!(text, "engine:")?;
    let program = Path::new(&entry.program);
    let part = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    // A string of JSON is one of YAML, too.
    for (key, value) in [
        ("dir", part(program.parent().map(Path::as_os_str))),
        ("name", part(program.file_name())),
        ("working_dir", entry.folder.clone()),
        ("protocol", protocol.to_owned()),
    ] {
        writeln!(text, "  {key}: {}", serde_json::json!(value))?;
    }
    writeln!(text, "  {protocol}_options:")?;
    for (name, value) in &entry.options {
        writeln!(text, "    {}: {}", serde_json::json!(name), plain(value))?;
    }
    Ok(())
}

fn arena(entry: &Entry, text: &mut String) -> std::fmt::Result {
    let Entry { name, program, .. } = entry;
    writeln!(text, "{name}")?;
    writeln!(text, "  1. Engines → Install New Engine…: choose {program}")?;
    writeln!(text, "  2. as its type choose UCI")?;
    writeln!(
        text,
        "  3. Engines → Manage…, page Details: give it the name {name}"
    )?;
    if !entry.engine.args.is_empty() {
        let args = entry.engine.args.join(" ");
        writeln!(text, "     and the command line parameters {args}")?;
    }
    if !entry.options.is_empty() {
        writeln!(text, "  4. Engines → Engine 1 → Configure…: set")?;
    }
    for (option, value) in &entry.options {
        writeln!(text, "       {option} = {value}")?;
    }
    Ok(())
}
