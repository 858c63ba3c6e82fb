//! Records added and edited in forms of the window.

use nova_app::App;
use nova_protocol::{
    ChangeSetKind, Commands as _, ErrorCode, NoteRef, Nothing, RecordFormRef, RecordFormView, SaveRecord,
    SavedRecord,
};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE};

const JANE: &str = "CRM/People/Jane Doe.md";

fn of_contact(path: Option<&str>) -> RecordFormRef {
    RecordFormRef { skill: "crm".into(), record_type: "contact".into(), path: path.map(str::to_owned) }
}

async fn open(app: &App, path: &str) -> RecordFormView {
    app.record_form(of_contact(Some(path))).await.unwrap()
}

/// The request that saves the form with these fields filled in.
fn filled(form: &RecordFormView, changes: Value) -> SaveRecord {
    let mut values = form.values.clone();
    for (field, value) in changes.as_object().unwrap() {
        values[field] = value.clone();
    }
    SaveRecord {
        skill: form.skill.clone(),
        record_type: form.record_type.clone(),
        path: form.path.clone(),
        before: Some(form.values.clone()),
        values,
        another: None,
        run: "form-1".into(),
    }
}

/// The refused fields and their messages.
fn errors(saved: &SavedRecord) -> Vec<(&str, &str)> {
    assert!(saved.errors.is_empty() || saved.result.is_none(), "{saved:?}");
    saved.errors.iter().map(|error| (error.field.as_str(), error.message.as_str())).collect()
}

#[tokio::test]
async fn form_links_to_existing_note_of_any_name() {
    let company = |name: &str| format!("---\ntype: company\nname: {name}\n---\n");
    let nova = Nova::new(PEOPLE, []);
    nova.vault.write("CRM/Companies/What now?.md", &company("What now?"));
    nova.vault.write("CRM/Companies/Acme.md", &company("Acme"));
    let app = nova.start().await;
    let form = app.record_form(of_contact(None)).await.unwrap();
    for (name, company, link) in [
        ("One", "What now?", "[[What now?]]"),
        ("Two", "CRM/Companies/Acme", "[[CRM/Companies/Acme]]"),
        ("Three", "Who now?", "[[Who now-|Who now?]]"),
    ] {
        let values = json!({"name": name, "company": company});
        let saved = app.save_record(filled(&form, values)).await.unwrap();
        assert!(saved.result.as_ref().is_some_and(|result| result.ok), "{saved:?}");
        let text = nova.vault.read(&format!("CRM/People/{name}.md"));
        assert!(text.contains(&format!("company: \"{link}\"\n")), "{text}");
    }
    // Opened on that link, then saved with only another field changed.
    for (values, link) in [
        (json!({"company": "What now?"}), "[[What now?]]"),
        (json!({"stage": "won"}), "[[What now?]]"),
        (json!({"company": "[[CRM/Companies/Acme]]"}), "[[CRM/Companies/Acme]]"),
        (json!({"company": "AC/DC"}), "[[AC-DC|AC/DC]]"),
        (json!({"stage": "lead"}), "[[AC-DC|AC/DC]]"),
    ] {
        let form = open(&app, JANE).await;
        let saved = app.save_record(filled(&form, values.clone())).await.unwrap();
        assert!(saved.result.as_ref().is_some_and(|result| result.ok), "{saved:?}");
        let text = nova.vault.read(JANE);
        assert!(text.contains(&format!("company: \"{link}\"\n")), "{values}: {text}");
    }
}

#[tokio::test]
async fn contact_is_added_with_a_form_and_undone() {
    let nova = Nova::new(PEOPLE, []);
    let app = nova.start().await;
    let types = app.list_record_types(Nothing {}).await.unwrap();
    assert!(
        types.iter().any(|row| (row.skill.as_str(), row.label.as_str()) == ("crm", "Contact")),
        "{types:?}"
    );
    let form = app.record_form(of_contact(None)).await.unwrap();
    assert_eq!((form.path.as_deref(), form.values.clone()), (None, json!({})));
    assert_eq!(form.schema["properties"]["company"]["format"], "note");

    let saved = app
        .save_record(filled(
            &form,
            json!({"name": "Jane Roe", "company": "Quillon Labs", "next_contact": "2026-12-01", "tags": ["new"]}),
        ))
        .await
        .unwrap();

    let result = saved.result.unwrap();
    assert!(result.ok, "{result:?}");
    assert_eq!(
        nova.vault.read("CRM/People/Jane Roe.md"),
        "---\ntype: contact\nname: Jane Roe\ncompany: \"[[Quillon Labs]]\"\ntags:\n  - new\n\
         next_contact: 2026-12-01\n---\n\n## Log\n"
    );
    let set = app.change_set(&result.change_set.unwrap()).await.unwrap();
    assert_eq!(set.kind, ChangeSetKind::Form);
    app.undo(&set.id, None, None).await.unwrap();
    assert!(!nova.vault.root().join("CRM/People/Jane Roe.md").exists());
}

