//! `standpat analyse`: what the engine says of a position, of a list of them, or of whole games.
//!
//! | file | its one job |
//! |---|---|
//! | `analyst` | the engine on one position after another, until Ctrl-C |
//! | `games`, `positions` | the two kinds of file, from beginning to end |
//! | `judge` | from values to annotations |
//! | `ledger` | the file of results, which survives interruptions |
//! | `pieces`, `pgn`, `print` | cutting, reading and writing PGN |
//! | `picture`, `record` | results for the eye, and for programs |

mod analyst;
mod games;
mod judge;
mod ledger;
mod pgn;
mod picture;
mod pieces;
mod positions;
mod print;
mod record;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::options::Options;
use crate::base::score::{Bound, Score, moves_to_mate};
use crate::base::text::excerpt;
use crate::board::{Game, notation};
use crate::engine::{Engine, Study};
use crate::search::limits::Limits;
use crate::search::report::{Event, Line, Progress};
use crate::tools::Failure;

use judge::View;
use record::Record;

/// How long to think about a single position when nothing else is asked for.
const POSITION_TIME: Duration = Duration::from_secs(3);

/// The same for each position of a file.
const FILE_TIME: Duration = Duration::from_millis(500);

/// What `standpat analyse` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Games (FILE.pgn), positions (FILE.epd), or a FEN; without any, the start of the game
    #[arg(value_name = "FILE|FEN")]
    pub input: Vec<String>,
    /// Plies to search each position
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// Nodes to search each position
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Time for each position, in milliseconds (when no limit is given 3000, in a file 500)
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..))]
    pub movetime: Option<u32>,
    /// Moves to play before the search, as UCI writes them
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    pub moves: Vec<String>,
    /// How many of the best moves to show
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub multipv: u32,
    /// Threads that search
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,
    /// Size of the transposition table, in MiB
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=33_554_432))]
    pub hash: u32,
    /// Where the annotated games or positions go; what is there already is not done again
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw the evaluation over the game; of several games each into its own, numbered file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Only this game of the file, counted from 1
    #[arg(long, value_name = "N", value_parser = game_number)]
    pub game: Option<usize>,
    /// Print one JSON object for each position
    #[arg(long)]
    pub json: bool,
}

fn game_number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err("games are counted from 1".to_owned()),
    }
}

/// What there is to analyse.
enum Input {
    Games(Vec<PathBuf>),
    Positions(Vec<PathBuf>),
    Fens(Vec<Game>),
}

impl Args {
    fn input(&self) -> Result<Input, Failure> {
        let all_end_in = |ending: &str| {
            let ends = |word: &String| {
                let extension = Path::new(word).extension().unwrap_or_default();
                extension.eq_ignore_ascii_case(ending)
            };
            !self.input.is_empty() && self.input.iter().all(ends)
        };
        let paths = || self.input.iter().map(PathBuf::from).collect();
        if all_end_in("pgn") {
            self.refuse("games", !self.moves.is_empty(), "--moves")?;
            return Ok(Input::Games(paths()));
        }
        self.refuse("a position", self.svg.is_some(), "--svg")?;
        self.refuse("a position", self.game.is_some(), "--game")?;
        if all_end_in("epd") {
            self.refuse("a file", !self.moves.is_empty(), "--moves")?;
            return Ok(Input::Positions(paths()));
        }
        self.refuse("a single position", self.out.is_some(), "--out")?;
        Ok(Input::Fens(self.games()?))
    }

    fn refuse(&self, what: &str, is_given: bool, option: &str) -> Result<(), Failure> {
        if is_given {
            let reason = format!("{option} does not go with {what}");
            return Err(Failure::BadInput(reason));
        }
        Ok(())
    }

    /// The FENs: several when each is quoted, or one in several words.
    fn games(&self) -> Result<Vec<Game>, Failure> {
        let are_quoted = self.input.iter().all(|word| word.contains('/'));
        let fens = match &self.input[..] {
            [] => return Ok(vec![self.played(Game::start())?]),
            words if are_quoted => words.to_vec(),
            words => vec![words.join(" ")],
        };
        let game = |fen: &String| {
            let game = Game::from_fen(fen).map_err(|error| self.not_a_fen(fen, &error))?;
            self.played(game)
        };
        fens.iter().map(game).collect()
    }

    /// A path with another ending would be taken for a FEN.
    fn not_a_fen(&self, text: &str, error: &dyn std::fmt::Display) -> Failure {
        let hint = if Path::new(text).exists() {
            format!(
                "; the file '{}' does not end in .pgn or .epd",
                excerpt(text)
            )
        } else {
            String::new()
        };
        Failure::BadInput(format!("{error}{hint}"))
    }

    fn played(&self, mut game: Game) -> Result<Game, Failure> {
        for text in &self.moves {
            let mv = game.parse_uci(text).ok_or_else(|| {
                let text = excerpt(text);
                Failure::BadInput(format!("'{text}' is no legal move in {}", game.fen()))
            })?;
            game.play(mv);
        }
        Ok(game)
    }

    fn options(&self) -> Options {
        Options {
            hash: self.hash,
            threads: self.threads,
            multi_pv: self.multipv,
            // Nobody's clock runs.
            move_overhead: 0,
            ..Options::default()
        }
    }

