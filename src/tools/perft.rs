//! `standpat perft`: counts the game tree, every move proved legal.

use std::io::Write;
use std::time::Instant;

use crate::board::{Game, perft::perft};
use crate::tools::Failure;

/// What `standpat perft` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Plies
    #[arg(value_parser = clap::value_parser!(u32).range(..=64))]
    pub depth: u32,
    /// The position to start from; without it the usual start of the game
    #[arg(long, value_name = "FEN")]
    pub fen: Option<String>,
    /// Show the count behind each move
    #[arg(long)]
    pub divide: bool,
    /// Write castling as king takes rook
    #[arg(long)]
    pub chess960: bool,
}

/// Counts, and prints the count with the speed.
///
/// # Errors
///
/// When the position is none.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let game = match &args.fen {
        Some(fen) => Game::from_fen(fen).map_err(|error| Failure::BadInput(error.to_string()))?,
        None => Game::start(),
    };
    let start = Instant::now();
    let nodes = if args.divide && args.depth > 0 {
        let mut total = 0;
        for &m in &game.legal_moves() {
            let nodes = perft(&game.position().play(m), args.depth - 1);
            writeln!(out, "{}: {nodes}", m.uci(args.chess960))?;
            total += nodes;
        }
        total
    } else {
        perft(game.position(), args.depth)
    };
    let seconds = start.elapsed().as_secs_f64();
    let speed = nodes as f64 / seconds.max(1e-9);
    Ok(writeln!(
        out,
        "{nodes} nodes {speed:.0} nps {seconds:.3} s"
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(args: &Args) -> String {
        let mut out = Vec::new();
        run(args, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_divided_counts_add_up() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let args = Args {
            depth: 3,
            fen: Some(fen.to_string()),
            divide: true,
            chess960: false,
        };
        let text = printed(&args);
        let (last, moves) = text
            .trim_end()
            .rsplit_once('\n')
            .map(|(a, b)| (b, a))
            .unwrap();
        assert!(last.starts_with("97862 nodes "), "{last}");
        let count = |line: &str| {
            line.split(": ")
                .nth(1)
                .and_then(|n| n.parse::<u64>().ok())
                .unwrap()
        };
        assert_eq!(moves.lines().count(), 48);
        assert_eq!(moves.lines().map(count).sum::<u64>(), 97862);
        assert!(moves.contains("e1g1: "));
        assert!(
            printed(&Args {
                chess960: true,
                ..args
            })
            .contains("e1h1: ")
        );
    }

    #[test]
    fn depth_zero_and_bad_positions_are_answered() {
        let args = Args {
            depth: 0,
            fen: None,
            divide: true,
            chess960: false,
        };
        assert!(printed(&args).starts_with("1 nodes "));
        let bad = Args {
            fen: Some("nonsense".to_string()),
            ..args
        };
        let failure = run(&bad, &mut Vec::new()).unwrap_err();
        assert_eq!(failure.exit_code(), 2);
        assert!(!failure.to_string().contains('\n'));
    }
}
