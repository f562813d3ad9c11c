//! The loop on scripts that end at once; what needs time and pipes is tested on the real binary.

use std::io::Cursor;
use std::sync::{Arc, Mutex};

use crate::roster::Roster;

use super::*;

/// What was written, shared with the loop.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn engine() -> Engine {
    let options = Options {
        hash: 1,
        ..Options::default()
    };
    Engine::new(options).unwrap()
}

/// What the loop answers to these lines, line by line.
fn answers(script: &str) -> Vec<String> {
    answers_of(engine(), None, script)
}

fn answers_of(engine: Engine, trouble: Option<&str>, script: &str) -> Vec<String> {
    let trouble = trouble.map(str::to_owned);
    let written = Written::default();
    let input = Cursor::new(script.to_owned());
    let mut bench = |numbers: &[u64], out: &mut dyn Write| writeln!(out, "bench of {numbers:?}");
    run(
        engine,
        trouble,
        input,
        Box::new(written.clone()),
        &mut bench,
    )
    .unwrap();
    let bytes = written.0.lock().unwrap().clone();
    let text = String::from_utf8(bytes).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn last(script: &str) -> String {
    answers(script).pop().expect("an answer")
}

#[test]
fn uci_is_answered_by_name_options_and_uciok() {
    let lines = answers("uci\n");
    assert!(lines[0].starts_with("id name Standpat ") && lines[1].starts_with("id author "));
    let options = lines
        .iter()
        .filter(|line| line.starts_with("option name "))
        .count();
    assert!(options >= Options::ROWS.len());
    assert_eq!(lines.last().unwrap(), "uciok");
}

#[test]
fn every_script_ends_with_the_answer_of_a_limited_search() {
    let lines = answers("position startpos moves e2e4\ngo depth 3\n");
    let (best, info) = (&lines[lines.len() - 1], &lines[lines.len() - 2]);
    let mv = best.split(' ').nth(1).unwrap();
    assert!(info.starts_with("info depth 3 ") && info.contains(&format!(" pv {mv}")));
    let unlimited = "go infinite\n";
    assert!(last(unlimited).starts_with("bestmove "));
    assert!(last("go ponder depth 2\n").starts_with("bestmove "));
}

/// What a loop with these profiles and this trouble answers.
fn answers_with(profiles: &str, trouble: Option<&str>, script: &str) -> Vec<String> {
    let roster = Roster::parse(profiles, "e.toml".as_ref(), "/".as_ref()).unwrap();
    let mut engine = engine();
    engine.set_profiles(roster.settled_profiles());
    answers_of(engine, trouble, script)
}

#[test]
fn a_profile_sets_its_options_as_if_one_by_one() {
    let file = "[profiles.wide]\noptions = { MultiPV = 3, Hash = 2 }\n\
                [profiles.lost]\noptions = { EvalFile = \"none.net\", MultiPV = 2 }\n";
    let run = |script: &str| answers_with(file, None, script);
    let offered = "option name Profile type combo default None var None var lost var wide";
    assert!(run("uci\n").contains(&offered.to_owned()));
    let width = |lines: &[String]| {
        let last = "info depth 2 ";
        lines.iter().filter(|line| line.starts_with(last)).count()
    };
    let chosen = run("setoption name Profile value WIDE\ngo depth 2\n");
    assert_eq!(width(&chosen), 3);
    // None changes nothing, in whatever order the options come.
    let none = "setoption name profile value wide\nsetoption name Profile value None\ngo depth 2\n";
    assert_eq!(width(&run(none)), 3);
    // What goes wrong with one option does not keep the others from being set.
    let lost = run("setoption name Profile value lost\ngo depth 2\n");
    assert!(
        lost[0]
            .starts_with("info string error: profile lost: the network '/none.net' is not taken: ")
    );
    assert_eq!(width(&lost), 2);
    let unknown = run("setoption name Profile value wild\n");
    assert_eq!(
        unknown,
        ["info string error: Profile: 'wild' is none of None, lost, wide"]
    );
}

#[test]
fn a_profile_waits_for_the_end_of_a_search() {
    let file = "[profiles.big]\noptions = { Hash = 2 }\n";
    let script = "go infinite\nsetoption name Profile value big\nstop\nquit\n";
    let lines = answers_with(file, None, script);
    let remark = "info string Profile waits for the end of the search";
    assert!(lines.contains(&remark.to_owned()), "{lines:?}");
}

#[test]
fn trouble_is_told_to_whoever_asks_for_the_options() {
    let lines = answers_with("", Some("e.toml:1: it is broken"), "uci\nisready\n");
    let [.., trouble, uciok, ready] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert_eq!(trouble, "info string error: e.toml:1: it is broken");
    assert_eq!((&**uciok, &**ready), ("uciok", "readyok"));
    let offered = "option name Profile type combo default None var None";
    assert!(lines.contains(&offered.to_owned()));
}

/// A book with the one move e2e4 for the start of the game, in Polyglot's format.
const BOOK: [u8; 16] = [
    0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c, 0x03, 0x1c, 0, 1, 0, 0, 0, 0,
];

#[test]
fn moves_of_the_book_are_played_in_games_and_not_in_analysis() {
    let path = std::env::temp_dir().join(format!("standpat-{}.bin", std::process::id()));
    std::fs::write(&path, BOOK).unwrap();
    let open = format!("setoption name Book File value {}\n", path.display());
    let on = format!("{open}setoption name OwnBook value true\n");
    for go in [
        "go movetime 9000000",
        "go wtime 9000000 btime 9000000",
        "go depth 200",
    ] {
        let lines = answers(&format!("{on}{go}\n"));
        assert_eq!(
            lines,
            ["info string a move of the book", "bestmove e2e4"],
            "{go}"
        );
    }
    let silent = |script: &str| {
        let lines = answers(script);
        assert!(lines.iter().all(|line| !line.contains("book")), "{lines:?}");
        assert!(lines.last().unwrap().starts_with("bestmove "));
    };
    silent(&format!("{open}go depth 2\n"));
    silent(&format!("{on}position startpos moves e2e4\ngo depth 2\n"));
    silent(&format!(
        "{on}setoption name UCI_AnalyseMode value true\ngo depth 2\n"
    ));
    silent(&format!(
        "{on}setoption name Book File value <empty>\ngo depth 2\n"
    ));
    for go in [
        "go infinite",
        "go ponder depth 2",
        "go mate 1 depth 2",
        "go depth 2 searchmoves a2a3",
    ] {
        silent(&format!("{on}{go}\n"));
    }
    // What is no book is refused, and the one before stays.
    let lines = answers(&format!(
        "{on}setoption name Book File value /no/such.bin\ngo depth 2\n"
    ));
    assert!(lines[0].starts_with("info string error: the book '/no/such.bin' cannot be used: "));
    assert_eq!(lines[2], "bestmove e2e4");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn nothing_is_answered_to_what_needs_no_answer() {
    let silent = "\nstop\nponderhit\nregister later\ndebug on\nucinewgame\nposition startpos\n\
                  setoption name Ponder value true\nsetoption name SyzygyPath value <empty>\n";
    assert_eq!(answers(silent), [""; 0]);
    assert_eq!(
        answers(&format!("{silent}isready\nquit\nisready\n")),
        ["readyok"]
    );
}

#[test]
fn what_is_wrong_is_told_in_one_line_and_changes_nothing() {
    for (line, reason) in [
        ("xboard", "unknown command 'xboard', try help"),
        ("position fen garbage", "invalid FEN: board"),
        (
            "position startpos moves e2e4 e2e4",
            "illegal move 'e2e4'; the position is the one before it",
        ),
        (
            "setoption name Hash value 0",
            "Hash: 0 is not within 1 to 33554432",
        ),
        (
            "setoption name Contempt value 10",
            "unknown option 'Contempt'",
        ),
    ] {
        assert_eq!(
            answers(&format!("{line}\n")),
            [format!("info string error: {reason}")]
        );
    }
}

#[test]
fn a_bad_position_leaves_the_old_one_and_a_bad_move_the_one_before_it() {
    let fen = |script: &str| {
        let lines = answers(&format!("{script}\nd\n"));
        let fen = lines
            .iter()
            .find_map(|line| line.strip_prefix("FEN: "))
            .unwrap();
        fen.to_owned()
    };
    let game = "position fen 8/4P1k1/8/8/8/8/6K1/8 w - - 0 1";
    assert_eq!(
        fen(&format!("{game}\nposition fen garbage")),
        "8/4P1k1/8/8/8/8/6K1/8 w - - 0 1"
    );
    assert_eq!(
        fen(&format!("{game} moves e7e8")),
        "8/4P1k1/8/8/8/8/6K1/8 w - - 0 1"
    );
    assert_eq!(
        fen(&format!("{game} moves e7e8Q zz")),
        "4Q3/6k1/8/8/8/8/6K1/8 b - - 0 1"
    );
    assert_eq!(
        fen(&format!("{game}\nflip")),
        "8/6k1/8/8/8/8/4p1K1/8 b - - 0 1"
    );
}

#[test]
fn search_moves_bind_and_illegal_ones_are_left_out() {
    assert!(last("go depth 3 searchmoves a2a3\n").starts_with("bestmove a2a3"));
    let lines = answers("go depth 2 searchmoves a1a2 h2h3 h2h3\n");
    assert_eq!(
        lines[0],
        "info string error: searchmoves: illegal move 'a1a2'"
    );
    assert!(lines.last().unwrap().starts_with("bestmove h2h3"));
    let lines = answers("go depth 1 searchmoves zz\n");
    assert!(lines[1].ends_with("all moves are searched"));
    assert!(lines.last().unwrap().starts_with("bestmove "));
}

#[test]
fn a_second_go_is_refused_but_not_behind_a_stop() {
    let lines = answers("go infinite\ngo depth 1\nstop\n");
    assert!(lines.contains(&"info string error: go is ignored, a search is running".to_owned()));
    let best = |lines: &[String]| {
        lines
            .iter()
            .filter(|line| line.starts_with("bestmove "))
            .count()
    };
    assert_eq!(best(&lines), 1);
    let lines = answers("go infinite\nstop\nposition startpos moves e2e4\ngo depth 2\n");
    assert_eq!(best(&lines), 2);
}

#[test]
fn options_that_the_search_stands_on_wait_for_its_end() {
    let lines = answers(
        "go infinite\nsetoption name Hash value 2\nsetoption name hash value x\n\
         setoption name MultiPV value 2\nisready\nstop\ngo depth 1\n",
    );
    let at = |text: &str| {
        lines
            .iter()
            .position(|line| line.starts_with(text))
            .expect(text)
    };
    assert!(at("info string Hash waits for the end of the search") < at("readyok"));
    assert!(at("bestmove ") < at("info string error: Hash: 'x'"));
    assert!(lines.iter().any(|line| line.contains(" multipv 2 ")));
}

#[test]
fn a_finished_game_has_no_move() {
    let mated = "position fen R5k1/5ppp/8/8/8/8/8/7K b - - 0 1\ngo depth 3\n";
    let lines = answers(mated);
    assert!(lines[0].starts_with("info depth 0 seldepth 0 multipv 1 score mate 0 "));
    assert_eq!(lines[1], "bestmove (none)");
}

#[test]
fn people_are_answered_too() {
    assert_eq!(answers("bench 3 2 1\n"), ["bench of [3, 2, 1]".to_owned()]);
    assert_eq!(last("go perft 3\n"), "Nodes searched: 8902");
    assert_eq!(last("perft 0\n"), "Nodes searched: 1");
    assert!(last("eval\n").starts_with("Static evaluation: "));
    for command in ["help", "license", "compiler", "d"] {
        assert!(!answers(&format!("{command}\n")).is_empty());
    }
    let debug = answers("debug on\ngo depth 1\n");
    assert!(debug[0].starts_with("info string debug: "));
}

#[test]
fn a_closed_pipe_ends_the_loop_at_once() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let input = Cursor::new("go infinite\n");
    let mut bench = |_: &[u64], _: &mut dyn Write| Ok(());
    let ended = run(engine(), None, input, Box::new(Closed), &mut bench);
    assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}
