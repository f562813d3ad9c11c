//! Games on disk: a head, then blocks that are only ever appended.
//!
//! The head is the magic `STPGAMES`, the version and a zero (four bytes each). A block is a head of
//! six little-endian 32-bit numbers (magic, bytes of payload, games, plies, kept positions, check
//! of these), then the payload (records one after another), then a 64-bit FNV-1a hash of it. An
//! interrupted run can only leave an unfinished last block: the reader skips it with a note, the
//! writer cuts it off and goes on from there. Damage anywhere else is an error.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::games::{GameError, GameRecord};

const MAGIC: &[u8; 8] = b"STPGAMES";
const VERSION: u32 = 1;
const HEAD: u64 = 16;
const BLOCK_MAGIC: u32 = u32::from_le_bytes(*b"GBLK");
const BLOCK_HEAD: u64 = 24;
const BLOCK_CHECK: u64 = 8;
/// A block is written when its payload has grown to this many bytes; about 30 000 positions.
const BLOCK_BYTES: usize = 1 << 17;
/// No payload is larger: a head that claims more is damaged.
const MAX_PAYLOAD: u32 = 1 << 26;

/// 64-bit FNV-1a.
pub(super) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// How much a file or a block holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Games.
    pub games: u64,
    /// Moves played in them.
    pub plies: u64,
    /// Positions worth learning from.
    pub kept: u64,
}

impl std::ops::AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.games += other.games;
        self.plies += other.plies;
        self.kept += other.kept;
    }
}

#[derive(Clone, Copy)]
struct BlockHead {
    payload: u32,
    games: u32,
    plies: u32,
    kept: u32,
}

impl BlockHead {
    fn to_bytes(self) -> [u8; BLOCK_HEAD as usize] {
        let mut bytes = [0; BLOCK_HEAD as usize];
        let words = [BLOCK_MAGIC, self.payload, self.games, self.plies, self.kept];
        for (chunk, word) in bytes.chunks_exact_mut(4).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        let check = fnv1a(&bytes[..20]) as u32;
        bytes[20..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; BLOCK_HEAD as usize]) -> Option<BlockHead> {
        let word =
            |i: usize| u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
        let sound = word(0) == BLOCK_MAGIC
            && word(20) == fnv1a(&bytes[..20]) as u32
            && word(4) <= MAX_PAYLOAD;
        sound.then(|| BlockHead {
            payload: word(4),
            games: word(8),
            plies: word(12),
            kept: word(16),
        })
    }

    fn totals(self) -> Totals {
        Totals {
            games: self.games.into(),
            plies: self.plies.into(),
            kept: self.kept.into(),
        }
    }
}

/// What stands at a block's place in the file.
enum Found {
    /// A whole block; the offset behind it.
    Block(BlockHead, u64),
    /// The end of the file.
    End,
    /// The beginning of a block that was never finished.
    Torn,
}

/// The blocks of a file, one after another.
struct Blocks {
    file: BufReader<File>,
    offset: u64,
    length: u64,
    payload: Vec<u8>,
}

impl Blocks {
    fn open(file: File) -> Result<Blocks, GameError> {
        let length = file.metadata()?.len();
        let mut file = BufReader::with_capacity(1 << 16, file);
        let mut head = [0; HEAD as usize];
        file.read_exact(&mut head)
            .map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => GameError::NotGames("it is too short".into()),
                _ => GameError::Io(error),
            })?;
        if &head[..8] != MAGIC {
            return Err(GameError::NotGames(
                "it does not begin with STPGAMES".into(),
            ));
        }
        let version = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
        if version != VERSION {
            return Err(GameError::NotGames(format!(
                "version {version} instead of {VERSION}"
            )));
        }
        Ok(Blocks {
            file,
            offset: HEAD,
            length,
            payload: Vec::new(),
        })
    }

    /// The next block. Its payload is read and checked if `check` is set or it is the last one,
    /// else it is skipped.
    fn next(&mut self, check: bool) -> Result<Found, GameError> {
        let left = self.length - self.offset;
        if left == 0 {
            return Ok(Found::End);
        }
        if left < BLOCK_HEAD {
            return Ok(Found::Torn);
        }
        let mut bytes = [0; BLOCK_HEAD as usize];
        self.file.read_exact(&mut bytes)?;
        let Some(head) = BlockHead::from_bytes(&bytes) else {
            // A crash of the whole machine can leave a tail of zeros.
            let torn = bytes == [0; BLOCK_HEAD as usize] && self.only_zeros_follow()?;
            return if torn {
                Ok(Found::Torn)
            } else {
                self.damaged("no head of a block")
            };
        };
        let size = BLOCK_HEAD + u64::from(head.payload) + BLOCK_CHECK;
        if size > left {
            return Ok(Found::Torn);
        }
        if !check && size < left {
            self.file
                .seek_relative(i64::from(head.payload) + BLOCK_CHECK as i64)?;
        } else if !self.read_payload(head.payload)? {
            return if size == left {
                Ok(Found::Torn)
            } else {
                self.damaged("a wrong check sum")
            };
        }
        self.offset += size;
        Ok(Found::Block(head, self.offset))
    }

    fn read_payload(&mut self, bytes: u32) -> io::Result<bool> {
        self.payload.resize(bytes as usize, 0);
        self.file.read_exact(&mut self.payload)?;
        let mut check = [0; BLOCK_CHECK as usize];
        self.file.read_exact(&mut check)?;
        Ok(fnv1a(&self.payload) == u64::from_le_bytes(check))
    }

    fn only_zeros_follow(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 4096];
        loop {
            match self.file.read(&mut buffer)? {
                0 => return Ok(true),
                n if buffer[..n].iter().any(|&byte| byte != 0) => return Ok(false),
                _ => {}
            }
        }
    }

    fn damaged<T>(&self, what: &'static str) -> Result<T, GameError> {
        Err(GameError::Damaged(self.offset, what))
    }
}

