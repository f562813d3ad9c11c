//! Writing another program's file: whole or not at all, and what it said before kept beside it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What the file says; `None` when there is none.
pub(super) fn read(path: &Path) -> Result<Option<String>, String> {
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err("it is not text in UTF-8".to_owned()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Replaces the file's text. Gives the path where the old one is kept; there is none when the file
/// is new.
pub(super) fn replace(path: &Path, old: Option<&str>, new: &str) -> io::Result<Option<PathBuf>> {
    // A link stays a link: what it leads to is replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let kept = old.map(|old| keep(&path, old)).transpose()?;
    let draft = beside(&path, &format!(".new-{}", std::process::id()));
    let written = write_new(&draft, new).and_then(|()| {
        if let Ok(data) = fs::metadata(&path) {
            fs::set_permissions(&draft, data.permissions())?;
        }
        fs::rename(&draft, &path)
    });
    if written.is_err() {
        // What is left of the draft helps nobody.
        let _ = fs::remove_file(&draft);
    }
    written.map(|()| kept)
}

/// Writes the old text to a file that was not there before.
fn keep(path: &Path, old: &str) -> io::Result<PathBuf> {
    let mut number = 1;
    loop {
        let ending = match number {
            1 => ".bak".to_owned(),
            _ => format!(".bak{number}"),
        };
        let kept = beside(path, &ending);
        match write_new(&kept, old) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            result => return result.map(|()| kept),
        }
    }
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// The path with an ending more.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(ending);
    path.with_file_name(name)
}
