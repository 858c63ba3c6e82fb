//! Messages handed to a real mail server and to one that misbehaves.

use async_trait::async_trait;
use nova_mail::{Attachment, Draft, Outbox, Person, SendError, SignIn, Smtp, smtp_start_tls};
use nova_skill::{BeforeTls, Connection};
use nova_testkit::{Dovecot, SmtpServer};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};

fn who(password: &str) -> SignIn {
    SignIn::by_password("jane", password.to_owned())
}

fn person(address: &str) -> Person {
    address.parse().expect("an address")
}

fn draft(to: &[&str], text: &str) -> Draft {
    Draft {
        from: person("Jane <jane@home.example>"),
        to: to.iter().map(|address| person(address)).collect(),
        cc: Vec::new(),
        bcc: vec![person("boss@home.example")],
        subject: "Grüße".into(),
        text: text.into(),
        attachments: Vec::new(),
        references: Vec::new(),
    }
}

async fn deliver(smtp: &mut Smtp, draft: &Draft) -> Result<(), SendError> {
    smtp.offer(draft).await?;
    smtp.deliver(&draft.message("1@home.example", jiff::Timestamp::UNIX_EPOCH, false)).await
}

struct StartTls;

#[async_trait]
impl BeforeTls for StartTls {
    async fn agree(&self, plain: &mut dyn Connection) -> std::io::Result<()> {
        smtp_start_tls(plain).await.map_err(std::io::Error::other)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_arrives_as_it_was_written() {
    let dovecot = Dovecot::start();
    for starttls in [false, true] {
        let server =
            if starttls { SmtpServer::start_with_starttls(&dovecot) } else { SmtpServer::start(&dovecot) };
        let before: &dyn BeforeTls = if starttls { &StartTls } else { &() };
        let stream = dovecot.connect_to(server.port(), before).await.expect("encrypted");
        let mut smtp = Smtp::sign_in(stream, starttls, &who(Dovecot::PASSWORD)).await.expect("signed in");
        let long = "ä".repeat(2_000);
        let mut draft =
            draft(&["Noor <noor@müller.example>", "noor@müller.example"], &format!(".\n..\n{long}\nFrom me"));
        draft.attachments.push(Attachment {
            name: "Plan ä.bin".into(),
            media_type: "application/octet-stream".into(),
            bytes: (0..=255).collect(),
        });
        deliver(&mut smtp, &draft).await.expect("sent");
        smtp.close().await;
        let taken = server.taken().remove(0);
        assert_eq!(taken.from, "jane@home.example");
        assert_eq!(taken.to, ["noor@xn--mller-kva.example", "boss@home.example"], "each once");
        assert!(!taken.message.contains("boss@"), "{}", taken.message);
        assert!(taken.message.lines().all(|line| line.len() <= 998 && line.is_ascii()));
        let read = nova_mail::Message::read(taken.message.as_bytes(), &[]).expect("a message");
        assert_eq!(read.envelope.subject, "Grüße");
        assert!(read.text.starts_with(".\n..\n") && read.text.contains(&long), "{}", read.text);
        assert_eq!((read.parts[0].name.as_str(), read.parts[0].size), ("Plan ä.bin", 256));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_unless_all_recipients_are_accepted() {
    let dovecot = Dovecot::start();
    let server = SmtpServer::start(&dovecot);
    let connect = || dovecot.connect_to(server.port(), &());
    let mut smtp = Smtp::sign_in(connect().await.expect("a connection"), false, &who(Dovecot::PASSWORD))
        .await
        .expect("signed in");
    let error = deliver(&mut smtp, &draft(&["noor@x.example", "refused@x.example"], "Hi")).await;
    let Err(SendError::Recipients { refused, more: 0 }) = &error else { panic!("{error:?}") };
    assert_eq!(refused.len(), 1);
    assert!(refused[0].0 == "refused@x.example" && refused[0].1.contains("No such user"), "{refused:?}");
    let mut smtp = Smtp::sign_in(connect().await.expect("a connection"), false, &who(Dovecot::PASSWORD))
        .await
        .expect("signed in");
    let error = deliver(&mut smtp, &draft(&["hostile@x.example"], "Hi")).await;
    assert!(matches!(error, Err(SendError::Refused { .. })), "{error:?}");
    let error = Smtp::sign_in(connect().await.expect("a connection"), false, &who("wrong")).await.err();
    assert!(matches!(error, Some(SendError::SignIn { .. })), "{error:?}");
    assert_eq!(server.taken(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_before_the_answer_is_unknown() {
    let dovecot = Dovecot::start();
    let server = SmtpServer::start(&dovecot);
    for (to, taken) in [("cut@x.example", 1), ("lost@x.example", 1)] {
        let stream = dovecot.connect_to(server.port(), &()).await.expect("a connection");
        let mut smtp = Smtp::sign_in(stream, false, &who(Dovecot::PASSWORD)).await.expect("signed in");
        assert_eq!(deliver(&mut smtp, &draft(&[to], "Hi")).await, Err(SendError::Unknown));
        assert_eq!(server.taken().len(), taken, "{to}");
    }
}

/// A server that answers each line with the first of these whose key it starts with.
fn scripted(greeting: &'static str, answers: &'static [(&'static str, &'static str)]) -> DuplexStream {
    let (client, server) = duplex(1 << 20);
    tokio::spawn(async move {
        let (read, mut write) = tokio::io::split(server);
        let mut lines = BufReader::new(read).lines();
        write.write_all(greeting.as_bytes()).await.ok()?;
        while let Ok(Some(line)) = lines.next_line().await {
            let known = [
                ("EHLO", "250-mx\r\n250 AUTH PLAIN LOGIN\r\n"),
                ("AUTH", "235 ok\r\n"),
                ("DATA", "354 go\r\n"),
                (".", "250 ok\r\n"),
                ("MAIL", "250 ok\r\n"),
                ("RCPT", "250 ok\r\n"),
            ];
            match answers.iter().chain(&known).find(|(command, _)| line.starts_with(command)) {
                Some((_, "close")) => return None,
                Some((_, "hang")) => std::future::pending::<()>().await,
                Some((_, answer)) => write.write_all(answer.as_bytes()).await.ok()?,
                // A line of a message.
                None => {}
            }
        }
        Some(())
    });
    client
}

async fn sent(
    greeting: &'static str,
    answers: &'static [(&'static str, &'static str)],
    to: &str,
) -> Result<(), SendError> {
    let mut smtp = Smtp::sign_in(scripted(greeting, answers), false, &who("secret")).await?;
    deliver(&mut smtp, &draft(&[to], "Hi")).await
}

#[tokio::test(start_paused = true)]
async fn server_failures_are_typed_errors() {
    const OK: &str = "220 mx\r\n";
    let to = "noor@x.example";
    assert_eq!(sent(OK, &[], to).await, Ok(()));
    for (greeting, answers, wanted) in [
        ("", &[][..], "TooSlow"),
        ("HTTP/1.1 400 Bad Request\r\n\r\n", &[], "Invalid"),
        ("554 no\r\n", &[], "Refused"),
        (OK, &[("EHLO", "close")], "Closed"),
        (OK, &[("EHLO", "250 mx\r\n")], "NoPassword"),
        (OK, &[("AUTH", "535 \u{1b}[2J\u{202e}wrong\r\n")], "SignIn"),
        (OK, &[("AUTH", "454 later\r\n")], "Refused"),
        (OK, &[("MAIL", "hang")], "TooSlow"),
        (OK, &[("RCPT", "close")], "Closed"),
        (OK, &[("DATA", "451 later\r\n")], "Refused"),
        (OK, &[("DATA", "close")], "Closed"),
        (OK, &[(".", "552 too large\r\n")], "Refused"),
        (OK, &[(".", "close")], "Unknown"),
        (OK, &[(".", "hang")], "Unknown"),
        (OK, &[(".", "nonsense\r\n")], "Unknown"),
    ] {
        let error = sent(greeting, answers, to).await.expect_err("it fails");
        assert!(format!("{error:?}").starts_with(wanted), "{greeting:?} {answers:?}: {error:?}");
        assert!(!error.to_string().chars().any(|c| c.is_control() || c == '\u{202e}'), "{error}");
    }
    let beyond = sent(OK, &[], "größe@x.example").await;
    assert!(matches!(beyond, Err(SendError::NotAscii { .. })), "{beyond:?}");
    let utf8 = &[("EHLO", "250-mx\r\n250-SMTPUTF8\r\n250 AUTH PLAIN\r\n")];
    assert_eq!(sent(OK, utf8, "größe@x.example").await, Ok(()));
}

#[tokio::test]
async fn endless_answer_is_cut_off() {
    let (client, mut server) = duplex(1 << 16);
    tokio::spawn(async move { while server.write_all(&[b'a'; 4096]).await.is_ok() {} });
    let error = Smtp::sign_in(client, false, &who("secret")).await.err();
    assert_eq!(error, Some(SendError::Invalid));
}
