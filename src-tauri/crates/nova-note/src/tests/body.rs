//! Replacing and appending text.

use super::super::{EditError, append, checkbox_lines, has_heading, line_of, replace_exact};

fn check_replace(text: &str, old: &str, new: &str, count: Option<usize>, after: &str) {
    assert_eq!(replace_exact(text, old, new, count).as_deref(), Ok(after), "{text:?}");
}

fn check_append(text: &str, addition: &str, heading: Option<&str>, after: &str) {
    assert_eq!(append(text, addition, heading).as_deref(), Ok(after), "{text:?}");
    if text.contains('\n') {
        let crlf = |text: &str| text.replace('\n', "\r\n");
        assert_eq!(append(&crlf(text), addition, heading), Ok(crlf(after)), "{text:?}, CRLF");
    }
}

#[test]
fn replaces_text_the_stated_number_of_times() {
    check_replace("a b c", "b", "x", None, "a x c");
    check_replace("b b", "b", "x", Some(2), "x x");
    check_replace("aaa\n", "aaa\n", "", None, "");
    check_replace("🍣 a 🍣", "a 🍣", "b", None, "🍣 b");
    check_replace("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", None, "x\r\ny\r\nz\r\nc\r\n");
    check_replace("a\r\nb\r\n", "a\r\nb", "x", None, "x\r\n");
    check_replace("a\nb\n", "a\r\nb", "x\r\ny", None, "x\ny\n");
    check_replace("a\r\nb", "a\n", "x", None, "xb");
    check_replace("a\r\nb", "\nb", "!", None, "a!");
    check_replace("---\na: 1\n---\nx\n", "a: 1", "a: 2", None, "---\na: 2\n---\nx\n");

    let check = |text: &str, old: &str, count, expected: EditError| {
        assert_eq!(replace_exact(text, old, "x", count), Err(expected), "{text:?}");
    };
    let count = |found, expected, nearly| EditError::Count { found, expected, nearly };
    check("a b b", "b", None, count(2, 1, None));
    check("a b b", "c", None, count(0, 1, None));
    check("a b b", "b", Some(3), count(2, 3, None));
    check("a", "a", Some(0), count(1, 0, None));
    check(
        "x\r\n- [ ]  Say \u{201c}hi\u{201d}\u{a0}\u{2013} Bo\u{2019}s\r\n",
        "- [ ] say \"hi\" - Bo's",
        None,
        count(0, 1, Some(2)),
    );
    check("one\ntwo\n", " ONE two ", None, count(0, 1, Some(1)));
    check("Two\ntwo\n", "tWo", None, count(0, 1, None));
    check("two\n", " \n ", None, count(0, 1, None));
    let message = replace_exact("a\nB\n", "b", "x", None).unwrap_err().to_string();
    assert!(message.contains("line 2 has it with other blanks, quotes, dashes or case"), "{message}");
    check("a", "", None, EditError::NothingToFind);
    let broken = replace_exact("---\na: 1\n---\nx\n", "a: 1", "a: \"", None);
    assert!(matches!(broken, Err(EditError::WouldBreak { .. })), "{broken:?}");
    let message = replace_exact("a b b", "b", "x", None).unwrap_err().to_string();
    assert_eq!(
        message,
        "the text to replace was found 2 times, not 1; give more of the text around it, or the count"
    );
}

#[test]
fn appends_at_the_end() {
    check_append("a\n", "b", None, "a\nb\n");
    check_append("a\n", "b\nc\n", None, "a\nb\nc\n");
    check_append("a\nb", "c", None, "a\nb\nc");
    check_append("a\n\n\n", "b", None, "a\n\n\nb\n");
    check_append("", "b", None, "b\n");
    check_append("---\na: 1\n---", "b", None, "---\na: 1\n---\nb");
}

