//! A front matter as the standard's own validator reads it: split at the first two `---` wherever
//! they stand, then a YAML without types, tags, anchors, and collections in one line.

use serde_json::Value;
use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};

use super::Root;
use crate::finding::short;

/// What it reads.
pub(super) struct Read<'a> {
    pub(super) front: &'a str,
    pub(super) root: Root,
    pub(super) body: &'a str,
}

/// What it refuses.
#[derive(Debug)]
pub(super) struct Refused {
    /// In the front matter, 1-based.
    pub(super) line: Option<u32>,
    /// What, then what to do.
    pub(super) why: String,
}

/// The text has line ends of one character.
pub(super) fn read(text: &str) -> Result<Read<'_>, Refused> {
    let split = text.strip_prefix("---").and_then(|rest| rest.split_once("---"));
    let (front, body) =
        split.ok_or_else(|| Refused::new(None, "It has no front matter. Put it between lines ---."))?;
    if front.len() > super::MAX_FRONT_MATTER {
        return Err(Refused::new(None, "The front matter is larger than 64 KiB. Shorten it."));
    }
    if let Some(at) = front.find(|c| !is_printable(c)) {
        let line = u32::try_from(front[..at].matches('\n').count() + 1).ok();
        return Err(Refused::new(
            line,
            "A control character is refused by the standard's validator. Take it out.",
        ));
    }
    let first =
        front.lines().map(str::trim_end).find(|line| !line.is_empty() && !line.trim_start().starts_with('#'));
    if first.is_some_and(|line| line == "..." || line.starts_with("... ")) {
        return Err(Refused::new(None, "The front matter begins with its end (...). Take that line away."));
    }
    // A byte order mark is a character like any other to it. One that is as long stands in.
    let text = front.replace('\u{feff}', STAND_IN);
    let document = Document::of(&text)?;
    document.tabs(front)?;
    let mut events = document.events.into_iter();
    match node(&mut events)? {
        Value::Object(root) => Ok(Read { front, root, body: body.trim() }),
        _ => Err(Refused::new(None, "The front matter is not a list of keys with values. Write it as one.")),
    }
}

impl Refused {
    fn new(line: Option<u32>, why: &str) -> Self {
        Self { line, why: why.to_owned() }
    }

    fn at(span: &Span, why: &str) -> Self {
        Self::new(u32::try_from(span.start.line()).ok(), why)
    }
}

fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}

/// For a byte order mark.
const STAND_IN: &str = "\u{e000}";

type Events<'a> = std::vec::IntoIter<(Event<'a>, Span)>;

/// What a text says, without what only stands around it.
struct Document<'a> {
    events: Vec<(Event<'a>, Span)>,
    /// Where a tab is a character like any other, in bytes, and whether the text there is quoted.
    free: Vec<(std::ops::Range<usize>, bool)>,
}

impl<'a> Document<'a> {
    fn of(front: &'a str) -> Result<Self, Refused> {
        let (mut events, mut free, mut documents) = (Vec::new(), Vec::new(), 0);
        for next in Parser::new_from_str(front) {
            let (event, span) = next.map_err(|error| {
                let line = u32::try_from(error.marker().line()).ok();
                let why = format!("It is no valid YAML ({}). Correct it.", short(&error.to_string()));
                Refused { line, why }
            })?;
            refuse(&event, &span)?;
            match &event {
                Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
                Event::DocumentStart(..) => documents += 1,
                Event::Comment(..) => free.extend(span.byte_range().map(|range| (range, false))),
                Event::Scalar(_, style, ..) => {
                    if *style != ScalarStyle::Plain {
                        free.extend(span.byte_range().map(|range| (range, true)));
                    }
                    events.push((event, span));
                }
                _ => events.push((event, span)),
            }
        }
        if documents > 1 {
            return Err(Refused::new(
                None,
                "There is more than one document in the front matter. Take ... away.",
            ));
        }
        Ok(Self { events, free })
    }

    /// A tab stands in quotation marks, in a block of text or in a comment, or on an empty line that
    /// belongs to no value.
    fn tabs(&self, front: &str) -> Result<(), Refused> {
        for (at, _) in front.match_indices('\t') {
            let is_free = self.free.iter().any(|(range, _)| range.contains(&at));
            if is_free || self.is_between(front, at) {
                continue;
            }
            let line = u32::try_from(front[..at].matches('\n').count() + 1).ok();
            let why =
                "A tab outside of quotation marks is refused by the standard's validator. Write a space.";
            return Err(Refused::new(line, why));
        }
        Ok(())
    }

