//! The network: two views of the board through one layer of feature weights, the activation
//! clamp-and-square, and one output; its numbers in fixed point, and the file they are kept in.
//!
//! The file, little-endian throughout:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `STANDPAT` |
//! | 4 + 4 + 4 | version, hidden neurons `H` of each view, output buckets `B` |
//! | 2 + 2 + 2 + 2 | QA, QB, scale, flags (bit 0: files are mirrored by the king's side) |
//! | 2 · 768 · H | feature weights, row by row, 16-bit, scale QA |
//! | 2 · H | feature biases, 16-bit, scale QA |
//! | 2 · B · 2H | output weights, bucket by bucket, the mover's half first, 16-bit, scale QB |
//! | 4 · B | output biases, 32-bit, scale QA · QB |
//! | 8 | FNV-1a of everything before |

use std::fmt;
use std::sync::{Arc, LazyLock};

use super::features::FEATURES;
use super::kernels::{Chunk, LANES, LONGEST, MAX_OUTPUT_WEIGHT, QA};
use crate::base::rng::Rng;
use crate::base::score::{EVALUATION_LIMIT, Score};

/// 1.0 as an output weight.
pub const QB: i32 = 64;

/// Centipawns of an output of 1.0, unless the file says otherwise.
pub const SCALE: u16 = 400;

/// The most hidden neurons of each view.
pub const MAX_HIDDEN: usize = LONGEST * LANES;

const MAGIC: &[u8; 8] = b"STANDPAT";
const VERSION: u32 = 1;
const MIRRORED: u16 = 1;
const HEADER_BYTES: usize = 28;
const CHECKSUM_BYTES: usize = 8;

/// A network ready to be evaluated.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    hidden: usize,
    buckets: usize,
    scale: u16,
    /// 768 rows of `hidden`.
    feature_weights: Vec<Chunk>,
    /// `hidden`.
    feature_bias: Vec<Chunk>,
    /// `buckets` rows of 2 · `hidden`.
    output_weights: Vec<Chunk>,
    /// `buckets`.
    output_bias: Vec<i32>,
}

/// Why a network was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// It does not begin as a network file does.
    Magic,
    /// A version that this program does not know.
    Version(u32),
    /// Hidden neurons must be a multiple of 64 up to [`MAX_HIDDEN`].
    Hidden(u32),
    /// Output buckets must be 1 or 8.
    Buckets(u32),
    /// Scales of the fixed point that this program does not compute with: QA, QB, scale.
    Scales(u16, u16, u16),
    /// Flags that this program does not know, or files not mirrored.
    Flags(u16),
    /// The file, or a part of the network, is not as long as its shape says.
    Length {
        /// What has the wrong length.
        what: &'static str,
        /// As it should be.
        expected: usize,
        /// As it is.
        found: usize,
    },
    /// The contents are not those that were written.
    Checksum,
    /// An output weight outside ±127.
    OutputWeight(i16),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::Magic => write!(f, "not a Standpat network file"),
            NetworkError::Version(version) => {
                write!(f, "network file version {version}, expected {VERSION}")
            }
            NetworkError::Hidden(hidden) => write!(
                f,
                "{hidden} hidden neurons, expected a multiple of 64 up to {MAX_HIDDEN}"
            ),
            NetworkError::Buckets(buckets) => {
                write!(f, "{buckets} output buckets, expected 1 or 8")
            }
            NetworkError::Scales(qa, qb, scale) => write!(
                f,
                "fixed-point scales {qa}, {qb}, {scale}, expected {QA}, {QB} and one from 1"
            ),
            NetworkError::Flags(flags) => {
                write!(f, "network flags {flags:#x}, expected {MIRRORED}")
            }
            NetworkError::Length {
                what,
                expected,
                found,
            } => {
                write!(f, "{what}: length {found}, expected {expected}")
            }
            NetworkError::Checksum => write!(f, "network file is damaged: wrong checksum"),
            NetworkError::OutputWeight(weight) => write!(
                f,
                "output weight {weight}, expected at most {MAX_OUTPUT_WEIGHT} in size"
            ),
        }
    }
}

impl std::error::Error for NetworkError {}

/// The numbers of a network, as its file lists them; what a trainer hands over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Hidden neurons of each view: a multiple of 64.
    pub hidden: usize,
    /// Output buckets: 1 or 8.
    pub buckets: usize,
    /// Centipawns of an output of 1.0; [`SCALE`] unless it was fitted.
    pub scale: u16,
    /// 768 rows of `hidden`, scale QA.
    pub feature_weights: Vec<i16>,
    /// `hidden`, scale QA.
    pub feature_bias: Vec<i16>,
    /// `buckets` rows of 2 · `hidden`, the mover's half first, scale QB, in ±127.
    pub output_weights: Vec<i16>,
    /// `buckets`, scale QA · QB.
    pub output_bias: Vec<i32>,
}

