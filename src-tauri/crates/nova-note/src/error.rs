//! Why an edit was refused, and what to do about it.

/// An edit that was refused. The text is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The front matter cannot be read, so no property can be changed safely.
    #[error(
        "the front matter cannot be read, line {line}: {reason}; correct that line in the note, then try again"
    )]
    Broken {
        /// The line in the file, 1-based.
        line: u32,
        /// What is wrong there.
        reason: String,
    },
    /// The edit would have changed something else in the note, too.
    #[error(
        "the property `{key}` cannot be changed without changing something else in the note; open the note and edit it by hand"
    )]
    Refused {
        /// The property.
        key: String,
    },
    /// Not a valid property name.
    #[error("`{key}` cannot be a property's name; use a name on one line, at most 200 characters")]
    BadKey {
        /// The name.
        key: String,
    },
    /// The text to replace does not occur as often as stated.
    #[error("the text to replace was found {found} times, not {expected}; {}", remedy(*.found, *.nearly))]
    Count {
        /// How often it is in the note.
        found: usize,
        /// How often it should have been.
        expected: usize,
        /// If it does not occur: the line, 1-based, of the only match that ignores whitespace, case and
        /// variants of quotes and dashes.
        nearly: Option<u32>,
    },
    /// The line differs from what the caller read.
    #[error("line {line} of the note is not what was read; read the note again")]
    Line {
        /// The line in the file, 1-based.
        line: u32,
    },
    /// A base has no front matter and no sections.
    #[error("a base has neither properties nor sections; replace text in it instead")]
    Base,
    /// The replacement would have left invalid YAML in a base.
    #[error("the replacement would break the base, line {line}: {reason}; write it so that it stays YAML")]
    WouldBreakBase {
        /// The line in the file, 1-based.
        line: u32,
        /// What would be wrong there.
        reason: String,
    },
    /// The text to replace is empty.
    #[error("the text to replace is empty; give the exact text that is in the note")]
    NothingToFind,
    /// The replacement would have left unreadable front matter.
    #[error(
        "the replacement would break the front matter, line {line}: {reason}; change properties by name instead"
    )]
    WouldBreak {
        /// The line in the file, 1-based.
        line: u32,
        /// What would be wrong there.
        reason: String,
    },
}

fn remedy(found: usize, nearly: Option<u32>) -> String {
    match (found, nearly) {
        (0, Some(line)) => format!(
            "line {line} has it with other blanks, quotes, dashes or case; read the note again and give the text \
             exactly as it stands there"
        ),
        (0, None) => "read the note again and give the text exactly as it stands there".to_owned(),
        _ => "give more of the text around it, or the count".to_owned(),
    }
}
