//! Mail beside the chat, from a local server: a message is read by mouse and by keys, searched for, logged
//! with its contact, answered and archived; an interrupted sending is not repeated.

use std::time::Duration;

use fantoccini::key::Key;
use nova_testkit::{Dovecot, SmtpServer};
use serde_json::json;

use crate::harness::{Home, PATIENCE, Window};
use crate::hostile_page::Elsewhere;

const CARD: &str = "[data-testid=approval-card][data-armed=true]";
const CONTACT: &str = "CRM/People/Ilse Brandvik.md";
const ILSE: &str = "---\ntype: contact\nemail: ilse@fernhill.example\nstage: customer\n---\n";

/// A hostile mail that must neither leave its frame nor contact that host.
fn hostile(host: &str) -> String {
    format!(
        "From: \"<b>Parcel desk</b>\" <x@evil.example>\nSubject: <img src=x onerror=document.title=1>\n\
         Message-ID: <2@evil.example>\nContent-Type: text/html; charset=utf-8\n\n\
         <base href='http://{host}/'><meta http-equiv=refresh content='0;url=http://{host}/'>\
         <style>@import 'http://{host}/a.css'; body {{ background: url(http://{host}/b) }}</style>\
         <p style='position:fixed;inset:0;color:#222'>Confirm <a href='https://evil.example/pay'>www.bank.example</a>.</p>\
         <img src='http://{host}/seen'><img src=x onerror=\"document.title='taken'\"><iframe src='http://{host}/'></iframe>\
         <form action='http://{host}/'><input name=password></form><svg><image href='http://{host}/c'/></svg>\
         <script>document.title = 'taken'</script>\n"
    )
}

fn from_ilse(id: u8, subject: &str, more: &str, text: &str) -> String {
    format!(
        "From: Ilse Brandvik <ilse@fernhill.example>\nTo: jane@okell.example\nSubject: {subject}\n\
         Message-ID: <{id}@fernhill.example>\n{more}Content-Type: text/plain; charset=utf-8\n\n{text}\n"
    )
}

