//! The vault queried and fixed from the command line.

use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE};

const JANE: &str = "CRM/People/Jane Doe.md";

#[test]
fn lines_are_found_by_text_words_and_pattern() {
    let nova = Nova::new(PEOPLE, []);
    let (code, hits) = nova.json(&["vault", "search", "FIRST call"]);
    assert_eq!((code, hits), (0, json!([{"path": JANE, "line": 13, "text": "- 2026-11-04 First call"}])));
    let lines = |args: &[&str]| -> Vec<Value> {
        let (code, hits) = nova.json(&[&["vault", "search"], args].concat());
        assert_eq!(code, 0);
        hits.as_array().unwrap().iter().map(|hit| json!([hit["path"], hit["line"]])).collect()
    };
    assert_eq!(lines(&["met fair", "--words"]), [json!([JANE, 10])]);
    assert_eq!(lines(&[r"^stage: \w+$", "--regex"]), [json!(["Friends/Tomasz Wirek.md", 4])]);
    assert_eq!(lines(&["jane", "--limit", "1"]), [json!([JANE, 3])]);
    assert_eq!(lines(&["nowhere to be found"]), [Value::Null; 0]);

    let broken = nova.run(&["vault", "search", "(", "--regex"]);
    assert_eq!(broken.status.code(), Some(1));
    assert!(!broken.stderr.is_empty());
}

#[test]
fn notes_are_found_by_their_properties() {
    let nova = Nova::new(PEOPLE, []);
    let paths = |args: &[&str]| -> Vec<String> {
        let (code, rows) = nova.json(&[&["vault", "query"], args].concat());
        assert_eq!(code, 0, "{rows}");
        rows.as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(paths(&["--type", "contact", "--sort", "-name"]), ["Friends/Tomasz Wirek.md", JANE]);
    assert_eq!(paths(&["--where", "company = quillon labs"]), [JANE]);
    assert_eq!(paths(&["--where", "next_contact < 2026-12-01", "--where", "tags contains berlin"]), [JANE]);
    assert_eq!(paths(&["--where", "unknown = 1"]), [""; 0]);
    let (_, rows) = nova.json(&["vault", "query", "--where", "stage = lead"]);
    assert_eq!((&rows[0]["type"], &rows[0]["properties"]["stage"]), (&json!("contact"), &json!("lead")));

    let (code, error) = nova.json(&["vault", "query", "--where", "stage ~ lead"]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("invalid_arguments")));
    assert!(error.to_string().contains("contains"), "the operators are listed: {error}");
}

#[test]
fn query_counts_incomparable_notes() {
    let nova = Nova::new(
        "//- a.md\n---\nvalue: 900\n---\n//- b.md\n---\nvalue: soon\n---\n//- c.md\n---\nvalue: x\n---\n",
        [],
    );
    let asked = |condition: &str| {
        let answer = nova.run(&["--json", "vault", "query", "--where", condition]);
        let rows: Value = serde_json::from_slice(&answer.stdout).unwrap();
        (rows[0]["path"].clone(), String::from_utf8(answer.stderr).unwrap())
    };
    let (path, said) = asked("value > 500");
    assert_eq!(path, "a.md");
    assert!(said.contains("2 notes are excluded"), "{said}");
    assert_eq!(asked("value = 900"), (json!("a.md"), String::new()));
}

#[test]
fn outgoing_incoming_and_broken_links_are_listed() {
    let nova = Nova::new(PEOPLE, []);
    let (code, links) = nova.json(&["vault", "links", "Jane Doe"]);
    assert_eq!(code, 0);
    assert_eq!((&links["out"], &links["unresolved"][0]["target"]), (&json!([]), &json!("Quillon Labs")));
    let back = &links["back"];
    assert_eq!((&back[0]["path"], &back[0]["line"]), (&json!("Ideas.md"), &json!(3)));
    assert_eq!(nova.json(&["vault", "links", "[[Jane Doe#Log|Jane]]"]), (0, links));
    assert_eq!(nova.json(&["vault", "links", "Nobody"]).0, 1);
}

