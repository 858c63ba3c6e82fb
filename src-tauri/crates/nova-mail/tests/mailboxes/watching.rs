//! Folders watched on Dovecot and on a server without IDLE, while another connection changes them.

use std::time::Duration;

use nova_mail::{Imap, MailError, Mailbox, Mark, Wanted, Watched};
use nova_testkit::Dovecot;

use crate::dovecot::{mail, signed_in};
use crate::server::{OPEN, server as scripted, who};

const PATIENCE: Duration = Duration::from_secs(60);

async fn changed<S: nova_mail::Stream>(watched: Watched<S>) -> Watched<S> {
    let changed = tokio::time::timeout(PATIENCE, watched.changed()).await;
    changed.expect("the change is reported").expect("the connection stays")
}

#[tokio::test(flavor = "multi_thread")]
async fn new_marked_and_removed_messages_are_reported() {
    let server = Dovecot::start();
    server.deliver("jane", "INBOX", "", &mail("1", "ann@shop.example", "One", "", "Hello."));
    let watched = signed_in(&server).await.watch("INBOX").await.expect("watched");
    let mut other = signed_in(&server).await;
    let id = other.list("INBOX", &Wanted { limit: 1, ..Wanted::default() }).await.expect("a list").messages
        [0]
    .id
    .clone();

    server.deliver("jane", "INBOX", "", &mail("2", "ann@shop.example", "Two", "", "Hello."));
    let watched = changed(watched).await;
    other.mark(std::slice::from_ref(&id), Mark::Read).await.expect("marked");
    let watched = changed(watched).await;
    other.move_to(&[id], "Trash").await.expect("moved");
    let watched = changed(watched).await;

    let before = server.messages("jane");
    drop(watched);
    assert_eq!(server.messages("jane"), before);
    assert!(matches!(
        signed_in(&server).await.watch("Nowhere").await.map(drop),
        Err(MailError::NoFolder { .. })
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_connection_is_an_error() {
    let mut server = Dovecot::start();
    let watched = signed_in(&server).await.watch("INBOX").await.expect("watched");
    let waiting = tokio::spawn(watched.changed());
    server.stop();
    let ended = tokio::time::timeout(PATIENCE, waiting).await.expect("it ends").expect("no panic");
    assert!(matches!(ended.map(drop), Err(MailError::Closed | MailError::TooSlow { .. })));
}

#[tokio::test(start_paused = true)]
async fn without_idle_the_server_is_polled_each_minute() {
    const ANSWERS: &[(&str, &str)] =
        &[("EXAMINE", OPEN), ("NOOP", "* 3 EXISTS\r\n* 3 RECENT\r\n{tag} OK done\r\n")];
    let mailbox = Imap::sign_in(scripted(ANSWERS), &who()).await.expect("signed in");
    let begin = tokio::time::Instant::now();
    mailbox.watch("INBOX").await.expect("watched").changed().await.expect("a change");
    assert_eq!(begin.elapsed().as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn idle_is_renewed_and_a_silent_server_times_out() {
    const SILENT: &[(&str, &str)] = &[
        ("CAPABILITY", "* CAPABILITY IMAP4rev1 IDLE\r\n{tag} OK done\r\n"),
        ("EXAMINE", OPEN),
        ("IDLE", "+ idling\r\n"),
        ("DONE", "hang"),
    ];
    let mailbox = Imap::sign_in(scripted(SILENT), &who()).await.expect("signed in");
    let begin = tokio::time::Instant::now();
    let ended = mailbox.watch("INBOX").await.expect("watched").changed().await;
    assert!(matches!(ended, Err(MailError::TooSlow { .. })), "{ended:?}");
    assert_eq!(begin.elapsed().as_secs(), 9 * 60 + 30);
}
