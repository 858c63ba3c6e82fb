//! Mails sent through a real server: what the card shows, what arrives, and what is refused before anybody is asked.

use nova_skill::{Value, json};
use nova_testkit::{
    Dovecot, FixedClock, ScriptedApprover, SkillInVault, SmtpServer, TakenMail, TempVault, decided, denied,
    edited, revised,
};

use crate::reading::{entry, skill_in, subjects};

/// A mailbox that sends, over a vault with files.
pub(crate) struct Sender {
    pub(crate) dovecot: Dovecot,
    pub(crate) smtp: SmtpServer,
    pub(crate) skill: SkillInVault,
}

pub(crate) fn sending(dovecot: &Dovecot, smtp: &SmtpServer) -> Value {
    let mut home = entry("Home", dovecot, "jane");
    home["smtp"] = format!("127.0.0.1:{}", smtp.port()).into();
    home["address"] = "jane@home.example".into();
    home["sending"] = "ask".into();
    home
}

impl Sender {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// With this change of the mailbox's configuration.
    pub(crate) fn with(change: impl FnOnce(&mut Value)) -> Self {
        let dovecot = Dovecot::start();
        let smtp = SmtpServer::start(&dovecot);
        let mut home = sending(&dovecot, &smtp);
        change(&mut home);
        let vault = TempVault::from("").with_clock(FixedClock::default().in_zone("Europe/Berlin"));
        vault.write("Plans/plan.csv", "a;b\n");
        let mailboxes = json!([home, entry("Work", &dovecot, "work")]);
        let skill = skill_in(vault, &dovecot, mailboxes);
        Self { dovecot, smtp, skill }
    }

    /// The subjects there, by name.
    pub(crate) fn in_folder(&self, folder: &str) -> Vec<String> {
        let mut all = self.in_folder_all(folder);
        all.sort();
        all
    }

    /// The same, the last received first.
    pub(crate) fn in_folder_all(&self, folder: &str) -> Vec<String> {
        let all = json!({"mailbox": "Home", "folder": folder, "limit": 100});
        let found = self.skill.value("list", all);
        subjects(&found).into_iter().map(str::to_owned).collect()
    }

    pub(crate) fn card(&self) -> Vec<String> {
        let asked = self.skill.approver.asked();
        asked.last().unwrap().details.iter().map(nova_protocol::DetailView::line).collect()
    }
}

pub(crate) fn lunch(to: &str) -> Value {
    json!({"to": [to], "subject": "Lunch", "text": "At noon?"})
}

const ASKED: &[u8] = b"From: Noor <noor@x.example>\nTo: jane@home.example, Ali <ali@x.example>\n\
    Subject: Lunch\nMessage-ID: <q@x.example>\nDate: Fri, 20 Nov 2026 09:00:00 +0000\n\nAt noon?\n";

#[test]
fn a_mail_is_shown_sent_once_and_copied_to_sent() {
    let sender = Sender::new();
    let old = b"From: jane@home.example\nTo: Noor <noor@x.example>\nSubject: Before\n\nHi\n";
    sender.dovecot.deliver("jane", "Sent", "S", old);
    let near = b"From: jane@home.example\nTo: li.ali@x.example\nSubject: Other\n\nHi\n";
    sender.dovecot.deliver("jane", "Sent", "S", near);
    let answer = sender.skill.value(
        "send",
        json!({
            "to": ["Noor <noor@x.example>"], "cc": ["ali@x.example"], "bcc": ["boss@home.example"],
            "subject": "Lunch", "text": "At noon?", "attachments": ["Plans/plan.csv"],
        }),
    );
    assert_eq!(sender.skill.approver.asked()[0].question, "Send 1 mail to 3 people?");
    assert_eq!(
        sender.card(),
        [
            "From: jane@home.example (mailbox Home)",
            "To: Noor <noor@x.example> (1 mail since November 2026)",
            "Cc: ali@x.example (never written to before)",
            "Bcc: boss@home.example (never written to before)",
            "Subject: Lunch",
            "Text: At noon?",
            "Attachment: plan.csv (4 bytes, text/csv, from Plans/plan.csv)",
        ]
    );
    let taken = sender.smtp.taken();
    let [TakenMail { to, message, .. }] = &taken[..] else { panic!("{taken:?}") };
    assert_eq!(to, &["noor@x.example", "ali@x.example", "boss@home.example"]);
    assert!(!message.contains("boss") && message.contains("plan.csv"), "{message}");
    assert_eq!(answer["copy"], "Sent");
    assert!(message.contains(answer["message_id"].as_str().unwrap()), "{answer}");
    assert_eq!(sender.in_folder("sent"), ["Before", "Lunch", "Other"]);
    assert_eq!(sender.in_folder("drafts"), [""; 0], "its draft is removed");
}

