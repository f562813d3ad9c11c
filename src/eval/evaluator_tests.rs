//! The network along random games: followed = from scratch, in every instruction set; mirrored
//! boards; and networks small enough to be worked out by other means.

use std::sync::Arc;

use shakmaty::{Color, Role, Square};

use super::*;
use crate::base::rng::Rng;
use crate::board::Game;
use crate::eval::features::FEATURES;
use crate::eval::network::{Parts, QB, SCALE};
use crate::eval::testing::{play_randomly, starts, turned_over};

fn network(seed: u64) -> Arc<Network> {
    Arc::new(Network::random(64, 8, seed))
}

fn from_scratch(network: &Arc<Network>, pos: &Position) -> Score {
    let mut evaluator = Evaluator::new(Arc::clone(network));
    evaluator.reset(pos);
    evaluator.evaluate(pos)
}

fn position(fen: &str) -> Position {
    Game::from_fen(fen).expect("a good FEN").position().clone()
}

#[test]
fn followed_and_from_scratch_are_the_same_at_every_node() {
    let network = network(1);
    for update in [Update::Eager, Update::Lazy] {
        let mut rng = Rng::new(2);
        let mut kinds = [0; 4];
        for game in starts() {
            let mut evaluator = Evaluator::with(Arc::clone(&network), Kernels::best(), update);
            evaluator.reset(game.position());
            play_randomly(game, 150, &mut rng, |before, m, game| {
                let after = game.position();
                evaluator.push(before, m, after);
                let expected = from_scratch(&network, after);
                assert_eq!(evaluator.evaluate(after), expected, "{}", game.fen());
                kinds[0] += usize::from(m.is_castle());
                kinds[1] += usize::from(m.is_en_passant());
                kinds[2] += usize::from(m.is_promotion());
                kinds[3] += usize::from(before.is_capture(m));
            });
        }
        assert!(kinds.iter().all(|&count| count > 3), "{kinds:?}");
    }
}

/// Wanders through a tree as a search does: down, up, null moves, evaluating only now and then.
#[test]
fn nodes_that_are_skipped_do_not_disturb_those_that_are_evaluated() {
    let network = network(3);
    for update in [Update::Eager, Update::Lazy] {
        let mut rng = Rng::new(4);
        for game in starts() {
            let mut evaluator = Evaluator::with(Arc::clone(&network), Kernels::best(), update);
            evaluator.reset(game.position());
            let mut line = vec![game.position().clone()];
            for _ in 0..600 {
                let pos = line[line.len() - 1].clone();
                let moves = pos.legal_moves();
                match rng.below(10) {
                    0..=2 if line.len() > 1 => {
                        line.pop();
                        evaluator.pop();
                    }
                    3 if !pos.in_check() => {
                        line.push(pos.play_null());
                        evaluator.push_null();
                    }
                    _ if !moves.is_empty() => {
                        // King moves often: they are what the refreshing is for.
                        let king = moves
                            .iter()
                            .copied()
                            .find(|m| m.from() == pos.king_of(pos.turn()));
                        let other = moves[rng.below(moves.len())];
                        let m = king.filter(|_| rng.below(4) == 0).unwrap_or(other);
                        let after = pos.play(m);
                        evaluator.push(&pos, m, &after);
                        line.push(after);
                    }
                    _ => {}
                }
                let end = &line[line.len() - 1];
                if rng.below(3) == 0 {
                    assert_eq!(evaluator.evaluate(end), from_scratch(&network, end));
                }
            }
        }
    }
}

#[test]
fn a_line_may_be_longer_than_expected() {
    let network = network(5);
    let mut evaluator = Evaluator::new(Arc::clone(&network));
    let mut game = Game::start();
    evaluator.reset(game.position());
    for _ in 0..200 {
        for text in ["g1f3", "g8f6", "f3g1", "f6g8"] {
            let m = game.parse_uci(text).expect("a legal move");
            let before = game.position().clone();
            game.play(m);
            evaluator.push(&before, m, game.position());
        }
    }
    let score = from_scratch(&network, game.position());
    assert_eq!(evaluator.evaluate(game.position()), score);
    for _ in 0..900 {
        evaluator.pop();
    }
    assert_eq!(evaluator.evaluate(Game::start().position()), score);
}

#[test]
fn every_instruction_set_gives_the_same_scores() {
    for (hidden, buckets) in [(64, 1), (256, 8), (320, 8)] {
        let network = Arc::new(Network::random(hidden, buckets, 6));
        let mut rng = Rng::new(7);
        for game in starts() {
            let mut all: Vec<Evaluator> = Kernels::available()
                .into_iter()
                .map(|kernels| Evaluator::with(Arc::clone(&network), kernels, Update::Lazy))
                .collect();
            all.iter_mut()
                .for_each(|evaluator| evaluator.reset(game.position()));
            play_randomly(game, 60, &mut rng, |before, m, game| {
                let scores: Vec<Score> = all
                    .iter_mut()
                    .map(|evaluator| {
                        evaluator.push(before, m, game.position());
                        evaluator.evaluate(game.position())
                    })
                    .collect();
                assert!(scores.iter().all(|&score| score == scores[0]), "{scores:?}");
            });
        }
    }
}

