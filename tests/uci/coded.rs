//! Cases that need more than a script.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use shakmaty::{Chess, Color, Position};

use crate::common::check::Answer;
use crate::common::info::Value;
use crate::common::process::Process;
use crate::common::session::Session;
use crate::common::{Random, engine_path, epd};

type Case = fn() -> Result<(), String>;

const CASES: [(&str, Case); 8] = [
    ("hurried_games", hurried_games),
    ("sudden_death", sudden_death),
    ("mates_played_out", mates_played_out),
    ("tiny_table", tiny_table),
    ("bench_command", bench_command),
    ("any_directory", any_directory),
    ("profiles", profiles),
    ("table_is_there", table_is_there),
];

/// Is there such a case?
pub fn exists(name: &str) -> bool {
    CASES.iter().any(|(known, _)| *known == name)
}

/// Runs a case.
pub fn run(name: &str) -> Result<(), String> {
    let (_, case) = CASES
        .iter()
        .find(|(known, _)| *known == name)
        .ok_or("no such case")?;
    case()
}

fn start() -> Result<Session, String> {
    let process = Process::start::<&str>(engine_path(), &[], Some(&std::env::temp_dir()));
    process
        .map(Session::new)
        .map_err(|error| format!("cannot start the engine: {error}"))
}

/// Sends a `go` and waits for its answer.
fn go(session: &mut Session, limits: &str) -> Option<Answer> {
    session.send(&format!("go {limits}"));
    session.answer_before(Instant::now() + Duration::from_secs(60))
}

fn position_command(moves: &[String]) -> String {
    if moves.is_empty() {
        return "position startpos".into();
    }
    format!("position startpos moves {}", moves.join(" "))
}

fn is_over(position: &Chess) -> bool {
    position.legal_moves().is_empty()
        || position.is_insufficient_material()
        || position.halfmoves() >= 100
}

/// P28: forty fast games against itself, the next `position` and `go` sent in one write the
/// instant that `bestmove` arrives.
fn hurried_games() -> Result<(), String> {
    let mut session = start()?;
    let mut random = Random::named("P28");
    for _ in 0..8 {
        session.send("ucinewgame");
        let mut moves: Vec<String> = Vec::new();
        for _ in 0..60 {
            let time = random.between(1, 5);
            let text = format!("{}\ngo movetime {time}\n", position_command(&moves));
            session.send_bytes(text.as_bytes());
            let deadline = Instant::now() + Duration::from_secs(20);
            let Some(answer) = session.answer_before(deadline) else {
                return session.verdict();
            };
            let Some(played) = answer.best_move() else {
                break;
            };
            let mut after = answer.root.clone();
            after.play_unchecked(played);
            moves.push(answer.best);
            if is_over(&after) {
                break;
            }
        }
    }
    session.finish();
    session.verdict()
}

/// T10: two hundred moves on one second, a millisecond lost on each. The engine must spread its time. What it takes is measured, less what the machine took from it: by
/// standing still, or by letting it wait for a processor.
fn sudden_death() -> Result<(), String> {
    let heartbeat = crate::common::machine::Heartbeat::start();
    let mut session = start()?;
    let mut clock = Duration::from_millis(1000);
    let mut moves: Vec<String> = Vec::new();
    let mut random = Random::named("T10");
    let mut position = Chess::default();
    for number in 0..200 {
        if is_over(&position) {
            moves.clear();
        }
        session.send(&position_command(&moves));
        let millis = clock.as_millis();
        let watch = session.process().watch();
        let Some(answer) = go(&mut session, &format!("wtime {millis} btime {millis}")) else {
            return session.verdict();
        };
        let used = answer.took() + Duration::from_millis(1);
        let stalled = heartbeat.stalled_between(answer.search.started, answer.at);
        let excuse = stalled.max(session.process().waited_since(&watch));
        let charged = used.saturating_sub(excuse);
        if charged > clock {
            session.complain(format!("move {number}: {charged:?} used of {clock:?}"));
            break;
        }
        clock -= charged;
        // Our move, then any reply: the game must go on.
        let Some(played) = answer.best_move() else {
            break;
        };
        moves.push(answer.best.clone());
        position.clone_from(&answer.root);
        position.play_unchecked(played);
        let replies = position.legal_moves();
        if !replies.is_empty() {
            let pick = random.between(0, replies.len() as u64 - 1) as usize;
            let reply = replies[pick];
            moves.push(reply.to_uci(shakmaty::CastlingMode::Standard).to_string());
            position.play_unchecked(reply);
        }
    }
    session.finish();
    session.verdict()
}

