//! Results of expressions in bases, and bounds on their evaluation.

use super::bases::{ask, base_of, quoted};
use super::*;
use crate::BaseError;

/// A note with properties for expressions.
const NOTE: &str = "\
---
amount: 84.20
count: 3
big: 12345678901234567890123456789012345
name: Jane Doe
empty: ''
nothing:
due: 2026-11-24
at: 2026-11-24T10:30:00
tags: [Saas, project/nova]
who: \"[[CRM/Quillon Labs|Quillon]]\"
done: true
mixed: [3, 1, 2, 1]
nested: {a: {b: 5}}
my prop: spaced
---
text #inline
";

/// Evaluates each expression for `Notes/n.md` at 2026-11-21, 00:00 UTC.
#[track_caller]
fn check_values(expressions: &[(&str, &str)]) {
    let formulas: String =
        expressions.iter().enumerate().map(|(n, (text, _))| format!("  f{n}: {}\n", quoted(text))).collect();
    let order: String = (0..expressions.len()).map(|n| format!("      - formula.f{n}\n")).collect();
    let base = format!("formulas:\n{formulas}views:\n  - type: table\n    order:\n{order}");
    let bed = Bed::new(&[("Notes/n.md", NOTE), ("b.base", &base)]);
    let answer = ask(&bed, "b.base", None).unwrap();
    for ((text, expected), cell) in expressions.iter().zip(&answer.groups[0].rows[0].cells) {
        assert_eq!(serde_json::to_string(cell).unwrap(), *expected, "{text}; {:?}", answer.unsupported);
    }
}

#[test]
fn evaluates_operators() {
    check_values(&[
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("10 - 4 - 3", "3"),
        ("0.1 + 0.2 == 0.3", "true"),
        ("7 % 3", "1"),
        ("1 / 8", "0.125"),
        ("-amount", "-84.2"),
        ("--3", "3"),
        ("!!amount", "true"),
        ("amount * 3", "252.6"),
        ("big > 12345678901234567890123456789012344", "true"),
        ("big == 12345678901234567890123456789012344", "false"),
        ("1 < 2 == true", "true"),
        ("true || missing.x.y && false", "true"),
        ("false || true && false", "false"),
        ("missing", "null"),
        ("missing == null", "true"),
        ("nothing == null", "true"),
        ("missing != \"won\"", "true"),
        ("missing > 0", "false"),
        ("missing < 0", "false"),
        ("missing + 1", "null"),
        ("\"a\" + 1 + missing", "\"a1\""),
        ("count == \"3\"", "true"),
        ("name == \"jane doe\"", "false"),
        ("name < \"K\"", "true"),
        ("count < \"abc\"", "false"),
        ("name > 3", "false"),
        ("done == true && done", "true"),
        ("NAME", "\"Jane Doe\""),
        ("note.name + note[\"my prop\"]", "\"Jane Doespaced\""),
        ("nested.a.b + nested[\"a\"].b", "10"),
        ("mixed[0] + mixed[9]", "null"),
        ("[1, \"a\"][1]", "\"a\""),
        ("{a: 1, \"b c\": 2}[\"b c\"]", "2"),
        ("'it\\'s'", "\"it's\""),
        ("if(empty, 1, 2)", "2"),
        ("if(nothing, 1)", "null"),
        ("who == link(\"CRM/Quillon Labs\")", "true"),
        ("who == \"[[CRM/Quillon Labs]]\"", "true"),
        ("who == \"CRM/Quillon Labs\"", "true"),
        ("who == \"Quillon\"", "false"),
    ]);
}

#[test]
fn evaluates_dates() {
    check_values(&[
        // The clock advances by one second per call, and opening the vault was the first.
        ("now()", "\"2026-11-21T00:00:01\""),
        ("today()", "\"2026-11-21\""),
        ("due > today()", "true"),
        ("due == \"2026-11-24\"", "true"),
        ("due < \"2026-12-01\"", "true"),
        ("due < \"soon\"", "false"),
        ("due < at", "true"),
        ("due + \"1M\"", "\"2026-12-24\""),
        ("date(\"2024-12-01\") + \"1M\" + \"4h\" + \"3m\"", "\"2025-01-01T04:03:00\""),
        ("date(\"2026-01-31\") + \"1 month\"", "\"2026-02-28\""),
        ("due - '2 weeks'", "\"2026-11-10\""),
        ("now() + duration('1d') * 2", "\"2026-11-23T00:00:01\""),
        ("(now() + \"1d\") - now()", "86400000"),
        ("(due - today()).days", "3"),
        ("due - today() < duration(\"1w\")", "true"),
        ("duration(\"1d 4h\") > duration(\"27h\")", "true"),
        ("due + \" is due\"", "\"2026-11-24 is due\""),
        ("at.hour + at.minute + due.year + due.month + due.day", "2101"),
        ("at.date()", "\"2026-11-24\""),
        ("at.time()", "\"10:30:00\""),
        ("at.format(\"D MMM YYYY [at] HH:mm\")", "\"24 Nov 2026 at 10:30\""),
        ("due.isEmpty()", "false"),
        ("due.startsWith(\"2026-11\")", "true"),
        ("number(date(\"1970-01-02\"))", "86400000"),
        ("date(missing) < now()", "false"),
        ("due.isType(\"date\")", "true"),
    ]);
}

