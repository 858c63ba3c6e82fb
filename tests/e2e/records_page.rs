//! The records page of a skill in the settings: a proposal from the notes, a custom field and type.

use fantoccini::key::Key;
use serde_json::json;

use crate::harness::{Home, Window};

/// People by category: one broken, one private, and one that a company's type claims, too.
fn home() -> Home {
    let person = |mail: &str, mood: &str| {
        format!("---\ncategories: [\"[[People]]\"]\nmail: {mail}\nmood: {mood}\n---\n")
    };
    Home::new()
        .note("People/Ada Byron.md", &person("ada@byron.example", "merry"))
        .note("People/Bo Ek.md", &person("bo@ek.example", "calm"))
        .note("People/Cy Dahl.md", &person("cy@dahl.example", "merry"))
        .note(
            "People/Eve Moss.md",
            "---\ncategories: [\"[[People]]\"]\nmail: eve@moss.example\nnova: private\n---\n",
        )
        .note("People/Torn.md", "---\ncategories: [\"[[People]]\"]\nmail: [torn\n---\n")
        .note("People/Acme.md", "---\ntype: company\ncategories: [\"[[People]]\"]\nname: Acme\n---\n")
}

async fn open(window: &Window) {
    window.resize(1440, 900).await;
    window.wait_for("[data-testid=composer-input]").await;
    window.click("[data-testid=nav-settings]").await;
    window.click("[data-skill=crm] [data-testid=skill-name]").await;
    // The proposal moves everything below it when it appears.
    window.wait_for("[data-testid=field-proposal]").await;
    window.click("[data-testid=open-records]").await;
    window.wait_for_text("[data-testid=records-page]", "One note as Nova would read it").await;
}

async fn write(window: &Window, text: &str) {
    for letter in text.chars() {
        window.press(&[], letter).await;
    }
}

/// Selects the option with this value in the list with this label.
async fn choose(window: &Window, list: &str, value: &str) {
    let script =
        "const list = [...document.querySelectorAll('select')].find((one) => one.ariaLabel === arguments[0]);
        if (!list) return false;
        list.value = arguments[1];
        list.dispatchEvent(new Event('change', { bubbles: true }));
        return true;";
    window.until(&format!("{value} in {list}"), script, vec![json!(list), json!(value)]).await;
}

#[tokio::test]
async fn custom_field_is_added_and_used_in_form_and_table() {
    let home = home();
    let before = home.read_note("People/Ada Byron.md");
    let window = Window::open(&home).await;
    open(&window).await;
    let result = "aside[aria-label=Result]";
    window.wait_for_text(result, "Cannot be read").await;
    window.wait_for_text(result, "Torn").await;
    window.wait_for_text(result, "Private").await;
    window.wait_for_text(result, "Also another record than contact").await;
    choose(&window, "Notes that are contact and company", "other").await;
    window.wait_for_text(result, "no contact: type: company").await;
    window.wait_for_text(result, "Left to other types").await;

    window.click("[role=switch][aria-label='Use mood as a field']").await;
    choose(&window, "Kind of mood", "choice").await;
    window.wait_for("[aria-label='Details of mood'][role=group]").await;
    window.type_into("[aria-label='Details of mood'][role=group] input", "Temper").await;
    window.click("[data-testid=add-field]").await;
    write(&window, "<script>").await;
    window.press(&[], Key::Enter).await;
    window.wait_for_text("[aria-label='Own fields'] table", "<script>").await;
    window.click("[data-testid=use-records]").await;
    window.wait_for_text("[data-testid=records-page]", "In use since").await;
    assert_eq!(home.read_note("People/Ada Byron.md"), before, "no note is changed");
    let contact = home.read_config()["skills"]["crm"]["config"]["records"]["contact"].clone();
    let mood = json!({"kind": "choice", "choices": ["merry", "calm"], "label": "Temper"});
    assert_eq!(contact["fields"]["mood"], mood, "{contact}");
    assert_eq!(contact["except"], json!([{"type": "company"}]));

    window.click("nav[aria-label=Settings] > button").await;
    window.wait_for("[data-testid=composer-input]").await;
    window.press(&[Key::Control], '3').await;
    window.wait_for("[data-testid=skill-panel]").await;
    window.press(&[Key::Control, Key::Shift], '.').await;
    window.click("[role=tab]:nth-child(2)").await;
    window.wait_for_text("[data-testid=wide-panel] table", "Temper").await;
    window.wait_for_text("[data-testid=wide-panel] table", "merry").await;
    window.click_named("New contact").await;
    window.wait_for_text("[data-path=mood]", "Temper").await;
    let choices = window
        .ask("return [...document.querySelectorAll('[data-path=mood] option, [data-path=mood] [role=radio]')].map((one) => one.textContent);")
        .await;
    assert!(choices.to_string().contains("calm"), "{choices}");
    window.close().await;
}

#[tokio::test]
async fn custom_type_is_named_used_and_removed() {
    let home = home().note("Firms/Old.md", "---\ntype: supplier\nsince: 2024-01-01\n---\n");
    let window = Window::open(&home).await;
    open(&window).await;
    window.click("[data-testid=new-record-type]").await;
    let (name, folder) = (
        "[data-testid=new-type] input[placeholder=supplier]",
        "[data-testid=new-type] input[placeholder='CRM/Suppliers']",
    );
    window.type_into(name, "Contact").await;
    window.type_into(folder, "Firms").await;
    window.click("[data-testid=new-type-next]").await;
    window.wait_for_text("[data-testid=new-type] [role=alert]", "contact already").await;

    window.wait_for(name).await;
    window
        .ask(&format!(
            "document.querySelector(\"{name}\").focus(); document.querySelector(\"{name}\").select();"
        ))
        .await;
    write(&window, "supplier").await;
    window.type_into("[aria-label='Field 2']", "since").await;
    choose(&window, "Kind of field 2", "date").await;
    window.click("[data-testid=new-type-next]").await;
    window.wait_for_text("[data-testid=records-page]", "Nova would read one note as a supplier").await;
    window.click("[data-testid=use-records]").await;
    window.wait_for_text("[data-testid=records-page]", "In use since").await;
    let supplier = &home.read_config()["skills"]["crm"]["config"]["records"]["supplier"];
    let fields = json!({"name": {"kind": "text"}, "since": {"kind": "date"}});
    assert_eq!(supplier, &json!({"folder": "Firms", "title": "name", "fields": fields}));
    let listed = home.nova(&["--json", "vault", "query", "--type", "supplier"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");

    window.click("[data-testid=records-take-back]").await;
    window.wait_for_text("[data-testid=records-page]", "No note is changed").await;
    assert!(home.read_config()["skills"]["crm"]["config"]["records"]["supplier"].is_null());
    window.close().await;
}
