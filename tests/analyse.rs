//! `standpat analyse` on files: what goes in comes out, and no interruption loses any of it.

mod common;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use common::data_path;
use pgn_reader::{Nag, RawComment, RawTag, Reader, Skip, Visitor};
use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess};

/// An empty folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("standpat-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        let path = self.0.join(name);
        path.to_str().expect("a plain name").to_owned()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("readable")
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), text).expect("writable");
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_standpat"));
    command.arg("analyse").args(args).env_remove("RUST_LOG");
    command.stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().expect("the binary starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("plain text")
}

/// What the command prints when all goes well.
fn printed(args: &[&str]) -> String {
    let output = run(args);
    assert!(
        output.status.success(),
        "{args:?}: {}",
        text(&output.stderr)
    );
    text(&output.stdout).to_owned()
}

fn games() -> String {
    let path = data_path("games.pgn");
    path.to_str().expect("a plain name").to_owned()
}

/// A game as another reader sees it, which knows the rules from shakmaty alone.
#[derive(Debug, Default)]
struct Seen {
    tags: Vec<(String, String)>,
    /// Moves of the main line, each with its comments and glyphs behind it.
    main: String,
    /// Moves in variations.
    aside: usize,
    stack: Vec<(Chess, Chess)>,
}

struct Judge;

impl Visitor for Judge {
    type Tags = Vec<(String, String)>;
    type Movetext = Seen;
    type Output = Seen;

