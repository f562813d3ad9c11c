//! Positions in, the same positions with the engine's remarks out: EPD files and FENs.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use crate::base::score::{MATE, Score, is_mate};
use crate::board::{Epd, notation};
use crate::tools::Failure;

use super::analyst::Analyst;
use super::judge::View;
use super::ledger::Ledger;
use super::pieces::{self, Piece};
use super::record::Record;
use super::{Args, FILE_TIME};

/// The value of a mate on the spot in the operation `ce`, by the PGN standard, section 16.2.5.7.
const MATE_VALUE: Score = 32_767;

/// Analyses all positions of these files.
///
/// # Errors
///
/// When a file cannot be read or written, none of the positions is sound, or somebody interrupts.
pub fn run(
    args: &Args,
    files: &[PathBuf],
    out: &mut dyn Write,
    complaints: &mut dyn Write,
) -> Result<(), Failure> {
    let mut ledger = match &args.out {
        Some(path) => Some(Ledger::open(path, files, cut)?),
        None => None,
    };
    let mut analyst = Analyst::new(args.options(), args.limits(FILE_TIME))?;
    let (mut number, mut sound) = (0, 0);
    for file in files {
        for epd in read(file)? {
            number += 1;
            let mut epd = match epd? {
                Ok(epd) => epd,
                Err(reason) => {
                    writeln!(complaints, "{}: {reason}", file.display())?;
                    continue;
                }
            };
            sound += 1;
            let head = format!("{} ", epd.fields);
            if let Some(ledger) = &mut ledger
                && ledger.has_next(&head, |bytes| bytes.ends_with(b";\n"))?
            {
                continue;
            }
            let Some(view) = analyst.position(&epd.game)? else {
                let reason = format!("interrupted after {} positions", sound - 1);
                return Err(Failure::Failed(reason));
            };
            annotate(&mut epd, &view);
            let text = format!("{epd}\n");
            if args.json {
                let mut record = Record::of(&epd.game, &view, epd.game.is_chess960());
                record.number = Some(number);
                record.id = epd.get("id");
                out.write_all(record.line().as_bytes())?;
            } else {
                out.write_all(text.as_bytes())?;
            }
            out.flush()?;
            if let Some(ledger) = &mut ledger {
                ledger.append(&text)?;
            }
        }
    }
    if sound == 0 {
        return Err(Failure::BadInput("no sound position".to_owned()));
    }
    ledger.as_mut().map_or(Ok(()), Ledger::finish)
}

fn cut(reader: BufReader<File>) -> Box<dyn Iterator<Item = io::Result<Piece>>> {
    Box::new(pieces::lines(reader))
}

/// The positions of a file, or why a line is none.
fn read(
    file: &Path,
) -> Result<impl Iterator<Item = Result<Result<Epd, String>, Failure>> + use<'_>, Failure> {
    let named = |error: io::Error| Failure::BadInput(format!("{}: {error}", file.display()));
    let reader = BufReader::new(File::open(file).map_err(named)?);
    let lines = pieces::lines(reader).enumerate();
    Ok(lines.filter_map(move |(index, piece)| match piece {
        Err(error) => Some(Err(named(error))),
        Ok(piece) => match Epd::parse(&String::from_utf8_lossy(&piece.bytes)) {
            Ok(epd) => Some(Ok(Ok(epd?))),
            Err(error) => Some(Ok(Err(format!(
                "position {} is skipped: {error}",
                index + 1
            )))),
        },
    }))
}

/// Adds what the engine says in the standard's operations: plies and positions searched, value for
/// the side to move, best move and line.
fn annotate(epd: &mut Epd, view: &View) {
    let Some(line) = view.lines.first() else {
        return;
    };
    let sans = notation::sans(&epd.game, &line.pv);
    epd.set("acd", line.depth.to_string());
    epd.set("acn", view.progress.nodes.to_string());
    epd.set("ce", centipawns(line.score).to_string());
    if let Some(best) = sans.first() {
        epd.set("pm", best.clone());
        epd.set("pv", sans.join(" "));
    }
}

fn centipawns(score: Score) -> Score {
    let plies = MATE - score.abs();
    if is_mate(score) {
        score.signum() * (MATE_VALUE - plies)
    } else {
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::score::{mate_in, mated_in};

    #[test]
    fn mates_have_the_values_of_the_standard() {
        assert_eq!(centipawns(-34), -34);
        assert_eq!(centipawns(mate_in(1)), 32_766);
        assert_eq!(centipawns(mated_in(2)), -32_765);
    }
}
