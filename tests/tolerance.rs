//! Whatever text comes in, nothing panics, and what is accepted can be played.

mod random;

use random::{Random, random_fen};
use standpat::board::Game;

const FENS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "rnbqk1nr/bb3p1p/1q2r3/2pPp3/3P4/7P/1PP1NpPP/R1BQKBNR w KQkq c6 0 1",
    "rk2r2b/ppp2b1p/1n4p1/3p1p2/3q1P2/1P1QN3/P1P1P2P/RK2R1BB w EAea - 0 12",
    "r3k2r/8/8/8/3pPp2/8/8/R3K1RR b KQkq e3 0 1",
];

const CHARACTERS: &[char] = &[
    'p', 'n', 'b', 'r', 'q', 'k', 'P', 'N', 'B', 'R', 'Q', 'K', '1', '2', '3', '8', '0', '9', '/',
    ' ', '-', 'w', 'a', 'e', 'g', 'h', 'A', 'H', '_', '~', '[', ']', '+', '\t', '\n', '\0', 'ä',
    '😀',
];

fn mutate(random: &mut Random, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(chars.len().max(1));
        match random.below(4) {
            0 if !chars.is_empty() => {
                chars.remove(at);
            }
            1 if !chars.is_empty() => chars[at] = random.pick(CHARACTERS),
            2 if chars.len() > 1 => {
                let other = random.below(chars.len());
                chars.swap(at, other);
            }
            _ => chars.insert(at.min(chars.len()), random.pick(CHARACTERS)),
        }
    }
    chars.into_iter().collect()
}

/// Plays some random moves, checking them against shakmaty's list.
fn exercise(random: &mut Random, mut game: Game) {
    for _ in 0..20 {
        let moves = game.legal_moves();
        assert_eq!(
            moves.len(),
            shakmaty::Position::legal_moves(&game.to_chess()).len()
        );
        let again = Game::from_fen(&game.fen()).expect("our own FEN is legal");
        assert_eq!(again.position().key(), game.position().key());
        assert_eq!(game.position().has_legal_move(), !moves.is_empty());
        if moves.is_empty() {
            return;
        }
        let m = random.pick(&moves);
        assert_eq!(game.parse_uci(&m.uci(true).to_string()), Some(m));
        game.play(m);
    }
}

#[test]
fn no_fen_panics() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut accepted = 0;
    for _ in 0..40_000 {
        let base = random.pick(&FENS);
        let fen = mutate(&mut random, base);
        match Game::from_fen(&fen) {
            Ok(game) => {
                accepted += 1;
                exercise(&mut random, game);
            }
            Err(error) => assert!(!error.to_string().contains('\n')),
        }
    }
    assert!(accepted > 1_000, "only {accepted} accepted");
}

#[test]
fn random_boards_are_read_or_rejected() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..40_000 {
        let fen = random_fen(&mut random);
        if let Ok(game) = Game::from_fen(&fen) {
            exercise(&mut random, game);
        }
    }
}

#[test]
fn no_move_text_panics() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    let games: Vec<Game> = FENS
        .iter()
        .map(|fen| Game::from_fen(fen).expect("a legal position"))
        .collect();
    for _ in 0..20_000 {
        let game = &games[random.below(games.len())];
        let moves = game.legal_moves();
        let m = random.pick(&moves);
        let text = mutate(&mut random, &m.uci(true).to_string());
        if let Some(m) = game.parse_uci(&text) {
            assert!(moves.contains(&m));
        }
    }
}
