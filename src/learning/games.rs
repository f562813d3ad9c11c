//! A game as it is remembered, and which of its positions are worth learning from.

use crate::base::score::{EVALUATION_LIMIT, Score};
use crate::board::{Game, Move, Position};

use super::packed::{PACKED_BYTES, PackError, PackedPosition};

pub use super::game_file::{Block, GameReader, GameWriter, read_games};
pub use super::game_stats::GameStats;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum GameResult {
    /// Black won.
    Black = 0,
    /// Drawn.
    Draw = 1,
    /// White won.
    White = 2,
}

impl GameResult {
    /// White's points: 0, ½ or 1.
    pub const fn points(self) -> f32 {
        self as u8 as f32 / 2.0
    }

    /// The result from its number, 0 to 2.
    pub const fn from_u8(number: u8) -> Option<GameResult> {
        match number {
            0 => Some(GameResult::Black),
            1 => Some(GameResult::Draw),
            2 => Some(GameResult::White),
            _ => None,
        }
    }

    /// The same result with the colours exchanged.
    pub const fn flipped(self) -> GameResult {
        match self {
            GameResult::Black => GameResult::White,
            GameResult::Draw => GameResult::Draw,
            GameResult::White => GameResult::Black,
        }
    }
}

/// One move of a game with the score that the player saw when it chose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move played.
    pub mv: Move,
    /// The search's score of the position before the move, in centipawns from White's view.
    pub score: i16,
}

/// One game: where it started, what was played, how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The position before the first move.
    pub start: PackedPosition,
    /// The moves, in order.
    pub plies: Vec<Ply>,
    /// How it ended.
    pub result: GameResult,
}

/// A position met in a game.
#[derive(Clone)]
pub struct Played {
    /// The position.
    pub position: Position,
    /// The move played in it.
    pub mv: Move,
    /// Its score, in centipawns from White's view.
    pub score: i16,
    /// How the game ended.
    pub result: GameResult,
    /// Plies since the start of the game, random opening moves included.
    pub ply: u32,
}

impl Played {
    /// Is it worth learning from? See [`keep`].
    pub fn keep(&self) -> bool {
        keep(&self.position, self.mv, self.score, self.ply)
    }
}

/// What is wrong with a game or a file of games.
#[derive(Debug)]
pub enum GameError {
    /// The file could not be read or written.
    Io(std::io::Error),
    /// Not a file of games, or one of another version.
    NotGames(String),
    /// Damaged in the middle: the offset in bytes, and what was found there.
    Damaged(u64, &'static str),
    /// The start is no position.
    Start(PackError),
    /// A move is not legal: the number of plies before it.
    IllegalMove(usize),
    /// More plies than a record holds.
    TooLong(usize),
}

impl std::fmt::Display for GameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            GameError::Io(error) => write!(f, "{error}"),
            GameError::NotGames(why) => write!(f, "not a file of games: {why}"),
            GameError::Damaged(offset, what) => write!(f, "damaged at byte {offset}: {what}"),
            GameError::Start(error) => write!(f, "a game's start: {error}"),
            GameError::IllegalMove(plies) => write!(f, "an illegal move after {plies} plies"),
            GameError::TooLong(plies) => write!(f, "a game of {plies} plies is too long"),
        }
    }
}

impl std::error::Error for GameError {}

impl From<std::io::Error> for GameError {
    fn from(error: std::io::Error) -> GameError {
        GameError::Io(error)
    }
}

impl From<PackError> for GameError {
    fn from(error: PackError) -> GameError {
        GameError::Start(error)
    }
}

/// The first ply (opening moves counted) whose position is kept: earlier ones are met again and
/// again, and random moves made them.
pub const FIRST_KEPT_PLY: u32 = 16;

/// Positions scored beyond this, for either side, are not kept: a proven result is no judgement.
pub const LARGEST_KEPT_SCORE: Score = EVALUATION_LIMIT;

/// Is a position worth learning from? The network judges quiet positions only, so: not in check,
/// the move chosen neither a capture nor a promotion, not in the first [`FIRST_KEPT_PLY`] plies of
/// the game (`ply` counts from the game's start, random opening moves included), and no proven
/// result as its score.
pub fn keep(position: &Position, best: Move, score: i16, ply: u32) -> bool {
    ply >= FIRST_KEPT_PLY
        && Score::from(score).abs() <= LARGEST_KEPT_SCORE
        && !position.in_check()
        && !best.is_promotion()
        && !position.is_capture(best)
}

