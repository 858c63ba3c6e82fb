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

/// How much two names are alike: twice the letter pairs they share, in per cent of all their
/// pairs (the Sørensen–Dice coefficient).
///
/// ```
/// use nova_skill::likeness;
/// assert_eq!(likeness("night", "Nacht"), 25);
/// ```
pub fn likeness(a: &str, b: &str) -> usize {
    let pairs = |text: &str| -> Vec<(char, char)> {
        let chars: Vec<char> = folded(text).chars().collect();
        chars.windows(2).map(|pair| (pair[0], pair[1])).collect()
    };
    let (a, mut b) = (pairs(a), pairs(b));
    let all = a.len() + b.len();
    let shared = a
        .iter()
        .filter(|pair| {
            let at = b.iter().position(|other| other == *pair);
            at.map(|at| b.swap_remove(at)).is_some()
        })
        .count();
    (200 * shared).checked_div(all).unwrap_or(0)
}
