//! Inboxes are watched while the panel of mailboxes is open; a local server stands in for a provider's.

use std::sync::Arc;
use std::time::Duration;

use nova_app::App;
use nova_protocol::{Commands as _, Envelope, Event, MailboxEntry, SaveMailbox, SecretText, WatchMail};
use nova_testkit::{Dovecot, web_trusting};
use tokio::sync::broadcast::Receiver;

use super::nova::{Nova, PEOPLE, wait_for};
use super::using_credentials::store;

const PLAIN: &[u8] = b"Subject: Lunch\n\nAt noon?\n";

async fn nova_with(server: &Dovecot) -> (Nova, App) {
    let mut nova = Nova::new(PEOPLE, []);
    nova.store = Some(store(Some("correct horse")));
    nova.web = Arc::new(web_trusting(&[server]));
    let app = nova.start().await;
    for name in ["Home", "Work"] {
        let mailbox = MailboxEntry {
            name: name.into(),
            imap: format!("127.0.0.1:{}", server.port()),
            user: name.to_lowercase(),
            ..MailboxEntry::default()
        };
        let password = Some(SecretText::new(Dovecot::PASSWORD));
        let save = SaveMailbox { before: None, mailbox, password, untested: false };
        assert!(app.save_mailbox(save).await.unwrap().saved);
    }
    (nova, app)
}

/// Delivers mail until a change of the mailbox is reported: nothing says when it is watched.
async fn deliver_until_reported(server: &Dovecot, name: &str, events: &mut Receiver<Envelope>) {
    let reported =
        wait_for(events, |event| matches!(event, Event::MailChanged { mailbox } if mailbox == name));
    let delivering = async {
        loop {
            server.deliver(&name.to_lowercase(), "INBOX", "", PLAIN);
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    };
    tokio::select! {
        _ = reported => {}
        () = delivering => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn new_mail_is_reported_until_the_panel_closes() {
    let server = Dovecot::start();
    let (nova, app) = nova_with(&server).await;
    let mut events = app.events();
    app.watch_mail(WatchMail { open: true }).await.unwrap();
    deliver_until_reported(&server, "Work", &mut events).await;
    deliver_until_reported(&server, "Home", &mut events).await;
    app.watch_mail(WatchMail { open: true }).await.unwrap();
    deliver_until_reported(&server, "Home", &mut events).await;

    assert!(server.connections() >= 2, "one for each mailbox");
    app.watch_mail(WatchMail { open: false }).await.unwrap();
    while server.connections() > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    nova.model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_connection_is_opened_again() {
    let server = Dovecot::start();
    let (nova, app) = nova_with(&server).await;
    let mut events = app.events();
    app.watch_mail(WatchMail { open: true }).await.unwrap();
    deliver_until_reported(&server, "Home", &mut events).await;
    server.cut_connections();
    while events.try_recv().is_ok() {}
    // What came meanwhile is not reported by the server.
    wait_for(&mut events, |event| matches!(event, Event::MailChanged { mailbox } if mailbox == "Home")).await;
    deliver_until_reported(&server, "Home", &mut events).await;
    nova.model.finish();
}
