//! Standpat: a UCI chess engine.
//!
//! The engine is a library that never prints: it reports by events, and the UCI loop and every tool
//! are its clients. The house has floors. A file uses only what lies on floors below its own, and
//! its siblings in the same folder; the tools do not use each other. `tests/floors.rs` checks that,
//! and that this map is true (`UPDATE_MAP=1 cargo test --test floors` makes it anew from the first
//! sentence of each file).
//!
//! | floor | file | its job |
//! |---|---|---|
//! | 0 | `base/` | What everything else is declared with |
//! | 0 | `base/chart.rs` | Line charts as SVG: for whatever a tool would rather show than tell |
//! | 0 | `base/journal.rs` | Where log records go: to standard error as `RUST_LOG` says, and all of them to a file while the option `Debug Log File` names one |
//! | 0 | `base/options.rs` | The one table of UCI options |
//! | 0 | `base/params.rs` | The one table of search constants |
//! | 0 | `base/rng.rs` | A small, fast generator of random numbers, the same on every machine: whatever is seeded can be repeated |
//! | 0 | `base/score.rs` | Scores: centipawns, or a mate counted in plies, in one integer |
//! | 0 | `base/text.rs` | Text from outside, made fit for one line of a message, for a page, or for a shell |
//! | 1 | `board/` | The fast board, built of shakmaty's bricks |
//! | 1 | `board/cycles.rs` | Moves that could be taken back, found by what they do to a position's key |
//! | 1 | `board/epd.rs` | EPD: a position and what is said of it, on one line |
//! | 1 | `board/exchange.rs` | Static exchange evaluation: who wins the captures on one square? |
//! | 1 | `board/fen.rs` | Reading FEN: tolerant where no harm comes of it, never panicking |
//! | 1 | `board/game.rs` | A game: a position and what of its past the rules remember |
//! | 1 | `board/generate.rs` | Move generation in two stages: captures, then the rest |
//! | 1 | `board/keys.rs` | Hash keys: of the whole position, and of the parts that correction histories look at |
//! | 1 | `board/legality.rs` | Is a move possible here, is it legal, does it give check? |
//! | 1 | `board/moves.rs` | A move in sixteen bits, and a list of moves on the stack |
//! | 1 | `board/notation.rs` | Moves as books write them: standard algebraic notation (SAN) |
//! | 1 | `board/pawn_ending.rs` | King and pawn against king: drawn or not, for every position, by looking back from the end |
//! | 1 | `board/perft.rs` | Perft: counting the leaves of the full game tree, the standard test of a move generator |
//! | 1 | `board/position.rs` | The position the search works on: copied for each move, never taken back |
//! | 1 | `roster/` | The roster, `engines.toml`: which engines, profiles and tournaments there are |
//! | 1 | `roster/engine.rs` | What an engine's table may say |
//! | 1 | `roster/mistake.rs` | What is wrong with a roster: one line with the file, the line, the key and what is allowed |
//! | 1 | `roster/place.rs` | Where the roster is looked for when nobody names it: beside the program |
//! | 1 | `roster/profile.rs` | A profile: a named set of options, for user interfaces that offer a choice but pass no arguments |
//! | 1 | `roster/program.rs` | The program that an engine's `cmd` means |
//! | 1 | `roster/tests.rs` | What is taken, and what is refused with which words |
//! | 1 | `roster/tournament.rs` | What a tournament's table may say |
//! | 2 | `eval/` | From a position to a [`Score`](crate::base::score::Score) |
//! | 2 | `eval/accumulator.rs` | The first layer along a line of play: for each ply and each perspective the sum of the rows of all pieces on the board, kept up to date by adding and removing the few rows that a move changes |
//! | 2 | `eval/evaluator.rs` | The network as an evaluator: accumulators along a line of play, one output at its end |
//! | 2 | `eval/evaluator_tests.rs` | The network along random games: followed = from scratch, in every instruction set; mirrored boards; and networks small enough to be worked out by other means |
//! | 2 | `eval/features.rs` | What an evaluation is made of: one feature for each piece on each square, and which of them a move switches on and off |
//! | 2 | `eval/kernels/` | The inner loops of the network, once for each instruction set, chosen at run time |
//! | 2 | `eval/kernels/avx2.rs` | AVX2: a chunk is two registers |
//! | 2 | `eval/kernels/avx512.rs` | AVX-512 with byte and word instructions: a chunk is one register |
//! | 2 | `eval/kernels/neon.rs` | NEON: a chunk is four registers |
//! | 2 | `eval/kernels/scalar.rs` | Plain Rust, independent of the generic loops: the reference for all other sets, and what an unknown CPU runs |
//! | 2 | `eval/kernels/sse2.rs` | SSE2, which every x86-64 CPU has: a chunk is four registers |
//! | 2 | `eval/kernels/tests.rs` | Every instruction set against plain arithmetic, bit for bit; and how fast each is |
//! | 2 | `eval/network.rs` | The network: two views of the board through one layer of feature weights, the activation clamp-and-square, and one output; its numbers in fixed point, and the file they are kept in |
//! | 2 | `eval/network_tests.rs` | The network's file: what was written reads back, whatever was damaged is refused |
//! | 2 | `eval/testing.rs` | What the tests of this floor share: random games, and positions turned over |
//! | 3 | `search/` | The search |
//! | 3 | `search/alpha_beta.rs` | Alpha-beta: the recursion, as numbered steps that call rules |
//! | 3 | `search/clock.rs` | The clock: when to stop thinking about a move |
//! | 3 | `search/deepening.rs` | Iterative deepening: depth 1, 2, 3 …, each pass ordering the next one |
//! | 3 | `search/history.rs` | What earlier subtrees taught: history tables for move ordering, and corrections of the static evaluation |
//! | 3 | `search/limits.rs` | What one `go` asks for |
//! | 3 | `search/node.rs` | The kinds of node: decided at compile time where the recursion branches on them |
//! | 3 | `search/picker.rs` | Move ordering: the picker gives a node's moves one by one, the most promising first, and generates no more than it needs |
//! | 3 | `search/quiescence.rs` | Quiescence: captures only, with the choice to stand pat |
//! | 3 | `search/reductions.rs` | Late move reductions: how much less deep a late move is searched |
//! | 3 | `search/report.rs` | What a search tells its client: events, and the sink that takes them |
//! | 3 | `search/rules.rs` | The rules that shape the tree: every pruning and extension is one pure function here |
//! | 3 | `search/stack.rs` | What a line of play carries from ply to ply |
//! | 3 | `search/table.rs` | The transposition table: lock-free, clustered, aged |
//! | 3 | `search/table/pages.rs` | Zeroed memory for the transposition table, on huge pages where the system has them, and the prefetch instruction |
//! | 3 | `search/worker.rs` | One worker: what a thread remembers between searches, and the state of the search it runs |
//! | 4 | `engine/` | The engine |
//! | 4 | `engine/answer.rs` | The end of a search: from what the threads have found to one answer |
//! | 4 | `engine/book.rs` | Opening books in Polyglot's format: a sorted file of positions' keys, moves and weights |
//! | 4 | `engine/control.rs` | Who may stop a search, and when its answer may be given |
//! | 4 | `engine/network_tests.rs` | `EvalFile`: a network is taken, a bad file is refused and nothing changes |
//! | 4 | `engine/pool.rs` | The threads: they live as long as the engine, and each keeps its worker's memory |
//! | 4 | `engine/study.rs` | A search that is waited for: what a tool needs that has one position and wants one answer |
//! | 4 | `engine/tests.rs` | The engine's promises, some with workers that follow a script |
//! | 4 | `engine/vote.rs` | Which thread's answer is given: a vote among the completed iterations |
//! | 4 | `learning/` | How the engine learns from its own games |
//! | 4 | `learning/campaign/` | The whole loop, from random weights: play, train, play a gate match, keep the better network, and again |
//! | 4 | `learning/campaign/plan.rs` | What each generation does: how deep it plays, how much, what it trains, how it is measured |
//! | 4 | `learning/campaign/report.rs` | What a campaign shows: a table of generations, a report, and a picture of the ascent |
//! | 4 | `learning/campaign/state.rs` | What a campaign remembers: one small file, always whole, from which it goes on after any interruption |
//! | 4 | `learning/campaign/tests.rs` | A campaign on a tiny scale, killed at many moments |
//! | 4 | `learning/elo.rs` | What a match says about strength: Elo, its error, likelihood of superiority, and the sequential test, all from pairs of games |
//! | 4 | `learning/failure.rs` | What can go wrong while learning, in one line for the user |
//! | 4 | `learning/game_file.rs` | Games on disk: a head, then blocks that are only ever appended |
//! | 4 | `learning/game_stats.rs` | What a heap of games is like: results, lengths, phases, scores |
//! | 4 | `learning/games.rs` | A game as it is remembered, and which of its positions are worth learning from |
//! | 4 | `learning/matches.rs` | Two networks play each other, in one process: which one is stronger? |
//! | 4 | `learning/origin.rs` | A note beside each file of games: how it was made |
//! | 4 | `learning/packed.rs` | A position in 28 bytes: what a game starts from |
//! | 4 | `learning/player.rs` | One side of a game: a search of its own with a small table, one thread, no clock but the one its limits name |
//! | 4 | `learning/referee.rs` | What self-play and matches share: random openings, and who says when a game is over |
//! | 4 | `learning/selfplay.rs` | The engine plays itself: games for the trainer, as many as wanted, on all cores |
//! | 4 | `learning/spsa.rs` | Tuning of constants by games: simultaneous perturbation stochastic approximation |
//! | 4 | `learning/trainer/` | The trainer: from positions of games to a network, on the processor alone |
//! | 4 | `learning/trainer/checkpoint.rs` | A training run on disk, from which it goes on exactly as if it had never stopped |
//! | 4 | `learning/trainer/crew.rs` | Threads that work through phases of tasks together |
//! | 4 | `learning/trainer/curve.rs` | The loss curve as a picture |
//! | 4 | `learning/trainer/data.rs` | Samples in memory: read from files of games, split by game, shuffled; and the order in which an epoch goes through them |
//! | 4 | `learning/trainer/evaluate.rs` | What the network says of samples, without learning from them |
//! | 4 | `learning/trainer/group.rs` | What the kernels work on: up to 256 positions, taken apart into lists of features |
//! | 4 | `learning/trainer/kernels.rs` | The inner loops of training, compiled for several instruction sets and chosen at run time |
//! | 4 | `learning/trainer/math.rs` | Functions whose every bit is the same on all machines, so that training is too |
//! | 4 | `learning/trainer/model.rs` | The network in training: its weights, their moments, and their gradients, cut into tiles of columns so that each thread owns some and none shares any |
//! | 4 | `learning/trainer/quantise.rs` | From the network in training to the one that plays: whole numbers, and what that costs |
//! | 4 | `learning/trainer/run.rs` | A whole training run: from settings and data to a network |
//! | 4 | `learning/trainer/sample.rs` | A position to learn from, in 28 bytes of memory |
//! | 4 | `learning/trainer/scale.rs` | How many centipawns are worth odds of e to 1: fitted to what a file's scores led to, and made the same for all files |
//! | 4 | `learning/trainer/steps.rs` | Training steps on several threads |
//! | 4 | `learning/trainer/tests.rs` | The trainer as a whole: gradients against finite differences, a small set learned by heart, runs that are the same however they are made |
//! | 5 | `tools/` | What else the binary can do |
//! | 5 | `tools/analyse/` | `standpat analyse`: what the engine says of a position, of a list of them, or of whole games |
//! | 5 | `tools/analyse/analyst.rs` | The engine at work on one position after another, until somebody presses Ctrl-C |
//! | 5 | `tools/analyse/games.rs` | A file of games in, the same games with the engine's remarks out |
//! | 5 | `tools/analyse/judge.rs` | From the engine's view of each position of a game to what a reader is told: values, errors, and what would have been better |
//! | 5 | `tools/analyse/ledger.rs` | The file of results: only ever appended to by whole records, so that the work goes on behind the last one after any interruption |
//! | 5 | `tools/analyse/pgn.rs` | Reading PGN: a game with its tags, comments and variations, or the reason why it is none |
//! | 5 | `tools/analyse/picture.rs` | The evaluation over a game, as a picture (SVG): White's share of the points, move by move |
//! | 5 | `tools/analyse/pieces.rs` | Files cut into pieces, one a game or a line, without holding more than one in memory |
//! | 5 | `tools/analyse/positions.rs` | Positions in, the same positions with the engine's remarks out: EPD files and FENs |
//! | 5 | `tools/analyse/print.rs` | Writing PGN in the standard's export format: the seven tags first, lines of at most 79 columns |
//! | 5 | `tools/analyse/record.rs` | What a program reads: one JSON object a line for each position |
//! | 5 | `tools/anytime.rs` | `standpat anytime`: what the engine would answer if it were stopped at many moments, and what the half-searched iteration would have said instead |
//! | 5 | `tools/bench.rs` | `standpat bench`: the speed of the search, and a count that tells whether it changed |
//! | 5 | `tools/book.rs` | `standpat book`: what an opening book in Polyglot's format has for a position |
//! | 5 | `tools/datagen.rs` | `standpat datagen`: the engine plays itself into a file of games |
//! | 5 | `tools/duel.rs` | `standpat duel`: two networks play a match, in one process |
//! | 5 | `tools/explain/` | `standpat explain`: why a move is good or bad, and what each piece contributes |
//! | 5 | `tools/explain/contributions.rs` | What each piece contributes to the evaluation: its value with the piece less its value without it, on a board in text or as a picture (SVG) |
//! | 5 | `tools/failure.rs` | Why a tool gave up |
//! | 5 | `tools/genfens.rs` | `standpat "genfens N seed S book B" quit`: random openings, as OpenBench asks for them when it has games generated |
//! | 5 | `tools/horizon/` | `standpat horizon` and `standpat stand-pat`: what the engine's name is about |
//! | 5 | `tools/horizon/chain.rs` | The horizon effect, in the smallest tree that shows it |
//! | 5 | `tools/horizon/depths.rs` | Depth by depth: what a search says that stops where it stands, beside one that resolves captures and one that forces them |
//! | 5 | `tools/horizon/picture.rs` | A picture of the horizon effect: the value of the three searches over their depth, as SVG |
//! | 5 | `tools/horizon/reference.rs` | A plain search to compare others with: every move to a fixed depth, then what its mode says |
//! | 5 | `tools/horizon/stand_pat.rs` | `standpat stand-pat`: one position, judged as it stands, with captures resolved, and with every capture forced; and what each capture is worth by static exchange evaluation |
//! | 5 | `tools/ladder/` | `standpat ladder`: what each step from minimax to a well-ordered alpha-beta saves |
//! | 5 | `tools/ladder/position.rs` | The same ladder in a real position: how many nodes each way to search it visits |
//! | 5 | `tools/ladder/trees.rs` | Why iterative deepening costs less than it seems: one uniform tree, searched four ways |
//! | 5 | `tools/learn.rs` | `standpat learn`: from random weights to a strong network, in one command |
//! | 5 | `tools/man.rs` | `standpat man`: the manual, as pages for the program `man` |
//! | 5 | `tools/perft.rs` | `standpat perft`: counts the game tree, every move proved legal |
//! | 5 | `tools/register/` | `standpat register`: enters engines of `engines.toml` in the list of a program that plays with them |
//! | 5 | `tools/register/banksia.rs` | Banksia: an `engines.json` wherever it is run |
//! | 5 | `tools/register/cutechess.rs` | Cute Chess: one `engines.json` for its window and its command line runner |
//! | 5 | `tools/register/deposit.rs` | Writing another program's file: whole or not at all, and what it said before kept beside it |
//! | 5 | `tools/register/en_croissant.rs` | En Croissant: `engines/engines.json` in its folder of data |
//! | 5 | `tools/register/entry.rs` | What is to be entered: an engine of the roster, its program found, its profile chosen |
//! | 5 | `tools/register/json.rs` | Merging into a list of JSON objects |
//! | 5 | `tools/register/place.rs` | Where programs keep their lists: the folders of the user, as each system names them |
//! | 5 | `tools/register/printed.rs` | What to do by hand, for programs whose list no other program should write |
//! | 5 | `tools/register/pychess.rs` | PyChess: `engines.json` in its folder of settings |
//! | 5 | `tools/register/xboard.rs` | XBoard: the list of engines in its file of settings, one engine a line |
//! | 5 | `tools/solve/` | `standpat solve`: suites of positions whose answers are known |
//! | 5 | `tools/solve/goal.rs` | What a position of a suite asks for, and whether an answer gives it |
//! | 5 | `tools/spsa.rs` | `standpat spsa`: tunes search constants by games, in builds with `--features tune` |
//! | 5 | `tools/tournament/` | `standpat tournament`: plays a tournament of `engines.toml` with a runner that knows how |
//! | 5 | `tools/tournament/resume.rs` | Going on with a tournament that was interrupted: what of it is in the game file already, and what is left to play |
//! | 5 | `tools/tournament/runners.rs` | The command lines of the two runners of tournaments |
//! | 5 | `tools/tournament/standings.rs` | The table of a tournament, from the games it left behind |
//! | 5 | `tools/train.rs` | `standpat train`: a network from files of games |
//! | 5 | `uci/` | The engine's voice |
//! | 5 | `uci/command.rs` | One line of text becomes a command or a reason why not |
//! | 5 | `uci/inspect.rs` | What a person at a terminal can ask for: the position, its evaluation, the leaves of its move tree, the program itself |
//! | 5 | `uci/print.rs` | Events become lines of UCI |
//! | 5 | `uci/run.rs` | The loop: commands in, events out |
//! | 5 | `uci/run_tests.rs` | The loop on scripts that end at once; what needs time and pipes is tested on the real binary |
//! | 5 | `uci/tune.rs` | The search constants as spins, in builds with `--features tune` |
//! | 5 | `uci/wire.rs` | The two ends of the wire: the thread that reads lines, and the output that both it and the loop write to |
//! | 6 | `cli.rs` | The command line |
//! | 6 | `main.rs` | The `standpat` binary |
//!
//! # The way of one `go`
//!
//! 1. The reader's thread stamps each line with the time of its arrival and passes it on; it
//!    answers `isready` and stops a search itself, so that a busy engine still answers at once.
//! 2. [`uci::command`] turns the line into a command, or into an error that is printed as a remark
//!    and changes nothing.
//! 3. The engine makes the clock from that time stamp and hands one job to each worker.
//! 4. A worker deepens: depth 1, 2, 3 … Each completed iteration is kept as one value: moves,
//!    scores, variations, depth. One that is interrupted is thrown away, whatever it had found. Only
//!    the main worker reads the clock; all of them read the stop flag.
//! 5. Events flow to the loop, which writes `info` and at last `bestmove`: once, always, for every
//!    `go`.
//! 6. The move played is that of a completed iteration; the move to ponder on is the second of the
//!    same variation.
//!
//! With `infinite` and `ponder` the answer waits for `stop` or `ponderhit`, even when nothing is
//! left to search.

pub mod base;
pub mod board;
pub mod cli;
pub mod engine;
pub mod eval;
pub mod learning;
pub mod roster;
pub mod search;
pub mod tools;
pub mod uci;