fn check_shape(hidden: usize, buckets: usize, scale: u16) -> Result<(), NetworkError> {
    if hidden == 0 || hidden > MAX_HIDDEN || !hidden.is_multiple_of(2 * LANES) {
        return Err(NetworkError::Hidden(
            u32::try_from(hidden).unwrap_or(u32::MAX),
        ));
    }
    if buckets != 1 && buckets != 8 {
        return Err(NetworkError::Buckets(
            u32::try_from(buckets).unwrap_or(u32::MAX),
        ));
    }
    if scale == 0 {
        return Err(NetworkError::Scales(QA as u16, QB as u16, scale));
    }
    Ok(())
}

fn check_length(what: &'static str, expected: usize, found: usize) -> Result<(), NetworkError> {
    if found == expected {
        Ok(())
    } else {
        Err(NetworkError::Length {
            what,
            expected,
            found,
        })
    }
}

fn chunks(values: &[i16]) -> Vec<Chunk> {
    values
        .chunks_exact(LANES)
        .map(|part| {
            let mut chunk = Chunk::ZERO;
            chunk.0.copy_from_slice(part);
            chunk
        })
        .collect()
}

/// The checksum of a network file: 64-bit FNV-1a. One changed byte always changes it.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Reads numbers off the front of a slice; the caller has checked the length.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let Some((head, rest)) = self.0.split_first_chunk() else {
            return [0; N];
        };
        self.0 = rest;
        *head
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn i16s(&mut self, count: usize) -> Vec<i16> {
        (0..count)
            .map(|_| i16::from_le_bytes(self.take()))
            .collect()
    }
}

impl Network {
    /// The network that this program judges by unless it is given another. It stands in the binary;
    /// how it came to be is told in `net/LINEAGE.md`.
    pub fn shipped() -> Arc<Network> {
        static SHIPPED: LazyLock<Arc<Network>> = LazyLock::new(|| {
            let network = Network::read(include_bytes!("net/standpat.net"));
            Arc::new(network.expect("the network in the binary is sound: a test reads it"))
        });
        Arc::clone(&SHIPPED)
    }

    /// Reads a network file.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with it; nothing is taken on trust.
    pub fn read(bytes: &[u8]) -> Result<Network, NetworkError> {
        if !bytes.starts_with(MAGIC) {
            return Err(NetworkError::Magic);
        }
        if bytes.len() < HEADER_BYTES {
            return Err(NetworkError::Length {
                what: "network file's header",
                expected: HEADER_BYTES,
                found: bytes.len(),
            });
        }
        let mut reader = Reader(&bytes[MAGIC.len()..]);
        let version = reader.u32();
        if version != VERSION {
            return Err(NetworkError::Version(version));
        }
        let (hidden, buckets) = (reader.u32() as usize, reader.u32() as usize);
        let (qa, qb, scale) = (reader.u16(), reader.u16(), reader.u16());
        if i32::from(qa) != QA || i32::from(qb) != QB {
            return Err(NetworkError::Scales(qa, qb, scale));
        }
        check_shape(hidden, buckets, scale)?;
        let flags = reader.u16();
        if flags != MIRRORED {
            return Err(NetworkError::Flags(flags));
        }
        check_length("network file", file_bytes(hidden, buckets), bytes.len())?;
        let (contents, checksum) = bytes.split_at(bytes.len() - CHECKSUM_BYTES);
        if fnv1a(contents).to_le_bytes() != checksum {
            return Err(NetworkError::Checksum);
        }
        Network::from_parts(&Parts {
            hidden,
            buckets,
            scale,
            feature_weights: reader.i16s(FEATURES * hidden),
            feature_bias: reader.i16s(hidden),
            output_weights: reader.i16s(buckets * 2 * hidden),
            output_bias: (0..buckets).map(|_| reader.u32() as i32).collect(),
        })
    }

    /// A network of these numbers.
    ///
    /// # Errors
    ///
    /// When the shape is not one that can be evaluated, or the parts do not fit it.
    pub fn from_parts(parts: &Parts) -> Result<Network, NetworkError> {
        let (hidden, buckets) = (parts.hidden, parts.buckets);
        check_shape(hidden, buckets, parts.scale)?;
        check_length(
            "feature weights",
            FEATURES * hidden,
            parts.feature_weights.len(),
        )?;
        check_length("feature biases", hidden, parts.feature_bias.len())?;
        check_length(
            "output weights",
            buckets * 2 * hidden,
            parts.output_weights.len(),
        )?;
        check_length("output biases", buckets, parts.output_bias.len())?;
        let allowed = -MAX_OUTPUT_WEIGHT..=MAX_OUTPUT_WEIGHT;
        if let Some(&weight) = parts.output_weights.iter().find(|w| !allowed.contains(w)) {
            return Err(NetworkError::OutputWeight(weight));
        }
        Ok(Network {
            hidden,
            buckets,
            scale: parts.scale,
            feature_weights: chunks(&parts.feature_weights),
            feature_bias: chunks(&parts.feature_bias),
            output_weights: chunks(&parts.output_weights),
            output_bias: parts.output_bias.clone(),
        })
    }

