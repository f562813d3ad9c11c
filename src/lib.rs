//! Standpat: a UCI chess engine.

pub mod base;
pub mod board;
pub mod cli;
pub mod engine;
pub mod eval;
pub mod learning;
pub mod search;
pub mod tools;
pub mod uci;
