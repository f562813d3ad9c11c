//! `standpat spsa`: tunes search constants by games, in builds with `--features tune`.
//!
//! The constants are global to a process, so each thread's games are played by a process of its
//! own: this binary again, asked with `--worker`. It reads a pair's number and two settings, one
//! line each, and answers with the points of the first setting.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use crossbeam_channel::Sender;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

use super::Failure;
use crate::base::params::{self, Param};
use crate::base::rng::Rng;
use crate::eval::Network;
use crate::learning::matches::{MatchSettings, play_pair};
use crate::learning::player::Player;
use crate::learning::spsa::{Schedule, Spsa, Trial};
use crate::search::Worker;

/// What `standpat spsa` is asked for.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The constants to tune; all of them if none is named
    #[arg(value_name = "NAME", value_parser = param)]
    names: Vec<Param>,
    /// Pairs of games in all
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pairs: u64,
    /// Nodes of a move
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    nodes: u64,
    /// How far constants are moved for a pair, in their steps, at the end
    #[arg(long, value_name = "STEPS", default_value_t = 1.5)]
    scale: f64,
    /// How far they are moved for each point won, as a share of that
    #[arg(long, value_name = "SHARE", default_value_t = 0.01)]
    rate: f64,
    /// The seed of openings and perturbations
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Processes that play; as many as there are cores if not given
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// The file that the state is kept in: a run that was interrupted goes on from there
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// Play pairs for another process
    #[arg(long, hide = true)]
    worker: bool,
}

fn param(name: &str) -> Result<Param, String> {
    let known = params::ALL.iter().find(|param| param.name == name);
    known
        .copied()
        .ok_or_else(|| "no such search constant".to_string())
}

impl Args {
    fn params(&self) -> Vec<Param> {
        if self.names.is_empty() {
            params::ALL.to_vec()
        } else {
            self.names.clone()
        }
    }

    fn schedule(&self) -> Schedule {
        Schedule {
            pairs: self.pairs.max(1),
            scale: self.scale,
            rate: self.rate,
        }
    }
}

/// Tunes and writes where the constants came to.
///
/// # Errors
///
/// A state that is not of these constants, a process that cannot be started or dies.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    if args.worker {
        return work(args, out);
    }
    let mut spsa = load(args)?;
    let style = ProgressStyle::with_template("{bar:32} {pos}/{len} pairs, {eta} left")
        .map_err(|error| Failure::Failed(error.to_string()))?;
    let bar = ProgressBar::new(args.pairs).with_style(style);
    bar.set_position(spsa.played);
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    tune(&mut spsa, args, args.threads.unwrap_or_else(cores), &bar)?;
    bar.finish_and_clear();
    save(&args.state, &spsa)?;
    for (param, value) in spsa.params.iter().zip(&spsa.values) {
        let steps = (value - f64::from(param.default)) / f64::from(param.step);
        let (name, default) = (param.name, param.default);
        writeln!(
            out,
            "{name:28} {default:6} -> {value:8.1}  {steps:+.2} steps"
        )?;
    }
    Ok(())
}

/// Between two writings of the state, in pairs.
const SAVE_INTERVAL: u64 = 50;

/// Plays the pairs that are left.
fn tune(spsa: &mut Spsa, args: &Args, workers: usize, bar: &ProgressBar) -> Result<(), Failure> {
    let (sender, answers) = crossbeam_channel::unbounded();
    let mut hands = Vec::new();
    for number in 0..workers.max(1) {
        hands.push(Hand::start(args, number, &sender)?);
    }
    drop(sender);
    let mut next = spsa.played;
    let mut open: Vec<Option<Trial>> = vec![None; hands.len()];
    let mut give = |spsa: &Spsa, hand: &mut Hand| -> Result<Option<Trial>, Failure> {
        if next >= args.pairs {
            return Ok(None);
        }
        let trial = spsa.trial(next, &mut Rng::stream(args.seed, next));
        next += 1;
        hand.ask(&trial)?;
        Ok(Some(trial))
    };
    for (hand, open) in hands.iter_mut().zip(&mut open) {
        *open = give(spsa, hand)?;
    }
    while open.iter().any(Option::is_some) {
        let (number, points) = answers
            .recv()
            .map_err(|_| Failure::Failed("the processes that play have died".to_string()))?;
        let points = points.map_err(|error| Failure::Failed(error.to_string()))?;
        if let Some(trial) = open[number].take() {
            spsa.learn(&trial, points);
            bar.inc(1);
        }
        if spsa.played.is_multiple_of(SAVE_INTERVAL) {
            save(&args.state, spsa)?;
        }
        open[number] = give(spsa, &mut hands[number])?;
    }
    Ok(())
}

/// A process that plays pairs; ended when it is dropped.
struct Hand(Child);

