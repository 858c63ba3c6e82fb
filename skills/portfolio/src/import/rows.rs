//! Reads the rows of a file as trades.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

use nova_skill::figures::{at_least, currency_code, folded};
use nova_skill::{Date, Decimal, ToolError};
use nova_statement::{
    DateFormat, Question, Row, RowIds, Table, WrongLine, amount, cells, currencies_of_sign, currency_beside,
    currency_in, is_negative,
};

use super::actions::{Action, CHOICES};
use super::currency::Unit;
use super::draft::Draft;
use super::mapping::Mapping;
use super::money::{Checked, Money, TOO_LARGE};
use super::securities::{Securities, is_isin};
use crate::books::{Books, as_symbol, is_symbol};
use crate::trade_rules::{Kind, Numbers};

/// Maximum number of unknown actions in one answer.
const MAX_QUESTIONS: usize = 20;

/// The result of reading a table.
#[derive(Default)]
pub(super) struct ParsedRows {
    pub(super) drafts: Vec<Draft>,
    pub(super) wrong: Vec<WrongLine>,
    /// Number of rows with an action that is left out.
    pub(super) ignored: usize,
}

/// A mapping, resolved against a table.
pub(super) struct Columns<'a> {
    mapping: &'a Mapping,
    places: HashMap<&'static str, usize>,
    format: DateFormat,
    decimal: char,
    /// For rows that name none.
    currency: Option<&'static str>,
    /// The currency in the name of the amount's column, such as `Total (EUR)`.
    amount_in: Option<&'static str>,
    /// Whether fees are negative numbers.
    fee_has_minus: bool,
    /// By kind, whether most amounts and most quantities are negative.
    amount_has_minus: BTreeMap<&'static str, bool>,
    quantity_has_minus: BTreeMap<&'static str, bool>,
}

/// The resolved columns, or the questions that are open.
pub(super) type Found<'a> = Result<Columns<'a>, Vec<Question>>;

