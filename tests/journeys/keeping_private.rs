//! Private content stays on this machine: whatever a remote model asks for, no outgoing request contains a
//! byte of it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use nova_app::{Answer, App, ApprovalRequest, Approver, CancellationToken, ChatRequest, NoApprover, TurnEnd};
use nova_protocol::{Commands as _, Decision, ErrorCode, Event, SearchSessions};
use nova_testkit::{ScriptedApprover, call, calls, decided, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, turn, until, wait_for};

const CANARY: &str = "zanzibar-canary";

/// One note marked private, one in a private folder, and others that lead to them.
const NOTES: &str = "
//- Diary/Secret.md
---
type: contact
name: Secret Sam
nova: private
aliases: [Sammy zanzibar-canary]
phone: zanzibar-canary
---
zanzibar-canary #zanzibar-canary-tag links to [[Plan]].
//- Vault/Under lock.md
---
type: contact
name: zanzibar-canary
---
zanzibar-canary in a private folder, [[Plan]].
//- CRM/People/Broken.md
---
type: contact
\"nova\": private # ask me first
zanzibar-canary: 1
zanzibar-canary: 2
---
zanzibar-canary
//- CRM/People/Other mark.md
---
type: contact
name: zanzibar-canary
Nova: [private]
---
//- Plan.md
---
type: contact
name: Plan
---
See [[Secret]] and ![[Under lock]].
//- All.base
views:
  - type: table
    name: All
    order: [file.name, phone, name]
";

/// An approved model that a server on this machine runs remotely.
async fn far(nova: &Nova) -> App {
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "near", "kind": "ollama", "base_url": nova.model.address()}],
        "model": "near/run-elsewhere",
        "private": ["vault/"],
    }));
    let app = nova.start().await;
    nova.model.passes_on("run-elsewhere");
    app.agree_to_provider("near").await.unwrap();
    app
}

#[tokio::test]
async fn no_tool_shows_private_content_to_a_remote_model() {
    let asked: Vec<(&str, Value)> = vec![
        ("vault__read_note", json!({"path": "Diary/Secret.md"})),
        ("vault__read_note", json!({"path": "Secret"})),
        ("vault__read_note", json!({"path": "Under lock"})),
        ("vault__read_note", json!({"path": "CRM/People/Broken.md"})),
        ("vault__read_note", json!({"path": "Other mark"})),
        ("vault__search", json!({"query": "canary"})),
        ("vault__search", json!({"query": "zanz.*", "regex": true})),
        ("vault__query", json!({"type": "contact"})),
        ("vault__query", json!({"where": ["phone exists"]})),
        ("vault__query_base", json!({"path": "All.base"})),
        ("vault__links", json!({"path": "Plan.md"})),
        ("vault__links", json!({"path": "Secret"})),
        ("vault__tags", json!({})),
        ("vault__edit_note", json!({"path": "Diary/Secret.md", "old": "links", "new": "leads"})),
        ("vault__append_to_note", json!({"path": "Secret", "text": "more"})),
        ("vault__set_properties", json!({"path": "Under lock", "properties": {"stage": "won"}})),
        ("vault__delete_note", json!({"path": "Secret"})),
        ("vault__move_note", json!({"path": "Plan.md", "to": "Plans/Plan.md"})),
        ("crm__list_contacts", json!({})),
        ("crm__list_contacts", json!({"query": "canary"})),
        ("crm__get_contact", json!({"name": "Secret Sam"})),
        ("core__read", json!({"path": "vault/Diary/Secret.md"})),
        ("core__grep", json!({"pattern": "canary", "path": "vault"})),
        ("core__grep", json!({"pattern": "zanz", "path": "vault/Vault"})),
        ("core__glob", json!({"pattern": "vault/**"})),
        ("core__ls", json!({"path": "vault/Diary"})),
    ];
    let nova = Nova::new(NOTES, [calls(asked), text("That is all.")]);
    let secret = nova.vault.read("Diary/Secret.md");
    let app = far(&nova).await;

    let (end, _) = turn(&app, None, "Tell me everything", ScriptedApprover::always(Decision::Once)).await;

    assert_eq!(end.end, TurnEnd::Completed { text: "That is all.".into() });
    let sent: String = nova.model.requests().iter().map(ToString::to_string).collect();
    assert!(sent.contains("private"), "the model is told that a note is private");
    // The model's own calls repeat what it asked for; the answers must not.
    for told in nova.model.last_texts("tool") {
        assert!(!told.contains(CANARY), "{told}");
        assert!(!told.contains("Secret.md") || told.contains("is private"), "{told}");
    }
    assert!(!sent.contains(CANARY), "{sent}");
    // The move rewrote the link in the hidden note, for its owner.
    assert_eq!(nova.vault.read("Diary/Secret.md"), secret, "[[Plan]] still leads to the moved note");
    assert!(nova.vault.exists("Plans/Plan.md"));
    nova.model.finish();
}

