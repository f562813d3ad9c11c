//! AVX2: a chunk is two registers.

use std::arch::x86_64::*;

use super::{Chunk, InstructionSet, QA};

struct Avx2;

// SAFETY of every block below: the caller vouches for AVX2, and a `Chunk` is two `__m256i`, aligned
// to 64 bytes.
impl InstructionSet for Avx2 {
    type Lanes = [__m256i; 2];
    type Sums = [__m256i; 2];
    const TILE: usize = 4;

    #[inline(always)]
    unsafe fn load(chunk: &Chunk) -> Self::Lanes {
        let start: *const __m256i = std::ptr::from_ref(chunk).cast();
        // SAFETY: see above.
        unsafe { [_mm256_load_si256(start), _mm256_load_si256(start.add(1))] }
    }

    #[inline(always)]
    unsafe fn store(chunk: &mut Chunk, lanes: Self::Lanes) {
        let start: *mut __m256i = std::ptr::from_mut(chunk).cast();
        // SAFETY: see above.
        unsafe {
            _mm256_store_si256(start, lanes[0]);
            _mm256_store_si256(start.add(1), lanes[1]);
        }
    }

    #[inline(always)]
    unsafe fn add(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        // SAFETY: see above.
        unsafe { [_mm256_add_epi16(a[0], b[0]), _mm256_add_epi16(a[1], b[1])] }
    }

    #[inline(always)]
    unsafe fn sub(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        // SAFETY: see above.
        unsafe { [_mm256_sub_epi16(a[0], b[0]), _mm256_sub_epi16(a[1], b[1])] }
    }

    #[inline(always)]
    unsafe fn no_sums() -> Self::Sums {
        // SAFETY: see above.
        unsafe { [_mm256_setzero_si256(); 2] }
    }

    #[inline(always)]
    unsafe fn add_squares(
        mut sums: Self::Sums,
        values: Self::Lanes,
        weights: Self::Lanes,
    ) -> Self::Sums {
        // SAFETY: see above.
        unsafe {
            let low = _mm256_setzero_si256();
            let high = _mm256_set1_epi16(QA as i16);
            for i in 0..2 {
                let x = _mm256_min_epi16(_mm256_max_epi16(values[i], low), high);
                let products = _mm256_mullo_epi16(x, weights[i]);
                sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(products, x));
            }
        }
        sums
    }

    #[inline(always)]
    unsafe fn total(sums: Self::Sums) -> i64 {
        // SAFETY: see above. Widened first: the sum of all lanes may exceed 32 bits.
        unsafe {
            let mut wide = _mm256_setzero_si256();
            for half in sums {
                let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(half));
                let high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(half));
                wide = _mm256_add_epi64(wide, _mm256_add_epi64(low, high));
            }
            let pair = _mm_add_epi64(
                _mm256_castsi256_si128(wide),
                _mm256_extracti128_si256::<1>(wide),
            );
            _mm_cvtsi128_si64(_mm_add_epi64(pair, _mm_unpackhi_epi64(pair, pair)))
        }
    }
}

super::compile_kernels!(Avx2, "avx2", "avx2");
