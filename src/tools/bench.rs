//! `standpat bench`: the speed of the search, and a count that tells whether it changed.
//!
//! Fifty positions are searched to a fixed depth, each from a clean start. With one thread the sum
//! of the nodes is the same on every machine and in every build: a change of the search that
//! changes it is a functional one.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use crate::base::options::Options;
use crate::base::score::Bound;
use crate::board::Game;
use crate::engine::Engine;
use crate::search::limits::Limits;
use crate::search::report::{Event, Progress, TreeCounts};
use crate::tools::Failure;

/// Plies to search without `--depth`.
const DEPTH: u32 = 14;

/// What `standpat bench` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Plies to search each position
    #[arg(value_name = "DEPTH", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub plies: Option<u32>,
    /// The same, as an option
    #[arg(long, conflicts_with = "plies", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub depth: Option<u32>,
    /// Threads that search; only one gives the same count every time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,
    /// Size of the transposition table, in MiB
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=33_554_432))]
    pub hash: u32,
    /// Tell what the trees were made of, depth by depth
    #[arg(long)]
    pub stats: bool,
}

impl Args {
    /// As the command `bench` of UCI has them: depth, threads, and hash size in MiB, each of which
    /// may be missing.
    pub fn of(numbers: &[u64]) -> Args {
        let number = |at: usize, least: u32, most: u32| {
            let number = numbers.get(at).copied()?;
            Some(u32::try_from(number).unwrap_or(most).clamp(least, most))
        };
        Args {
            plies: number(0, 1, 200),
            depth: None,
            threads: number(1, 1, 1024).unwrap_or(1),
            hash: number(2, 1, 1 << 20).unwrap_or(16),
            stats: false,
        }
    }
}

/// Searches all positions and prints `N nodes M nps` as the last line.
///
/// # Errors
///
/// When the table or the threads cannot be had.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let depth = args.plies.or(args.depth).unwrap_or(DEPTH);
    let options = Options {
        hash: args.hash,
        threads: args.threads,
        ..Options::default()
    };
    let mut engine = Engine::new(options).map_err(|error| Failure::Failed(error.to_string()))?;
    let mut nodes = 0;
    let mut time = Duration::ZERO;
    let mut trees = Trees::default();
    for (number, fen) in POSITIONS.iter().enumerate() {
        let searched = search(&mut engine, fen, depth, &mut trees)?;
        time += searched.elapsed.max(Duration::from_nanos(1));
        nodes += searched.nodes;
        let number = number + 1;
        writeln!(
            out,
            "{number:2} {:9} nodes {:6.0} ms  {fen}",
            searched.nodes,
            searched.elapsed.as_secs_f64() * 1e3
        )?;
    }
    if args.stats {
        trees.write(out)?;
    }
    let speed = nodes as f64 / time.as_secs_f64().max(1e-9);
    Ok(writeln!(out, "{nodes} nodes {speed:.0} nps")?)
}

/// Searches one position as a new game; tells nodes and time, and adds to `trees`.
fn search(
    engine: &mut Engine,
    fen: &str,
    depth: u32,
    trees: &mut Trees,
) -> Result<Progress, Failure> {
    let failed = |reason: &dyn std::fmt::Display| Failure::Failed(format!("{fen}: {reason}"));
    let game = Game::from_fen(fen).map_err(|error| failed(&error))?;
    engine.new_game().map_err(|error| failed(&error))?;
    let mut last = Progress::default();
    let mut watch = |event| {
        if let Event::Line(line, progress) = event
            && line.bound == Bound::Exact
        {
            trees.add(line.depth, last.tree, progress.tree);
            last = progress;
        }
    };
    engine
        .study(game, Limits::depth(depth), &mut watch)
        .map_err(|error| failed(&error))?;
    Ok(last)
}

/// The trees of all positions, by depth.
#[derive(Default)]
struct Trees(BTreeMap<u32, TreeCounts>);

impl Trees {
    /// Adds one iteration: what was counted before it and after it.
    fn add(&mut self, depth: u32, before: TreeCounts, after: TreeCounts) {
        let sum = self.0.entry(depth).or_default();
        sum.nodes += after.nodes - before.nodes;
        sum.quiescence += after.quiescence - before.quiescence;
        sum.probes += after.probes - before.probes;
        sum.hits += after.hits - before.hits;
        sum.cutoffs += after.cutoffs - before.cutoffs;
        sum.first_move_cutoffs += after.first_move_cutoffs - before.first_move_cutoffs;
    }