/// A block of games, checked but not yet taken apart: so that threads can share that work.
#[derive(Clone, Debug)]
pub struct Block {
    payload: Vec<u8>,
    totals: Totals,
    offset: u64,
}

impl Block {
    /// What it holds.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Its games.
    pub fn games(&self) -> Result<Vec<GameRecord>, GameError> {
        let mut rest = self.payload.as_slice();
        let mut games = Vec::with_capacity(self.totals.games as usize);
        while !rest.is_empty() {
            let game = GameRecord::decode(&mut rest);
            games.push(game.ok_or(GameError::Damaged(self.offset, "no record of a game"))?);
        }
        if games.len() as u64 != self.totals.games {
            return Err(GameError::Damaged(self.offset, "a wrong number of games"));
        }
        Ok(games)
    }
}

/// Reads a file of games, block by block. After the last block, [`note`](GameReader::note) tells
/// whether an unfinished one was skipped.
pub struct GameReader {
    blocks: Blocks,
    torn: u64,
    done: bool,
}

impl GameReader {
    /// Opens a file of games.
    pub fn open(path: &Path) -> Result<GameReader, GameError> {
        Ok(GameReader {
            blocks: Blocks::open(File::open(path)?)?,
            torn: 0,
            done: false,
        })
    }

    /// A remark for the user about an unfinished block at the end, once that is reached.
    pub fn note(&self) -> Option<String> {
        (self.torn > 0).then(|| format!("an unfinished block of {} bytes was skipped", self.torn))
    }

    /// The games one by one; see [`read_games`].
    pub fn games(self) -> Games {
        Games {
            reader: self,
            block: Vec::new().into_iter(),
        }
    }
}

impl Iterator for GameReader {
    type Item = Result<Block, GameError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let offset = self.blocks.offset;
        match self.blocks.next(true) {
            Ok(Found::Block(head, _)) => {
                let payload = std::mem::take(&mut self.blocks.payload);
                return Some(Ok(Block {
                    payload,
                    totals: head.totals(),
                    offset,
                }));
            }
            Ok(Found::End) => self.done = true,
            Ok(Found::Torn) => {
                self.torn = self.blocks.length - offset;
                self.done = true;
            }
            Err(error) => {
                self.done = true;
                return Some(Err(error));
            }
        }
        None
    }
}

/// The games of a file, one by one.
pub struct Games {
    reader: GameReader,
    block: std::vec::IntoIter<GameRecord>,
}

impl Games {
    /// As [`GameReader::note`].
    pub fn note(&self) -> Option<String> {
        self.reader.note()
    }
}

impl Iterator for Games {
    type Item = Result<GameRecord, GameError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(game) = self.block.next() {
                return Some(Ok(game));
            }
            match self.reader.next()?.and_then(|block| block.games()) {
                Ok(games) => self.block = games.into_iter(),
                Err(error) => {
                    self.reader.done = true;
                    return Some(Err(error));
                }
            }
        }
    }
}

/// Opens a file and iterates over its games. It ends after the first error.
pub fn read_games(path: &Path) -> Result<Games, GameError> {
    Ok(GameReader::open(path)?.games())
}

