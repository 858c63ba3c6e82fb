//! The activity statement of Interactive Brokers: a CSV file of many tables. The first cell of a line names its
//! table, the second is `Header` or `Data`
//! (<https://www.ibkrguides.com/reportingreference/reportguide/activity%20statements.htm>).

use std::borrow::Cow;
use std::collections::HashMap;

use super::securities::is_isin;

/// The columns of the one table that the statement becomes.
const HEADER: [&str; 11] = [
    "Type",
    "Account",
    "Date",
    "Symbol",
    "ISIN",
    "Description",
    "Quantity",
    "Price",
    "Currency",
    "Amount",
    "Fee",
];

/// Asset categories whose trades are imported; options and futures are not.
const SHARES: [&str; 4] = ["Stocks", "ETFs", "Funds", "Mutual Funds"];

/// Turns a statement into one table of trades, dividends, taxes, deposits, withdrawals, interest, fees and exchanges
/// of currencies, each on its line of the statement. Other files are returned unchanged.
pub(super) fn rows_of_statement(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let is_statement = |text: &str| text.trim_start_matches('\u{feff}').starts_with("Statement,Header,");
    let Some(text) = std::str::from_utf8(&bytes).ok().filter(|text| is_statement(text)) else { return bytes };
    let statement = Statement::read(text);
    let mut header: HashMap<String, usize> = HashMap::new();
    let mut table = record(&HEADER);
    table.push('\n');
    for line in text.lines().skip(1) {
        let cells = cells(line);
        match cells.get(1).map(String::as_str) {
            Some("Header") => header = columns(&cells),
            Some("Data") => table.push_str(&statement.rows(&Line { cells: &cells, header: &header })),
            _ => {}
        }
        table.push('\n');
    }
    Cow::from(table.into_bytes())
}

/// Data of the whole statement.
#[derive(Default)]
struct Statement {
    account: String,
    /// ISIN and name by symbol.
    instruments: HashMap<String, (String, String)>,
}

impl Statement {
    fn read(text: &str) -> Self {
        let mut statement = Self::default();
        let mut header = HashMap::new();
        for line in text.lines() {
            let is_of = |table: &str| line.starts_with(table);
            if !is_of("Account Information,") && !is_of("Financial Instrument Information,") {
                continue;
            }
            let cells = cells(line);
            match (cells[0].as_str(), cells.get(1).map(String::as_str)) {
                (_, Some("Header")) => header = columns(&cells),
                ("Account Information", _) if cells.get(2).is_some_and(|cell| cell == "Account") => {
                    statement.account = cells.get(3).cloned().unwrap_or_default();
                }
                ("Financial Instrument Information", _) => {
                    let line = Line { cells: &cells, header: &header };
                    let of = (line.get("Security ID").to_owned(), line.get("Description").to_owned());
                    // Former symbols follow a comma.
                    for symbol in line.get("Symbol").split(',') {
                        statement.instruments.insert(symbol.trim().to_owned(), of.clone());
                    }
                }
                _ => {}
            }
        }
        statement
    }

    /// The rows of a line of data, as CSV; empty if it is not a transaction.
    fn rows(&self, line: &Line<'_>) -> String {
        let currency = line.get("Currency");
        if currency.is_empty() || currency.starts_with("Total") {
            return String::new();
        }
        match line.cells[0].as_str() {
            "Trades" if line.get("DataDiscriminator") == "Order" => match line.get("Asset Category") {
                "Forex" => self.exchange(line),
                category if SHARES.contains(&category) => self.trade(line),
                _ => String::new(),
            },
            "Dividends" => self.payment("Dividend", line),
            "Withholding Tax" => self.payment("Tax", line),
            "Deposits & Withdrawals" if line.get("Amount").starts_with('-') => self.money("Withdrawal", line),
            "Deposits & Withdrawals" => self.money("Deposit", line),
            "Interest" => self.money("Interest", line),
            "Fees" => self.money("Fee", line),
            // Asked about as an unknown action, so that a split is not lost silently.
            other @ ("Corporate Actions" | "Transfers" | "Transaction Fees" | "Sales Tax") => {
                self.money(other, line)
            }
            _ => String::new(),
        }
    }

    fn trade(&self, line: &Line<'_>) -> String {
        let symbol = line.get("Symbol");
        let (isin, name) = self.instruments.get(symbol).cloned().unwrap_or_default();
        record(&[
            "Trade",
            self.account(line),
            line.date(),
            symbol,
            &isin,
            &name,
            line.get("Quantity"),
            line.get("T. Price"),
            line.get("Currency"),
            line.get("Proceeds"),
            line.beginning("Comm").1,
        ])
    }

