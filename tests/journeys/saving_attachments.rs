//! Mail attachments are saved into the vault or a linked folder; a local server stands in for a provider's.

use std::collections::BTreeMap;

use nova_protocol::{
    AddWorkspace, CallTool, Commands as _, Decision, Event, ListChanges, VaultChangeAuthor, WorkspaceAccess,
};
use nova_testkit::{Dovecot, ScriptedApprover, call, calls, text};
use serde_json::{Value, json};

use super::nova::{Nova, turn};
use super::reading_mail::nova_with_mail;

const STATEMENT: &str =
    "Date;Payee;Amount\n2026-11-20;Corner Market;-12,50\n2026-11-21;Fernhill Dairy;-7,00\n";

/// A PDF that is not one, a bank's file, and a name that points elsewhere.
fn mail() -> String {
    let part = |kind: &str, name: &str, body: &str| {
        format!("--x\nContent-Type: {kind}\nContent-Disposition: attachment; filename=\"{name}\"\n\n{body}\n")
    };
    [
        "From: Noor <noor@home.example>\nSubject: Papers\nMIME-Version: 1.0\n\
         Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nHere.\n",
        &part("application/pdf", "Offer.pdf", "<!DOCTYPE html><script>fetch('//evil.example')</script>"),
        &part("text/csv", "Statement.csv", STATEMENT.trim_end()),
        &part("application/pdf", "../../.obsidian/plugins/x/main.pdf", "%PDF-1.7"),
        "--x--\n",
    ]
    .concat()
    .replace('\n', "\r\n")
}

/// The id of the only message.
async fn id_in(server: &Dovecot) -> String {
    let nova = nova_with_mail(server, []);
    let app = nova.start().await;
    let listed = app.call_tool(by_hand("mail.list", json!({}))).await.unwrap().value.unwrap();
    listed["messages"][0]["id"].as_str().unwrap().to_owned()
}

fn server() -> Dovecot {
    let server = Dovecot::start();
    server.deliver("jane", "INBOX", "", mail().as_bytes());
    server
}

fn by_hand(tool: &str, args: Value) -> CallTool {
    CallTool { tool: tool.into(), args, run: "panel-1".into() }
}

