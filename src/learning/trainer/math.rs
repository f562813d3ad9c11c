//! Functions whose every bit is the same on all machines, so that training is too.

/// eˣ, to within three units in the last place; 0 and infinity are never reached.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // x = n · ln 2 + r with |r| ≤ ln 2 / 2; ln 2 in two parts, so that r is exact enough.
    let x = x.clamp(-87.0, 88.0);
    // Adding and subtracting 1.5 · 2²³ rounds to the nearest whole number.
    const ROUNDER: f32 = 12_582_912.0;
    let n = x * std::f32::consts::LOG2_E + ROUNDER - ROUNDER;
    let r = x - n * (355.0 / 512.0) + n * 2.121_944_4e-4;
    let p = 1.987_569_1e-4;
    let p = p * r + 1.398_199_9e-3;
    let p = p * r + 8.333_452e-3;
    let p = p * r + 4.166_579_6e-2;
    let p = p * r + 1.666_666_5e-1;
    let p = p * r + 0.5;
    let p = p * r * r + r + 1.0;
    // 2ⁿ, made of its exponent's bits.
    p * f32::from_bits(((n as i32 + 127) << 23) as u32)
}

/// 1 / (1 + e⁻ˣ).
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_agrees_with_a_precise_one() {
        for i in -86_000..88_000 {
            let x = i as f32 / 1000.0;
            let precise = f64::from(x).exp();
            let error = (f64::from(exp(x)) - precise) / precise;
            assert!(error.abs() < 4e-7, "{x}: {error}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1000.0) > 0.0 && exp(1000.0).is_finite());
    }

    #[test]
    fn the_sigmoid_is_symmetric_and_bounded() {
        for i in 0..2000 {
            let x = i as f32 / 100.0;
            assert!((sigmoid(x) + sigmoid(-x) - 1.0).abs() < 1e-6);
            assert!((0.0..=1.0).contains(&sigmoid(x)));
        }
    }
}