#[tokio::test]
async fn folder_listed_by_its_absolute_path_is_private() {
    let asked = calls([
        ("vault__read_note", json!({"path": "Vault/Under lock.md"})),
        ("vault__search", json!({"query": "canary"})),
        ("vault__query", json!({"type": "contact"})),
    ]);
    let nova = Nova::new(NOTES, [asked, text("That is all.")]);
    let app = far(&nova).await;
    let listed = nova.vault.root().join("Vault");
    let mut settings = nova.read_settings();
    settings["private"] = json!([listed]);
    nova.settings(&settings);
    drop(app);
    let app = nova.start().await;
    nova.model.passes_on("run-elsewhere");

    let (end, _) = turn(&app, None, "Tell me everything", ScriptedApprover::always(Decision::Once)).await;

    assert_eq!(end.end, TurnEnd::Completed { text: "That is all.".into() });
    let told = nova.model.last_texts("tool").join("\n");
    assert!(told.contains("is private") && !told.contains(CANARY), "{told}");
    assert_eq!(nova.json(&["vault", "check"]).1.as_array().unwrap().len(), 1, "the broken note alone");
    nova.model.finish();
}

#[tokio::test]
async fn move_keeps_links_of_hidden_note_unmentioned() {
    let moved = ("vault__move_note", json!({"path": "Plan.md", "to": "Plans/Next year.md"}));
    let nova = Nova::new(NOTES, [calls([moved]), text("Moved."), text("Still here.")]);
    let app = far(&nova).await;

    let (end, _) = turn(&app, None, "Move the plan", ScriptedApprover::always(Decision::Once)).await;

    assert!(nova.vault.read("Diary/Secret.md").contains("links to [[Next year]]."));
    // Its owner edits it and the chat continues: a note that the model never saw is not announced.
    nova.vault.write("Diary/Secret.md", &nova.vault.read("Diary/Secret.md").replace("phone: ", "phone: +1 "));
    let (end, _) = turn(&app, Some(&end.session), "And now?", ScriptedApprover::always(Decision::Once)).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Still here.".into() });
    let sent: String = nova.model.requests().iter().map(ToString::to_string).collect();
    assert!(!sent.contains("Secret.md") && !sent.contains(CANARY), "{sent}");
    nova.model.finish();
}

#[tokio::test]
async fn local_model_reads_private_notes() {
    let asked = calls([("vault__read_note", json!({"path": "Secret"}))]);
    let nova = Nova::new(NOTES, [asked, text("Read.")]);
    let app = nova.start().await;

    turn(&app, None, "Read it", ScriptedApprover::always(Decision::Once)).await;

    assert!(nova.model.last_texts("tool").join("").contains(CANARY));
    nova.model.finish();
}

#[tokio::test]
async fn reads_of_detached_call_stay_local() {
    for (tool, args) in [
        ("vault.read_note", json!({"path": "Secret"})),
        ("vault.search", json!({"query": "links to"})),
        ("vault.links", json!({"path": "Plan.md"})),
    ] {
        check_late_end(tool, args).await;
    }
}

