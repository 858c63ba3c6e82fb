use unicode_normalization::UnicodeNormalization;

/// A text in the form in which names are compared: composed (NFC), lower case, runs of white space
/// made one space, none at the ends.
///
/// ```
/// use nova_figures::folded;
/// assert_eq!(folded(" Zoe\u{308}  KLEIN"), folded("zoë klein"));
/// ```
pub fn folded(text: &str) -> String {
    let lower: String = text.nfc().flat_map(char::to_lowercase).nfc().collect();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The similarity of two names in percent: twice the letter pairs they share over all their pairs (the
/// Sørensen–Dice coefficient).
///
/// ```
/// use nova_figures::similarity;
/// assert_eq!(similarity("night", "Nacht"), 25);
/// ```
pub fn similarity(a: &str, b: &str) -> usize {
    // From 0 to 100, so that the conversion cuts nothing off.
    (strsim::sorensen_dice(&folded(a), &folded(b)) * 100.0).round() as usize
}
