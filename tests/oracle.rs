//! The fast board agrees with shakmaty's at every node of the perft suites.

mod random;
mod suites;

use random::{Random, random_fen};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Bitboard, CastlingSide, Chess, EnPassantMode, Position as _};
use standpat::board::exchange::static_exchange_evaluation;
use standpat::board::{Game, Move, MoveList, Position};

fn translate(m: shakmaty::Move) -> Move {
    match m {
        shakmaty::Move::Normal {
            from,
            to,
            promotion: Some(role),
            ..
        } => Move::promotion(from, to, role),
        shakmaty::Move::Normal { from, to, .. } => Move::normal(from, to),
        shakmaty::Move::EnPassant { from, to } => Move::en_passant(from, to),
        shakmaty::Move::Castle { king, rook } => Move::castle(king, rook),
        shakmaty::Move::Put { .. } => unreachable!("no drops in chess"),
    }
}

fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<u16> {
    let mut bits: Vec<u16> = moves.into_iter().map(Move::bits).collect();
    bits.sort_unstable();
    bits
}

/// Everything a position knows, against the oracle.
fn compare(ours: &Position, oracle: &Chess) {
    let key = oracle.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
    assert_eq!(ours.key(), key, "key");
    assert_eq!(ours.board(), oracle.board(), "board");
    assert_eq!(ours.turn(), oracle.turn(), "turn");
    assert_eq!(ours.checkers(), oracle.checkers(), "checkers");
    assert_eq!(ours.ep_square(), oracle.legal_ep_square(), "en passant");
    assert_eq!(
        ours.castling_rights(),
        oracle.castles().castling_rights(),
        "castling"
    );
    assert_eq!(ours.halfmoves(), oracle.halfmoves(), "halfmoves");
    assert_eq!(
        ours.is_insufficient_material(),
        oracle.is_insufficient_material()
    );
    for sq in shakmaty::Square::ALL {
        assert_eq!(ours.piece_at(sq), oracle.board().piece_at(sq), "{sq}");
    }

    let (mut captures, mut quiets) = (MoveList::new(), MoveList::new());
    ours.captures(&mut captures);
    ours.quiets(&mut quiets);
    let legal = |list: &MoveList| sorted(list.iter().copied().filter(|m| ours.is_legal(*m)));
    let (captures, quiets) = (legal(&captures), legal(&quiets));
    let expected = oracle.legal_moves();
    let (theirs, rest): (Vec<_>, Vec<_>) = expected.iter().partition(|m| m.is_capture());
    assert_eq!(
        captures,
        sorted(theirs.into_iter().map(translate)),
        "captures"
    );
    assert_eq!(quiets, sorted(rest.into_iter().map(translate)), "quiets");
    assert_eq!(ours.has_legal_move(), !expected.is_empty());

    same_details(ours, oracle);
    if !ours.in_check()
        && let Ok(passed) = oracle.clone().swap_turn()
    {
        let null = ours.play_null();
        let key = passed.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
        assert_eq!(null.key(), key, "key after passing");
        same_details(&null, &passed);
    }
}

/// What shakmaty does not know, against a position made afresh.
fn same_details(ours: &Position, oracle: &Chess) {
    let fresh = Position::from_chess(oracle);
    assert_eq!(ours.checkers(), fresh.checkers(), "checkers");
    let board = oracle.board();
    let them = board.by_color(oracle.turn().other());
    let attacked = them
        .into_iter()
        .fold(Bitboard::EMPTY, |all, from| all | board.attacks_from(from));
    assert_eq!(ours.threats(), attacked, "threats");
    assert_eq!(ours.pinned(), fresh.pinned(), "pinned");
    assert_eq!(ours.pawn_key(), fresh.pawn_key(), "pawn key");
    assert_eq!(ours.minor_key(), fresh.minor_key(), "minor key");
    for color in shakmaty::Color::ALL {
        assert_eq!(
            ours.non_pawn_key(color),
            fresh.non_pawn_key(color),
            "non-pawn key"
        );
    }
}

