//! A server that hangs, closes or lies.

use nova_mail::{Imap, MailError, Mailbox, SignIn, SignInFault, Wanted};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};

pub(crate) fn who() -> SignIn {
    SignIn::by_password("jane", "secret".to_owned())
}

/// A server that answers each line with the first of these whose key it contains, `{tag}` being the tag of the
/// command.
pub(crate) fn server(answers: &'static [(&'static str, &'static str)]) -> DuplexStream {
    let (client, server) = duplex(1 << 20);
    tokio::spawn(async move {
        let (read, mut write) = tokio::io::split(server);
        let mut lines = BufReader::new(read).lines();
        let mut signing_in = String::new();
        write.write_all(b"* OK ready\r\n").await.ok()?;
        while let Ok(Some(line)) = lines.next_line().await {
            let tag = line.split(' ').next().unwrap_or_default();
            if line.contains("AUTHENTICATE") {
                signing_in = tag.to_owned();
            }
            let known = [
                ("NOOP", "{tag} OK done\r\n"),
                ("AUTHENTICATE", "+ \r\n"),
                ("CAPABILITY", "* CAPABILITY IMAP4rev1\r\n{tag} OK done\r\n"),
            ];
            let found = answers.iter().chain(&known).find(|(command, _)| line.contains(command));
            match found {
                Some((_, "close")) => return None,
                Some((_, "hang")) => std::future::pending::<()>().await,
                Some((_, answer)) => write.write_all(answer.replace("{tag}", tag).as_bytes()).await.ok()?,
                // The line after AUTHENTICATE.
                None => write.write_all(format!("{signing_in} OK signed in\r\n").as_bytes()).await.ok()?,
            }
        }
        Some(())
    });
    client
}

/// The error of listing the inbox.
async fn error(answers: &'static [(&'static str, &'static str)]) -> MailError {
    let listed = async {
        let mut mailbox = Imap::sign_in(server(answers), &who()).await?;
        mailbox.list("INBOX", &Wanted { limit: 10, ..Wanted::default() }).await
    };
    listed.await.expect_err("it fails")
}

pub(crate) const OPEN: &str = "* 2 EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\n{tag} OK [READ-ONLY] done\r\n";

#[tokio::test(start_paused = true)]
async fn hanging_server_times_out() {
    assert!(matches!(error(&[("EXAMINE", "hang")]).await, MailError::TooSlow { .. }));
    assert!(matches!(error(&[("AUTHENTICATE", "hang")]).await, MailError::TooSlow { .. }));
}

#[tokio::test]
async fn closed_connection_is_reported() {
    assert!(matches!(error(&[("AUTHENTICATE", "close")]).await, MailError::Closed));
    assert!(matches!(error(&[("EXAMINE", OPEN), ("FETCH", "close")]).await, MailError::Closed));
}

#[tokio::test]
async fn refusals_are_distinguished() {
    let refused =
        error(&[("AUTHENTICATE", "{tag} NO [AUTHENTICATIONFAILED] \u{1b}[2Jwrong\u{202e}\r\n")]).await;
    assert!(
        matches!(&refused, MailError::SignIn { said, why: SignInFault::Password } if said.contains("wrong") && !said.contains('\u{1b}')),
        "{refused:?}"
    );
    for (answers, fault) in [
        (&[("AUTHENTICATE", "{tag} NO [EXPIRED] That password is old\r\n")], SignInFault::Expired),
        (&[("AUTHENTICATE", "{tag} NO [CONTACTADMIN] Ask us\r\n")], SignInFault::Administrator),
        (&[("AUTHENTICATE", "{tag} NO Account is locked\r\n")], SignInFault::Locked),
    ] {
        let refused = error(answers).await;
        assert!(matches!(refused, MailError::SignIn { why, .. } if why == fault), "{refused:?}");
    }
    let busy = error(&[("AUTHENTICATE", "{tag} NO [UNAVAILABLE] later\r\n")]).await;
    assert!(matches!(busy, MailError::Refused { .. }), "{busy:?}");
    let folder = error(&[("EXAMINE", "{tag} NO [NONEXISTENT] no\r\n")]).await;
    assert!(matches!(folder, MailError::NoFolder { .. }), "{folder:?}");
}

#[tokio::test]
async fn invalid_imap_is_an_error() {
    let invalid = error(&[("EXAMINE", "HTTP/1.1 400 Bad Request\r\n\r\n")]).await;
    assert!(matches!(invalid, MailError::Invalid | MailError::Closed), "{invalid:?}");
}

#[tokio::test]
async fn wrong_size_fetches_no_more() {
    let answers = &[
        ("EXAMINE", OPEN),
        ("RFC822.SIZE", "* 1 FETCH (UID 5 RFC822.SIZE 4000000000)\r\n{tag} OK done\r\n"),
        (
            "UID FETCH 5 (UID BODYSTRUCTURE)",
            "* 1 FETCH (UID 5 BODYSTRUCTURE (\"APPLICATION\" \"PDF\" NIL NIL NIL \"BASE64\" 4000000000))\r\n{tag} OK done\r\n",
        ),
        (
            "BODY.PEEK[HEADER]",
            "* 1 FETCH (UID 5 BODY[HEADER]<0> {43}\r\nSubject: x\r\nContent-Type: application/pdf\r\n)\r\n{tag} OK done\r\n",
        ),
    ];
    let mut mailbox = Imap::sign_in(server(answers), &who()).await.expect("signed in");
    let id = "INBOX/7.5".parse().expect("an id");
    let fetched = mailbox.fetch(&id).await.expect("its headers");
    let read = fetched.read(&[]).expect("a message");
    assert_eq!((read.envelope.subject.as_str(), read.parts[0].size), ("x", 2_923_076_924));
    let part = mailbox.fetch_part(&id, &fetched, 0, 50 << 20).await;
    assert!(matches!(part, Err(MailError::PartTooLarge { size: 2_923_076_924, .. })), "{part:?}");
    let renumbered = mailbox.fetch(&"INBOX/8.5".parse().expect("an id")).await;
    assert!(matches!(renumbered, Err(MailError::NoMessage)), "{renumbered:?}");
}

#[tokio::test]
async fn endless_nesting_is_an_error() {
    let deep = format!("* 1 FETCH (UID 5 BODYSTRUCTURE {}", "(".repeat(1 << 20));
    let answers: &'static [(&str, &str)] = Box::leak(Box::new([("EXAMINE", OPEN), ("FETCH", deep.leak())]));
    assert!(matches!(error(answers).await, MailError::Message(_)));
}

#[tokio::test]
async fn unsolicited_messages_are_ignored() {
    let answers = &[
        ("EXAMINE", OPEN),
        ("UID SEARCH", "* SEARCH 5\r\n{tag} OK done\r\n"),
        (
            "UID FETCH",
            "* 9 FETCH (FLAGS (\\Seen))\r\n* 1 FETCH (UID 99 FLAGS () BODY[HEADER.FIELDS (FROM)] {2}\r\n\r\n)\r\n\
             * 1 FETCH (UID 5 FLAGS () RFC822.SIZE 10 BODY[HEADER.FIELDS (FROM)] {13}\r\nFrom: a@b\r\n\r\n)\r\n{tag} OK done\r\n",
        ),
    ];
    let mut mailbox = Imap::sign_in(server(answers), &who()).await.expect("signed in");
    let wanted = Wanted { unread: true, limit: 10, ..Wanted::default() };
    let found = mailbox.list("INBOX", &wanted).await.expect("a list");
    assert_eq!(found.messages.iter().map(|message| message.id.uid).collect::<Vec<_>>(), [5]);
}
