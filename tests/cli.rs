//! The command line as a user meets it: exit codes, one clear line for a mistake, pipes that close.

use std::process::{Command, Output, Stdio};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn standpat(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_standpat"));
    command
        .args(args)
        .stdin(Stdio::null())
        .env_remove("RUST_LOG");
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn run(args: &[&str]) -> Output {
    standpat(args).output().expect("the binary starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("plain text")
}

#[test]
fn help_and_version_go_to_standard_output() {
    for args in [
        &["--help"][..],
        &["--version"],
        &["help", "bench"],
        &["tournament", "--help"],
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(
            !output.stdout.is_empty() && output.stderr.is_empty(),
            "{args:?}"
        );
    }
    let version = run(&["--version"]);
    assert_eq!(
        text(&version.stdout),
        concat!("standpat ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn a_mistake_is_one_line_and_exit_code_2() {
    for args in [
        &["benhc"][..],
        &["--no-such"],
        &["bench", "many"],
        &["bench", "0"],
        &["bench", "3", "--hash", "0"],
        &["perft"],
        &["perft", "-1"],
        &["perft", "3", "--fen", "not a position"],
        &["analyse", "--depth", "0"],
        &["analyse", "8/8/8/8/8/8/8/8 w - - 0 1"],
        &["analyse", "--moves", "e2e5"],
        &["horizon", "not a position", "3"],
        &["horizon", "8/8/8/8/8/8/5k2/4K2R w - - 0 1", "3"],
        &["horizon", START],
        &["horizon", START, "0"],
        &["horizon", "--csv", "out.csv"],
        &["stand-pat"],
        &["stand-pat", "not a position"],
        &["anytime", "not a position"],
        &["anytime", START, "--stops", "0"],
        &["explain", "not a position"],
        &["explain", START, "Ke2"],
        &["explain", START, "--depth", "1"],
        &["tournament", "no-such-tournament"],
        &["tournament", "smoke", "--games", "3"],
        &["tournament", "smoke", "--tc", "soon"],
        &["tournament", "--file", "no-such.toml"],
        &[
            "tournament",
            "smoke",
            "--runner-path",
            "/no/such/runner",
            "--cmd",
            "standpat=sh",
        ],
        &["register"],
        &["register", "no-such-program"],
        &["register", "arena", "--file", "no-such.toml"],
        &["register", "arena", "--engine", "no-such-engine"],
        &["completions", "no-such-shell"],
        &["man", "no-such-command"],
        &["solve"],
        &["book"],
        &["book", "no-such.bin"],
        &["book", "Cargo.toml", "not a position"],
        &["book", "LICENSE"],
        &["solve", "no-such.epd"],
    ] {
        let output = run(args);
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {complaint}");
        assert!(output.stdout.is_empty(), "{args:?}");
        assert_eq!(complaint.lines().count(), 1, "{args:?}: {complaint}");
        assert!(complaint.starts_with("error: "), "{args:?}: {complaint}");
    }
}

#[test]
fn a_reader_that_has_read_enough_is_no_failure() {
    for args in [
        &["perft", "3", "--divide"][..],
        &["ladder", "--trees", "10"],
        &["horizon"],
        &["horizon", START, "2"],
        &["stand-pat", START],
        &["anytime", START, "--depth", "4"],
        &["explain", START, "--depth", "4"],
        &["bench", "1"],
        &["analyse", "--depth", "3"],
        &["completions", "bash"],
        &["man"],
        &["tournament"],
        &[
            "register",
            "fastchess",
            "--engine",
            "shell",
            "--file",
            "tests/data/engines.toml",
        ],
        &["--help"],
    ] {
        let mut child = standpat(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(text(&output.stderr), "", "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_a_failure() {
    let output = run(&["horizon", START, "1", "--svg", "/no/such/folder/out.svg"]);
    let complaint = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{complaint}");
    assert!(
        complaint.starts_with("error: /no/such/folder/out.svg cannot be written: "),
        "{complaint}"
    );
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
}

#[test]
fn every_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(&["completions", shell]);
        assert!(output.status.success());
        assert!(text(&output.stdout).contains("tournament"), "{shell}");
    }
}

#[test]
fn the_log_stays_away_from_standard_output() {
    let plain = run(&["bench", "1"]);
    let logged = standpat(&["bench", "1"])
        .env("RUST_LOG", "trace")
        .output()
        .expect("it starts");
    let counts = |output: &Output| {
        let lines = text(&output.stdout).lines();
        lines
            .map(|line| line.split("nodes").next().unwrap_or_default().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(counts(&plain), counts(&logged));
}

#[test]
fn openbench_finds_nodes_and_speed_in_the_last_line() {
    for args in [
        &["bench", "2"][..],
        &["bench", "--depth", "2", "--threads", "1", "--hash", "8"],
    ] {
        let output = run(args);
        let last = text(&output.stdout).lines().next_back().expect("a line");
        let words: Vec<&str> = last.split(' ').collect();
        assert!(
            matches!(words[..], [nodes, "nodes", nps, "nps"]
            if nodes.parse::<u64>().is_ok() && nps.parse::<u64>().is_ok()),
            "{last}"
        );
    }
}

#[test]
fn a_dry_run_prints_what_a_shell_would_run() {
    let cutechess = run(&[
        "tournament",
        "smoke",
        "--dry-run",
        "--games",
        "10",
        "--",
        "-debug",
        "all",
    ]);
    let line = text(&cutechess.stdout);
    assert!(
        line.starts_with("cutechess-cli -engine name=Standpat cmd=/"),
        "{line}"
    );
    assert!(
        line.contains("/target/release/standpat proto=uci option.Hash=16"),
        "{line}"
    );
    assert!(line.contains(" 'option.Number of Threads=1' "), "{line}");
    assert!(
        line.contains(" -games 2 -rounds 5 -repeat ") && line.ends_with(" -debug all\n"),
        "{line}"
    );
    let fast = run(&[
        "tournament",
        "smoke",
        "--dry-run",
        "--runner",
        "fastchess",
        "--tc",
        "9+1",
    ]);
    let line = text(&fast.stdout);
    assert!(
        line.starts_with("fastchess -engine ") && line.contains(" tc=9+1 "),
        "{line}"
    );
}

/// A runner that is a shell script: it sees the words exactly, and its failure is ours.
#[cfg(unix)]
#[test]
fn the_runner_is_started_with_those_words_and_its_failure_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = std::env::temp_dir().join(format!("standpat-runner-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let script = folder.join("runner");
    std::fs::write(
        &script,
        "#!/bin/sh\nfor word; do echo \"<$word>\"; done\nexit 3\n",
    )
    .expect("written");
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).expect("runnable");
    let register = folder.join("engines.toml");
    std::fs::write(
        &register,
        concat!(
            "[engines.a]\ncmd = \"./runner\"\nproto = \"uci\"\n",
            "options = { \"A Name\" = \"two words\" }\n[engines.b]\ncmd = \"sh\"\n",
            "[tournaments.t]\nengines = [\"a\", \"b\"]\neach = { tc = \"1\" }\nrounds = 1\n",
        ),
    )
    .expect("written");
    let path = |path: &std::path::Path| path.to_str().expect("plain").to_string();
    let output = run(&[
        "tournament",
        "t",
        "--file",
        &path(&register),
        "--runner-path",
        &path(&script),
    ]);
    let words = text(&output.stdout);
    assert!(
        words.contains(&format!("<cmd={}>\n", path(&script))),
        "{words}"
    );
    assert!(words.contains("<option.A Name=two words>\n"), "{words}");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("ended with exit status: 3"),
        "{}",
        text(&output.stderr)
    );
    std::fs::remove_dir_all(&folder).expect("removed");
}
