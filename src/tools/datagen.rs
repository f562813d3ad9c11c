//! `standpat datagen`: the engine plays itself into a file of games.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::Failure;
use crate::base::score::Score;
use crate::eval::network::Network;
use crate::learning::game_file::read_games;
use crate::learning::game_stats::GameStats;
use crate::learning::games::GameError;
use crate::learning::referee::Adjudication;
use crate::learning::selfplay::{self, Report, Settings, Target};

/// What `standpat datagen` is asked for.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file of games; one that is there already is taken up where it ends
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Stop at so many positions worth learning from
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// Stop at so many games
    #[arg(long, value_name = "N", required_unless_present = "positions")]
    games: Option<u64>,
    /// Nodes of a move after which no new iteration starts
    #[arg(long, value_name = "N", default_value_t = 100)]
    nodes: u64,
    /// The seed: the same one gives the same games again
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: u64,
    /// Threads; all cores if not given
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// The network that plays, instead of the one inside the program; `random` for random weights
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// The share of games that start from a position of Chess960, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    chess960_share: f64,
    /// Random moves before the first real one, in plies (every other game has one more)
    #[arg(long, value_name = "N", default_value_t = 8)]
    random_plies: u32,
    /// Openings are dropped when the first search judges them beyond this, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 400)]
    opening_limit: Score,
    /// Play every game to its end: no score decides it
    #[arg(long)]
    no_adjudication: bool,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is a number from 0 to 1".to_string()),
    }
}

impl Args {
    fn settings(&self) -> Settings {
        let usual = Settings::default();
        let mut openings = usual.openings;
        openings.random_plies = self.random_plies;
        openings.limit = self.opening_limit;
        openings.chess960_share = self.chess960_share;
        Settings {
            seed: self.seed,
            nodes: self.nodes.max(1),
            openings,
            adjudication: (!self.no_adjudication).then(Adjudication::default),
            ..usual
        }
    }

    fn network(&self) -> Result<Arc<Network>, Failure> {
        let Some(path) = &self.net else {
            return Ok(Network::shipped());
        };
        if path == Path::new("random") {
            return Ok(Arc::new(Network::random(64, 1, self.seed)));
        }
        let named = |error: &dyn std::fmt::Display| {
            Failure::BadInput(format!("{}: {error}", path.display()))
        };
        let bytes = fs::read(path).map_err(|error| named(&error))?;
        Network::read(&bytes)
            .map(Arc::new)
            .map_err(|error| named(&error))
    }
}

/// Plays the games and writes what they are like to `out`.
///
/// # Errors
///
/// Bad input, a file that cannot be written or that was made with other settings.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let network = args.network()?;
    let threads = args
        .threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let target = Target {
        games: args.games,
        positions: args.positions,
        ..Target::default()
    };
    let bar = bar(&target)?;
    let failed = |error: &dyn std::fmt::Display| Failure::Failed(error.to_string());
    let report = selfplay::generate(
        &network,
        &args.settings(),
        &target,
        threads,
        &args.out,
        &mut |report| show(&bar, &target, report),
    )
    .map_err(|error| failed(&error))?;
    bar.finish_and_clear();
    writeln!(
        out,
        "{} games, {} positions in {:.1} s: {:.0} positions/s on {threads} threads\n",
        report.added.games,
        report.added.kept,
        report.elapsed.as_secs_f64(),
        report.kept_per_second(),
    )?;
    let stats = statistics(&args.out).map_err(|error| failed(&error))?;
    Ok(write!(out, "{stats}")?)
}

fn statistics(path: &Path) -> Result<GameStats, GameError> {
    let mut stats = GameStats::default();
    for game in read_games(path)? {
        stats.add(&game?)?;
    }
    Ok(stats)
}

fn bar(target: &Target) -> Result<ProgressBar, Failure> {
    let length = target.positions.or(target.games).unwrap_or(0);
    let style = ProgressStyle::with_template("{bar:32} {pos}/{len} {msg}, {eta} left")
        .map_err(|error| Failure::Failed(error.to_string()))?;
    let bar = ProgressBar::new(length).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(500));
    Ok(bar)
}

fn show(bar: &ProgressBar, target: &Target, report: &Report) {
    let by_positions = target.positions.is_some();
    let count = |games: u64, kept: u64| if by_positions { kept } else { games };
    let (total, added) = (report.totals, report.added);
    if added.games == 1 {
        // What an earlier run left must not count for the speed.
        bar.set_position(count(total.games, total.kept) - count(added.games, added.kept));
        bar.reset_eta();
    }
    bar.set_position(count(total.games, total.kept));
    let unit = if by_positions { "positions" } else { "games" };
    bar.set_message(format!(
        "{unit}, {:.0} positions/s",
        report.kept_per_second()
    ));
}
