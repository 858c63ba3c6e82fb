//! Mailboxes and calendars that the user signs in to at a provider: an authorisation server of the test, and a mail server
//! and a calendar server that take its tokens.

use std::sync::Arc;

use nova_app::{App, CancellationToken, ChangeSetKind, ProviderServers, ToolRun};
use nova_protocol::{
    Commands as _, CredentialState, Decision, ErrorCode, MailProvider, MailboxEntry, MailboxPassword,
    MailboxRow, Nothing, RemoveMailbox, SaveMailbox, SecretText, SignIn, TestMailbox, ToolResult,
};
use nova_testkit::{Dovecot, Reply, ScriptedApprover, SmtpServer, WebServer, web_trusting};
use serde_json::{Value, json};

use super::keeping_credentials::{PASSPHRASE, assert_clean_folder};
use super::nova::{Nova, PEOPLE};
use super::protected_server::auth_server::{AuthServer, Mode};
use super::signing_in::Willing;
use super::using_credentials::store;

/// A provider with a mailbox of jane, and Nova whose user says yes in the browser.
struct World {
    provider: AuthServer,
    dovecot: Dovecot,
    smtp: SmtpServer,
    nova: Nova,
    desktop: Arc<Willing>,
}

async fn world() -> World {
    let provider = AuthServer::start().await;
    provider.state().user = "jane".into();
    let lookup = format!("{}/tokeninfo?access_token=", provider.address);
    let dovecot = Dovecot::start_with_tokens("xoauth2", &lookup);
    dovecot.deliver("jane", "INBOX", "", b"Subject: Lunch\n\nAt noon?\n");
    let smtp = SmtpServer::start(&dovecot);
    let mut nova = Nova::new(PEOPLE, []);
    nova.store = Some(store(Some(PASSPHRASE)));
    nova.web = Arc::new(web_trusting(&[&dovecot]));
    nova.providers = ProviderServers::at(&provider.address);
    let desktop = Arc::new(Willing::default());
    nova.desktop = desktop.clone();
    World { provider, dovecot, smtp, nova, desktop }
}

impl World {
    fn mailbox(&self) -> MailboxEntry {
        MailboxEntry {
            name: "Home".into(),
            imap: format!("127.0.0.1:{}", self.dovecot.port()),
            smtp: format!("127.0.0.1:{}", self.smtp.port()),
            user: "jane".into(),
            sign_in: Some(MailProvider::Google),
            ..MailboxEntry::default()
        }
    }

    fn refresh_refused(&self) {
        self.provider.state().mode = Mode::Fixed(
            "400 Bad Request",
            "Content-Type: application/json\r\n".into(),
            r#"{"error":"invalid_grant"}"#.into(),
        );
    }
}

fn save(mailbox: MailboxEntry) -> SaveMailbox {
    SaveMailbox { before: None, mailbox, password: None, untested: false }
}

async fn row(app: &App) -> MailboxRow {
    app.list_mailboxes(Nothing {}).await.unwrap().mailboxes.remove(0)
}

fn sign_in(host: Option<&str>) -> SignIn {
    SignIn { name: "mail/home".into(), host: host.map(str::to_owned) }
}

async fn test(app: &App) -> MailboxRow {
    let mut view = app.test_mailbox(TestMailbox { name: "Home".into(), grant: true }).await.unwrap();
    view.mailboxes.remove(0)
}

async fn keep_client(app: &App, of: &str) {
    let id = SecretText::new("nova-desktop");
    app.set_credential_value(&format!("sign-in/{of}_CLIENT_ID"), id, None).await.unwrap();
}

