//! Every instruction set against plain arithmetic, bit for bit; and how fast each is.

use std::hint::black_box;
use std::time::Instant;

use super::*;
use crate::base::rng::Rng;

fn random_chunks(
    rng: &mut Rng,
    length: usize,
    mut value: impl FnMut(&mut Rng) -> i16,
) -> Vec<Chunk> {
    (0..length)
        .map(|_| Chunk(std::array::from_fn(|_| value(rng))))
        .collect()
}

/// Any value, with the extremes often.
fn wild(rng: &mut Rng) -> i16 {
    match rng.below(8) {
        0 => i16::MIN,
        1 => i16::MAX,
        2 => QA as i16,
        _ => rng.next_u64() as i16,
    }
}

fn weight(rng: &mut Rng) -> i16 {
    rng.below(255) as i16 - MAX_OUTPUT_WEIGHT
}

fn lanes(chunks: &[Chunk]) -> impl Iterator<Item = i16> + '_ {
    chunks.iter().flat_map(|chunk| chunk.0)
}

fn summed(input: &[Chunk], added: &[&[Chunk]], removed: &[&[Chunk]]) -> Vec<Chunk> {
    let mut out = input.to_vec();
    for (i, chunk) in out.iter_mut().enumerate() {
        for (lane, value) in chunk.0.iter_mut().enumerate() {
            for row in added {
                *value = value.wrapping_add(row[i].0[lane]);
            }
            for row in removed {
                *value = value.wrapping_sub(row[i].0[lane]);
            }
        }
    }
    out
}

fn dot(mover: &[Chunk], other: &[Chunk], weights: &[Chunk]) -> i64 {
    lanes(mover)
        .chain(lanes(other))
        .zip(lanes(weights))
        .map(|(value, weight)| {
            let x = i64::from(value).clamp(0, i64::from(QA));
            x * x * i64::from(weight)
        })
        .sum()
}

#[test]
fn updates_are_exact_in_every_instruction_set() {
    let mut rng = Rng::new(11);
    for kernels in Kernels::available() {
        for length in [2, 4, 6, 8, 12, 16, 32, 64] {
            let rows: Vec<Vec<Chunk>> = (0..5)
                .map(|_| random_chunks(&mut rng, length, wild))
                .collect();
            let [input, a, b, c, d] = rows.each_ref_array();
            let mut out = vec![Chunk::ZERO; length];
            kernels.quiet(&mut out, input, a, b);
            assert_eq!(out, summed(input, &[a], &[b]), "{}", kernels.name());
            kernels.capture(&mut out, input, a, [b, c]);
            assert_eq!(out, summed(input, &[a], &[b, c]), "{}", kernels.name());
            kernels.castle(&mut out, input, [a, b], [c, d]);
            assert_eq!(out, summed(input, &[a, b], &[c, d]), "{}", kernels.name());
        }
    }
}

trait EachRef {
    fn each_ref_array(&self) -> [&[Chunk]; 5];
}

impl EachRef for Vec<Vec<Chunk>> {
    fn each_ref_array(&self) -> [&[Chunk]; 5] {
        std::array::from_fn(|i| self[i].as_slice())
    }
}

#[test]
fn applying_many_rows_is_exact_in_every_instruction_set() {
    let mut rng = Rng::new(12);
    for kernels in Kernels::available() {
        for length in [2, 4, 6, 8, 10, 16, 24, 64] {
            let weights = random_chunks(&mut rng, 40 * length, wild);
            let values = random_chunks(&mut rng, length, wild);
            for (adds, removes) in [(0, 0), (1, 0), (0, 1), (32, 0), (3, 7), (5, 5)] {
                let added: Vec<u16> = (0..adds).map(|_| rng.below(40) as u16).collect();
                let removed: Vec<u16> = (0..removes).map(|_| rng.below(40) as u16).collect();
                let row = |&n: &u16| &weights[usize::from(n) * length..][..length];
                let expected = summed(
                    &values,
                    &added.iter().map(row).collect::<Vec<_>>(),
                    &removed.iter().map(row).collect::<Vec<_>>(),
                );
                let mut out = values.clone();
                kernels.apply(&mut out, &weights, &added, &removed);
                assert_eq!(out, expected, "{}", kernels.name());
            }
        }
    }
}

