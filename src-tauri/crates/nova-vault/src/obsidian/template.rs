//! Templates, filled in as by Obsidian's core plugin.

use jiff::Zoned;

use super::moment::{MAX_FORMAT_BYTES, MomentFormat};

/// Values for the variables of a template.
#[derive(Debug, Clone)]
pub struct TemplateValues<'a> {
    /// `{{title}}`: the new note's name.
    pub title: &'a str,
    /// The moment for `{{date}}` and `{{time}}`.
    pub at: &'a Zoned,
    /// Format of `{{date}}` if it has none itself.
    pub date_format: &'a str,
    /// Format of `{{time}}` if it has none itself.
    pub time_format: &'a str,
}

/// Fills in `{{title}}`, `{{date}}`, `{{time}}`, `{{date:FORMAT}}` and `{{time:FORMAT}}`; every other byte
/// is unchanged. Other template syntax, such as the plugin Templater's, stays as text.
///
/// Source: <https://help.obsidian.md/plugins/templates>, "Template variables".
pub fn fill_template(template: &str, values: &TemplateValues<'_>) -> String {
    let mut out = String::with_capacity(template.len());
    for line in template.split_inclusive('\n') {
        fill_line(line, values, &mut out);
    }
    out
}

fn fill_line(line: &str, values: &TemplateValues<'_>, out: &mut String) {
    // No variable can follow the last `}}`, so nothing is scanned twice.
    let last = line.rfind("}}").unwrap_or(0);
    let mut at = 0;
    while let Some(found) = line[at..last.max(at)].find("{{") {
        let start = at + found;
        out.push_str(&line[at..start]);
        match variable(&line[start + 2..], values) {
            Some((text, length)) => {
                out.push_str(&text);
                at = start + 2 + length;
            }
            None => {
                out.push('{');
                at = start + 1;
            }
        }
    }
    out.push_str(&line[at..]);
}

/// The value of the variable whose name begins here, and its length including the `}}`.
fn variable(text: &str, values: &TemplateValues<'_>) -> Option<(String, usize)> {
    let named = |name: &str| text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    if named("title}}") {
        return Some((values.title.to_owned(), "title}}".len()));
    }
    let default = match () {
        () if named("date") => values.date_format,
        () if named("time") => values.time_format,
        () => return None,
    };
    let rest = &text["date".len()..];
    let (format, length) = match rest.strip_prefix(':') {
        None if rest.starts_with("}}") => (default, 0),
        None => return None,
        Some(format) => match format
            .bytes()
            .take(MAX_FORMAT_BYTES)
            .zip(format.bytes().skip(1))
            .position(|two| two == (b'}', b'}'))?
        {
            0 => (default, 1),
            end => (&format[..end], end + 1),
        },
    };
    Some((MomentFormat::parse(format).text(values.at), "date".len() + length + "}}".len()))
}
