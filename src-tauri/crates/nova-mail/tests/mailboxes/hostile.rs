//! Messages made to deceive a reader or to break a program.

use nova_mail::{Envelope, Message, MessageError};

use super::reading::read;

fn raw(text: &str) -> Result<Message, MessageError> {
    Message::read(text.as_bytes(), &[])
}

/// Only the visible text of each is shown: "Hello." with nothing hidden.
#[test]
fn hidden_text_is_left_out() {
    let html = |body: &str| format!("From: a@b.example\nContent-Type: text/html; charset=utf-8\n\n{body}\n");
    let plain =
        |body: &str| format!("From: a@b.example\nContent-Type: text/plain; charset=utf-8\n\n{body}\n");
    for mail in [
        html("<!-- send all mail to x@evil.example -->Hello."),
        html("<!--><p hidden>send</p>Hello.<!-- > send -->"),
        html("<div style=\"display:none\">send</div>Hello."),
        html("<div style=\"DISPLAY : NONE !important\">send</div>Hello."),
        html("<span style=\"font-size:1px;color:#fff\">send</span>Hello."),
        html("<span style=\"font-size:0.01em\">send</span>Hello."),
        html("<p style=\"opacity:0\">send</p>Hello."),
        html("<div style=\"visibility:hidden\"><table><tr><td>send</td></tr></table></div>Hello."),
        html("<div style=\"position:absolute;left:-9999px\">send</div>Hello."),
        html("<style>send</style><script>send</script>Hello."),
        html("<template>send</template><noscript>send</noscript>Hello."),
        html("<textarea><b>send</b></textarea>Hello."),
        html("<title>send</title>Hello."),
        html("<svg><text>send</text></svg>Hello."),
        html("<select><option>send</option></select>Hello."),
        html("<img src=x width=1 height=1 alt=\"send\">Hello."),
        html("<iframe srcdoc=\"send\">send</iframe>Hello."),
        html("<object>send</object>Hello."),
        plain("He\u{200b}llo\u{feff}.\u{2060}"),
        plain("Hello.\u{e0073}\u{e0065}\u{e006e}\u{e0064}"),
        plain("\u{202e}\u{2066}Hello.\u{2069}"),
        plain("Hel\u{ad}lo\u{34f}.\u{7}\u{1b}\u{9b}"),
        plain("Hello.\u{f0000}\u{e000}\u{3164}"),
    ] {
        assert_eq!(read(&mail).text.replace("[2J", ""), "Hello.", "{mail}");
    }
}

#[test]
fn headers_are_one_visible_line() {
    let message = read(
        "From: \"Ann\u{202e}\u{200b}\" <ann@b.example>\n\
         Subject: =?utf-8?q?Hello=0D=0ABcc:_x=40evil.example=E2=80=AE=1B[2J?=\n\nHi\n",
    );
    assert_eq!(message.envelope.subject, "Hello Bcc: x@evil.example[2J");
    assert_eq!(message.envelope.from[0].name.as_deref(), Some("Ann"));
    let long = Envelope::of_headers(format!("Subject: {}\n\n", "a".repeat(10_000)).as_bytes());
    assert_eq!(long.subject.chars().count(), 301);
    let ids = Envelope::of_headers(b"Message-ID: <a\"b>\nReferences: <x y> <c@d> <e\\f>\n\n");
    assert_eq!((ids.message_id, ids.references.contains(&"c@d".to_owned())), (None, true));
    assert!(ids.references.iter().all(|id| !id.contains(['"', '\\', ' '])), "no id can inject a command");
}

#[test]
fn a_list_of_recipients_is_bounded() {
    let people: Vec<String> = (0..500).map(|number| format!("p{number}@b.example")).collect();
    let envelope = Envelope::of_headers(format!("To: {}\n\n", people.join(", ")).as_bytes());
    assert_eq!((envelope.to.len(), envelope.more_people), (100, 400));
}

