//! `standpat register`: enters engines of `engines.toml` in the list of a program that plays with
//! them.
//!
//! | file | its one job |
//! |---|---|
//! | `entry` | what is to be entered: an engine, found and complete |
//! | `place` | where programs keep their lists |
//! | `json` | merging into a list of JSON objects, all other bytes as they were |
//! | `cutechess`, `pychess`, `en_croissant`, `banksia` | what such an object says |
//! | `xboard` | merging into XBoard's file of settings |
//! | `printed` | what to do by hand where no file can be merged |
//! | `deposit` | writing a file: whole or not at all, the old one kept |

mod banksia;
mod cutechess;
mod deposit;
mod en_croissant;
mod entry;
mod json;
mod place;
mod printed;
mod pychess;
mod xboard;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::roster::{self, Roster};
use crate::tools::Failure;

use entry::Entry;
use place::Home;

/// A program that keeps a list of engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Program {
    /// Cute Chess
    Cutechess,
    /// The command line runner of Cute Chess
    CutechessCli,
    /// Fastchess
    Fastchess,
    /// XBoard
    Xboard,
    /// PyChess
    Pychess,
    /// En Croissant
    EnCroissant,
    /// lichess-bot
    LichessBot,
    /// Banksia
    Banksia,
    /// Arena
    Arena,
}

/// What `standpat register` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The program in whose list the engine is entered
    #[arg(value_enum)]
    pub program: Program,
    /// Enter it with this profile of engines.toml
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// The engine of engines.toml; may be repeated
    #[arg(long, value_name = "ID", default_value = "standpat")]
    pub engine: Vec<String>,
    /// The roster of engines [default: engines.toml here, or else the one that belongs to the
    /// program]
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The program's list, when it is not where the program usually keeps it
    #[arg(long, value_name = "FILE")]
    pub into: Option<PathBuf>,
    /// Write it; without this, what would be written is only printed
    #[arg(long)]
    pub write: bool,
}

/// A list with an entry more, or a changed one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Merged {
    /// The whole list.
    text: String,
    /// The entry alone.
    entry: String,
    change: Change,
}

/// What a merge did to the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Added,
    Changed,
    Nothing,
}

/// How to merge an entry into a list; `None` when there is no list yet.
type Merge = fn(Option<&str>, &Entry) -> Result<Merged, String>;

/// Prints or writes what makes a program know engines of the roster.
///
/// # Errors
///
/// When the roster or the program's own list is wrong, an engine is not found, or the list cannot
/// be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let file = match &args.file {
        Some(file) => file.clone(),
        None => roster::place::at_hand().ok_or_else(|| {
            let reason =
                "there is no engines.toml here, nor beside the program; name it with --file";
            Failure::BadInput(reason.to_string())
        })?,
    };
    let roster = Roster::read(&file)?;
    let entries: Vec<Entry> = args
        .engine
        .iter()
        .map(|id| Entry::of(&roster, id, args.profile.as_deref()))
        .collect::<Result<_, _>>()?;
    match args.program.merge() {
        Some(merge) => {
            let list = match &args.into {
                Some(list) => Some(list.clone()),
                None => args.program.list(&Home::of_user())?,
            };
            match list {
                Some(list) => enter(args, &list, merge, &entries, out),
                None => unplaced(args.program, merge, &entries, out),
            }
        }
        None => Ok(out.write_all(printed::text(args.program, &entries)?.as_bytes())?),
    }
}

impl Program {
    fn merge(self) -> Option<Merge> {
        Some(match self {
            Program::Cutechess | Program::CutechessCli => cutechess::merge,
            Program::Pychess => pychess::merge,
            Program::EnCroissant => en_croissant::merge,
            Program::Banksia => banksia::merge,
            Program::Xboard => xboard::merge,
            Program::Fastchess | Program::LichessBot | Program::Arena => return None,
        })
    }

    /// The file where the program looks; `None` when it has no fixed place.
    fn list(self, home: &Home) -> Result<Option<PathBuf>, Failure> {
        let path = match self {
            Program::CutechessCli if Path::new(cutechess::FILE).is_file() => {
                Ok(PathBuf::from(cutechess::FILE))
            }
            Program::Cutechess | Program::CutechessCli => cutechess::list(home),
            Program::Pychess => pychess::list(home),
            Program::EnCroissant => en_croissant::list(home),
            Program::Xboard => match xboard::list(home) {
                Some(list) => list,
                None => return Ok(None),
            },
            Program::Banksia | Program::Fastchess | Program::LichessBot | Program::Arena => {
                return Ok(None);
            }
        };
        path.map(Some).map_err(Failure::BadInput)
    }

