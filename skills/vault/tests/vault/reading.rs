use nova_protocol::{ErrorCode, SourceView};
use nova_skill::json;

use crate::{LISBON, NOTES, vault};

#[test]
fn properties_and_text_are_returned() {
    let vault = vault(NOTES);
    let outcome = vault.call("read_note", json!({"path": "Lisbon"}));
    assert_eq!(outcome.sources, [SourceView::Note { path: LISBON.into() }]);
    let mut value = outcome.result.unwrap();
    let hash = value["hash"].take();
    assert_eq!(hash.as_str().unwrap().len(), 64, "{hash}");
    assert_eq!(
        value,
        json!({
            "path": LISBON,
            "properties": {
                "type": "trip", "status": "planned", "start": "2026-12-03", "budget": 1200,
                "tags": ["travel", "work"], "aliases": ["The offsite"],
            },
            "text": "# Lisbon\n\n- [ ] Book the train\n- [ ] Ask [[Jane Doe]]\n\n## Log\n\n- 2026-11-12 Dates fixed.\n\n## Packing\n\nShoes.\n",
            "hash": null,
        })
    );
}

#[test]
fn note_without_properties_and_empty_note() {
    let vault = vault("//- a.md\nOne line.\n//- empty.md\n");
    let a = vault.value("read_note", json!({"path": "a"}));
    assert_eq!((&a["properties"], &a["text"]), (&json!({}), &json!("One line.\n")));
    assert_eq!(vault.value("read_note", json!({"path": "empty"}))["text"], "");
}

#[test]
fn note_with_unreadable_properties_is_returned_as_text_with_the_line() {
    let text = "---\nname: Max\ntags: [\n---\nText.\n";
    let value = vault(&format!("//- Max.md\n{text}")).value("read_note", json!({"path": "Max"}));
    assert_eq!(value["text"], text);
    assert!(
        value["unreadable_properties"]["line"].as_u64().is_some_and(|line| (3..=4).contains(&line)),
        "{value}"
    );
    assert!(value["unreadable_properties"]["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
    assert!(value.get("properties").is_none(), "{value}");
}

#[test]
fn base_is_text() {
    let vault = vault("//- Trips.base\nviews:\n  - type: table\n");
    let value = vault.value("read_note", json!({"path": "Trips.base"}));
    assert_eq!(value["text"], "views:\n  - type: table\n");
}

#[test]
fn parts_of_a_long_note_make_the_whole() {
    let lines = (0..9000).map(|n| format!("{n:05} ä line of text\n")).collect::<String>();
    let one_line = "ü".repeat(60_000);
    for text in [lines, one_line] {
        let vault = vault(&format!("//- long.md\n---\nkey: value\n---\n{text}"));
        let mut whole = String::new();
        let mut offset = 0;
        for part in 0.. {
            let value = vault.value("read_note", json!({"path": "long", "offset": offset}));
            let piece = value["text"].as_str().unwrap();
            assert!(piece.len() <= 48 * 1024 && !piece.is_empty(), "part {part} has {} bytes", piece.len());
            assert_eq!(value.get("properties").is_some(), part == 0);
            whole.push_str(piece);
            if value.get("truncated").is_none() {
                break;
            }
            assert_eq!(value["length"], text.len());
            offset = usize::try_from(value["next_offset"].as_u64().unwrap()).unwrap();
        }
        assert_eq!(whole, text);
    }
}

#[test]
fn invalid_offset_is_refused() {
    for offset in [3, 1000] {
        // The text is "aäb": 3 is after `ä`, 2 in the middle of it.
        let vault = vault("//- a.md\naäb");
        let offset = if offset == 3 { 2 } else { offset };
        let error = vault.error("read_note", json!({"path": "a", "offset": offset}));
        assert_eq!(error.code, ErrorCode::InvalidArguments, "{error}");
        assert!(error.message.contains("its text ends at 4"), "{error}");
    }
}

#[test]
fn note_that_is_not_utf8_is_reported() {
    let vault = vault("//- a.md\nx\n");
    vault.vault.write_bytes("b.md", b"caf\xe9\n");
    assert_eq!(vault.error("read_note", json!({"path": "b"})).code, ErrorCode::NoteBroken);
}
