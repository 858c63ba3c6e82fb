//! Results of bases, given their YAML and the notes.

use std::path::Path;

use super::*;
use crate::{BaseAnswer, BaseError, Privacy};

/// The starter vault.
fn starter() -> Bed {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../vault-template");
    let bed = Bed::new(&[]);
    for file in files_below(&from) {
        let path = file.strip_prefix(&from).unwrap().to_str().unwrap().replace('\\', "/");
        bed.put(&path, &fs::read_to_string(&file).unwrap());
    }
    bed
}

/// Renders an answer as a table: `# group` before a group's rows, cells separated by bars.
pub(super) fn table(answer: &BaseAnswer) -> String {
    let names: Vec<_> = answer.columns.iter().map(|column| column.name.as_str()).collect();
    let mut lines = vec![names.join(" | ")];
    for group in &answer.groups {
        if answer.groups.len() > 1 || group.key.is_some() {
            lines.push(format!("# {}", group.key.as_ref().map_or("-".to_owned(), Value::display)));
        }
        for row in &group.rows {
            let cells = row.cells.iter().map(Value::display).collect::<Vec<_>>().join(" | ");
            lines.push(cells.trim_end().to_owned());
        }
    }
    lines.join("\n")
}

pub(super) fn ask(bed: &Bed, base: &str, view: Option<&str>) -> Result<BaseAnswer, VaultError> {
    bed.vault().seen_by_owner().query_base(&path(base), view)
}

#[track_caller]
pub(super) fn check(bed: &Bed, base: &str, view: &str, expected: &str) -> BaseAnswer {
    let answer = ask(bed, base, Some(view)).unwrap();
    let expected: Vec<_> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(table(&answer), expected.join("\n"));
    answer
}

#[test]
fn people_of_the_starter_vault() {
    let bed = starter();
    let answer = check(
        &bed,
        "CRM/People.base",
        "All people",
        "file.name | Company | Stage | E-mail | Tags | Next contact
         Ilse Brandvik | [[Fernhill Dairy]] | proposal | ilse@fernhill.example | food, cold chain | 2026-11-17
         Jane Doe | [[Quillon Labs]] | lead | jane.doe@quillon.example | saas, referral | 2026-11-24
         Mara Lindholt | [[Harborline Logistics]] | contacted | mara@harborline.example | logistics | 2026-12-01
         Noor Castellane |  | lead | noor@castellane.example | independent, energy | 2026-12-08
         Odile Farrow | [[Pinecrest Clinics]] | proposal | odile@pinecrest.example | health | 2026-11-26
         Pia Ostrander | [[Harborline Logistics]] |  | pia.ostrander@harborline.example | logistics, finance |
         Ravi Penhale | [[Brightwater Optics]] | contacted | r.penhale@brightwater.example | manufacturing, it | 2026-12-03
         Theo Marsh | [[Quillon Labs]] | customer | theo.marsh@quillon.example | saas, champion |
         Tomasz Wirek | [[Brightwater Optics]] | qualified | t.wirek@brightwater.example | manufacturing | 2026-11-19",
    );
    assert_eq!(answer.views, ["All people", "Follow-ups", "Leads"]);
    assert_eq!((answer.total, answer.unsupported.as_slice()), (9, [].as_slice()));
    assert_eq!(answer.columns[1].id, "note.company");
    assert_eq!(answer.groups[0].rows[0].path, path("CRM/People/Ilse Brandvik.md"));

    check(
        &bed,
        "CRM/People.base",
        "follow-ups",
        "Next contact | file.name | Company | Last contact
         2026-11-17 | Ilse Brandvik | [[Fernhill Dairy]] | 2026-11-10
         2026-11-19 | Tomasz Wirek | [[Brightwater Optics]] | 2026-11-06
         2026-11-24 | Jane Doe | [[Quillon Labs]] | 2026-11-12
         2026-11-26 | Odile Farrow | [[Pinecrest Clinics]] | 2026-11-12
         2026-12-01 | Mara Lindholt | [[Harborline Logistics]] | 2026-11-04
         2026-12-03 | Ravi Penhale | [[Brightwater Optics]] | 2026-10-30
         2026-12-08 | Noor Castellane |  | 2026-11-18",
    );
    check(
        &bed,
        "CRM/People.base",
        "Leads",
        "file.name | Company | E-mail | Next contact
         Jane Doe | [[Quillon Labs]] | jane.doe@quillon.example | 2026-11-24
         Noor Castellane |  | noor@castellane.example | 2026-12-08",
    );
}

