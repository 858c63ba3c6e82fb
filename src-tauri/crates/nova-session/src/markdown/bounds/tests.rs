use super::super::{Growing, blocks, html, unsafe_blocks};

/// Texts of about `size` bytes with extreme nesting, repetition or padding.
fn hostile(size: usize) -> Vec<(&'static str, String)> {
    let twice = |open: &str, close: &str| {
        let n = size / (open.len() + close.len());
        format!("{}a{}", open.repeat(n), close.repeat(n))
    };
    vec![
        ("quotes", "> ".repeat(size / 2)),
        ("quoted text", format!("{}x", "> ".repeat(size / 2))),
        ("lists", format!("{}x", "- ".repeat(size / 2))),
        ("numbered lists", format!("{}x", "1. ".repeat(size / 3))),
        ("lists in quotes", format!("{}x", "> - ".repeat(size / 4))),
        ("brackets", twice("[", "]")),
        ("open brackets", "[".repeat(size)),
        ("note links", twice("[[", "]]")),
        ("images", twice("![", "](x)")),
        ("emphasis", twice("*a **a ", " a** a*")),
        ("stars", twice("*", "*")),
        ("struck out", twice("~~a ", " a~~")),
        ("formulas", "${".repeat(size / 2)),
        ("footnotes", "[^1]".repeat(size / 4)),
        ("ampersands", "&".repeat(size)),
        ("ampersands in code", format!("```\n{}\n```", "&".repeat(size))),
        ("ampersands in an address", format!("[a](http://a/{})", "&".repeat(size))),
        ("pounds", "£".repeat(size / 2)),
        ("short rows", format!("{}\n{}\n{}", "|a".repeat(500), "|-".repeat(500), "|\n".repeat(size / 2))),
        ("paragraphs", "a\n\n".repeat(size / 3)),
    ]
}

/// The work of the sanitiser for a piece of HTML: each tag scans all open ones, and each escaped character
/// the rest of its text or attribute.
fn work(html: &str) -> usize {
    let (mut work, mut depth) = (html.len(), 0_usize);
    for part in html.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap_or((part, ""));
        work += depth;
        match tag.strip_prefix('/') {
            Some(_) => depth = depth.saturating_sub(1),
            None if tag.starts_with('!') || ["br", "hr", "input", "img"].contains(&name(tag)) => {}
            None => depth += 1,
        }
        for run in tag.split('"').skip(1).step_by(2).chain([text]) {
            let run = run.replace("&amp;", "&");
            work += run
                .match_indices(|c: char| c == '&' || ('\u{80}'..='\u{bf}').contains(&c))
                .map(|(at, _)| run.len() - at)
                .sum::<usize>();
        }
    }
    work
}

fn name(tag: &str) -> &str {
    tag.split([' ', '/']).next().unwrap_or_default()
}

fn deepest(html: &str) -> usize {
    let (mut deepest, mut depth) = (0, 0_usize);
    for tag in html.split('<').skip(1) {
        match tag.starts_with('/') {
            true => depth = depth.saturating_sub(1),
            false if tag.starts_with('!') || ["br", "hr", "input"].contains(&name(tag)) => {}
            false => depth += 1,
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[test]
fn work_grows_with_the_size() {
    for ((case, small), (_, large)) in hostile(20_000).into_iter().zip(hostile(40_000)) {
        let of = |text: &str| unsafe_blocks(text).iter().map(|raw| work(raw)).sum::<usize>();
        let (once, twice) = (of(&small), of(&large));
        assert!(twice <= 2 * once + once / 2, "{case}: {once} for one, {twice} for two");
        // The constant factor is bounded too.
        assert!(twice <= 40_000 * 6_000, "{case}: {twice}");
    }
}

#[test]
fn output_is_bounded_by_the_input() {
    for (case, text) in hostile(100_000) {
        let shown: usize = blocks(&text).iter().map(|block| block.html.len()).sum();
        assert!(shown <= 64 * text.len(), "{case}: {shown} bytes of {}", text.len());
    }
}

#[test]
fn deep_nesting_is_shown_as_text() {
    // Without a bound, the first is rendered incorrectly, and the second takes a minute.
    for depth in [200, 100_000] {
        let shown = html(&format!("{}end", "> ".repeat(depth)));
        assert!(deepest(&shown) <= 100, "{}", deepest(&shown));
        assert!(shown.matches("<blockquote>").count() >= 40, "ordinary nesting is kept");
        assert!(shown.contains("&gt; &gt; ") && shown.contains("end"), "the rest is text");
    }
    for (case, text) in hostile(20_000) {
        assert!(deepest(&html(&text)) <= 200, "{case}");
    }
}

#[test]
fn realistic_nesting_is_unchanged() {
    let list: String = (0..20).map(|level| format!("{}- level {level}\n", "  ".repeat(level))).collect();
    assert_eq!(html(&list).matches("<ul>").count(), 20);
    assert_eq!(html(&format!("{}x", "> ".repeat(40))).matches("<blockquote>").count(), 40);
}

#[test]
fn long_text_ends_as_plain_text() {
    let line = "A *word* of <b> & so on.\n\n";
    let text = line.repeat(1_000_000 / line.len());
    let found = blocks(&text);
    let plain = found.iter().position(|block| block.html.contains("plain text")).expect("a notice");
    let (formatted, rest) = found.split_at(plain);
    assert!(formatted.iter().all(|block| block.html.contains("<em>word</em>")));
    assert!(rest[1..].iter().all(|block| !block.html.contains("<em>")), "the rest is plain");
    let words: usize = found.iter().map(|block| block.html.matches("word").count()).sum();
    assert_eq!(words, 1_000_000 / line.len(), "nothing is lost");
    assert!(html(&text).contains("*word* of &lt;b&gt; &amp; so on."));
}

#[test]
fn short_text_has_no_note_about_formatting() {
    assert!(!html(&"A *word*.\n\n".repeat(2_000)).contains("plain text"));
}

#[test]
fn escaped_characters_survive_in_long_texts() {
    for c in ['&', '£', '<'] {
        let text: String = std::iter::repeat_n(c, 30_000).collect();
        let shown = html(&format!("`{text}`"));
        let plain = shown.replace("<p><code>", "").replace("</code></p>\n", "");
        assert_eq!(plain.replace("&amp;", "&").replace("&lt;", "<").trim(), text);
    }
}

#[test]
fn long_growing_text_ends_as_the_whole() {
    let line = "A *word* of <b> & so on.\n";
    let text = line.repeat(700_000 / line.len());
    let mut growing = Growing::default();
    for piece in text.as_bytes().chunks(9_973) {
        growing.push(std::str::from_utf8(piece).expect("ASCII"));
    }
    assert_eq!(growing.blocks(), blocks(&text));
}

/// Text that arrives in many pieces is processed once, except for the formatted part.
#[test]
fn plain_rest_of_a_growing_text_is_built_once() {
    let line = "A *word* of <b> & so on.\n";
    let mut growing = Growing::default();
    growing.push(&line.repeat(700_000 / line.len()));
    let before: Vec<*const u8> = growing.blocks().iter().map(|block| block.html.as_ptr()).collect();
    growing.push(&line.repeat(10));
    let after: Vec<*const u8> = growing.blocks().iter().map(|block| block.html.as_ptr()).collect();
    assert_eq!(
        before[..before.len() - 1],
        after[..before.len() - 1],
        "only the last block is rendered again"
    );
}
