//! Signing in with an access token, on real servers and on ones that misbehave.

use std::sync::{Arc, Mutex};

use nova_mail::{Imap, MailError, Mailbox as _, Outbox as _, SendError, SignIn, Smtp};
use nova_testkit::{Dovecot, Reply, SmtpServer, WebServer};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};

/// Accepts the token `good` as jane's.
async fn lookup() -> WebServer {
    WebServer::start(|request| match request.path.as_str() {
        "/token?access_token=good" => {
            Reply::with(200, &[("content-type", "application/json")], r#"{"email":"jane"}"#)
        }
        _ => Reply::with(401, &[("content-type", "application/json")], r#"{"error":"invalid_token"}"#),
    })
    .await
}

fn dovecot(mechanism: &'static str, lookup: &WebServer) -> Dovecot {
    Dovecot::start_with_tokens(mechanism, &format!("http://{}/token?access_token=", lookup.address()))
}

#[tokio::test(flavor = "multi_thread")]
async fn token_opens_only_its_users_mailbox() {
    let lookup = lookup().await;
    for mechanism in ["xoauth2", "oauthbearer"] {
        let dovecot = dovecot(mechanism, &lookup);
        dovecot.deliver("jane", "INBOX", "", b"Subject: Hi\r\n\r\nHello\r\n");
        let sign_in = async |user: &str, token: &str| {
            Imap::sign_in(dovecot.connect().await, &SignIn::by_token(user, token.to_owned())).await
        };
        let mut mailbox = sign_in("jane", "good").await.expect(mechanism);
        assert_eq!(mailbox.counts("INBOX").await.expect("counted").total, 1);
        mailbox.close().await;
        for (user, token) in [("jane", "ended"), ("noor", "good")] {
            let error = sign_in(user, token).await.expect_err("it is refused");
            assert!(matches!(error, MailError::Token { .. }), "{mechanism} {user}: {error:?}");
        }
        let password = SignIn::by_password("jane", Dovecot::PASSWORD.to_owned());
        Imap::sign_in(dovecot.connect().await, &password).await.expect("passwords work beside tokens");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_token_is_sent_without_a_mechanism() {
    let dovecot = Dovecot::start();
    let error = Imap::sign_in(dovecot.connect().await, &SignIn::by_token("jane", "good".to_owned())).await;
    assert!(matches!(error, Err(MailError::NoToken)), "{error:?}");

    let smtp = SmtpServer::start(&dovecot);
    let stream = dovecot.connect_to(smtp.port(), &()).await.expect("encrypted");
    let error = Smtp::sign_in(stream, false, &SignIn::by_token("jane", "good".to_owned())).await.err();
    assert_eq!(error, Some(SendError::NoToken));
}

#[tokio::test(flavor = "multi_thread")]
async fn token_signs_in_to_smtp() {
    let lookup = lookup().await;
    let dovecot = dovecot("xoauth2", &lookup);
    let smtp = SmtpServer::start(&dovecot);
    let sign_in = async |token: &str| {
        let stream = dovecot.connect_to(smtp.port(), &()).await.expect("encrypted");
        Smtp::sign_in(stream, false, &SignIn::by_token("jane", token.to_owned())).await
    };
    sign_in("good").await.expect("signed in").close().await;
    match sign_in("ended").await.err() {
        // The final answer, after the reason was acknowledged.
        Some(SendError::Token { said }) => assert!(said.starts_with("535"), "{said}"),
        other => panic!("{other:?}"),
    }
}

/// A server that answers each line with the first of these whose key it starts with, after `{tag}`, and all others
/// with the last. It records what it received.
fn scripted(
    greeting: &'static str,
    answers: &'static [(&'static str, &'static str)],
) -> (DuplexStream, Arc<Mutex<Vec<String>>>) {
    let (client, server) = duplex(1 << 20);
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let notes = told.clone();
    tokio::spawn(async move {
        let (read, mut write) = tokio::io::split(server);
        let mut lines = BufReader::new(read).lines();
        let mut signing_in = String::new();
        write.write_all(greeting.as_bytes()).await.ok()?;
        while let Ok(Some(line)) = lines.next_line().await {
            let (tag, command) = line.split_once(' ').unwrap_or(("", &line));
            if command.starts_with("AUTHENTICATE") {
                signing_in = tag.to_owned();
            }
            notes.lock().expect("notes").push(line.clone());
            let found =
                answers.iter().find(|(start, _)| command.starts_with(start) || line.starts_with(start));
            let (_, answer) = found.or(answers.last()).expect("answers");
            let tag =
                if command.starts_with("AUTHENTICATE") || !line.contains(' ') { &signing_in } else { tag };
            write.write_all(answer.replace("{tag}", tag).as_bytes()).await.ok()?;
        }
        Some(())
    });
    (client, told)
}

fn token() -> SignIn {
    SignIn::by_token("jane@x.example", "secret-token".to_owned())
}

#[tokio::test]
async fn token_is_sent_once_and_its_refusal_acknowledged() {
    let (stream, told) = scripted(
        "* OK ready\r\n",
        &[
            ("NOOP", "{tag} OK done\r\n"),
            ("AUTHENTICATE", "+ \r\n"),
            ("dXNlcj1", "+ eyJzdGF0dXMiOiI0MDEifQ==\r\n"),
            ("", "{tag} NO [AUTHENTICATIONFAILED] Invalid credentials\u{1b}[31m (Failure)\r\n"),
        ],
    );
    let error = Imap::sign_in(stream, &token()).await.expect_err("it is refused");
    let MailError::Token { said } = &error else { panic!("{error:?}") };
    assert!(said.contains("Invalid credentials") && !said.contains('\u{1b}'), "{said:?}");
    let told = told.lock().expect("notes").clone();
    assert_eq!(told.iter().filter(|line| line.starts_with("dXNlcj1")).count(), 1, "{told:?}");
    assert_eq!(told.last().map(String::as_str), Some(""));
    assert!(!format!("{error} {error:?}").contains("secret-token"));
}

#[tokio::test]
async fn endless_challenges_are_an_error() {
    let more: &'static str = Box::leak(format!("+ {}\r\n", "QUFB".repeat(16 << 10)).into_boxed_str());
    let answers: &'static [(&str, &str)] = Box::leak(Box::new([
        ("NOOP", "{tag} OK done\r\n"),
        ("AUTHENTICATE XOAUTH2", "{tag} NO [CANNOT] Unsupported authentication mechanism.\r\n"),
        ("", more),
    ]));
    let (stream, told) = scripted("* OK ready\r\n", answers);
    let error = Imap::sign_in(stream, &token()).await.expect_err("it is given up");
    assert!(matches!(error, MailError::Flood { .. }), "{error:?}");
    let told = told.lock().expect("notes").clone();
    assert_eq!(told.iter().filter(|line| line.starts_with("bixhPWph")).count(), 1);
}

#[tokio::test]
async fn user_that_would_inject_a_field_is_not_sent() {
    let (stream, told) = scripted("* OK ready\r\n", &[("", "{tag} OK done\r\n")]);
    let who = SignIn::by_token("jane\u{1}auth=Bearer other", "secret-token".to_owned());
    let error = Imap::sign_in(stream, &who).await.expect_err("it is not sent");
    assert!(matches!(error, MailError::Argument { .. }), "{error:?}");
    assert_eq!(told.lock().expect("notes").len(), 1, "no more than NOOP");
}

#[tokio::test]
async fn busy_smtp_server_is_not_a_lapsed_sign_in() {
    let ehlo = "250-mx\r\n250 AUTH PLAIN XOAUTH2\r\n";
    for (answer, lapsed) in [
        ("454 4.7.0 Temporary authentication failure\r\n", false),
        ("535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled\r\n", true),
    ] {
        let answers: &'static [(&str, &str)] =
            Box::leak(Box::new([("EHLO", ehlo), ("AUTH", answer), ("", "250 ok\r\n")]));
        let (stream, _) = scripted("220 mx\r\n", answers);
        let error = Smtp::sign_in(stream, false, &token()).await.err().expect("it is refused");
        assert_eq!(matches!(error, SendError::Token { .. }), lapsed, "{error:?}");
        assert!(lapsed || matches!(error, SendError::Refused { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn busy_imap_server_is_not_a_lapsed_sign_in() {
    let (stream, _) = scripted(
        "* OK ready\r\n",
        &[("NOOP", "{tag} OK done\r\n"), ("", "{tag} NO [UNAVAILABLE] Try again later\r\n")],
    );
    let error = Imap::sign_in(stream, &token()).await.expect_err("it is refused");
    assert!(matches!(error, MailError::Refused { .. }), "{error:?}");
}
