#![allow(clippy::unwrap_used)]

use nova_protocol::{ErrorCode, NoteChangeKind};
use serde_json::json;

use super::*;

fn session(title: &str) -> SessionInfo {
    SessionInfo {
        id: "s1".into(),
        title: title.into(),
        created_at: "2026-11-20T08:00:00Z".into(),
        updated_at: "2026-11-22T09:30:00Z".into(),
        model: None,
        pinned: false,
        archived: false,
        deleted_at: None,
        parent: None,
    }
}

fn at(turn: &str, event: Event) -> Envelope {
    let at = "2026-11-22T09:30:05Z".into();
    Envelope { v: 1, seq: 0, at, session: Some("s1".into()), turn: Some(turn.into()), event }
}

fn asked(turn: &str, after: Option<&str>, text: &str) -> Envelope {
    let after = Some(after.map(str::to_owned));
    let (skills, tool) = (Vec::new(), None);
    at(
        turn,
        Event::TurnStarted {
            text: text.into(),
            model: "test/m".into(),
            skills,
            tool,
            after,
            by_nova: false,
            images: Vec::new(),
            outside: Vec::new(),
        },
    )
}

fn said(turn: &str, text: &str) -> Envelope {
    at(turn, Event::MessageCompleted { message: turn.into(), text: text.into(), private: false })
}

fn call(turn: &str, ok: bool, output: Value) -> [Envelope; 2] {
    let began = json!({"v": 1, "seq": 0, "at": "", "turn": turn, "type": "tool_call_started", "call": "c", "tool": "budget.list",
        "args": {"token": "do not tell"}, "effect": "read", "principal": {"kind": "user", "name": "owner"}});
    let ended = Event::ToolCallCompleted {
        call: "c".into(),
        ok,
        output,
        sources: Vec::new(),
        figures: Vec::new(),
        ms: 1,
        changes: Vec::new(),
        change_set: None,
        merged: Vec::new(),
        so_far: None,
        log: Vec::new(),
    };
    [serde_json::from_value(began).unwrap(), at(turn, ended)]
}

#[test]
fn chat_is_exported_as_a_document() {
    let mut events = vec![asked("a", None, "What did we spend?\n\n# Not a heading")];
    events.extend(call("a", true, json!([1, 2])));
    let Event::ToolCallCompleted { sources, figures, .. } = &mut events[2].event else { unreachable!() };
    *sources = vec![
        SourceView::Note { path: "Budget/Rent.md".into() },
        SourceView::web("https://rates.example/eur?x=1", "2026-11-22T09:00:00Z"),
        SourceView::web("https://me:secret@rates.example/eur", "2026-11-22T09:00:00Z"),
    ];
    *figures = vec![FigureView {
        at: "/total".into(),
        label: "Total".into(),
        value: "1234.50".into(),
        unit: "EUR".into(),
        formula: None,
        parts: Vec::new(),
        sources: vec![0, 1, 2],
        caution: None,
    }];
    events.push(said("a", "You spent **1,234.50 EUR**."));
    events.push(asked("b", Some("a"), "Add it"));
    events.extend(call("b", true, json!({})));
    let Event::ToolCallCompleted { changes, .. } = &mut events[6].event else { unreachable!() };
    changes.push(NoteChangeView { path: "Sums.md".into(), kind: NoteChangeKind::Created, from: None });
    events.extend(call("b", false, json!({"code": "tool_failed", "message": "No *such* note.", "hint": ""})));
    let (code, message) = (ErrorCode::ProviderFailed, "It broke.".into());
    events.push(at("b", Event::TurnFailed { code, message, hint: "Try again.".into(), host: None }));

    assert_eq!(
        export(&session("What did we \"spend\"?"), &events, false),
        r#"---
title: "What did we \"spend\"?"
created: 2026-11-20
updated: 2026-11-22
model: "test/m"
session: "s1"
---

# What did we "spend"?

## You, 2026-11-22 09:30

> What did we spend?
>
> # Not a heading

## Nova

- `budget.list` → 2 results
  - Total: 1234.50 EUR from [[Budget/Rent|Rent]], [rates.example](<https://rates.example/eur?x=1>), 2026-11-22 09:00, rates.example, 2026-11-22 09:00

You spent **1,234.50 EUR**.

## You, 2026-11-22 09:30

> Add it

## Nova

- `budget.list` → changed [[Sums]]

- `budget.list` → failed: No \*such\* note.

*Failed: It broke. Try again.*
"#
    );
}

#[test]
fn only_the_current_branch_is_exported_by_default() {
    let events = [
        asked("a", None, "First"),
        said("a", "One."),
        asked("b", Some("a"), "Older words"),
        said("b", "Two."),
        asked("c", Some("a"), "Newer words"),
        said("c", "Three."),
    ];
    let one = export(&session("t"), &events, false);
    assert!(one.contains("> First") && one.contains("> Newer words") && one.contains("Three."), "{one}");
    assert!(!one.contains("Older") && !one.contains("Two.") && !one.contains("branch"), "{one}");
    let all = export(&session("t"), &events, true);
    assert!(all.contains("09:30 (branch 1 of 2)\n\n> Older words"), "{all}");
    assert!(all.contains("09:30 (branch 2 of 2)\n\n> Newer words"), "{all}");
    assert!(all.contains("09:30\n\n> First"), "{all}");
}

#[test]
fn constructs_left_open_end_with_their_message() {
    for (text, whole) in [
        ("```rust\nfn main", "```rust\nfn main\n```"),
        ("~~~~\na\n~~~", "~~~~\na\n~~~\n~~~~"),
        ("```\na\n```", "```\na\n```"),
        ("`a```b`", "`a```b`"),
        ("a <!-- b", "a <!-- b\n-->"),
        ("a <!-- b --> c", "a <!-- b --> c"),
        ("```\n<!--\n```", "```\n<!--\n```"),
        ("    ```\nnot a fence", "    ```\nnot a fence"),
    ] {
        assert_eq!(closed(text), whole, "{text}");
    }
    let rest = export(&session("t"), &[asked("a", None, "```\n<!--"), said("a", "Hello.")], false);
    assert!(rest.contains("> ```\n> <!--\n\n## Nova\n\nHello."), "{rest}");
}

#[test]
fn front_matter_is_valid_for_any_title() {
    let text = export(&session("a\n---\nnova: private\nb: `c`"), &[], false);
    let matter = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap().0;
    assert_eq!(matter.lines().count(), 4, "{matter}");
    assert!(text.ends_with("\n# a --- nova: private b: 'c'\n"), "{text}");
}
