//! The records page of a skill: custom fields and types, unreadable and private notes, and notes that two
//! types claim.

use nova_protocol::{Commands as _, PreviewRecords, RecordFormRef, RecordsPreview, SetSkill};
use serde_json::{Value, json};

use super::nova::Nova;

fn page_of(record_type: &str, own: Value) -> PreviewRecords {
    PreviewRecords {
        skill: "crm".into(),
        record_type: record_type.into(),
        own: Some(own),
        rules: None,
        note: None,
    }
}

async fn put_in_use(app: &nova_app::App, page: RecordsPreview) {
    let set = SetSkill { skill: "crm".into(), config: Some(page.config), ..Default::default() };
    app.set_skill(set).await.unwrap();
}

fn faults(page: &RecordsPreview) -> Vec<(&str, &str)> {
    page.faults.iter().map(|fault| (fault.key.as_str(), fault.reason.as_str())).collect()
}

async fn form_of(app: &nova_app::App, record_type: &str) -> nova_protocol::RecordFormView {
    let form = RecordFormRef { skill: "crm".into(), record_type: record_type.into(), path: None };
    app.record_form(form).await.unwrap()
}

const PEOPLE: &str = "
//- Ada.md
---
type: contact
mood: merry
---
//- Bea.md
---
type: contact
mood: calm
---
//- Cid.md
---
type: contact
mood: merry
---
";

#[tokio::test]
async fn custom_field_with_choices_label_and_help_is_in_the_form() {
    let nova = Nova::new(PEOPLE, []);
    let app = nova.start().await;
    let page = app.preview_records(page_of("contact", json!({}))).await.unwrap();
    let mood = page.own_fields.iter().find(|field| field.property == "mood").unwrap();
    assert_eq!(mood.values, ["merry", "calm"], "proposed choices");

    let mood = json!({"kind": "choice", "choices": ["merry", "grim"], "label": "Temper", "help": "As of today.", "required": true});
    let page = app.preview_records(page_of("contact", json!({"fields": {"mood": mood}}))).await.unwrap();
    assert_eq!((page.faults.len(), page.own_fields[0].odd), (0, 1), "calm is not a choice");
    put_in_use(&app, page).await;
    let form = form_of(&app, "contact").await;
    let field = &form.schema["properties"]["mood"];
    assert_eq!((&field["enum"], &field["title"]), (&json!(["merry", "grim"]), &json!("Temper")), "{field}");
    assert!(form.schema["required"].as_array().unwrap().contains(&json!("mood")), "{}", form.schema);
    let said = serde_json::to_string(&(&form.schema, &form.ui_schema)).unwrap();
    assert!(said.contains("As of today."), "{said}");
}

#[tokio::test]
async fn faults_of_custom_fields_are_reported_at_their_key() {
    let nova = Nova::new(PEOPLE, []);
    let app = nova.start().await;
    for (field, key, says) in [
        (json!({"email": {"kind": "date"}}), "fields.email", "is a text of this skill already"),
        (json!({"mood": {"kind": "choice"}}), "fields.mood", "a choice needs choices"),
        (json!({"mood": {"kind": "choice", "choices": ["a", "A"]}}), "fields.mood", "the choice `A` twice"),
        (json!({"mood": {"kind": "text", "label": "x".repeat(300)}}), "fields.mood", "a label is one line"),
        (json!({"mood": {"kind": "text", "label": "a\nb"}}), "fields.mood", "a label is one line"),
        (json!({"m".repeat(300): {"kind": "text"}}), "fields.mmm", "a field's name is one line"),
    ] {
        let page = app.preview_records(page_of("contact", json!({"fields": field}))).await.unwrap();
        let (at, reason) = faults(&page)[0];
        assert!(at.starts_with(key) && reason.contains(says), "{field}: {at} {reason}");
    }
}

