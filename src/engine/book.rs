//! Opening books in Polyglot's format: a sorted file of positions' keys, moves and weights.
//!
//! A record has 16 bytes: key (8), move (2), weight (2) and learning data (4), the most significant
//! byte first. The format is described at
//! <http://hgm.nubati.net/book_format.html>; the keys are computed by shakmaty.
//!
//! Nothing in a file is trusted: what is no legal move is passed over, and a file that is not sorted
//! merely hides its records.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use shakmaty::zobrist::Zobrist64;
use shakmaty::{EnPassantMode, Position as _};

use crate::base::rng::Rng;
use crate::board::{Game, Move};

/// Bytes of a record.
const RECORD: u64 = 16;

/// Records of one position that are read: more than a position has moves.
const MOST: u64 = 256;

/// An open book.
#[derive(Debug)]
pub struct Book<R = File> {
    source: R,
    /// How many there are.
    records: u64,
}

/// A move of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// A legal move.
    pub mv: Move,
    /// How often it is to be played, compared with the other moves; 0 means never.
    pub weight: u16,
}

/// Why a file is no book.
#[derive(Debug)]
pub enum BookError {
    /// It cannot be read.
    Unreadable(io::Error),
    /// It is no file of whole records.
    NotRecords,
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BookError::Unreadable(reason) => reason.fmt(f),
            BookError::NotRecords => f.write_str("its size is not that of a Polyglot book"),
        }
    }
}

impl std::error::Error for BookError {}

impl From<io::Error> for BookError {
    fn from(error: io::Error) -> BookError {
        BookError::Unreadable(error)
    }
}

/// Polyglot's key of the current position.
///
/// One published rule cannot be followed after reading a FEN: an en passant square counts there
/// even if the capture would leave the king in check. Here it does so only within a game.
pub fn key(game: &Game) -> u64 {
    let key: Zobrist64 = game.to_chess().zobrist_hash(EnPassantMode::PseudoLegal);
    key.0
}

impl Book {
    /// Opens a book.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is no file of whole records.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        let source = File::open(path)?;
        if !source.metadata()?.is_file() {
            return Err(BookError::NotRecords);
        }
        Book::new(source)
    }
}

impl<R: Read + Seek> Book<R> {
    fn new(mut source: R) -> Result<Book<R>, BookError> {
        let length = source.seek(SeekFrom::End(0))?;
        if length == 0 || !length.is_multiple_of(RECORD) {
            return Err(BookError::NotRecords);
        }
        let records = length / RECORD;
        Ok(Book { source, records })
    }

    /// The moves that the book has for a position, the one with the greatest weight first.
    ///
    /// # Errors
    ///
    /// When the file cannot be read any more.
    pub fn moves(&mut self, game: &Game) -> io::Result<Vec<BookMove>> {
        let key = key(game);
        let first = self.first_of(key)?;
        let mut found: Vec<BookMove> = Vec::new();
        for index in first..self.records.min(first.saturating_add(MOST)) {
            let record = self.record(index)?;
            if record.key != key {
                break;
            }
            let Some(mv) = legal(game, record.mv) else {
                continue;
            };
            if found.iter().all(|known| known.mv != mv) {
                let weight = record.weight;
                found.push(BookMove { mv, weight });
            }
        }
        found.sort_by_key(|book_move| std::cmp::Reverse(book_move.weight));
        Ok(found)
    }

