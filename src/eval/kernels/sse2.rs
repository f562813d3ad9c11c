//! SSE2, which every x86-64 CPU has: a chunk is four registers.

use std::arch::x86_64::*;

use super::{Chunk, InstructionSet, QA};

struct Sse2;

// SAFETY of every block below: every x86-64 CPU has SSE2, and a `Chunk` is four `__m128i`, aligned
// to 64 bytes.
impl InstructionSet for Sse2 {
    type Lanes = [__m128i; 4];
    type Sums = [__m128i; 4];
    const TILE: usize = 2;

    #[inline(always)]
    unsafe fn load(chunk: &Chunk) -> Self::Lanes {
        let start: *const __m128i = std::ptr::from_ref(chunk).cast();
        // SAFETY: see above.
        unsafe {
            [
                _mm_load_si128(start),
                _mm_load_si128(start.add(1)),
                _mm_load_si128(start.add(2)),
                _mm_load_si128(start.add(3)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn store(chunk: &mut Chunk, lanes: Self::Lanes) {
        let start: *mut __m128i = std::ptr::from_mut(chunk).cast();
        for (i, lane) in lanes.into_iter().enumerate() {
            // SAFETY: see above.
            unsafe { _mm_store_si128(start.add(i), lane) }
        }
    }

    #[inline(always)]
    unsafe fn add(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        // SAFETY: see above.
        unsafe {
            [
                _mm_add_epi16(a[0], b[0]),
                _mm_add_epi16(a[1], b[1]),
                _mm_add_epi16(a[2], b[2]),
                _mm_add_epi16(a[3], b[3]),
            ]
        }
    }

    #[inline(always)]
    unsafe fn sub(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes {
        // SAFETY: see above.
        unsafe {
            [
                _mm_sub_epi16(a[0], b[0]),
                _mm_sub_epi16(a[1], b[1]),
                _mm_sub_epi16(a[2], b[2]),
                _mm_sub_epi16(a[3], b[3]),
            ]
        }
    }

    #[inline(always)]
    unsafe fn no_sums() -> Self::Sums {
        // SAFETY: see above.
        unsafe { [_mm_setzero_si128(); 4] }
    }

    #[inline(always)]
    unsafe fn add_squares(
        mut sums: Self::Sums,
        values: Self::Lanes,
        weights: Self::Lanes,
    ) -> Self::Sums {
        // SAFETY: see above.
        unsafe {
            let low = _mm_setzero_si128();
            let high = _mm_set1_epi16(QA as i16);
            for i in 0..4 {
                let x = _mm_min_epi16(_mm_max_epi16(values[i], low), high);
                let products = _mm_mullo_epi16(x, weights[i]);
                sums[i] = _mm_add_epi32(sums[i], _mm_madd_epi16(products, x));
            }
        }
        sums
    }

    #[inline(always)]
    unsafe fn total(sums: Self::Sums) -> i64 {
        // Widened first: the sum of all lanes may exceed 32 bits.
        let mut chunk = [0i32; 16];
        for (part, sum) in chunk.chunks_exact_mut(4).zip(sums) {
            // SAFETY: see above; the part has the sixteen bytes written, at any alignment.
            unsafe { _mm_storeu_si128(part.as_mut_ptr().cast(), sum) }
        }
        chunk.into_iter().map(i64::from).sum()
    }
}

super::compile_kernels!(Sse2, "sse2");
