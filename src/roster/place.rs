//! Where the roster is looked for when nobody names it: beside the program.

use std::path::{Path, PathBuf};

/// The file's name.
pub const NAME: &str = "engines.toml";

/// The folder of cargo's builds, beside which a project keeps its roster.
const BUILDS: &str = "target";

/// The roster that belongs to this program: the file in the program's own folder, links followed,
/// or, when it lies somewhere in a folder `target`, the one beside that folder. `None` when there
/// is none.
pub fn beside_program() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    beside(&program.canonicalize().unwrap_or(program))
}

/// As [`beside_program`], for a program that lies here.
fn beside(program: &Path) -> Option<PathBuf> {
    let own = program.parent()?;
    let builds = own
        .ancestors()
        .find(|folder| folder.file_name().is_some_and(|name| name == BUILDS));
    [Some(own), builds.and_then(Path::parent)]
        .into_iter()
        .flatten()
        .map(|folder| folder.join(NAME))
        .find(|file| file.is_file())
}

/// The roster for a command at a prompt: the one in the working folder, or else the one that
/// belongs to the program. `None` when there is neither.
pub fn at_hand() -> Option<PathBuf> {
    let here = PathBuf::from(NAME);
    if here.is_file() {
        Some(here)
    } else {
        beside_program()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roster_lies_beside_the_program_or_beside_its_folder_of_builds() {
        let root = std::env::temp_dir().join(format!("standpat-place-{}", std::process::id()));
        let release = root.join("target/x86/release");
        std::fs::create_dir_all(&release).unwrap();
        let program = release.join("standpat");
        assert_eq!(beside(&program), None);
        let outer = root.join(NAME);
        std::fs::write(&outer, "").unwrap();
        assert_eq!(beside(&program), Some(outer));
        let inner = release.join(NAME);
        std::fs::write(&inner, "").unwrap();
        assert_eq!(beside(&program), Some(inner));
        // A build elsewhere has nothing to do with the folders above it.
        let elsewhere = root.join("builds/release");
        assert_eq!(beside(&elsewhere.join("standpat")), None);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
