use std::collections::{BTreeSet, HashMap};

use nova_skill::figures::{TooLarge, currency_code};
use nova_skill::{
    Date, Decimal, Note, NotePath, Problem, Record, RecordType, ToolContext, ToolError, Value, json,
};

use crate::amount::CURRENCY_REMEDY;
use crate::currencies::Currencies;
use crate::ledger::{Event, Trade, sum};
pub(crate) use crate::record_types::{POSITION, PRICE, TRADE};

/// The kinds of trades that never have a symbol.
pub(crate) const DEPOSIT: &str = "deposit";
pub(crate) const WITHDRAWAL: &str = "withdrawal";
pub(crate) const INTEREST: &str = "interest";
/// The kinds that belong to the account if they have no symbol.
pub(crate) const FEE: &str = "fee";
pub(crate) const TAX: &str = "tax";

/// A snapshot of all trades, positions and prices in the vault.
#[derive(Default)]
pub(crate) struct Books {
    /// By path; [`Trade::origin`] is the index in this list.
    pub(crate) trades: Vec<TradeNote>,
    /// Deposits, withdrawals, and interest, fees and taxes of the account: trades without a symbol.
    pub(crate) transfers: Vec<Transfer>,
    pub(crate) positions: Vec<PositionNote>,
    pub(crate) prices: Vec<PriceNote>,
    /// Notes of these types that cannot be read.
    pub(crate) unreadable: Vec<Problem>,
    /// The default currency of records that name none; `None` on a tie.
    pub(crate) currency: Option<String>,
    /// Unused prices: another note has one for the same day.
    pub(crate) doubled: Vec<Problem>,
    /// By symbol, the currency of its trades if they agree, or else of its position.
    of_symbol: HashMap<String, String>,
}

pub(crate) struct TradeNote {
    pub(crate) path: NotePath,
    /// The line of the quantity, if there is one.
    pub(crate) line: u32,
    pub(crate) symbol: String,
    pub(crate) currency: String,
    pub(crate) kind: &'static str,
    pub(crate) trade: Trade,
    /// Set by an import.
    pub(crate) import_id: Option<String>,
}

/// A movement of cash without a symbol: a deposit, a withdrawal, or interest, fees and taxes of the account.
pub(crate) struct Transfer {
    pub(crate) path: NotePath,
    pub(crate) currency: String,
    pub(crate) kind: &'static str,
    pub(crate) date: Date,
    /// Positive for incoming, negative for outgoing money.
    pub(crate) amount: Decimal,
    /// An additional cost.
    pub(crate) fee: Decimal,
    /// Set by an import.
    pub(crate) import_id: Option<String>,
}

pub(crate) struct PositionNote {
    pub(crate) path: NotePath,
    /// The line of the quantity, if there is one.
    pub(crate) line: u32,
    /// The line of the cost, if there is one.
    pub(crate) cost_line: u32,
    /// The line of the currency, if there is one.
    pub(crate) currency_line: u32,
    pub(crate) symbol: String,
    pub(crate) name: Option<String>,
    pub(crate) exchange: Option<String>,
    pub(crate) isin: Option<String>,
    pub(crate) currency: String,
    pub(crate) quantity: Option<Decimal>,
    pub(crate) cost: Option<Decimal>,
    pub(crate) opened: Option<Date>,
}

pub(crate) struct PriceNote {
    pub(crate) path: NotePath,
    /// The line of the date.
    pub(crate) line: u32,
    pub(crate) symbol: String,
    pub(crate) date: Date,
    pub(crate) close: Decimal,
    pub(crate) currency: String,
}

impl Transfer {
    /// Whether it is a deposit or a withdrawal. Interest, fees and taxes of the account are part of the
    /// return.
    pub(crate) fn is_external(&self) -> bool {
        [DEPOSIT, WITHDRAWAL].contains(&self.kind)
    }

    /// The change in cash.
    pub(crate) fn cash(&self) -> Result<Decimal, TooLarge> {
        sum(self.amount, -self.fee)
    }
}

