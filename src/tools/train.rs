//! `standpat train`: a network from files of games.

use std::fmt::Display;
use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::Failure;
use crate::eval::network::Network;
use crate::learning::trainer::{
    Config, Dataset, Environment, Loss, Progress, Report, Start, TrainError, curve, train,
};

/// What `standpat train` is asked for.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of games, as `standpat datagen` makes them
    #[arg(required = true, value_name = "GAMES")]
    data: Vec<PathBuf>,
    /// The file for the network
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Train this network further, instead of random weights; it may be made wider
    #[arg(long, value_name = "NET")]
    from: Option<PathBuf>,
    /// Hidden neurons of each perspective, a multiple of 64
    #[arg(long, value_name = "N", default_value_t = Config::default().hidden)]
    hidden: usize,
    /// Output buckets by the number of men: 1 or 8
    #[arg(long, value_name = "N", default_value_t = Config::default().buckets)]
    buckets: usize,
    /// The share of the game's result in what is learned, 0 to 1; the rest is the search's score
    #[arg(long, value_name = "SHARE", default_value_t = Config::default().lambda)]
    lambda: f32,
    /// Centipawns worth odds of e to 1 in the games' scores (default: fitted to the games); 400 keeps
    /// the centipawns of the network that played them
    #[arg(long, value_name = "CP", value_parser = clap::value_parser!(u16).range(100..=1500))]
    scale: Option<u16>,
    /// How often all positions are gone through
    #[arg(long, value_name = "N", default_value_t = Config::default().epochs)]
    epochs: usize,
    /// Positions of a step (default: 4096 to 16384 by the number of positions)
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// The highest learning rate
    #[arg(long, value_name = "RATE", default_value_t = Config::default().rate)]
    lr: f32,
    /// Loss by the error's power of 2.5 instead of its square
    #[arg(long)]
    power_loss: bool,
    /// Decides the first weights and all shuffling; the same one gives the same network again
    #[arg(long, value_name = "N", default_value_t = Config::default().seed)]
    seed: u32,
    /// Learn from at most so many positions, taken at random
    #[arg(long, value_name = "N")]
    positions: Option<usize>,
    /// Threads; all cores if not given. The network does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// A file to keep the run in, written after each epoch and every minute
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint, if it exists
    #[arg(long, requires = "checkpoint")]
    resume: bool,
    /// Draw the loss curve
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl Args {
    /// The network to begin with, read.
    fn start(&self) -> Result<Option<Start>, Failure> {
        let read = |path: &PathBuf| {
            let bad = |error: String| Failure::BadInput(format!("{}: {error}", path.display()));
            let bytes = fs::read(path).map_err(|error| bad(error.to_string()))?;
            let network = Network::read(&bytes).map_err(|error| bad(error.to_string()))?;
            Ok(Start::with(Arc::new(network)))
        };
        self.from.as_ref().map(read).transpose()
    }

    fn config(&self, start: Option<Start>) -> Config {
        Config {
            start,
            hidden: self.hidden,
            buckets: self.buckets,
            lambda: self.lambda,
            epochs: self.epochs,
            batch: self.batch,
            rate: self.lr,
            loss: if self.power_loss {
                Loss::Power25
            } else {
                Loss::Square
            },
            seed: self.seed,
        }
    }

    fn environment(&self) -> Environment {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        Environment {
            threads: self.threads.unwrap_or_else(cores),
            checkpoint: self.checkpoint.clone(),
            resume: self.resume,
        }
    }
}

/// Trains a network and writes what came of it to `out`.
///
/// # Errors
///
/// Bad input, files that cannot be read or written, a checkpoint of another run.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let (config, environment) = (args.config(args.start()?), args.environment());
    config.check().map_err(failure)?;
    let bar = bar("reading {bar:32} {human_pos}/{human_len} positions")?;
    let data = Dataset::load(
        &args.data,
        args.scale.map(f32::from),
        config.seed.into(),
        environment.threads,
        &mut |read, all| {
            bar.set_length(all);
            bar.set_position(read);
        },
    );
    bar.finish_and_clear();
    let mut data = data.map_err(|error| Failure::BadInput(error.to_string()))?;
    if let Some(positions) = args.positions {
        data.limit(positions);
    }
    for note in &data.notes {
        writeln!(out, "note: {note}")?;
    }
    writeln!(
        out,
        "{} games: {} positions to learn from, {} held back",
        data.games,
        data.training.len(),
        data.validation.len()
    )?;
    out.flush()?;

    let bar = self::bar("{bar:32} {msg}, {eta} left")?;
    let trained = train(&config, &data, &environment, &mut |progress| {
        show(&bar, progress);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    let trained = trained.map_err(failure)?;
    save(&args.out, &trained.network.write())?;
    if let Some(path) = &args.svg {
        let title = format!(
            "H = {}, {} positions, λ = {}",
            config.hidden, trained.report.samples.0, config.lambda
        );
        save(
            path,
            curve::draw(&trained.report.history, &title).as_bytes(),
        )?;
    }
    summarise(&trained.report, out)
}

fn failure(error: TrainError) -> Failure {
    match error {
        TrainError::Settings(_) | TrainError::NoData | TrainError::OtherRun(_) => {
            Failure::BadInput(error.to_string())
        }
        error => Failure::Failed(error.to_string()),
    }
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| Failure::Failed(format!("{}: {error}", path.display())))
}

fn bar(template: &str) -> Result<ProgressBar, Failure> {
    let style = ProgressStyle::with_template(template)
        .map_err(|error| Failure::Failed(error.to_string()))?;
    let bar = ProgressBar::new(0).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(500));
    Ok(bar)
}

fn show(bar: &ProgressBar, progress: &Progress) {
    let (done, all) = progress.positions;
    if bar.length() != Some(all) && bar.position() == 0 {
        // What an earlier run did must not count for the time left.
        bar.set_length(all);
        bar.set_position(done);
        bar.reset_eta();
    }
    bar.set_length(all);
    bar.set_position(done);
    let held_back = |loss| format!(", held back {loss:.6}");
    bar.set_message(format!(
        "epoch {}/{}, loss {:.6}{}, {}",
        progress.epoch.0,
        progress.epoch.1,
        progress.training,
        progress.validation.map(held_back).unwrap_or_default(),
        speed(progress.speed)
    ));
}

fn speed(positions: f64) -> impl Display {
    format!("{:.2} M positions/s", positions / 1e6)
}

fn summarise(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    let cost = &report.quantisation;
    let scales = report.scales.iter().map(|scale| format!("{scale:.0}"));
    let scales = scales.collect::<Vec<_>>().join(", ");
    writeln!(out, "scale of the scores  {scales} centipawns")?;
    writeln!(out, "batch                {} positions", report.batch)?;
    writeln!(
        out,
        "loss                 {:.6} in training, {:.6} held back",
        report.training, report.validation
    )?;
    writeln!(
        out,
        "rounding             {:.2} centipawns on average, {:.0} at most; loss {:.6} → {:.6}",
        cost.mean, cost.worst, cost.exact_loss, cost.rounded_loss
    )?;
    Ok(writeln!(
        out,
        "speed                {}",
        speed(report.speed)
    )?)
}
