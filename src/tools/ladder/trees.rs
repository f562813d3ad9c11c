//! Why iterative deepening costs less than it seems: one uniform tree, searched four ways.
//!
//! The tree has three moves in every position and is four plies deep: 1 + 3 + 9 + 27 + 81 = 121
//! positions.
//!
//! * **Minimax** visits all 121.
//! * **Iterative deepening** over minimax searches depth 1, 2, 3 and 4 in turn. Counting every
//!   position of every pass that is 4 + 13 + 40 + 121 = 178. A total of 160 is also in print: the
//!   last pass whole plus only the *leaves* of the shallower ones, 121 + 27 + 9 + 3.
//! * **Alpha-beta** returns the same value from about half of the positions when the moves come in
//!   no particular order.
//! * **Alpha-beta ordered by the previous pass** tries first what the shallower pass found best.
//!   It comes close to the least that any such search can do, the Knuth–Moore minimum: at ply `k`,
//!   3^⌈k/2⌉ + 3^⌊k/2⌋ − 1 positions, that is 1 + 3 + 5 + 11 + 17 = 37 in all, 17 of them leaves.
//!   (The 61 and 33 sometimes printed for the last two leave out some of the top levels.) All four
//!   passes together then visit fewer positions than a single minimax pass: the shallow searches
//!   pay for themselves.
//!
//! The trees are seeded. A move's worth is drawn evenly from a range that halves with each ply, and
//! a position's static value is the sum of the moves that lead to it, so that a shallow search
//! foretells a deeper one, as it does in chess.

use std::io::{self, Write};

use crate::base::rng::Rng;

/// Moves in every position.
pub const BRANCHING: usize = 3;

/// Plies from the root to the leaves.
pub const DEPTH: usize = 4;

/// Positions in the whole tree.
pub const POSITIONS: usize = positions(DEPTH) as usize;

/// The worth of a move at the root is at most this; at each further ply half as much.
const ROOT_RANGE: i32 = 800;

const INFINITE: i32 = i32::MAX;

/// Positions of a uniform tree of this depth, the root included.
pub const fn positions(depth: usize) -> u32 {
    let (mut total, mut level, mut ply) = (1, 1, 0);
    while ply < depth {
        level *= BRANCHING as u32;
        total += level;
        ply += 1;
    }
    total
}

/// The fewest positions at `ply` that alpha-beta must visit to prove the value of the root (Knuth
/// and Moore 1975).
pub const fn least_at(ply: usize) -> u32 {
    let branching = BRANCHING as u32;
    branching.pow(ply.div_ceil(2) as u32) + branching.pow(ply as u32 / 2) - 1
}

/// The fewest positions of the whole tree: [`least_at`] summed over its plies.
pub fn least() -> Cost {
    Cost {
        nodes: (0..=DEPTH).map(least_at).sum(),
        leaves: least_at(DEPTH),
    }
}

/// What a search visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// All positions, leaves and root included.
    pub nodes: u32,
    /// Positions at the search's depth.
    pub leaves: u32,
}

impl Cost {
    fn add(&mut self, other: Cost) {
        self.nodes += other.nodes;
        self.leaves += other.leaves;
    }
}

/// A uniform tree: the static value of every position, from the view of the side that moves at the
/// root. The children of position `n` are `3n + 1`, `3n + 2` and `3n + 3`.
#[derive(Clone, Debug)]
pub struct Tree {
    values: [i32; POSITIONS],
}

impl Tree {
    /// The tree that belongs to this seed.
    pub fn seeded(seed: u64) -> Tree {
        let mut values = [0; POSITIONS];
        let mut rng = Rng::new(seed);
        for node in 1..POSITIONS {
            let range = ROOT_RANGE >> (ply_of(node) - 1);
            values[node] =
                values[(node - 1) / BRANCHING] + rng.below(2 * range as usize + 1) as i32 - range;
        }
        Tree { values }
    }

    /// A tree whose moves are everywhere in the best order, so that alpha-beta needs the minimum:
    /// each first move keeps the value, each other one is worse for the side that makes it.
    pub fn perfectly_ordered() -> Tree {
        let mut values = [0; POSITIONS];
        for node in 1..POSITIONS {
            let parent = (node - 1) / BRANCHING;
            let loss = if (node - 1).is_multiple_of(BRANCHING) {
                0
            } else {
                1
            };
            let sign = if ply_of(parent).is_multiple_of(2) {
                -1
            } else {
                1
            };
            values[node] = values[parent] + sign * loss;
        }
        Tree { values }
    }
}

/// How many plies below the root a position lies.
fn ply_of(mut node: usize) -> usize {
    let mut ply = 0;
    while node > 0 {
        node = (node - 1) / BRANCHING;
        ply += 1;
    }
    ply
}

/// What earlier passes returned for each position, from the view of the side to move there.
type Memory = [Option<i32>; POSITIONS];