impl<'a> Columns<'a> {
    /// Resolves the columns, and detects the formats of dates and numbers that the mapping does not name.
    ///
    /// # Errors
    /// When a column is missing; names the file and the line of the header.
    pub(super) fn of(
        table: &Table,
        mapping: &'a Mapping,
        currency: Option<&'static str>,
    ) -> Result<Found<'a>, ToolError> {
        let mut places = HashMap::new();
        for (key, name) in mapping.columns() {
            if let Some(name) = name.as_deref().filter(|name| !name.trim().is_empty()) {
                places.insert(key, table.column(key, name)?);
            }
        }
        let mut questions = Vec::new();
        for (key, asks) in [
            ("date", "Which column has the day?"),
            ("quantity", "Which column has the number of shares?"),
            ("price", "Which column has the price of one share?"),
        ] {
            if !places.contains_key(key) {
                questions.push(Question::of_column(key, asks, table));
            }
        }
        let mut known = None;
        if let Some(at) = places.get("date") {
            match nova_statement::date_format(table, mapping.date_format.as_deref(), *at)? {
                Ok(format) => known = Some(format),
                Err(question) => questions.push(question),
            }
        }
        let numbers: Vec<usize> = NUMBERS.iter().filter_map(|key| places.get(key).copied()).collect();
        let decimal = match nova_statement::decimal(table, mapping.decimal.as_deref(), &numbers, None)? {
            Ok(decimal) => Some(decimal),
            Err(question) => {
                questions.push(question);
                None
            }
        };
        questions.extend(unknown_actions(table, mapping, &places));
        let in_name =
            |key: &str| currency_in(&table.header[*places.get(key)?]).as_deref().and_then(currency_code);
        let (price_in, amount_in) = (in_name("price"), in_name("amount"));
        let (Some(format), Some(decimal), []) = (known, decimal, questions.as_slice()) else {
            return Ok(Err(questions));
        };
        let mut columns = Self {
            mapping,
            places,
            format,
            decimal,
            currency: currency.or(price_in).or(amount_in),
            amount_in,
            fee_has_minus: false,
            amount_has_minus: BTreeMap::new(),
            quantity_has_minus: BTreeMap::new(),
        };
        columns.count_signs(table);
        Ok(Ok(columns))
    }

    pub(super) fn format(&self) -> DateFormat {
        self.format
    }

    pub(super) fn decimal(&self) -> char {
        self.decimal
    }

    /// Reads the rows and collects invalid lines; an invalid line that is left out is ignored.
    /// `report` is called with the number of rows before each.
    pub(super) fn read(
        &self,
        table: &Table,
        books: &Books,
        today: Date,
        left_out: &HashSet<u64>,
        report: &dyn Fn(usize),
    ) -> ParsedRows {
        let securities = Securities::of(books);
        let mut rows = ParsedRows::default();
        // Transaction numbers are unique per broker only.
        let mut ids = RowIds::within(table.fingerprint());
        for (done, row) in table.rows.iter().enumerate() {
            report(done);
            if self.is_total(row) {
                continue;
            }
            match self.draft(row, &securities, today) {
                Ok(Some(mut draft)) => {
                    draft.row_id = ids.row(row);
                    if let Some(own) = &draft.own_id {
                        // Each account may number its transactions by itself.
                        let account = self.cell(row, "account");
                        let own = if account.is_empty() { own.clone() } else { format!("{account} {own}") };
                        let (id, problem) = ids.own(&own, row.line);
                        if let Some(problem) = problem.filter(|_| !left_out.contains(&row.line)) {
                            rows.wrong.push(WrongLine { line: row.line, problem });
                        }
                        draft.own_id = Some(id);
                    }
                    let exchange = draft.exchange(&ids);
                    rows.drafts.push(draft);
                    rows.drafts.extend(exchange);
                }
                Ok(None) => rows.ignored += 1,
                Err(_) if left_out.contains(&row.line) => {}
                Err(problem) => rows.wrong.push(WrongLine { line: row.line, problem }),
            }
        }
        rows
    }

    fn cell<'r>(&self, row: &'r Row, key: &str) -> &'r str {
        self.places.get(key).map_or("", |at| row.cells[*at].trim())
    }

    fn text(&self, row: &Row, key: &str) -> Option<String> {
        let words: Vec<&str> = self.cell(row, key).split_whitespace().collect();
        (!words.is_empty()).then(|| words.join(" "))
    }

    /// `None` if the cell is empty.
    fn number(&self, row: &Row, key: &str) -> Result<Option<Decimal>, String> {
        match self.cell(row, key) {
            "" | "-" | "--" => Ok(None),
            text => amount(text, self.decimal).map(Some).ok_or_else(|| {
                format!("\"{text}\" is not a number with the decimal sign \"{}\"", self.decimal)
            }),
        }
    }

    /// A line such as `Transactions Total`, which has neither a day nor shares.
    fn is_total(&self, row: &Row) -> bool {
        !self.cell(row, "date").starts_with(|c: char| c.is_ascii_digit())
            && ["quantity", "price", "symbol", "isin"].iter().all(|key| self.cell(row, key).is_empty())
    }

    /// The kind of the row; `None` if its action is left out.
    fn kind(&self, row: &Row) -> Result<Option<Kind>, String> {
        let says_out = |key: &str| is_negative(self.cell(row, key));
        let action = match self.places.contains_key("action") {
            false => Action::Trade,
            true => {
                let word = self.cell(row, "action");
                if word.is_empty() {
                    return Err("it does not say what happened".into());
                }
                Action::of(word, &self.mapping.actions)
                    .ok_or_else(|| format!("\"{word}\" does not say what happened"))?
            }
        };
        Ok(Some(match action {
            Action::Buy => Kind::Buy,
            Action::Sell => Kind::Sell,
            Action::Dividend => Kind::Dividend,
            Action::Split => Kind::Split,
            Action::Fee => Kind::Fee,
            Action::Tax => Kind::Tax,
            Action::Deposit => Kind::Deposit,
            Action::Withdrawal => Kind::Withdrawal,
            // Debit interest.
            Action::Interest if says_out("amount") == Some(true) => Kind::Fee,
            Action::Interest => Kind::Interest,
            Action::Transfer => match says_out("amount") {
                Some(true) => Kind::Withdrawal,
                Some(false) => Kind::Deposit,
                None => return Err("it has no amount".into()),
            },
            Action::Trade => match says_out("quantity") {
                Some(true) => Kind::Sell,
                Some(false) => Kind::Buy,
                None => return Err("it has no quantity".into()),
            },
            Action::Ignore => return Ok(None),
        }))
    }

    fn count_signs(&mut self, table: &Table) {
        let (mut costs, mut credits) = (0, 0);
        let mut signs: BTreeMap<(&'static str, &'static str), (usize, usize)> = BTreeMap::new();
        for row in &table.rows {
            for key in FEES {
                match is_negative(self.cell(row, key)) {
                    Some(true) => costs += 1,
                    Some(false) => credits += 1,
                    None => {}
                }
            }
            let Ok(Some(kind)) = self.kind(row) else { continue };
            for key in ["amount", "quantity"] {
                let Some(minus) = is_negative(self.cell(row, key)) else { continue };
                let (minuses, pluses) = signs.entry((key, kind.word())).or_default();
                *if minus { minuses } else { pluses } += 1;
            }
        }
        self.fee_has_minus = costs > credits;
        for ((key, kind), (minuses, pluses)) in signs {
            let most = match minuses.cmp(&pluses) {
                Ordering::Greater => true,
                Ordering::Less => false,
                // One entry and its reversal: assume the usual sign.
                Ordering::Equal if key == "amount" => !Kind::parse(kind).is_some_and(Kind::comes_in),
                Ordering::Equal => kind == Kind::Sell.word(),
            };
            let of = if key == "amount" { &mut self.amount_has_minus } else { &mut self.quantity_has_minus };
            of.insert(kind, most);
        }
    }

    /// `None` if the action of the row is left out.
    fn draft(&self, row: &Row, securities: &Securities<'_>, today: Date) -> Result<Option<Draft>, String> {
        let Some(kind) = self.kind(row)? else { return Ok(None) };
        let date = self.cell(row, "date");
        let date =
            self.format.read(date).ok_or_else(|| format!("\"{date}\" is not a date {}", self.format.name))?;
        if date > today {
            return Err(format!("{date} is in the future; record it once it has happened"));
        }
        self.refuse_reversal(row, kind)?;
        let (isin, name) = (self.text(row, "isin"), self.text(row, "name"));
        let symbol = match kind.is_transfer() {
            true => None,
            false => self.symbol(row, securities, isin.as_deref(), name.as_deref())?,
        };
        let is_money = kind.is_of_account(symbol.as_deref());
        if symbol.is_none() && !is_money {
            return Err("it names no symbol and no ISIN".into());
        }
        let code = isin.or_else(|| self.text(row, "symbol").filter(|own| is_isin(own)));
        let isin = code.filter(|code| {
            symbol.as_deref() == Some(as_symbol(code).as_str()) || self.mapping.symbol_of(code).is_some()
        });
        let paid = match self.cell(row, "amount_currency") {
            "" => self.amount_in.map(Unit::whole),
            said => Some(Unit::of(said).ok_or_else(|| format!("\"{said}\" is not a currency"))?),
        };
        // The amount may be the only cell with a currency.
        let unit =
            self.unit(row).or_else(|why| if why == NO_CURRENCY { paid.ok_or(why) } else { Err(why) })?;
        // Some brokers write words instead of a missing rate.
        let rate = self.number(row, "rate").ok().flatten().map(|rate| rate.abs());
        let (numbers, moved) = self.numbers(row, kind, is_money, &Money { unit, paid, rate })?;
        let numbers = tidy(numbers);
        // Cash is recorded in the currency of the amount.
        let currency = if is_money { paid.unwrap_or(unit).code } else { unit.code };
        let paid_in = paid.map(|paid| paid.code).filter(|code| *code != currency && kind != Kind::Split);
        let own_id = self.text(row, "id");
        Ok(Some(Draft {
            line: row.line,
            date,
            kind,
            symbol,
            name,
            currency,
            numbers,
            paid_in,
            paid: moved.filter(|_| paid_in.is_some()),
            exchanged_for: None,
            isin,
            own_id,
            row_id: String::new(),
        }))
    }

    /// Refuses a row whose sign differs from the others of its kind: it may reverse an earlier one.
    fn refuse_reversal(&self, row: &Row, kind: Kind) -> Result<(), String> {
        for (key, signs) in [("amount", &self.amount_has_minus), ("quantity", &self.quantity_has_minus)] {
            let is_minus = is_negative(self.cell(row, key));
            if let (Some(minus), Some(most)) = (is_minus, signs.get(kind.word()))
                && minus != *most
            {
                let cell = self.cell(row, key);
                return Err(format!(
                    "its {key} {cell} has a different sign than every other {}; it may reverse an earlier one",
                    kind.word()
                ));
            }
        }
        let cell = self.cell(row, "amount");
        let is_out = is_negative(cell) == Some(true);
        if is_out && matches!(kind, Kind::Dividend | Kind::Deposit) {
            return Err(format!(
                "a {} of {cell} takes money out; it may reverse an earlier one",
                kind.word()
            ));
        }
        Ok(())
    }

    /// The symbol chosen by the user, that of the position, the row's own, or its ISIN, in this order.
    fn symbol(
        &self,
        row: &Row,
        securities: &Securities<'_>,
        isin: Option<&str>,
        name: Option<&str>,
    ) -> Result<Option<String>, String> {
        let own = self.text(row, "symbol");
        let mut said = [isin, own.as_deref(), name].into_iter().flatten();
        if let Some(symbol) = said.find_map(|text| self.mapping.symbol_of(text)) {
            return match is_symbol(&as_symbol(symbol)) {
                true => Ok(Some(as_symbol(symbol))),
                false => Err(format!("\"{symbol}\" is not a symbol")),
            };
        }
        // Some brokers write the ISIN in the symbol column.
        let mut known = [isin, own.as_deref()].into_iter().flatten();
        if let Some(symbol) = known.find_map(|said| securities.by_isin.get(&folded(said))) {
            return Ok(Some((*symbol).to_owned()));
        }
        if let Some(own) = &own {
            let symbol = as_symbol(own);
            return match is_symbol(&symbol) {
                true => Ok(Some(symbol)),
                false => Err(format!("\"{own}\" is not a symbol")),
            };
        }
        if let Some(symbol) = name.and_then(|name| securities.by_name.get(&folded(name))) {
            return Ok(Some((*symbol).to_owned()));
        }
        match isin.map(as_symbol) {
            Some(isin) if is_symbol(&isin) => Ok(Some(isin)),
            Some(isin) => Err(format!("\"{isin}\" is not an ISIN")),
            None => Ok(None),
        }
    }

    /// The currency of the price: from its column, beside the number, or the file's.
    fn unit(&self, row: &Row) -> Result<Unit, String> {
        let said = self.cell(row, "currency");
        if !said.is_empty() {
            return Unit::of(said).ok_or_else(|| format!("\"{said}\" is not a currency"));
        }
        for key in ["price", "amount"] {
            let Some(beside) = currency_beside(self.cell(row, key)) else { continue };
            if let Some(unit) = Unit::of(&beside) {
                return Ok(unit);
            }
            let may_be = currencies_of_sign(&beside);
            // A sign shared by several currencies means the known one.
            let known = match self.currency {
                Some(own) if may_be.contains(&own) => Some(own),
                Some(own) if !may_be.is_empty() => {
                    return Err(format!("\"{}\" is not in {own}", self.cell(row, key)));
                }
                _ => may_be.first().copied().filter(|_| may_be.len() == 1),
            };
            if let Some(code) = known.and_then(currency_code) {
                return Ok(Unit::whole(code));
            }
        }
        self.currency.map(Unit::whole).ok_or_else(|| NO_CURRENCY.to_owned())
    }

    /// The numbers of the trade, and the money that moved if that was in another currency.
    fn numbers(
        &self,
        row: &Row,
        kind: Kind,
        is_money: bool,
        money: &Money,
    ) -> Result<(Numbers, Option<Decimal>), String> {
        let total = self.number(row, "amount")?.map(|amount| amount.abs());
        let mut fees = Decimal::ZERO;
        for key in FEES {
            let Some(fee) = self.number(row, key)? else { continue };
            let fee = if self.fee_has_minus { -fee } else { fee };
            if fee < Decimal::ZERO {
                return Err(format!(
                    "its fee of {} is a credit, which a trade cannot have",
                    self.cell(row, key)
                ));
            }
            fees = fees.checked_add(fee).ok_or(TOO_LARGE)?;
        }
        // Withholding tax can be in the currency of the price.
        let mut tax = self.number(row, "tax")?.unwrap_or_default().abs();
        match self.cell(row, "tax_currency") {
            said if !tax.is_zero() && !said.is_empty() => {
                let own = Unit::of(said).ok_or_else(|| format!("\"{said}\" is not a currency"))?;
                tax = tax.checked_div(own.of_one).ok_or(TOO_LARGE)?;
                if money.is_changed() && own.code != money.unit.code {
                    fees = fees.checked_add(std::mem::take(&mut tax)).ok_or(TOO_LARGE)?;
                } else if own.code != money.unit.code {
                    return Err(format!("its tax is in {said} and its price in {}", money.unit.code));
                }
            }
            _ => fees = fees.checked_add(std::mem::take(&mut tax)).ok_or(TOO_LARGE)?,
        }
        if is_money || matches!(kind, Kind::Fee | Kind::Tax) {
            let amount = match total.filter(|total| !total.is_zero()) {
                Some(total) => total,
                None if matches!(kind, Kind::Fee | Kind::Tax) && !fees.is_zero() => std::mem::take(&mut fees),
                None => return Err("it has no amount".into()),
            };
            // A fee of a symbol is recorded in the symbol's currency.
            let amount =
                if is_money { money.whole_amount(amount)? } else { money.in_price_currency(amount)? };
            let numbers = match kind {
                Kind::Fee | Kind::Tax => Numbers { fee: Some(amount), ..Numbers::default() },
                _ => Numbers { price: Some(amount), ..Numbers::default() },
            };
            return Ok((numbers, None));
        }
        let quantity = self.number(row, "quantity")?.map(|quantity| quantity.abs()).filter(|n| !n.is_zero());
        if kind == Kind::Split {
            return Ok((self.split(row)?, None));
        }
        let price = self.number(row, "price")?.map(|price| price.abs());
        match (kind, quantity, price, total) {
            (Kind::Dividend, None, _, Some(total)) | (Kind::Dividend, _, None, Some(total)) => {
                let fees = fees.checked_add(tax).ok_or(TOO_LARGE)?;
                let paid = total.checked_add(fees).ok_or(TOO_LARGE)?;
                if paid.is_zero() {
                    return Err("it has no amount".into());
                }
                let paid = money.in_price_currency(paid)?;
                let fee = money.in_price_currency(fees)?;
                let quantity = Some(Decimal::ONE);
                Ok((Numbers { quantity, price: Some(paid), fee: Some(fee), per: None }, None))
            }
            (_, None, ..) => Err("it has no quantity".into()),
            (_, _, None, _) => Err("it has no price".into()),
            (_, Some(quantity), Some(price), total) => {
                let Checked { fee, paid } = money.checked(kind, quantity, price, (fees, tax), total)?;
                let price = price.checked_div(money.unit.of_one).ok_or(TOO_LARGE)?;
                let quantity = Some(quantity);
                Ok((Numbers { quantity, price: Some(price), fee: Some(fee), per: None }, paid))
            }
        }
    }

    /// Parses the ratio of a split: `2:1`, `3 for 2`.
    fn split(&self, row: &Row) -> Result<Numbers, String> {
        let ratio = ["action", "name", "quantity", "price"].iter().find_map(|key| ratio(self.cell(row, key)));
        let (new, old) = ratio.ok_or(
            "it does not say how many new shares there are for each old one; add the split by hand, and leave this line out",
        )?;
        Ok(Numbers { quantity: Some(new), per: Some(old), price: None, fee: None })
    }
}