fn files(nova: &Nova) -> BTreeMap<String, Vec<u8>> {
    let root = nova.vault.root();
    nova.vault
        .files()
        .into_iter()
        .map(|file| (file.clone(), std::fs::read(root.join(&file)).unwrap()))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn card_shows_what_the_file_is_and_undo_removes_it() {
    let server = server();
    let save = json!({"id": id_in(&server).await, "name": "Offer.pdf", "to": "Papers"});
    let answers =
        [call("load_skill", json!({"skill": "mail"})), call("mail__save_attachment", save), text("Saved.")];
    let nova = nova_with_mail(&server, answers);
    let app = nova.start().await;
    app.watch();
    let before = files(&nova);
    let approver = ScriptedApprover::always(Decision::Once);
    let mut events = app.events();

    turn(&app, None, "Save the offer of Noor's mail", approver.clone()).await;

    let asked = approver.asked();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!(asked[0].question, "Create 1 file?");
    let diff = &asked[0].diff.as_ref().unwrap()[0];
    assert_eq!((diff.path.as_str(), diff.summary.as_str()), ("Papers/Offer.pdf", "new file, 55 bytes"));
    let details: Vec<_> = asked[0]
        .details
        .iter()
        .map(|line| (line.label.as_str(), line.value.as_str(), line.note.as_deref(), line.caution))
        .collect();
    assert_eq!(
        details,
        [
            ("File", "Offer.pdf", Some("55 bytes"), false),
            ("Type", "application/pdf, says the sender", Some("text/html by its bytes"), true),
            ("From", "Noor <noor@home.example>", Some("Papers"), false),
            ("To", "Papers/Offer.pdf", None, false),
        ]
    );
    assert!(files(&nova)["Papers/Offer.pdf"].starts_with(b"<!DOCTYPE html>"));

    let sets = app.list_changes(ListChanges::default()).await.unwrap();
    app.undo(&sets[0].id, None, None).await.unwrap();
    assert_eq!(files(&nova), before);
    while let Ok(event) = events.try_recv() {
        if let Event::VaultChanged { by, path, .. } = event.event {
            assert_ne!(by, VaultChangeAuthor::OUTSIDE, "{path}");
        }
    }
    nova.model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn linked_folder_receives_the_file_after_its_card_and_undo_removes_it() {
    let server = server();
    let id = id_in(&server).await;
    let save = |name: &str| ("mail__save_attachment", json!({"id": id, "name": name, "to": "papers/2026"}));
    let nova = nova_with_mail(
        &server,
        [
            call("load_skill", json!({"skill": "mail"})),
            calls([save("Offer.pdf"), save(".._.._.obsidian_plugins_x_main.pdf")]),
            text("Saved."),
        ],
    );
    let papers = nova.home().join("papers");
    std::fs::create_dir_all(papers.join("2026")).unwrap();
    std::fs::write(papers.join("2026/Offer.pdf"), "the user's").unwrap();
    let app = nova.start().await;
    let path = papers.display().to_string();
    app.add_workspace(AddWorkspace { path, access: WorkspaceAccess::Write }).await.unwrap();
    let before = files(&nova);
    let approver = ScriptedApprover::always(Decision::Once);

    turn(&app, None, "Save the papers of Noor's mail", approver.clone()).await;

    let asked = approver.asked();
    let place = papers.canonicalize().unwrap().join("2026");
    let shown: Vec<_> = asked
        .iter()
        .map(|card| {
            let diff = &card.diff.as_ref().unwrap()[0];
            let to = card.details.iter().find(|line| line.label == "To").unwrap();
            (card.question.as_str(), diff.path.clone(), diff.summary.as_str(), to.value.as_str())
        })
        .collect();
    let at = |name: &str| place.join(name).display().to_string();
    assert_eq!(
        shown,
        [
            ("Create 1 file?", at("Offer 1.pdf"), "new file, 55 bytes", "papers/2026/Offer 1.pdf"),
            (
                "Create 1 file?",
                at("_.._.obsidian_plugins_x_main.pdf"),
                "new file, 8 bytes",
                "papers/2026/_.._.obsidian_plugins_x_main.pdf"
            ),
        ]
    );
    assert!(asked[0].details.iter().any(|line| line.label == "Type" && line.caution), "{asked:?}");
    let names = || {
        let mut names: Vec<String> = std::fs::read_dir(&place)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["Offer 1.pdf", "Offer.pdf", "_.._.obsidian_plugins_x_main.pdf"]);
    assert_eq!(std::fs::read_to_string(place.join("Offer.pdf")).unwrap(), "the user's");
    assert_eq!(files(&nova), before, "nothing is in the vault");

    // An edited file stays.
    std::fs::write(place.join("Offer 1.pdf"), b"%PDF edited \xff").unwrap();
    let sets = app.list_changes(ListChanges::default()).await.unwrap();
    assert_eq!(sets[0].notes[0].diff.summary, "new file, 55 bytes");
    let undone = app.undo(&sets[0].id, None, None).await.unwrap();
    assert_eq!((undone.undone.len(), undone.conflicts.len()), (1, 1), "{undone:?}");
    assert_eq!(names(), ["Offer 1.pdf", "Offer.pdf"]);
    nova.model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_saved_if_the_card_is_denied() {
    let server = server();
    let hostile = json!({"id": id_in(&server).await, "name": ".._.._.obsidian_plugins_x_main.pdf"});
    let nova = nova_with_mail(&server, [call("mail__save_attachment", hostile), text("Not saved.")]);
    let app = nova.start().await;
    let before = files(&nova);
    let approver = ScriptedApprover::always(Decision::Deny);

    turn(&app, None, "Save it", approver.clone()).await;

    let asked = approver.asked();
    assert_eq!(asked[0].diff.as_ref().unwrap()[0].path, "_.._.obsidian_plugins_x_main.pdf");
    assert_eq!(files(&nova), before);
    nova.model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn statement_goes_from_a_mail_into_the_budget() {
    let server = server();
    let id = id_in(&server).await;
    let nova = nova_with_mail(&server, []);
    let app = nova.start().await;

    // As the panel does: a user's action runs without a question.
    let saved = app
        .call_tool(by_hand("mail.save_attachment", json!({"id": id, "name": "Statement.csv"})))
        .await
        .unwrap();
    let path = saved.value.unwrap()["path"].clone();
    assert_eq!(path, "Statement.csv");
    assert_eq!(nova.vault.read("Statement.csv").replace("\r\n", "\n").trim_end(), STATEMENT.trim_end());
    let review = app
        .call_tool(by_hand("budget.import_transactions", json!({"path": path, "review": true})))
        .await
        .unwrap()
        .value
        .unwrap();
    assert!(review.to_string().contains("Corner Market"), "{review}");
}
