//! `standpat ladder`: what each step from minimax to a well-ordered alpha-beta saves.
//!
//! | file | its one job |
//! |---|---|
//! | `trees.rs` | without arguments: seeded uniform trees, small enough to count by hand |
//! | `position.rs` | with a position: its own tree, depth by depth |

pub mod position;
pub mod trees;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use super::Failure;
use crate::base::chart::{Chart, Scale, Series};
use crate::board::Game;
use position::{Rung, climb};

/// What `standpat ladder` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// How many seeded trees to average over
    #[arg(long, default_value_t = 1000, conflicts_with = "fen",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub trees: u64,
    /// A position, whose own tree is searched instead
    #[arg(requires = "depth")]
    pub fen: Option<String>,
    /// Plies to search it to
    #[arg(requires = "fen", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub depth: Option<u32>,
    /// Leave out minimax where it would visit more nodes than this
    #[arg(
        long,
        value_name = "NODES",
        requires = "fen",
        default_value_t = 20_000_000
    )]
    pub limit: u64,
    /// Draw the nodes over the depth
    #[arg(long, value_name = "FILE", requires = "fen")]
    pub svg: Option<PathBuf>,
}

/// Prints the comparison.
///
/// # Errors
///
/// A position that cannot be read or has no moves, a picture that cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let (Some(fen), Some(depth)) = (&args.fen, args.depth) else {
        return Ok(trees::run(args.trees, out)?);
    };
    let game = Game::from_fen(fen).map_err(|error| Failure::BadInput(error.to_string()))?;
    let rungs = climb(&game, depth, args.limit)?;
    print(&rungs, out)?;
    if let Some(path) = &args.svg {
        fs::write(path, picture(&rungs, fen))
            .map_err(|error| Failure::Failed(format!("{}: {error}", path.display())))?;
    }
    Ok(())
}

/// A way to search: its name and what it cost at a rung.
type Way = (&'static str, fn(&Rung) -> Option<u64>);

const WAYS: [Way; 8] = [
    ("minimax", |rung| rung.minimax),
    ("  all passes of deepening", |rung| rung.deepening_minimax),
    ("alpha-beta, no order", |rung| rung.unordered),
    ("  captures by MVV-LVA", |rung| Some(rung.mvv_lva)),
    ("  previous iteration, all passes", |rung| {
        Some(rung.previous)
    }),
    ("  full ordering", |rung| Some(rung.full)),
    ("  full ordering, all passes", |rung| Some(rung.full_passes)),
    ("Knuth–Moore minimum", |rung| rung.minimum),
];

fn print(rungs: &[Rung], out: &mut dyn Write) -> Result<(), Failure> {
    let mut row = |name: &str, cell: &dyn Fn(&Rung) -> String| {
        write!(out, "{name:<34}")?;
        for rung in rungs {
            write!(out, "{:>11}", cell(rung))?;
        }
        writeln!(out)
    };
    row("nodes at depth", &|rung| rung.depth.to_string())?;
    for (name, nodes) in WAYS {
        row(name, &|rung| {
            nodes(rung).map_or("-".to_string(), |nodes| nodes.to_string())
        })?;
    }
    row("value, centipawns", &|rung| rung.value.to_string())?;
    Ok(writeln!(
        out,
        "\nEvery legal move to the depth, static evaluation at the leaves; all ways agree on the value."
    )?)
}

fn picture(rungs: &[Rung], fen: &str) -> String {
    let series = WAYS.map(|(name, nodes)| Series {
        name: name.trim(),
        points: rungs
            .iter()
            .filter_map(|rung| Some((f64::from(rung.depth), nodes(rung)? as f64)))
            .collect(),
    });
    Chart {
        title: &format!("Nodes by depth, {fen}"),
        x: "depth, plies",
        y: "nodes",
        scale: Scale::Logarithmic,
        series: &series,
    }
    .draw()
}
