//! Attachments saved as files of the vault.

use std::io;
use std::sync::Arc;

use nova_protocol::ErrorCode;
use nova_skill::{Access, FileJournal, Folder, FolderSource, Folders, Value, json};
use nova_testkit::{Dovecot, SkillInVault};
use nova_vault::{Author, Scope};

use crate::reading::{entry, skill_with};

const PDF: &str = "JVBERi0xLjQK/wAB";

/// A mail with parts, each its headers and its encoded bytes.
fn mail(parts: &[(&str, &str)]) -> String {
    let parts: String = parts
        .iter()
        .map(|(head, body)| format!("--x\n{head}\nContent-Transfer-Encoding: base64\n\n{body}\n"))
        .collect();
    format!(
        "From: Noor <noor@home.example>\nSubject: Papers\nMIME-Version: 1.0\n\
         Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nHere.\n{parts}--x--\n"
    )
}

fn attached(name: &str) -> String {
    format!("Content-Type: application/pdf\nContent-Disposition: attachment; filename=\"{name}\"")
}

/// The skill over a mailbox with this one mail, and its id.
fn with(message: &str) -> (Dovecot, SkillInVault, Value) {
    let server = Dovecot::start();
    server.deliver("jane", "INBOX", "", message.replace('\n', "\r\n").as_bytes());
    let skill = skill_with(&server, json!([entry("Home", &server, "jane")]));
    let id = skill.value("list", json!({}))["messages"][0]["id"].clone();
    (server, skill, id)
}

fn bytes(skill: &SkillInVault, path: &str) -> Vec<u8> {
    std::fs::read(skill.vault.root().join(path)).unwrap()
}

#[test]
fn attachment_becomes_a_file_and_is_undone() {
    let (server, skill, id) = with(&mail(&[(&attached("Offer ä.pdf"), PDF)]));
    let before = server.messages("jane");
    let read = skill.value("read", json!({"id": id}));
    let name = read["attachments"][0]["name"].clone();

    let outcome = skill.call("save_attachment", json!({"id": id, "name": name, "to": "Papers/2026/"}));
    assert_eq!(
        outcome.result.unwrap(),
        json!({"path": "Papers/2026/Offer ä.pdf", "link": "![[Offer ä.pdf]]", "bytes": 12, "type": "application/pdf"})
    );
    assert_eq!(bytes(&skill, "Papers/2026/Offer ä.pdf"), b"%PDF-1.4\n\xff\0\x01");
    assert_eq!(outcome.changes.len(), 1);
    assert_eq!(server.messages("jane"), before, "nothing is marked as read");

    let history = skill.vault.open().history();
    history.undo(&outcome.change_set.unwrap(), Scope::All, &Author::new("user")).unwrap();
    assert_eq!(skill.vault.files(), Vec::<String>::new());
}

/// Folders that the user opened: `scratch`, `Papers` and `Archive`, which is read-only.
struct Beside(tempfile::TempDir);

impl Beside {
    fn new() -> Arc<Self> {
        let beside = Self(tempfile::tempdir().unwrap());
        for name in ["scratch", "Papers", "Archive"] {
            std::fs::create_dir(beside.0.path().join(name)).unwrap();
        }
        Arc::new(beside)
    }

    /// The files in `Papers`, with their bytes.
    fn papers(&self) -> Vec<(String, Vec<u8>)> {
        let entries = std::fs::read_dir(self.0.path().join("Papers")).unwrap();
        let mut files: Vec<_> = entries
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.path().is_file())
            .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    }
}

impl FolderSource for Beside {
    fn open(&self, _: Option<&str>) -> io::Result<Arc<Folders>> {
        let open = |name: &str, access| Folder::open(name, &self.0.path().join(name), access);
        Ok(Arc::new(Folders::new(vec![
            open("scratch", Access::Write)?,
            open("Papers", Access::Write)?,
            open("Archive", Access::Read)?,
        ])))
    }

    fn kept(&self) -> Option<FileJournal> {
        Some(FileJournal::new(self.0.path().join("kept")))
    }
}