#[test]
fn a_denied_mail_is_not_sent() {
    let mut sender = Sender::new();
    sender.skill.approver = ScriptedApprover::new([denied("Not now.")]);
    let error = sender.skill.error("send", lunch("noor@x.example"));
    assert!(error.message.contains("Not now"), "{error}");
    assert_eq!(sender.smtp.taken(), []);
    sender.skill.approver = ScriptedApprover::always(nova_protocol::Decision::Once);
    assert_eq!(sender.in_folder("drafts"), [""; 0]);
}

#[test]
fn an_edit_is_shown_before_it_is_sent() {
    let mut sender = Sender::new();
    // One edit is refused, one shown again, and one that came with the decision is shown, too.
    sender.skill.approver = ScriptedApprover::new([
        revised(lunch("no address")),
        revised(lunch("ali@x.example")),
        edited(lunch("noor@x.example")),
        decided(nova_protocol::Decision::Once),
    ]);
    sender.skill.value("send", lunch("bea@x.example"));
    let asked = sender.skill.approver.asked();
    let to = |at: usize| asked[at].details[1].value.clone();
    assert_eq!(
        [to(0), to(1), to(2), to(3)],
        ["bea@x.example", "bea@x.example", "ali@x.example", "noor@x.example"]
    );
    assert_eq!(sender.smtp.taken()[0].to, ["noor@x.example"]);
}

#[test]
fn sending_is_blocked_before_anybody_is_asked() {
    for off in [json!("off"), Value::Null] {
        let sender = Sender::with(|home| {
            home.as_object_mut().unwrap().remove("sending");
            if off.is_string() {
                home["sending"] = off.clone();
            }
        });
        sender.dovecot.deliver("jane", "INBOX", "", ASKED);
        let id = sender.skill.value("list", json!({"mailbox": "Home"}))["messages"][0]["id"].clone();
        let asked = sender.skill.approver.asked().len();
        let mut mail = lunch("noor@x.example");
        mail["mailbox"] = "Home".into();
        for (tool, args) in [("send", mail), ("reply", json!({"id": id, "text": "Yes"}))] {
            let error = sender.skill.error(tool, args);
            assert!(
                error.message.contains("Sending is blocked: mailbox sending is disabled for Home"),
                "{tool}: {error}"
            );
        }
        assert_eq!(sender.skill.approver.asked().len(), asked);
        assert_eq!(sender.smtp.taken(), []);
    }
}

#[test]
fn invalid_mails_are_refused() {
    let sender = Sender::new();
    let many: Vec<String> = (0..500).map(|n| format!("p{n}@x.example")).collect();
    let with = |key: &str, value: Value| {
        let mut mail = lunch("noor@x.example");
        mail[key] = value;
        mail
    };
    let refused = [
        (with("draft", json!("Work/Drafts/1.1")), "must be a draft of Home"),
        (with("to", json!(many)), "500 recipients"),
        (with("to", json!(["noor@x.example\r\nBcc: all@x.example"])), "one address"),
        (with("cc", json!(["Boss\nX: y <boss@x.example>"])), "one address"),
        (with("to", json!(["boss@x.example <x@evil.example>"])), "one address"),
        (with("to", json!(["noor@x.example, all@x.example"])), "one address"),
        (with("subject", json!("Hi\r\nBcc: all@x.example")), "subject is not one line"),
        (with("subject", json!("Hi\nX: y")), "subject is not one line"),
        (with("attachments", json!(["Plans/none.csv"])), "none.csv"),
        (with("attachments", json!(["../../etc/passwd"])), "files in the vault"),
        (with("mailbox", json!("Work")), "disabled for Work"),
    ];
    for (mail, why) in refused {
        let error = sender.skill.error("send", mail.clone());
        assert!(error.message.contains(why), "{why}: {error}");
        assert!(!error.hint.is_empty(), "{error}");
    }
    assert!(sender.skill.approver.asked().is_empty(), "no mail is asked about that cannot be sent");
    assert_eq!(sender.smtp.taken(), []);
}

