use std::fmt::Write as _;

/// The longest line that is printed, in octets, without its end (RFC 5545, 3.1).
const LINE: usize = 75;

/// One property: name, parameters, value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// In upper case, without the group of vCard.
    name: String,
    params: Vec<(String, Vec<String>)>,
    value: String,
    /// The lines it was read from, with folds and ends; `None` for a new one.
    raw: Option<Vec<u8>>,
}

impl Property {
    /// With a value as the format writes it: a text must be escaped already.
    pub fn new(name: &str, value: impl Into<String>) -> Self {
        Self { name: name.to_ascii_uppercase(), params: Vec::new(), value: value.into(), raw: None }
    }

    /// With a text, which is escaped.
    pub fn text(name: &str, text: &str) -> Self {
        Self::new(name, escape(text))
    }

    #[must_use]
    pub fn with(mut self, param: &str, value: &str) -> Self {
        self.params.push((param.to_ascii_uppercase(), vec![value.to_owned()]));
        self
    }

    /// Gives it another value, as the format writes it.
    pub fn set_value(&mut self, value: impl Into<String>) {
        self.value = value.into();
        self.raw = None;
    }

    /// Gives a parameter one value in place of those it has.
    pub fn set_param(&mut self, name: &str, value: &str) {
        let name = name.to_ascii_uppercase();
        match self.params.iter_mut().find(|(param, _)| param.eq_ignore_ascii_case(&name)) {
            Some((_, values)) => *values = vec![value.to_owned()],
            None => self.params.push((name, vec![value.to_owned()])),
        }
        self.raw = None;
    }

    /// From an unfolded line; `None` for a line without a name and a colon.
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

    /// The value as the format writes it, unfolded.
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
        // A value cannot end its own line and begin another property.
        line.push_str(&self.value.replace("\r\n", "\\n").replace(['\r', '\n'], "\\n"));
        fold(&line, newline, out);
    }
}

/// Up to the next delimiter, without quotes, and what follows.
fn param_value(text: &str) -> (String, &str) {
    if let Some(quoted) = text.strip_prefix('"')
        && let Some(end) = quoted.find('"')
    {
        let after = &quoted[end + 1..];
        // Whatever stands between the quote and the next delimiter belongs to no value.
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

/// A text as a value: backslash, comma, semicolon and line break are escaped, other control characters left out.
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

/// The text of a value.
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
