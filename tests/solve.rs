//! `standpat solve` on suites whose answers are published.

mod common;

use std::fs;
use std::process::{Command, Output, Stdio};

use common::data_path;
use serde_json::Value;

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_standpat"))
        .arg("solve")
        .args(args)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("plain text")
}

/// Runs it on a suite of these lines.
fn solve(name: &str, lines: &str, args: &[&str]) -> Output {
    let file = std::env::temp_dir().join(format!("standpat-solve-{name}-{}", std::process::id()));
    fs::write(&file, lines).expect("writable");
    let mut all = vec![file.to_str().expect("a plain name")];
    all.extend(args);
    let output = run(&all);
    fs::remove_file(&file).expect("removed");
    output
}

#[test]
fn all_mates_in_one_are_found() {
    let path = data_path("mate-in-1.epd");
    let output = run(&[path.to_str().expect("a plain name"), "--depth", "4"]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(printed.lines().count(), 65);
    let last = printed.lines().last().expect("a line");
    assert!(last.starts_with("64 of 64 solved, "), "{last}");
    // The same command gives the same words: time is told only where it is the limit.
    let again = run(&[path.to_str().expect("a plain name"), "--depth", "4"]);
    assert_eq!(text(&again.stdout), printed);
}

const WIN: &str = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; id \"back rank\";";
const AVOID: &str = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - am Ra8#; id \"the wrong way\";";
const POINTS: &str =
    "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; c0 \"Ra8#=10, g3=4\"; id \"points\";";

#[test]
fn the_exit_status_tells_scripts_whether_enough_is_solved() {
    let suite = format!("{WIN}\n{AVOID}\n");
    for (args, status) in [
        (&["--depth", "3"][..], 1),
        (&["--depth", "3", "--at-least", "2"], 1),
        (&["--depth", "3", "--at-least", "1"], 0),
        (&["--depth", "3", "--at-least", "1", "--json"], 0),
    ] {
        let output = solve("status", &suite, args);
        assert_eq!(output.status.code(), Some(status), "{args:?}");
    }
    let output = solve("status-text", &suite, &["--depth", "3"]);
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(
        lines[0].starts_with("   1 + back rank        Ra8#     depth  "),
        "{printed}"
    );
    assert!(
        lines[1].starts_with("   2 - the wrong way    Ra8#     wanted: not Ra8#"),
        "{printed}"
    );
    assert!(lines[2].starts_with("1 of 2 solved, "), "{printed}");
    let complaint = text(&output.stderr);
    assert_eq!(complaint, "error: 1 of 2 solved, 2 were wanted\n");
}

#[test]
fn points_are_added_up() {
    let output = solve("points", &format!("{POINTS}\n{WIN}\n"), &["--depth", "3"]);
    let printed = text(&output.stdout);
    assert!(printed.contains(" Ra8#      10/10 depth "), "{printed}");
    assert!(
        printed.contains("\n2 of 2 solved, 10 of 10 points (100.0 %), "),
        "{printed}"
    );
}

#[test]
fn programs_get_json() {
    let output = solve(
        "json",
        &format!("{WIN}\n{AVOID}\n"),
        &["--depth", "3", "--json"],
    );
    let parse = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
    let lines: Vec<Value> = text(&output.stdout).lines().map(parse).collect();
    assert_eq!(lines[0]["id"], "back rank");
    assert_eq!(
        (&lines[0]["solved"], &lines[0]["answer"]),
        (&Value::from(true), &Value::from("a1a8"))
    );
    assert!(
        lines[0]["found_depth"]
            .as_u64()
            .is_some_and(|depth| depth <= 3)
    );
    assert_eq!(
        (&lines[1]["solved"], &lines[1]["found_depth"]),
        (&Value::from(false), &Value::Null)
    );
    assert_eq!(
        (&lines[2]["positions"], &lines[2]["solved"]),
        (&Value::from(2), &Value::from(1))
    );
}

#[test]
fn lines_that_make_no_sense_are_skipped_and_told() {
    let suite = format!(
        "# a remark\n{WIN}\nnonsense\n\n{}\n",
        WIN.replace("Ra8#", "Qa8")
    );
    let output = solve("skipped", &suite, &["--depth", "3"]);
    assert_eq!(output.status.code(), Some(0));
    let complaints: Vec<&str> = text(&output.stderr).lines().collect();
    assert_eq!(complaints.len(), 2);
    assert!(complaints[0].ends_with(": line 3 is skipped: invalid FEN: board"));
    assert!(complaints[1].ends_with(": line 5 is skipped: bm: 'Qa8' is no legal move"));
    for lines in ["", "nonsense\n", "4k3/8/8/8/8/8/8/4K3 w - - id \"x\";"] {
        let output = solve("nothing", lines, &["--depth", "3"]);
        assert_eq!(output.status.code(), Some(2), "{lines}");
        assert!(output.stdout.is_empty());
        let last = text(&output.stderr).lines().last().unwrap_or_default();
        assert_eq!(last, "error: there is nothing to solve");
    }
    let output = run(&["no/such.epd"]);
    assert_eq!(output.status.code(), Some(2));
}
