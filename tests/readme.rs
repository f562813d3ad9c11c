//! The README says what is true: its table of options is the one in the code, and the commands it
//! names exist.

use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use standpat::base::options::{Described, Options};
use standpat::cli::Cli;
use standpat::tools::tournament::Register;

const BEGIN: &str = "<!-- options: begin";
const END: &str = "<!-- options: end -->";

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")
}

/// The README with the table of options made anew.
fn renewed(text: &str) -> String {
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

#[test]
fn the_table_of_options_is_fresh() {
    let text = fs::read_to_string(path()).expect("a README");
    let fresh = renewed(&text);
    if std::env::var_os("UPDATE_README").is_some() {
        fs::write(path(), &fresh).expect("writable");
    } else {
        assert!(
            text == fresh,
            "stale: run UPDATE_README=1 cargo test --test readme"
        );
    }
    assert_eq!(renewed(&fresh), fresh);
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
    let register = Register::read(&file).expect("a register");
    let mut named = 0;
    for rest in text.split("standpat tournament ").skip(1) {
        let word = rest.split_whitespace().next().unwrap_or_default();
        if word.starts_with(|c: char| c.is_ascii_lowercase()) {
            assert!(
                register.tournaments.contains_key(word),
                "there is no tournament {word}"
            );
            named += 1;
        }
    }
    assert!(named >= 4);
}
