//! Normalises text for searches.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

pub(crate) fn fold(c: char, take: &mut impl FnMut(char)) {
    // Beyond alphabets with accents, combining marks distinguish letters.
    if c.is_control() {
        return take(' ');
    }
    if c.is_ascii() || c > '\u{1fff}' {
        return c.to_lowercase().for_each(take);
    }
    for part in std::iter::once(c).nfd().filter(|part| !is_combining_mark(*part)) {
        for letter in part.to_lowercase() {
            // The form of the same letter at the end of a word.
            take(if letter == 'ς' { 'σ' } else { letter });
        }
    }
}

/// Normalises a message for the search.
pub(crate) fn searchable(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    text.nfc().for_each(|c| fold(c, &mut |letter| letters.push(letter)));
    letters
}
