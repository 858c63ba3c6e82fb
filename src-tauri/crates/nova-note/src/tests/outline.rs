//! Links, tags, headings and blocks, and text that only resembles them.

use std::fmt::Write as _;

use super::super::{Link, LinkKind, Outline, outline};
use super::generate::Random;

/// `line kind target#subpath|display`, the format of the tables below.
fn shown(text: &str, link: &Link) -> String {
    let kind = match link.kind {
        LinkKind::Wikilink => "wiki",
        LinkKind::Embed => "embed",
        LinkKind::Markdown => "md",
        LinkKind::Image => "image",
        LinkKind::Definition => "def",
        LinkKind::Property => "prop",
    };
    let mut out = format!("{} {kind} {}", link.line, link.target);
    if let Some(subpath) = &link.subpath {
        write!(out, "#{subpath}").unwrap();
    }
    if let Some(display) = &link.display {
        write!(out, "|{display}").unwrap();
    }
    // Spans must cover what they claim to.
    assert!(link.span.start <= link.target_span.start && link.target_span.end <= link.span.end);
    assert!(text[link.span.clone()].contains(&text[link.target_span.clone()]));
    out
}

#[track_caller]
fn check(text: &str, links: &[&str]) {
    let found: Vec<String> = outline(text).links.iter().map(|link| shown(text, link)).collect();
    assert_eq!(found, links, "{text:?}");
}

#[track_caller]
fn check_tags(text: &str, tags: &[&str]) {
    let found = outline(text).tags;
    let found: Vec<&str> = found.iter().map(|tag| tag.tag.as_str()).collect();
    assert_eq!(found, tags, "{text:?}");
}

#[test]
fn parses_every_form_of_link() {
    let table: &[(&str, &[&str])] = &[
        ("[[Jane Doe]]", &["1 wiki Jane Doe"]),
        ("a [[Jane Doe|Jane]] b", &["1 wiki Jane Doe|Jane"]),
        ("[[t#H]] [[t#H#H2]]\n[[t#^b]]", &["1 wiki t#H", "1 wiki t#H#H2", "2 wiki t#^b"]),
        ("[[#H]] [[#^b|x]]", &["1 wiki #H", "1 wiki #^b|x"]),
        ("[[v1.2 plan]] [[a/b.c]]", &["1 wiki v1.2 plan", "1 wiki a/b.c"]),
        ("![[pic.png|100x20]] ![[Note#H]]", &["1 embed pic.png|100x20", "1 embed Note#H"]),
        ("[[ a | b ]]", &["1 wiki a|b"]),
        ("[[Sq]uare]] [[a [[Inner]]", &["1 wiki Sq]uare", "1 wiki Inner"]),
        ("[[[Foo]]]", &["1 wiki Foo"]),
        ("[d](t.md)", &["1 md t.md|d"]),
        ("[d](<t with spaces.md>)", &["1 md t with spaces.md|d"]),
        ("[d](t%20x.md#H \"title\")", &["1 md t x.md#H|d"]),
        ("[d](a\\(b.md) [e](a(b).md)", &["1 md a(b.md|d", "1 md a(b).md|e"]),
        ("[d](#H) [e](t.md#^b)", &["1 md #H|d", "1 md t.md#^b|e"]),
        ("![d](pic%20one.png)", &["1 image pic one.png|d"]),
        ("[![a](x.png)](y.md)", &["1 md y.md|![a](x.png)", "1 image x.png|a"]),
        ("[a\nb](c.md)", &["1 md c.md|a\nb"]),
        ("[r]: t.md\n[s]: <a b.md> 'title'\ntext [r]", &["1 def t.md", "2 def a b.md"]),
        ("# See [[Other]]\n\n- [ ] do [[x]]\n> [!note] [[y]]", &["1 wiki Other", "3 wiki x", "4 wiki y"]),
        ("[^1]: see [[note]]", &["1 wiki note"]),
        ("| a | b |\n|---|---|\n| [[t\\|d]] | x |", &["3 wiki t|d"]),
        ("| a | b |\n|---|---|\n| ` | [[t]] |\n| ` | [[u]] |", &["3 wiki t", "4 wiki u"]),
        ("a\r\n[[x]]\r\n\r\n[[y]]\r\n", &["2 wiki x", "4 wiki y"]),
        ("\u{feff}[[x]]", &["1 wiki x"]),
        ("**[[x]]** and *[y](y.md)*", &["1 wiki x", "1 md y.md|y"]),
        ("<div>[[x]]</div>", &["1 wiki x"]),
    ];
    for (text, links) in table {
        check(text, links);
    }
}

