#![allow(clippy::unwrap_used)]

use std::fs;

use super::*;

fn folder(files: &[(&str, &[u8])]) -> (tempfile::TempDir, SkillFolder) {
    let root = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let file = root.path().join("x").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
    let listed = files.iter().map(|(path, bytes)| SkillFile::new(*path, bytes.len() as u64)).collect();
    let folder = SkillFolder::on_disk(root.path(), "x", listed, false, false);
    (root, folder)
}

#[test]
fn file_is_read_by_its_relative_path() {
    let (_root, folder) = folder(&[("references/a.md", "eins ä".as_bytes())]);
    for path in ["references/a.md", "./references/a.md", "references//a.md"] {
        assert_eq!(folder.read(path), Ok("eins ä".to_owned()), "{path}");
    }
    assert_eq!(
        folder.read("references/b.md").unwrap_err().to_string(),
        "The skill has no file \"references/b.md\". There are: references/a.md."
    );
}

#[test]
fn paths_out_of_the_folder_are_refused() {
    let (root, folder) = folder(&[("a.md", b"inside"), (".env", b"hidden")]);
    fs::write(root.path().join("secret"), "secret").unwrap();
    let absolute = root.path().join("secret").display().to_string();
    for path in [
        "../secret",
        "a/../../secret",
        "a.md/../../secret",
        &absolute,
        "/etc/passwd",
        "a.md\0",
        "",
        ".",
        "..",
        ".env",
        "C:\\secret",
        "\\\\server\\share",
        "a\\..\\..\\secret",
        &"a".repeat(2000),
    ] {
        assert!(matches!(folder.read(path), Err(SkillFileError::Outside(_))), "{path:?}");
    }
}

#[test]
fn unreadable_file_is_refused_with_the_remedy() {
    let huge = vec![b'x'; 1024 * 1024 + 1];
    let (_root, folder) = folder(&[("huge.md", &huge), ("assets/logo.png", &[0xff, 0xd8]), ("dir/a", b"")]);
    assert_eq!(folder.read("huge.md"), Err(SkillFileError::TooLarge("huge.md".into())));
    assert_eq!(folder.read("assets/logo.png"), Err(SkillFileError::NotText("assets/logo.png".into())));
    assert_eq!(folder.read("dir"), Err(SkillFileError::NotAFile("dir".into())));
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_not_followed() {
    use std::os::unix::fs::symlink;
    let (root, folder) = folder(&[("a.md", b"inside")]);
    let skill = root.path().join("x");
    fs::write(root.path().join("secret"), "secret").unwrap();
    symlink("../secret", skill.join("up.md")).unwrap();
    symlink(root.path(), skill.join("out")).unwrap();
    symlink("a.md", skill.join("within.md")).unwrap();
    for path in ["up.md", "out/secret"] {
        assert_eq!(folder.read(path), Err(SkillFileError::LinkOut { path: path.into() }));
    }
    assert_eq!(folder.read("within.md"), Ok("inside".to_owned()));
    let made = std::process::Command::new("mkfifo").arg(skill.join("pipe.md")).status().unwrap();
    assert!(made.success());
    assert_eq!(folder.read("pipe.md"), Err(SkillFileError::NotAFile("pipe.md".into())));
}

#[test]
fn sealed_file_is_read_only_with_its_agreed_content() {
    let (root, mut folder) = folder(&[("a.md", b"one")]);
    fs::rename(root.path().join("x"), root.path().join("old")).unwrap();
    assert!(matches!(folder.read("a.md"), Err(SkillFileError::NotFound { .. })));
    fs::create_dir(root.path().join("x")).unwrap();
    fs::write(root.path().join("x/a.md"), "two").unwrap();
    assert_eq!(folder.read("a.md"), Ok("two".to_owned()));
    folder.resources[0].agreed = Some(blake3::hash(b"one"));
    folder.sealed = true;
    assert_eq!(folder.read("a.md"), Err(SkillFileError::Changed("a.md".into())));
    fs::write(root.path().join("x/a.md"), "one").unwrap();
    assert_eq!(folder.read("a.md"), Ok("one".to_owned()));
    fs::write(root.path().join("x/new.md"), "new").unwrap();
    assert!(matches!(folder.read("new.md"), Err(SkillFileError::NotFound { .. })), "not agreed to");
}

#[test]
fn embedded_files_are_read_by_the_same_paths() {
    let folder = SkillFolder::embedded(vec![("assets/plan.md", "- [ ] first")]).unwrap();
    assert_eq!(folder.read("./assets/plan.md"), Ok("- [ ] first".to_owned()));
    assert!(matches!(folder.read("assets/other.md"), Err(SkillFileError::NotFound { .. })));
    assert!(matches!(folder.read("../x"), Err(SkillFileError::Outside(_))));
    assert_eq!(folder.resources()[0].bytes, 11);
    assert_eq!(SkillFolder::embedded(Vec::new()), None);
}
