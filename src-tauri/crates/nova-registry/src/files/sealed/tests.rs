#![allow(clippy::unwrap_used)]

use std::fs;

use super::*;

fn fingerprint(root: &Path) -> String {
    seal(root, "x").unwrap().0.fingerprint
}

#[test]
fn any_change_of_names_or_contents_changes_the_fingerprint() {
    let root = tempfile::tempdir().unwrap();
    let skill = root.path().join("x");
    fs::create_dir_all(skill.join("scripts")).unwrap();
    fs::write(skill.join("SKILL.md"), "one").unwrap();
    fs::write(skill.join("scripts/run.sh"), "two").unwrap();
    let mut seen = vec![fingerprint(root.path())];
    assert_eq!(fingerprint(root.path()), seen[0], "nothing changed");
    fs::write(skill.join("scripts/run.sh"), "2wo").unwrap();
    seen.push(fingerprint(root.path()));
    fs::rename(skill.join("scripts/run.sh"), skill.join("scripts/ran.sh")).unwrap();
    seen.push(fingerprint(root.path()));
    fs::write(skill.join(".hidden"), "").unwrap();
    seen.push(fingerprint(root.path()));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc", skill.join("etc")).unwrap();
        seen.push(fingerprint(root.path()));
    }
    let unlike: std::collections::BTreeSet<_> = seen.iter().collect();
    assert_eq!(unlike.len(), seen.len(), "{seen:?}");
    fs::create_dir(skill.join(".git")).unwrap();
    fs::write(skill.join(".git/index"), "").unwrap();
    assert_eq!(fingerprint(root.path()), *seen.last().unwrap());
}

#[test]
fn files_that_cannot_be_reviewed_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let skill = root.path().join("x");
    fs::create_dir_all(&skill).unwrap();
    fs::File::create(skill.join("sparse")).unwrap().set_len(17 * 1024 * 1024).unwrap();
    assert!(seal(root.path(), "x").unwrap_err().contains("16 MB"));
    fs::remove_file(skill.join("sparse")).unwrap();
    for at in 0..600 {
        fs::write(skill.join(at.to_string()), "").unwrap();
    }
    assert!(seal(root.path(), "x").unwrap_err().contains("500 files"));
    assert!(seal(root.path(), "none").is_err());
}
