use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use nova_workspace::{Refused, refuse};
use tempfile::TempDir;

#[test]
fn refuses_folders_with_keys_and_taken_folders() {
    let temp = TempDir::new().unwrap();
    let root = temp.path().canonicalize().unwrap();
    let home = root.join("home");
    let folders =
        [".ssh/old", ".config/nova", "vault/CRM", "code/src", "documents/data", "documents/letters"];
    folders.iter().for_each(|folder| fs::create_dir_all(home.join(folder)).unwrap());
    symlink(home.join(".ssh"), home.join("harmless")).unwrap();
    fs::write(home.join("file"), "").unwrap();
    let taken = [
        (home.join("vault"), "the vault".to_owned()),
        (home.join("documents/data"), "Nova's own folder".to_owned()),
    ];
    let check = |folder: &str| refuse(&home.join(folder), Some(&home), &taken);

    assert_eq!(check("code"), Ok(home.join("code")));
    assert_eq!(check("code/src"), Ok(home.join("code/src")));
    assert_eq!(check("documents/letters"), Ok(home.join("documents/letters")));
    for (folder, why) in [
        (".ssh", "is"),
        ("harmless", "is"),
        (".ssh/old", "is inside"),
        (".config/nova", "is inside"),
        ("vault", "is"),
        ("vault/CRM", "is inside"),
        ("documents", "contains"),
        ("", "contains"),
        ("file", "is not a readable"),
        ("missing", "is not a readable"),
    ] {
        let said = check(folder).unwrap_err().to_string();
        assert!(said.contains(&format!(" {why} ")), "{folder}: {said}");
    }
    for folder in ["/", "/etc", "/proc/self", "/usr/bin"] {
        assert!(refuse(&PathBuf::from(folder), Some(&home), &[]).is_err(), "{folder}");
    }
}

#[test]
fn key_folder_is_protected_before_it_exists() {
    let temp = TempDir::new().unwrap();
    let home = temp.path().canonicalize().unwrap();
    let refused = refuse(&home, Some(&home), &[]);
    assert!(matches!(refused, Err(Refused::Holds { .. })), "{refused:?}");
}
