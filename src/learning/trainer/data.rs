//! Samples in memory: read from files of games, split by game, shuffled; and the order in which an
//! epoch goes through them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crossbeam_channel::{Receiver, Sender, bounded};

use super::group::GROUP;
use super::sample::Sample;
use super::scale::{fit_scale, normalise};
use crate::base::rng::{Rng, mix};
use crate::learning::game_file::file_totals;
use crate::learning::games::{Block, GameError, GameReader, GameRecord};

/// One game in so many is held back to measure what was learned.
const VALIDATION_SHARE: u64 = 50;

/// The most samples that are kept for validation: more would only cost time.
const MAX_VALIDATION: usize = 1 << 19;

/// Samples that stay together from epoch to epoch. They were shuffled once, when they were read, so
/// a run is as good as random, and reading it is as fast as memory can be.
const RUN: usize = 64;

/// Runs of a full group.
const RUNS: usize = GROUP / RUN;

/// What to learn from.
#[derive(Default)]
pub struct Dataset {
    /// To learn from, shuffled.
    pub training: Vec<Sample>,
    /// To measure with: positions of other games.
    pub validation: Vec<Sample>,
    /// For each file, the centipawns worth odds of e to 1 that its scores were taken to have.
    pub scales: Vec<f32>,
    /// Games read.
    pub games: u64,
    /// Remarks for the user, such as a torn tail that was skipped.
    pub notes: Vec<String>,
    /// Tells one set of games from another.
    pub fingerprint: u64,
}

/// What could not be read, and why.
#[derive(Debug)]
pub struct DataError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub error: GameError,
}

impl std::fmt::Display for DataError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for DataError {}

/// A block's samples.
#[derive(Default)]
struct Decoded {
    training: Vec<Sample>,
    validation: Vec<Sample>,
    games: u64,
    fingerprint: u64,
}