#[test]
fn deals_of_the_starter_vault() {
    let bed = starter();
    let answer = check(
        &bed,
        "CRM/Deals.base",
        "Open deals",
        "file.name | Contact | Company | Value | Currency | Probability, % | Close date
         # contacted
         Quillon licence renewal | [[Jane Doe]] | [[Quillon Labs]] | 18500 | EUR | 40 | 2026-12-31
         # lead
         Harborline rollout | [[Mara Lindholt]] | [[Harborline Logistics]] | 48500 | EUR | 20 | 2026-12-18
         Northgate retrofit |  | [[Northgate Tooling]] | 22000 | EUR | 15 | 2027-01-15
         Solvane site survey |  | [[Solvane Energy]] | 9400 | EUR | 10 |
         # proposal
         Fernhill revised quote | [[Ilse Brandvik]] | [[Fernhill Dairy]] | 28000 | EUR | 60 | 2026-12-11
         Pinecrest second clinic | [[Odile Farrow]] | [[Pinecrest Clinics]] | 24000 | EUR | 70 | 2026-12-20
         # qualified
         Brightwater line 2 | [[Tomasz Wirek]] | [[Brightwater Optics]] | 36000 | EUR | 50 | 2027-02-28",
    );
    assert_eq!(answer.unsupported, ["summary Sum of note.value: summaries are not computed"]);
    let answer = check(
        &bed,
        "CRM/Deals.base",
        "All deals",
        "file.name | Stage | Company | Value | Currency | Close date
         Harborline rollout | lead | [[Harborline Logistics]] | 48500 | EUR | 2026-12-18
         Brightwater line 2 | qualified | [[Brightwater Optics]] | 36000 | EUR | 2027-02-28
         Fernhill revised quote | proposal | [[Fernhill Dairy]] | 28000 | EUR | 2026-12-11
         Pinecrest second clinic | proposal | [[Pinecrest Clinics]] | 24000 | EUR | 2026-12-20
         Northgate retrofit | lead | [[Northgate Tooling]] | 22000 | EUR | 2027-01-15
         Quillon licence renewal | contacted | [[Quillon Labs]] | 18500 | EUR | 2026-12-31
         Pinecrest booking desk | won | [[Pinecrest Clinics]] | 17800 | EUR | 2026-11-06
         Tessel pilot | won | [[Tessel Robotics]] | 12000 | EUR | 2026-10-22
         Solvane site survey | lead | [[Solvane Energy]] | 9400 | EUR |
         Tessel spare parts | lost | [[Tessel Robotics]] | 9000 | EUR | 2026-07-10
         Fernhill cold-chain audit | won | [[Fernhill Dairy]] | 8000 | EUR | 2026-10-09
         Pinecrest wayfinding | lost | [[Pinecrest Clinics]] | 6200 | EUR | 2026-08-28",
    );
    assert_eq!(answer.unsupported, [] as [&str; 0]);
}

