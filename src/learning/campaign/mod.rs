//! The whole loop, from random weights: play, train, play a gate match, keep the better network,
//! and again.
//!
//! Everything it needs to go on stands on disk at any moment: games in checked blocks, the
//! trainer's checkpoints, the gate's results pair by pair, and one small state file. A campaign
//! that is started again in its folder goes on where it was.

pub mod plan;
pub mod report;
pub mod state;

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::base::rng::mix;
use crate::eval::network::Network;

use super::elo::Pairs;
use super::failure::LearnError;
use super::game_file::file_totals;
use super::matches::{self, MatchSettings, PairResult};
use super::origin::write_whole;
use super::referee::{Adjudication, Openings};
use super::selfplay::{self, Settings, Target};
use super::trainer::{self, Config, Dataset, Environment, TrainError, Trained, curve};
use plan::{Budget, Changes, Plan};
use state::{Current, Data, Generation, Layout, Stage, State, Training};

/// What a campaign has to say while it runs.
pub enum Event<'a> {
    /// A generation begins, or is taken up again.
    Begun(&'a Current),
    /// A game has been played.
    Playing {
        /// The generation.
        current: &'a Current,
        /// What it has by now.
        report: &'a selfplay::Report,
    },
    /// The trainer has made some steps.
    Training {
        /// The generation.
        current: &'a Current,
        /// How far it has come.
        progress: &'a trainer::Progress,
    },
    /// A pair of the gate has been played.
    Gating {
        /// The generation.
        current: &'a Current,
        /// All pairs so far.
        sum: &'a Pairs,
    },
    /// A generation is finished.
    Finished(&'a Generation),
}

/// Hears what a campaign says.
pub type Listener<'a> = dyn FnMut(&Event<'_>) + 'a;

/// How a campaign is started.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// The seed of a new campaign; one that goes on keeps its own.
    pub seed: u64,
    /// What it may take. A campaign that goes on may be given more, or less; it must be given for
    /// a new one.
    pub budget: Option<Budget>,
    /// Threads of play, training and gate.
    pub threads: usize,
}

/// A campaign, and the lock on its folder.
pub struct Campaign {
    layout: Layout,
    state: State,
    threads: usize,
    clock: Stopwatch,
    _lock: File,
}

/// The share of a generation's time that goes to play; and to play and training together.
const PLAY_SHARE: f64 = 0.62;
const TRAINED_SHARE: f64 = 0.88;

/// Training makes at least so many passes, or the plan's if that is less, however late it is.
const LEAST_PASSES: u32 = 3;

/// Play gives at least so many positions, however late it is: less would teach nothing.
const LEAST_POSITIONS: u64 = 2_000;

/// A gate match has at least so many pairs, however late it is.
const LEAST_PAIRS: u64 = 32;

impl Campaign {
    /// Begins a campaign in a folder, or goes on with the one that is there.
    pub fn open(folder: &Path, start: &Start) -> Result<Campaign, LearnError> {
        let layout = Layout(folder.to_owned());
        layout.create()?;
        let lock = lock(&layout.lock())?;
        let state = match (State::load(&layout.state())?, start.budget) {
            (Some(mut state), budget) => {
                state.budget = budget.unwrap_or(state.budget);
                state
            }
            (None, Some(budget)) => State::new(start.seed, budget),
            (None, None) => {
                let why = "no campaign is here yet: say how long it may take";
                return Err(LearnError::content(folder, why));
            }
        };
        let campaign = Campaign {
            layout,
            state,
            threads: start.threads.max(1),
            clock: Stopwatch::new(),
            _lock: lock,
        };
        let first = campaign.layout.network(0);
        if !first.exists() {
            let random = Network::random(RANDOM_HIDDEN, 1, mix(campaign.state.seed));
            write_whole(&first, &random.write())?;
        }
        campaign.save()?;
        Ok(campaign)
    }

    /// What it has come to.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Where its files are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Runs until the budget is spent.
    pub fn run(&mut self, tell: &mut Listener<'_>) -> Result<(), LearnError> {
        self.clock = Stopwatch::new();
        while !self.state.is_over() {
            let current = self.current()?;
            tell(&Event::Begun(&current));
            match current.stage {
                Stage::Play => self.play(tell)?,
                Stage::Train => self.train(tell)?,
                Stage::Gate => self.gate(tell)?,
            }
        }
        Ok(())
    }

