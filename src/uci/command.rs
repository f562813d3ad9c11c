//! One line of text becomes a command or a reason why not.
//!
//! Nothing here knows the position: moves stay text until the loop resolves them. The reader is
//! tolerant, since user interfaces differ: blanks of any sort, words that no command knows, pairs
//! with a broken value and numbers beyond every range are no reason to leave a `go` unanswered.

use std::fmt;
use std::time::Duration;

use shakmaty::Color;

use crate::base::text::{excerpt, whole_number};
use crate::search::limits::Limits;

/// The longest time a limit may name. Far beyond any game, and safe to add to any moment.
const LONGEST_MILLIS: u64 = 1 << 40;

/// A position's root, before its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// The start position.
    Start,
    /// A position in Forsyth-Edwards notation, its fields separated by one blank each.
    Fen(String),
}

/// What a user interface, or a person at a terminal, can ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Name the engine and list its options.
    Uci,
    /// Answer when everything before is done.
    IsReady,
    /// What follows belongs to another game.
    NewGame,
    /// Set up a position.
    Position {
        /// Where it starts.
        root: Root,
        /// The moves played from there, as text.
        moves: Vec<String>,
    },
    /// Search.
    Go {
        /// The limits, without the moves to search.
        limits: Box<Limits>,
        /// The root moves to search, as text; empty means all.
        search_moves: Vec<String>,
    },
    /// Count the leaves of the move tree to a depth in plies.
    Perft(u32),
    /// End the search.
    Stop,
    /// The expected move was played.
    PonderHit,
    /// Set an option.
    SetOption {
        /// Its name, words separated by one blank.
        name: String,
        /// Its value with inner blanks as they came; `None` when the word `value` is missing.
        value: Option<String>,
    },
    /// Give remarks on what the engine does, or not.
    Debug(bool),
    /// End the program.
    Quit,
    /// Show the position.
    Display,
    /// Show the static evaluation.
    Evaluate,
    /// Search a fixed set of positions; the numbers are depth, threads and hash size in MiB.
    Bench(Vec<u64>),
    /// Swap the colours.
    Flip,
    /// Say how the program was built.
    Compiler,
    /// List the commands.
    Help,
    /// Say what may be done with the program.
    License,
    /// Registration, which is not needed: no answer.
    Register,
    /// List the search constants for a tuner.
    #[cfg(feature = "tune")]
    Tunables,
}

/// Why a line is no command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandError {
    /// None of its words is a command.
    Unknown(String),
    /// A command that lacks something.
    Incomplete {
        /// The command.
        command: &'static str,
        /// What it needs.
        needs: &'static str,
    },
    /// A command with a word that it cannot use.
    Unexpected {
        /// The command.
        command: &'static str,
        /// The word.
        word: String,
    },
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::Unknown(line) => {
                write!(f, "unknown command '{}', try help", excerpt(line))
            }
            CommandError::Incomplete { command, needs } => write!(f, "{command} needs {needs}"),
            CommandError::Unexpected { command, word } => {
                write!(f, "{command} cannot use '{}'", excerpt(word))
            }
        }
    }
}

impl std::error::Error for CommandError {}

/// Blanks of any sort, other control characters, and the mark that some shells put first.
fn is_blank(character: char) -> bool {
    character.is_whitespace() || character.is_control() || character == '\u{feff}'
}

/// The words of a line.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(is_blank).filter(|word| !word.is_empty())
}

/// The first word of a line and what follows it.
fn split_word(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(is_blank);
    let end = line.find(is_blank).unwrap_or(line.len());
    (end > 0).then(|| line.split_at(end))
}

impl Command {
    /// Reads a line. An empty one is no command. Words before the first command of the protocol
    /// are skipped, as the protocol wants it; commands for people must come first.
    ///
    /// # Errors
    ///
    /// When no word is a command or the command cannot be understood.
    pub fn parse(line: &str) -> Result<Option<Command>, CommandError> {
        let Some((first, rest)) = split_word(line) else {
            return Ok(None);
        };
        if let Some(command) = for_people(first, rest) {
            return command.map(Some);
        }
        let mut remaining = line;
        while let Some((word, rest)) = split_word(remaining) {
            if let Some(command) = of_protocol(word, rest) {
                return command.map(Some);
            }
            remaining = rest;
        }
        Err(CommandError::Unknown(
            line.trim_matches(is_blank).to_owned(),
        ))
    }
}