#[test]
#[rustfmt::skip] // one case a line
fn appends_to_a_section() {
    let log = Some("Log");
    check_append("# A\n## Log\n- x\n\n## Next\n", "- y", log, "# A\n## Log\n- x\n- y\n\n## Next\n");
    check_append("## Log\n- x\n", "- y", log, "## Log\n- x\n- y\n");
    check_append("## Log\n- x", "- y", log, "## Log\n- x\n- y");
    check_append("## Log\n\n- x\n\n", "- y", log, "## Log\n\n- x\n- y\n\n");
    check_append("## Log\n\n## Next\n", "- y", log, "## Log\n- y\n\n## Next\n");
    check_append("## Log", "- y", log, "## Log\n- y");
    check_append("## Log\n- x\n### Sub\n- s\n# Next\n", "- y", log, "## Log\n- x\n### Sub\n- s\n- y\n# Next\n");
    check_append("### log ###\n- x\n# N\n", "- y", log, "### log ###\n- x\n- y\n# N\n");
    check_append("# Log\n- x\n## Log\n- z\n", "- y", Some("## Log"), "# Log\n- x\n## Log\n- z\n- y\n");
    check_append("```\n## Log\n```\n## Log\n- x\n```\n# no\n```\n# N\n", "- y", log, "```\n## Log\n```\n## Log\n- x\n```\n# no\n```\n- y\n# N\n");
    check_append("~~~~\n## Log\n~~~\n~~~~\n## Log\n", "- y", log, "~~~~\n## Log\n~~~\n~~~~\n## Log\n- y\n");
    check_append("    ## Log\n#Log\n####### Log\n", "- y", log, "    ## Log\n#Log\n####### Log\n\n## Log\n- y\n");
    check_append("---\n# Log\na: 1\n---\nText\n", "- y", log, "---\n# Log\na: 1\n---\nText\n\n## Log\n- y\n");
    check_append("%%\n## Log\n%%\n## Log\n- x\n", "- y", log, "%%\n## Log\n%%\n## Log\n- x\n- y\n");
    check_append("<!--\n## Log\n-->\n## Log\n- x\n", "- y", log, "<!--\n## Log\n-->\n## Log\n- x\n- y\n");
    check_append("## Log\n- x %% # no\n# no %% y\n- z\n# N\n", "- y", log, "## Log\n- x %% # no\n# no %% y\n- z\n- y\n# N\n");
    check_append("a `%%` b\n## Log\n", "- y", log, "a `%%` b\n## Log\n- y\n");
    check_append("a `<!--` %% c %% <!-- d -->\n## Log\n", "- y", log, "a `<!--` %% c %% <!-- d -->\n## Log\n- y\n");
    check_append("## Log %%a\n%%\n- x\n", "- y", Some("Log %%a"), "## Log %%a\n%%\n- x\n- y\n");
    check_append("Log\n===\n- x\n\nNext\n===\n", "- y", log, "Log\n===\n- x\n- y\n\nNext\n===\n");
    check_append("The\nLog\n---\n- x\n\nNext\n===\n", "- y", Some("The Log"), "The\nLog\n---\n- x\n- y\n\nNext\n===\n");
    check_append("## Log\n- x\n---\n> q\n---\n- z\n# N\n", "- y", log, "## Log\n- x\n---\n> q\n---\n- z\n- y\n# N\n");
    check_append("## Log\n- x\n\n  more\n---\nz\n\n---\nend\n# N\n", "- y", log, "## Log\n- x\n\n  more\n---\nz\n\n---\nend\n- y\n# N\n");
    check_append("## Log\n\n    code\n---\n| a |\n| --- |\n# N\n", "- y", log, "## Log\n\n    code\n---\n| a |\n| --- |\n- y\n# N\n");
    check_append("# A\n- ```\n  ## Log\n  ```\n## Log\n- x\n# N\n", "- y", log, "# A\n- ```\n  ## Log\n  ```\n## Log\n- x\n- y\n# N\n");
    check_append("1. ~~~\n   code\n   ~~~\n\n## Log\n- x\n## N\n", "- y", log, "1. ~~~\n   code\n   ~~~\n\n## Log\n- x\n- y\n## N\n");
    check_append("> ```\n> code\n\n## Log\n- x\n## N\n", "- y", log, "> ```\n> code\n\n## Log\n- x\n- y\n## N\n");
    check_append("- a\n  ```\n  ## Log\n  ```\n\n## Log\n- x\n  - ```\n    # no\n    ```\n# N\n", "- y", log, "- a\n  ```\n  ## Log\n  ```\n\n## Log\n- x\n  - ```\n    # no\n    ```\n- y\n# N\n");
    check_append("## Log\n- x\n  # in the item\n> # quoted\n# N\n", "- y", log, "## Log\n- x\n  # in the item\n> # quoted\n- y\n# N\n");
    check_append("100 %% sure\n## Log\n- x\n# N\n", "- y", log, "100 %% sure\n## Log\n- x\n- y\n# N\n");
    check_append("- ```\n  a %% b\n  ```\n## Log\n- x\n# %% N\n", "- y", log, "- ```\n  a %% b\n  ```\n## Log\n- x\n- y\n# %% N\n");
    check_append("## Ärger\n- x\n# N\n", "- y", Some("ärger"), "## Ärger\n- x\n- y\n# N\n");
    check_append("## A\u{308}RGER\n- x\n# N\n", "- y", Some("## ärger"), "## A\u{308}RGER\n- x\n- y\n# N\n");
    check_append("Text\n\n", "- y", Some("### Log"), "Text\n\n### Log\n- y\n");
    check_append("Text", "- y", log, "Text\n\n## Log\n- y");
    check_append("---\na: 1\n---\n", "- y", log, "---\na: 1\n---\n## Log\n- y\n");
    check_append("", "- y", log, "## Log\n- y\n");
}