#[test]
fn a_large_attachment_is_refused_before_anything_is_sent() {
    let sender = Sender::new();
    for name in ["a.bin", "b.bin"] {
        std::fs::write(sender.skill.vault.root().join(name), vec![0; 10 << 20]).unwrap();
    }
    std::fs::write(sender.skill.vault.root().join("c.bin"), vec![0; 50 << 20]).unwrap();
    for files in [json!(["a.bin", "b.bin"]), json!(["c.bin"])] {
        let mut mail = lunch("noor@x.example");
        mail["attachments"] = files;
        let error = sender.skill.error("send", mail);
        assert!(error.message.contains("bytes") || error.message.contains("MB"), "{error}");
    }
    assert!(sender.skill.approver.asked().is_empty());
    assert_eq!(sender.smtp.taken(), []);
}

#[test]
fn refused_mail_leaves_nothing_behind() {
    let mut sender = Sender::new();
    for (to, why) in [("refused@x.example", "No such user"), ("hostile@x.example", "Not wanted")] {
        for _ in 0..2 {
            let error = sender.skill.error("send", lunch(to));
            assert!(error.message.contains(why) && error.hint.contains("Nothing was sent"), "{error}");
        }
        assert_eq!(sender.in_folder("drafts"), [""; 0]);
        assert_eq!(sender.in_folder("sent"), [""; 0]);
    }
    let answer = sender.skill.value("send", lunch("noor@x.example"));
    assert_eq!(answer["copy"], "Sent");
    assert_eq!(sender.smtp.taken().len(), 1);
    sender.skill.credentials =
        std::sync::Arc::new(nova_testkit::FixedCredentials::default().with("mail/test", "wrong"));
    let error = sender.skill.error("send", lunch("ali@x.example"));
    assert_eq!(error.code, nova_protocol::ErrorCode::SignInRefused, "{error}");
}

#[test]
fn reply_quotes_the_original_and_stays_in_its_thread() {
    let sender = Sender::new();
    sender.dovecot.deliver("jane", "INBOX", "", ASKED);
    let id = sender.skill.value("list", json!({"mailbox": "Home"}))["messages"][0]["id"].clone();
    sender.skill.value("reply", json!({"id": id, "text": "Yes.", "all": true}));
    let card = sender.card();
    assert_eq!(card[1], "To: Noor <noor@x.example> (never written to before)");
    assert_eq!(card[2], "Cc: Ali <ali@x.example> (never written to before)");
    assert_eq!(card[3], "Subject: Re: Lunch");
    assert!(card[4].starts_with("Text: Yes.\n\nOn 2026-11-20 09:00 UTC, Noor"), "{card:?}");
    let message = &sender.smtp.taken()[0].message;
    for line in ["In-Reply-To: <q@x.example>", "References: <q@x.example>", "> At noon?"] {
        assert!(message.contains(line), "{line}: {message}");
    }
    let thread = sender.skill.value("thread", json!({"id": id}));
    assert_eq!(subjects(&thread), ["Lunch", "Re: Lunch"]);
}

#[test]
fn card_marks_a_reply_to_a_mailing_list() {
    let sender = Sender::new();
    let listed = b"From: Noor <noor@x.example>\nReply-To: all@list.example\nTo: all@list.example\n\
        List-Post:\n <mailto:all@list.example>\nSubject: News\n\nHi\n";
    sender.dovecot.deliver("jane", "INBOX", "", listed);
    let id = sender.skill.value("list", json!({"mailbox": "Home"}))["messages"][0]["id"].clone();
    sender.skill.value("reply", json!({"id": id, "text": "Yes."}));
    assert_eq!(sender.card()[1], "To: all@list.example (a mailing list: all its members read it)");
}

