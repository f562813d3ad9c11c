//! `standpat stand-pat`: one position, judged as it stands, with captures resolved, and with every
//! capture forced; and what each capture is worth by static exchange evaluation.

use std::io::Write;

use crate::base::score::Pawns;
use crate::board::notation::san;
use crate::board::{Game, exchange};
use crate::tools::Failure;

use super::reference::Reference;
use super::{Mode, game_to_search, judge};

/// What `standpat stand-pat` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The position
    pub fen: String,
    /// Count men (1, 3, 3, 5, 9) instead of asking the network
    #[arg(long)]
    pub material: bool,
}

/// Prints the three values with their lines, then the captures. All figures are pawns from the view
/// of the side to move.
///
/// # Errors
///
/// When the position is none or its game is over.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let game = game_to_search(&args.fen)?;
    writeln!(out, "{}\n", game.fen())?;
    for mode in Mode::ALL {
        let mut search = Reference::new(judge(args.material), mode, game.position());
        let (value, line) = (Pawns(search.value(0)), san(&game, &search.line(0)));
        let name = match mode {
            Mode::FixedDepth => "static value",
            Mode::Quiescence => "quiescence",
            Mode::WithoutStandPat => "every capture forced",
        };
        let what = match (mode, line.is_empty()) {
            (Mode::FixedDepth, _) if game.position().in_check() => "in check: not to be trusted",
            (Mode::Quiescence, true) => "stand pat",
            (Mode::WithoutStandPat, true) => "there is none",
            _ => &line,
        };
        writeln!(
            out,
            "{}",
            format!("{name:<20} {value:>7}  {what}").trim_end()
        )?;
    }
    print_captures(&game, out)
}

/// The captures with the value of their exchange, the best first.
fn print_captures(game: &Game, out: &mut dyn Write) -> Result<(), Failure> {
    let pos = game.position();
    let mut captures = game.legal_moves();
    captures.retain(|mv| pos.is_capture(mv));
    let mut valued: Vec<_> = captures
        .iter()
        .map(|&mv| (exchange::exchange_value(pos, mv), mv))
        .collect();
    valued.sort_by_key(|&(value, _)| -value);
    if valued.is_empty() {
        return Ok(writeln!(out, "\nno captures")?);
    }
    writeln!(out, "\ncapture  exchange")?;
    for (value, mv) in valued {
        writeln!(out, "{:<8} {:>8}", san(game, &[mv]), Pawns(value))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::chain::POSITION;
    use super::*;

    fn printed(fen: &str) -> Result<String, Failure> {
        let args = Args {
            fen: fen.to_string(),
            material: true,
        };
        let mut out = Vec::new();
        run(&args, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    /// Two pawns and a rook may take on d5, a pawn and a rook take back: counted by hand. The rook
    /// wins a pawn, is lost for it, and a pawn takes back: 1 - 5 + 1.
    #[test]
    fn the_chain_of_captures() {
        let text = printed(POSITION).unwrap();
        assert!(text.contains("static value           +0.00\n"), "{text}");
        assert!(text.contains("quiescence             +1.00  "), "{text}");
        assert!(text.contains("every capture forced   +5.00  "), "{text}");
        assert!(text.contains("cxd5        +1.00\n"), "{text}");
        assert!(text.contains("exd5        +1.00\n"), "{text}");
        assert!(text.contains("Rxd5        -3.00\n"), "{text}");
    }

    #[test]
    fn checks_quiet_positions_and_finished_games_are_told() {
        let quiet = printed("4k3/8/8/8/8/8/8/4K2R w - - 0 1").unwrap();
        assert!(
            quiet.contains("  stand pat\n") && quiet.ends_with("\nno captures\n"),
            "{quiet}"
        );
        let check = printed("6k1/5ppp/8/8/8/8/5PPq/6K1 w - - 0 1").unwrap();
        assert!(check.contains("in check: not to be trusted"), "{check}");
        assert!(
            check.contains("quiescence             -1.00  Kxh2\n"),
            "{check}"
        );
        for bad in ["nonsense", "R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1"] {
            assert_eq!(printed(bad).unwrap_err().exit_code(), 2, "{bad}");
        }
    }
}
