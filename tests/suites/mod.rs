//! The perft suites of `tests/data/perft`.

/// One line of a suite.
pub struct Entry {
    pub fen: String,
    /// Depth and number of leaves.
    pub counts: Vec<(u32, u64)>,
}

/// Reads a suite.
pub fn read(name: &str) -> Vec<Entry> {
    let path = format!(
        "{}/tests/data/perft/{name}.perft.epd",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).expect("the suite is readable");
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(entry)
        .collect()
}

fn entry(line: &str) -> Entry {
    let mut parts = line.split(';').map(str::trim);
    let fen = parts.next().expect("a FEN").to_owned();
    let counts = parts
        .filter_map(|part| part.strip_prefix('D'))
        .map(|part| {
            let (depth, nodes) = part.split_once(' ').expect("depth and count");
            let nodes = nodes.trim().parse().expect("a count");
            (depth.parse().expect("a depth"), nodes)
        })
        .collect();
    Entry { fen, counts }
}
