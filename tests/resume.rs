//! A tournament that is interrupted goes on where it ended: with a runner that is a shell script,
//! plays at once, and breaks off when it is told to.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Reads the words that matter, plays the schedule in the order of cutechess-cli, and writes down
/// its own command line. Where a file `break` says how many games it may play in all, it ends
/// behind them, with one game begun; with the word `kill` in it, by a signal.
const RUNNER: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "$*" >> "$here/runs"
names= rounds=1 games=1 pgn= gauntlet=
while [ $# -gt 0 ]; do
    case "$1" in
        name=*) names="$names ${1#name=}" ;;
        gauntlet) gauntlet=yes ;;
        -rounds) shift; rounds=$1 ;;
        -games) shift; games=$1 ;;
        -pgnout) shift; pgn=$1 ;;
    esac
    shift
done
# One game: White, Black.
game() {
    if [ -e "$here/break" ]; then
        read left how < "$here/break"
        if [ "$left" = 0 ]; then
            printf '[White "%s"]\n[Black "%s"]\n[Result "*"]\n\n1. e4 *\n\n' "$1" "$2" >> "$pgn"
            rm "$here/break"
            [ "$how" = kill ] && kill -KILL $$
            exit 0
        fi
        echo "$((left - 1)) $how" > "$here/break"
    fi
    printf '[White "%s"]\n[Black "%s"]\n[Result "1-0"]\n\n1. e4 1-0\n\n' "$1" "$2" >> "$pgn"
}
round=0
while [ $round -lt $rounds ]; do
    set -- $names
    while [ $# -gt 1 ]; do
        one=$1
        shift
        for other in "$@"; do
            game $one $other
            [ $games = 2 ] && game $other $one
        done
        [ "$gauntlet" ] && break
    done
    round=$((round + 1))
done
exit 0
"#;

const ROSTER: &str = r#"
[engines.a]
cmd = "sh"
tc = "1"
[engines.b]
cmd = "sh"
tc = "1"
[engines.c]
cmd = "sh"
tc = "1"

[tournaments.gauntlet]
engines = ["a", "b", "c"]
tournament = "gauntlet"
rounds = 3
pgnout = "games.pgn"

[tournaments.all]
engines = ["a", "b", "c"]
rounds = 2
pgnout = "games.pgn"

[tournaments.test]
engines = ["a", "b"]
rounds = 50
sprt = { elo0 = 0, elo1 = 5, alpha = 0.05, beta = 0.05 }
pgnout = "games.pgn"
"#;

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("standpat-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        fs::write(path.join("engines.toml"), ROSTER).expect("written");
        let script = path.join("runner");
        fs::write(&script, RUNNER).expect("written");
        fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).expect("runnable");
        Place(path)
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_standpat"))
            .arg("tournament")
            .args(args)
            .args(["--runner-path", "./runner"])
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .env_remove("RUST_LOG")
            .output()
            .expect("the binary starts")
    }

    /// What a run prints that ends with this exit code, and its complaint.
    fn told(&self, args: &[&str], code: i32) -> (String, String) {
        let output = self.run(args);
        let complaint = String::from_utf8(output.stderr).expect("plain text");
        assert_eq!(output.status.code(), Some(code), "{complaint}");
        assert!(complaint.lines().count() <= 1, "{complaint}");
        (
            String::from_utf8(output.stdout).expect("plain text"),
            complaint,
        )
    }

    fn break_after(&self, games: u32, how: &str) {
        fs::write(self.0.join("break"), format!("{games} {how}\n")).expect("written");
    }

    /// Games with a result between White and Black.
    fn games(&self, white: &str, black: &str) -> usize {
        let head = format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]");
        self.text("games.pgn").matches(&head).count()
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).expect("a file")
    }

    fn has(&self, file: &str) -> bool {
        self.0.join(file).exists()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_tournament_goes_on_wherever_it_was_broken_off() {
    for (name, wanted, pairs) in [
        ("gauntlet", 12, &[("a", "b", 3), ("a", "c", 3)][..]),
        ("all", 12, &[("a", "b", 2), ("a", "c", 2), ("b", "c", 2)]),
    ] {
        for first in 1..wanted {
            let place = Place::new(&format!("resume-{name}-{first}"));
            // A tournament that was finished in the same file before has nothing to do with it.
            place.told(&[name], 0);
            assert!(!place.has("games.pgn.toml"));
            let how = if first % 2 == 0 { "kill" } else { "" };
            place.break_after(first, how);
            let (_, complaint) = place.told(&[name], 1);
            let expected = format!(
                "; {first} of {wanted} games are played, the same command goes on from there\n"
            );
            assert!(complaint.ends_with(&expected), "{complaint}");
            // Broken off once more.
            let second = (wanted - first) / 2;
            place.break_after(second, "");
            place.told(&[name], 1);
            let (told, _) = place.told(&[name], 0);
            let expected = format!(
                "{} of {wanted} games are played; it goes on",
                first + second
            );
            assert!(told.starts_with(&expected), "{told}");
            for &(one, other, each) in pairs {
                assert_eq!(
                    place.games(one, other),
                    2 * each,
                    "{name} {first}: {one} {other}"
                );
                assert_eq!(
                    place.games(other, one),
                    2 * each,
                    "{name} {first}: {other} {one}"
                );
            }
            // The table is that of this tournament alone.
            let row = told
                .lines()
                .find(|line| line.starts_with("a "))
                .expect("a row");
            assert_eq!(row.split_whitespace().nth(1), Some(&*sum(pairs)), "{told}");
            assert!(!place.has("games.pgn.toml"));
        }
    }
}

/// Games of `a`.
fn sum(pairs: &[(&str, &str, usize)]) -> String {
    let own = pairs.iter().filter(|(one, ..)| *one == "a");
    own.map(|(.., each)| 2 * each).sum::<usize>().to_string()
}

#[test]
fn other_conditions_do_not_mix_but_more_games_may_follow() {
    let place = Place::new("resume-conditions");
    place.break_after(3, "");
    place.told(&["gauntlet"], 1);
    let (_, complaint) = place.told(&["gauntlet", "--tc", "9"], 2);
    assert!(
        complaint.contains("was begun with 'tc=1', not 'tc=9'")
            || complaint.contains("was begun with '-tournament', not '-each'"),
        "{complaint}"
    );
    assert!(complaint.contains("games.pgn.toml"), "{complaint}");
    let before = place.text("games.pgn");
    place.told(&["all"], 2);
    assert_eq!(place.text("games.pgn"), before);
    // Another number of games, and of games at a time, is no other condition.
    place.told(&["gauntlet", "--games", "10", "--concurrency", "2"], 0);
    assert_eq!(place.games("a", "b") + place.games("b", "a"), 10);
    assert_eq!(place.games("a", "c") + place.games("c", "a"), 10);
}

#[test]
fn a_program_that_changed_is_another_condition() {
    let place = Place::new("resume-program");
    let engine = place.0.join("engine");
    fs::write(&engine, "#!/bin/sh\n").expect("written");
    fs::set_permissions(&engine, PermissionsExt::from_mode(0o755)).expect("runnable");
    let command = ["gauntlet", "--cmd", "b=./engine"];
    place.break_after(2, "");
    place.told(&command, 1);
    fs::write(&engine, "#!/bin/sh\n\n").expect("written");
    let (_, complaint) = place.told(&command, 2);
    assert!(complaint.contains("of 10 bytes"), "{complaint}");
}

#[test]
fn a_tournament_of_which_nothing_is_played_begins_anew() {
    let place = Place::new("resume-nothing");
    place.break_after(0, "");
    place.told(&["gauntlet"], 1);
    place.told(&["gauntlet", "--tc", "9"], 0);
    assert_eq!(place.games("a", "b") + place.games("b", "a"), 6);
}

#[test]
fn a_dry_run_shows_what_is_left_and_plays_nothing() {
    let place = Place::new("resume-dry");
    place.break_after(5, "");
    place.told(&["gauntlet"], 1);
    let runs = place.text("runs");
    let (told, _) = place.told(&["gauntlet", "--dry-run"], 0);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 3, "{told}");
    assert!(lines[0].contains("name=b") && lines[0].contains("-games 1 -rounds 1 "));
    assert!(lines[1].contains("name=c") && lines[1].contains("-games 2 -rounds 1 "));
    assert!(lines[2].contains("-games 2 -rounds 1 "));
    assert_eq!(place.text("runs"), runs);
}