#[test]
fn a_mail_that_changes_while_its_card_waits_is_not_sent() {
    let mut sender = Sender::new();
    let file = sender.skill.vault.root().join("Plans/plan.csv");
    sender.skill.approver = ScriptedApprover::new([decided(nova_protocol::Decision::Once)])
        .before_answering(move || std::fs::write(&file, "other").unwrap());
    let mut mail = lunch("noor@x.example");
    mail["attachments"] = json!(["Plans/plan.csv"]);
    let error = sender.skill.error("send", mail);
    assert!(error.message.contains("not the one that was shown"), "{error}");
    assert_eq!(sender.smtp.taken(), []);
}

#[test]
fn draft_is_saved_replaced_and_sent() {
    let sender = Sender::new();
    let first = sender.skill.value("draft", json!({"mailbox": "Home", "subject": "Lunch", "text": "At"}));
    let mut mail = json!({"to": ["noor@x.example"], "subject": "Lunch", "text": "At noon?"});
    let mut second = mail.clone();
    second["replace"] = first["id"].clone();
    let second = sender.skill.value("draft", second);
    assert_eq!(sender.in_folder("drafts"), ["Lunch"], "{second}");
    assert_eq!(sender.smtp.taken(), [], "a draft is not sent");
    mail["draft"] = second["id"].clone();
    sender.skill.value("send", mail);
    assert_eq!(sender.card().last().unwrap(), "Deletes the draft: Lunch (Drafts)");
    assert_eq!((sender.in_folder("drafts"), sender.in_folder("sent")), (vec![], vec!["Lunch".to_owned()]));

    sender.dovecot.deliver("jane", "INBOX", "", ASKED);
    let id = sender.skill.value("list", json!({"mailbox": "Home"}))["messages"][0]["id"].clone();
    let reply = sender.skill.value("draft", json!({"reply_to": id, "text": "Yes."}));
    let read = sender.skill.value("read", json!({"id": reply["id"]}));
    assert_eq!((&read["to"], &read["subject"]), (&json!("Noor <noor@x.example>"), &json!("Re: Lunch")));
}

#[test]
fn only_a_draft_is_replaced_or_deleted() {
    let sender = Sender::new();
    sender.dovecot.deliver("jane", "INBOX", "", ASKED);
    sender.dovecot.deliver("jane", "Archive", "S", ASKED);
    let ids = ["inbox", "archive"].map(|folder| {
        let all = sender.skill.value("list", json!({"mailbox": "Home", "folder": folder}));
        all["messages"][0]["id"].clone()
    });
    let before = sender.dovecot.messages("jane");
    for id in ids {
        let mut mail = lunch("noor@x.example");
        mail["draft"] = id.clone();
        for (tool, args) in [("send", mail), ("draft", json!({"text": "Hi", "replace": id}))] {
            let error = sender.skill.error(tool, args);
            assert!(error.message.contains("is no draft"), "{tool}: {error}");
        }
    }
    assert!(sender.skill.approver.asked().is_empty(), "nobody is asked about what cannot be");
    assert_eq!((sender.dovecot.messages("jane"), sender.smtp.taken()), (before, vec![]));
}

#[test]
fn a_draft_deleted_while_its_card_waits_sends_nothing() {
    let mut sender = Sender::new();
    let draft = json!({"mailbox": "Home", "subject": "Lunch", "text": "At"});
    let first = sender.skill.value("draft", draft.clone());
    let root = sender.dovecot.messages("jane").pop().unwrap();
    // Another program deletes it meanwhile.
    sender.skill.approver = ScriptedApprover::new([decided(nova_protocol::Decision::Once)])
        .before_answering(move || std::fs::remove_file(&root).unwrap());
    let mut mail = lunch("noor@x.example");
    mail["draft"] = first["id"].clone();
    let error = sender.skill.error("send", mail);
    assert!(error.message.contains("not the one that was shown"), "{error}");
    assert_eq!(sender.smtp.taken(), []);
}