/// The minimum of a record of each type; a type without an entry fails the test below.
fn least(skill: &str, record_type: &str) -> Value {
    match (skill, record_type) {
        ("calendar", "event" | "meeting_note") => json!({"title": "Ada", "date": "2026-11-20"}),
        ("crm", "contact" | "company") => json!({"name": "Ada"}),
        ("crm", "deal") => json!({"title": "Ada", "stage": "lead"}),
        ("portfolio", "position") => json!({"symbol": "ADA"}),
        ("portfolio", "trade") => {
            json!({"symbol": "ADA", "kind": "buy", "date": "2026-11-20", "quantity": "2", "price": "3", "currency": "EUR"})
        }
        ("portfolio", "price") => json!({"symbol": "ADA", "date": "2026-11-20", "close": "3"}),
        ("portfolio", "watchlist") => json!({"name": "Ada"}),
        ("portfolio", "broker") => json!({"name": "Ada", "header": "Date, Action"}),
        ("budget", "income" | "expense") => json!({"date": "2026-11-20", "amount": "3", "currency": "EUR"}),
        ("budget", "transfer") => {
            json!({"date": "2026-11-20", "amount": "3", "currency": "EUR", "from": "Giro", "to": "Savings"})
        }
        ("budget", "rule") => json!({"match": "ada", "category": "books"}),
        ("budget", "limit") => json!({"category": "books", "amount": "3", "currency": "EUR"}),
        ("budget", "bank") => json!({"name": "Ada", "header": "Date, Amount"}),
        ("screener", _) => json!({"name": "Ada"}),
        ("vault", "routine") => json!({"when": ["daily 07:30"]}),
        other => panic!("a record type without an example: {other:?}"),
    }
}

#[tokio::test]
async fn record_of_every_type_is_added_with_its_form_and_found_by_its_note() {
    let nova = Nova::new("//- Diary.md\nNo record.\n", []);
    let app = nova.start().await;
    let types = app.list_record_types(Nothing {}).await.unwrap();
    assert!(types.len() > 10, "{types:?}");
    for row in types {
        let new =
            RecordFormRef { skill: row.skill.clone(), record_type: row.record_type.clone(), path: None };
        let form = app.record_form(new).await.unwrap();
        let saved = app.save_record(filled(&form, least(&row.skill, &row.record_type))).await.unwrap();
        let result = saved.result.unwrap_or_else(|| panic!("{row:?}: {:?} {:?}", saved.errors, saved.same));
        let path = result.changes[0].path.clone();
        let note = app.read_note(NoteRef { path: path.clone() }).await.unwrap();
        let record = note.record.unwrap();
        assert_eq!(
            (&record.skill, &record.record_type, &record.label),
            (&row.skill, &row.record_type, &row.label)
        );
        let form = RecordFormRef { skill: record.skill, record_type: record.record_type, path: Some(path) };
        assert_eq!(app.record_form(form).await.unwrap().broken, None);
    }
    assert_eq!(app.read_note(NoteRef { path: "Diary.md".into() }).await.unwrap().record, None);
}

