//! XBoard: the list of engines in its file of settings, one engine a line.
//!
//! The file is a sequence of `-option value`. The value of `-firstChessProgramNames` is the list;
//! XBoard writes it when it saves its settings, and one that stands in the user's file takes the
//! place of the one that the system's file has. Where the user's file has none, a list of ours
//! would hide the system's engines: there `-installEngine` adds to whatever list there is.
//!
//! UCI engines are run by the adapter that XBoard's settings name, usually Polyglot.

use std::ops::Range;
use std::path::PathBuf;

use crate::roster::Protocol;

use super::entry::Entry;
use super::place::{Home, System};
use super::{Change, Merged};

/// The longest line that XBoard can take out of its list, in bytes.
const LONGEST: usize = 500;

const LIST: &str = "firstChessProgramNames";
const INSTALL: &str = "installEngine";

/// Where XBoard keeps the user's settings; `None` for WinBoard, which has them wherever it was
/// installed. XBoard asks the system for the user's folder, not `HOME`: where the two differ,
/// `--into` names the file.
pub(super) fn list(home: &Home) -> Option<Result<PathBuf, String>> {
    match home.system {
        System::Windows => None,
        System::Xdg | System::Mac => Some(home.at_home(".xboardrc")),
    }
}

/// Merges an engine into the settings.
pub(super) fn merge(old: Option<&str>, entry: &Entry) -> Result<Merged, String> {
    let old = old.unwrap_or_default();
    let line = line(entry)?;
    let settings = settings(old)?;
    let found = settings.iter().rfind(|setting| setting.name == LIST);
    let (text, change) = match found {
        Some(list) => into_list(old, list, &line, &entry.name),
        None => as_install(old, &settings, &line, &entry.name),
    };
    Ok(Merged {
        text,
        entry: line,
        change,
    })
}

/// The engine's line in the list.
fn line(entry: &Entry) -> Result<String, String> {
    let engine = &entry.engine;
    let mut command = entry.program.clone();
    if command.contains(char::is_whitespace) {
        command = format!("\"{command}\"");
    }
    for arg in &engine.args {
        command = format!("{command} {arg}");
    }
    let words = [
        quoted(&entry.name)?,
        "-fcp".to_owned(),
        quoted(&command)?,
        "-fd".to_owned(),
        quoted(&entry.folder)?,
        "-fn".to_owned(),
        quoted(&entry.name)?,
    ];
    let mut line = words.join(" ");
    if engine.proto != Some(Protocol::Xboard) {
        line.push_str(" -fNoOwnBookUCI -fUCI");
    }
    let options: Vec<String> = entry
        .options
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    if let Some(option) = options.iter().find(|option| option.contains(',')) {
        return Err(format!(
            "XBoard cannot be told an option with a comma: {option}"
        ));
    }
    if !options.is_empty() {
        line = format!("{line} -firstOptions {}", quoted(&options.join(","))?);
    }
    if line.len() > LONGEST {
        return Err(format!(
            "XBoard takes lines of {LONGEST} bytes, not this one: {line}"
        ));
    }
    Ok(line)
}

/// A value in the quotes that it does not contain itself.
fn quoted(value: &str) -> Result<String, String> {
    let unsound = |c: char| c == '\\' || c == '}' || c.is_control();
    match (value.contains('"'), value.contains('\'')) {
        _ if value.contains(unsound) => Err(format!("XBoard's list has no way to say {value:?}")),
        (false, _) => Ok(format!("\"{value}\"")),
        (true, false) => Ok(format!("'{value}'")),
        (true, true) => Err(format!("XBoard's list has no way to say {value:?}")),
    }
}

/// The name by which a line of the list is known: its first word.
fn name_of(line: &str) -> &str {
    let line = line.trim();
    match line.strip_prefix('"') {
        Some(rest) => rest.split('"').next().unwrap_or_default(),
        None => line.split(char::is_whitespace).next().unwrap_or_default(),
    }
}

fn into_list(old: &str, list: &Setting, line: &str, name: &str) -> (String, Change) {
    let mut lines: Vec<&str> = list.value.split('\n').collect();
    let change = match lines.iter_mut().find(|known| name_of(known) == name) {
        Some(known) if *known == line => return (old.to_owned(), Change::Nothing),
        Some(known) => {
            *known = line;
            Change::Changed
        }
        None => {
            // Behind the last line that says anything.
            let end = lines.iter().rposition(|line| !line.trim().is_empty());
            lines.insert(end.map_or(0, |end| end + 1), line);
            Change::Added
        }
    };
    let mut value = lines.join("\n");
    if !value.ends_with('\n') {
        value.push('\n');
    }
    let mut text = old.to_owned();
    text.replace_range(list.place.clone(), &encoded(&value));
    (text, change)
}

fn as_install(old: &str, settings: &[Setting], line: &str, name: &str) -> (String, Change) {
    let known = settings
        .iter()
        .find(|setting| setting.name == INSTALL && name_of(&setting.value) == name);
    let mut text = old.to_owned();
    match known {
        Some(known) if known.value == line => (text, Change::Nothing),
        Some(known) => {
            text.replace_range(known.place.clone(), &encoded(line));
            (text, Change::Changed)
        }
        None => {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&format!("-{INSTALL} {}\n", encoded(line)));
            (text, Change::Added)
        }
    }
}

/// A value as the file has it: in braces, or where it contains one itself, in quotes.
fn encoded(value: &str) -> String {
    if value.contains('}') {
        let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    } else {
        format!("{{{value}}}")
    }
}

