//! The command lines of the two runners of tournaments.
//!
//! Both descend from one syntax and differ in details: how results are spread over rounds, how a
//! schedule is called, where a file name stands, and what an engine's table may say at all.

use std::path::Path;

use crate::roster::tournament::{OpeningFormat, OpeningOrder, Schedule, Variant};
use crate::roster::{Engine, Openings, Protocol, Restart, Roster};

use super::resume::{Leg, state_path};

/// A program that plays tournaments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Runner {
    /// The command line runner of Cute Chess.
    #[value(name = "cutechess-cli")]
    CutechessCli,
    /// Fastchess.
    Fastchess,
}

impl Runner {
    /// The program's usual name.
    pub fn program(self) -> &'static str {
        match self {
            Runner::CutechessCli => "cutechess-cli",
            Runner::Fastchess => "fastchess",
        }
    }

    /// The arguments that play a part of a tournament of the roster, or all of it. `find` turns an engine's command into
    /// the program to start.
    ///
    /// # Errors
    ///
    /// One line that says what this runner cannot do, or `find`'s complaint.
    pub fn arguments(
        self,
        roster: &Roster,
        leg: &Leg,
        find: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<Vec<String>, String> {
        let tournament = &leg.tournament;
        let mut arguments = Vec::new();
        for id in &tournament.engines {
            let engine = roster
                .engines
                .get(id)
                .ok_or_else(|| format!("there is no engine {id}"))?;
            let mut named = engine.clone();
            named.name.get_or_insert_with(|| id.clone());
            arguments.push("-engine".to_string());
            let keys = self.engine(roster, &named, find);
            arguments.extend(keys.map_err(|reason| format!("engine {id}: {reason}"))?);
        }
        let each = self.engine(roster, &tournament.each, find)?;
        if !each.is_empty() {
            arguments.push("-each".to_string());
            arguments.extend(each);
        }
        self.play(leg, &mut arguments);
        self.files(roster, leg, &mut arguments);
        Ok(arguments)
    }

    /// The `key=value` words of one engine.
    fn engine(
        self,
        roster: &Roster,
        engine: &Engine,
        find: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<Vec<String>, String> {
        let mut words = Words::default();
        let path = |path: &std::path::PathBuf| text(&roster.absolute(path));
        words.pair("conf", &engine.conf);
        words.pair("name", &engine.name);
        words.pair("cmd", &engine.cmd.as_deref().map(find).transpose()?);
        words.pair("dir", &engine.dir.as_ref().map(path));
        match self {
            Runner::CutechessCli => engine.args.iter().for_each(|arg| words.push("arg", arg)),
            Runner::Fastchess if engine.args.is_empty() => {}
            Runner::Fastchess => words.push("args", engine.args.join(" ")),
        }
        words.pair("proto", &engine.proto.map(Protocol::word));
        words.pair(
            "initstr",
            &engine
                .initstr
                .as_ref()
                .map(|text| text.replace('\n', "\\n")),
        );
        words.pair("stderr", &engine.stderr.as_ref().map(path));
        match engine.restart {
            Some(Restart::On) => words.push("restart", "on"),
            Some(Restart::Off) => words.push("restart", "off"),
            // What cutechess-cli does anyway, and what fastchess has no word for.
            Some(Restart::Auto) | None => {}
        }
        words.flag("trust", engine.trust);
        words.pair("tc", &engine.tc);
        words.pair("st", &engine.st);
        words.pair("timemargin", &engine.timemargin);
        words.pair("book", &engine.book.as_ref().map(path));
        words.pair("bookdepth", &engine.bookdepth);
        words.flag("whitepov", engine.whitepov);
        words.pair("depth", &engine.depth);
        words.pair("nodes", &engine.nodes);
        words.flag("ponder", engine.ponder);
        words.pair("tscale", &engine.tscale);
        words.flag("debug", engine.debug);
        for (name, value) in &roster.options(engine) {
            // Cute Chess sets this one itself, by `ponder`, and warns of any other attempt.
            let owned = self == Runner::CutechessCli && name.eq_ignore_ascii_case("ponder");
            if !owned {
                words.push(&format!("option.{name}"), value);
            }
        }
        if self == Runner::Fastchess {
            fastchess_knows(engine)?;
        }
        Ok(words.0)
    }

    /// Schedule, numbers of games and rules that end a game.
    fn play(self, leg: &Leg, arguments: &mut Vec<String>) {
        let tournament = &leg.tournament;
        let mut add = |name: &str, words: &[String]| {
            arguments.push(name.to_string());
            arguments.extend_from_slice(words);
        };
        let schedule = match (tournament.schedule, self) {
            (Schedule::Gauntlet, _) => "gauntlet",
            (Schedule::RoundRobin, Runner::CutechessCli) => "round-robin",
            (Schedule::RoundRobin, Runner::Fastchess) => "roundrobin",
        };
        add("-tournament", &[schedule.to_string()]);
        if tournament.variant == Variant::Fischerandom {
            add("-variant", &["fischerandom".to_string()]);
        }
        add("-games", &[leg.games.to_string()]);
        add("-rounds", &[tournament.rounds.to_string()]);
        if leg.games > 1 {
            add("-repeat", &[]);
        }
        add("-concurrency", &[tournament.concurrency.to_string()]);
        if let Some(rule) = tournament.draw {
            let number = format!("movenumber={}", rule.movenumber);
            add(
                "-draw",
                &[
                    number,
                    format!("movecount={}", rule.movecount),
                    format!("score={}", rule.score),
                ],
            );
        }
        if let Some(rule) = tournament.resign {
            let sides = format!("twosided={}", rule.twosided);
            add(
                "-resign",
                &[
                    format!("movecount={}", rule.movecount),
                    format!("score={}", rule.score),
                    sides,
                ],
            );
        }
        if let Some(test) = tournament.sprt {
            let elo = [format!("elo0={}", test.elo0), format!("elo1={}", test.elo1)];
            let risks = [
                format!("alpha={}", test.alpha),
                format!("beta={}", test.beta),
            ];
            add("-sprt", &[elo, risks].concat());
        }
        for (name, number) in [
            ("-maxmoves", tournament.maxmoves),
            ("-srand", tournament.srand),
            ("-ratinginterval", tournament.ratinginterval),
            ("-wait", tournament.wait),
        ] {
            if let Some(number) = number {
                add(name, &[number.to_string()]);
            }
        }
        if tournament.recover {
            add("-recover", &[]);
        }
    }

    /// Openings, and where games go.
    fn files(self, roster: &Roster, leg: &Leg, arguments: &mut Vec<String>) {
        let tournament = &leg.tournament;
        let mut add = |name: &str, words: Vec<String>| {
            arguments.push(name.to_string());
            arguments.extend(words);
        };
        if let Some(openings) = &tournament.openings {
            add("-openings", opening_words(roster, openings));
        }
        if let Some(event) = &tournament.event {
            add("-event", vec![event.clone()]);
        }
        for (name, path) in [
            ("-pgnout", &tournament.pgnout),
            ("-epdout", &tournament.epdout),
        ] {
            let Some(path) = path else { continue };
            let path = text(&roster.absolute(path));
            add(
                name,
                vec![if self == Runner::Fastchess {
                    format!("file={path}")
                } else {
                    path
                }],
            );
        }
        if self == Runner::Fastchess {
            fastchess_state(roster, leg, arguments);
        }
    }
}

/// Where Fastchess keeps its state: beside the games when it may have to go on with a sequential
/// test, and after each game; else out of the way, or it would lie in the folder where it is started.
fn fastchess_state(roster: &Roster, leg: &Leg, arguments: &mut Vec<String>) {
    let kept = leg.tournament.pgnout.as_ref();
    let kept = kept.filter(|_| leg.tournament.sprt.is_some());
    let state = match kept {
        Some(pgn) => {
            arguments.extend(["-autosaveinterval", "1"].map(str::to_owned));
            state_path(&roster.absolute(pgn))
        }
        None => std::env::temp_dir().join("fastchess.json"),
    };
    arguments.push("-config".to_owned());
    if leg.from_state {
        arguments.push(format!("file={}", text(&state)));
    }
    arguments.push(format!("outname={}", text(&state)));
}

fn opening_words(roster: &Roster, openings: &Openings) -> Vec<String> {
    let mut words = Words::default();
    words.push("file", text(&roster.absolute(&openings.file)));
    words.push(
        "format",
        match openings.format {
            OpeningFormat::Epd => "epd",
            OpeningFormat::Pgn => "pgn",
        },
    );
    words.push(
        "order",
        match openings.order {
            OpeningOrder::Random => "random",
            OpeningOrder::Sequential => "sequential",
        },
    );
    words.pair("plies", &openings.plies);
    words.pair("start", &openings.start);
    words.0
}

/// Refuses what an engine's table says and fastchess has no word for.
fn fastchess_knows(engine: &Engine) -> Result<(), String> {
    let unknown = [
        ("conf", engine.conf.is_some()),
        ("initstr", engine.initstr.is_some()),
        ("stderr", engine.stderr.is_some()),
        ("trust", engine.trust),
        ("book", engine.book.is_some()),
        ("bookdepth", engine.bookdepth.is_some()),
        ("whitepov", engine.whitepov),
        ("ponder", engine.ponder),
        ("tscale", engine.tscale.is_some()),
        ("debug", engine.debug),
        ("proto = \"xboard\"", engine.proto == Some(Protocol::Xboard)),
    ];
    match unknown.iter().find(|(_, set)| *set) {
        Some((key, _)) => Err(format!("fastchess does not know {key}; use cutechess-cli")),
        None => Ok(()),
    }
}

/// `key=value` words.
#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn push(&mut self, key: &str, value: impl std::fmt::Display) {
        self.0.push(format!("{key}={value}"));
    }

    fn pair(&mut self, key: &str, value: &Option<impl std::fmt::Display>) {
        if let Some(value) = value {
            self.push(key, value);
        }
    }

    fn flag(&mut self, key: &str, set: bool) {
        if set {
            self.0.push(key.to_string());
        }
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        [engines.ours]
        cmd = "target/standpat"
        name = "Ours"
        proto = "uci"
        options = { Hash = 16, Ponder = false, "Move Overhead" = 30 }

        [engines.theirs]
        cmd = "their engine"
        dir = "there"
        args = ["--quiet", "-x y"]
        proto = "uci"
        restart = "on"
        timemargin = 50
        option = "unused"
    "#;

    const TOURNAMENT: &str = r#"
        [tournaments.t]
        engines = ["ours", "theirs"]
        tournament = "gauntlet"
        each = { tc = "2+0.02", options = { Threads = 1 } }
        rounds = 100
        concurrency = 2
        openings = { file = "books/b.epd", order = "random", start = 3 }
        draw = { movenumber = 40, movecount = 8, score = 10 }
        resign = { movecount = 4, score = 600, twosided = true }
        maxmoves = 300
        recover = true
        srand = 7
        event = "A test"
        pgnout = "../games.pgn"
    "#;

    fn roster(more: &str) -> Roster {
        let text = FILE.replace("option = \"unused\"", more) + TOURNAMENT;
        Roster::parse(&text, Path::new("t.toml"), Path::new("/house")).unwrap()
    }

    fn arguments(runner: Runner, more: &str) -> Result<Vec<String>, String> {
        let roster = roster(more);
        let find = |cmd: &str| Ok(format!("/found/{cmd}"));
        runner.arguments(&roster, &Leg::whole(&roster.tournaments["t"]), &find)
    }

    #[test]
    fn cutechess_cli_gets_every_key_in_its_own_words() {
        let expected = [
            "-engine",
            "name=Ours",
            "cmd=/found/target/standpat",
            "proto=uci",
            "option.Hash=16",
            "option.Move Overhead=30",
            "-engine",
            "name=theirs",
            "cmd=/found/their engine",
            "dir=/house/there",
            "arg=--quiet",
            "arg=-x y",
            "proto=uci",
            "initstr=a\\nb",
            "restart=on",
            "timemargin=50",
            "whitepov",
            "ponder",
            "-each",
            "tc=2+0.02",
            "option.Threads=1",
            "-tournament",
            "gauntlet",
            "-games",
            "2",
            "-rounds",
            "100",
            "-repeat",
            "-concurrency",
            "2",
            "-draw",
            "movenumber=40",
            "movecount=8",
            "score=10",
            "-resign",
            "movecount=4",
            "score=600",
            "twosided=true",
            "-maxmoves",
            "300",
            "-srand",
            "7",
            "-recover",
            "-openings",
            "file=/house/books/b.epd",
            "format=epd",
            "order=random",
            "start=3",
            "-event",
            "A test",
            "-pgnout",
            "/house/../games.pgn",
        ];
        let more = "ponder = true\nwhitepov = true\ninitstr = \"a\\nb\"";
        assert_eq!(arguments(Runner::CutechessCli, more).unwrap(), expected);
    }

    #[test]
    fn fastchess_gets_the_same_in_its_words() {
        let words = arguments(Runner::Fastchess, "").unwrap();
        let has = |expected: &[&str]| {
            assert!(
                words
                    .windows(expected.len())
                    .any(|window| window == expected),
                "{expected:?}"
            );
        };
        has(&[
            "-engine",
            "name=Ours",
            "cmd=/found/target/standpat",
            "proto=uci",
        ]);
        has(&[
            "dir=/house/there",
            "args=--quiet -x y",
            "proto=uci",
            "restart=on",
            "timemargin=50",
        ]);
        has(&["-pgnout", "file=/house/../games.pgn"]);
        has(&[
            "-openings",
            "file=/house/books/b.epd",
            "format=epd",
            "order=random",
            "start=3",
        ]);
        let refused = arguments(Runner::Fastchess, "ponder = true").unwrap_err();
        assert_eq!(
            refused,
            "engine theirs: fastchess does not know ponder; use cutechess-cli"
        );
    }
}
