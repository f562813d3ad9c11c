//! What must be true of everything that an engine says in a search. shakmaty is the judge.

use std::time::{Duration, Instant};

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position};

use super::info::{Info, Value, parse_best};

/// One `go` and what came of it so far.
#[derive(Clone, Debug)]
pub struct Search {
    /// The root; more than one where the protocol leaves open what a position command meant.
    pub roots: Vec<Chess>,
    /// How castling must be written.
    pub mode: CastlingMode,
    /// When the `go` was sent.
    pub started: Instant,
    /// Its `info` lines with a score, each with its time of arrival.
    pub infos: Vec<(Instant, Info)>,
}

/// A search that has been answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The search.
    pub search: Search,
    /// The position it was for.
    pub root: Chess,
    /// The move as printed.
    pub best: String,
    /// The expected reply as printed.
    pub ponder: Option<String>,
    /// From the sending of `go` (or of `ponderhit`, `stop`: see `since`) to the answer.
    pub at: Instant,
}

impl Answer {
    /// From the sending of `go` to the arrival of `bestmove`.
    pub fn took(&self) -> Duration {
        self.at - self.search.started
    }

    /// The last exact first line: what the engine says that it plays.
    pub fn last(&self) -> Option<&Info> {
        last_first_line(&self.search)
    }

    /// How many lines it reported beside each other, at most.
    pub fn width(&self) -> Option<u64> {
        self.search.infos.iter().map(|(_, info)| info.rank()).max()
    }

    /// The move.
    pub fn best_move(&self) -> Option<Move> {
        read_move(&self.root, self.search.mode, &self.best).ok()
    }
}

fn last_first_line(search: &Search) -> Option<&Info> {
    search
        .infos
        .iter()
        .rev()
        .map(|(_, info)| info)
        .find(|info| info.rank() == 1)
}

/// Reads a move as an engine must write it.
pub fn read_move(position: &Chess, mode: CastlingMode, text: &str) -> Result<Move, String> {
    let uci: UciMove = text.parse().map_err(|_| format!("`{text}` is no move"))?;
    let found = uci
        .to_move(position)
        .map_err(|_| format!("{text} is illegal"))?;
    let proper = found.to_uci(mode).to_string();
    if proper == text {
        Ok(found)
    } else {
        Err(format!("{text} should be written {proper}"))
    }
}

/// Plays a line of moves; all must be legal and properly written.
pub fn play_line(root: &Chess, mode: CastlingMode, line: &[String]) -> Result<Chess, String> {
    let mut position = root.clone();
    for (ply, text) in line.iter().enumerate() {
        let played = read_move(&position, mode, text)
            .map_err(|error| format!("ply {}: {error}", ply + 1))?;
        position.play_unchecked(played);
    }
    Ok(position)
}

/// What is wrong with one `info` line, given those before it.
pub fn check_numbers(search: &Search, at: Instant, info: &Info) -> Vec<String> {
    let mut problems = Vec::new();
    let mut complain = |text: String| problems.push(text);
    if info.hashfull.is_some_and(|value| value > 1000) {
        complain("hashfull above 1000".into());
    }
    if info.depth.is_some_and(|depth| depth > 255) || info.seldepth.is_some_and(|it| it > 255) {
        complain("depth out of range".into());
    }
    if let Some(wdl) = info.wdl
        && wdl.iter().sum::<u64>() != 1000
    {
        complain("wdl does not add up to 1000".into());
    }
    if let (Some(nodes), Some(nps), Some(time @ 100..)) = (info.nodes, info.nps, info.time) {
        let expected = nodes * 1000 / time;
        if nps > expected * 2 + 1000 || nps * 2 + 1000 < expected {
            complain(format!("nps {nps}, but nodes and time make it {expected}"));
        }
    }
    let elapsed = (at - search.started).as_millis() as u64;
    if info.time.is_some_and(|time| time > elapsed + 2) {
        complain(format!(
            "time {:?}, but only {elapsed} ms have passed",
            info.time
        ));
    }
    if let Some((_, before)) = search.infos.last() {
        let earlier = |now: Option<u64>, then: Option<u64>| now.is_some_and(|now| Some(now) < then);
        if earlier(info.time, before.time) || earlier(info.nodes, before.nodes) {
            complain("time or nodes went backwards".into());
        }
    }
    if let Some(text) = &info.currmove
        && search
            .roots
            .iter()
            .all(|root| read_move(root, search.mode, text).is_err())
    {
        complain(format!("currmove {text} is illegal"));
    }
    problems
}