    fn begin_tags(&mut self) -> ControlFlow<Seen, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Seen> {
        let value = value.decode_utf8().expect("UTF-8").into_owned();
        tags.push((text(name).to_owned(), value));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Seen, Seen> {
        let fen = tags.iter().find(|(name, _)| name == "FEN");
        let is_960 = tags.iter().any(|(_, value)| value == "Chess960");
        let mode = CastlingMode::from_standard(!is_960);
        let chess: Chess = match fen {
            Some((_, fen)) => {
                let fen: Fen = fen.parse().expect("a FEN");
                fen.into_position(mode).expect("a legal position")
            }
            None => Chess::default(),
        };
        ControlFlow::Continue(Seen {
            tags,
            stack: vec![(chess.clone(), chess)],
            ..Seen::default()
        })
    }

    fn san(&mut self, seen: &mut Seen, san: SanPlus) -> ControlFlow<Seen> {
        let is_main = seen.stack.len() == 1;
        let (before, now) = seen.stack.last_mut().expect("a line");
        let played = san.san.to_move(now).expect("a legal move");
        *before = now.clone();
        let expected = SanPlus::from_move_and_play_unchecked(now, played);
        assert_eq!(san, expected);
        if is_main {
            seen.main += &format!(" {san}");
        } else {
            seen.aside += 1;
        }
        ControlFlow::Continue(())
    }

    fn nag(&mut self, seen: &mut Seen, nag: Nag) -> ControlFlow<Seen> {
        if seen.stack.len() == 1 {
            seen.main += &format!(" {nag}");
        }
        ControlFlow::Continue(())
    }

    fn comment(&mut self, seen: &mut Seen, comment: RawComment<'_>) -> ControlFlow<Seen> {
        if seen.stack.len() == 1 {
            let words: Vec<&str> = text(comment.as_bytes()).split_whitespace().collect();
            seen.main += &format!(" {{{}}}", words.join(" "));
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, seen: &mut Seen) -> ControlFlow<Seen, Skip> {
        let (before, _) = seen.stack.last().expect("a line").clone();
        seen.stack.push((before.clone(), before));
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, seen: &mut Seen) -> ControlFlow<Seen> {
        seen.stack.pop();
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, seen: Seen) -> Seen {
        assert_eq!(seen.stack.len(), 1, "every variation ends");
        seen
    }
}

fn read(pgn: &str) -> Vec<Seen> {
    let mut reader = Reader::build(pgn.as_bytes())
        .set_supported_comment_length(4000)
        .finish();
    reader
        .read_games(&mut Judge)
        .map(|game| game.expect("a game"))
        .collect()
}

/// The moves alone, without comments and glyphs.
fn moves(main: &str) -> Vec<String> {
    let plain = main
        .split('{')
        .map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    let words: Vec<&str> = plain.flat_map(str::split_whitespace).collect();
    let moves = words.iter().filter(|word| !word.starts_with('$'));
    moves.map(|word| word.to_string()).collect()
}

#[test]
fn all_that_is_in_a_game_comes_out_with_values_added() {
    let output = run(&[&games(), "--nodes", "500"]);
    assert_eq!(output.status.code(), Some(0));
    let complaint = text(&output.stderr);
    assert!(complaint.ends_with("games.pgn: game 3 is skipped: move 2: Ke3 is not legal\n"));
    assert_eq!(complaint.lines().count(), 1);
    let seen = read(text(&output.stdout));
    let before = fs::read_to_string(games()).expect("readable");
    let broken = before.find("[Event \"Broken\"]").expect("it is there");
    let after = broken + before[broken..].find("\n\n[Event").expect("one follows") + 2;
    let before = read(&format!("{}{}", &before[..broken], &before[after..]));
    assert_eq!((seen.len(), before.len()), (4, 4));
    for (seen, before) in seen.iter().zip(&before) {
        for tag in &before.tags {
            assert!(seen.tags.contains(tag), "{tag:?} is lost");
        }
        assert!(seen.aside >= before.aside);
        let found = moves(&seen.main);
        assert_eq!(found, moves(&before.main));
        let values = seen.main.matches("{[%eval ").count();
        // A mate on the board needs no value.
        let mated = found.last().is_some_and(|last| last.ends_with('#'));
        assert_eq!(values + usize::from(mated), found.len(), "{}", seen.main);
    }
    let opera = &seen[0];
    assert!(
        opera.main.contains("] a pin that costs a bishop}"),
        "{}",
        opera.main
    );
    assert!(opera.main.contains(" Nf6 $2 {[%eval "), "{}", opera.main);
    assert!(
        opera
            .tags
            .contains(&("Annotator".into(), "Standpat 0.1.0".into()))
    );
}

/// Morphy's last moves are mate in two whatever Black does; the fool is mated after his second.
#[test]
fn mates_are_counted_for_the_side_that_gives_them() {
    let pgn = printed(&[&games(), "--depth", "11"]);
    let seen = read(&pgn);
    let opera = &seen[0].main;
    assert!(
        opera.contains(" Nxd7 {[%eval #2]}") || opera.contains(" Nxd7 $4 {[%eval #2]}"),
        "{opera}"
    );
    assert!(
        opera.ends_with(" Qb8+ $3 {[%eval #1]} Nxb8 {[%eval #1]} Rd8#"),
        "{opera}"
    );
    let fool = &seen[1].main;
    assert!(fool.ends_with(" g4 $4 {[%eval #-1]} Qh4#"), "{fool}");
    // What was better is shown, and the winning side's moves are no errors.
    let unwrapped = pgn.split_whitespace().collect::<Vec<_>>().join(" ");
    let better = unwrapped.contains("2. g4 $4 { [%eval #-1] } ( 2. ");
    assert!(better, "{pgn}");
}

#[test]
fn whatever_an_interruption_leaves_the_next_run_completes_it() {
    let folder = Folder::new("analyse-resume");
    let (input, out) = (games(), folder.path("out.pgn"));
    let args = [&*input, "--nodes", "40", "--out", &out];
    let first = printed(&args);
    assert_eq!(first.lines().count(), 4);
    let whole = folder.read("out.pgn");
    assert_eq!(printed(&[&input, "--nodes", "40"]), whole);
    assert_eq!(printed(&args), "4 games were there already\n");
    let step = whole.len() / 23;
    let lengths = (0..whole.len()).step_by(step);
    let ends = whole.match_indices("\n\n[Event").map(|(at, _)| at);
    for length in lengths.chain(ends.flat_map(|at| [at + 1, at + 2, at + 3])) {
        let length = (0..=length).rev().find(|&at| whole.is_char_boundary(at));
        folder.write("out.pgn", &whole[..length.unwrap_or_default()]);
        printed(&args);
        assert!(folder.read("out.pgn") == whole, "cut at {length:?}");
    }
}

#[test]
fn a_file_that_holds_something_else_is_left_alone() {
    let folder = Folder::new("analyse-foreign");
    let input = games();
    let small = folder.write("small.pgn", "[Event \"x\"]\n\n1. e4 *\n");
    let diary = folder.write("diary.txt", "Dear diary\n\n");
    let other = folder.path("other.pgn");
    printed(&[&small, "--nodes", "20", "--out", &other]);
    for out in [&diary, &other, &input] {
        let before = fs::read(out).expect("readable");
        let output = run(&[&input, "--nodes", "20", "--out", out]);
        assert_eq!(output.status.code(), Some(2), "{out}");
        assert_eq!(
            text(&output.stderr).lines().count(),
            1,
            "{}",
            text(&output.stderr)
        );
        assert_eq!(fs::read(out).expect("readable"), before, "{out}");
    }
    // More games than the input has are not this command's work either.
    let twice = fs::read_to_string(&other).expect("readable").repeat(2);
    folder.write("other.pgn", twice);
    let output = run(&[&small, "--nodes", "20", "--out", &other]);
    assert_eq!(output.status.code(), Some(2));
}

/// Waits until a process handles SIGINT itself, as the system tells.
#[cfg(target_os = "linux")]
fn wait_until_it_listens(id: u32) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let handles = || {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask & 2 != 0)
    };
    while !handles() {
        assert!(
            std::time::Instant::now() < deadline,
            "no handler for SIGINT"
        );
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// The first run would take hours: it is in the third game when it is interrupted.
#[cfg(target_os = "linux")]
#[test]
fn control_c_leaves_whole_games_and_tells_how_to_go_on() {
    let folder = Folder::new("analyse-interrupt");
    let (input, out) = (games(), folder.path("out.pgn"));
    let whole = printed(&[&input, "--nodes", "40"]);
    let (third, _) = whole.match_indices("[Event ").nth(2).expect("four games");
    folder.write("out.pgn", &whole[..third + 20]);
    let child = command(&[&input, "--movetime", "9000000", "--out", &out])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    wait_until_it_listens(child.id());
    let id = child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status();
    assert!(killed.expect("kill").success());
    let output = child.wait_with_output().expect("it ends");
    let complaint = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{complaint}");
    assert!(
        complaint.contains("interrupted: 2 of 5 games are in "),
        "{complaint}"
    );
    assert_eq!(folder.read("out.pgn"), whole[..third]);
    printed(&[&input, "--nodes", "40", "--out", &out]);
    assert_eq!(folder.read("out.pgn"), whole);
}

#[test]
fn positions_come_back_with_the_operations_of_the_standard() {
    let folder = Folder::new("analyse-epd");
    let mate = "7k/8/5K2/8/8/8/8/R7 w - - bm Kf7 Kg6; id \"two moves\";";
    let stale = "7k/5Q2/6K1/8/8/8/8/8 b - - id \"stalemate\";";
    let input = folder.write("in.epd", format!("{mate}\nnonsense\n# a remark\n{stale}\n"));
    let out = folder.path("out.epd");
    let args = [&*input, "--depth", "12", "--out", &out];
    let output = run(&args);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).ends_with("in.epd: position 2 is skipped: invalid FEN: board\n"));
    let written = text(&output.stdout).to_owned();
    let lines: Vec<&str> = written.lines().collect();
    assert!(lines[0].starts_with(mate), "{}", lines[0]);
    // Mate in two moves, that is three plies, counted from 32767 by the standard.
    assert!(lines[0].contains(" ce 32764; pm K"), "{}", lines[0]);
    assert!(
        lines[1].starts_with(stale) && lines[1].contains(" ce 0;"),
        "{}",
        lines[1]
    );
    assert_eq!(folder.read("out.epd"), written);
    for length in [0, 30, lines[0].len(), lines[0].len() + 1, written.len()] {
        folder.write("out.epd", &written[..length]);
        run(&args);
        assert_eq!(folder.read("out.epd"), written, "{length}");
    }
}