impl Dataset {
    /// Reads the kept positions of all games of some files, on several threads; the scores are
    /// normalised (see [`normalise`]) from `scale` or, without it, from the scale fitted to each
    /// file's games. The result depends on the files' order and the seed of the shuffling, but not on the number of threads.
    /// `progress` is told how many positions were read and how many there are.
    pub fn load(
        paths: &[PathBuf],
        scale: Option<f32>,
        seed: u64,
        threads: usize,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Dataset, DataError> {
        let mut expected = 0;
        for path in paths {
            let totals = file_totals(path);
            expected += totals
                .map_err(|error| DataError {
                    path: path.clone(),
                    error,
                })?
                .kept;
        }
        let mut data = Dataset::default();
        data.training.reserve_exact(expected as usize);
        for path in paths {
            let (training, validation) = (data.training.len(), data.validation.len());
            data.read(path, threads.max(1), &mut |read| progress(read, expected))?;
            let scale = scale.unwrap_or_else(|| fit_scale(&data.training[training..]));
            normalise(&mut data.training[training..], scale);
            normalise(&mut data.validation[validation..], scale);
            data.scales.push(scale);
        }
        if let Some(scale) = scale {
            data.fingerprint = mix(data.fingerprint ^ u64::from(scale.to_bits()));
        }
        data.finish(seed);
        Ok(data)
    }

    /// A set of samples that are already there; those for validation apart.
    pub fn of(training: Vec<Sample>, validation: Vec<Sample>, seed: u64) -> Dataset {
        let sum = |sum: u64, sample: &Sample| sum.wrapping_add(mix(sample.score as u64));
        let fingerprint = training.iter().fold(training.len() as u64, sum);
        let mut data = Dataset {
            training,
            validation,
            fingerprint,
            ..Dataset::default()
        };
        data.finish(seed);
        data
    }

    /// Leaves at most so many samples to learn from: the first of the shuffled ones.
    pub fn limit(&mut self, positions: usize) {
        if positions < self.training.len() {
            self.training.truncate(positions);
            self.fingerprint = mix(self.fingerprint ^ positions as u64);
        }
    }

    fn finish(&mut self, seed: u64) {
        Rng::stream(seed, 0).shuffle(&mut self.training);
        // Some of all games, if not all can be used.
        Rng::stream(seed, 1).shuffle(&mut self.validation);
        self.validation.truncate(MAX_VALIDATION);
    }

    fn read(
        &mut self,
        path: &Path,
        threads: usize,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), DataError> {
        let fail = |error| DataError {
            path: path.to_owned(),
            error,
        };
        let mut reader = GameReader::open(path).map_err(fail)?;
        std::thread::scope(|scope| {
            let (blocks, to_decode) = bounded::<(usize, Block)>(2 * threads);
            let (decoded, results) = bounded(2 * threads);
            for _ in 0..threads {
                let (to_decode, decoded) = (to_decode.clone(), decoded.clone());
                scope.spawn(move || decode_blocks(&to_decode, &decoded));
            }
            drop((to_decode, decoded));
            let reader = &mut reader;
            let failure = scope.spawn(move || {
                for (number, block) in reader.enumerate() {
                    match block {
                        Ok(block) => blocks.send((number, block)).ok()?,
                        Err(error) => return Some(error),
                    }
                }
                // All was sent; or nobody listens any more, because a block was bad.
                None
            });
            self.collect(results, progress).map_err(fail)?;
            match failure.join() {
                Ok(Some(error)) => Err(fail(error)),
                _ => Ok(()),
            }
        })?;
        self.notes.extend(
            reader
                .note()
                .map(|note| format!("{}: {note}", path.display())),
        );
        Ok(())
    }

    /// Puts the blocks' samples in the blocks' order.
    fn collect(
        &mut self,
        results: Receiver<(usize, Result<Decoded, GameError>)>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), GameError> {
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for (number, decoded) in results {
            waiting.insert(number, decoded?);
            while let Some(decoded) = waiting.remove(&next) {
                self.training.extend_from_slice(&decoded.training);
                self.validation.extend_from_slice(&decoded.validation);
                self.games += decoded.games;
                self.fingerprint = self.fingerprint.wrapping_add(decoded.fingerprint);
                next += 1;
                progress((self.training.len() + self.validation.len()) as u64);
            }
        }
        Ok(())
    }
}

fn decode_blocks(
    blocks: &Receiver<(usize, Block)>,
    results: &Sender<(usize, Result<Decoded, GameError>)>,
) {
    for (number, block) in blocks {
        if results.send((number, decode(&block))).is_err() {
            return;
        }
    }
}

fn decode(block: &Block) -> Result<Decoded, GameError> {
    let mut decoded = Decoded::default();
    for game in block.games()? {
        let hash = hash(&game);
        let samples = if hash.is_multiple_of(VALIDATION_SHARE) {
            &mut decoded.validation
        } else {
            &mut decoded.training
        };
        for played in game.positions()? {
            let played = played?;
            if played.keep() {
                samples.extend(Sample::new(&played));
            }
        }
        decoded.games += 1;
        decoded.fingerprint = decoded.fingerprint.wrapping_add(mix(hash));
    }
    Ok(decoded)
}

/// A hash of a game's moves: the same game falls on the same side of the split wherever it is met.
fn hash(game: &GameRecord) -> u64 {
    let mut hash = game.plies.len() as u64;
    for bytes in game.start.to_bytes().chunks(4) {
        hash = mix(hash
            ^ bytes
                .iter()
                .fold(0, |word, &byte| word << 8 | u64::from(byte)));
    }
    game.plies
        .iter()
        .fold(hash, |hash, ply| mix(hash ^ u64::from(ply.mv.bits())))
}

/// The order of one epoch, and its batches.
pub struct Epoch<'a> {
    samples: &'a [Sample],
    /// Numbers of runs, shuffled.
    order: Vec<u32>,
    /// Groups of a batch.
    groups: usize,
}

