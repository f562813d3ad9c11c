//! The transposition table: lock-free, clustered, aged.
//!
//! A cluster is half a cache line: three entries of eight bytes and a word with their three
//! 16-bit key checks, four atomic words in all. Threads read and write without locks; a torn
//! entry is possible but harmless, since a hash move is checked before it is played and a score
//! comes with the same 16-bit check that any collision must pass.
//!
//! | bits of an entry | content |
//! |---|---|
//! | 0–15 | move, 0 for none |
//! | 16–31 | score, mates counted from the node |
//! | 32–47 | static evaluation, [`NO_EVALUATION`] in check |
//! | 48–55 | depth, 0 in quiescence |
//! | 56–57 | bound, 0 for an empty entry |
//! | 58 | was part of a principal variation |
//! | 59–63 | generation |

mod pages;

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use crate::base::score::{Bound, Score};
use crate::board::Move;

use pages::Pages;

/// Entries in a cluster.
const ENTRIES: usize = 3;

/// Generations are counted modulo this.
const GENERATIONS: u8 = 32;

/// The static evaluation of a node that has none, being in check.
pub const NO_EVALUATION: Score = i16::MIN as Score;

/// Four words: three entries and their keys.
#[repr(C, align(32))]
struct Cluster {
    words: [AtomicU64; ENTRIES],
    keys: AtomicU64,
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move, or one that failed high. Check it before playing it.
    pub mv: Option<Move>,
    /// Score; mates are counted from this node (see [`crate::base::score::from_table`]).
    pub score: Score,
    /// Static evaluation without corrections, centipawns, or [`NO_EVALUATION`].
    pub evaluation: Score,
    /// Depth searched, in plies.
    pub depth: i32,
    /// What the score means.
    pub bound: Bound,
    /// Was it once part of a principal variation?
    pub pv: bool,
}

impl Entry {
    fn pack(self, generation: u8) -> u64 {
        u64::from(self.mv.map_or(0, Move::bits))
            | u64::from(self.score as u16) << 16
            | u64::from(self.evaluation as u16) << 32
            | (self.depth.clamp(0, 255) as u64) << 48
            | (self.bound as u64) << 56
            | u64::from(self.pv) << 58
            | u64::from(generation) << 59
    }

    fn unpack(word: u64) -> Option<Entry> {
        let bound = match word >> 56 & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Entry {
            mv: Move::from_bits(word as u16),
            score: Score::from((word >> 16) as i16),
            evaluation: Score::from((word >> 32) as i16),
            depth: (word >> 48 & 255) as i32,
            bound,
            pv: word >> 58 & 1 != 0,
        })
    }
}

/// The largest table whose memory is taken at once, in MiB.
const LARGEST_POPULATED: usize = 4096;

/// Why a table could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableError {
    /// The size asked for, in MiB.
    pub mib: usize,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MiB for the hash table are not to be had", self.mib)
    }
}

impl std::error::Error for TableError {}

/// The transposition table.
pub struct Table {
    clusters: Pages<Cluster>,
    generation: AtomicU8,
    mib: usize,
}

impl Table {
    /// An empty table of so many MiB.
    ///
    /// # Errors
    ///
    /// When the memory cannot be had.
    pub fn new(mib: usize) -> Result<Table, TableError> {
        let mib = mib.max(1);
        let bytes = mib.checked_mul(1 << 20).ok_or(TableError { mib })?;
        let clusters = Pages::zeroed(bytes / size_of::<Cluster>()).ok_or(TableError { mib })?;
        Ok(Table {
            clusters,
            generation: AtomicU8::new(0),
            mib,
        })
    }

    /// Its size in MiB.
    pub fn mib(&self) -> usize {
        self.mib
    }

    /// Forgets everything, with so many threads.
    pub fn clear(&self, threads: usize) {
        self.share(threads, wipe);
        self.generation.store(0, Relaxed);
    }

