//! Reading `info` and `bestmove` lines, strictly.

use std::str::SplitWhitespace;

/// A score as UCI prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Centipawns.
    Centipawns(i64),
    /// Moves to mate.
    Mate(i64),
}

impl Value {
    /// One number that orders all scores.
    pub fn order(self) -> i64 {
        match self {
            Value::Centipawns(value) => value,
            Value::Mate(moves) if moves > 0 => 1_000_000 - moves,
            Value::Mate(moves) => -1_000_000 - moves,
        }
    }
}

/// What one `info` line says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info {
    /// In plies.
    pub depth: Option<u64>,
    /// In plies.
    pub seldepth: Option<u64>,
    /// Number of the line, from 1.
    pub multipv: Option<u64>,
    /// The score.
    pub score: Option<Value>,
    /// The score is marked as a bound.
    pub bound: bool,
    /// Win, draw, loss per mille.
    pub wdl: Option<[u64; 3]>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// Per mille.
    pub hashfull: Option<u64>,
    /// Table-base hits.
    pub tbhits: Option<u64>,
    /// Milliseconds.
    pub time: Option<u64>,
    /// The line of play.
    pub pv: Vec<String>,
    /// The root move being searched.
    pub currmove: Option<String>,
    /// Its number.
    pub currmovenumber: Option<u64>,
    /// A remark.
    pub string: Option<String>,
}

impl Info {
    /// Reads a line that starts with `info`. The error says what is malformed.
    pub fn parse(line: &str) -> Result<Info, String> {
        let mut info = Info::default();
        if let Some(remark) = line.strip_prefix("info string ") {
            info.string = Some(remark.to_owned());
            return Ok(info);
        }
        let mut words = line.split_whitespace();
        words.next();
        while let Some(key) = words.next() {
            match key {
                "depth" => info.depth = Some(number(key, &mut words)?),
                "seldepth" => info.seldepth = Some(number(key, &mut words)?),
                "multipv" => info.multipv = Some(number(key, &mut words)?),
                "nodes" => info.nodes = Some(number(key, &mut words)?),
                "nps" => info.nps = Some(number(key, &mut words)?),
                "hashfull" => info.hashfull = Some(number(key, &mut words)?),
                "tbhits" => info.tbhits = Some(number(key, &mut words)?),
                "time" => info.time = Some(number(key, &mut words)?),
                "cpuload" => drop(number(key, &mut words)?),
                "currmovenumber" => info.currmovenumber = Some(number(key, &mut words)?),
                "currmove" => info.currmove = words.next().map(str::to_owned),
                "score" => info.score = Some(score(&mut words)?),
                "lowerbound" | "upperbound" => info.bound = true,
                "wdl" => {
                    let mut next = || number("wdl", &mut words);
                    info.wdl = Some([next()?, next()?, next()?]);
                }
                "pv" => info.pv = words.by_ref().map(str::to_owned).collect(),
                _ => return Err(format!("unknown word `{key}`")),
            }
        }
        Ok(info)
    }

    /// A line with an exact score.
    pub fn is_exact(&self) -> bool {
        self.score.is_some() && !self.bound
    }

    /// The number of the line (1 when it is not named).
    pub fn rank(&self) -> u64 {
        self.multipv.unwrap_or(1)
    }
}

fn number(key: &str, words: &mut SplitWhitespace) -> Result<u64, String> {
    let word = words
        .next()
        .ok_or_else(|| format!("`{key}` without a number"))?;
    if !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("`{key} {word}` is no plain number"));
    }
    word.parse()
        .map_err(|_| format!("`{key} {word}` is too large"))
}

fn score(words: &mut SplitWhitespace) -> Result<Value, String> {
    let kind = words.next().unwrap_or_default();
    let word = words.next().unwrap_or_default();
    let plain = word.strip_prefix('-').unwrap_or(word);
    if plain.is_empty() || !plain.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("`score {kind} {word}` is no number"));
    }
    let value = word
        .parse()
        .map_err(|_| format!("`score {kind} {word}` is too large"))?;
    match kind {
        "cp" => Ok(Value::Centipawns(value)),
        "mate" => Ok(Value::Mate(value)),
        _ => Err(format!("`score {kind}` is neither cp nor mate")),
    }
}

/// Reads a `bestmove` line: the move and the expected reply, as text.
pub fn parse_best(line: &str) -> Result<(String, Option<String>), String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["bestmove", best] => Ok((best.to_owned(), None)),
        ["bestmove", best, "ponder", reply] => Ok((best.to_owned(), Some(reply.to_owned()))),
        _ => Err(format!("malformed: {line}")),
    }
}
