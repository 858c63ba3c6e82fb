//! Writes the screenshots in `docs/screenshots`: the window in both sizes and both colour schemes. `make
//! screenshots` runs it; nothing is compared. Arguments select screens by name: `cargo test … --test
//! screenshots -- picker`.

#[allow(dead_code, unused_imports, reason = "its model is in a picture, too")]
mod giving_tasks;
mod harness;
#[allow(dead_code, unused_imports, reason = "its server is in a picture, too")]
mod mcp_servers;
mod model;
#[allow(dead_code, reason = "the journeys with the servers name it")]
#[path = "../journeys/protected_server.rs"]
mod protected_server;
mod screens {
    pub(crate) mod calendar;
    pub(crate) mod chats;
    pub(crate) mod mail;
    pub(crate) mod records;
    pub(crate) mod screener;
    pub(crate) mod servers;
    pub(crate) mod settings;
    pub(crate) mod symbol;
    pub(crate) mod today;
}
#[allow(dead_code, unused_imports, reason = "its script is in a picture, too")]
mod running_code;
#[allow(dead_code, unused_imports, reason = "its command is in a picture, too")]
mod running_commands;
#[allow(dead_code, unused_imports, reason = "its screen is in a picture, too")]
mod screener;
#[allow(dead_code, unused_imports, reason = "its share is in a picture, too")]
mod symbol;
#[allow(dead_code, unused_imports, reason = "its tool is in a picture, too")]
mod waiting_tools;
#[allow(dead_code, unused_imports, reason = "its chat is in a picture, too")]
mod web_pages;

use std::path::{Path, PathBuf};

use fantoccini::key::Key;

use harness::{Home, Theme, Window, copy_tree};
use screens::calendar::calendar;
use screens::chats::{answer, edit, failed, sub_agents, trash};
use screens::mail::{mail, settings_mail};
use screens::records::records;
use screens::screener::screener as screen;
use screens::servers::settings_mcp;
use screens::settings::{models, permissions, review, running, settings, settings_vault, waiting_tool};
use screens::symbol::symbol as share;
use screens::today::today;

/// The window's default and its smallest size.
const SIZES: [(&str, u32, u32); 2] = [("", 1440, 900), ("-small", 900, 600)];

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let screens: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wanted = |screen: &str| screens.is_empty() || screens.iter().any(|one| one == screen);
    for (name, theme) in [("light", Theme::Light), ("dark", Theme::Dark)] {
        if wanted("first-run") {
            first_run(name, theme).await;
        }
        if wanted("chat") {
            chat(name, theme).await;
        }
        if wanted("sub-agents") {
            sub_agents(name, theme).await;
        }
        if wanted("failed") {
            failed(name, theme).await;
        }
        if wanted("answer") {
            answer(name, theme).await;
        }
        if wanted("edit") {
            edit(name, theme).await;
        }
        if wanted("trash") {
            trash(name, theme).await;
        }
        if wanted("settings") {
            settings(name, theme).await;
        }
        if wanted("records") {
            records(name, theme).await;
        }
        if wanted("calendar") {
            calendar(name, theme).await;
        }
        if wanted("mail") {
            mail(name, theme).await;
        }
        if wanted("screener") {
            screen(name, theme).await;
        }
        if wanted("symbol") {
            share(name, theme).await;
        }
        if wanted("settings-mail") {
            settings_mail(name, theme).await;
        }
        if wanted("models") {
            models(name, theme).await;
        }
        for (at, skill, shown) in [
            ('1', "budget", "Corner Market"),
            ('3', "crm", "Harborline rollout"),
            ('4', "portfolio", "Northgate"),
        ] {
            if wanted(skill) {
                panel(skill, at, shown, name, theme).await;
            }
        }
        if wanted("import") {
            import(name, theme).await;
        }
        if wanted("settings-vault") {
            settings_vault(name, theme).await;
        }
        if wanted("settings-mcp") {
            settings_mcp(name, theme).await;
        }
        if wanted("picker") {
            picker(name, theme).await;
        }
        if wanted("problems") {
            problems(name, theme).await;
        }
        if wanted("permissions") {
            permissions(name, theme).await;
        }
        if wanted("running") {
            running(name, theme).await;
        }
        if wanted("review") {
            review(name, theme).await;
        }
        if wanted("script") {
            script(name, theme).await;
        }
        if wanted("waiting-tool") {
            waiting_tool(name, theme).await;
        }
        if wanted("command") {
            command(name, theme).await;
        }
        if wanted("today") {
            today(name, theme).await;
        }
        if wanted("pages") {
            pages(name, theme).await;
        }
    }
}

