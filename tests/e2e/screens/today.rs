//! The page of the day, with today's events and due items.

use std::fmt::Write as _;

use jiff::civil::Date;
use jiff::{ToSpan as _, Zoned};

use crate::harness::{Home, Theme, Window};
use crate::take;

pub(crate) async fn today(name: &str, theme: Theme) {
    let home = vault(Home::new().theme(theme).vault_named("Work vault"));
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=today-row]").await;
    window.click("[aria-label='Done: Ask Ravi for the pilot dates']").await;
    window.wait_for("[aria-label='Done: Ask Ravi for the pilot dates']:checked:enabled").await;
    take(&window, "today", name).await;
    window.close().await;
}

/// Events and due items, for each skill.
fn vault(home: Home) -> Home {
    let today = Zoned::now().date();
    let on = |days: i64| -> Date { today.saturating_add(days.days()) };
    let mut tasks = String::from("# Office\n\n");
    for (text, days) in [
        ("Send the revised quote", -6),
        ("Call the site manager", -4),
        ("Sign the lease renewal", 0),
        ("Book the train to Porto", 0),
        ("Ask Ravi for the pilot dates", 0),
    ] {
        let _ = writeln!(tasks, "- [ ] {text} 📅 {}", on(days));
    }
    let mut home = home.note("Projects/Office.md", &tasks);
    for (title, begins, ends) in [
        ("Standup", "00:01", "00:02"),
        ("Quillon renewal terms", "00:03", "23:30"),
        ("Fernhill revised quote", "23:31", "23:50"),
        ("Pick up Leo", "23:45", "23:59"),
    ] {
        let times = format!("startTime: \"{begins}\"\nendTime: \"{ends}\"\n");
        home = home.note(
            &format!("Events/{title}.md"),
            &format!("---\ntype: event\ntitle: {title}\ndate: {today}\n{times}---\n"),
        );
    }
    let days = format!("date: {today}\nendDate: {}\nallDay: true\n", on(2));
    home = home.note(
        "Events/Quarter close.md",
        &format!("---\ntype: event\ntitle: \"Quarter close, day 1 of 3\"\n{days}---\n"),
    );
    for (person, company, said) in [
        ("Ilse Brandvik", "Fernhill Dairy", format!("next_contact: {}\n", on(-6))),
        ("Tomasz Wirek", "Brightwater", format!("next_contact: {}\n", on(-4))),
        ("Jane Doe", "Quillon Labs", format!("last_contact: {}\nevery: 2 weeks\n", on(-13))),
        ("Odile Farrow", "Pinecrest Clinics", format!("birthday: --{}\n", on(0).strftime("%m-%d"))),
        ("Ravi Penhale", "Tessel Robotics", format!("birthday: 1988-{}\n", on(4).strftime("%m-%d"))),
    ] {
        home = home.note(
            &format!("CRM/People/{person}.md"),
            &format!("---\ntype: contact\nname: {person}\ncompany: \"[[{company}]]\"\n{said}---\n"),
        );
    }
    for (payee, amount, days, recurring) in [
        ("Electricity", "64.60", 3, "monthly"),
        ("Office rent", "820.00", 8, "monthly"),
        ("Backup space", "9.90", 11, "none"),
    ] {
        let date = on(days);
        home = home.note(
            &format!("Budget/Expenses/{payee}.md"),
            &format!(
                "---\ntype: expense\ndate: {date}\namount: {amount}\ncurrency: EUR\npayee: {payee}\nrecurring: {recurring}\n---\n"
            ),
        );
    }
    for (days, close) in [(-2, "41.80"), (-1, "42.18")] {
        home = home.note(
            &format!("Portfolio/Prices/{days}.md"),
            &format!(
                "---\ntype: price\nsymbol: NGTL\ndate: {}\nclose: {close}\ncurrency: EUR\n---\n",
                on(days)
            ),
        );
    }
    home.note("Portfolio/Watchlist.md", "---\ntype: watchlist\n---\n- [[NGTL]] target 42 EUR\n")
}