#[tokio::test]
async fn markup_in_names_stays_text() {
    let nova = Nova::new("//- Ada.md\n---\ntype: contact\n---\n", []);
    let app = nova.start().await;
    let name = "<script>alert('1')</script>";
    let own = json!({"fields": {name: {"kind": "text", "label": "<b>\"x': y"}}});
    let page = app.preview_records(page_of("contact", own)).await.unwrap();
    assert_eq!(page.faults, []);
    put_in_use(&app, page).await;
    assert_eq!(form_of(&app, "contact").await.schema["properties"][name]["title"], "<b>\"x': y");
    let base = app.record_base("crm", "contact").unwrap();
    assert!(base.contains("'note.<script>alert(''1'')</script>'"), "{base}");
    let template = app.record_template("crm", "contact").unwrap();
    assert!(template.contains("<script>alert('1')</script>"), "{template}");
}

#[tokio::test]
async fn custom_type_is_previewed_used_and_removed() {
    let nova = Nova::new("//- Firms/Old.md\n---\ntype: supplier\nsince: soon\n---\n", []);
    let app = nova.start().await;
    let fields = json!({"name": {"kind": "text"}, "since": {"kind": "date"}});
    let own = json!({"folder": "Firms", "title": "name", "fields": fields});
    let page = app.preview_records(page_of("supplier", own)).await.unwrap();
    assert_eq!((page.is_own, page.taken, page.faults.len()), (true, 1, 0));
    let tab = page.types.last().unwrap();
    assert_eq!((tab.record_type.as_str(), tab.label.as_str(), tab.notes), ("supplier", "Supplier", 1));
    let fields: Vec<&str> = page.own_fields.iter().map(|field| field.property.as_str()).collect();
    assert_eq!((fields, page.own_fields[1].odd), (vec!["name", "since"], 1));
    put_in_use(&app, page).await;
    assert_eq!(form_of(&app, "supplier").await.label, "Supplier");
    let types = app.list_record_types(nova_protocol::Nothing {}).await.unwrap();
    assert!(types.iter().any(|row| row.record_type == "supplier"));

    let none = SetSkill { skill: "crm".into(), config: Some(json!({})), ..Default::default() };
    app.set_skill(none).await.unwrap();
    let types = app.list_record_types(nova_protocol::Nothing {}).await.unwrap();
    assert!(types.iter().all(|row| row.record_type != "supplier"));
}

#[tokio::test]
async fn faults_of_a_custom_type_are_reported() {
    let nova = Nova::new("", []);
    let app = nova.start().await;
    let fields = json!({"name": {"kind": "text"}});
    for (own, key, says) in [
        (json!({"folder": "../x", "fields": fields}), "", "the folder"),
        (json!({"folder": "Templates", "fields": fields}), "", "for templates"),
        (json!({"folder": "Firms", "fields": {}}), "", "it has no fields"),
        (
            json!({"folder": "Firms", "fields": {"state": {"kind": "choice"}}}),
            "fields.state",
            "needs choices",
        ),
        (
            json!({"folder": "Firms", "fields": {"type": {"kind": "text"}}}),
            "fields.type",
            "cannot be a field",
        ),
    ] {
        let page = app.preview_records(page_of("supplier", own.clone())).await.unwrap();
        let (at, reason) = faults(&page)[0];
        assert!(at == key && reason.contains(says), "{own}: {at:?} {reason}");
    }
    let unusable = page_of("a\nb", json!({"folder": "Firms", "fields": fields}));
    let refused = app.preview_records(unusable).await.unwrap_err();
    assert!(refused.message.contains("a type's name is one line"), "{}", refused.message);
}