/// Writes a file of games, in blocks. What [`totals`](GameWriter::totals) reports is on disk.
#[derive(Debug)]
pub struct GameWriter {
    file: File,
    path: PathBuf,
    payload: Vec<u8>,
    pending: Totals,
    written: Totals,
    note: Option<String>,
}

impl GameWriter {
    /// Opens a file to append to it, or makes a new one. A torn tail is cut off.
    pub fn open(path: &Path) -> Result<GameWriter, GameError> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let length = file.metadata()?.len();
        let (mut written, mut note) = (Totals::default(), None);
        if length < HEAD && is_start_of_head(&mut file)? {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&file_head())?;
        } else {
            file.seek(SeekFrom::Start(0))?;
            let (totals, end) = survey(file.try_clone()?)?;
            written = totals;
            if end < length {
                note = Some(format!(
                    "an unfinished block of {} bytes was cut off",
                    length - end
                ));
                file.set_len(end)?;
            }
            file.seek(SeekFrom::Start(end))?;
        }
        let path = path.to_owned();
        Ok(GameWriter {
            file,
            path,
            payload: Vec::new(),
            pending: Totals::default(),
            written,
            note,
        })
    }

    /// Adds a game. It is on disk when its block is full or at the next [`flush`](Self::flush).
    /// Returns how many of its positions are kept.
    pub fn write(&mut self, game: &GameRecord) -> Result<usize, GameError> {
        let kept = game.kept()?;
        game.encode(&mut self.payload)?;
        self.pending += Totals {
            games: 1,
            plies: game.plies.len() as u64,
            kept: kept as u64,
        };
        if self.payload.len() >= BLOCK_BYTES {
            self.flush()?;
        }
        Ok(kept)
    }

    /// Writes what is pending as a block.
    pub fn flush(&mut self) -> Result<(), GameError> {
        if self.payload.is_empty() {
            return Ok(());
        }
        let Totals { games, plies, kept } = self.pending;
        let payload = self.payload.len() as u32;
        let head = BlockHead {
            payload,
            games: games as u32,
            plies: plies as u32,
            kept: kept as u32,
        };
        let check = fnv1a(&self.payload);
        let mut block = Vec::with_capacity(self.payload.len() + 32);
        block.extend_from_slice(&head.to_bytes());
        block.append(&mut self.payload);
        block.extend_from_slice(&check.to_le_bytes());
        self.file.write_all(&block)?;
        self.file.sync_data()?;
        self.written += std::mem::take(&mut self.pending);
        Ok(())
    }

    /// What the file holds on disk, earlier runs included.
    pub fn totals(&self) -> Totals {
        self.written
    }

    /// A remark for the user about a torn tail that was cut off when the file was opened.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for GameWriter {
    fn drop(&mut self) {
        if let Err(error) = self.flush() {
            log::error!("{}: {error}", self.path.display());
        }
    }
}

