//! `standpat duel`: two networks play a match, in one process.

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indicatif::ProgressBar;

use super::Failure;
use crate::base::score::Score;
use crate::eval::network::Network;
use crate::learning::elo::Sprt;
use crate::learning::matches::{Budget, MatchSettings, play_match};

/// What `standpat duel` is asked for.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The network under test: all figures are its own
    #[arg(value_name = "NEW")]
    challenger: PathBuf,
    /// The network it plays against
    #[arg(value_name = "OLD")]
    defender: PathBuf,
    /// Pairs of games, each from one random opening with colours reversed
    #[arg(long, value_name = "N", default_value_t = 200)]
    pairs: u64,
    /// Nodes of a move
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1_000,
        conflicts_with = "time"
    )]
    nodes: u64,
    /// A clock instead of nodes: seconds for the game, and seconds a move, such as 2+0.02
    #[arg(long, value_name = "TIME+INC", value_parser = clock)]
    time: Option<Budget>,
    /// Stop when a sequential test of these two Elo differences is decided, such as 0,5
    #[arg(long, value_name = "ELO0,ELO1", value_parser = sprt)]
    sprt: Option<Sprt>,
    /// The seed of the openings
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: u64,
    /// Openings are dropped when the new network judges them beyond this, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 300)]
    opening_limit: Score,
    /// Games at a time; as many as there are cores if not given
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Each player's table, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 8,
        value_parser = clap::value_parser!(u64).range(1..=1024))]
    hash: u64,
}

fn clock(text: &str) -> Result<Budget, String> {
    let milliseconds = |text: &str| {
        let seconds: f64 = text.trim().parse().ok()?;
        (0.0..86_400.0)
            .contains(&seconds)
            .then_some((seconds * 1e3).round() as u64)
    };
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    match (milliseconds(base), milliseconds(increment)) {
        (Some(base), Some(increment)) if base + increment > 0 => {
            Ok(Budget::Clock { base, increment })
        }
        _ => Err("a clock is written as 2+0.02, in seconds".to_string()),
    }
}

fn sprt(text: &str) -> Result<Sprt, String> {
    let elo = |text: &str| {
        text.trim()
            .parse::<f64>()
            .ok()
            .filter(|elo| elo.is_finite())
    };
    match text.split_once(',').map(|(a, b)| (elo(a), elo(b))) {
        Some((Some(elo0), Some(elo1))) if elo0 < elo1 => Ok(Sprt {
            elo0,
            elo1,
            alpha: 0.05,
            beta: 0.05,
        }),
        _ => Err("a test is written as 0,5: the smaller difference first".to_string()),
    }
}

fn network(path: &Path) -> Result<Arc<Network>, Failure> {
    let named =
        |error: &dyn std::fmt::Display| Failure::BadInput(format!("{}: {error}", path.display()));
    let bytes = fs::read(path).map_err(|error| named(&error))?;
    let network = Network::read(&bytes).map_err(|error| named(&error))?;
    Ok(Arc::new(network))
}

/// Plays the match and writes what it says to `out`.
///
/// # Errors
///
/// A network that cannot be read, or no memory for the tables.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let (challenger, defender) = (network(&args.challenger)?, network(&args.defender)?);
    let mut settings = MatchSettings::nodes(args.seed, args.pairs, args.nodes.max(1));
    settings.budget = args.time.unwrap_or(settings.budget);
    settings.openings.limit = args.opening_limit;
    settings.hash_mib = args.hash as usize;
    let threads = args
        .threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(500));
    let mut verdict = None;
    let sum = play_match(
        &challenger,
        &defender,
        &settings,
        threads,
        &[],
        &mut |_, sum| {
            bar.set_message(format!("{} of {} pairs: {sum}", sum.len(), args.pairs));
            verdict = args.sprt.and_then(|test| test.verdict(sum));
            Ok(match verdict {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            })
        },
    )
    .map_err(|error| Failure::Failed(error.to_string()))?;
    bar.finish_and_clear();
    writeln!(out, "{sum}")?;
    if let Some(test) = args.sprt {
        let answer = match verdict {
            Some(true) => "accepted",
            Some(false) => "rejected",
            None => "undecided",
        };
        let ratio = sum.log_likelihood_ratio(test.elo0, test.elo1);
        let Sprt { elo0, elo1, .. } = test;
        writeln!(
            out,
            "SPRT {elo0},{elo1}: {answer}, log-likelihood ratio {ratio:.2}"
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_and_tests_are_read_as_users_write_them() {
        let clock_of = |base, increment| Ok(Budget::Clock { base, increment });
        assert_eq!(clock("2+0.02"), clock_of(2_000, 20));
        assert_eq!(clock("10"), clock_of(10_000, 0));
        for bad in ["", "+", "0", "-1+1", "1+x", "nan", "1e9"] {
            assert!(clock(bad).is_err(), "{bad}");
        }
        assert!(sprt("0,5").is_ok());
        for bad in ["", "5", "5,0", "0,0", "a,b", "0,inf"] {
            assert!(sprt(bad).is_err(), "{bad}");
        }
    }
}