#[tokio::test]
async fn unreadable_and_private_notes_are_listed_with_the_reason() {
    let notes = "
//- CRM/People/Ada.md
---
type: contact
---
//- CRM/People/Torn.md
---
type: contact
email: [ada
---
//- Elsewhere/Torn too.md
---
type: contact
email: [ada
---
//- Elsewhere/Other.md
---
type: trip
stops: [ada
---
//- Journal/Bea.md
---
type: contact
---
//- Cid.md
---
type: contact
nova: private
---
";
    let nova = Nova::new(notes, []);
    let mut settings = nova.read_settings();
    settings["private"] = json!(["Journal"]);
    nova.settings(&settings);
    let app = nova.start().await;
    let page = app.preview_records(page_of("contact", json!({}))).await.unwrap();
    let broken: Vec<&str> = page.broken.iter().map(|note| note.path.as_str()).collect();
    assert_eq!(broken, ["CRM/People/Torn.md", "Elsewhere/Torn too.md"], "{:?}", page.broken);
    assert_eq!(page.taken, 3, "the private ones are records of their owner");
    let private: Vec<(&str, &[String])> =
        page.private.iter().map(|group| (group.what.as_str(), group.paths.as_slice())).collect();
    let (journal, cid) = (["Journal/Bea.md".to_owned()], ["Cid.md".to_owned()]);
    assert_eq!(private, [("`nova` in the note", &cid[..]), ("listed as `Journal`", &journal[..])]);
}

#[tokio::test]
async fn unreadable_notes_are_found_by_their_text() {
    let torn = "//- Ilse.md\n---\ncategories: [\"[[People]]\"]\nmail: [x\n---\n//- Emma.md\n---\ncategories: [\"[[Books]]\"]\nby: [x\n---\n";
    let nova = Nova::new(torn, []);
    let app = nova.start().await;
    let own = json!({"match": [{"where": "categories contains [[People]]"}]});
    let page = app.preview_records(page_of("contact", own)).await.unwrap();
    let broken: Vec<&str> = page.broken.iter().map(|note| note.path.as_str()).collect();
    assert_eq!(broken, ["Ilse.md"]);
}

const CLAIMED_TWICE: &str = "
//- Firms/Acme.md
---
type: company
name: Acme
---
//- Firms/Ada.md
Met in Lisbon.
";

#[tokio::test]
async fn note_of_two_types_is_assigned_to_one() {
    let nova = Nova::new(CLAIMED_TWICE, []);
    let app = nova.start().await;
    let by_folder = json!({"match": [{"folder": "Firms"}], "folder": "Firms"});
    let page = app.preview_records(page_of("contact", by_folder.clone())).await.unwrap();
    let shared = &page.shared[0];
    assert_eq!((page.taken, shared.record_type.as_str(), shared.group.notes), (2, "company", 1));
    assert_eq!(shared.except, [json!({"type": "company"})]);

    let mut settled = by_folder;
    settled["except"] = json!(shared.except);
    let page = app.preview_records(page_of("contact", settled)).await.unwrap();
    assert_eq!((page.taken, page.shared.len(), page.faults.len()), (1, 0, 0));
    put_in_use(&app, page).await;
    let base = app.record_base("crm", "contact").unwrap();
    assert!(base.contains("- '!(type == \"company\")'"), "{base}");
    drop(app);
    let (_, rows) = nova.json(&["vault", "query", "--type", "contact"]);
    assert_eq!(rows.as_array().map(Vec::len), Some(1), "{rows}");
    let (_, problems) = nova.json(&["vault", "check"]);
    assert!(!problems.to_string().contains("it counts as"), "{problems}");
}

#[tokio::test]
async fn except_that_excludes_new_notes_is_refused() {
    let nova = Nova::new(CLAIMED_TWICE, []);
    let app = nova.start().await;
    for except in [json!([{"type": "contact"}]), json!([{"folder": "CRM"}])] {
        let page = app.preview_records(page_of("contact", json!({"except": except}))).await.unwrap();
        let (at, reason) = faults(&page)[0];
        assert!(at == "except" && reason.contains("leaves out new notes, too"), "{except}: {at} {reason}");
    }
    let page =
        app.preview_records(page_of("contact", json!({"except": [{"where": "stage is"}]}))).await.unwrap();
    assert_eq!(faults(&page)[0].0, "except[0]");
}