#[test]
#[rustfmt::skip] // one case a line
fn appended_text_stays_its_own_block() {
    let table = "| a | b |\n|---|---|\n| 1 | 2 |\n";
    check_append(table, "Text", None, &format!("{table}\nText\n"));
    check_append(table, "| 3 | 4 |", None, &format!("{table}| 3 | 4 |\n"));
    check_append(table, "- x", None, &format!("{table}- x\n"));
    check_append(&format!("{table}\n"), "Text", None, &format!("{table}\nText\n"));
    check_append("Text\n", table, None, &format!("Text\n\n{table}"));
    check_append("# H\n", table, None, &format!("# H\n{table}"));
    check_append(table, table, None, &format!("{table}\n{table}"));
    check_append("```\n| a |\n|---|\n```\n", "Text", None, "```\n| a |\n|---|\n```\nText\n");
    check_append("> [!note] A\n> b\n", "Text", None, "> [!note] A\n> b\n\nText\n");
    check_append("> [!note] A\n> b\n", "> [!tip] C", None, "> [!note] A\n> b\n\n> [!tip] C\n");
    check_append("> [!note] A\n> b\n", "> c", None, "> [!note] A\n> b\n> c\n");
    check_append("- a\n  - b\n", "Text", None, "- a\n  - b\n\nText\n");
    check_append("1. a\n", "2. b", None, "1. a\n2. b\n");
    check_append("[^1]: See there.\n", "Text", None, "[^1]: See there.\n\nText\n");
    check_append("[^1]: See there.\n", "[^2]: And there.", None, "[^1]: See there.\n[^2]: And there.\n");
    check_append("- a\n\n  more\n", "Text", None, "- a\n\n  more\n\nText\n");
    check_append("- a\n", "  more of it", None, "- a\n  more of it\n");
    check_append("- a\n## H\nText\n", "Text", None, "- a\n## H\nText\nText\n");
    check_append("Text\n", "---\nmore", None, "Text\n\n---\nmore\n");
    check_append("- a\n", "---\nmore", None, "- a\n---\nmore\n");
    check_append("Text", "---", None, "Text\n\n---");
    check_append("*bold* text\n", "Text", None, "*bold* text\nText\n");
    check_append("## Log\n```\nx\n```\nNext\n===\n", "- y", Some("Log"), "## Log\n```\nx\n```\n- y\n\nNext\n===\n");
    check_append("## Log\n| a |\n| - |\n| b |\n## Next\n", "Text", Some("Log"), "## Log\n| a |\n| - |\n| b |\n\nText\n## Next\n");
}