#[test]
fn expenses_and_positions_of_the_starter_vault() {
    let bed = starter();
    check(
        &bed,
        "Budget/Expenses.base",
        "Newest first",
        "Date | Payee | Category | Amount | Currency | Kind
         2026-11-18 | Corner Market | groceries | 12.30 | EUR | refund
         2026-11-16 | Cafe Ember | eating out | 23.50 | EUR |
         2026-11-14 | Corner Market | groceries | 158.90 | EUR |
         2026-11-12 | Northlight Rail | transport | 38.40 | EUR |
         2026-11-09 | Northlight Power | utilities | 71.40 | EUR |
         2026-11-03 | Corner Market | groceries | 132.65 | EUR |
         2026-10-23 | Osteria Livia | eating out | 84.00 | EUR |
         2026-10-17 | Corner Market | groceries | 127.90 | EUR |
         2026-10-09 | Northlight Power | utilities | 66.30 | EUR |
         2026-10-06 | Corner Market | groceries | 84.20 | EUR |
         2026-09-25 | Paper and Pixel | office | 229.00 | EUR |
         2026-09-19 | Corner Market | groceries | 98.30 | EUR |
         2026-09-09 | Northlight Power | utilities | 61.75 | EUR |
         2026-09-03 | Corner Market | groceries | 140.15 | EUR |
         2026-08-29 | Osteria Livia | eating out | 68.00 | EUR |
         2026-08-22 | Corner Market | groceries | 121.60 | EUR |
         2026-08-09 | Northlight Power | utilities | 55.20 | EUR |
         2026-08-05 | Corner Market | groceries | 102.35 | EUR |
         2026-07-24 | Seaview Hotel | travel | 412.00 | EUR |
         2026-07-18 | Osteria Livia | eating out | 76.50 | EUR |
         2026-07-09 | Northlight Power | utilities | 58.90 | EUR |
         2026-07-04 | Corner Market | groceries | 134.20 | EUR |
         2026-06-26 | Cafe Ember | eating out | 41.00 | EUR |
         2026-06-20 | Corner Market | groceries | 96.75 | EUR |
         2026-06-14 | Metro Transit | transport | 49.00 | EUR |
         2026-06-09 | Northlight Power | utilities | 64.10 | EUR |
         2026-06-06 | Corner Market | groceries | 118.40 | EUR |
         2026-06-05 | Vault Backup | office | 3.50 | EUR |
         2026-06-01 | Harbor Insurance | insurance | 24.90 | EUR |
         2026-06-01 | Linden Apartments | rent | 1180.00 | EUR |",
    );
    let answer = check(
        &bed,
        "Budget/Expenses.base",
        "By category",
        "Date | Payee | Amount | Currency
         # eating out
         2026-11-16 | Cafe Ember | 23.5 | EUR
         2026-10-23 | Osteria Livia | 84 | EUR
         2026-08-29 | Osteria Livia | 68 | EUR
         2026-07-18 | Osteria Livia | 76.5 | EUR
         2026-06-26 | Cafe Ember | 41 | EUR
         # groceries
         2026-11-18 | Corner Market | -12.3 | EUR
         2026-11-14 | Corner Market | 158.9 | EUR
         2026-11-03 | Corner Market | 132.65 | EUR
         2026-10-17 | Corner Market | 127.9 | EUR
         2026-10-06 | Corner Market | 84.2 | EUR
         2026-09-19 | Corner Market | 98.3 | EUR
         2026-09-03 | Corner Market | 140.15 | EUR
         2026-08-22 | Corner Market | 121.6 | EUR
         2026-08-05 | Corner Market | 102.35 | EUR
         2026-07-04 | Corner Market | 134.2 | EUR
         2026-06-20 | Corner Market | 96.75 | EUR
         2026-06-06 | Corner Market | 118.4 | EUR
         # insurance
         2026-06-01 | Harbor Insurance | 24.9 | EUR
         # office
         2026-09-25 | Paper and Pixel | 229 | EUR
         2026-06-05 | Vault Backup | 3.5 | EUR
         # rent
         2026-06-01 | Linden Apartments | 1180 | EUR
         # transport
         2026-11-12 | Northlight Rail | 38.4 | EUR
         2026-06-14 | Metro Transit | 49 | EUR
         # travel
         2026-07-24 | Seaview Hotel | 412 | EUR
         # utilities
         2026-11-09 | Northlight Power | 71.4 | EUR
         2026-10-09 | Northlight Power | 66.3 | EUR
         2026-09-09 | Northlight Power | 61.75 | EUR
         2026-08-09 | Northlight Power | 55.2 | EUR
         2026-07-09 | Northlight Power | 58.9 | EUR
         2026-06-09 | Northlight Power | 64.1 | EUR",
    );
    assert_eq!(answer.unsupported, ["summary Sum of formula.counted: summaries are not computed"]);
    check(
        &bed,
        "Budget/Expenses.base",
        "Recurring",
        "Payee | Category | Amount | Repeats
         Harbor Insurance | insurance | 24.90 | monthly
         Linden Apartments | rent | 1180.00 | monthly
         Vault Backup | office | 3.50 | weekly
         Metro Transit | transport | 49.00 | monthly",
    );
    check(
        &bed,
        "Portfolio/Positions.base",
        "Held",
        "Symbol | Quantity | Cost | Currency | Opened
         BWOP | 85 |  | EUR | 2026-05-20
         FRNH | 640 | 6304.00 | EUR | 2024-09-02
         NGTL | 300 |  | EUR | 2026-03-12
         PNCR | 60 |  | EUR | 2026-06-18
         QLN | 210 |  | EUR | 2026-01-20
         TSRB | 95 |  | EUR | 2026-02-10",
    );
    check(
        &bed,
        "Portfolio/Positions.base",
        "All positions",
        "file.name | Quantity | Currency | Opened
         PNCR | 60 | EUR | 2026-06-18
         BWOP | 85 | EUR | 2026-05-20
         SLVN | 0 | EUR | 2026-04-08
         NGTL | 300 | EUR | 2026-03-12
         TSRB | 95 | EUR | 2026-02-10
         QLN | 210 | EUR | 2026-01-20
         FRNH | 640 | EUR | 2024-09-02",
    );
}