#[tokio::test]
async fn mail_is_read_searched_for_and_logged() {
    let server = Dovecot::start();
    let put = |folder: &str, flags: &str, mail: &str| server.deliver("jane", folder, flags, mail.as_bytes());
    put("Archive", "S", &from_ilse(1, "Quote, cold store", "", "Could you send a quote?"));
    let answer = "References: <1@fernhill.example>\n";
    put("INBOX", "", &from_ilse(3, "Re: Quote, cold store", answer, "The board agrees.\n\nRegards, Ilse"));
    let elsewhere = Elsewhere::new();
    put("INBOX", "", &hostile(&elsewhere.host()));
    let before = server.messages("jane");
    let home = Home::new()
        .note(CONTACT, ILSE)
        .mailboxes(&server, &[("Work", "jane")])
        .launcher("echo \"$*\" >>\"$HOME/opened\"");
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.press(&[Key::Control], '4').await;
    window.wait_for_text("[data-testid=skill-panel]", "Re: Quote, cold store").await;
    window.press(&[Key::Control, Key::Shift], '.').await;
    window.wait_for("[data-testid=wide-panel] [data-testid=mail-row]").await;

    // By keyboard: the second message, its conversation, its text.
    window.ask("document.querySelector('[data-testid=mail-row]').focus()").await;
    window.press(&[], 'j').await;
    window.press(&[], Key::Enter).await;
    window.wait_for_text("[data-testid=mail-text]", "The board agrees.").await;
    window.wait_for_text("[data-testid=mail-conversation]", "2 mails").await;
    window.wait_for_text("[data-testid=mail-conversation]", "Could you send a quote?").await;
    window.wait_for_text("[aria-label='In your notes']", "Ilse Brandvik").await;
    window.wait_for_text("[data-testid=mail-log-line]", "Mail: Re: Quote, cold store").await;
    window.click("[data-testid=mail-log]").await;
    window.wait_for_text("[data-testid=mail-logged]", "Logged with Ilse Brandvik").await;
    assert!(home.read_note(CONTACT).contains("Mail: Re: Quote, cold store"), "{}", home.read_note(CONTACT));
    window.click_named("Undo").await;
    window.wait_for_text("[data-testid=mail-logged]", "is as it was").await;
    assert_eq!(home.read_note(CONTACT), ILSE);

    // A hostile mail is drawn in its frame, where its link shows its target and opens outside.
    window.click("[data-testid=mail-row]").await;
    let drawn = "return document.querySelector('[data-testid=mail-page]')?.contentDocument?.body?.innerText.trim() === arguments[0]";
    window.until("the mail", drawn, vec![json!("Confirm www.bank.example evil.example.")]).await;
    let told = format!("1 remote image not loaded. Loading tells {}", elsewhere.host());
    window.wait_for_text("[data-testid=mail-pictures]", &told).await;
    window.click_in_frame("[data-testid=mail-page]", "a").await;
    window.wait_for_file(&home.in_home("opened"), "https://evil.example/pay").await;
    window.until("the mail, still", drawn, vec![json!("Confirm www.bank.example evil.example.")]).await;
    let page = window
        .ask(
            "const { contentDocument, clientHeight } = document.querySelector('[data-testid=mail-page]');
             const elements = [...contentDocument.body.querySelectorAll('*')].map(({ localName }) => localName).sort();
             return [document.title === 'taken', elements, contentDocument.defaultView.getComputedStyle(contentDocument.querySelector('p')).position, clientHeight < 300];",
        )
        .await;
    assert_eq!(page, json!([false, ["a", "img", "img", "p", "span"], "static", true]));
    assert!(window.ask("return document.querySelector('[data-testid=skill-panel] b')").await.is_null());
    window.click_named("Show as text").await;
    window.wait_for_text("[data-testid=mail-text]", "www.bank.example evil.example").await;
    elsewhere.assert_not_asked();

    // Its image is on this machine, which no mail reaches, whatever its reader allows.
    window.click_named("Show as HTML").await;
    window.click_named("Load once").await;
    window.wait_for_text(CARD, &format!("Load pictures from {}, this once?", elsewhere.host())).await;
    window.click(&format!("{CARD} [data-testid=approval-once]")).await;
    window.wait_for_text("[data-testid=mail-message]", "Some images were not loaded. 127.0.0.1").await;
    elsewhere.assert_not_asked();

    window.ask("document.querySelector('[data-testid=mail-row]').focus()").await;
    window.press(&[], '/').await;
    window.wait_for_focus("[data-mail-search] input").await;
    window.type_into("[data-mail-search] input", "board agrees").await;
    window.press(&[], Key::Enter).await;
    window.wait_gone("[data-testid=mail-row]:nth-of-type(2)").await;
    window.wait_for_text("[data-testid=mail-row]", "Ilse Brandvik").await;
    assert_eq!(server.messages("jane"), before, "looking at mail changes nothing");
    window.close().await;
}

#[tokio::test]
async fn new_mail_appears_in_the_open_panel() {
    let server = Dovecot::start();
    let put = |mail: &str| server.deliver("jane", "INBOX", "", mail.as_bytes());
    put(&from_ilse(1, "Quote, cold store", "", "Could you send a quote?"));
    let home = Home::new().mailboxes(&server, &[("Work", "jane")]);
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.press(&[Key::Control], '4').await;
    window.wait_for_text("[data-testid=skill-panel]", "Quote, cold store").await;
    put(&from_ilse(2, "Signed contract", "", "Here it is."));
    // Two minutes after the first list, the panel would read it again by itself.
    let shown = window.wait_for_text("[data-testid=skill-panel]", "Signed contract");
    tokio::time::timeout(Duration::from_secs(90), shown).await.expect("the inbox is watched");
    window.close().await;
}

