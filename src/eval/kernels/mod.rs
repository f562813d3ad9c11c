//! The inner loops of the network, once for each instruction set, chosen at run time.
//!
//! The loops themselves are written once, over an [`InstructionSet`]: how to load a [`Chunk`] into
//! registers, add, subtract and multiply it; the plain ones beside them are the reference. Every set gives the same bits: sums of feature rows
//! wrap in sixteen bits, and the output's partial sums cannot overflow (see [`LONGEST`]), so the
//! order in which they are added does not matter.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(test)]
mod tests;

/// Sixteen-bit lanes of a [`Chunk`].
pub const LANES: usize = 32;

/// Accumulators, rows of feature weights and output weights are cut into these: 64 bytes, one
/// cache line, aligned to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Chunk(pub [i16; LANES]);

impl Chunk {
    /// All lanes zero.
    pub const ZERO: Chunk = Chunk([0; LANES]);
}

/// The largest value of an activation: 1.0 in the network's fixed point.
pub const QA: i32 = 255;

/// Output weights lie in ±this, so that `activation * weight` fits sixteen bits.
pub const MAX_OUTPUT_WEIGHT: i16 = 127;

/// The most chunks that one [`Kernels::output`] may see in each half.
///
/// Whatever the instruction set, a half-chunk's worth of 32-bit partial sums (sixteen) is kept, and
/// each takes two products of at most 127 · 255² from each chunk of either half: 2 · 64 · 2 ·
/// 8 258 175 = 2 114 092 800 < 2³¹.
pub const LONGEST: usize = 64;

const _: () = assert!(
    (2 * LONGEST as i64) * 2 * MAX_OUTPUT_WEIGHT as i64 * (QA as i64 * QA as i64)
        <= i32::MAX as i64
);

/// What an instruction set can do with a chunk.
///
/// # Safety
///
/// Every function may only be called on a CPU that has the instruction set.
trait InstructionSet {
    /// A chunk in registers.
    type Lanes: Copy;
    /// Sixteen 32-bit partial sums in registers.
    type Sums: Copy;
    /// Chunks that [`apply`] holds in registers at once.
    const TILE: usize;

