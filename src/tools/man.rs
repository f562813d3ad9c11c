//! `standpat man`: the manual, as pages for the program `man`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::base::options::{Described, Options};
use crate::base::text::excerpt;
use crate::tools::Failure;

/// The section of the manual: games.
const SECTION: &str = "6";

/// What `standpat man` takes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The command whose page is printed; without it the program's own
    pub command: Option<String>,
    /// Write all pages into this folder instead
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    pub out: Option<PathBuf>,
}

/// Prints a page of the manual, or writes all of them to files. `program` is the description of the
/// command line.
///
/// # Errors
///
/// When there is no such command, or a file cannot be written.
pub fn run(args: &Args, program: clap::Command, out: &mut dyn Write) -> Result<(), Failure> {
    let pages = pages(program)?;
    if let Some(folder) = &args.out {
        let named =
            |error: std::io::Error| Failure::Failed(format!("{}: {error}", folder.display()));
        fs::create_dir_all(folder).map_err(named)?;
        for (name, page) in &pages {
            fs::write(folder.join(format!("{name}.{SECTION}")), page).map_err(named)?;
        }
        return Ok(writeln!(
            out,
            "{} pages in {}",
            pages.len(),
            folder.display()
        )?);
    }
    let wanted = match &args.command {
        Some(command) => format!("standpat-{command}"),
        None => "standpat".to_owned(),
    };
    let page = pages.iter().find(|(name, _)| *name == wanted);
    let Some((_, page)) = page else {
        let name = args.command.as_deref().unwrap_or_default();
        let reason = format!("there is no command '{}'", excerpt(name));
        return Err(Failure::BadInput(reason));
    };
    Ok(out.write_all(page)?)
}

/// Every page with its name: the program's own, and one for each command.
fn pages(mut program: clap::Command) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    program = program.disable_help_subcommand(true);
    program.build();
    let mut pages = vec![("standpat".to_owned(), main_page(&program)?)];
    for command in program.get_subcommands() {
        let name = format!("standpat-{}", command.get_name());
        let command = command
            .clone()
            .display_name(&name)
            .version(env!("CARGO_PKG_VERSION"));
        let mut page = Vec::new();
        titled(command, &name).render(&mut page)?;
        pages.push((name, page));
    }
    Ok(pages)
}

fn titled(command: clap::Command, name: &str) -> Man {
    Man::new(command)
        .title(name)
        .section(SECTION)
        .manual("Games")
        .source(concat!("Standpat ", env!("CARGO_PKG_VERSION")))
}

/// The program's own page, with what the command line alone does not tell.
fn main_page(program: &clap::Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    titled(program.clone(), "standpat").render(&mut page)?;
    let mut more = Roff::new();
    more.control("SH", ["UCI OPTIONS"]);
    more.text([roman(
        "They are set by the command setoption, upper and lower case mean the same.",
    )]);
    for row in Options::ROWS {
        more.control("TP", []);
        more.text([bold(row.name)]);
        more.text([roman(row.help.replace('`', ""))]);
    }
    more.control("SH", ["EXIT STATUS"]);
    for (status, meaning) in [
        ("0", "All went well."),
        ("1", "The work failed, or fell short of what was asked."),
        (
            "2",
            "The arguments or the input make no sense; nothing was changed.",
        ),
    ] {
        more.control("TP", []);
        more.text([bold(status)]);
        more.text([roman(meaning)]);
    }
    more.to_writer(&mut page)?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, Command};

    fn program() -> Command {
        let bench = Command::new("bench").about("Search").arg(Arg::new("depth"));
        Command::new("standpat").version("1").subcommand(bench)
    }

    fn printed(command: Option<&str>) -> Result<String, Failure> {
        let args = Args {
            command: command.map(str::to_owned),
            out: None,
        };
        let mut out = Vec::new();
        run(&args, program(), &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn the_main_page_tells_of_commands_options_and_exit_status() {
        let page = printed(None).unwrap();
        assert!(page.contains(".TH standpat 6 "), "{page}");
        for part in [
            ".SH NAME",
            "standpat\\-bench",
            ".SH \"UCI OPTIONS\"",
            "\\fBMultiPV\\fR",
            ".SH \"EXIT STATUS\"",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }

    #[test]
    fn each_command_has_a_page_and_nothing_else_has() {
        let page = printed(Some("bench")).unwrap();
        assert!(
            page.contains(".TH standpat\\-bench 6") || page.contains(".TH standpat-bench 6"),
            "{page}"
        );
        assert!(page.contains("Search"));
        assert_eq!(printed(Some("chess")).unwrap_err().exit_code(), 2);
    }

    #[test]
    fn all_pages_go_into_a_folder() {
        let folder = std::env::temp_dir().join(format!("standpat-man-{}", std::process::id()));
        let args = Args {
            command: None,
            out: Some(folder.clone()),
        };
        run(&args, program(), &mut Vec::new()).unwrap();
        for name in ["standpat.6", "standpat-bench.6"] {
            assert!(folder.join(name).is_file(), "{name}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