    /// One row a depth: its iteration's nodes over all positions, how many times as many as in the
    /// iteration before, and shares in percent.
    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let share = |part: u64, all: u64| 100.0 * part as f64 / all.max(1) as f64;
        writeln!(
            out,
            "depth      nodes  branching  first move cuts  table hits  quiescence"
        )?;
        let mut before = 0;
        for (depth, tree) in &self.0 {
            let branching = if before == 0 {
                "-".to_string()
            } else {
                format!("{:.2}", tree.nodes as f64 / before as f64)
            };
            before = tree.nodes;
            writeln!(
                out,
                "{depth:5} {:10} {branching:>10} {:14.1} % {:9.1} % {:9.1} %",
                tree.nodes,
                share(tree.first_move_cutoffs, tree.cutoffs),
                share(tree.hits, tree.probes),
                share(tree.quiescence, tree.nodes),
            )?;
        }
        Ok(())
    }
}

/// Openings, middle games, endings and mates.
const POSITIONS: [&str; 50] = [
    // The start, and a position with every kind of move.
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    // Openings of eight random plies.
    "rnbqkbnr/1p1ppppp/p1p5/8/8/5PP1/PPPPP2P/RNBQKBNR w KQkq - 0 5",
    "rnbqkbr1/pppppppp/7n/8/P6P/8/RPPPPPP1/1NBQKBNR w Kq - 0 5",
    "rnbqkb1r/pppppp2/7p/6pn/8/N3PPP1/PPPP3P/R1BQKBNR w KQkq - 0 5",
    "r1bqkbnr/pp2pp1p/n1p5/3p2p1/7P/NP3P2/P1PPP1P1/R1BQKBNR w KQkq - 0 5",
    "rnbqkbnr/pp2pp2/2pp2p1/7p/2P5/1P2P2P/P2P1PP1/RNBQKBNR w KQkq - 0 5",
    "rnb1kb1r/p1qppppp/2p2n2/1p4B1/3P4/N4N2/PPP1PPPP/R2QKB1R w KQkq - 0 5",
    "r1bqkbnr/p2ppp1p/1pn5/2p3p1/8/P1P2P1N/1P1PP1PP/RNBQKB1R w KQkq - 0 5",
    "rnbqkbnr/p1p1ppp1/1p6/3p4/P6p/2NPP3/1PP2PPP/R1BQKBNR w KQkq - 0 5",
    "rnbqkb1r/1ppppppp/5n2/pN6/2P5/7P/PP1PPPP1/R1BQKBNR w KQkq - 0 5",
    "r1bqkbnr/2ppp1pp/p1n5/1p3p2/7P/3PP3/PPP1BPP1/RNBQK1NR w KQkq - 0 5",
    "rnbqkbnr/3pp1pp/p1p5/1p3p2/7P/P1P3P1/1P1PPP2/RNBQKBNR w KQkq - 0 5",
    "rnbqkb1r/ppp1p1pp/5p2/3p4/5Pn1/BPN5/P1PPP1PP/R2QKBNR w KQkq - 0 5",
    // Middle games: Bratko and Kopec.
    "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
    "2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1",
    "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1",
    "2r3k1/pppR1pp1/4p3/4P1P1/5P2/1P4K1/P1P5/8 w - - 0 1",
    "1nk1r1r1/pp2n1pp/4p3/q2pPp1N/b1pP1P2/B1P2R2/2P1B1PP/R2Q2K1 w - - 0 1",
    "2kr1bnr/pbpq4/2n1pp2/3p3p/3P1P1B/2N2N1Q/PPP3PP/2KR1B1R w - - 0 1",
    "3rr1k1/pp3pp1/1qn2np1/8/3p4/PP1R1P2/2P1NQPP/R1B3K1 b - - 0 1",
    "r3r1k1/ppqb1ppp/8/4p1NQ/8/2P5/PP3PPP/R3R1K1 b - - 0 1",
    "rnb2r1k/pp2p2p/2pp2p1/q2P1p2/8/1Pb2NP1/PB2PPBP/R2Q1RK1 w - - 0 1",
    "r1bqkb1r/4npp1/p1p4p/1p1pP1B1/8/1B6/PPPN1PPP/R2Q1RK1 w kq - 0 1",
    "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 1",
    "r4k2/pb2bp1r/1p1qp2p/3pNp2/3P1P2/2N3P1/PPP1Q2P/2KRR3 w - - 0 1",
    "2r2rk1/1bqnbpp1/1p1ppn1p/pP6/N1P1P3/P2B1N1P/1B2QPP1/R2R2K1 b - - 0 1",
    "r2qnrnk/p2b2b1/1p1p2pp/2pPpp2/1PP1P3/PRNBB3/3QNPPP/5RK1 w - - 0 1",
    // Middle games: LCT II.
    "r3kb1r/3n1pp1/p6p/2pPp2q/Pp2N3/3B2PP/1PQ2P2/R3K2R w KQkq - 0 1",
    "1nr5/2rbkppp/p3p3/Np6/2PRPP2/8/PKP1B1PP/3R4 b - - 0 1",
    "r1b2r1k/pp2q1pp/2p2p2/2p1n2N/4P3/1PNP2QP/1PP2RP1/5RK1 w - - 0 1",
    "r3k2r/3bbp1p/p1nppp2/5P2/1p1NP3/5NP1/PPPK3P/3R1B1R b kq - 0 1",
    "1r2r1k1/4ppbp/B5p1/3P4/pp1qPB2/2n2Q1P/P4PP1/4RRK1 b - - 0 1",
    "r2qkb1r/1b3ppp/p3pn2/1p6/1n1P4/1BN2N2/PP2QPPP/R1BR2K1 w kq - 0 1",
    // Pawn and piece endings.
    "8/7p/2k1Pp2/pp1p2p1/3P2P1/4P3/P3K2P/8 w - - 0 1",
    "8/p7/1p2k1p1/8/1p2p1Pp/3pP2P/PP6/5K2 b - - 0 1",
    "8/8/8/5Bp1/7k/8/4pPKP/8 w - - 0 1",
    "8/8/p2k1p2/1p1p3p/1P1P3p/P3NPP1/5K2/1b6 w - - 0 1",
    "8/2p1bpp1/2Pp4/p2P1P1p/2K2B1P/k5P1/8/8 w - - 0 1",
    "1r3k2/5pp1/3p2p1/8/3P4/P6P/2R2P1K/8 b - - 0 1",
    "8/8/p2k3p/1P1p1pp1/P1r5/1R1K1PP1/7P/8 b - - 0 1",
    "r5k1/5pp1/1P5p/3R4/2r5/P3P3/2p2PPP/2R3K1 b - - 0 1",
    // Zugzwang.
    "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1",
    "8/8/8/1B6/6p1/8/4KPpp/3N2kr w - - 0 1",
    "8/3k4/8/8/3PK3/8/8/8 w - - 0 1",
    "8/p7/1p6/p7/kq1Q4/8/K7/8 w - - 0 1",
    // Elementary mates and mates in a few moves.
    "1B1K4/8/8/5B2/8/8/4k3/8 w - - 0 1",
    "K7/8/8/8/8/7Q/4p3/4k3 w - - 0 1",
    "1B2n3/8/2R5/5p2/3kp1n1/4p3/B3K3/8 w - - 0 1",
    "8/Q7/5pkp/2n1q3/8/1B5P/5PP1/6K1 w - - 0 1",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(depth: u32) -> String {
        let args = Args {
            plies: None,
            depth: Some(depth),
            threads: 1,
            hash: 4,
            stats: depth == 5,
        };
        let mut out = Vec::new();
        run(&args, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_count_is_the_same_every_time_and_stands_in_the_last_line() {
        let count = |text: &str| {
            let last = text.lines().next_back().unwrap().to_string();
            let words: Vec<&str> = last.split(' ').collect();
            assert!(
                words.len() == 4 && words[1] == "nodes" && words[3] == "nps",
                "{last}"
            );
            assert!(words[2].parse::<u64>().unwrap() > 0);
            words[0].parse::<u64>().unwrap()
        };
        let first = printed(4);
        assert_eq!(first.lines().count(), POSITIONS.len() + 1);
        assert_eq!(count(&first), count(&printed(4)));
    }

    #[test]
    fn what_the_trees_were_made_of_adds_up_to_the_count() {
        let text = printed(5);
        let rows: Vec<&str> = text.lines().skip(POSITIONS.len()).collect();
        assert!(rows[0].starts_with("depth") && rows.len() == 7, "{text}");
        let number = |row: &str, column: usize| -> f64 {
            let words = row.split_whitespace().filter(|word| *word != "%");
            words.collect::<Vec<_>>()[column].parse().unwrap()
        };
        let nodes: f64 = rows[1..6].iter().map(|row| number(row, 1)).sum();
        // Positions that end before depth 5 say nothing more.
        assert_eq!(nodes, number(rows[6], 0), "{text}");
        for row in &rows[1..6] {
            assert!(
                (3..=5).all(|column| (0.0..=100.0).contains(&number(row, column))),
                "{text}"
            );
        }
    }
}