#[test]
fn interrupted_changes_are_finished_or_undone() {
    for finish in [true, false] {
        let nova = Nova::new(PEOPLE, []);
        let before = (nova.vault.read(JANE), nova.vault.read("Ideas.md"));
        let (id, after) = interrupt_a_move(&nova);
        let id = id.as_str();

        let (_, sets) = nova.json(&["changes", "list"]);
        assert_eq!((&sets[0]["id"], &sets[0]["state"]), (&json!(id), &json!("interrupted")));
        assert_eq!(nova.vault.read("Ideas.md"), before.1, "nothing is skipped silently");

        if finish {
            let (code, finished) = nova.json(&["changes", "finish", id]);
            assert_eq!((code, &finished["finished"]), (0, &json!(["Ideas.md"])), "{finished}");
            assert_eq!(nova.vault.read("Ideas.md"), after);
            assert!(nova.vault.exists("Friends/Jane.md") && !nova.vault.exists(JANE));
            let (_, again) = nova.json(&["changes", "finish", id]);
            assert_eq!(again["ok"], json!(false), "it is complete: {again}");
        } else {
            let (code, undone) = nova.json(&["changes", "undo", id]);
            assert_eq!(code, 0, "{undone}");
            assert_eq!((nova.vault.read(JANE), nova.vault.read("Ideas.md")), before);
            let (_, finished) = nova.json(&["changes", "finish", id]);
            assert_eq!(finished["ok"], json!(false), "an undone set cannot be finished: {finished}");
            assert_eq!((nova.vault.read(JANE), nova.vault.read("Ideas.md")), before);
        }
        let (_, sets) = nova.json(&["changes", "list"]);
        assert!(!sets.to_string().contains("interrupted"), "{sets}");
    }
}

#[test]
fn finish_that_meets_a_conflict_exits_1() {
    let nova = Nova::new(PEOPLE, []);
    let (id, _) = interrupt_a_move(&nova);
    let mine = nova.vault.read("Ideas.md").replace("[[Jane Doe]]", "[[Somebody else]]");
    nova.vault.write("Ideas.md", &mine);

    let output = nova.run(&["changes", "finish", &id]);

    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("Ideas.md changed since"), "{stderr}");
    assert_eq!(nova.vault.read("Ideas.md"), mine);
}

#[test]
fn late_edit_that_cannot_be_merged_exits_1_once() {
    use std::io::Write as _;
    let nova = Nova::new(PEOPLE, []);
    let note = nova.vault.root().join("Ideas.md");
    let before = nova.vault.read("Ideas.md");
    let mut editor = std::fs::OpenOptions::new().append(true).open(&note).unwrap();
    let args = json!({"path": "Ideas.md", "properties": {"stage": "won"}}).to_string();
    let (code, set) =
        nova.json(&["tool", "call", "vault.set_properties", "--args", &args, "--approve", "all"]);
    assert_eq!(code, 0, "{set}");
    // The editor saves into the file that the write displaced, and the note is replaced.
    editor.write_all(b"- a late line\n").unwrap();
    nova.vault.write("Ideas.md", "---\nstage: [\n---\n");

    let output = nova.run(&["vault", "search", "late"]);

    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let copies: Vec<_> = std::fs::read_dir(nova.vault.root())
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("Ideas (Nova's conflicted copy "))
        .collect();
    assert!(copies.len() == 1 && stderr.contains(&copies[0]), "{copies:?} {stderr}");
    assert_eq!(nova.vault.read(&copies[0]), format!("{before}- a late line\n"));
    assert_eq!(nova.run(&["vault", "search", "late"]).status.code(), Some(0));
}

/// Moves a note and leaves the state of a kill between the two notes. Returns the change set and the second
/// note's intended content.
fn interrupt_a_move(nova: &Nova) -> (String, String) {
    let before = nova.vault.read("Ideas.md");
    let to = json!({"path": JANE, "to": "Friends/Jane.md"}).to_string();
    let (code, moved) = nova.json(&["tool", "call", "vault.move_note", "--args", &to, "--approve", "all"]);
    assert_eq!(code, 0, "{moved}");
    let after = nova.vault.read("Ideas.md");
    assert_eq!(after, before.replace("[[Jane Doe]]", "[[Jane]]"));

    let id = moved["change_set"].as_str().unwrap().to_owned();
    let journal = nova.history().join(format!("{id}.jsonl"));
    let lines = std::fs::read_to_string(&journal).unwrap();
    let (written, rest) = lines.split_once("{\"line\":\"done\",\"n\":1}").unwrap();
    assert!(rest.contains("committed"));
    std::fs::write(&journal, written).unwrap();
    nova.vault.write("Ideas.md", &before);
    (id, after)
}
