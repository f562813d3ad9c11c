//! A campaign on a tiny scale, killed at many moments.

use std::fs;
use std::path::{Path, PathBuf};

use super::state::{Generation, State};
use super::*;

/// Two generations of some hundred positions.
const BUDGET: Budget = Budget::Generations {
    count: 2,
    scale: 0.001_5,
};

const CHANGES: &str = "\
    [[change]]\nfrom = 1\nnodes = 10\ngate_pairs = 3\ngate_nodes = 30\npasses = 2\nbuckets = 8\n\
    [[change]]\nfrom = 2\nhidden = 64\nfurther = true\n";

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("standpat-campaign-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        plan(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn plan(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("plan.toml"), CHANGES).unwrap();
}

fn start(budget: Option<Budget>) -> Start {
    Start {
        seed: 7,
        budget,
        threads: 2,
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// What of a generation does not depend on the machine's speed.
fn essence(generation: &Generation) -> Generation {
    let mut generation = generation.clone();
    generation.seconds = [0.0; 3];
    generation.training.rate = 0.0;
    generation
}

fn essences(state: &State) -> Vec<Generation> {
    state.generations.iter().map(essence).collect()
}

#[test]
fn a_campaign_killed_at_any_moment_comes_to_the_same_end() {
    let folder = Folder::new("killed");
    let whole = folder.0.join("whole");
    plan(&whole);
    let mut campaign = Campaign::open(&whole, &start(Some(BUDGET))).unwrap();
    // As a killed process leaves its files: copied while it runs, at moments of each stage.
    let moments = [3, 7, 8, 10, 12, 17, 20];
    let (mut events, mut snapshots) = (0, Vec::new());
    campaign
        .run(&mut |event| {
            let kind = match event {
                Event::Begun(current) => format!("{:?} begun", current.stage),
                Event::Playing { .. } => "playing".to_string(),
                Event::Training { .. } => "training".to_string(),
                Event::Gating { .. } => "gate".to_string(),
                Event::Finished(_) => "finished".to_string(),
            };
            if moments.contains(&events) {
                let snapshot = folder.0.join(format!("at-{events}-{kind}"));
                copy(&whole, &snapshot);
                snapshots.push(snapshot);
            }
            events += 1;
        })
        .unwrap();
    assert!(campaign.state().is_over());
    let wanted = essences(campaign.state());
    assert_eq!(wanted.len(), 2);
    assert_eq!(
        wanted[1].data.pooled, wanted[1].data.positions,
        "never the first"
    );
    let nets = |folder: &Path| {
        let layout = Layout(folder.to_owned());
        [0, 1, 2].map(|number| fs::read(layout.network(number)).unwrap())
    };
    assert_eq!(snapshots.len(), moments.len());
    for snapshot in snapshots {
        let mut campaign = Campaign::open(&snapshot, &start(None)).unwrap();
        campaign.run(&mut |_| ()).unwrap();
        assert_eq!(essences(campaign.state()), wanted, "{}", snapshot.display());
        assert!(nets(&snapshot) == nets(&whole), "{}", snapshot.display());
    }
    let report = fs::read_to_string(campaign.layout().report()).unwrap();
    assert!(report.contains("| 2 |"), "{report}");
}

#[test]
fn a_folder_serves_one_campaign_at_a_time() {
    let folder = Folder::new("locked");
    assert!(
        Campaign::open(&folder.0, &start(None)).is_err(),
        "no budget"
    );
    let campaign = Campaign::open(&folder.0, &start(Some(BUDGET))).unwrap();
    assert!(Campaign::open(&folder.0, &start(None)).is_err(), "locked");
    drop(campaign);
    let campaign = Campaign::open(&folder.0, &start(None)).unwrap();
    assert_eq!(campaign.state().seed, 7);
}

#[test]
fn a_campaign_in_time_ends_in_time() {
    let folder = Folder::new("time");
    let mut campaign = Campaign::open(&folder.0, &start(Some(Budget::Seconds(2.0)))).unwrap();
    let begun = Instant::now();
    campaign.run(&mut |_| ()).unwrap();
    // A machine that others keep busy may take longer than it was given.
    assert!(begun.elapsed().as_secs_f64() < 60.0);
    assert!(!campaign.state().generations.is_empty());
}

#[test]
fn a_gate_that_was_torn_goes_on_with_whole_lines() {
    let folder = Folder::new("gate");
    let path = folder.0.join("gate.txt");
    fs::write(&path, "0 2 1\n3 0 0\n1 2").unwrap();
    let pairs = take_up_gate(&path).unwrap();
    assert_eq!(
        pairs.iter().map(|pair| pair.index).collect::<Vec<_>>(),
        [0, 3]
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "0 2 1\n3 0 0\n");
    assert!(take_up_gate(&folder.0.join("none.txt")).unwrap().is_empty());
}
