//! Standpat: a UCI chess engine.

pub mod base;
pub mod board;
pub mod learning;
pub mod search;
