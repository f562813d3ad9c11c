//! The one table of UCI options.
//!
//! A row gives an option's field in [`Options`], its default, its line in the answer to `uci`, the
//! reading of `setoption`, the check of an engines.toml and its row in the README. Adding an
//! option means adding a row; only an effect of a new sort needs code elsewhere.

use std::fmt;
use std::fmt::Write as _;

use super::text::{excerpt, whole_number};

/// What kind of value an option takes, with its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// On or off.
    Check {
        /// The value before any `setoption`.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The value before any `setoption`.
        default: u32,
        /// Least value.
        min: u32,
        /// Greatest value; user interfaces read it as a signed 32-bit number.
        max: u32,
    },
    /// Free text.
    Text {
        /// The value before any `setoption`.
        default: &'static str,
    },
    /// One of several words.
    Combo {
        /// The value before any `setoption`.
        default: &'static str,
        /// All words.
        choices: &'static [&'static str],
    },
    /// One of several words that only the running program knows, beside the default.
    Preset {
        /// The value before any `setoption`.
        default: &'static str,
    },
    /// A command without a value.
    Button,
}

/// A value that an option's kind allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of a check.
    Check(bool),
    /// Of a spin.
    Spin(u32),
    /// Of a text or a preset.
    Text(String),
    /// Of a combo.
    Choice(&'static str),
    /// A button was pressed.
    Press,
}

/// What has to happen when an option is set, beside storing its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: the value is read where it is needed.
    None,
    /// The transposition table gets another size.
    ResizeTable,
    /// The transposition table is emptied.
    ClearTable,
    /// The search gets another number of threads.
    ResizePool,
    /// Endgame tables are looked for.
    OpenTables,
    /// A network is read, or the one in the program taken back.
    LoadNetwork,
    /// An opening book is opened or closed.
    OpenBook,
    /// The log file is opened or closed.
    OpenLog,
    /// All options of a profile are set.
    ApplyProfile,
}

impl Effect {
    /// Must a running search end first?
    pub const fn needs_idle(self) -> bool {
        matches!(
            self,
            Effect::ResizeTable
                | Effect::ClearTable
                | Effect::ResizePool
                | Effect::LoadNetwork
                | Effect::ApplyProfile
        )
    }
}

/// One row of a table of options, which fill a struct `O`.
pub struct Row<O> {
    /// The name on the wire; upper and lower case mean the same.
    pub name: &'static str,
    /// Kind of value, default and range.
    pub kind: Kind,
    /// What follows from setting it.
    pub effect: Effect,
    /// One sentence for the reader of the README.
    pub help: &'static str,
    store: fn(&mut O, Value),
}

