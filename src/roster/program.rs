//! The program that an engine's `cmd` means.

use std::env;
use std::path::{Path, PathBuf};

/// Folders that hold games but are often missing from `PATH`.
const GAME_FOLDERS: [&str; 2] = ["/usr/games", "/usr/local/games"];

/// The program that a command means: a path starts from `folder`; a mere name is looked for in
/// `PATH`, then where Debian keeps games.
///
/// # Errors
///
/// One line that says that there is none.
pub fn find(folder: &Path, cmd: &str) -> Result<String, String> {
    if cmd.contains(std::path::is_separator) {
        let path = located(folder, cmd);
        if is_program(&path) {
            return Ok(path.to_string_lossy().into_owned());
        }
        return Err(format!("there is no program {}", path.display()));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let name = format!("{cmd}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path)
        .chain(GAME_FOLDERS.iter().map(PathBuf::from))
        .map(|folder| folder.join(&name))
        .find(|path| is_program(path))
        .map(|path| path.to_string_lossy().into_owned())
        .ok_or_else(|| {
            let [games, _] = GAME_FOLDERS;
            format!("{cmd} is neither in PATH nor in {games}")
        })
}

/// Where a command's path leads from `folder`; a mere name stays as it is.
pub fn located(folder: &Path, cmd: &str) -> PathBuf {
    if !cmd.contains(std::path::is_separator) {
        return PathBuf::from(cmd);
    }
    let path: PathBuf = folder.join(cmd).components().collect();
    std::path::absolute(&path).unwrap_or(path)
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_by_path_and_by_name() {
        assert_eq!(find(Path::new("/bin"), "./sh").unwrap(), "/bin/sh");
        assert!(find(Path::new("/"), "sh").unwrap().ends_with("/sh"));
        let missing = find(Path::new("/"), "no-such-engine").unwrap_err();
        assert_eq!(
            missing,
            "no-such-engine is neither in PATH nor in /usr/games"
        );
        assert_eq!(
            find(Path::new("/"), "no/such").unwrap_err(),
            "there is no program /no/such"
        );
        assert!(find(Path::new("/"), "etc/").is_err());
    }
}