impl TradeNote {
    /// Whether it counts for a symbol in a currency; a split counts in every currency.
    pub(crate) fn is_of(&self, symbol: &str, currency: &str) -> bool {
        let is_split = matches!(self.trade.event, Event::Split { .. });
        self.symbol == symbol && (is_split || self.currency == currency)
    }
}

impl Books {
    pub(crate) async fn read(ctx: &dyn ToolContext) -> Result<Self, ToolError> {
        Self::read_with(ctx, &[]).await
    }

    /// Reads the other records, as they would be with this one.
    pub(crate) async fn read_with_record(
        ctx: &dyn ToolContext,
        said: PlannedRecord<'_>,
    ) -> Result<Self, ToolError> {
        Self::read_with(ctx, &[said]).await
    }

    /// Reads the other records, as they would be with these. Only the first of `new` may replace a note.
    pub(crate) async fn read_with(
        ctx: &dyn ToolContext,
        new: &[PlannedRecord<'_>],
    ) -> Result<Self, ToolError> {
        let replaced = new.first().and_then(|said| said.note);
        let mut books = Self::default();
        let mut notes = Vec::new();
        for kind in [POSITION, TRADE, PRICE] {
            notes.push((ctx.records().get(kind)?, ctx.vault().records(kind).await?));
            books.unreadable.extend(ctx.vault().unreadable(kind).await?);
        }
        let mut said = Currencies::default();
        for PlannedRecord { kind, symbol, currency, .. } in new {
            let Some(code) = currency else { continue };
            let symbol = Some((*symbol).to_owned()).filter(|symbol| !symbol.is_empty());
            said.add(kind, symbol, (*code).to_owned());
        }
        for (declared, notes) in &notes {
            for note in notes.iter().filter(|note| Some(&note.path) != replaced) {
                let record = declared.read(note);
                let code = match record.text("currency") {
                    Ok(text) => text.and_then(|text| currency_code(&text)),
                    // Reported when the record is added below.
                    Err(ToolError::BrokenRecord(_)) => None,
                    Err(error) => return Err(error),
                };
                if let Some(code) = code {
                    let symbol =
                        transfer_kind(declared, &record).is_none().then(|| symbol_of(declared, &record).ok());
                    said.add(declared.name(), symbol.flatten(), code.to_owned());
                }
            }
        }
        let configured = ctx.config().get("currency").and_then(Value::as_str).and_then(currency_code);
        books.currency = configured.map(str::to_owned).or_else(|| said.commonest());
        books.of_symbol = said.of_symbol();
        let today = ctx.clock().today();
        for (declared, notes) in &notes {
            for note in notes.iter().filter(|note| Some(&note.path) != replaced) {
                let record = declared.read(note);
                if let Err(error) = books.add(declared, &record, today) {
                    match error {
                        ToolError::BrokenRecord(problem) => books.unreadable.push(problem),
                        error => return Err(error),
                    }
                }
            }
        }
        books.unreadable.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        books.unreadable.dedup_by(|a, b| a.path == b.path);
        books.doubled = books.doubled_prices();
        Ok(books)
    }

    fn add(&mut self, declared: &RecordType, record: &Record<'_>, today: Date) -> Result<(), ToolError> {
        let note = record.note();
        let transfer = transfer_kind(declared, record);
        // The symbol of a deposit, withdrawal or interest is ignored.
        let symbol = if transfer.is_some() { String::new() } else { symbol_of(declared, record)? };
        let at = NoteLocation { declared, note };
        let currency = match record.text("currency")?.filter(|text| !text.trim().is_empty()) {
            Some(text) => currency_code(&text).map(str::to_owned).ok_or_else(|| {
                at.broken("currency", format!("is `{text}`, which is not a currency"), CURRENCY_REMEDY)
            })?,
            None => self
                .read_in(&symbol)
                .cloned()
                .ok_or_else(|| at.broken("currency", "is missing".into(), CURRENCY_REMEDY))?,
        };
        let path = note.path.clone();
        if let Some(kind) = transfer {
            let (price, fee) = (record.decimal("price")?, record.decimal("fee")?.unwrap_or_default());
            let (amount, fee) = match kind {
                DEPOSIT | INTEREST => (at.above_zero("price", price)?, fee),
                WITHDRAWAL => (-at.above_zero("price", price)?, fee),
                _ if fee.is_zero() => (-at.above_zero("fee", price)?, fee),
                _ => (-fee, Decimal::ZERO),
            };
            let date = at.past_date(record.date("date")?, today)?;
            let import_id = record.text("import_id")?;
            self.transfers.push(Transfer { path, currency, kind, date, amount, fee, import_id });
            return Ok(());
        }
        match declared.name() {
            POSITION => self.positions.push(PositionNote {
                path,
                line: at.line("quantity"),
                cost_line: at.line("cost_basis"),
                currency_line: at.line("currency"),
                symbol,
                name: record.text("name")?.filter(|name| !name.trim().is_empty()),
                isin: record.text("isin")?.filter(|text| !text.trim().is_empty()),
                exchange: record.text("exchange")?.filter(|text| !text.trim().is_empty()),
                currency,
                quantity: record.decimal("quantity")?,
                cost: record.decimal("cost_basis")?,
                opened: record.date("opened")?,
            }),
            TRADE => {
                let kind = record.choice("kind")?.ok_or_else(|| at.missing("kind"))?;
                let date = at.past_date(record.date("date")?, today)?;
                let (kind, event) = event(kind, record, &at)?;
                let trade = Trade { date, event, origin: self.trades.len() };
                self.trades.push(TradeNote {
                    path,
                    line: at.line("quantity"),
                    symbol,
                    currency,
                    kind,
                    trade,
                    import_id: record.text("import_id")?,
                });
            }
            _ => self.prices.push(PriceNote {
                path,
                line: at.line("date"),
                symbol,
                date: record.date("date")?.ok_or_else(|| at.missing("date"))?,
                close: at.above_zero("close", record.decimal("close")?)?,
                currency,
            }),
        }
        Ok(())
    }

    /// The currency of a record of this symbol that names none.
    pub(crate) fn read_in(&self, symbol: &str) -> Option<&String> {
        self.of_symbol.get(symbol).or(self.currency.as_ref())
    }

    /// The records of `before` whose currency differs here or is unknown, with their currency in `before`.
    pub(crate) fn currency_changes<'a>(
        &self,
        before: &'a Self,
        but: Option<&NotePath>,
    ) -> Vec<(&'a NotePath, &'a str)> {
        let now: HashMap<&NotePath, &str> = self.currencies().collect();
        let is_other = |(path, code): &(&NotePath, &str)| Some(*path) != but && now.get(path) != Some(code);
        before.currencies().filter(is_other).collect()
    }