    /// Makes the system give out the memory of an empty table now, with so many threads. It does
    /// so page by page when a page is first written, and a huge page may take milliseconds: a
    /// search would lose its first second by that, and in a fast game all of its time. A very
    /// large table is left as it is: nobody waits so long for it.
    pub fn populate(&self, threads: usize) {
        if self.mib <= LARGEST_POPULATED {
            self.share(threads, touch);
        }
    }

    /// Does a work on all clusters, with so many threads.
    fn share(&self, threads: usize, work: fn(&[Cluster])) {
        let share = self.clusters.len().div_ceil(threads.clamp(1, 64));
        std::thread::scope(|scope| {
            let mut chunks = self.clusters.chunks(share);
            let own = chunks.next();
            for chunk in chunks {
                let helper = std::thread::Builder::new();
                if helper.spawn_scoped(scope, move || work(chunk)).is_err() {
                    work(chunk);
                }
            }
            own.into_iter().for_each(work);
        });
    }

    /// Starts a new generation: what older searches stored is replaced first.
    pub fn new_search(&self) {
        let next = (self.generation.load(Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Relaxed);
    }

    /// Entries of the present generation, per mille, counted over the first thousand clusters.
    pub fn hashfull(&self) -> u32 {
        let sample = &self.clusters[..self.clusters.len().min(1000)];
        let generation = u64::from(self.generation.load(Relaxed));
        let filled = sample
            .iter()
            .flat_map(|cluster| &cluster.words)
            .map(|word| word.load(Relaxed))
            .filter(|word| word >> 56 & 3 != 0 && word >> 59 == generation)
            .count();
        (filled * 1000 / (sample.len() * ENTRIES)) as u32
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        let index = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }

    /// Asks the processor to fetch the cluster of this key.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        pages::prefetch(self.cluster(key));
    }

    /// What is known of the position with this key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let cluster = self.cluster(key);
        let keys = cluster.keys.load(Relaxed);
        (0..ENTRIES)
            .find(|&slot| keys >> (16 * slot) & 0xffff == key & 0xffff)
            .and_then(|slot| Entry::unpack(cluster.words[slot].load(Relaxed)))
    }

    /// Stores what a search found. Another position's entry gives way when it is the least worth
    /// keeping (shallow or old); the same position's when the new one is exact, from a newer
    /// search or not much shallower. A known move is kept when the new entry has none.
    pub fn store(&self, key: u64, mut entry: Entry) {
        let cluster = self.cluster(key);
        let generation = self.generation.load(Relaxed);
        let keys = cluster.keys.load(Relaxed);
        let check = key & 0xffff;

        let mut slot = 0;
        let mut least = i32::MAX;
        for candidate in 0..ENTRIES {
            let word = cluster.words[candidate].load(Relaxed);
            let same = keys >> (16 * candidate) & 0xffff == check;
            if same || word >> 56 & 3 == 0 {
                slot = candidate;
                break;
            }
            let worth = worth(word, generation);
            if worth < least {
                least = worth;
                slot = candidate;
            }
        }

        let old = cluster.words[slot].load(Relaxed);
        if keys >> (16 * slot) & 0xffff == check
            && let Some(known) = Entry::unpack(old)
        {
            entry.mv = entry.mv.or(known.mv);
            let current = (old >> 59) as u8 == generation;
            let deepened = entry.depth + 4 + 2 * i32::from(entry.pv) > known.depth;
            if entry.bound != Bound::Exact && current && !deepened {
                return;
            }
        }
        cluster.words[slot].store(entry.pack(generation), Relaxed);
        let mask = 0xffff << (16 * slot);
        cluster
            .keys
            .store(keys & !mask | check << (16 * slot), Relaxed);
    }
}

/// Empties clusters. Memory that was never written is only read: it keeps costing none.
fn wipe(clusters: &[Cluster]) {
    for Cluster {
        words: [first, second, third],
        keys,
    } in clusters
    {
        let all = [first, second, third, keys];
        let [a, b, c, d] = all.map(|word| word.load(Relaxed));
        if a | b | c | d != 0 {
            all.iter().for_each(|word| word.store(0, Relaxed));
        }
    }
}

