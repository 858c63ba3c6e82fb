//! Texts and names prepared for matching names in texts: folded, with a marker at every word boundary.

use crate::note::folded;

/// Word boundary; not a byte of any UTF-8 text.
const MARK: u8 = 0xff;

/// A text to be searched.
pub(super) struct Marked {
    pub(super) bytes: Vec<u8>,
    /// Positions of the markers in `bytes` and in the original text.
    marks: Vec<(usize, usize)>,
}

impl Marked {
    pub(super) fn of(text: &str) -> Marked {
        let mut marked = Marked {
            bytes: Vec::with_capacity(text.len() + text.len() / 2),
            marks: Vec::with_capacity(text.len() / 4),
        };
        let (mut before_last, mut last) = (None, None);
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let at = text.len() - rest.len();
            let length = composed(rest);
            if !is_within_word(before_last, last, first, rest[length..].chars().next()) {
                marked.marks.push((marked.bytes.len(), at));
                marked.bytes.push(MARK);
            }
            if first.is_ascii() && length == 1 {
                marked.bytes.push(text.as_bytes()[at].to_ascii_lowercase());
            } else {
                marked.bytes.extend_from_slice(folded(&rest[..length]).as_bytes());
            }
            (before_last, last) = (last, Some(first));
            rest = &rest[length..];
        }
        marked.marks.push((marked.bytes.len(), text.len()));
        marked.bytes.push(MARK);
        marked
    }

    /// The range of the original text for a range of `bytes` between two markers.
    pub(super) fn span(&self, from: usize, to: usize) -> Option<std::ops::Range<usize>> {
        let place = |mark: usize| {
            let at = self.marks.binary_search_by_key(&mark, |(at, _)| *at).ok()?;
            Some(self.marks[at].1)
        };
        Some(place(from)?..place(to.checked_sub(1)?)?)
    }
}

/// Length in bytes of the first character, combining marks included.
fn composed(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    chars.find(|(_, c)| c.is_ascii() || !continues(*c)).map_or(text.len(), |(at, _)| at)
}

/// Whether it combines with the character before it: an accent, a vowel or final of a Hangul syllable.
fn continues(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c) || matches!(c, '\u{1160}'..='\u{11ff}')
}

/// Whether there is no word boundary between `last` and `first`. A joining character (`Anne-Marie`,
/// `report.pdf`, `a/b`) joins only between letters or digits. `'s` does not belong to the word before it.
fn is_within_word(before: Option<char>, last: Option<char>, first: char, then: Option<char>) -> bool {
    let Some(last) = last else { return false };
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match (last.is_alphanumeric(), first.is_alphanumeric()) {
        (true, true) => !has_no_spaces(last) && !has_no_spaces(first),
        (true, false) => joins(first) && !matches!(first, '\'' | '’') && is_word(then),
        (false, true) => joins(last) && is_word(before),
        (false, false) => false,
    }
}

fn joins(c: char) -> bool {
    matches!(c, '-' | '_' | '.' | '/' | '\\' | '@' | '\'' | '’' | '&' | '+' | '\u{2010}' | '\u{2011}')
}

/// Whether its script has no spaces between words.
pub(super) fn has_no_spaces(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}
