//! A position to learn from, in 28 bytes of memory.

use shakmaty::{Color, Role};

use crate::board::Position;
use crate::learning::games::{GameResult, Played};

/// Features of one perspective.
pub const FEATURES: usize = 768;

/// The most men on the board, and so the most active features of a perspective.
pub const MAX_MEN: usize = 32;

/// The features of one colour.
const PER_COLOR: u16 = 384;
/// Set in a man's nibble when it is the opponent's.
const THEIRS: u8 = 8;
/// The mover sees the files reversed.
const MOVER_MIRRORED: u8 = 1;
/// The opponent does.
const OTHER_MIRRORED: u8 = 2;
/// Where the number of men begins.
const MEN_SHIFT: u32 = 2;

/// A position, its score and the game's result as the side to move sees them: own men at the
/// bottom, whatever their colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Sample {
    /// The occupied squares, low half first.
    occupied: [u32; 2],
    /// A nibble a man in the order of the squares: the role, plus 8 for the opponent's.
    men: [u32; 4],
    /// In centipawns, from the mover's view.
    pub score: i16,
    /// The game's result for the mover, as [`GameResult`] counts it for White.
    result: u8,
    /// Bit 0: the mover sees the files reversed; bit 1: the opponent does; above: how many men.
    shape: u8,
}

impl Sample {
    /// What is learned from a position of a game; nothing if it has more men than chess has.
    pub fn new(played: &Played) -> Option<Sample> {
        let white = played.position.turn().is_white();
        Sample::of(
            &played.position,
            if white {
                played.score
            } else {
                played.score.saturating_neg()
            },
            if white {
                played.result
            } else {
                played.result.flipped()
            },
        )
    }

    /// A position with a score in centipawns and a result, both from the mover's view.
    pub fn of(position: &Position, score: i16, result: GameResult) -> Option<Sample> {
        let mover = position.turn();
        let flip = |square: shakmaty::Square| match mover {
            Color::White => square.to_u32(),
            Color::Black => square.to_u32() ^ 56,
        };
        let mut occupied = u64::from(position.occupied());
        if mover.is_black() {
            occupied = occupied.swap_bytes();
        }
        if occupied.count_ones() as usize > MAX_MEN {
            return None;
        }
        let mut men = 0u128;
        for square in position.occupied() {
            let piece = position.piece_at(square)?;
            let place = (occupied & ((1 << flip(square)) - 1)).count_ones();
            let theirs = if piece.color == mover { 0 } else { THEIRS };
            men |= u128::from(role_number(piece.role) | theirs) << (4 * place);
        }
        let right = |color| position.king_of(color).file() >= shakmaty::File::E;
        let mirrored = if right(mover) { MOVER_MIRRORED } else { 0 }
            | if right(mover.other()) {
                OTHER_MIRRORED
            } else {
                0
            };
        Some(Sample {
            occupied: [occupied as u32, (occupied >> 32) as u32],
            men: std::array::from_fn(|i| (men >> (32 * i)) as u32),
            score,
            result: result as u8,
            shape: mirrored | (occupied.count_ones() as u8) << MEN_SHIFT,
        })
    }

    /// How many men are on the board.
    #[inline]
    pub fn men(&self) -> usize {
        usize::from(self.shape >> MEN_SHIFT)
    }

    /// The mover's points: 0, ½ or 1.
    #[inline]
    pub fn points(&self) -> f32 {
        f32::from(self.result) / 2.0
    }

    /// The result for the mover.
    pub fn result(&self) -> u8 {
        self.result
    }

