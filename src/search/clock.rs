//! The clock: when to stop thinking about a move.
//!
//! A *soft* limit is looked at between iterations: past it no new one starts. It moves with what
//! the search has seen ([`Clock::soft_expired`]). A *hard* limit stops the search wherever it is.
//! Both are counted from the moment the `go` line arrived.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use shakmaty::Color;

use crate::base::params;

use super::limits::Limits;

/// Moves to plan for when the time control is further away than that.
const HORIZON: u32 = 45;

/// What the search has seen so far, as far as it concerns the clock.
#[derive(Clone, Copy, Debug)]
pub struct Mood {
    /// Completed iterations in a row with the same best move.
    pub stable_iterations: u32,
    /// How far the score fell since the iteration before and the average, centipawns.
    pub score_drop: i32,
    /// Share of this search's nodes spent on the best move, 0 to 1.
    pub best_move_effort: f64,
    /// Whether only one move is possible.
    pub forced: bool,
}

/// The time budget of one search. Shared between the search and whoever sends `ponderhit`.
#[derive(Debug)]
pub struct Clock {
    start: Instant,
    soft: Option<Duration>,
    hard: Option<Duration>,
    /// The soft limit is exact (`movetime`): no mood moves it.
    fixed: bool,
    pondering: AtomicBool,
}

impl Clock {
    /// The budget for a side's move under these limits, the game's `number`-th, for a `go` that arrived
    /// at `start`; `overhead` is what is lost between engine and referee on each move.
    pub fn new(
        limits: &Limits,
        turn: Color,
        number: u32,
        start: Instant,
        overhead: Duration,
    ) -> Clock {
        let mut clock = Clock {
            start,
            soft: None,
            hard: None,
            fixed: false,
            pondering: AtomicBool::new(limits.ponder),
        };
        if limits.infinite {
            return clock;
        }
        let side = limits.clocks.get(turn);
        if let Some(remaining) = side.remaining {
            let (soft, hard) = budget(
                remaining,
                side.increment,
                number,
                limits.moves_to_go,
                overhead,
            );
            clock.soft = Some(soft);
            clock.hard = Some(hard);
        }
        if let Some(move_time) = limits.move_time {
            let exact = usable(move_time, overhead);
            clock.fixed = clock.hard.is_none_or(|hard| exact <= hard);
            clock.hard = Some(clock.hard.map_or(exact, |hard| hard.min(exact)));
            clock.soft = Some(clock.soft.map_or(exact, |soft| soft.min(exact)));
        }
        clock
    }

    /// A clock that never runs out.
    pub fn unlimited() -> Clock {
        Clock {
            start: Instant::now(),
            soft: None,
            hard: None,
            fixed: false,
            pondering: AtomicBool::new(false),
        }
    }

    /// Since the `go` line arrived.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The expected move was played: from now on the limits hold, counted from the start all the
    /// same, since the time spent pondering was spent on this move.
    pub fn ponder_hit(&self) {
        self.pondering.store(false, Ordering::Release);
    }

    /// Is the opponent still to move?
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Must the search stop wherever it is?
    pub fn hard_expired(&self) -> bool {
        self.hard
            .is_some_and(|hard| !self.is_pondering() && self.elapsed() >= hard)
    }

    /// Should the search start no further iteration?
    pub fn soft_expired(&self, mood: Mood) -> bool {
        let Some(soft) = self.soft else { return false };
        if self.is_pondering() {
            return false;
        }
        let soft = if self.fixed {
            soft
        } else {
            soft.mul_f64(patience(mood))
        };
        self.elapsed() >= soft
    }

    /// Time planned for the move and time it may take at most.
    pub fn limits(&self) -> (Option<Duration>, Option<Duration>) {
        (self.soft, self.hard)
    }
}

/// What is left of a time when the overhead is taken off; when less than the overhead is left,
/// a tenth of it: enough for a first iteration.
fn usable(time: Duration, overhead: Duration) -> Duration {
    time.saturating_sub(overhead).max(time.min(overhead) / 10)
}

/// With so many increments on the clock, its increment is planned for in full.
const FULL_INCREMENTS: u32 = 20;

/// From this move on the share of the time left that is planned for one move grows no more.
const FULL_GROWTH: u32 = 40;

/// With so many overheads on the clock, a stall of one of them is no danger.
const FULL_OVERHEADS: u32 = 10;

/// How far the clock holds `count` times `unit`: 1 for enough, less in proportion below.
fn fullness(remaining: Duration, unit: Duration, count: u32) -> f64 {
    let enough = (unit * count).as_secs_f64();
    if enough > 0.0 {
        (remaining.as_secs_f64() / enough).min(1.0)
    } else {
        1.0
    }
}