/// Minimax to `depth` plies: value for the side that moves at the root, and cost.
pub fn minimax(tree: &Tree, depth: usize) -> (i32, Cost) {
    fn visit(tree: &Tree, node: usize, ply: usize, depth: usize, cost: &mut Cost) -> i32 {
        cost.nodes += 1;
        if ply == depth {
            cost.leaves += 1;
            return static_value(tree, node, ply);
        }
        children(node)
            .map(|child| -visit(tree, child, ply + 1, depth, cost))
            .max()
            .unwrap_or(0)
    }
    let mut cost = Cost::default();
    let value = visit(tree, 0, 0, depth, &mut cost);
    (value, cost)
}

/// Alpha-beta to `depth` plies, the moves in the tree's own order.
pub fn alpha_beta(tree: &Tree, depth: usize) -> (i32, Cost) {
    Pass::new(tree, depth).run(&mut [None; POSITIONS])
}

/// Alpha-beta to depth 1, 2 … `depth`, the moves of each pass ordered by the values that the
/// passes before it returned. Gives the value, the cost of the last pass and that of all passes.
pub fn deepening(tree: &Tree, depth: usize) -> (i32, Cost, Cost) {
    let mut memory = [None; POSITIONS];
    let (mut value, mut last, mut all) =
        (static_value(tree, 0, 0), Cost::default(), Cost::default());
    for depth in 1..=depth {
        (value, last) = Pass::new(tree, depth).run(&mut memory);
        all.add(last);
    }
    (value, last, all)
}

fn children(node: usize) -> std::ops::Range<usize> {
    node * BRANCHING + 1..node * BRANCHING + 1 + BRANCHING
}

fn static_value(tree: &Tree, node: usize, ply: usize) -> i32 {
    if ply.is_multiple_of(2) {
        tree.values[node]
    } else {
        -tree.values[node]
    }
}

/// One alpha-beta search of fixed depth.
struct Pass<'a> {
    tree: &'a Tree,
    depth: usize,
    cost: Cost,
}

impl<'a> Pass<'a> {
    fn new(tree: &'a Tree, depth: usize) -> Pass<'a> {
        Pass {
            tree,
            depth,
            cost: Cost::default(),
        }
    }

    /// Searches from the root, ordering moves by `memory` and leaving its own values there.
    fn run(mut self, memory: &mut Memory) -> (i32, Cost) {
        let before = *memory;
        let value = self.visit(0, 0, -INFINITE, INFINITE, &before, memory);
        (value, self.cost)
    }

    fn visit(
        &mut self,
        node: usize,
        ply: usize,
        mut alpha: i32,
        beta: i32,
        before: &Memory,
        memory: &mut Memory,
    ) -> i32 {
        self.cost.nodes += 1;
        let mut best = -INFINITE;
        if ply == self.depth {
            self.cost.leaves += 1;
            best = static_value(self.tree, node, ply);
        } else {
            let mut moves: Vec<usize> = children(node).collect();
            // The worse for the opponent the better; what was never visited keeps its place behind.
            moves.sort_by_key(|&child| before[child].unwrap_or(INFINITE));
            for child in moves {
                let value = -self.visit(child, ply + 1, -beta, -alpha, before, memory);
                best = best.max(value);
                alpha = alpha.max(value);
                if alpha >= beta {
                    break;
                }
            }
        }
        memory[node] = Some(best);
        best
    }
}

/// Mean cost of one way to search, over many trees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    /// Positions.
    pub nodes: f64,
    /// Leaves.
    pub leaves: f64,
}

impl Mean {
    fn add(&mut self, cost: Cost, trees: u64) {
        self.nodes += f64::from(cost.nodes) / trees as f64;
        self.leaves += f64::from(cost.leaves) / trees as f64;
    }
}

/// The comparison over many seeded trees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// One minimax pass of full depth.
    pub minimax: Mean,
    /// One alpha-beta pass of full depth, moves in the tree's order.
    pub alpha_beta: Mean,
    /// The last pass of iterative deepening with alpha-beta, ordered by the pass before.
    pub ordered: Mean,
    /// All passes of that iterative deepening together.
    pub ordered_all: Mean,
    /// Trees for which the three did not agree on the value: none.
    pub disagreements: u64,
}

/// Searches the trees of seeds `0 .. trees` in each way.
pub fn compare(trees: u64) -> Comparison {
    let mut sum = Comparison::default();
    for seed in 0..trees {
        let tree = Tree::seeded(seed);
        let (value, cost) = minimax(&tree, DEPTH);
        sum.minimax.add(cost, trees);
        let (plain, cost) = alpha_beta(&tree, DEPTH);
        sum.alpha_beta.add(cost, trees);
        let (ordered, last, all) = deepening(&tree, DEPTH);
        sum.ordered.add(last, trees);
        sum.ordered_all.add(all, trees);
        sum.disagreements += u64::from(plain != value || ordered != value);
    }
    sum
}

/// Positions that iterative deepening over minimax visits in all its passes.
pub fn deepening_minimax_nodes() -> u32 {
    (1..=DEPTH).map(positions).sum()
}

/// The published count of the same: the last pass whole, of the others only the leaves.
pub fn deepening_minimax_published() -> u32 {
    positions(DEPTH)
        + (1..DEPTH)
            .map(|depth| BRANCHING.pow(depth as u32) as u32)
            .sum::<u32>()
}

