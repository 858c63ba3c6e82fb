#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;
use crate::message::Entry;

/// Sessions with a title and messages: `>` by the user, otherwise by Nova.
async fn store(sessions: &[(&str, &str, &[&str])]) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    for (at, (id, title, said)) in sessions.iter().enumerate() {
        let day = format!("2026-11-{:02}T08:00:00Z", at + 1);
        store.create(id, &day).await.unwrap();
        store.rename(id, title).await.unwrap();
        let entries: Vec<(i64, Entry)> = (0..).zip(said.iter().map(|words| entry(&day, words))).collect();
        store.append(id, &day, &entries, &[]).await.unwrap();
    }
    (folder, store)
}

fn entry(at: &str, words: &str) -> Entry {
    let event = match words.strip_prefix('>') {
        Some(text) => json!({"type": "turn_started", "text": text, "model": "m", "skills": [], "tool": null}),
        None => json!({"type": "message_completed", "message": "m", "text": words}),
    };
    let mut envelope = json!({"v": 1, "seq": 0, "at": at, "turn": "t1"});
    envelope.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
    Entry::Event(serde_json::from_value(envelope).unwrap())
}

/// The ids of the sessions found.
async fn found(store: &Store, query: &str) -> Vec<String> {
    let found = store.search(query, 20).await.unwrap();
    found.into_iter().map(|found| found.session.id).collect()
}

/// Text with its hits in brackets.
fn marked(parts: &[TextPart]) -> String {
    parts.iter().map(|part| if part.hit { format!("[{}]", part.text) } else { part.text.clone() }).collect()
}

#[tokio::test]
async fn word_is_found_in_any_case_and_within_words() {
    let (_folder, store) = store(&[
        ("a", "x", &[">Ask Harborline about the café in Üsküdar"]),
        ("b", "x", &["Nothing of the kind: 100 % done, привет Ёлка, ok"]),
    ])
    .await;
    for (query, ids) in [
        ("harborline", vec!["a"]),
        ("ARBORL", vec!["a"]),
        ("cafe", vec!["a"]),
        ("CAFÉ", vec!["a"]),
        ("üsk", vec!["a"]),
        ("ПРИВЕТ", vec!["b"]),
        // Shorter than the trigrams of the index.
        ("ok", vec!["b"]),
        ("OK", vec!["b"]),
        ("%", vec!["b"]),
        ("пр", vec!["b"]),
        ("И", vec!["b"]),
        ("th", vec!["b", "a"]),
        // All words must occur in the same message.
        ("kind привет", vec!["b"]),
        ("kind harborline", vec![]),
        ("ok harborline", vec![]),
        ("ok done", vec!["b"]),
        ("", vec![]),
        ("   ", vec![]),
    ] {
        assert_eq!(found(&store, query).await, ids, "{query:?}");
    }
}

#[tokio::test]
async fn accents_are_ignored_in_words_of_any_length() {
    let texts =
        ["Ёлка и мёд", "cafe\u{301} fe\u{301}", "tiếng Việt ổi", "Ἀχιλλεύς ὕς", "İstanbul ÇA", "über öl"];
    for text in texts {
        let plain = searchable(text);
        let (_folder, store) = store(&[("said", "x", &[text]), ("title", text, &[])]).await;
        let spellings =
            [text.to_owned(), plain.clone(), text.nfc().collect(), text.nfd().collect(), text.to_uppercase()];
        for query in spellings.iter().flat_map(|text| text.split(' ')) {
            assert_eq!(found(&store, query).await, ["title", "said"], "{query:?} in {text:?}");
            let found = store.search(query, 9).await.unwrap();
            let hit = |parts: &[TextPart]| parts.iter().any(|part| part.hit);
            assert!(hit(found[0].title.as_deref().unwrap()), "{query:?} in {text:?}");
            assert!(hit(&found[1].hits[0].snippet), "{query:?} in {text:?}");
        }
    }
}

#[tokio::test]
async fn short_queries_in_scripts_without_spaces_match() {
    let (_folder, store) = store(&[
        ("ja", "x", &[">来週の会議の資料を見せて", "好的"]),
        ("ko", "x", &["한국어 회의록입니다"]),
        ("kana", "x", &["がっこう"]),
    ])
    .await;
    for (query, ids) in [
        ("会", vec!["ja"]),
        ("会議", vec!["ja"]),
        ("会議の資料", vec!["ja"]),
        ("会 料", vec!["ja"]),
        ("好的", vec!["ja"]),
        ("한", vec!["ko"]),
        ("회의", vec!["ko"]),
        ("한국어", vec!["ko"]),
        ("が", vec!["kana"]),
        ("か", vec![]),
        ("議会", vec![]),
    ] {
        assert_eq!(found(&store, query).await, ids, "{query:?}");
    }
}