#[test]
fn programs_get_json() {
    let parse = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
    let lines = printed(&[&games(), "--depth", "4", "--game", "2", "--json"]);
    let lines: Vec<Value> = lines.lines().map(parse).collect();
    assert_eq!(lines.len(), 5);
    let g4 = &lines[2];
    assert_eq!(
        (&g4["number"], &g4["ply"]),
        (&Value::from(2), &Value::from(2))
    );
    assert_eq!(
        (&g4["played"], &g4["nag"]),
        (&Value::from("g4"), &Value::from(4))
    );
    assert_eq!(lines[3]["lines"][0]["mate"], -1);
    assert_eq!(lines[3]["lines"][0]["pv"][0], "d8h4");
    assert_eq!(lines[4]["lines"][0]["pv"], Value::Array(Vec::new()));
    let fen = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
    let line = parse(&printed(&["--json", "--depth", "3", "--multipv", "2", fen]));
    assert_eq!(line["lines"][0]["mate"], 1);
    assert_eq!(line["lines"].as_array().map(Vec::len), Some(2));
    assert_eq!(line["fen"], fen);
}

#[test]
fn pictures_are_drawn_one_a_game() {
    let folder = Folder::new("analyse-svg");
    let svg = folder.path("game.svg");
    printed(&[&games(), "--nodes", "20", "--svg", &svg]);
    let names = |folder: &Path| fs::read_dir(folder).expect("a folder").count();
    assert_eq!(names(&folder.0), 4);
    let first = folder.read("game-1.svg");
    assert!(first.contains("Paul Morphy – Duke of Brunswick"), "{first}");
    printed(&[&games(), "--nodes", "20", "--svg", &svg, "--game", "1"]);
    assert_eq!(folder.read("game.svg"), first);
}