    /// The index of the first record whose key is not less than this one, by bisection.
    fn first_of(&mut self, key: u64) -> io::Result<u64> {
        let (mut low, mut high) = (0, self.records);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.record(middle)?.key < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    fn record(&mut self, index: u64) -> io::Result<Record> {
        self.source.seek(SeekFrom::Start(index * RECORD))?;
        let (mut key, mut mv, mut weight) = ([0; 8], [0; 2], [0; 2]);
        self.source.read_exact(&mut key)?;
        self.source.read_exact(&mut mv)?;
        self.source.read_exact(&mut weight)?;
        Ok(Record {
            key: u64::from_be_bytes(key),
            mv: u16::from_be_bytes(mv),
            weight: u16::from_be_bytes(weight),
        })
    }
}

/// Chooses a move, each as often as its weight says; `None` when no weight is above 0.
pub fn choose(moves: &[BookMove], rng: &mut Rng) -> Option<BookMove> {
    let total: usize = moves.iter().map(|known| usize::from(known.weight)).sum();
    if total == 0 {
        return None;
    }
    let mut left = rng.below(total);
    let is_chosen = |known: &&BookMove| {
        let weight = usize::from(known.weight);
        let is_chosen = left < weight;
        left = left.saturating_sub(weight);
        is_chosen
    };
    moves.iter().find(is_chosen).copied()
}

/// A record, but for its learning data.
struct Record {
    key: u64,
    mv: u16,
    weight: u16,
}

/// The legal move that these bits stand for: three each for file and rank of the target, file and
/// rank of the origin, and the promoted piece. Castling is king takes rook.
fn legal(game: &Game, bits: u16) -> Option<Move> {
    let part = |at: u32| bits >> at & 7;
    let letter = |first: u8, at: u32| char::from(first + part(at) as u8);
    let promotion = match part(12) {
        0 => "",
        1 => "n",
        2 => "b",
        3 => "r",
        4 => "q",
        _ => return None,
    };
    let (from_file, from_rank) = (letter(b'a', 6), letter(b'1', 9));
    let (to_file, to_rank) = (letter(b'a', 0), letter(b'1', 3));
    game.parse_uci(&format!(
        "{from_file}{from_rank}{to_file}{to_rank}{promotion}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// The keys that the description of the format lists, with the moves that lead there.
    const PUBLISHED: [(&str, &str, u64); 9] = [
        (
            "",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            0x463b_9618_1691_fc9c,
        ),
        (
            "e2e4",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
            0x823c_9b50_fd11_4196,
        ),
        (
            "e2e4 d7d5",
            "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2",
            0x0756_b944_61c5_0fb0,
        ),
        (
            "e2e4 d7d5 e4e5",
            "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2",
            0x662f_afb9_65db_29d4,
        ),
        (
            "e2e4 d7d5 e4e5 f7f5",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            0x22a4_8b5a_8e47_ff78,
        ),
        (
            "e2e4 d7d5 e4e5 f7f5 e1e2",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3",
            0x652a_607c_a3f2_42c1,
        ),
        (
            "e2e4 d7d5 e4e5 f7f5 e1e2 e8f7",
            "rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4",
            0x00fd_d303_c946_bdd9,
        ),
        (
            "a2a4 b7b5 h2h4 b5b4 c2c4",
            "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3",
            0x3c81_23ea_7b06_7637,
        ),
        (
            "a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3",
            "rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4",
            0x5c3f_9b82_9b27_9560,
        ),
    ];

    fn after(moves: &str) -> Game {
        let mut game = Game::start();
        for word in moves.split_whitespace() {
            let mv = game.parse_uci(word).expect(word);
            game.play(mv);
        }
        game
    }

    #[test]
    fn keys_are_the_published_ones() {
        for (moves, fen, expected) in PUBLISHED {
            let by_fen = Game::from_fen(fen).expect(fen);
            assert_eq!(key(&by_fen), expected, "{fen}");
            assert_eq!(key(&after(moves)), expected, "{moves}");
        }
    }

    /// A record as the format has it.
    fn record(game: &Game, bits: u16, weight: u16) -> [u8; 16] {
        let mut bytes = [0xee; 16];
        bytes[..8].copy_from_slice(&key(game).to_be_bytes());
        bytes[8..10].copy_from_slice(&bits.to_be_bytes());
        bytes[10..12].copy_from_slice(&weight.to_be_bytes());
        bytes
    }

    fn book(mut records: Vec<[u8; 16]>) -> Book<Cursor<Vec<u8>>> {
        records.sort_by_key(|record| record[..8].to_vec());
        Book::new(Cursor::new(records.concat())).expect("records")
    }

    fn found(book: &mut Book<Cursor<Vec<u8>>>, game: &Game) -> Vec<(String, u16)> {
        let moves = book.moves(game).expect("memory can be read");
        let pair = |known: BookMove| (known.mv.uci(false).to_string(), known.weight);
        moves.into_iter().map(pair).collect()
    }

    /// e2e4 is 12 to 28: 4 + 8·3 + 64·(4 + 8·1); the others likewise.
    const E2E4: u16 = 28 + 64 * 12;
    const D2D4: u16 = 27 + 64 * 11;
    const E2E5: u16 = 36 + 64 * 12;

    #[test]
    fn moves_are_found_by_weight_and_nonsense_is_passed_over() {
        let start = Game::start();
        let mut records = vec![
            record(&start, E2E5, 9),
            record(&start, D2D4, 2),
            record(&start, E2E4, 7),
            record(&start, E2E4, 1),
            record(&start, 0xffff, 5),
        ];
        for (moves, ..) in &PUBLISHED[1..] {
            records.push(record(&after(moves), 0, 1));
        }
        let mut book = book(records);
        assert_eq!(
            found(&mut book, &start),
            [("e2e4".into(), 7), ("d2d4".into(), 2)]
        );
        assert!(found(&mut book, &after("e2e4")).is_empty());
        assert!(found(&mut book, &after("g1f3")).is_empty());
    }

    #[test]
    fn castling_and_promotion_are_read_as_polyglot_writes_them() {
        let castle = Game::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").expect("legal");
        for bits in [7 + 64 * 4, 6 + 64 * 4] {
            let mut book = book(vec![record(&castle, bits, 1)]);
            assert_eq!(found(&mut book, &castle), [("e1g1".into(), 1)]);
        }
        let pawn = Game::from_fen("8/4P1k1/8/8/8/8/6K1/8 w - - 0 1").expect("legal");
        let e7e8 = 60 + 64 * 52;
        let with = |piece: u16| record(&pawn, e7e8 + 4096 * piece, 8 - piece);
        let mut book = book((0..8).map(with).collect());
        let texts: Vec<String> = found(&mut book, &pawn)
            .into_iter()
            .map(|pair| pair.0)
            .collect();
        assert_eq!(texts, ["e7e8n", "e7e8b", "e7e8r", "e7e8q"]);
    }

    #[test]
    fn what_is_no_file_of_records_is_refused() {
        for length in [0, 1, 15, 17, 1000] {
            assert!(Book::new(Cursor::new(vec![0; length])).is_err(), "{length}");
        }
        assert!(Book::open(Path::new("/no/such/book.bin")).is_err());
        assert!(Book::open(&std::env::temp_dir()).is_err());
    }

    /// A damaged book gives few moves or none, but always legal ones and always soon.
    #[test]
    fn any_bytes_are_survived() {
        let mut rng = Rng::new(1);
        let start = Game::start();
        for round in 0..200 {
            let mut records = vec![record(&start, E2E4, 1); 1 + rng.below(600)];
            for record in &mut records {
                let at = rng.below(16);
                record[at] = rng.next_u64() as u8;
            }
            let mut book = Book::new(Cursor::new(records.concat())).expect("records");
            let moves = book.moves(&start).expect("memory can be read");
            let legal = start.legal_moves();
            assert!(
                moves.iter().all(|known| legal.contains(&known.mv)),
                "{round}"
            );
        }
    }

    #[test]
    fn moves_are_chosen_as_often_as_their_weights_say() {
        let mv = |word: &str| Game::start().parse_uci(word).expect("legal");
        let moves =
            [("e2e4", 6), ("d2d4", 3), ("g1f3", 1), ("a2a3", 0)].map(|(word, weight)| BookMove {
                mv: mv(word),
                weight,
            });
        let mut rng = Rng::new(7);
        let mut counts = [0; 4];
        for _ in 0..10_000 {
            let chosen = choose(&moves, &mut rng).expect("there are weights");
            counts[moves
                .iter()
                .position(|known| *known == chosen)
                .expect("one of them")] += 1;
        }
        for (count, expected) in counts.iter().zip([6000, 3000, 1000, 0]) {
            assert!(i32::abs(count - expected) < 200, "{counts:?}");
        }
        assert_eq!(choose(&moves[3..], &mut rng), None);
        assert_eq!(choose(&[], &mut rng), None);
    }
}