/// A setting that has a value.
#[derive(Debug, PartialEq, Eq)]
struct Setting {
    name: String,
    value: String,
    /// Where the value stands in the file, with its quotes.
    place: Range<usize>,
}

/// The settings of a file.
///
/// # Errors
///
/// When a quotation never ends.
fn settings(text: &str) -> Result<Vec<Setting>, String> {
    let mut reader = Reader { text, at: 0 };
    let mut settings = Vec::new();
    loop {
        reader.skip(|c| c.is_whitespace());
        let Some(first) = reader.peek() else {
            return Ok(settings);
        };
        if first == ';' {
            reader.skip(|c| c != '\n');
            continue;
        }
        let word = reader.skip(|c| !c.is_whitespace() && c != '=' && c != ':');
        let Some(name) = word.strip_prefix('-') else {
            continue;
        };
        reader.skip(|c| c == ' ' || c == '\t' || c == '=' || c == ':');
        // A switch without a value ends its line.
        if matches!(reader.peek(), None | Some('\n')) {
            continue;
        }
        let start = reader.at;
        let value = reader.value()?;
        settings.push(Setting {
            name: name.to_owned(),
            value,
            place: start..reader.at,
        });
    }
}

/// A place in a text.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Passes over characters while this holds, and gives them.
    fn skip(&mut self, holds: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !holds(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// A value: in braces as it is, in quotes with escapes, or up to the next blank.
    fn value(&mut self) -> Result<String, String> {
        let line = self.text.get(..self.at).unwrap_or_default();
        let line = line.matches('\n').count() + 1;
        let endless = move || format!("the value in line {line} never ends");
        match self.peek() {
            Some('{') => {
                self.at += 1;
                let value = self.skip(|c| c != '}');
                self.peek().ok_or_else(endless)?;
                self.at += 1;
                Ok(value.to_owned())
            }
            Some(quote @ ('"' | '\'')) => {
                self.at += 1;
                self.quotation(quote).ok_or_else(endless)
            }
            _ => Ok(self.skip(|c| !c.is_whitespace()).to_owned()),
        }
    }

    fn quotation(&mut self, quote: char) -> Option<String> {
        let mut value = String::new();
        loop {
            let c = self.peek()?;
            self.at += c.len_utf8();
            if c == quote {
                return Some(value);
            }
            if c != '\\' {
                value.push(c);
                continue;
            }
            let escaped = self.peek()?;
            self.at += escaped.len_utf8();
            value.push(match escaped {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                other => other,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "\"S\" -fcp \"/s\"";

    fn merged(old: &str) -> (String, Change) {
        let settings = settings(old).unwrap();
        match settings.iter().rfind(|setting| setting.name == LIST) {
            Some(list) => into_list(old, list, LINE, "S"),
            None => as_install(old, &settings, LINE, "S"),
        }
    }

    /// Merging twice is merging once.
    fn stable(old: &str) -> String {
        let (text, _) = merged(old);
        assert_eq!(merged(&text), (text.clone(), Change::Nothing));
        text
    }

    #[test]
    fn without_a_list_the_engine_is_added_to_the_system_s() {
        assert_eq!(stable(""), "-installEngine {\"S\" -fcp \"/s\"}\n");
        let other = "; Mine\n-autoFlag true\n-installEngine {\"T\" -fcp t}";
        assert_eq!(
            stable(other),
            format!("{other}\n-installEngine {{\"S\" -fcp \"/s\"}}\n")
        );
        let moved = "-installEngine {\"S\" -fcp \"/old\"}\n";
        assert_eq!(merged(moved).1, Change::Changed);
        assert_eq!(stable(moved), "-installEngine {\"S\" -fcp \"/s\"}\n");
    }

    #[test]
    fn the_list_of_the_file_gets_a_line() {
        let old = ";\n-x -5\n-flag\n-firstChessProgramNames {fairymax\n\"T 1\" -fcp t -fUCI\n}\n-y \"a \\\" }\"\n";
        assert_eq!(
            stable(old),
            old.replace("-fUCI\n", &format!("-fUCI\n{LINE}\n"))
        );
        let ours = old.replace("\"T 1\" -fcp t", "\"S\" -fcp /old");
        assert_eq!(stable(&ours), ours.replace("\"S\" -fcp /old -fUCI", LINE));
        // XBoard writes a list of one line in quotes.
        let quoted = "-firstChessProgramNames \"\\\"T\\\" -fcp t\"\n-z 1\n";
        assert_eq!(
            stable(quoted),
            format!("-firstChessProgramNames {{\"T\" -fcp t\n{LINE}\n}}\n-z 1\n")
        );
        let braces = "-firstChessProgramNames \"\\\"T\\\" -fcp {t}\n\"\n";
        assert_eq!(
            stable(braces),
            "-firstChessProgramNames \"\\\"T\\\" -fcp {t}\n\\\"S\\\" -fcp \\\"/s\\\"\n\"\n"
        );
        let empty = "-firstChessProgramNames {}\n";
        assert_eq!(
            stable(empty),
            format!("-firstChessProgramNames {{{LINE}\n}}\n")
        );
    }

    #[test]
    fn a_value_without_an_end_is_refused_with_its_line() {
        for broken in ["\n-a {x\n", "\n-a \"x\n", "\n-a 'x\\", "-b 1\n-a {"] {
            let reason = settings(broken).unwrap_err();
            assert_eq!(reason, "the value in line 2 never ends", "{broken}");
        }
    }
}
