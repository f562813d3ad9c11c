//! What self-play and matches share: random openings, and who says when a game is over.

use serde::{Deserialize, Serialize};
use shakmaty::Color;

use crate::base::rng::Rng;
use crate::base::score::{Score, is_decisive};
use crate::board::{Game, Outcome};

use super::games::GameResult;

/// How games begin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Openings {
    /// Random legal moves before the first real one, in plies; every other game has one more, so
    /// that both sides come to move first.
    pub random_plies: u32,
    /// An opening is dropped when the first search judges it beyond this, in centipawns.
    pub limit: Score,
    /// The share of games, from 0 to 1, that start from one of the 960 positions of Chess960.
    pub chess960_share: f64,
}

impl Openings {
    /// A random opening that is not the end of its game.
    pub fn draw(&self, rng: &mut Rng) -> Game {
        loop {
            let start = if self.chess960_share > 0.0 && rng.unit() < self.chess960_share {
                Game::chess960_start(rng.below(960) as u32)
            } else {
                Game::start()
            };
            if let Some(game) = self.continued(&start, rng) {
                return game;
            }
        }
    }

    /// A game continued by random moves; `None` when that is the end of it.
    pub fn continued(&self, start: &Game, rng: &mut Rng) -> Option<Game> {
        let mut game = start.clone();
        let plies = self.random_plies + rng.below(2) as u32;
        let played = (0..plies).all(|_| play_random(&mut game, rng));
        (played && game.outcome().is_none()).then_some(game)
    }
}

/// Plays a random legal move; `false` if there is none.
fn play_random(game: &mut Game, rng: &mut Rng) -> bool {
    let moves = game.legal_moves();
    if moves.is_empty() {
        return false;
    }
    game.play(moves[rng.below(moves.len())]);
    true
}

/// When a game is ended by its scores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adjudication {
    /// A game is won at this score for one side, in centipawns …
    pub win_score: Score,
    /// … on so many plies in a row.
    pub win_plies: u32,
    /// A game is drawn when no score is beyond this, in centipawns …
    pub draw_score: Score,
    /// … on so many plies in a row …
    pub draw_plies: u32,
    /// … and so many plies have been played.
    pub draw_from: u32,
}

impl Default for Adjudication {
    fn default() -> Adjudication {
        Adjudication {
            win_score: 2_200,
            win_plies: 4,
            draw_score: 5,
            draw_plies: 12,
            draw_from: 80,
        }
    }
}

/// Plies in a row with a forced mate for the same side that end a game even without adjudication:
/// such a score is proof, not judgement.
const PROVEN_PLIES: u32 = 2;

/// Follows a game and says when it is over.
#[derive(Clone, Debug)]
pub struct Referee {
    adjudication: Option<Adjudication>,
    longest: u32,
    plies: u32,
    /// Plies in a row of each kind, and the side they speak for.
    winner: Option<Color>,
    winning: u32,
    proven: u32,
    level: u32,
}

impl Referee {
    /// A referee for one game; `longest` is the number of plies after which it is called a draw.
    pub fn new(adjudication: Option<Adjudication>, longest: u32) -> Referee {
        Referee {
            adjudication,
            longest,
            plies: 0,
            winner: None,
            winning: 0,
            proven: 0,
            level: 0,
        }
    }

    /// The result, if the rules of chess or the length of the game end it before another move.
    pub fn before_move(&self, game: &Game) -> Option<GameResult> {
        match game.outcome() {
            Some(Outcome::Win(side)) => Some(won_by(side)),
            Some(Outcome::Draw) => Some(GameResult::Draw),
            None if self.plies >= self.longest => Some(GameResult::Draw),
            None => None,
        }
    }

    /// Counts a ply with its score from *White's* view; the result if that ends the game.
    pub fn after_move(&mut self, score: Score) -> Option<GameResult> {
        self.plies += 1;
        let side = match score {
            1.. => Some(Color::White),
            0 => None,
            _ => Some(Color::Black),
        };
        if side != self.winner {
            (self.winner, self.winning, self.proven) = (side, 0, 0);
        }
        count(&mut self.proven, is_decisive(score));
        if let Some(rules) = self.adjudication {
            count(&mut self.winning, score.abs() >= rules.win_score);
            count(&mut self.level, score.abs() <= rules.draw_score);
            if self.level >= rules.draw_plies && self.plies >= rules.draw_from {
                return Some(GameResult::Draw);
            }
            if self.winning >= rules.win_plies {
                return side.map(won_by);
            }
        }
        if self.proven >= PROVEN_PLIES {
            return side.map(won_by);
        }
        None
    }
}

/// One more in a row, or none.
fn count(run: &mut u32, goes_on: bool) {
    *run = if goes_on { *run + 1 } else { 0 };
}

fn won_by(side: Color) -> GameResult {
    side.fold_wb(GameResult::White, GameResult::Black)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::score::mate_in;

    fn judged(rules: Option<Adjudication>, scores: &[Score]) -> Option<(usize, GameResult)> {
        let mut referee = Referee::new(rules, 300);
        scores
            .iter()
            .enumerate()
            .find_map(|(i, &score)| Some((i, referee.after_move(score)?)))
    }

    #[test]
    fn wins_need_a_run_for_one_side() {
        let rules = Some(Adjudication::default());
        let won = [2300, 2500, 2400, 100, 2300, 2300, 2300, 2300];
        assert_eq!(judged(rules, &won), Some((7, GameResult::White)));
        assert_eq!(judged(None, &won), None);
        let torn = [-2300, -2500, 2400, -2400, -2300, -2300];
        assert_eq!(judged(rules, &torn), None);
        assert_eq!(judged(rules, &[-2300; 4]), Some((3, GameResult::Black)));
    }

    #[test]
    fn draws_need_a_long_level_run_late_in_the_game() {
        let rules = Some(Adjudication::default());
        assert_eq!(judged(rules, &[3; 79]), None);
        assert_eq!(judged(rules, &[3; 80]), Some((79, GameResult::Draw)));
        let mut scores = [50; 100];
        scores[85..].fill(-5);
        assert_eq!(judged(rules, &scores), Some((96, GameResult::Draw)));
    }

    #[test]
    fn a_proven_mate_ends_a_game_without_adjudication() {
        let scores = [10, mate_in(5), mate_in(4)];
        assert_eq!(judged(None, &scores), Some((2, GameResult::White)));
        assert_eq!(judged(None, &[10, mate_in(5), -mate_in(4)]), None);
    }

    #[test]
    fn openings_repeat_by_seed_and_have_both_sides_to_move() {
        let openings = Openings {
            random_plies: 8,
            limit: 1000,
            chess960_share: 0.5,
        };
        let draw = |i| openings.draw(&mut Rng::stream(9, i));
        let mut turns = [0; 2];
        for i in 0..40 {
            let game = draw(i);
            assert_eq!(game.fen(), draw(i).fen());
            assert!(game.outcome().is_none());
            turns[usize::from(game.position().turn().is_white())] += 1;
        }
        assert!(turns[0] > 5 && turns[1] > 5, "{turns:?}");
    }
}