#[test]
fn lookalikes_are_not_links() {
    let table = [
        "`[[a]]`",
        "``[[a]] ` [[b]]``",
        "`a\n[[b]]`",
        "```\n[[a]]\n[b](c.md)\n```",
        "~~~~ md\n[[a]]\n~~~\n[[b]]\n~~~~",
        "```\n[[never closed]]",
        "- x\n  ```\n  [[a]]\n  ```",
        "> ```\n> [[a]]\n> ```",
        "    [[indented]]",
        "- a\n\n      [[indented in the item]]",
        "%% [[a]] %%",
        "%%\n[[a]]\n\n[[b]]\n%%",
        "<!-- [[a]] -->",
        "x <!-- [[a]]\n[[b]] --> y",
        "<!--\n\n[[a]]\n-->",
        "$[[1,2],[3,4]]$",
        "$$\n[[a]]\n\n$$",
        "x $$[[a]]$$ y",
        "\\[[a]]",
        "\\[a](b.md)",
        "[[]] [[ ]] [[|x]]",
        "[[a\nb]]",
        "[a](https://example.com/x.md) [b](mailto:a@b.c) [c](obsidian://open?vault=x)",
        "[[https://example.com]] <https://example.com/[[x]]>",
        "[a]() [b]",
        "[x]: https://example.com",
        "[a] (b.md)",
        "[a](b c.md)",
        "<img alt=\"[[x]]\">",
        "<img\nalt = '[[x]] >'\ttitle=\"\" hidden src=[[x]]/>",
        "<ab+c.d-e:[[x]]> <x-y z='[[x]]'>",
    ];
    for text in table {
        check(text, &[]);
    }
}

#[test]
fn parses_links_next_to_lists() {
    let table: &[(&str, &[&str])] = &[
        ("`` ` [[a]]", &["1 wiki a"]),
        ("a ` b\n\n[[c]] `", &["3 wiki c"]),
        ("\\`[[a]]`", &["1 wiki a"]),
        ("```\n```\n[[a]]", &["3 wiki a"]),
        ("> ```\n> x\n[[a]]", &["3 wiki a"]),
        ("%% x %% [[a]]", &["1 wiki a"]),
        ("100 %% and [[a]]", &["1 wiki a"]),
        ("%% never closed [[a]]", &["1 wiki a"]),
        ("<!-- never closed [[a]]", &["1 wiki a"]),
        ("costs $5 and [[a]] for $6", &["1 wiki a"]),
        ("\\\\[[a]]", &["1 wiki a"]),
        ("para\n    [[lazy]]", &["2 wiki lazy"]),
        ("- a\n\n  [[b]]\n    - [[c]]", &["3 wiki b", "4 wiki c"]),
        ("1. [[a]]\n   ```\n   x\n   ```\n2. [[b]]", &["1 wiki a", "5 wiki b"]),
        ("a < b [[c]] > d", &["1 wiki c"]),
        ("if cost <last year, see [[Bob]] -> ask", &["1 wiki Bob"]),
        ("a <b\n[[c]]\nd> e", &["2 wiki c"]),
        ("<b [[c]]> </b [[d]]> </b x='[[e]]'>", &["1 wiki c", "1 wiki d", "1 wiki e"]),
        ("<a x=\"[[c]]> <a x='1'y='[[d]]'>", &["1 wiki c", "1 wiki d"]),
        ("<a:[[c]]> <a b:[[d]]> <ab: [[e]]>", &["1 wiki c", "1 wiki d", "1 wiki e"]),
        ("<1 x='[[c]]'> <a 1='[[d]]'> <a x=`[[e]]>", &["1 wiki c", "1 wiki d", "1 wiki e"]),
        ("<a$b`@example.org> [[c]] $ `", &["1 wiki c"]),
        ("[a](b.md)[c](d.md)", &["1 md b.md|a", "1 md d.md|c"]),
        ("[x](./a:b.md)", &["1 md ./a:b.md|x"]),
        ("[x](100%.md) [y](%C3%A9.md) [z](%FF.md)", &["1 md 100%.md|x", "1 md é.md|y", "1 md %FF.md|z"]),
    ];
    for (text, links) in table {
        check(text, links);
    }
}

