//! A short tournament between the built binary and engines that Debian ships, refereed here: every
//! move, every clock and every line of play is checked, in bullet games of several time controls,
//! a Chess960 game and games with pondering (case T06 of the dialogues).
//!
//! Where no other engine is installed, ours plays against itself. The result of a game is no
//! matter here, only that ours never errs: no illegal move, no lost clock, no silence. A clock
//! that falls is excused as far as the machine stood still (a heartbeat shows that) or let the
//! engine wait for a processor.

mod common;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position};

use common::check::Answer;
use common::epd;
use common::machine::Heartbeat;
use common::process::Process;
use common::session::{Session, read_fen};

/// Opponents: program, and options that make it a plain engine with one thread.
const OPPONENTS: [(&str, &[&str]); 4] = [
    (
        "glaurung",
        &[
            "Threads value 1",
            "OwnBook value false",
            "Ponder value false",
        ],
    ),
    (
        "toga2",
        &["Number of Threads value 1", "OwnBook value false"],
    ),
    ("ethereal-chess", &["Threads value 1"]),
    ("stockfish", &["Threads value 1", "Move Overhead value 30"]),
];

const CHESS960: [&str; 2] = [
    "nqrnbkrb/pppppppp/8/8/8/8/PPPPPPPP/NQRNBKRB w KQkq - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
];

/// No game is longer, in plies.
const LONGEST: usize = 300;

/// What the scheduler and the pipes may cost a move. Ours keeps a reserve of its own against it.
const MARGIN: Duration = Duration::from_millis(10);

/// One game to be played.
#[derive(Clone, Debug)]
struct Pairing {
    opponent: Option<(PathBuf, Vec<String>)>,
    ours: Color,
    fen: String,
    terms: Terms,
    chess960: bool,
    ponder: bool,
    threads: u32,
}

/// A time control.
#[derive(Clone, Copy, Debug)]
struct Terms {
    base: Duration,
    increment: Duration,
    moves: Option<u32>,
}

impl Terms {
    fn new(base: u64, increment: u64, moves: Option<u32>) -> Terms {
        let millis = Duration::from_millis;
        Terms {
            base: millis(base),
            increment: millis(increment),
            moves,
        }
    }
}

/// One side of a game.
struct Player {
    session: Session,
    ours: bool,
    ponder: bool,
    clock: Duration,
    /// Moves to the next time control.
    to_go: Option<u32>,
    /// The expected reply it ponders on, in UCI's form.
    pondering: Option<String>,
}

/// How a game ended, and what was wrong with our engine.
#[derive(Debug, Default)]
struct Report {
    result: String,
    plies: usize,
    least_clock: Option<Duration>,
    stalled: Duration,
    faults: Vec<String>,
}

#[test]
fn a_short_tournament_without_a_fault() {
    let opponents = installed();
    let mut games = Vec::new();
    let openings: Vec<String> = epd::sample("book.epd", 25)
        .iter()
        .map(epd::Record::fen)
        .collect();
    let fields: Vec<Option<(PathBuf, Vec<String>)>> = match opponents.len() {
        0 => vec![None; 2],
        _ => opponents.iter().cloned().map(Some).collect(),
    };
    for (number, opponent) in fields.iter().enumerate() {
        for ours in Color::ALL {
            games.push(Pairing {
                opponent: opponent.clone(),
                ours,
                fen: openings[number].clone(),
                terms: Terms::new(500, 10, None),
                chess960: false,
                ponder: false,
                threads: 1,
            });
        }
    }
    let plain = games[0].clone();
    let stockfish = fields.last().cloned().flatten();
    let special = [
        (Terms::new(100, 10, None), false, false, 1),
        (Terms::new(1000, 10, Some(40)), false, false, 1),
        (Terms::new(1000, 0, None), false, false, 2),
        (Terms::new(500, 10, None), true, false, 1),
        (Terms::new(500, 10, None), false, true, 1),
    ];
    for (number, (terms, chess960, ponder, threads)) in special.into_iter().enumerate() {
        let fen = if chess960 {
            CHESS960[0].to_owned()
        } else {
            openings[10 + number].clone()
        };
        // Chess960 and pondering against ourselves too where the opponent may not know them.
        let opponent = if chess960 {
            stockfish.clone()
        } else {
            plain.opponent.clone()
        };
        let opponent = if ponder { None } else { opponent };
        let ours = if number % 2 == 0 {
            Color::White
        } else {
            Color::Black
        };
        games.push(Pairing {
            opponent,
            ours,
            fen,
            terms,
            chess960,
            ponder,
            threads,
        });
    }
    referee(games, 2);
}

