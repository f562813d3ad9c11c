//! One worker: what a thread remembers between searches, and the state of the search it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::base::score::{DRAW, INFINITE, Score};
use crate::board::{Game, Move, Position};
use crate::eval::{Evaluator, Network};

use super::clock::Clock;
use super::history::Histories;
use super::limits::Limits;
use super::picker::Arena;
use super::reductions::Reductions;
use super::report::{Iteration, Progress, Sink, TreeCounts};
use super::stack::Stack;
use super::table::{Entry, Table, TableError};

/// The main worker looks at its limits every so many nodes.
const POLL: u64 = 1024;

/// What to search.
#[derive(Clone)]
pub struct Job {
    /// The position and what led to it.
    pub game: Game,
    /// When to stop.
    pub limits: Limits,
    /// How many lines to find.
    pub multi_pv: usize,
}

/// A worker's count of nodes, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
pub struct NodeCounter(AtomicU64);

/// What the workers of a search share.
pub struct Shared {
    /// The transposition table.
    pub table: Table,
    /// Set to stop all workers.
    pub stop: AtomicBool,
    /// Nodes visited, by worker.
    pub nodes: Box<[NodeCounter]>,
}

impl Shared {
    /// For so many threads, with a table of so many MiB.
    ///
    /// # Errors
    ///
    /// When the memory for the table cannot be had.
    pub fn new(hash_mib: usize, threads: usize) -> Result<Shared, TableError> {
        Ok(Shared {
            table: Table::new(hash_mib)?,
            stop: AtomicBool::new(false),
            nodes: (0..threads.max(1))
                .map(|_| NodeCounter::default())
                .collect(),
        })
    }

    /// Nodes visited by all threads since [`Shared::start`].
    pub fn total_nodes(&self) -> u64 {
        self.nodes
            .iter()
            .map(|counter| counter.0.load(Ordering::Relaxed))
            .sum()
    }

    /// Prepares for a new search: counts from zero, ages the table, lowers the stop flag.
    pub fn start(&self) {
        for counter in &self.nodes {
            counter.0.store(0, Ordering::Relaxed);
        }
        self.table.new_search();
        self.stop.store(false, Ordering::SeqCst);
    }
}

/// A root move and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub mv: Move,
    /// Score in this iteration; `-INFINITE` while it is not known to be best.
    pub score: Score,
    /// Score in the iteration before.
    pub previous: Score,
    /// Mean of the scores so far.
    pub average: Option<Score>,
    /// Nodes spent on it in this search.
    pub nodes: u64,
    pub seldepth: usize,
    pub pv: Vec<Move>,
}

impl RootMove {
    fn new(mv: Move) -> RootMove {
        RootMove {
            mv,
            score: -INFINITE,
            previous: -INFINITE,
            average: None,
            nodes: 0,
            seldepth: 0,
            pv: vec![mv],
        }
    }
}

/// A thread's memory between searches: histories, and buffers that are not worth making anew.
///
/// A search needs a thread with a stack of at least [`Worker::STACK_BYTES`].
pub struct Worker {
    id: usize,
    histories: Histories,
    stack: Stack,
    arena: Arena,
    reductions: Reductions,
    evaluator: Evaluator,
}

impl Worker {
    /// The stack a searching thread needs, in bytes: for [`MAX_PLY`](crate::base::score::MAX_PLY)
    /// frames of the main search and as many of quiescence, with room to spare.
    pub const STACK_BYTES: usize = 16 << 20;

    /// A worker that judges by this network. Number 0 is the main one: it alone reads the clock and
    /// sends events.
    pub fn new(id: usize, network: &Arc<Network>) -> Box<Worker> {
        Box::new(Worker {
            id,
            histories: Histories::default(),
            stack: Stack::default(),
            arena: Arena::default(),
            reductions: Reductions::default(),
            evaluator: Evaluator::new(Arc::clone(network)),
        })
    }

    /// Forgets the last game.
    pub fn clear(&mut self) {
        self.histories.clear();
    }