impl<'a> Epoch<'a> {
    /// Epoch `number` over samples, in batches of `groups` groups.
    pub fn new(samples: &'a [Sample], seed: u64, number: usize, groups: usize) -> Epoch<'a> {
        let mut order: Vec<u32> = (0..samples.len().div_ceil(RUN) as u32).collect();
        Rng::stream(seed, 2 + number as u64).shuffle(&mut order);
        Epoch {
            samples,
            order,
            groups,
        }
    }

    /// How many batches an epoch has: full ones only, unless there is not even one of these. What
    /// is left over is other samples in each epoch.
    pub fn batches(samples: usize, groups: usize) -> usize {
        (samples.div_ceil(RUN) / (groups * RUNS)).max(1)
    }

    /// Groups of a batch; less than a full batch when there are not enough samples for one.
    pub fn groups(&self) -> usize {
        self.groups.min(self.order.len().div_ceil(RUNS))
    }

    /// A group's samples.
    pub fn group(&self, batch: usize, group: usize) -> [&'a [Sample]; RUNS] {
        let first = (batch * self.groups + group) * RUNS;
        std::array::from_fn(|i| match self.order.get(first + i) {
            Some(&run) => {
                let start = run as usize * RUN;
                &self.samples[start..(start + RUN).min(self.samples.len())]
            }
            None => &[],
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::learning::games::GameWriter;
    use crate::learning::games::tests::random_game;
    use crate::learning::trainer::scale::SCALE;

    /// Samples of random games with random scores and results.
    pub fn random_samples(count: usize, seed: u64) -> Vec<Sample> {
        let mut samples = Vec::new();
        for game in 0.. {
            let record = random_game(mix(seed) % 1_000_000 * 1000 + game, 200);
            for played in record.positions().unwrap().step_by(5) {
                samples.extend(Sample::new(&played.unwrap()));
                if samples.len() == count {
                    return samples;
                }
            }
        }
        samples
    }

    #[test]
    fn an_epoch_meets_every_sample_of_its_batches_once() {
        let samples: Vec<_> = random_samples(5 * GROUP + 70, 3);
        let epoch = Epoch::new(&samples, 9, 0, 2);
        assert_eq!((Epoch::batches(samples.len(), 2), epoch.groups()), (2, 2));
        let mut met = vec![0; samples.len()];
        for batch in 0..2 {
            for group in 0..2 {
                for sample in epoch.group(batch, group).into_iter().flatten() {
                    let place = std::ptr::from_ref(sample).addr() - samples.as_ptr().addr();
                    met[place / size_of::<Sample>()] += 1;
                }
            }
        }
        assert!(met.iter().all(|&times| times <= 1));
        let met: usize = met.iter().sum();
        assert!((4 * GROUP - RUN..=4 * GROUP).contains(&met), "{met}");
    }

    #[test]
    fn few_samples_are_one_small_batch() {
        let samples = random_samples(100, 4);
        let epoch = Epoch::new(&samples, 9, 0, 64);
        assert_eq!((Epoch::batches(100, 64), epoch.groups()), (1, 1));
        assert_eq!(
            epoch.group(0, 0).iter().map(|run| run.len()).sum::<usize>(),
            100
        );
    }

    #[test]
    fn reading_does_not_depend_on_the_threads() {
        let path = std::env::temp_dir().join(format!("standpat-data-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let mut writer = GameWriter::open(&path).unwrap();
        for seed in 0..300 {
            writer.write(&random_game(seed, 90)).unwrap();
            if seed % 20 == 0 {
                writer.flush().unwrap();
            }
        }
        drop(writer);
        let mut last = (0, 0);
        let paths = [path.clone()];
        let mut load = |threads| {
            Dataset::load(&paths, None, 5, threads, &mut |read, all| {
                last = (read, all)
            })
            .unwrap()
        };
        let (one, three) = (load(1), load(3));
        assert_eq!(one.training, three.training);
        assert_eq!(one.validation, three.validation);
        assert_eq!(one.fingerprint, three.fingerprint);
        assert_eq!((one.games, last.0), (300, last.1));
        assert_eq!(last.0, (one.training.len() + one.validation.len()) as u64);
        assert!(one.validation.len() * 10 < one.training.len() && !one.validation.is_empty());

        // Scores of twice the usual scale are halved, whatever they led to.
        let scaled = |scale| Dataset::load(&paths, Some(scale), 5, 2, &mut |_, _| ()).unwrap();
        let (usual, halved) = (scaled(SCALE), scaled(2.0 * SCALE));
        assert_ne!(usual.fingerprint, halved.fingerprint);
        assert_eq!(halved.scales, [2.0 * SCALE]);
        for (usual, halved) in usual.training.iter().zip(&halved.training) {
            assert!((i32::from(usual.score) - 2 * i32::from(halved.score)).abs() <= 1);
        }

        let mut bytes = std::fs::read(&path).unwrap();
        bytes[3000] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert!(Dataset::load(&paths, None, 5, 2, &mut |_, _| {}).is_err());
        std::fs::remove_file(&path).unwrap();
    }
}
