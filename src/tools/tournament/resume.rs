//! Going on with a tournament that was interrupted: what of it is in the game file already, and
//! what is left to play.
//!
//! A note beside the file of games says that a tournament is not finished, where in the file it
//! begins, and under which conditions it is played. What is left is played in *legs*: first, pair
//! by pair, what some pairs lag behind, then the rounds that are left for all. A sequential test is
//! one whole that only its runner can go on with: Fastchess can, from a file of its own.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::learning::origin::write_whole;
use crate::roster::tournament::{OpeningOrder, Schedule};
use crate::roster::{Roster, Tournament};
use crate::tools::Failure;

use super::standings::Standings;

/// What one run of a runner plays.
#[derive(Clone, Debug, PartialEq)]
pub struct Leg {
    /// Who plays how many rounds.
    pub tournament: Tournament,
    /// Games between a pair in a round: two from each opening, or a single one.
    pub games: u32,
    /// The runner goes on from its own file.
    pub from_state: bool,
}

impl Leg {
    /// The whole tournament.
    pub fn whole(tournament: &Tournament) -> Leg {
        Leg {
            tournament: tournament.clone(),
            games: 2,
            from_state: false,
        }
    }

    /// How many games it has.
    pub fn total(&self) -> u32 {
        let players = self.tournament.engines.len() as u32;
        let pairs = match self.tournament.schedule {
            Schedule::Gauntlet => players.saturating_sub(1),
            Schedule::RoundRobin => players * players.saturating_sub(1) / 2,
        };
        pairs * self.tournament.rounds * self.games
    }
}

/// What is left of a tournament.
#[derive(Clone, Debug)]
pub struct Resume {
    /// The runs that are left; none when all has been played.
    pub legs: Vec<Leg>,
    /// Games that have been played.
    pub played: u32,
    /// Where in the file of games the tournament begins, in bytes.
    pub begins_at: u64,
    /// Games that are to be played in all.
    pub wanted: u32,
    pgn: PathBuf,
    note: Note,
}

/// The note beside a file of games.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Note {
    begins_at: u64,
    /// The words of the runner's command line that decide about the games.
    conditions: Vec<String>,
}

impl Resume {
    /// Looks what of a tournament the file of games has already. `conditions` decide about its
    /// games; `from_state` tells whether the runner can go on with a sequential test.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, or an unfinished tournament in it had other conditions.
    pub fn find(
        pgn: &Path,
        roster: &Roster,
        tournament: &Tournament,
        conditions: Vec<String>,
        from_state: bool,
    ) -> Result<Resume, Failure> {
        let size = fs::metadata(pgn).map_or(0, |data| data.len());
        let fresh = Note {
            begins_at: size,
            conditions,
        };
        let begun = read_note(pgn)?.filter(|note| note.begins_at <= size);
        let pairs = pairs(roster, tournament)?;
        let mut resume = Resume {
            legs: vec![Leg::whole(tournament)],
            played: 0,
            begins_at: size,
            wanted: 2 * tournament.rounds * pairs.len() as u32,
            pgn: pgn.to_path_buf(),
            note: fresh,
        };
        let Some(begun) = begun else {
            return Ok(resume);
        };
        let played = games_of(pgn, begun.begins_at)?;
        let counts: Vec<[u32; 2]> = pairs.iter().map(|pair| pair.played(&played)).collect();
        let sum = counts.iter().flatten().sum();
        if sum == 0 {
            // Nothing of it has been played: it may as well begin here, however it was meant.
            return Ok(resume);
        }
        begun.agrees(&resume.note, pgn)?;
        resume.note = begun;
        resume.begins_at = resume.note.begins_at;
        resume.played = sum;
        resume.legs = if tournament.sprt.is_some() {
            vec![with_state(tournament, pgn, from_state)?]
        } else {
            legs(tournament, &pairs, &counts)
        };
        Ok(resume)
    }

    /// Notes that the tournament is underway.
    ///
    /// # Errors
    ///
    /// When the note cannot be written.
    pub fn begin(&self) -> Result<(), Failure> {
        let text = toml::to_string(&self.note).map_err(|e| Failure::Failed(e.to_string()))?;
        write_whole(&note_path(&self.pgn), text.as_bytes())
            .map_err(|error| Failure::Failed(error.to_string()))
    }

    /// How many games have been played by now.
    ///
    /// # Errors
    ///
    /// When the file of games cannot be read.
    pub fn count(&self, roster: &Roster, tournament: &Tournament) -> Result<u32, Failure> {
        if !self.pgn.exists() {
            return Ok(0);
        }
        let games = games_of(&self.pgn, self.begins_at)?;
        let pairs = pairs(roster, tournament)?;
        Ok(pairs.iter().flat_map(|pair| pair.played(&games)).sum())
    }

    /// The tournament is finished: nothing is left to go on with.
    pub fn finish(&self) {
        for path in [note_path(&self.pgn), state_path(&self.pgn)] {
            if let Err(error) = fs::remove_file(&path)
                && error.kind() != io::ErrorKind::NotFound
            {
                log::warn!("{}: {error}", path.display());
            }
        }
    }
}