    /// Each record and its currency.
    pub(crate) fn currencies(&self) -> impl Iterator<Item = (&NotePath, &str)> {
        let trades = self.trades.iter().map(|note| (&note.path, note.currency.as_str()));
        let positions = self.positions.iter().map(|note| (&note.path, note.currency.as_str()));
        let prices = self.prices.iter().map(|note| (&note.path, note.currency.as_str()));
        let transfers = self.transfers.iter().map(|note| (&note.path, note.currency.as_str()));
        trades.chain(positions).chain(prices).chain(transfers)
    }

    /// The prices that repeat the symbol, day and currency of an earlier note.
    fn doubled_prices(&self) -> Vec<Problem> {
        let mut seen: HashMap<(&str, Date, &str), &NotePath> = HashMap::new();
        let mut doubled = Vec::new();
        for price in &self.prices {
            let key = (price.symbol.as_str(), price.date, price.currency.as_str());
            let Some(first) = seen.get(&key) else {
                seen.insert(key, &price.path);
                continue;
            };
            doubled.push(Problem {
                path: price.path.to_string(),
                line: price.line,
                problem: format!(
                    "{} has two prices in {} for {}; that of {first} is used",
                    price.symbol, price.currency, price.date
                ),
                remedy: "Keep one of the two notes.".into(),
            });
        }
        doubled
    }

    /// Whether any trade changes the quantity of a symbol.
    pub(crate) fn moves(&self, symbol: &str) -> bool {
        self.trades.iter().any(|note| note.symbol == symbol && note.trade.event.moves())
    }