    /// Searches until a limit is reached or `shared.stop` is set, and gives the last *completed*
    /// iteration; `None` only when there is no move to search.
    ///
    /// The main worker sends a line for each completed iteration; it does not send
    /// [`Event::Finished`](super::report::Event::Finished), which is the caller's.
    pub fn search(
        &mut self,
        job: &Job,
        clock: &Clock,
        shared: &Shared,
        sink: &mut dyn Sink,
    ) -> Option<Iteration> {
        Search::new(self, job, clock, shared, sink).deepen()
    }
}

/// The state of one search by one worker.
pub(super) struct Search<'a> {
    pub id: usize,
    pub histories: &'a mut Histories,
    pub stack: &'a mut Stack,
    pub arena: &'a mut Arena,
    pub reductions: &'a Reductions,
    pub evaluator: &'a mut Evaluator,
    pub job: &'a Job,
    pub clock: &'a Clock,
    pub shared: &'a Shared,
    pub sink: &'a mut dyn Sink,

    pub root_moves: Vec<RootMove>,
    /// The line that is being searched, when several are asked for; from 0.
    pub pv_index: usize,
    /// Depth of the running iteration.
    pub root_depth: i32,
    /// Deepest ply of the running iteration.
    pub seldepth: usize,
    /// Keys of the positions before the current one, oldest first: the game's, then the line's.
    pub keys: Vec<u64>,
    pub nodes: u64,
    /// Set once the search must end; whatever it returns from then on means nothing.
    pub stopped: bool,
    /// Plies below which null moves are switched off while one is being verified.
    pub null_move_from: usize,
    /// What the tree is made of; its nodes are counted above.
    pub tree: TreeCounts,
    poll_at: u64,
}

