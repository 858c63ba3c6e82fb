//! Parses the rows of a file into transactions.

use std::collections::HashSet;

use nova_skill::figures::currency_code;
use nova_skill::{Date, Decimal, ToolError};
use nova_statement::{
    DateFormat, Question, Row, RowIds, Table, WrongLine, amount, currencies_of_sign, currency_beside,
    is_negative, refuse_wrong_lines,
};

use super::mapping::{Mapping, Sign};
use super::names::is_outgoing;

/// Banks write cents.
const DECIMAL_PLACES: u32 = 2;

#[derive(Debug)]
pub(super) struct Transaction {
    /// The line in the file.
    pub(super) line: u64,
    pub(super) date: Date,
    /// Positive for incoming money.
    pub(super) amount: Decimal,
    pub(super) currency: Option<String>,
    pub(super) payee: Option<String>,
    pub(super) memo: Option<String>,
    pub(super) category: Option<String>,
    /// Derived from the bank's own id of the row.
    pub(super) own_id: Option<String>,
    /// Derived from all cells as written, so that it does not depend on how they are parsed.
    pub(super) row_id: String,
}

impl Transaction {
    /// The same in every file that contains the transaction.
    pub(super) fn import_id(&self) -> &str {
        self.own_id.as_deref().unwrap_or(&self.row_id)
    }
}

/// The result of reading a table.
pub(super) struct ReadRows {
    pub(super) read: Vec<Transaction>,
    pub(super) invalid: Vec<WrongLine>,
}

/// The question about this many possible duplicates; `None` if there are none.
pub(super) fn duplicates_question(count: usize) -> Option<Question> {
    Question::of_alike(count, "transaction", "transactions")
}

fn sign_question(asks: &str) -> Question {
    Question {
        about: "expenses".into(),
        asks: asks.into(),
        choices: vec!["negative".into(), "positive".into()],
    }
}

/// A complete mapping, by which rows can be read.
#[derive(Debug)]
pub(super) struct Columns {
    date: usize,
    money: Money,
    payee: Option<usize>,
    payer: Option<usize>,
    memo: Option<usize>,
    category: Option<usize>,
    currency: Option<usize>,
    id: Option<usize>,
    format: DateFormat,
    decimal: char,
}

#[derive(Debug)]
enum Money {
    One(usize, Sign),
    /// An unsigned amount with a debit or credit mark in another column.
    Sided {
        amount: usize,
        side: usize,
    },
    /// Two columns. `expenses` is how to read a minus in the debit column, if that is known.
    Two {
        debit: usize,
        credit: usize,
        expenses: Option<Sign>,
    },
}

impl Money {
    fn columns(&self) -> Vec<usize> {
        match self {
            Self::One(amount, _) | Self::Sided { amount, .. } => vec![*amount],
            Self::Two { debit, credit, .. } => vec![*debit, *credit],
        }
    }
}

impl Columns {
    /// Resolves the columns, and detects the formats of dates and amounts that the mapping lacks. Detected
    /// formats are added to the mapping.
    ///
    /// # Errors
    /// A missing column, with the file and the line of the header.
    pub(super) fn of(table: &Table, mapping: &mut Mapping) -> Result<Result<Self, Vec<Question>>, ToolError> {
        let mut search = Search { table, mapping, questions: Vec::new() };
        let date = search.column("date", &mapping.date)?;
        if date.is_none() {
            search.ask_for_column("date", "Which column has the day?");
        }
        let money = search.money()?;
        let given = mapping.date_format.as_deref();
        let format = date.map(|at| nova_statement::date_format(table, given, at)).transpose()?;
        let format = format.and_then(|found| search.or_ask(found));
        let amount_columns = money.as_ref().map(Money::columns);
        let given = mapping.decimal.as_deref();
        let decimal = amount_columns
            .map(|at| nova_statement::decimal(table, given, &at, Some(DECIMAL_PLACES)))
            .transpose()?;
        let decimal = decimal.and_then(|found| search.or_ask(found));
        let (Some(date), Some(money), Some(format), Some(decimal), []) =
            (date, money, format, decimal, search.questions.as_slice())
        else {
            return Ok(Err(search.questions));
        };
        let columns = Self {
            date,
            money,
            payee: search.column("payee", &mapping.payee)?,
            payer: search.column("payer", &mapping.payer)?,
            memo: search.column("memo", &mapping.memo)?,
            category: search.column("category", &mapping.category)?,
            currency: search.column("currency", &mapping.currency)?,
            id: search.column("id", &mapping.id)?,
            format,
            decimal,
        };
        mapping.date_format = Some(format.name.into());
        mapping.decimal = Some(decimal.to_string());
        Ok(Ok(columns))
    }

