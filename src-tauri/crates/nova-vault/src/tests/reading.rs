//! Answers reflect the present state of the disk.

use std::fs;

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};

use super::*;
use crate::{Privacy, Recogniser};

fn names(vault: &Vault) -> Vec<String> {
    vault
        .records(&["contact"])
        .unwrap()
        .iter()
        .map(|note| note.document.property("name").unwrap().display())
        .collect()
}

#[test]
fn templates_are_notes_but_no_records() {
    let bed = Bed::new(&[
        ("Templates/Contact.md", "---\ntype: contact\n---\n"),
        ("Templates/Old/Contact.md", "---\ntype: contact\n---\n"),
        ("Templates.md", "---\ntype: contact\n---\n"),
    ]);
    let vault = bed.vault();
    let records: Vec<_> =
        vault.records(&["contact"]).unwrap().into_iter().map(|note| note.path.to_string()).collect();
    assert_eq!(records, ["Templates.md"]);
    assert_eq!(vault.notes().unwrap().len(), 3);
    assert_eq!(vault.status().unwrap().records["contact"], 1);
}

#[test]
fn templates_are_in_the_configured_folder() {
    for (set, folder) in [
        ("Meta/Templates", "Meta/Templates"),
        ("/Meta/Templates/", "Meta/Templates"),
        ("Vörlagen", "Vo\u{308}rlagen"),
        ("", "Templates"),
        ("Meta/Templates", "meta/TEMPLATES"),
        ("VÖRLAGEN", "vo\u{308}rlagen"),
        ("", "templates"),
    ] {
        let template = format!("{folder}/Old/Contact.md");
        let beside = format!("{folder} for all/Contact.md");
        let bed = Bed::new(&[
            (".obsidian/templates.json", &format!("{{\"folder\": \"{set}\"}}")),
            (&template, "---\ntype: contact\n---\n"),
            (&beside, "---\ntype: contact\n---\n"),
        ]);
        let vault = bed.vault();
        let records = || vault.records(&["contact"]).unwrap().len();
        assert_eq!((records(), vault.status().unwrap().records["contact"]), (1, 1), "{set}");
        let query = crate::Query { record_types: vec!["contact".to_owned()], ..crate::Query::default() };
        assert_eq!(vault.seen_by_owner().query(&query).unwrap().total, 1, "{set}");
        // The setting changes while Nova runs.
        bed.put(".obsidian/templates.json", "{\"folder\": \"Elsewhere\"}");
        assert_eq!(records(), 2, "{set}");
    }
}

#[test]
fn case_of_a_type_is_ignored() {
    let bed = Bed::new(&[
        ("a.md", "---\ntype: Contact\n---\n"),
        ("b.md", "---\ntype: KÄUFER\n---\n"),
        ("c.md", "---\ntype: contacts\n---\n"),
    ]);
    let vault = bed.vault();
    let paths = |types: &[&str]| -> Vec<String> {
        vault.records(types).unwrap().into_iter().map(|note| note.path.to_string()).collect()
    };
    assert_eq!(paths(&["contact"]), ["a.md"]);
    assert_eq!(paths(&["käufer"]), ["b.md"]);
    assert_eq!(paths(&["CONTACT", "Ka\u{308}ufer"]), ["a.md", "b.md"]);
}

#[test]
fn records_reflect_every_edit() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let vault = bed.vault();
    assert_eq!(names(&vault), ["Jane Doe"]);
    bed.put("a.md", &JANE.replace("Jane Doe", "Jane Roe"));
    assert_eq!(names(&vault), ["Jane Roe"]);
    bed.put("deep/er/b.md", &JANE.replace("Jane Doe", "Bob"));
    assert_eq!(names(&vault), ["Jane Roe", "Bob"]);
    fs::rename(bed.root().join("deep"), bed.root().join("0")).unwrap();
    assert_eq!(names(&vault), ["Bob", "Jane Roe"]);
    fs::remove_file(bed.root().join("a.md")).unwrap();
    assert_eq!(names(&vault), ["Bob"]);
    bed.put("0/er/b.md", &JANE.replace("type: contact", "type: deal"));
    assert_eq!(names(&vault), Vec::<String>::new());
    assert_eq!(vault.records(&["deal", "contact"]).unwrap().len(), 1);
}

