//! Merging into a list of JSON objects. The bytes of all other entries stay what they are, and of
//! our own entry all keys that we do not set.

use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Change, Merged};

/// What to merge.
pub(super) struct Object<'a> {
    /// Where an entry has its name, as a JSON pointer.
    pub name_at: &'a str,
    /// What the entry has to say.
    pub wanted: Value,
    /// What it says besides when it is new.
    pub at_first: Value,
}

/// Merges an object into the text of a list.
///
/// # Errors
///
/// When the text is no list.
pub(super) fn merge(old: Option<&str>, object: &Object<'_>) -> Result<Merged, String> {
    let old = old.filter(|text| !text.trim().is_empty()).unwrap_or("[]\n");
    let items = items(old)?;
    let name = object.wanted.pointer(object.name_at);
    for range in &items {
        let Ok(value) = serde_json::from_str::<Value>(part(old, range)) else {
            continue;
        };
        if name.is_none() || value.pointer(object.name_at) != name {
            continue;
        }
        let mut renewed = value.clone();
        lay_over(&mut renewed, &object.wanted);
        let indent = indent_of(old, range.start);
        let same = renewed == value;
        return Ok(Merged {
            text: match same {
                true => old.to_owned(),
                false => spliced(old, range.clone(), &pretty(&renewed, &indent)?),
            },
            entry: pretty(&renewed, "")?,
            change: if same {
                Change::Nothing
            } else {
                Change::Changed
            },
        });
    }
    let mut fresh = object.at_first.clone();
    lay_over(&mut fresh, &object.wanted);
    append(old, &items, &fresh)
}

/// Adds an entry behind the last one.
fn append(old: &str, items: &[Range<usize>], fresh: &Value) -> Result<Merged, String> {
    let (at, before, after, indent) = match items.last() {
        Some(last) => {
            let indent = indent_of(old, last.start);
            let before = format!(",\n{indent}");
            (last.end..last.end, before, "", indent)
        }
        None => {
            let open = old.find('[').map_or(0, |at| at + 1);
            let close = old.rfind(']').unwrap_or(open);
            let indent = "    ".to_owned();
            (open..close, format!("\n{indent}"), "\n", indent)
        }
    };
    let inserted = format!("{before}{}{after}", pretty(fresh, &indent)?);
    Ok(Merged {
        text: spliced(old, at, &inserted),
        entry: pretty(fresh, "")?,
        change: Change::Added,
    })
}

/// Where the entries of a list stand in its text.
fn items(text: &str) -> Result<Vec<Range<usize>>, String> {
    let list: Vec<&RawValue> =
        serde_json::from_str(text).map_err(|error| format!("it is no list in JSON: {error}"))?;
    let start = text.as_ptr() as usize;
    let range = |item: &&RawValue| {
        let from = item.get().as_ptr() as usize - start;
        from..from + item.get().len()
    };
    Ok(list.iter().map(range).collect())
}

fn part<'a>(text: &'a str, range: &Range<usize>) -> &'a str {
    text.get(range.clone()).unwrap_or_default()
}

fn spliced(text: &str, range: Range<usize>, inserted: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(range, inserted);
    text
}

/// The blanks between the start of the line and this byte; nothing when more stands there.
fn indent_of(text: &str, at: usize) -> String {
    let before = part(text, &(0..at));
    let line = before.rsplit('\n').next().unwrap_or_default();
    let blank = line.chars().all(|c| c == ' ' || c == '\t');
    if blank {
        line.to_owned()
    } else {
        String::new()
    }
}

/// An entry in the list's own style: each level is indented as far as the entry is.
fn pretty(value: &Value, indent: &str) -> Result<String, String> {
    let step = if indent.is_empty() { "    " } else { indent };
    let formatter = serde_json::ser::PrettyFormatter::with_indent(step.as_bytes());
    let mut bytes = Vec::new();
    let mut writer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    serde::Serialize::serialize(value, &mut writer).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
    Ok(text.replace('\n', &format!("\n{indent}")))
}

