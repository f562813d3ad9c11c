//! What is taken, and what is refused with which words.

use super::engine::check_time_control;
use super::*;

const HEAD: &str = "[engines.a]\ncmd = \"standpat\"\nproto = \"uci\"\ntc = \"1+0.1\"\n";

fn parse(text: &str) -> Result<Roster, String> {
    Roster::parse(text, Path::new("e.toml"), Path::new("/house"))
        .map_err(|mistake| mistake.to_string())
}

fn refused(text: &str) -> String {
    parse(text).unwrap_err()
}

#[test]
fn mistakes_are_told_with_file_line_key_and_what_is_allowed() {
    let a_tournament = |rest: &str| format!("{HEAD}\n[tournaments.t]\n{rest}");
    let two = "engines = [\"a\", \"a\"]\nrounds = 1\n";
    for (text, expected) in [
        // An unknown key, and where it would belong.
        (
            format!("{HEAD}comand = \"x\"\n"),
            "e.toml:5: engines.a.comand: unknown field `comand`, expected one of `conf`, `name`, `cmd`,",
        ),
        (
            "[engnes.a]\n".to_owned(),
            "e.toml:1: engnes: unknown field `engnes`, expected one of `engines`, `profiles`, `tournaments`",
        ),
        (
            a_tournament(&format!("{two}draw = {{ score = 5, moves = 3 }}\n")),
            "e.toml:9: tournaments.t.draw.moves: unknown field `moves`, expected one of `movenumber`, `movecount`, `score`",
        ),
        // A key that is missing.
        (
            a_tournament("engines = [\"a\", \"a\"]\n"),
            "e.toml:6: tournaments.t: missing field `rounds`",
        ),
        // A value of another type.
        (
            a_tournament("engines = [\"a\", \"a\"]\nrounds = \"two\"\n"),
            "e.toml:8: tournaments.t.rounds: invalid type: string \"two\", expected a whole number",
        ),
        (
            a_tournament(&format!("{two}recover = 1\n")),
            "e.toml:9: tournaments.t.recover: invalid type: integer `1`, expected true or false",
        ),
        (
            a_tournament("engines = \"a\"\nrounds = 1\n"),
            "e.toml:7: tournaments.t.engines: invalid type: string \"a\", expected a list in [ ]",
        ),
        (
            "engines = 3\n".to_owned(),
            "e.toml:1: engines: invalid type: integer `3`, expected a table",
        ),
        (
            format!("{HEAD}st = \"fast\"\n"),
            "e.toml:5: engines.a.st: invalid type: string \"fast\", expected a number",
        ),
        (
            format!("{HEAD}options = {{ Hash = [1] }}\n"),
            "e.toml:5: engines.a.options.Hash: an option's value is true, false, a whole number or text in quotes",
        ),
        // A word or a number that is not one of those allowed.
        (
            "[engines.a]\ncmd = \"a\"\nproto = \"usi\"\n".to_owned(),
            "e.toml:3: engines.a.proto: unknown variant `usi`, expected `uci` or `xboard`",
        ),
        (
            format!("{HEAD}timemargin = -3\n"),
            "e.toml:5: engines.a.timemargin: invalid value: integer `-3`, expected a whole number",
        ),
        (
            a_tournament("engines = [\"a\", \"b\"]\nrounds = 1\n"),
            "e.toml:7: tournaments.t.engines: there is no engine 'b', only a",
        ),
        (
            a_tournament("engines = [\"a\"]\nrounds = 1\n"),
            "e.toml:7: tournaments.t.engines: it takes two engines",
        ),
        (
            a_tournament("engines = [\"a\", \"a\"]\nrounds = 0\n"),
            "e.toml:8: tournaments.t.rounds: it starts at 1",
        ),
        (
            "[engines.a]\nname = \"A\"\n".to_owned(),
            "e.toml:1: engines.a: neither cmd nor conf names the engine",
        ),
        // No TOML at all.
        ("[engines.a\n".to_owned(), "e.toml:1: "),
    ] {
        let told = refused(&text);
        assert!(
            told.starts_with(expected),
            "{told}\n  instead of\n{expected}"
        );
        assert!(!told.contains('\n'), "{told}");
    }
    let missing = Roster::read(Path::new("/no/such/engines.toml")).unwrap_err();
    assert!(missing.to_string().starts_with("/no/such/engines.toml: "));
}

