//! `standpat book`, and the engine that plays from one: on a book that Polyglot itself has made.

mod common;

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::process::Process;
use common::session::Session;
use common::{data_path, engine_path};

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_standpat"))
        .arg("book")
        .arg(data_path("book.bin"))
        .args(args)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts")
}

fn printed(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).expect("plain text")
}

/// Moves and weights are those that python-chess reads in the same file.
#[test]
fn the_moves_of_a_position_are_listed_by_weight() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let expected = format!(
        "{start}\nkey 463b96181691fc9c\n\n\
         move     uci    weight    share\n\
         e4       e2e4        6   75.0 %\n\
         d4       d2d4        1   12.5 %\n\
         c4       c2c4        1   12.5 %\n"
    );
    assert_eq!(printed(&[]), expected);
    assert_eq!(printed(&[start]), expected);
    assert_eq!(
        printed(&["--json", "--moves", "e4", "e5"]),
        "{\"san\":\"Nf3\",\"uci\":\"g1f3\",\"weight\":4}\n"
    );
    let text = printed(&["--moves", "a3"]);
    assert!(text.ends_with("\nthe book has no move here\n"), "{text}");
    assert_eq!(printed(&["--json", "--moves", "a3"]), "");
    assert_eq!(run(&["--moves", "e5"]).status.code(), Some(2));
}

/// A whole game's opening by UCI: the book's moves at once, then thought.
#[test]
fn the_engine_plays_the_book_and_thinks_when_it_ends() {
    let mut session =
        Session::new(Process::start::<&str>(engine_path(), &[], None).expect("it starts"));
    let far = || Instant::now() + Duration::from_secs(60);
    let book = data_path("book.bin");
    session.send(&format!(
        "setoption name Book File value {}",
        book.display()
    ));
    session.send("setoption name OwnBook value true");
    session.ready_before(far());
    let mut moves = "d2d4".to_owned();
    for expected in ["d7d5", "c2c4", "e7e6", "b1c3"] {
        session.send(&format!("position startpos moves {moves}"));
        session.send("go wtime 9000000 btime 9000000");
        let answer = session.answer_before(far()).expect("an answer");
        assert_eq!(answer.best, expected);
        moves += &format!(" {expected}");
    }
    session.send(&format!("position startpos moves {moves}"));
    session.send("go depth 3");
    let answer = session.answer_before(far()).expect("an answer");
    assert!(!answer.best.is_empty());
    session.finish();
    // A book knows no scores.
    session
        .problems
        .retain(|problem| problem != "no score before bestmove");
    session.verdict().expect("no mistakes");
}
