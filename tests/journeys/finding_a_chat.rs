use nova_app::NoApprover;
use nova_protocol::{Commands as _, Event, SearchSessions, SessionRef, SetSession};
use nova_testkit::{call, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, drain, turn};

const SECRET: &str = "
//- Diary/Secret.md
---
nova: private
---
The safe opens with zanzibar.
//- Plan.md
The plan names tasmania.
";

/// A chat with one turn; returns its id.
fn chat(nova: &Nova, words: &str) -> String {
    let output = nova.run(&["chat", "-p", words, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let first = String::from_utf8(output.stdout).unwrap();
    let event: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    event["session"].as_str().unwrap().to_owned()
}

/// The ids of the sessions that match.
fn found(nova: &Nova, words: &str) -> Vec<String> {
    let (code, found) = nova.json(&["session", "search", words]);
    assert_eq!(code, 0);
    found.as_array().unwrap().iter().map(|one| one["row"]["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn chat_is_found_by_its_words_and_opens_at_the_message() {
    let nova = Nova::new(
        PEOPLE,
        [text("In the Harborline contract."), text("会議は明日です。"), text("Nothing there.")],
    );
    let contract = chat(&nova, "Where is the clause?");
    let meeting = chat(&nova, "会議?");
    let third = chat(&nova, "Look for \"quotes\" AND (brackets) OR *");

    assert_eq!(found(&nova, "harborLINE"), [contract.as_str()]);
    assert_eq!(found(&nova, "会"), [meeting.as_str()]);
    assert_eq!(found(&nova, "\"quotes\" AND (brackets"), [third.as_str()]);
    assert_eq!(found(&nova, "nothing of the kind"), Vec::<String>::new());

    let (_, hits) = nova.json(&["session", "search", "Harborline"]);
    let said = &hits[0]["said"][0];
    assert_eq!(said["by"], "nova");
    let parts = json!([
        {"text": "In the ", "hit": false}, {"text": "Harborline", "hit": true}, {"text": " contract.", "hit": false}
    ]);
    assert_eq!(said["snippet"], parts);
    let (_, view) = nova.json(&["session", "show", &contract]);
    let turns: Vec<&Value> = view["events"].as_array().unwrap().iter().map(|event| &event["turn"]).collect();
    assert!(turns.contains(&&said["turn"]), "the hit names a turn of the session");

    let told = nova.run(&["session", "search", "Harborline"]);
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(told.contains(&contract) && told.contains("In the Harborline contract."), "{told}");
    nova.model.finish();
}

#[test]
fn tool_outputs_and_answers_about_private_notes_are_not_found() {
    let nova = Nova::new(
        SECRET,
        [
            call("vault__read_note", json!({"path": "Plan"})),
            text("It names an island."),
            call("vault__read_note", json!({"path": "Secret"})),
            text("It opens with zanzibar."),
            text("As I said: zanzibar."),
            text("No idea."),
        ],
    );
    let open = chat(&nova, "What does the plan name?");
    assert_eq!(found(&nova, "island"), [open.as_str()]);
    assert_eq!(found(&nova, "tasmania"), Vec::<String>::new(), "only the tool read that");

    let secret = chat(&nova, "How does the safe open?");
    let again = nova.run(&["chat", "-p", "Again", "--session", &secret]);
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(found(&nova, "zanzibar"), Vec::<String>::new());
    assert_eq!(found(&nova, "safe open"), [secret.as_str()], "the user message is found");
    let other = chat(&nova, "Is zanzibar far?");
    assert_eq!(found(&nova, "zanzibar"), [other.as_str()]);
    nova.model.finish();
}

#[test]
fn deleted_chat_can_be_restored_until_it_is_purged() {
    let nova = Nova::new(PEOPLE, [text("Hello."), text("Hello again.")]);
    let (one, two) = (chat(&nova, "Greet Odile"), chat(&nova, "Greet Tomasz"));
    let ids = |args: &[&str]| -> Vec<String> {
        let (_, rows) = nova.json(&[&["session", "list"], args].concat());
        rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(nova.json(&["session", "delete", &one]), (0, json!({"ok": true})));
    assert_eq!((ids(&[]), ids(&["--deleted"])), (vec![two.clone()], vec![one.clone()]));
    assert_eq!(found(&nova, "Greet"), [two.as_str()]);
    for refused in [
        &["session", "show", &one][..],
        &["session", "delete", &one],
        &["session", "export", &one],
        &["chat", "-p", "Go on", "--session", &one],
    ] {
        assert_eq!(nova.run(refused).status.code(), Some(1), "{refused:?}");
    }

    assert_eq!(nova.json(&["session", "restore", &one]).1["id"], one.as_str());
    assert_eq!(ids(&["--deleted"]), Vec::<String>::new());
    assert_eq!(found(&nova, "Odile"), [one.as_str()]);

    nova.run(&["session", "delete", &one]);
    assert_eq!(nova.json(&["session", "purge"]), (0, json!({"purged": 1})));
    assert_eq!(nova.run(&["session", "restore", &one]).status.code(), Some(1));
    assert_eq!(ids(&[]), [two]);
    nova.model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn purge_that_cannot_truncate_the_log_says_so() {
    let nova = Nova::new(PEOPLE, [text("Hello.")]);
    let one = chat(&nova, "Greet Odile");
    nova.run(&["session", "delete", &one]);
    // Another program reads, and pages it may still read stay in the write-ahead log.
    let database = format!("sqlite://{}", nova.data().join("nova.db").display());
    let database = sqlx::SqlitePool::connect(&database).await.unwrap();
    let mut reading = database.begin().await.unwrap();
    sqlx::query("SELECT * FROM sessions").fetch_all(&mut *reading).await.unwrap();

    let output = nova.run(&["session", "purge"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("its text may still be in the database's log"), "{said}");
    reading.rollback().await.unwrap();
    assert_eq!(nova.json(&["session", "purge"]), (0, json!({"purged": 0})));
}

#[tokio::test]
async fn chat_is_renamed_pinned_and_archived() {
    let nova = Nova::new(PEOPLE, [text("Hello.")]);
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "Greet Odile", NoApprover).await;
    let mut events = app.events();

    let set = |pinned, archived| SetSession { session: end.session.clone(), pinned, archived };
    assert!(app.set_session(set(Some(true), None)).await.unwrap().pinned);
    let row = app.set_session(set(None, Some(true))).await.unwrap();
    assert!(row.pinned && row.archived);
    let told = drain(&mut events);
    assert_eq!(
        told,
        [
            Event::SessionChanged { id: end.session.clone() },
            Event::SessionChanged { id: end.session.clone() }
        ]
    );

    nova.run(&["session", "rename", &end.session, "Greetings from Lisbon"]);
    nova.run(&["session", "unpin", &end.session]);
    let search = SearchSessions { query: "lisb".into(), limit: None };
    let found = app.search_sessions(search).await.unwrap();
    assert!(found[0].row.archived && !found[0].row.pinned, "another process's change is seen");
    assert!(found[0].title.is_some() && found[0].said.is_empty());

    let unknown = app.set_session(SetSession { session: "no".into(), ..set(Some(true), None) }).await;
    assert_eq!(unknown.unwrap_err().code, nova_protocol::ErrorCode::UnknownSession);
    assert!(app.restore_session(SessionRef { session: "no".into() }).await.is_err());
    nova.model.finish();
}
