//! A conversation with an engine: it knows what the engine must know (position, options, running
//! searches), checks every line that comes back, and keeps a transcript.

use std::collections::VecDeque;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, FromSetup, Position, PositionError, Setup};

use super::check::{self, Answer, Search};
use super::info::Info;
use super::process::{Line, Process, Silence};

const ENGINE_WORDS: [&str; 8] = [
    "id",
    "option",
    "uciok",
    "readyok",
    "info",
    "bestmove",
    "copyprotection",
    "registration",
];

/// Commands whose answer is text for people.
const FREE_TEXT: [&str; 9] = [
    "d", "eval", "bench", "perft", "help", "compiler", "license", "flip", "--help",
];

/// A conversation.
#[derive(Debug)]
pub struct Session {
    process: Process,
    positions: Vec<Chess>,
    mode: CastlingMode,
    pending: VecDeque<Search>,
    free_text: bool,
    /// Everything said so far, with times.
    pub transcript: Vec<String>,
    /// Everything found wrong so far.
    pub problems: Vec<String>,
    begun: Instant,
}

impl Session {
    /// Takes over a process that has just been started.
    pub fn new(process: Process) -> Session {
        Session {
            process,
            positions: vec![Chess::default()],
            mode: CastlingMode::Standard,
            pending: VecDeque::new(),
            free_text: false,
            transcript: Vec::new(),
            problems: Vec::new(),
            begun: Instant::now(),
        }
    }

    /// The process itself.
    pub fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    /// Searches that have no answer yet.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// A `go` that the engine was free to refuse is owed no answer.
    pub fn forget_pending(&mut self) {
        self.pending.clear();
    }

    /// The positions the engine may be at.
    pub fn positions(&self) -> &[Chess] {
        &self.positions
    }

    /// Something is wrong.
    pub fn complain(&mut self, problem: impl Into<String>) {
        let problem = problem.into();
        self.transcript.push(format!("    !!! {problem}"));
        self.problems.push(problem);
    }

    fn note(&mut self, at: Instant, mark: char, text: &str) {
        let millis = (at - self.begun).as_millis();
        let text: String = text.chars().take(400).collect();
        self.transcript.push(format!("{millis:>7} {mark} {text}"));
    }

    /// Sends one command line.
    pub fn send(&mut self, line: &str) -> Instant {
        self.send_bytes(format!("{line}\n").as_bytes())
    }