/// What is wrong with the score and line of play of one `info` line.
pub fn check_line(root: &Chess, mode: CastlingMode, info: &Info) -> Vec<String> {
    let mut problems = Vec::new();
    let end = match play_line(root, mode, &info.pv) {
        Ok(end) => end,
        Err(error) => return vec![format!("pv: {error}")],
    };
    match info.score {
        Some(Value::Centipawns(value)) if value.abs() > 30_000 => {
            problems.push(format!("cp {value} is out of range"));
        }
        Some(Value::Mate(moves)) => {
            let whole = if moves > 0 { 2 * moves - 1 } else { -2 * moves } as usize;
            if moves == 0 && (!info.pv.is_empty() || !root.is_checkmate()) {
                problems.push("mate 0, but the root is not mated".into());
            }
            if moves.abs() > 128 {
                problems.push(format!("mate {moves} is out of range"));
            }
            if info.is_exact() && (info.pv.len() != whole || !end.is_checkmate()) {
                let length = info.pv.len();
                let mated = if end.is_checkmate() {
                    "mate"
                } else {
                    "no mate"
                };
                problems.push(format!(
                    "mate {moves} needs {whole} plies: {length}, {mated}"
                ));
            }
        }
        _ => {}
    }
    problems
}

/// Exact first lines never go back in depth. The last one may: it says again what is played, which
/// may be another thread's choice.
fn check_depths(search: &Search) -> Vec<String> {
    let exact = |info: &&Info| info.is_exact() && info.rank() == 1;
    let infos = search.infos.iter().map(|(_, info)| info);
    let depths: Vec<Option<u64>> = infos.filter(exact).map(|info| info.depth).collect();
    let all_but_last = &depths[..depths.len().saturating_sub(1)];
    if all_but_last.is_sorted() {
        Vec::new()
    } else {
        vec!["depth went backwards".into()]
    }
}

/// What is wrong with the lines of a search that shows several.
fn check_ranks(search: &Search) -> Vec<String> {
    let mut problems = Vec::new();
    let mut block: Vec<&Info> = Vec::new();
    for (_, info) in search.infos.iter().filter(|(_, info)| info.is_exact()) {
        if info.rank() == 1 {
            block.clear();
        } else {
            match block.last() {
                Some(above) if above.rank() + 1 != info.rank() => {
                    problems.push(format!("multipv {} after {}", info.rank(), above.rank()));
                }
                Some(above) if above.depth == info.depth => {
                    let order = |it: &Info| it.score.map(Value::order);
                    if order(above) < order(info) {
                        problems.push(format!(
                            "multipv {} scores above the one before",
                            info.rank()
                        ));
                    }
                }
                _ => {}
            }
            if block
                .iter()
                .any(|other| other.pv.first() == info.pv.first())
            {
                problems.push(format!("multipv {} repeats a first move", info.rank()));
            }
        }
        block.push(info);
    }
    problems
}

/// What is wrong with the answer, if this was the root.
fn check_answer_at(root: &Chess, search: &Search, best: &str, ponder: Option<&str>) -> Vec<String> {
    let mode = search.mode;
    let mut problems = Vec::new();
    for (_, info) in &search.infos {
        let depth = info.depth.unwrap_or(0);
        problems.extend(
            check_line(root, mode, info)
                .into_iter()
                .map(|text| format!("depth {depth}: {text}")),
        );
    }
    let Some(last) = last_first_line(search) else {
        problems.push("no score before bestmove".into());
        return problems;
    };
    if root.legal_moves().is_empty() {
        if best != "(none)" || ponder.is_some() {
            problems.push(format!("bestmove {best} in a finished game"));
        }
        return problems;
    }
    if last.bound {
        problems.push("the last score before bestmove is a bound".into());
    }
    if last.pv.first().is_none_or(|first| first != best) {
        problems.push(format!(
            "bestmove {best}, but the last pv starts with {:?}",
            last.pv.first()
        ));
    }
    match read_move(root, mode, best) {
        Err(error) => problems.push(format!("bestmove: {error}")),
        Ok(played) => {
            if let Some(reply) = ponder {
                let mut after = root.clone();
                after.play_unchecked(played);
                if let Err(error) = read_move(&after, mode, reply) {
                    problems.push(format!("ponder: {error}"));
                }
                if last.pv.get(1).is_none_or(|second| second != reply) {
                    problems.push(format!(
                        "ponder {reply}, but the pv goes on {:?}",
                        last.pv.get(1)
                    ));
                }
            }
        }
    }
    problems
}

/// Judges a `bestmove` line. Answers with what is known of the search, and with what is wrong.
pub fn check_answer(search: Search, at: Instant, line: &str) -> (Answer, Vec<String>) {
    let (best, ponder, mut problems) = match parse_best(line) {
        Ok((best, ponder)) => (best, ponder, Vec::new()),
        Err(error) => (String::new(), None, vec![error]),
    };
    let verdicts = search.roots.iter().map(|root| {
        (
            root,
            check_answer_at(root, &search, &best, ponder.as_deref()),
        )
    });
    let (root, found) = verdicts
        .min_by_key(|(_, problems)| problems.len())
        .map(|(root, problems)| (root.clone(), problems))
        .unwrap_or_default();
    problems.extend(found);
    problems.extend(check_ranks(&search));
    problems.extend(check_depths(&search));
    (
        Answer {
            search,
            root,
            best,
            ponder,
            at,
        },
        problems,
    )
}