async fn check_late_end(tool: &str, args: Value) {
    let read = call(&tool.replace('.', "__"), args);
    let mut nova = Nova::new(NOTES, [read, text("I am reading it."), text("So it stays.")]);
    // Every call detaches at once.
    nova.settle = Duration::ZERO;
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [
            {"id": "test", "kind": "openai", "base_url": nova.model.base_url()},
            {"id": "near", "kind": "ollama", "base_url": nova.model.address()},
        ],
        "model": "test/scripted",
        "private": ["vault/"],
    }));
    let app = nova.start().await;
    nova.model.passes_on("run-elsewhere");
    app.agree_to_provider("near").await.unwrap();
    let (end, _) = turn(&app, None, "Read it", ScriptedApprover::always(Decision::Once)).await;
    assert!(nova.model.last_texts("tool").join("").starts_with("Running as call 1"));
    until(&app, &end.session, 0).await;

    let elsewhere = ChatRequest {
        session: Some(end.session),
        text: "And now?".into(),
        skills: Vec::new(),
        tool: None,
        after: None,
        images: Vec::new(),
        model: Some("near/run-elsewhere".into()),
        approver: Arc::new(NoApprover),
        cancel: CancellationToken::new(),
    };
    let end = app.chat(elsewhere).await.unwrap();
    assert_eq!(end.end, TurnEnd::Completed { text: "So it stays.".into() });
    let sent = nova.model.requests().pop().unwrap().to_string();
    assert!(sent.contains(&format!("Call 1 ({tool}) has ended. It has read private notes")), "{sent}");
    assert!(!sent.contains(CANARY), "{sent}");
    nova.model.finish();
}

#[tokio::test]
async fn content_read_while_private_stays_local_whatever_happens_to_the_note() {
    for gone in ["moved by its user", "deleted by the model"] {
        let read = call("vault__read_note", json!({"path": "Secret"}));
        let delete = call("vault__delete_note", json!({"path": "Secret"}));
        let by_the_model = gone.ends_with("model");
        let script = if by_the_model {
            vec![read, delete, text("It was quartzleak.")]
        } else {
            vec![read, text("It was quartzleak.")]
        };
        let nova = Nova::new(NOTES, script);
        nova.settings(&json!({
            "vault": nova.vault.root(),
            "providers": [
                {"id": "test", "kind": "openai", "base_url": nova.model.base_url()},
                {"id": "near", "kind": "ollama", "base_url": nova.model.address()},
            ],
            "model": "test/scripted",
        }));
        let app = nova.start().await;
        nova.model.passes_on("run-elsewhere");
        app.agree_to_provider("near").await.unwrap();
        let (end, _) = turn(&app, None, "Read it", ScriptedApprover::always(Decision::Once)).await;
        assert_eq!(end.end, TurnEnd::Completed { text: "It was quartzleak.".into() });
        if !by_the_model {
            let root = nova.vault.root();
            std::fs::rename(root.join("Diary/Secret.md"), root.join("Diary/Elsewhere.md")).unwrap();
        }

        let elsewhere = ChatRequest {
            session: Some(end.session),
            text: "And now?".into(),
            skills: Vec::new(),
            tool: None,
            after: None,
            images: Vec::new(),
            model: Some("near/run-elsewhere".into()),
            approver: Arc::new(NoApprover),
            cancel: CancellationToken::new(),
        };
        let end = app.chat(elsewhere).await.unwrap();
        assert!(
            matches!(&end.end, TurnEnd::Failed(error) if error.code == ErrorCode::Private),
            "{gone}: {end:?}"
        );
        let search = SearchSessions { query: "quartzleak".into(), limit: None };
        assert_eq!(app.search_sessions(search).await.unwrap(), [], "{gone}");
        nova.model.finish();
    }
}

/// A chat with a local model that makes the calls, then continues with a remote one.
async fn goes_on_elsewhere(notes: &str, asked: Vec<(&str, Value)>) -> TurnEnd {
    let nova = Nova::new(notes, [calls(asked), text("Found."), text("Elsewhere.")]);
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [
            {"id": "test", "kind": "openai", "base_url": nova.model.base_url()},
            {"id": "near", "kind": "ollama", "base_url": nova.model.address()},
        ],
        "model": "test/scripted",
        "private": ["vault/"],
    }));
    let app = nova.start().await;
    nova.model.passes_on("run-elsewhere");
    app.agree_to_provider("near").await.unwrap();
    let (end, _) = turn(&app, None, "Look for it", ScriptedApprover::always(Decision::Once)).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Found.".into() });

    let elsewhere = ChatRequest {
        session: Some(end.session),
        text: "And now?".into(),
        skills: Vec::new(),
        tool: None,
        after: None,
        images: Vec::new(),
        model: Some("near/run-elsewhere".into()),
        approver: Arc::new(NoApprover),
        cancel: CancellationToken::new(),
    };
    app.chat(elsewhere).await.unwrap().end
}

