//! Random documents and edits, judged independently of the editing code: the generator knows the bytes of
//! the edited entry, and serde-saphyr reads the result.

use std::collections::HashMap;

use serde_json::{Value as Json, json};

use super::super::{
    Document, EditError, FrontMatter, Merge, PropertyEdit, Value, append, diff, edit_properties, merge,
    replace_exact,
};
use super::generate::{Random, generate, values};

/// The result of a strict YAML reader; `None` if it refuses.
fn read(matter: &str) -> Option<serde_json::Map<String, Json>> {
    let options = serde_saphyr::options! {
        strict_booleans: true,
        ignore_binary_tag_for_string: true,
        merge_keys: serde_saphyr::MergeKeyPolicy::AsOrdinary,
    };
    if matter.lines().all(|line| line.trim().is_empty() || line.trim().starts_with('#')) {
        return Some(serde_json::Map::new());
    }
    serde_saphyr::from_str_with_options(matter, options).ok()
}

fn edits_to_make() -> u64 {
    std::env::var("NOVA_FUZZ_EDITS").ok().and_then(|count| count.parse().ok()).unwrap_or(5_000)
}

/// Features that every kind of edit must have met at least once; otherwise the test covers less than it
/// claims.
#[rustfmt::skip] // one edit a line
const COVERED: &[(&str, &[&str])] = &[
    ("set", &["no value", "other value", "quoted value", "block list", "flow list", "block scalar", "alias", "quoted key", "multi-byte key", "anchor", "comment", "aligned spaces", "last key", "CRLF", "no final newline"]),
    ("add", &["empty block", "comment-only block", "CRLF", "no final newline"]),
    ("remove", &["no value", "other value", "quoted value", "block list", "flow list", "block scalar", "alias", "quoted key", "multi-byte key", "anchor", "comment", "aligned spaces", "last key", "CRLF", "no final newline"]),
    ("add an item", &["no value", "other value", "quoted value", "block list", "flow list", "block scalar", "alias", "quoted key", "multi-byte key", "comment", "aligned spaces", "last key", "CRLF", "no final newline"]),
    ("remove an item", &["block list", "flow list", "quoted key", "multi-byte key", "comment", "last key", "CRLF", "no final newline"]),
];

/// Texts quoted although this reader takes them plain: to other YAML readers they are a document's end, a
/// merge key, a default, a directive or a complex key.
const QUOTED_FOR_OTHERS: &[&str] = &["---", "...", "<<", "=", "%", "?", "-"];

/// Whether a text can follow `k: ` unquoted.
fn reads_back_plain(text: &str) -> bool {
    !text.contains(['\n', '\r', '\t', '\u{85}', '\u{2028}', '\u{feff}'])
        && !QUOTED_FOR_OTHERS.contains(&text)
        && read(&format!("k: {text}\nz: 1\n")).is_some_and(|map| map.len() == 2 && map["k"] == json!(text))
}

