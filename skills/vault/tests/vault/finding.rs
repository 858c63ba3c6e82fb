//! Searching, querying, bases, links and tags.

use nova_protocol::{ErrorCode, SourceView};
use nova_skill::{Value, json};
use nova_vault::note::ContentHash;

use crate::{LISBON, NOTES, vault};

#[test]
fn text_is_found_with_its_line() {
    let vault = vault(NOTES);
    assert_eq!(
        vault.value("search", json!({"query": "book the TRAIN"})),
        json!({"hits": [{"path": LISBON, "line": 13, "text": "- [ ] Book the train"}], "more": false})
    );
    assert_eq!(vault.value("search", json!({"query": "nowhere to be found"}))["hits"], json!([]));
}

#[test]
fn search_by_words_or_by_pattern() {
    let vault = vault(NOTES);
    let paths = |args: Value| -> Vec<String> {
        let value = vault.value("search", args);
        value["hits"].as_array().unwrap().iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(paths(json!({"query": "trips plan", "words": true})), ["Trips/Plan.md"]);
    assert_eq!(paths(json!({"query": "^A plan for (work|play)", "regex": true})), ["Work/Plan.md"]);
    assert_eq!(paths(json!({"query": "a PLAN", "regex": true})), [""; 0]);
}

#[test]
fn truncated_answer_says_so() {
    let lines = "needle\n".repeat(60);
    let many = vault(&format!("//- a.md\n{lines}"));
    let count = |args: Value| {
        let value = many.value("search", args);
        (value["hits"].as_array().unwrap().len(), value["more"].clone())
    };
    assert_eq!(count(json!({"query": "needle"})), (50, json!(true)));
    assert_eq!(count(json!({"query": "needle", "limit": 3})), (3, json!(true)));
    assert_eq!(count(json!({"query": "needle", "limit": "60"})), (60, json!(false)));
    let more = vault(&format!("//- a.md\n{}", "needle\n".repeat(600)));
    let value = more.value("search", json!({"query": "needle", "limit": 100000}));
    assert_eq!((value["hits"].as_array().unwrap().len(), &value["more"]), (500, &json!(true)));
}

#[test]
fn invalid_search_is_refused_with_the_reason() {
    for args in [
        json!({"query": ""}),
        json!({"query": "(", "regex": true}),
        json!({"query": "a", "regex": true, "words": true}),
        json!({"query": "a", "limit": 0}),
    ] {
        assert_eq!(vault(NOTES).error("search", args.clone()).code, ErrorCode::InvalidArguments, "{args}");
    }
}

#[test]
fn notes_are_found_by_their_properties() {
    let vault = vault(
        "//- a.md\n---\ntype: trip\nstart: 2026-12-03\ncost: 90\n---\n//- b.md\n---\ntype: Trip\nstart: 2026-11-30\ncost: 1000.5\n---\n//- c.md\n---\ntype: book\ncost: 12\n---\n//- Templates/Trip.md\n---\ntype: trip\n---\n",
    );
    let paths = |args: Value| -> Vec<String> {
        let value = vault.value("query", args);
        assert_eq!(value["total"], value["notes"].as_array().unwrap().len());
        value["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["path"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(paths(json!({"type": "trip", "sort": ["start"]})), ["b.md", "a.md"]);
    assert_eq!(paths(json!({"where": ["cost > 50", "start exists"], "sort": ["-cost"]})), ["b.md", "a.md"]);
    assert_eq!(
        paths(json!({"where": ["type in trip, book"], "sort": "type,-cost"})),
        ["c.md", "b.md", "a.md", "Templates/Trip.md"]
    );
    assert_eq!(paths(json!({"where": ["nothing = 1"]})), [""; 0]);

    let one = vault.value("query", json!({"type": "trip", "sort": ["start"], "limit": 1}));
    assert_eq!(
        one,
        json!({
            "total": 2, "more": true,
            "notes": [{
                "path": "b.md", "type": "Trip",
                "properties": {"type": "Trip", "start": "2026-11-30", "cost": 1000.5},
            }],
        })
    );
}

#[test]
fn unreadable_condition_is_reported() {
    let error = vault(NOTES).error("query", json!({"where": ["type = trip", "status like draft"]}));
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert!(
        error.message.starts_with("/where/1: the condition `status like draft` cannot be read"),
        "{error}"
    );
    assert!(error.message.contains("= != < <= > >= contains in exists"), "{error}");
}

#[test]
fn rows_beyond_the_limit_are_counted() {
    let notes: String =
        (0..60).map(|n| format!("//- n{n:02}.md\n---\nabout: {}\n---\n", "x".repeat(2000))).collect();
    let value = vault(&notes).value("query", json!({}));
    let shown = value["notes"].as_array().unwrap().len();
    assert!((10..30).contains(&shown), "{shown} rows of 2 kB each");
    assert_eq!((&value["total"], &value["more"]), (&json!(60), &json!(true)));
}

#[test]
fn oversized_note_hides_no_other() {
    let notes = format!("//- a.md\n---\nn: {}\n---\n//- b.md\n---\nn: 1\n---\n", "x".repeat(60 * 1024));
    assert_eq!(
        vault(&notes).value("query", json!({})),
        json!({"total": 2, "more": false, "notes": [
            {"path": "a.md", "too_large": true},
            {"path": "b.md", "type": null, "properties": {"n": 1}},
        ]})
    );
}

#[test]
fn incomparable_notes_are_counted() {
    let vault = vault("//- a.md\n---\nn: \"12\"\n---\n//- b.md\n---\nn: 13\n---\n");
    let value = vault.value("query", json!({"where": ["n > 5"]}));
    assert_eq!((&value["total"], &value["not_comparable"]), (&json!(1), &json!(1)));
    assert!(vault.value("query", json!({"where": ["n = 13"]})).get("not_comparable").is_none());
}

const TRIPS: &str = "//- Views/Trips.base
filters: type == \"trip\"
properties:
  start:
    displayName: From
  file.name:
    displayName: Trip
views:
  - type: table
    name: All
    order: [file.name, start]
    sort:
      - property: start
        direction: ASC
  - type: table
    name: By place
    order: [start]
    groupBy: {property: place, direction: ASC}
//- a.md
---
type: trip
start: 2026-12-03
place: Lisbon
---
//- b.md
---
type: trip
start: 2026-11-30
place: Oslo
---
//- c.md
---
type: book
---
";

#[test]
fn base_returns_its_view() {
    for said in ["Views/Trips.base", "Views/Trips", "Trips", "[[Trips.base]]"] {
        assert_eq!(
            vault(TRIPS).value("query_base", json!({"path": said})),
            json!({
                "base": "Views/Trips.base", "view": "All", "views": ["All", "By place"],
                "columns": [{"id": "file.name", "name": "Trip"}, {"id": "note.start", "name": "From"}],
                "total": 2, "more": false,
                "rows": [
                    {"path": "b.md", "cells": ["b", "2026-11-30"]},
                    {"path": "a.md", "cells": ["a", "2026-12-03"]},
                ],
                "unsupported": [],
            }),
            "{said}"
        );
    }
    let grouped = vault(TRIPS).value("query_base", json!({"path": "Trips", "view": "By place"}));
    assert_eq!(
        grouped["rows"],
        json!([
            {"path": "a.md", "cells": ["2026-12-03"], "group": "Lisbon"},
            {"path": "b.md", "cells": ["2026-11-30"], "group": "Oslo"},
        ])
    );
}

#[test]
fn missing_base_or_view_is_reported() {
    let error = vault(TRIPS).error("query_base", json!({"path": "Trips", "view": "Mine"}));
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert!(error.message.contains("All, By place"), "{error}");
    assert_eq!(vault(TRIPS).error("query_base", json!({"path": "a.md"})).code, ErrorCode::InvalidArguments);
    assert_eq!(vault(TRIPS).error("query_base", json!({"path": "Nothing"})).code, ErrorCode::NoteNotFound);
}

#[test]
fn outgoing_incoming_and_broken_links_are_listed() {
    let vault =
        vault("//- a.md\nSee [[b]] and [[gone]].\n//- b.md\nBack to [[a]].\n//- c.md\nAlso ![[a]].\n");
    let value = vault.value("links", json!({"path": "a"}));
    let pick = |list: &str, keys: [&str; 2]| -> Vec<(Value, Value)> {
        value[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|link| (link[keys[0]].clone(), link[keys[1]].clone()))
            .collect()
    };
    assert_eq!(value["path"], "a.md");
    assert_eq!(pick("out", ["path", "line"]), [(json!("b.md"), json!(1))]);
    assert_eq!(
        pick("back", ["path", "text"]),
        [(json!("b.md"), json!("Back to [[a]].")), (json!("c.md"), json!("Also ![[a]]."))]
    );
    assert_eq!(pick("unresolved", ["target", "line"]), [(json!("gone"), json!(1))]);
    assert!(value.get("more").is_none());
}

/// The notes named as sources of an outcome.
fn sources(outcome: &nova_calls::Outcome) -> Vec<String> {
    let path = |source: &SourceView| match source {
        SourceView::Note { path } => path.to_string(),
        SourceView::Web { .. } => panic!("{source:?}"),
    };
    outcome.sources.iter().map(path).collect()
}

#[test]
fn notes_whose_lines_are_shown_are_sources() {
    let vault = vault("//- a.md\nSee [[b]].\n//- b.md\nBack to [[a]].\n//- c.md\nAlso ![[a]].\n//- d.md\n");
    let outcome = vault.call("links", json!({"path": "a"}));
    assert_eq!(sources(&outcome), ["a.md", "b.md", "c.md"]);
}

#[test]
fn many_links_are_counted() {
    let notes: String = (0..900).map(|n| format!("//- n{n}.md\n{} [[hub]]\n", "x".repeat(150))).collect();
    let outcome = vault(&format!("//- hub.md\n{notes}")).call("links", json!({"path": "hub"}));
    let (sources, value) = (sources(&outcome), outcome.result.unwrap());
    assert_eq!((&value["more"], &value["total"]["back"]), (&json!(true), &json!(900)));
    let shown = value["back"].as_array().unwrap().len();
    assert!(shown < 900);
    assert_eq!(sources.len(), 1 + shown, "the note and those that are shown");
}

#[test]
fn notes_seen_by_a_call_are_exactly_those_it_was_given() {
    let notes = "
//- Jane.md
---
type: person
---
Lives in Porto. See [[Plan]].
//- Plan.md
See [[Tom]].
//- Tom.md
---
phone: 12
---
//- Other.md
Nothing.
//- Plans.base
views:
  - type: table
    name: Plans
    filters: file.basename == \"Plan\"
    order: [file.name, formula.phone]
formulas:
  phone: file.links.map(value.properties.phone)
";
    let vault = vault(notes);
    for (tool, args, expected) in [
        ("search", json!({"query": "porto"}), vec!["Jane.md"]),
        ("search", json!({"query": "See", "limit": 1}), vec!["Jane.md"]),
        ("search", json!({"query": "(?i)nothing", "regex": true}), vec!["Other.md"]),
        ("links", json!({"path": "Plan.md"}), vec!["Jane.md", "Plan.md"]),
        ("query", json!({"type": "person"}), vec!["Jane.md"]),
        ("query_base", json!({"path": "Plans.base"}), vec!["Plan.md", "Plans.base", "Tom.md"]),
    ] {
        let outcome = vault.call(tool, args.clone());
        let seen: Vec<&str> = outcome.seen.keys().map(|path| path.as_str()).collect();
        assert_eq!(seen, expected, "{tool} {args}: {:?}", outcome.result);
        for (path, hash) in &outcome.seen {
            let text = vault.vault.read(path.as_str());
            assert_eq!(*hash, ContentHash::of(text.as_bytes()), "{tool} {args}: {path}");
        }
    }
}

#[test]
fn tags_are_counted() {
    let vault = vault("//- a.md\n---\ntags: [Work, trip/lisbon]\n---\n#idea\n//- b.md\n#work and #trip\n");
    assert_eq!(
        vault.value("tags", json!({})),
        json!({
            "total": 4, "more": false,
            "tags": [
                {"tag": "idea", "notes": 1},
                {"tag": "trip", "notes": 2},
                {"tag": "trip/lisbon", "notes": 1},
                {"tag": "Work", "notes": 2},
            ],
        })
    );
}

#[test]
fn phrase_without_a_match_suggests_the_other_search_mode() {
    let vault = vault("//- a.md\nThe password of the wifi\n");
    let found = |args: Value| vault.value("search", args);
    assert!(found(json!({"query": "wifi password"}))["hint"].as_str().unwrap().contains("`words`"));
    for args in [
        json!({"query": "the password"}),
        json!({"query": "nowhere"}),
        json!({"query": "wifi password", "words": true}),
        json!({"query": "router password", "words": true}),
    ] {
        assert!(found(args.clone()).get("hint").is_none(), "{args}");
    }
}

#[test]
fn empty_filters_are_ignored() {
    let vault = vault("//- a.md\n---\nn: 1\n---\n//- b.md\n");
    let all = json!({"type": "", "where": [""], "sort": [""]});
    assert_eq!(vault.value("query", all)["total"], 2);
}

#[test]
fn tag_found_in_no_text_is_searched_in_properties() {
    let vault = vault("//- a.md\n---\ntags: [vip]\n---\n");
    for query in ["#vip", "tag:#vip"] {
        let hint = vault.value("search", json!({"query": query}))["hint"].as_str().unwrap().to_owned();
        assert!(hint.contains("`tags contains vip`"), "{hint}");
    }
}
