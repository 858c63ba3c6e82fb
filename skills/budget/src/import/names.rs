//! The names that banks give their columns.

use nova_skill::figures::folded;
use nova_statement::{has_words, words};

/// The names of date columns, most likely first, in the form of [`words`].
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
/// The payer's column, for files with separate columns for payer and payee.
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

/// Words in the names of columns with amounts other than the transaction's.
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
/// Words in the names of columns with an account number rather than its owner.
const ACCOUNTS: &[&str] =
    &["iban", "bic", "konto", "kontonummer", "account", "rekening", "compte", "cuenta", "sort", "id"];

/// Whether the name means another amount or its currency.
pub(super) fn is_of_other_amount(name: &str) -> bool {
    let name = words(name);
    OTHER_AMOUNTS.iter().any(|word| name.contains(word))
}

pub(super) fn is_of_account(name: &str) -> bool {
    words(name).split(' ').any(|word| ACCOUNTS.contains(&word))
}

/// Whether the name means one of two amount columns: `Debit amount` is not the amount of every row.
pub(super) fn is_of_one_side(name: &str) -> bool {
    let name = words(name);
    DEBITS.iter().chain(CREDITS).any(|side| has_words(&name, side))
}

/// Whether a word in a separate column marks an outgoing amount; `None` if it is unknown.
pub(super) fn is_outgoing(word: &str) -> Option<bool> {
    const OUT: &[&str] = &["s", "soll", "d", "dr", "debit", "dbit", "af", "out", "withdrawal"];
    const IN: &[&str] = &["h", "haben", "c", "cr", "credit", "crdt", "bij", "in", "deposit"];
    let word = folded(word.trim());
    let is_of = |words: &[&str]| words.contains(&word.as_str());
    (is_of(OUT) || is_of(IN)).then(|| is_of(OUT))
}
