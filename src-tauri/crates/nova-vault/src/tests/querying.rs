//! Results of queries, given the notes.

use std::fs::{File, FileTimes};
use std::time::{Duration, SystemTime};

use super::*;
use crate::note::Document;
use crate::{Condition, Privacy, Query, QueryError, SortKey};

/// A vault of notes `name: properties`, one per line; `|` separates properties.
pub(super) fn vault(notes: &str) -> (Bed, Vault) {
    let bed = Bed::new(&[]);
    for line in notes.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (name, properties) = line.split_once(": ").unwrap_or((line, ""));
        let properties: Vec<_> = properties.split(" | ").collect();
        bed.put(&format!("{name}.md"), &format!("---\n{}\n---\n", properties.join("\n")));
    }
    let vault = bed.vault();
    (bed, vault)
}

pub(super) fn conditions(conditions: &[&str]) -> Vec<Condition> {
    conditions.iter().map(|text| Condition::parse(text).unwrap()).collect()
}

fn sort(keys: &[&str]) -> Vec<SortKey> {
    keys.iter().map(|key| SortKey::parse(key).unwrap()).collect()
}

pub(super) fn names(vault: &Vault, query: &Query) -> String {
    let answer = vault.seen_by_owner().query(query).unwrap();
    let names: Vec<_> = answer.rows.iter().map(|row| row.path.name()).collect();
    names.join(" ")
}

/// Checks which notes each condition finds, sorted by path.
pub(super) fn check(notes: &str, expected: &[(&str, &str)]) {
    let (_bed, vault) = vault(notes);
    for (condition, found) in expected {
        let query = Query { conditions: conditions(&[condition]), ..Query::default() };
        assert_eq!(names(&vault, &query), *found, "{condition}");
    }
}

#[test]
fn file_attributes_can_be_queried() {
    let bed = Bed::new(&[
        ("CRM/Jane Doe.md", "---\ntags: [\"#Saas\", a/b, saas]\ntag: one\n---\n12345"),
        ("Old.MD", "12"),
    ]);
    let times =
        |seconds| FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    // 2026-11-20T23:30:00Z, and a day earlier.
    File::options()
        .write(true)
        .open(bed.root().join("CRM/Jane Doe.md"))
        .unwrap()
        .set_times(times(1_795_217_400))
        .unwrap();
    File::options()
        .write(true)
        .open(bed.root().join("Old.MD"))
        .unwrap()
        .set_times(times(1_795_131_000))
        .unwrap();
    let jane = fs::metadata(bed.root().join("CRM/Jane Doe.md")).unwrap().len();
    let mut options = bed.options();
    // In that zone it is already the next day.
    options.zone = TimeZone::fixed(jiff::tz::offset(1));
    let vault = Vault::open(options).unwrap();
    for (condition, found) in [
        ("file.name = jane doe", "Jane Doe"),
        ("file.path = CRM/Jane Doe.md", "Jane Doe"),
        ("file.folder = CRM", "Jane Doe"),
        ("file.folder = \"\"", "Old"),
        ("file.ext = md", "Jane Doe Old"),
        ("file.size = 2", "Old"),
        (&format!("file.size = {jane}"), "Jane Doe"),
        ("File.mtime >= 2026-11-21", "Jane Doe"),
        ("file.mtime = 2026-11-21T00:30", "Jane Doe"),
        ("file.mtime < 2026-11-21", "Old"),
        ("file.ctime > 2020-01-01", "Jane Doe Old"),
        ("file.tags = one", "Jane Doe"),
        ("file.tags contains saas", "Jane Doe"),
        ("file.tags exists false", "Old"),
        ("file.color exists", ""),
    ] {
        let query = Query { conditions: conditions(&[condition]), ..Query::default() };
        assert_eq!(names(&vault, &query), found, "{condition}");
    }
    let query = Query { sort: sort(&["file.mtime"]), ..Query::default() };
    assert_eq!(names(&vault, &query), "Old Jane Doe");
}

#[test]
fn templates_are_no_records() {
    let bed = Bed::new(&[
        ("a.md", "---\ntype: Contact\n---\n"),
        ("Templates/b.md", "---\ntype: contact\n---\n"),
        ("c.md", "---\ntype: contacts\n---\n"),
        ("d.md", "contact"),
    ]);
    let vault = bed.vault();
    let of_types = |names: &[&str]| Query {
        record_types: names.iter().map(|name| (*name).to_owned()).collect(),
        ..Query::default()
    };
    assert_eq!(names(&vault, &of_types(&["CONTACT"])), "a");
    assert_eq!(names(&vault, &of_types(&["contacts", "contact"])), "a c");
    let property = Query { conditions: conditions(&["type = contact"]), ..Query::default() };
    assert_eq!(names(&vault, &property), "b a");
    assert_eq!(names(&vault, &Query::default()), "b a c d");
}

