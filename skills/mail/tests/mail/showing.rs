//! What the window draws of a message.

use std::sync::Arc;

use nova_protocol::Decision;
use nova_skill::{Skill, Tool, Value, json};
use nova_testkit::{
    Dovecot, FixedClock, FixedCredentials, Reply, ScriptedApprover, SkillInVault, TempVault, WebRequest,
    denied,
};

use crate::reading::entry;

/// The skill with its window tools among its tools, so that a test can call them.
struct WithWindow(Box<dyn Skill>);

impl Skill for WithWindow {
    fn skill_md(&self) -> &str {
        self.0.skill_md()
    }

    fn manifest(&self) -> &str {
        self.0.manifest()
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.0.tools().into_iter().chain(nova_skill_mail::for_window()).collect()
    }
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

/// Pictures of two hosts, of this machine and of a local network.
const NEWSLETTER: &str = "From: News <news@home.example>\nSubject: News\nMIME-Version: 1.0\n\
    Content-Type: multipart/alternative; boundary=y\n\n--y\nContent-Type: text/plain\n\nPlain words.\n\
    --y\nContent-Type: text/html; charset=utf-8\n\n<p onclick=x>Drawn <b>words</b>.</p><script>x</script>\
    <img src='http://pics.example/a.png?to=jane'><img src='http://pics.example/b.png'>\
    <img src='http://pics.example/lies.png'><img src='http://pics.example/away.png'>\
    <img src='http://other.example/c.png'><img src='http://10.0.0.1/d.png'>\
    <img src='http://t.example/pixel.png' width=1 height=1>\n--y--\n";

fn web(request: &WebRequest) -> Reply {
    match request.path.as_str() {
        "/lies.png" => Reply::with(200, &[("content-type", "image/png")], "<svg onload='alert(1)'/>"),
        "/away.png" => Reply::to(302, "http://10.0.0.1/d.png"),
        _ => {
            let head =
                format!("HTTP/1.1 200 X\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", PNG.len());
            Reply::Bytes([head.as_bytes(), PNG].concat())
        }
    }
}

fn with(mail: &str) -> (Dovecot, SkillInVault, Value) {
    let server = Dovecot::start();
    server.deliver("jane", "INBOX", "", mail.replace('\n', "\r\n").as_bytes());
    let vault = TempVault::from("").with_clock(FixedClock::default());
    let mut skill = SkillInVault::new(Box::new(WithWindow(nova_skill_mail::skill())), vault)
        .with_config(json!({"mailboxes": [entry("Home", &server, "jane")]}))
        .with_web_beside(&server, &["pics.example", "other.example", "t.example"], web);
    skill.credentials = Arc::new(FixedCredentials::default().with("mail/test", Dovecot::PASSWORD));
    let id = skill.value("list", json!({}))["messages"][0]["id"].clone();
    (server, skill, id)
}

fn drawn(answer: &Value) -> usize {
    answer["page"]["html"].as_str().unwrap().matches("src=\"data:image/png;base64,").count()
}

#[test]
fn html_goes_to_the_window_and_text_to_the_model() {
    let (server, skill, id) = with(NEWSLETTER);
    let before = server.messages("jane");
    let shown = skill.value("show", json!({"id": id}));
    assert_eq!(shown["text"], "Plain words.");
    let html = shown["page"]["html"].as_str().unwrap();
    assert!(html.starts_with("<p>Drawn <b>words</b>.</p>"), "{html}");
    assert_eq!(
        (drawn(&shown), &shown["page"]["pictures_not_loaded"]),
        (0, &json!(6)),
        "the tracking pixel is not listed"
    );
    assert_eq!(shown["page"]["hosts"], json!(["10.0.0.1", "other.example", "pics.example"]));
    assert!(skill.value("read", json!({"id": id}))["page"].is_null());
    assert!(skill.requests().is_empty() && skill.approver.asked().is_empty());
    assert_eq!(server.messages("jane"), before);

    let names: Vec<String> =
        nova_skill_mail::skill().tools().iter().map(|tool| tool.spec().id.clone()).collect();
    assert!(!names.iter().any(|name| name.starts_with("show")), "{names:?}");
}

#[test]
fn plain_mail_has_no_page() {
    let (_server, skill, id) = with("From: a@b.example\nSubject: Hi\n\n<p>Hi\n");
    let shown = skill.value("show", json!({"id": id}));
    assert_eq!((shown["text"].as_str(), shown["page"].is_null()), (Some("<p>Hi"), true));
}

#[test]
fn pictures_load_from_hosts_that_the_card_showed() {
    let (_server, mut skill, id) = with(NEWSLETTER);
    skill.approver = ScriptedApprover::new([denied("No.")]);
    let load = json!({"id": id, "pictures_from": ["pics.example"]});
    assert!(skill.call("show", load.clone()).result.is_err());
    let asked = skill.approver.asked();
    assert_eq!(asked[0].question, "Load pictures from pics.example, this once?");
    assert_eq!(asked[0].decisions, [Decision::Once, Decision::Deny], "never for longer");
    assert!(skill.requests().is_empty());

    // Once for the card; the redirect to a local network is refused before anybody is asked.
    skill.approver = ScriptedApprover::new([nova_testkit::decided(Decision::Once), denied("No.")]);
    let shown = skill.value("show", load.clone());
    assert_eq!(skill.approver.asked().len(), 1);
    let mut asked_for: Vec<String> = skill.requests().into_iter().map(|request| request.path).collect();
    asked_for.sort();
    assert_eq!(asked_for, ["/a.png?to=jane", "/away.png", "/b.png", "/lies.png"]);
    assert_eq!((drawn(&shown), &shown["page"]["pictures_not_loaded"]), (2, &json!(4)));
    let failed = shown["page"]["failed"].to_string();
    assert!(failed.contains("pics.example: "), "{failed}");
    for request in skill.requests() {
        assert!(
            !request.headers.contains_key("cookie") && !request.headers.contains_key("referer"),
            "{request:?}"
        );
    }

    skill.approver = ScriptedApprover::new([denied("No.")]);
    assert!(skill.call("show", load).result.is_err(), "the next time asks again");
}

#[test]
fn pictures_of_a_local_network_are_never_loaded() {
    let (_server, mut skill, id) = with(NEWSLETTER);
    skill.approver = ScriptedApprover::always(Decision::Once);
    let shown = skill.value("show", json!({"id": id, "pictures_from": ["10.0.0.1"]}));
    assert_eq!(drawn(&shown), 0);
    assert!(shown["page"]["failed"].to_string().contains("10.0.0.1: "), "{shown}");
    assert!(skill.requests().is_empty());
}

#[test]
fn only_a_picture_is_previewed() {
    let part = |kind: &str, body: &str| {
        format!(
            "--x\nContent-Type: {kind}\nContent-Disposition: attachment; filename=a\nContent-Transfer-Encoding: base64\n\n{body}\n"
        )
    };
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
    let mail = [
        "From: a@b.example\nSubject: Hi\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nHi\n",
        &part("application/octet-stream", png),
        &part("image/png", "PHN2Zy8+"),
        "--x--\n",
    ];
    let (_server, skill, id) = with(&mail.concat());
    let shown = skill.value("show_attachment", json!({"id": id, "at": 0}));
    assert_eq!(shown["picture"], format!("data:image/png;base64,{png}"), "by its bytes");
    let error = skill.error("show_attachment", json!({"id": id, "at": 1}));
    assert_eq!(
        (error.message.as_str(), error.hint.as_str()),
        ("The attachment is not shown: it is not a PNG, JPEG, GIF or WebP.", "Save it to the vault instead.")
    );
    assert!(skill.call("show_attachment", json!({"id": id, "at": 9})).result.is_err());
}
