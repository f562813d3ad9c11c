//! What the kernels work on: up to 256 positions, taken apart into lists of features.
//!
//! Two lists hold the same pairs of position and feature. The way forward goes from position to
//! position and adds up the rows of their features; the way back goes from feature to feature and
//! adds up the gradients of the positions that have it, which keeps the sum in registers. Both run
//! over stretches of equal length (positions sorted by men, features by frequency), so that the
//! processor foresees where a list ends.

use super::math;
use super::sample::{FEATURES, MAX_MEN, Sample};

/// The most positions of a group.
pub const GROUP: usize = 256;

/// Rows of a group's table of gradients: two perspectives of each position.
pub const GRADIENT_ROWS: usize = 2 * GROUP;

/// How a position's target is made of its score and its game's result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The result's share, 0 to 1; the rest is the score's.
    pub lambda: f32,
    /// Centipawns that are worth odds of e to 1.
    pub scale: f32,
}

impl Target {
    /// The expected points of the side to move that the network shall learn.
    #[inline]
    pub fn of(&self, sample: &Sample) -> f32 {
        let judged = math::sigmoid(f32::from(sample.score) / self.scale);
        self.lambda * sample.points() + (1.0 - self.lambda) * judged
    }
}

/// The output bucket of a position with so many men.
pub fn bucket(men: usize, buckets: usize) -> usize {
    (men.saturating_sub(2) * buckets / MAX_MEN).min(buckets - 1)
}

/// Up to [`GROUP`] positions, sorted by their number of men.
pub struct Group {
    /// The number of men of each position, ascending.
    pub men: Vec<u8>,
    /// The active features of each position, one after another: the mover's, the opponent's.
    pub features: Vec<[u16; 2]>,
    /// The output bucket of each position.
    pub buckets: Vec<u8>,
    /// What the network shall say of each position, in points of the mover.
    pub targets: Vec<f32>,
    /// The features that occur, the rarest first, with the number of their occurrences.
    pub columns: Vec<(u16, u16)>,
    /// For each of these features, the rows it occurs in: twice the position, plus one for the
    /// opponent's perspective.
    pub rows: Vec<u16>,
    counts: Box<[u16; FEATURES]>,
    sorted: Vec<Sample>,
}

impl Default for Group {
    fn default() -> Group {
        Group {
            men: Vec::with_capacity(GROUP),
            features: Vec::with_capacity(GROUP * MAX_MEN),
            buckets: Vec::with_capacity(GROUP),
            targets: Vec::with_capacity(GROUP),
            columns: Vec::with_capacity(FEATURES),
            rows: Vec::with_capacity(GRADIENT_ROWS * MAX_MEN),
            counts: Box::new([0; FEATURES]),
            sorted: Vec::with_capacity(GROUP),
        }
    }
}

impl Group {
    /// The number of positions.
    pub fn len(&self) -> usize {
        self.men.len()
    }

    /// Are there no positions?
    pub fn is_empty(&self) -> bool {
        self.men.is_empty()
    }

    /// The positions, in the group's order.
    pub fn samples(&self) -> &[Sample] {
        &self.sorted
    }

    /// Takes up to [`GROUP`] positions apart for the way forward: the body of the kernel.
    #[inline(always)]
    pub(super) fn fill(&mut self, samples: &[&[Sample]], target: Target, buckets: usize) {
        self.sort(samples);
        self.men.clear();
        self.buckets.clear();
        self.targets.clear();
        // Room for a board full of men after each position's: no check for each of them.
        self.features.resize((GROUP + 1) * MAX_MEN, [0; 2]);
        let mut length = 0;
        for sample in &self.sorted {
            let men = sample.men();
            self.men.push(men as u8);
            self.buckets.push(bucket(men, buckets) as u8);
            self.targets.push(target.of(sample));
            if let Some(list) = self.features[length..].first_chunk_mut() {
                length += sample.list_features(list);
            }
        }
        self.features.truncate(length);
    }

