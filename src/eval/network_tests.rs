//! The network's file: what was written reads back, whatever was damaged is refused.

use super::*;
use crate::board::Game;
use crate::eval::Evaluator;

#[test]
fn a_file_that_was_written_reads_back_the_same() {
    for (hidden, buckets) in [(64, 1), (64, 8), (256, 8), (MAX_HIDDEN, 1)] {
        let network = Network::random(hidden, buckets, 3);
        assert_eq!(network.hidden(), hidden);
        assert_eq!(network.buckets(), buckets);
        let bytes = network.write();
        assert_eq!(bytes.len(), file_bytes(hidden, buckets));
        assert_eq!(Network::read(&bytes), Ok(network));
    }
}

#[test]
fn the_network_in_the_binary_is_sound_and_knows_what_a_queen_is_worth() {
    let network = Network::shipped();
    assert_eq!(
        Network::read(&network.write()).as_ref(),
        Ok(network.as_ref())
    );
    let mut evaluator = Evaluator::new(network);
    let mut score = |fen: &str| {
        let game = Game::from_fen(fen).unwrap();
        evaluator.reset(game.position());
        evaluator.evaluate(game.position())
    };
    let full = score("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!((-100..=150).contains(&full), "{full}");
    assert!(score("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1") > 500);
    assert!(score("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1") < -500);
    assert!(score("4k3/8/8/8/8/8/4P3/3RK3 w - - 0 1") > 400);
}

#[test]
fn every_damaged_byte_and_every_truncation_is_refused() {
    let bytes = Network::random(64, 1, 4).write();
    let mut rng = Rng::new(5);
    // All of the ends, where the kinds of field are, and samples of the long middle.
    let ends = (0..400).chain(bytes.len() - 400..bytes.len());
    let middle: Vec<usize> = (0..200).map(|_| rng.below(bytes.len())).collect();
    for at in ends.chain(middle) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << rng.below(8);
        let error = Network::read(&damaged).expect_err("a damaged file was accepted");
        assert!(!error.to_string().contains('\n'));
        assert!(Network::read(&bytes[..at]).is_err(), "cut at {at}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(
        Network::read(&longer),
        Err(NetworkError::Length { .. })
    ));
    assert_eq!(Network::read(&[]), Err(NetworkError::Magic));
}

/// A file with one header field replaced, and a checksum that fits.
fn patched(at: usize, field: &[u8]) -> Result<Network, NetworkError> {
    let mut bytes = Network::random(64, 1, 4).write();
    bytes[at..at + field.len()].copy_from_slice(field);
    let end = bytes.len() - CHECKSUM_BYTES;
    let checksum = fnv1a(&bytes[..end]).to_le_bytes();
    bytes[end..].copy_from_slice(&checksum);
    Network::read(&bytes)
}

#[test]
fn a_file_of_another_kind_is_refused_with_its_reason() {
    assert_eq!(patched(0, b"N"), Err(NetworkError::Magic));
    assert_eq!(patched(8, &[2]), Err(NetworkError::Version(2)));
    assert_eq!(patched(12, &[65]), Err(NetworkError::Hidden(65)));
    assert_eq!(patched(12, &[0]), Err(NetworkError::Hidden(0)));
    assert_eq!(
        patched(12, &[0xc0, 0xff, 0xff, 0xff]),
        Err(NetworkError::Hidden(0xffff_ffc0))
    );
    assert_eq!(patched(16, &[2]), Err(NetworkError::Buckets(2)));
    assert_eq!(patched(20, &[254]), Err(NetworkError::Scales(254, 64, 400)));
    assert_eq!(patched(24, &[0, 0]), Err(NetworkError::Scales(255, 64, 0)));
    assert_eq!(patched(26, &[0]), Err(NetworkError::Flags(0)));
    let end = file_bytes(64, 1) - CHECKSUM_BYTES;
    assert_eq!(
        patched(end - 6, &[128, 0]),
        Err(NetworkError::OutputWeight(128))
    );
    assert!(patched(end - 6, &[127, 0]).is_ok());
}

#[test]
fn buckets_follow_the_number_of_pieces() {
    let eight = Network::random(64, 8, 1);
    let buckets: Vec<usize> = [2, 5, 6, 9, 10, 29, 30, 32]
        .map(|n| eight.bucket(n))
        .to_vec();
    assert_eq!(buckets, [0, 0, 1, 1, 2, 6, 7, 7]);
    assert_eq!(eight.bucket(64), 7);
    assert_eq!(Network::random(64, 1, 1).bucket(32), 0);
}
