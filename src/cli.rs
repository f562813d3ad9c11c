//! Floor 6: the command line.
//!
//! Without arguments the binary speaks UCI; every subcommand is a client of the library in
//! [`crate::tools`]. Only this file decides exit codes and writes to standard error.

use std::ffi::OsString;
use std::io::{self, BufReader, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::base::journal;
use crate::base::options::Options;
use crate::engine::Engine;
use crate::roster::{Roster, place};
#[cfg(feature = "tune")]
use crate::tools::spsa;
use crate::tools::{
    Failure, analyse, anytime, bench, book, datagen, duel, explain, genfens, horizon, ladder,
    learn, man, perft, register, solve, tournament, train,
};
use crate::uci;

/// A UCI chess engine. Without a command it speaks UCI on standard input and output.
#[derive(Debug, Parser)]
#[command(name = "standpat", version, max_term_width = 100)]
pub struct Cli {
    /// What to do instead of speaking UCI.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What the binary can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Speak UCI on standard input and output (the default)
    Uci,
    /// Find the best moves of a position, or annotate games and lists of positions
    Analyse(Box<analyse::Args>),
    /// Solve suites of positions whose answers are known
    Solve(Box<solve::Args>),
    /// Look a position up in an opening book of Polyglot's format
    Book(book::Args),
    /// Search fifty positions: a node count that tells whether the search changed, and the speed
    Bench(bench::Args),
    /// Compare searches that stop at their depth, resolve captures, and force them
    Horizon(horizon::Args),
    /// Judge a position as it stands, with captures resolved, and with every capture forced
    StandPat(horizon::stand_pat::Args),
    /// Show what the engine would answer if it were stopped at many moments
    Anytime(anytime::Args),
    /// Tell why a move is good or bad, and what each piece contributes
    Explain(explain::Args),
    /// Compare minimax, iterative deepening and alpha-beta: on seeded trees, or in a position
    Ladder(Box<ladder::Args>),
    /// Count the positions a given number of plies away, every move proved legal
    Perft(perft::Args),
    /// Play a tournament of engines.toml with cutechess-cli or fastchess
    Tournament(Box<tournament::Args>),
    /// Enter the engine in the list of another program, such as Cute Chess
    Register(register::Args),
    /// Print random openings, as OpenBench asks for them
    Genfens(genfens::Args),
    /// Play games of the engine against itself, for the trainer
    Datagen(datagen::Args),
    /// Train a network on games that `datagen` made
    Train(Box<train::Args>),
    /// Let two networks play a match against each other
    Duel(duel::Args),
    /// Tune search constants by games
    #[cfg(feature = "tune")]
    Spsa(Box<spsa::Args>),
    /// Learn to play from random weights: play, train, gate match, and again
    Learn(learn::Args),
    /// Print a page of the manual, or write all of them to a folder
    Man(man::Args),
    /// Print a completion script for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// Parses the arguments (the first is the program's name), does what they say and returns the
/// process's exit code: 0 done, 1 failed, 2 bad arguments or bad input.
pub fn main<I, T>(args: I) -> ExitCode
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    journal::install();
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    let parsed = match genfens::unpacked(&args) {
        Some(words) => Cli::try_parse_from(words),
        None => Cli::try_parse_from(args),
    };
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let result = match cli.command.unwrap_or(Command::Uci) {
        Command::Uci => speak_uci(),
        command => {
            let mut out = io::stdout().lock();
            run(command, &mut out).and_then(|()| Ok(out.flush()?))
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let code = failure.exit_code();
            if code != 0 {
                complain(&failure.to_string());
            }
            ExitCode::from(code)
        }
    }
}

fn run(command: Command, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        Command::Uci => speak_uci(),
        Command::Analyse(args) => analyse::run(&args, out, &mut io::stderr()),
        Command::Solve(args) => solve::run(&args, out, &mut io::stderr()),
        Command::Book(args) => book::run(&args, out),
        Command::Bench(args) => bench::run(&args, out),
        Command::Horizon(args) => horizon::run(&args, out),
        Command::StandPat(args) => horizon::stand_pat::run(&args, out),
        Command::Anytime(args) => anytime::run(&args, out),
        Command::Explain(args) => explain::run(&args, out),
        Command::Ladder(args) => ladder::run(&args, out),
        Command::Perft(args) => perft::run(&args, out),
        Command::Tournament(args) => tournament::run(&args, out),
        Command::Register(args) => register::run(&args, out),
        Command::Genfens(args) => genfens::run(&args, out),
        Command::Datagen(args) => datagen::run(&args, out),
        Command::Train(args) => train::run(&args, out),
        Command::Duel(args) => duel::run(&args, out),
        #[cfg(feature = "tune")]
        Command::Spsa(args) => spsa::run(&args, out),
        Command::Learn(args) => learn::run(&args, out),
        Command::Man(args) => man::run(&args, Cli::command(), out),
        Command::Completions { shell } => {
            // Written to memory first: the generator panics when it cannot write.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "standpat", &mut script);
            Ok(out.write_all(&script)?)
        }
    }
}

/// Speaks UCI on standard input and output, which must not be locked: two threads write to it.
fn speak_uci() -> Result<(), Failure> {
    let mut engine = Engine::new(Options::default()).map_err(|e| Failure::Failed(e.to_string()))?;
    // A file that is wrong costs its profiles, never the game.
    let roster = place::beside_program().map(|file| Roster::read(&file));
    let trouble = match roster.transpose() {
        Ok(roster) => {
            engine.set_profiles(roster.unwrap_or_default().settled_profiles());
            None
        }
        Err(mistake) => Some(mistake.to_string()),
    };
    let input = BufReader::new(io::stdin());
    let mut bench = |numbers: &[u64], out: &mut dyn Write| {
        bench::run(&bench::Args::of(numbers), out).or_else(|failure| match failure {
            Failure::Output(error) => Err(error),
            failure => writeln!(out, "info string error: {failure}"),
        })
    };
    Ok(uci::run(
        engine,
        trouble,
        input,
        Box::new(io::stdout()),
        &mut bench,
    )?)
}

/// Answers what clap would not run: help and version in full on standard output, mistakes as one
/// line on standard error.
fn refuse(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Nothing is left to do when nobody reads the help.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    complain(&format!("{} (see standpat --help)", mistake(error)));
    ExitCode::from(2)
}

/// The first paragraph of clap's complaint, on one line.
fn mistake(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    words.join(" ").trim_start_matches("error: ").to_string()
}

fn complain(reason: &str) {
    // Without a standard error there is nobody to tell.
    let _ = writeln!(io::stderr(), "error: {reason}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_mistake_is_one_clear_line() {
        for (args, part) in [
            (&["standpat", "benhc"][..], "benhc"),
            (&["standpat", "ladder", "--trees", "many"][..], "many"),
            (&["standpat", "completions"][..], "<SHELL>"),
            (&["standpat", "--no-such"][..], "--no-such"),
        ] {
            let error = Cli::try_parse_from(args).unwrap_err();
            let line = mistake(&error);
            assert!(line.contains(part) && !line.contains('\n'), "{line}");
            assert!(!line.starts_with("error"), "{line}");
        }
    }
}
