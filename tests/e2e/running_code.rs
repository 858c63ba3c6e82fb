//! A script of the model over three skills: its calls and its single diff in the window, allowed and undone.

use std::path::Path;

use fantoccini::key::Key;
use nova_testkit::{Answer, ModelServer, call, calls, text};
use serde_json::{Value, json};

use crate::harness::{Home, Window};

/// The user's request.
pub(crate) const WISH: &str = "Push next week’s follow-ups to Monday and tell me where we stand";

/// A rule that denies one of its calls.
pub(crate) const RULES: &str = "permissions:\n  deny:\n    - portfolio__quote\n";

const SCRIPT: &str = "\
const { deals } = await tools.crm.list_deals({ stage: 'won' })
const worth = await tools.portfolio.value({})
const spent = await tools.budget.month_summary({ month: 'today' })
await tools.portfolio.quote({ symbols: ['NGTL'] }).catch(() => 'not allowed')
for (const name of ['Mara Lindholt', 'Odile Farrow', 'Ilse Brandvik']) {
  await tools.crm.update_contact({ name, next_contact: '2026-11-30' })
}
({ won: deals.length, worth: worth.value[0].amount, spent: Object.keys(spent).length > 0 })
";

/// Loads the skills, runs the script, and answers from its result.
pub(crate) fn model() -> ModelServer {
    ModelServer::replying(reply)
}

fn reply(request: &Value) -> Answer {
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let made = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    let made: Vec<&str> = made.filter_map(|call| call["function"]["name"].as_str()).collect();
    if made.is_empty() {
        let skill = |skill| ("load_skill", json!({ "skill": skill }));
        return calls(["core", "crm", "portfolio", "budget"].map(skill));
    }
    if !made.contains(&"core__run_code") {
        return call("core__run_code", json!({ "source": SCRIPT }));
    }
    let outputs = messages.iter().filter(|message| message["role"] == "tool");
    let said = outputs.filter_map(|output| output["content"].as_str()).next_back().unwrap_or_default();
    text(&format!("It says: {said}"))
}

pub(crate) fn home(model: &ModelServer) -> Home {
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("vault-template");
    Home::new().vault_from(&template).provider(&model.base_url()).config_file("permissions.yaml", RULES)
}

const MARA: &str = "CRM/People/Mara Lindholt.md";

#[tokio::test]
async fn script_shows_its_calls_and_one_diff_that_undo_reverts() {
    let model = model();
    let home = home(&model);
    let before = home.read_note(MARA);
    let window = Window::open(&home).await;
    window.type_into("[data-testid=composer-input]", WISH).await;
    window.press(&[], Key::Enter).await;

    let card = "[data-testid=approval-card][data-armed=true]";
    window.wait_for_text(card, "Change 3 notes?").await;
    window.wait_for_text(card, "script of 8 lines, made 7 calls, each by its own rule").await;
    for (tool, says) in [
        ("crm.list_deals", "reads run"),
        ("portfolio.value", "reads run"),
        ("budget.month_summary", "reads run"),
        ("portfolio.quote", "refused by a rule"),
        ("crm.update_contact", "3 times, as one draft"),
    ] {
        window.wait_for_text(&format!("{card} [data-testid=script-call][data-tool='{tool}']"), says).await;
    }
    let always = window.ask("return document.querySelector('[data-testid=approval-always]') === null;").await;
    assert_eq!(always, true, "a script is never allowed always");
    window.click("[data-testid=show-script]").await;
    window.wait_for_text("[data-testid=script-source]", "tools.portfolio.value({})").await;
    assert_eq!(home.read_note(MARA), before, "nothing is written before the approval");

    window.click("[data-testid=approval-once]").await;
    window.wait_for_text("[role=log]", "It says:").await;
    assert!(home.read_note(MARA).contains("next_contact: 2026-11-30"));

    window.click("[data-testid=tool-card][data-tool='core.run_code'] [data-testid=undo-call]").await;
    window.wait_for("[data-testid=tool-card][data-tool='core.run_code'][data-state=undone]").await;
    assert_eq!(home.read_note(MARA), before);
    window.close().await;
    model.finish();
}
