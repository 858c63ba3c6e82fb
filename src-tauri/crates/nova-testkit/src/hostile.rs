/// Markdown that tries to execute code, to load something from `host` or to navigate away; executed code
/// calls `hit`. Grouped by kind: elements, attributes, addresses, and Markdown's own constructs.
///
/// One line of `hostile/texts.txt` is one text; `\n`, `\t`, `\\`, `\"` and `\uXXXX` are escapes.
pub fn hostile_texts(host: &str) -> Vec<String> {
    let lines = include_str!("hostile/texts.txt").lines();
    lines.map(|line| unescape(line).replace("HOST", host)).collect()
}

fn unescape(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('u') => {
                let digits: String = rest.by_ref().take(4).collect();
                text.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
            }
            Some(c @ ('\\' | '"')) => text.push(c),
            // Backslashes of TeX are kept.
            Some(c) => text.extend(['\\', c]),
            None => text.push('\\'),
        }
    }
    text
}
