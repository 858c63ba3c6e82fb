#![allow(clippy::unwrap_used)]

use std::fs;

use super::*;

fn paths(files: &[SkillFile]) -> Vec<&str> {
    files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn resources_exclude_files_that_nova_interprets() {
    let root = tempfile::tempdir().unwrap();
    for file in [
        "SKILL.md",
        "manifest.yaml",
        "config.yaml",
        "tools/echo.ts",
        "references/deep/er/a.md",
        "assets/plan.md",
        "scripts/run.sh",
        "LICENSE.txt",
        ".env",
        ".git/config",
        "references/.a.md.swp",
    ] {
        let file = root.path().join("x").join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "four").unwrap();
    }
    let listing = list(root.path(), "x", false);
    let resources = resources(&listing.files);
    let expected = ["LICENSE.txt", "assets/plan.md", "references/deep/er/a.md", "scripts/run.sh"];
    assert_eq!((paths(&resources), resources[0].bytes), (expected.to_vec(), 4));
    let all = list(root.path(), "x", true);
    assert!(paths(&all.files).contains(&".env") && !paths(&all.files).contains(&".git/config"));
    assert_eq!(list(root.path(), "none", false), Listing::default());
}

#[test]
fn number_of_files_and_depth_of_folders_are_bounded() {
    let root = tempfile::tempdir().unwrap();
    let skill = root.path().join("x");
    fs::create_dir_all(skill.join("assets")).unwrap();
    for at in 0..3000 {
        fs::write(skill.join("assets").join(format!("{at}.md")), "").unwrap();
    }
    let listing = list(root.path(), "x", false);
    assert_eq!((listing.files.len(), listing.incomplete), (500, true));
    let deep = (0..30).fold(root.path().join("y"), |path, at| path.join(at.to_string()));
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("a.md"), "").unwrap();
    let listing = list(root.path(), "y", false);
    assert_eq!((listing.files.len(), listing.incomplete), (0, true));
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_listed_but_not_followed() {
    use std::os::unix::fs::symlink;
    let root = tempfile::tempdir().unwrap();
    let skill = root.path().join("x");
    fs::create_dir_all(skill.join("references")).unwrap();
    fs::write(root.path().join("secret.md"), "secret").unwrap();
    fs::write(skill.join("references/a.md"), "four").unwrap();
    symlink("../../secret.md", skill.join("references/out.md")).unwrap();
    symlink("a.md", skill.join("references/within.md")).unwrap();
    symlink("..", skill.join("references/round")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(skill.join("pipe")).status().unwrap().success());
    let listing = list(root.path(), "x", false);
    assert_eq!(paths(&listing.files), ["references/a.md", "references/within.md"]);
    let links: Vec<&str> = listing.links.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(links, ["references/out.md", "references/round", "references/within.md"]);
    assert_eq!((listing.others, listing.incomplete), (vec!["pipe".to_owned()], false));
}
