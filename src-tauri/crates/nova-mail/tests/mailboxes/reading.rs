//! Messages as mail programs write them.

use nova_mail::{Message, PartKind};

#[track_caller]
pub(crate) fn read(raw: &str) -> Message {
    Message::read(raw.replace('\n', "\r\n").as_bytes(), &["mx.home.example"]).expect("a message")
}

#[test]
fn headers_and_text_are_decoded() {
    let message = read(
        "From: =?utf-8?q?J=C3=BCrgen_Gro=C3=9F?= <j@gross.example>\n\
         To: \"Doe, Jane\" <jane@home.example>, all@home.example\n\
         Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\n\
         Date: Fri, 27 Nov 2026 09:30:00 +0100\n\
         Message-ID: <1@gross.example>\nIn-Reply-To: <0@home.example>\n\
         MIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-15\n\
         Content-Transfer-Encoding: quoted-printable\n\nDas kostet 5 =A4.\n",
    );
    let envelope = message.envelope;
    assert_eq!(envelope.from[0].name.as_deref(), Some("Jürgen Groß"));
    assert_eq!(
        envelope.to.iter().map(|to| to.address.as_str()).collect::<Vec<_>>(),
        ["jane@home.example", "all@home.example"]
    );
    assert_eq!(envelope.subject, "Grüße");
    assert_eq!(envelope.date.map(|date| date.to_string()).as_deref(), Some("2026-11-27T08:30:00Z"));
    assert_eq!(
        (envelope.message_id.as_deref(), envelope.references),
        (Some("1@gross.example"), vec!["0@home.example".to_owned()])
    );
    assert_eq!(message.text, "Das kostet 5 €.");
}

#[test]
fn parts_are_listed_with_their_size() {
    let message = read(
        "From: a@b.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n\
         --x\nContent-Type: multipart/alternative; boundary=y\n\n\
         --y\nContent-Type: text/plain\n\nSee the plan.\n\
         --y\nContent-Type: text/html\n\n<p>See the <b>plan</b>.</p>\n--y--\n\
         --x\nContent-Type: application/pdf; name=\"../plan.pdf\"\nContent-Transfer-Encoding: base64\n\
         Content-Disposition: attachment; filename=\"../plan.pdf\"\n\nJVBERi0xLjQK\n\
         --x\nContent-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nEND:VCALENDAR\n\
         --x\nContent-Type: application/ms-tnef; name=winmail.dat\n\nTNEF\n\
         --x\nContent-Type: message/rfc822\n\nSubject: Inner\nFrom: c@d.example\n\nForwarded.\n--x--\n",
    );
    assert_eq!(message.text, "See the plan.");
    let parts: Vec<_> = message.parts.iter().map(|part| (part.kind, part.name.as_str())).collect();
    assert_eq!(
        parts,
        [
            (PartKind::Attachment, ".._plan.pdf"),
            (PartKind::Calendar, "invitation.ics"),
            (PartKind::Tnef, "winmail.dat"),
            (PartKind::Message, "Inner"),
        ]
    );
    assert_eq!((message.parts[0].size, message.parts[0].media_type.as_str()), (9, "application/pdf"));
}

#[test]
fn html_alone_is_read_as_text() {
    let message = read(
        "From: a@b.example\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n\
         PHA+SGVsbG8gPGI+SmFuZTwvYj4sPC9wPjxwPmJ5ZTwvcD4=\n",
    );
    assert_eq!(message.text, "Hello Jane,\n\nbye");
}
