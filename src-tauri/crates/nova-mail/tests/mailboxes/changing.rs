//! Messages moved, marked, added and removed on Dovecot.

use nova_mail::{Appended, Changed, Imap, MailError, Mailbox, Mark, MessageId, Wanted};
use nova_testkit::Dovecot;

use crate::dovecot::{mail, signed_in};
use crate::server::{OPEN, server as scripted, who};

fn server() -> Dovecot {
    let server = Dovecot::start();
    for id in ["1", "2", "3"] {
        server.deliver("jane", "INBOX", "", &mail(id, "ann@shop.example", id, "", "Hello."));
    }
    // Another program marked it as deleted; no change of another message may expunge it.
    server.deliver("jane", "INBOX", "T", &mail("4", "ann@shop.example", "4", "", "Marked."));
    server
}

/// The ids of a folder's messages, oldest first.
async fn ids(mailbox: &mut impl Mailbox, folder: &str) -> Vec<MessageId> {
    let found = mailbox.list(folder, &Wanted { limit: 10, ..Wanted::default() }).await.expect("a list");
    found.messages.into_iter().rev().map(|message| message.id).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn move_affects_only_its_messages_and_reports_their_new_ids() {
    let server = server();
    let mut mailbox = signed_in(&server).await;
    let inbox = ids(&mut mailbox, "INBOX").await;
    let missing = MessageId { uid: 99, ..inbox[0].clone() };
    let stale = MessageId { validity: 1, ..inbox[1].clone() };
    let moved = mailbox
        .move_to(&[inbox[0].clone(), missing.clone(), stale, inbox[2].clone()], "Archive")
        .await
        .expect("moved");
    let new: Vec<&MessageId> =
        moved.iter().filter_map(|Changed { now, .. }| now.as_ref().ok()?.as_ref()).collect();
    assert_eq!(moved.iter().filter(|one| matches!(one.now, Err(MailError::NoMessage))).count(), 2);
    assert_eq!(new.into_iter().cloned().collect::<Vec<_>>(), ids(&mut mailbox, "Archive").await);
    assert_eq!(ids(&mut mailbox, "INBOX").await, [inbox[1].clone(), inbox[3].clone()]);

    let nowhere = mailbox.move_to(&[inbox[1].clone()], "Nowhere").await.err();
    assert!(matches!(nowhere, Some(MailError::NoFolder { .. })), "{nowhere:?}");
    let same = mailbox.move_to(&[inbox[1].clone()], "INBOX").await.expect("a result");
    assert!(matches!(same[0].now, Err(MailError::AlreadyThere { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_change_one_flag() {
    let server = server();
    let mut mailbox = signed_in(&server).await;
    let inbox = ids(&mut mailbox, "INBOX").await;
    for (mark, expected) in [
        (Mark::Read, (false, false)),
        (Mark::Flagged, (false, true)),
        (Mark::Unread, (true, true)),
        (Mark::Unflagged, (true, false)),
    ] {
        mailbox.mark(&inbox[..1], mark).await.expect("marked");
        let found = mailbox.look(&inbox[..2]).await.expect("headers");
        assert_eq!((found[0].unread, found[0].flagged), expected, "{mark:?}");
        assert_eq!((found[1].unread, found[1].flagged), (true, false), "the other one is unchanged");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn message_is_added_found_and_removed() {
    let server = server();
    let mut mailbox = signed_in(&server).await;
    let message = mail("new", "jane@home.example", "Draft", "", "Text.");
    let id = mailbox.append("Drafts", &message, Appended::Draft).await.expect("added").expect("its id");
    assert_eq!(mailbox.find("Drafts", "new@test.example").await.expect("a search"), Some(id.clone()));
    assert_eq!(mailbox.find("INBOX", "new@test.example").await.expect("a search"), None);
    assert!(mailbox.find("INBOX", "a\" ALL").await.is_err(), "an invalid id");

    mailbox.remove_draft(&id).await.expect("removed");
    assert_eq!(ids(&mut mailbox, "Drafts").await, []);
    assert!(matches!(mailbox.remove_draft(&id).await, Err(MailError::NoMessage)));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_but_a_draft_is_removed() {
    let server = server();
    server.deliver("jane", "INBOX", "D", &mail("own", "jane@home.example", "Begun", "", "Text."));
    server.deliver("jane", "Drafts", "S", &mail("moved", "jane@home.example", "Unmarked", "", "Text."));
    let mut mailbox = signed_in(&server).await;
    let (inbox, drafts) = (ids(&mut mailbox, "INBOX").await, ids(&mut mailbox, "Drafts").await);
    for id in &inbox[..4] {
        assert!(matches!(mailbox.draft(id).await, Err(MailError::NotADraft { .. })));
        assert!(matches!(mailbox.remove_draft(id).await, Err(MailError::NotADraft { .. })));
    }
    assert_eq!(ids(&mut mailbox, "INBOX").await, inbox);
    for (id, subject) in [(&inbox[4], "Begun"), (&drafts[0], "Unmarked")] {
        assert_eq!(mailbox.draft(id).await.expect("a draft").envelope.subject, subject);
        mailbox.remove_draft(id).await.expect("removed");
    }
    assert_eq!(ids(&mut mailbox, "INBOX").await, inbox[..4], "what others marked is still there");
    assert_eq!(ids(&mut mailbox, "Drafts").await, []);
}

#[tokio::test]
async fn without_move_exactly_the_moved_messages_are_expunged() {
    let answers = &[
        ("CAPABILITY", "* CAPABILITY IMAP4rev1 UIDPLUS\r\n{tag} OK done\r\n"),
        ("EXAMINE", OPEN),
        ("SELECT", OPEN),
        ("UID COPY 5 ", "{tag} OK done\r\n"),
        ("UID STORE 5 +FLAGS.SILENT (\\Deleted)", "{tag} OK done\r\n"),
        ("UID EXPUNGE 5", "* 1 EXPUNGE\r\n{tag} OK done\r\n"),
        (
            "UID FETCH 5 ",
            "* 1 FETCH (UID 5 FLAGS () RFC822.SIZE 10 BODY[HEADER.FIELDS (FROM)] {13}\r\nFrom: a@b\r\n\r\n)\r\n{tag} OK done\r\n",
        ),
        ("UID FETCH", "{tag} OK done\r\n"),
    ];
    let mut mailbox = Imap::sign_in(scripted(answers), &who()).await.expect("signed in");
    let moved = mailbox.move_to(&["INBOX/7.5".parse().expect("an id")], "Archive").await.expect("moved");
    assert!(matches!(moved[0].now, Ok(None)), "{moved:?}");
}

#[tokio::test]
async fn nothing_is_expunged_without_uidplus() {
    let mut mailbox =
        Imap::sign_in(scripted(&[("EXAMINE", OPEN), ("SELECT", OPEN)]), &who()).await.expect("signed in");
    let id: MessageId = "INBOX/7.5".parse().expect("an id");
    let moved = mailbox.move_to(std::slice::from_ref(&id), "Archive").await.err();
    assert!(matches!(moved, Some(MailError::NotOffered { .. })), "{moved:?}");
    assert!(matches!(mailbox.remove_draft(&id).await, Err(MailError::NotOffered { .. })));
}