    /// The limits that were asked for, or else this time.
    fn limits(&self, usual: Duration) -> Limits {
        let time = self.movetime.map(|ms| Duration::from_millis(ms.into()));
        let unlimited = self.depth.is_none() && self.nodes.is_none();
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: time.or(unlimited.then_some(usual)),
            ..Limits::default()
        }
    }
}

/// Analyses what was asked for and prints it to `out`. What is wrong with single games or positions
/// goes to `complaints`, and they are skipped.
///
/// # Errors
///
/// When the position or a move is none, a file cannot be read or written, nothing in it is sound,
/// the table or the threads cannot be had, or somebody interrupts.
pub fn run(args: &Args, out: &mut dyn Write, complaints: &mut dyn Write) -> Result<(), Failure> {
    match args.input()? {
        Input::Games(files) => games::run(args, &files, out, complaints),
        Input::Positions(files) => positions::run(args, &files, out, complaints),
        Input::Fens(games) => fens(args, &games, out),
    }
}

/// Searches each position and prints its completed lines, then the best move.
fn fens(args: &Args, games: &[Game], out: &mut dyn Write) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::Failed(error.to_string());
    let mut engine = Engine::new(args.options()).map_err(|error| failed(&error))?;
    for (index, game) in games.iter().enumerate() {
        engine.new_game().map_err(|error| failed(&error))?;
        if args.json {
            let study = search(&mut engine, args, game, &mut |_| Ok(()))?;
            let view = View {
                lines: study.lines,
                progress: study.progress,
            };
            out.write_all(
                Record::of(game, &view, game.is_chess960())
                    .line()
                    .as_bytes(),
            )?;
            continue;
        }
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", game.fen())?;
        writeln!(out, "depth   score       nodes   time  line")?;
        let study = search(&mut engine, args, game, &mut |event| tell(game, event, out))?;
        match study.best {
            Some(best) => {
                let text = notation::san(game, &[best]);
                writeln!(out, "best move {} ({text})", best.uci(false))?;
            }
            None => writeln!(out, "no move: the game is over")?,
        }
    }
    Ok(())
}

/// One search, whose events are told as they come. When they cannot be told, it is stopped.
fn search(
    engine: &mut Engine,
    args: &Args,
    game: &Game,
    tell: &mut dyn FnMut(&Event) -> Result<(), Failure>,
) -> Result<Study, Failure> {
    let handle = engine.handle();
    let mut result = Ok(());
    let mut watch = |event: Event| {
        if result.is_ok() {
            result = tell(&event);
            if result.is_err() {
                handle.stop();
            }
        }
    };
    let study = engine.study(game.clone(), args.limits(POSITION_TIME), &mut watch);
    result?;
    study.map_err(|error| Failure::Failed(error.to_string()))
}

fn tell(game: &Game, event: &Event, out: &mut dyn Write) -> Result<(), Failure> {
    match event {
        Event::Line(line, progress) if line.bound == Bound::Exact => {
            print_line(game, line, progress, out)
        }
        Event::Note(text) => Ok(writeln!(out, "{text}")?),
        Event::Line(..) | Event::CurrentMove { .. } | Event::Finished { .. } => Ok(()),
    }
}

fn print_line(
    game: &Game,
    line: &Line,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (depth, nodes) = (line.depth, progress.nodes);
    let (score, seconds) = (score(line.score), progress.elapsed.as_secs_f64());
    let text = notation::san(game, &line.pv);
    Ok(writeln!(
        out,
        "{depth:5} {score:>7} {nodes:11} {seconds:6.2}  {text}"
    )?)
}

/// Pawns with a sign, or moves to mate.
fn score(score: Score) -> String {
    match moves_to_mate(score) {
        Some(moves) => format!("#{moves}"),
        None => format!("{:+.2}", f64::from(score) / 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn printed(words: &str) -> Result<String, Failure> {
        let args = Cli::parse_from(std::iter::once("analyse").chain(words.split_whitespace())).args;
        let mut out = Vec::new();
        run(&args, &mut out, &mut Vec::new())?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_mate_is_found_and_written_as_books_write_it() {
        let text = printed("--depth 4 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1").unwrap();
        assert!(
            text.contains("     #1 ") && text.contains("  Ra8#"),
            "{text}"
        );
        assert!(text.ends_with("best move a1a8 (Ra8#)\n"), "{text}");
    }

    #[test]
    fn finished_games_and_bad_input_are_answered() {
        let over = printed("--depth 2 --moves f2f3 e7e5 g2g4 d8h4").unwrap();
        assert!(over.ends_with("no move: the game is over\n"), "{over}");
        for bad in ["nonsense w", "--moves e2e5", "8/8/8/8/8/8/8/8 w - - 0 1"] {
            let failure = printed(bad).unwrap_err();
            assert_eq!(failure.exit_code(), 2, "{bad}");
            assert!(!failure.to_string().contains('\n'));
        }
    }

    #[test]
    fn scores_are_pawns_or_moves_to_mate() {
        assert_eq!(score(34), "+0.34");
        assert_eq!(score(-120), "-1.20");
        assert_eq!(score(crate::base::score::mated_in(4)), "#-2");
    }
}
