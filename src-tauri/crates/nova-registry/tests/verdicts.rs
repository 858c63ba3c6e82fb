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

/// `.ci/setup` puts the validator there where Python is; elsewhere the table stands for it. It is
/// asked about all folders in one process, because its start takes longer than its work.
#[test]
fn the_table_is_what_the_validator_says() {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../.cache/agentskills/bin/python");
    if !python.is_file() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let verdicts = verdicts();
    let folders: Vec<PathBuf> = verdicts.iter().map(|verdict| write(root.path(), verdict)).collect();
    let ask = "import sys, pathlib; from skills_ref.validator import validate\n\
               for path in sys.argv[1:]: print('invalid' if validate(pathlib.Path(path)) else 'valid')";
    let said = Command::new(&python).args(["-X", "utf8", "-c", ask]).args(&folders).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let table: Vec<_> =
        verdicts.iter().map(|verdict| if verdict.valid { "valid" } else { "invalid" }).collect();
    assert_eq!(said.lines().collect::<Vec<_>>(), table);
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