#[test]
fn a_position_turned_over_has_the_same_score() {
    let network = network(8);
    let mut rng = Rng::new(9);
    let mut different = 0;
    for game in starts() {
        play_randomly(game, 80, &mut rng, |_, _, game| {
            let score = from_scratch(&network, game.position());
            let other = turned_over(game);
            assert_eq!(
                score,
                from_scratch(&network, other.position()),
                "{}",
                game.fen()
            );
            different += usize::from(score != 0);
        });
    }
    assert!(different > 300, "the network says nothing");
}

#[test]
fn left_and_right_are_worth_the_same() {
    let network = network(10);
    for fen in [
        "6k1/5ppp/8/2q5/8/4B3/PP6/1K1R4 w - - 0 1",
        "2r1k3/8/1n3p2/8/3P4/2Q5/6PP/7K b - - 0 1",
    ] {
        let board = fen.split(' ').next().unwrap_or_default();
        let reversed: Vec<String> = board
            .split('/')
            .map(|rank| rank.chars().rev().collect())
            .collect();
        let mirrored = fen.replace(board, &reversed.join("/"));
        assert_eq!(
            from_scratch(&network, &position(fen)),
            from_scratch(&network, &position(&mirrored)),
            "{fen}"
        );
    }
}

/// One neuron that counts the mover's pawns on e4 (seen with the king on files a–d).
#[test]
fn a_network_of_one_weight_is_worth_what_pencil_and_paper_say() {
    let mut parts = Parts {
        hidden: 64,
        buckets: 1,
        scale: SCALE,
        feature_weights: vec![0; FEATURES * 64],
        feature_bias: vec![0; 64],
        output_weights: vec![0; 128],
        output_bias: vec![0],
    };
    let own_pawn_e4 = Square::E4.to_usize();
    parts.feature_weights[own_pawn_e4 * 64] = 255;
    parts.output_weights[0] = 64;
    let network = |parts: &Parts| Arc::new(Network::from_parts(parts).expect("a good network"));
    let score = |parts: &Parts, fen: &str| from_scratch(&network(parts), &position(fen));

    let king_left = "4k3/8/8/8/4P3/8/8/3K4 w - - 0 1";
    let king_right = "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1";
    // 1.0 squared, times 1.0, times 400.
    assert_eq!(score(&parts, king_left), 400);
    // The king on e1 turns the board: the pawn is seen on d4.
    assert_eq!(score(&parts, king_right), 0);
    assert_eq!(score(&parts, "4k3/8/8/8/3P4/8/8/4K3 w - - 0 1"), 400);
    // Black to move: it is the other's pawn, whose half has no weight yet.
    assert_eq!(score(&parts, &king_left.replace(" w ", " b ")), 0);
    parts.output_weights[64] = -32;
    assert_eq!(score(&parts, &king_left.replace(" w ", " b ")), -200);
    // Black's own pawn on e5 is Black's e4; 0.4 squared, times 1.0, plus 0.25, times 400 = 164.
    parts.feature_weights[own_pawn_e4 * 64] = 102;
    parts.output_bias[0] = 4080;
    assert_eq!(score(&parts, "3k4/8/8/4p3/8/8/8/4K3 b - - 0 1"), 163);
    // Clamped: 3.0 counts as 1.0, and nothing below zero counts.
    parts.output_bias[0] = 0;
    parts.feature_weights[own_pawn_e4 * 64] = 765;
    assert_eq!(score(&parts, king_left), 400);
    parts.feature_weights[own_pawn_e4 * 64] = -765;
    assert_eq!(score(&parts, king_left), 0);
}

