#![allow(clippy::unwrap_used)]

use std::fs;

use super::*;
use crate::Severity;

fn checked(files: &[(&str, &str)]) -> Vec<String> {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let file = root.path().join("my-skill").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let found = check_skill(&root.path().join("my-skill")).unwrap().findings;
    found
        .iter()
        .map(|finding| {
            format!("{}{finding}", if finding.severity == Severity::Error { "error " } else { "" })
        })
        .collect()
}

const GOOD: &str = "---\nname: my-skill\ndescription: Does it.\n---\n\nSee [the list](references/list.md).\n";

#[test]
fn complete_skill_has_no_findings() {
    let found = checked(&[
        ("SKILL.md", GOOD),
        ("references/list.md", "- one"),
        (
            "manifest.yaml",
            "display_name: Mine\nconfig:\n  type: object\n  properties:\n    days: {type: integer}\n",
        ),
        ("config.yaml", "days: 3\n"),
    ]);
    assert_eq!(found, [] as [String; 0]);
}

#[test]
fn findings_cover_every_file_with_its_line() {
    let found = checked(&[
        ("SKILL.md", &GOOD.replace("my-skill", "other")),
        ("manifest.yaml", "color: red\nconfig:\n  type: object\n  properties:\n    days: {type: integer}\n"),
        ("config.yaml", "# in days\ndays: soon\n"),
        ("tools.py", "def tool(): pass"),
    ]);
    assert_eq!(
        found,
        [
            "error SKILL.md, line 2: SKILL.md says name: other, its folder is my-skill. Use the same name for both.",
            "manifest.yaml, line 1: Unknown key color. Known keys: display_name, summary, version, author, tags, icon, loading, requires, hints, routing, records, vault, panel, glance, config.",
            "error config.yaml, line 2: days: \"soon\" is not of type \"integer\".",
            "tools.py: It is not run: rewrite it as tools/*.ts.",
            "SKILL.md, line 6: It names references/list.md, and there is no such file. Write it, or correct the path.",
        ]
    );
    assert_eq!(
        checked(&[("manifest.yaml", "name: my-skill\ndescription: D.\n"), ("instructions.md", "Do it.")]),
        [
            "SKILL.md: There is none. Nova reads manifest.yaml and instructions.md in its place; other programs do not. Write one."
        ]
    );
    assert_eq!(
        checked(&[("notes.txt", "")])[0],
        "error SKILL.md: There is none. Write one with name and description in its front matter."
    );
    assert!(check_skill(Path::new("/nowhere/at/all")).is_err());
}
