//! The little language of `tests/data/dialogues.toml`: one step a line.
//!
//! | step | meaning |
//! |---|---|
//! | `> text` | send a line |
//! | `raw "text"` | send bytes as they are, in one write (`\n` `\r` `\t` `\0` `\xNN` `\\`) |
//! | `flood N` | send N letters and a line end |
//! | `wait N`, `wait A..B` | let N milliseconds pass (or a random number of them) |
//! | `ready [within N]` | send `isready`, wait for `readyok` |
//! | `handshake [within N]` | send `uci`, wait for `uciok`, check every option line |
//! | `offers option TEXT` | the handshake showed this option line |
//! | `see TEXT`, `see end TEXT` | wait for a line that starts (ends) with TEXT |
//! | `silence N` | nothing at all is said for N milliseconds |
//! | `searching N` | no `bestmove` for N milliseconds |
//! | `perft A B C` | `go perft 1`, `2`, `3` count A, B, C |
//! | `moves a1b1 …`, `no move a1b1` | the last `perft`'s first depth showed (did not show) these |
//! | `answer CONDITIONS` | wait for the next `bestmove` |
//! | `answers A..B [within N]` | this many `bestmove` lines come, not more |
//! | `memory N` | the process holds at most N MiB |
//! | `close`, `deafen` | close the engine's input; close our end of its output |
//! | `exit [within N] [answered] [any]` | the engine ends by itself, with code 0 unless `any` |
//! | `repeat N` … `end` | a loop |
//! | `each FILE N` … `end` | a loop over N lines of a file: `{fen}`, `{best}`, `{mate}` |
//!
//! Conditions: `within N` (milliseconds since the last line was sent), `after N` (since `go`),
//! `move a|b`, `not a|b`, `none`, `noponder`, `same NAME` (the search equals the other of that
//! name), `wdl` (each line shows the chances), and of the last line `mate RANGE`, `cp RANGE`, `depth RANGE`, `nodes RANGE`,
//! `lines N`, `nomate` (no exact mate in any line). A range is `A..B`, either end open, or one
//! number.
//!
//! Times are the strict ones. The ordinary run allows ten times as much, and at least five
//! seconds: it must not fail because the machine is busy. The `strict` run takes them literally,
//! save for the time that the engine waits for a processor, where the system tells.

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use crate::common::check::Answer;
use crate::common::info::Value;
use crate::common::process::{Process, Waiting};
use crate::common::session::Session;
use crate::common::{Random, engine_path, epd};

/// How literally the times of a script are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Ten times as much, and at least five seconds.
    Generous,
    /// As written.
    Strict,
}

impl Timing {
    fn allow(self, millis: u64) -> Duration {
        match self {
            Timing::Generous => Duration::from_millis((millis * 10).max(5000)),
            Timing::Strict => Duration::from_millis(millis),
        }
    }
}

/// A step, or a loop of steps.
#[derive(Clone, Debug)]
enum Step {
    Line(String),
    Repeat(u64, Vec<Step>),
    Each(String, usize, Vec<Step>),
}

/// The script goes wrong for good: later steps make no sense.
struct Stop;

type Outcome = Result<(), Stop>;

/// Longest wait for anything without a time of its own.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a script against a fresh engine and says what went wrong.
pub fn run(name: &str, text: &str, timing: Timing) -> Result<(), String> {
    let process = Process::start::<&str>(engine_path(), &[], Some(&std::env::temp_dir()))
        .map_err(|error| format!("cannot start the engine: {error}"))?;
    let mut player = Player::new(Session::new(process), name, timing);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let steps = parse(&mut lines);
    let completed = player.steps(&steps, &HashMap::new()).is_ok();
    if completed && !player.ended {
        player.session.finish();
    }
    player.session.check_errors();
    player.session.verdict()
}

