//! The `standpat` binary.

fn main() {}