#[test]
fn evaluates_functions() {
    check_values(&[
        ("name.length", "8"),
        ("name.contains(\"Doe\") && !name.contains(\"doe\")", "true"),
        ("name.containsAll(\"Jane\", \"x\")", "false"),
        ("name.containsAny(\"Jane\", \"x\")", "true"),
        ("name.startsWith(\"Ja\") && name.endsWith(\"oe\")", "true"),
        ("name.lower()", "\"jane doe\""),
        ("\"hello wide world\".title()", "\"Hello Wide World\""),
        ("\"hello\".slice(1, 4)", "\"ell\""),
        ("\"hello\".slice(-2)", "\"lo\""),
        ("\"hello\".reverse()", "\"olleh\""),
        ("\"a,b,c,d\".split(\",\", 3)", "[\"a\",\"b\",\"c\"]"),
        ("\"a:b:c\".replace(\":\", \"-\")", "\"a-b-c\""),
        ("\"123\".repeat(2)", "\"123123\""),
        ("\"  hi \".trim()", "\"hi\""),
        ("empty.isEmpty() && missing.isEmpty() && [].isEmpty() && {}.isEmpty()", "true"),
        ("5.isEmpty()", "false"),
        ("missing.contains(\"a\")", "false"),
        ("!tags.contains(\"x\")", "true"),
        ("(-5).abs() + (2.1).ceil() + (2.9).floor()", "10"),
        ("(2.5).round()", "3"),
        ("(-2.5).round()", "-2"),
        ("(2.3333).round(2)", "2.33"),
        ("amount.toFixed(1)", "\"84.2\""),
        ("count.toFixed(2)", "\"3.00\""),
        ("number(\"3.4\") + number(true)", "4.4"),
        ("min(3, 1, 2) + max(3, 1)", "4"),
        ("list(name)", "[\"Jane Doe\"]"),
        ("mixed.length", "4"),
        ("mixed.sort()", "[1,1,2,3]"),
        ("mixed.unique()", "[3,1,2]"),
        ("mixed.reverse().slice(0, 2).join(\"-\")", "\"1-2\""),
        ("mixed.contains(2) && mixed.containsAll(1, 3) && !mixed.containsAny(4, 5)", "true"),
        ("[1,2,3,4].filter(value > 2)", "[3,4]"),
        ("[1,2].map(value + index)", "[1,3]"),
        ("[1,2,3].reduce(acc + value, 0)", "6"),
        ("[1,[2,3]].flat()", "[1,2,3]"),
        ("{a: 1, b: 2}.keys()", "[\"a\",\"b\"]"),
        ("{a: 1, b: 2}.values()", "[1,2]"),
        ("1.isTruthy()", "true"),
        ("123.toString()", "\"123\""),
        ("\"example\".isType(\"string\") && true.isType(\"boolean\")", "true"),
        ("link(\"a\", \"b\")", "\"[[a|b]]\""),
        ("escapeHTML(\"<b>\")", "\"&lt;b&gt;\""),
        ("formula.f0 + 1", "9"),
    ]);
}

#[test]
fn evaluates_file_properties() {
    check_values(&[
        ("file.name", "\"n.md\""),
        ("file.basename", "\"n\""),
        ("file.path", "\"Notes/n.md\""),
        ("file.folder", "\"Notes\""),
        ("file.ext == \"md\"", "true"),
        ("file.size", &NOTE.len().to_string()),
        ("file.mtime <= file.mtime + \"1s\"", "true"),
        ("file.ctime.year > 2020", "true"),
        ("file.inFolder(\"Notes\") && file.inFolder(\"Notes/\") && file.inFolder(\"/\")", "true"),
        ("file.inFolder(\"Not\")", "false"),
        ("file.hasTag(\"saas\")", "true"),
        ("file.hasTag(\"#project\")", "true"),
        ("file.hasTag(\"nova\", \"x\")", "false"),
        ("file.tags.contains(\"saas\") && file.tags.contains(\"#saas\")", "true"),
        ("file.hasProperty(\"Nothing\")", "true"),
        ("file.hasProperty(\"missing\")", "false"),
        ("file.properties.count", "3"),
        ("file.asLink(\"x\")", "\"[[Notes/n.md|x]]\""),
        ("this.file.name", "\"b.base\""),
        ("file.file.path", "\"Notes/n.md\""),
    ]);
}