#[test]
fn a_sequential_test_is_not_begun_anew_behind_the_user_s_back() {
    let place = Place::new("resume-sprt");
    place.break_after(7, "kill");
    place.told(&["test"], 1);
    let (_, complaint) = place.told(&["test"], 2);
    assert!(
        complaint.contains("only fastchess can go on") && complaint.contains("games.pgn.toml"),
        "{complaint}"
    );
    fs::remove_file(place.0.join("games.pgn.toml")).expect("there");
    place.told(&["test"], 0);
}

#[test]
fn a_file_that_is_missing_is_told_before_anything_runs() {
    let place = Place::new("resume-missing");
    let roster = |from: &str, to: &str| {
        assert!(ROSTER.contains(from));
        fs::write(place.0.join("engines.toml"), ROSTER.replace(from, to)).expect("written");
    };
    for (from, to, expected) in [
        (
            "[engines.b]\ncmd = \"sh\"",
            "[engines.b]\ncmd = \"./none\"",
            "error: engines.toml:6: engines.b.cmd: there is no program ",
        ),
        (
            "[engines.b]\ncmd = \"sh\"",
            "[engines.b]\ncmd = \"sh\"\nbook = \"none.bin\"",
            "error: engines.toml:7: engines.b.book: there is no file ",
        ),
        (
            "rounds = 3\n",
            "rounds = 3\nopenings = { file = \"none.epd\" }\n",
            "error: engines.toml:16: tournaments.gauntlet.openings.file: there is no file ",
        ),
    ] {
        roster(from, to);
        let (told, complaint) = place.told(&["gauntlet"], 2);
        assert!(complaint.starts_with(expected), "{complaint}");
        assert_eq!(told, "");
    }
    // A network for our own engine.
    fs::copy(place.0.join("runner"), place.0.join("standpat")).expect("copied");
    roster(
        "[engines.a]\ncmd = \"sh\"",
        "[engines.a]\ncmd = \"./standpat\"\noptions = { EvalFile = \"none.net\" }",
    );
    let (_, complaint) = place.told(&["gauntlet"], 2);
    let expected = "error: engines.toml:4: engines.a.options.EvalFile: there is no file ";
    assert!(complaint.starts_with(expected), "{complaint}");
    assert!(!place.has("runs") && !place.has("games.pgn") && !place.has("games.pgn.toml"));
}

#[test]
fn a_broken_roster_runs_nothing() {
    let place = Place::new("resume-broken");
    for (from, to, expected) in [
        (
            "tc = \"1\"",
            "tcc = \"1\"",
            "engines.toml:4: engines.a.tcc: unknown field `tcc`",
        ),
        (
            "rounds = 3",
            "rounds = \"3\"",
            "engines.toml:15: tournaments.gauntlet.rounds: invalid type",
        ),
        (
            "\"gauntlet\"",
            "\"ladder\"",
            "unknown variant `ladder`, expected `round-robin` or `gauntlet`",
        ),
        ("cmd = \"sh\"", "cmd = \"sh\"\ntc =", "engines.toml:4: "),
    ] {
        let text = ROSTER.replacen(from, to, 1);
        assert_ne!(text, ROSTER);
        fs::write(place.0.join("engines.toml"), text).expect("written");
        for args in [&["gauntlet"][..], &["gauntlet", "--dry-run"], &[]] {
            let (told, complaint) = place.told(args, 2);
            assert!(complaint.contains(expected), "{complaint}");
            assert_eq!(told, "");
        }
    }
    assert!(!place.has("runs"));
}