    /// Sorts by the number of men; equals keep their order.
    #[inline(always)]
    fn sort(&mut self, samples: &[&[Sample]]) {
        let samples = || samples.iter().copied().flatten().take(GROUP);
        let mut starts = [0usize; MAX_MEN + 2];
        for sample in samples() {
            starts[sample.men() + 1] += 1;
        }
        for men in 1..starts.len() {
            starts[men] += starts[men - 1];
        }
        self.sorted.clear();
        let Some(&any) = samples().next() else { return };
        self.sorted.resize(starts[MAX_MEN + 1], any);
        for sample in samples() {
            let place = &mut starts[sample.men()];
            self.sorted[*place] = *sample;
            *place += 1;
        }
    }

    /// Makes the lists of the way back: the body of the kernel.
    #[inline(always)]
    pub(super) fn index_columns(&mut self) {
        let counts = &mut self.counts;
        counts.fill(0);
        for &[mover, other] in &self.features {
            counts[usize::from(mover)] += 1;
            counts[usize::from(other)] += 1;
        }
        self.sort_columns();
        let mut start = 0;
        for &(feature, length) in &self.columns {
            // From here on the next free place of the feature's list.
            self.counts[usize::from(feature)] = start;
            start += length;
        }
        self.rows.clear();
        self.rows.resize(usize::from(start), 0);
        let mut features = self.features.iter();
        for (position, &men) in self.men.iter().enumerate() {
            for &[mover, other] in features.by_ref().take(usize::from(men)) {
                for (feature, perspective) in [(mover, 0), (other, 1)] {
                    let place = &mut self.counts[usize::from(feature)];
                    self.rows[usize::from(*place)] = (2 * position + perspective) as u16;
                    *place += 1;
                }
            }
        }
    }

    /// Lists the features that occur, sorted by frequency, then by number.
    #[inline(always)]
    fn sort_columns(&mut self) {
        let mut starts = [0u16; GRADIENT_ROWS + 2];
        for &count in self.counts.iter().filter(|&&count| count > 0) {
            starts[usize::from(count) + 1] += 1;
        }
        for length in 1..starts.len() {
            starts[length] += starts[length - 1];
        }
        self.columns.clear();
        self.columns
            .resize(usize::from(starts[GRADIENT_ROWS + 1]), (0, 0));
        for (feature, &count) in self
            .counts
            .iter()
            .enumerate()
            .filter(|&(_, &count)| count > 0)
        {
            let place = &mut starts[usize::from(count)];
            self.columns[usize::from(*place)] = (feature as u16, count);
            *place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::data::tests::random_samples;
    use super::*;

    #[test]
    fn both_lists_hold_the_same_pairs() {
        let samples = random_samples(GROUP - 3, 1);
        let (a, b) = samples.split_at(100);
        let mut group = Group::default();
        let target = Target {
            lambda: 0.3,
            scale: 300.0,
        };
        for _ in 0..2 {
            group.fill(&[a, b], target, 8);
            group.index_columns();
        }
        assert_eq!(group.len(), samples.len());
        assert!(group.men.is_sorted());

        let mut forward = Vec::new();
        let mut features = group.features.iter();
        for (position, &men) in group.men.iter().enumerate() {
            for &[mover, other] in features.by_ref().take(men.into()) {
                forward.push((mover, 2 * position as u16));
                forward.push((other, 2 * position as u16 + 1));
            }
        }
        assert!(features.next().is_none());
        let mut back = Vec::new();
        let mut rows = group.rows.iter();
        for &(feature, length) in &group.columns {
            back.extend(rows.by_ref().take(length.into()).map(|&row| (feature, row)));
        }
        assert!(rows.next().is_none());
        assert!(
            group
                .columns
                .is_sorted_by_key(|&(feature, length)| (length, feature))
        );
        forward.sort_unstable();
        back.sort_unstable();
        assert_eq!(forward, back);

        let mut sorted = samples;
        sorted.sort_by_key(Sample::men);
        assert_eq!(group.samples(), sorted);
        for (sample, &found) in sorted.iter().zip(&group.targets) {
            let judged = 1.0 / (1.0 + (-f64::from(sample.score) / 300.0).exp());
            let expected = 0.3 * f64::from(sample.points()) + 0.7 * judged;
            assert!((f64::from(found) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn buckets_are_four_men_wide() {
        let by_men = |men| bucket(men, 8);
        assert_eq!([2, 5, 6, 29, 30, 32].map(by_men), [0, 0, 1, 6, 7, 7]);
        assert_eq!([2, 17, 32].map(|men| bucket(men, 1)), [0, 0, 0]);
    }
}