    /// The parts of a remembered mapping that must be confirmed again, as a file of another bank may have the
    /// same header. `None` if the file itself confirms the mapping.
    pub(super) fn unconfirmed(table: &Table, remembered: &Mapping) -> Result<Option<Mapping>, ToolError> {
        if !table.has_names() {
            return Ok(Some(remembered.clone()));
        }
        let mut open = Mapping { date_format: None, decimal: None, ..remembered.clone() };
        let columns = match Self::of(table, &mut open.clone())? {
            Ok(columns) => columns,
            Err(_) => return Ok(Some(open)),
        };
        if let Money::One(at, sign) = columns.money {
            let signs = || table.rows.iter().filter_map(|row| is_negative(&row.cells[at]));
            let (minus, plus) =
                (signs().filter(|minus| *minus).count(), signs().filter(|minus| !minus).count());
            let differs = match sign {
                Sign::Negative => minus == 0 && plus > 0,
                Sign::Positive => minus > plus,
            };
            if differs {
                open.expenses = None;
                return Ok(Some(open));
            }
        }
        let read = |sign: &str| {
            let sign = sign.chars().next().unwrap_or('.');
            let cells = columns.money.columns().into_iter();
            let cells = cells.flat_map(|at| table.rows.iter().map(move |row| row.cells[at].as_str()));
            cells.map(|cell| amount(cell, sign)).collect::<Vec<_>>()
        };
        let found = columns.decimal.to_string();
        let decimal_differs =
            remembered.decimal.as_deref().is_some_and(|own| own != found && read(own) != read(&found));
        let days_differ = remembered.date_format.as_deref().is_some_and(|own| own != columns.format.name);
        Ok((decimal_differs || days_differ).then_some(open))
    }

    /// Reads all rows in order.
    ///
    /// # Errors
    /// If a row cannot be read, with the file and line.
    pub(super) fn transactions(
        &self,
        table: &Table,
        currencies: Currencies,
        left_out: &HashSet<u64>,
    ) -> Result<Vec<Transaction>, ToolError> {
        let ReadRows { read, invalid } = self.read_rows(table, currencies, left_out, &|_| ());
        refuse_wrong_lines(&table.file, &invalid)?;
        Ok(read)
    }

    /// Returns the readable rows and the lines of unreadable ones; an unreadable line that is to be skipped
    /// is in neither list. `report` is called with the number of preceding rows before each row.
    pub(super) fn read_rows(
        &self,
        table: &Table,
        currencies: Currencies,
        left_out: &HashSet<u64>,
        report: &dyn Fn(usize),
    ) -> ReadRows {
        let mut rows = ReadRows { read: Vec::with_capacity(table.rows.len()), invalid: Vec::new() };
        let mut ids = RowIds::default();
        for (done, row) in table.rows.iter().enumerate().filter(|(_, row)| !self.is_balance(row)) {
            report(done);
            let mut transaction = match self.transaction(row, currencies) {
                Ok(transaction) => transaction,
                Err(_) if left_out.contains(&row.line) => continue,
                Err(problem) => {
                    rows.invalid.push(WrongLine { line: row.line, problem });
                    continue;
                }
            };
            transaction.row_id = ids.row(row);
            if let Some(own) = &transaction.own_id {
                let (id, problem) = ids.own(own, row.line);
                if let Some(problem) = problem {
                    rows.invalid.push(WrongLine { line: row.line, problem });
                }
                transaction.own_id = Some(id);
            }
            rows.read.push(transaction);
        }
        rows
    }

