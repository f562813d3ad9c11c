//! The search as a library: mates, endings, draws, quiescence, reproducibility, and what a stopped
//! search answers. The judge of moves and positions is shakmaty.
//!
//! `cargo test --test search` takes seconds; `cargo test --test search -- --ignored` runs whole
//! sets; `-- --ignored --nocapture report` prints what the test suites of old solve.

#[path = "../common/mod.rs"]
mod common;

mod draws;
mod endings;
mod mates;
mod quiescence;
mod reproducible;
mod stopping;
mod suites;
mod support;