    /// A network that knows nothing: the first teacher of a line that learns from its own games.
    /// Its evaluations spread over some hundred centipawns, whatever its size. `hidden` is rounded
    /// up to a multiple of 64 and `buckets` to 1 or 8.
    pub fn random(hidden: usize, buckets: usize, seed: u64) -> Network {
        let hidden = hidden
            .next_multiple_of(2 * LANES)
            .clamp(2 * LANES, MAX_HIDDEN);
        let buckets = if buckets <= 1 { 1 } else { 8 };
        let mut rng = Rng::new(seed);
        let mut within = |count: usize, limit: f64| -> Vec<Chunk> {
            let values: Vec<i16> = (0..count)
                .map(|_| ((rng.unit() * 2.0 - 1.0) * limit).round() as i16)
                .collect();
            chunks(&values)
        };
        // The more neurons are summed, the less each one weighs.
        let output_limit = 32.0 * (64.0 / hidden as f64).sqrt();
        Network {
            hidden,
            buckets,
            scale: SCALE,
            feature_weights: within(FEATURES * hidden, 40.0),
            feature_bias: within(hidden, 60.0),
            output_weights: within(buckets * 2 * hidden, output_limit),
            output_bias: vec![0; buckets],
        }
    }

    /// The network as a file's contents.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(file_bytes(self.hidden, self.buckets));
        bytes.extend_from_slice(MAGIC);
        for number in [VERSION, self.hidden as u32, self.buckets as u32] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for number in [QA as u16, QB as u16, self.scale, MIRRORED] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for chunk in [
            &self.feature_weights,
            &self.feature_bias,
            &self.output_weights,
        ]
        .into_iter()
        .flatten()
        {
            bytes.extend(chunk.0.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes.extend(
            self.output_bias
                .iter()
                .flat_map(|value| value.to_le_bytes()),
        );
        bytes.extend_from_slice(&fnv1a(&bytes).to_le_bytes());
        bytes
    }

    /// Hidden neurons of each view.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Output buckets: 1 or 8.
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// Centipawns of an output of 1.0.
    pub fn scale(&self) -> u16 {
        self.scale
    }

    /// Chunks of one view's accumulator.
    #[inline]
    pub fn chunks(&self) -> usize {
        self.feature_bias.len()
    }

    /// All rows of feature weights, one after the other.
    #[inline]
    pub fn feature_weights(&self) -> &[Chunk] {
        &self.feature_weights
    }

    /// The weights of one feature, numbered as the view sees it.
    #[inline]
    pub fn row(&self, feature: u16) -> &[Chunk] {
        let chunks = self.chunks();
        &self.feature_weights[usize::from(feature) * chunks..][..chunks]
    }

    /// An accumulator of an empty board.
    #[inline]
    pub fn feature_bias(&self) -> &[Chunk] {
        &self.feature_bias
    }

    /// The output bucket of a position with so many pieces, kings included.
    #[inline]
    pub fn bucket(&self, pieces: usize) -> usize {
        if self.buckets == 1 {
            0
        } else {
            (pieces.saturating_sub(2) / 4).min(self.buckets - 1)
        }
    }

    /// A bucket's output weights: the mover's half, then the other's.
    #[inline]
    pub fn output_weights(&self, bucket: usize) -> &[Chunk] {
        let length = 2 * self.chunks();
        &self.output_weights[bucket * length..][..length]
    }

    /// A bucket's output bias, scale QA · QB.
    pub fn output_bias(&self, bucket: usize) -> i32 {
        self.output_bias[bucket]
    }

    /// The checksum that its file ends with.
    pub fn checksum(&self) -> u64 {
        let bytes = self.write();
        fnv1a(&bytes[..bytes.len() - CHECKSUM_BYTES])
    }

    /// The evaluation, in centipawns, of a bucket's output sum (scale QA² · QB).
    #[inline]
    pub fn score(&self, sum: i64, bucket: usize) -> Score {
        let output = sum / i64::from(QA) + i64::from(self.output_bias[bucket]);
        let score = output * i64::from(self.scale) / i64::from(QA * QB);
        score.clamp(-i64::from(EVALUATION_LIMIT), i64::from(EVALUATION_LIMIT)) as Score
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network(768 -> {}x2 -> {})", self.hidden, self.buckets)
    }
}

/// The length of the file of a network of this shape.
const fn file_bytes(hidden: usize, buckets: usize) -> usize {
    let words = FEATURES * hidden + hidden + buckets * 2 * hidden;
    HEADER_BYTES + 2 * words + 4 * buckets + CHECKSUM_BYTES
}

#[cfg(test)]
#[path = "network_tests.rs"]
mod tests;