#[test]
fn edit_that_keeps_size_and_time_is_detected() {
    let bed = Bed::new(&[("a.md", JANE)]);
    let file = bed.root().join("a.md");
    let set_back = || {
        let time = Timespec { tv_sec: 1_700_000_000, tv_nsec: 0 };
        let times = Timestamps { last_access: time, last_modification: time };
        utimensat(CWD, &file, &times, AtFlags::empty()).unwrap();
    };
    set_back();
    let vault = bed.vault();
    assert_eq!(names(&vault), ["Jane Doe"]);
    for other in ["Jane Roe", "Joan Doe", "Jane Doe"] {
        fs::write(&file, JANE.replace("Jane Doe", other)).unwrap();
        set_back();
        assert_eq!(names(&vault), [other]);
    }
    // The same, by replacing the file.
    fs::write(bed.root().join("new"), JANE.replace("Jane Doe", "June Doe")).unwrap();
    fs::rename(bed.root().join("new"), &file).unwrap();
    set_back();
    assert_eq!(names(&vault), ["June Doe"]);
}

#[test]
fn unreadable_notes_are_listed_with_line_and_remedy() {
    let bed =
        Bed::new(&[("good.md", JANE), ("broken.md", "---\ntype: contact\nname: Jane: Doe: x\n---\nbody\n")]);
    fs::write(bed.root().join("latin1.md"), b"caf\xe9\n").unwrap();
    fs::File::create(bed.root().join("huge.md")).unwrap().set_len(crate::MAX_NOTE_BYTES + 1).unwrap();
    let vault = bed.vault();

    let problems = vault.problems().unwrap();
    let places: Vec<_> = problems.iter().map(|p| (p.path.as_str(), p.line)).collect();
    assert_eq!(places, [("broken.md", 3), ("huge.md", 1), ("latin1.md", 1)]);
    assert!(problems.iter().all(|p| !p.remedy.is_empty()));
    assert!(problems[1].problem.contains("16 MiB"), "{}", problems[1].problem);
    assert!(problems[2].problem.contains("UTF-8"), "{}", problems[2].problem);

    // A broken note is still a note, readable and listed.
    let listed = vault.notes().unwrap();
    let broken = listed.iter().find(|n| *n.path == path("broken.md")).unwrap();
    assert_eq!(broken.broken.unwrap().0, 3);
    assert!(vault.read(&path("broken.md")).unwrap().text.contains("body"));
    assert!(matches!(vault.read(&path("latin1.md")), Err(VaultError::NotText { .. })));
    assert!(matches!(vault.read(&path("huge.md")), Err(VaultError::TooLarge { .. })));
    assert!(matches!(vault.read(&path("none.md")), Err(VaultError::NotFound { .. })));
    let error = change(&vault, |d| d.append(&path("latin1.md"), "x", None)).unwrap_err();
    assert_eq!(error.code().as_str(), "note_broken");
    assert_eq!(fs::read(bed.root().join("latin1.md")).unwrap(), b"caf\xe9\n");

    // Once fixed, it is no problem any more.
    bed.put("broken.md", JANE);
    fs::remove_file(bed.root().join("huge.md")).unwrap();
    bed.put("latin1.md", "café\n");
    assert_eq!(vault.problems().unwrap(), []);
    assert_eq!(vault.status().unwrap().notes, 3);
}

#[test]
fn notes_are_found_by_path_name_and_alias() {
    let bed = Bed::new(&[
        ("CRM/People/Jane Doe.md", "---\naliases: [JD, Boss]\n---\n"),
        ("Archive/Jane Doe.md", ""),
        ("Boss.md", ""),
        // Decomposed, as on macOS.
        ("Cafe\u{301}.md", "---\nalias: Coffee\n---\n"),
        (".trash/Jane Doe.md", ""),
    ]);
    let vault = bed.vault();
    let check = |name: &str, expected: &[&str]| {
        let found: Vec<_> = vault.find(name).unwrap().iter().map(|p| p.as_str().to_owned()).collect();
        assert_eq!(found, expected, "{name}");
    };
    let both = ["Archive/Jane Doe.md", "CRM/People/Jane Doe.md"];
    check("CRM/People/Jane Doe.md", &both[1..]);
    check("CRM/People/Jane Doe", &both[1..]);
    check("crm/people/jane doe", &both[1..]);
    check("People/Jane Doe", &both[1..]);
    check("jane doe", &both);
    check("Jane Doe.md", &both);
    check("jd", &both[1..]);
    // A note of that name comes before an alias.
    check("boss", &["Boss.md"]);
    check("Caf\u{e9}", &["Cafe\u{301}.md"]);
    check("coffee", &["Cafe\u{301}.md"]);
    check("Jane", &[]);
    check("", &[]);
    check("../vault/Boss", &[]);
}

