//! AVX-512 with byte and word instructions: a chunk is one register.

use std::arch::x86_64::*;

use super::{Chunk, InstructionSet, QA};

struct Avx512;

// SAFETY of every block below: the caller vouches for AVX-512F and BW, and a `Chunk` is 64 bytes,
// aligned to 64.
impl InstructionSet for Avx512 {
    type Lanes = __m512i;
    type Sums = __m512i;
    const TILE: usize = 8;

    #[inline(always)]
    unsafe fn load(chunk: &Chunk) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_load_si512(std::ptr::from_ref(chunk).cast()) }
    }

    #[inline(always)]
    unsafe fn store(chunk: &mut Chunk, lanes: __m512i) {
        // SAFETY: see above.
        unsafe { _mm512_store_si512(std::ptr::from_mut(chunk).cast(), lanes) }
    }

    #[inline(always)]
    unsafe fn add(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_add_epi16(a, b) }
    }

    #[inline(always)]
    unsafe fn sub(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_sub_epi16(a, b) }
    }

    #[inline(always)]
    unsafe fn no_sums() -> __m512i {
        // SAFETY: see above.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    unsafe fn add_squares(sums: __m512i, values: __m512i, weights: __m512i) -> __m512i {
        // SAFETY: see above.
        unsafe {
            let low = _mm512_setzero_si512();
            let high = _mm512_set1_epi16(QA as i16);
            let x = _mm512_min_epi16(_mm512_max_epi16(values, low), high);
            _mm512_add_epi32(sums, _mm512_madd_epi16(_mm512_mullo_epi16(x, weights), x))
        }
    }

    #[inline(always)]
    unsafe fn total(sums: __m512i) -> i64 {
        // SAFETY: see above. Widened first: the sum of all lanes may exceed 32 bits.
        unsafe {
            let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sums));
            let high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(sums));
            _mm512_reduce_add_epi64(_mm512_add_epi64(low, high))
        }
    }
}

super::compile_kernels!(Avx512, "avx512", "avx512f,avx512bw");
