//! Mailboxes with an access token instead of a password, on a server that looks tokens up.

use std::sync::Arc;

use nova_protocol::ErrorCode;
use nova_skill::json;
use nova_skill_mail::setting_up::fault;
use nova_testkit::{
    Dovecot, FixedClock, FixedCredentials, Reply, SkillInVault, SmtpServer, TempVault, WebServer,
};
use tokio::runtime::Runtime;

use crate::reading::{skill_in, subjects};
use crate::sending::{lunch, sending};

/// A mailbox of jane, whose token is `good`.
struct SignedIn {
    lookup: WebServer,
    skill: SkillInVault,
    smtp: SmtpServer,
    _dovecot: Dovecot,
    /// Runs the lookup of tokens.
    _runtime: Runtime,
}

impl SignedIn {
    fn with(credentials: FixedCredentials) -> Self {
        let runtime = Runtime::new().unwrap();
        let lookup = runtime.block_on(WebServer::start(|request| match request.path.as_str() {
            "/token?access_token=good" => {
                Reply::with(200, &[("content-type", "application/json")], r#"{"email":"jane"}"#)
            }
            _ => Reply::with(401, &[("content-type", "application/json")], r#"{"error":"invalid_token"}"#),
        }));
        let asked = format!("http://{}/token?access_token=", lookup.address());
        let dovecot = Dovecot::start_with_tokens("xoauth2", &asked);
        dovecot.deliver("jane", "INBOX", "", b"From: Noor <noor@x.example>\nSubject: Hi\n\nHello\n");
        let smtp = SmtpServer::start(&dovecot);
        let mut home = sending(&dovecot, &smtp);
        home["sign_in"] = "google".into();
        let vault = TempVault::from("").with_clock(FixedClock::default().in_zone("Europe/Berlin"));
        let mut skill = skill_in(vault, &dovecot, json!([home]));
        skill.credentials = Arc::new(credentials);
        Self { lookup, skill, smtp, _dovecot: dovecot, _runtime: runtime }
    }
}

#[test]
fn a_mailbox_is_read_and_sends_with_a_token() {
    let it = SignedIn::with(FixedCredentials::default().with("mail/test", "good"));
    assert_eq!(subjects(&it.skill.value("list", json!({}))), ["Hi"]);
    it.skill.value("send", lunch("noor@x.example"));
    assert_eq!(it.smtp.taken().len(), 1);
}

#[test]
fn expired_token_is_renewed_once() {
    let it = SignedIn::with(
        FixedCredentials::default().with("mail/test", "ended").renewed_to("mail/test", "good"),
    );
    assert_eq!(subjects(&it.skill.value("list", json!({}))), ["Hi"]);
    let asked: Vec<String> = it.lookup.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(asked, ["/token?access_token=ended", "/token?access_token=good"]);
}

#[test]
fn a_token_refused_twice_needs_a_sign_in() {
    let it = SignedIn::with(FixedCredentials::default().with("mail/test", "ended"));
    let error = it.skill.error("list", json!({}));
    assert_eq!(error.code, ErrorCode::NeedsSignIn, "{error}");
    assert!(error.message.contains("mail/test needs a sign-in: Home does not accept it for jane"), "{error}");
    assert_eq!(it.lookup.requests().len(), 2, "it does not loop");
}

#[test]
fn token_is_not_sent_to_another_server() {
    let home = json!({
        "name": "Home", "imap": "imap.gmail.com.evil.example", "user": "jane@x.example", "sign_in": "google",
        "password": "${credentials:mail/test}",
    });
    let why = "A sign-in with Google is for imap.gmail.com and smtp.gmail.com only, and \
        imap.gmail.com.evil.example is another server.";
    assert_eq!(fault(&home).as_deref(), Some(why));
    let server = Dovecot::start();
    let mut skill = skill_in(TempVault::from(""), &server, json!([home]));
    skill.credentials = Arc::new(FixedCredentials::default().with("mail/test", "good"));
    assert_eq!(skill.error("list", json!({})).message, why);
}

#[test]
fn token_goes_only_to_its_providers_servers() {
    for (sign_in, imap, smtp, stranger) in [
        ("google", "IMAP.gmail.com", "", None),
        ("google", "imap.gmail.com", "smtp.gmail.com", None),
        ("google", "localhost:1993", "127.0.0.1:1465", None),
        ("google", "outlook.office365.com", "", Some("outlook.office365.com")),
        ("microsoft", "outlook.office365.com", "smtp.office365.com:587", None),
        ("microsoft", "imap-mail.outlook.com", "smtp.gmail.com", Some("smtp.gmail.com")),
        ("microsoft", "localhost.evil.example", "", Some("localhost.evil.example")),
    ] {
        let entry = json!({
            "name": "Home", "imap": imap, "smtp": smtp, "user": "jane@x.example", "sign_in": sign_in,
            "password": "${credentials:mail/test}",
        });
        let said = fault(&entry);
        let expected = stranger.map(|host| format!("{host} is another server."));
        match expected {
            None => assert_eq!(said, None, "{sign_in} {imap} {smtp}"),
            Some(end) => assert!(said.is_some_and(|said| said.ends_with(&end)), "{sign_in} {imap} {smtp}"),
        }
    }
}