#[tokio::test]
async fn mail_is_answered_and_archived() {
    let server = Dovecot::start();
    let smtp = SmtpServer::start(&server);
    server.deliver(
        "jane",
        "INBOX",
        "S",
        from_ilse(1, "Quote, cold store", "", "Is Friday possible?").as_bytes(),
    );
    let home = Home::new().mailbox_that_sends(&server, &smtp, "jane");
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    answer(&window, "Friday is fine.").await;
    for shown in
        ["Ilse Brandvik <ilse@fernhill.example>", "never written to before", "Re: Quote", "Friday is fine."]
    {
        window.wait_for_text(CARD, shown).await;
    }
    let offered = window
        .ask("return [...document.querySelectorAll('[data-testid=approval-card] button[data-testid]')].map(({ dataset }) => dataset.testid)")
        .await;
    assert_eq!(offered, json!(["approval-once", "approval-deny", "approval-edit"]), "only a click sends");
    assert!(smtp.taken().is_empty());
    window.click(&format!("{CARD} [data-testid=approval-once]")).await;
    window.wait_gone("[data-testid=mail-write]").await;
    let taken = smtp.taken();
    assert_eq!((taken.len(), taken[0].to.as_slice()), (1, &["ilse@fernhill.example".to_owned()][..]));
    assert!(taken[0].message.contains("Friday is fine."), "{}", taken[0].message);
    window.wait_for_text("[data-testid=mail-conversation]", "2 mails").await;

    window.click("[data-testid=mail-archive]").await;
    window.wait_for_text(CARD, "Archive 1 mail").await;
    window.click(&format!("{CARD} [data-testid=approval-once]")).await;
    window.wait_gone("[data-testid=mail-row]").await;
    let places = server.messages("jane");
    let archived = places.iter().filter(|place| place.to_string_lossy().contains("/.Archive/"));
    assert_eq!(archived.count(), 1, "{places:?}");
    window.close().await;
}

/// Answers the first mail with this text and waits for the card.
async fn answer(window: &Window, text: &str) {
    window.press(&[Key::Control], '4').await;
    window.press(&[Key::Control, Key::Shift], '.').await;
    window.wait_for("[data-testid=wide-panel] [data-testid=mail-row]").await;
    window.click("[data-testid=mail-row]").await;
    window.wait_for("[data-testid=mail-text]").await;
    window.press(&[], 'r').await;
    window.wait_for_focus("[data-testid=mail-write-text]").await;
    window.type_into("[data-testid=mail-write-text]", text).await;
    window.press(&[Key::Control], Key::Enter).await;
    window.wait_for(CARD).await;
}

/// The server received the message but did not confirm, so the outcome is unknown.
#[tokio::test]
async fn mail_whose_sending_was_killed_is_not_sent_twice() {
    let server = Dovecot::start();
    let smtp = SmtpServer::start(&server);
    let mail = from_ilse(1, "Quote", "", "Is Friday possible?").replace("ilse@", "slow@");
    server.deliver("jane", "INBOX", "S", mail.as_bytes());
    let home = Home::new().mailbox_that_sends(&server, &smtp, "jane");
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    answer(&window, "Friday is fine.").await;
    window.click(&format!("{CARD} [data-testid=approval-once]")).await;
    let taken = async {
        while smtp.taken().is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, taken).await.expect("the server takes the mail");
    window.kill().await;

    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    answer(&window, "Friday is fine.").await;
    window.wait_for_text(CARD, "it may have been sent").await;
    window.click(&format!("{CARD} [data-testid=approval-once]")).await;
    window.wait_for_text("[data-testid=call-failed]", "it may have been sent").await;
    assert_eq!(smtp.taken().len(), 1, "not a second time");
    let places = server.messages("jane");
    let drafts = places.iter().filter(|place| place.to_string_lossy().contains("/.Drafts/"));
    assert_eq!(drafts.count(), 1, "the mail is not lost: {places:?}");
    window.close().await;
}
