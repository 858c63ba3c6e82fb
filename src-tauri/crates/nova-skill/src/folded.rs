use unicode_normalization::UnicodeNormalization;

/// A text in the form in which names are compared: composed (NFC), lower case, runs of white space
/// made one space, none at the ends.
///
/// ```
/// use nova_skill::folded;
/// assert_eq!(folded(" Zoe\u{308}  KLEIN"), folded("zoë klein"));
/// ```
pub fn folded(text: &str) -> String {
    let lower: String = text.nfc().flat_map(char::to_lowercase).nfc().collect();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}