#[test]
fn options_of_our_own_engine_are_checked_against_its_table() {
    let with = |options: &str| parse(&format!("{HEAD}[engines.a.options]\n{options}\n"));
    assert!(with("Hash = 64\nThreads = 2\nPonder = true").is_ok());
    assert_eq!(
        with("Hash = 0").unwrap_err(),
        "e.toml:6: engines.a.options.Hash: Hash: 0 is not within 1 to 33554432"
    );
    let unknown = with("\n\"Haash Size\" = 64").unwrap_err();
    assert!(
        unknown.starts_with("e.toml:7: engines.a.options.\"Haash Size\": no such option, only ")
            && unknown.contains("only Hash, Clear Hash, "),
        "{unknown}"
    );
    assert!(with("Ponder = 1").is_err());
    // Nobody knows the options of other engines.
    assert!(parse("[engines.b]\ncmd = \"b\"\noptions = { Hahs = 0 }\n").is_ok());
}

#[test]
fn profiles_are_sets_of_our_own_options() {
    let fast = "[profiles.Fast]\nabout = \"In a hurry\"\noptions = { \"Move Overhead\" = 99 }\n";
    let roster = parse(&format!(
        "{fast}[profiles.book]\noptions = {{ OwnBook = true, \"Book File\" = \"books/../b.bin\" }}\n"
    ))
    .unwrap();
    let settled = roster.settled_profiles();
    let names: Vec<&String> = settled.keys().collect();
    assert_eq!(names, ["Fast", "book"]);
    assert_eq!(settled["Fast"]["Move Overhead"], Setting::Spin(99));
    let book = Setting::Text("/house/books/../b.bin".to_owned());
    assert_eq!(settled["book"]["Book File"], book);

    for (text, expected) in [
        (
            "[profiles.x]\n",
            "e.toml:1: profiles.x: missing field `options`",
        ),
        (
            "[profiles.x]\noptions = { Hash = 0 }\n",
            "e.toml:2: profiles.x.options.Hash: Hash: 0 is not within ",
        ),
        (
            "[profiles.x]\noptions = { profile = \"y\" }\n",
            "e.toml:2: profiles.x.options.profile: a profile cannot choose another one",
        ),
        (
            "[profiles.\"a b\"]\noptions = {}\n",
            "e.toml:1: profiles.\"a b\": a profile's name has letters, digits, and - _ . + only",
        ),
        (
            "[profiles.NONE]\noptions = {}\n",
            "e.toml:1: profiles.NONE: upper and lower case mean the same, and None is taken",
        ),
        (
            "[profiles.a]\noptions = {}\n[profiles.A]\noptions = {}\n",
            "e.toml:1: profiles.a: upper and lower case mean the same",
        ),
    ] {
        let told = refused(text);
        assert!(
            told.starts_with(expected),
            "{told}\n  instead of\n{expected}"
        );
    }
}

#[test]
fn an_engine_may_choose_a_profile_that_is_there() {
    let with = |name: &str| {
        parse(&format!(
            "[profiles.Fast]\noptions = {{}}\n{HEAD}options = {{ Profile = \"{name}\" }}\n"
        ))
    };
    assert!(with("fast").is_ok() && with("none").is_ok());
    assert_eq!(
        with("slow").unwrap_err(),
        "e.toml:7: engines.a.options.Profile: 'slow' is none of None, Fast"
    );
}

#[test]
fn time_controls_are_those_of_cutechess() {
    for good in [
        "inf",
        "60",
        "2+0.02",
        "40/60",
        "40/1:30+0.5",
        "0+0.1",
        "0.5+0.01",
    ] {
        assert_eq!(check_time_control(good), Ok(()), "{good}");
    }
    for bad in [
        "", "0", "+", "1+", "x", "0/60", "-1", "1e3", "40/", "1:2:3", "hg", "nan",
    ] {
        assert!(check_time_control(bad).is_err(), "{bad}");
    }
}

#[test]
fn an_engine_needs_some_limit() {
    let text = "[engines.a]\ncmd = \"a\"\n[engines.b]\ncmd = \"b\"\nnodes = 5\n\
                [tournaments.t]\nengines = [\"a\", \"b\"]\nrounds = 1\n";
    assert_eq!(
        refused(text),
        "e.toml:6: tournaments.t.each: engine 'a' has no time control: tc, st, depth or nodes"
    );
    let each = format!("{text}each = {{ st = 0.1 }}\n");
    assert!(parse(&each).is_ok());
    let both = format!("{text}each = {{ st = 0.1, tc = \"1\" }}\n");
    assert_eq!(
        refused(&both),
        "e.toml:9: tournaments.t.each.st: tc and st exclude each other"
    );
}