/// A command of the protocol; `None` when the word is none.
fn of_protocol(word: &str, rest: &str) -> Option<Result<Command, CommandError>> {
    Some(match word {
        "uci" => Ok(Command::Uci),
        "isready" => Ok(Command::IsReady),
        "ucinewgame" => Ok(Command::NewGame),
        "position" => position(rest),
        "go" => Ok(go(rest)),
        "stop" => Ok(Command::Stop),
        "ponderhit" => Ok(Command::PonderHit),
        "setoption" => set_option(rest),
        "debug" => debug(rest),
        "quit" => Ok(Command::Quit),
        "register" => Ok(Command::Register),
        _ => return None,
    })
}

/// A command for a person at a terminal; `None` when the word is none.
fn for_people(word: &str, rest: &str) -> Option<Result<Command, CommandError>> {
    Some(Ok(match word {
        "d" => Command::Display,
        "eval" => Command::Evaluate,
        "bench" => Command::Bench(words(rest).map_while(|word| word.parse().ok()).collect()),
        "perft" => match words(rest).next().and_then(whole_number) {
            Some(depth) => Command::Perft(saturate(depth)),
            None => {
                return Some(Err(CommandError::Incomplete {
                    command: "perft",
                    needs: "a depth",
                }));
            }
        },
        "flip" => Command::Flip,
        "compiler" => Command::Compiler,
        "help" | "--help" | "?" => Command::Help,
        "license" | "--license" => Command::License,
        "exit" => Command::Quit,
        #[cfg(feature = "tune")]
        "tunables" => Command::Tunables,
        _ => return None,
    }))
}

fn position(rest: &str) -> Result<Command, CommandError> {
    let incomplete = || CommandError::Incomplete {
        command: "position",
        needs: "startpos, or fen and a FEN",
    };
    let mut words = words(rest);
    let root = match words.next() {
        Some("startpos") => match words.next() {
            None | Some("moves") => Root::Start,
            Some(word) => {
                let word = word.to_owned();
                return Err(CommandError::Unexpected {
                    command: "position startpos",
                    word,
                });
            }
        },
        Some("fen") => {
            let fields: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
            if fields.is_empty() {
                return Err(incomplete());
            }
            Root::Fen(fields.join(" "))
        }
        _ => return Err(incomplete()),
    };
    Ok(Command::Position {
        root,
        moves: words.map(str::to_owned).collect(),
    })
}

fn debug(rest: &str) -> Result<Command, CommandError> {
    match words(rest).next() {
        Some("on") => Ok(Command::Debug(true)),
        Some("off") => Ok(Command::Debug(false)),
        _ => Err(CommandError::Incomplete {
            command: "debug",
            needs: "on or off",
        }),
    }
}

/// The name is what stands between the first `name` and the first `value` after it; the value is
/// the rest of the line.
fn set_option(rest: &str) -> Result<Command, CommandError> {
    let incomplete = || CommandError::Incomplete {
        command: "setoption",
        needs: "name and an option's name",
    };
    let mut remaining = rest;
    loop {
        let (word, after) = split_word(remaining).ok_or_else(incomplete)?;
        remaining = after;
        if word == "name" {
            break;
        }
    }
    let mut name = Vec::new();
    let mut value = None;
    while let Some((word, after)) = split_word(remaining) {
        remaining = after;
        if word == "value" {
            value = Some(after.trim_matches(is_blank).to_owned());
            break;
        }
        name.push(word);
    }
    if name.is_empty() {
        return Err(incomplete());
    }
    Ok(Command::SetOption {
        name: name.join(" "),
        value,
    })
}

/// As a count: nothing negative, nothing beyond 32 bits.
fn saturate(number: i64) -> u32 {
    u32::try_from(number.max(0)).unwrap_or(u32::MAX)
}

/// As a time in milliseconds; what is negative counts as zero.
fn millis(number: i64) -> Duration {
    Duration::from_millis(number.max(0).unsigned_abs().min(LONGEST_MILLIS))
}

/// The words of `go` that a whole number follows.
const NUMBERED: [&str; 10] = [
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "movetime",
    "depth",
    "nodes",
    "mate",
    "perft",
];

/// The words of `go` that stand alone, and the one that moves follow.
const PLAIN: [&str; 3] = ["infinite", "ponder", "searchmoves"];

