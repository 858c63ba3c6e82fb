//! Finds the position that a file names by ISIN or name.

use std::collections::{HashMap, HashSet};

use nova_skill::figures::folded;

use crate::books::{Books, PositionNote};

/// The user's positions by ISIN and by name.
pub(super) struct Securities<'a> {
    pub(super) by_isin: HashMap<String, &'a str>,
    /// Without names that several positions have.
    pub(super) by_name: HashMap<String, &'a str>,
}

impl<'a> Securities<'a> {
    pub(super) fn of(books: &'a Books) -> Self {
        let mut by_name: HashMap<String, &str> = HashMap::new();
        let mut several = HashSet::new();
        for position in &books.positions {
            let Some(name) = &position.name else { continue };
            if by_name.insert(folded(name), &position.symbol).is_some_and(|before| before != position.symbol)
            {
                several.insert(folded(name));
            }
        }
        by_name.retain(|name, _| !several.contains(name));
        let isin =
            |position: &'a PositionNote| Some((folded(position.isin.as_deref()?), position.symbol.as_str()));
        Self { by_isin: books.positions.iter().filter_map(isin).collect(), by_name }
    }
}

/// Two letters of a country, nine letters or digits, and a digit (ISO 6166).
pub(super) fn is_isin(text: &str) -> bool {
    let text = text.as_bytes();
    text.len() == 12
        && text[..2].iter().all(u8::is_ascii_alphabetic)
        && text.iter().all(u8::is_ascii_alphanumeric)
        && text[11].is_ascii_digit()
}