fn mate_of(answer: &Answer) -> Option<i64> {
    match answer.last()?.score? {
        Value::Mate(moves) => Some(moves),
        Value::Centipawns(_) => None,
    }
}

/// Q04: a mate keeps its distance through the table: after two plies of the line it is nearer,
/// and back at the start it is as near as before. A selective search may lose sight of a mate that
/// is hard to see, but only once in a while, and never gets its distance wrong.
fn mates_played_out() -> Result<(), String> {
    let mut session = start()?;
    let (mut found, mut lost) = (0, Vec::new());
    for record in epd::sample("mate-in-4.epd", 30) {
        let fen = record.fen();
        session.send(&format!("position fen {fen}"));
        let Some(first) = go(&mut session, "depth 14") else {
            return session.verdict();
        };
        let Some(distance) = mate_of(&first) else {
            continue; // Not seen at this depth: other tests count how many are.
        };
        found += 1;
        if distance < 4 {
            session.complain(format!(
                "{}: mate in {distance}, but 4 is the best",
                record.id()
            ));
        }
        let line = first.last().map(|info| info.pv.clone()).unwrap_or_default();
        if line.len() > 2 {
            session.send(&format!("position fen {fen} moves {} {}", line[0], line[1]));
            let Some(second) = go(&mut session, "depth 12") else {
                return session.verdict();
            };
            match mate_of(&second) {
                Some(nearer) if (1..distance).contains(&nearer) => {}
                None => lost.push(record.id().to_owned()),
                Some(wrong) => {
                    session.complain(format!("{}: {distance}, then {wrong}", record.id()));
                }
            }
        }
        session.send(&format!("position fen {fen}"));
        let Some(third) = go(&mut session, "depth 14") else {
            return session.verdict();
        };
        match mate_of(&third) {
            Some(again) if (4..=distance).contains(&again) => {}
            None => lost.push(record.id().to_owned()),
            Some(wrong) => {
                session.complain(format!("{}: {distance}, at last {wrong}", record.id()));
            }
        }
    }
    if found < 10 || lost.len() > found / 10 + 2 {
        session.complain(format!("{found} mates in four found, lost again: {lost:?}"));
    }
    session.finish();
    session.verdict()
}

/// Q05: many positions through a table of one megabyte, without a new game between them.
fn tiny_table() -> Result<(), String> {
    let mut session = start()?;
    session.send("setoption name Hash value 1");
    for (file, count) in [
        ("mate-in-2.epd", 200),
        ("mate-in-3.epd", 200),
        ("book.epd", 50),
    ] {
        for record in epd::sample(file, count) {
            session.send(&format!("position fen {}", record.fen()));
            if go(&mut session, "nodes 6000").is_none() {
                return session.verdict();
            }
        }
    }
    session.finish();
    session.verdict()
}

/// The number before `nodes` in the line that OpenBench reads: `N nodes M nps`.
fn bench_nodes(output: &str) -> Option<u64> {
    output.lines().rev().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [nodes, "nodes", nps, "nps"] => {
                nps.parse::<u64>().ok()?;
                nodes.parse().ok()
            }
            _ => None,
        }
    })
}

/// K01 and Q11: `bench` needs no input, ends well, and counts the same nodes each time, alone or
/// beside others, and by the command of the protocol.
fn bench_command() -> Result<(), String> {
    let bench = || {
        Command::new(engine_path())
            .args(["bench", "--depth", "6"])
            .stdin(std::process::Stdio::null())
            .output()
            .map_err(|error| error.to_string())
    };
    let threads: Vec<_> = (0..3).map(|_| std::thread::spawn(bench)).collect();
    let mut counts = Vec::new();
    for thread in threads {
        let output = thread.join().map_err(|_| "panic")??;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            return Err(format!("bench left with {}: {text}", output.status));
        }
        counts.push(bench_nodes(&text).ok_or(format!("no `N nodes M nps`: {text}"))?);
    }
    if counts.iter().any(|&count| count != counts[0] || count == 0) {
        return Err(format!("bench counted {counts:?}"));
    }
    Ok(())
}

