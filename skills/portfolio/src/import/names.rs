//! Names of columns in brokers' files.

use std::collections::HashSet;

use nova_statement::{Table, amount, cells, date_formats, is_date, named, words};

use super::currency::Unit;

const DATES: &[&str] = &[
    "date",
    "trade date",
    "run date",
    "time",
    "date time",
    "transaction date",
    "booking date",
    "datum",
    "handelstag",
    "handelsdatum",
    "geschaftstag",
    "buchungstag",
    "ausfuhrung",
    "ausfuhrungsdatum",
    "zeit",
    "datetime",
];
const ACTIONS: &[&str] = &[
    "action",
    "buy sell",
    "transaction type",
    "side",
    "type",
    "vorgang",
    "geschaftsart",
    "transaktionsart",
    "umsatzart",
    "auftragsart",
    "art",
    "typ",
    "aktion",
    "kauf verkauf",
];
const SYMBOLS: &[&str] = &["symbol", "ticker", "kurzel", "ticker symbol"];
const ISINS: &[&str] = &["isin", "wkn", "wkn isin", "cusip", "valor"];
const NAMES: &[&str] = &[
    "product",
    "produkt",
    "security",
    "instrument",
    "wertpapier",
    "wertpapierbezeichnung",
    "bezeichnung",
    "name",
    "description",
    "titel",
];
const QUANTITIES: &[&str] = &[
    "quantity",
    "no of shares",
    "shares",
    "units",
    "anzahl",
    "stuck",
    "stuck nominal",
    "stuck nom",
    "stucke",
    "nominal",
    "menge",
    "qty",
];
const PRICES: &[&str] = &[
    "price",
    "price share",
    "t price",
    "tradeprice",
    "trade price",
    "execution price",
    "kurs",
    "ausfuhrungskurs",
    "preis",
];
const AMOUNTS: &[&str] = &[
    "amount",
    "total",
    "net cash",
    "netcash",
    "proceeds",
    "net amount",
    "betrag",
    "gesamt",
    "gesamtbetrag",
    "gesamtkosten",
    "endbetrag",
    "ausmachender betrag",
    "kurswert",
    "umsatz",
    "value",
    "wert",
];
const FEES: &[&str] = &[
    "fee",
    "fees",
    "fees comm",
    "commission",
    "comm fee",
    "ibcommission",
    "transaction and or third",
    "transaction costs",
    "transaktionskosten",
    "transaktionsgebuhren",
    "currency conversion fee",
    "provision",
    "gebuhr",
    "gebuhren",
    "spesen",
];
const TAXES: &[&str] =
    &["withholding tax", "tax", "taxes", "steuer", "steuern", "quellensteuer", "kapitalertragsteuer"];
const CURRENCIES: &[&str] = &["currency", "wahrung", "currency primary"];
const RATES: &[&str] = &["exchange rate", "wechselkurs", "devisenkurs", "umrechnungskurs", "fx rate"];
const ACCOUNTS: &[&str] = &[
    "account",
    "account id",
    "account no",
    "account number",
    "client account id",
    "depot",
    "depotnummer",
    "konto",
    "kontonummer",
];
const IDS: &[&str] = &[
    "id",
    "order id",
    "transaction id",
    "trade id",
    "ordernummer",
    "auftragsnummer",
    "transaktions id",
    "reference",
];

/// The proposed columns.
#[derive(Debug, Default)]
pub(super) struct Proposed {
    pub(super) date: Option<usize>,
    pub(super) action: Option<usize>,
    pub(super) symbol: Option<usize>,
    pub(super) isin: Option<usize>,
    pub(super) name: Option<usize>,
    pub(super) quantity: Option<usize>,
    pub(super) price: Option<usize>,
    pub(super) currency: Option<usize>,
    pub(super) fee: Option<usize>,
    pub(super) more_fees: Option<usize>,
    pub(super) tax: Option<usize>,
    pub(super) tax_currency: Option<usize>,
    pub(super) amount: Option<usize>,
    pub(super) amount_currency: Option<usize>,
    pub(super) rate: Option<usize>,
    pub(super) id: Option<usize>,
    pub(super) account: Option<usize>,
}

