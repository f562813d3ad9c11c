//! The house keeps its shape: imports only go down, functions stay short, nothing below the user
//! interface prints, and `unsafe` stays in its two rooms.
//!
//! A small reader of Rust source blanks comments and literals, and finds brackets; that is enough
//! for all of these rules and needs no compiler.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of `src`, and the floor each stands on.
const FLOORS: [(&str, u32); 9] = [
    ("base", 0),
    ("board", 1),
    ("roster", 1),
    ("eval", 2),
    ("search", 3),
    ("engine", 4),
    ("learning", 4),
    ("uci", 5),
    ("tools", 5),
];

/// `cli.rs`, `main.rs` and `lib.rs`: they may use everything.
const ROOF: u32 = 6;

/// Lines of the longest function, signature and braces included.
const LONGEST: usize = 120;

/// The one exception: the recursion of the search.
const LONGEST_ALPHA_BETA: usize = 200;

/// Where `unsafe` is at home: vector kernels, and the shared table.
const UNSAFE_ROOMS: [&str; 3] = ["eval/kernels", "search/table", "learning/trainer/kernels"];

/// What writes to the process's standard streams.
const PRINTING: [&str; 5] = ["print!", "println!", "eprint!", "eprintln!", "dbg!"];

/// The highest floor that never prints.
const SILENT: u32 = 4;

/// One file of `src`.
struct Source {
    /// Relative to `src`, with `/`.
    path: String,
    /// The first sentence of the file's documentation.
    job: String,
    /// The text with comments and literals blanked; lines as in the file.
    code: String,
}

impl Source {
    fn folder(&self) -> &str {
        self.path.split_once('/').map_or("", |(folder, _)| folder)
    }

    fn floor(&self) -> u32 {
        floor_of(self.folder()).unwrap_or(ROOF)
    }

    /// `path:line`, for a message.
    fn at(&self, offset: usize) -> String {
        let line = self.code[..offset].matches('\n').count() + 1;
        format!("src/{}:{line}", self.path)
    }
}

fn floor_of(folder: &str) -> Option<u32> {
    FLOORS
        .iter()
        .find(|(name, _)| *name == folder)
        .map(|&(_, floor)| floor)
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    paths.sort();
    let read = |path: &PathBuf| {
        let relative = path.strip_prefix(&root).expect("below src");
        let path_text = relative.to_str().expect("a plain name").replace('\\', "/");
        let text = fs::read_to_string(path).expect("readable");
        Source {
            path: path_text,
            job: first_sentence(&text),
            code: blank(&text),
        }
    };
    paths.iter().map(read).collect()
}

/// The first sentence of a file's documentation, without the floor that a folder names.
fn first_sentence(text: &str) -> String {
    let paragraph: Vec<&str> = text
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let paragraph = paragraph.join(" ");
    let sentence = paragraph
        .split_once(". ")
        .map_or(&*paragraph, |(first, _)| first);
    let sentence = sentence.trim_end_matches(['.', ':']);
    match sentence
        .strip_prefix("Floor ")
        .and_then(|rest| rest.split_once(": "))
    {
        Some((_, job)) => job.to_string(),
        None => sentence.to_string(),
    }
}

/// The map of the house as a table of the crate's documentation.
fn map() -> String {
    let mut sources = sources();
    sources.retain(|source| source.path != "lib.rs");
    // A folder's own file stands before the others of the folder.
    let place = |source: &Source| {
        (
            source.floor(),
            source.folder().to_string(),
            source.path.replace("mod.rs", ""),
        )
    };
    sources.sort_by_key(place);
    let mut text = String::from("//! | floor | file | its job |\n//! |---|---|---|\n");
    for source in &sources {
        let path = source.path.trim_end_matches("mod.rs");
        let job = source.job.chars().take(1).flat_map(char::to_uppercase);
        let job: String = job.chain(source.job.chars().skip(1)).collect();
        text += &format!("//! | {} | `{path}` | {job} |\n", source.floor());
    }
    text
}

/// Replaces comments and the contents of string and character literals by spaces.
fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let end = skipped_end(bytes, at);
        if end == at {
            code.push(bytes[at]);
            at += 1;
        } else {
            code.extend(
                bytes[at..end]
                    .iter()
                    .map(|&b| if b == b'\n' { b } else { b' ' }),
            );
            at = end;
        }
    }
    String::from_utf8(code).expect("only whole literals are blanked")
}