/// Without any limit a search is infinite.
fn go(rest: &str) -> Command {
    let mut limits = Limits::default();
    let mut search_moves = Vec::new();
    let mut words = words(rest).peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" => limits.infinite = true,
            "ponder" => limits.ponder = true,
            "searchmoves" => {
                let is_move = |word: &&str| !NUMBERED.contains(word) && !PLAIN.contains(word);
                while let Some(text) = words.next_if(is_move) {
                    search_moves.push(text.to_owned());
                }
            }
            key if NUMBERED.contains(&key) => {
                // A broken value is skipped, but not when it is the next pair's first word.
                let is_value = |word: &&str| !NUMBERED.contains(word) && !PLAIN.contains(word);
                let value = words.next_if(is_value).and_then(whole_number);
                match value {
                    Some(depth) if key == "perft" => return Command::Perft(saturate(depth)),
                    Some(value) => limit(&mut limits, key, value),
                    None => {}
                }
            }
            _ => {}
        }
    }
    limits.infinite |= limits == Limits::default();
    Command::Go {
        limits: Box::new(limits),
        search_moves,
    }
}

/// Sets one limit. Depth, nodes and mate are at least 1, so that there is an answer; no moves to
/// go means that there is no time control ahead.
fn limit(limits: &mut Limits, key: &str, value: i64) {
    let count = saturate(value).max(1);
    match key {
        "wtime" => limits.clocks.get_mut(Color::White).remaining = Some(millis(value)),
        "btime" => limits.clocks.get_mut(Color::Black).remaining = Some(millis(value)),
        "winc" => limits.clocks.get_mut(Color::White).increment = millis(value),
        "binc" => limits.clocks.get_mut(Color::Black).increment = millis(value),
        "movestogo" => limits.moves_to_go = (value > 0).then_some(count),
        "movetime" => limits.move_time = Some(millis(value)),
        "depth" => limits.depth = Some(count),
        "nodes" => limits.nodes = Some(value.max(1).unsigned_abs()),
        "mate" => limits.mate = Some(count),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Command {
        Command::parse(line).unwrap().unwrap()
    }

    fn go(line: &str) -> Limits {
        match parse(line) {
            Command::Go { limits, .. } => *limits,
            other => panic!("{other:?}"),
        }
    }

    fn reason(line: &str) -> String {
        let reason = Command::parse(line).unwrap_err().to_string();
        assert!(reason.len() < 400 && !reason.contains(['\n', '\r', '\0']));
        reason
    }

    fn option(line: &str) -> (String, Option<String>) {
        match parse(line) {
            Command::SetOption { name, value } => (name, value),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn blanks_of_any_sort_separate_words() {
        assert_eq!(parse("\t isready \t\r"), Command::IsReady);
        assert_eq!(parse("\u{feff}uci"), Command::Uci);
        assert_eq!(parse("go\tdepth   1\r"), parse("go depth 1"));
        assert_eq!(parse("\t  debug \t  \t\ton\t  "), Command::Debug(true));
        for empty in ["", "   ", "\t\r", "\0"] {
            assert_eq!(Command::parse(empty), Ok(None));
        }
    }

    #[test]
    fn unknown_words_before_a_command_are_skipped() {
        assert_eq!(parse("joho debug on"), Command::Debug(true));
        assert_eq!(parse("please stop"), Command::Stop);
        // A person's commands are words of every day: they count only when they come first.
        assert_eq!(
            reason("what does d do"),
            "unknown command 'what does d do', try help"
        );
        assert_eq!(reason("UCI"), "unknown command 'UCI', try help");
        assert_eq!(
            reason("\0\u{fffd}\u{fffd}"),
            "unknown command '\u{fffd}\u{fffd}', try help"
        );
        reason(&"a".repeat(1 << 20));
    }

    #[test]
    fn positions_come_in_two_forms() {
        let moves = |text: &[&str]| text.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            parse("position   startpos \t moves  e2e4"),
            Command::Position {
                root: Root::Start,
                moves: moves(&["e2e4"])
            }
        );
        assert_eq!(parse("position startpos"), parse("position startpos moves"));
        assert_eq!(
            parse("position fen 8/8/8/4k3/8/8/R7/4K3  w - - 0 1 moves a2a3 e5e4"),
            Command::Position {
                root: Root::Fen("8/8/8/4k3/8/8/R7/4K3 w - - 0 1".to_owned()),
                moves: moves(&["a2a3", "e5e4"])
            }
        );
        let form = "position needs startpos, or fen and a FEN";
        for line in [
            "position",
            "position fen",
            "position fen moves e2e4",
            "position moves e2e4",
            "position 8/8/8/4k3/8/8/R7/4K3 w - - 0 1",
        ] {
            assert_eq!(reason(line), form);
        }
        assert_eq!(
            reason("position startpos e2e4"),
            "position startpos cannot use 'e2e4'"
        );
    }

    #[test]
    fn every_limit_of_go_is_read() {
        let limits = go(
            "go wtime 1000 btime 2000 winc 10 binc 20 movestogo 40 movetime 5 \
                         depth 6 nodes 7 mate 8 ponder infinite",
        );
        let ms = Duration::from_millis;
        assert_eq!(limits.clocks.white.remaining, Some(ms(1000)));
        assert_eq!(limits.clocks.black.remaining, Some(ms(2000)));
        assert_eq!(limits.clocks.white.increment, ms(10));
        assert_eq!(limits.clocks.black.increment, ms(20));
        assert_eq!(
            (limits.moves_to_go, limits.move_time),
            (Some(40), Some(ms(5)))
        );
        assert_eq!(
            (limits.depth, limits.nodes, limits.mate),
            (Some(6), Some(7), Some(8))
        );
        assert!(limits.ponder && limits.infinite);
        assert_eq!(
            go("go"),
            Limits {
                infinite: true,
                ..Limits::default()
            }
        );
        assert_eq!(go("go searchmoves e2e4"), go("go infinite"));
        assert!(!go("go btime 5").infinite);
    }

    #[test]
    fn broken_pairs_are_skipped_and_the_rest_counts() {
        assert_eq!(go("go depth abc movetime 50"), go("go movetime 50"));
        assert_eq!(go("go depth movetime 50"), go("go movetime 50"));
        assert_eq!(go("go depth"), go("go"));
        assert_eq!(go("go movetime"), go("go"));
        assert_eq!(go("go wtime x btime 100"), go("go btime 100"));
        assert_eq!(go("go fast depth 3 please"), go("go depth 3"));
        assert_eq!(go("go depth 3.5"), go("go"));
    }

    #[test]
    fn numbers_saturate_and_negative_times_are_zero() {
        assert_eq!(go("go depth 99999999999999999999").depth, Some(u32::MAX));
        assert_eq!(
            go("go nodes 99999999999999999999").nodes,
            Some(i64::MAX as u64)
        );
        assert_eq!(go("go depth 0").depth, Some(1));
        assert_eq!(go("go nodes -3").nodes, Some(1));
        assert_eq!(go("go movestogo 0 wtime 9"), go("go wtime 9"));
        let limits = go("go wtime -5 btime 99999999999999999999 movetime -5");
        assert_eq!(limits.clocks.white.remaining, Some(Duration::ZERO));
        assert_eq!(limits.move_time, Some(Duration::ZERO));
        let longest = limits.clocks.black.remaining.unwrap();
        assert!(std::time::Instant::now().checked_add(longest).is_some());
    }

    #[test]
    fn search_moves_end_at_the_next_word_of_go() {
        let Command::Go {
            limits,
            search_moves,
        } = parse("go searchmoves e2e4 zz depth 4")
        else {
            panic!()
        };
        assert_eq!(
            (limits.depth, search_moves),
            (Some(4), vec!["e2e4".into(), "zz".into()])
        );
    }

    #[test]
    fn perft_is_a_command_and_a_limit() {
        assert_eq!(parse("go perft 5"), Command::Perft(5));
        assert_eq!(parse("perft 3"), Command::Perft(3));
        assert_eq!(reason("perft"), "perft needs a depth");
        assert_eq!(go("go perft x"), go("go"));
    }

    #[test]
    fn option_names_and_values_keep_what_belongs_to_them() {
        let pair = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
        assert_eq!(
            option("setoption name Move Overhead value 100\r"),
            pair("Move Overhead", Some("100"))
        );
        assert_eq!(
            option("setoption name SyzygyPath value  /data/a b/tb  5 "),
            pair("SyzygyPath", Some("/data/a b/tb  5"))
        );
        assert_eq!(
            option("setoption name SyzygyPath value /data/value/tb value name"),
            pair("SyzygyPath", Some("/data/value/tb value name"))
        );
        assert_eq!(
            option("setoption name   Clear   Hash"),
            pair("Clear Hash", None)
        );
        assert_eq!(
            option("setoption name SyzygyPath value"),
            pair("SyzygyPath", Some(""))
        );
        for line in [
            "setoption",
            "setoption name",
            "setoption Hash 5",
            "setoption name value 3",
        ] {
            assert_eq!(reason(line), "setoption needs name and an option's name");
        }
    }

    #[test]
    fn bench_takes_numbers() {
        assert_eq!(parse("bench"), Command::Bench(vec![]));
        assert_eq!(parse("bench 12 1 16 x"), Command::Bench(vec![12, 1, 16]));
    }
}