/// A skill's panel in place of the chat, over the sample vault.
async fn panel(skill: &str, at: char, shown: &str, name: &str, theme: Theme) {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home = Home::new().theme(theme).vault_from(&template);
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.press(&[Key::Control], at).await;
    window.wait_for("[data-testid=skill-panel]").await;
    window.press(&[Key::Control, Key::Shift], '.').await;
    window.wait_for_text("[data-testid=wide-panel]", shown).await;
    window.wait_for_text("[data-testid=wide-panel]", "read just now").await;
    let [large, small] = SIZES;
    if skill == "portfolio" {
        // The parts of the total gain are below the table.
        window
            .ask("[...document.querySelectorAll('[data-testid=wide-panel] [data-testid=figure-chip]')].at(-1).click();")
            .await;
        window.wait_for("[role=dialog]").await;
    }
    take_in(&window, skill, name, large).await;
    window.press(&[], Key::Escape).await;
    window.wait_gone("[role=dialog]").await;
    take_in(&window, skill, name, small).await;
    window.close().await;
}

/// A bank's file, dropped on the panel; one of its payments already exists.
async fn import(name: &str, theme: Theme) {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home = Home::new().theme(theme).vault_from(&template);
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.press(&[Key::Control], '1').await;
    window.wait_for("[data-testid=skill-panel]").await;
    window.press(&[Key::Control, Key::Shift], '.').await;
    window.wait_for_text("[data-testid=wide-panel]", "Corner Market").await;
    window.drop_file("[data-testid=skill-panel]", "umsaetze-2026-11.csv", STATEMENT).await;
    window.wait_for_text("[data-testid=import-question]", "Which account is this file from?").await;
    window.press(&[], '1').await;
    window.wait_for_text("[data-testid=import-question]", "Is this the same payment?").await;
    window.click_named("Columns4 of 6 used").await;
    take(&window, "import", name).await;
    window.close().await;
}

const STATEMENT: &str = "\
Buchungstag;Auftraggeber / Begünstigter;Verwendungszweck;Betrag (EUR);Kundenreferenz;Saldo
20.11.26;Corner Market;Card 4711;-54,20;R-77102;4.182,10
19.11.26;Lantern Books;Order 20418;-71,40;R-77096;4.236,30
18.11.26;Cafe Ember;Card 4711;-7,80;R-77081;4.307,70
17.11.26;Ostler & Finch;Invoice 2091;-182,00;R-77064;4.315,50
16.11.26;Quillon Labs;Invoice 2026-114;2.400,00;R-77052;4.497,50
12.11.26;Savings;Transfer;-150,00;R-77031;2.097,50
";

/// A script waits for approval.
async fn script(name: &str, theme: Theme) {
    let model = running_code::model();
    let home = running_code::home(&model).theme(theme);
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    say(&window, running_code::WISH).await;
    window.wait_for_text("[data-testid=approval-card][data-armed=true]", "Change 3 notes?").await;
    take(&window, "script", name).await;
    window.close().await;
}

/// The user's own skills and tools beside the built-in ones.
async fn picker(name: &str, theme: Theme) {
    let model = model::start();
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home = Home::new()
        .theme(theme)
        .vault_named("Work vault")
        .vault_from(&template)
        .provider(&model.base_url())
        .config_file("tools/dynamic/uptime.ts", UPTIME)
        .config_file("skills/follow-up/SKILL.md", FOLLOW_UP)
        .config_file("skills/group-mail/SKILL.md", "---\nname: group-mail\n---\nWrites to a group.\n");
    earlier_chats(&home).await;
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.type_into("[data-testid=composer-input]", "/up").await;
    window.wait_for("[data-testid=picker] [data-tool='crm.update_contact']").await;
    take(&window, "picker", name).await;
    window.close().await;
}

const UPTIME: &str = "\
import { z } from 'zod'
import { defineTool } from '@nova/tools'

export default defineTool({
  name: 'uptime',
  description: 'Says how long a server has been running.',
  parameters: z.object({ server: z.string().describe('Name of the server') }),
  effect: 'read',
  execute: async ({ server }) => ({ server, days: 41 }),
})
";

