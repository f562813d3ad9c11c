//! What the integration tests share: a driver for engine processes, a checker for what they say,
//! a judge of positions that is not ours (shakmaty), and a watch on the machine's own stalls.
#![allow(dead_code, reason = "each test binary uses its own part of this")]

pub mod check;
pub mod epd;
pub mod info;
pub mod machine;
pub mod process;
pub mod session;

use std::path::PathBuf;

/// The engine under test: the binary that cargo built, or the one that `STANDPAT_TEST_ENGINE`
/// names.
pub fn engine_path() -> PathBuf {
    match std::env::var_os("STANDPAT_TEST_ENGINE") {
        Some(path) => path.into(),
        None => env!("CARGO_BIN_EXE_standpat").into(),
    }
}

/// A file of `tests/data`.
pub fn data_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// A file of `tests/data`, as text.
pub fn data(name: &str) -> String {
    let path = data_path(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Small seeded random numbers (xorshift), so that a failure can be repeated.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator that depends on the text alone.
    pub fn named(name: &str) -> Random {
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Random(seed | 1)
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + (self.0 >> 11) % (high - low + 1)
    }
}
