//! NEON: a chunk is four registers.

use std::arch::aarch64::*;

use super::{Chunk, InstructionSet, QA};

struct Neon;

// SAFETY of every block below: the caller vouches for NEON, and a `Chunk` is thirty-two `i16`.
impl InstructionSet for Neon {
    type Lanes = [int16x8_t; 4];
    type Sums = [int32x4_t; 4];
    const TILE: usize = 4;

    #[inline(always)]
    unsafe fn load(chunk: &Chunk) -> Self::Lanes {
        let start = chunk.0.as_ptr();
        // SAFETY: see above.
        unsafe {
            [
                vld1q_s16(start),
                vld1q_s16(start.add(8)),
                vld1q_s16(start.add(16)),
                vld1q_s16(start.add(24)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn store(chunk: &mut Chunk, lanes: Self::Lanes) {
        let start = chunk.0.as_mut_ptr();
        for (i, lane) in lanes.into_iter().enumerate() {
            // SAFETY: see above.
            unsafe { vst1q_s16(start.add(8 * i), lane) }
        }
    }

    #[inline(always)]
    unsafe fn add(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        // SAFETY: see above.
        unsafe {
            [
                vaddq_s16(a[0], b[0]),
                vaddq_s16(a[1], b[1]),
                vaddq_s16(a[2], b[2]),
                vaddq_s16(a[3], b[3]),
            ]
        }
    }

    #[inline(always)]
    unsafe fn sub(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        // SAFETY: see above.
        unsafe {
            [
                vsubq_s16(a[0], b[0]),
                vsubq_s16(a[1], b[1]),
                vsubq_s16(a[2], b[2]),
                vsubq_s16(a[3], b[3]),
            ]
        }
    }

    #[inline(always)]
    unsafe fn no_sums() -> Self::Sums {
        // SAFETY: see above.
        unsafe { [vdupq_n_s32(0); 4] }
    }

    #[inline(always)]
    unsafe fn add_squares(
        mut sums: Self::Sums,
        values: Self::Lanes,
        weights: Self::Lanes,
    ) -> Self::Sums {
        // SAFETY: see above.
        unsafe {
            let low = vdupq_n_s16(0);
            let high = vdupq_n_s16(QA as i16);
            for i in 0..4 {
                let x = vminq_s16(vmaxq_s16(values[i], low), high);
                let products = vmulq_s16(x, weights[i]);
                sums[i] = vmlal_s16(sums[i], vget_low_s16(products), vget_low_s16(x));
                sums[i] = vmlal_high_s16(sums[i], products, x);
            }
        }
        sums
    }

    #[inline(always)]
    unsafe fn total(sums: Self::Sums) -> i64 {
        // SAFETY: see above. Widened: the sum of all lanes may exceed 32 bits.
        sums.into_iter()
            .map(|sum| unsafe { vaddlvq_s32(sum) })
            .sum()
    }
}

super::compile_kernels!(Neon, "neon", "neon");
