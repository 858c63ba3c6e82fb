#![cfg(unix)]

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use nova_files::{open_lock, private_folder, read};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("there").permissions().mode() & 0o777
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
}

#[test]
fn anything_but_a_regular_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("folder")).expect("made");
    pipe(&at("pipe"));
    symlink(at("pipe"), at("link to pipe")).expect("linked");
    symlink("/dev/zero", at("zero")).expect("linked");
    for (name, kind) in
        [("folder", "a folder"), ("pipe", "a pipe"), ("link to pipe", "a pipe"), ("zero", "a device")]
    {
        let error = read(&at(name)).expect_err(name);
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{name}");
        assert_eq!(error.to_string(), format!("it is {kind} and not a regular file"));
    }
    assert_eq!(read(&at("nothing")).expect_err("none").kind(), ErrorKind::NotFound);
}

#[test]
fn size_is_bounded_and_links_to_files_are_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    symlink(&file, &link).expect("linked");
    let sparse = File::create(&file).expect("made");
    for (bytes, is_read) in [(0, true), (8 << 20, true), ((8 << 20) + 1, false), (1 << 30, false)] {
        sparse.set_len(bytes).expect("grown");
        let read = read(&link);
        assert_eq!(read.is_ok(), is_read, "{bytes}");
        assert!(read.is_ok() || read.is_err_and(|error| error.to_string() == "it is larger than 8 MB"));
    }
}

#[test]
fn lock_file_is_private_and_links_and_pipes_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("old"), "kept").expect("written");
    std::fs::set_permissions(at("old"), std::fs::Permissions::from_mode(0o666)).expect("opened up");
    pipe(&at("pipe"));
    symlink(at("target"), at("link")).expect("linked");
    for name in ["new", "old"] {
        open_lock(&at(name)).expect(name);
        assert_eq!(mode(&at(name)), 0o600, "{name}");
    }
    assert_eq!(std::fs::read(at("old")).expect("there"), b"kept");
    for name in ["pipe", "link"] {
        assert_eq!(open_lock(&at(name)).expect_err(name).kind(), ErrorKind::InvalidInput, "{name}");
    }
    assert!(!at("target").exists());
}

#[test]
fn existing_folder_becomes_private() {
    let folder = tempfile::tempdir().expect("a folder");
    let (old, new) = (folder.path().join("old"), folder.path().join("new/inner"));
    std::fs::create_dir(&old).expect("made");
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o755)).expect("opened up");
    for folder in [&old, &new] {
        private_folder(folder).expect("private");
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
}