#[test]
fn results_are_sorted_before_they_are_limited() {
    let (_bed, vault) = vault(
        "a: n: 2 | d: 2026-01-02 | t: Beta
         b: n: 10 | d: 2026-01-02T01:00 | t: alpha
         c: n: 2.0 | t: [z, a]
         d: d: 2025-12-31
         e: n: x | t: [a, z]
         f: n: 2026-01-01 | t:
         g: n: true",
    );
    let check = |keys: &[&str], expected: &str| {
        let query = Query { sort: sort(keys), ..Query::default() };
        assert_eq!(names(&vault, &query), expected, "{keys:?}");
    };
    // Numbers, dates, booleans, texts; missing values last. Ties by path.
    check(&["n"], "a c b f g e d");
    check(&["-n"], "e g f b a c d");
    check(&["d"], "d a b c e f g");
    check(&["-d"], "b a d c e f g");
    check(&["t"], "e b a c d f g");
    check(&["-t"], "c a b e d f g");
    check(&["n", "-t"], "c a b f g e d");
    check(&["N", "-file.name"], "c a b f g e d");
    check(&["\"n\""], "a c b f g e d");
    check(&["none"], "a b c d e f g");

    let query = Query {
        conditions: conditions(&["n exists", "n != x"]),
        sort: sort(&["-n"]),
        limit: Some(2),
        ..Query::default()
    };
    let answer = vault.seen_by_owner().query(&query).unwrap();
    let found: Vec<_> = answer.rows.iter().map(|row| row.path.as_str()).collect();
    assert_eq!((found.as_slice(), answer.total), (["g.md", "f.md"].as_slice(), 5));
    let none = Query { limit: Some(0), ..query };
    assert_eq!(names(&vault, &none), "");
}

#[test]
fn row_is_serialised_as_specified() {
    let (_bed, vault) = vault("a: type: deal | value: 1.50 | id: 010 | who: \"[[Jane]]\"\nb: x: 1");
    let answer = vault.seen_by_owner().query(&Query::default()).unwrap();
    assert_eq!(
        serde_json::to_string(&answer.rows).unwrap(),
        r#"[{"path":"a.md","type":"deal","properties":{"type":"deal","value":"1.50","id":"010","who":"[[Jane]]"}},{"path":"b.md","type":null,"properties":{"x":1}}]"#
    );
}

#[test]
fn hidden_and_broken_notes() {
    let bed = Bed::new(&[
        ("open.md", "---\nn: 1\n---\n"),
        ("marked.md", "---\nn: 1\nnova: private\n---\n"),
        ("Diary/x.md", "---\nn: 1\n---\n"),
        ("broken.md", "---\nn: 1\nn: 2\n---\n"),
    ]);
    fs::write(bed.root().join("latin1.md"), b"---\nn: 1\n---\n\xe9").unwrap();
    let vault = bed.vault();
    let remote = vault.seen_by(Arc::new(Privacy { remote: true, private: vec!["Diary".to_owned()] }));
    let check = |condition: &str, owner: &str, seen: &str| {
        let query = Query { conditions: conditions(&[condition]), ..Query::default() };
        assert_eq!(names(&vault, &query), owner);
        let answer = remote.query(&query).unwrap();
        let found: Vec<_> = answer.rows.iter().map(|row| row.path.name()).collect();
        assert_eq!((found.join(" "), answer.total), (seen.to_owned(), found.len()));
    };
    check("n = 1", "x marked open", "open");
    check("n exists false", "broken latin1", "");
    check("file.size > 0", "x broken latin1 marked open", "open");
}

