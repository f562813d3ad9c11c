//! Where log records go: to standard error as `RUST_LOG` says, and all of them to a file while
//! the option `Debug Log File` names one. Never to standard output, which belongs to UCI.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use env_logger::Env;
use log::{LevelFilter, Log, Metadata, Record};

/// The target of records that are lines read (`>>`) or written (`<<`) by the UCI loop.
pub const WIRE: &str = "wire";

/// An open log file and the moment it was opened.
struct Sink {
    file: File,
    opened: Instant,
}

/// The one logger of the process.
struct Journal {
    errors: env_logger::Logger,
    sink: Mutex<Option<Sink>>,
}

static JOURNAL: OnceLock<Journal> = OnceLock::new();

impl Journal {
    fn sink(&self) -> MutexGuard<'_, Option<Sink>> {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log for Journal {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.errors.enabled(metadata) || self.sink().is_some()
    }

    fn log(&self, record: &Record<'_>) {
        if self.errors.matches(record) {
            self.errors.log(record);
        }
        let mut sink = self.sink();
        let Some(Sink { file, opened }) = &mut *sink else {
            return;
        };
        let time = opened.elapsed().as_secs_f64();
        let line = if record.target() == WIRE {
            format!("{time:12.6} {}\n", record.args())
        } else {
            format!(
                "{time:12.6} {} {}: {}\n",
                record.level(),
                record.target(),
                record.args()
            )
        };
        if file.write_all(line.as_bytes()).is_err() {
            // A full disk must not trouble the game.
            *sink = None;
        }
    }

    fn flush(&self) {
        self.errors.flush();
    }
}

/// Makes this the logger of the process; later calls change nothing. Without `RUST_LOG`, warnings
/// and errors go to standard error.
pub fn install() {
    let journal = JOURNAL.get_or_init(|| Journal {
        errors: env_logger::Builder::from_env(Env::default().default_filter_or("warn")).build(),
        sink: Mutex::new(None),
    });
    if log::set_logger(journal).is_ok() {
        log::set_max_level(journal.errors.filter());
    }
}

/// Appends all records to this file from now on; an empty path closes the file that was open.
///
/// # Errors
///
/// When the file cannot be opened for appending; the one that was open stays.
pub fn write_to(path: &str) -> io::Result<()> {
    install();
    let Some(journal) = JOURNAL.get() else {
        return Ok(());
    };
    if path.is_empty() {
        *journal.sink() = None;
        log::set_max_level(journal.errors.filter());
        return Ok(());
    }
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    *journal.sink() = Some(Sink {
        file,
        opened: Instant::now(),
    });
    log::set_max_level(LevelFilter::Trace);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gets_every_record_until_it_is_closed() {
        let path = std::env::temp_dir().join(format!("standpat-journal-{}", std::process::id()));
        let name = path.to_str().unwrap();
        write_to(name).unwrap();
        log::trace!(target: WIRE, ">> journal: isready");
        log::info!(target: "test", "journal: a remark");
        assert!(write_to("/nonexistent/folder/log").is_err());
        log::trace!(target: WIRE, "<< journal: readyok");
        write_to("").unwrap();
        log::trace!(target: WIRE, ">> journal: lost");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        // Tests that run beside this one may log as well.
        let mine: Vec<_> = text
            .lines()
            .filter(|line| line.contains("journal: "))
            .filter_map(|line| line.trim_start().split_once(' '))
            .map(|(_, message)| message)
            .collect();
        let expected = [
            ">> journal: isready",
            "INFO test: journal: a remark",
            "<< journal: readyok",
        ];
        assert_eq!(mine, expected);
    }
}
