//! `EvalFile`: a network is taken, a bad file is refused and nothing changes.

use std::path::PathBuf;

use crate::base::options::Options;
use crate::eval::Network;

use super::{Engine, EngineError};

/// A file of this test's own that goes when it is dropped.
struct File(PathBuf);

impl File {
    fn new(name: &str, bytes: &[u8]) -> File {
        let name = format!("standpat-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).unwrap();
        File(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

fn engine() -> Engine {
    let options = Options {
        hash: 1,
        ..Options::default()
    };
    Engine::new(options).unwrap()
}

#[test]
fn a_network_is_taken_and_given_back() {
    let network = Network::random(64, 1, 5);
    let file = File::new("sound.net", &network.write());
    let mut engine = engine();
    engine.set_option("EvalFile", Some(file.path())).unwrap();
    assert_eq!(**engine.network(), network);
    assert_eq!(engine.options().eval_file, file.path());
    engine.set_option("EvalFile", Some("<empty>")).unwrap();
    assert_eq!(*engine.network(), Network::shipped());
}

#[test]
fn a_bad_file_is_refused_with_a_reason_and_the_old_network_stays() {
    let network = Network::random(64, 1, 5);
    let bytes = network.write();
    let sound = File::new("first.net", &bytes);
    let torn = File::new("torn.net", &bytes[..bytes.len() - 100]);
    let mut engine = engine();
    engine.set_option("EvalFile", Some(sound.path())).unwrap();
    for bad in [torn.path(), "/nonexistent/some.net"] {
        let error = engine.set_option("EvalFile", Some(bad)).unwrap_err();
        assert!(matches!(error, EngineError::Network { .. }));
        assert!(error.to_string().contains("the old one stays"), "{error}");
        assert_eq!(**engine.network(), network);
        assert_eq!(engine.options().eval_file, sound.path());
    }
}