/// Bytes before a record's moves: the packed start, the number of plies (two bytes), the result,
/// and one byte that is zero.
const HEAD_BYTES: usize = PACKED_BYTES + 4;
/// Bytes of a ply: the move, then the score, little-endian.
const PLY_BYTES: usize = 4;

impl GameRecord {
    /// A game that starts from `game`'s current position, without moves as yet.
    pub fn new(game: &Game) -> Result<GameRecord, PackError> {
        let start = PackedPosition::new(game)?;
        Ok(GameRecord {
            start,
            plies: Vec::new(),
            result: GameResult::Draw,
        })
    }

    /// Adds a move with the score of the position before it, in centipawns from *White's* view.
    pub fn push(&mut self, mv: Move, score: Score) {
        let score = score.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        self.plies.push(Ply { mv, score });
    }

    /// Replays the game: each position with the move played in it. Ends after the first error.
    pub fn positions(&self) -> Result<Replay<'_>, GameError> {
        let game = self.start.unpack()?;
        Ok(Replay {
            record: self,
            position: game.position().clone(),
            next: 0,
        })
    }

    /// How many of its positions are kept (see [`keep`]).
    pub fn kept(&self) -> Result<usize, GameError> {
        let mut kept = 0;
        for played in self.positions()? {
            kept += usize::from(played?.keep());
        }
        Ok(kept)
    }

    /// Appends the record's bytes.
    pub(super) fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), GameError> {
        let plies =
            u16::try_from(self.plies.len()).map_err(|_| GameError::TooLong(self.plies.len()))?;
        bytes.reserve(HEAD_BYTES + PLY_BYTES * self.plies.len());
        bytes.extend_from_slice(&self.start.to_bytes());
        bytes.extend_from_slice(&plies.to_le_bytes());
        bytes.extend_from_slice(&[self.result as u8, 0]);
        for ply in &self.plies {
            bytes.extend_from_slice(&ply.mv.bits().to_le_bytes());
            bytes.extend_from_slice(&ply.score.to_le_bytes());
        }
        Ok(())
    }

    /// Takes a record off the front of `bytes`; `None` when they are no record.
    pub(super) fn decode(bytes: &mut &[u8]) -> Option<GameRecord> {
        let (start, rest) = bytes.split_first_chunk::<PACKED_BYTES>()?;
        let ([low, high, result, 0], rest) = rest.split_first_chunk::<4>()? else {
            return None;
        };
        let count = usize::from(u16::from_le_bytes([*low, *high]));
        let (moves, rest) = rest.split_at_checked(count * PLY_BYTES)?;
        let plies = moves
            .as_chunks::<PLY_BYTES>()
            .0
            .iter()
            .map(|&[a, b, c, d]| {
                let mv = Move::from_bits(u16::from_le_bytes([a, b]))?;
                Some(Ply {
                    mv,
                    score: i16::from_le_bytes([c, d]),
                })
            });
        let record = GameRecord {
            start: PackedPosition::from_bytes(*start),
            plies: plies.collect::<Option<_>>()?,
            result: GameResult::from_u8(*result)?,
        };
        *bytes = rest;
        Some(record)
    }
}

/// Replays a game: see [`GameRecord::positions`].
pub struct Replay<'a> {
    record: &'a GameRecord,
    position: Position,
    next: usize,
}

