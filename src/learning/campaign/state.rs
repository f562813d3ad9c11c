//! What a campaign remembers: one small file, always whole, from which it goes on after any
//! interruption.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::elo::Pairs;
use super::super::failure::LearnError;
use super::super::origin::write_whole;
use super::plan::{Budget, Plan};

/// The version of the state's layout.
const VERSION: u32 = 1;

/// A campaign's state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The version of this layout.
    pub version: u32,
    /// The seed of everything random.
    pub seed: u64,
    /// What the campaign may take.
    pub budget: Budget,
    /// Seconds it has run, over all its runs.
    pub elapsed: f64,
    /// The generation whose network plays; 0 is the random one.
    pub champion: u32,
    /// The generation underway.
    pub current: Option<Current>,
    /// The generations that are finished.
    #[serde(default)]
    pub generations: Vec<Generation>,
}

/// What a generation is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The champion plays itself.
    Play,
    /// A network learns from the games.
    Train,
    /// The new network plays the champion.
    Gate,
}

/// The generation underway.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Current {
    /// Its number, from 1.
    pub number: u32,
    /// What it is doing.
    pub stage: Stage,
    /// The seconds it may take in all, if the campaign's budget is in time.
    pub seconds: Option<f64>,
    /// Seconds of play so far.
    pub played: f64,
    /// Seconds of training so far.
    pub trained: f64,
    /// Seconds of the gate match so far.
    pub gated: f64,
    /// Its plan; the passes are those that the time allows once training has begun.
    pub plan: Plan,
    /// What play has given, once it is over.
    pub data: Option<Data>,
    /// What training has given, once it is over.
    pub training: Option<Training>,
}

/// What a generation learnt from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Data {
    /// Games that it added.
    pub games: u64,
    /// Kept positions that it added.
    pub positions: u64,
    /// Kept positions that it learnt from, those of earlier generations included.
    pub pooled: u64,
}

/// How training went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// The loss on the positions that were learnt from.
    pub loss: f64,
    /// The loss on positions of games that were held back.
    pub validation: f64,
    /// The mean error that quantisation causes, in centipawns.
    pub quantisation: f64,
    /// The centipawns that were found to be worth odds of e to 1.
    pub scale: f64,
    /// Samples learnt from in a second.
    pub rate: f64,
}

/// A finished generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 1.
    pub number: u32,
    /// The generation whose network played its games, and its gate.
    pub teacher: u32,
    /// Whether its network won the gate.
    pub promoted: bool,
    /// Seconds of play, training and gate.
    pub seconds: [f64; 3],
    /// The plan it followed.
    pub plan: Plan,
    /// What it learnt from.
    pub data: Data,
    /// How training went.
    pub training: Training,
    /// The gate match, from the new network's view: pairs by half points.
    pub pairs: [u64; 5],
    /// The gate's games: lost, drawn, won.
    pub games: [u64; 3],
}

impl Generation {
    /// The gate match.
    pub fn gate(&self) -> Pairs {
        Pairs {
            counts: self.pairs,
            games: self.games,
        }
    }

    /// All seconds it took.
    pub fn total_seconds(&self) -> f64 {
        self.seconds.iter().sum()
    }
}

impl State {
    /// A campaign that has not begun.
    pub fn new(seed: u64, budget: Budget) -> State {
        State {
            version: VERSION,
            seed,
            budget,
            elapsed: 0.0,
            champion: 0,
            current: None,
            generations: Vec::new(),
        }
    }

    /// The number of the generation that is underway or comes next.
    pub fn next_number(&self) -> u32 {
        let finished = self.generations.last().map_or(0, |last| last.number);
        self.current.map_or(finished + 1, |current| current.number)
    }

    /// How many generations in a row, up to now, lost their gate.
    pub fn failures(&self) -> u32 {
        let lost = |generation: &&Generation| !generation.promoted;
        self.generations.iter().rev().take_while(lost).count() as u32
    }

    /// Samples a second that training a network of `hidden` neurons may reach: as measured in the
    /// last generation, the cost taken as proportional to the network's size.
    pub fn training_rate(&self, hidden: usize) -> f64 {
        let guess = (256, 1_000_000.0);
        let measured = self.generations.last();
        let (size, rate) = measured.map_or(guess, |last| (last.plan.hidden, last.training.rate));
        rate * size as f64 / hidden.max(1) as f64
    }

    /// Is there nothing left to do?
    pub fn is_over(&self) -> bool {
        if self.current.is_some() {
            return false;
        }
        match self.budget {
            Budget::Seconds(seconds) => {
                self.next_number() > self.budget.generations() || self.elapsed >= seconds
            }
            Budget::Generations { count, .. } => self.next_number() > count,
        }
    }

    /// Reads a state; `None` if there is none.
    pub fn load(path: &Path) -> Result<Option<State>, LearnError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(LearnError::file(path)(error)),
        };
        let state: State =
            toml::from_str(&text).map_err(|error| LearnError::content(path, error.message()))?;
        if state.version != VERSION {
            let why = format!("version {} instead of {VERSION}", state.version);
            return Err(LearnError::content(path, why));
        }
        Ok(Some(state))
    }

    /// Writes the state: the old one stays until the new one is whole.
    pub fn save(&self, path: &Path) -> Result<(), LearnError> {
        let text = toml::to_string(self).map_err(|error| LearnError::content(path, error))?;
        write_whole(path, text.as_bytes())
    }
}

/// Where a campaign keeps its files.
#[derive(Clone, Debug)]
pub struct Layout(pub PathBuf);

impl Layout {
    /// Makes the folders.
    pub fn create(&self) -> Result<(), LearnError> {
        for folder in ["", "games", "nets", "training", "gates"] {
            let path = self.0.join(folder);
            fs::create_dir_all(&path).map_err(LearnError::file(&path))?;
        }
        Ok(())
    }

    /// The state.
    pub fn state(&self) -> PathBuf {
        self.0.join("state.toml")
    }

    /// Held while a campaign runs.
    pub fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }

    /// The user's changes to the usual plans.
    pub fn changes(&self) -> PathBuf {
        self.0.join("plan.toml")
    }

    /// The table of generations as text with the reasons.
    pub fn report(&self) -> PathBuf {
        self.0.join("report.md")
    }

    /// The picture of the ascent.
    pub fn ascent(&self) -> PathBuf {
        self.0.join("ascent.svg")
    }

    /// The strongest network.
    pub fn best(&self) -> PathBuf {
        self.0.join("best.net")
    }

    /// A generation's games.
    pub fn games(&self, number: u32) -> PathBuf {
        self.0.join(format!("games/{number:02}.games"))
    }

    /// A generation's network.
    pub fn network(&self, number: u32) -> PathBuf {
        self.0.join(format!("nets/{number:02}.net"))
    }

    /// A generation's checkpoint of the trainer.
    pub fn training(&self, number: u32) -> PathBuf {
        self.0.join(format!("training/{number:02}.checkpoint"))
    }

    /// The loss curve of a generation's training.
    pub fn curve(&self, number: u32) -> PathBuf {
        self.0.join(format!("training/{number:02}.svg"))
    }

    /// A generation's gate: a line for each pair.
    pub fn gate(&self, number: u32) -> PathBuf {
        self.0.join(format!("gates/{number:02}.txt"))
    }
}