/// Soft and hard limit for one move.
///
/// *Idea*: plan a share of the time left and most of the increment, or an equal share of it until the
/// next time control; allow a multiple of the plan when the position is difficult. The share grows
/// with the game: the fewer moves are to come, the less there is to save for.
/// *Formula*: `soft = usable · (time_share + time_share_growth · number) + increment · time_increment`,
/// `hard = min(soft · time_hard_multiple, usable · time_hard_share)`; growth and increment count in
/// proportion below [`FULL_INCREMENTS`], the ceiling below [`FULL_OVERHEADS`], so that a clock that
/// runs low fills again: with more threads than processors, a move can take longer than planned by
/// more than the increment, and a plan that spends the increment then falls in the end.
/// *Never*: more than the clock shows less the overhead, whatever the increment says. *Measured*: a
/// larger share (52) and more of the increment (90), which leave a fifth of 2+0.02 after 30 moves
/// instead of a third, +7 ± 33 Elo (198 games): not kept. The growth leaves 0.46 s of 2+0.02 after 30
/// moves instead of 0.65; measured with the second group of [`params`] only.
fn budget(
    remaining: Duration,
    increment: Duration,
    number: u32,
    moves_to_go: Option<u32>,
    overhead: Duration,
) -> (Duration, Duration) {
    let moves = moves_to_go.unwrap_or(HORIZON).clamp(1, HORIZON);
    let usable = usable(remaining, overhead);
    // The planned moves after this one lose the overhead too, as far as the increment does not
    // pay for it; a game without increment would otherwise end by what is lost between moves.
    let lost = overhead.saturating_sub(increment) * (moves - 1);
    let usable = usable.saturating_sub(lost).max(usable / 16);
    let full = fullness(remaining, increment, FULL_INCREMENTS);
    let share = if moves_to_go.is_some() {
        // One move must leave something for the measuring of time itself.
        (1.0 / f64::from(moves) * 0.95).min(0.8)
    } else {
        let growth = f64::from(params::time_share_growth()) * f64::from(number.min(FULL_GROWTH));
        f64::from(params::time_share()) / 1000.0 + growth * full / 10_000.0
    };
    let planned = f64::from(params::time_increment()) / 100.0;
    let bonus = increment.mul_f64(planned * full);
    let ceiling = if moves == 1 {
        0.9
    } else {
        f64::from(params::time_hard_share()) / 100.0
    };
    let ceiling = usable.mul_f64(ceiling * fullness(remaining, overhead, FULL_OVERHEADS));
    let soft = (usable.mul_f64(share) + bonus).min(ceiling);
    let hard = soft
        .mul_f64(f64::from(params::time_hard_multiple()) / 100.0)
        .min(ceiling);
    (soft, hard)
}

