//! `standpat register` against the files of other programs: a folder that stands for the user's
//! home, what is written there, and what is left alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const ROSTER: &str = r#"
[engines.standpat]
name = "Standpat"
cmd = "./standpat"
proto = "uci"
options = { Hash = 64, Threads = 2 }

[engines.other]
cmd = "./other"
options = { Skill = 3 }

[profiles.deep]
about = "For long analyses"
options = { Hash = 1024, MultiPV = 3 }
"#;

/// A home with a roster and two programs, which nobody runs.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Home {
        let path = std::env::temp_dir().join(format!("standpat-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        let home = Home(path.canonicalize().expect("it is there"));
        fs::write(home.at("engines.toml"), ROSTER).expect("written");
        for program in ["standpat", "other"] {
            fs::write(home.at(program), "a program").expect("written");
            runnable(&home.at(program));
        }
        home
    }

    fn at(&self, file: &str) -> PathBuf {
        self.0.join(file)
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.at(file)).expect("a file")
    }

    fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.at(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_standpat"))
            .arg("register")
            .args(args)
            .current_dir(&self.0)
            .env("HOME", &self.0)
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_DATA_HOME")
            .env_remove("RUST_LOG")
            .stdin(Stdio::null())
            .output()
            .expect("the binary starts")
    }

    /// What a run that goes well prints.
    fn told(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {complaint}");
        assert_eq!(complaint, "", "{args:?}");
        String::from_utf8(output.stdout).expect("plain text")
    }

    /// The one line with which a run is refused.
    fn refused(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let complaint = String::from_utf8(output.stderr).expect("plain text");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {complaint}");
        assert!(output.stdout.is_empty(), "{args:?}");
        assert!(complaint.starts_with("error: "), "{complaint}");
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        complaint
    }

    /// All files below it.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let bytes = fs::read(&path).expect("readable");
                    found.push((path, bytes));
                }
            }
        }
        found.sort();
        found
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(unix)]
fn runnable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("runnable");
}

#[cfg(not(unix))]
fn runnable(_: &Path) {}

/// Programs whose list is a file: where it lies on Linux, what others wrote into it with the place
/// where our entry comes to stand marked by `@`, and what makes it unreadable.
const LISTS: [(&str, &str, &str, &str); 5] = [
    (
        "cutechess",
        ".config/cutechess/engines.json",
        "[\n\t{\n\t\t\"command\" : \"/usr/games/crafty\",\n\t\t\"name\" : \"Crafty\",\n\t\t\"odd\" : 1.0e1\n\t}@\n]\n",
        "[\n\t{\n",
    ),
    (
        "cutechess-cli",
        ".config/cutechess/engines.json",
        "[{\"name\": \"Crafty\"}@]",
        "{}",
    ),
    (
        "pychess",
        ".config/pychess/engines.json",
        "[\n {\n  \"command\": \"/usr/games/crafty\",\n  \"name\": \"crafty\",\n  \"md5\": \"?\"\n }@\n]",
        "[1,]",
    ),
    (
        "en-croissant",
        ".local/share/org.encroissant.app/engines/engines.json",
        "[{\"type\":\"lichess\",\"name\":\"Lichess Cloud\",\"url\":\"https://lichess.org\"}@]",
        "engines",
    ),
    (
        "xboard",
        ".xboardrc",
        ";\n-firstChessProgramNames {fairymax\n\"Crafty\" -fcp crafty\n@}\n-autoFlag true\n",
        "-firstChessProgramNames {fairymax\n",
    ),
];

#[test]
fn without_write_nothing_is_written() {
    let home = Home::new("register-print");
    let before = home.files();
    for (program, list, ..) in LISTS {
        let told = home.told(&[program]);
        let expected = format!("Standpat would be added to {}:\n", home.at(list).display());
        assert!(told.starts_with(&expected), "{told}");
        assert!(told.contains("Hash"), "{told}");
        assert!(
            told.ends_with("nothing is written without --write\n"),
            "{told}"
        );
    }
    assert_eq!(home.files(), before);
}

