use super::{Calendar, Component, Entry, Newline, Property};

/// Size limits of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub bytes: usize,
    /// Nesting depth of components.
    pub depth: usize,
    pub components: usize,
}

impl Default for Limits {
    /// 20 MiB, 8 levels, 100,000 components: several times what calendar programs export.
    fn default() -> Self {
        Self { bytes: 20 << 20, depth: 8, components: 100_000 }
    }
}

/// Why a file is not a valid calendar. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IcalError {
    #[error("it has {bytes} bytes, and at most {limit} are read")]
    TooLarge { bytes: usize, limit: usize },
    #[error("it is not an iCalendar file: it begins with \"{begins}\" and not with BEGIN:VCALENDAR")]
    NoCalendar { begins: String },
    #[error("line {line}: components are nested more than {limit} deep")]
    TooDeep { line: usize, limit: usize },
    #[error("line {line}: it has more than {limit} components")]
    TooMany { line: usize, limit: usize },
    #[error("line {line}: END:{name} closes no component")]
    Unopened { line: usize, name: String },
    #[error("line {line}: BEGIN:{name} is never closed; the file is truncated")]
    Unclosed { line: usize, name: String },
}

/// A component whose `END` is still missing, and the line of its `BEGIN`.
struct Open {
    component: Component,
    line: usize,
}

pub(super) fn parse(bytes: &[u8], limits: &Limits) -> Result<Calendar, IcalError> {
    if bytes.len() > limits.bytes {
        return Err(IcalError::TooLarge { bytes: bytes.len(), limit: limits.bytes });
    }
    let mut calendar = Calendar { entries: Vec::new(), newline: newline_of(bytes) };
    let mut open: Vec<Open> = Vec::new();
    let mut count = 0;
    for Line { number, raw, text } in lines(bytes) {
        let property = Property::read(&text, raw.to_vec());
        let outermost = open.is_empty();
        match property {
            Some(property) if property.is("BEGIN") => {
                let name = property.value().trim().to_ascii_uppercase();
                if outermost && name != "VCALENDAR" {
                    return Err(IcalError::NoCalendar { begins: beginning(&text) });
                }
                count += 1;
                if open.len() >= limits.depth {
                    return Err(IcalError::TooDeep { line: number, limit: limits.depth });
                }
                if count > limits.components {
                    return Err(IcalError::TooMany { line: number, limit: limits.components });
                }
                let component = Component { name, entries: Vec::new(), begin: raw.to_vec(), end: Vec::new() };
                open.push(Open { component, line: number });
            }
            Some(property) if property.is("END") => {
                let name = property.value().trim().to_ascii_uppercase();
                let Some(Open { mut component, .. }) =
                    open.pop_if(|innermost| innermost.component.name == name)
                else {
                    return Err(IcalError::Unopened { line: number, name });
                };
                component.end = raw.to_vec();
                entries(&mut calendar, &mut open).push(Entry::Component(component));
            }
            Some(property) if !outermost => {
                entries(&mut calendar, &mut open).push(Entry::Property(property));
            }
            None if !outermost || text.trim().is_empty() || text.trim() == "\u{feff}" => {
                entries(&mut calendar, &mut open).push(Entry::Other(raw.to_vec()));
            }
            Some(_) | None => return Err(IcalError::NoCalendar { begins: beginning(&text) }),
        }
    }
    if let Some(Open { component, line }) = open.pop() {
        return Err(IcalError::Unclosed { line, name: component.name });
    }
    if calendar.calendars().next().is_none() {
        return Err(IcalError::NoCalendar { begins: String::new() });
    }
    Ok(calendar)
}

fn entries<'a>(calendar: &'a mut Calendar, open: &'a mut [Open]) -> &'a mut Vec<Entry> {
    match open.last_mut() {
        Some(innermost) => &mut innermost.component.entries,
        None => &mut calendar.entries,
    }
}

/// A logical line: number, bytes with folds and endings, unfolded text.
struct Line<'a> {
    number: usize,
    raw: &'a [u8],
    text: String,
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut at = 0;
    let mut number = 1;
    std::iter::from_fn(move || {
        if at >= bytes.len() {
            return None;
        }
        let (start, first) = (at, number);
        // Unfolded as bytes, because some programs fold within a multi-byte character.
        let mut unfolded = Vec::new();
        loop {
            let end =
                bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end + 1);
            let physical = bytes[at..end].strip_suffix(b"\n").unwrap_or(&bytes[at..end]);
            let physical = physical.strip_suffix(b"\r").unwrap_or(physical);
            unfolded.extend_from_slice(if at == start { physical } else { &physical[1..] });
            at = end;
            number += 1;
            if !matches!(bytes.get(at), Some(b' ' | b'\t')) {
                break;
            }
        }
        // Invalid UTF-8 is shown as U+FFFD; the original bytes are retained.
        let text = match String::from_utf8(unfolded) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        let text = if start == 0 { text.trim_start_matches('\u{feff}').to_owned() } else { text };
        Some(Line { number: first, raw: &bytes[start..at], text })
    })
}

fn newline_of(bytes: &[u8]) -> Newline {
    match bytes.iter().position(|byte| *byte == b'\n') {
        Some(end) if end == 0 || bytes[end - 1] != b'\r' => Newline::Lf,
        _ => Newline::CrLf,
    }
}

fn beginning(text: &str) -> String {
    text.trim().chars().filter(|letter| !letter.is_control()).take(40).collect()
}