#[test]
fn the_output_is_exact_in_every_instruction_set() {
    let mut rng = Rng::new(13);
    for kernels in Kernels::available() {
        for length in [2, 4, 6, 8, 16, 32, 64] {
            for _ in 0..50 {
                let mover = random_chunks(&mut rng, length, wild);
                let other = random_chunks(&mut rng, length, |rng| rng.below(600) as i16 - 200);
                let weights = random_chunks(&mut rng, 2 * length, weight);
                assert_eq!(
                    kernels.output(&mover, &other, &weights),
                    dot(&mover, &other, &weights),
                    "{}",
                    kernels.name()
                );
            }
        }
    }
}

#[test]
fn the_largest_possible_output_does_not_overflow() {
    for kernels in Kernels::available() {
        for weight in [MAX_OUTPUT_WEIGHT, -MAX_OUTPUT_WEIGHT] {
            let full = vec![Chunk([i16::MAX; LANES]); LONGEST];
            let weights = vec![Chunk([weight; LANES]); 2 * LONGEST];
            let expected = 4096 * 255 * 255 * i64::from(weight);
            assert_eq!(
                kernels.output(&full, &full, &weights),
                expected,
                "{}",
                kernels.name()
            );
        }
    }
}

#[cfg(test)]
mod measurement {
    use super::*;

    /// Nanoseconds of one call, the least of several runs.
    fn nanoseconds(mut call: impl FnMut(usize)) -> f64 {
        const CALLS: usize = 20_000;
        (0..15)
            .map(|_| {
                let start = Instant::now();
                for i in 0..CALLS {
                    call(i);
                }
                start.elapsed().as_nanos() as f64 / CALLS as f64
            })
            .fold(f64::INFINITY, f64::min)
    }

    /// `cargo test --release --lib kernels -- --ignored --nocapture`
    #[test]
    #[ignore = "a measurement, not a check"]
    fn nanoseconds_of_each_instruction_set() {
        for length in [8, 16, 32] {
            let mut rng = Rng::new(14);
            let weights = random_chunks(&mut rng, 768 * length, |rng| rng.below(80) as i16 - 40);
            let output = random_chunks(&mut rng, 2 * length, weight);
            let rows: Vec<usize> = (0..4096).map(|_| rng.below(768) * length).collect();
            let row = |i: usize| &weights[rows[i % 4096]..][..length];
            let pieces: Vec<u16> = (0..30).map(|_| rng.below(768) as u16).collect();
            for kernels in Kernels::available() {
                let mut line = vec![Chunk::ZERO; 2 * length];
                let mut update = |i: usize, capture: bool| {
                    let (even, odd) = line.split_at_mut(length);
                    let (out, input) = if i.is_multiple_of(2) {
                        (even, &*odd)
                    } else {
                        (odd, &*even)
                    };
                    if capture {
                        kernels.capture(out, input, row(i), [row(i + 7), row(i + 11)]);
                    } else {
                        kernels.quiet(out, input, row(i), row(i + 7));
                    }
                    black_box(out);
                };
                let quiet = nanoseconds(|i| update(i, false));
                let capture = nanoseconds(|i| update(i, true));
                let (mover, other) = line.split_at(length);
                let out = nanoseconds(|_| {
                    black_box(kernels.output(black_box(mover), black_box(other), &output));
                });
                let mut values = vec![Chunk::ZERO; length];
                let refresh = nanoseconds(|_| {
                    kernels.apply(&mut values, &weights, black_box(&pieces), &[]);
                });
                println!(
                    "H={:4} {:7}: quiet {quiet:5.1} capture {capture:5.1} output {out:5.1} \
                 2 quiet + output {:6.1} refresh of 30 rows {refresh:6.1} ns",
                    length * LANES,
                    kernels.name(),
                    2.0 * quiet + out,
                );
            }
        }
    }
}