#[test]
fn a_list_that_is_missing_is_made_and_a_second_time_nothing_changes() {
    for (program, list, ..) in LISTS {
        let home = Home::new(&format!("register-fresh-{program}"));
        let before = home.files().len();
        let told = home.told(&[program, "--write"]);
        let expected = format!("Standpat is added to {}\n", home.at(list).display());
        assert!(told.starts_with(&expected), "{told}");
        // The list, and nothing beside it.
        let files = home.files();
        assert_eq!(files.len(), before + 1, "{program}");
        let again = format!(
            "Standpat is in {} as it should be\nnothing to do\n",
            home.at(list).display()
        );
        assert_eq!(home.told(&[program, "--write"]), again);
        assert_eq!(home.told(&[program]), again);
        assert_eq!(home.files(), files, "{program}");
    }
}

#[test]
fn what_others_wrote_stays_to_the_byte_and_is_kept_beside() {
    for (program, list, others, _) in LISTS {
        let home = Home::new(&format!("register-merge-{program}"));
        let old = others.replace('@', "");
        home.write(list, &old);
        let told = home.told(&[program, "--write"]);
        let kept = format!("{list}.bak");
        assert!(
            told.ends_with(&format!(
                "what the file said before is in {}\n",
                home.at(&kept).display()
            )),
            "{told}"
        );
        assert_eq!(home.text(&kept), old);
        let (head, tail) = others.split_once('@').expect("a place");
        let new = home.text(list);
        assert!(new.starts_with(head) && new.ends_with(tail), "{new}");
        assert!(new.len() > old.len());

        // Another profile is another entry; the first backup stays.
        home.told(&[program, "--profile", "DEEP", "--write"]);
        assert_eq!(home.text(&kept), old);
        assert_eq!(home.text(&format!("{list}.bak2")), new);
        let both = home.text(list);
        assert!(both.starts_with(new.strip_suffix(tail).expect("as before")));
        assert!(both.contains("Standpat (deep)"), "{both}");

        // A roster that says something else changes our entry and no other.
        let roster = ROSTER.replace("Hash = 64", "Hash = 32");
        home.write("engines.toml", roster);
        let told = home.told(&[program, "--write"]);
        assert!(
            told.starts_with("Standpat is brought up to date in "),
            "{told}"
        );
        let changed = home.text(list);
        assert!(changed.starts_with(head) && changed.ends_with(tail));
        assert!(changed.contains("Standpat (deep)"));
        assert!(
            changed.contains("32") && !changed.contains("64"),
            "{changed}"
        );
    }
}

#[test]
fn a_broken_list_is_refused_and_stays_as_it_is() {
    for (program, list, _, broken) in LISTS {
        let home = Home::new(&format!("register-broken-{program}"));
        for text in [broken.as_bytes(), b"[\xff]"] {
            home.write(list, text);
            let before = home.files();
            for args in [&[program][..], &[program, "--write"]] {
                let complaint = home.refused(args);
                let place = home.at(list).display().to_string();
                assert!(complaint.contains(&place), "{complaint}");
            }
            assert_eq!(home.files(), before, "{program}");
        }
    }
}

