use unicode_normalization::UnicodeNormalization;

/// Normalises a name for comparison: NFC, lower case, trimmed, runs of white space collapsed to one space.
///
/// ```
/// use nova_figures::folded;
/// assert_eq!(folded(" Zoe\u{308}  KLEIN"), folded("zoë klein"));
/// ```
pub fn folded(text: &str) -> String {
    let lower: String = text.nfc().flat_map(char::to_lowercase).nfc().collect();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The Sørensen–Dice similarity of two names in percent: twice the number of shared bigrams over the total
/// number of bigrams.
///
/// ```
/// use nova_figures::similarity;
/// assert_eq!(similarity("night", "Nacht"), 25);
/// ```
pub fn similarity(a: &str, b: &str) -> usize {
    // In the range 0 to 100, so the cast loses nothing.
    (strsim::sorensen_dice(&folded(a), &folded(b)) * 100.0).round() as usize
}