    /// The generation underway; begins the next one if there is none.
    fn current(&mut self) -> Result<Current, LearnError> {
        if let Some(current) = self.state.current {
            return Ok(current);
        }
        let number = self.state.next_number();
        let mut plan = Plan::usual(number, self.state.failures(), &self.state.budget);
        self.changes()?.apply(number, &mut plan);
        let current = Current {
            number,
            stage: Stage::Play,
            seconds: self.state.budget.seconds_for(number, self.state.elapsed),
            played: 0.0,
            trained: 0.0,
            gated: 0.0,
            plan,
            data: None,
            training: None,
        };
        self.state.current = Some(current);
        self.save()?;
        Ok(current)
    }

    /// The user's changes to the plans.
    fn changes(&self) -> Result<Changes, LearnError> {
        let path = self.layout.changes();
        if !path.exists() {
            return Ok(Changes::default());
        }
        let text = fs::read_to_string(&path).map_err(LearnError::file(&path))?;
        toml::from_str(&text).map_err(|error| LearnError::content(&path, error.message()))
    }

    fn network(&self, number: u32) -> Result<Arc<Network>, LearnError> {
        let path = self.layout.network(number);
        let bytes = fs::read(&path).map_err(LearnError::file(&path))?;
        let network = Network::read(&bytes).map_err(|error| LearnError::content(&path, error))?;
        Ok(Arc::new(network))
    }

    fn save(&self) -> Result<(), LearnError> {
        self.state.save(&self.layout.state())
    }

    /// A seed of its own for each generation's play and gate.
    fn seed(&self, number: u32, stage: Stage) -> u64 {
        // Half the range, since TOML's integers are signed.
        mix(mix(self.state.seed) ^ (u64::from(number) << 8 | stage as u64)) >> 1
    }

    /// Adds the time since the last call to the campaign's and the stage's; saves now and then.
    fn tick(&mut self) -> Result<(), LearnError> {
        let (seconds, save) = self.clock.lap();
        self.state.elapsed += seconds;
        if let Some(current) = &mut self.state.current {
            match current.stage {
                Stage::Play => current.played += seconds,
                Stage::Train => current.trained += seconds,
                Stage::Gate => current.gated += seconds,
            }
        }
        if save { self.save() } else { Ok(()) }
    }

    /// Changes the generation underway, and saves.
    fn advance(&mut self, change: impl FnOnce(&mut Current)) -> Result<(), LearnError> {
        self.tick()?;
        if let Some(current) = &mut self.state.current {
            change(current);
        }
        self.save()
    }

    fn play(&mut self, tell: &mut Listener<'_>) -> Result<(), LearnError> {
        let current = self.current()?;
        let (number, plan) = (current.number, current.plan);
        let network = self.network(self.state.champion)?;
        let settings = Settings {
            seed: self.seed(number, Stage::Play),
            nodes: plan.nodes,
            openings: Openings {
                limit: plan.opening_limit,
                chess960_share: plan.chess960_share,
                ..Settings::default().openings
            },
            adjudication: plan.adjudicate.then(Adjudication::default),
            ..Settings::default()
        };
        let left = current
            .seconds
            .map(|seconds| (seconds * PLAY_SHARE - current.played).max(0.0));
        let target = Target {
            positions: Some(plan.positions),
            games: None,
            least: LEAST_POSITIONS,
            until: left.map(|left| Instant::now() + Duration::from_secs_f64(left)),
        };
        let path = self.layout.games(number);
        let threads = self.threads;
        let mut trouble = None;
        let report =
            selfplay::generate(&network, &settings, &target, threads, &path, &mut |now| {
                trouble = trouble.take().or(self.tick().err());
                if let Some(current) = &self.state.current {
                    tell(&Event::Playing {
                        current,
                        report: now,
                    });
                }
            })?;
        if let Some(error) = trouble {
            return Err(error);
        }
        let mut pooled = 0;
        for earlier in plan.pooled(number) {
            let path = self.layout.games(earlier);
            pooled += file_totals(&path).map_err(LearnError::games(&path))?.kept;
        }
        let data = Data {
            games: report.totals.games,
            positions: report.totals.kept,
            pooled,
        };
        let rate = self.state.training_rate(plan.hidden);
        self.advance(|current| {
            current.data = Some(data);
            current.plan.passes = passes(current, &data, rate);
            current.stage = Stage::Train;
        })
    }

