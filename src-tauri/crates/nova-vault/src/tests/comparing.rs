//! How conditions compare property values.

use super::querying::{check, conditions, names, vault};
use super::*;
use crate::Query;

#[test]
fn numbers_are_compared_by_value() {
    check(
        "a: amount: 1.50
         b: amount: 1.5
         c: amount: -2
         d: amount: 12345678901234567890
         e: amount: 12345678901234567891
         f: amount: 3e2
         g: amount: 0.1000000000000000000000000000000000000000000001
         h: amount: abc
         i: amount: 0x10
         j: amount: 010
         k: amount: .inf",
        &[
            ("amount = 1.5", "a b"),
            ("amount = +1.500", "a b"),
            ("amount = \"1.5\"", "a b"),
            ("amount != 1.5", "c d e f g h i j k"),
            ("amount < 0", "c"),
            ("amount <= 0.1", "c"),
            ("amount > 0.1", "a b d e f g i j"),
            ("amount = 12345678901234567891", "e"),
            ("amount > 12345678901234567890", "e"),
            ("amount >= 12345678901234567890", "d e"),
            ("amount = 300", "f"),
            ("amount = 0.1", ""),
            ("amount = 16", "i"),
            ("amount = 10", "j"),
            ("amount < abc", ""),
            ("amount < 1e999999", "a b c d e f g i j"),
            ("amount = ABC", "h"),
            ("amount contains 234", "d e"),
        ],
    );
}

#[test]
fn dates_are_compared_by_the_calendar() {
    check(
        "a: when: 2026-11-24
         b: when: 2026-11-24T00:00
         c: when: 2026-11-24 10:30:05
         d: when: 2026-11-24T01:00:00+02:00
         e: when: 2027-01-02
         f: when: 2026-02-30
         g: when: soon
         h: when: 2026-11-24T10:30:05.5Z",
        &[
            ("when = 2026-11-24", "a b"),
            ("when = 2026-11-24T00:00:00", "a b"),
            ("when < 2026-11-24", "d"),
            ("when = 2026-11-23T23:00", "d"),
            ("when > 2026-11-24", "c e h"),
            ("when > 2026-11-24T10:30:05", "e h"),
            ("when >= \"2027-01-02\"", "e"),
            ("when = 2026-02-30", "f"),
            ("when = soon", "g"),
            ("when contains 2026-11", "a b c d h"),
            ("when < 100", ""),
        ],
    );
}

#[test]
fn texts_are_compared_ignoring_case_and_composition() {
    check(
        "a: stage: Lead | city: Caf\u{e9}
         b: stage: lead | city: \"Cafe\u{301}\"
         c: stage: won | city: ''
         d: stage: true | city: \"007\"
         e: stage: TRUE",
        &[
            ("stage = LEAD", "a b"),
            ("stage=lead", "a b"),
            ("stage > m", "c"),
            ("stage = True", "d e"),
            ("stage != lead", "c d e"),
            ("stage contains EA", "a b"),
            ("city = CAF\u{c9}", "a b"),
            ("city = \"\"", "c"),
            ("city = 007", "d"),
            ("city = 7", ""),
            ("city > 5", ""),
            ("stage in won, \"lead\"", "a b c"),
            ("stage IN [Won, x]", "c"),
        ],
    );
}

