//! `standpat solve`: suites of positions whose answers are known.

mod goal;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::base::options::Options;
use crate::base::score::Bound;
use crate::board::{Epd, notation};
use crate::engine::{Engine, Study};
use crate::search::limits::Limits;
use crate::search::report::{Event, Progress};
use crate::tools::Failure;

use goal::{Goal, Mark};

/// Milliseconds for a position when no limit is given.
const USUAL_TIME: u32 = 1000;

/// What `standpat solve` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Suites: positions with best moves (bm), moves to avoid (am), mates (dm) or points (c0, c8)
    #[arg(required = true, value_name = "FILE.epd")]
    pub files: Vec<PathBuf>,
    /// Time for each position, in milliseconds (1000 when no limit is given)
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..))]
    pub movetime: Option<u32>,
    /// Plies to search each position
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Nodes to search each position
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Threads that search
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,
    /// Size of the transposition table, in MiB
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=33_554_432))]
    pub hash: u32,
    /// End with exit status 1 if fewer are solved than this; without it, if one is not
    #[arg(long, value_name = "N")]
    pub at_least: Option<usize>,
    /// Print one JSON object for each position, and one for all
    #[arg(long)]
    pub json: bool,
}

/// One position of a suite.
struct Task {
    epd: Epd,
    goal: Goal,
}

/// How far a search had come when it found the answer that it gave in the end.
#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    depth: u32,
    progress: Progress,
}

/// What became of a position.
struct Outcome {
    study: Study,
    mark: Mark,
    /// Since when the answer has been right.
    found: Option<Moment>,
}

/// What became of all of them.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Total {
    positions: usize,
    solved: usize,
    points: u64,
    most: u64,
    nodes: u64,
}

/// Solves the suites, and prints a line for each position and the totals.
///
/// # Errors
///
/// When a file cannot be read, holds nothing to solve, or too few positions are solved.
pub fn run(args: &Args, out: &mut dyn Write, complaints: &mut dyn Write) -> Result<(), Failure> {
    let tasks = read(args, complaints)?;
    let options = Options {
        hash: args.hash,
        threads: args.threads,
        // Nobody's clock runs.
        move_overhead: 0,
        ..Options::default()
    };
    let mut engine = Engine::new(options).map_err(|error| Failure::Failed(error.to_string()))?;
    let bar = bar(tasks.len());
    let mut total = Total::default();
    for (index, task) in tasks.iter().enumerate() {
        let result = solve(&mut engine, args, task)?;
        total.add(task, &result);
        let line = if args.json {
            record(task, &result)
        } else {
            row(args, index + 1, task, &result)
        };
        bar.suspend(|| {
            writeln!(out, "{line}")?;
            out.flush()
        })?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    conclude(args, &total, out)
}

/// All positions that can be solved; the others are complained of.
fn read(args: &Args, complaints: &mut dyn Write) -> Result<Vec<Task>, Failure> {
    let mut tasks = Vec::new();
    for file in &args.files {
        let named = |reason: &dyn std::fmt::Display| format!("{}: {reason}", file.display());
        let bytes = fs::read(file).map_err(|error| Failure::BadInput(named(&error)))?;
        for (index, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            let task = match Epd::parse(line) {
                Ok(None) => continue,
                Ok(Some(epd)) => Goal::of(&epd).map(|goal| Task { epd, goal }),
                Err(error) => Err(error.to_string()),
            };
            match task {
                Ok(task) => tasks.push(task),
                Err(reason) => {
                    let reason = format!("line {} is skipped: {reason}", index + 1);
                    writeln!(complaints, "{}", named(&reason))?;
                }
            }
        }
    }
    if tasks.is_empty() {
        return Err(Failure::BadInput("there is nothing to solve".to_owned()));
    }
    Ok(tasks)
}

/// A bar on standard error; nothing where that is no terminal.
fn bar(length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:32} {pos}/{len}, {eta} left") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

fn solve(engine: &mut Engine, args: &Args, task: &Task) -> Result<Outcome, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::Failed(error.to_string());
    engine.new_game().map_err(|error| failed(&error))?;
    let unlimited = args.depth.is_none() && args.nodes.is_none();
    let time = args.movetime.or(unlimited.then_some(USUAL_TIME));
    let limits = Limits {
        depth: args.depth,
        nodes: args.nodes,
        move_time: time.map(|ms| Duration::from_millis(ms.into())),
        mate: task.goal.mate_in(),
        ..Limits::default()
    };
    let mut found = None;
    let mut watch = |event: Event| {
        let Event::Line(line, progress) = event else {
            return;
        };
        if line.bound == Bound::Exact && line.multipv == 1 {
            let mark = task.goal.mark(line.pv.first().copied(), line.score);
            let depth = line.depth;
            found = mark
                .solved
                .then(|| found.unwrap_or(Moment { depth, progress }));
        }
    };
    let study = engine
        .study(task.epd.game.clone(), limits, &mut watch)
        .map_err(|error| failed(&error))?;
    let score = study.lines.first().map_or(0, |line| line.score);
    let mark = task.goal.mark(study.best, score);
    Ok(Outcome {
        found: found.filter(|_| mark.solved),
        study,
        mark,
    })
}