#[tokio::test]
async fn duplicate_is_reported_and_added_only_if_the_user_confirms() {
    let nova = Nova::new(
        &format!(
            "{PEOPLE}\n//- CRM/Deals/Renewal.md\n---\ntype: deal\nstage: won\n---\n//- CRM/Deals/Torn.md\n---\ntype: deal\nname: [\n---\n//- CRM/Deals/Terms.md\nNo record.\n"
        ),
        [],
    );
    let app = nova.start().await;
    let form = app.record_form(of_contact(None)).await.unwrap();
    let before = nova.vault.files();

    let by_name = app.save_record(filled(&form, json!({"name": " jane DOE"}))).await.unwrap();
    let same = by_name.same.clone().unwrap();
    assert_eq!(
        (same.message.as_str(), same.path.as_str(), same.free_name.as_str()),
        ("There is already a contact “Jane Doe”, CRM/People/Jane Doe.md.", JANE, "jane DOE 2")
    );
    assert!(same.is_record && by_name.result.is_none());
    let email = json!({"name": "J. D.", "email": "JANE@quillon.example"});
    let by_email = app.save_record(filled(&form, email)).await.unwrap();
    assert_eq!(
        by_email.same.unwrap().message,
        "There is already a contact with the same e-mail, “Jane Doe”, CRM/People/Jane Doe.md."
    );

    let new = RecordFormRef { record_type: "deal".into(), ..of_contact(None) };
    let deal = app.record_form(new).await.unwrap();
    for (title, message, is_record) in [
        ("renewal", "There is already a deal “Renewal”, CRM/Deals/Renewal.md.", true),
        ("Torn", "There is already a note “Torn” in CRM/Deals.", false),
        ("Terms", "There is already a note “Terms” in CRM/Deals.", false),
    ] {
        let saved = app.save_record(filled(&deal, json!({"title": title, "stage": "lead"}))).await.unwrap();
        let same = saved.same.unwrap();
        assert_eq!((same.message.as_str(), same.is_record), (message, is_record));
    }
    assert_eq!(nova.vault.files(), before, "nothing was written");

    let mut again = filled(&deal, json!({"title": "Renewal", "stage": "lead"}));
    again.another = Some(true);
    let result = app.save_record(again).await.unwrap().result.unwrap();
    assert_eq!(result.changes[0].path, "CRM/Deals/Renewal 2.md");
    let other = filled(&deal, json!({"title": "Renewal of 2027", "stage": "lead"}));
    assert!(app.save_record(other).await.unwrap().result.unwrap().ok);
}

#[tokio::test]
async fn form_validates_currency_as_the_tools_do() {
    let nova =
        Nova::new("//- A.md\n---\ntype: deal\ntitle: A\nstage: lead\nvalue: 12\ncurrency: EUT\n---\n", []);
    let app = nova.start().await;
    let new =
        |skill: &str, kind: &str| RecordFormRef { skill: skill.into(), record_type: kind.into(), path: None };
    let deal = app.record_form(new("crm", "deal")).await.unwrap();
    let refused = app
        .save_record(filled(&deal, json!({"title": "B", "stage": "lead", "value": "1", "currency": "Taler"})))
        .await
        .unwrap();
    assert_eq!(
        errors(&refused),
        [(
            "currency",
            "It is Taler, which is not a currency. Write its code of three letters, such as EUR or USD."
        )]
    );
    let price = app.record_form(new("portfolio", "price")).await.unwrap();
    let entered = json!({"symbol": "ABC", "date": "2026-11-20", "close": "3", "currency": "btc"});
    let saved = app.save_record(filled(&price, entered)).await.unwrap().result.unwrap();
    assert!(nova.vault.read(&saved.changes[0].path).contains("currency: BTC\n"), "prices are given in it");
    assert_eq!(saved.changes[0].path, "Portfolio/Prices/2026-11-20 ABC.md");

    let (code, problems) = nova.json(&["vault", "check"]);
    assert_eq!(code, 1);
    assert_eq!(
        problems,
        json!([{
            "path": "A.md", "line": 6, "problem": "`currency` is `EUT`, which is not a currency",
            "remedy": "Write its code of three letters; the nearest is EUR.",
        }])
    );
}