#[test]
fn attachment_is_saved_in_an_open_folder() {
    let (server, mut skill, id) = with(&mail(&[(&attached("Offer.pdf"), PDF)]));
    let beside = Beside::new();
    skill.folders = beside.clone();
    let before = server.messages("jane");
    let save = |to: &str| skill.call("save_attachment", json!({"id": id, "name": "Offer.pdf", "to": to}));

    let outcome = save("Papers/");
    assert_eq!(
        outcome.result.unwrap(),
        json!({"path": "Papers/Offer.pdf", "bytes": 12, "type": "application/pdf"})
    );
    let place = beside.0.path().join("Papers").canonicalize().unwrap();
    assert_eq!(outcome.changes[0].path, place.join("Offer.pdf").display().to_string());
    // Named by its path, and under another name, as the first is taken.
    let absolute = save(&place.display().to_string()).result.unwrap();
    assert_eq!(absolute["path"], "Papers/Offer 1.pdf");
    let bytes = b"%PDF-1.4\n\xff\0\x01".to_vec();
    assert_eq!(beside.papers(), [("Offer 1.pdf".into(), bytes.clone()), ("Offer.pdf".into(), bytes.clone())]);
    assert_eq!(save("scratch").result.unwrap()["path"], "scratch/Offer.pdf");
    assert_eq!(server.messages("jane"), before, "nothing is marked as read");
    assert_eq!(skill.vault.files(), Vec::<String>::new(), "nothing is in the vault");

    // A folder of the vault with the name of an open one.
    assert_eq!(save("vault/Papers").result.unwrap()["path"], "Papers/Offer.pdf");
    assert_eq!(skill.vault.files(), ["Papers/Offer.pdf"]);
    assert_eq!(beside.papers().len(), 2);
}