fn parse<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["end"] => break,
            ["repeat", count] => steps.push(Step::Repeat(whole(count), parse(lines))),
            ["each", file, count] => {
                steps.push(Step::Each(
                    file.to_owned(),
                    whole(count) as usize,
                    parse(lines),
                ));
            }
            _ if line.starts_with('#') => {}
            _ => steps.push(Step::Line(line.to_owned())),
        }
    }
    steps
}

fn whole(text: &str) -> u64 {
    text.parse()
        .unwrap_or_else(|_| panic!("script: `{text}` is no number"))
}

/// What must be equal in two searches of one name.
#[derive(Clone, Debug, PartialEq)]
struct Digest {
    best: String,
    nodes: Option<u64>,
    score: Option<Value>,
    pv: Vec<String>,
}

struct Player {
    session: Session,
    timing: Timing,
    random: Random,
    last_sent: Instant,
    watch: Waiting,
    options: Vec<String>,
    divide: BTreeSet<String>,
    digests: HashMap<String, Digest>,
    ended: bool,
}

impl Player {
    fn new(mut session: Session, name: &str, timing: Timing) -> Player {
        Player {
            watch: session.process().watch(),
            session,
            timing,
            random: Random::named(name),
            last_sent: Instant::now(),
            options: Vec::new(),
            divide: BTreeSet::new(),
            digests: HashMap::new(),
            ended: false,
        }
    }