#[test]
fn link_is_compared_by_its_notes_name() {
    check(
        "a: company: \"[[Quillon Labs]]\"
         b: company: \"[[CRM/Companies/Quillon Labs|Quillon]]\"
         c: company: Quillon Labs
         d: company: [[Quillon Labs#Log]]
         e: company: [\"[[Acme]]\", \"[[quillon labs.md]]\"]
         f: company: \"[[Acme]]\"",
        &[
            ("company = Quillon Labs", "a b c d e"),
            ("company = \"quillon labs\"", "a b c d e"),
            ("company = [[Quillon Labs]]", "a b c d e"),
            ("company = [[CRM/Companies/Quillon Labs]]", "a b c d e"),
            ("company = Quillon", ""),
            ("company contains labs", "a b c d"),
            ("company in [[Acme]], [[Quillon Labs]]", "a b c d e f"),
            ("company in [[[Acme]], other]", "e f"),
            ("company < b", "e f"),
        ],
    );
}

/// Otherwise a list of thousands would take minutes in a large vault.
#[test]
fn notes_value_is_prepared_once_for_all_list_values() {
    let (_bed, vault) =
        vault("a: stage: lead\nb: stage: [won, lost]\nc: stage: 2026-11-24\nd: tags: [x, won]");
    let others: Vec<_> = (0..1000).map(|number| format!("no {number}")).collect();
    for (key, values, found) in
        [("stage", "won, 5", "b"), ("stage", "LEAD, 2026-11", "a c"), ("tags", "won, #y", "d")]
    {
        let query = |values: &str| Query {
            conditions: conditions(&[&format!("{key} in {values}")]),
            ..Query::default()
        };
        let (few, many) = (query(values), query(&format!("{}, {values}", others.join(", "))));
        assert_eq!(names(&vault, &many), found);
        let (_, few) = work::of(|| names(&vault, &few));
        let (_, many) = work::of(|| names(&vault, &many));
        assert_eq!(few, many, "{key} in {values}");
    }
}

#[test]
fn one_item_of_a_list_must_match() {
    check(
        "a: labels: [saas, cold chain]
         b: labels: saas
         c: labels: []
         d: labels: [1, 20, 2026-11-24]
         e: labels: [[x, y], {saas: saas}]",
        &[
            ("labels = saas", "a b"),
            ("labels contains SAAS", "a b"),
            ("labels contains cold", ""),
            ("labels contains sa", "b"),
            ("labels contains \"cold chain\"", "a"),
            ("labels != saas", "d e"),
            ("labels > 10", "d"),
            ("labels >= 2026-11-24", "d"),
            ("labels = y", "e"),
            ("labels exists", "a b d e"),
            ("labels exists false", "c"),
        ],
    );
}

#[test]
fn missing_property_satisfies_only_its_absence() {
    check(
        "a: email: x | Next Contact: 2026-12-01
         b: email:
         c: other: 1
         d: Email: Y | email: z",
        &[
            ("email != q", "a d"),
            ("email exists true", "a d"),
            ("email exists false", "b c"),
            ("EMAIL = x", "a"),
            ("email = z", "d"),
            ("Email = y", "d"),
            ("\"next contact\" < 2027-01-01", "a"),
            ("unknown = 1", ""),
            ("unknown != 1", ""),
            ("unknown exists", ""),
        ],
    );
}

#[test]
fn month_or_year_covers_all_its_days() {
    check(
        "a: due: 2026-10-31
         b: due: 2026-11-01
         c: due: 2026-11-30T23:59
         d: due: 2026-12-01
         e: due: 2027-01-01
         f: due: soon
         g: due: 2026-11",
        &[
            ("due >= 2026-11", "b c d e g"),
            ("due > 2026-11", "d e"),
            ("due <= 2026-11", "a b c g"),
            ("due < 2026-11", "a"),
            ("due = 2026-11", "b c g"),
            ("due != 2026-11", "a d e f"),
            ("due in 2026-10, 2027", "a e"),
            ("due > 2026", "e"),
            ("due = 2026-13", ""),
        ],
    );
}

#[test]
fn incomparable_values_are_counted() {
    let (_bed, vault) = vault(
        "a: amount: 12.5 | s: x
         b: amount: '12.50' | s: x
         c: amount: '12.50' | s: y
         d: amount: 1 | s: x
         e: amount: [a, b] | s: x
         f: amount: [a, 7] | s: x
         g: amount: | s: x
         h: s: x
         i: amount: [] | s: x",
    );
    for (asked, found, left_out) in [
        (vec!["amount >= 5"], "a f", 3),
        (vec!["amount >= 5", "s = x"], "a f", 2),
        (vec!["s = x", "amount < 5"], "d", 2),
        (vec!["amount = 12.5"], "a", 0),
        (vec!["amount exists"], "a b c d e f", 0),
    ] {
        let query = Query { conditions: conditions(&asked), ..Query::default() };
        assert_eq!(names(&vault, &query), found, "{asked:?}");
        let answer = vault.seen_by_owner().query(&query).unwrap();
        assert_eq!(answer.not_comparable, left_out, "{asked:?}");
    }
}