    fn train(&mut self, tell: &mut Listener<'_>) -> Result<(), LearnError> {
        let current = self.current()?;
        let (number, plan) = (current.number, current.plan);
        let seed = self.seed(number, Stage::Train);
        let games = |number| self.layout.games(number);
        let paths: Vec<PathBuf> = plan.pooled(number).map(games).collect();
        let data = Dataset::load(&paths, None, seed, self.threads, &mut |_, _| ())
            .map_err(|error| LearnError::Games(error.path, error.error))?;
        for note in &data.notes {
            log::warn!("{note}");
        }
        let start = self.start(&plan)?;
        let rate = Config::default().rate;
        let config = Config {
            rate: if start.is_some() { rate / 2.0 } else { rate },
            start,
            hidden: plan.hidden,
            buckets: plan.buckets,
            lambda: plan.lambda as f32,
            epochs: plan.passes as usize,
            batch: Some(plan.batch(data.training.len() as u64)),
            seed: seed as u32,
            ..Config::default()
        };
        let environment = Environment {
            threads: self.threads,
            checkpoint: Some(self.layout.training(number)),
            resume: true,
        };
        let mut trouble = None;
        let trained = trainer::train(&config, &data, &environment, &mut |progress| {
            if let Err(error) = self.tick() {
                trouble = Some(error);
                return ControlFlow::Break(());
            }
            if let Some(current) = &self.state.current {
                tell(&Event::Training { current, progress });
            }
            ControlFlow::Continue(())
        });
        match (trained, trouble) {
            (_, Some(error)) => Err(error),
            (Err(error), None) => Err(training_error(error)),
            (Ok(trained), None) => self.keep_trained(number, &trained),
        }
    }

    /// The network that training begins with, if not with random weights.
    fn start(&self, plan: &Plan) -> Result<Option<trainer::Start>, LearnError> {
        if !plan.further {
            return Ok(None);
        }
        let teacher = self.network(self.state.champion)?;
        let fits = teacher.hidden() <= plan.hidden && teacher.buckets() == plan.buckets;
        Ok(fits.then(|| trainer::Start::with(teacher)))
    }

    /// Writes what training gave.
    fn keep_trained(&mut self, number: u32, trained: &Trained) -> Result<(), LearnError> {
        let report = &trained.report;
        write_whole(&self.layout.network(number), &trained.network.write())?;
        let title = format!("Generation {number}: loss over the positions learnt from");
        let picture = curve::draw(&report.history, &title);
        write_whole(&self.layout.curve(number), picture.as_bytes())?;
        self.advance(|current| {
            current.training = Some(Training {
                loss: report.training,
                validation: report.validation,
                quantisation: report.quantisation.mean,
                scale: report.scales.last().copied().unwrap_or_default().into(),
                rate: report.speed,
            });
            current.stage = Stage::Gate;
        })?;
        // A checkpoint that cannot be removed does no harm.
        let _ = fs::remove_file(self.layout.training(number));
        Ok(())
    }

    fn gate(&mut self, tell: &mut Listener<'_>) -> Result<(), LearnError> {
        let current = self.current()?;
        let (number, plan) = (current.number, current.plan);
        let challenger = self.network(number)?;
        let defender = self.network(self.state.champion)?;
        let settings = MatchSettings::nodes(
            self.seed(number, Stage::Gate),
            plan.gate_pairs,
            plan.gate_nodes,
        );
        let path = self.layout.gate(number);
        let done = take_up_gate(&path)?;
        let mut log = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(LearnError::file(&path))?;
        let threads = self.threads;
        let sum = matches::play_match(
            &challenger,
            &defender,
            &settings,
            threads,
            &done,
            &mut |pair, sum| {
                writeln!(log, "{}", gate_line(&pair)).map_err(LearnError::file(&path))?;
                self.tick()?;
                let Some(current) = &self.state.current else {
                    return Ok(ControlFlow::Break(()));
                };
                tell(&Event::Gating { current, sum });
                Ok(if is_late(current, sum) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                })
            },
        )?;
        self.finish(&sum, tell)
    }

    /// The generation's end: its network is kept if it is the better one.
    fn finish(&mut self, sum: &Pairs, tell: &mut Listener<'_>) -> Result<(), LearnError> {
        self.tick()?;
        let Some(current) = self.state.current.take() else {
            return Ok(());
        };
        let promoted = sum.score().0 > 0.5;
        let generation = Generation {
            number: current.number,
            teacher: self.state.champion,
            promoted,
            seconds: [current.played, current.trained, current.gated],
            plan: current.plan,
            data: current.data.unwrap_or_default(),
            training: current.training.unwrap_or_default(),
            pairs: sum.counts,
            games: sum.games,
        };
        if promoted {
            let path = self.layout.network(current.number);
            let bytes = fs::read(&path).map_err(LearnError::file(&path))?;
            write_whole(&self.layout.best(), &bytes)?;
            self.state.champion = current.number;
        }
        self.state.generations.push(generation);
        self.save()?;
        let report = report::markdown(&self.state);
        write_whole(&self.layout.report(), report.as_bytes())?;
        write_whole(
            &self.layout.ascent(),
            report::ascent(&self.state).as_bytes(),
        )?;
        if let Some(generation) = self.state.generations.last() {
            tell(&Event::Finished(generation));
        }
        Ok(())
    }
}

