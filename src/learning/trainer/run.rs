//! A whole training run: from settings and data to a network.

use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::checkpoint::{self, Point, State};
use super::data::{Dataset, Epoch};
use super::evaluate;
use super::group::{GROUP, Target};
use super::kernels::{BETA_1, BETA_2, Grid, Level, Loss, Step};
use super::model::{Model, WEIGHT_LIMIT};
use super::quantise::{Quantisation, quantise};
use super::scale::SCALE;
use super::steps::{Rules, Tally, train_batches};
use crate::eval::network::{MAX_HIDDEN, Network, NetworkError};

/// What each step takes from the weights, times the learning rate.
const DECAY: f32 = 0.01;

/// The learning rate at the end, as a share of the highest.
const LAST_RATE: f32 = 0.01;

/// The share of the steps over which the rate rises to its highest, and the most steps of that.
const WARM_UP: (f32, usize) = (0.05, 400);

/// The last share of the steps, in which weights are rounded as in the finished network.
const COARSE: f32 = 0.3;

/// Points of the loss curve, but not more than there are steps.
const POINTS: usize = 200;

/// Between two checkpoints.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60);

/// Between two reports of progress.
const PROGRESS_INTERVAL: f64 = 0.3;

/// A network to begin with, instead of random weights. A checkpoint remembers only which one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Start {
    checksum: String,
    #[serde(skip)]
    network: Option<Arc<Network>>,
}

impl Start {
    /// Begin with this network.
    pub fn with(network: Arc<Network>) -> Start {
        Start {
            checksum: format!("{:016x}", network.checksum()),
            network: Some(network),
        }
    }
}

impl PartialEq for Start {
    fn eq(&self, other: &Start) -> bool {
        self.checksum == other.checksum
    }
}

/// The settings that decide what is learned; the result depends on nothing else but the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Config {
    /// Hidden neurons of each perspective: a multiple of 64.
    pub hidden: usize,
    /// Output buckets by the number of men: 1 or 8.
    pub buckets: usize,
    /// The game result's share in the target; the rest is the score's.
    pub lambda: f32,
    /// How often all positions are gone through.
    pub epochs: usize,
    /// Positions of a batch, rounded up to a multiple of 256; chosen by the number of positions
    /// when not given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub batch: Option<usize>,
    /// The highest learning rate.
    pub rate: f32,
    /// How the loss grows with the error.
    pub loss: Loss,
    /// Decides the first weights and all shuffling.
    pub seed: u32,
    /// The network that is trained further; random weights if there is none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub start: Option<Start>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            hidden: 256,
            buckets: 1,
            lambda: 0.05,
            epochs: 12,
            batch: None,
            rate: 2e-3,
            loss: Loss::Square,
            seed: 1,
            start: None,
        }
    }
}

impl Config {
    /// Do the settings make sense?
    pub fn check(&self) -> Result<(), TrainError> {
        let bad = |what| Err(TrainError::Settings(what));
        if self.hidden == 0 || !self.hidden.is_multiple_of(64) || self.hidden > MAX_HIDDEN {
            return bad("hidden neurons must be a multiple of 64, up to 2048");
        }
        if self.buckets != 1 && self.buckets != 8 {
            return bad("output buckets must be 1 or 8");
        }
        if !(0.0..=1.0).contains(&self.lambda) {
            return bad("lambda must be from 0 to 1");
        }
        if !(self.rate > 0.0 && self.rate <= 1.0) {
            return bad("the learning rate must be above 0 and at most 1");
        }
        if self.epochs == 0 || self.epochs > 10_000 {
            return bad("epochs must be from 1 to 10000");
        }
        if let Some(network) = self.network()
            && (network.hidden() > self.hidden || network.buckets() != self.buckets)
        {
            return bad("the network to begin with is wider, or has other output buckets");
        }
        if !self
            .batch
            .is_none_or(|batch| (1..=1 << 20).contains(&batch))
        {
            return bad("a batch must be of 1 to 1048576 positions");
        }
        Ok(())
    }

    fn network(&self) -> Option<&Network> {
        self.start.as_ref()?.network.as_deref()
    }