/// The definition of the network, in floating point, from the board's own words.
fn by_definition(parts: &Parts, pos: &Position) -> f64 {
    let view = |perspective: Color| -> Vec<f64> {
        let mirror = pos.king_of(perspective).to_u32() % 8 >= 4;
        (0..parts.hidden)
            .map(|neuron| {
                let mut sum = f64::from(parts.feature_bias[neuron]);
                for (square, piece) in pos.board().iter() {
                    let (mut file, mut rank) = (square.to_usize() % 8, square.to_usize() / 8);
                    if perspective.is_black() {
                        rank = 7 - rank;
                    }
                    if mirror {
                        file = 7 - file;
                    }
                    let role = match piece.role {
                        Role::Pawn => 0,
                        Role::Knight => 1,
                        Role::Bishop => 2,
                        Role::Rook => 3,
                        Role::Queen => 4,
                        Role::King => 5,
                    };
                    let theirs = usize::from(piece.color != perspective);
                    let feature = theirs * 384 + role * 64 + rank * 8 + file;
                    sum += f64::from(parts.feature_weights[feature * parts.hidden + neuron]);
                }
                (sum / 255.0).clamp(0.0, 1.0).powi(2)
            })
            .collect()
    };
    let mut activations = view(pos.turn());
    activations.extend(view(pos.turn().other()));
    let bucket = if parts.buckets == 1 {
        0
    } else {
        (pos.occupied().count() - 2) / 4
    };
    let weights = &parts.output_weights[bucket * 2 * parts.hidden..][..2 * parts.hidden];
    let sum: f64 = activations
        .iter()
        .zip(weights)
        .map(|(x, &w)| x * f64::from(w) / f64::from(QB))
        .sum();
    (sum + f64::from(parts.output_bias[bucket]) / (255.0 * 64.0)) * f64::from(parts.scale)
}

#[test]
fn scores_follow_the_definition_in_floating_point() {
    let mut rng = Rng::new(20);
    for (buckets, scale) in [(1, SCALE), (8, 317)] {
        let hidden = 64;
        let mut numbers = |count: usize, limit: usize| -> Vec<i16> {
            (0..count)
                .map(|_| rng.below(2 * limit + 1) as i16 - limit as i16)
                .collect()
        };
        let parts = Parts {
            hidden,
            buckets,
            scale,
            feature_weights: numbers(FEATURES * hidden, 70),
            feature_bias: numbers(hidden, 90),
            output_weights: numbers(buckets * 2 * hidden, 127),
            output_bias: (0..buckets as i32)
                .map(|bucket| 900 * bucket - 2000)
                .collect(),
        };
        let network = Arc::new(Network::from_parts(&parts).expect("a good network"));
        for game in starts() {
            play_randomly(game, 40, &mut Rng::new(21), |_, _, game| {
                let exact = by_definition(&parts, game.position());
                let score = f64::from(from_scratch(&network, game.position()));
                assert!(
                    (score - exact).abs() <= 1.1,
                    "{score} {exact} {}",
                    game.fen()
                );
            });
        }
    }
}

#[cfg(test)]
mod measurement {
    use std::time::Instant;

    use super::*;

    /// Nanoseconds a move for a whole game pushed and evaluated at every `every`th ply, as
    /// (kernels, update); `cargo test --release --lib evaluator -- --ignored --nocapture`.
    #[test]
    #[ignore = "a measurement, not a check"]
    fn nanoseconds_of_a_move_and_its_evaluation() {
        let mut games = Vec::new();
        let mut rng = Rng::new(30);
        for game in starts() {
            let root = game.position().clone();
            let mut steps = Vec::new();
            play_randomly(game, 100, &mut rng, |before, m, game| {
                steps.push((before.clone(), m, game.position().clone()));
            });
            games.push((root, steps));
        }
        let moves: usize = games.iter().map(|(_, steps)| steps.len()).sum();
        for hidden in [256, 512] {
            let network = Arc::new(Network::random(hidden, 8, 31));
            for kernels in Kernels::available() {
                for (update, every) in [
                    (Update::Eager, 1),
                    (Update::Lazy, 1),
                    (Update::Eager, 3),
                    (Update::Lazy, 3),
                ] {
                    let mut evaluator = Evaluator::with(Arc::clone(&network), kernels, update);
                    let mut best = f64::INFINITY;
                    let mut total = 0;
                    for _ in 0..40 {
                        let start = Instant::now();
                        for (root, steps) in &games {
                            evaluator.reset(root);
                            for (ply, (before, m, after)) in steps.iter().enumerate() {
                                evaluator.push(before, *m, after);
                                if ply.is_multiple_of(every) {
                                    total += evaluator.evaluate(after);
                                }
                            }
                        }
                        best = best.min(start.elapsed().as_nanos() as f64 / moves as f64);
                    }
                    println!(
                        "H={hidden} {:7} {update:?}, evaluated at 1 ply in {every}: {best:5.1} ns \
                         a move ({total})",
                        kernels.name()
                    );
                }
            }
        }
    }
}

/// Whatever the network's weights, two knights against a bare king are even.
#[test]
fn two_knights_against_a_bare_king_are_even() {
    let network = Arc::new(Network::random(64, 8, 3));
    for fen in [
        "4k3/8/8/8/8/8/8/3NKN2 w - - 0 1",
        "4k3/8/8/8/8/8/8/3NKN2 b - - 0 1",
    ] {
        let game = Game::from_fen(fen).expect("a good FEN");
        assert_eq!(from_scratch(&network, game.position()), 0, "{fen}");
    }
}