    fn steps(&mut self, steps: &[Step], names: &HashMap<String, String>) -> Outcome {
        for step in steps {
            match step {
                Step::Line(line) => {
                    let mut line = line.clone();
                    for (name, value) in names {
                        line = line.replace(&format!("{{{name}}}"), value);
                    }
                    self.step(&line)?;
                }
                Step::Repeat(count, body) => {
                    for _ in 0..*count {
                        self.steps(body, names)?;
                    }
                }
                Step::Each(file, count, body) => {
                    for record in epd::sample(file, *count) {
                        let mut names = names.clone();
                        names.insert("fen".into(), record.fen());
                        names.insert("best".into(), record.best().join("|"));
                        names.insert("mate".into(), record.get("dm").unwrap_or_default().into());
                        self.steps(body, &names)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn step(&mut self, line: &str) -> Outcome {
        if let Some(text) = line.strip_prefix("> ") {
            self.watch = self.session.process().watch();
            self.last_sent = self.session.send(text);
            return Ok(());
        }
        if let Some(text) = line.strip_prefix("raw ") {
            self.watch = self.session.process().watch();
            self.last_sent = self
                .session
                .send_bytes(&unescape(text.trim().trim_matches('"')));
            return Ok(());
        }
        if let Some(end) = line.strip_prefix("see end ") {
            return self.see(line, |line| line.ends_with(end));
        }
        if let Some(start) = line.strip_prefix("see ") {
            return self.see(line, |line| line.starts_with(start));
        }
        if let Some(option) = line.strip_prefix("offers option ") {
            return self.offers(option);
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["flood", count] => {
                let mut bytes = vec![b'a'; whole(count) as usize];
                bytes.push(b'\n');
                self.last_sent = self.session.send_bytes(&bytes);
                Ok(())
            }
            ["wait", time] => {
                let range = range(time);
                let (low, high) = (*range.start() as u64, *range.end() as u64);
                std::thread::sleep(Duration::from_millis(self.random.between(low, high)));
                Ok(())
            }
            ["ready", ref rest @ ..] => self.ready(rest),
            ["handshake", ref rest @ ..] => self.handshake(rest),
            ["silence", time] => self.silence(whole(time)),
            ["searching", time] => self.searching(whole(time)),
            ["perft", ref counts @ ..] => self.perft(counts),
            ["moves", ref moves @ ..] => self.shown(moves, true),
            ["no", "move", ref moves @ ..] => self.shown(moves, false),
            ["answer", ref rest @ ..] => self.answer(rest),
            ["answers", count, ref rest @ ..] => self.answers(range(count), rest),
            ["memory", most] => self.memory(whole(most)),
            ["close"] => {
                self.last_sent = Instant::now();
                self.session.process().close_input();
                Ok(())
            }
            ["deafen"] => {
                self.session.process().stop_listening();
                Ok(())
            }
            ["exit", ref rest @ ..] => self.exit(rest),
            _ => panic!("script: what is `{line}`?"),
        }
    }

    fn complain(&mut self, text: impl Into<String>) {
        self.session.complain(text);
    }

    /// The time of `within`, if it is there.
    fn limit(&self, words: &[&str]) -> Option<Duration> {
        let at = words.iter().position(|&word| word == "within")?;
        Some(self.timing.allow(whole(words.get(at + 1)?)))
    }

    fn deadline(&self, words: &[&str]) -> Instant {
        self.last_sent + self.limit(words).unwrap_or(PATIENCE)
    }

    fn see(&mut self, step: &str, accept: impl Fn(&str) -> bool) -> Outcome {
        if self.session.see_before(Instant::now() + PATIENCE, accept) {
            return Ok(());
        }
        self.complain(format!("in vain: {step}"));
        Err(Stop)
    }

    fn ready(&mut self, words: &[&str]) -> Outcome {
        self.last_sent = Instant::now();
        let deadline = self.deadline(words);
        if self.session.ready_before(deadline) {
            Ok(())
        } else {
            Err(Stop)
        }
    }

    fn handshake(&mut self, words: &[&str]) -> Outcome {
        self.last_sent = self.session.send("uci");
        let deadline = self.deadline(words);
        let mut lines = Vec::new();
        let done = self.session.see_before(deadline, |line| {
            lines.push(line.to_owned());
            line == "uciok"
        });
        if !done {
            self.complain("no uciok");
            return Err(Stop);
        }
        for start in ["id name ", "id author "] {
            if lines.iter().filter(|line| line.starts_with(start)).count() != 1 {
                self.complain(format!("not exactly one `{start}`"));
            }
        }
        self.options.clear();
        for line in &lines {
            if let Some(option) = line.strip_prefix("option ") {
                if let Err(error) = check_option(option) {
                    self.complain(format!("{error}: {line}"));
                }
                self.options.push(option.to_owned());
            }
        }
        let mut names: Vec<String> = self
            .options
            .iter()
            .map(|option| option_name(option).to_lowercase())
            .collect();
        names.sort();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            self.complain("an option stands there twice");
        }
        Ok(())
    }

    fn offers(&mut self, option: &str) -> Outcome {
        if !self.options.iter().any(|line| line.starts_with(option)) {
            self.complain(format!("no option `{option}`"));
        }
        Ok(())
    }

    fn silence(&mut self, millis: u64) -> Outcome {
        let deadline = Instant::now() + Duration::from_millis(millis);
        if let Ok(heard) = self.session.line_before(deadline) {
            self.complain(format!("should have been silent: {}", heard.line.text));
        }
        Ok(())
    }

    fn searching(&mut self, millis: u64) -> Outcome {
        let deadline = Instant::now() + Duration::from_millis(millis);
        while let Ok(heard) = self.session.line_before(deadline) {
            if heard.answer.is_some() {
                self.complain("bestmove too early");
                return Err(Stop);
            }
        }
        Ok(())
    }

    fn perft(&mut self, counts: &[&str]) -> Outcome {
        for (depth, count) in (1..).zip(counts) {
            self.session.send(&format!("go perft {depth}"));
            let mut divide = BTreeSet::new();
            let mut total = None;
            let deadline = Instant::now() + PATIENCE;
            self.session.see_before(deadline, |line| {
                let (name, value) = line.split_once(':').unwrap_or((line, ""));
                if name.trim().eq_ignore_ascii_case("nodes searched") {
                    total = value.trim().parse::<u64>().ok();
                    return true;
                }
                divide.insert(name.to_owned());
                false
            });
            if depth == 1 {
                self.divide = divide;
            }
            if total != Some(whole(count)) {
                self.complain(format!("perft {depth} is {count}, not {total:?}"));
            }
        }
        Ok(())
    }

    fn shown(&mut self, moves: &[&str], wanted: bool) -> Outcome {
        for &text in moves {
            if self.divide.contains(text) != wanted {
                let word = if wanted { "legal" } else { "illegal" };
                self.complain(format!("{text} is {word} here"));
            }
        }
        Ok(())
    }

    fn answers(&mut self, counts: RangeInclusive<i64>, words: &[&str]) -> Outcome {
        let deadline = self.deadline(words);
        for _ in 0..*counts.start() {
            if self.session.answer_before(deadline).is_none() {
                return Err(Stop);
            }
        }
        // More may come, but not long after; a refused `go` is forgotten.
        let soon = Instant::now() + Duration::from_millis(300);
        let mut more = 0;
        while let Ok(heard) = self.session.line_before(soon) {
            more += i64::from(heard.answer.is_some());
        }
        if !counts.contains(&(counts.start() + more)) {
            self.complain("too many bestmoves");
        }
        self.session.forget_pending();
        Ok(())
    }

    fn answer(&mut self, words: &[&str]) -> Outcome {
        let limit = self.limit(words);
        let patient = limit.unwrap_or(PATIENCE).max(PATIENCE);
        let Some(answer) = self.session.answer_before(self.last_sent + patient) else {
            return Err(Stop);
        };
        let waited = self.session.process().waited_since(&self.watch);
        let took = answer.at.saturating_duration_since(self.last_sent);
        let late = took.saturating_sub(waited);
        if let Some(limit) = limit
            && late > limit
        {
            self.complain(format!("late: {late:?} instead of {limit:?}"));
        }
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            let verdict = match word {
                "none" => known(answer.best == "(none)", "not (none)"),
                "noponder" => known(answer.ponder.is_none(), "a ponder move"),
                "wdl" => known(shows_wdl(&answer), "no wdl"),
                "nomate" => known(!claims_mate(&answer), "claims a mate"),
                "within" => {
                    words.next();
                    Ok(())
                }
                _ => {
                    let value = words.next().unwrap_or_default();
                    self.condition(&answer, word, value)
                }
            };
            if let Err(error) = verdict {
                self.complain(format!("{error} (last line: {:?})", answer.last()));
            }
        }
        Ok(())
    }

    fn condition(&mut self, answer: &Answer, word: &str, value: &str) -> Result<(), String> {
        let last = answer.last();
        let score = last.and_then(|info| info.score);
        match word {
            "after" => {
                let least = Duration::from_millis(whole(value));
                known(
                    answer.took() >= least,
                    format!("early: {:?}", answer.took()),
                )
            }
            "move" => {
                let good = value.split('|').any(|text| text == answer.best);
                known(good, format!("{} instead of {value}", answer.best))
            }
            "not" => {
                let bad = value.split('|').any(|text| text == answer.best);
                known(!bad, format!("{} should be avoided", answer.best))
            }
            "mate" => known(
                matches!(score, Some(Value::Mate(moves)) if range(value).contains(&moves)),
                format!("{score:?} instead of mate {value}"),
            ),
            "cp" => known(
                matches!(score, Some(Value::Centipawns(cp)) if range(value).contains(&cp)),
                format!("{score:?} instead of cp {value}"),
            ),
            "depth" => within_range("depth", value, last.and_then(|info| info.depth)),
            "nodes" => within_range("nodes", value, last.and_then(|info| info.nodes)),
            "lines" => {
                let most = answer.width();
                known(
                    most == Some(whole(value)),
                    format!("{most:?} lines instead of {value}"),
                )
            }
            "same" => {
                let digest = Digest {
                    best: answer.best.clone(),
                    nodes: last.and_then(|info| info.nodes),
                    score,
                    pv: last.map(|info| info.pv.clone()).unwrap_or_default(),
                };
                let first = self
                    .digests
                    .entry(value.to_owned())
                    .or_insert(digest.clone());
                known(
                    *first == digest,
                    format!("not the same search twice: {first:?}"),
                )
            }
            _ => panic!("script: what is the condition `{word}`?"),
        }
    }

    fn memory(&mut self, most: u64) -> Outcome {
        if let Some(resident) = self.session.process().resident_mib()
            && resident > most
        {
            self.complain(format!("{resident} MiB resident, at most {most} wanted"));
        }
        Ok(())
    }

    fn exit(&mut self, words: &[&str]) -> Outcome {
        self.ended = true;
        let deadline = self.deadline(words);
        let Some(status) = self.session.exit_before(deadline) else {
            return Err(Stop);
        };
        if !words.contains(&"any") && !status.success() {
            self.complain(format!("left with {status}"));
        }
        if words.contains(&"answered") && self.session.pending() > 0 {
            self.complain("left without the bestmove");
        }
        Ok(())
    }
}

fn known(good: bool, otherwise: impl Into<String>) -> Result<(), String> {
    if good { Ok(()) } else { Err(otherwise.into()) }
}

fn within_range(name: &str, value: &str, found: Option<u64>) -> Result<(), String> {
    let good = found.is_some_and(|found| range(value).contains(&(found as i64)));
    known(good, format!("{name} {found:?} instead of {value}"))
}

fn claims_mate(answer: &Answer) -> bool {
    let mut infos = answer.search.infos.iter().map(|(_, info)| info);
    infos.any(|info| info.is_exact() && matches!(info.score, Some(Value::Mate(_))))
}

fn shows_wdl(answer: &Answer) -> bool {
    answer
        .search
        .infos
        .iter()
        .all(|(_, info)| info.wdl.is_some())
}

/// `A..B`, `A..`, `..B` or `A`, both ends included.
fn range(text: &str) -> RangeInclusive<i64> {
    let number = |text: &str, open: i64| match text {
        "" => open,
        _ => text
            .parse()
            .unwrap_or_else(|_| panic!("script: `{text}` is no number")),
    };
    match text.split_once("..") {
        Some((low, high)) => number(low, i64::MIN)..=number(high, i64::MAX),
        None => number(text, 0)..=number(text, 0),
    }
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'0') => 0,
            Some(b'x') => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                let digits = String::from_utf8_lossy(&digits).into_owned();
                u8::from_str_radix(&digits, 16).expect("script: two hexadecimal digits")
            }
            Some(other) => other,
            None => b'\\',
        });
    }
    bytes
}

