//! Exact replacements and appended text.

use super::super::{EditError, append, replace_exact};

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
fn a_text_is_replaced_as_often_as_was_said() {
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
    check("a b b", "b", None, EditError::Count { found: 2, expected: 1 });
    check("a b b", "c", None, EditError::Count { found: 0, expected: 1 });
    check("a b b", "b", Some(3), EditError::Count { found: 2, expected: 3 });
    check("a", "a", Some(0), EditError::Count { found: 1, expected: 0 });
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
fn text_is_appended_at_the_end() {
    check_append("a\n", "b", None, "a\nb\n");
    check_append("a\n", "b\nc\n", None, "a\nb\nc\n");
    check_append("a\nb", "c", None, "a\nb\nc");
    check_append("a\n\n\n", "b", None, "a\n\n\nb\n");
    check_append("", "b", None, "b\n");
    check_append("---\na: 1\n---", "b", None, "---\na: 1\n---\nb");
}

#[test]
#[rustfmt::skip] // one case a line
fn text_is_appended_to_a_section() {
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