pub(super) const NO_CURRENCY: &str = "it names no currency";
const FEES: [&str; 2] = ["fee", "more_fees"];
/// Columns whose cells determine the decimal sign.
pub(super) const NUMBERS: [&str; 6] = ["quantity", "price", "fee", "more_fees", "tax", "amount"];

/// Normalises numbers for a note: no trailing zeros, at least two places for amounts.
fn tidy(numbers: Numbers) -> Numbers {
    let cents = |number: Decimal| at_least(number.normalize(), 2);
    Numbers {
        quantity: numbers.quantity.map(|number| number.normalize()),
        per: numbers.per.map(|number| number.normalize()),
        price: numbers.price.map(cents),
        fee: numbers.fee.map(cents),
    }
}

/// New and old shares of `2:1`, `3 for 2` or `2 zu 1`.
fn ratio(text: &str) -> Option<(Decimal, Decimal)> {
    let spaced = folded(text).replace(':', " : ");
    let words: Vec<&str> = spaced
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','))
        .filter(|w| !w.is_empty())
        .collect();
    let number = |word: &str| word.parse::<Decimal>().ok().filter(|number| *number > Decimal::ZERO);
    words.windows(3).find_map(|window| match window {
        [new, ":" | "for" | "zu" | "fur" | "für", old] => Some((number(new)?, number(old)?)),
        _ => None,
    })
}

