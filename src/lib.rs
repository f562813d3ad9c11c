//! Standpat: a UCI chess engine.

pub mod base;
pub mod board;
pub mod cli;
pub mod learning;
pub mod search;
pub mod tools;