/// What a tool answers to a user who allows everything.
async fn run(app: &App, tool: &str) -> ToolResult {
    app.run_tool(ToolRun {
        run: "test".into(),
        tool: tool.into(),
        args: json!({}),
        kind: ChangeSetKind::Form,
        approver: Arc::new(ScriptedApprover::always(Decision::Once)),
        by_hand: true,
        cancel: CancellationToken::new(),
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mailbox_is_added_signed_in_to_read_and_signed_out_of() {
    let world = world().await;
    let app = world.nova.start().await;
    let added = app.save_mailbox(save(world.mailbox())).await.unwrap();
    assert_eq!((added.saved, added.test), (true, None), "there is nothing to test yet");
    let before = row(&app).await;
    assert_eq!(
        (before.password, before.sign_in_host.as_deref()),
        (MailboxPassword::NeedsSignIn, Some("127.0.0.1"))
    );
    assert!(before.reason.unwrap().contains("nobody has signed in yet"));

    // Without a client of the user's there is nobody to sign in as.
    let missing = app.sign_in(sign_in(None)).await.unwrap_err();
    assert_eq!(missing.code, ErrorCode::CredentialNeeded);
    assert!(missing.hint.contains("nova credential set sign-in/GOOGLE_MAIL_CLIENT_ID"), "{missing}");
    let wanted = app.list_credentials(Nothing {}).await.unwrap().credentials;
    let wanted = wanted.into_iter().find(|row| row.name == "sign-in/GOOGLE_MAIL_CLIENT_ID").unwrap();
    assert_eq!(
        (wanted.state, wanted.wanted_by),
        (CredentialState::Missing, vec!["sign_in:mail/home".to_owned()])
    );
    keep_client(&app, "GOOGLE_MAIL").await;
    let elsewhere = app.sign_in(sign_in(Some("accounts.google.com"))).await.unwrap_err();
    assert!(elsewhere.message.contains("another host"), "{elsewhere}");
    assert!(world.desktop.0.lock().unwrap().is_empty(), "a page was opened");

    app.sign_in(sign_in(before.sign_in_host.as_deref())).await.unwrap();
    let asked = world.provider.state().authorize_requests[0].clone();
    assert_eq!(
        (asked["scope"].as_str(), asked["access_type"].as_str()),
        ("https://mail.google.com/", "offline")
    );
    let tested = test(&app).await;
    assert_eq!(tested.password, MailboxPassword::Kept);
    let steps = tested.tested.unwrap().steps;
    assert!(steps.len() == 5 && steps.iter().all(|step| step.problem.is_none()), "{steps:?}");
    let listed = run(&app, "mail.list").await;
    assert!(listed.ok && listed.value.unwrap().to_string().contains("Lunch"), "{:?}", listed.error);

    // The provider ended the access token before its time.
    world.provider.state().access.clear();
    let refreshes = world.provider.refreshes();
    assert!(run(&app, "mail.list").await.ok);
    assert_eq!(world.provider.refreshes(), refreshes + 1);

    // The test of the settings page renews it, too.
    world.provider.state().access.clear();
    let renewed = test(&app).await.tested.unwrap();
    assert!(
        renewed.steps.len() == 5 && renewed.steps.iter().all(|step| step.problem.is_none()),
        "{renewed:?}"
    );
    assert_eq!(world.provider.refreshes(), refreshes + 2);
    assert!(assert_clean_folder(&world.nova.data()) > 1);
    let told = std::fs::read_to_string(world.nova.config().join("nova.config.json")).unwrap();
    assert!(!told.contains("access-") && !told.contains("refresh-"), "{told}");

    let gone = ("200 OK", String::new(), String::new());
    world.provider.state().documents.insert("/revoke".into(), gone);
    app.remove_mailbox(RemoveMailbox { name: "Home".into(), password: true }).await.unwrap();
    let revoked = world.provider.state().other_requests.clone();
    assert!(revoked.len() == 1 && revoked[0].contains("token=refresh-"), "{revoked:?}");
    let kept = app.list_credentials(Nothing {}).await.unwrap().credentials;
    assert!(kept.iter().all(|row| row.name != "mail/home"), "{kept:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_that_lapsed_says_so_and_works_after_a_new_one() {
    let world = world().await;
    let app = world.nova.start().await;
    keep_client(&app, "GOOGLE_MAIL").await;
    app.save_mailbox(save(world.mailbox())).await.unwrap();
    app.sign_in(sign_in(None)).await.unwrap();
    test(&app).await;

    world.provider.state().access.clear();
    world.refresh_refused();
    for _ in 0..2 {
        let error = run(&app, "mail.list").await.error.unwrap();
        assert_eq!(error.code, ErrorCode::NeedsSignIn, "{error}");
        assert!(error.hint.contains("nova credential sign-in mail/home"), "{error}");
    }
    assert_eq!(world.provider.refreshes(), 1, "a refused refresh is not repeated");
    let lapsed = row(&app).await;
    assert_eq!(lapsed.password, MailboxPassword::NeedsSignIn);
    assert!(lapsed.reason.unwrap().contains("invalid_grant"));

    world.provider.state().mode = Mode::Normal;
    app.sign_in(sign_in(None)).await.unwrap();
    assert!(run(&app, "mail.list").await.ok);
    assert_eq!(row(&app).await.password, MailboxPassword::Kept);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_no_token_and_a_token_is_no_password() {
    let world = world().await;
    let app = world.nova.start().await;
    keep_client(&app, "GOOGLE_MAIL").await;
    let with_password = MailboxEntry { sign_in: None, ..world.mailbox() };
    let typed =
        SaveMailbox { password: Some(SecretText::new(Dovecot::PASSWORD)), ..save(with_password.clone()) };
    assert!(app.save_mailbox(typed).await.unwrap().saved);

    let change = |mailbox| SaveMailbox { before: Some("Home".into()), ..save(mailbox) };
    app.save_mailbox(change(world.mailbox())).await.unwrap();
    assert_eq!(row(&app).await.password, MailboxPassword::NeedsSignIn, "the password is deleted");
    app.sign_in(sign_in(None)).await.unwrap();
    assert_eq!(test(&app).await.password, MailboxPassword::Kept);

    let error = app.save_mailbox(change(with_password)).await.unwrap_err();
    assert_eq!(error.message, "The password is missing.");
    let stranger = MailboxEntry { imap: "imap.evil.example".into(), ..world.mailbox() };
    let error = app.save_mailbox(change(stranger)).await.unwrap_err();
    assert!(error.message.contains("imap.evil.example is another server"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_described_sign_in_does_not_take_the_provider_s_place() {
    let (world, other) = (world().await, AuthServer::start().await);
    let app = world.nova.start().await;
    keep_client(&app, "GOOGLE_MAIL").await;
    app.save_mailbox(save(world.mailbox())).await.unwrap();
    drop(app);
    let mut settings = world.nova.read_settings();
    settings["sign_ins"] = json!({"mail/home": {
        "authorize": format!("{}/authorize", other.address), "token": format!("{}/token", other.address),
        "client_id": "nova-desktop",
    }});
    world.nova.settings(&settings);
    let app = world.nova.start().await;
    app.sign_in(sign_in(None)).await.unwrap();
    assert_eq!(world.provider.state().token_requests.len(), 1);
    assert_eq!(other.state().authorize_requests.len(), 0);
    assert_eq!(other.state().token_requests.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_without_a_client_is_off_and_leaves_the_skill_on() {
    let world = world().await;
    let server = WebServer::start(|request| match request.headers.get("authorization").map(String::as_str) {
        Some("Bearer access-2") => Reply::with(404, &[], ""),
        _ => Reply::with(401, &[], ""),
    })
    .await;
    let url = format!("http://{}/caldav/v2/jane/events/", server.address());
    world.nova.settings(&json!({
        "vault": world.nova.vault.root(),
        "calendars": [{
            "id": "Google", "kind": "caldav", "url": url, "sign_in": "google", "user": "jane@x.example",
            "password": "${credentials:calendar/google}",
        }],
    }));
    let app = world.nova.start().await;
    assert!(app.registry().snapshot().skill("calendar").unwrap().is_available());
    let refresh =
        async || run(&app, "calendar.refresh_calendars").await.value.unwrap()["calendars"][0].clone();
    let off: Value = refresh().await;
    assert_eq!(off["problem"], "The credential sign-in/GOOGLE_CALENDAR_CLIENT_ID is missing.");
    assert!(run(&app, "calendar.list_events").await.ok);

    keep_client(&app, "GOOGLE_CALENDAR").await;
    let not_yet = refresh().await;
    assert!(not_yet["problem"].as_str().unwrap().contains("nobody has signed in yet"), "{not_yet}");
    app.sign_in(SignIn { name: "calendar/google".into(), host: None }).await.unwrap();
    let asked = world.provider.state().authorize_requests[0].clone();
    assert_eq!(
        (asked["scope"].as_str(), asked["login_hint"].as_str()),
        ("https://www.googleapis.com/auth/calendar", "jane@x.example")
    );
    app.grant_credential_to("calendar/google", "skill:calendar").unwrap();
    refresh().await;
    let sent = server.requests().last().unwrap().headers["authorization"].clone();
    assert_eq!(sent, "Bearer access-2");
}