/// Questions about unknown words in the action column.
fn unknown_actions(table: &Table, mapping: &Mapping, places: &HashMap<&'static str, usize>) -> Vec<Question> {
    let Some(at) = places.get("action") else { return Vec::new() };
    let date = places.get("date");
    let mut seen = HashSet::new();
    let mut questions = Vec::new();
    for row in &table.rows {
        let word = row.cells[*at].trim();
        // A line without a day is not a transaction.
        let is_dated = date.is_none_or(|at| row.cells[*at].trim().starts_with(|c: char| c.is_ascii_digit()));
        if word.is_empty()
            || !is_dated
            || Action::of(word, &mapping.actions).is_some()
            || !seen.insert(folded(word))
        {
            continue;
        }
        questions.push(Question {
            about: format!("actions/{word}"),
            asks: format!("What is \"{word}\"?"),
            choices: CHOICES.map(|(action, _)| action.word().to_owned()).into(),
        });
        if questions.len() == MAX_QUESTIONS {
            break;
        }
    }
    questions
}

/// The remembered mapping without the formats that the file contradicts: another broker's file may have the same
/// header. `None` if nothing has to be confirmed.
///
/// # Errors
/// When a column is missing.
pub(super) fn mapping_to_confirm(table: &Table, remembered: &Mapping) -> Result<Option<Mapping>, ToolError> {
    let open = Mapping { date_format: None, decimal: None, ..remembered.clone() };
    if !table.has_names() {
        return Ok(Some(open));
    }
    let Ok(columns) = Columns::of(table, &open, None)? else { return Ok(Some(open)) };
    let found = columns.decimal.to_string();
    let read = |sign: char| {
        let numbers = NUMBERS.iter().filter_map(|key| columns.places.get(key).copied());
        numbers.flat_map(|at| cells(table, at)).map(|cell| amount(cell, sign)).collect::<Vec<_>>()
    };
    let decimal_differs = remembered
        .decimal
        .as_deref()
        .is_some_and(|own| own != found && read(own.chars().next().unwrap_or('.')) != read(columns.decimal));
    let days_differ = remembered.date_format.as_deref().is_some_and(|own| own != columns.format.name);
    Ok((decimal_differs || days_differ).then_some(open))
}