    /// The model before its first step.
    fn model(&self) -> Model {
        let seed = self.seed.into();
        match self.network() {
            Some(network) => Model::continued(network, self.hidden, seed),
            None => Model::random(self.hidden, self.buckets, seed),
        }
    }

    /// Groups of a batch, for so many samples.
    fn groups(&self, samples: usize) -> usize {
        let positions = self.batch.unwrap_or(match samples {
            0..5_000_000 => 4096,
            5_000_000..20_000_000 => 8192,
            _ => 16384,
        });
        positions.div_ceil(GROUP)
    }

    /// How weights are rounded after `step` of `steps` steps.
    pub(super) fn grid(&self, step: usize, steps: usize) -> Grid {
        if step as f32 >= (1.0 - COARSE) * steps as f32 {
            Grid::Coarse
        } else {
            Grid::Fine
        }
    }

    /// The optimiser's settings for step `step` of `steps`.
    fn step(&self, step: usize, steps: usize) -> Step {
        let warm_up = ((steps as f32 * WARM_UP.0) as usize).min(WARM_UP.1);
        let rate = if step < warm_up {
            self.rate * (step + 1) as f32 / (warm_up + 1) as f32
        } else {
            let done = (step - warm_up) as f64 / (steps - warm_up).max(1) as f64;
            let cosine = (0.5 + 0.5 * (done * std::f64::consts::PI).cos()) as f32;
            self.rate * (LAST_RATE + (1.0 - LAST_RATE) * cosine)
        };
        let power = (step + 1).min(1 << 20) as i32;
        Step {
            rate: rate / (1.0 - BETA_1.powi(power)),
            correction: 1.0 / (1.0 - BETA_2.powi(power)).sqrt(),
            keep: 1.0 - rate * DECAY,
            limit: WEIGHT_LIMIT,
            grid: self.grid(step + 1, steps),
        }
    }
}

/// What a run needs besides its settings: none of it changes the result.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Threads.
    pub threads: usize,
    /// Where the run is kept, to be resumed.
    pub checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint, if there is one.
    pub resume: bool,
}

/// Why there is no network.
#[derive(Debug)]
pub enum TrainError {
    /// A setting makes no sense.
    Settings(&'static str),
    /// There is nothing to learn from.
    NoData,
    /// A checkpoint could not be written or read.
    Checkpoint(PathBuf, String),
    /// The checkpoint is of another run: what differs.
    OtherRun(&'static str),
    /// The client had enough. A checkpoint was written, if there was to be one.
    Interrupted,
    /// A thread died.
    ThreadDied,
    /// The weights grew beyond all numbers.
    Diverged,
    /// The finished network was refused.
    Network(NetworkError),
}

impl fmt::Display for TrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrainError::Settings(what) => f.write_str(what),
            TrainError::NoData => f.write_str("there are no positions to learn from"),
            TrainError::Checkpoint(path, why) => write!(f, "{}: {why}", path.display()),
            TrainError::OtherRun(what) => {
                write!(f, "the checkpoint is of another run: {what} differ")
            }
            TrainError::Interrupted => f.write_str("interrupted"),
            TrainError::ThreadDied => f.write_str("a thread died"),
            TrainError::Diverged => f.write_str("the weights grew beyond all numbers"),
            TrainError::Network(error) => write!(f, "the network was refused: {error}"),
        }
    }
}

impl std::error::Error for TrainError {}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Epochs done, and of how many.
    pub epoch: (usize, usize),
    /// Positions trained on, repetitions counted, and how many that will be.
    pub positions: (u64, u64),
    /// Mean loss of the last steps.
    pub training: f64,
    /// Mean loss of the positions held back, when it was last measured.
    pub validation: Option<f64>,
    /// Positions per second since the start or the resumption.
    pub speed: f64,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Positions learned from, and positions held back.
    pub samples: (usize, usize),
    /// Positions of a batch.
    pub batch: usize,
    /// Centipawns worth odds of e to 1 in each file of games.
    pub scales: Vec<f32>,
    /// Mean loss of the last training positions.
    pub training: f64,
    /// Mean loss of the positions held back.
    pub validation: f64,
    /// What rounding cost.
    pub quantisation: Quantisation,
    /// The loss curve.
    pub history: Vec<Point>,
    /// Positions per second since the start or the resumption.
    pub speed: f64,
}

