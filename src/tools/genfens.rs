//! `standpat "genfens N seed S book B" quit`: random openings, as OpenBench asks for them when it
//! has games generated.
//!
//! The testing framework starts the engine with this one argument and reads a line
//! `info string genfens FEN` for each opening.

use std::fs;
use std::io::Write;
use std::thread;

use super::Failure;
use crate::base::rng::Rng;
use crate::base::score::Score;
use crate::board::Game;
use crate::eval::Network;
use crate::learning::player::Player;
use crate::learning::referee::Openings;
use crate::search::{Limits, Worker};

/// What `standpat genfens` is asked for.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// How many openings
    count: u64,
    /// `seed S`, and `book FILE` or `book None`; what follows is ignored
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// Openings judged beyond this are dropped, in centipawns.
const LIMIT: Score = 400;

/// The look that judges an opening, in nodes.
const LOOK_NODES: u64 = 1_000;

/// Random plies from the start of the game …
const PLIES: u32 = 8;

/// … and from a position of a book.
const BOOK_PLIES: u32 = 4;

/// OpenBench hands over the command as one argument: it is taken apart, and the `quit` that follows
/// is dropped. Other arguments stay as they are.
pub fn unpacked<T: AsRef<std::ffi::OsStr>>(arguments: &[T]) -> Option<Vec<String>> {
    let command = arguments.get(1)?.as_ref().to_str()?;
    let words = command.split_whitespace().map(str::to_string);
    let name = arguments[0].as_ref().to_string_lossy().into_owned();
    command
        .starts_with("genfens ")
        .then(|| std::iter::once(name).chain(words).collect())
}

impl Args {
    /// The word after `name`.
    fn word(&self, name: &str) -> Option<&str> {
        let place = self.words.iter().position(|word| word == name)?;
        self.words.get(place + 1).map(String::as_str)
    }

    fn seed(&self) -> Result<u64, Failure> {
        match self.word("seed").map(str::parse) {
            None => Ok(0),
            Some(Ok(seed)) => Ok(seed),
            Some(Err(_)) => Err(Failure::BadInput("the seed is no number".to_string())),
        }
    }

    /// The positions to start from.
    fn starts(&self) -> Result<Vec<Game>, Failure> {
        let path = match self.word("book") {
            None => return Ok(vec![Game::start()]),
            Some(none) if none.eq_ignore_ascii_case("none") => return Ok(vec![Game::start()]),
            Some(path) => path,
        };
        let bad = |reason: String| Failure::BadInput(format!("{path}: {reason}"));
        let text = fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let games: Result<Vec<Game>, _> = lines.map(|line| Game::from_fen(&fen(line))).collect();
        let games = games.map_err(|error| bad(error.to_string()))?;
        if games.is_empty() {
            return Err(bad("there is no position in it".to_string()));
        }
        Ok(games)
    }
}

/// The FEN of a line of EPD: its first four fields, and the counters if they are numbers.
fn fen(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let counters = words
        .get(4..6)
        .is_some_and(|counters| counters.iter().all(|word| word.parse::<u32>().is_ok()));
    words[..words.len().min(if counters { 6 } else { 4 })].join(" ")
}

/// Prints the openings.
///
/// # Errors
///
/// A seed that is no number, a book that cannot be read.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let (seed, starts) = (args.seed()?, args.starts()?);
    let plies = if args
        .word("book")
        .is_some_and(|book| !book.eq_ignore_ascii_case("none"))
    {
        BOOK_PLIES
    } else {
        PLIES
    };
    thread::scope(|scope| {
        let (sender, openings) = crossbeam_channel::bounded(16);
        let draw = move || {
            let mut judge = match Player::new(&Network::shipped(), 1) {
                Ok(judge) => judge,
                Err(error) => return Err(Failure::Failed(error.to_string())),
            };
            for number in 0..args.count {
                let opening = opening(&mut judge, &starts, plies, &mut Rng::stream(seed, number));
                if sender.send(opening).is_err() {
                    break;
                }
            }
            Ok(())
        };
        let drawing = thread::Builder::new()
            .stack_size(Worker::STACK_BYTES)
            .spawn_scoped(scope, draw)
            .map_err(|error| Failure::Failed(error.to_string()))?;
        for opening in openings {
            writeln!(out, "info string genfens {}", opening.fen())?;
        }
        let died = |_| Failure::Failed("the thread that draws openings died".to_string());
        drawing.join().map_err(died)?
    })
}

/// An opening that is not decided yet, as far as a quick look can tell.
fn opening(judge: &mut Player, starts: &[Game], plies: u32, rng: &mut Rng) -> Game {
    let openings = Openings {
        random_plies: plies,
        limit: LIMIT,
        chess960_share: 0.0,
    };
    let draw = || {
        let start = &starts[rng.below(starts.len())];
        let game = openings.continued(start, rng);
        game.unwrap_or_else(|| start.clone())
    };
    let (game, _) = judge.level_opening(LIMIT, &Limits::nodes(LOOK_NODES), draw);
    game
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(command: &str) -> Result<String, Failure> {
        let unpacked = unpacked(&["standpat", command, "quit"]).unwrap();
        let args = Args {
            count: unpacked[2].parse().unwrap(),
            words: unpacked[3..].to_vec(),
        };
        let mut out = Vec::new();
        run(&args, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn openings_are_legal_varied_and_repeatable() {
        let text = printed("genfens 6 seed 42 book None").unwrap();
        let mut fens: Vec<&str> = text
            .lines()
            .map(|line| line.strip_prefix("info string genfens ").unwrap())
            .collect();
        for fen in &fens {
            let game = Game::from_fen(fen).unwrap();
            assert!(game.outcome().is_none(), "{fen}");
            // Eight or nine plies from the start of the game.
            assert_eq!(game.fullmoves(), 5, "{fen}");
        }
        assert_eq!(printed("genfens 6 seed 42 book None").unwrap(), text);
        assert_ne!(printed("genfens 6 seed 43 book None").unwrap(), text);
        fens.sort_unstable();
        fens.dedup();
        assert_eq!(fens.len(), 6);
    }

    #[test]
    fn a_book_is_where_they_start() {
        let path = std::env::temp_dir().join(format!("standpat-{}.epd", std::process::id()));
        fs::write(&path, "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - hmvc 0;\n").unwrap();
        let text = printed(&format!("genfens 3 seed 1 book {}", path.display())).unwrap();
        for line in text.lines() {
            let fen = line.strip_prefix("info string genfens ").unwrap();
            let men = fen.split(' ').next().unwrap();
            let pieces = men.chars().filter(|c| "nbrqNBRQ".contains(*c)).count();
            assert_eq!(pieces, 0, "{line}");
        }
        fs::remove_file(&path).unwrap();
        let missing = printed(&format!("genfens 3 seed 1 book {}", path.display()));
        assert!(matches!(missing, Err(Failure::BadInput(_))));
        assert!(matches!(
            printed("genfens 3 seed x"),
            Err(Failure::BadInput(_))
        ));
    }

    #[test]
    fn other_arguments_are_left_alone() {
        for arguments in [
            &["standpat"][..],
            &["standpat", "bench"],
            &["standpat", "genfens"],
        ] {
            assert_eq!(unpacked(arguments), None);
        }
    }
}