    unsafe fn load(chunk: &Chunk) -> Self::Lanes;
    unsafe fn store(chunk: &mut Chunk, lanes: Self::Lanes);
    /// Lane by lane, wrapping.
    unsafe fn add(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    /// Lane by lane, wrapping.
    unsafe fn sub(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    unsafe fn no_sums() -> Self::Sums;
    /// Adds `x * x * weight` of every lane, where `x` is the value clamped to 0..=[`QA`].
    unsafe fn add_squares(
        sums: Self::Sums,
        values: Self::Lanes,
        weights: Self::Lanes,
    ) -> Self::Sums;
    unsafe fn total(sums: Self::Sums) -> i64;
}

/// `out = input + added rows - removed rows`, all of `out`'s length.
///
/// # Safety
///
/// As for [`InstructionSet`].
#[inline(always)]
unsafe fn update<I: InstructionSet, const A: usize, const R: usize>(
    out: &mut [Chunk],
    input: &[Chunk],
    added: [&[Chunk]; A],
    removed: [&[Chunk]; R],
) {
    let length = out.len();
    let input = &input[..length];
    let added = added.map(|row| &row[..length]);
    let removed = removed.map(|row| &row[..length]);
    for i in 0..length {
        // SAFETY: the caller vouches for the instruction set.
        unsafe {
            let mut lanes = I::load(&input[i]);
            for row in added {
                lanes = I::add(lanes, I::load(&row[i]));
            }
            for row in removed {
                lanes = I::sub(lanes, I::load(&row[i]));
            }
            I::store(&mut out[i], lanes);
        }
    }
}

/// Adds and removes any number of rows of `weights`, each as long as `values`, in place.
///
/// # Safety
///
/// As for [`InstructionSet`].
#[inline(always)]
unsafe fn apply<I: InstructionSet, const TILE: usize>(
    values: &mut [Chunk],
    weights: &[Chunk],
    added: &[u16],
    removed: &[u16],
) {
    let length = values.len();
    let mut first = 0;
    while first + TILE <= length {
        // SAFETY: the caller vouches for the instruction set.
        unsafe { apply_tile::<I, TILE>(values, first, weights, added, removed) };
        first += TILE;
    }
    while first < length {
        // SAFETY: the caller vouches for the instruction set.
        unsafe { apply_tile::<I, 1>(values, first, weights, added, removed) };
        first += 1;
    }
}

/// [`apply`] for the chunks `first .. first + T`, which stay in registers meanwhile.
///
/// # Safety
///
/// As for [`InstructionSet`].
#[inline(always)]
unsafe fn apply_tile<I: InstructionSet, const T: usize>(
    values: &mut [Chunk],
    first: usize,
    weights: &[Chunk],
    added: &[u16],
    removed: &[u16],
) {
    let length = values.len();
    let row = |number: u16| {
        let start = usize::from(number) * length + first;
        &weights[start..start + T]
    };
    let values = &mut values[first..first + T];
    // SAFETY: the caller vouches for the instruction set.
    unsafe {
        // Loops, not closures: a closure might not be inlined into the instruction set's function.
        let mut tile = [I::load(&values[0]); T];
        for i in 1..T {
            tile[i] = I::load(&values[i]);
        }
        for &number in added {
            let row = row(number);
            for i in 0..T {
                tile[i] = I::add(tile[i], I::load(&row[i]));
            }
        }
        for &number in removed {
            let row = row(number);
            for i in 0..T {
                tile[i] = I::sub(tile[i], I::load(&row[i]));
            }
        }
        for i in 0..T {
            I::store(&mut values[i], tile[i]);
        }
    }
}

/// The sum of `x * x * weight` over both halves, where `x` is the value clamped to 0..=[`QA`]:
/// `weights` are those of the mover's half, then those of the other's.
///
/// # Safety
///
/// As for [`InstructionSet`].
#[inline(always)]
unsafe fn output<I: InstructionSet>(mover: &[Chunk], other: &[Chunk], weights: &[Chunk]) -> i64 {
    let length = mover.len();
    let other = &other[..length];
    let (mover_weights, other_weights) = weights.split_at(length);
    let other_weights = &other_weights[..length];
    // SAFETY: the caller vouches for the instruction set.
    unsafe {
        let mut sums = I::no_sums();
        for i in 0..length {
            sums = I::add_squares(sums, I::load(&mover[i]), I::load(&mover_weights[i]));
            sums = I::add_squares(sums, I::load(&other[i]), I::load(&other_weights[i]));
        }
        I::total(sums)
    }
}

type Update<const A: usize, const R: usize> =
    unsafe fn(&mut [Chunk], &[Chunk], [&[Chunk]; A], [&[Chunk]; R]);

type Apply = unsafe fn(&mut [Chunk], &[Chunk], &[u16], &[u16]);

type Output = unsafe fn(&[Chunk], &[Chunk], &[Chunk]) -> i64;

/// The loops of one instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    name: &'static str,
    quiet: Update<1, 1>,
    capture: Update<1, 2>,
    castle: Update<2, 2>,
    apply: Apply,
    output: Output,
}

/// The generic loops compiled for one instruction set, as that module's `KERNELS`.
macro_rules! compile_kernels {
    ($set:ty, $name:literal $(, $feature:literal)?) => {
        // Each function is `unsafe` for one reason: it needs the CPU to have the instruction set.
        $(#[target_feature(enable = $feature)])?
        unsafe fn update<const A: usize, const R: usize>(
            out: &mut [Chunk],
            input: &[Chunk],
            added: [&[Chunk]; A],
            removed: [&[Chunk]; R],
        ) {
            // SAFETY: this function's caller vouches for the instruction set.
            unsafe { super::update::<$set, A, R>(out, input, added, removed) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn apply(
            values: &mut [Chunk],
            weights: &[Chunk],
            added: &[u16],
            removed: &[u16],
        ) {
            const TILE: usize = <$set as super::InstructionSet>::TILE;
            // SAFETY: this function's caller vouches for the instruction set.
            unsafe { super::apply::<$set, TILE>(values, weights, added, removed) }
        }

        $(#[target_feature(enable = $feature)])?
        unsafe fn output(mover: &[Chunk], other: &[Chunk], weights: &[Chunk]) -> i64 {
            // SAFETY: this function's caller vouches for the instruction set.
            unsafe { super::output::<$set>(mover, other, weights) }
        }

        pub(super) const KERNELS: super::Kernels = super::Kernels {
            name: $name,
            quiet: update::<1, 1>,
            capture: update::<1, 2>,
            castle: update::<2, 2>,
            apply,
            output,
        };
    };
}
use compile_kernels;

impl Kernels {
    /// The fastest kernels that this CPU can run.
    pub fn best() -> Kernels {
        Kernels::available()
            .first()
            .copied()
            .unwrap_or(scalar::KERNELS)
    }

    /// All kernels that this CPU can run, the fastest first; never empty.
    pub fn available() -> Vec<Kernels> {
        let mut list = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                list.push(avx512::KERNELS);
            }
            if is_x86_feature_detected!("avx2") {
                list.push(avx2::KERNELS);
            }
            // Part of every x86-64 CPU.
            list.push(sse2::KERNELS);
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            list.push(neon::KERNELS);
        }
        list.push(scalar::KERNELS);
        list
    }

    /// The instruction set's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// `out = input + added - removed`.
    #[inline]
    pub fn quiet(&self, out: &mut [Chunk], input: &[Chunk], added: &[Chunk], removed: &[Chunk]) {
        // SAFETY: a value of this type is only made after its instruction set was detected.
        unsafe { (self.quiet)(out, input, [added], [removed]) }
    }

    /// `out = input + added - removed - removed`.
    #[inline]
    pub fn capture(
        &self,
        out: &mut [Chunk],
        input: &[Chunk],
        added: &[Chunk],
        removed: [&[Chunk]; 2],
    ) {
        // SAFETY: a value of this type is only made after its instruction set was detected.
        unsafe { (self.capture)(out, input, [added], removed) }
    }

    /// `out = input + added + added - removed - removed`.
    #[inline]
    pub fn castle(
        &self,
        out: &mut [Chunk],
        input: &[Chunk],
        added: [&[Chunk]; 2],
        removed: [&[Chunk]; 2],
    ) {
        // SAFETY: a value of this type is only made after its instruction set was detected.
        unsafe { (self.castle)(out, input, added, removed) }
    }

    /// Adds and removes any number of rows of `weights`, each as long as `values`, in place.
    pub fn apply(&self, values: &mut [Chunk], weights: &[Chunk], added: &[u16], removed: &[u16]) {
        // SAFETY: a value of this type is only made after its instruction set was detected.
        unsafe { (self.apply)(values, weights, added, removed) }
    }

    /// The output layer's sum, at scale [`QA`]² · QB: the values, clamped to 0..=[`QA`] and squared,
    /// times their weights (the mover's half, then the other's). Weights must lie in
    /// ±[`MAX_OUTPUT_WEIGHT`] and each half has at most [`LONGEST`] chunks.
    #[inline]
    pub fn output(&self, mover: &[Chunk], other: &[Chunk], weights: &[Chunk]) -> i64 {
        debug_assert!(mover.len() <= LONGEST);
        // SAFETY: a value of this type is only made after its instruction set was detected.
        unsafe { (self.output)(mover, other, weights) }
    }
}