#[test]
fn several_positions_may_be_asked_for() {
    let one = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
    let two = "r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1";
    let text = printed(&["--depth", "3", one, two]);
    assert!(text.contains("best move a1a8 (Ra8#)\n\nr5k1/"), "{text}");
    assert!(text.ends_with("best move a8a1 (Ra1#)\n"), "{text}");
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let folder = Folder::new("analyse-refused");
    let broken = folder.write("broken.pgn", "[Event \"x\"]\n\n1. e5 *\n");
    let empty = folder.write("empty.epd", "# nothing\n");
    let words = folder.write("words.txt", "1. e4 *\n");
    let input = games();
    for (args, reason) in [
        (&["no/such.pgn"][..], "no/such.pgn: "),
        (&["no/such.epd"], "no/such.epd: "),
        (&[&broken], "no sound game among 1"),
        (&[&empty], "no sound position"),
        (&[&words], "does not end in .pgn or .epd"),
        (
            &[&input, "--game", "6"],
            "there is no game 6: the last one is 5",
        ),
        (&[&input, "--game", "0"], "games are counted from 1"),
        (
            &[&input, "--moves", "e2e4"],
            "--moves does not go with games",
        ),
        (
            &[&input, "--out", "/no/such/folder/x"],
            "/no/such/folder/x: ",
        ),
        (&["--svg", "x.svg"], "--svg does not go with a position"),
        (
            &["--out", "x.pgn"],
            "--out does not go with a single position",
        ),
    ] {
        let output = run(args);
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {complaint}");
        assert!(output.stdout.is_empty(), "{args:?}");
        let last = complaint.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("error: ") && last.contains(reason),
            "{complaint}"
        );
    }
}