#[test]
fn hidden_note_is_found_by_no_name() {
    let bed = Bed::new(&[
        ("People/Jane.md", ""),
        ("Diary/Jane.md", ""),
        ("Diary/Joan.md", "---\naliases: [Jo]\n---\n"),
        ("marked.md", "---\nnova: private\n---\n"),
    ]);
    let vault = bed.vault();
    let remote = vault.seen_by(Arc::new(Privacy { remote: true, private: vec!["Diary".to_owned()] }));
    assert_eq!(vault.find("Jane").unwrap().len(), 2);
    assert_eq!(remote.find("Jane").unwrap(), [path("People/Jane.md")]);
    for name in ["Joan", "Jo", "Diary/Jane", "marked"] {
        assert_eq!(remote.find(name).unwrap_err().code().as_str(), "private", "{name}");
    }
    assert_eq!(remote.find("Nobody").unwrap(), []);
}

#[test]
fn private_entry_without_a_match_is_reported() {
    let bed = Bed::new(&[("Diary/One.md", ""), ("Two.md", ""), ("Bank/list.csv", ""), ("All.base", "")]);
    fs::create_dir(bed.root().join("To come")).unwrap();
    let entries =
        ["diary/", "Dairy", "Two", "bank", "Bank/list.csv", "all.base", "TO COME", "/Dary", "*", "/", " "];
    let entries = entries.map(str::to_owned);
    assert_eq!(bed.vault().unmatched_private_entries(&entries).unwrap(), ["Dairy", "/Dary", " "]);
}

#[test]
fn broken_note_is_associated_by_folder_or_type_in_any_case() {
    let bed = Bed::new(&[
        ("crm/PEOPLE/Jane.md", "---\nname: [Jane\n---\n"),
        ("Ada.md", "---\nType: KÄUFER\nname: [Ada\n---\n"),
        ("crm/People of old/Jo.md", "---\nname: [Jo\n---\n"),
        ("Max.md", "---\ntype: book\nname: [Max\n---\n"),
    ]);
    let view = bed.vault().seen_by_owner();
    let unreadable = view.unreadable("CRM/People/", &Recogniser::of_types(&["contact", "käufer"])).unwrap();
    assert_eq!(
        unreadable.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(),
        ["Ada.md", "crm/PEOPLE/Jane.md"]
    );
}

#[test]
fn unfilled_template_is_no_problem() {
    let form = "---\ntype: contact\ndate: {{date:YYYY-MM-DD}}\nwith: [\n---\n";
    let code = "---\ndate: <% tp.date.now() %>\nwith: [\n---\n";
    let broken = "---\nwith: [\n---\n";
    let bed = Bed::new(&[
        ("Templates/Form.md", form),
        ("Templates/Code.md", code),
        ("Templates/Broken.md", broken),
        ("Form.md", form),
    ]);
    let vault = bed.vault();
    let problems = || vault.problems().unwrap().into_iter().map(|it| it.path).collect::<Vec<_>>();
    assert_eq!(problems(), ["Form.md", "Templates/Broken.md"]);
    let unreadable = vault.seen_by_owner().unreadable("CRM", &Recogniser::of_types(&["contact"])).unwrap();
    assert_eq!(unreadable.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["Form.md"]);

    // The folder of the plugin Templater.
    bed.put(".obsidian/plugins/templater-obsidian/data.json", "{\"templates_folder\": \"Forms\"}");
    assert_eq!(problems(), ["Form.md", "Templates/Broken.md"], "the plugin is not enabled");
    bed.put(".obsidian/community-plugins.json", "[\"templater-obsidian\"]");
    assert_eq!(problems(), ["Form.md", "Templates/Broken.md", "Templates/Code.md", "Templates/Form.md"]);
    assert_eq!(vault.obsidian().templates.folder.as_deref(), Some("Forms"));
    bed.put(".obsidian/templates.json", "{\"folder\": \"Templates\"}");
    assert_eq!(problems(), ["Form.md", "Templates/Broken.md"]);
}