/// The passes of a generation's plan, or what its time allows if that is less.
fn passes(current: &Current, data: &Data, rate: f64) -> u32 {
    let planned = current.plan.passes;
    let Some(seconds) = current.seconds else {
        return planned;
    };
    let left = (seconds * TRAINED_SHARE - current.played).max(0.0);
    let affordable = (left * rate / data.pooled.max(1) as f64) as u32;
    planned.min(affordable.max(LEAST_PASSES))
}

/// Has the gate had its time? Then a figure with a larger error must do.
fn is_late(current: &Current, sum: &Pairs) -> bool {
    let Some(seconds) = current.seconds else {
        return false;
    };
    let allowed = (seconds * (1.0 - TRAINED_SHARE)).max(seconds - current.played - current.trained);
    sum.len() >= LEAST_PAIRS && current.gated >= allowed
}

fn training_error(error: TrainError) -> LearnError {
    LearnError::Training(error.to_string())
}

/// The random network is as small as a network can be.
const RANDOM_HIDDEN: usize = 64;

/// One campaign at a time in a folder.
fn lock(path: &Path) -> Result<File, LearnError> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(LearnError::file(path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(LearnError::content(
            path,
            "another campaign runs in this folder",
        )),
        Err(fs::TryLockError::Error(error)) => Err(LearnError::file(path)(error)),
    }
}

/// A pair as a line of the gate's file.
fn gate_line(pair: &PairResult) -> String {
    format!("{} {} {}", pair.index, pair.white, pair.black)
}

/// The pairs that an interrupted gate has played already. Leaves a file of whole lines.
fn take_up_gate(path: &Path) -> Result<Vec<PairResult>, LearnError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(LearnError::file(path)(error)),
    };
    let pair = |line: &str| {
        let mut fields = line.split(' ');
        let pair = PairResult {
            index: fields.next()?.parse().ok()?,
            white: fields.next()?.parse().ok()?,
            black: fields.next()?.parse().ok()?,
        };
        (pair.white <= 2 && pair.black <= 2).then_some(pair)
    };
    let pairs: Vec<PairResult> = text.lines().filter_map(pair).collect();
    let mut whole: String = pairs.iter().map(gate_line).collect::<Vec<_>>().join("\n");
    if !whole.is_empty() {
        whole.push('\n');
    }
    write_whole(path, whole.as_bytes())?;
    Ok(pairs)
}

/// Measures time in laps, and says when the state should be saved.
struct Stopwatch {
    lap: Instant,
    saved: Instant,
}

/// The state is saved at least so often.
const SAVE_EVERY: Duration = Duration::from_secs(10);

impl Stopwatch {
    fn new() -> Stopwatch {
        let now = Instant::now();
        Stopwatch {
            lap: now,
            saved: now,
        }
    }

    /// Seconds since the last lap, and whether it is time to save.
    fn lap(&mut self) -> (f64, bool) {
        let now = Instant::now();
        let seconds = (now - self.lap).as_secs_f64();
        self.lap = now;
        let save = now - self.saved >= SAVE_EVERY;
        if save {
            self.saved = now;
        }
        (seconds, save)
    }
}

#[cfg(test)]
mod tests;
