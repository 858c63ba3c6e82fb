//! Mailboxes are added, changed and removed on their settings page; local servers stand in for a provider's.

use std::fs;
use std::sync::Arc;

use nova_app::{App, CancellationToken, ChangeSetKind, NoApprover, ToolRun};
use nova_protocol::{
    Commands as _, ErrorCode, MailAddress, MailboxEntry, MailboxPassword, MailboxRow, MailboxStepKind,
    Nothing, RemoveMailbox, SaveMailbox, SavedMailbox, SecretText, SetMailbox, TestMailbox, UserError,
    dispatch,
};
use nova_testkit::{Dovecot, SmtpServer, web_of, web_trusting};
use serde_json::{Value, json};

use super::keeping_credentials::assert_clean_folder;
use super::nova::{Nova, PEOPLE};
use super::skills::setting;
use super::using_credentials::store;

/// Nova without a mailbox, with a credential store.
fn nova(server: &Dovecot) -> Nova {
    let mut nova = Nova::new(PEOPLE, []);
    nova.store = Some(store(Some("correct horse")));
    nova.web = Arc::new(web_trusting(&[server]));
    nova
}

fn entry(name: &str, server: &Dovecot) -> MailboxEntry {
    MailboxEntry {
        name: name.into(),
        imap: format!("127.0.0.1:{}", server.port()),
        user: name.to_lowercase(),
        ..MailboxEntry::default()
    }
}

fn new(mailbox: MailboxEntry, password: &str) -> SaveMailbox {
    SaveMailbox { before: None, mailbox, password: Some(SecretText::new(password)), untested: false }
}

async fn add(app: &App, mailbox: MailboxEntry) -> SavedMailbox {
    app.save_mailbox(new(mailbox, Dovecot::PASSWORD)).await.unwrap()
}

async fn rows(app: &App) -> Vec<MailboxRow> {
    app.list_mailboxes(Nothing {}).await.unwrap().mailboxes
}

async fn kept(app: &App) -> Vec<String> {
    let credentials = app.list_credentials(Nothing {}).await.unwrap().credentials;
    let kept = credentials.into_iter().filter(|row| row.state == nova_protocol::CredentialState::Kept);
    kept.map(|row| row.name).collect()
}

fn configured(nova: &Nova) -> Value {
    nova.read_settings()["skills"]["mail"]["config"]["mailboxes"].clone()
}

async fn test(app: &App, name: &str, grant: bool) -> Result<MailboxRow, UserError> {
    let view = app.test_mailbox(TestMailbox { name: name.into(), grant }).await?;
    Ok(view.mailboxes.into_iter().find(|row| row.mailbox.name == name).unwrap())
}

