//! Where programs keep their lists: the folders of the user, as each system names them.

use std::env;
use std::path::{Path, PathBuf};

/// A family of systems with the same habits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum System {
    /// Linux and its kin, which follow the XDG base directories.
    Xdg,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

/// What the environment says of the user's folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Home {
    pub system: System,
    /// `HOME`, or on Windows `USERPROFILE`.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub config: Option<PathBuf>,
    /// `XDG_DATA_HOME`.
    pub data: Option<PathBuf>,
    /// `APPDATA`.
    pub roaming: Option<PathBuf>,
}

impl Home {
    /// The folders of the user who runs this.
    pub fn of_user() -> Home {
        let system = if cfg!(windows) {
            System::Windows
        } else if cfg!(target_os = "macos") {
            System::Mac
        } else {
            System::Xdg
        };
        // Relative values are to be ignored, says the standard.
        let folder = |name: &str| {
            let path = env::var_os(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        Home {
            system,
            home: folder(if cfg!(windows) { "USERPROFILE" } else { "HOME" }),
            config: folder("XDG_CONFIG_HOME"),
            data: folder("XDG_DATA_HOME"),
            roaming: folder("APPDATA"),
        }
    }

    /// A file below the user's own folder.
    pub fn at_home(&self, file: &str) -> Result<PathBuf, String> {
        let home = self.home.as_deref();
        Ok(home
            .ok_or("HOME does not tell the user's folder; name the file with --into")?
            .join(file))
    }

    /// A file below the folder of settings that the XDG standard names, whatever the system.
    pub fn in_xdg_config(&self, file: &str) -> Result<PathBuf, String> {
        match &self.config {
            Some(config) => Ok(config.join(file)),
            None => Ok(self.at_home(".config")?.join(file)),
        }
    }

    /// A file below the roaming folder of Windows' applications.
    pub fn in_roaming(&self, file: &str) -> Result<PathBuf, String> {
        match &self.roaming {
            Some(roaming) => Ok(roaming.join(file)),
            None => Ok(self.at_home("AppData")?.join("Roaming").join(file)),
        }
    }

    /// A file below the folder of applications' data, as each system has it.
    pub fn in_data(&self, file: &str) -> Result<PathBuf, String> {
        match (self.system, &self.data) {
            (System::Windows, _) => self.in_roaming(file),
            (System::Mac, _) => {
                let support = Path::new("Library").join("Application Support");
                Ok(self.at_home("")?.join(support).join(file))
            }
            (System::Xdg, Some(data)) => Ok(data.join(file)),
            (System::Xdg, None) => Ok(self.at_home(".local/share")?.join(file)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{cutechess, en_croissant, pychess, xboard};
    use super::*;

    fn home(system: System) -> Home {
        Home {
            system,
            home: Some("/me".into()),
            config: None,
            data: None,
            roaming: None,
        }
    }

    #[test]
    fn every_system_has_its_places() {
        let text =
            |path: Result<PathBuf, String>| path.unwrap().to_string_lossy().replace('\\', "/");
        let linux = home(System::Xdg);
        assert_eq!(
            text(cutechess::list(&linux)),
            "/me/.config/cutechess/engines.json"
        );
        assert_eq!(
            text(pychess::list(&linux)),
            "/me/.config/pychess/engines.json"
        );
        assert_eq!(
            text(en_croissant::list(&linux)),
            "/me/.local/share/org.encroissant.app/engines/engines.json"
        );
        assert_eq!(text(xboard::list(&linux).unwrap()), "/me/.xboardrc");

        let xdg = Home {
            config: Some("/c".into()),
            data: Some("/d".into()),
            ..home(System::Xdg)
        };
        assert_eq!(text(cutechess::list(&xdg)), "/c/cutechess/engines.json");
        assert_eq!(text(pychess::list(&xdg)), "/c/pychess/engines.json");
        assert_eq!(
            text(en_croissant::list(&xdg)),
            "/d/org.encroissant.app/engines/engines.json"
        );

        let mac = home(System::Mac);
        assert_eq!(
            text(cutechess::list(&mac)),
            "/me/.config/cutechess/engines.json"
        );
        assert_eq!(
            text(en_croissant::list(&mac)),
            "/me/Library/Application Support/org.encroissant.app/engines/engines.json"
        );

        let windows = Home {
            roaming: Some("/roaming".into()),
            ..home(System::Windows)
        };
        assert_eq!(
            text(cutechess::list(&windows)),
            "/roaming/cutechess/engines.json"
        );
        assert_eq!(
            text(pychess::list(&windows)),
            "/me/.config/pychess/engines.json"
        );
        assert_eq!(
            text(en_croissant::list(&windows)),
            "/roaming/org.encroissant.app/engines/engines.json"
        );
        assert_eq!(xboard::list(&windows), None);

        let nobody = Home {
            home: None,
            ..home(System::Xdg)
        };
        assert!(pychess::list(&nobody).unwrap_err().contains("--into"));
    }
}
