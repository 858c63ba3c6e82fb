//! What banks call their columns.

use nova_skill::figures::{currency_code, folded};

/// Names of the column of the day, the likeliest first, as [`words`] gives them.
pub(super) const DATES: &[&str] = &[
    "date",
    "booking date",
    "transaction date",
    "posting date",
    "posted date",
    "post date",
    "completed date",
    "started date",
    "buchungstag",
    "buchungsdatum",
    "buchung",
    "datum",
    "date d operation",
    "date de l operation",
    "date operation",
    "date op",
    "date de comptabilisation",
    "fecha",
    "fecha operacion",
    "fecha de operacion",
    "fecha contable",
    "data",
    "data operazione",
    "boekdatum",
    "transactiedatum",
    "valutadatum",
    "wertstellung",
    "value date",
];
pub(super) const AMOUNTS: &[&str] = &[
    "amount",
    "betrag",
    "umsatz",
    "montant",
    "importe",
    "importo",
    "bedrag",
    "transaction amount",
    "value",
    "sum",
];
pub(super) const DEBITS: &[&str] = &[
    "debit",
    "paid out",
    "money out",
    "withdrawal",
    "withdrawals",
    "debit amount",
    "soll",
    "belastung",
    "lastschrift",
    "ausgabe",
    "ausgaben",
    "cargo",
    "cargos",
    "addebiti",
    "uscite",
];
pub(super) const CREDITS: &[&str] = &[
    "credit",
    "paid in",
    "money in",
    "deposit",
    "deposits",
    "credit amount",
    "haben",
    "gutschrift",
    "einnahme",
    "einnahmen",
    "abono",
    "abonos",
    "accrediti",
    "entrate",
];
pub(super) const PAYEES: &[&str] = &[
    "payee",
    "merchant",
    "counterparty",
    "counter party",
    "counterparty name",
    "partner name",
    "partner",
    "beneficiary",
    "name",
    "empfanger",
    "empfaenger",
    "begunstigter zahlungspflichtiger",
    "beguenstigter zahlungspflichtiger",
    "begunstigter",
    "beguenstigter",
    "zahlungsempfanger",
    "zahlungsempfaenger",
    "zahlungsempfanger in",
    "zahlungsbeteiligter",
    "name zahlungsbeteiligter",
    "auftraggeber empfanger",
    "auftraggeber empfaenger",
    "auftraggeber",
    "beneficiaire",
    "supplier found",
    "tiers",
    "beneficiario",
    "naam tegenpartij",
    "naam omschrijving",
    "tegenpartij",
    "description",
    "libelle",
    "concepto",
    "descrizione",
    "omschrijving",
    "label",
    "buchungstext",
    "details",
];
/// Where whom it came from has a column beside that of whom it was paid to.
pub(super) const PAYERS: &[&str] =
    &["payer", "zahlungspflichtige r", "zahlungspflichtiger", "auftraggeber", "donneur d ordre", "ordenante"];
pub(super) const MEMOS: &[&str] = &[
    "memo",
    "reference",
    "payment reference",
    "verwendungszweck",
    "purpose",
    "note",
    "notes",
    "message",
    "mededelingen",
    "communication",
    "detail de l ecriture",
    "observaciones",
    "movimiento",
    "description",
    "omschrijving",
    "libelle",
    "label",
    "details",
    "comment",
    "buchungstext",
    "type",
];
pub(super) const CURRENCIES: &[&str] =
    &["currency", "wahrung", "waehrung", "devise", "divisa", "munt", "valuta"];
pub(super) const CATEGORIES: &[&str] = &["category", "kategorie", "categorie", "categoria"];
pub(super) const IDS: &[&str] = &[
    "transaction id",
    "transaction number",
    "fitid",
    "transaktions id",
    "umsatz id",
    "transactiereferentie",
    "volgnr",
    "id",
];

/// Words of columns that hold amounts, but not the transaction's.
const OTHER_AMOUNTS: &[&str] = &[
    "balance",
    "saldo",
    "solde",
    "kontostand",
    "disponible",
    "original",
    "local",
    "foreign",
    "ursprungsbetrag",
    "fee",
    "gebuhr",
    "rate",
];
/// Words of columns that name an account and not whom it belongs to.
const ACCOUNTS: &[&str] =
    &["iban", "bic", "konto", "kontonummer", "account", "rekening", "compte", "cuenta", "sort", "id"];

/// Whether a column by its name holds some other amount or its currency.
pub(super) fn is_of_other_amount(name: &str) -> bool {
    let name = words(name);
    OTHER_AMOUNTS.iter().any(|word| name.contains(word))
}

pub(super) fn is_of_account(name: &str) -> bool {
    words(name).split(' ').any(|word| ACCOUNTS.contains(&word))
}

/// Whether a column by its name is one of two: `Debit amount` is not the amount of every row.
pub(super) fn is_of_one_side(name: &str) -> bool {
    let name = words(name);
    DEBITS.iter().chain(CREDITS).any(|side| has_words(&name, side))
}

/// The columns of these names, in the order of the names: first those called exactly so, then those whose
/// name contains the words, as `Amount (EUR)` does.
pub(super) fn named(header: &[String], names: &[&str]) -> Vec<usize> {
    let own: Vec<String> = header.iter().map(|name| words(name)).collect();
    let places = |fits: &dyn Fn(&str, &str) -> bool| -> Vec<usize> {
        let of = |name: &&str| (0..own.len()).filter(|at| fits(&own[*at], name)).collect::<Vec<_>>();
        names.iter().flat_map(of).collect()
    };
    let mut found = places(&|own, name| own == name);
    found.extend(places(&has_words));
    found
}

/// The currency that the name of a column of amounts has, as `Betrag (EUR)` and `Débit euros` do.
pub(super) fn currency_in(name: &str) -> Option<String> {
    let sign = [("€", "EUR"), ("£", "GBP")].into_iter().find(|(sign, _)| name.contains(sign));
    if let Some((_, code)) = sign {
        return Some(code.to_owned());
    }
    let parts = || name.split(|c: char| !c.is_alphanumeric());
    if parts().any(|word| matches!(folded(word).as_str(), "euro" | "euros")) {
        return Some("EUR".to_owned());
    }
    // A code is written in capitals: `all` and `try` are words.
    let is_code = |word: &&str| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    parts().filter(is_code).find_map(currency_code).map(str::to_owned)
}

/// The words of a name in lower case, without accents, one blank between them.
fn words(name: &str) -> String {
    let mut parted = String::new();
    let mut before_is_lower = false;
    for c in name.trim().chars() {
        // `dateOp` is two words.
        if before_is_lower && c.is_uppercase() {
            parted.push(' ');
        }
        before_is_lower = c.is_lowercase();
        parted.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    folded(&parted).chars().flat_map(plain).collect()
}

/// A letter without its accent.
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

fn has_words(own: &str, name: &str) -> bool {
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
