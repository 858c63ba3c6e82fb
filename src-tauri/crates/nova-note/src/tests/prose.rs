//! Prose: text in which a link may be inserted.

use super::super::{outline, prose};
use super::generate::Random;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found = prose(text);
    let pieces: Vec<&str> = found.iter().map(|prose| text[prose.span.clone()].trim()).collect();
    let pieces: Vec<&str> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
    assert_eq!(pieces, expected, "{text:?}");
}

#[test]
fn prose_excludes_marks_and_marked_text() {
    let table: &[(&str, &[&str])] = &[
        ("Met Jane Doe.", &["Met Jane Doe."]),
        ("---\nname: Jane\n---\nbody", &["body"]),
        ("---\nname: [\n---\nbody", &["body"]),
        ("# Jane\n\nJane\n====\n\n- # Jane\n- text", &["text"]),
        ("a `Jane` b ``Ja`ne`` c", &["a", "b", "c"]),
        ("```\nJane\n```\n~~~\nJane\n~~~\nafter", &["after"]),
        ("    Jane\n\ntext\n\n\tJane", &["text"]),
        ("a $Jane$ b\n\n$$\nJane\n$$\n\nc costs $5 and $6", &["a", "b", "c costs $5 and $6"]),
        ("a %%Jane%% b <!-- Jane --> c", &["a", "b", "c"]),
        ("a %% Jane\n\nJane %% b", &["a", "b"]),
        ("%%\nJane\n\nJane\n%%\nafter", &["after"]),
        ("a [[Jane]] b ![[Jane]] c [[Jane|her]] d", &["a", "b", "c", "d"]),
        ("a [Jane](Jane.md) b [Jane](https://example.com) c", &["a", "b", "c"]),
        ("a ![Jane](x.png) b [Jane ![Jane](x.png)](y.md) c", &["a", "b", "c"]),
        ("a [Jane][1] b [Jane][] c [Jane] d [^Jane] e", &["a", "b", "c", "d", "e"]),
        ("[Jane]: https://example.com\n\ntext", &["text"]),
        ("[^1]: Jane said", &[": Jane said"]),
        ("a #Jane b #Jane/Doe c", &["a", "b", "c"]),
        ("a ^jane", &["a"]),
        ("a <https://example.com/Jane> b <jane@example.com> c", &["a", "b", "c"]),
        ("a <b title=\"Jane\">Jane</b> c", &["a", "Jane", "c"]),
        ("a <a href=\"x\">Jane</a> b <code>Jane</code> c <kbd>Jane", &["a", "b", "c"]),
        ("<div>\nJane\n</div>\n\nafter", &["after"]),
        ("a <pre>Jane\n\nJane\n\n</pre>\n\nb", &["a", "b"]),
        ("> Jane\n> - [ ] Doe [due:: 2026-11-24]", &["Jane", "Doe"]),
        ("> [!note] Jane\n> Doe", &["Jane\n> Doe"]),
        ("- [x] Jane 📅 2026-11-24", &["Jane 📅 2026-11-24"]),
        ("- Jane\n  Doe", &["Jane\n  Doe"]),
        ("| Jane | `x` |\n| --- | --- |\n| a | b\\|c |", &["Jane", "a", "b", "c"]),
        ("a \\[Jane\\] b", &["a", "Jane", "b"]),
        ("[unclosed Jane", &["[unclosed Jane"]),
        ("unopened Jane]", &["unopened Jane]"]),
        ("", &[]),
    ];
    for (text, expected) in table {
        check(text, expected);
        check(
            &text.replace('\n', "\r\n"),
            &expected
                .iter()
                .map(|piece| piece.replace('\n', "\r\n"))
                .collect::<Vec<_>>()
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>(),
        );
    }
}

#[test]
fn table_cells_are_marked() {
    let text = "Jane\n\n| Jane | b |\n| --- | --- |\n| c | d |\n\nDoe";
    let in_table: Vec<bool> = prose(text)
        .iter()
        .filter(|prose| !text[prose.span.clone()].trim().is_empty())
        .map(|prose| prose.in_table)
        .collect();
    assert_eq!(in_table, [false, true, true, true, true, false]);
}

/// Random marks: prose is in order, disjoint from every link, tag, heading and block id, and cut at
/// character boundaries.
#[test]
fn random_prose_is_disjoint_from_outline_elements() {
    let marks = [
        "Jane",
        " ",
        "\n",
        "\n\n",
        "[[",
        "]]",
        "[",
        "](a.md)",
        "`",
        "```\n",
        "$",
        "$$",
        "%%",
        "<!--",
        "-->",
        "#",
        "# ",
        "^id",
        "<a>",
        "</a>",
        "<",
        ">",
        "| ",
        "|\n|---|\n",
        "\\",
        "é",
        "> ",
        "- ",
        "![",
        "---\n",
        "<pre>",
        "</pre>",
    ];
    let mut random = Random::new(7);
    for _ in 0..4_000 {
        let text: String = (0..random.below(24)).map(|_| *random.of(&marks)).collect();
        let found = prose(&text);
        assert!(found.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "{text:?} {found:?}");
        let outline = outline(&text);
        let taken =
            outline.links.iter().map(|link| &link.span).chain(outline.tags.iter().map(|tag| &tag.span));
        let taken = taken.chain(outline.headings.iter().map(|heading| &heading.span));
        for span in taken.chain(outline.blocks.iter().map(|block| &block.span)) {
            let touches =
                |prose: &&super::super::Prose| prose.span.start < span.end && span.start < prose.span.end;
            assert_eq!(found.iter().find(touches), None, "{text:?} {span:?}");
        }
        for prose in found {
            assert!(text.get(prose.span.clone()).is_some_and(|piece| !piece.is_empty()), "{text:?}");
        }
    }
}