#[test]
fn parses_links_in_properties() {
    let table: &[(&str, &[&str])] = &[
        (
            "---\na: \"[[Jane Doe|J]]\"\nb: '[[It''s]]'\nc: [[Plain]]\n---\n",
            &["2 prop Jane Doe|J", "3 prop It's", "4 prop Plain"],
        ),
        (
            "---\nl:\n  - \"[[A#H]]\"\n  - [[B]]\nf: [\"[[C]]\", [[D]]]\n---\n[[E]]",
            &["3 prop A#H", "4 prop B", "5 prop C", "5 prop D", "7 wiki E"],
        ),
        ("---\nm:\n  n: {x: \"[[A]]\"}\n  o:\n    - p: '[[B]]'\n---\n", &["3 prop A", "5 prop B"]),
        ("---\na: \"\\u00c9t\\u00e9 \\\"[[\\u00c9t\\u00e9]]\\\"\"\n---\n", &["2 prop Été"]),
        ("---\na: |\n  see [[A]]\n  and [[B]]\n---\n", &["3 prop A", "4 prop B"]),
        ("---\na: see [[A]] # and [[not B]]\n---\n", &["2 prop A"]),
        ("---\na: \"[x](y.md)\"\n---\n", &[]),
        ("---\r\na: \"[[A]]\"\r\n---\r\n[[B]]", &["2 prop A", "4 wiki B"]),
        (
            "---\na: [[Acme, Inc#Log|A, the firm]]\nl:\n  - [[B, C]]\nf: [[[D, E]], [[F]]]\n---\n",
            &["2 prop Acme, Inc#Log|A, the firm", "4 prop B, C", "5 prop D, E", "5 prop F"],
        ),
        ("---\na: [[1, 2]]\nb: [[c, d], [e]]\n---\n", &[]),
        // Unreadable front matter: the body is parsed anyway.
        ("---\na: \"[[A]]\n---\n[[B]]", &["4 wiki B"]),
        ("---\na: b: [[A]]\n...\n[[B]]", &["4 wiki B"]),
    ];
    for (text, links) in table {
        check(text, links);
    }
}

#[test]
fn parses_tags() {
    let table: &[(&str, &[&str])] = &[
        ("#tag and #a/b, #größe-1 #東京 #🍣", &["tag", "a/b", "größe-1", "東京", "🍣"]),
        ("#1984 #y1984 # heading", &["y1984"]),
        ("# Title #in-heading\n#also", &["in-heading", "also"]),
        ("`#code` %%#comment%% <!-- #html --> $#math$", &[]),
        ("https://x.y/#frag a#b &#39; [[note#heading]] [d](t.md#x)", &[]),
        ("[see #inside](t.md) #outside", &["outside"]),
        ("(#paren) **#bold** #end/ \\#escaped", &["paren", "bold", "end"]),
        ("---\ntags: [a, '#b', c/d, 2024]\n---\n#e", &["a", "b", "c/d", "e"]),
        ("---\ntags: a, b c\ntag:\n  - d\n---\n", &["a", "b", "c", "d"]),
        ("---\ntags: [[a, b]]\n---\n", &["a", "b"]),
        ("---\nother: '#no'\n---\n", &[]),
    ];
    for (text, tags) in table {
        check_tags(text, tags);
    }
}

#[test]
fn parses_headings_and_blocks() {
    let text = "# One\n\ntext ^b1\n\nTwo\n===\n\n> ## Three ##\n\n- item ^b-2\n\n```\n# no\n```\n####### no\n#no\n\n\
                Four\nlines\n---\n\n| a |\n|---|\n\n^table\n\nnot ^an id\n";
    let Outline { headings, blocks, .. } = outline(text);
    let headings: Vec<_> = headings.iter().map(|h| (h.line, h.level, h.text.as_str())).collect();
    assert_eq!(headings, [(1, 1, "One"), (5, 1, "Two"), (8, 2, "Three"), (18, 2, "Four\nlines")]);
    let blocks: Vec<_> = blocks.iter().map(|b| (b.line, b.id.as_str())).collect();
    assert_eq!(blocks, [(3, "b1"), (10, "b-2"), (25, "table")]);
}

/// Every link of a CommonMark parser must be one here. The texts contain no wikilinks, comments or
/// formulas, which CommonMark does not know.
#[test]
fn markdown_links_agree_with_a_commonmark_parser() {
    let pieces = [
        "[a](b.md)",
        "[a](<b c.md>)",
        "![a](b.png)",
        "[a](b.md 'x')",
        "`",
        "``",
        "```",
        "~~~",
        "\n",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "  ",
        "    ",
        "1. ",
        "# ",
        "text",
        " ",
        "\\",
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        "---\n",
        "***\n",
        "* ",
        "[r]: d.md\n",
        "é",
        "===\n",
        "\t",
        "\"",
        "[a](b(c).md)",
        "+ ",
    ];
    let mut found = 0;
    for seed in 1..=20_000 {
        let random = &mut Random::new(seed);
        let text: String = (0..=random.below(14)).map(|_| *random.of(&pieces)).collect();
        // Not comparable: definitions make `[r]` a link there, and that parser treats HTML as text.
        if text.contains("[r]") || text.contains("[[") || text.starts_with("---") || text.contains("<b>") {
            continue;
        }
        let expected: Vec<String> = pulldown_cmark::Parser::new(&text)
            .filter_map(|event| match event {
                pulldown_cmark::Event::Start(
                    pulldown_cmark::Tag::Link { dest_url, .. } | pulldown_cmark::Tag::Image { dest_url, .. },
                ) if !dest_url.is_empty() => Some(dest_url.to_string()),
                _ => None,
            })
            .collect();
        let links = outline(&text).links;
        let is: Vec<&str> = links.iter().map(|link| link.target.as_str()).collect();
        assert_eq!(is, expected, "seed {seed}: {text:?}");
        found += is.len();
    }
    assert!(found > 5_000, "only {found} links");
}