#[test]
fn open_folder_takes_no_hostile_name_and_no_program() {
    let exe = "TVqQAAMAAAAEAAAA//8AALgAAAAAAAAA";
    let (_server, mut skill, id) = with(&mail(&[
        (&attached("../../.ssh/x.pdf"), PDF),
        (&attached("setup.exe"), exe),
        (&attached("a.pdf"), exe),
        (&attached("README"), PDF),
        (&attached("b.pdf"), PDF),
    ]));
    let beside = Beside::new();
    skill.folders = beside.clone();
    let names: Vec<Value> = skill.value("read", json!({"id": id}))["attachments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["name"].clone())
        .collect();
    let save = |name: &Value, to: &str| {
        skill.call("save_attachment", json!({"id": id, "name": name, "to": to})).result
    };
    assert_eq!(save(&names[0], "Papers").unwrap()["path"], "Papers/_.._.ssh_x.pdf");
    for name in &names[1..4] {
        assert!(save(name, "Papers").is_err(), "{name}");
    }
    for to in ["Archive", "Papers/..", "Papers/../../x", "Papers/.git/hooks", "Papers/.vscode"] {
        let error = save(&names[4], to).unwrap_err();
        assert_eq!(error.code, ErrorCode::PathRefused, "{to}: {error}");
    }
    assert_eq!(beside.papers().iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["_.._.ssh_x.pdf"]);
    assert_eq!(skill.vault.files(), Vec::<String>::new());
}

#[test]
fn file_goes_where_obsidian_puts_attachments() {
    let (_server, skill, id) = with(&mail(&[(&attached("a.pdf"), PDF)]));
    skill.vault.write(".obsidian/app.json", r#"{"attachmentFolderPath": "Files"}"#);
    let save = || skill.value("save_attachment", json!({"id": id, "name": "a.pdf"}))["path"].clone();
    assert_eq!([save(), save()], ["Files/a.pdf", "Files/a 1.pdf"]);
}

#[test]
fn equal_names_are_distinguished_by_number() {
    let (_server, skill, id) = with(&mail(&[
        (&attached("a.pdf"), PDF),
        (&attached("b.pdf"), PDF),
        (&attached("a.pdf"), "JVBERi0y"),
    ]));
    let error = skill.error("save_attachment", json!({"id": id, "name": "a.pdf"}));
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert!(error.message.contains("which of the attachments of that name"), "{error}");
    let saved = skill.value("save_attachment", json!({"id": id, "name": "a.pdf", "number": 2}));
    assert_eq!(bytes(&skill, saved["path"].as_str().unwrap()), b"%PDF-2");
    for number in [0, 3] {
        skill.error("save_attachment", json!({"id": id, "name": "a.pdf", "number": number}));
    }
    let unknown = skill.error("save_attachment", json!({"id": id, "name": "c.pdf"}));
    assert_eq!(
        (unknown.message.as_str(), unknown.hint.as_str()),
        ("There is no attachment \"c.pdf\".", "Nearest: a.pdf, b.pdf, a.pdf.")
    );
}

#[test]
fn programs_and_notes_are_refused_under_any_name() {
    let exe = "TVqQAAMAAAAEAAAA//8AALgAAAAAAAAA";
    let script = "IyEvYmluL3NoCnJtIC1yIH4K";
    for (name, body, refusal) in [
        ("setup.exe", exe, "Nova saves no file that ends in .exe: it may run when it is opened."),
        ("invoice.pdf.exe", PDF, "Nova saves no file that ends in .exe: it may run when it is opened."),
        ("invoice.pdf", exe, "invoice.pdf is a program, whatever its name says. Nova does not save it."),
        ("photo.png", script, "photo.png is a program, whatever its name says. Nova does not save it."),
        ("page.html", PDF, "Nova saves no file that ends in .html: it may run when it is opened."),
        ("start.desktop", script, "Nova saves no file that ends in .desktop: it may run when it is opened."),
        ("Jane Doe.md", PDF, "Jane Doe.md would become a note. Nova creates no notes from attachments."),
        ("All.base", PDF, "All.base would become a note. Nova creates no notes from attachments."),
        ("README", PDF, "README has no file extension."),
        ("winmail.dat", PDF, "winmail.dat is an Outlook container that hides its content."),
        ("a.pdf.", PDF, "a.pdf. has no file extension."),
    ] {
        let (_server, skill, id) = with(&mail(&[(&attached(name), body)]));
        let error = skill.error("save_attachment", json!({"id": id, "name": name}));
        assert_eq!(error.message, refusal);
        assert!(!error.hint.is_empty(), "{name}");
        assert_eq!(skill.vault.files(), Vec::<String>::new());
    }
}

#[test]
fn hostile_names_are_saved_under_safe_ones() {
    let long = format!("{}.pdf", "invoice ".repeat(40));
    for (name, path) in [
        ("../../.obsidian/plugins/x.pdf", "_.._.obsidian_plugins_x.pdf"),
        ("..\\..\\x.pdf", "_.._x.pdf"),
        ("/etc/cron.d/x.pdf", "_etc_cron.d_x.pdf"),
        ("invoice\u{202e}fdp.pdf", "invoicefdp.pdf"),
        ("a\u{200b}\u{feff}b.pdf", "ab.pdf"),
        ("CON.pdf", "CON_.pdf"),
        (".hidden.pdf", "hidden.pdf"),
        ("[[Jane]]#x.pdf", "--Jane---x.pdf"),
        (long.as_str(), ""),
    ] {
        let encoded = format!(
            "Content-Type: application/pdf\nContent-Disposition: attachment; filename*=utf-8''{}",
            percent(name)
        );
        let (_server, skill, id) = with(&mail(&[(&encoded, PDF)]));
        let named = skill.value("read", json!({"id": id}))["attachments"][0]["name"].clone();
        let saved = skill.value("save_attachment", json!({"id": id, "name": named}))["path"].clone();
        let saved = saved.as_str().unwrap();
        if path.is_empty() {
            assert!(
                saved.len() < 200
                    && saved.starts_with("invoice invoice")
                    && saved.ends_with("…invoice invoice.pdf"),
                "{saved}"
            );
        } else {
            assert_eq!(saved, path, "{name:?}");
        }
        assert_eq!(skill.vault.files(), [saved], "and nowhere else");
    }
}

fn percent(name: &str) -> String {
    name.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn folder_outside_of_the_vault_or_hidden_is_refused() {
    let (_server, skill, id) = with(&mail(&[(&attached("a.pdf"), PDF)]));
    for to in ["..", "../x", "a/../../x", ".obsidian", ".git/hooks", "C:\\x"] {
        let error = skill.error("save_attachment", json!({"id": id, "name": "a.pdf", "to": to}));
        assert_eq!(error.code, ErrorCode::PathRefused, "{to}: {error}");
        assert_eq!(skill.vault.files(), Vec::<String>::new());
    }
}

#[test]
fn invitation_is_given_as_text_and_saved_as_ics() {
    let entry = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Lunch\u{202e}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let message = format!(
        "From: Noor <noor@home.example>\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=x\n\n\
         --x\nContent-Type: text/plain\n\nLunch?\n--x\nContent-Type: text/calendar; method=REQUEST; charset=utf-8\n\
         Content-Transfer-Encoding: 8bit\n\n{}--x--\n",
        entry.replace("\r\n", "\n")
    );
    let (_server, skill, id) = with(&message);
    let part = skill.value("read", json!({"id": id}))["attachments"][0].clone();
    assert_eq!((&part["name"], &part["kind"]), (&json!("invitation.ics"), &json!("calendar")));
    assert!(part["entry"].as_str().unwrap().contains("SUMMARY:Lunch\nEND:VEVENT"), "{part}");
    let saved = skill.value("save_attachment", json!({"id": id, "name": "invitation.ics"}));
    assert!(
        String::from_utf8(bytes(&skill, saved["path"].as_str().unwrap()))
            .unwrap()
            .starts_with("BEGIN:VCALENDAR\r\n")
    );
}

#[test]
fn forwarded_mail_is_saved_whole() {
    let inner = "From: a@b.example\r\nSubject: Inner\r\n\r\nHello\r\n";
    let message = format!(
        "From: Noor <noor@home.example>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\
         Content-Type: text/plain\n\nSee.\n--x\nContent-Type: message/rfc822\n\
         \n{}\n--x--\n",
        inner.replace("\r\n", "\n")
    );
    let (_server, skill, id) = with(&message);
    let saved = skill.value("save_attachment", json!({"id": id, "name": "Inner"}));
    assert_eq!(saved["path"], "Inner.eml");
    let text = String::from_utf8(bytes(&skill, "Inner.eml")).unwrap();
    assert_eq!(text.trim_end(), inner.trim_end());
}

/// The base64 of `length` bytes, in lines.
fn encoded(length: usize) -> String {
    // 57 bytes of a PDF and of zeros.
    let first = format!("JVBERi0x{}\n", "A".repeat(68));
    let zeros = format!("{}\n", "A".repeat(76));
    first + &zeros.repeat(length / 57 - 1)
}

#[test]
fn large_mail_is_read_without_its_attachments_and_each_is_saved_alone() {
    let (_server, skill, id) = with(&mail(&[
        (&attached("Large.pdf"), &encoded(20 << 20)),
        (&attached("Small.pdf"), PDF),
        (&attached("Huge.pdf"), &encoded(60 << 20)),
    ]));
    let read = skill.value("read", json!({"id": id}));
    assert_eq!(read["text"], "Here.");
    let sizes: Vec<i64> =
        read["attachments"].as_array().unwrap().iter().map(|part| part["bytes"].as_i64().unwrap()).collect();
    let near = |size: i64, expected: i64| (size - expected).abs() <= 57;
    assert!(near(sizes[0], 20 << 20) && near(sizes[1], 12) && near(sizes[2], 60 << 20), "{sizes:?}");

    let save = |name: &str| skill.call("save_attachment", json!({"id": id, "name": name})).result;
    let large = save("Large.pdf").unwrap();
    let saved = bytes(&skill, large["path"].as_str().unwrap());
    assert_eq!(saved.len(), (20 << 20) / 57 * 57);
    assert!(saved.starts_with(b"%PDF-1") && saved[6..].iter().all(|byte| *byte == 0));
    assert_eq!(bytes(&skill, save("Small.pdf").unwrap()["path"].as_str().unwrap()), b"%PDF-1.4\n\xff\0\x01");
    let error = skill.error("save_attachment", json!({"id": id, "name": "Huge.pdf"}));
    assert!(error.message.ends_with("more than the 52428800 of a file."), "{error}");
    assert_eq!(error.hint, "Save it with a mail program.");
}
