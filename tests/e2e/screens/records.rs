//! The records page of a skill, over a vault that marks people by category.

use std::fmt::Write as _;

use crate::harness::{Home, Theme, Window};
use crate::{SIZES, take, take_in};

/// A proposal from the notes, a rule that matches more, a value without a stage, a custom field, and a custom
/// type that is being named.
pub(crate) async fn records(name: &str, theme: Theme) {
    let mut home = Home::new().theme(theme).vault_named("People").note("Templates/Person.md", PERSON);
    for (at, person) in PEOPLE.iter().enumerate() {
        home = home.note(&format!("People/{person}.md"), &note_of(person, at));
    }
    let home = home
        .note("Friends/Sam Ortega.md", "---\ncategories: [\"[[People]]\"]\nmail: sam@quillon.example\n---\n")
        .note("People/Torn.md", "---\ncategories: [\"[[People]]\"]\nmail: [torn\n---\n")
        .note(
            "People/Eve Moss.md",
            "---\ncategories: [\"[[People]]\"]\nmail: eve@moss.example\nnova: private\n---\n",
        )
        .note("Firms/Acme.md", "---\ntype: company\ncategories: [\"[[People]]\"]\nname: Acme\n---\n")
        .note("Meetings/Monday.md", "---\ntags: [person]\n---\nTalked about the fair.\n")
        .note("Journal/2026-11-02.md", "Wrote to [[Pia Lund]].\n");
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.click("[data-testid=nav-settings]").await;
    window.click("[data-skill=crm] [data-testid=skill-name]").await;
    // The proposal moves everything below it when it appears.
    window.wait_for("[data-testid=field-proposal]").await;
    window.click("[data-testid=open-records]").await;
    window.wait_for_text("[data-testid=records-page]", "One note as Nova would read it").await;
    take(&window, "records", name).await;
    let [large, _] = SIZES;
    window.resize(large.1, large.2).await;
    let fields = "document.querySelector('[aria-label=\"Use joined as a field\"]')";
    window.ask(&format!("{fields}.scrollIntoView({{ block: 'center' }});")).await;
    window.click("[aria-label='Use joined as a field']").await;
    window.click("button[aria-label='Details of joined']").await;
    window.wait_for("[role=group][aria-label='Details of joined']").await;
    window.ask(&format!("{fields}.scrollIntoView({{ block: 'center' }});")).await;
    take_in(&window, "records-fields", name, large).await;
    window.click("[data-testid=new-record-type]").await;
    window.wait_for("[data-testid=new-type]").await;
    take_in(&window, "records-type", name, large).await;
    window.close().await;
}

const PEOPLE: [&str; 8] = [
    "Ada Byron",
    "Grace Hopper",
    "Ilse Brandvik",
    "Jane Doe",
    "Odile Farrow",
    "Pia Lund",
    "Tomasz Wyka",
    "Mara Lindholt",
];

const PERSON: &str = "---\ncategories: [\"[[People]]\"]\nmail:\n---\n";

fn note_of(person: &str, at: usize) -> String {
    let host = person.to_lowercase().replace(' ', ".");
    let last = if at == 3 { "spring".to_owned() } else { format!("2026-11-{:02}", 10 + at) };
    let stage = ["active", "prospect", "dormant", "warm?"][at % 4];
    let mut text = format!(
        "---\ncategories: [\"[[People]]\"]\norg: \"[[Fernhill Dairy]]\"\nmail: {host}@fernhill.example\nlast_contact: {last}\nstage: {stage}\n"
    );
    if at.is_multiple_of(2) {
        let _ = writeln!(text, "joined: 198{at}-03-02");
    }
    text + "---\n"
}