/// Writes to each page of empty clusters. The smallest pages have four kilobytes.
fn touch(clusters: &[Cluster]) {
    let step = 4096 / size_of::<Cluster>();
    for cluster in clusters.iter().step_by(step) {
        cluster.keys.store(0, Relaxed);
    }
}

/// How much an entry is worth keeping: its depth, less what its age takes off.
fn worth(word: u64, generation: u8) -> i32 {
    let age = (generation + GENERATIONS - (word >> 59) as u8) % GENERATIONS;
    (word >> 48 & 255) as i32 - 8 * i32::from(age)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::score::mate_in;

    fn entry(depth: i32, bound: Bound) -> Entry {
        Entry {
            mv: Move::from_bits(0x31c),
            score: -250,
            evaluation: 31,
            depth,
            bound,
            pv: true,
        }
    }

    #[test]
    fn an_entry_survives_packing_at_its_extremes() {
        for score in [mate_in(0), -mate_in(0), 0, -1] {
            for evaluation in [NO_EVALUATION, 19_000, -19_000] {
                for bound in [Bound::Upper, Bound::Lower, Bound::Exact] {
                    let entry = Entry {
                        mv: None,
                        score,
                        evaluation,
                        depth: 255,
                        bound,
                        pv: false,
                    };
                    assert_eq!(Entry::unpack(entry.pack(31)), Some(entry));
                }
            }
        }
    }

    #[test]
    fn what_is_stored_is_found_and_an_unknown_key_is_not() {
        let table = Table::new(1).unwrap();
        assert_eq!(table.probe(0x1234_5678_9abc_def0), None);
        table.store(0x1234_5678_9abc_def0, entry(5, Bound::Exact));
        assert_eq!(
            table.probe(0x1234_5678_9abc_def0),
            Some(entry(5, Bound::Exact))
        );
        assert_eq!(table.probe(0x1234_5678_9abc_def1), None);
        table.clear(2);
        assert_eq!(table.probe(0x1234_5678_9abc_def0), None);
    }

    #[test]
    fn a_shallow_bound_does_not_overwrite_a_deep_entry_but_a_new_search_does() {
        let table = Table::new(1).unwrap();
        table.store(77, entry(20, Bound::Exact));
        table.store(
            77,
            Entry {
                pv: false,
                ..entry(3, Bound::Lower)
            },
        );
        assert_eq!(table.probe(77).unwrap().depth, 20);
        table.new_search();
        table.store(77, entry(3, Bound::Lower));
        assert_eq!(table.probe(77).unwrap().depth, 3);
    }

    #[test]
    fn the_shallowest_of_a_full_cluster_gives_way() {
        let table = Table::new(1).unwrap();
        // Small keys share the first cluster.
        for (key, depth) in [(1, 9), (2, 4), (3, 7), (4, 5)] {
            table.store(key, entry(depth, Bound::Exact));
        }
        assert_eq!(table.probe(2), None);
        assert!([1, 3, 4].iter().all(|&key| table.probe(key).is_some()));
    }

    #[test]
    fn a_move_is_kept_when_the_new_entry_has_none() {
        let table = Table::new(1).unwrap();
        table.store(9, entry(3, Bound::Lower));
        table.store(
            9,
            Entry {
                mv: None,
                ..entry(6, Bound::Upper)
            },
        );
        assert_eq!(table.probe(9).unwrap().mv, Move::from_bits(0x31c));
    }

    #[test]
    fn hashfull_counts_this_search_only() {
        let table = Table::new(1).unwrap();
        for key in 0..1000u64 {
            // Spread over the first thousand clusters of 32768.
            table.store(key << 49 | key, entry(1, Bound::Exact));
        }
        assert!(
            (325..=340).contains(&table.hashfull()),
            "{}",
            table.hashfull()
        );
        table.new_search();
        assert_eq!(table.hashfull(), 0);
    }

    #[test]
    fn an_impossible_size_is_refused() {
        assert_eq!(
            Table::new(usize::MAX >> 1).err(),
            Some(TableError {
                mib: usize::MAX >> 1
            })
        );
        assert!(Table::new(1 << 34).is_err());
    }
}