const FOLLOW_UP: &str = "\
---
name: follow-up
description: How we write to people after a first meeting.
---
Thank them, name what was agreed, propose one date.
";

/// An Ollama with a local and a remote model, and a vault that Obsidian knows.
async fn first_run(name: &str, theme: Theme) {
    let model = model::start().named("qwen3:14b");
    model.passes_on_to("gpt-oss:120b-cloud", "https://ollama.com:443");
    let home = Home::new().theme(theme).first_start().ollama(&model.address());
    let vault = home.documents().join("Work vault");
    let notes = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    copy_tree(&notes, &vault);
    let known = serde_json::json!({ "vaults": { "1f0c": { "path": vault, "ts": 1 } } });
    let home = home.home_file(".config/obsidian/obsidian.json", &known.to_string());
    let window = Window::open(&home).await;
    window.wait_for("[data-testid=first-run-open]").await;
    take(&window, "first-run", name).await;
    window.close().await;
}

async fn chat(name: &str, theme: Theme) {
    let model = model::start();
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home = Home::new().theme(theme).vault_named("Work vault").vault_from(&template);
    earlier_chats(&home).await;
    let settings = serde_json::json!({
        "vault": home.vault(),
        "providers": [{ "id": "lm-studio", "kind": "openai", "base_url": model.base_url(), "models": ["qwen3-14b"] }],
        "model": "lm-studio/qwen3-14b",
    });
    let home = home.settings(&settings).config_file("permissions.yaml", RULES);
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.click("[data-testid=new-chat]").await;
    window.wait_for("[data-testid=today-row]").await;
    take(&window, "new-chat", name).await;
    window.resize(1440, 900).await;
    window.type_into("[data-testid=composer-input]", "What did we agree with [[Harb").await;
    window.wait_for("[data-testid=note-picker] [role=option]").await;
    take(&window, "mention", name).await;
    window.resize(1440, 900).await;
    window.press(&[], Key::Escape).await;
    window.press(&[Key::Control], 'a').await;

    say(&window, "Where does Jane Doe stand?").await;
    window.wait_for_text("[role=log]", "Jane Doe stands at lead.").await;
    say(&window, "Set Jane Doe to won").await;
    window.wait_for("[data-testid=approval-card][data-armed=true]").await;
    take(&window, "approval", name).await;
    window.click("[data-testid=approval-once]").await;
    window.wait_for_text("[role=log]", "Done. See Jane Doe.").await;

    window.resize(1440, 900).await;
    window.click("[data-testid=new-chat]").await;
    say(&window, "Set Odile Farrow to customer").await;
    window.wait_for("[data-testid=approval-card][data-armed=true]").await;
    window.click("[data-testid=approval-once]").await;
    window.wait_for_text("[role=log]", "Done. See Odile Farrow.").await;
    window.wait_for("[data-testid=send]").await;
    window.click_named("More for Set Odile Farrow to customer").await;
    window.click_named("Rename").await;
    window.wait_for_focus("[aria-label='Chat title']").await;
    for letter in "Harborline signed".chars() {
        window.press(&[], letter).await;
    }
    window.press(&[], Key::Enter).await;
    say(&window, model::SIGNED).await;
    window.wait_for_text("[data-testid=approval-card][data-armed=true]", "Change 1 note?").await;
    window.press(&[Key::Control], '.').await;
    window.wait_for("[data-testid=changes-panel] [data-testid=change-note]").await;
    let note = "CRM/People/Jane Doe.md";
    let edited = home.read_note(note).replace("next_contact: 2026-11-24", "next_contact: 2026-12-01");
    std::fs::write(home.vault().join(note), edited).expect("the note, as Obsidian saves it");
    window.wait_for_text("[role=log]", "Changed in Obsidian: Jane Doe").await;
    take_beside_panel(&window, "chat", name).await;

    window.resize(1440, 900).await;
    window.click("[data-testid=nav-run-tool]").await;
    for tool in ["budget.month_summary", "crm.pipeline", "crm.list_contacts"] {
        window.click(&format!("[data-tool='{tool}']")).await;
        window.wait_for_text("[data-region=form] h2", tool).await;
        window.click("[data-testid=run-tool]").await;
        window.wait_for("[data-testid=tool-result]").await;
    }
    window.wait_for_text("[data-testid=tool-result]", "Jane Doe").await;
    take(&window, "run-a-tool", name).await;
    window.close().await;
}

