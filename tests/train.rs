//! The trainer as a program: killed at any moment, it goes on to the very same network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A folder of this test's own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("standpat-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Scratch(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn standpat(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_standpat"));
    command
        .args(args)
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn killed_at_any_moment_it_goes_on_to_the_same_network() {
    let scratch = Scratch::new("killed");
    let games = scratch.file("a.games");
    let datagen = [
        "datagen", "--net", "random", "--games", "60", "--nodes", "20", "--out",
    ];
    let output = standpat(&datagen).arg(&games).output().expect("datagen");
    assert!(output.status.success());

    let (whole, resumed) = (scratch.file("whole.net"), scratch.file("resumed.net"));
    let checkpoint = scratch.file("run.checkpoint");
    let train = |out: &Path| {
        let settings = [
            "train",
            path(&games),
            "--hidden",
            "64",
            "--buckets",
            "8",
            "--epochs",
            "60",
            "--batch",
            "256",
            "--out",
            path(out),
        ];
        standpat(&settings)
    };
    let output = train(&whole).output().expect("train");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("held back"),
        "{text}"
    );

    let mut kills = 0;
    for moment in 1.. {
        let mut command = train(&resumed);
        command.args([
            "--resume",
            "--threads",
            "2",
            "--checkpoint",
            path(&checkpoint),
        ]);
        command.stdout(Stdio::null());
        let mut child = command.spawn().expect("train");
        std::thread::sleep(Duration::from_millis(25 + 13 * moment % 70));
        if let Some(status) = child.try_wait().expect("a child") {
            assert!(status.success());
            break;
        }
        // Once nobody can doubt that kills do no harm, it may run to its end.
        if kills < 25 {
            child.kill().expect("a child to kill");
            kills += 1;
        }
        let status = child.wait().expect("a child");
        if status.success() {
            break;
        }
    }
    assert!(kills > 0, "it was never killed");
    assert_eq!(
        fs::read(&whole).expect("a network"),
        fs::read(&resumed).expect("a network")
    );
}

#[test]
fn bad_input_is_one_clear_line() {
    let scratch = Scratch::new("refused");
    let text = scratch.file("a.txt");
    fs::write(&text, "no games at all, but long enough to be read").expect("a file");
    let missing = scratch.file("missing.games");
    let out = scratch.file("x.net");
    for (args, part) in [
        (vec![path(&missing)], "missing.games"),
        (vec![path(&text)], "not a file of games"),
        (vec![path(&text), "--hidden", "100"], "multiple of 64"),
        (vec![path(&text), "--lambda", "2"], "lambda"),
    ] {
        let mut command = standpat(&["train", "--out", path(&out)]);
        let output = command
            .args(&args)
            .stderr(Stdio::piped())
            .output()
            .expect("train");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(
            error.contains(part) && error.lines().count() == 1,
            "{error}"
        );
        assert!(!out.exists());
    }
}