/// The end of the comment or literal that starts at `at`; `at` itself when none does.
fn skipped_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    if rest.starts_with(b"//") {
        return at + rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    }
    if rest.starts_with(b"/*") {
        return at + block_comment(rest);
    }
    let after_word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
    if !after_word && (rest[0] == b'r' || rest.starts_with(b"br")) {
        let start = if rest[0] == b'b' { 2 } else { 1 };
        let hashes = rest[start..].iter().take_while(|&&b| b == b'#').count();
        if rest.get(start + hashes) == Some(&b'"') {
            let close: Vec<u8> = [b'"']
                .into_iter()
                .chain(std::iter::repeat_n(b'#', hashes))
                .collect();
            let body = start + hashes + 1;
            let length = rest[body..]
                .windows(close.len())
                .position(|window| window == close);
            return at + length.map_or(rest.len(), |length| body + length + close.len());
        }
    }
    match rest[0] {
        b'"' => at + quoted(rest, b'"'),
        b'\'' => at + character(rest),
        _ => at,
    }
}

/// Length of a block comment, which may contain others.
fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// Length of a literal up to its closing quote, escapes respected.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// Length of a character literal; 0 for a lifetime.
fn character(rest: &[u8]) -> usize {
    match rest.get(1) {
        Some(b'\\') => quoted(rest, b'\''),
        Some(&first) => {
            let width = match first {
                0..0x80 => 1,
                0x80..0xe0 => 2,
                0xe0..0xf0 => 3,
                _ => 4,
            };
            if rest.get(1 + width) == Some(&b'\'') {
                width + 2
            } else {
                0
            }
        }
        None => 0,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Offsets at which `word` stands as a word of its own.
fn words(code: &str, word: &str) -> Vec<usize> {
    let bytes = code.as_bytes();
    code.match_indices(word)
        .map(|(at, _)| at)
        .filter(|&at| {
            let before = at == 0 || !is_word(bytes[at - 1]);
            let ends_in_word = word.as_bytes().last().copied().is_some_and(is_word);
            let after = bytes
                .get(at + word.len())
                .is_none_or(|&b| !ends_in_word || !is_word(b));
            before && after
        })
        .collect()
}

/// The offset just behind the bracket that closes the one at `open`.
fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// The text with every `#[cfg(test)] mod … { … }` blanked.
fn without_tests(code: &str) -> String {
    let mut result = code.to_string();
    let mut from = 0;
    while let Some(found) = result[from..].find("#[cfg(test)]") {
        let start = from + found;
        let open = result[start..]
            .find(['{', ';'])
            .map_or(result.len(), |at| start + at);
        let is_module = words(&result[start..open], "mod").len() == 1;
        from = if is_module && result[open..].starts_with('{') {
            let end = closing(&result, open);
            let blank: String = result[start..end]
                .chars()
                .map(|c| if c == '\n' { c } else { ' ' })
                .collect();
            result.replace_range(start..end, &blank);
            end.min(result.len())
        } else {
            open
        };
    }
    result
}

/// The first two path segments behind each `crate::`, groups in braces spelt out, with offsets.
fn crate_paths(code: &str) -> Vec<(usize, String, Option<String>)> {
    let mut found = Vec::new();
    for at in words(code, "crate::") {
        for path in expand(&code[at + "crate::".len()..]) {
            let mut segments = path.split("::").map(str::to_string);
            if let Some(first) = segments.next() {
                found.push((at, first, segments.next()));
            }
        }
    }
    found
}

/// `a::{b, c::d}` → `a::b`, `a::c::d`: the paths that start at the beginning of `text`.
fn expand(text: &str) -> Vec<String> {
    let text = text.trim_start();
    if text.starts_with('{') {
        let inner = &text[1..closing(text, 0) - 1];
        return split_group(inner).into_iter().flat_map(expand).collect();
    }
    let end = text.bytes().position(|b| !is_word(b)).unwrap_or(text.len());
    let (first, rest) = text.split_at(end);
    match rest.strip_prefix("::") {
        Some(rest) if !first.is_empty() => {
            let tails = expand(rest);
            if tails.is_empty() {
                return vec![first.to_string()];
            }
            tails
                .into_iter()
                .map(|tail| format!("{first}::{tail}"))
                .collect()
        }
        _ if first.is_empty() => Vec::new(),
        _ => vec![first.to_string()],
    }
}

/// Splits at the commas outside brackets.
fn split_group(inner: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    parts
}

/// May this file use `crate::first::second`?
fn may_use(source: &Source, first: &str, second: Option<&str>) -> bool {
    let Some(floor) = floor_of(first) else {
        // Not a folder: an item of the crate's root, which only the roof uses.
        return source.floor() == ROOF;
    };
    if source.folder() != first {
        return floor < source.floor();
    }
    // Siblings may use each other, except the tools.
    first != "tools" || second.is_none_or(|second| may_use_tool(source, second))
}

/// Tools share only their failure; each is closed to the others.
fn may_use_tool(source: &Source, second: &str) -> bool {
    let own = source
        .path
        .split('/')
        .nth(1)
        .unwrap_or_default()
        .trim_end_matches(".rs");
    ["Failure", "failure", own].contains(&second) || own == "mod"
}

/// Every function: its name, where it starts, and how many lines it has.
fn functions(code: &str) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    for at in words(code, "fn") {
        let rest = code[at + 2..].trim_start();
        let name: String = rest
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        if name.is_empty() {
            continue; // a function pointer type
        }
        if let Some(open) = body(code, at) {
            let lines = code[at..closing(code, open)].matches('\n').count() + 1;
            found.push((name, at, lines));
        }
    }
    found
}

/// Where the body of the function at `at` opens; `None` for a declaration.
fn body(code: &str, at: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(at) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'{' if depth == 0 => return Some(at),
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

fn report(rule: &str, mistakes: &[String]) {
    assert!(mistakes.is_empty(), "{rule}:\n  {}", mistakes.join("\n  "));
}

#[test]
fn every_folder_has_a_floor() {
    let unknown = |source: &Source| {
        let folder = source.folder();
        !folder.is_empty() && floor_of(folder).is_none()
    };
    let homeless: Vec<_> = sources()
        .into_iter()
        .filter(unknown)
        .map(|s| s.path)
        .collect();
    report("these files stand on no floor", &homeless);
}

#[test]
fn the_map_in_the_crate_documentation_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let text = fs::read_to_string(&path).expect("readable");
    let start = text.find("//! | floor |").expect("lib.rs has the map");
    let length = text[start..].find("\n\n").expect("an end") + 1;
    let end = text[start..]
        .find("\n//!\n")
        .map_or(length, |at| length.min(at + 1));
    let fresh = format!("{}{}{}", &text[..start], map(), &text[start + end..]);
    if std::env::var_os("UPDATE_MAP").is_some() {
        fs::write(&path, fresh).expect("writable");
    } else {
        assert!(
            text == fresh,
            "stale: run UPDATE_MAP=1 cargo test --test floors"
        );
    }
    let silent: Vec<_> = sources()
        .into_iter()
        .filter(|s| s.job.is_empty())
        .map(|s| s.path)
        .collect();
    report("these files do not say what their job is", &silent);
}

#[test]
fn imports_only_go_down() {
    let mut mistakes = Vec::new();
    for source in sources() {
        for (at, first, second) in crate_paths(&source.code) {
            if !may_use(&source, &first, second.as_deref()) {
                let path = second.map_or(first.clone(), |second| format!("{first}::{second}"));
                mistakes.push(format!("{} uses crate::{path}", source.at(at)));
            }
        }
        // `super::super` leaves the folder unseen, but in a test module it only leaves the file.
        let code = without_tests(&source.code);
        let nested = source.path.matches('/').count();
        if nested == 1 && !source.path.ends_with("mod.rs") {
            for at in words(&code, "super::super") {
                mistakes.push(format!(
                    "{} leaves its folder by super::super",
                    source.at(at)
                ));
            }
        }
    }
    report(
        "a file uses only what lies on lower floors or beside it",
        &mistakes,
    );
}

#[test]
fn functions_are_short() {
    let mut mistakes = Vec::new();
    for source in sources() {
        for (name, at, lines) in functions(&without_tests(&source.code)) {
            let limit = if name == "alpha_beta" {
                LONGEST_ALPHA_BETA
            } else {
                LONGEST
            };
            if lines > limit {
                mistakes.push(format!("{}: {name} has {lines} lines", source.at(at)));
            }
        }
    }
    report(
        "a function has at most 120 lines, alpha_beta 200",
        &mistakes,
    );
}

#[test]
fn the_library_never_prints() {
    let mut mistakes = Vec::new();
    for source in sources().iter().filter(|source| source.floor() <= SILENT) {
        let code = without_tests(&source.code);
        for what in PRINTING {
            for at in words(&code, what) {
                mistakes.push(format!("{} uses {what}", source.at(at)));
            }
        }
    }
    report(
        "only the user interface prints; the library reports by events",
        &mistakes,
    );
}

#[test]
fn unsafe_stays_in_its_rooms() {
    let mut mistakes = Vec::new();
    for source in sources() {
        if UNSAFE_ROOMS
            .iter()
            .any(|room| source.path.starts_with(room))
        {
            continue;
        }
        for at in words(&source.code, "unsafe") {
            mistakes.push(format!("{} uses unsafe", source.at(at)));
        }
    }
    report(
        "unsafe belongs to the vector kernels and the table alone",
        &mistakes,
    );
}

mod reader {
    use super::*;

    fn source(path: &str, code: &str) -> Source {
        Source {
            path: path.to_string(),
            job: first_sentence(code),
            code: blank(code),
        }
    }

    #[test]
    fn a_job_is_the_first_sentence() {
        assert_eq!(
            first_sentence("//! Floor 3: the\n//! search. More.\n"),
            "the search"
        );
        assert_eq!(first_sentence("//! One line.\n\nfn f() {}"), "One line");
        assert_eq!(first_sentence("fn f() {}"), "");
    }

    #[test]
    fn comments_and_literals_are_blanked() {
        let code = "a // crate::x\nb /* c /* d */ e */ f \"g\\\"h\" 'i' '\\'' &'k str r#\"l\"m\"# n b\"o\" 'é'";
        let left: Vec<String> = blank(code).split_whitespace().map(str::to_string).collect();
        assert_eq!(left, ["a", "b", "f", "&'k", "str", "n", "b"]);
        assert_eq!(blank(code).len(), code.len());
    }

    #[test]
    fn paths_in_groups_are_found() {
        let code =
            "use crate::{base::score::{self, Score}, board::Move}; fn f() { crate::eval::g() }";
        let paths: Vec<String> = crate_paths(code)
            .into_iter()
            .map(|(_, first, second)| format!("{first}::{}", second.unwrap_or_default()))
            .collect();
        assert_eq!(
            paths,
            ["base::score", "base::score", "board::Move", "eval::g"]
        );
    }

    #[test]
    fn upward_and_sideways_imports_are_refused() {
        let may =
            |path: &str, first: &str, second: &str| may_use(&source(path, ""), first, Some(second));
        assert!(may("search/clock.rs", "base", "score"));
        assert!(may("search/clock.rs", "search", "limits"));
        assert!(!may("search/clock.rs", "engine", "pool"));
        assert!(!may("engine/pool.rs", "learning", "elo"));
        assert!(!may("uci/run.rs", "tools", "bench"));
        assert!(!may("tools/bench.rs", "tools", "perft"));
        assert!(may("tools/bench.rs", "tools", "Failure"));
        assert!(may("tools/train/plot.rs", "tools", "train"));
        assert!(may("cli.rs", "tools", "bench"));
        assert!(!may("search/clock.rs", "cli", "main"));
    }

    #[test]
    fn functions_are_measured_and_tests_left_out() {
        let code = "fn a() {\n  b();\n}\nimpl X { fn c(self) -> [u8; 2] { [0; 2] } fn d(); }\n\
                    #[cfg(test)]\nmod tests {\n fn e() {}\n}\nconst F: fn(u8) = g;";
        let found: Vec<(String, usize)> = functions(&without_tests(code))
            .into_iter()
            .map(|(name, _, lines)| (name, lines))
            .collect();
        assert_eq!(found, [("a".to_string(), 3), ("c".to_string(), 1)]);
    }
}
