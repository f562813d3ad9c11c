//! `standpat learn`: from random weights to a strong network, in one command.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::Failure;
use crate::learning::campaign::plan::Budget;
use crate::learning::campaign::report::{duration, head, row, short_count};
use crate::learning::campaign::state::{Current, Stage};
use crate::learning::campaign::{Campaign, Event, Start};

/// What `standpat learn` is asked for.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of the campaign; one that is there already goes on where it was
    #[arg(long, value_name = "FOLDER", default_value = "learning")]
    dir: PathBuf,
    /// Learn for so many hours
    #[arg(long, value_name = "H", group = "budget")]
    hours: Option<f64>,
    /// Learn for so many minutes
    #[arg(long, value_name = "M", group = "budget")]
    minutes: Option<f64>,
    /// Learn for so many generations, however long they take
    #[arg(long, value_name = "G", group = "budget")]
    generations: Option<u32>,
    /// With --generations: the share of the usual number of positions, 1 being all
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 1.0,
        requires = "generations"
    )]
    scale: f64,
    /// The seed of a new campaign
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: u64,
    /// Threads; all cores if not given
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl Args {
    fn budget(&self) -> Result<Option<Budget>, Failure> {
        let seconds = |amount: Option<f64>, unit: f64| amount.map(|amount| amount * unit);
        let seconds = seconds(self.hours, 3_600.0).or(seconds(self.minutes, 60.0));
        let budget = match (seconds, self.generations) {
            (Some(seconds), _) => Budget::Seconds(seconds),
            (None, Some(count)) => Budget::Generations {
                count,
                scale: self.scale,
            },
            (None, None) => return Ok(None),
        };
        let sound = match budget {
            Budget::Seconds(seconds) => seconds.is_finite() && seconds > 0.0,
            Budget::Generations { scale, .. } => scale.is_finite() && scale > 0.0,
        };
        if sound {
            Ok(Some(budget))
        } else {
            let why = "a time and a share are numbers above zero";
            Err(Failure::BadInput(why.to_string()))
        }
    }
}

/// Runs the campaign and writes the table of its generations to `out`, line by line.
///
/// # Errors
///
/// When the folder cannot be used, or the work itself fails.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let start = Start {
        seed: args.seed,
        budget: args.budget()?,
        threads: args
            .threads
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
    };
    let failed = |error: &dyn std::fmt::Display| Failure::Failed(error.to_string());
    let mut campaign = Campaign::open(&args.dir, &start).map_err(|error| failed(&error))?;
    writeln!(out, "{}", head())?;
    for generation in &campaign.state().generations {
        writeln!(out, "{}", row(generation))?;
    }
    out.flush()?;
    let mut teller = Teller::new(out);
    campaign
        .run(&mut |event| teller.tell(event))
        .map_err(|error| failed(&error))?;
    teller.bar.finish_and_clear();
    teller.written?;
    let layout = campaign.layout();
    Ok(writeln!(
        out,
        "\nThe strongest network is generation {}'s: {}\nReport: {}\nPicture: {}",
        campaign.state().champion,
        layout.best().display(),
        layout.report().display(),
        layout.ascent().display(),
    )?)
}

/// Tells the user what happens: rows of the table, and between them one line that changes.
struct Teller<'a> {
    out: &'a mut dyn Write,
    /// The first error of writing; the work goes on.
    written: std::io::Result<()>,
    bar: ProgressBar,
    /// Without a terminal there is no bar; a line now and then takes its place.
    lines: bool,
    last_line: Instant,
}

/// Without a terminal a line of progress is written so often.
const LINE_EVERY: Duration = Duration::from_secs(60);

impl<'a> Teller<'a> {
    fn new(out: &'a mut dyn Write) -> Teller<'a> {
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(500));
        Teller {
            out,
            written: Ok(()),
            bar,
            lines: !std::io::stderr().is_terminal(),
            last_line: Instant::now(),
        }
    }

    fn tell(&mut self, event: &Event<'_>) {
        match event {
            Event::Begun(current) => self.progress(&begun(current), true),
            Event::Playing { current, report } => {
                let text = format!(
                    "generation {}: playing, {} of {} positions, {:.0} a second, {}",
                    current.number,
                    short_count(report.totals.kept),
                    short_count(current.plan.positions),
                    report.kept_per_second(),
                    time(current),
                );
                self.progress(&text, false);
            }
            Event::Training { current, progress } => {
                let text = format!(
                    "generation {}: training, pass {} of {}, {} of {} samples, {:.2} M a second, \
                     loss {:.5}, {}",
                    current.number,
                    (progress.epoch.0 + 1).min(progress.epoch.1),
                    progress.epoch.1,
                    short_count(progress.positions.0),
                    short_count(progress.positions.1),
                    progress.speed / 1e6,
                    progress.training,
                    time(current),
                );
                self.progress(&text, false);
            }
            Event::Gating { current, sum } => {
                let text = format!("generation {}: gate match, {sum}", current.number);
                self.progress(&text, false);
            }
            Event::Finished(generation) => self.write(&row(generation)),
        }
    }

    /// A line of the table.
    fn write(&mut self, line: &str) {
        let out = &mut self.out;
        let written = self
            .bar
            .suspend(|| writeln!(out, "{line}").and_then(|()| out.flush()));
        if self.written.is_ok() {
            self.written = written;
        }
    }

    /// The line that changes; `now` makes sure that it is shown without a terminal too.
    fn progress(&mut self, text: &str, now: bool) {
        self.bar.set_message(text.to_string());
        if self.lines && (now || self.last_line.elapsed() >= LINE_EVERY) {
            self.last_line = Instant::now();
            self.write(&format!("# {text}"));
        }
    }
}

fn begun(current: &Current) -> String {
    let stage = match current.stage {
        Stage::Play => "self-play",
        Stage::Train => "training",
        Stage::Gate => "gate match",
    };
    format!("generation {}: {stage}", current.number)
}

fn time(current: &Current) -> String {
    let spent = current.played + current.trained + current.gated;
    match current.seconds {
        Some(seconds) => format!("{} of {}", duration(spent), duration(seconds)),
        None => duration(spent),
    }
}