    /// Whether it is a line such as `Beginning balance as of 1 November`, without an amount of its own.
    fn is_balance(&self, row: &Row) -> bool {
        const WORDS: [&str; 3] = ["balance", "saldo", "solde"];
        let is_empty = |at: &usize| row.cells[*at].trim().is_empty();
        let names_balance =
            |at: &usize| WORDS.iter().any(|word| nova_skill::figures::folded(&row.cells[*at]).contains(word));
        self.money.columns().iter().all(is_empty)
            && [self.payee, self.memo].iter().flatten().any(names_balance)
    }

    fn transaction(&self, row: &Row, currencies: Currencies) -> Result<Transaction, String> {
        let cell = |at: usize| row.cells[at].trim();
        let date = cell(self.date);
        let date = self.format.read(date).ok_or_else(|| match row.is_of_names() {
            true => format!("a second header, with other columns, begins here: \"{date}\""),
            false => format!("\"{date}\" is not a date {}", self.format.name),
        })?;
        let number = |at: usize| match cell(at) {
            "" => Ok(None),
            text => amount(text, self.decimal).map(Some).ok_or_else(|| {
                format!("\"{text}\" is not an amount with the decimal sign \"{}\"", self.decimal)
            }),
        };
        let amount = match &self.money {
            Money::One(at, sign) => {
                let amount = number(*at)?.ok_or("it has no amount")?;
                if *sign == Sign::Positive { -amount } else { amount }
            }
            Money::Sided { amount, side } => {
                let amount = number(*amount)?.ok_or("it has no amount")?;
                let word = cell(*side);
                match is_outgoing(word) {
                    Some(true) => -amount.abs(),
                    Some(false) if amount.is_sign_negative() && !amount.is_zero() => {
                        return Err(format!("it has a minus sign, but \"{word}\" means money in"));
                    }
                    Some(false) => amount,
                    None => {
                        return Err(format!("\"{word}\" does not say whether it is money in or money out"));
                    }
                }
            }
            Money::Two { debit, credit, expenses } => match (number(*debit)?, number(*credit)?) {
                (Some(out), Some(came)) if !out.is_zero() && !came.is_zero() => {
                    return Err("it has an amount in both the debit and the credit column".into());
                }
                (Some(out), came) if came.is_none_or(|came| came.is_zero()) && !out.is_zero() => {
                    match expenses {
                        None => -out.abs(),
                        Some(Sign::Negative) => out,
                        Some(Sign::Positive) => -out,
                    }
                }
                (_, Some(came)) => came,
                (Some(out), None) => -out.abs(),
                (None, None) => return Err("it has no amount".into()),
            },
        };
        let text = |at: Option<usize>| {
            let joined: Vec<&str> = row.cells[at?].split_whitespace().collect();
            (!joined.is_empty()).then(|| joined.join(" "))
        };
        let mut currency = match text(self.currency) {
            Some(code) => Some(
                currency_code(&code)
                    .map(str::to_owned)
                    .ok_or_else(|| format!("\"{code}\" is not a currency"))?,
            ),
            None => None,
        };
        for at in self.money.columns() {
            if let Some(beside) = currencies.beside(cell(at), currency.as_deref())? {
                currency = Some(beside);
            }
        }
        let payer = if amount.is_sign_positive() { text(self.payer) } else { None };
        let (payee, memo) = (payer.or_else(|| text(self.payee)), text(self.memo));
        let memo = memo.filter(|memo| payee.as_deref() != Some(memo));
        Ok(Transaction {
            line: row.line,
            date,
            amount,
            currency,
            payee,
            memo,
            category: text(self.category),
            own_id: text(self.id),
            row_id: String::new(),
        })
    }
}

/// Resolves columns and collects the questions that only the user can answer.
struct Search<'a> {
    table: &'a Table,
    mapping: &'a Mapping,
    questions: Vec<Question>,
}

