//! Suggestions of a form, before and during typing: presets, notes and used values.

use nova_protocol::{Commands as _, FieldsOfRecords, RecordFormRef, RecordFormView, SuggestNotes};
use serde_json::{Value, json};

use super::nova::Nova;

#[tokio::test]
async fn link_field_suggests_matching_notes_of_its_type_first() {
    let notes = "
//- CRM/Companies/Janeway.md
---
type: company
---
//- CRM/People/Jane Doe.md
---
type: contact
---
//- Jane's recipes.md
Soup.
//- Mary Jane.md
Also.
";
    let nova = Nova::new(notes, []);
    let app = nova.start().await;
    let names = async |field: &str, text: &str| -> Vec<String> {
        let wanted = SuggestNotes {
            text: text.into(),
            skill: "crm".into(),
            field: Some(field.into()),
            record_type: None,
        };
        app.suggest_notes(wanted).await.unwrap().into_iter().map(|note| note.name).collect()
    };
    assert_eq!(names("company", "jane").await, ["Janeway", "Jane Doe", "Jane's recipes", "Mary Jane"]);
    assert_eq!(names("contact", "JANE").await[0], "Jane Doe");
    assert_eq!(names("contact", "nobody").await, [""; 0]);
}

#[tokio::test]
async fn message_can_name_any_note_and_same_names_are_told_apart() {
    let notes = "
//- CRM/People/Jane Doe.md
---
type: contact
---
//- Jane's recipes.md
Soup.
//- Old/Jane Doe.md
Her note of before.
";
    let nova = Nova::new(notes, []);
    let app = nova.start().await;
    let wanted = SuggestNotes { text: "ja".into(), skill: String::new(), field: None, record_type: None };
    let found = app.suggest_notes(wanted).await.unwrap();
    let paths: Vec<&str> = found.iter().map(|note| note.path.as_str()).collect();
    assert_eq!(paths, ["CRM/People/Jane Doe.md", "Jane's recipes.md", "Old/Jane Doe.md"]);
}

/// The initial values of a new record's form.
async fn presets(nova: &Nova, skill: &str, record_type: &str) -> (RecordFormView, Value, Value) {
    let app = nova.start().await;
    let wanted = RecordFormRef { skill: skill.into(), record_type: record_type.into(), path: None };
    let form = app.record_form(wanted).await.unwrap();
    let preset = |field: &str| form.schema["properties"][field]["default"].clone();
    let (date, currency) = (preset("date"), preset("currency"));
    (form, date, currency)
}

#[tokio::test]
async fn new_record_begins_with_today_and_the_usual_currency() {
    let expense = |name: &str, currency: &str| {
        format!(
            "//- Budget/Expenses/2026/{name}.md\n---\ntype: expense\ndate: 2026-11-02\namount: 5\ncurrency: {currency}\n---\n"
        )
    };
    let francs = [expense("a", "CHF"), expense("b", "EUR"), expense("c", "chf")].concat();
    let mut nova = Nova::new(&francs, []);
    let (form, date, currency) = presets(&nova, "budget", "income").await;
    assert_eq!((&date, &currency), (&json!("2026-11-21"), &json!("CHF")));
    assert_eq!(form.values, json!({}), "suggestions are not user input");

    nova.settings(
        &json!({"vault": nova.vault.root(), "skills": {"budget": {"config": {"currency": "SEK"}}}}),
    );
    assert_eq!(
        presets(&nova, "budget", "limit").await.2,
        json!("SEK"),
        "a configured value takes precedence"
    );

    nova.vault = [expense("a", "CHF"), expense("b", "EUR")].concat().as_str().into();
    nova.settings(&json!({ "vault": nova.vault.root() }));
    assert_eq!(presets(&nova, "budget", "expense").await.2, Value::Null, "a tie is not guessed");
    assert_eq!(presets(&nova, "crm", "deal").await.2, Value::Null, "values of other skills do not count");
}

#[tokio::test]
async fn usual_currency_may_be_one_that_only_the_field_knows() {
    let price = |day: &str, currency: &str| {
        format!(
            "//- {day}.md\n---\ntype: price\nsymbol: ABC\ndate: {day}\nclose: 3\ncurrency: {currency}\n---\n"
        )
    };
    let prices =
        [price("2026-11-18", "btc"), price("2026-11-19", "EUR"), price("2026-11-20", "BTC")].concat();
    let nova = Nova::new(&prices, []);
    assert_eq!(presets(&nova, "portfolio", "trade").await.2, json!("BTC"));

    nova.settings(
        &json!({"vault": nova.vault.root(), "skills": {"portfolio": {"config": {"currency": "clf"}}}}),
    );
    assert_eq!(
        presets(&nova, "portfolio", "trade").await.2,
        json!("CLF"),
        "a configured value takes precedence"
    );
}