/// Walks the tree; returns the number of nodes.
fn walk(ours: &Position, oracle: &Chess, depth: u32) -> u64 {
    compare(ours, oracle);
    if depth == 0 {
        return 1;
    }
    let mut nodes = 1;
    for theirs in oracle.legal_moves() {
        let m = translate(theirs);
        let mut after = oracle.clone();
        after.play_unchecked(theirs);
        assert_eq!(ours.gives_check(m), after.is_check(), "{m:?} gives check");
        assert_eq!(ours.is_capture(m), theirs.is_capture(), "{m:?} captures");
        assert_eq!(ours.captured_role(m), theirs.capture(), "{m:?} captures");
        let next = ours.play(m);
        let plain = !theirs.is_castle()
            && !theirs.is_promotion()
            && !theirs.is_en_passant()
            && next.ep_square().is_none()
            && next.castling_rights() == ours.castling_rights();
        if plain {
            assert_eq!(ours.key_after(m), next.key(), "{m:?} key after");
        }
        nodes += walk(&next, &after, depth - 1);
    }
    nodes
}

fn check(name: &str, leaves: u64) {
    for entry in suites::read(name) {
        let game = Game::from_fen(&entry.fen).expect("a legal position");
        let fitting = entry.counts.iter().rev().find(|count| count.1 <= leaves);
        let depth = fitting.map_or(1, |count| count.0);
        walk(game.position(), &game.to_chess(), depth);
    }
}

#[test]
fn agrees_on_the_standard_suite() {
    check("standard-128", 10_000);
}

#[test]
fn agrees_on_the_chess960_suite() {
    check("chess960-1000", 1_000);
}

#[test]
fn agrees_on_the_tricky_suite() {
    check("tricky", 100_000);
}

/// For every sixteen-bit value: possible and legal here exactly when shakmaty knows the move.
fn check_all_bits(ours: &Position, oracle: &Chess) {
    let expected = sorted(oracle.legal_moves().into_iter().map(translate));
    let (mut generated, mut legal) = (Vec::new(), Vec::new());
    for m in (1..=u16::MAX).filter_map(Move::from_bits) {
        if ours.is_pseudo_legal(m) {
            generated.push(m.bits());
            if ours.is_legal(m) {
                legal.push(m.bits());
            }
        }
    }
    assert_eq!(legal, expected, "legal");
    let mut list = MoveList::new();
    ours.captures(&mut list);
    ours.quiets(&mut list);
    assert_eq!(generated, sorted(list), "pseudo-legal");
}

/// All values at the positions of a random walk.
fn check_all_bits_along_walks(name: &str, every: usize, plies: usize) {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    for entry in suites::read(name).iter().step_by(every) {
        let mut game = Game::from_fen(&entry.fen).expect("a legal position");
        for _ in 0..plies {
            check_all_bits(game.position(), &game.to_chess());
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            game.play(moves[(seed >> 33) as usize % moves.len()]);
        }
    }
}

#[test]
fn any_sixteen_bits_are_judged_as_the_generators_do() {
    check_all_bits_along_walks("standard-128", 2, 12);
    check_all_bits_along_walks("chess960-1000", 40, 12);
    check_all_bits_along_walks("tricky", 1, 20);
}

#[test]
fn agrees_on_random_boards() {
    let mut random = Random(0xdead_beef_cafe_f00d);
    let mut legal = 0;
    for turn in 0..60_000 {
        let Ok(game) = Game::from_fen(&random_fen(&mut random)) else {
            continue;
        };
        legal += 1;
        walk(game.position(), &game.to_chess(), 1);
        if turn % 50 == 0 {
            check_all_bits(game.position(), &game.to_chess());
        }
        for m in game.legal_moves() {
            let reaches = |threshold| static_exchange_evaluation(game.position(), m, threshold);
            assert!(reaches(-900) && !reaches(1701), "{m:?}");
            assert!(reaches(0) || !reaches(1), "{m:?}");
        }
    }
    assert!(legal > 1_000, "only {legal} legal ones");
}

#[test]
fn castling_reaches_the_usual_squares() {
    let game = Game::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").expect("legal");
    for (text, side) in [
        ("e1h1", CastlingSide::KingSide),
        ("e1a1", CastlingSide::QueenSide),
    ] {
        let next = game.position().play(game.parse_uci(text).expect("legal"));
        assert_eq!(
            next.king_of(shakmaty::Color::White),
            side.king_to(shakmaty::Color::White)
        );
    }
}