impl Proposed {
    /// Proposes columns by name if most of their cells fit.
    pub(super) fn of(table: &Table) -> Self {
        let header = &table.header;
        // Some invalid cells are tolerated: their lines are reported later.
        let filled = |at: usize| cells(table, at).map(str::trim).filter(|cell| !cell.is_empty());
        let is_number = |at: usize| {
            let numbers = filled(at).filter(|cell| amount(cell, '.').or(amount(cell, ',')).is_some()).count();
            numbers > 0 && 2 * numbers >= filled(at).count()
        };
        let has_words = |at: usize| filled(at).any(|cell| cell.chars().any(char::is_alphabetic));
        let is_unit = |at: usize| {
            let units = filled(at).filter(|cell| Unit::of(cell).is_some()).count();
            units > 0 && 2 * units >= filled(at).count()
        };
        let account = named(header, ACCOUNTS).into_iter().find(|at| filled(*at).next().is_some());
        // Each account may number its transactions by itself.
        let is_unique = |at: usize| {
            let mut seen = HashSet::new();
            // Numbers of rows start from one in every file.
            let is_number_of_row = |cell: &str| cell.len() < 6 && !cell.contains(char::is_alphabetic);
            table.rows.iter().all(|row| {
                let cell = row.cells[at].trim();
                let account = account.map(|at| row.cells[at].trim());
                !cell.is_empty() && !is_number_of_row(cell) && seen.insert((account, cell))
            })
        };
        let is_day = |at: usize| {
            !date_formats(cells(table, at)).is_empty()
                || 2 * filled(at).filter(|cell| is_date(cell)).count() >= filled(at).count().max(1)
        };
        let mut taken = HashSet::new();
        let mut take = |names: &[&str], fits: &dyn Fn(usize) -> bool| {
            let found = named(header, names).into_iter().find(|at| !taken.contains(at) && fits(*at))?;
            taken.insert(found);
            Some(found)
        };
        let any = |_: usize| true;
        let date = take(DATES, &is_day).or_else(|| (0..header.len()).find(|at| is_day(*at)));
        let rate = take(RATES, &is_number);
        let tax = take(TAXES, &is_number);
        let fee = take(FEES, &is_number);
        let more_fees = take(FEES, &is_number);
        // Empty in files of cash movements only.
        let may_be_empty = |at: usize| is_number(at) || filled(at).next().is_none();
        let quantity = take(QUANTITIES, &may_be_empty);
        let price = take(PRICES, &may_be_empty);
        // A remaining balance is not an amount.
        let is_total = |at: usize| {
            is_number(at) && !words(&header[at]).split(' ').any(|word| matches!(word, "balance" | "saldo"))
        };
        let amount = take(AMOUNTS, &is_total);
        let isin = take(ISINS, &any);
        let symbol = take(SYMBOLS, &any);
        let action = take(ACTIONS, &has_words);
        let name = take(NAMES, &has_words);
        let id = take(IDS, &is_unique);
        let (currency, amount_currency) = currencies(table, price, amount, &is_unit);
        let tax_currency = tax.and_then(|at| unit_named_after(table, at, &is_unit));
        Self {
            date,
            action,
            symbol,
            isin,
            name,
            quantity,
            price,
            currency,
            fee,
            more_fees,
            tax,
            tax_currency,
            amount,
            amount_currency,
            rate,
            id,
            account,
        }
    }
}

/// The currency columns of price and amount: named after them, or directly behind them, or one for both.
fn currencies(
    table: &Table,
    price: Option<usize>,
    amount: Option<usize>,
    is_unit: &dyn Fn(usize) -> bool,
) -> (Option<usize>, Option<usize>) {
    let header = &table.header;
    let of = |column: Option<usize>| {
        let at = column? + 1;
        let beside = header.get(at).map(|name| words(name)).filter(|_| is_unit(at));
        let is_own = |name: &String| {
            let name = name.trim();
            name.is_empty() || name == (at + 1).to_string() || CURRENCIES.contains(&name)
        };
        unit_named_after(table, at - 1, is_unit).or(beside.filter(is_own).map(|_| at))
    };
    let (of_price, of_amount) = (of(price), of(amount));
    let common = named(header, CURRENCIES).into_iter().find(|at| is_unit(*at));
    match (of_price, of_amount) {
        (Some(price), Some(amount)) if price != amount => (Some(price), Some(amount)),
        (None, Some(amount)) if common.is_some_and(|common| common != amount) => (common, Some(amount)),
        (price, amount) => (price.or(common).or(amount), None),
    }
}

/// The currency column named after another column: `Currency (Total)` belongs to `Total`.
fn unit_named_after(table: &Table, at: usize, is_unit: &dyn Fn(usize) -> bool) -> Option<usize> {
    let of = words(&table.header[at]);
    let is_named = |other: &usize| {
        let name = words(&table.header[*other]);
        name.trim().strip_prefix("currency ").is_some_and(|rest| rest.trim() == of.trim())
    };
    (0..table.header.len()).find(|other| is_named(other) && is_unit(*other))
}