#[tokio::test]
async fn opening_existing_record_adds_no_day_or_currency() {
    let note = "//- E.md\n---\ntype: expense\ndate: 2026-11-02\namount: 5\n---\n//- F.md\n---\ntype: expense\ndate: 2026-11-03\namount: 6\ncurrency: EUR\n---\n";
    let nova = Nova::new(note, []);
    let app = nova.start().await;
    let wanted =
        RecordFormRef { skill: "budget".into(), record_type: "expense".into(), path: Some("E.md".into()) };
    let form = app.record_form(wanted).await.unwrap();
    assert_eq!(form.schema["properties"]["currency"]["default"], Value::Null);
    assert_eq!(form.values, json!({"date": "2026-11-02", "amount": "5"}));
}

#[tokio::test]
async fn templates_and_copies_give_no_currency_and_no_suggestions() {
    let expense = |path: &str, currency: &str| {
        format!("//- {path}.md\n---\ntype: expense\ndate: 2026-11-02\namount: 5\ncurrency: {currency}\n---\n")
    };
    let copy = "Budget/Expenses/a.sync-conflict-20261102-101010-ABCDEFG";
    let notes = [
        expense("Budget/Expenses/a", "CHF"),
        expense(copy, "EUR"),
        expense("Templates/Expense", "EUR"),
        "//- CRM/People/Conrad.md\n---\ntype: contact\n---\n//- Templates/Contact.md\n---\ntype: contact\n---\n".into(),
    ];
    let nova = Nova::new(&notes.concat(), []);
    assert_eq!(presets(&nova, "budget", "expense").await.2, json!("CHF"));
    let app = nova.start().await;
    let wanted = SuggestNotes {
        text: "con".into(),
        skill: "crm".into(),
        field: Some("contact".into()),
        record_type: None,
    };
    let names: Vec<String> =
        app.suggest_notes(wanted).await.unwrap().into_iter().map(|note| note.name).collect();
    assert_eq!(names, ["Conrad"]);
}

#[tokio::test]
async fn form_offers_the_values_in_use() {
    let expense = |name: &str, category: &str| {
        format!(
            "//- Budget/Expenses/2026/{name}.md\n---\ntype: expense\ndate: 2026-11-02\namount: 5\ncategory: {category}\n---\n"
        )
    };
    let notes = [
        expense("a", "Travel"),
        expense("b", "Groceries"),
        expense("c", "groceries"),
        expense("d", "Groceries"),
    ];
    let deal = "//- CRM/Deals/One.md\n---\ntype: deal\nstage: won\n---\n";
    let nova = Nova::new(&(notes.concat() + deal), []);
    let app = nova.start().await;
    let values = async |skill: &str, field: &str| -> Vec<String> {
        let wanted = FieldsOfRecords { skill: skill.into(), fields: vec![field.into()] };
        app.values_in_use(wanted).await.unwrap().remove(0).values
    };
    assert_eq!(values("budget", "expense.category").await, ["Groceries", "Travel"]);
    let stages = values("crm", "deal.stage").await;
    assert_eq!(stages, ["lead", "contacted", "qualified", "proposal", "won", "lost"]);
    let unknown = FieldsOfRecords { skill: "crm".into(), fields: vec!["deal.colour".into()] };
    assert!(app.values_in_use(unknown).await.is_err());
}

#[tokio::test]
async fn contact_field_suggests_contacts_only() {
    let notes = "
//- CRM/People/J Doe.md
---
type: contact
name: Jane Doe
---
//- CRM/Companies/Janeway.md
---
type: company
---
//- Jane's recipes.md
Soup.
";
    let nova = Nova::new(notes, []);
    let app = nova.start().await;
    let wanted = SuggestNotes {
        text: "jane".into(),
        skill: "crm".into(),
        field: Some("name".into()),
        record_type: Some("contact".into()),
    };
    let found = app.suggest_notes(wanted).await.unwrap();
    let names: Vec<&str> = found.iter().map(|note| note.name.as_str()).collect();
    assert_eq!(names, ["Jane Doe"]);
}