#[test]
fn each_program_gets_what_it_reads() {
    let home = Home::new("register-content");
    let program = home.at("standpat").display().to_string();
    let folder = home.0.display().to_string();
    let json = |list: &str| -> Value { serde_json::from_str(&home.text(list)).expect("JSON") };
    for (name, ..) in LISTS {
        home.told(&[name, "--profile", "deep", "--write"]);
    }
    let hash_is_left_to_the_profile = json!([
        { "name": "Profile", "type": "combo", "default": "None", "choices": ["None", "deep"],
          "value": "deep" },
        { "name": "Threads", "type": "spin", "default": 1, "min": 1, "max": 1024, "value": 2 },
    ]);
    assert_eq!(
        json(LISTS[0].1),
        json!([{
            "name": "Standpat (deep)",
            "command": program,
            "workingDirectory": folder,
            "protocol": "uci",
            "stderrFile": "",
            "variants": ["standard", "fischerandom"],
            "options": hash_is_left_to_the_profile,
        }])
    );
    let pychess = &json(LISTS[2].1)[0];
    // md5sum of "a program".
    assert_eq!(pychess["md5"], "163c30dc92b5c4383178cbd84f9efe1b");
    let options = pychess["options"].as_array().expect("a list");
    let option = |name: &str| options.iter().find(|option| option["name"] == name);
    assert_eq!(option("Threads").expect("there")["value"], 2);
    assert_eq!(option("Hash").expect("there")["default"], 16);
    assert_eq!(option("Hash").expect("there")["value"], Value::Null);
    assert_eq!(
        json(LISTS[3].1),
        json!([{
            "type": "local",
            "name": "Standpat (deep)",
            "version": env!("CARGO_PKG_VERSION"),
            "path": program,
            "loaded": true,
            "enabled": true,
            "settings": [
                { "name": "MultiPV", "value": 1 },
                { "name": "Threads", "value": 2 },
                { "name": "Hash", "value": 16 },
                { "name": "Profile", "value": "deep" },
            ],
        }])
    );
    assert_eq!(
        home.text(".xboardrc"),
        format!(
            "-installEngine {{\"Standpat (deep)\" -fcp \"{program}\" -fd \"{folder}\" -fn \
             \"Standpat (deep)\" -fNoOwnBookUCI -fUCI -firstOptions \"Profile=deep,Threads=2\"}}\n"
        )
    );
}

#[test]
fn engines_of_others_are_entered_without_knowing_their_options() {
    let home = Home::new("register-other");
    home.told(&[
        "cutechess",
        "--engine",
        "other",
        "--engine",
        "standpat",
        "--write",
    ]);
    let list: Value = serde_json::from_str(&home.text(LISTS[0].1)).expect("JSON");
    assert_eq!(list[0]["name"], "other");
    assert_eq!(list[0]["options"], json!([{ "name": "Skill", "value": 3 }]));
    assert_eq!(list[1]["name"], "Standpat");
    home.told(&["pychess", "--engine", "other", "--write"]);
    let list: Value = serde_json::from_str(&home.text(LISTS[2].1)).expect("JSON");
    assert_eq!(list[0]["recheck"], true);
    assert_eq!(list[0]["options"], Value::Null);
}

#[test]
fn programs_without_a_file_of_their_own_get_instructions() {
    let home = Home::new("register-instructions");
    let before = home.files();
    let program = home.at("standpat").display().to_string();
    let folder = home.0.display().to_string();
    for args in [&["fastchess"][..], &["fastchess", "--write"]] {
        let told = home.told(args);
        let words = format!(
            "-engine name=Standpat cmd={program} dir={folder} proto=uci option.Hash=64 option.Threads=2\n"
        );
        assert!(told.starts_with(&words), "{told}");
    }
    let bot = home.told(&["lichess-bot", "--profile", "deep"]);
    let section = format!(
        "engine:\n  dir: \"{folder}\"\n  name: \"standpat\"\n  working_dir: \"{folder}\"\n  \
         protocol: \"uci\"\n  uci_options:\n    \"Profile\": \"deep\"\n    \"Threads\": 2\n"
    );
    assert!(bot.starts_with(&section), "{bot}");
    let arena = home.told(&["arena"]);
    assert!(
        arena.contains(&program) && arena.contains("Hash = 64"),
        "{arena}"
    );
    let banksia = home.told(&["banksia", "--write"]);
    assert!(
        banksia.contains("\"working folder\"") && banksia.contains("--into"),
        "{banksia}"
    );
    assert_eq!(home.files(), before);

    // With a place it is a list like the others.
    home.told(&["banksia", "--into", "b/engines.json", "--write"]);
    let list: Value = serde_json::from_str(&home.text("b/engines.json")).expect("JSON");
    assert_eq!(list[0]["app"]["name"], "Standpat");
    assert_eq!(list[0]["app"]["command"], program);
    let again = home.told(&["banksia", "--into", "b/engines.json", "--write"]);
    assert!(again.ends_with("nothing to do\n"), "{again}");
}