#[test]
fn invalid_condition_is_refused_with_the_correct_form() {
    let error = |text: &str| Condition::parse(text).unwrap_err();
    for (condition, problem, remedy) in [
        ("stage is lead", "`is` is not an operator", "= != < <= > >= contains in exists"),
        ("next contact = x", "`contact` is not an operator", "quotes"),
        ("a == 1", "`==` is not an operator", "= != <"),
        ("a = x and due < 2026-12-01", "holds a second condition, `due < 2026-12-01`", "separately"),
        (
            "a in x, y OR \"next contact\" = z",
            "holds a second condition",
            "use `in` or a second query for `or`",
        ),
        ("a > 1 && tags contains b", "holds a second condition", "separately"),
        ("a", "there is no operator", "= != <"),
        ("", "does not begin with the name", "stage = lead"),
        ("= 1", "does not begin with the name", "stage = lead"),
        ("\"\" = 1", "does not begin with the name", "stage = lead"),
        ("\"a = 1", "not closed", "stage = lead"),
        ("a =", "no value", "after the operator"),
        ("a = \"x", "not closed", "closing"),
        ("a = \"x\" y", "something follows", "closing"),
        ("a in", "is missing", "in a, b, c"),
        ("a in x,,y", "is missing", "in a, b, c"),
        ("a in \"x\" y", "something follows", "in a, b, c"),
        ("a exists maybe", "takes nothing", "`=`"),
    ] {
        let QueryError { kind, text, problem: what, remedy: how } = error(condition);
        assert_eq!((kind, text.as_str()), ("condition", condition));
        assert!(what.contains(problem), "{condition}: {what}");
        assert!(how.contains(remedy), "{condition}: {how}");
    }
    for key in ["", "-", "\"a", "\"a\" b"] {
        let error = SortKey::parse(key).unwrap_err();
        assert_eq!((error.kind, error.text.as_str()), ("sort key", key));
    }
    let vault_error = VaultError::from(error("a ~ 1"));
    assert_eq!(vault_error.code().as_str(), "invalid_arguments");
    assert_eq!(error(&"ä".repeat(1000)).text.chars().count(), 200);
}

/// The meaning of a value in the naive implementation: a number in thousandths, minutes since 2026, or
/// lower-case text.
#[derive(PartialEq, PartialOrd)]
enum Naive {
    Thousandths(i64),
    Minutes(i64),
    Text(String),
}

/// Values as written in a note, with their meaning.
fn pool() -> Vec<(&'static str, Naive)> {
    let text = |text: &str| Naive::Text(text.to_owned());
    vec![
        ("1.50", Naive::Thousandths(1500)),
        ("1.5", Naive::Thousandths(1500)),
        ("-2", Naive::Thousandths(-2000)),
        ("0", Naive::Thousandths(0)),
        ("15e-1", Naive::Thousandths(1500)),
        ("1000000", Naive::Thousandths(1_000_000_000)),
        ("2026-01-01", Naive::Minutes(0)),
        ("2026-01-01T00:00", Naive::Minutes(0)),
        ("2026-01-02 01:00", Naive::Minutes(25 * 60)),
        ("2026-02-01", Naive::Minutes(31 * 24 * 60)),
        ("lead", text("lead")),
        ("Lead", text("lead")),
        ("won deal", text("won deal")),
        ("Zoë", text("zoë")),
    ]
}

#[test]
fn random_queries_equal_a_naive_scan() {
    let pool = pool();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |limit: usize| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        usize::try_from(state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % limit
    };
    let keys = ["a", "b"];
    let mut matched = 0;
    for _ in 0..25 {
        // For each key a note has nothing, one value, or a list.
        let notes: Vec<[Vec<usize>; 2]> = (0..8)
            .map(|_| [(); 2].map(|()| (0..[0, 1, 1, 2][below(4)]).map(|_| below(pool.len())).collect()))
            .collect();
        let bed = Bed::new(&[]);
        for (n, note) in notes.iter().enumerate() {
            let mut text = "---\nn: x\n".to_owned();
            for (key, values) in keys.iter().zip(note) {
                match values.as_slice() {
                    [] => {}
                    [one] => text += &format!("{key}: {}\n", pool[*one].0),
                    many => {
                        let items: Vec<_> = many.iter().map(|value| pool[*value].0).collect();
                        text += &format!("{key}: [{}]\n", items.join(", "));
                    }
                }
            }
            bed.put(&format!("{n}.md"), &(text + "---\n"));
        }
        let vault = bed.vault();
        for _ in 0..40 {
            let key = below(2);
            let wanted = below(pool.len());
            let operator = ["=", "!=", "<", "<=", ">", ">=", "in", "exists"][below(8)];
            let other = below(pool.len());
            let condition = match operator {
                "in" => format!("{} in [{}, \"{}\"]", keys[key], pool[wanted].0, pool[other].0),
                "exists" => format!("{} exists false", keys[key]),
                operator => format!("{} {operator} {}", keys[key], pool[wanted].0),
            };
            let one = |value: &usize| {
                let (value, wanted, other) = (&pool[*value].1, &pool[wanted].1, &pool[other].1);
                let same_kind = std::mem::discriminant(value) == std::mem::discriminant(wanted);
                match operator {
                    "=" | "!=" => value == wanted,
                    "<" => same_kind && value < wanted,
                    "<=" => same_kind && value <= wanted,
                    ">" => same_kind && value > wanted,
                    ">=" => same_kind && value >= wanted,
                    "in" => value == wanted || value == other,
                    _ => false,
                }
            };
            let expected: Vec<_> = (0..notes.len())
                .filter(|n| {
                    let values = &notes[*n][key];
                    match operator {
                        "!=" => !values.is_empty() && !values.iter().any(one),
                        "exists" => values.is_empty(),
                        _ => values.iter().any(one),
                    }
                })
                .map(|n| n.to_string())
                .collect();
            matched += expected.len();
            let query = Query { conditions: conditions(&[&condition]), ..Query::default() };
            assert_eq!(names(&vault, &query), expected.join(" "), "{condition} in {notes:?}");
        }
    }
    assert!(matched > 500, "the conditions hardly ever match: {matched}");
}