impl Search<'_> {
    fn column(&self, argument: &str, name: &Option<String>) -> Result<Option<usize>, ToolError> {
        let name = name.as_deref().filter(|name| !name.trim().is_empty());
        name.map(|name| self.table.column(argument, name)).transpose()
    }

    fn ask_for_column(&mut self, about: &str, asks: &str) {
        self.questions.push(Question::of_column(about, asks, self.table));
    }

    /// The detected value; otherwise records the question and returns `None`.
    fn or_ask<T>(&mut self, found: Result<T, Question>) -> Option<T> {
        found.map_err(|question| self.questions.push(question)).ok()
    }

    fn money(&mut self) -> Result<Option<Money>, ToolError> {
        let Mapping { amount, side, debit, credit, expenses, .. } = self.mapping;
        let single = self.column("amount", amount)?;
        let side = self.column("side", side)?;
        let pair = (self.column("debit", debit)?, self.column("credit", credit)?);
        let table = self.table;
        let negative = |at: usize| table.rows.iter().filter_map(move |row| is_negative(&row.cells[at]));
        Ok(match (single, pair) {
            (Some(_), (Some(_), _) | (_, Some(_))) => {
                return Err(ToolError::InvalidArguments {
                    path: "/mapping".into(),
                    rule: "names amount and a debit or credit column; give the one, or the other two".into(),
                    allowed: Vec::new(),
                });
            }
            (Some(amount), _) if side.is_some() => side.map(|side| Money::Sided { amount, side }),
            (Some(at), _) => {
                if expenses.is_none() && negative(at).next().is_some() && !negative(at).any(|minus| minus) {
                    self.questions.push(sign_question(
                        "No amount has a minus sign. Are they expenses (positive) or incomes (negative)?",
                    ));
                }
                Some(Money::One(at, expenses.unwrap_or(Sign::Negative)))
            }
            (None, (Some(debit), Some(credit))) => {
                let is_mixed = negative(debit).any(|minus| minus) && negative(debit).any(|minus| !minus);
                if is_mixed && expenses.is_none() {
                    self.questions.push(sign_question(
                        "Some amounts in the column for money out have a minus sign. Which are expenses, those with \
                         it (negative) or those without (positive)?",
                    ));
                }
                Some(Money::Two { debit, credit, expenses: expenses.filter(|_| is_mixed) })
            }
            (None, (None, None)) => {
                self.ask_for_column("amount", "Which column has the amount?");
                None
            }
            (None, (debit, _)) => {
                let missing = if debit.is_some() { "credit" } else { "debit" };
                self.ask_for_column(missing, "Which column is the other one for money in and money out?");
                None
            }
        })
    }
}

/// The known currencies of a file's amounts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Currencies<'a> {
    /// The currency of the whole file, given in the call or in the bank's note.
    pub(super) given: Option<&'a str>,
    /// The default currency of the vault.
    pub(super) default: Option<&'a str>,
}

impl Currencies<'_> {
    /// The currency in the cell of an amount; `own` is the currency in the row's column.
    fn beside(self, cell: &str, own: Option<&str>) -> Result<Option<String>, String> {
        let Some(symbol) = currency_beside(cell) else { return Ok(None) };
        let known = own.or(self.given);
        let may_be = currencies_of_sign(&symbol);
        let found = match may_be {
            [] => currency_code(&symbol)
                .map(str::to_owned)
                .ok_or_else(|| format!("\"{cell}\" has no known currency"))?,
            [one] => (*one).to_owned(),
            // An ambiguous symbol means the known currency.
            several => match known.or(self.default).filter(|known| several.contains(known)) {
                Some(known) => known.to_owned(),
                None if known.is_none() => {
                    return Err(format!(
                        "\"{cell}\" could be several currencies; name one, such as {}",
                        several[0]
                    ));
                }
                None => symbol.clone(),
            },
        };
        match known {
            Some(known) if known != found => {
                Err(format!("\"{cell}\" is in {found}, but the currency is set to {known}"))
            }
            _ => Ok(Some(found)),
        }
    }
}