#[tokio::test]
async fn query_has_no_special_characters() {
    let texts = [
        "say \"hello\" AND (or) NOT * that",
        "a:b NEAR(c d, 2) ^e -f +g",
        "50% _under_ [x] 'q' \\ \u{0} end",
        "text:word said_index rank",
        "'; DROP TABLE said; --",
        "{col1 col2}: x*",
    ];
    let (_folder, store) = store(&[("a", "x", &texts)]).await;
    for text in texts {
        assert_eq!(found(&store, text).await, ["a"], "{text:?} finds itself");
    }
    for query in [
        "\"",
        "\"\"\"",
        "\"\"\"\"\"",
        "AND",
        "NOT",
        "((((",
        "hello*",
        "hel OR xyz",
        "a^b",
        "\u{0}\u{0}",
        "\u{301}\u{301}\u{301}",
        "text:hello",
        "NEAR(say hello)",
    ] {
        store.search(query, 20).await.unwrap_or_else(|error| panic!("{query:?}: {error}"));
    }
    assert_eq!(found(&store, "hello*").await, Vec::<String>::new(), "`*` is literal");
    assert_eq!(found(&store, "%nder_").await, Vec::<String>::new(), "wildcards of LIKE are literal");
    let endless = "word ".repeat(10_000) + &"x".repeat(100_000);
    assert_eq!(found(&store, &endless).await, Vec::<String>::new());
}

#[tokio::test]
async fn titles_are_ranked_first_then_newest_messages() {
    let (_folder, store) = store(&[
        ("old", "Trip to Lisbon", &[">Anything"]),
        ("mid", "x", &[">Lisbon, too"]),
        ("new", "x", &[">And lisbon again", "Lisbon is far", "lisbon 3", "lisbon 4"]),
    ])
    .await;
    let results = store.search("Lisbon", 20).await.unwrap();
    let ids: Vec<_> = results.iter().map(|found| found.session.id.as_str()).collect();
    assert_eq!(ids, ["old", "new", "mid"]);
    assert_eq!(marked(results[0].title.as_deref().unwrap()), "Trip to [Lisbon]");
    assert_eq!(results[0].hits, []);
    let said: Vec<_> = results[1].hits.iter().map(|hit| marked(&hit.snippet)).collect();
    assert_eq!(said, ["[lisbon] 4", "[lisbon] 3", "[Lisbon] is far"], "no more than a few of one session");
    let by: Vec<_> = results[2].hits.iter().map(|hit| (hit.by, hit.turn.as_str())).collect();
    assert_eq!(by, [(Speaker::User, "t1")]);
    assert_eq!(store.search("Lisbon", 2).await.unwrap().len(), 2);
}

#[tokio::test]
async fn snippet_shows_text_around_the_hit() {
    let long = format!("{} the NEEDLE\n\nin {}", "hay ".repeat(100), "straw ".repeat(100));
    let (_folder, store) = store(&[("a", "x", &[&long])]).await;
    let found = store.search("needle", 20).await.unwrap();
    let snippet = marked(&found[0].hits[0].snippet);
    assert!(snippet.starts_with("…hay hay") && snippet.contains("the [NEEDLE] in straw"), "{snippet}");
    assert!(snippet.ends_with("straw…"), "{snippet}");
    assert!(snippet.chars().count() < SHOWN + 6, "{snippet}");
}

#[tokio::test]
async fn private_deleted_and_tool_text_is_not_found() {
    let (folder, store) = store(&[("a", "x", &[">Hello quokka"])]).await;
    let private = json!({"v": 1, "seq": 1, "at": "", "turn": "t1", "type": "message_completed", "message": "m",
        "text": "The diary says zanzibar", "private": true});
    let output = json!({"v": 1, "seq": 2, "at": "", "turn": "t1", "type": "tool_call_completed", "call": "c", "ok": true,
        "output": {"text": "zanzibar"}, "sources": [], "ms": 1, "changes": [], "change_set": null, "merged": []});
    let message = crate::message::LogMessage::Assistant {
        text: "zanzibar".into(),
        calls: Vec::new(),
        provider_data: None,
    };
    let entries = [
        (1, Entry::Event(serde_json::from_value(private).unwrap())),
        (2, Entry::Event(serde_json::from_value(output).unwrap())),
        (3, Entry::Message(message)),
    ];
    store.append("a", "2026-11-22T08:00:00Z", &entries, &[]).await.unwrap();
    assert_eq!(found(&store, "zanzibar").await, Vec::<String>::new());

    assert_eq!(found(&store, "hello").await, ["a"]);
    store.delete("a", "2026-11-22T09:00:00Z").await.unwrap();
    assert_eq!(found(&store, "hello").await, Vec::<String>::new());
    store.restore("a").await.unwrap();
    assert_eq!(found(&store, "hello").await, ["a"]);
    store.delete("a", "2026-11-22T09:00:00Z").await.unwrap();
    assert_eq!(store.purge(Some("2026-11-22T08:59:00Z")).await.unwrap().sessions, Vec::<String>::new());
    assert_eq!(store.purge(None).await.unwrap().sessions, ["a"]);
    assert!(matches!(store.restore("a").await, Err(SessionError::Unknown(_))));

    // No trace of it is left on disk.
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(store.pool()).await.unwrap();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            let left = |word: &str| bytes.windows(word.len()).any(|piece| piece == word.as_bytes());
            assert!(!left("zanzibar") && !left("quokka"), "{}", path.display());
        }
    }
}