pub(super) fn quoted(expression: &str) -> String {
    format!("'{}'", expression.replace('\'', "''"))
}

pub(super) fn base_of(filter: &str) -> Bed {
    // The base is itself a file of the vault.
    let base = format!("filters:\n  and:\n    - file.ext == \"md\"\n    - {}\n", quoted(filter));
    Bed::new(&[
        ("a.md", "---\nn: 1\nt: A\n---\n"),
        ("b.md", "---\nn: x\n---\n"),
        ("c.md", ""),
        ("q.base", &base),
    ])
}

#[test]
fn filter_that_cannot_be_evaluated_has_no_rows() {
    for (filter, reason) in [
        ("frobnicate(n)", "there is no function frobnicate()"),
        ("n.frobnicate()", "there is no function frobnicate()"),
        ("if(false, n.frob())", "there is no function frob()"),
        ("file.frob", "there is no file.frob"),
        ("file.backlinks.contains(this)", "file.backlinks is not computed"),
        ("file.mtime.relative() == \"now\"", "relative() is not computed"),
        ("/a/.matches(t)", "regular expressions"),
        ("n / 2 == 1 && /it's [/] \\d/i.matches(t)", "regular expressions"),
        ("/a", "a regular expression is not closed"),
        ("t = \"A\"", "write `==`"),
        ("t == ", "a value is missing before the end"),
        ("t == \"A", "not closed"),
        ("(n", "`)` is missing"),
        ("n n", "`n` is not expected"),
        ("n.contains()", "does not take 0 arguments"),
        ("n @ 1", "unexpected `@`"),
        ("formula.none > 1", "there is no formula `none`"),
    ] {
        match ask(&base_of(filter), "q.base", None) {
            Err(VaultError::Base(BaseError::Filter { expression, reason: said, .. })) => {
                assert_eq!(expression, filter);
                assert!(said.contains(reason), "{filter}: {said}");
            }
            other => panic!("{filter}: {other:?}"),
        }
    }
}