    /// Sends bytes, which may hold several lines, or half of one, in one piece.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> Instant {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let at = Instant::now();
        for line in text.lines() {
            self.note(at, '>', line);
            self.understand(line, at);
        }
        self.process.send_bytes(bytes);
        at
    }

    /// What a command changes in our picture of the engine.
    fn understand(&mut self, line: &str, at: Instant) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["position", ref rest @ ..] => self.set_position(rest),
            ["setoption", "name", name, "value", value]
                if name.eq_ignore_ascii_case("UCI_Chess960") =>
            {
                match value.to_ascii_lowercase().as_str() {
                    "true" => self.mode = CastlingMode::Chess960,
                    "false" => self.mode = CastlingMode::Standard,
                    _ => {}
                }
            }
            ["go", "perft", ..] => self.free_text = true,
            ["go", ..] => self.pending.push_back(Search {
                roots: self.positions.clone(),
                mode: self.mode,
                started: at,
                infos: Vec::new(),
            }),
            [word, ..] if FREE_TEXT.contains(&word) => self.free_text = true,
            _ => {}
        }
    }

    fn set_position(&mut self, words: &[&str]) {
        let (start, moves) = match words {
            ["startpos", rest @ ..] => (Some(Chess::default()), rest),
            ["fen", rest @ ..] => {
                let split = rest
                    .iter()
                    .position(|&word| word == "moves")
                    .unwrap_or(rest.len());
                (read_fen(&rest[..split].join(" ")), &rest[split..])
            }
            _ => (None, words),
        };
        // A position that cannot be: the engine keeps what it has.
        let Some(mut position) = start else { return };
        for text in moves.iter().skip(1) {
            let strict = check::read_move(&position, self.mode, text)
                .or_else(|_| check::read_move(&position, CastlingMode::Chess960, text));
            match strict {
                Ok(legal) => position.play_unchecked(legal),
                Err(_) => {
                    // Not a proper move here. The engine may refuse the whole command, stop
                    // before the move, or understand it if it is unambiguous.
                    self.positions.push(position.clone());
                    if let Some(understood) = read_leniently(&position, text) {
                        self.positions.push(understood);
                    }
                    return;
                }
            }
        }
        self.positions = vec![position];
    }

    /// The next line, checked. `None` when none comes before the deadline or the engine is gone.
    pub fn line_before(&mut self, deadline: Instant) -> Result<Heard, Silence> {
        let line = self.process.line_before(deadline)?;
        self.note(line.at, '<', &line.text);
        Ok(self.judge(line))
    }

    fn judge(&mut self, line: Line) -> Heard {
        let first = line.text.split_whitespace().next().unwrap_or_default();
        if !ENGINE_WORDS.contains(&first) && !self.free_text {
            self.complain(format!("unexpected output: {}", line.text));
        }
        match first {
            "info" => self.judge_info(&line),
            "bestmove" => {
                if let Some(search) = self.pending.pop_front() {
                    let (answer, problems) = check::check_answer(search, line.at, &line.text);
                    for problem in problems {
                        self.complain(problem);
                    }
                    return Heard {
                        line,
                        answer: Some(answer),
                    };
                }
                self.complain("bestmove without a go");
            }
            _ => {}
        }
        Heard { line, answer: None }
    }

    fn judge_info(&mut self, line: &Line) {
        let info = match Info::parse(&line.text) {
            Ok(info) => info,
            Err(error) => return self.complain(format!("info: {error}")),
        };
        if info.string.is_some() || (self.free_text && self.pending.is_empty()) {
            return;
        }
        let Some(search) = self.pending.front_mut() else {
            return self.complain("info outside of a search");
        };
        let problems = check::check_numbers(search, line.at, &info);
        if info.score.is_some() {
            search.infos.push((line.at, info));
        }
        for problem in problems {
            self.complain(problem);
        }
    }

    /// Waits for the next answer.
    pub fn answer_before(&mut self, deadline: Instant) -> Option<Answer> {
        loop {
            match self.line_before(deadline) {
                Ok(heard) if heard.answer.is_some() => return heard.answer,
                Ok(_) => {}
                Err(silence) => {
                    self.complain(format!("no bestmove: {silence:?}"));
                    return None;
                }
            }
        }
    }

    /// Waits for a line that the test accepts.
    pub fn see_before(&mut self, deadline: Instant, mut accept: impl FnMut(&str) -> bool) -> bool {
        while let Ok(heard) = self.line_before(deadline) {
            if accept(&heard.line.text) {
                return true;
            }
        }
        false
    }

    /// Asks whether the engine is ready and waits for the answer.
    pub fn ready_before(&mut self, deadline: Instant) -> bool {
        self.send("isready");
        let ready = self.see_before(deadline, |line| line == "readyok");
        if !ready {
            self.complain("no readyok");
        }
        self.free_text = false;
        ready
    }

    /// Waits for the engine to end by itself, checking what it still says.
    pub fn exit_before(&mut self, deadline: Instant) -> Option<ExitStatus> {
        while self.line_before(deadline).is_ok() {}
        let status = self.process.exit_before(deadline);
        if status.is_none() {
            self.complain("the engine does not end");
        }
        status
    }

    /// The usual end of a conversation: the engine is alive, owes no answer and leaves quietly.
    pub fn finish(&mut self) {
        self.ready_before(Instant::now() + Duration::from_secs(20));
        if !self.pending.is_empty() {
            self.complain(format!("{} go without a bestmove", self.pending.len()));
        }
        self.send("quit");
        if let Some(status) = self.exit_before(Instant::now() + Duration::from_secs(10))
            && !status.success()
        {
            self.complain(format!("left with {status}"));
        }
        self.check_errors();
    }

    /// No panic on standard error.
    pub fn check_errors(&mut self) {
        let errors = self.process.errors();
        if errors.contains("panicked") || errors.contains("RUST_BACKTRACE") {
            self.complain(format!("panic: {errors}"));
        }
    }

    /// Everything found wrong, and the talk that led there.
    pub fn verdict(&self) -> Result<(), String> {
        if self.problems.is_empty() {
            return Ok(());
        }
        let skip = self.transcript.len().saturating_sub(400);
        let talk = self.transcript[skip..].join("\n");
        Err(format!(
            "{}\n--- transcript\n{talk}",
            self.problems.join("\n")
        ))
    }
}

/// A line that came, and the answer if it was one.
#[derive(Debug)]
pub struct Heard {
    /// The line.
    pub line: Line,
    /// The search that it ends.
    pub answer: Option<Answer>,
}

/// A position from a FEN, with the leniency that an engine should have: impossible checks and
/// many queens are set up, castling rights without a rook are dropped.
pub fn read_fen(text: &str) -> Option<Chess> {
    let setup = Setup::from(text.parse::<Fen>().ok()?);
    Chess::from_setup(setup, CastlingMode::Chess960)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// Castling as `e1g1` or `O-O` in Chess960, an upper-case promotion letter, or none.
fn read_leniently(position: &Chess, text: &str) -> Option<Chess> {
    let lower = text.to_ascii_lowercase();
    let by_uci = |text: &str| text.parse::<UciMove>().ok()?.to_move(position).ok();
    let found = by_uci(&lower)
        .or_else(|| by_uci(&format!("{lower}q")))
        .or_else(|| text.parse::<San>().ok()?.to_move(position).ok())?;
    let mut after = position.clone();
    after.play_unchecked(found);
    Some(after)
}