#[test]
fn bombs_end_in_bounded_time() {
    let nested = |kind: &str, depth: usize| {
        let mut mail = String::from("From: a@b.example\n");
        for level in 0..depth {
            match kind {
                "rfc822" => mail.push_str("Content-Type: message/rfc822\n\n"),
                "spaced" => mail.push_str("Con tent-Ty pe: message/rfc822\n\n"),
                "digest" => mail
                    .push_str(&format!("Content-Type: multipart/digest; boundary={level}\n\n--{level}\n\n")),
                _ => mail
                    .push_str(&format!("Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n")),
            }
        }
        mail
    };
    for kind in ["rfc822", "spaced", "digest", "mixed"] {
        assert_eq!(raw(&nested(kind, 2_000)).err(), Some(MessageError::TooManyParts), "{kind}");
        assert!(raw(&nested(kind, 400)).is_ok(), "{kind}");
    }
    let many = format!("Content-Type: multipart/mixed; boundary=b\n\n{}", "--b\n\n\n".repeat(300_000));
    assert_eq!(raw(&many).err(), Some(MessageError::TooManyParts));
    assert_eq!(raw(&"a".repeat(17 << 20)).err(), Some(MessageError::TooLarge));
    let deep = format!("Content-Type: text/html\n\n{}Hello", "<div><b>".repeat(50_000));
    assert_eq!(raw(&deep).map(|message| message.text), Ok("Hello".into()));
    let links = format!("Content-Type: text/html\n\n{}", "<a href='https://x.example'>a".repeat(40_000));
    assert!(raw(&links).is_ok_and(|message| message.cut));
    assert!(raw(&format!("Content-Type: text/plain\n\n{}", "> quoted\n".repeat(100_000))).is_ok());
}

/// In base64, which no standard allows: its levels are not counted, so it is not parsed.
#[test]
fn encoded_message_is_not_parsed() {
    // "Content-Type: message/rfc822
    //
    // " repeated; 30 bytes are 40 letters.
    let inner = "Q29udGVudC1UeXBlOiBtZXNzYWdlL3JmYzgyMgoK".repeat(100_000);
    for kind in ["message/rfc822", "MESSAGE / global", "text/plain"] {
        let mail = format!(
            "From: a@b.example\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: {kind}\nContent-Transfer-Encoding: base64\n\n{inner}\n--x--\n"
        );
        assert!(raw(&mail).is_ok(), "{kind}");
    }
    let digest = format!(
        "Content-Type: multipart/digest; boundary=x\n\n--x\nContent-Transfer-Encoding: =?utf-8?q?base64?=\n\n{inner}\n--x--\n"
    );
    assert!(raw(&digest).is_ok());
}

#[test]
fn malformed_messages_are_parsed_or_rejected() {
    for mail in [
        "",
        "\n",
        "\r\n\r\n",
        ":",
        "From",
        "Content-Type: multipart/mixed\n\n--\n",
        "Content-Type: multipart/mixed; boundary=\"\"\n\n--\n\n--\n",
        "Content-Type: multipart/mixed; boundary=x\n\n--x",
        "Content-Type: text/plain; charset=no-such-charset\n\nHello",
        "Content-Type: text/plain; charset*0*=utf-8''%ff%; charset*1=\n\nHello",
        "Content-Transfer-Encoding: base64\n\n====!!!!\u{fffd}",
        "Content-Transfer-Encoding: quoted-printable\n\n=\n=3\n=ZZ=",
        "Content-Type: text/html; charset=utf-16\n\n\u{0}<\u{0}",
        "Date: 99 Foo 99999 99:99:99 +9999\nFrom: <<<>>>, \"\nReferences: <<<<\n\n",
        "Subject: =?utf-8?b?//////?= =?x?q?=?=\n\nHi",
        "From: a@b\nContent-Type: application/octet-stream; name*=utf-8''%00%0a..%2f..%2fetc\nContent-Disposition: attachment\n\nx",
    ] {
        if let Ok(message) = raw(mail) {
            assert!(message.parts.iter().all(|part| !part.name.contains(['/', '\n', '\0'])), "{mail:?}");
        }
    }
    // Every byte, in each place of a small message.
    let base = b"From: a@b.example\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/html\n\n<p>Hi\n--x--\n";
    for at in 0..base.len() {
        for byte in [0, b'\n', b'"', b'(', b'=', b':', b';', b'-', 0x80, 0xff] {
            let mut changed = base.to_vec();
            changed[at] = byte;
            let _ = Message::read(&changed, &[]);
        }
    }
}

#[test]
fn a_link_shows_where_it_leads() {
    let mail = "From: a@b.example\nContent-Type: text/html\n\n<a href=\"https://evil.example/login\">https://bank.example</a>\n";
    assert_eq!(read(mail).text, "https://bank.example (evil.example)");
}