    /// A dividend, or what was withheld of one, whose description begins with `BWOP(US0000000001)`.
    fn payment(&self, kind: &str, line: &Line<'_>) -> String {
        let description = line.get("Description");
        let named = description.split_once('(').and_then(|(symbol, rest)| {
            let (isin, _) = rest.split_once(')')?;
            is_isin(isin).then_some((symbol.trim(), isin))
        });
        let (symbol, isin) = named.unwrap_or((line.get("Symbol"), ""));
        self.of_account(kind, line, (symbol, isin), line.get("Currency"), line.get("Amount"))
    }

    fn money(&self, kind: &str, line: &Line<'_>) -> String {
        self.of_account(kind, line, ("", ""), line.get("Currency"), line.get("Amount"))
    }

    /// `EUR.USD` is a quantity in euros and proceeds in dollars with the opposite sign. The commission is in the
    /// currency that its column names, such as `Comm in USD`.
    fn exchange(&self, line: &Line<'_>) -> String {
        let (from, to) = line.get("Symbol").split_once('.').unwrap_or((line.get("Symbol"), ""));
        let to = if to.is_empty() { line.get("Currency") } else { to };
        let (name, commission) = line.beginning("Comm");
        let charged_in = name.strip_prefix("Comm in ").unwrap_or(line.get("Currency"));
        let part = |currency: &str, amount: &str| {
            let kind = if amount.starts_with('-') { "Withdrawal" } else { "Deposit" };
            self.of_account(kind, line, ("", ""), currency, amount)
        };
        let mut rows = vec![part(from, line.get("Quantity")), part(to, line.get("Proceeds"))];
        if commission.contains(|letter: char| ('1'..='9').contains(&letter)) {
            rows.push(self.of_account("Fee", line, ("", ""), charged_in, commission));
        }
        // A carriage return ends a row but not a line.
        rows.join("\r")
    }

    fn of_account(
        &self,
        kind: &str,
        line: &Line<'_>,
        (symbol, isin): (&str, &str),
        currency: &str,
        amount: &str,
    ) -> String {
        let description = match line.get("Description") {
            "" => line.get("Symbol"),
            description => description,
        };
        let account = self.account(line);
        record(&[kind, account, line.date(), symbol, isin, description, "", "", currency, amount, ""])
    }

    fn account<'a>(&'a self, line: &Line<'a>) -> &'a str {
        match line.get("Account") {
            "" => &self.account,
            own => own,
        }
    }
}

/// A line and the columns of its table.
struct Line<'a> {
    cells: &'a [String],
    header: &'a HashMap<String, usize>,
}

impl<'a> Line<'a> {
    fn get(&self, column: &str) -> &'a str {
        self.header.get(column).and_then(|at| self.cells.get(*at)).map_or("", |cell| cell.trim())
    }

    /// The column whose name begins with some letters, and its cell.
    fn beginning(&self, name: &str) -> (&'a str, &'a str) {
        let found = self.header.keys().find(|column| column.starts_with(name));
        found.map_or(("", ""), |column| (column.as_str(), self.get(column)))
    }

    /// Without the time.
    fn date(&self) -> &'a str {
        let dates = ["Date/Time", "Date", "Settle Date"].map(|column| self.get(column));
        let date = dates.into_iter().find(|date| !date.is_empty()).unwrap_or_default();
        date.split(',').next().unwrap_or_default()
    }
}

fn columns(cells: &[String]) -> HashMap<String, usize> {
    let named = cells.iter().enumerate().skip(2).filter(|(_, name)| !name.trim().is_empty());
    named.map(|(at, name)| (name.trim().to_owned(), at)).collect()
}

fn cells(line: &str) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(line.as_bytes());
    let record = reader.records().next().and_then(Result::ok).unwrap_or_default();
    record.iter().map(str::to_owned).collect()
}

fn record(cells: &[&str]) -> String {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let written = writer.write_record(cells).ok().and_then(|()| writer.into_inner().ok()).unwrap_or_default();
    String::from_utf8(written).unwrap_or_default().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_the_lines_of_the_statement() {
        let statement = "Statement,Header,Field Name,Field Value\n\
                         Deposits & Withdrawals,Header,Currency,Account,Settle Date,Description,Amount\n\
                         Deposits & Withdrawals,Data,EUR,U2,2026-03-10,\"Transfer, electronic\",\"5,000\"\n\
                         Deposits & Withdrawals,Data,Total,,,,5000\n";
        let table = rows_of_statement(Cow::from(statement.as_bytes()));
        assert_eq!(
            std::str::from_utf8(&table).expect("text"),
            "Type,Account,Date,Symbol,ISIN,Description,Quantity,Price,Currency,Amount,Fee\n\n\
             Deposit,U2,2026-03-10,,,\"Transfer, electronic\",,,EUR,\"5,000\",\n\n"
        );
    }

    #[test]
    fn other_files_are_unchanged() {
        for text in ["Date,Amount\n2026-03-10,5\n", "", "\u{feff}Statement\n"] {
            assert_eq!(rows_of_statement(Cow::from(text.as_bytes())), text.as_bytes());
        }
    }
}