#[test]
fn file_for_which_a_filter_fails_is_excluded_and_named() {
    let bed = base_of("n.round() == 1");
    let answer = ask(&bed, "q.base", None).unwrap();
    assert_eq!(table(&answer), "file.name\na");
    assert_eq!(
        answer.unsupported,
        ["filter n.round() == 1: round() does not exist for a string; left out (\"b.md\")"]
    );
    // Also under `not`, where an error must not become a match.
    let bed = base_of("!(n.round() == 1)");
    assert_eq!(table(&ask(&bed, "q.base", None).unwrap()), "file.name\nc");
}

#[test]
fn filters_nest_and_views_add_theirs() {
    let bed = Bed::new(&[
        ("a.md", "---\ns: x\nn: 1\n---\n"),
        ("b.md", "---\ns: x\nn: 2\n---\n"),
        ("c.md", "---\ns: y\nn: 3\n---\n"),
        ("d.md", "---\ns: z\nn: 4\n---\n"),
        (
            "q.base",
            "\
filters:
  or:
    - s == \"x\"
    - and:
        - 's == \"y\"'
        - not:
            - n > 3
            - n < 3
views:
  - type: table
    name: All
  - type: cards
    name: Big
    filters: n >= 2
    order: [n, note.s]
    sort:
      - property: note.n
        direction: DESC
    limit: 1
    cardSize: 100
  - type: table
    name: none
    filters: {and: []}
    groupBy: {property: s, direction: DESC}
    order: [file.name]
",
        ),
    ]);
    check(&bed, "q.base", "All", "file.name\na\nb\nc");
    let answer = check(&bed, "q.base", "Big", "n | s\n3 | y");
    assert_eq!((answer.total, answer.unsupported.len()), (2, 0));
    check(&bed, "q.base", "none", "file.name\n# y\nc\n# x\na\nb");
    let answer = ask(&bed, "q.base", None).unwrap();
    assert_eq!(
        (answer.view.as_str(), answer.views.as_slice()),
        ("All", ["All", "Big", "none"].map(String::from).as_slice())
    );
    let error = ask(&bed, "q.base", Some("Small")).unwrap_err();
    assert_eq!(error.code().as_str(), "invalid_arguments");
    assert!(error.message().contains("no view \"Small\"; it has All, Big, none"), "{error}");
}

#[test]
fn rows_are_sorted_and_grouped_with_missing_values_last() {
    let bed = Bed::new(&[
        ("a.md", "---\nk: 2\n---\n"),
        ("b.md", ""),
        ("c.md", "---\nk: 10\n---\n"),
        ("d.md", "---\nk: 2.0\n---\n"),
        ("e.md", "---\nk: [b, a]\n---\n"),
        (
            "q.base",
            "\
filters: file.ext == \"md\"
views:
  - name: up
    sort: [{property: k, direction: ASC}]
  - name: down
    sort: [{property: k, direction: DESC}, {property: file.name, direction: DESC}]
  - name: groups up
    groupBy: {property: k, direction: ASC}
  - name: groups down
    groupBy: {property: k, direction: DESC}
    sort: [{property: file.name, direction: DESC}]
  - name: limited
    groupBy: k
    limit: 3
",
        ),
    ]);
    check(&bed, "q.base", "up", "file.name\na\nd\nc\ne\nb");
    check(&bed, "q.base", "down", "file.name\ne\nc\nd\na\nb");
    check(&bed, "q.base", "groups up", "file.name\n# 2\na\nd\n# 10\nc\n# b, a\ne\n# -\nb");
    check(&bed, "q.base", "groups down", "file.name\n# b, a\ne\n# 10\nc\n# 2\nd\na\n# -\nb");
    check(&bed, "q.base", "limited", "file.name\n# 2\na\n# 10\nc\n# -\nb");
}