/// Sets in `under` what `over` says and leaves all else. Lists of named objects are laid over each
/// other by their names; any other list is replaced.
fn lay_over(under: &mut Value, over: &Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                match under.get_mut(key) {
                    Some(old) => lay_over(old, value),
                    None => drop(under.insert(key.clone(), value.clone())),
                }
            }
        }
        (Value::Array(under), Value::Array(over)) if over.iter().all(is_named) => {
            for value in over {
                match under
                    .iter_mut()
                    .find(|old| old.get("name") == value.get("name"))
                {
                    Some(old) => lay_over(old, value),
                    None => under.push(value.clone()),
                }
            }
        }
        (under, over) => under.clone_from(over),
    }
}

fn is_named(value: &Value) -> bool {
    value.get("name").is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(wanted: Value) -> Object<'static> {
        Object {
            name_at: "/name",
            wanted,
            at_first: json!({ "level": 20, "options": [{ "name": "MultiPV", "value": 1 }] }),
        }
    }

    fn ours() -> Object<'static> {
        object(json!({ "name": "S", "cmd": "/s", "options": [{ "name": "Hash", "value": 16 }] }))
    }

    #[test]
    fn a_list_begins_with_our_entry() {
        for old in [None, Some(""), Some(" \n"), Some("[]\n"), Some("[\n]\n")] {
            let merged = merge(old, &ours()).unwrap();
            assert_eq!(merged.change, Change::Added);
            assert_eq!(
                serde_json::from_str::<Value>(&merged.text).unwrap(),
                json!([{ "cmd": "/s", "level": 20, "name": "S",
                         "options": [{ "name": "MultiPV", "value": 1 },
                                     { "name": "Hash", "value": 16 }] }])
            );
            let again = merge(Some(&merged.text), &ours()).unwrap();
            assert_eq!((again.change, again.text), (Change::Nothing, merged.text));
        }
    }

    #[test]
    fn every_byte_of_other_entries_stays() {
        let others = "[\n\t{\n\t\t\"name\" : \"A\", \"odd\":1.50e+2 ,\n\t\t\"list\": [ ]\n\t},\n\tnull, \"x\"\n]\n";
        let merged = merge(Some(others), &ours()).unwrap();
        let (head, tail) = others.split_at(others.len() - "\n]\n".len());
        assert!(merged.text.starts_with(head) && merged.text.ends_with(tail));
        assert!(merged.text.contains(",\n{\n"), "{}", merged.text);
        let again = merge(Some(&merged.text), &ours()).unwrap();
        assert_eq!(again.change, Change::Nothing);
    }

    #[test]
    fn our_entry_keeps_what_we_do_not_set() {
        let old = "[\n \n {\"name\": \"S\", \"cmd\": \"/old\", \"level\": 3, \"options\": [{\"name\": \"Contempt\", \"value\": 5}, {\"name\": \"Hash\", \"value\": 1, \"max\": 9}]},\n {\"name\": \"T\"}\n]";
        let merged = merge(Some(old), &ours()).unwrap();
        assert_eq!(merged.change, Change::Changed);
        assert!(
            merged.text.ends_with("},\n {\"name\": \"T\"}\n]"),
            "{}",
            merged.text
        );
        assert_eq!(
            serde_json::from_str::<Value>(&merged.text).unwrap()[0],
            json!({ "name": "S", "cmd": "/s", "level": 3,
                    "options": [{ "name": "Contempt", "value": 5 },
                                { "name": "Hash", "value": 16, "max": 9 }] })
        );
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for broken in ["{}", "[", "[{]", "[1,]", "[] []", "nonsense"] {
            let reason = merge(Some(broken), &ours()).unwrap_err();
            assert!(reason.starts_with("it is no list in JSON: "), "{reason}");
            assert!(!reason.contains('\n'));
        }
    }
}
