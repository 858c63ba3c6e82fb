//! Messages above 16 MiB on Dovecot: read like smaller ones, without their attachments.

use nova_mail::{FetchedMessage, MailError, Mailbox, Message, MessageId, PartKind, Wanted};
use nova_testkit::Dovecot;

use crate::dovecot::signed_in;

/// A message with each kind of part, and an attachment of this many lines of base64.
fn message(lines: usize) -> Vec<u8> {
    let attached = format!("JVBERi0x{}\n", "A".repeat(68)) + &format!("{}\n", "A".repeat(76)).repeat(lines);
    format!(
        "From: Ann <ann@shop.example>\nReply-To: pay@other.example\nTo: jane@home.example\nSubject: Plans\n\
         List-Post: <mailto:list@shop.example>\nMIME-Version: 1.0\nContent-Type: multipart/mixed;\n boundary=x\n\n\
         --x\nContent-Type: multipart/alternative; boundary=y\n\n\
         --y\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n\
         Gr=C3=BC=C3=9Fe.\n\n\
         --y\nContent-Type: text/html\n\n<p>Gr&uuml;&szlig;e</p>\n--y--\n\
         --x\nContent-Type: application/pdf\nContent-Disposition: attachment;\n filename*=utf-8''Gr%C3%BC%C3%9Fe.pdf\n\
         Content-Transfer-Encoding: base64\n\n{attached}\
         --x\nContent-Type: message/rfc822\n\nFrom: a@b.example\nSubject: Inner\n\nThe forwarded text.\n\
         --x\nContent-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nEND:VCALENDAR\n\
         --x\nContent-Type: text/plain; name=list.txt\nContent-Disposition: attachment; filename=list.txt\n\nOne\nTwo\n\
         --x--\n"
    )
    .replace('\n', "\r\n")
    .into_bytes()
}

async fn fetched(mailbox: &mut impl Mailbox) -> (MessageId, FetchedMessage) {
    let found = mailbox.list("INBOX", &Wanted { limit: 1, ..Wanted::default() }).await.expect("a list");
    let id = found.messages[0].id.clone();
    let fetched = mailbox.fetch(&id).await.expect("a message");
    (id, fetched)
}

#[tokio::test(flavor = "multi_thread")]
async fn large_message_reads_as_a_small_one_and_its_parts_are_fetched_alone() {
    let lines = 240_000;
    let server = Dovecot::start();
    server.deliver("jane", "INBOX", "", &message(lines));
    let before = server.messages("jane");
    let mut mailbox = signed_in(&server).await;
    let (id, large) = fetched(&mut mailbox).await;
    let mut read = large.read(&[]).expect("it is read");
    let mut small = Message::read(&message(3), &[]).expect("it is read");

    let attached = (lines + 1) * 57;
    assert_eq!(read.parts.iter().filter(|part| part.size == attached).count(), 1);
    for part in read.parts.iter_mut().chain(&mut small.parts) {
        part.size = 0;
    }
    assert_eq!(read, small);
    assert_eq!(large.list_address().as_deref(), Some("list@shop.example"));

    let at = |kind, name: &str| {
        small.parts.iter().position(|part| part.kind == kind && part.name == name).expect(name)
    };
    let pdf = at(PartKind::Attachment, "Grüße.pdf");
    let bytes = mailbox.fetch_part(&id, &large, pdf, 50 << 20).await.expect("the file");
    assert_eq!(bytes.len(), attached);
    assert!(bytes.starts_with(b"%PDF-1") && bytes[6..].iter().all(|byte| *byte == 0));
    let text = mailbox.fetch_part(&id, &large, at(PartKind::Attachment, "list.txt"), 99).await;
    assert_eq!(text.expect("the file"), b"One\r\nTwo");
    let inner = mailbox.fetch_part(&id, &large, at(PartKind::Message, "Inner"), 999).await.expect("the mail");
    assert!(String::from_utf8_lossy(&inner).ends_with("\r\n\r\nThe forwarded text."), "{inner:?}");
    let refused = mailbox.fetch_part(&id, &large, pdf, 1 << 20).await;
    assert!(matches!(refused, Err(MailError::PartTooLarge { .. })), "{refused:?}");
    let none = mailbox.fetch_part(&id, &large, 99, 1 << 20).await;
    assert!(matches!(none, Err(MailError::Message(_))), "{none:?}");
    mailbox.close().await;
    assert_eq!(server.messages("jane"), before, "nothing is marked as read");
}

#[tokio::test(flavor = "multi_thread")]
async fn large_message_of_one_text_is_cut() {
    let text = "A line of a very long log.\r\n".repeat(700_000);
    let server = Dovecot::start();
    server.deliver("jane", "INBOX", "", format!("Subject: Log\r\n\r\n{text}").as_bytes());
    let (_, large) = fetched(&mut signed_in(&server).await).await;
    let read = large.read(&[]).expect("it is read");
    assert!(read.text.starts_with("A line of a very long log.\nA line") && read.cut);
    assert_eq!((read.envelope.subject.as_str(), read.parts.len()), ("Log", 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn large_message_of_many_levels_is_refused() {
    let levels: String = (0..90)
        .map(|at| format!("Content-Type: multipart/mixed; boundary=\"{at}\"\r\n\r\n--{at}\r\n"))
        .collect();
    let text = format!("{}\r\n", "x".repeat(76)).repeat(230_000);
    let server = Dovecot::start();
    server.deliver("jane", "INBOX", "", format!("MIME-Version: 1.0\r\n{levels}\r\n{text}").as_bytes());
    let mut mailbox = signed_in(&server).await;
    let found = mailbox.list("INBOX", &Wanted { limit: 1, ..Wanted::default() }).await.expect("a list");
    let refused = mailbox.fetch(&found.messages[0].id).await.map(drop);
    assert!(matches!(refused, Err(MailError::Message(_))), "{refused:?}");
}
