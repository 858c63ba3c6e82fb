//! Mail in place of the chat: a conversation with a contact, from a local server, on the current day.

use fantoccini::key::Key;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, Zoned};
use nova_testkit::Dovecot;

use crate::harness::{Home, Theme, Window};
use crate::take;

const ILSE: &str = "---\ntype: contact\ncompany: \"[[Fernhill Dairy]]\"\nstage: customer\nemail: ilse@fernhill.example\n\
    last_contact: 2026-11-16\nnext_contact: 2026-11-17\n---\n\n## Log\n- 2026-11-16 Sent version 2 of the quote\n";

const DEAL: &str = "---\ntype: deal\ncontact: \"[[Ilse Brandvik]]\"\ncompany: \"[[Fernhill Dairy]]\"\nstage: proposal\n\
    value: 28000\ncurrency: EUR\nclose_date: 2026-11-17\n---\n";

struct Mail<'a> {
    user: &'a str,
    folder: &'a str,
    read: bool,
    /// Days before today, and the time of day.
    at: (i64, i8, i8),
    from: &'a str,
    subject: &'a str,
    /// Additional headers.
    more: &'a str,
    text: &'a str,
    file: Option<(&'a str, usize)>,
}

const PASSED: &str = "Authentication-Results: mx.okell.example; spf=pass; dkim=pass\n";
const FAILED: &str = "Authentication-Results: mx.okell.example; dkim=fail\n";

fn mails() -> Vec<Mail<'static>> {
    let inbox = |user, read, at, from, subject, text| Mail {
        user,
        folder: "INBOX",
        read,
        at,
        from,
        subject,
        more: "",
        text,
        file: None,
    };
    let ilse = "Ilse Brandvik <ilse@fernhill.example>";
    let own = "Sam Okell <sam@okell.example>";
    vec![
        Mail {
            more: "Message-ID: <q1@okell.example>\n",
            folder: "Sent",
            ..inbox(
                "sam@okell.example",
                true,
                (11, 9, 5),
                own,
                "Quote, cold store 2",
                "Here is the first version of the quote for the second cold store, with the layout we talked about.",
            )
        },
        Mail {
            more: "Message-ID: <q2@okell.example>\nReferences: <q1@okell.example>\n",
            folder: "Sent",
            ..inbox(
                "sam@okell.example",
                true,
                (7, 16, 40),
                own,
                "Re: Quote, cold store 2",
                "Version 2, with the changed layout and the lower freight.",
            )
        },
        inbox("sam@okell.example", true, (47, 10, 0), ilse, "Cold-chain audit, last invoice", "Paid today."),
        inbox("sam@okell.example", true, (60, 10, 0), ilse, "Visit in October", "The 14th suits us."),
        inbox(
            "sam@okell.example",
            true,
            (5, 10, 12),
            "Ravi Penhale <ravi@tessel.example>",
            "Pilot review",
            "Here are the numbers of the first four weeks. In short: fewer stops, more waste.",
        ),
        Mail {
            more: "Message-ID: <o1@pinecrest.example>\n",
            ..inbox(
                "sam@okell.example",
                true,
                (6, 9, 10),
                "Odile Farrow <odile@pinecrest.example>",
                "Floor plan, second clinic",
                "Who draws the plan of the second clinic?",
            )
        },
        Mail {
            more: "Message-ID: <o2@pinecrest.example>\nReferences: <o1@pinecrest.example>\n",
            file: Some(("Floor plan.pdf", 90_000)),
            ..inbox(
                "sam@okell.example",
                true,
                (4, 15, 30),
                "Odile Farrow <odile@pinecrest.example>",
                "Floor plan, second clinic",
                "Plan attached. The reception desk moved to the east side.",
            )
        },
        inbox(
            "sam@okell.example",
            false,
            (4, 11, 2),
            "Jane Doe <jane@quillon.example>",
            "Renewal terms",
            "We would renew for two years if the support hours stay as they are.",
        ),
        inbox(
            "home",
            true,
            (1, 9, 31),
            "Mill Lane Bakery <shop@mill.example>",
            "Order for Saturday",
            "Two rye loaves and the plum cake are set aside for you.",
        ),
        inbox(
            "sam@okell.example",
            false,
            (1, 18, 3),
            "Tomasz Wirek <tomasz@brightwater.example>",
            "Re: Site visit, line 2",
            "Thursday suits us better, after 10. Please bring the safety shoes.",
        ),
        Mail {
            more: FAILED,
            ..inbox(
                "home",
                false,
                (0, 0, 20),
                "Parcel desk <desk@parcels.example>",
                "Your parcel could not be delivered",
                "Confirm your address within 24 hours to avoid a return.",
            )
        },
        Mail {
            file: Some(("Agenda.pdf", 40_000)),
            ..inbox(
                "sam@okell.example",
                false,
                (0, 0, 40),
                "Mara Lindholt <mara@lindholt.example>",
                "Kick-off on 11 January",
                "The room is booked for twelve. Could you send the agenda?",
            )
        },
        Mail {
            more: "Reply-To: orders@fernhill-sales.example\nMessage-ID: <q3@fernhill.example>\nReferences: <q1@okell.example> <q2@okell.example>\n",
            file: Some(("Loads, cold store 2.pdf", 290_000)),
            ..inbox(
                "sam@okell.example",
                false,
                (0, 1, 12),
                ilse,
                "Revised quote, cold store 2",
                "<p>Hello Sam,</p><p>Thank you for version 2. The board agrees with the layout, but asks for the <b>second \
                 compressor</b> as an option. Can the price hold until mid December? The measured loads are attached, older \
                 ones are in the <a href=\"https://files.fernhill.example/cold-store-2\">site folder</a>.</p>\
                 <p>Regards, Ilse</p><img src=\"https://www.fernhill.example/logo.png\"><img \
                 src=\"https://www.fernhill.example/banner.png\">",
            )
        },
    ]
}