#[test]
#[rustfmt::skip] // one case a line
fn trailing_comment_stays_at_the_end() {
    let settings = "\n\n\n%% kanban:settings\n```\n{\"kanban-plugin\":\"board\"}\n```\n%%";
    let board = |lanes: &str| format!("---\nkanban-plugin: board\n---\n\n{lanes}{settings}");
    let check = |lanes: &str, addition: &str, heading: Option<&str>, after: &str| {
        check_append(&board(lanes), addition, heading, &board(after));
    };
    let lanes = "## Todo\n\n- [ ] a\n\n\n## Done\n\n**Complete**\n- [x] b\n";
    check(lanes, "- [x] c", Some("Done"), "## Todo\n\n- [ ] a\n\n\n## Done\n\n**Complete**\n- [x] b\n- [x] c\n");
    check(lanes, "- [ ] c", Some("Todo"), "## Todo\n\n- [ ] a\n- [ ] c\n\n\n## Done\n\n**Complete**\n- [x] b\n");
    check("## Todo\n", "- [ ] c", None, "## Todo\n- [ ] c\n");
    check("## Todo\n\n- a\n", "- b", Some("Later"), "## Todo\n\n- a\n\n## Later\n- b\n");
    check_append("a\n<!--\nb\n-->\n", "c", None, "a\nc\n<!--\nb\n-->\n");
    // A comment inside a line, or followed by other text, does not end the note.
    check_append("a %%\nb\n%%\n", "c", None, "a %%\nb\n%%\nc\n");
    check_append("a\n%% b %%\n", "c", None, "a\n%% b %%\nc\n");
    check_append("%%\na\n%%\nb\n", "c", None, "%%\na\n%%\nb\nc\n");
    check_append("```\n%%\na\n%%\n```\n%%\n", "c", None, "```\n%%\na\n%%\n```\n%%\nc\n");
}

#[test]
fn heading_may_be_given_with_or_without_level() {
    let text = "# Log\n- x\n### Tasks\n- y\n## #idea list\n- z\n";
    let check = |heading: &str, after: &str| check_append(text, "- n", Some(heading), after);
    check("#Log", "# Log\n- x\n### Tasks\n- y\n## #idea list\n- z\n- n\n");
    check("##tasks", "# Log\n- x\n### Tasks\n- y\n- n\n## #idea list\n- z\n");
    check("#idea list", "# Log\n- x\n### Tasks\n- y\n## #idea list\n- z\n- n\n");
    check("###New", &format!("{text}\n### New\n- n\n"));
    check_append(text, "# log\n\n- n", Some("Log"), "# Log\n- x\n### Tasks\n- y\n## #idea list\n- z\n- n\n");
    check_append(text, "## New\n- n", Some("New"), &format!("{text}\n## New\n- n\n"));
    check_append("## Log\n", "### Log of today\n- n", Some("Log"), "## Log\n### Log of today\n- n\n");
    check_append("## Log\n", "## Log\n", Some("Log"), "## Log\n## Log\n");
    for (heading, is_there) in [("log", true), ("##tasks", true), ("## Tasks", false), ("New", false)] {
        assert_eq!(has_heading(text, heading), is_there, "{heading}");
    }
}

#[test]
#[rustfmt::skip] // one case a line
fn trailing_footnotes_stay_below_the_last_section() {
    let log = Some("Log");
    check_append("## Log\n- x[^1]\n\n[^1]: Note.\n    More.\n[^b]: Other.\n", "- y", log, "## Log\n- x[^1]\n- y\n\n[^1]: Note.\n    More.\n[^b]: Other.\n");
    check_append("## Log\n[^1]: Note.\n", "- y", log, "## Log\n- y\n\n[^1]: Note.\n");
    check_append("## Log\n- x\n    more\n", "- y", log, "## Log\n- x\n    more\n- y\n");
    check_append("## Log\n[^1]: Note.\n\nText\n", "- y", log, "## Log\n[^1]: Note.\n\nText\n- y\n");
    check_append("## Log\n[^1]: Note.\n## Next\n", "- y", log, "## Log\n[^1]: Note.\n- y\n## Next\n");
}

#[test]
fn checkbox_lines_exclude_code_and_comments() {
    let text = "---\n- [ ] matter\n---\n- [ ] a\r\n> 1. [x] b\n- c [ ]\n[ ] d\n```\n- [ ] e\n```\n\n%%\n- [ ] f\n%%\n\n\
        g %% h\n- [ ] i\n%%\n\n- [link](x.md)\n- j\n\t* [ ] k";
    let expected = [(4, "- [ ] a"), (5, "> 1. [x] b"), (20, "- [link](x.md)"), (22, "\t* [ ] k")];
    assert_eq!(checkbox_lines(text), expected);
    assert_eq!(
        (line_of(text, 4), line_of(text, 22), line_of(text, 23)),
        (Some("- [ ] a"), Some("\t* [ ] k"), None)
    );
    assert_eq!(checkbox_lines(""), []);
}