#[test]
fn the_runner_s_list_in_the_working_folder_comes_first() {
    let home = Home::new("register-here");
    home.write("engines.json", "[]\n");
    home.told(&["cutechess-cli", "--write"]);
    assert!(home.text("engines.json").contains("Standpat"));
    assert!(!home.at(".config").exists());
}

#[test]
fn the_folders_that_the_environment_names_are_honoured() {
    let home = Home::new("register-xdg");
    let run = |program: &str| {
        Command::new(env!("CARGO_BIN_EXE_standpat"))
            .args(["register", program, "--write"])
            .current_dir(&home.0)
            .env("HOME", "/nowhere")
            .env("XDG_CONFIG_HOME", home.at("settings"))
            .env("XDG_DATA_HOME", home.at("data"))
            .stdin(Stdio::null())
            .output()
            .expect("the binary starts")
    };
    if cfg!(all(unix, not(target_os = "macos"))) {
        for (program, list) in [
            ("cutechess", "settings/cutechess/engines.json"),
            ("pychess", "settings/pychess/engines.json"),
            (
                "en-croissant",
                "data/org.encroissant.app/engines/engines.json",
            ),
        ] {
            assert!(run(program).status.success(), "{program}");
            assert!(home.text(list).contains("Standpat"), "{program}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_and_the_mode_of_the_file_survive() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new("register-link");
    home.write("dotfiles/engines.json", "[]\n");
    let real = home.at("dotfiles/engines.json");
    fs::set_permissions(&real, PermissionsExt::from_mode(0o600)).expect("set");
    fs::create_dir_all(home.at(".config/cutechess")).expect("a folder");
    std::os::unix::fs::symlink(&real, home.at(LISTS[0].1)).expect("a link");
    home.told(&["cutechess", "--write"]);
    assert!(home.at(LISTS[0].1).is_symlink());
    assert!(home.text("dotfiles/engines.json").contains("Standpat"));
    let mode = fs::metadata(&real).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn mistakes_are_told_and_nothing_is_written() {
    let home = Home::new("register-mistakes");
    let before = home.files();
    for (args, expected) in [
        (&["chessbase"][..], "chessbase"),
        (
            &["cutechess", "--engine", "nobody"],
            "error: engines.toml:2: engines: there is no engine 'nobody', only other, standpat",
        ),
        (
            &["cutechess", "--profile", "shallow"],
            "error: engines.toml:12: profiles: there is no profile 'shallow', only deep",
        ),
        (
            &["cutechess", "--engine", "other", "--profile", "deep"],
            "error: engines.toml:9: engines.other.cmd: profiles are for Standpat alone",
        ),
        (&["cutechess", "--file", "none.toml"], "error: none.toml: "),
    ] {
        let mut args = args.to_vec();
        args.push("--write");
        let complaint = home.refused(&args);
        assert!(complaint.contains(expected), "{complaint}");
    }
    assert_eq!(home.files(), before);
    fs::remove_file(home.at("standpat")).expect("removed");
    let gone = home.refused(&["cutechess", "--write"]);
    assert!(
        gone.starts_with("error: engines.toml:4: engines.standpat.cmd: there is no program "),
        "{gone}"
    );
}

#[test]
fn a_list_that_cannot_be_read_is_refused() {
    let home = Home::new("register-unreadable");
    home.write("folder/list", "");
    let complaint = home.refused(&["cutechess", "--into", "folder", "--write"]);
    assert!(complaint.starts_with("error: folder: "), "{complaint}");
}
