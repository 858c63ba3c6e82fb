//! The file tools over a vault and folders outside of it.

use std::fs;
use std::io;
use std::sync::Arc;

use nova_protocol::{Decision, ErrorCode, Event};
use nova_skill::{Access, FileJournal, Folder, FolderSource, Folders, Value, json};
use nova_testkit::{ScriptedApprover, SkillInVault};
use nova_vault::Privacy;

use super::{Aside, NoSnippets};

const NOTES: &str = "\
//- CRM/Ada.md
stage: lead
The needle of Ada.
//- Secret/Diary.md
---
nova: private
---
The needle of the diary.
";

/// A read-only folder `code`, and a writable `scratch`.
struct Beside(tempfile::TempDir);

impl FolderSource for Beside {
    fn open(&self, _: Option<&str>) -> io::Result<Arc<Folders>> {
        let open = |name: &str, access| Folder::open(name, &self.0.path().join(name), access);
        Ok(Arc::new(Folders::new(vec![open("scratch", Access::Write)?, open("code", Access::Read)?])))
    }

    fn kept(&self) -> Option<FileJournal> {
        Some(FileJournal::new(self.0.path().join("kept")))
    }
}

fn core() -> SkillInVault {
    let beside = tempfile::tempdir().unwrap();
    for (path, text) in
        [("code/src/main.rs", "fn main() {\n    // needle\n}\n"), ("scratch/a.txt", "one\ntwo\n")]
    {
        let path = beside.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut core =
        SkillInVault::new(nova_skill_core::skill(Arc::new(Aside::default()), Arc::new(NoSnippets)), NOTES);
    core.folders = Arc::new(Beside(beside));
    core
}

fn paths(value: &Value) -> Vec<&str> {
    value["hits"].as_array().unwrap().iter().map(|hit| hit["path"].as_str().unwrap()).collect()
}

#[test]
fn lists_the_open_folders_and_their_entries() {
    let core = core();
    assert_eq!(
        core.value("ls", json!({})),
        json!({"folders": [
            {"path": "vault", "access": "write"}, {"path": "scratch", "access": "write"},
            {"path": "code", "access": "read"},
        ]})
    );
    let entries = json!([{"name": "src", "kind": "folder"}]);
    assert_eq!(
        core.value("ls", json!({"path": "code"})),
        json!({"path": "code", "entries": entries, "more": 0})
    );
    let entries = json!([{"name": "CRM", "kind": "folder"}, {"name": "Secret", "kind": "folder"}]);
    assert_eq!(core.value("ls", json!({"path": "vault/"}))["entries"], entries);
    assert_eq!(core.error("ls", json!({"path": "vault/None"})).code, ErrorCode::NoteNotFound);
}

#[test]
fn reads_files_and_notes_with_line_numbers() {
    let core = core();
    assert_eq!(
        core.value("read", json!({"path": "code/src/main.rs", "offset": 2, "limit": 1})),
        json!({"path": "code/src/main.rs", "text": "     2\t    // needle\n", "size": 28, "next_offset": 3})
    );
    let read = core.call("read", json!({"path": "vault/CRM/Ada.md"}));
    assert_eq!(read.result.unwrap()["text"], "     1\tstage: lead\n     2\tThe needle of Ada.\n");
    assert_eq!(read.sources.len(), 1);
    let absolute = core.vault.root().join("CRM/Ada.md").display().to_string();
    assert_eq!(core.value("read", json!({"path": absolute}))["path"], "vault/CRM/Ada.md");
}

#[test]
fn attachment_of_the_vault_is_read() {
    let core = core();
    fs::write(core.vault.root().join("list.csv"), "a;b\n1;2\n").unwrap();
    let read = core.call("read", json!({"path": "vault/list.csv"}));
    assert_eq!(read.result.unwrap()["text"], "     1\ta;b\n     2\t1;2\n");
    assert!(read.from_outside);
}

#[test]
fn image_is_returned_with_its_description() {
    let core = core();
    let gif = b"GIF89a\x80\x02\xe0\x01\0\0\0";
    fs::write(core.vault.root().join("Plan.gif"), gif).unwrap();
    let read = core.call("read", json!({"path": "vault/Plan.gif"}));
    let words =
        json!({"path": "vault/Plan.gif", "image": "image/gif", "width": 640, "height": 480, "size": 13});
    assert_eq!(read.result.unwrap(), words);
    let shown: Vec<_> = read.images.iter().map(|image| (image.name.as_str(), image.bytes.as_ref())).collect();
    assert_eq!(shown, [("Plan.gif", gif.as_slice())]);
    assert!(read.from_outside);
}

#[test]
fn finds_files_by_name_and_by_content() {
    let core = core();
    assert_eq!(
        core.value("glob", json!({"pattern": "code/**/*.rs"})),
        json!({"paths": ["code/src/main.rs"], "more": false})
    );
    let all = core.value("glob", json!({"pattern": "*a*"}));
    assert_eq!(
        all["paths"],
        json!(["vault/CRM/Ada.md", "vault/Secret/Diary.md", "scratch/a.txt", "code/src/main.rs"])
    );
    let found = core.value("grep", json!({"pattern": "needle"}));
    assert_eq!(
        found,
        json!({"hits": [{"path": "code/src/main.rs", "line": 2, "text": "    // needle"}], "more": false, "files_searched": 2})
    );
    let found = core.value("grep", json!({"pattern": "needle", "path": "vault/CRM"}));
    assert_eq!(paths(&found), ["vault/CRM/Ada.md"]);
    let found = core.value("grep", json!({"pattern": "needle", "path": "vault", "glob": "D*.md"}));
    assert_eq!(paths(&found), ["vault/Secret/Diary.md"]);
}

#[test]
fn file_content_is_untrusted() {
    let core = core();
    for (tool, args) in [
        ("read", json!({"path": "scratch/a.txt"})),
        ("grep", json!({"pattern": "o"})),
        ("ls", json!({"path": "code"})),
        ("glob", json!({"pattern": "code/**"})),
    ] {
        assert!(core.call(tool, args).from_outside, "{tool}");
    }
    assert!(!core.call("read", json!({"path": "vault/CRM/Ada.md"})).from_outside);
}

#[test]
fn private_note_is_in_no_answer_for_a_remote_model() {
    let mut core = core();
    core.privacy = Privacy { remote: true, private: Vec::new() };
    assert_eq!(core.error("read", json!({"path": "vault/Secret/Diary.md"})).code, ErrorCode::Private);
    let absolute = core.vault.root().join("Secret/Diary.md").display().to_string();
    assert_eq!(core.error("read", json!({"path": absolute})).code, ErrorCode::Private);
    for (tool, args) in [
        ("grep", json!({"pattern": "needle", "path": "vault"})),
        ("grep", json!({"pattern": "needle", "path": "vault/Secret"})),
        ("grep", json!({"pattern": "needle", "path": "vault/Secret/Diary.md"})),
        ("glob", json!({"pattern": "vault/**"})),
        ("ls", json!({"path": "vault/Secret"})),
        ("ls", json!({"path": "vault"})),
    ] {
        let said = format!("{:?}", core.call(tool, args.clone()).result);
        assert!(!said.contains("diary") && !said.contains("Diary"), "{tool} {args}: {said}");
    }
}

#[test]
fn path_in_no_open_folder_is_refused_with_the_list() {
    let core = core();
    for path in ["/etc/passwd", "CRM/Ada.md", "code/../scratch/a.txt"] {
        assert_eq!(core.error("read", json!({"path": path})).code, ErrorCode::PathRefused, "{path}");
    }
    let hint = core.error("read", json!({"path": "CRM/Ada.md"})).hint;
    assert_eq!(hint, "Paths begin with the name of a folder: vault, scratch, code.");
}

#[test]
fn write_is_shown_as_a_diff_and_made_once_allowed() {
    let core = core();
    let written = core.call("write", json!({"path": "scratch/new.csv", "content": "a;b\n"}));
    assert_eq!(written.result.unwrap(), json!({"path": "scratch/new.csv", "created": true, "size": 4}));
    assert!(written.changes[0].path.ends_with("/scratch/new.csv"), "{:?}", written.changes);
    let card = core.events.events().into_iter().find_map(|event| match event {
        Event::ApprovalRequested { question, diff, .. } => Some((question, diff.unwrap())),
        _ => None,
    });
    let (question, diff) = card.unwrap();
    assert_eq!((question.as_str(), &diff[0].path), ("Create 1 file?", &written.changes[0].path));
    assert!(format!("{:?}", diff[0].hunks).contains("a;b"));
    let edited = core.call("edit", json!({"path": "scratch/new.csv", "old": "b", "new": "c"}));
    assert_eq!(edited.result.unwrap(), json!({"path": "scratch/new.csv", "replaced": 1}));
    assert_eq!(core.value("read", json!({"path": "scratch/new.csv"}))["text"], "     1\ta;c\n");
}

#[test]
fn denied_write_changes_nothing() {
    let mut core = core();
    core.approver = ScriptedApprover::always(Decision::Deny);
    let error = core.error("write", json!({"path": "scratch/a.txt", "content": "mine"}));
    assert_eq!(error.code, ErrorCode::DeniedByUser);
    assert_eq!(core.value("read", json!({"path": "scratch/a.txt", "limit": 1}))["text"], "     1\tone\n");
}

#[test]
fn note_is_created_or_edited_through_the_vault_and_never_overwritten() {
    let core = core();
    core.value("write", json!({"path": "vault/New.md", "content": "New.\n"}));
    core.value("edit", json!({"path": "vault/New.md", "old": "New", "new": "Newer"}));
    assert_eq!(core.vault.read("New.md"), "Newer.\n");
    let before = core.vault.read("CRM/Ada.md");
    let error = core.error("write", json!({"path": "vault/CRM/Ada.md", "content": "gone"}));
    assert_eq!((error.code, core.vault.read("CRM/Ada.md")), (ErrorCode::NoteExists, before));
}

#[test]
fn inexact_edit_is_refused_with_the_count() {
    let core = core();
    let edit = |old: &str| core.error("edit", json!({"path": "scratch/a.txt", "old": old, "new": "x"}));
    let error = edit("o");
    assert_eq!(error.code, ErrorCode::EditRefused);
    assert!(error.message.contains("found 2 times") && error.hint.contains("`count`"), "{error}");
    assert!(edit("three").message.contains("found 0 times"));
    let error = core.error("edit", json!({"path": "code/src/main.rs", "old": "needle", "new": "x"}));
    assert_eq!((error.code, error.message.contains("read-only")), (ErrorCode::PathRefused, true));
}
