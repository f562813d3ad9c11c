//! Depth by depth: what a search says that stops where it stands, beside one that resolves captures
//! and one that forces them.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use indicatif::ProgressBar;

use crate::base::score::{Pawns, Score, is_decisive};
use crate::board::notation::san;
use crate::board::{Game, Move};

use super::Mode;
use super::reference::{Judge, Reference};

/// What one search to one depth found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Centipawns from the view of the side to move, or a mate.
    pub value: Score,
    /// The value less that of the depth before; nothing at the first depth and around mates.
    pub swing: Option<Score>,
    /// The line that the value comes from; its first move is the move to play.
    pub line: Vec<Move>,
    /// Positions visited.
    pub nodes: u64,
}

/// A leaf at the nominal depth that two of the searches judge differently, and so come to different
/// values at the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The moves that lead there.
    pub path: Vec<Move>,
    /// What each search says of it, from the view of the side to move at the root.
    pub values: [Score; 3],
    /// The captures that each search sees behind it.
    pub chains: [Vec<Move>; 3],
}

/// One depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Plies.
    pub depth: u32,
    /// What each search found, in the order of [`Mode::ALL`].
    pub found: [Found; 3],
    /// Where fixed depth and quiescence differ, or else quiescence and the search without stand
    /// pat; nothing when all say the same.
    pub leaf: Option<Leaf>,
}

/// All depths.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The position.
    pub game: Game,
    /// Depth 1 first.
    pub rows: Vec<Row>,
}

/// Searches the position to depth 1, 2 … `deepest` plies in each mode.
pub fn compare(game: &Game, deepest: u32, judge: &dyn Fn() -> Box<dyn Judge>) -> Comparison {
    let mut searches = Mode::ALL.map(|mode| Reference::new(judge(), mode, game.position()));
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut rows: Vec<Row> = Vec::new();
    for depth in 1..=deepest {
        let mut mode = 0;
        let found = searches.each_mut().map(|search| {
            bar.set_message(format!(
                "depth {depth} of {deepest}: {}",
                Mode::ALL[mode].name()
            ));
            let last = rows.last().map(|row| row.found[mode].value);
            mode += 1;
            find(search, depth, last)
        });
        let leaf = difference(&mut searches, &found, depth);
        rows.push(Row { depth, found, leaf });
    }
    bar.finish_and_clear();
    let game = game.clone();
    Comparison { game, rows }
}

fn find(search: &mut Reference, depth: u32, last: Option<Score>) -> Found {
    let before = search.nodes();
    let value = search.value(depth);
    let nodes = search.nodes() - before;
    let line = search.line(depth);
    let judged = |score: &Score| !is_decisive(*score);
    let swing = last
        .filter(judged)
        .filter(|_| judged(&value))
        .map(|last| value - last);
    Found {
        value,
        swing,
        line,
        nodes,
    }
}

/// The leaf on which the searches differ.
fn difference(searches: &mut [Reference; 3], found: &[Found; 3], depth: u32) -> Option<Leaf> {
    let [fixed, quiet, forced] = found.each_ref().map(|found| found.value);
    let (one, other) = match () {
        () if fixed != quiet => (0, 1),
        () if quiet != forced => (1, 2),
        () => return None,
    };
    let path = path_of_difference(searches, one, other, depth);
    let sign = if path.len().is_multiple_of(2) { 1 } else { -1 };
    let leaf = Leaf {
        values: searches.each_mut().map(|search| sign * search.value(0)),
        chains: searches.each_mut().map(|search| search.line(0)),
        path,
    };
    for search in searches {
        for _ in &leaf.path {
            search.take_back();
        }
    }
    Some(leaf)
}