/// The long run: bullet games by the hundred. `cargo test --release --test tournament -- --ignored
/// --nocapture` on an idle machine.
#[test]
#[ignore = "takes minutes and an idle machine"]
fn bullet_games_by_the_hundred() {
    let opponents = installed();
    let openings = epd::read("book.epd");
    let terms = [
        Terms::new(100, 10, None),
        Terms::new(500, 10, None),
        Terms::new(1000, 10, Some(40)),
        Terms::new(1000, 0, None),
    ];
    let games = (0..200)
        .map(|number| Pairing {
            opponent: opponents.get(number / 8 % opponents.len().max(1)).cloned(),
            ours: if number % 2 == 0 {
                Color::White
            } else {
                Color::Black
            },
            fen: openings[number / 2 % openings.len()].fen(),
            terms: terms[number / 2 % terms.len()],
            chess960: false,
            ponder: false,
            threads: 1,
        })
        .collect();
    referee(games, 2);
}

/// Chess960 games against itself and against Stockfish, with and without pondering.
#[test]
#[ignore = "takes minutes"]
fn chess960_and_ponder_games() {
    let stockfish = installed()
        .into_iter()
        .find(|(path, _)| path.ends_with("stockfish"));
    let mut games = Vec::new();
    for number in 0..12 {
        games.push(Pairing {
            opponent: if number % 2 == 0 {
                stockfish.clone()
            } else {
                None
            },
            ours: if number % 4 < 2 {
                Color::White
            } else {
                Color::Black
            },
            fen: CHESS960[number % 2].to_owned(),
            terms: Terms::new(500, 10, None),
            chess960: true,
            ponder: number % 3 == 0,
            threads: 1 + number as u32 % 2,
        });
    }
    referee(games, 2);
}

/// The opponents that are installed here.
fn installed() -> Vec<(PathBuf, Vec<String>)> {
    let found: Vec<(PathBuf, Vec<String>)> = OPPONENTS
        .iter()
        .map(|&(name, options)| {
            let options = options.iter().map(|&option| option.to_owned()).collect();
            (Path::new("/usr/games").join(name), options)
        })
        .filter(|(path, _): &(PathBuf, Vec<String>)| path.exists())
        .collect();
    if found.is_empty() {
        println!("no other engine is installed: ours plays against itself");
    }
    found
}