/// Why a `setoption` was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// No option has this name.
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// A spin's value is no whole number.
    NotANumber {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
    },
    /// A spin's value is a number, but not one the option allows.
    OutOfRange {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
        /// Least value.
        min: u32,
        /// Greatest value.
        max: u32,
    },
    /// A check's value is neither `true` nor `false`.
    NotACheck {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
    },
    /// A combo's value is none of its words.
    NotAChoice {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
        /// The words.
        choices: Vec<String>,
    },
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown { name } => write!(f, "unknown option '{}'", excerpt(name)),
            OptionError::NotANumber { name, value } => {
                write!(f, "{name}: '{}' is not a whole number", excerpt(value))
            }
            OptionError::OutOfRange {
                name,
                value,
                min,
                max,
            } => {
                write!(f, "{name}: {} is not within {min} to {max}", excerpt(value))
            }
            OptionError::NotACheck { name, value } => {
                write!(f, "{name}: '{}' is neither true nor false", excerpt(value))
            }
            OptionError::NotAChoice {
                name,
                value,
                choices,
            } => {
                write!(
                    f,
                    "{name}: '{}' is none of {}",
                    excerpt(value),
                    choices.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for OptionError {}

/// Empty text in its four spellings: nothing, blanks, `<empty>` and a pair of quotes.
fn text_value(value: &str) -> &str {
    match value.trim() {
        "<empty>" | "\"\"" => "",
        text => text,
    }
}

impl Kind {
    /// Reads the value of a `setoption` for the option `name`; `None` when none was given.
    ///
    /// # Errors
    ///
    /// When the text is no value of this kind, or not within its range.
    pub fn parse(self, name: &'static str, value: Option<&str>) -> Result<Value, OptionError> {
        let value = value.unwrap_or_default().trim();
        let given = || value.to_owned();
        match self {
            Kind::Check { .. } if value.eq_ignore_ascii_case("true") => Ok(Value::Check(true)),
            Kind::Check { .. } if value.eq_ignore_ascii_case("false") => Ok(Value::Check(false)),
            Kind::Check { .. } => Err(OptionError::NotACheck {
                name,
                value: given(),
            }),
            Kind::Spin { min, max, .. } => {
                let number = whole_number(value).ok_or_else(|| OptionError::NotANumber {
                    name,
                    value: given(),
                })?;
                match u32::try_from(number) {
                    Ok(number) if (min..=max).contains(&number) => Ok(Value::Spin(number)),
                    _ => Err(OptionError::OutOfRange {
                        name,
                        value: given(),
                        min,
                        max,
                    }),
                }
            }
            Kind::Text { .. } => Ok(Value::Text(text_value(value).to_owned())),
            Kind::Preset { .. } => Ok(Value::Text(given())),
            Kind::Combo { choices, .. } => choices
                .iter()
                .find(|choice| choice.eq_ignore_ascii_case(value))
                .map(|choice| Value::Choice(choice))
                .ok_or_else(|| OptionError::NotAChoice {
                    name,
                    value: given(),
                    choices: choices.iter().map(|&choice| choice.to_owned()).collect(),
                }),
            Kind::Button => Ok(Value::Press),
        }
    }

    /// The word UCI has for the kind.
    pub const fn word(self) -> &'static str {
        match self {
            Kind::Check { .. } => "check",
            Kind::Spin { .. } => "spin",
            Kind::Text { .. } => "string",
            Kind::Combo { .. } | Kind::Preset { .. } => "combo",
            Kind::Button => "button",
        }
    }

    /// The default as UCI writes it; a button has none.
    pub fn default_text(self) -> String {
        match self {
            Kind::Check { default } => default.to_string(),
            Kind::Spin { default, .. } => default.to_string(),
            Kind::Text { default: "" } => "<empty>".to_owned(),
            Kind::Text { default } | Kind::Combo { default, .. } | Kind::Preset { default } => {
                default.to_owned()
            }
            Kind::Button => String::new(),
        }
    }

    /// Is the declaration one that every user interface can read? Looked at when compiling.
    const fn is_sound(self) -> bool {
        match self {
            Kind::Spin { default, min, max } => {
                min <= default && default <= max && max <= i32::MAX as u32
            }
            _ => true,
        }
    }
}

impl<O> fmt::Display for Row<O> {
    /// The option's line in the answer to `uci`. That of a preset goes on with ` var WORD` for each
    /// further word.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type {}", self.name, self.kind.word())?;
        if self.kind != Kind::Button {
            write!(f, " default {}", self.kind.default_text())?;
        }
        match self.kind {
            Kind::Spin { min, max, .. } => write!(f, " min {min} max {max}"),
            Kind::Combo { choices, .. } => choices
                .iter()
                .try_for_each(|choice| write!(f, " var {choice}")),
            Kind::Preset { default } => write!(f, " var {default}"),
            _ => Ok(()),
        }
    }
}