#[test]
fn a_reply_to_more_people_than_are_known_is_refused() {
    let sender = Sender::new();
    let many: Vec<String> = (0..500).map(|n| format!("p{n}@x.example")).collect();
    let asked = format!("From: Noor <noor@x.example>\nTo: {}\nSubject: All\n\nHi\n", many.join(",\n "));
    sender.dovecot.deliver("jane", "INBOX", "", asked.as_bytes());
    let id = sender.skill.value("list", json!({"mailbox": "Home"}))["messages"][0]["id"].clone();
    for (tool, args) in [
        ("reply", json!({"id": id, "text": "Yes.", "all": true})),
        ("draft", json!({"reply_to": id, "text": "Yes.", "all": true})),
    ] {
        let error = sender.skill.error(tool, args);
        assert!(error.message.contains("500 recipients") && error.hint.contains("without `all`"), "{error}");
    }
    sender.skill.value("reply", json!({"id": id, "text": "Yes."}));
    assert_eq!(sender.smtp.taken()[0].to, ["noor@x.example"]);
}

#[test]
fn a_draft_of_a_reply_to_all_keeps_its_people() {
    let sender = Sender::new();
    sender.dovecot.deliver("jane", "INBOX", "", ASKED);
    let id = sender.skill.value("list", json!({"mailbox": "Home"}))["messages"][0]["id"].clone();
    let people = |more: Value| {
        let mut args = json!({"reply_to": id, "text": "Yes."});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let draft = sender.skill.value("draft", args);
        let read = sender.skill.value("read", json!({"id": draft["id"]}));
        (read["to"].clone(), read["cc"].clone())
    };
    let noor = json!("Noor <noor@x.example>");
    assert_eq!(people(json!({"all": true})), (noor.clone(), json!("Ali <ali@x.example>")));
    assert_eq!(people(json!({})), (noor.clone(), Value::Null));
    assert_eq!(people(json!({"all": true, "cc": ["bea@x.example"]})), (noor, json!("bea@x.example")));
}

#[test]
fn a_card_warns_about_the_sender_that_is_answered() {
    let sender = Sender::new();
    let asked = b"Authentication-Results: mx.home.example; dmarc=fail header.from=bank.example\n\
        From: Bank <service@bank.example>\nReply-To: Bank <service@b\xd0\xb0nk.example>\nSubject: Account\n\nHi\n";
    sender.dovecot.deliver("jane", "INBOX", "", asked);
    let id = sender.skill.value("list", json!({"mailbox": "Home"}))["messages"][0]["id"].clone();
    sender.skill.value("draft", json!({"reply_to": id, "text": "Yes."}));
    let card = sender.card().join("\n");
    for warning in [
        "Your server could not verify that bank.example sent it.",
        "A reply would go to service@b\u{430}nk.example, not to service@bank.example.",
        "(xn--bnk-6cd.example) has letters that look like those of another one.",
    ] {
        assert!(card.contains(warning), "{warning}: {card}");
    }
}

#[test]
fn a_recipient_that_looks_like_another_is_marked() {
    let mut sender = Sender::new();
    sender.skill.approver = ScriptedApprover::always(nova_protocol::Decision::Deny);
    sender.skill.error("send", lunch("service@b\u{430}nk.example"));
    let card = sender.card();
    assert!(card[1].contains("never written to before. The domain b\u{430}nk.example (xn--"), "{card:?}");
}

#[test]
fn a_recipient_of_a_copy_was_written_to_before() {
    let sender = Sender::new();
    let old = b"From: jane@home.example\nTo: bea@x.example\nCc: Noor <noor@x.example>\nBcc: ali@x.example\n\
        Subject: Before\n\nHi\n";
    sender.dovecot.deliver("jane", "Sent", "S", old);
    let mut mail = lunch("noor@x.example");
    mail["cc"] = json!(["ali@x.example", "li@x.example"]);
    sender.skill.value("send", mail);
    assert_eq!(
        sender.card()[1..4],
        [
            "To: noor@x.example (1 mail since November 2026)",
            "Cc: ali@x.example (1 mail since November 2026)",
            "Cc: li@x.example (never written to before)",
        ]
    );
}

#[test]
fn a_reply_to_a_renumbered_folder_is_refused() {
    let sender = Sender::new();
    sender.dovecot.deliver("jane", "INBOX", "", ASKED);
    let id = sender.skill.value("list", json!({"mailbox": "Home"}))["messages"][0]["id"].clone();
    sender.dovecot.renumber("jane", "INBOX");
    let error = sender.skill.error("reply", json!({"id": id, "text": "Yes."}));
    assert!(error.message.contains("no longer exists"), "{error}");
    assert_eq!((sender.skill.approver.asked().len(), sender.smtp.taken()), (0, vec![]));
}