/// HTML tags and autolinks agree with a CommonMark parser: it finds the same links around them and none
/// inside.
#[test]
fn tags_and_autolinks_agree_with_a_commonmark_parser() {
    use pulldown_cmark::{Event, LinkType, Parser, Tag};
    let pieces = [
        "<",
        "<",
        "<a",
        "<b ",
        "</a",
        ">",
        ">",
        "/>",
        " ",
        "\ny",
        "x",
        "c-1",
        "_d.e",
        "=",
        "=\"",
        "='",
        "\"",
        "'",
        "<a b='",
        "'>",
        "[l](m.md)",
        "[n](o.md)",
        "https:",
        "f:",
        "@",
        "/",
        "1",
        "`",
        "é",
    ];
    let (mut found, mut passed) = (0, 0);
    for seed in 1..=40_000 {
        let random = &mut Random::new(seed ^ 0x7A65);
        // Text before it keeps a line from beginning an HTML block.
        let text: String =
            ["x "].into_iter().chain((0..=random.below(14)).map(|_| *random.of(&pieces))).collect();
        let expected: Vec<String> = Parser::new(&text)
            .filter_map(|event| match event {
                Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, .. }) => {
                    Some(dest_url.to_string())
                }
                _ => None,
            })
            .collect();
        let links = outline(&text).links;
        let is: Vec<&str> = links.iter().map(|link| link.target.as_str()).collect();
        assert_eq!(is, expected, "seed {seed}: {text:?}");
        found += is.len();
        passed += text.matches(".md").count() - is.len();
    }
    assert!(found > 5_000 && passed > 500, "{found} links, {passed} in tags");
}

/// Guards against super-linear time: a reader that rescanned the rest of the text for each of these marks
/// would take hours or days per text.
#[test]
fn hostile_texts_are_parsed_in_linear_time() {
    let size = 2 * 1024 * 1024;
    let table = [
        "[",
        "![",
        "[[",
        "[[a",
        "]",
        "](",
        "[a](",
        "[](<",
        "[](a \"",
        "[](a (",
        "`",
        "` `` ",
        "%%a",
        "% ",
        "<!--",
        "<a ",
        "<a b=\"",
        "<a b=\" c='",
        "<a b ",
        "<ab:",
        "<a@",
        "$a ",
        "$$ ",
        "$",
        "> ",
        "- ",
        "* ",
        "# ",
        "\t",
        " ",
        "\n",
        "a\n",
        "#a",
        "^a ",
        "\\",
        "[a]:",
        "[a]: b 'c\n",
        "| ",
        "|-",
        "é",
        "\u{0}",
        "~~~\n",
        "1. ",
        "[[a]]",
        "[a](b.md)",
        "a|b\n-|-\n",
        "- \n",
    ];
    for piece in table {
        for front in ["", "x "] {
            let text = format!("[[First]]\n\n{front}{}", piece.repeat(size / piece.len()));
            let found = outline(&text).links;
            assert_eq!(found.first().map(|link| link.target.as_str()), Some("First"), "{front:?} {piece:?}");
        }
    }
}

#[test]
fn any_text_can_be_parsed() {
    let pieces = [
        "[[", "]]", "|", "#", "^", "%%", "$", "$$", "`", "```", "\n", "\r\n", "---\n", "---", "\u{feff}",
        "<!--", "-->", "a", "é", "🍣", "\\", "[", "]", "(", ")", "<", ">", "\"", "'", "- ", "> ", "    ",
        "\t", "a: ", "b:\n  - ", "{", "}", "&x ", "*x", "|\n  ", "\u{85}", "\u{2028}", "!", ".md", "tags: ",
        "~~~",
    ];
    for seed in 1..=20_000 {
        let random = &mut Random::new(seed ^ 0xB0D7);
        let text: String = (0..=random.below(20)).map(|_| *random.of(&pieces)).collect();
        let found = outline(&text);
        for link in &found.links {
            shown(&text, link);
        }
        let order: Vec<usize> = found.links.iter().map(|link| link.span.start).collect();
        assert!(order.is_sorted(), "seed {seed}: {text:?}");
    }
}