#[test]
fn evaluates_links_between_files() {
    for (filter, rows) in [
        ("file.hasLink(\"b\")", "a c"),
        ("file.hasLink(link(\"b\"))", "a c"),
        ("file.hasLink(this)", ""),
        ("file.links.contains(file(\"b\"))", "a c"),
        ("who == link(\"b\")", "a"),
        ("who == file(\"b\")", "a"),
        ("who.asFile().n == 2", "a"),
        ("who.linksTo(file(\"b\"))", ""),
        ("file.ext == \"md\" && link(\"a\").linksTo(file(\"b\"))", "a b c"),
        ("file(\"nowhere\") == null", "a b c q.base"),
    ] {
        let base = format!("filters: {}\n", quoted(filter));
        let bed = Bed::new(&[
            ("a.md", "---\nwho: \"[[b|B]]\"\n---\n"),
            ("b.md", "---\nn: 2\n---\n"),
            ("c.md", "---\nwho: \"[[nowhere]]\"\n---\nAnd [[B#Top]].\n"),
            ("q.base", &base),
        ]);
        let answer = bed.vault().seen_by_owner().query_base(&path("q.base"), None).unwrap();
        let found: Vec<_> =
            answer.groups.iter().flat_map(|group| &group.rows).map(|row| row.path.name()).collect();
        assert_eq!(found.join(" "), rows, "{filter}");
    }
}

#[test]
fn hostile_expressions_fail_quickly_with_a_reason() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(4_000), close.repeat(4_000));
    let check = |filter: &str, reason: &str| match ask(&base_of(filter), "q.base", None) {
        Err(VaultError::Base(BaseError::Filter { reason: said, .. })) => {
            assert!(said.contains(reason), "{said}");
        }
        other => panic!("{:?}: {other:?}", &filter[..filter.len().min(60)]),
    };
    check(&deep("(", ")"), "nested more than 32");
    check(&deep("[", "]"), "nested more than 32");
    check(&deep("if(", ")"), "nested more than 32");
    check(&format!("1{}", " + 1".repeat(5_000)), "longer than 16 KiB");
    // Long, but flat.
    for flat in [
        format!("1{} > 0", " + 1".repeat(3_000)),
        format!("{}true", "!!".repeat(4_000)),
        format!("\"a\"{} == \"a\"", ".trim()".repeat(2_000)),
        format!("false{} || true", " || false".repeat(1_500)),
    ] {
        assert_eq!(ask(&base_of(&flat), "q.base", None).unwrap().total, 3);
    }

    // Doubles with each formula.
    let doubling = |formulas: usize, first: &str, step: &str| {
        let mut base = format!("formulas:\n  f0: {}\n", quoted(first));
        for n in 1..formulas {
            let step = step.replace("it", &format!("formula.f{}", n - 1));
            base += &format!("  f{n}: {}\n", quoted(&step));
        }
        base += &format!("views:\n  - order: [formula.f{}]\n", formulas - 1);
        let bed = Bed::new(&[("a.md", ""), ("q.base", &base)]);
        ask(&bed, "q.base", None).unwrap().unsupported.join("\n")
    };
    assert!(doubling(60, "1", "it + it").contains("nested more than 64"));
    assert!(doubling(30, "\"x\"", "it + it").contains("larger than 256 KiB"));
    assert!(doubling(30, "[1]", "[it, it]").contains("larger than 256 KiB"));
    let long = ask(&base_of("\"x\".repeat(300000) == \"\""), "q.base", None).unwrap();
    assert_eq!(long.total, 0);
    assert!(long.unsupported[0].contains("larger than 256 KiB"), "{:?}", long.unsupported);
    // 10⁹ steps.
    let nested = format!("{}1{}", "[0,1,2,3,4,5,6,7,8,9].map(".repeat(9), ".length)".repeat(9));
    check(&nested.replace("1.length", "1"), "too long to compute");
}