impl Mail<'_> {
    /// For mails of today, `at` is hours and minutes before now.
    fn received(&self, now: &Zoned) -> Timestamp {
        let (days, hour, minute) = self.at;
        if days == 0 {
            return now
                .saturating_sub((100 - i64::from(hour) * 60 - i64::from(minute)).minutes())
                .timestamp();
        }
        let day = now.date().saturating_sub(days.days());
        day.at(hour, minute, 0, 0).to_zoned(TimeZone::UTC).expect("a time").timestamp()
    }

    fn raw(&self, at: Timestamp) -> String {
        let checked =
            if self.more.contains("Authentication") || self.folder != "INBOX" { "" } else { PASSED };
        let head = format!(
            "{checked}{}From: {}\nTo: {}, Ida <ida@okell.example>\nSubject: {}\nDate: {}\nMIME-Version: 1.0\n",
            self.more,
            self.from,
            if self.user == "home" { "sam@home.example" } else { "sam@okell.example" },
            self.subject,
            at.to_zoned(TimeZone::UTC).strftime("%a, %d %b %Y %H:%M:%S +0000"),
        );
        let kind = if self.text.starts_with('<') { "text/html" } else { "text/plain" };
        let Some((name, bytes)) = self.file else {
            return format!("{head}Content-Type: {kind}; charset=utf-8\n\n{}\n", self.text);
        };
        format!(
            "{head}Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: {kind}; charset=utf-8\n\n{}\n--x\n\
             Content-Type: application/pdf\nContent-Disposition: attachment; filename=\"{name}\"\n\n{}\n--x--\n",
            self.text,
            "%PDF-1.4\n".repeat(bytes / 9)
        )
    }
}

pub(crate) async fn mail(name: &str, theme: Theme) {
    let server = Dovecot::start();
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    for mail in mails() {
        let at = mail.received(&now);
        let flags = if mail.read { "S" } else { "" };
        let seconds = at.as_second().unsigned_abs();
        server.deliver_at(mail.user, mail.folder, flags, mail.raw(at).as_bytes(), seconds);
    }
    let home = Home::new()
        .theme(theme)
        .vault_named("Work")
        .note("CRM/People/Ilse Brandvik.md", ILSE)
        .note("CRM/Companies/Fernhill Dairy.md", "---\ntype: company\n---\n")
        .note("CRM/Deals/Fernhill revised quote.md", DEAL)
        .mailboxes(&server, &[("Work", "sam@okell.example"), ("Home", "home")]);
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.press(&[Key::Control], '4').await;
    window.wait_for("[data-testid=mail-row]").await;
    window.press(&[Key::Control, Key::Shift], '.').await;
    window.wait_for("[data-testid=wide-panel] [data-testid=mail-row]").await;
    window.click("[data-testid=mail-row]").await;
    window.wait_for_text("[data-testid=mail-conversation]", "3 mails").await;
    let drawn = "return document.querySelector('[data-testid=mail-page]')?.contentDocument?.body?.innerText.includes('Regards, Ilse') === true";
    window.until("the mail", drawn, Vec::new()).await;
    window.wait_for_text("[aria-label='In your notes']", "overdue").await;
    window.wait_for_text("[aria-label='In your notes']", "€28,000").await;
    take(&window, "mail", name).await;
    window.close().await;
}

/// The skill's mailboxes: one tested, one with a refused password, and one being added.
pub(crate) async fn settings_mail(name: &str, theme: Theme) {
    let server = Dovecot::start();
    for subject in ["Quote", "Lunch"] {
        server.deliver("sam", "INBOX", "", format!("Subject: {subject}\n\nHi\n").as_bytes());
    }
    let home = Home::new().theme(theme).mailboxes(&server, &[("Work", "sam"), ("Private", "okell")]);
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.click("[data-testid=nav-settings]").await;
    window.click("[data-skill=mail] [data-testid=skill-name]").await;
    window.click("[aria-label='Test Work']").await;
    window.wait_for_text("[data-mailbox=Work]", "Ready").await;
    window.click("[data-testid=mailbox-add]").await;
    window.type_into("[data-testid=mailbox-form] input[type=email]", "sam@okell.example").await;
    window.click_named("Enter them myself").await;
    window.wait_for("[data-testid=mailbox-password]").await;
    take(&window, "settings-mail", name).await;
    window.close().await;
}