#[tokio::test]
async fn private_line_found_locally_is_not_sent_later() {
    for (tool, args) in [
        ("vault__search", json!({"query": "zanzibar-canary #"})),
        ("vault__search", json!({"query": "in a private folder"})),
        ("vault__links", json!({"path": "Plan.md"})),
        ("vault__query_base", json!({"path": "All.base"})),
        ("vault__query_base", json!({"path": "Plans of others.base"})),
        ("budget__import_transactions", json!({"path": "Vault/Bank.csv"})),
    ] {
        // Its rows are not private, but show content of a private note.
        let through = "//- Plans of others.base
views:
  - type: table
    name: Phones
    filters: file.basename == \"Plan\"
    order: [formula.phone]
formulas:
  phone: link(\"Secret\").asFile().properties.phone
//- Vault/Bank.csv
Date,Amount,Payee
2026-11-01,-3.50,zanzibar-canary
2026-11-02,-4.50,zanzibar-canary
";
        let end = goes_on_elsewhere(&format!("{NOTES}{through}"), vec![(tool, args.clone())]).await;
        let is_private = matches!(&end, TurnEnd::Failed(error) if error.code == ErrorCode::Private);
        assert!(is_private, "{tool} {args}: {end:?}");
    }
}

#[tokio::test]
async fn private_name_or_tag_read_locally_is_not_sent_later() {
    let others = "//- Private/Secret plan.md\n---\nnova: private\n---\n\
        //- Ideas.md\nSee [[Under lock]].\n\
        //- Vault/Under lock.md\nMine.\n\
        //- One/Twin.md\n---\nnova: private\n---\n\
        //- Two/Twin.md\nNobody's.\n";
    let broken = "//- CRM/People/Broken.md\n---\ntype: contact\nnova: [private\n---\n";
    let tagged = "//- Diary.md\n---\nnova: private\n---\nSick again #doctor\n";
    // A person's name is only in the note.
    let people = "//- Diary/1.md\n---\ntype: contact\nname: Samuel Quartz\nnova: private\n---\n\
        //- CRM/People/Samuel Stone.md\n---\ntype: contact\n---\n";
    let linked = "//- Plan.md\nMine.\n//- Diary.md\n---\nnova: [private\nabout: \"[[Plan]]\"\n---\n";
    for (notes, tool, args) in [
        (tagged, "vault__tags", json!({})),
        // Ambiguous between the two.
        (others, "vault__read_note", json!({"path": "Twin"})),
        // A similar name.
        (others, "vault__read_note", json!({"path": "Secret plans"})),
        (others, "vault__links", json!({"path": "Ideas.md"})),
        // The unchanged link is in a note that may not be shown.
        (linked, "vault__move_note", json!({"path": "Plan.md", "to": "Later.md"})),
        // It is gone when the call is checked.
        (tagged, "vault__delete_note", json!({"path": "Diary.md"})),
        // It is no longer private.
        (tagged, "vault__set_properties", json!({"path": "Diary.md", "properties": {"nova": null}})),
        (people, "crm__get_contact", json!({"name": "Samuel Quarz"})),
        (people, "crm__get_contact", json!({"name": "Samuel"})),
        (people, "crm__add_deal", json!({"title": "Lens", "contact": "Samuel Quarz"})),
        (broken, "crm__list_contacts", json!({})),
        (broken, "vault__query", json!({"where": ["file.name = Broken"]})),
    ] {
        let end = goes_on_elsewhere(notes, vec![(tool, args.clone())]).await;
        let is_private = matches!(&end, TurnEnd::Failed(error) if error.code == ErrorCode::Private);
        assert!(is_private, "{tool} {args}: {end:?}");
    }
}

#[tokio::test]
async fn chat_that_got_no_private_name_continues_remotely() {
    let notes = "//- Diary.md\n---\nnova: private\n---\nNo tag.\n\
        //- CRM/People/Jane Doe.md\n---\ntype: contact\nname: Jane Doe\n---\n#friend\n\
        //- CRM/People/Broken.md\n---\ntype: contact\nnova: [private\n---\n";
    let asked = vec![
        ("vault__tags", json!({})),
        // Every name is compared with it, and none is shown.
        ("vault__read_note", json!({"path": "Quarterly figures"})),
        ("vault__read_note", json!({"path": "Jane"})),
        ("crm__get_contact", json!({"name": "Jane Doe"})),
    ];
    assert_eq!(goes_on_elsewhere(notes, asked).await, TurnEnd::Completed { text: "Elsewhere.".into() });
}

#[tokio::test]
async fn chat_that_only_scanned_private_notes_may_go_remote() {
    let asked = vec![
        ("vault__search", json!({"query": "![[Under lock]]"})),
        ("vault__links", json!({"path": "Ideas.md"})),
        ("vault__delete_note", json!({"path": "Ideas.md"})),
    ];
    let notes = format!("{NOTES}//- Ideas.md\nNone yet.\n");
    let end = goes_on_elsewhere(&notes, asked).await;
    assert_eq!(end, TurnEnd::Completed { text: "Elsewhere.".into() });
}

/// Edits a note in Obsidian before answering, and answers once Nova has noticed.
struct EditsMeanwhile {
    app: App,
    file: std::path::PathBuf,
    text: &'static str,
}

#[async_trait]
impl Approver for EditsMeanwhile {
    async fn ask(&self, _: &ApprovalRequest) -> Answer {
        let mut events = self.app.events();
        std::fs::write(&self.file, self.text).unwrap();
        wait_for(&mut events, |event| matches!(event, Event::NotesChangedOutside { .. })).await;
        decided(Decision::Once)
    }
}

#[tokio::test]
async fn note_that_becomes_private_between_steps_leaves_with_neither() {
    let asked =
        |path: &str| call("vault__set_properties", json!({"path": path, "properties": {"seen": true}}));
    let read = call("vault__read_note", json!({"path": "Jane.md"}));
    let nova =
        Nova::new("//- Jane.md\n---\nname: Jane\n---\n//- Ideas.md\nMine.\n", [read, asked("Ideas.md")]);
    let app = far(&nova).await;
    app.watch();
    let person = EditsMeanwhile {
        app: app.clone(),
        file: nova.vault.root().join("Jane.md"),
        text: "---\nname: Jane\nnova: private\npin: zanzibar-canary\n---\n",
    };

    let (end, _) = turn(&app, None, "Note that I have seen it", person).await;

    assert!(matches!(&end.end, TurnEnd::Failed(error) if error.code == ErrorCode::Private), "{end:?}");
    let sent: String = nova.model.requests().iter().map(ToString::to_string).collect();
    assert!(nova.model.last_texts("tool").join("").contains("Jane"), "it was read while it was not private");
    assert!(!sent.contains(CANARY), "{sent}");
    assert!(nova.vault.read("Ideas.md").contains("seen: true"), "the allowed call did not run");
    nova.model.finish();
}

/// Edits a note that the chat has not read yet before answering.
struct EditsUnseen(EditsMeanwhile);

#[async_trait]
impl Approver for EditsUnseen {
    async fn ask(&self, _: &ApprovalRequest) -> Answer {
        let EditsMeanwhile { app, file, text } = &self.0;
        let mut events = app.events();
        std::fs::write(file, text).unwrap();
        wait_for(&mut events, |event| matches!(event, Event::VaultChanged { .. })).await;
        decided(Decision::Once)
    }
}

#[tokio::test]
async fn note_that_becomes_private_while_its_read_waits_does_not_leave() {
    let update = call("crm__update_contact", json!({"name": "Jane Doe", "stage": "won"}));
    let nova = Nova::new(PEOPLE, [update]);
    let app = far(&nova).await;
    app.watch();
    let person = EditsUnseen(EditsMeanwhile {
        app: app.clone(),
        file: nova.vault.root().join("Friends/Tomasz Wirek.md"),
        text: "---\ntype: contact\nname: Tomasz Wirek\nnova: private\n---\n",
    });

    let (end, _) = turn(&app, None, "Jane is won", person).await;

    assert!(matches!(&end.end, TurnEnd::Failed(error) if error.code == ErrorCode::Private), "{end:?}");
    assert!(nova.vault.read("CRM/People/Jane Doe.md").contains("stage: won"), "the allowed call did not run");
    nova.model.finish();
}

#[tokio::test]
async fn edit_during_a_waiting_call_is_reported() {
    let update = call("crm__update_contact", json!({"name": "Jane Doe", "stage": "won"}));
    let nova = Nova::new(PEOPLE, [update, text("Done.")]);
    let app = far(&nova).await;
    app.watch();
    let person = EditsUnseen(EditsMeanwhile {
        app: app.clone(),
        file: nova.vault.root().join("Friends/Tomasz Wirek.md"),
        text: "---\ntype: contact\nname: Tomasz Wirek\nstage: lost\n---\n",
    });

    turn(&app, None, "Jane is won", person).await;

    let sent = nova.model.requests().pop().unwrap().to_string();
    assert!(sent.contains("out of date") && sent.contains("- Friends/Tomasz Wirek.md"), "{sent}");
    assert!(!sent.contains("- CRM/People/Jane Doe.md"), "its own change was announced: {sent}");
    nova.model.finish();
}

#[tokio::test]
async fn note_that_was_private_for_a_moment_is_not_reported_as_private() {
    let asked = call("vault__set_properties", json!({"path": "Ideas.md", "properties": {"seen": true}}));
    let read = call("vault__read_note", json!({"path": "Jane.md"}));
    let notes = "//- Jane.md\n---\nname: Jane\n---\n//- Ideas.md\nMine.\n";
    let nova = Nova::new(notes, [read, asked, text("Noted.")]);
    let app = far(&nova).await;
    app.watch();
    let file = nova.vault.root().join("Jane.md");
    let private = "---\nname: Jane\nnova: private\npin: zanzibar-canary\n---\n";
    let person = EditsMeanwhile { app: app.clone(), file: file.clone(), text: private };
    let person = ThenTakesItBack { person, text: "---\nname: Jane\n---\n" };

    let (end, _) = turn(&app, None, "Note that I have seen it", person).await;

    assert_eq!(end.end, TurnEnd::Completed { text: "Noted.".into() });
    let sent = nova.model.requests().pop().unwrap().to_string();
    assert!(sent.contains("out of date") && !sent.contains(CANARY), "{sent}");
    nova.model.finish();
}

/// Like [`EditsMeanwhile`], but reverts the edit before answering.
struct ThenTakesItBack {
    person: EditsMeanwhile,
    text: &'static str,
}

#[async_trait]
impl Approver for ThenTakesItBack {
    async fn ask(&self, request: &ApprovalRequest) -> Answer {
        self.person.ask(request).await;
        let EditsMeanwhile { app, file, .. } = &self.person;
        let back = EditsMeanwhile { app: app.clone(), file: file.clone(), text: self.text };
        back.ask(request).await
    }
}

#[tokio::test]
async fn notes_made_after_private_ones_are_private() {
    let create = |path: &str| call("vault__create_note", json!({"path": path, "content": "A note."}));
    let read = call("vault__read_note", json!({"path": "Secret"}));
    let add = call("crm__add_contact", json!({"name": "Bob", "phone": CANARY}));
    let script = [create("Before.md"), read, create("After.md"), add, text("Done.")];
    let nova = Nova::new(NOTES, script);
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Copy it", ScriptedApprover::always(Decision::Once)).await;
    assert_eq!(end.end, TurnEnd::Completed { text: "Done.".into() });
    assert_eq!(nova.vault.read("Before.md"), "A note.");
    assert_eq!(nova.vault.read("After.md"), "---\nnova: private\n---\nA note.");
    let contact = nova.vault.read("CRM/People/Bob.md");
    assert!(contact.contains("\nnova: private\n"), "{contact}");
    nova.model.finish();
}