impl<'a> Search<'a> {
    fn new(
        worker: &'a mut Worker,
        job: &'a Job,
        clock: &'a Clock,
        shared: &'a Shared,
        sink: &'a mut dyn Sink,
    ) -> Search<'a> {
        // Tuned constants may have changed since the last search.
        #[cfg(feature = "tune")]
        {
            worker.reductions = Reductions::default();
        }
        worker.stack.reset();
        worker.evaluator.reset(job.game.position());
        let wanted = &job.limits.search_moves;
        let root_moves = job
            .game
            .legal_moves()
            .iter()
            .filter(|mv| wanted.is_empty() || wanted.contains(mv))
            .map(|&mv| RootMove::new(mv))
            .collect();
        Search {
            id: worker.id,
            histories: &mut worker.histories,
            stack: &mut worker.stack,
            arena: &mut worker.arena,
            reductions: &worker.reductions,
            evaluator: &mut worker.evaluator,
            job,
            clock,
            shared,
            sink,
            root_moves,
            pv_index: 0,
            root_depth: 0,
            seldepth: 0,
            keys: job.game.keys().to_vec(),
            nodes: 0,
            stopped: false,
            null_move_from: 0,
            tree: TreeCounts::default(),
            poll_at: POLL,
        }
    }

    /// Is this the main worker, which reads the clock and sends events?
    pub fn is_main(&self) -> bool {
        self.id == 0
    }

    /// Counts a node and tells whether the search must end. The first iteration is always
    /// completed, so nothing stops it.
    #[inline]
    pub fn visit(&mut self, ply: usize) -> bool {
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        if self.nodes >= self.poll_at {
            self.poll();
        }
        if self.root_depth > 1
            && (self.shared.stop.load(Ordering::Relaxed) || self.nodes_exhausted())
        {
            self.stopped = true;
        }
        self.stopped
    }

    /// With one thread the node limit holds to the node; with more, to the last count published.
    #[inline]
    fn nodes_exhausted(&self) -> bool {
        self.is_main()
            && self
                .job
                .limits
                .nodes
                .is_some_and(|limit| self.nodes >= limit)
    }

    #[cold]
    fn poll(&mut self) {
        self.publish_nodes();
        self.poll_at = self.nodes + POLL;
        if !self.is_main() || self.root_depth <= 1 {
            return;
        }
        let over = |limit: u64| self.shared.total_nodes() >= limit;
        if self.clock.hard_expired() || self.job.limits.nodes.is_some_and(over) {
            self.stopped = true;
        }
    }

    /// Makes this worker's count visible to the others.
    pub fn publish_nodes(&self) {
        if let Some(counter) = self.shared.nodes.get(self.id) {
            counter.0.store(self.nodes, Ordering::Relaxed);
        }
    }

    /// How far the search has come, over all threads.
    pub fn progress(&self) -> Progress {
        self.publish_nodes();
        Progress {
            elapsed: self.clock.elapsed(),
            nodes: self.shared.total_nodes(),
            hashfull: self.shared.table.hashfull(),
            tb_hits: 0,
            tree: TreeCounts {
                nodes: self.nodes,
                ..self.tree
            },
        }
    }

    /// Asks the transposition table for a position.
    #[inline]
    pub fn probe(&mut self, pos: &Position) -> Option<Entry> {
        let entry = self.shared.table.probe(pos.key());
        self.tree.probes += 1;
        self.tree.hits += u64::from(entry.is_some());
        entry
    }

    /// Makes a move: on the evaluator, the path and the stack. Gives the new position.
    #[inline]
    pub fn make(&mut self, pos: &Position, mv: Move, ply: usize) -> Position {
        let next = pos.play(mv);
        let frame = self.stack.at(ply);
        frame.mv = Some(mv);
        frame.moved = Some(super::history::PieceTo::of(pos, mv));
        frame.quiet = !pos.is_capture(mv);
        frame.reduction = 0;
        if frame.quiet {
            // The reply may judge the move, and needs to know what it was judged by.
            self.stack.threats(pos, ply);
        }
        self.keys.push(pos.key());
        self.evaluator.push(pos, mv, &next);
        next
    }

    /// Takes the last move back.
    #[inline]
    pub fn unmake(&mut self) {
        self.keys.pop();
        self.evaluator.pop();
    }

    /// Is the position drawn, whatever follows? By material, as king and pawn against king that cannot be
    /// won, by repetition (one earlier occurrence since the root, or two before it) or by fifty moves
    /// without a capture or pawn move, unless the last move gave mate.
    pub fn is_draw(&self, pos: &Position, ply: usize) -> bool {
        if pos.halfmoves() >= 100 && (!pos.in_check() || pos.has_legal_move()) {
            return true;
        }
        pos.is_insufficient_material() || pos.is_drawn_pawn_ending() || self.is_repetition(pos, ply)
    }

    fn is_repetition(&self, pos: &Position, ply: usize) -> bool {
        let reach = (pos.halfmoves() as usize).min(self.keys.len());
        let mut seen = 0;
        let mut back = 4;
        while back <= reach {
            if self.keys[self.keys.len() - back] == pos.key() {
                seen += 1;
                if back < ply || seen == 2 {
                    return true;
                }
            }
            back += 2;
        }
        false
    }

    /// Can the side to move go back to a position of this search with its next move? Then it has a
    /// draw at least, and need not look for it.
    ///
    /// *Formula*: the opponent's moves since then cancel out in the key, and what is left is one
    /// reversible move. *Never*: across a null move, or to a position before the root, which a
    /// repetition in the game itself must have brought twice. *Source*: van Kervinck; Stockfish. *Measured*:
    /// in a group with quiet checks in the picker, +27 ± 27 Elo (400 games, 12,000 nodes a move).
    fn upcoming_repetition(&self, pos: &Position, ply: usize) -> bool {
        let reach = (pos.halfmoves() as usize).min(ply.saturating_sub(1));
        let earlier = |plies: usize| self.keys[self.keys.len() - plies];
        let passed = |plies: usize| self.stack.back(ply, plies).mv.is_none();
        if reach < 3 || passed(1) || passed(2) || passed(3) {
            return false;
        }
        let turn = Position::key_of_turn();
        let mut opponent = pos.key() ^ earlier(1) ^ turn;
        let mut plies = 3;
        loop {
            opponent ^= earlier(plies - 1) ^ earlier(plies) ^ turn;
            if opponent == 0 && pos.is_one_move_from(earlier(plies)) {
                return true;
            }
            plies += 2;
            if plies > reach || passed(plies - 1) || passed(plies) {
                return false;
            }
        }
    }

    /// Alpha, raised to a draw where the side to move can have one by repetition.
    #[inline]
    pub fn draw_at_least(&self, pos: &Position, alpha: Score, ply: usize) -> Score {
        if alpha < DRAW && self.upcoming_repetition(pos, ply) {
            self.draw()
        } else {
            alpha
        }
    }

    /// The score of a drawn position.
    pub fn draw(&self) -> Score {
        DRAW
    }
}
