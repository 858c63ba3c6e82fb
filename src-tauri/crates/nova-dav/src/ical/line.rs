use std::fmt::Write as _;

/// Maximum line length when printing, in octets without the line ending (RFC 5545, 3.1).
const LINE: usize = 75;

/// One property: name, parameters, value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Property {
    /// In upper case, without the group prefix of vCard.
    name: String,
    params: Vec<(String, Vec<String>)>,
    value: String,
    /// The original lines with folds and endings; `None` for a new property.
    raw: Option<Vec<u8>>,
}

impl Property {
    /// With a raw value: text must already be escaped.
    pub fn new(name: &str, value: impl Into<String>) -> Self {
        Self { name: name.to_ascii_uppercase(), params: Vec::new(), value: value.into(), raw: None }
    }

    /// With a text value, which is escaped.
    pub fn text(name: &str, text: &str) -> Self {
        Self::new(name, escape(text))
    }

    #[must_use]
    pub fn with(mut self, param: &str, value: &str) -> Self {
        self.params.push((param.to_ascii_uppercase(), vec![value.to_owned()]));
        self
    }

    /// Replaces the raw value.
    pub fn set_value(&mut self, value: impl Into<String>) {
        self.value = value.into();
        self.raw = None;
    }

    /// Replaces all values of a parameter.
    pub fn set_param(&mut self, name: &str, value: &str) {
        let name = name.to_ascii_uppercase();
        match self.params.iter_mut().find(|(param, _)| param.eq_ignore_ascii_case(&name)) {
            Some((_, values)) => *values = vec![value.to_owned()],
            None => self.params.push((name, vec![value.to_owned()])),
        }
        self.raw = None;
    }

    /// Parses an unfolded line; `None` without a name and a colon.
    pub(super) fn read(line: &str, raw: Vec<u8>) -> Option<Self> {
        let name_end = line.find([';', ':'])?;
        let name = line[..name_end].rsplit('.').next()?.trim();
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        {
            return None;
        }
        let mut params = Vec::new();
        let mut rest = &line[name_end..];
        while let Some(after) = rest.strip_prefix(';') {
            let equals = after.find(['=', ';', ':'])?;
            let param = after[..equals].trim().to_ascii_uppercase();
            rest = &after[equals..];
            let mut values = Vec::new();
            while let Some(after) = rest.strip_prefix(['=', ',']) {
                let (value, left) = param_value(after);
                values.push(value);
                rest = left;
            }
            params.push((param, values));
        }
        let value = rest.strip_prefix(':')?.to_owned();
        Some(Self { name: name.to_ascii_uppercase(), params, value, raw: Some(raw) })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The raw unfolded value.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The first value of a parameter.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params
            .iter()
            .find(|(param, _)| param.eq_ignore_ascii_case(name))
            .and_then(|(_, values)| values.first())
            .map(String::as_str)
    }

    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.name == other.name && self.params == other.params && self.value == other.value
    }

    pub(super) fn print(&self, newline: &str, out: &mut Vec<u8>) {
        if !out.is_empty() && out.last() != Some(&b'\n') {
            out.extend_from_slice(newline.as_bytes());
        }
        if let Some(raw) = &self.raw {
            out.extend_from_slice(raw);
            return;
        }
        let mut line = self.name.clone();
        for (name, values) in &self.params {
            let _ = write!(line, ";{name}=");
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    line.push(',');
                }
                line.push_str(&written_param(value));
            }
        }
        line.push(':');
        // Prevents injection of further properties.
        line.push_str(&self.value.replace("\r\n", "\\n").replace(['\r', '\n'], "\\n"));
        fold(&line, newline, out);
    }
}

/// Splits off a parameter value, without quotes, at the next delimiter.
fn param_value(text: &str) -> (String, &str) {
    if let Some(quoted) = text.strip_prefix('"')
        && let Some(end) = quoted.find('"')
    {
        let after = &quoted[end + 1..];
        // Anything between the closing quote and the delimiter is ignored.
        let next = after.find([',', ';', ':']).unwrap_or(after.len());
        return (decoded_param(&quoted[..end]), &after[next..]);
    }
    let end = text.find([',', ';', ':']).unwrap_or(text.len());
    (decoded_param(&text[..end]), &text[end..])
}

/// RFC 6868: `^n`, `^'` and `^^`.
fn decoded_param(text: &str) -> String {
    text.replace("^^", "\0").replace("^n", "\n").replace("^'", "\"").replace('\0', "^")
}

fn written_param(value: &str) -> String {
    let text = value.replace('^', "^^").replace("\r\n", "^n").replace(['\r', '\n'], "^n").replace('"', "^'");
    if text.contains([',', ';', ':', ' ']) { format!("\"{text}\"") } else { text }
}

fn fold(line: &str, newline: &str, out: &mut Vec<u8>) {
    let mut room = LINE;
    for letter in line.chars() {
        if letter.len_utf8() > room {
            out.extend_from_slice(newline.as_bytes());
            out.push(b' ');
            room = LINE - 1;
        }
        room -= letter.len_utf8();
        out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
    out.extend_from_slice(newline.as_bytes());
}

/// Escapes a text value: backslash, comma, semicolon and line breaks; other control characters are removed.
pub fn escape(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    for letter in text.replace("\r\n", "\n").chars() {
        match letter {
            '\\' | ',' | ';' => value.extend(['\\', letter]),
            '\n' | '\r' => value.push_str("\\n"),
            '\t' => value.push('\t'),
            letter if letter.is_control() => {}
            letter => value.push(letter),
        }
    }
    value
}

/// Unescapes a text value.
pub fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        match letters.next() {
            Some('n' | 'N') => text.push('\n'),
            Some(escaped) => text.push(escaped),
            None => text.push('\\'),
        }
    }
    text
}
