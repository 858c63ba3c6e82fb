//! Connections cut, and Nova killed, between a message and the server's answer.

use nova_skill::{Value, json};
use nova_testkit::CancellationToken;

use crate::sending::{Sender, lunch};

/// How often a connection is cut, and how often Nova ends.
const CUT: usize = 50;
const ENDED: usize = 10;

fn mail(number: usize, to: &str) -> Value {
    let mut mail = lunch(to);
    mail["subject"] = format!("Lunch {number}").into();
    mail
}

#[test]
fn a_cut_connection_sends_nothing_twice_and_loses_nothing() {
    let sender = Sender::new();
    for number in 0..CUT {
        let to = if number % 2 == 0 { "cut@x.example" } else { "lost@x.example" };
        let error = sender.skill.error("send", mail(number, to));
        assert!(error.message.contains("may have been sent"), "{error}");
        if number % 4 == 0 {
            // Its server adds sent mails to Sent itself, as some do.
            let taken = sender.smtp.taken().pop().unwrap();
            sender.dovecot.deliver("jane", "Sent", "S", taken.message.as_bytes());
        }
        match (number % 4, sender.skill.call("send", mail(number, to)).result) {
            (0, Ok(answer)) => assert_eq!(answer["copy"], "Sent"),
            (0, Err(error)) => panic!("{number}: it is in Sent: {error}"),
            (_, Err(error)) => assert!(error.message.contains("may have been sent"), "{error}"),
            (_, Ok(answer)) => panic!("{number}: it was sent again: {answer}"),
        }
    }
    let (sent, drafts) = (sender.in_folder_all("sent"), sender.in_folder_all("drafts"));
    let taken: Vec<String> = sender.smtp.taken().into_iter().map(|taken| subject(&taken.message)).collect();
    for number in 0..CUT {
        let name = format!("Lunch {number}");
        let times = |all: &[String]| all.iter().filter(|one| **one == name).count();
        assert_eq!(times(&taken), usize::from(number % 2 == 0), "{name} reached its server at most once");
        assert_eq!(times(&sent) + times(&drafts), 1, "{name} is in Sent or kept as a draft");
    }
}

#[test]
fn kill_before_the_answer_sends_nothing_twice() {
    let sender = Sender::new();
    for number in 0..ENDED {
        // The call is dropped as soon as the server has the message, as if the process were killed.
        let stop = CancellationToken::new();
        let (smtp, stopping) = (&sender.smtp, stop.clone());
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while smtp.taken().len() <= number {
                    std::thread::yield_now();
                }
                stopping.cancel();
            });
            let outcome = sender.skill.call_until("send", mail(number, "slow@x.example"), stop);
            assert!(outcome.result.is_err(), "{:?}", outcome.result);
        });
        let error = sender.skill.error("send", mail(number, "slow@x.example"));
        assert!(error.message.contains("may have been sent"), "{error}");
    }
    assert_eq!(sender.smtp.taken().len(), ENDED);
    assert_eq!(sender.in_folder_all("drafts").len(), ENDED, "each is kept");
}

#[test]
fn the_same_mail_is_not_sent_twice_and_another_one_is() {
    let sender = Sender::new();
    sender.skill.value("send", lunch("noor@x.example"));
    let error = sender.skill.error("send", lunch("noor@x.example"));
    assert!(error.message.contains("sent on") && error.hint.contains("change its text"), "{error}");
    assert_eq!(sender.skill.approver.asked().len(), 1, "nobody is asked about it again");
    sender.skill.value("send", lunch("ali@x.example"));
    assert_eq!(sender.smtp.taken().len(), 2);
}

#[test]
fn a_kept_draft_is_sent_when_the_user_wants_it() {
    let sender = Sender::new();
    let error = sender.skill.error("send", lunch("lost@x.example"));
    let draft = sender.skill.value("list", json!({"mailbox": "Home", "folder": "drafts"}));
    let id = draft["messages"][0]["id"].as_str().unwrap();
    assert_eq!(error.draft.as_deref(), Some(id));
    assert!(error.hint.contains(id), "{error}");
    let mut mail = lunch("lost@x.example");
    mail["draft"] = id.into();
    let asked = sender.skill.approver.asked().len();
    let error = sender.skill.error("send", mail.clone());
    assert!(error.message.contains("may have been sent"), "{error}");
    assert!(error.draft.is_some_and(|newer| newer != id), "the newer draft is kept");
    let card = &sender.skill.approver.asked()[asked];
    assert!(card.details.iter().any(|line| line.label == "Before" && line.caution), "{card:?}");
    let again = sender.skill.error("send", mail);
    assert!(again.message.contains("may have been sent"), "the old draft counts once: {again}");
    assert_eq!(sender.in_folder("drafts"), ["Lunch"], "one draft of it");
}