/// A struct of options that a table of rows describes.
pub trait Described: Default + 'static {
    /// The table.
    const ROWS: &'static [Row<Self>];

    /// The row of an option; upper and lower case mean the same, and so do one blank and many.
    ///
    /// # Errors
    ///
    /// When no option has this name.
    fn row(name: &str) -> Result<&'static Row<Self>, OptionError> {
        let words = || name.split_whitespace();
        Self::ROWS
            .iter()
            .find(|row| {
                words().count() == row.name.split(' ').count()
                    && words()
                        .zip(row.name.split(' '))
                        .all(|(a, b)| a.eq_ignore_ascii_case(b))
            })
            .ok_or_else(|| OptionError::Unknown {
                name: name.trim().to_owned(),
            })
    }

    /// Stores what a `setoption` gives and says what has to follow. After an error all values are
    /// what they were.
    ///
    /// # Errors
    ///
    /// When the option is unknown or the value is not one that it allows.
    fn set(&mut self, name: &str, value: Option<&str>) -> Result<Effect, OptionError> {
        let row = Self::row(name)?;
        (row.store)(self, row.kind.parse(row.name, value)?);
        Ok(row.effect)
    }

    /// Would [`set`](Described::set) accept this?
    ///
    /// # Errors
    ///
    /// The error that it would give.
    fn check(name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let row = Self::row(name)?;
        row.kind.parse(row.name, value).map(drop)
    }

    /// The table as Markdown, for the README.
    fn markdown() -> String {
        let mut text = String::from("| Option | Type | Default | Range | What it does |\n");
        text.push_str("|---|---|---|---|---|\n");
        for row in Self::ROWS {
            let default = match row.kind {
                Kind::Button => String::new(),
                kind => format!("`{}`", kind.default_text()),
            };
            let range = match row.kind {
                Kind::Spin { min, max, .. } => format!("{min}–{max}"),
                Kind::Combo { choices, .. } => choices.join(", "),
                _ => String::new(),
            };
            let (name, word, help) = (row.name, row.kind.word(), row.help);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "| `{name}` | {word} | {default} | {range} | {help} |");
        }
        text
    }
}