/// Leads both searches, and the third with them, to a leaf at the nominal depth that they judge
/// differently: at each ply the side to move follows the search that promises it more. The other
/// search values that move less, so they differ behind it too.
fn path_of_difference(
    searches: &mut [Reference; 3],
    one: usize,
    other: usize,
    depth: u32,
) -> Vec<Move> {
    let mut path = Vec::new();
    for left in (1..=depth).rev() {
        let (value, against) = (searches[one].value(left), searches[other].value(left));
        let hopeful = if value > against { one } else { other };
        let Some(&mv) = searches[hopeful].line(left).first() else {
            break;
        };
        path.push(mv);
        for search in searches.iter_mut() {
            search.play(mv);
        }
    }
    path
}

impl Comparison {
    /// The table, the swings, and the leaves on which the searches differ, for a person to read.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n", self.game.fen())?;
        let heads = Mode::ALL
            .map(|mode| format!("   {:<23}", mode.name()))
            .concat();
        writeln!(out, "     {}", heads.trim_end())?;
        let columns = "     value   swing  move  ".repeat(Mode::ALL.len());
        writeln!(out, "depth{}", columns.trim_end())?;
        for row in &self.rows {
            writeln!(out, "{}", self.row(row).trim_end())?;
        }
        let mean = Mode::ALL.map(|mode| self.mean_swing(mode));
        if let [Some(fixed), Some(quiet), Some(forced)] = mean {
            writeln!(
                out,
                "\nmean swing: {fixed:.2} pawns at fixed depth, {quiet:.2} with quiescence, \
                 {forced:.2} without stand pat"
            )?;
        }
        if self.rows.iter().any(|row| row.leaf.is_some()) {
            writeln!(out, "\nWhere they differ:")?;
        }
        for row in &self.rows {
            if let Some(leaf) = &row.leaf {
                self.print_leaf(row.depth, leaf, out)?;
            }
        }
        Ok(())
    }

    fn row(&self, row: &Row) -> String {
        let mut text = format!("{:5}", row.depth);
        for found in &row.found {
            let swing = found
                .swing
                .map(|swing| Pawns(swing).to_string())
                .unwrap_or_default();
            let first = found.line.get(..1).unwrap_or_default();
            let value = Pawns(found.value);
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "   {value:>7} {swing:>7}  {:<6}",
                san(&self.game, first)
            );
        }
        text
    }

    /// The mean size of a mode's swings, in pawns; nothing without a swing.
    fn mean_swing(&self, mode: Mode) -> Option<f64> {
        let swings: Vec<Score> = self
            .rows
            .iter()
            .filter_map(|row| row.found[mode as usize].swing)
            .collect();
        let sum: f64 = swings.iter().map(|swing| f64::from(swing.abs())).sum();
        (!swings.is_empty()).then(|| sum / 100.0 / swings.len() as f64)
    }

    fn print_leaf(&self, depth: u32, leaf: &Leaf, out: &mut dyn Write) -> io::Result<()> {
        let mut game = self.game.clone();
        leaf.path.iter().for_each(|&mv| game.play(mv));
        writeln!(out, "depth {depth}, after {}", san(&self.game, &leaf.path))?;
        for mode in Mode::ALL {
            let (value, chain) = (leaf.values[mode as usize], &leaf.chains[mode as usize]);
            let what = match (mode, chain.is_empty()) {
                (Mode::FixedDepth, _) => "stops here".to_string(),
                (_, true) => "stands pat".to_string(),
                (_, false) => san(&game, chain),
            };
            writeln!(out, "  {:<12} {:>7}  {what}", mode.name(), Pawns(value))?;
        }
        Ok(())
    }

    /// One line a depth; values and swings in centipawns or `#` and the moves to mate, moves in
    /// UCI's notation.
    pub fn csv(&self) -> String {
        let mut text = String::from("depth");
        for mode in ["fixed", "quiescence", "forced"] {
            // Writing to a string cannot fail.
            let _ = write!(text, ",{mode}_value,{mode}_swing,{mode}_move,{mode}_nodes");
        }
        text += ",leaf,leaf_fixed,leaf_quiescence,leaf_forced,chain_quiescence,chain_forced\n";
        for row in &self.rows {
            let _ = write!(text, "{}", row.depth);
            for found in &row.found {
                let swing = found
                    .swing
                    .map(|swing| swing.to_string())
                    .unwrap_or_default();
                let first = found.line.get(..1).unwrap_or_default();
                let _ = write!(
                    text,
                    ",{},{swing},{},{}",
                    plain(found.value),
                    uci(first),
                    found.nodes
                );
            }
            let _ = match &row.leaf {
                None => writeln!(text, ",,,,,,"),
                Some(Leaf {
                    path,
                    values,
                    chains,
                }) => {
                    let [fixed, quiet, forced] = values.map(plain);
                    let [_, calm, all] = chains.each_ref().map(|chain| uci(chain));
                    writeln!(text, ",{},{fixed},{quiet},{forced},{calm},{all}", uci(path))
                }
            };
        }
        text
    }
}

