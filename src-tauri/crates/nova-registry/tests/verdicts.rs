//! Compares Nova's verdicts on skills with the standard's own validator, whose YAML parser has limits.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nova_registry::{Severity, check_skill, is_skill_name};

struct Verdict {
    valid: bool,
    /// The validator's verdict follows from its parser, which only supports a subset of YAML.
    by_parser: bool,
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
            let (valid, by_parser) = match parts.next().unwrap() {
                "valid" => (true, false),
                "invalid" => (false, false),
                "valid-by-its-parser" => (true, true),
                "invalid-by-its-parser" => (false, true),
                other => panic!("unknown verdict {other}"),
            };
            let folder = parts.next().unwrap().to_owned();
            Verdict {
                valid,
                by_parser,
                folder,
                skill_md: serde_json::from_str(parts.next().unwrap()).unwrap(),
            }
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
fn nova_agrees_with_the_standards_validator() {
    let all = verdicts();
    let valid = all.iter().filter(|verdict| verdict.valid).count();
    assert!(valid >= 20 && all.len() - valid >= 30, "the table is missing");
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
        if (errors.is_empty() == verdict.valid) == verdict.by_parser {
            unlike.push((verdict.folder, verdict.valid, errors));
        }
    }
    assert!(unlike.is_empty(), "the validator disagrees: {unlike:#?}");
}

/// Runs the validator if Python is available and `.ci/setup` installed it; otherwise the table substitutes
/// for it. All folders are checked in one process, because its start takes longer than its work.
#[test]
fn table_matches_the_validator() {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../.cache/agentskills/bin/python");
    if !python.is_file() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let verdicts = verdicts();
    let folders: Vec<PathBuf> = verdicts.iter().map(|verdict| write(root.path(), verdict)).collect();
    let table: String = verdicts.iter().map(|verdict| sign(verdict.valid)).collect();
    assert_eq!(said_of(&python, &folders), table);
}

/// One character per folder. A folder on which it crashes is invalid.
fn said_of(python: &Path, folders: &[PathBuf]) -> String {
    const ASK: &str = "
import sys, pathlib
from skills_ref.validator import validate
for path in sys.stdin.read().splitlines():
    try: faults = validate(pathlib.Path(path))
    except Exception as fault: faults = [fault]
    sys.stdout.write('-' if faults else '+')";
    let lists = tempfile::tempdir().unwrap();
    let list = lists.path().join("list");
    let lines: Vec<_> = folders.iter().map(|folder| folder.to_str().unwrap()).collect();
    fs::write(&list, lines.join("\n")).unwrap();
    let asked =
        Command::new(python).args(["-X", "utf8", "-c", ASK]).stdin(fs::File::open(list).unwrap()).output();
    String::from_utf8(asked.unwrap().stdout).unwrap()
}

fn sign(valid: bool) -> char {
    if valid { '+' } else { '-' }
}

/// Tests every character as a name, except those that the validator's Unicode version lacks.
#[test]
fn letters_match_the_standards_validator() {
    const ASK: &str = "
import sys, unicodedata
from skills_ref.validator import _validate_name
known = lambda c: unicodedata.category(c) not in ('Cn', 'Cs')
sign = lambda c: '?' if not known(c) else '-' if _validate_name(c, None) else '+'
sys.stdout.write(''.join(sign(chr(c)) for c in range(0x110000)))";
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../.cache/agentskills/bin/python");
    if !python.is_file() {
        return;
    }
    let said = Command::new(python).args(["-X", "utf8", "-c", ASK]).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let unlike: Vec<(char, char)> = (0..)
        .zip(said.chars())
        .filter(|(_, said)| *said != '?')
        .filter_map(|(code, said)| Some((char::from_u32(code)?, said)))
        .filter(|(c, said)| sign(is_skill_name(&c.to_string())) != *said)
        .collect();
    assert_eq!((said.len(), unlike), (0x11_0000, Vec::new()));
}

/// Built-in skills must be valid for other programs too.
#[test]
fn built_in_skills_are_valid() {
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
