//! Lists with cached headers on Dovecot: what is fetched, and that they equal lists without.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use nova_mail::{HeaderCache, Imap, Listed, Mailbox, Mark, SearchQuery, SignIn, Stream, Wanted};
use nova_testkit::Dovecot;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::dovecot::mail;
use crate::server::{server as scripted, who};

/// A connection whose commands are recorded.
#[derive(Debug)]
struct Recorded<S> {
    stream: S,
    sent: Arc<Mutex<Vec<u8>>>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Recorded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Recorded<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if let Poll::Ready(Ok(count)) = written {
            self.sent.lock().expect("no test panicked").extend(&bytes[..count]);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// A signed-in connection, and its commands.
async fn signed_in<S: Stream>(stream: S, who: &SignIn) -> (Imap<impl Stream + use<S>>, Arc<Mutex<Vec<u8>>>) {
    let sent = Arc::default();
    let stream = Recorded { stream, sent: Arc::clone(&sent) };
    (Imap::sign_in(stream, who).await.expect("signed in"), sent)
}

async fn on(server: &Dovecot) -> (Imap<impl Stream + use<>>, Arc<Mutex<Vec<u8>>>) {
    signed_in(server.connect().await, &SignIn::by_password("jane", Dovecot::PASSWORD.to_owned())).await
}

/// The FETCH commands since the last call, without their tags.
fn fetches(sent: &Mutex<Vec<u8>>) -> Vec<String> {
    let sent = std::mem::take(&mut *sent.lock().expect("no test panicked"));
    let sent = String::from_utf8_lossy(&sent);
    let commands = sent.lines().filter_map(|line| Some(line.split_once(' ')?.1));
    let short = |command: &str| match command.split_once(" INTERNALDATE") {
        Some((start, _)) => format!("{start} …)"),
        None => command.to_owned(),
    };
    commands.filter(|command| command.contains("FETCH")).map(short).collect()
}

fn newest(limit: usize) -> Wanted {
    Wanted { limit, ..Wanted::default() }
}

fn from(sender: &str) -> Wanted {
    let search = SearchQuery { from: Some(sender.into()), ..SearchQuery::default() };
    Wanted { search: Some(search), limit: 10, ..Wanted::default() }
}

/// Lists with and without the cache, which must agree; leaves the cache as a later process reads it.
async fn list(mailbox: &mut impl Mailbox, wanted: &Wanted, cache: &mut HeaderCache) -> Vec<Listed> {
    let found = mailbox.list_cached("INBOX", wanted, cache).await.expect("a list");
    *cache = HeaderCache::decode(&cache.encode("INBOX"), "INBOX").expect("it was encoded");
    found.messages
}

fn subjects(messages: &[Listed]) -> Vec<&str> {
    messages.iter().map(|message| message.envelope.subject.as_str()).collect()
}

fn server() -> Dovecot {
    let server = Dovecot::start();
    for subject in ["One", "Two", "Three"] {
        server.deliver("jane", "INBOX", "", &mail(subject, "ann@shop.example", subject, "", "Hello."));
    }
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn unchanged_folder_is_listed_without_a_fetch() {
    let server = server();
    let (mut mailbox, sent) = on(&server).await;
    let mut cache = HeaderCache::default();
    let first = list(&mut mailbox, &newest(10), &mut cache).await;
    assert_eq!(fetches(&sent), ["FETCH 1:3 (UID FLAGS …)"]);
    mailbox.close().await;

    let (mut mailbox, sent) = on(&server).await;
    assert_eq!(list(&mut mailbox, &newest(10), &mut cache).await, first);
    assert_eq!(subjects(&list(&mut mailbox, &newest(2), &mut cache).await), ["Three", "Two"]);
    assert_eq!(list(&mut mailbox, &from("ann@"), &mut cache).await, first);
    assert_eq!(fetches(&sent), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_new_headers_and_changed_flags_are_fetched() {
    let server = server();
    let (mut mailbox, sent) = on(&server).await;
    let mut cache = HeaderCache::default();
    let first = list(&mut mailbox, &newest(10), &mut cache).await;
    fetches(&sent);

    let (mut other, _) = on(&server).await;
    other.mark(&[first[1].id.clone()], Mark::Read).await.expect("marked");
    let listed = list(&mut mailbox, &newest(10), &mut cache).await;
    let unread: Vec<bool> = listed.iter().map(|message| message.unread).collect();
    assert_eq!((unread, fetches(&sent)), (vec![true, false, true], vec!["FETCH 1:3 (UID FLAGS)".to_owned()]));

    other.mark(&[first[0].id.clone()], Mark::Flagged).await.expect("marked");
    let found = list(&mut mailbox, &from("ann@"), &mut cache).await;
    let flagged: Vec<bool> = found.iter().map(|message| message.flagged).collect();
    assert_eq!(flagged, [true, false, false]);
    let asked = fetches(&sent);
    assert!(asked.len() == 1 && asked[0].contains("FETCH 1:3 (UID FLAGS) (CHANGEDSINCE "), "{asked:?}");

    server.deliver("jane", "INBOX", "", &mail("4", "ben@other.example", "Four", "", "Hello."));
    other.move_to(&[first[2].id.clone()], "Trash").await.expect("moved");
    let listed = list(&mut mailbox, &newest(10), &mut cache).await;
    assert_eq!(subjects(&listed), ["Four", "Three", "Two"]);
    assert_eq!(fetches(&sent), ["FETCH 1:3 (UID FLAGS)", "UID FETCH 4 (UID FLAGS …)"]);
    assert_eq!(listed, mailbox.list("INBOX", &newest(10)).await.expect("a list").messages);
}

/// A server without mod-sequences, which has renumbered its folder by the second connection.
#[tokio::test]
async fn flags_are_fetched_again_and_a_renumbered_folder_entirely() {
    const FIRST: &[(&str, &str)] = &[
        ("EXAMINE", "* 1 EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\n* OK [UIDNEXT 6] next\r\n{tag} OK done\r\n"),
        (
            "INTERNALDATE",
            "* 1 FETCH (UID 5 FLAGS () RFC822.SIZE 10 BODY[HEADER.FIELDS (SUBJECT)] {18}\r\nSubject: Offer\r\n\r\n)\r\n{tag} OK done\r\n",
        ),
        ("FETCH 1:1 (UID FLAGS)", "* 1 FETCH (UID 5 FLAGS (\\Seen))\r\n{tag} OK done\r\n"),
        ("UID SEARCH", "* SEARCH 5\r\n{tag} OK done\r\n"),
        ("UID FETCH 5 (UID FLAGS)", "* 1 FETCH (UID 5 FLAGS (\\Answered))\r\n{tag} OK done\r\n"),
    ];
    let mut cache = HeaderCache::default();
    let (mut mailbox, sent) = signed_in(scripted(FIRST), &who()).await;
    let unread = list(&mut mailbox, &newest(10), &mut cache).await[0].unread;
    let read = list(&mut mailbox, &newest(10), &mut cache).await[0].unread;
    let found = list(&mut mailbox, &from("ann@"), &mut cache).await;
    assert_eq!((unread, read, found[0].answered), (true, false, true));
    assert_eq!(
        fetches(&sent),
        ["FETCH 1:1 (UID FLAGS …)", "FETCH 1:1 (UID FLAGS)", "UID FETCH 5 (UID FLAGS)"]
    );

    const RENUMBERED: &[(&str, &str)] = &[
        ("EXAMINE", "* 1 EXISTS\r\n* OK [UIDVALIDITY 8] valid\r\n{tag} OK done\r\n"),
        (
            "INTERNALDATE",
            "* 1 FETCH (UID 5 FLAGS () RFC822.SIZE 10 BODY[HEADER.FIELDS (SUBJECT)] {18}\r\nSubject: Other\r\n\r\n)\r\n{tag} OK done\r\n",
        ),
    ];
    let (mut mailbox, sent) = signed_in(scripted(RENUMBERED), &who()).await;
    let listed = list(&mut mailbox, &newest(10), &mut cache).await;
    assert_eq!((subjects(&listed), listed[0].id.validity), (vec!["Other"], 8));
    assert_eq!(fetches(&sent), ["FETCH 1:1 (UID FLAGS …)"]);
}