#[test]
fn no_condition_panics() {
    let pieces =
        ["a", "\"", "\\", "=", "!", "<", " in ", "[", "]", ",", " exists", "é", "2026-1", "9e9", "-", "."];
    let mut state = 7_u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..6 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text += pieces[usize::try_from(state >> 33).unwrap() % pieces.len()];
        }
        if let Ok(condition) = Condition::parse(&text) {
            let document = Document::parse("---\na: [é, -9e9, 2026-11-24, [x]]\n---\n");
            condition.judge(document.property("a"), &TimeZone::UTC);
        }
        SortKey::parse(&text).ok();
    }
}

#[test]
fn tags_are_those_of_the_whole_note() {
    let bed = Bed::new(&[
        ("inline.md", "About #work.\n"),
        ("listed.md", "---\ntags: [Work, x]\n---\n"),
        ("nested.md", "---\ntags: work/acme\n---\n"),
        ("other.md", "---\ntags: homework, x\n---\n#working #net/work\n"),
        ("none.md", "work\n"),
    ]);
    for (condition, found) in [
        ("tags contains work", "inline listed nested"),
        ("tag contains #work", "inline listed nested"),
        ("tags contains \"\"", ""),
        ("tags = work", "inline listed"),
        ("tags in #x, work/acme", "listed nested other"),
        ("tags exists false", "none"),
    ] {
        let query = Query { conditions: conditions(&[condition]), ..Query::default() };
        assert_eq!(names(&bed.vault(), &query), found, "{condition}");
    }
}

#[test]
fn sort_keys_are_separated_by_unquoted_commas() {
    for (text, keys) in [
        ("a,-b", vec!["a", "-b"]),
        ("\"a, b\", c", vec!["\"a, b\"", "c"]),
        ("-\"a \\\", b\",c", vec!["-\"a \\\", b\"", "c"]),
        (" a , ,", vec!["a"]),
        ("", vec![]),
    ] {
        assert_eq!(SortKey::parse_list(text).unwrap(), sort(&keys), "{text}");
    }
    assert!(SortKey::parse_list("a, \"b").is_err());
}

#[test]
fn syntax_of_other_query_languages_is_accepted() {
    let (_bed, vault) = vault(
        "a: s: draft | n: 1
         b: s: \"'tis so\" | n: 2
         c: s: you and I | n: 3
         d: s: a and b = c | n: 4",
    );
    for (condition, found) in [
        ("s = 'draft'", "a"),
        ("s in 'draft', 'you and I'", "a c"),
        ("s in (draft, \"you and I\")", "a c"),
        ("s = 'tis so", "b"),
        ("s = you and I", "c"),
        ("s contains and", "c d"),
        ("s = \"a and b = c\"", "d"),
        ("s = 'a and b = c'", "d"),
    ] {
        let query = Query { conditions: conditions(&[condition]), ..Query::default() };
        assert_eq!(names(&vault, &query), found, "{condition}");
    }
    for (key, found) in
        [("n desc", "d c b a"), ("n  DESCENDING", "d c b a"), ("n asc", "a b c d"), ("\"n desc\"", "a b c d")]
    {
        let query = Query { sort: sort(&[key]), ..Query::default() };
        assert_eq!(names(&vault, &query), found, "{key}");
    }
}

#[test]
fn folder_may_be_written_with_slashes() {
    let bed = Bed::new(&[("a.md", ""), ("Work/b.md", ""), ("Work/Old/c.md", "")]);
    for (condition, found) in [
        ("file.folder = Work", "b"),
        ("file.folder = work/", "b"),
        ("file.folder = /Work/Old/", "c"),
        ("file.folder = /", "a"),
        ("file.folder = \"\"", "a"),
        ("file.folder != Work/", "c a"),
    ] {
        let query = Query { conditions: conditions(&[condition]), ..Query::default() };
        assert_eq!(names(&bed.vault(), &query), found, "{condition}");
    }
}
