//! A mailbox on Dovecot, a server of another author.

use nova_mail::{Imap, MailError, Mailbox, MessageId, Role, SearchQuery, SignIn, Stream, Wanted};
use nova_testkit::Dovecot;

pub(crate) fn mail(id: &str, from: &str, subject: &str, more: &str, text: &str) -> Vec<u8> {
    let head =
        format!("From: {from}\nTo: jane@home.example\nSubject: {subject}\nMessage-ID: <{id}@test.example>\n");
    format!("{head}MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n{more}\n{text}\n")
        .replace('\n', "\r\n")
        .into_bytes()
}

/// A conversation in three folders, and other messages.
fn server() -> Dovecot {
    let server = Dovecot::start();
    let put = |folder: &str, flags: &str, message: Vec<u8>| server.deliver("jane", folder, flags, &message);
    put("Archive", "S", mail("1", "Ann <ann@shop.example>", "Offer", "", "The first."));
    put(
        "Sent",
        "S",
        mail(
            "2",
            "jane@home.example",
            "Re: Offer",
            "In-Reply-To: <1@test.example>\nReferences: <1@test.example>\n",
            "An answer.",
        ),
    );
    put(
        "INBOX",
        "S",
        mail(
            "3",
            "Ann <ann@shop.example>",
            "Re: Re: Offer",
            "References: <1@test.example> <2@test.example>\n",
            "The last.",
        ),
    );
    put("INBOX", "", mail("4", "ben@other.example", "Grüße", "", "Schöne Grüße \"aus\" Köln"));
    put("INBOX", "F", mail("5", "cleo@other.example", "Later", "", "Nothing."));
    put("Entw&APw-rfe/A &- B", "", mail("6", "x@y.example", "Odd", "", "In a folder with an odd name."));
    server
}

pub(crate) async fn signed_in(server: &Dovecot) -> Imap<impl Stream + use<>> {
    let who = SignIn::by_password("jane", Dovecot::PASSWORD.to_owned());
    Imap::sign_in(server.connect().await, &who).await.expect("signed in")
}

fn wanted(search: SearchQuery) -> Wanted {
    Wanted { search: Some(search), limit: 10, ..Wanted::default() }
}

async fn subjects(mailbox: &mut impl Mailbox, folder: &str, wanted: &Wanted) -> Vec<String> {
    let found = mailbox.list(folder, wanted).await.expect("a list");
    found.messages.into_iter().map(|message| message.envelope.subject).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_leaves_the_mailbox_unchanged() {
    let server = server();
    let before = server.messages("jane");
    let mut mailbox = signed_in(&server).await;

    let folders = mailbox.folders().await.expect("folders");
    let named = |name: &str| folders.iter().find(|folder| folder.name == name);
    assert_eq!(named("INBOX").and_then(|folder| folder.role), Some(Role::Inbox));
    assert_eq!(named("Sent").and_then(|folder| folder.role), Some(Role::Sent));
    assert!(named("Entwürfe/A & B").is_some(), "{folders:?}");

    let two = mailbox.list("INBOX", &Wanted { limit: 2, ..Wanted::default() }).await.expect("a list");
    let rows: Vec<_> =
        two.messages.iter().map(|row| (row.envelope.subject.as_str(), row.unread, row.flagged)).collect();
    assert_eq!(rows, [("Later", true, true), ("Grüße", true, false)], "newest first");
    assert_eq!(two.total, 3);
    assert_eq!(two.messages[0].received.map(|at| at.as_second()), Some(1_795_860_000 + 4 * 60));
    let unread = Wanted { unread: true, limit: 10, ..Wanted::default() };
    assert_eq!(subjects(&mut mailbox, "INBOX", &unread).await, ["Later", "Grüße"]);
    let odd = Wanted { limit: 10, ..Wanted::default() };
    assert_eq!(subjects(&mut mailbox, "Entwürfe/A & B", &odd).await, ["Odd"]);

    let fetched = mailbox.fetch(&two.messages[1].id).await.expect("a message");
    assert!(fetched.read(&[]).expect("it is read").text.contains("Schöne Grüße"));
    mailbox.close().await;
    assert_eq!(server.messages("jane"), before, "no message is moved or marked");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_searches() {
    let server = server();
    let mut mailbox = signed_in(&server).await;
    let some = |text: &str| Some(text.to_owned());
    for (search, expected) in [
        (SearchQuery { from: some("ben@"), ..SearchQuery::default() }, vec!["Grüße"]),
        (SearchQuery { text: some("Köln"), ..SearchQuery::default() }, vec!["Grüße"]),
        (SearchQuery { text: some("\"aus\""), ..SearchQuery::default() }, vec!["Grüße"]),
        (
            SearchQuery { subject: some("offer"), to: some("jane"), ..SearchQuery::default() },
            vec!["Re: Re: Offer"],
        ),
        (SearchQuery { text: some("nowhere"), ..SearchQuery::default() }, vec![]),
        (
            SearchQuery { since: Some("2026-11-27".parse().expect("a day")), ..SearchQuery::default() },
            vec!["Later", "Grüße", "Re: Re: Offer"],
        ),
        (
            SearchQuery { before: Some("2026-11-27".parse().expect("a day")), ..SearchQuery::default() },
            vec![],
        ),
    ] {
        assert_eq!(subjects(&mut mailbox, "INBOX", &wanted(search.clone())).await, expected, "{search:?}");
    }
    let injected = wanted(SearchQuery { text: some("x\r\nA9 DELETE Sent"), ..SearchQuery::default() });
    assert!(matches!(mailbox.list("INBOX", &injected).await, Err(MailError::Argument { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_is_gathered_from_its_folders() {
    let server = server();
    let mut mailbox = signed_in(&server).await;
    let last = mailbox
        .list("INBOX", &wanted(SearchQuery { subject: Some("Offer".into()), ..SearchQuery::default() }))
        .await;
    let last = last.expect("a list").messages.remove(0).id;
    let thread = mailbox.thread(&last).await.expect("a thread");
    let found: Vec<_> =
        thread.messages.iter().map(|row| (row.id.folder.as_str(), row.envelope.subject.as_str())).collect();
    assert_eq!(found, [("Archive", "Offer"), ("Sent", "Re: Offer"), ("INBOX", "Re: Re: Offer")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_folders_and_messages_are_errors() {
    let server = server();
    let wrong = SignIn::by_password("jane", "wrong".to_owned());
    let refused = Imap::sign_in(server.connect().await, &wrong).await.err();
    assert!(matches!(refused, Some(MailError::SignIn { .. })), "{refused:?}");

    let mut mailbox = signed_in(&server).await;
    let any = Wanted { limit: 1, ..Wanted::default() };
    for folder in ["Nowhere", "*", "../jane2", "a\" b"] {
        let error = mailbox.list(folder, &any).await.err();
        assert!(matches!(error, Some(MailError::NoFolder { .. })), "{folder}: {error:?}");
    }
    assert!(matches!(mailbox.list("a\r\nb", &any).await, Err(MailError::Argument { .. })));
    let listed = mailbox.list("INBOX", &any).await.expect("a list").messages.remove(0).id;
    for id in [MessageId { uid: 999, ..listed.clone() }, MessageId { validity: 1, ..listed }] {
        let error = mailbox.fetch(&id).await.err();
        assert!(matches!(error, Some(MailError::NoMessage)), "{id}: {error:?}");
    }
}