#[test]
fn formulas_that_cannot_be_computed_are_named() {
    let bed = Bed::new(&[
        ("a.md", "---\nn: 1\n---\n"),
        ("b.md", "---\nn: x\n---\n"),
        (
            "q.base",
            "\
filters: file.ext == \"md\"
formulas:
  twice: n * 2
  unknown: frob(n)
  round: formula.trip + 1
  trip: formula.round
  odd key: '1'
sorting: x
views:
  - order: [formula.twice, formula.unknown, formula.round, formula.odd key, file.embeds]
    type: gantt
    bars: 5
",
        ),
    ]);
    let answer = ask(&bed, "q.base", None).unwrap();
    assert_eq!(table(&answer).lines().skip(1).collect::<Vec<_>>(), ["2 |  |  | 1 |", " |  |  | 1 |"]);
    assert_eq!(
        answer.unsupported,
        [
            "sorting: not known",
            "view type gantt: not known, its rows are those of a table",
            "bars: not known, it may change the rows",
            "formula.unknown: there is no function frob() (\"a.md\" and 1 more)",
            "formula.round: formula.round refers to itself (\"a.md\" and 1 more)",
            "file.embeds: file.embeds is not computed (\"a.md\" and 1 more)",
            "formula.twice: a string is not a number (\"b.md\")",
        ]
    );
}

#[test]
fn bases_in_notes() {
    let note = "\
---
type: board
owner: me
---
````md
```base
filters: 'false'
```
````

```base
filters: owner == this.owner && file.path != this.file.path
views:
  - name: Mine
```

> ~~~base
> views:
>   - name: Quoted
>     filters: file.name == \"x.md\"
> ~~~
";
    let bed = Bed::new(&[
        ("Board.md", note),
        ("x.md", "---\nowner: me\n---\n"),
        ("y.md", "---\nowner: you\n---\n"),
    ]);
    let answer = check(&bed, "Board.md", "Mine", "file.name\nx");
    assert_eq!(answer.views, ["Mine", "Quoted"]);
    check(&bed, "Board.md", "Quoted", "file.name\nx");
    bed.put("Board.md", "no base");
    let error = ask(&bed, "Board.md", None).unwrap_err();
    assert!(error.message().contains("There is no base in \"Board.md\""), "{error}");
    bed.put("Board.md", "---\na: 1\n---\n\n```base\nviews:\n  - name: x\n  name: y\n```\n");
    match ask(&bed, "Board.md", None) {
        Err(VaultError::Base(BaseError::Broken { line, .. })) => assert_eq!(line, 8),
        other => panic!("{other:?}"),
    }
}

#[test]
fn hidden_notes_are_in_no_base() {
    let bed = Bed::new(&[
        ("open.md", "---\nn: 1\n---\n"),
        ("marked.md", "---\nn: 1\nnova: private\n---\n"),
        ("Diary/x.md", "---\nn: 1\n---\n"),
        ("Diary/q.base", ""),
        ("broken.md", "---\nn: 1\nn: 2\n---\n"),
        ("q.base", "filters: file.ext == \"md\"\n"),
    ]);
    let view = bed.vault().seen_by(Arc::new(Privacy { remote: true, private: vec!["Diary".to_owned()] }));
    let answer = view.query_base(&path("q.base"), None).unwrap();
    assert_eq!((table(&answer).as_str(), answer.total), ("file.name\nopen", 1));
    for hidden in ["Diary/q.base", "marked.md", "Diary/x.md", "Diary/none.base"] {
        let error = view.query_base(&path(hidden), None).unwrap_err();
        assert_eq!(error.code().as_str(), "private", "{hidden}");
    }
    assert_eq!(ask(&bed, "q.base", None).unwrap().total, 4);
}

#[test]
fn instant_equals_its_own_text_in_every_zone() {
    let bed = Bed::new(&[
        ("a.md", "---\ndue: 2026-11-24T10:00:00Z\n---\n"),
        ("q.base", "filters: due == \"2026-11-24T10:00:00Z\" && due == \"2026-11-24T11:00\"\n"),
    ]);
    let berlin = TimeZone::get("Europe/Berlin").unwrap();
    let vault = Vault::open(VaultOptions { zone: berlin, ..bed.options() }).unwrap();
    let answer = vault.seen_by_owner().query_base(&path("q.base"), None).unwrap();
    assert_eq!(answer.total, 1, "{:?}", answer.unsupported);
}