#[tokio::test]
async fn form_changes_only_the_bytes_of_the_edited_property() {
    let nova = Nova::new(PEOPLE, []);
    let app = nova.start().await;
    let before = nova.vault.read(JANE);
    let form = open(&app, JANE).await;
    assert_eq!(form.values["company"], "Quillon Labs");

    let untouched = app.save_record(filled(&form, json!({}))).await.unwrap().result.unwrap();
    assert_eq!((untouched.ok, untouched.changes.len()), (true, 0));
    app.save_record(filled(&form, json!({"stage": "customer", "email": ""}))).await.unwrap();

    let once = before.replace("stage: lead", "stage: customer").replace("email: jane@quillon.example\n", "");
    assert_eq!(nova.vault.read(JANE), once);
    let again = open(&app, JANE).await;
    assert_ne!(again.hash, form.hash);
    app.save_record(filled(&again, json!({"phone": "0049 30 1"}))).await.unwrap();
    assert_eq!(open(&app, JANE).await.values["phone"], "0049 30 1");
    assert!(nova.vault.read(JANE).contains("stage: customer # since May"));
}

#[tokio::test]
async fn edit_in_obsidian_while_the_form_is_open_is_kept_or_asked_about() {
    let nova = Nova::new(PEOPLE, []);
    let app = nova.start().await;
    let form = open(&app, JANE).await;
    let outside = nova.vault.read(JANE).replace("stage: lead", "stage: paused");
    nova.vault.write(JANE, &outside);

    app.save_record(filled(&form, json!({"next_contact": "2026-12-24"}))).await.unwrap();
    let merged = outside.replace("2026-11-24", "2026-12-24");
    assert_eq!(nova.vault.read(JANE), merged, "one-sided changes merge");

    let asked = app.save_record(filled(&form, json!({"stage": "won"}))).await.unwrap();
    assert_eq!(
        errors(&asked),
        [(
            "stage",
            "It was changed to paused in the note while the form was open. Choose which one to keep."
        )]
    );
    assert_eq!(asked.errors[0].theirs, Some(json!("paused")));
    assert_eq!(nova.vault.read(JANE), merged);

    let mut mine = filled(&form, json!({"stage": "won", "next_contact": "2026-12-24"}));
    mine.before.as_mut().unwrap()["stage"] = json!("paused");
    assert!(app.save_record(mine).await.unwrap().result.unwrap().ok);
    assert_eq!(nova.vault.read(JANE), merged.replace("stage: paused", "stage: won"));
}

#[tokio::test]
async fn invalid_fields_are_reported_and_nothing_is_written() {
    let nova = Nova::new(PEOPLE, []);
    let app = nova.start().await;
    let form = open(&app, JANE).await;
    let before = nova.vault.read(JANE);

    let refused =
        app.save_record(filled(&form, json!({"name": "", "next_contact": "24.12.2026"}))).await.unwrap();

    assert_eq!(
        errors(&refused),
        [
            ("name", "A contact needs a text. Fill it in."),
            ("next_contact", "It is 24.12.2026, which is not a date. Write it as 2026-12-24."),
        ]
    );
    assert_eq!(nova.vault.read(JANE), before);
}

#[tokio::test]
async fn broken_note_is_shown_with_line_and_remedy_and_is_not_saved() {
    let notes = "
//- Torn.md
---
type: contact
name: [
---
//- Late.md
---
type: contact
name: Late
next_contact: 31.12.2026
---
//- Diary.md
---
type: diary
---
";
    let nova = Nova::new(notes, []);
    let app = nova.start().await;

    let form = open(&app, "Torn.md").await;
    let broken = form.broken.clone().unwrap();
    assert_eq!((broken.path.as_str(), form.values.clone()), ("Torn.md", json!({})));
    let before = nova.vault.read("Torn.md");
    let refused = app.save_record(filled(&form, json!({"name": "Torn"}))).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::NoteBroken);
    assert!(refused.hint.contains("Obsidian"), "{refused:?}");
    assert_eq!(nova.vault.read("Torn.md"), before);

    let form = open(&app, "Late.md").await;
    assert_eq!((form.problems[0].line, form.problems[0].remedy.as_str()), (4, "Write it as 2026-12-31."));
    let refused = app.save_record(filled(&form, json!({"phone": "1"}))).await.unwrap();
    assert_eq!(errors(&refused)[0].0, "next_contact");
    let mended = filled(&form, json!({"next_contact": "2026-12-31"}));
    assert!(app.save_record(mended).await.unwrap().result.unwrap().ok);
    assert!(nova.vault.read("Late.md").contains("\nnext_contact: 2026-12-31\n"));

    let other = app.record_form(of_contact(Some("Diary.md"))).await.unwrap_err();
    assert_eq!(other.message, "Diary.md is not a contact: its type is diary.");
    let unknown = app.record_form(RecordFormRef { record_type: "robot".into(), ..of_contact(None) }).await;
    assert_eq!(unknown.unwrap_err().hint, "It has contact, company, deal.");
}