    /// Lists the features of each man: what it is for the mover, and for the opponent. Returns how
    /// many entries of the list were written.
    #[inline(always)]
    pub fn list_features(&self, list: &mut [[u16; 2]; MAX_MEN]) -> usize {
        let mover = if self.shape & MOVER_MIRRORED != 0 {
            7
        } else {
            0
        };
        let other = if self.shape & OTHER_MIRRORED != 0 {
            56 ^ 7
        } else {
            56
        };
        let mut squares = u64::from(self.occupied[0]) | u64::from(self.occupied[1]) << 32;
        // Counted, not until no square is left: that is foreseen when many have the same number.
        let men = self.men().min(MAX_MEN);
        for (i, place) in list[..men].iter_mut().enumerate() {
            let square = squares.trailing_zeros() as u16;
            squares &= squares.wrapping_sub(1);
            let nibble = self.men[i / 8] >> (4 * (i % 8)) & 15;
            let (own, theirs) = BASES[nibble as usize];
            *place = [own + (square ^ mover), theirs + (square ^ other)];
        }
        men
    }

    /// The features of each man: what it is for the mover, and for the opponent.
    pub fn features(&self) -> impl Iterator<Item = [u16; 2]> + use<> {
        let mut list = [[0; 2]; MAX_MEN];
        let men = self.list_features(&mut list);
        list.into_iter().take(men)
    }
}

/// Pawn 0 … king 5.
fn role_number(role: Role) -> u8 {
    role as u8 - Role::Pawn as u8
}

/// For each nibble, the first of its 64 features as the mover and as the opponent sees it. The
/// meaningless ones stay in range.
const BASES: [(u16, u16); 16] = {
    let mut bases = [(0, 0); 16];
    let mut nibble = 0;
    while nibble < 16 {
        let role = (nibble & 7) as u16 % 6 * 64;
        bases[nibble] = if nibble < 8 {
            (role, PER_COLOR + role)
        } else {
            (PER_COLOR + role, role)
        };
        nibble += 1;
    }
    bases
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;
    use crate::eval::features::{feature, is_mirrored, seen_by};
    use crate::learning::games::tests::random_game;

    fn expected(position: &Position, perspective: Color) -> Vec<u16> {
        let mirrored = is_mirrored(position.king_of(perspective));
        let mut features: Vec<u16> = position
            .occupied()
            .into_iter()
            .filter_map(|square| Some(feature(position.piece_at(square)?, square)))
            .map(|feature| seen_by(feature, perspective, mirrored))
            .collect();
        features.sort_unstable();
        features
    }

    #[test]
    fn the_features_are_those_of_the_evaluation() {
        assert_eq!(FEATURES, crate::eval::features::FEATURES);
        for seed in 0..20 {
            for played in random_game(seed, 150).positions().unwrap() {
                let played = played.unwrap();
                let sample = Sample::new(&played).unwrap();
                let (mut mover, mut other): (Vec<_>, Vec<_>) = sample
                    .features()
                    .map(|[mover, other]| (mover, other))
                    .unzip();
                mover.sort_unstable();
                other.sort_unstable();
                let turn = played.position.turn();
                assert_eq!(mover, expected(&played.position, turn));
                assert_eq!(other, expected(&played.position, turn.other()));
                assert_eq!(sample.men(), mover.len());
            }
        }
    }

    #[test]
    fn score_and_result_are_the_movers() {
        let fen = "4k3/8/8/8/8/8/8/4K2R b - - 0 30";
        let game = Game::from_fen(fen).unwrap();
        let played = Played {
            position: game.position().clone(),
            mv: game.parse_uci("e8d7").unwrap(),
            score: 480,
            result: GameResult::White,
            ply: 59,
        };
        let sample = Sample::new(&played).unwrap();
        assert_eq!((sample.score, sample.points()), (-480, 0.0));
        assert_eq!(std::mem::size_of::<Sample>(), 28);
    }

    #[test]
    fn a_position_and_its_mirror_image_are_the_same_sample() {
        let sample = |fen: &str| {
            let game = Game::from_fen(fen).unwrap();
            Sample::of(game.position(), 12, GameResult::White).unwrap()
        };
        let white = sample("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1");
        let black = sample("r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b - - 0 1");
        assert_eq!(white, black);
    }
}