/// A network and how it came to be.
pub struct Trained {
    /// The network, ready to play.
    pub network: Network,
    /// How it came to be.
    pub report: Report,
}

/// Trains a network. The client is told of the progress a few times a second, and may break off.
///
/// # Errors
///
/// See [`TrainError`].
pub fn train(
    config: &Config,
    data: &Dataset,
    environment: &Environment,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Trained, TrainError> {
    config.check()?;
    if data.training.is_empty() {
        return Err(TrainError::NoData);
    }
    let mut run = Run::start(config, data, environment)?;
    while run.state.step < run.state.steps {
        run.epoch(progress)?;
    }
    run.finish()
}

struct Run<'a> {
    config: &'a Config,
    data: &'a Dataset,
    environment: &'a Environment,
    rules: Rules,
    model: Model,
    state: State,
    groups: usize,
    /// Batches of an epoch.
    batches: usize,
    started: Instant,
    /// Positions that were trained on before this start.
    before: u64,
    saved: Instant,
    /// Mean loss of the last steps, for the client.
    recent: f64,
}

impl<'a> Run<'a> {
    fn start(
        config: &'a Config,
        data: &'a Dataset,
        environment: &'a Environment,
    ) -> Result<Run<'a>, TrainError> {
        let (state, model) = match resumed(config, data, environment)? {
            Some(found) => found,
            None => fresh(config, data),
        };
        let target = Target {
            lambda: config.lambda,
            scale: SCALE,
        };
        let level = Level::best();
        let rules = Rules {
            target,
            loss: config.loss,
            centipawns: SCALE,
            level,
        };
        let groups = config.groups(data.training.len());
        let now = Instant::now();
        Ok(Run {
            config,
            data,
            environment,
            rules,
            model,
            groups,
            batches: Epoch::batches(data.training.len(), groups),
            started: now,
            before: state.positions,
            saved: now,
            recent: f64::NAN,
            state,
        })
    }

    fn threads(&self) -> usize {
        self.environment.threads.max(1)
    }

    /// Trains to the end of the epoch.
    fn epoch(
        &mut self,
        progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<(), TrainError> {
        let data = self.data;
        let number = self.state.step / self.batches;
        let epoch = Epoch::new(&data.training, self.config.seed.into(), number, self.groups);
        let end = (number + 1) * self.batches;
        let mut length = 4;
        while self.state.step < end {
            let begun = Instant::now();
            let last = (self.state.step + length).min(end);
            let done = last - self.state.step;
            self.train_to(&epoch, number, last)?;
            if last == end {
                let loss = self.validate();
                if let Some(point) = self.state.history.last_mut() {
                    point.validation = Some(loss);
                }
            }
            // As many steps as fit between two reports.
            let fit = PROGRESS_INTERVAL / begun.elapsed().as_secs_f64().max(1e-6) * done as f64;
            length = (fit as usize).clamp(1, 4 * length);
            let stop = progress(&self.progress()).is_break();
            if stop || last == end || self.saved.elapsed() >= CHECKPOINT_INTERVAL {
                self.save()?;
            }
            if stop {
                return Err(TrainError::Interrupted);
            }
        }
        Ok(())
    }

    /// Trains on the epoch's batches up to step `last`.
    fn train_to(&mut self, epoch: &Epoch, number: usize, last: usize) -> Result<(), TrainError> {
        let (first, steps) = (number * self.batches, self.state.steps);
        let batches = self.state.step - first..last - first;
        let (rules, threads, config) = (self.rules, self.threads(), self.config);
        let step = |batch| config.step(first + batch, steps);
        let tallies = train_batches(&mut self.model, epoch, batches, rules, threads, &step)
            .map_err(|_| TrainError::ThreadDied)?;
        let mut sum = Tally::default();
        for tally in tallies {
            sum.add(tally);
            self.record(tally);
        }
        self.recent = sum.mean();
        if self.recent.is_finite() {
            Ok(())
        } else {
            Err(TrainError::Diverged)
        }
    }

    /// Counts a batch, and ends a stretch of the loss curve where one ends.
    fn record(&mut self, tally: Tally) {
        let stretch = (self.state.steps / POINTS).max(1);
        let state = &mut self.state;
        state.step += 1;
        state.positions += tally.positions;
        state.pending.0 += tally.loss;
        state.pending.1 += tally.positions;
        if state.step.is_multiple_of(stretch) || state.step.is_multiple_of(self.batches) {
            let (loss, positions) = std::mem::take(&mut state.pending);
            let training = Tally { loss, positions }.mean();
            let point = Point {
                positions: state.positions,
                training,
                validation: None,
            };
            state.history.push(point);
        }
    }

    /// Mean loss of the positions held back; of the training positions if there are none.
    fn validate(&self) -> f64 {
        let samples = self.measured();
        evaluate::loss(&self.model, samples, self.rules, self.threads()).mean()
    }

    fn measured(&self) -> &'a [super::sample::Sample] {
        let Dataset {
            training,
            validation,
            ..
        } = self.data;
        if validation.is_empty() {
            &training[..training.len().min(1 << 16)]
        } else {
            validation
        }
    }

    fn save(&mut self) -> Result<(), TrainError> {
        self.saved = Instant::now();
        match &self.environment.checkpoint {
            Some(path) => checkpoint::save(path, &self.state, &mut self.model),
            None => Ok(()),
        }
    }

    fn speed(&self) -> f64 {
        let positions = self.state.positions - self.before;
        positions as f64 / self.started.elapsed().as_secs_f64().max(1e-9)
    }

    fn progress(&self) -> Progress {
        let state = &self.state;
        let share = self.state.steps as f64 / state.step.max(1) as f64;
        Progress {
            epoch: (state.step / self.batches, self.config.epochs),
            positions: (
                state.positions,
                (state.positions as f64 * share).round() as u64,
            ),
            training: self.recent,
            validation: state
                .history
                .iter()
                .rev()
                .find_map(|point| point.validation),
            speed: self.speed(),
        }
    }

    fn finish(self) -> Result<Trained, TrainError> {
        let speed = self.speed();
        let measured = quantise(&self.model, self.measured(), self.rules, self.threads());
        let (network, quantisation) = measured.map_err(TrainError::Network)?;
        let training = self
            .state
            .history
            .last()
            .map_or(f64::NAN, |point| point.training);
        let report = Report {
            samples: (self.data.training.len(), self.data.validation.len()),
            batch: self.groups * GROUP,
            scales: self.data.scales.clone(),
            training,
            validation: self.validate(),
            quantisation,
            history: self.state.history,
            speed,
        };
        Ok(Trained { network, report })
    }
}

/// A run from its beginning.
fn fresh(config: &Config, data: &Dataset) -> (State, Model) {
    let samples = data.training.len();
    let batches = Epoch::batches(samples, config.groups(samples));
    let state = State {
        config: config.clone(),
        data: format!("{:016x}", data.fingerprint),
        step: 0,
        steps: batches * config.epochs,
        positions: 0,
        pending: (0.0, 0),
        history: Vec::new(),
    };
    (state, config.model())
}

/// The run of the checkpoint, if it shall be resumed and there is one.
fn resumed(
    config: &Config,
    data: &Dataset,
    environment: &Environment,
) -> Result<Option<(State, Model)>, TrainError> {
    let Some(path) = environment.checkpoint.as_ref().filter(|path| {
        // Without a checkpoint, the run was interrupted before its first.
        environment.resume && path.exists()
    }) else {
        return Ok(None);
    };
    let (state, model) = checkpoint::load(path)?;
    if state.config != *config {
        return Err(TrainError::OtherRun("the settings"));
    }
    if state.data != format!("{:016x}", data.fingerprint) {
        return Err(TrainError::OtherRun("the games"));
    }
    Ok(Some((state, model)))
}