#[tokio::test]
async fn deny_rule_for_the_form_holds() {
    let nova = Nova::new(PEOPLE, []);
    nova.rules("permissions:\n  deny: [ \"crm__save_record\" ]\n");
    let app = nova.start().await;
    let before = nova.vault.read(JANE);
    let form = open(&app, JANE).await;

    let result = app.save_record(filled(&form, json!({"stage": "won"}))).await.unwrap().result.unwrap();

    assert_eq!(result.error.unwrap().code, ErrorCode::DeniedByRule);
    assert_eq!(nova.vault.read(JANE), before);
}

#[tokio::test]
async fn form_is_in_no_tool_list_and_cannot_be_called_by_name() {
    let nova = Nova::new(PEOPLE, []);
    let app = nova.start().await;
    let tools = app.list_tools(Nothing {}).await.unwrap();
    assert!(tools.iter().all(|tool| !tool.name.ends_with("save_record")));
    let (code, answer) = nova.json(&["tool", "call", "crm.save_record", "--args", "{}"]);
    assert_eq!((code, answer["error"]["code"].as_str()), (1, Some("unknown_tool")));
}

/// A record's form, for an existing note or a new one.
async fn form_of(app: &App, skill: &str, record_type: &str, path: Option<&str>) -> RecordFormView {
    let path = path.map(str::to_owned);
    let wanted = RecordFormRef { skill: skill.into(), record_type: record_type.into(), path };
    app.record_form(wanted).await.unwrap()
}

#[tokio::test]
async fn expense_saved_with_its_form_gets_the_category_of_the_rules() {
    let rule = "//- Budget/Rules/R.md\n---\ntype: rule\nmatch: corner\ncategory: groceries\n---\n";
    let note = "//- E.md\n---\ntype: expense\ndate: 2026-11-02\namount: 5.00\ncurrency: EUR\n---\n";
    let nova = Nova::new(&format!("{rule}{note}"), []);
    let app = nova.start().await;

    let new = form_of(&app, "budget", "expense", None).await;
    let entered = json!({"date": "2026-11-20", "amount": "84.20", "payee": "Corner Market"});
    let saved = app.save_record(filled(&new, entered)).await.unwrap().result.unwrap();
    assert_eq!(
        nova.vault.read(&saved.changes[0].path),
        "---\ntype: expense\ndate: 2026-11-20\namount: 84.20\ncurrency: EUR\ncategory: groceries\npayee: Corner Market\n---\n"
    );
    let edited = form_of(&app, "budget", "expense", Some("E.md")).await;
    assert!(app.save_record(filled(&edited, json!({"payee": "Corner"}))).await.unwrap().result.unwrap().ok);
    let text = nova.vault.read("E.md");
    assert!(text.contains("category: groceries\n") && text.contains("amount: 5.00\n"), "{text}");

    let ended = json!({"date": "2026-11-20", "amount": "1", "recurring": "weekly", "until": "2026-11-19"});
    let refused = app.save_record(filled(&new, ended)).await.unwrap();
    assert_eq!(errors(&refused), [("until", "It is before the first day, 2026-11-20.")]);
}