    /// The first day on which the symbol was held, according to the notes.
    pub(crate) fn first_held(&self, symbol: &str) -> Option<Date> {
        let opened = self.positions.iter().filter(|position| position.symbol == symbol);
        self.quantity_change_days(symbol).chain(opened.filter_map(|position| position.opened)).min()
    }

    /// The day of the last trade that changed the quantity.
    pub(crate) fn last_moved(&self, symbol: &str) -> Option<Date> {
        self.quantity_change_days(symbol).max()
    }

    fn quantity_change_days(&self, symbol: &str) -> impl Iterator<Item = Date> {
        let moves = self.trades.iter().filter(move |note| note.symbol == symbol && note.trade.event.moves());
        moves.map(|note| note.trade.date)
    }

    /// The trades of a symbol in one currency. Splits count in every currency.
    pub(crate) fn trades_of(&self, symbol: &str, currency: &str) -> impl Iterator<Item = &TradeNote> {
        self.trades.iter().filter(move |note| note.is_of(symbol, currency))
    }

    /// The `unreadable` list of an answer.
    pub(crate) fn unreadable_json(&self) -> Value {
        problems_json(&self.unreadable)
    }

    /// The position note of a symbol.
    pub(crate) fn position(&self, symbol: &str) -> Option<&PositionNote> {
        self.positions.iter().find(|position| position.symbol == symbol)
    }

    /// Every symbol in trades and positions.
    pub(crate) fn symbols(&self) -> BTreeSet<&str> {
        let trades = self.trades.iter().map(|trade| trade.symbol.as_str());
        trades.chain(self.positions.iter().map(|position| position.symbol.as_str())).collect()
    }

    /// Resolves a symbol, or the name of its position.
    ///
    /// # Errors
    /// `NotFound` with the most similar symbols, `Ambiguous` with all matches.
    pub(crate) fn find(&self, said: &str) -> Result<String, ToolError> {
        let symbol = as_symbol(said);
        if self.symbols().contains(symbol.as_str()) {
            return Ok(symbol);
        }
        let wanted = nova_skill::figures::folded(said);
        let called = |position: &&PositionNote| {
            let name = position.name.as_deref().map(nova_skill::figures::folded).unwrap_or_default();
            !wanted.is_empty() && name.contains(&wanted)
        };
        let found: Vec<String> = self.positions.iter().filter(called).map(|one| one.symbol.clone()).collect();
        match found.as_slice() {
            [one] => Ok(one.clone()),
            [] => Err(ToolError::NotFound {
                kind: "symbol".into(),
                name: said.into(),
                nearest: {
                    let mut near: Vec<&str> = self.symbols().into_iter().collect();
                    near.sort_by_key(|other| {
                        std::cmp::Reverse(nova_skill::figures::similarity(other, &symbol))
                    });
                    near.into_iter().take(5).map(str::to_owned).collect()
                },
            }),
            _ => Err(ToolError::Ambiguous { kind: "position".into(), name: said.into(), matches: found }),
        }
    }
}

/// A planned record, instead of the existing note, if there is one.
#[derive(Clone, Copy)]
pub(crate) struct PlannedRecord<'a> {
    pub(crate) note: Option<&'a NotePath>,
    /// The type of the record.
    pub(crate) kind: &'a str,
    pub(crate) symbol: &'a str,
    /// A currency code; `None` if it names none.
    pub(crate) currency: Option<&'a str>,
}

/// The `problems` or `unreadable` list of an answer.
pub(crate) fn problems_json(problems: &[Problem]) -> Value {
    let row = |problem: &Problem| {
        let mut row = json!({"problem": problem.problem, "remedy": problem.remedy});
        if !problem.path.is_empty() {
            row["path"] = json!(problem.path);
            row["line"] = json!(problem.line);
        }
        row
    };
    problems.iter().map(row).collect()
}

/// Normalises a symbol for comparison: upper case, without `[[` and `]]`.
pub(crate) fn as_symbol(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")).unwrap_or(text);
    inner.split('|').next().unwrap_or(inner).trim().to_uppercase()
}

/// Whether the text is a valid symbol: one word of at most 20 characters.
pub(crate) fn is_symbol(text: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '=' | '^' | '/' | ':');
    text.chars().all(fits) && (1..=20).contains(&text.chars().count())
}