/// Declares a struct of options and its table.
macro_rules! options {
    (@type check $($rest:tt)*) => { bool };
    (@type spin $($rest:tt)*) => { u32 };
    (@type text $($rest:tt)*) => { String };
    (@type combo $($rest:tt)*) => { &'static str };
    (@type preset $($rest:tt)*) => { String };
    (@type button) => { () };

    (@kind check $default:expr) => { Kind::Check { default: $default } };
    (@kind spin $default:expr, $min:literal..=$max:literal) => {
        Kind::Spin { default: $default, min: $min, max: $max }
    };
    (@kind text $default:expr) => { Kind::Text { default: $default } };
    (@kind combo $default:expr, $choices:expr) => {
        Kind::Combo { default: $default, choices: &$choices }
    };
    (@kind preset $default:expr) => { Kind::Preset { default: $default } };
    (@kind button) => { Kind::Button };

    (@default check $default:expr) => { $default };
    (@default spin $default:expr, $($rest:tt)*) => { $default };
    (@default text $default:expr) => { String::from($default) };
    (@default combo $default:expr, $($rest:tt)*) => { $default };
    (@default preset $default:expr) => { String::from($default) };
    (@default button) => { () };

    (@pattern check $value:ident) => { Value::Check($value) };
    (@pattern spin $value:ident) => { Value::Spin($value) };
    (@pattern text $value:ident) => { Value::Text($value) };
    (@pattern combo $value:ident) => { Value::Choice($value) };
    (@pattern preset $value:ident) => { Value::Text($value) };

    (@store $field:ident button) => { |_, _| () };
    (@store $field:ident $kind:ident) => {
        |options, value| {
            if let options!(@pattern $kind value) = value {
                options.$field = value;
            }
        }
    };

    ($(#[$meta:meta])* $vis:vis struct $options:ident {
        $($name:literal $field:ident: $kind:ident $(($($values:tt)*))?, $effect:ident, $help:literal;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        $vis struct $options {
            $(#[doc = $help] pub $field: options!(@type $kind $($($values)*)?),)*
        }

        impl Default for $options {
            fn default() -> Self {
                $options { $($field: options!(@default $kind $($($values)*)?),)* }
            }
        }

        $(const _: () = assert!(
            options!(@kind $kind $($($values)*)?).is_sound(),
            concat!($name, ": the default lies outside of the range, or the range beyond 32 bits"),
        );)*

        impl Described for $options {
            const ROWS: &'static [Row<Self>] = &[$(Row {
                name: $name,
                kind: options!(@kind $kind $($($values)*)?),
                effect: Effect::$effect,
                help: $help,
                store: options!(@store $field $kind),
            }),*];
        }
    };
}

options! {
    /// The values of all options.
    pub struct Options {
        "Hash" hash: spin(16, 1..=33_554_432), ResizeTable,
            "Size of the transposition table, in MiB. When the memory cannot be had, the old table stays and the engine says so.";
        "Clear Hash" clear_hash: button, ClearTable,
            "Forgets everything in the transposition table.";
        "Threads" threads: spin(1, 1..=1024), ResizePool,
            "Threads that search.";
        "Ponder" ponder: check(false), None,
            "Tells the user interface that the engine can think on the opponent's time; `go ponder` works whatever this says.";
        "MultiPV" multi_pv: spin(1, 1..=256), None,
            "How many of the best moves are reported, each with its line.";
        "Move Overhead" move_overhead: spin(10, 0..=5000), None,
            "Milliseconds of each move that are lost between the engine and the clock that judges it.";
        "UCI_Chess960" uci_chess960: check(false), None,
            "Castling is written as king takes rook, as Chess960 needs. It is read in either form at all times.";
        "UCI_ShowWDL" uci_show_wdl: check(false), None,
            "Adds the chances to win, draw and lose to each score, per mille.";
        "UCI_AnalyseMode" uci_analyse_mode: check(false), None,
            "While it is on, the opening book is not asked. Else it changes nothing: play and analysis are the same search.";
        "OwnBook" own_book: check(false), None,
            "Plays the moves of `Book File` while it has some, each as often as its weight says. Not when a search has no limit, is confined to some moves, or ponders.";
        "Book File" book_file: text(""), OpenBook,
            "An opening book in Polyglot's format; empty closes it. A file that is none is refused, and what was open before stays.";
        "EvalFile" eval_file: text(""), LoadNetwork,
            "A network, made by `standpat learn` or `train`, to judge positions by; empty takes the one in the program back. A file that is no sound network is refused, and what judged before stays.";
        "SyzygyPath" syzygy_path: text(""), OpenTables,
            "Folders of endgame tables. They are not read yet: setting it gives a remark.";
        "UCI_EngineAbout" uci_engine_about: text(concat!(
            "Standpat ", env!("CARGO_PKG_VERSION"),
            ", a UCI chess engine; free software under the GPL, version 3 or later"
        )), None,
            "Says what this program is; not meant to be changed.";
        "Debug Log File" debug_log_file: text(""), OpenLog,
            "A file that all lines read and written, and the log, are appended to; empty closes it.";
        // The last one: many user interfaces set all options, in this order.
        "Profile" profile: preset("None"), ApplyProfile,
            "Sets all options that a profile of `engines.toml` names. `None` changes nothing.";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    options! {
        /// One option of each kind.
        struct Sample {
            "Contempt" contempt: spin(7, 0..=9), None, "A number.";
            "Style Of Play" style: combo("Normal", ["Solid", "Normal", "Wild"]), ClearTable, "A word.";
            "Own Book" own_book: check(true), None, "A switch.";
            "Book Path" book_path: text("book.bin"), OpenTables, "A path.";
            "Mood" mood: preset("Calm"), None, "A word that is known later.";
            "Forget" forget: button, ResizeTable, "A button.";
        }
    }

    #[test]
    fn every_kind_declares_itself_as_uci_demands() {
        let lines: Vec<_> = Sample::ROWS.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "option name Contempt type spin default 7 min 0 max 9",
                "option name Style Of Play type combo default Normal var Solid var Normal var Wild",
                "option name Own Book type check default true",
                "option name Book Path type string default book.bin",
                "option name Mood type combo default Calm var Calm",
                "option name Forget type button",
            ]
        );
        let path = Options::row("SyzygyPath").unwrap();
        assert_eq!(
            path.to_string(),
            "option name SyzygyPath type string default <empty>"
        );
    }

    #[test]
    fn names_are_unique_and_defaults_are_allowed_values() {
        for (index, row) in Options::ROWS.iter().enumerate() {
            for other in &Options::ROWS[..index] {
                assert!(!row.name.eq_ignore_ascii_case(other.name));
            }
            Options::check(row.name, Some(&row.kind.default_text())).unwrap();
            assert!(row.help.ends_with('.') && !row.help.contains('|'));
            // Neither word may stand in a name: `setoption` is split at them.
            assert!(
                row.name
                    .split(' ')
                    .all(|word| word != "name" && word != "value")
            );
        }
    }

    #[test]
    fn setting_stores_the_value_and_tells_the_effect() {
        let mut sample = Sample::default();
        assert_eq!(sample.set("contempt", Some(" 9 ")), Ok(Effect::None));
        assert_eq!(
            sample.set("STYLE  of\tplay", Some("wild")),
            Ok(Effect::ClearTable)
        );
        assert_eq!(sample.set("own book", Some("FALSE")), Ok(Effect::None));
        assert_eq!(
            sample.set("Book Path", Some("/a b/c  d")),
            Ok(Effect::OpenTables)
        );
        assert_eq!(sample.set("Mood", Some("Grim ")), Ok(Effect::None));
        assert_eq!(sample.set("forget", None), Ok(Effect::ResizeTable));
        assert_eq!(
            (sample.contempt, sample.style, sample.own_book),
            (9, "Wild", false)
        );
        assert_eq!(sample.book_path, "/a b/c  d");
        assert_eq!(sample.mood, "Grim");
        assert_eq!(sample.forget, ());
    }

    #[test]
    fn empty_text_has_four_spellings() {
        for empty in [None, Some(""), Some("  "), Some("<empty>"), Some("\"\"")] {
            let mut options = Options {
                syzygy_path: "/tb".to_owned(),
                ..Options::default()
            };
            options.set("SyzygyPath", empty).unwrap();
            assert_eq!(options.syzygy_path, "");
        }
    }

    #[test]
    fn what_is_not_allowed_is_refused_with_a_reason_and_changes_nothing() {
        let mut options = Options::default();
        let mut refuse = |name, value| {
            let reason = options.set(name, value).unwrap_err().to_string();
            assert_eq!(options, Options::default());
            assert!(!reason.contains('\n'));
            reason
        };
        assert_eq!(
            refuse("Hash", Some("0")),
            "Hash: 0 is not within 1 to 33554432"
        );
        assert_eq!(
            refuse("hash", Some("-16")),
            "Hash: -16 is not within 1 to 33554432"
        );
        assert_eq!(
            refuse("Hash", Some("abc")),
            "Hash: 'abc' is not a whole number"
        );
        assert_eq!(refuse("Hash", None), "Hash: '' is not a whole number");
        let huge = "99999999999999999999";
        assert_eq!(
            refuse("Threads", Some(huge)),
            format!("Threads: {huge} is not within 1 to 1024")
        );
        assert!(refuse("Move Overhead", Some("1e3")).ends_with("is not a whole number"));
        assert!(refuse("MultiPV", Some("-")).ends_with("is not a whole number"));
        assert_eq!(
            refuse("UCI_Chess960", Some("1")),
            "UCI_Chess960: '1' is neither true nor false"
        );
        assert_eq!(
            refuse("UCI_Opponent", Some("none")),
            "unknown option 'UCI_Opponent'"
        );
        assert_eq!(refuse("Clear", None), "unknown option 'Clear'");
        assert!(refuse(&"x".repeat(1 << 20), None).len() < 300);
        let wild = Sample::check("Style of Play", Some("mad")).unwrap_err();
        assert_eq!(
            wild.to_string(),
            "Style Of Play: 'mad' is none of Solid, Normal, Wild"
        );
    }

    #[test]
    fn the_table_for_the_readme_has_a_row_for_each_option() {
        let text = Options::markdown();
        assert_eq!(text.lines().count(), Options::ROWS.len() + 2);
        assert!(text.contains("| `Hash` | spin | `16` | 1–33554432 |"));
    }
}
