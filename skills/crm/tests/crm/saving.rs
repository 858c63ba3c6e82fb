//! Saving a record with its form.

use nova_skill::{Value, json};
use nova_testkit::{TempVault, save_form};

use crate::{PEOPLE, crm};

/// Saves a form with the `entered` fields, for the note at `path` or a new record. Returns the saved values
/// or the error.
fn saved(notes: &str, record_type: &str, path: Option<&str>, entered: Value) -> Result<Value, String> {
    let saved = save_form(nova_skill_crm::skill, &TempVault::from(notes), record_type, path, &entered);
    saved.map(|saved| saved.values).map_err(|error| error.to_string())
}

#[test]
fn form_rejects_what_the_tools_reject() {
    let email = saved(PEOPLE, "contact", None, json!({"name": "Sam Ortega", "email": "jane at example"}));
    assert_eq!(
        email,
        Err("/email: \"jane at example\" is not an e-mail address such as jane@example.com.".into())
    );
    let name = saved(PEOPLE, "company", None, json!({"name": "Quillon\nLabs"}));
    assert_eq!(name, Err("/name: must be one line of text.".into()));
    let stage = saved(PEOPLE, "contact", Some("Friends/Theo.md"), json!({"stage": "a\tb"}));
    assert_eq!(stage, Err("/stage: must be one line of text.".into()));
}

#[test]
fn form_normalises_tags_like_the_tools() {
    let tags = json!(["#design", "Design", "food/dairy"]);
    let expected = json!(["design", "food/dairy"]);
    for (record_type, path) in
        [("contact", None), ("contact", Some("CRM/People/Jane Doe.md")), ("company", None)]
    {
        let entered =
            if path.is_none() { json!({"name": "Ada", "tags": tags}) } else { json!({"tags": tags}) };
        assert_eq!(saved(PEOPLE, record_type, path, entered).unwrap()["tags"], expected, "{record_type}");
    }
}

#[test]
fn unchanged_fields_are_not_checked_again() {
    let odd = PEOPLE.replace("email: Jane.Doe@quillon.example", "email: jane at example");
    let values = saved(&odd, "contact", Some("CRM/People/Jane Doe.md"), json!({"stage": "customer"}));
    assert_eq!(values.unwrap()["email"], "jane at example");
}

#[test]
fn deal_form_resolves_the_contact() {
    let with = |contact: &str| {
        let deal = json!({"title": "Renewal", "stage": "lead", "contact": contact});
        saved(PEOPLE, "deal", None, deal).map(|values| values["contact"].clone())
    };
    assert_eq!(with("Marsh"), Ok(json!("Theo")));
    assert_eq!(with("jane doe"), Ok(json!("Jane Doe")));
    assert_eq!(with("Jane"), Err("/contact: \"Jane\" could be several; write which one is meant.".into()));
    // By path, and by a name that two notes share.
    let two = format!("{PEOPLE}//- Else/Theo.md\nA river.\n");
    for contact in ["[[Friends/Theo]]", "Theo"] {
        let deal = json!({"title": "Renewal", "stage": "lead", "contact": contact});
        assert_eq!(
            saved(&two, "deal", None, deal).map(|values| values["contact"].clone()),
            Ok(json!("Friends/Theo"))
        );
    }
    // A name that no file can have.
    assert_eq!(with("AC/DC"), Ok(json!("AC/DC")));
    // A name that has a note, and one that has none.
    assert_eq!(with("Quillon Labs"), Ok(json!("Quillon Labs")));
    assert_eq!(with("Ilse Kramer"), Ok(json!("Ilse Kramer")));
}

#[test]
fn contact_form_resolves_the_company() {
    let two = format!("{PEOPLE}//- Else/Quillon Labs.md\nA river.\n");
    let values = saved(&two, "contact", None, json!({"name": "Ida", "company": "Quillon Labs"}));
    assert_eq!(values.unwrap()["company"], "CRM/Companies/Quillon Labs");
}

/// A deal for each of these currencies.
fn deals(currencies: &[&str]) -> String {
    let deal = |(at, currency): (usize, &&str)| {
        format!("//- CRM/Deals/{at}.md\n---\ntype: deal\nstage: lead\nvalue: 5\n{currency}---\n")
    };
    currencies.iter().enumerate().map(deal).collect()
}

/// The currency after saving a deal with its form, or the error.
fn currency(notes: &str, path: Option<&str>, entered: Value) -> Result<Value, String> {
    let saved = save_form(nova_skill_crm::skill, &TempVault::from(notes), "deal", path, &entered);
    saved.map(|saved| saved.values["currency"].clone()).map_err(|error| error.to_string())
}

const EUR: &str = "currency: EUR\n";
const CHF: &str = "currency: CHF\n";

#[test]
fn value_gets_the_most_frequent_currency_unless_tied() {
    let deal = |more: Value| {
        let mut entered = json!({"title": "Renewal", "stage": "lead"});
        entered.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        entered
    };
    let valued = || deal(json!({"value": "9"}));
    assert_eq!(currency(&deals(&[EUR, EUR, CHF]), None, valued()), Ok(json!("EUR")));
    assert_eq!(currency(&deals(&[EUR, CHF]), None, deal(json!({}))), Ok(Value::Null));
    assert_eq!(
        currency(&deals(&[EUR, CHF]), None, valued()),
        Err("/currency: is needed: several are used equally often, and none is configured.".into())
    );
    let named = deal(json!({"value": "9", "currency": "CHF"}));
    assert_eq!(currency(&deals(&[EUR, CHF]), None, named), Ok(json!("CHF")));
}