/// The result of a tool when no approver is available.
async fn run(app: &App, tool: &str) -> String {
    let run = ToolRun {
        run: "test".into(),
        tool: tool.into(),
        args: json!({}),
        kind: ChangeSetKind::Form,
        approver: Arc::new(NoApprover),
        by_hand: true,
        cancel: CancellationToken::new(),
    };
    let result = app.run_tool(run).await;
    assert!(result.ok, "{result:?}");
    result.value.unwrap().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn mailbox_is_tested_stored_and_used_without_a_question() {
    let server = Dovecot::start();
    let smtp = SmtpServer::start(&server);
    server.deliver("home", "INBOX", "", b"Subject: Lunch\n\nAt noon?\n");
    let nova = nova(&server);
    setting(&nova, "later", json!({"unknown": 1}));
    setting(&nova, "skills", json!({"crm": {"pinned": true}, "Mail": {"pinned": true}}));
    let app = nova.start().await;
    let state = |app: &App| app.registry().snapshot().skill("mail").unwrap().is_available();
    assert_eq!((rows(&app).await, state(&app)), (Vec::new(), false));

    let mailbox = MailboxEntry { smtp: format!("127.0.0.1:{}", smtp.port()), ..entry("Home", &server) };
    let added = add(&app, mailbox.clone()).await;
    let test = added.test.unwrap();
    let steps = [
        MailboxStepKind::Connect,
        MailboxStepKind::SignIn,
        MailboxStepKind::Folders,
        MailboxStepKind::ConnectToSend,
        MailboxStepKind::SignInToSend,
    ];
    assert_eq!(test.steps.iter().map(|step| step.step).collect::<Vec<_>>(), steps);
    assert!(added.saved && test.steps.iter().all(|step| step.problem.is_none()), "{test:?}");

    let [row] = &rows(&app).await[..] else { panic!("one mailbox") };
    assert_eq!(
        (&row.mailbox, row.credential.as_str(), row.password),
        (&mailbox, "mail/home", MailboxPassword::Kept)
    );
    assert_eq!((row.tested.as_ref(), test.unread), (Some(&test), Some(1)));
    let written = json!([{
        "name": "Home", "imap": mailbox.imap, "smtp": mailbox.smtp, "user": "home",
        "password": "${credentials:mail/home}",
    }]);
    let settings = nova.read_settings();
    assert_eq!(settings["skills"]["Mail"], json!({"pinned": true, "config": {"mailboxes": written}}));
    assert_eq!(
        (&settings["later"]["unknown"], &settings["skills"]["crm"]),
        (&json!(1), &json!({"pinned": true}))
    );
    assert_eq!(kept(&app).await, ["mail/home"]);

    // No approver is available.
    let listed = run(&app, "mail.list").await;
    assert!(listed.contains("Lunch"), "{listed}");
    assert_eq!(smtp.taken(), []);
    drop(app);
    let again = nova.start().await;
    again.credentials_ready().await;
    assert_eq!(rows(&again).await[0].tested, Some(test), "the test outlives the program");
    nova.model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn mailbox_that_fails_its_test_is_not_stored() {
    let server = Dovecot::start();
    let nova = nova(&server);
    let app = nova.start().await;
    let before = nova.read_settings();
    let home = entry("Home", &server);
    let refused = app.save_mailbox(new(home.clone(), "wrong")).await.unwrap();
    let test = refused.test.unwrap();
    assert!(!refused.saved && test.steps[1].problem.as_ref().unwrap().refused, "{test:?}");
    assert_eq!((rows(&app).await, nova.read_settings(), kept(&app).await), (Vec::new(), before, Vec::new()));

    let untested = SaveMailbox { untested: true, ..new(home, "wrong") };
    assert_eq!(app.save_mailbox(untested).await.unwrap(), SavedMailbox { saved: true, test: None });
    let row = &rows(&app).await[0];
    assert_eq!((row.password, &row.tested), (MailboxPassword::Kept, &None));
    let row = test_fails(&app, "Home").await;
    assert!(row.tested.unwrap().steps[1].problem.as_ref().unwrap().message.contains("Authentication failed"));
    nova.model.finish();
}

async fn test_fails(app: &App, name: &str) -> MailboxRow {
    let row = test(app, name, false).await.unwrap();
    assert!(row.tested.as_ref().unwrap().steps.iter().any(|step| step.problem.is_some()), "{row:?}");
    row
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_mailboxes_of_one_name_become_one() {
    let server = Dovecot::start();
    let nova = nova(&server);
    let app = nova.start().await;
    let save = || app.save_mailbox(new(entry("Home", &server), Dovecot::PASSWORD));
    let (one, other) = tokio::join!(save(), save());
    let (stored, refused): (Vec<_>, Vec<_>) = [one, other].into_iter().partition(Result::is_ok);
    assert!(stored[0].as_ref().unwrap().saved && stored.len() == 1, "{stored:?}");
    assert!(refused[0].as_ref().unwrap_err().message.contains("already a mailbox"), "{refused:?}");
    assert_eq!(
        (kept(&app).await, configured(&nova).as_array().unwrap().len()),
        (vec!["mail/home".to_owned()], 1)
    );
    assert_eq!(rows(&app).await[0].password, MailboxPassword::Kept);
    nova.model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_mailbox_is_refused_with_the_reason() {
    let server = Dovecot::start();
    let nova = nova(&server);
    let app = nova.start().await;
    add(&app, entry("Home", &server)).await;
    let before = nova.read_settings();
    let good = entry("Work", &server);
    for (wrong, why) in [
        (MailboxEntry { name: " ".into(), ..good.clone() }, "1 to 60 characters"),
        (MailboxEntry { name: "HOME".into(), ..good.clone() }, "already a mailbox \"HOME\""),
        (MailboxEntry { imap: "imap example".into(), ..good.clone() }, "not a valid IMAP server"),
        (MailboxEntry { smtp: "smtp.example.org:99999".into(), ..good.clone() }, "not a valid SMTP server"),
        (MailboxEntry { user: String::new(), ..good.clone() }, "user is missing"),
        (MailboxEntry { address: "jane".into(), ..good.clone() }, "is not an address"),
    ] {
        let refused = app.save_mailbox(new(wrong, Dovecot::PASSWORD)).await.unwrap_err();
        assert!(refused.code == ErrorCode::BadRequest && refused.message.contains(why), "{refused:?}");
    }
    let no_password = SaveMailbox { password: None, ..new(good.clone(), "") };
    let refused = app.save_mailbox(no_password).await.unwrap_err();
    assert_eq!(refused.message, "The password is missing.");
    let unknown = SaveMailbox { before: Some("Club".into()), ..new(good, Dovecot::PASSWORD) };
    assert!(app.save_mailbox(unknown).await.unwrap_err().message.contains("no mailbox \"Club\""));
    assert_eq!((nova.read_settings(), kept(&app).await), (before, vec!["mail/home".to_owned()]));

    // A hand-written entry is listed and can be corrected.
    let mut settings = nova.read_settings();
    settings["skills"]["mail"]["config"]["mailboxes"][0]["imap"] = "imap.example.org:99999".into();
    nova.settings(&settings);
    drop(app);
    let app = nova.start().await;
    assert_eq!(rows(&app).await[0].servers, Vec::<String>::new());
    let corrected =
        SaveMailbox { before: Some("Home".into()), ..new(entry("Home", &server), Dovecot::PASSWORD) };
    assert!(app.save_mailbox(corrected).await.unwrap().saved);
    assert_eq!(rows(&app).await[0].password, MailboxPassword::Kept);

    // An error does not repeat parameters that hold a password.
    let params = json!({"mailbox": 1, "password": "canary", "untested": false});
    let refused = dispatch(&app, "save_mailbox", params).await.unwrap_err();
    assert_eq!(refused.message, "Invalid parameters of save_mailbox.");
    nova.model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn another_mailbox_keeps_earlier_grants() {
    let (server, other) = (Dovecot::start(), Dovecot::start());
    let mut nova = nova(&server);
    nova.web = Arc::new(web_trusting(&[&server, &other]));
    let app = nova.start().await;
    add(&app, entry("Home", &server)).await;
    add(&app, entry("Work", &other)).await;
    let passwords = |rows: &[MailboxRow]| rows.iter().map(|row| row.password).collect::<Vec<_>>();
    assert_eq!(passwords(&rows(&app).await), [MailboxPassword::Kept; 2]);
    assert_eq!(kept(&app).await, ["mail/home", "mail/work"]);
    let both = run(&app, "mail.folders").await;
    assert!(both.contains("Home") && both.contains("Work") && !both.contains("problems"), "{both}");

    // Removing a mailbox removes its cached headers.
    run(&app, "mail.list").await;
    let cached = || fs::read_dir(nova.data().join("cache")).map_or(0, Iterator::count);
    assert_eq!(cached(), 2);

    let remove = |name: &str, password| RemoveMailbox { name: name.into(), password };
    app.remove_mailbox(remove("Work", false)).await.unwrap();
    assert_eq!(cached(), 1);
    assert_eq!(passwords(&rows(&app).await), [MailboxPassword::Kept]);
    assert_eq!(
        (kept(&app).await, configured(&nova).as_array().unwrap().len()),
        (vec!["mail/home".into(), "mail/work".into()], 1)
    );

    // A stored password is never overwritten by another mailbox.
    add(&app, entry("Work", &other)).await;
    assert_eq!(rows(&app).await[1].credential, "mail/work-2");
    app.remove_mailbox(remove("Work", true)).await.unwrap();
    app.remove_mailbox(remove("Home", true)).await.unwrap();
    assert_eq!((kept(&app).await, configured(&nova)), (vec!["mail/work".to_owned()], json!([])));
    assert!(app.remove_mailbox(remove("Home", true)).await.unwrap_err().message.contains("no mailbox"));
    nova.model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn password_goes_to_another_server_only_if_retyped() {
    let (server, other) = (Dovecot::start(), Dovecot::start());
    let mut nova = nova(&server);
    nova.web = Arc::new(web_trusting(&[&server, &other]));
    let app = nova.start().await;
    add(&app, entry("Home", &server)).await;
    let moved = SaveMailbox {
        before: Some("Home".into()),
        password: None,
        ..new(MailboxEntry { user: "home".into(), ..entry("Moved", &other) }, "")
    };
    let refused = app.save_mailbox(moved.clone()).await.unwrap_err();
    assert!(refused.hint.contains("another server"), "{refused:?}");
    let typed = SaveMailbox { password: Some(SecretText::new(Dovecot::PASSWORD)), ..moved };
    assert!(app.save_mailbox(typed).await.unwrap().saved);
    let row = &rows(&app).await[0];
    assert_eq!((row.mailbox.name.as_str(), row.credential.as_str()), ("Moved", "mail/home"));
    assert_eq!((row.password, kept(&app).await), (MailboxPassword::Kept, vec!["mail/home".to_owned()]));

    // Renaming needs neither a password nor a test.
    let renamed = SaveMailbox {
        before: Some("Moved".into()),
        password: None,
        ..new(MailboxEntry { name: "Home".into(), ..row.mailbox.clone() }, "")
    };
    assert_eq!(app.save_mailbox(renamed).await.unwrap(), SavedMailbox { saved: true, test: None });

    // The server is changed in the file by hand.
    let mut settings = nova.read_settings();
    settings["skills"]["mail"]["config"]["mailboxes"][0]["imap"] =
        format!("127.0.0.1:{}", server.port()).into();
    nova.settings(&settings);
    drop(app);
    let app = nova.start().await;
    app.credentials_ready().await;
    assert_eq!(
        (rows(&app).await[0].password, &rows(&app).await[0].tested),
        (MailboxPassword::NotGranted, &None)
    );
    let refused = test(&app, "Home", false).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::CredentialNotGranted);
    assert!(refused.message.contains(&format!("127.0.0.1:{}", server.port())), "{refused:?}");
    let row = test(&app, "Home", true).await.unwrap();
    assert_eq!(row.password, MailboxPassword::Kept);
    assert!(row.tested.unwrap().steps.iter().all(|step| step.problem.is_none()));
    nova.model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn switches_change_only_their_own_key() {
    let server = Dovecot::start();
    let nova = nova(&server);
    let app = nova.start().await;
    add(&app, entry("Home", &server)).await;
    let written = configured(&nova)[0].clone();
    let set = |sending, read_only| SetMailbox { name: "Home".into(), sending, read_only };
    app.set_mailbox(set(Some(true), None)).await.unwrap();
    let row = app.set_mailbox(set(None, Some(true))).await.unwrap().mailboxes.remove(0);
    assert!(row.mailbox.sending && row.mailbox.read_only && row.tested.is_some(), "{row:?}");
    let mut expected = written;
    expected["sending"] = "ask".into();
    expected["read_only"] = true.into();
    assert_eq!(configured(&nova), json!([expected]));
    app.set_mailbox(set(Some(false), Some(false))).await.unwrap();
    expected["sending"] = "off".into();
    expected["read_only"] = false.into();
    assert_eq!(configured(&nova), json!([expected]));
    let unknown = SetMailbox { name: "Club".into(), sending: Some(true), read_only: None };
    assert!(app.set_mailbox(unknown).await.unwrap_err().message.contains("no mailbox \"Club\""));
    assert_eq!(configured(&nova), json!([expected]));
    nova.model.finish();
}

#[tokio::test]
async fn address_without_server_records_names_who_was_asked() {
    let mut nova = Nova::new(PEOPLE, []);
    nova.web = Arc::new(web_of(&[]));
    let app = nova.start().await;
    let find = |address: &str| app.find_mail_servers(MailAddress { address: address.into() });
    let found = find(" jane@example.org ").await.unwrap();
    assert_eq!(
        (found.address.as_str(), found.domain.as_str(), &found.found),
        ("jane@example.org", "example.org", &None)
    );
    let hosts: Vec<&str> = found.without.iter().map(|asked| asked.host.as_str()).collect();
    assert_eq!(
        hosts,
        ["autoconfig.example.org", "example.org", "the DNS of example.org", "autoconfig.thunderbird.net"]
    );
    for wrong in ["jane", "jane@localhost", "jane@10.0.0.1", "jane@example.org/x"] {
        let refused = find(wrong).await.unwrap_err();
        assert!(refused.message.contains("not a mailbox address"), "{refused:?}");
    }
    nova.model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn password_is_in_no_file_but_the_store() {
    let server = Dovecot::start();
    let nova = nova(&server);
    let app = nova.start().await;
    add(&app, entry("Home", &server)).await;
    let canary =
        SaveMailbox { untested: true, ..new(entry("Work", &server), super::keeping_credentials::CANARY) };
    assert!(app.save_mailbox(canary).await.unwrap().saved);
    test_fails(&app, "Work").await;
    drop(app);
    assert!(assert_clean_folder(&nova.data()) + assert_clean_folder(&nova.config()) > 3);
    assert!(!fs::read_to_string(nova.config().join("nova.config.json")).unwrap().contains("geheim"));
    nova.model.finish();
}