impl Hand {
    /// Starts one; a thread sends on what it answers.
    fn start(
        args: &Args,
        number: usize,
        sender: &Sender<(usize, io::Result<f64>)>,
    ) -> Result<Hand, Failure> {
        let failed = |error: io::Error| Failure::Failed(format!("cannot start a player: {error}"));
        let mut child = Command::new(std::env::current_exe().map_err(failed)?)
            .args(["spsa", "--worker", "--state", "-"])
            .args(["--nodes".to_string(), args.nodes.to_string()])
            .args(["--seed".to_string(), args.seed.to_string()])
            .args(args.params().iter().map(|param| param.name))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let answers = child.stdout.take();
        let sender = sender.clone();
        thread::spawn(move || {
            for line in answers
                .into_iter()
                .flat_map(|out| BufReader::new(out).lines())
            {
                let points = line.and_then(|line| line.parse().map_err(io::Error::other));
                if sender.send((number, points)).is_err() {
                    return;
                }
            }
        });
        Ok(Hand(child))
    }

    /// Gives it a pair to play.
    fn ask(&mut self, trial: &Trial) -> Result<(), Failure> {
        let settings = trial.settings.iter().flatten();
        let numbers: Vec<String> = settings.map(i32::to_string).collect();
        let line = format!("{} {}\n", trial.number, numbers.join(" "));
        match &mut self.0.stdin {
            Some(input) => Ok(input.write_all(line.as_bytes())?),
            None => Ok(()),
        }
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        // It ends by itself when nothing more can come; a failure to kill it then means nothing.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The other side of [`Hand`].
fn work(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    thread::scope(|scope| {
        let (sender, points) = crossbeam_channel::unbounded();
        thread::Builder::new()
            .stack_size(Worker::STACK_BYTES)
            .spawn_scoped(scope, move || play(args, &sender))
            .map_err(|error| Failure::Failed(error.to_string()))?;
        for points in points {
            writeln!(out, "{}", points?)?;
            out.flush()?;
        }
        Ok(())
    })
}

/// Plays the pairs that standard input asks for.
fn play(args: &Args, sender: &Sender<Result<f64, Failure>>) {
    let params = args.params();
    let settings = MatchSettings::nodes(args.seed, u64::MAX, args.nodes.max(1));
    let network = Network::shipped();
    let player = || Player::new(&network, settings.hash_mib);
    let mut players = match (player(), player()) {
        (Ok(one), Ok(other)) => [one, other],
        (Err(error), _) | (_, Err(error)) => {
            let _ = sender.send(Err(Failure::Failed(error.to_string())));
            return;
        }
    };
    for line in io::stdin().lines().map_while(Result::ok) {
        let numbers: Vec<i64> = line
            .split(' ')
            .filter_map(|text| text.parse().ok())
            .collect();
        let Some((&index, values)) = numbers.split_first() else {
            continue;
        };
        for (player, values) in players.iter_mut().zip(values.chunks(params.len())) {
            let values = values.iter().map(|&value| value as i32);
            let named = params.iter().map(|param| param.name).zip(values);
            player.set_constants(named.collect());
        }
        let pair = play_pair(&mut players, &settings, index as u64);
        let points = f64::from(pair.white) + f64::from(pair.black) - 2.0;
        if sender.send(Ok(points)).is_err() {
            return;
        }
    }
}

/// The state as it is kept.
#[derive(Serialize, Deserialize)]
struct State {
    played: u64,
    names: Vec<String>,
    values: Vec<f64>,
}

fn load(args: &Args) -> Result<Spsa, Failure> {
    let mut spsa = Spsa::new(args.params(), args.schedule());
    let bad = |reason: &dyn std::fmt::Display| {
        Failure::BadInput(format!("{}: {reason}", args.state.display()))
    };
    let text = match fs::read_to_string(&args.state) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(spsa),
        Err(error) => return Err(bad(&error)),
    };
    let state: State = toml::from_str(&text).map_err(|error| bad(&error.message()))?;
    let names = spsa.params.iter().map(|param| param.name);
    if !names.eq(state.names.iter().map(String::as_str)) || state.values.len() != spsa.values.len()
    {
        return Err(bad(&"the state of other constants"));
    }
    (spsa.values, spsa.played) = (state.values, state.played);
    Ok(spsa)
}

fn save(path: &Path, spsa: &Spsa) -> Result<(), Failure> {
    let state = State {
        played: spsa.played,
        names: spsa.params.iter().map(|p| p.name.to_string()).collect(),
        values: spsa.values.clone(),
    };
    let failed = |reason: String| Failure::Failed(format!("{}: {reason}", path.display()));
    let text = toml::to_string(&state).map_err(|error| failed(error.to_string()))?;
    let new = path.with_extension("new");
    fs::write(&new, text)
        .and_then(|()| fs::rename(&new, path))
        .map_err(|error| failed(error.to_string()))
}
