//! What a record keeps to when it is saved with its form.

use nova_skill::{Value, json};
use nova_testkit::{TempVault, save_form};

use crate::{PEOPLE, crm};

/// What a form saves in which these fields were filled in, of a note or of a new record without one;
/// else why it cannot.
fn saved(notes: &str, record_type: &str, path: Option<&str>, entered: Value) -> Result<Value, String> {
    let saved = save_form(nova_skill_crm::skill, &TempVault::from(notes), record_type, path, &entered);
    saved.map(|saved| saved.values).map_err(|error| error.to_string())
}

#[test]
fn what_a_tool_refuses_of_a_person_or_a_company_its_form_refuses() {
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
fn tags_are_kept_as_the_tools_keep_them() {
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
fn what_nobody_touched_is_not_looked_at_again() {
    let odd = PEOPLE.replace("email: Jane.Doe@quillon.example", "email: jane at example");
    let values = saved(&odd, "contact", Some("CRM/People/Jane Doe.md"), json!({"stage": "customer"}));
    assert_eq!(values.unwrap()["email"], "jane at example");
}

#[test]
fn a_deal_links_to_whom_the_user_means() {
    let with = |contact: &str| {
        let deal = json!({"title": "Renewal", "stage": "lead", "contact": contact});
        saved(PEOPLE, "deal", None, deal).map(|values| values["contact"].clone())
    };
    assert_eq!(with("Marsh"), Ok(json!("Theo")));
    assert_eq!(with("jane doe"), Ok(json!("Jane Doe")));
    assert_eq!(with("Jane"), Err("/contact: \"Jane\" could be several; write which one is meant.".into()));
    // By its path, and by a name that two notes have.
    let two = format!("{PEOPLE}//- Else/Theo.md\nA river.\n");
    for said in ["[[Friends/Theo]]", "Theo"] {
        let deal = json!({"title": "Renewal", "stage": "lead", "contact": said});
        assert_eq!(
            saved(&two, "deal", None, deal).map(|values| values["contact"].clone()),
            Ok(json!("Friends/Theo"))
        );
    }
    // A name that no file can have.
    assert_eq!(with("AC/DC"), Ok(json!("AC/DC")));
    // A person with a note of that name, and one without.
    assert_eq!(with("Quillon Labs"), Ok(json!("Quillon Labs")));
    assert_eq!(with("Ilse Kramer"), Ok(json!("Ilse Kramer")));
}

#[test]
fn a_contact_is_saved_with_the_company_that_is_meant() {
    let two = format!("{PEOPLE}//- Else/Quillon Labs.md\nA river.\n");
    let values = saved(&two, "contact", None, json!({"name": "Ida", "company": "Quillon Labs"}));
    assert_eq!(values.unwrap()["company"], "CRM/Companies/Quillon Labs");
}

/// A deal in each of these currencies.
fn deals(currencies: &[&str]) -> String {
    let deal = |(at, currency): (usize, &&str)| {
        format!("//- CRM/Deals/{at}.md\n---\ntype: deal\nstage: lead\nvalue: 5\n{currency}---\n")
    };
    currencies.iter().enumerate().map(deal).collect()
}

/// The currency of a deal that is saved with its form; else why it is not.
fn currency(notes: &str, path: Option<&str>, entered: Value) -> Result<Value, String> {
    let saved = save_form(nova_skill_crm::skill, &TempVault::from(notes), "deal", path, &entered);
    saved.map(|saved| saved.values["currency"].clone()).map_err(|error| error.to_string())
}

const EUR: &str = "currency: EUR\n";
const CHF: &str = "currency: CHF\n";

#[test]
fn a_value_has_the_usual_currency_and_none_is_guessed() {
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
fn a_note_that_left_its_currency_open_continues_so_where_the_others_say_it() {
    let open = Some("CRM/Deals/1.md");
    assert_eq!(currency(&deals(&[EUR, ""]), open, json!({"value": "6"})), Ok(Value::Null));
    let error = currency(&deals(&[EUR, "", CHF]), open, json!({"value": "6"})).unwrap_err();
    assert!(error.starts_with("/currency: is needed"), "{error}");
}

#[test]
fn a_currency_is_taken_out_only_where_no_value_is_read_in_another_then() {
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
    // Without a value there is nothing to be read, but in a deal that goes by this one.
    assert_eq!(taken(&[EUR, CHF], json!({"value": null})), Ok(Value::Null));
    assert_eq!(
        taken(&[EUR, ""], json!({"value": null})),
        Err("/currency: is needed: CRM/Deals/1.md names none and uses this one.".into())
    );
}

#[test]
fn a_currency_is_changed_only_where_no_other_deal_goes_by_it() {
    let changed = |currencies: &[&str], at: usize, code: &str| {
        currency(&deals(currencies), Some(&format!("CRM/Deals/{at}.md")), json!({"currency": code}))
    };
    let refused = |of: &str| {
        Err(format!(
            "/currency: decides the currency of CRM/Deals/{of}, which names none; write EUR there first, or set \
             the currency of the skill crm."
        ))
    };
    // The only one that any deal names.
    assert_eq!(changed(&[EUR, ""], 0, "CHF"), refused("1.md"));
    assert_eq!(changed(&[EUR, "", ""], 0, "CHF"), refused("1.md (and of 1 more)"));
    // Two that are named as often leave it open: the third would not be counted any more.
    assert_eq!(changed(&[EUR, "", ""], 1, "CHF"), refused("2.md"));
    // Most of the others say the same, nobody leaves it open, or it was open before.
    assert_eq!(changed(&[EUR, "", EUR, EUR], 0, "CHF"), Ok(json!("CHF")));
    assert_eq!(changed(&[EUR, CHF], 0, "CHF"), Ok(json!("CHF")));
    assert_eq!(changed(&[EUR, "", CHF], 0, "CHF"), Ok(json!("CHF")));
}

#[test]
fn a_new_deal_changes_the_currency_of_no_other() {
    let added = |currencies: &[&str], code: &str| {
        let entered = json!({"title": "Renewal", "stage": "lead", "value": "9", "currency": code});
        currency(&deals(currencies), None, entered)
    };
    let refused = "/currency: decides the currency of CRM/Deals/1.md, which names none; write EUR there first, or \
                   set the currency of the skill crm.";
    // Named as often as the other, none would be the usual one any more.
    assert_eq!(added(&[EUR, ""], "CHF"), Err(refused.into()));
    assert_eq!(added(&[EUR, "", EUR], "CHF"), Ok(json!("CHF")));
    assert_eq!(added(&[EUR, ""], "EUR"), Ok(json!("EUR")));
    assert_eq!(added(&[EUR, EUR], "CHF"), Ok(json!("CHF")));
}

#[test]
fn what_its_form_refuses_of_a_currency_a_tool_refuses() {
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
