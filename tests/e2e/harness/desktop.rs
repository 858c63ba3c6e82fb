//! Desktop settings: the language, and the program that opens addresses.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles the locale into `folder`, since the machine may not have it installed.
pub(super) fn language(folder: &Path, language: &str) -> [(&'static str, PathBuf); 2] {
    let locale = format!("{language}.UTF-8");
    std::fs::create_dir_all(folder).expect("a folder for the locale");
    let mut compiler = Command::new("localedef");
    compiler.args(["--no-archive", "-i", language, "-f", "UTF-8"]).arg(folder.join(&locale));
    let compiled = compiler.output().expect("localedef; `make setup` installs it");
    assert!(folder.join(&locale).is_dir(), "{}", String::from_utf8_lossy(&compiled.stderr));
    [("LOCPATH", folder.to_owned()), ("LC_ALL", locale.into())]
}

/// A `PATH` in which every launcher that Nova may call is `script`.
pub(super) fn launcher(folder: &Path, script: &str) -> (&'static str, PathBuf) {
    std::fs::create_dir_all(folder).expect("a folder for programs");
    for name in ["xdg-open", "gio", "gnome-open", "kde-open6", "kde-open5", "kde-open"] {
        let file = folder.join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("the launcher");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o700)).expect("its mode");
    }
    let mut path = folder.as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    ("PATH", path.into())
}
