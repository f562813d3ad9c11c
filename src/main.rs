//! The `standpat` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    standpat::cli::main(std::env::args_os())
}
