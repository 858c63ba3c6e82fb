//! The headers of columns.

use nova_skill::figures::{currency_code, folded};

/// The indices of columns with these names, in the order of the names: first exact matches, then headers that
/// contain the words, such as `Amount (EUR)`.
pub fn named(header: &[String], names: &[&str]) -> Vec<usize> {
    let own: Vec<String> = header.iter().map(|name| words(name)).collect();
    let places = |fits: &dyn Fn(&str, &str) -> bool| -> Vec<usize> {
        let of = |name: &&str| (0..own.len()).filter(|at| fits(&own[*at], name)).collect::<Vec<_>>();
        names.iter().flat_map(of).collect()
    };
    let mut found = places(&|own, name| own == name);
    found.extend(places(&has_words));
    found
}

/// The currency in the header of an amount column, such as `Betrag (EUR)` or `Débit euros`.
pub fn currency_in(name: &str) -> Option<String> {
    let sign = [("€", "EUR"), ("£", "GBP")].into_iter().find(|(sign, _)| name.contains(sign));
    if let Some((_, code)) = sign {
        return Some(code.to_owned());
    }
    let parts = || name.split(|c: char| !c.is_alphanumeric());
    if parts().any(|word| matches!(folded(word).as_str(), "euro" | "euros")) {
        return Some("EUR".to_owned());
    }
    // Codes are in capitals: `all` and `try` are words.
    let is_code = |word: &&str| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    parts().filter(is_code).find_map(currency_code).map(str::to_owned)
}

/// Normalises a name: lower case, without accents, with single spaces between words.
pub fn words(name: &str) -> String {
    let mut parted = String::new();
    let mut before_is_lower = false;
    for c in name.trim().chars() {
        // Camel case such as `dateOp` is two words.
        if before_is_lower && c.is_uppercase() {
            parted.push(' ');
        }
        before_is_lower = c.is_lowercase();
        parted.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    folded(&parted).chars().flat_map(plain).collect()
}

/// The letter without its accent.
fn plain(c: char) -> impl Iterator<Item = char> {
    let plain = match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => "a",
        'ç' => "c",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ñ' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => "o",
        'ù' | 'ú' | 'û' | 'ü' => "u",
        'ß' => "ss",
        _ => "",
    };
    plain.chars().chain(plain.is_empty().then_some(c))
}

/// Whether `own` contains the words of `name` in sequence.
pub fn has_words(own: &str, name: &str) -> bool {
    format!(" {own} ").contains(&format!(" {name} "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_their_words() {
        for (name, expected) in [
            ("Auftraggeber / Begünstigter", "auftraggeber begunstigter"),
            ("Zahlungsempfänger*in", "zahlungsempfanger in"),
            ("dateOp", "date op"),
            ("Date de l'opération", "date de l operation"),
            ("F.Valor", "f valor"),
            ("  Betrag (EUR) ", "betrag eur"),
            ("IBAN/BBAN", "iban bban"),
        ] {
            assert_eq!(words(name), expected);
        }
    }

    #[test]
    fn currency_is_read_from_a_column_name() {
        for (name, currency) in [
            ("Betrag (EUR)", Some("EUR")),
            ("Betrag (€)", Some("EUR")),
            ("Débit euros", Some("EUR")),
            ("Montant(EUROS)", Some("EUR")),
            ("Amount, USD", Some("USD")),
            ("Amount (GBP)", Some("GBP")),
            ("Amount", None),
            ("Amount (all)", None),
            ("Amount (XQZ)", None),
        ] {
            assert_eq!(currency_in(name).as_deref(), currency, "{name}");
        }
    }
}