/// Prints the comparison over many seeded trees.
pub fn run(trees: u64, out: &mut dyn Write) -> io::Result<()> {
    let result = compare(trees);
    writeln!(out, "{:<47}{:>7}{:>8}{:>8}", "", "nodes", "leaves", "share")?;
    let mut row = |name: &str, nodes: f64, leaves: Option<f64>| {
        let leaves = leaves
            .map(|leaves| format!("{leaves:.1}"))
            .unwrap_or_default();
        let share = 100.0 * nodes / f64::from(positions(DEPTH));
        writeln!(out, "{name:<47}{nodes:>7.1}{leaves:>8}{share:>6.0} %")
    };
    row("minimax", result.minimax.nodes, Some(result.minimax.leaves))?;
    row(
        "iterative deepening, every position",
        f64::from(deepening_minimax_nodes()),
        None,
    )?;
    row(
        "  as published, only the leaves of early passes",
        f64::from(deepening_minimax_published()),
        None,
    )?;
    row(
        "alpha-beta",
        result.alpha_beta.nodes,
        Some(result.alpha_beta.leaves),
    )?;
    row(
        "alpha-beta ordered by the previous pass",
        result.ordered.nodes,
        Some(result.ordered.leaves),
    )?;
    row("  all its passes together", result.ordered_all.nodes, None)?;
    let Cost { nodes, leaves } = least();
    row(
        "Knuth–Moore minimum",
        f64::from(nodes),
        Some(f64::from(leaves)),
    )?;
    writeln!(
        out,
        "\nMeans of {trees} seeded trees, {BRANCHING} moves a position, {DEPTH} plies; the values agree on {} of them.",
        trees - result.disagreements
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_of_the_texts() {
        assert_eq!(POSITIONS, 121);
        assert_eq!(
            minimax(&Tree::seeded(1), DEPTH).1,
            Cost {
                nodes: 121,
                leaves: 81
            }
        );
        let passes: u32 = (1..=DEPTH)
            .map(|d| minimax(&Tree::seeded(1), d).1.nodes)
            .sum();
        assert_eq!((passes, deepening_minimax_nodes()), (178, 178));
        assert_eq!(deepening_minimax_published(), 121 + 27 + 9 + 3);
        assert_eq!(deepening_minimax_published(), 160);
        assert_eq!(
            least(),
            Cost {
                nodes: 37,
                leaves: 17
            }
        );
    }

    #[test]
    fn perfect_order_needs_the_knuth_moore_minimum() {
        let tree = Tree::perfectly_ordered();
        assert_eq!(alpha_beta(&tree, DEPTH), (minimax(&tree, DEPTH).0, least()));
    }

    #[test]
    fn no_tree_needs_less_than_the_minimum_and_every_value_is_the_same() {
        for seed in 0..2000 {
            let tree = Tree::seeded(seed);
            let value = minimax(&tree, DEPTH).0;
            let (plain, plain_cost) = alpha_beta(&tree, DEPTH);
            let (ordered, last, all) = deepening(&tree, DEPTH);
            assert_eq!((plain, ordered), (value, value), "seed {seed}");
            for cost in [plain_cost, last] {
                assert!(cost.nodes >= least().nodes && cost.leaves >= least().leaves);
                assert!(cost.nodes <= 121 && cost.leaves <= 81);
            }
            assert!(all.nodes > last.nodes);
        }
    }

    #[test]
    fn on_average_the_previous_pass_brings_alpha_beta_near_the_minimum() {
        let mean = compare(2000);
        assert_eq!(mean.disagreements, 0);
        assert_eq!(mean.minimax.nodes.round(), 121.0);
        assert!(mean.minimax.nodes > mean.alpha_beta.nodes);
        assert!(mean.alpha_beta.nodes > mean.ordered.nodes);
        assert!(mean.ordered.nodes >= f64::from(least().nodes));
        assert!(mean.ordered.leaves >= f64::from(least().leaves));
        // About half of minimax without an order; within a tenth of the minimum with one.
        assert!((0.45..0.60).contains(&(mean.alpha_beta.nodes / 121.0)));
        assert!(mean.ordered.nodes < 1.1 * f64::from(least().nodes));
        // All four passes cost less than one pass of minimax.
        assert!(mean.ordered_all.nodes < 121.0);
    }

    #[test]
    fn a_seed_gives_the_same_tree_and_each_ply_has_half_the_range() {
        assert_eq!(Tree::seeded(7).values, Tree::seeded(7).values);
        assert_ne!(Tree::seeded(7).values, Tree::seeded(8).values);
        let mut widest = [0; DEPTH + 1];
        for seed in 0..200 {
            let tree = Tree::seeded(seed);
            for node in 1..POSITIONS {
                let step = (tree.values[node] - tree.values[(node - 1) / BRANCHING]).abs();
                widest[ply_of(node)] = widest[ply_of(node)].max(step);
            }
        }
        for (ply, &step) in widest.iter().enumerate().skip(1) {
            let range = ROOT_RANGE >> (ply - 1);
            assert!(step <= range && step > range * 9 / 10, "ply {ply}");
        }
    }
}