#[test]
fn implicit_currency_stays_implicit_if_unambiguous() {
    let open = Some("CRM/Deals/1.md");
    assert_eq!(currency(&deals(&[EUR, ""]), open, json!({"value": "6"})), Ok(Value::Null));
    let error = currency(&deals(&[EUR, "", CHF]), open, json!({"value": "6"})).unwrap_err();
    assert!(error.starts_with("/currency: is needed"), "{error}");
}

#[test]
fn rejects_removing_a_currency_that_decides_a_value() {
    let taken = |currencies: &[&str], more: Value| {
        let mut entered = json!({"currency": null});
        entered.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        currency(&deals(currencies), Some("CRM/Deals/0.md"), entered)
    };
    assert_eq!(taken(&[EUR, EUR], json!({})), Ok(Value::Null));
    assert_eq!(
        taken(&[CHF, EUR], json!({})),
        Err("/currency: is needed: without it the value counts in EUR; name the currency.".into())
    );
    assert_eq!(
        taken(&[EUR, ""], json!({})),
        Err("/currency: is needed: no deal has one yet, and none is configured.".into())
    );
    // Without a value, only a deal without a currency of its own can depend on this one.
    assert_eq!(taken(&[EUR, CHF], json!({"value": null})), Ok(Value::Null));
    assert_eq!(
        taken(&[EUR, ""], json!({"value": null})),
        Err("/currency: is needed: CRM/Deals/1.md names none and uses this one.".into())
    );
}

#[test]
fn rejects_currency_change_that_affects_another_deal() {
    let changed = |currencies: &[&str], at: usize, code: &str| {
        currency(&deals(currencies), Some(&format!("CRM/Deals/{at}.md")), json!({"currency": code}))
    };
    let refused = |of: &str| {
        Err(format!(
            "/currency: decides the currency of CRM/Deals/{of}, which names none; write EUR there first, or set \
             the currency of the skill crm."
        ))
    };
    // The only deal with a currency.
    assert_eq!(changed(&[EUR, ""], 0, "CHF"), refused("1.md"));
    assert_eq!(changed(&[EUR, "", ""], 0, "CHF"), refused("1.md (and of 1 more)"));
    // A tie leaves no default, so the deal without a currency would no longer count.
    assert_eq!(changed(&[EUR, "", ""], 1, "CHF"), refused("2.md"));
    // The default stays the same, no deal depends on it, or there was none before.
    assert_eq!(changed(&[EUR, "", EUR, EUR], 0, "CHF"), Ok(json!("CHF")));
    assert_eq!(changed(&[EUR, CHF], 0, "CHF"), Ok(json!("CHF")));
    assert_eq!(changed(&[EUR, "", CHF], 0, "CHF"), Ok(json!("CHF")));
}

#[test]
fn rejects_new_deal_that_changes_the_default_currency_of_others() {
    let added = |currencies: &[&str], code: &str| {
        let entered = json!({"title": "Renewal", "stage": "lead", "value": "9", "currency": code});
        currency(&deals(currencies), None, entered)
    };
    let refused = "/currency: decides the currency of CRM/Deals/1.md, which names none; write EUR there first, or \
                   set the currency of the skill crm.";
    // A tie would leave no default.
    assert_eq!(added(&[EUR, ""], "CHF"), Err(refused.into()));
    assert_eq!(added(&[EUR, "", EUR], "CHF"), Ok(json!("CHF")));
    assert_eq!(added(&[EUR, ""], "EUR"), Ok(json!("EUR")));
    assert_eq!(added(&[EUR, EUR], "CHF"), Ok(json!("CHF")));
}

#[test]
fn tools_reject_the_currency_changes_that_forms_reject() {
    let refuses = |currencies: &[&str], tool: &str, args: Value, why: &str| {
        let crm = crm(&deals(currencies));
        let before = crm.vault.files();
        assert_eq!(crm.error(tool, args).message, why);
        assert_eq!(crm.vault.files(), before);
    };
    let decides = "/currency: decides the currency of CRM/Deals/1.md, which names none; write EUR there first, or set \
                   the currency of the skill crm.";
    refuses(&[EUR, ""], "add_deal", json!({"title": "Renewal", "value": "9", "currency": "CHF"}), decides);
    refuses(&[EUR, ""], "update_deal", json!({"title": "CRM/Deals/0.md", "currency": "CHF"}), decides);
    let without = "/currency: is needed: without it the value counts in EUR; name the currency.";
    refuses(&[CHF, EUR], "update_deal", json!({"title": "CRM/Deals/0.md", "currency": null}), without);
    let crm = crm(&deals(&[CHF, EUR]));
    crm.value("update_deal", json!({"title": "CRM/Deals/0.md", "currency": null, "value": null}));
    assert!(!crm.vault.read("CRM/Deals/0.md").contains("currency"));
}