fn symbol_of(declared: &RecordType, record: &Record<'_>) -> Result<String, ToolError> {
    let said = match record.text("symbol")? {
        Some(text) => text,
        // A position's note may take its symbol from the title alone.
        None if declared.name() == POSITION => record.title().into_owned(),
        None => return Err(NoteLocation { declared, note: record.note() }.missing("symbol")),
    };
    Ok(as_symbol(&said))
}

/// The kind of a trade without a symbol.
fn transfer_kind(declared: &RecordType, record: &Record<'_>) -> Option<&'static str> {
    if declared.name() != TRADE {
        return None;
    }
    let kind = record.choice("kind").ok().flatten()?;
    let is_of_symbol = || !matches!(record.text("symbol"), Ok(said) if said.as_deref().is_none_or(|text| text.trim().is_empty()));
    let may_be = [FEE, TAX].into_iter().find(|one| *one == kind).filter(|_| !is_of_symbol());
    may_be.or_else(|| [DEPOSIT, WITHDRAWAL, INTEREST].into_iter().find(|one| *one == kind))
}

/// Reads the event of a trade's note.
fn event(kind: &str, record: &Record<'_>, at: &NoteLocation<'_>) -> Result<(&'static str, Event), ToolError> {
    let quantity = record.decimal("quantity")?;
    let price = record.decimal("price")?;
    let fee = record.decimal("fee")?.unwrap_or_default();
    Ok(match kind {
        "buy" | "sell" => {
            let quantity = at.above_zero("quantity", quantity)?;
            // A gift needs a price, too: zero.
            let price = price.ok_or_else(|| at.missing("price"))?;
            match kind {
                "buy" => ("buy", Event::Buy { quantity, price, fee }),
                _ => ("sell", Event::Sell { quantity, price, fee }),
            }
        }
        "dividend" => {
            let quantity = quantity.unwrap_or(Decimal::ONE);
            let price = at.above_zero("price", price)?;
            ("dividend", Event::Dividend { quantity, price, fee })
        }
        "split" => {
            let new = at.above_zero("quantity", quantity)?;
            let old = at.above_zero("per", Some(record.decimal("per")?.unwrap_or(Decimal::ONE)))?;
            ("split", Event::Split { new, old })
        }
        _ => {
            let amount = if fee.is_zero() { at.above_zero("fee", price)? } else { fee };
            (if kind == TAX { TAX } else { FEE }, Event::Fee { amount })
        }
    })
}

/// A note, as the location of problems.
struct NoteLocation<'a> {
    declared: &'a RecordType,
    note: &'a Note,
}

impl NoteLocation<'_> {
    fn property(&self, field: &str) -> String {
        self.declared.fields.get(field).map_or(field, |field| field.property()).to_owned()
    }

    fn line(&self, field: &str) -> u32 {
        let entry = self.note.document.entry(&self.property(field));
        entry.map_or(1, |(_, property)| property.line)
    }

    fn broken(&self, field: &str, what: String, remedy: &str) -> ToolError {
        ToolError::BrokenRecord(Problem {
            path: self.note.path.to_string(),
            line: self.line(field),
            problem: format!("`{}` {what}", self.property(field)),
            remedy: remedy.into(),
        })
    }

    /// Requires a date that is not in the future.
    fn past_date(&self, date: Option<Date>, today: Date) -> Result<Date, ToolError> {
        let date = date.ok_or_else(|| self.missing("date"))?;
        if date > today {
            let what = format!("is `{date}`, which is in the future");
            return Err(self.broken("date", what, "Correct the date: a trade cannot be in the future."));
        }
        Ok(date)
    }

    fn missing(&self, field: &str) -> ToolError {
        let property = self.property(field);
        self.broken(field, "is missing".into(), &format!("Add `{property}:` to the note's properties."))
    }

    fn above_zero(&self, field: &str, number: Option<Decimal>) -> Result<Decimal, ToolError> {
        let number = number.ok_or_else(|| self.missing(field))?;
        if number.is_zero() {
            return Err(self.broken(field, "is `0`".into(), "Write a number above zero."));
        }
        Ok(number)
    }
}
