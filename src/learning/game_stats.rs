//! What a heap of games is like: results, lengths, phases, scores.

use std::fmt;

use super::games::{GameError, GameRecord, GameResult};

/// Widths of the classes of game length, in plies.
const LENGTH_CLASS: usize = 50;
/// The last class of length holds everything longer.
const LENGTH_CLASSES: usize = 9;
/// Classes of four men each, from 2 men on: those of a network's eight output buckets.
const MEN_CLASSES: usize = 8;
/// Upper ends of the classes of |score|, in centipawns; one more class is above.
const SCORE_CLASSES: [u16; 8] = [10, 25, 50, 100, 200, 400, 800, 2000];

/// Statistics of games: results, lengths, and for the kept positions the number of men and the
/// scores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameStats {
    /// Games.
    pub games: u64,
    /// Moves played.
    pub plies: u64,
    /// Positions worth learning from.
    pub kept: u64,
    /// Black's wins, draws, White's wins.
    pub results: [u64; 3],
    /// The longest game, in plies.
    pub longest: usize,
    /// Games by length, in classes of 50 plies.
    pub lengths: [u64; LENGTH_CLASSES],
    /// Kept positions by the number of men: class `n` begins at 2 + 4 `n` of them.
    pub men: [u64; MEN_CLASSES],
    /// Kept positions by the size of their score.
    pub scores: [u64; SCORE_CLASSES.len() + 1],
}

impl GameStats {
    /// Counts a game in.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), GameError> {
        for played in game.positions()? {
            let played = played?;
            if played.keep() {
                let size = played.score.unsigned_abs();
                let class = SCORE_CLASSES.iter().take_while(|&&end| size > end).count();
                self.kept += 1;
                let men = played.position.occupied().count();
                self.men[(men.saturating_sub(2) / 4).min(MEN_CLASSES - 1)] += 1;
                self.scores[class] += 1;
            }
        }
        let plies = game.plies.len();
        self.games += 1;
        self.plies += plies as u64;
        self.results[game.result as usize] += 1;
        self.longest = self.longest.max(plies);
        self.lengths[(plies / LENGTH_CLASS).min(LENGTH_CLASSES - 1)] += 1;
        Ok(())
    }

    /// Counts in what was counted elsewhere.
    pub fn merge(&mut self, other: &GameStats) {
        let add = |a: &mut [u64], b: &[u64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        self.games += other.games;
        self.plies += other.plies;
        self.kept += other.kept;
        self.longest = self.longest.max(other.longest);
        add(&mut self.results, &other.results);
        add(&mut self.lengths, &other.lengths);
        add(&mut self.men, &other.men);
        add(&mut self.scores, &other.scores);
    }

    /// Games with this result.
    pub fn with_result(&self, result: GameResult) -> u64 {
        self.results[result as usize]
    }
}

/// `part` of `whole` in per cent; 0 of nothing.
fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

impl fmt::Display for GameStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = self.games.max(1) as f64;
        writeln!(
            f,
            "games       {} of {:.1} plies on average, {} at most",
            self.games,
            self.plies as f64 / games,
            self.longest
        )?;
        writeln!(
            f,
            "positions   {} kept of {} ({:.1} %), {:.1} a game",
            self.kept,
            self.plies,
            percent(self.kept, self.plies),
            self.kept as f64 / games
        )?;
        writeln!(
            f,
            "results     White {:.1} %, drawn {:.1} %, Black {:.1} %",
            percent(self.with_result(GameResult::White), self.games),
            percent(self.with_result(GameResult::Draw), self.games),
            percent(self.with_result(GameResult::Black), self.games)
        )?;
        let lengths = self.lengths.iter().enumerate().map(|(i, &count)| {
            let more = if i + 1 == LENGTH_CLASSES { "+" } else { "" };
            (format!("{}{more}", i * LENGTH_CLASS), count)
        });
        histogram(f, "plies from", self.games, lengths)?;
        let men = self.men.iter().enumerate();
        let men = men.map(|(i, &count)| ((2 + 4 * i).to_string(), count));
        histogram(f, "men from", self.kept, men)?;
        let scores = self.scores.iter().enumerate().map(|(i, &count)| {
            (
                SCORE_CLASSES
                    .get(i)
                    .map_or("more".into(), |end| format!("≤{end}")),
                count,
            )
        });
        histogram(f, "|score|", self.kept, scores)
    }
}

fn histogram(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    whole: u64,
    classes: impl Iterator<Item = (String, u64)>,
) -> fmt::Result {
    write!(f, "{name:<12}")?;
    for (i, (class, count)) in classes.enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        write!(f, "{comma}{class}: {:.1} %", percent(count, whole))?;
    }
    writeln!(f)
}

#[cfg(test)]
mod tests {
    use super::super::games::tests::random_game;
    use super::*;

    #[test]
    fn counts_agree_however_they_are_made() {
        let games: Vec<_> = (0..40)
            .map(|seed| random_game(seed, 20 * seed as usize))
            .collect();
        let mut whole = GameStats::default();
        let mut merged = GameStats::default();
        for part in games.chunks(7) {
            let mut stats = GameStats::default();
            for game in part {
                whole.add(game).unwrap();
                stats.add(game).unwrap();
            }
            merged.merge(&stats);
        }
        assert_eq!(whole, merged);
        assert_eq!(whole.games, 40);
        assert_eq!(whole.results.iter().sum::<u64>(), 40);
        assert_eq!(whole.lengths.iter().sum::<u64>(), 40);
        assert_eq!(whole.men.iter().sum::<u64>(), whole.kept);
        assert_eq!(whole.scores.iter().sum::<u64>(), whole.kept);
        let kept: usize = games.iter().map(|game| game.kept().unwrap()).sum();
        assert_eq!(whole.kept, kept as u64);
        assert!(whole.to_string().starts_with("games       40 of "));
    }

    #[test]
    fn nothing_displays_without_dividing_by_it() {
        assert!(!GameStats::default().to_string().contains("NaN"));
    }
}
