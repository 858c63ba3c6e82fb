//! What a record keeps to when it is saved with its form.

use nova_skill::{Value, json};
use nova_testkit::{TempVault, save_form};

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
fn a_note_that_left_its_currency_open_goes_on_so_where_the_others_say_it() {
    let open = Some("CRM/Deals/1.md");
    assert_eq!(currency(&deals(&[EUR, ""]), open, json!({"value": "6"})), Ok(Value::Null));
    let error = currency(&deals(&[EUR, "", CHF]), open, json!({"value": "6"})).unwrap_err();
    assert!(error.starts_with("/currency: is needed"), "{error}");
}