/// The factor on the soft limit.
///
/// *Idea*: a best move that has stood for long, or that took nearly all the nodes, needs no
/// further proof; a falling score does. *Formula*: the product of a factor for stability
/// (1.5 falling to 0.75), one for effort (1.65 − effort, scaled) and one for the score
/// (0.85 to 1.5). *Never*: when the time is exact. *Source*: common to strong engines since 2017.
fn patience(mood: Mood) -> f64 {
    let share = |param: i32| f64::from(param) / 100.0;
    if mood.forced {
        return share(params::time_forced());
    }
    let stable = mood
        .stable_iterations
        .min(params::time_stability_iterations() as u32);
    let stability = share(params::time_stability_base())
        - share(params::time_stability_step()) * f64::from(stable);
    let effort = (share(params::time_effort_base())
        - share(params::time_effort_scale()) * mood.best_move_effort)
        .clamp(
            share(params::time_effort_least()),
            share(params::time_effort_most()),
        );
    let fallen = f64::from(mood.score_drop) * f64::from(params::time_score_scale()) / 1000.0;
    let falling = (share(params::time_score_base()) + fallen).clamp(
        share(params::time_score_least()),
        share(params::time_score_most()),
    );
    stability * effort * falling
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::limits::SideClock;

    const OVERHEAD: Duration = Duration::from_millis(10);

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn clock(
        remaining: u64,
        increment: u64,
        number: u32,
        moves_to_go: Option<u32>,
        overhead: u64,
    ) -> Clock {
        let mut limits = Limits {
            moves_to_go,
            ..Limits::default()
        };
        limits.clocks.white = SideClock {
            remaining: Some(ms(remaining)),
            increment: ms(increment),
        };
        Clock::new(&limits, Color::White, number, Instant::now(), ms(overhead))
    }

    #[test]
    fn no_budget_exceeds_the_clock_less_the_overhead() {
        for remaining in [0, 1, 5, 9, 10, 11, 15, 50, 100, 1000, 60_000, 10_000_000] {
            for increment in [0, 10, 100, 5000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(1000)] {
                    for overhead in [0, 10, 1000] {
                        for number in [1, 40, u32::MAX] {
                            let clock = clock(remaining, increment, number, moves_to_go, overhead);
                            let (soft, hard) = clock.limits();
                            let (soft, hard) = (soft.unwrap(), hard.unwrap());
                            assert!(soft <= hard);
                            let spare = if remaining > overhead { overhead } else { 0 };
                            assert!(
                                hard + ms(spare) <= ms(remaining),
                                "{remaining}+{increment}/{moves_to_go:?} -{overhead}: {hard:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn two_hundred_moves_without_increment_never_empty_the_clock() {
        let mut remaining = ms(1000);
        for number in 1..=200 {
            let (_, hard) = budget(remaining, Duration::ZERO, number, None, OVERHEAD);
            // The worst case: every move takes its hard limit and a millisecond is lost.
            let used = hard + ms(1);
            assert!(used <= remaining || remaining <= OVERHEAD, "{remaining:?}");
            remaining = remaining.saturating_sub(used.min(remaining));
        }
    }

    #[test]
    fn two_hundred_planned_moves_with_a_millisecond_lost_on_each_fit_into_a_second() {
        let mut remaining = ms(1000);
        for number in 1..=200 {
            let (soft, _) = budget(remaining, Duration::ZERO, number, None, OVERHEAD);
            let used = soft.max(Duration::from_micros(300)) + ms(1);
            assert!(used < remaining, "move {number}");
            remaining -= used;
        }
    }

    #[test]
    fn a_low_clock_fills_again_even_when_every_move_is_late() {
        let (increment, late) = (ms(10), ms(5));
        let mut remaining = ms(60);
        for _ in 0..100 {
            let (soft, _) = budget(remaining, increment, 50, None, OVERHEAD);
            remaining = remaining - soft - late + increment;
        }
        assert!(remaining > ms(60), "{remaining:?}");
    }

    #[test]
    fn the_share_of_the_clock_grows_with_the_game_until_its_fortieth_move() {
        let soft = |number| budget(ms(60_000), ms(600), number, None, OVERHEAD).0;
        assert!(soft(1) < soft(20) && soft(20) < soft(40));
        assert_eq!(soft(40), soft(200));
        // A time control ahead knows better how many moves are to come.
        let planned = |number| budget(ms(60_000), ms(600), number, Some(30), OVERHEAD);
        assert_eq!(planned(1), planned(60));
    }

    #[test]
    fn movetime_is_exact_less_the_overhead() {
        let limits = Limits {
            move_time: Some(ms(100)),
            ..Limits::default()
        };
        let clock = Clock::new(&limits, Color::Black, 20, Instant::now(), OVERHEAD);
        assert_eq!(clock.limits(), (Some(ms(90)), Some(ms(90))));
        assert!(clock.fixed);
    }

    #[test]
    fn nothing_expires_while_pondering_or_without_a_limit() {
        let long_ago = Instant::now().checked_sub(ms(5000)).unwrap();
        let mood = Mood {
            stable_iterations: 9,
            score_drop: 0,
            best_move_effort: 1.0,
            forced: false,
        };
        let mut limits = Limits {
            move_time: Some(ms(50)),
            ponder: true,
            ..Limits::default()
        };
        let clock = Clock::new(&limits, Color::White, 20, long_ago, OVERHEAD);
        assert!(!clock.hard_expired() && !clock.soft_expired(mood));
        clock.ponder_hit();
        assert!(clock.hard_expired() && clock.soft_expired(mood));
        limits.infinite = true;
        let clock = Clock::new(&limits, Color::White, 20, long_ago, OVERHEAD);
        clock.ponder_hit();
        assert!(!clock.hard_expired() && !clock.soft_expired(mood));
    }

    #[test]
    fn a_side_without_a_clock_has_no_limit() {
        let mut limits = Limits::default();
        limits.clocks.white.remaining = Some(ms(100));
        let clock = Clock::new(&limits, Color::Black, 20, Instant::now(), OVERHEAD);
        assert_eq!(clock.limits(), (None, None));
    }

    #[test]
    fn doubt_buys_time_and_certainty_saves_it() {
        let calm = Mood {
            stable_iterations: 8,
            score_drop: 0,
            best_move_effort: 0.95,
            forced: false,
        };
        let doubt = Mood {
            stable_iterations: 0,
            score_drop: 40,
            best_move_effort: 0.3,
            forced: false,
        };
        assert!(patience(calm) < 0.5 && patience(doubt) > 1.5);
        assert!(
            patience(Mood {
                forced: true,
                ..doubt
            }) < 0.2
        );
    }
}