/// Plays all games, several at a time, prints how they went, and fails on any fault.
fn referee(games: Vec<Pairing>, concurrency: usize) {
    let heartbeat = Heartbeat::start();
    let queue = Mutex::new(games.into_iter().enumerate());
    let reports = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..concurrency {
            scope.spawn(|| {
                loop {
                    let Some((number, game)) = queue.lock().expect("queue").next() else {
                        return;
                    };
                    let report = play(&game, &heartbeat).unwrap_or_else(|error| Report {
                        result: "not played".into(),
                        faults: vec![error],
                        ..Report::default()
                    });
                    reports
                        .lock()
                        .expect("reports")
                        .push((number, game, report));
                }
            });
        }
    });
    let mut reports = reports.into_inner().expect("reports");
    reports.sort_by_key(|(number, ..)| *number);
    let mut faults = Vec::new();
    for (number, game, report) in reports {
        let opponent = game.opponent.as_ref().map_or("itself".into(), |(path, _)| {
            path.file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        });
        println!(
            "game {:>3}: {:?} against {opponent:<15} {:>3} plies, {}, least clock {:?}, \
             machine stalled {:?}",
            number + 1,
            game.ours,
            report.plies,
            report.result,
            report.least_clock.unwrap_or_default(),
            report.stalled,
        );
        faults.extend(
            report
                .faults
                .iter()
                .map(|fault| format!("game {}: {fault}", number + 1)),
        );
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

impl Player {
    fn start(game: &Pairing, ours: bool) -> Result<Player, String> {
        let (program, options) = match &game.opponent {
            Some((path, options)) if !ours => (path.clone(), options.clone()),
            _ => (
                common::engine_path(),
                vec![format!("Threads value {}", game.threads)],
            ),
        };
        let ours = ours || game.opponent.is_none();
        let process = Process::start::<&str>(&program, &[], Some(&std::env::temp_dir()))
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let mut session = Session::new(process);
        let deadline = Instant::now() + Duration::from_secs(30);
        session.send("uci");
        if !session.see_before(deadline, |line| line == "uciok") {
            return Err(format!("{}: no uciok", program.display()));
        }
        session.send("setoption name Hash value 16");
        for option in options {
            session.send(&format!("setoption name {option}"));
        }
        if game.chess960 {
            session.send("setoption name UCI_Chess960 value true");
        }
        if game.ponder && ours {
            session.send("setoption name Ponder value true");
        }
        session.send("ucinewgame");
        if !session.ready_before(Instant::now() + Duration::from_secs(30)) {
            return Err(format!("{}: no readyok", program.display()));
        }
        Ok(Player {
            session,
            ours,
            ponder: game.ponder && ours,
            clock: game.terms.base,
            to_go: game.terms.moves,
            pondering: None,
        })
    }

    /// Makes it think about the position; `last` is the move that led there.
    fn think(&mut self, position: &str, go: &str, last: Option<&str>) -> (Instant, Option<Answer>) {
        let mut start = None;
        if let Some(expected) = self.pondering.take() {
            if Some(expected.as_str()) == last {
                start = Some(self.session.send("ponderhit"));
            } else {
                self.session.send("stop");
                self.session
                    .answer_before(Instant::now() + Duration::from_secs(10));
            }
        }
        let start = start.unwrap_or_else(|| {
            self.session.send(position);
            self.session.send(go)
        });
        let patience = self.clock + Duration::from_secs(10);
        (start, self.session.answer_before(start + patience))
    }

    /// Takes the used time off the clock. `false` when it has fallen.
    fn charge(&mut self, used: Duration, terms: Terms) -> bool {
        let fallen = used > self.clock + MARGIN;
        self.clock = self.clock.saturating_sub(used);
        if !fallen {
            self.clock += terms.increment;
        }
        if let Some(moves) = &mut self.to_go {
            *moves -= 1;
            if *moves == 0 {
                self.to_go = terms.moves;
                self.clock += terms.base;
            }
        }
        !fallen
    }
}

/// The text of a `go` for the side to move; `keyword` may be `ponder `.
fn go_text(
    keyword: &str,
    white: Duration,
    black: Duration,
    terms: Terms,
    to_go: Option<u32>,
) -> String {
    let mut text = format!(
        "go {keyword}wtime {} btime {} winc {inc} binc {inc}",
        white.as_millis(),
        black.as_millis(),
        inc = terms.increment.as_millis(),
    );
    if let Some(moves) = to_go {
        text += &format!(" movestogo {moves}");
    }
    text
}

/// How the game stands after a move, if it is over.
fn ending(position: &Chess, keys: &[u64]) -> Option<String> {
    let here = keys.last();
    if position.is_checkmate() {
        Some(format!("{:?} is mated", position.turn()))
    } else if position.is_stalemate() {
        Some("stalemate".into())
    } else if position.is_insufficient_material() {
        Some("not enough material".into())
    } else if position.halfmoves() >= 100 {
        Some("fifty moves".into())
    } else if keys.iter().filter(|&key| Some(key) == here).count() >= 3 {
        Some("repetition".into())
    } else if keys.len() > LONGEST {
        Some("too long".into())
    } else {
        None
    }
}

fn key_of(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

/// Plays one game.
fn play(game: &Pairing, heartbeat: &Heartbeat) -> Result<Report, String> {
    let mode = if game.chess960 {
        CastlingMode::Chess960
    } else {
        CastlingMode::Standard
    };
    let mut position = read_fen(&game.fen).ok_or("bad opening")?;
    let mut keys = vec![key_of(&position)];
    let mut white = Player::start(game, game.ours.is_white())?;
    let mut black = Player::start(game, game.ours.is_black())?;
    let mut moves: Vec<String> = Vec::new();
    let mut report = Report::default();
    loop {
        if let Some(result) = ending(&position, &keys) {
            report.result = result;
            break;
        }
        let (clocks, turn) = ((white.clock, black.clock), position.turn());
        let player = if turn.is_white() {
            &mut white
        } else {
            &mut black
        };
        let line = match moves.len() {
            0 => format!("position fen {}", game.fen),
            _ => format!("position fen {} moves {}", game.fen, moves.join(" ")),
        };
        let go = go_text("", clocks.0, clocks.1, game.terms, player.to_go);
        let watch = player.session.process().watch();
        let (start, answer) = player.think(&line, &go, moves.last().map(String::as_str));
        let Some(answer) = answer else {
            report.result = format!("{turn:?} is silent");
            break;
        };
        let played = common::check::read_move(&position, mode, &answer.best);
        let stalled = heartbeat
            .stalled_between(start, answer.at)
            .max(player.session.process().waited_since(&watch));
        let used = (answer.at - start).saturating_sub(stalled);
        report.stalled += stalled;
        let left = player.clock.saturating_sub(used);
        if player.ours {
            report.least_clock = Some(report.least_clock.map_or(left, |least| least.min(left)));
        }
        if !player.charge(used, game.terms) {
            report.result = format!("{turn:?} loses on time");
            player
                .session
                .complain(format!("ply {}: {used:?} used", moves.len() + 1));
            break;
        }
        let Ok(played) = played else {
            report.result = format!("{turn:?} plays {}", answer.best);
            break;
        };
        position.play_unchecked(played);
        keys.push(key_of(&position));
        moves.push(answer.best.clone());
        if let Some(reply) = answer.ponder
            && player.ponder
            && ending(&position, &keys).is_none()
        {
            let line = format!(
                "position fen {} moves {} {reply}",
                game.fen,
                moves.join(" ")
            );
            player.session.send(&line);
            let to_go = player.to_go;
            let (mut clocks, own) = (clocks, player.clock);
            *(if turn.is_white() {
                &mut clocks.0
            } else {
                &mut clocks.1
            }) = own;
            player
                .session
                .send(&go_text("ponder ", clocks.0, clocks.1, game.terms, to_go));
            player.pondering = Some(reply);
        }
    }
    report.plies = moves.len();
    for player in [&mut white, &mut black] {
        if player.ours {
            if player.pondering.is_some() {
                player.session.send("stop");
                player
                    .session
                    .answer_before(Instant::now() + Duration::from_secs(10));
            }
            player.session.finish();
            report.faults.extend(player.session.verdict().err());
        }
    }
    Ok(report)
}