fn option_name(option: &str) -> &str {
    let option = option.strip_prefix("name ").unwrap_or(option);
    option.split(" type ").next().unwrap_or(option)
}

/// Is an option line (without its first word) well formed?
fn check_option(option: &str) -> Result<(), String> {
    let (name, rest) = option
        .strip_prefix("name ")
        .and_then(|rest| rest.split_once(" type "))
        .ok_or("no name or no type")?;
    known(!name.trim().is_empty(), "empty name")?;
    let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let words: Vec<&str> = rest.split_whitespace().collect();
    match (kind, &words[..]) {
        ("button", []) | ("check", ["default", "true" | "false"]) => Ok(()),
        ("string", ["default", _, ..]) => Ok(()),
        ("spin", ["default", default, "min", min, "max", max]) => {
            let number = |text: &str| text.parse::<i32>().map_err(|error| error.to_string());
            let (default, min, max) = (number(default)?, number(min)?, number(max)?);
            known(
                min <= default && default <= max,
                "the default is out of range",
            )
        }
        ("combo", ["default", default, rest @ ..]) => {
            let offered = rest
                .windows(2)
                .any(|pair| pair[0] == "var" && pair[1] == *default);
            known(offered, "the default is no choice")
        }
        _ => Err("malformed".into()),
    }
}
