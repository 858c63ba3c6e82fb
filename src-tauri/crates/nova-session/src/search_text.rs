//! What was said, as it is compared in a search.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

pub(crate) fn fold(c: char, take: &mut impl FnMut(char)) {
    // Beyond the alphabets that write accents, what looks like one makes another letter.
    if c.is_control() {
        return take(' ');
    }
    if c.is_ascii() || c > '\u{1fff}' {
        return c.to_lowercase().for_each(take);
    }
    for part in std::iter::once(c).nfd().filter(|part| !is_combining_mark(*part)) {
        for letter in part.to_lowercase() {
            // The same letter at the end of a word.
            take(if letter == 'ς' { 'σ' } else { letter });
        }
    }
}

/// What was said, as it is searched.
pub(crate) fn searchable(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    text.nfc().for_each(|c| fold(c, &mut |letter| letters.push(letter)));
    letters
}