#[tokio::test]
async fn trade_saved_with_its_form_respects_holdings_and_updates_its_position() {
    let notes = "
//- Portfolio/Positions/NGTL.md
---
type: position
symbol: NGTL
currency: EUR
quantity: 60
---
//- Portfolio/Trades/buy.md
---
type: trade
symbol: NGTL
kind: buy
date: 2026-03-12
quantity: 100
price: 30.00
currency: EUR
---
//- Portfolio/Trades/sell.md
---
type: trade
symbol: NGTL
kind: sell
date: 2026-09-15
quantity: 40
price: 40.00
currency: EUR
---
";
    let nova = Nova::new(notes, []);
    let app = nova.start().await;
    let (sale, position) = ("Portfolio/Trades/sell.md", "Portfolio/Positions/NGTL.md");
    let before = (nova.vault.read(sale), nova.vault.read(position));

    let form = form_of(&app, "portfolio", "trade", Some(sale)).await;
    let result = app.save_record(filled(&form, json!({"quantity": "101"}))).await.unwrap().result.unwrap();
    let error = result.error.unwrap();
    assert_eq!(
        error.message,
        "Portfolio/Trades/sell.md, line 6: 101 NGTL cannot be sold on 2026-09-15: 100 are held then."
    );
    assert!(error.hint.starts_with("Correct the quantity"), "{error:?}");
    assert_eq!((nova.vault.read(sale), nova.vault.read(position)), before, "nothing half written");

    let new = form_of(&app, "portfolio", "trade", None).await;
    let unpriced = json!({"symbol": "NGTL", "kind": "buy", "date": "2026-11-20", "quantity": "1"});
    let refused = app.save_record(filled(&new, unpriced)).await.unwrap();
    assert_eq!(errors(&refused), [("price", "A buy needs a price.")]);

    let result = app.save_record(filled(&form, json!({"quantity": "50"}))).await.unwrap().result.unwrap();
    assert_eq!(result.changes.len(), 2, "{result:?}");
    assert_eq!(result.value.unwrap()["path"], sale, "the saved one");
    assert_eq!(nova.vault.read(sale), before.0.replace("quantity: 40", "quantity: 50"));
    assert_eq!(nova.vault.read(position), before.1.replace("quantity: 60", "quantity: 50"));

    let split = json!({"symbol": "ngtl", "kind": "split", "date": "2026-11-20", "quantity": "3"});
    let result = app.save_record(filled(&new, split)).await.unwrap().result.unwrap();
    assert!(result.ok, "{result:?}");
    assert!(nova.vault.read("Portfolio/Trades/2026-11-20 NGTL split.md").contains("symbol: NGTL\n"));
    assert_eq!(nova.vault.read(position), before.1.replace("quantity: 60", "quantity: 150"));
    app.undo(&result.change_set.unwrap(), None, None).await.unwrap();
    assert_eq!(nova.vault.read(position), before.1.replace("quantity: 60", "quantity: 50"));
}

#[tokio::test]
async fn trade_keeps_the_spelling_of_its_currency_when_its_price_is_edited() {
    let trade = "Portfolio/Trades/buy.md";
    let notes = format!(
        "//- {trade}\n---\ntype: trade\nsymbol: NGTL\nkind: buy\ndate: 2026-03-12\nquantity: 100\nprice: 30.00 # in two parts\ncurrency: usd\n---\nMine.\n"
    );
    let nova = Nova::new(&notes, []);
    let app = nova.start().await;
    let before = nova.vault.read(trade);
    let form = form_of(&app, "portfolio", "trade", Some(trade)).await;
    assert!(app.save_record(filled(&form, json!({"price": "31.50"}))).await.unwrap().result.unwrap().ok);
    assert_eq!(nova.vault.read(trade), before.replace("price: 30.00", "price: 31.50"));
    let form = form_of(&app, "portfolio", "trade", Some(trade)).await;
    let refused = app.save_record(filled(&form, json!({"currency": ""}))).await.unwrap();
    assert_eq!(errors(&refused), [("currency", "It is needed: the vault names no usual currency.")]);
}

#[tokio::test]
async fn deal_saved_with_its_form_links_to_the_intended_person_or_asks() {
    let more = "//- CRM/People/Jane Roe.md\n---\ntype: contact\nname: Jane Roe\n---\n";
    let nova = Nova::new(&format!("{PEOPLE}\n{more}"), []);
    let app = nova.start().await;
    let new = form_of(&app, "crm", "deal", None).await;
    let deal = |contact: &str| json!({"title": "Renewal", "stage": "lead", "contact": contact});
    let refused = app.save_record(filled(&new, deal("Jane"))).await.unwrap();
    let [(field, message)] = errors(&refused)[..] else { panic!("{refused:?}") };
    assert_eq!(field, "contact");
    assert!(message.starts_with("\"Jane\" could be several; write which one is meant."), "{message}");
    assert!(message.contains("Jane Doe") && message.contains("Jane Roe"), "{message}");
    let saved = app.save_record(filled(&new, deal("roe"))).await.unwrap().result.unwrap();
    assert!(nova.vault.read(&saved.changes[0].path).contains("contact: \"[[Jane Roe]]\"\n"));
}
