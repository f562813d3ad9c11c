//! The README says what is true: its table of options is the one in the code, its transcripts and
//! pictures are what the program gives, and the commands it names exist.
//!
//! A transcript is a block fenced as `console`. Each of its lines `$ standpat …` is run in a folder
//! that holds `engines.toml`, the program where that looks for it, and the files of `tests/data` that
//! it names; the folder is the user's home, which the README calls `/home/you`. What the program
//! prints is what must follow.
//! The pictures that it writes there are those of `tests/pictures`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::CommandFactory;
use standpat::base::options::{Described, Options};
use standpat::cli::Cli;
use standpat::roster::Roster;

const BEGIN: &str = "<!-- options: begin";
const END: &str = "<!-- options: end -->";

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")
}

/// The README with the table of options made anew.
fn with_options(text: &str) -> String {
    let begin = text.find(BEGIN).expect("the block begins");
    let head = begin + text[begin..].find('\n').expect("a line of its own") + 1;
    let end = text.find(END).expect("the block ends");
    format!(
        "{}\n{}\n{}",
        &text[..head],
        Options::markdown(),
        &text[end..]
    )
}

/// The README with its transcripts made anew, the commands run in `folder`.
fn with_transcripts(text: &str, folder: &Path) -> String {
    let mut renewed = String::new();
    let (mut in_block, mut in_output) = (false, false);
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = line == "```console";
            in_output = false;
        }
        let command = line.strip_prefix("$ standpat ").filter(|_| in_block);
        if command.is_none() && in_output {
            continue;
        }
        renewed += line;
        renewed.push('\n');
        if let Some(command) = command {
            renewed += &output(command, folder);
            in_output = true;
        }
    }
    renewed
}

/// What a command prints; its words are separated by spaces, but for those inside double quotes.
fn output(command: &str, folder: &Path) -> String {
    let words = command.split('"').enumerate().flat_map(|(index, part)| {
        let quoted = index % 2 == 1;
        let words: Vec<&str> = if quoted {
            vec![part]
        } else {
            part.split_whitespace().collect()
        };
        words
    });
    let words: Vec<&str> = words.collect();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    for word in words.iter().filter(|word| data.join(word).is_file()) {
        fs::copy(data.join(word), folder.join(word)).expect("writable");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_standpat"))
        .args(words)
        .env_remove("RUST_LOG")
        .env("HOME", folder)
        .env_remove("XDG_CONFIG_HOME")
        .current_dir(folder)
        .output()
        .expect("the binary starts");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {complaint}");
    let text = String::from_utf8(output.stdout).expect("plain text");
    text.replace(folder.to_str().expect("a plain name"), "/home/you")
}

/// Puts the roster and the program where the transcripts expect them.
fn furnish(folder: &Path) {
    let release = folder.join("target/release");
    fs::create_dir_all(&release).expect("a folder");
    let roster = Path::new(env!("CARGO_MANIFEST_DIR")).join("engines.toml");
    fs::copy(roster, folder.join("engines.toml")).expect("writable");
    fs::copy(env!("CARGO_BIN_EXE_standpat"), release.join("standpat")).expect("writable");
}

/// Compares the pictures of a folder with those the README shows, or takes them over.
fn check_pictures(folder: &Path, update: bool) {
    let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures");
    for entry in fs::read_dir(folder).expect("a folder") {
        let made = entry.expect("an entry").path();
        if made.extension().is_none_or(|extension| extension != "svg") {
            continue;
        }
        let kept = shown.join(made.file_name().expect("a name"));
        if update {
            fs::create_dir_all(&shown).expect("a folder");
            fs::copy(&made, &kept).expect("writable");
        } else {
            let stale = fs::read(&made).ok() != fs::read(&kept).ok();
            assert!(!stale, "{} is stale: {STALE}", kept.display());
        }
    }
}

const STALE: &str = "run UPDATE_README=1 cargo test --test readme";

#[test]
fn options_transcripts_and_pictures_are_fresh() {
    let update = std::env::var_os("UPDATE_README").is_some();
    let folder = std::env::temp_dir().join(format!("standpat-readme-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let folder = folder.canonicalize().expect("it is there");
    furnish(&folder);
    let text = fs::read_to_string(path()).expect("a README");
    let fresh = with_transcripts(&with_options(&text), &folder);
    if update {
        fs::write(path(), &fresh).expect("writable");
    } else {
        for (old, new) in text.lines().zip(fresh.lines()) {
            assert_eq!(old, new, "{STALE}");
        }
        assert!(text == fresh, "{STALE}");
    }
    check_pictures(&folder, update);
    // Every picture that is shown is one that a transcript makes.
    for part in fresh.split("](tests/pictures/").skip(1) {
        let name = part.split(')').next().unwrap_or_default();
        assert!(folder.join(name).is_file(), "no transcript makes {name}");
    }
    fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn every_command_is_named() {
    let text = fs::read_to_string(path()).expect("a README");
    for command in Cli::command()
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
    {
        let name = command.get_name();
        let named = name == "uci" || text.contains(&format!("standpat {name}"));
        assert!(named, "the README does not tell of `standpat {name}`");
    }
}

#[test]
fn the_tournaments_it_names_exist() {
    let text = fs::read_to_string(path()).expect("a README");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("engines.toml");
    let roster = Roster::read(&file).expect("a roster");
    let mut named = 0;
    for rest in text.split("standpat tournament ").skip(1) {
        let word = rest.split_whitespace().next().unwrap_or_default();
        if word.starts_with(|c: char| c.is_ascii_lowercase()) {
            assert!(
                roster.tournaments.contains_key(word),
                "there is no tournament {word}"
            );
            named += 1;
        }
    }
    assert!(named >= 4);
}