    /// What the user should know once the list has the entry.
    fn hint(self, entry: &Entry) -> Option<String> {
        Some(match self {
            Program::Cutechess => "Cute Chess reads the list when it starts.".to_owned(),
            Program::CutechessCli => {
                let conf = crate::base::text::shell_word(&format!("conf={}", entry.name));
                format!("It plays as: cutechess-cli -engine {conf} …")
            }
            Program::Pychess => "PyChess reads the list when it starts.".to_owned(),
            Program::EnCroissant => "En Croissant reads the list when it starts.".to_owned(),
            Program::Xboard => {
                let name = crate::base::text::shell_word(&entry.name);
                format!(
                    "It plays as: xboard -fe {name}. An XBoard that runs now writes its own list \
                     over this when it ends."
                )
            }
            _ => return None,
        })
    }

    fn title(self) -> &'static str {
        match self {
            Program::Cutechess => "Cute Chess",
            Program::CutechessCli => "cutechess-cli",
            Program::Fastchess => "Fastchess",
            Program::Xboard if cfg!(windows) => "WinBoard",
            Program::Xboard => "XBoard",
            Program::Pychess => "PyChess",
            Program::EnCroissant => "En Croissant",
            Program::LichessBot => "lichess-bot",
            Program::Banksia => "Banksia",
            Program::Arena => "Arena",
        }
    }
}

/// Prints or writes the entries of a list that has its place.
fn enter(
    args: &Args,
    list: &Path,
    merge: Merge,
    entries: &[Entry],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let place = list.display();
    let broken = |reason: String| Failure::BadInput(format!("{place}: {reason}"));
    let old = deposit::read(list).map_err(broken)?;
    let mut text = old.clone();
    let mut changes = Vec::new();
    for entry in entries {
        let merged = merge(text.as_deref(), entry).map_err(broken)?;
        text = Some(merged.text.clone());
        changes.push((entry, merged));
    }
    for (entry, merged) in &changes {
        let name = &entry.name;
        match (merged.change, args.write) {
            (Change::Nothing, _) => writeln!(out, "{name} is in {place} as it should be")?,
            (Change::Added, true) => {}
            (Change::Changed, true) => {}
            (Change::Added, false) => {
                writeln!(out, "{name} would be added to {place}:\n{}", merged.entry)?;
            }
            (Change::Changed, false) => {
                writeln!(out, "{name} would become in {place}:\n{}", merged.entry)?;
            }
        }
    }
    let changed: Vec<_> = changes
        .iter()
        .filter(|(_, merged)| merged.change != Change::Nothing)
        .collect();
    let (Some(text), false) = (text, changed.is_empty()) else {
        return Ok(writeln!(out, "nothing to do")?);
    };
    if !args.write {
        return Ok(writeln!(out, "nothing is written without --write")?);
    }
    let failed = |error: io::Error| Failure::Failed(format!("{place}: {error}"));
    let kept = deposit::replace(list, old.as_deref(), &text).map_err(failed)?;
    for (entry, merged) in changed {
        let done = match merged.change {
            Change::Added => "added to",
            _ => "brought up to date in",
        };
        writeln!(out, "{} is {done} {place}", entry.name)?;
        if let Some(hint) = args.program.hint(entry) {
            writeln!(out, "{hint}")?;
        }
    }
    if let Some(kept) = kept {
        writeln!(out, "what the file said before is in {}", kept.display())?;
    }
    Ok(())
}

/// Prints the entries of a list whose place nobody knows.
fn unplaced(
    program: Program,
    merge: Merge,
    entries: &[Entry],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let title = program.title();
    for entry in entries {
        let merged = merge(None, entry).map_err(Failure::BadInput)?;
        writeln!(out, "{}", merged.entry)?;
    }
    writeln!(
        out,
        "{title} keeps its list in no fixed place: name the file with --into, and --write merges \
         this into it"
    )?;
    Ok(())
}