    fn is_between(&self, front: &str, at: usize) -> bool {
        let begin = front[..at].rfind('\n').map_or(0, |at| at + 1);
        let end = front[at..].find('\n').map_or(front.len(), |length| at + length);
        let before = front[..begin].trim_end_matches([' ', '\t', '\n']);
        let breaks = front[before.len()..begin].matches('\n').count();
        let after_value = !before.is_empty()
            && !self.free.iter().any(|(range, quoted)| *quoted && range.end == before.len());
        front[begin..end].trim().is_empty() && breaks > 1 && !after_value
    }
}

/// What the validator has no room for.
fn refuse(event: &Event<'_>, span: &Span) -> Result<(), Refused> {
    let (anchor, tag, flow) = match event {
        Event::Scalar(_, _, anchor, tag) => (*anchor > 0, tag.is_some(), false),
        Event::SequenceStart(style, anchor, tag) | Event::MappingStart(style, anchor, tag) => {
            (*anchor > 0, tag.is_some(), *style == StructureStyle::Flow)
        }
        Event::Alias(_) | Event::UnresolvedAlias(_) => (true, false, false),
        _ => return Ok(()),
    };
    let what = if tag {
        "Tags"
    } else if anchor {
        "Anchors and aliases"
    } else if flow {
        "Lists and mappings in one line ([..], {..})"
    } else {
        return Ok(());
    };
    Err(Refused::at(span, &format!("{what} are refused by the standard's validator. Write the value out.")))
}

/// Every scalar is the text that it is written as.
fn node(events: &mut Events<'_>) -> Result<Value, Refused> {
    match events.next() {
        Some((Event::Scalar(text, style, ..), span)) => Ok(scalar(&text, style, &span)),
        Some((Event::SequenceStart(..), _)) => {
            let mut items = Vec::new();
            while !matches!(events.as_slice().first(), Some((Event::SequenceEnd, _)) | None) {
                items.push(node(events)?);
            }
            events.next();
            Ok(Value::Array(items))
        }
        Some((Event::MappingStart(..), _)) => mapping(events),
        _ => Ok(Value::Null),
    }
}

/// Two signs that YAML once gave a meaning to stand for nothing.
fn scalar(text: &str, style: ScalarStyle, span: &Span) -> Value {
    let is_nothing = style == ScalarStyle::Plain && (span.is_empty() || ["<<", "="].contains(&text));
    Value::from(if is_nothing { String::new() } else { text.replace(STAND_IN, "\u{feff}") })
}

fn mapping(events: &mut Events<'_>) -> Result<Value, Refused> {
    let (mut map, mut merged, mut indent) = (Root::new(), None, None);
    loop {
        let (key, style, at) = match events.next() {
            Some((Event::Scalar(key, style, ..), span)) => (key, style, span),
            Some((Event::SequenceStart(..) | Event::MappingStart(..), span)) => {
                return Err(Refused::at(&span, "A key is not a text. Write it as one."));
            }
            _ => break,
        };
        let is_merge = style == ScalarStyle::Plain && key == "<<";
        if let Some((Event::MappingStart(..), span)) = events.as_slice().first()
            && !is_merge
        {
            let column = span.start.col();
            if *indent.get_or_insert(column) != column {
                let why = "The standard's validator wants mappings beside each other indented alike. Indent them so.";
                return Err(Refused::at(span, why));
            }
        }
        let value = node(events)?;
        if is_merge {
            let Value::Object(from) = value else {
                return Err(Refused::at(&at, "<< has no mapping below it. Write the keys out."));
            };
            if merged.replace(from).is_some() {
                return Err(Refused::at(&at, "There are two keys <<. Write the keys out."));
            }
        } else if map.insert(key.replace(STAND_IN, "\u{feff}"), value).is_some() {
            return Err(Refused::at(&at, &format!("The key {} is there twice. Take one away.", short(&key))));
        }
    }
    for (key, value) in merged.into_iter().flatten() {
        map.entry(key).or_insert(value);
    }
    Ok(Value::Object(map))
}