#[test]
fn kept_draft_of_a_reply_is_sent_again_by_the_same_call() {
    let sender = Sender::new();
    let asked = b"From: lost@x.example\nTo: jane@home.example\nSubject: Lunch\nMessage-ID: <q@x.example>\n\nAt noon?\n";
    sender.dovecot.deliver("jane", "INBOX", "", asked);
    let list = sender.skill.value("list", json!({"mailbox": "Home"}));
    let mut reply = json!({"id": list["messages"][0]["id"], "text": "Yes"});
    let draft = sender.skill.error("reply", reply.clone()).draft.unwrap();
    let same = sender.skill.error("reply", reply.clone());
    assert_eq!(same.draft.as_ref(), Some(&draft), "nothing is sent without the draft");

    reply["draft"] = draft.clone().into();
    let error = sender.skill.error("reply", reply);
    assert!(error.draft.is_some_and(|newer| newer != draft), "it was handed over again");
    let card = sender.card();
    assert!(card.iter().any(|line| line.contains("Deletes the draft: Re: Lunch")), "{card:?}");
    assert_eq!(sender.in_folder("drafts"), ["Re: Lunch"], "one draft of it");
}

#[test]
fn a_mail_that_lies_in_sent_was_sent_whatever_the_connection_did() {
    let sender = Sender::new();
    let mut mail = lunch("cut@x.example");
    mail["cc"] = json!(["filed@x.example"]);
    let answer = sender.skill.value("send", mail.clone());
    assert_eq!((&answer["copy"], answer.get("problem")), (&json!("Sent"), None));
    assert_eq!((sender.in_folder("sent"), sender.in_folder("drafts")), (vec!["Lunch".to_owned()], vec![]));
    let again = sender.skill.error("send", mail);
    assert!(again.message.contains("sent on"), "{again}");
    assert_eq!(sender.smtp.taken().len(), 1);
}

#[test]
fn a_sent_folder_that_cannot_be_searched_is_reported_as_such() {
    let mut sender = Sender::new();
    sender.in_folder("sent");
    let error = std::thread::scope(|scope| {
        let Sender { skill, smtp, dovecot } = &mut sender;
        let stopping = scope.spawn(|| {
            while smtp.taken().is_empty() {
                std::thread::yield_now();
            }
            dovecot.cut_connections();
            dovecot.stop();
            smtp.stop();
        });
        let error = skill.error("send", lunch("slow@x.example"));
        stopping.join().unwrap();
        error
    });
    assert!(error.message.contains("Sent could not be searched for it: "), "{error}");
    assert!(!error.message.contains("is not in Sent"), "{error}");
}

#[test]
fn the_last_copy_is_kept_until_it_lies_in_sent() {
    let sender = Sender::new();
    let draft = json!({"mailbox": "Home", "subject": "Lunch", "text": "At noon"});
    let own = sender.skill.value("draft", draft)["id"].clone();
    assert_eq!(sender.in_folder("sent"), [""; 0]);
    sender.dovecot.set_full("jane", "Sent", true);
    let mut mail = lunch("noor@x.example");
    mail["draft"] = own;
    for attempt in 0..2 {
        let answer = sender.skill.value("send", mail.clone());
        let problem = answer["problem"].as_str().unwrap_or_default();
        assert!(
            problem.contains("no copy was put into Sent") && problem.contains("as the draft"),
            "{answer}"
        );
        assert_eq!((&answer["copy"], answer["note"].is_string()), (&Value::Null, attempt == 1));
        assert_eq!((sender.in_folder("sent").len(), sender.in_folder("drafts").len()), (0, 2));
    }
    let card = sender.card();
    assert!(card.iter().any(|line| line.contains("only its copy is put into Sent")), "{card:?}");

    sender.dovecot.set_full("jane", "Sent", false);
    let answer = sender.skill.value("send", mail.clone());
    assert_eq!((&answer["copy"], answer["note"].is_string()), (&json!("Sent"), true), "{answer}");
    assert_eq!((sender.in_folder("sent"), sender.in_folder("drafts")), (vec!["Lunch".to_owned()], vec![]));
    let again = sender.skill.error("send", mail);
    assert!(again.message.contains("sent on"), "{again}");
    assert_eq!(sender.smtp.taken().len(), 1, "it was sent once");
}

fn subject(message: &str) -> String {
    let line = message.lines().find_map(|line| line.strip_prefix("Subject: "));
    line.unwrap_or_default().trim().to_owned()
}