impl Iterator for Replay<'_> {
    type Item = Result<Played, GameError>;

    fn next(&mut self) -> Option<Self::Item> {
        let &Ply { mv, score } = self.record.plies.get(self.next)?;
        let position = &self.position;
        if !position.is_pseudo_legal(mv) || !position.is_legal(mv) {
            let error = GameError::IllegalMove(self.next);
            self.next = self.record.plies.len();
            return Some(Err(error));
        }
        let ply = self.record.start.ply() + self.next as u32;
        let next = position.play(mv);
        let position = std::mem::replace(&mut self.position, next);
        self.next += 1;
        Some(Ok(Played {
            position,
            mv,
            score,
            result: self.record.result,
            ply,
        }))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A game of random moves, for tests: from Chess960 start `seed % 960`.
    pub fn random_game(seed: u64, longest: usize) -> GameRecord {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut game = Game::chess960_start((seed % 960) as u32);
        let mut record = GameRecord::new(&game).unwrap();
        for _ in 0..longest {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random() as usize % moves.len()];
            record.push(mv, (random() % 2001) as Score - 1000);
            game.play(mv);
        }
        record.result = GameResult::from_u8((random() % 3) as u8).unwrap();
        record
    }

    #[test]
    fn a_record_survives_its_bytes() {
        let mut bytes = Vec::new();
        let games: Vec<_> = (0..50)
            .map(|seed| random_game(seed, seed as usize * 7))
            .collect();
        for game in &games {
            game.encode(&mut bytes).unwrap();
        }
        let plies: usize = games.iter().map(|game| game.plies.len()).sum();
        assert_eq!(bytes.len(), 50 * 32 + 4 * plies);
        let mut rest = bytes.as_slice();
        for game in &games {
            assert_eq!(GameRecord::decode(&mut rest).as_ref(), Some(game));
        }
        assert!(rest.is_empty());
    }

    #[test]
    fn the_replay_is_the_game_that_was_played() {
        let record = random_game(7, 120);
        let mut game = Game::chess960_start(7);
        for (i, played) in record.positions().unwrap().enumerate() {
            let played = played.unwrap();
            assert_eq!(played.position.key(), game.position().key());
            assert_eq!(
                (played.mv, played.score),
                (record.plies[i].mv, record.plies[i].score)
            );
            assert_eq!(played.ply, i as u32);
            game.play(played.mv);
        }
        assert_eq!(
            game.fen().split(' ').next(),
            replayed_end(&record).split(' ').next()
        );
    }

    fn replayed_end(record: &GameRecord) -> String {
        let mut game = record.start.unpack().unwrap();
        record.plies.iter().for_each(|ply| game.play(ply.mv));
        game.fen()
    }

    #[test]
    fn an_illegal_move_ends_the_replay_with_an_error() {
        let mut record = random_game(3, 40);
        record.plies[5].mv = Move::normal(shakmaty::Square::E4, shakmaty::Square::E4);
        let replay: Vec<_> = record.positions().unwrap().collect();
        assert_eq!(replay.len(), 6);
        assert!(matches!(replay[5], Err(GameError::IllegalMove(5))));
        assert!(record.kept().is_err());
    }

    #[test]
    fn only_quiet_judged_positions_after_the_opening_are_kept() {
        let kept = |fen: &str, mv: &str, score, ply| {
            let game = Game::from_fen(fen).unwrap();
            keep(game.position(), game.parse_uci(mv).unwrap(), score, ply)
        };
        let quiet = "r1bqk2r/ppp2ppp/2n2n2/2bpp3/2B1P3/2PP1N2/PP3PPP/RNBQ1RK1 w kq - 0 9";
        assert!(kept(quiet, "b1d2", 35, 16));
        assert!(!kept(quiet, "b1d2", 35, 15), "too early");
        assert!(!kept(quiet, "e4d5", 35, 16), "a capture");
        assert!(kept(quiet, "b1d2", LARGEST_KEPT_SCORE as i16, 16));
        assert!(
            !kept(quiet, "b1d2", LARGEST_KEPT_SCORE as i16 + 1, 16),
            "a proven win"
        );
        assert!(!kept(quiet, "b1d2", -31_990, 16), "mated");
        assert!(
            !kept("4k3/8/8/8/8/8/4R3/4K3 b - - 0 40", "e8d8", -500, 79),
            "in check"
        );
        assert!(
            !kept("7k/P7/8/8/8/8/8/K7 w - - 0 40", "a7a8q", 900, 78),
            "a promotion"
        );
        let en_passant = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 40";
        assert!(!kept(en_passant, "e5d6", 100, 78), "en passant");
        // Castling goes to an occupied square, and is no capture for that.
        assert!(kept("4k3/8/8/8/8/8/8/4K2R w K - 0 40", "e1g1", 600, 78));
    }
}
