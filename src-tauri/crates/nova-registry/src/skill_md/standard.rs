//! A front matter as the standard's own validator reads it: split at the first two `---` wherever
//! they stand, then a YAML without types, tags, anchors, and collections in one line.
//!
//! Nova reads more than that, and by a parser that others keep. This reader is here for the verdict
//! alone, which has to be the validator's also where its parser differs from all others.

use super::Root;

mod grammar;
mod scan;

/// What it reads.
pub(super) struct Read<'a> {
    pub(super) front: &'a str,
    pub(super) root: Root,
    pub(super) body: &'a str,
}

/// What it refuses.
#[derive(Debug)]
pub(super) struct Refused {
    /// In the file, 1-based.
    pub(super) line: Option<u32>,
    /// What, then what to do.
    pub(super) why: String,
}

/// The text has line ends of one character.
pub(super) fn read(text: &str) -> Result<Read<'_>, Refused> {
    let split = text.strip_prefix("---").and_then(|rest| rest.split_once("---"));
    let (front, body) = split.ok_or_else(|| Refused {
        line: None,
        why: "It has no front matter. Put it between lines ---.".to_owned(),
    })?;
    if front.len() > super::MAX_FRONT_MATTER {
        return Err(Refused {
            line: None,
            why: "The front matter is larger than 64 KiB. Shorten it.".to_owned(),
        });
    }
    if let Some(at) = front.find(|c| !is_printable(c)) {
        let line = front[..at].matches('\n').count();
        return Err(Refused::on(
            line,
            "A control character is refused by the standard's validator. Take it out.",
        ));
    }
    Ok(Read { front, root: grammar::mapping(front)?, body: body.trim() })
}

impl Refused {
    /// The line is 0-based, as the reader counts.
    fn on(line: usize, why: &str) -> Self {
        Self { line: u32::try_from(line + 1).ok(), why: why.to_owned() }
    }

    fn of_comments(line: usize) -> Self {
        Self::on(
            line,
            "Above this line are more comments and empty lines than the standard's validator can place. Take some away.",
        )
    }
}

fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}