/// Centipawns, or `#` and the moves to mate.
fn plain(score: Score) -> String {
    if is_decisive(score) {
        Pawns(score).to_string()
    } else {
        score.to_string()
    }
}

fn uci(line: &[Move]) -> String {
    let words: Vec<String> = line.iter().map(|mv| mv.uci(false).to_string()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::chain::POSITION;
    use super::super::reference::Material;
    use super::*;

    fn by_material(fen: &str, depth: u32) -> Comparison {
        compare(&Game::from_fen(fen).unwrap(), depth, &|| Box::new(Material))
    }

    /// The five captures on d5, all other moves allowed: the values are those of the chain, and the
    /// leaf of each even depth is where the next capture would be.
    #[test]
    fn the_chain_on_the_whole_board() {
        let comparison = by_material(POSITION, 5);
        let values = |mode: Mode| -> Vec<Score> {
            comparison
                .rows
                .iter()
                .map(|row| row.found[mode as usize].value)
                .collect()
        };
        assert_eq!(values(Mode::FixedDepth), [100, 0, 100, 0, 100]);
        assert_eq!(values(Mode::Quiescence), [100; 5]);
        assert_eq!(comparison.mean_swing(Mode::FixedDepth), Some(1.0));
        assert_eq!(comparison.mean_swing(Mode::Quiescence), Some(0.0));
        for row in &comparison.rows {
            let Some(leaf) = &row.leaf else {
                continue;
            };
            let [fixed, quiet, _] = leaf.values;
            let differ = row.found[0].value != row.found[1].value;
            assert_eq!(differ, fixed != quiet, "depth {}", row.depth);
            assert_eq!(leaf.path.len(), row.depth as usize);
            assert!(leaf.chains[0].is_empty());
        }
        let second = comparison.rows[1].leaf.as_ref().unwrap();
        assert!(!second.chains[1].is_empty());
        assert!(second.values[1] > second.values[0]);
    }

    /// A mate is no swing of some hundred pawns.
    #[test]
    fn a_mate_is_no_swing() {
        let comparison = by_material("8/7k/5K2/8/8/8/8/6Q1 b - - 0 1", 2);
        let found = &comparison.rows[1].found[0];
        assert_eq!(Pawns(found.value).to_string(), "#-1");
        assert_eq!(found.swing, None);
    }

    #[test]
    fn the_table_and_the_file_have_a_line_for_each_depth() {
        let comparison = by_material(POSITION, 3);
        let mut text = Vec::new();
        comparison.print(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with(POSITION), "{text}");
        assert!(text.contains("\n    3     +1.00   +1.00  "), "{text}");
        assert!(
            text.contains("mean swing: 1.00 pawns at fixed depth, 0.00 "),
            "{text}"
        );
        let csv = comparison.csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[2].starts_with("2,0,-100,"), "{csv}");
        for line in &lines {
            assert_eq!(
                line.matches(',').count(),
                lines[0].matches(',').count(),
                "{csv}"
            );
        }
    }
}