#[test]
fn edit_changes_its_entry_and_nothing_else() {
    let values = values();
    let (mut made, mut refused) = (0, 0);
    let mut covered: HashMap<(&str, &str), u64> = HashMap::new();
    for seed in 1..=edits_to_make() {
        let random = &mut Random::new(seed);
        let note = generate(random);
        let before = read(&note.text[note.matter.clone()])
            .unwrap_or_else(|| panic!("seed {seed}: the generator made invalid YAML: {:?}", note.text));
        let present = before.get(&note.key);
        let (value, json) = random.of(&values).clone();
        let key = note.key.clone();
        let item_list = |present: Option<&Json>| match present {
            None | Some(Json::Null) => Vec::new(),
            Some(Json::Array(items)) => items.clone(),
            Some(single) => vec![single.clone()],
        };
        let is_item = !json.is_array() && !json.is_object() && !json.is_null();
        let (edit, expected) = match random.below(4) {
            0 => (PropertyEdit::Remove { key }, None),
            // An unquoted link is a list to YAML; such entries are only set and removed.
            1 if is_item && !note.text.contains("[[[") && !note.text[note.entry.clone()].contains(" [[") => {
                let mut items = item_list(present);
                let already = matches!(present, Some(Json::Array(_))) && items.contains(&json);
                let same = present == Some(&json);
                if !already {
                    items.push(json.clone());
                }
                if same {
                    items.truncate(1);
                }
                let expected = if already || same { present.cloned() } else { Some(Json::Array(items)) };
                (PropertyEdit::AddItem { key, item: value }, expected)
            }
            2 if matches!(present, Some(Json::Array(_))) && !note.text.contains("[[") => {
                let Some(Json::Array(items)) = present else {
                    continue;
                };
                // Mostly an existing item.
                let (value, json) = match items.is_empty() || random.below(4) == 0 {
                    true => (value, json),
                    false => {
                        let item = random.of(items).clone();
                        (Value::from_json(&item), item)
                    }
                };
                let kept: Vec<Json> = items.iter().filter(|item| **item != json).cloned().collect();
                (PropertyEdit::RemoveItem { key, item: value }, Some(Json::Array(kept)))
            }
            _ => (PropertyEdit::Set { key, value }, Some(json)),
        };

        let is_already = |link: &&str| {
            note.text[note.entry.clone()].contains(&format!(" {link}")) && expected == Some(json!(link))
        };
        if ["[[Jane Doe]]", "[[Acme, Inc]]"].iter().any(is_already) {
            // Nothing to change; as plain YAML it stays a nested list.
            assert_eq!(edit_properties(&note.text, &[edit]), Ok(note.text), "seed {seed}");
            continue;
        }
        let mut intended = before.clone();
        match expected {
            Some(json) => {
                intended.insert(note.key.clone(), json);
            }
            None => {
                intended.shift_remove(&note.key);
            }
        }
        let (head, tail) = (&note.text[..note.entry.start], &note.text[note.entry.end..]);
        let fence = note.text.len() - note.matter.end;
        let context = format!("seed {seed}: {edit:?}\nof {:?}", note.text);
        let after = match edit_properties(&note.text, std::slice::from_ref(&edit)) {
            Ok(after) => after,
            Err(error) if note.is_repeated => {
                // Editing an anchored entry would also change its aliases.
                assert!(matches!(error, EditError::Refused { .. }), "{context}\nrefused: {error}");
                refused += 1;
                continue;
            }
            Err(error) => {
                // Without the entry, an indented comment below it may become text of the entry above.
                let rest = format!("{head}{tail}");
                let is_impossible = matches!(edit, PropertyEdit::Remove { .. })
                    && read(&rest[note.matter.start..rest.len() - fence]).as_ref() != Some(&intended);
                assert!(is_impossible, "{context}\nrefused: {error}");
                refused += 1;
                continue;
            }
        };
        let context = format!("{context}\nis {after:?}");
        assert!(after.len() >= head.len() + tail.len(), "{context}: lost bytes");
        assert!(after.starts_with(head) && after.ends_with(tail), "{context}: other bytes changed");
        let found = read(&after[note.matter.start..after.len() - fence]);
        assert_eq!(found.as_ref(), Some(&intended), "{context}");
        if note.is_crlf {
            assert_eq!(
                after.matches('\n').count(),
                after.matches("\r\n").count(),
                "{context}: a bare line feed"
            );
        }
        let operation = match &edit {
            PropertyEdit::Set { .. } if present.is_some() => "set",
            PropertyEdit::Set { .. } => "add",
            PropertyEdit::Remove { .. } => "remove",
            PropertyEdit::AddItem { .. } => "add an item",
            PropertyEdit::RemoveItem { .. } => "remove an item",
        };
        // An unchanged note may be unusual already.
        if after != note.text {
            for feature in &note.features {
                *covered.entry((operation, feature)).or_default() += 1;
            }
        }
        if let PropertyEdit::Set { value: Value::Text(text), .. } = &edit
            && after != note.text
            && reads_back_plain(text)
        {
            let entry = &after[head.len()..after.len() - tail.len()];
            let is_date = text.starts_with("2026-");
            let kept_quotes = note.features.contains(&"quoted value") && !is_date;
            let quoted = [format!("\"{text}\""), format!("'{text}'")].iter().any(|q| entry.contains(q));
            assert!(kept_quotes || !quoted, "{context}: quoted without need");
        }
        made += 1;
    }
    eprintln!("{made} edits made, {refused} refused");
    assert!(refused * 100 < edits_to_make(), "{refused} of {} edits were refused", edits_to_make());
    assert!(made * 10 > edits_to_make() * 9, "only {made} edits were made");
    for (operation, features) in COVERED {
        for feature in *features {
            assert!(covered.contains_key(&(operation, feature)), "never generated: {operation}, {feature}");
        }
    }
}