const RULES: &str = "\
permissions:
  allow: [ \"crm__log_interaction\" ]
";

async fn problems(name: &str, theme: Theme) {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home = Home::new()
        .theme(theme)
        .vault_named("Work vault")
        .vault_from(&template)
        .settings(&serde_json::json!({}))
        .note("CRM/Deals/Lens order.md", "---\ntype: deal\ntitle: Lens order\nstage: qualifed\nvalue: 1,250.50\nclose_date: 31.12.2026\n---\n")
        .note("Travel/Lisbon.md", "---\ntitle: Lisbon: the offsite\n---\nFlights are booked.\n")
        .note("Travel/Lisbon.sync-conflict-20261120-081500-ABCDEFG.md", "Flights are not booked.\n");
    earlier_chats(&home).await;
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.click("[data-testid=show-problems]").await;
    window.wait_for("[data-testid=note-problems]").await;
    take(&window, "problems", name).await;
    window.close().await;
}

/// An answer with its source pages.
async fn pages(name: &str, theme: Theme) {
    let model = web_pages::model();
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    let home =
        Home::new().theme(theme).vault_named("Work vault").vault_from(&template).provider(&model.base_url());
    earlier_chats(&home).await;
    web_pages::read_pages(&home).await;
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.click_named(web_pages::QUESTION).await;
    window.wait_for("[data-testid=message] .nova-cite").await;
    take(&window, "pages", name).await;
    window.close().await;
}

/// A command waiting for approval, then running.
async fn command(name: &str, theme: Theme) {
    let model = model::start();
    let home = running_commands::home(&model, theme);
    let window = Window::open(&home).await;
    window.resize(1440, 900).await;
    running_commands::asked(&window).await;
    take(&window, "command-asks", name).await;
    running_commands::running(&window).await;
    take(&window, "command", name).await;
    window.close().await;
}

async fn say(window: &Window, words: &str) {
    window.type_into("[data-testid=composer-input]", words).await;
    window.click("[data-testid=send]").await;
}

/// Chats of today and earlier, as in regular use; they are empty.
async fn earlier_chats(home: &Home) {
    let store = nova_session::Store::open(&home.data()).await.expect("the chats");
    let now = jiff::Timestamp::now();
    for (hours, title) in EARLIER {
        let at = (now - jiff::SignedDuration::from_hours(hours)).to_string();
        store.create(title, &at).await.expect("the chat");
        store.rename(title, title).await.expect("its title");
        store.pin(title, PINNED.contains(&title)).await.expect("where it stands");
    }
}

/// Hours ago, and title.
const EARLIER: [(i64, &str); 10] = [
    (170, "Monday review"),
    (300, "Quarter close checklist"),
    (1, "November groceries over limit"),
    (2, "Import bank CSV, October"),
    (24, "Dividend calendar for Q1"),
    (25, "Rewrite the Quillon proposal"),
    (26, "Who knows someone at Solvane?"),
    (74, "Trip costs, Lisbon offsite"),
    (98, "Watchlist clean-up"),
    (122, "Onboard the new designer"),
];

const PINNED: [&str; 2] = ["Monday review", "Quarter close checklist"];

/// The smallest window would lay the panel over the pictured chat.
async fn take_beside_panel(window: &Window, screen: &str, theme: &str) {
    let [large, small] = SIZES;
    take_in(window, screen, theme, large).await;
    window.press(&[Key::Control], '.').await;
    window.wait_gone("[data-region=panel]").await;
    take_in(window, screen, theme, small).await;
    window.resize(large.1, large.2).await;
    window.press(&[Key::Control], '.').await;
    window.wait_for("[data-region=panel]").await;
}

async fn take(window: &Window, screen: &str, theme: &str) {
    for size in SIZES {
        take_in(window, screen, theme, size).await;
    }
}

async fn take_in(window: &Window, screen: &str, theme: &str, (suffix, width, height): (&str, u32, u32)) {
    let file: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("docs/screenshots")
        .join(format!("{screen}-{theme}{suffix}.png"));
    window.resize(width, height).await;
    window.screenshot(&file).await;
    eprintln!("wrote {}", file.display());
}