/// W01: from `/`, from a folder with blanks and letters outside ASCII, and through a link.
fn any_directory() -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("Sch ch ü {}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let copy = folder.join("engine é.exe");
    std::fs::copy(engine_path(), &copy).map_err(|error| error.to_string())?;
    let mut places: Vec<(PathBuf, PathBuf)> = vec![
        (engine_path(), PathBuf::from("/")),
        (copy.clone(), folder.clone()),
        (copy.clone(), std::env::temp_dir()),
    ];
    #[cfg(unix)]
    {
        let link = folder.join("a link");
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(&copy, &link).map_err(|error| error.to_string())?;
        places.push((link, PathBuf::from("/")));
    }
    let mut outcome = Ok(());
    for (program, directory) in places {
        outcome = outcome.and_then(|()| works_in(&program, &directory));
    }
    let _ = std::fs::remove_dir_all(&folder);
    outcome
}

fn works_in(program: &Path, directory: &Path) -> Result<(), String> {
    let process = Process::start::<&str>(program, &[], Some(directory))
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let mut session = Session::new(process);
    session.send("uci");
    session.see_before(Instant::now() + Duration::from_secs(20), |line| {
        line == "uciok"
    });
    session.send("position startpos");
    if let Some(answer) = go(&mut session, "depth 5")
        && answer.root.turn() != Color::White
    {
        session.complain("the start position is not White's turn");
    }
    session.finish();
    session.verdict()
}

/// An engine beside its `engines.toml`: the profiles of a sound file are offered and can be chosen;
/// a broken one is complained of, and the game goes on.
fn profiles() -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("profiles-{}", std::process::id()));
    let text = |error: std::io::Error| error.to_string();
    std::fs::create_dir_all(&folder).map_err(text)?;
    let program = folder.join("standpat");
    std::fs::copy(engine_path(), &program).map_err(text)?;
    let roster = folder.join("engines.toml");
    let sound = "[profiles.wide]\noptions = { MultiPV = 2 }\n";
    std::fs::write(&roster, sound).map_err(text)?;
    let offered = "option name Profile type combo default None var None var wide";
    let mut outcome = with_profile(&program, offered, "wide", 2);
    std::fs::write(&roster, sound.replace("MultiPV", "MultiPW")).map_err(text)?;
    let complaint = "engines.toml:2: profiles.wide.options.MultiPW: no such option";
    outcome = outcome.and_then(|()| with_profile(&program, complaint, "None", 1));
    let _ = std::fs::remove_dir_all(&folder);
    outcome
}

/// Sees a line with this text before `uciok`, chooses a profile, and counts the lines of a search.
fn with_profile(program: &Path, told: &str, name: &str, lines: u64) -> Result<(), String> {
    let process = Process::start::<&str>(program, &[], Some(Path::new("/")))
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let mut session = Session::new(process);
    session.send("uci");
    let mut seen = false;
    let deadline = Instant::now() + Duration::from_secs(20);
    session.see_before(deadline, |line| {
        seen |= line.contains(told);
        line == "uciok"
    });
    if !seen {
        session.complain(format!("nothing says `{told}`"));
    }
    session.send(&format!("setoption name Profile value {name}"));
    session.send("position startpos");
    match go(&mut session, "depth 4") {
        Some(answer) if answer.width() != Some(lines) => {
            let width = answer.width();
            session.complain(format!("{width:?} lines with the profile {name}"));
        }
        _ => {}
    }
    session.finish();
    session.verdict()
}

/// A new table's memory is there when the engine is ready: what it costs to get it does not come
/// off a clock.
fn table_is_there() -> Result<(), String> {
    let mut session = start()?;
    session.send("setoption name Hash value 128");
    session.ready_before(Instant::now() + Duration::from_secs(60));
    // Some systems do not tell.
    if let Some(mib @ ..128) = session.process().resident_mib() {
        session.complain(format!("only {mib} MiB of 128 are there"));
    }
    session.finish();
    session.verdict()
}
