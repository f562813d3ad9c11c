//! Plain Rust, independent of the generic loops: the reference for all other sets, and what an
//! unknown CPU runs.

use super::{Chunk, Kernels, LANES, QA};

/// # Safety
///
/// None needed: `unsafe` only to have the same type as the other sets' functions.
unsafe fn update<const A: usize, const R: usize>(
    out: &mut [Chunk],
    input: &[Chunk],
    added: [&[Chunk]; A],
    removed: [&[Chunk]; R],
) {
    for (i, (out, input)) in out.iter_mut().zip(input).enumerate() {
        // A copy, which cannot overlap the rows: the compiler may then vectorise.
        let mut lanes = input.0;
        for row in added {
            combine(&mut lanes, &row[i].0, i16::wrapping_add);
        }
        for row in removed {
            combine(&mut lanes, &row[i].0, i16::wrapping_sub);
        }
        out.0 = lanes;
    }
}

#[inline(always)]
fn combine(lanes: &mut [i16; LANES], row: &[i16; LANES], with: fn(i16, i16) -> i16) {
    for (lane, weight) in lanes.iter_mut().zip(row) {
        *lane = with(*lane, *weight);
    }
}

/// # Safety
///
/// None needed: `unsafe` only to have the same type as the other sets' functions.
unsafe fn apply(values: &mut [Chunk], weights: &[Chunk], added: &[u16], removed: &[u16]) {
    let length = values.len();
    let row = |number: u16| &weights[usize::from(number) * length..][..length];
    for &number in added {
        for (value, weight) in values.iter_mut().zip(row(number)) {
            combine(&mut value.0, &weight.0, i16::wrapping_add);
        }
    }
    for &number in removed {
        for (value, weight) in values.iter_mut().zip(row(number)) {
            combine(&mut value.0, &weight.0, i16::wrapping_sub);
        }
    }
}

/// # Safety
///
/// None needed: `unsafe` only to have the same type as the other sets' functions.
unsafe fn output(mover: &[Chunk], other: &[Chunk], weights: &[Chunk]) -> i64 {
    let mut sum = 0;
    for (value, weight) in mover.iter().chain(other).zip(weights) {
        // One chunk's 32 products of at most 127 · 255² are far below 2³¹.
        let mut part = 0i32;
        for (value, weight) in value.0.iter().zip(&weight.0) {
            let x = (*value).clamp(0, QA as i16);
            part += i32::from(x.wrapping_mul(*weight)) * i32::from(x);
        }
        sum += i64::from(part);
    }
    sum
}

pub(super) const KERNELS: Kernels = Kernels {
    name: "scalar",
    quiet: update::<1, 1>,
    capture: update::<1, 2>,
    castle: update::<2, 2>,
    apply,
    output,
};