impl Total {
    fn add(&mut self, task: &Task, result: &Outcome) {
        self.positions += 1;
        self.solved += usize::from(result.mark.solved);
        self.points += u64::from(result.mark.points);
        self.most += u64::from(task.goal.most());
        self.nodes += result.study.progress.nodes;
    }
}

/// The answer as books write it.
fn answer(task: &Task, result: &Outcome) -> String {
    match result.study.best {
        Some(best) => notation::san(&task.epd.game, &[best]),
        None => "none".to_owned(),
    }
}

/// A line for a person. Times are told only where time is the limit: with any other one the line
/// is the same on every machine.
fn row(args: &Args, number: usize, task: &Task, result: &Outcome) -> String {
    let sign = if result.mark.solved { "+" } else { "-" };
    let (name, answer) = (task.epd.name(), answer(task, result));
    let mut line = format!("{number:4} {sign} {name:<16} {answer:<8}");
    if task.goal.most() > 0 {
        line += &format!(" {:3}/{}", result.mark.points, task.goal.most());
    }
    match result.found {
        Some(Moment { depth, progress }) => {
            line += &format!(" depth {depth:2} {:10} nodes", progress.nodes);
            if args.depth.is_none() && args.nodes.is_none() {
                line += &format!(" {:7.2} s", progress.elapsed.as_secs_f64());
            }
        }
        None => line += &format!(" wanted: {}", task.goal.words(&task.epd.game)),
    }
    line
}

/// A line for a program.
fn record(task: &Task, result: &Outcome) -> String {
    #[derive(Serialize)]
    struct Record<'a> {
        id: &'a str,
        fen: String,
        solved: bool,
        points: u32,
        most: u32,
        /// As UCI writes it.
        answer: Option<String>,
        wanted: String,
        nodes: u64,
        /// Since when the answer has been right.
        found_depth: Option<u32>,
        found_nodes: Option<u64>,
        found_ms: Option<u128>,
    }
    let game = &task.epd.game;
    let best = result.study.best;
    let record = Record {
        id: task.epd.name(),
        fen: game.fen(),
        solved: result.mark.solved,
        points: result.mark.points,
        most: task.goal.most(),
        answer: best.map(|mv| mv.uci(game.is_chess960()).to_string()),
        wanted: task.goal.words(game),
        nodes: result.study.progress.nodes,
        found_depth: result.found.map(|found| found.depth),
        found_nodes: result.found.map(|found| found.progress.nodes),
        found_ms: result.found.map(|found| found.progress.elapsed.as_millis()),
    };
    json(&record)
}

fn json(value: &impl Serialize) -> String {
    // There are no maps and no numbers that JSON could not write.
    serde_json::to_string(value).unwrap_or_default()
}

/// Prints the totals; too few solved positions are a failure.
fn conclude(args: &Args, total: &Total, out: &mut dyn Write) -> Result<(), Failure> {
    let Total {
        positions,
        solved,
        points,
        most,
        nodes,
    } = *total;
    if args.json {
        writeln!(out, "{}", json(total))?;
    } else {
        write!(out, "{solved} of {positions} solved")?;
        if most > 0 {
            let share = 100.0 * points as f64 / most as f64;
            write!(out, ", {points} of {most} points ({share:.1} %)")?;
        }
        writeln!(out, ", {nodes} nodes")?;
    }
    let wanted = args.at_least.unwrap_or(positions);
    if solved < wanted {
        let reason = format!("{solved} of {positions} solved, {wanted} were wanted");
        return Err(Failure::Failed(reason));
    }
    Ok(())
}
