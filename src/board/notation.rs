//! Moves as books write them: standard algebraic notation (SAN).

use shakmaty::san::{San, SanPlus};

use super::game::Game;
use super::moves::Move;

/// A line of play in SAN, words separated by spaces. It ends where it stops being legal.
pub fn san(game: &Game, line: &[Move]) -> String {
    sans(game, line).join(" ")
}

/// The same, word by word.
pub fn sans(game: &Game, line: &[Move]) -> Vec<String> {
    let mut game = game.clone();
    let mut words = Vec::new();
    for &mv in line {
        let is_legal = game.position().is_pseudo_legal(mv) && game.position().is_legal(mv);
        let Some(played) = game.to_shakmaty(mv).filter(|_| is_legal) else {
            break;
        };
        words.push(SanPlus::from_move(game.to_chess(), played).to_string());
        game.play(mv);
    }
    words
}

/// Reads a legal move in SAN, with or without `x`, `+`, `#` and remarks such as `!?`, or else in
/// UCI's notation. `None` when it is no move, not legal, or may mean several.
pub fn parse(game: &Game, text: &str) -> Option<Move> {
    let plain = text.trim().trim_end_matches(['!', '?', '+', '#']);
    let castle = plain.replace('0', "O");
    let word = if castle.starts_with("O-O") {
        &castle
    } else {
        plain
    };
    let by_san = || {
        let chess = game.to_chess();
        let played = San::from_ascii(word.as_bytes())
            .ok()?
            .to_move(&chess)
            .ok()?;
        from_shakmaty(game, played)
    };
    by_san().or_else(|| game.parse_uci(plain))
}

/// A legal move of shakmaty's as ours.
pub fn from_shakmaty(game: &Game, played: shakmaty::Move) -> Option<Move> {
    let legal = game.legal_moves();
    let found = legal
        .iter()
        .find(|mv| game.to_shakmaty(**mv) == Some(played));
    found.copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(fen: &str) -> Game {
        Game::from_fen(fen).expect(fen)
    }

    /// Every legal move is read back from what is written, in positions with all kinds of moves.
    #[test]
    fn what_is_written_is_read_back() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
            "nqrnbkrb/pppppppp/8/8/8/8/PPPPPPPP/NQRNBKRB w GCgc - 0 1",
        ] {
            let game = game(fen);
            for &mv in &game.legal_moves() {
                let text = san(&game, &[mv]);
                assert_eq!(parse(&game, &text), Some(mv), "{text} in {fen}");
            }
        }
    }

    #[test]
    fn moves_are_read_as_people_write_them() {
        let both = game("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        for text in ["O-O", "0-0", "O-O!", "e1g1", "e1h1", " O-O "] {
            assert!(
                parse(&both, text).is_some_and(|mv| mv.is_castle()),
                "{text}"
            );
        }
        let start = Game::start();
        for text in ["Nf3", "Nf3!?", "Ng1f3", "g1f3"] {
            assert_eq!(parse(&start, text), start.parse_uci("g1f3"), "{text}");
        }
        let rooks = game("4k3/8/8/8/8/8/4K3/R6R w - - 0 1");
        for text in ["", "Rd1", "Ke3+e4", "Qd1", "--", "é4", "e9"] {
            assert_eq!(parse(&rooks, text), None, "{text}");
        }
    }

    #[test]
    fn a_line_ends_where_it_stops_being_legal() {
        let start = Game::start();
        let at = |text: &str| {
            let mut game = Game::start();
            text.split(' ')
                .map(|word| {
                    let mv = game.parse_uci(word).expect("legal");
                    game.play(mv);
                    mv
                })
                .collect::<Vec<_>>()
        };
        let mate = at("f2f3 e7e5 g2g4 d8h4");
        assert_eq!(san(&start, &mate), "f3 e5 g4 Qh4#");
        assert_eq!(san(&start, &[]), "");
        let e4 = at("e2e4");
        assert_eq!(sans(&start, &[e4[0], e4[0]]), ["e4"]);
    }
}