impl Note {
    /// Is this tournament played under those conditions?
    fn agrees(&self, other: &Note, pgn: &Path) -> Result<(), Failure> {
        let (old, new) = (&self.conditions, &other.conditions);
        let differ = (0..old.len().max(new.len())).find(|&at| old.get(at) != new.get(at));
        let Some(at) = differ else {
            return Ok(());
        };
        let word = |words: &[String]| words.get(at).map_or("nothing", String::as_str).to_owned();
        Err(Failure::BadInput(format!(
            "{}: the tournament in it was begun with '{}', not '{}': finish it as it was, choose \
             another file with --pgn, or remove {} to leave it unfinished",
            pgn.display(),
            word(old),
            word(new),
            note_path(pgn).display()
        )))
    }
}

/// The file in which Fastchess keeps what it needs to go on.
pub fn state_path(pgn: &Path) -> PathBuf {
    ended(pgn, ".json")
}

fn note_path(pgn: &Path) -> PathBuf {
    ended(pgn, ".toml")
}

fn ended(pgn: &Path, ending: &str) -> PathBuf {
    let mut name = pgn.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn read_note(pgn: &Path) -> Result<Option<Note>, Failure> {
    let path = note_path(pgn);
    let bad = |reason: String| Failure::BadInput(format!("{}: {reason}", path.display()));
    match fs::read_to_string(&path) {
        Ok(text) => toml::from_str(&text)
            .map(Some)
            .map_err(|error| bad(error.message().replace('\n', " "))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(bad(error.to_string())),
    }
}

/// The games from this byte on.
fn games_of(pgn: &Path, from: u64) -> Result<Standings, Failure> {
    let bad = |error: io::Error| Failure::BadInput(format!("{}: {error}", pgn.display()));
    let mut file = File::open(pgn).map_err(bad)?;
    file.seek(SeekFrom::Start(from)).map_err(bad)?;
    Standings::read(BufReader::new(file)).map_err(bad)
}

/// Two engines that meet.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pair {
    /// Their identifiers.
    ids: [String; 2],
    /// Their names in the file of games.
    names: [String; 2],
}

impl Pair {
    /// Games in which the first had White, and those in which the second had.
    fn played(&self, games: &Standings) -> [u32; 2] {
        let [one, other] = &self.names;
        [games.between(one, other), games.between(other, one)]
    }
}

/// Who meets whom.
fn pairs(roster: &Roster, tournament: &Tournament) -> Result<Vec<Pair>, Failure> {
    let mut ids: BTreeMap<String, &String> = BTreeMap::new();
    let mut players = Vec::new();
    for id in &tournament.engines {
        let engine = roster.engines.get(id);
        let name = engine.and_then(|engine| engine.name.clone());
        let name = name.unwrap_or_else(|| id.clone());
        if let Some(other) = ids.insert(name.clone(), id) {
            let reason = format!("'{other}' and '{id}' have the same name, {name}");
            return Err(roster.mistake(&["engines", id, "name"], reason).into());
        }
        players.push((id, name));
    }
    let mut pairs = Vec::new();
    for (number, (id, name)) in players.iter().enumerate() {
        for (other_id, other) in players.iter().skip(number + 1) {
            if number == 0 || tournament.schedule == Schedule::RoundRobin {
                pairs.push(Pair {
                    ids: [(*id).clone(), (*other_id).clone()],
                    names: [name.clone(), other.clone()],
                });
            }
        }
    }
    Ok(pairs)
}

/// The runs that complete a tournament of which each pair has played so many games.
fn legs(tournament: &Tournament, pairs: &[Pair], counts: &[[u32; 2]]) -> Vec<Leg> {
    let rounds = |[one, other]: &[u32; 2]| (one + other).div_ceil(2);
    let level = counts.iter().map(rounds).max().unwrap_or_default();
    let level = level.min(tournament.rounds);
    let mut used: u32 = counts.iter().map(rounds).sum();
    let mut legs = Vec::new();
    let mut push = |engines: &[String], rounds: u32, games: u32, openings: u32| {
        if rounds == 0 {
            return;
        }
        let mut leg = Leg {
            tournament: Tournament {
                engines: engines.to_vec(),
                rounds,
                ..tournament.clone()
            },
            games,
            from_state: false,
        };
        skip_openings(&mut leg.tournament, used);
        used += openings;
        legs.push(leg);
    };
    for (pair, &[one, other]) in pairs.iter().zip(counts) {
        let missing = (2 * level).saturating_sub(one + other);
        if missing % 2 == 1 {
            // The game that is missing of an opening: White has who had it less often.
            let [first, second] = pair.ids.clone();
            let order = if one <= other {
                [first, second]
            } else {
                [second, first]
            };
            push(&order, 1, 1, 1);
        }
        push(&pair.ids, missing / 2, 2, missing / 2);
    }
    push(&tournament.engines, tournament.rounds - level, 2, 0);
    legs
}

/// Begins behind the openings that have been played, where their order is always the same.
fn skip_openings(tournament: &mut Tournament, used: u32) {
    let seeded = tournament.srand.is_some();
    if let Some(openings) = &mut tournament.openings
        && (seeded || openings.order == OpeningOrder::Sequential)
    {
        openings.start = Some(openings.start.unwrap_or(1).saturating_add(used));
    }
}

/// A sequential test that its runner goes on with.
fn with_state(tournament: &Tournament, pgn: &Path, possible: bool) -> Result<Leg, Failure> {
    if possible && state_path(pgn).is_file() {
        return Ok(Leg {
            from_state: true,
            ..Leg::whole(tournament)
        });
    }
    Err(Failure::BadInput(format!(
        "{}: a sequential test in it is not finished, and only fastchess can go on with one that \
         it began: remove {} to begin anew",
        pgn.display(),
        note_path(pgn).display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(schedule: &str) -> Roster {
        let text = format!(
            "[engines.a]\ncmd = \"a\"\n[engines.b]\ncmd = \"b\"\n[engines.c]\ncmd = \"c\"\nname = \"C\"\n\
             [tournaments.t]\nengines = [\"a\", \"b\", \"c\"]\ntournament = \"{schedule}\"\n\
             rounds = 5\neach = {{ nodes = 1 }}\nopenings = {{ file = \"b.epd\", order = \"sequential\", start = 3 }}\n"
        );
        Roster::parse(&text, Path::new("e.toml"), Path::new("/")).unwrap()
    }

    /// Engines, rounds, games a round and the first opening of each leg.
    fn plan(schedule: &str, counts: &[[u32; 2]]) -> Vec<(String, u32, u32, u32)> {
        let roster = roster(schedule);
        let tournament = &roster.tournaments["t"];
        let pairs = pairs(&roster, tournament).unwrap();
        assert_eq!(pairs.len(), counts.len());
        let told = |leg: Leg| {
            let start = leg.tournament.openings.unwrap().start.unwrap();
            let engines = leg.tournament.engines.join(" ");
            (engines, leg.tournament.rounds, leg.games, start)
        };
        legs(tournament, &pairs, counts)
            .into_iter()
            .map(told)
            .collect()
    }

    fn leg(engines: &str, rounds: u32, games: u32, start: u32) -> (String, u32, u32, u32) {
        (engines.to_owned(), rounds, games, start)
    }

    #[test]
    fn what_is_left_completes_every_pair() {
        // Nothing lags: the rest of the rounds.
        assert_eq!(plan("gauntlet", &[[2, 2], [2, 2]]), [leg("a b c", 3, 2, 7)]);
        assert_eq!(plan("gauntlet", &[[5, 5], [5, 5]]), []);
        // One pair lags by a round.
        assert_eq!(
            plan("gauntlet", &[[2, 2], [1, 1]]),
            [leg("a c", 1, 2, 6), leg("a b c", 3, 2, 7)]
        );
        // One game of an opening is missing: Black had it, now White.
        assert_eq!(
            plan("gauntlet", &[[2, 1], [1, 1]]),
            [
                leg("b a", 1, 1, 6),
                leg("a c", 1, 2, 7),
                leg("a b c", 3, 2, 8)
            ]
        );
        assert_eq!(
            plan("round-robin", &[[0, 0], [1, 0], [0, 0]]),
            [
                leg("a b", 1, 2, 4),
                leg("c a", 1, 1, 5),
                leg("b c", 1, 2, 6),
                leg("a b c", 4, 2, 7),
            ]
        );
        // The last round is half played.
        assert_eq!(plan("gauntlet", &[[5, 5], [5, 4]]), [leg("c a", 1, 1, 13)]);
    }

    #[test]
    fn every_plan_comes_to_the_full_number_of_games() {
        for seed in 0..200u32 {
            let count = |shift: u32| (seed.wrapping_mul(2_654_435_761) >> shift) % 6;
            let counts = [[count(3), count(7)], [count(11), count(17)]];
            let mut totals = counts.map(|[one, other]| one + other);
            for (engines, rounds, games, _) in plan("gauntlet", &counts) {
                for (pair, other) in ["b", "c"].iter().enumerate() {
                    if engines.contains(other) {
                        totals[pair] += rounds * games;
                    }
                }
            }
            assert_eq!(totals, [10, 10], "{counts:?}");
        }
    }

    #[test]
    fn engines_of_one_name_cannot_be_told_apart() {
        let mut roster = roster("gauntlet");
        roster.engines.get_mut("a").unwrap().name = Some("C".to_owned());
        let error = pairs(&roster, &roster.tournaments["t"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "e.toml:7: engines.c.name: 'a' and 'c' have the same name, C"
        );
    }

    #[test]
    fn other_conditions_are_told() {
        let note = |words: &[&str]| Note {
            begins_at: 0,
            conditions: words.iter().map(ToString::to_string).collect(),
        };
        let pgn = Path::new("g.pgn");
        assert!(note(&["a", "b"]).agrees(&note(&["a", "b"]), pgn).is_ok());
        let told = note(&["a", "tc=1"]).agrees(&note(&["a"]), pgn).unwrap_err();
        let told = told.to_string();
        assert!(
            told.starts_with("g.pgn: the tournament in it was begun with 'tc=1', not 'nothing': "),
            "{told}"
        );
    }
}
