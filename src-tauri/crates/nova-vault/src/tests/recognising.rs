//! Which notes are records, by type, folder, tag and property rules.

use super::*;
use crate::{Fits, Query, Recogniser, Rule};

fn where_(condition: &str) -> Rule {
    Rule::condition(condition).unwrap()
}

/// The names of the recognised notes; all APIs must agree.
fn recognised(notes: &[(&str, &str)], rules: impl IntoIterator<Item = Rule>) -> String {
    let recogniser = Recogniser::new(rules);
    let bed = Bed::new(notes);
    let vault = bed.vault();
    let records = vault.recognised(&recogniser).unwrap();
    let names = |paths: Vec<&VaultPath>| paths.iter().map(|path| path.name()).collect::<Vec<_>>().join(" ");
    let found = names(records.iter().map(|note| &note.path).collect());

    let query = Query { records: recogniser.clone(), ..Query::default() };
    let rows = vault.seen_by_owner().query(&query).unwrap().rows;
    if !recogniser.is_empty() {
        assert_eq!(names(rows.iter().map(|row| &row.path).collect()), found, "as a query");
    }
    let all = vault.seen_by_owner().notes().unwrap();
    let one_by_one = all.iter().filter(|note| recogniser.recognises(note)).map(|note| &note.path);
    let no_template = one_by_one.filter(|path| !path.as_str().starts_with("Templates/"));
    assert_eq!(names(no_template.collect()), found, "note by note");
    found
}

const PEOPLE: &[(&str, &str)] = &[
    ("Amy.md", "---\ncategories:\n  - \"[[People]]\"\n---\n"),
    ("Ben.md", "---\ncategories: [\"[[Lists/People|all]]\"]\n---\n"),
    ("Meeting.md", "Spoke with #person/friend.\n"),
    ("Notes.md", "---\ncategories: [\"[[Books]]\"]\n---\nabout #personal things\n"),
    ("People/Cid.md", "---\nemail: cid@fernhill.example\n---\n"),
    ("People/Broken.md", "---\nemail: [\n---\n"),
    ("Peoples/Dan.md", "---\nTYPE: Contact\n---\n"),
    ("Templates/Person.md", "---\ntype: contact\ncategories: [\"[[People]]\"]\ntags: person\n---\n"),
];

#[test]
fn each_rule_recognises_its_notes() {
    let check = |rule: Rule, names: &str| assert_eq!(recognised(PEOPLE, [rule.clone()]), names, "{rule:?}");
    check(Rule::Type("contact".into()), "Dan");
    check(Rule::Folder("people/".into()), "Cid");
    check(Rule::Tag("Person".into()), "Meeting");
    check(where_("categories contains [[People]]"), "Amy Ben");
    check(where_("email exists"), "Cid");
    check(where_("file.folder = People"), "Cid");
}

#[test]
fn note_of_several_types_is_recognised_by_each() {
    let notes = [
        ("Amy.md", "---\ntype: [Person, lead]\n---\n"),
        ("Ben.md", "---\ntype:\n  - lead\n  - \"[[Person]]\"\n  - lead\n---\n"),
        ("Cid.md", "---\ntype: []\n---\n"),
        ("People/Dan.md", "---\ntype: [other]\n---\n"),
    ];
    let check = |rule: Rule, names: &str| assert_eq!(recognised(&notes, [rule.clone()]), names, "{rule:?}");
    check(Rule::Type("person".into()), "Amy Ben");
    check(Rule::Type("LEAD".into()), "Amy Ben");
    check(Rule::Fitting("People".into(), Fits::new(|_| true)), "");
    assert_eq!(recognised(&notes, [Rule::Type("lead".into()), Rule::Type("person".into())]), "Amy Ben");

    // The listing is kept up to date by each of the types.
    let bed = Bed::new(&notes);
    let vault = bed.vault();
    let of = |name: &str| vault.recognised(&Recogniser::of_types(&[name])).unwrap().len();
    assert_eq!((of("lead"), of("other")), (2, 1));
    bed.put("Amy.md", "---\ntype: [person, other]\n---\n");
    assert_eq!((of("lead"), of("other"), of("person")), (1, 2, 2));
    assert_eq!(vault.status().unwrap().records["other"], 2);
}

#[test]
fn any_rule_suffices() {
    let rules =
        [Rule::Folder("People".into()), Rule::Type("CONTACT".into()), where_("categories = [[people]]")];
    assert_eq!(recognised(PEOPLE, rules), "Amy Ben Cid Dan");
    assert_eq!(recognised(PEOPLE, []), "", "without rules nothing matches");
}

#[test]
fn unless_excludes_what_others_recognise() {
    let unless = |rule: Rule, others: Rule| Rule::Unless(Box::new(rule), Recogniser::new([others]));
    let people = || where_("categories contains [[People]]");
    let rules = [unless(people(), where_("categories contains [[Books]]")), Rule::Folder("People".into())];
    assert_eq!(recognised(PEOPLE, rules), "Amy Ben Cid");
    assert_eq!(recognised(PEOPLE, [unless(where_("categories exists"), people())]), "Notes");
    assert_eq!(recognised(PEOPLE, [unless(Rule::Folder("People".into()), Rule::Tag("x".into()))]), "Cid");
    assert_eq!(recognised(PEOPLE, [unless(Rule::Type("contact".into()), people())]), "Dan");
    assert_eq!(
        recognised(PEOPLE, [unless(Rule::Type("contact".into()), Rule::Folder("Peoples".into()))]),
        ""
    );
}

#[test]
fn fitting_notes_have_no_type_and_are_in_the_folder() {
    let notes = [
        ("Größe/a.md", "---\ncolor: red\n---\n"),
        ("grÖße/sub/b.md", "---\ncolor: blue\n---\n"),
        ("Größe/c.md", "---\ntype: plan\ncolor: red\n---\n"),
        ("Größe/d.md", "no properties\n"),
        ("e.md", "---\ncolor: red\n---\n"),
    ];
    let fits = || Fits::new(|document| document.property("color").is_some());
    assert_eq!(recognised(&notes, [Rule::Fitting("Größe".into(), fits())]), "a b");
}

#[test]
fn changed_notes_are_recognised_again() {
    let bed = Bed::new(&[("a.md", "---\nkind: book\n---\n"), ("b.md", "---\nkind: film\n---\n")]);
    let vault = bed.vault();
    let books = Recogniser::new([where_("kind = book")]);
    let names =
        || vault.recognised(&books).unwrap().iter().map(|note| note.path.to_string()).collect::<Vec<_>>();
    assert_eq!(names(), ["a.md"]);
    bed.put("a.md", "---\nkind: film, now\n---\n");
    bed.put("b.md", "---\nkind: book\n---\nlonger than before\n");
    assert_eq!(names(), ["b.md"]);
}

#[test]
fn conditions_on_file_times_are_refused() {
    for faulty in ["file.mtime > 2026-01-01", "file.size = 3", "stage is lead", ""] {
        assert!(Rule::condition(faulty).is_err(), "{faulty}");
    }
}

#[test]
fn hidden_records_stay_hidden() {
    let bed = Bed::new(&[("People/a.md", "x\n"), ("People/b.md", "---\nnova: private\n---\n")]);
    let vault = bed.vault();
    let recogniser = Recogniser::new([Rule::Folder("People".into())]);
    let remote = std::sync::Arc::new(crate::Privacy { remote: true, ..crate::Privacy::default() });
    let found = vault.seen_by(remote).records(&recogniser).unwrap();
    assert_eq!(found.iter().map(|note| note.path.to_string()).collect::<Vec<_>>(), ["People/a.md"]);
}
