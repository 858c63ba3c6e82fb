//! What Nova calls a valid skill is what the standard's own validator calls one.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nova_registry::{Severity, check_skill};

struct Verdict {
    valid: bool,
    folder: String,
    skill_md: String,
}

fn verdicts() -> Vec<Verdict> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts/verdicts.txt"))
        .unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut parts = line.splitn(3, '\t');
            let valid = match parts.next().unwrap() {
                "valid" => true,
                "invalid" => false,
                other => panic!("{other} is no verdict"),
            };
            let folder = parts.next().unwrap().to_owned();
            Verdict { valid, folder, skill_md: serde_json::from_str(parts.next().unwrap()).unwrap() }
        })
        .collect()
}

fn write(root: &Path, verdict: &Verdict) -> PathBuf {
    let folder = root.join(&verdict.folder);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), &verdict.skill_md).unwrap();
    folder
}

#[test]
fn nova_agrees_with_the_validator_of_the_standard() {
    let all = verdicts();
    let valid = all.iter().filter(|verdict| verdict.valid).count();
    assert!(valid >= 20 && all.len() - valid >= 30, "the table is there");
    let mut unlike = Vec::new();
    for verdict in all {
        let root = tempfile::tempdir().unwrap();
        let folder = write(root.path(), &verdict);
        let errors: Vec<_> = check_skill(&folder)
            .unwrap()
            .findings
            .into_iter()
            .filter(|finding| finding.severity == Severity::Error)
            .collect();
        if errors.is_empty() != verdict.valid {
            unlike.push((verdict.folder, verdict.valid, errors));
        }
    }
    assert!(unlike.is_empty(), "the validator says otherwise: {unlike:#?}");
}

/// `.ci/setup` puts the program there where Python is; elsewhere the table stands for it.
#[test]
fn the_table_is_what_the_validator_says() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../.cache/agentskills/bin/agentskills");
    if !program.is_file() {
        return;
    }
    for verdict in verdicts() {
        let root = tempfile::tempdir().unwrap();
        let folder = write(root.path(), &verdict);
        let said = Command::new(&program).arg("validate").arg(&folder).output().unwrap();
        assert_eq!(said.status.success(), verdict.valid, "{}: {said:?}", verdict.folder);
    }
}

/// The skills that come with Nova are skills for every other program too.
#[test]
fn nova_s_own_skills_are_valid() {
    let skills = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../skills");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../.cache/agentskills/bin/agentskills");
    let mut seen = Vec::new();
    for entry in fs::read_dir(skills).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.join("SKILL.md").is_file() {
            continue;
        }
        seen.push(folder.file_name().unwrap().to_str().unwrap().to_owned());
        assert_eq!(check_skill(&folder).unwrap().findings, [], "{}", folder.display());
        if program.is_file() {
            let said = Command::new(&program).arg("validate").arg(&folder).output().unwrap();
            assert!(said.status.success(), "{said:?}");
        }
    }
    for id in ["crm", "vault", "employee-onboarding", "release-management", "research-assistant"] {
        assert!(seen.iter().any(|seen| seen == id), "{id} is among {seen:?}");
    }
}
