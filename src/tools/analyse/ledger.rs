//! The file of results: only ever appended to by whole records, so that the work goes on behind the
//! last one after any interruption.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Write};
use std::iter::{Fuse, Peekable};
use std::path::{Path, PathBuf};

use super::pieces::Piece;
use crate::tools::Failure;

/// Cuts a file into records.
pub type Cutter = fn(BufReader<File>) -> Box<dyn Iterator<Item = io::Result<Piece>>>;

/// The results on disk.
pub struct Ledger {
    path: PathBuf,
    file: File,
    /// Records of an earlier run that have not been looked at. When they have come to an end they
    /// stay there, whatever is appended behind.
    earlier: Peekable<Fuse<Box<dyn Iterator<Item = io::Result<Piece>>>>>,
}

impl Ledger {
    /// Opens the file, or begins it. Nothing is changed in it yet.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or is one of the `inputs`.
    pub fn open(path: &Path, inputs: &[PathBuf], cutter: Cutter) -> Result<Ledger, Failure> {
        let canonical = |path: &Path| path.canonicalize().ok();
        let is_input =
            |input: &PathBuf| canonical(path).is_some() && canonical(path) == canonical(input);
        if inputs.iter().any(is_input) {
            let reason = format!("{}: --out would overwrite the input", path.display());
            return Err(Failure::BadInput(reason));
        }
        let named = |error: io::Error| Failure::BadInput(format!("{}: {error}", path.display()));
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(named)?;
        // A pipe or a terminal holds nothing, and waiting for it to say so could take long.
        let earlier = if file.metadata().map_err(named)?.is_file() {
            cutter(BufReader::new(File::open(path).map_err(named)?))
        } else {
            Box::new(std::iter::empty())
        };
        Ok(Ledger {
            path: path.to_owned(),
            file,
            earlier: earlier.fuse().peekable(),
        })
    }

    /// Has an earlier run written the next record? One that it did not finish is cut off. A record
    /// begins with `head`; `is_whole` tells whether it is the one expected, to its end.
    ///
    /// # Errors
    ///
    /// When the file holds something else: it is left as it is.
    pub fn has_next(
        &mut self,
        head: &str,
        is_whole: impl Fn(&[u8]) -> bool,
    ) -> Result<bool, Failure> {
        let piece = match self.earlier.next() {
            None => return Ok(false),
            Some(piece) => piece.map_err(|error| self.failed(&error))?,
        };
        let head = head.as_bytes();
        if piece.bytes.starts_with(head) && is_whole(&piece.bytes) {
            return Ok(true);
        }
        let is_begun = piece.bytes.starts_with(head) || head.starts_with(&piece.bytes);
        if !is_begun || self.earlier.peek().is_some() {
            return Err(self.foreign());
        }
        self.file
            .set_len(piece.offset)
            .map_err(|error| self.failed(&error))?;
        Ok(false)
    }

    /// Appends a record.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn append(&mut self, record: &str) -> Result<(), Failure> {
        let result = self.file.write_all(record.as_bytes());
        result.map_err(|error| self.failed(&error))
    }

    /// To be called at the end of the input.
    ///
    /// # Errors
    ///
    /// When the file holds more than the input.
    pub fn finish(&mut self) -> Result<(), Failure> {
        match self.earlier.next() {
            None => Ok(()),
            Some(_) => Err(self.foreign()),
        }
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::Failed(format!("{}: {error}", self.path.display()))
    }

    fn foreign(&self) -> Failure {
        Failure::BadInput(format!(
            "{} is not what this command has written before; it is left as it is",
            self.path.display()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::pieces;
    use super::*;

    fn lines(reader: BufReader<File>) -> Box<dyn Iterator<Item = io::Result<Piece>>> {
        Box::new(pieces::lines(reader))
    }

    /// Writes the records `a 1`, `b 1` … as far as they are missing; tells how many were.
    fn work(path: &Path, names: &[&str]) -> Result<usize, Failure> {
        let mut ledger = Ledger::open(path, &[], lines)?;
        let mut written = 0;
        for name in names {
            if !ledger.has_next(&format!("{name} "), |bytes| bytes.ends_with(b"1\n"))? {
                ledger.append(&format!("{name} 1\n"))?;
                written += 1;
            }
        }
        ledger.finish()?;
        Ok(written)
    }

    /// Whatever prefix of the whole file an interruption leaves, the next run completes it.
    #[test]
    fn every_beginning_is_completed_and_nothing_else_is_touched() {
        let folder = std::env::temp_dir().join(format!("standpat-ledger-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("out");
        let names = ["alpha", "beta", "gamma"];
        assert_eq!(work(&path, &names).unwrap(), 3);
        let whole = std::fs::read_to_string(&path).unwrap();
        assert_eq!(whole, "alpha 1\nbeta 1\ngamma 1\n");
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let missing = 3 - whole[..length].matches('\n').count();
            assert_eq!(work(&path, &names).unwrap(), missing, "{length}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        }
        for foreign in [
            "my diary\n",
            "alp",
            "alpha 1\nbeta 2\ngamma 1\n",
            "alpha 1\nx",
        ] {
            let others = if foreign == "alp" { ["beta"; 3] } else { names };
            std::fs::write(&path, foreign).unwrap();
            assert_eq!(
                work(&path, &others).unwrap_err().exit_code(),
                2,
                "{foreign}"
            );
            assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign);
        }
        std::fs::write(&path, &whole).unwrap();
        assert_eq!(work(&path, &names[..2]).unwrap_err().exit_code(), 2);
        let own = Ledger::open(&path, std::slice::from_ref(&path), lines)
            .err()
            .unwrap();
        assert_eq!(own.exit_code(), 2);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