/// Damaged notes: nothing may panic, and an accepted edit must be correct.
#[test]
fn damaged_notes_are_edited_correctly_or_refused() {
    let damage = [
        "\t",
        "\"",
        "'",
        "[",
        "]",
        "{",
        "}",
        ":",
        "- ",
        "#",
        "&x ",
        "*x",
        "|",
        ">",
        "\n",
        "\r",
        "\r\n",
        "---\n",
        "...\n",
        "!!int ",
        "? ",
        "🍣",
        "\u{feff}",
        "\u{0}",
        ",",
        "%YAML 1.1\n",
        "<<: *x\n",
        "\u{85}",
        " ",
    ];
    let mut edited = 0;
    for seed in 1..=edits_to_make() * 2 / 5 {
        let random = &mut Random::new(seed ^ 0xDA_4A6E);
        let mut text = generate(random).text;
        for _ in 0..=random.below(5) {
            let mut at = random.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            if random.below(3) == 0 && at < text.len() {
                text.remove(at);
            } else {
                text.insert_str(at, random.of::<&str>(&damage));
            }
        }
        let set = |key: &str, value: &str| PropertyEdit::Set {
            key: key.to_owned(),
            value: Value::Text(value.to_owned()),
        };
        let key = *random.of(&["type", "tags", "name", "new"]);
        let document = Document::parse(&text);
        match edit_properties(&text, &[set(key, "won")]) {
            Ok(after) => {
                let read = Document::parse(&after);
                let values = |document: &Document| -> Vec<(String, Value)> {
                    let others = document.properties().iter().filter(|(name, _)| *name != key);
                    others.map(|(name, property)| (name.clone(), property.value.clone())).collect()
                };
                assert_eq!(values(&read), values(&document), "seed {seed}: {text:?} became {after:?}");
                assert_eq!(read.property(key), Some(&Value::Text("won".to_owned())), "seed {seed}: {text:?}");
                assert_eq!(
                    after[read.body_start()..],
                    text[document.body_start()..],
                    "seed {seed}: {text:?}"
                );
                edited += 1;
                let outside = edit_properties(&text, &[set("outside", "x")]);
                if let Ok(outside) = outside
                    && let Merge::Clean { text: merged, .. } = merge(&text, &after, &outside)
                {
                    let merged = Document::parse(&merged);
                    assert_eq!(
                        merged.property(key),
                        Some(&Value::Text("won".to_owned())),
                        "seed {seed}: {text:?}"
                    );
                    assert_eq!(
                        merged.property("outside"),
                        Some(&Value::Text("x".to_owned())),
                        "seed {seed}: {text:?}"
                    );
                }
                let change = diff(Some(&text), Some(&after));
                let no_op = text == after;
                assert_eq!(
                    change.properties.is_empty() && change.hunks.is_empty(),
                    no_op,
                    "seed {seed}: {text:?} became {after:?}: {change:?}"
                );
            }
            Err(EditError::Broken { .. }) => {
                assert!(
                    matches!(document.front_matter(), FrontMatter::Broken { .. }),
                    "seed {seed}: {text:?}"
                );
            }
            Err(_) => {}
        }
        let appended = append(&text, "- x", Some("Log")).unwrap();
        assert!(appended.len() > text.len(), "seed {seed}: {text:?}");
        let _ = replace_exact(&text, "lead\n", "won\n", None);
    }
    assert!(edited > 100, "only {edited} damaged notes could be edited");
}