fn file_head() -> [u8; HEAD as usize] {
    let mut head = [0; HEAD as usize];
    head[..8].copy_from_slice(MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head
}

/// Is the file shorter than a head, and what there is the beginning of one?
fn is_start_of_head(file: &mut File) -> io::Result<bool> {
    let mut bytes = Vec::new();
    file.take(HEAD).read_to_end(&mut bytes)?;
    Ok(file_head().starts_with(&bytes) || bytes.iter().all(|&byte| byte == 0))
}

/// What a file holds, and the offset where its last whole block ends.
fn survey(file: File) -> Result<(Totals, u64), GameError> {
    let mut blocks = Blocks::open(file)?;
    let (mut totals, mut end) = (Totals::default(), HEAD);
    while let Found::Block(head, after) = blocks.next(false)? {
        totals += head.totals();
        end = after;
    }
    Ok((totals, end))
}

/// What a file holds, without reading its games.
pub fn file_totals(path: &Path) -> Result<Totals, GameError> {
    Ok(survey(File::open(path)?)?.0)
}

#[cfg(test)]
mod tests {
    use super::super::games::tests::random_game;
    use super::*;

    /// A path for a test's file, removed at the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let name = format!("standpat-{}-{name}.games", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _ = std::fs::remove_file(&path);
            Scratch(path)
        }

        /// Three blocks of ten games each.
        fn filled(name: &str) -> (Scratch, Vec<GameRecord>) {
            let scratch = Scratch::new(name);
            let games: Vec<_> = (0..30).map(|seed| random_game(seed, 60)).collect();
            let mut writer = GameWriter::open(&scratch.0).unwrap();
            for (i, game) in games.iter().enumerate() {
                writer.write(game).unwrap();
                if i % 10 == 9 {
                    writer.flush().unwrap();
                }
            }
            (scratch, games)
        }

        fn read(&self) -> Result<(Vec<GameRecord>, Option<String>), GameError> {
            let mut games = read_games(&self.0)?;
            let list = games.by_ref().collect::<Result<Vec<_>, _>>()?;
            Ok((list, games.note()))
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn games_come_back_in_order() {
        let (scratch, games) = Scratch::filled("order");
        assert_eq!(scratch.read().unwrap(), (games.clone(), None));
        let totals = file_totals(&scratch.0).unwrap();
        assert_eq!(totals.games, 30);
        let kept: usize = games.iter().map(|game| game.kept().unwrap()).sum();
        assert_eq!(totals.kept, kept as u64);
    }

    #[test]
    fn a_dropped_writer_loses_nothing_and_the_next_one_appends() {
        let scratch = Scratch::new("append");
        let games: Vec<_> = (0..9).map(|seed| random_game(seed, 30)).collect();
        for part in games.chunks(3) {
            let mut writer = GameWriter::open(&scratch.0).unwrap();
            part.iter()
                .for_each(|game| assert!(writer.write(game).is_ok()));
        }
        assert_eq!(scratch.read().unwrap(), (games, None));
    }

    #[test]
    fn a_tail_torn_anywhere_costs_one_block_and_is_cut_off_at_the_next_append() {
        let (scratch, games) = Scratch::filled("torn");
        let whole = std::fs::read(&scratch.0).unwrap();
        let ends = {
            let mut blocks = Blocks::open(File::open(&scratch.0).unwrap()).unwrap();
            let mut ends = vec![HEAD];
            while let Found::Block(_, end) = blocks.next(true).unwrap() {
                ends.push(end);
            }
            ends
        };
        for cut in (HEAD as usize..whole.len())
            .step_by(97)
            .chain([whole.len() - 1])
        {
            std::fs::write(&scratch.0, &whole[..cut]).unwrap();
            let full = ends.iter().filter(|&&end| end <= cut as u64).count() - 1;
            let torn = !ends.contains(&(cut as u64));
            let (read, note) = scratch.read().unwrap();
            assert_eq!(
                (read.as_slice(), note.is_some()),
                (&games[..full * 10], torn),
                "{cut}"
            );
            let mut writer = GameWriter::open(&scratch.0).unwrap();
            assert_eq!(
                (writer.note().is_some(), writer.totals().games),
                (torn, full as u64 * 10)
            );
            writer.write(&games[29]).unwrap();
            drop(writer);
            let (read, note) = scratch.read().unwrap();
            assert_eq!((read.len(), note), (full * 10 + 1, None));
            assert_eq!(read.last(), Some(&games[29]));
        }
    }

    #[test]
    fn a_tail_of_zeros_is_torn_too() {
        let (scratch, games) = Scratch::filled("zeros");
        let mut bytes = std::fs::read(&scratch.0).unwrap();
        bytes.resize(bytes.len() + 5000, 0);
        std::fs::write(&scratch.0, &bytes).unwrap();
        let (read, note) = scratch.read().unwrap();
        assert_eq!((read, note.is_some()), (games, true));
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let (scratch, games) = Scratch::filled("damage");
        let whole = std::fs::read(&scratch.0).unwrap();
        for at in (0..whole.len())
            .step_by(61)
            .filter(|at| !(12..16).contains(at))
        {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x20;
            std::fs::write(&scratch.0, &bytes).unwrap();
            match scratch.read() {
                Err(GameError::Damaged(..) | GameError::NotGames(_)) => {}
                // In the last block it cannot be told from an interrupted write.
                Ok((read, Some(_))) => assert_eq!(read, games[..20], "{at}"),
                other => panic!("byte {at}: {other:?}"),
            }
        }
    }

    #[test]
    fn another_file_is_refused_and_left_alone() {
        let scratch = Scratch::new("other");
        for text in ["a text of somebody else's, long enough", "short"] {
            std::fs::write(&scratch.0, text).unwrap();
            assert!(matches!(
                read_games(&scratch.0),
                Err(GameError::NotGames(_))
            ));
            assert!(matches!(
                GameWriter::open(&scratch.0),
                Err(GameError::NotGames(_))
            ));
            assert_eq!(std::fs::read_to_string(&scratch.0).unwrap(), text);
        }
    }
}
