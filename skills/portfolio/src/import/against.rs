//! Compares the rows of a file with the vault: known rows, possible duplicates, impossible trades.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use nova_skill::figures::TooLarge;
use nova_skill::jiff::ToSpan as _;
use nova_skill::serde_json::Map;
use nova_skill::{Date, Decimal, NotePath, ToolContext, ToolError, Value, VaultPath};
use nova_statement::{Candidate, WrongLine, import_ids, pair_up};

use super::draft::Draft;
use crate::books::{Books, PlannedRecord, PositionNote, TRADE, TradeNote, Transfer};
use crate::ledger::{Event, Ledger, Trade, TradeError, in_order};
use crate::saving::check_other_currencies;
use crate::trade_rules::{Kind, event, follow, transfer};
use crate::valuation::Snapshot;

/// Maximum distance in days between a note and its possible duplicate.
const DAYS: i32 = 3;

/// A new trade, ready to be written.
pub(super) struct Ready {
    pub(super) draft: Draft,
    /// `None` for a movement of cash.
    pub(super) event: Option<Event>,
    /// The fields of its note.
    pub(super) fields: Map<String, Value>,
}

/// A record that a row may duplicate.
#[derive(Clone)]
pub(super) struct Twin {
    pub(super) path: NotePath,
    pub(super) date: Date,
}

/// The rows of a file, compared with the vault.
#[derive(Default)]
pub(super) struct Compared {
    pub(super) new: Vec<Ready>,
    /// By the line of the row.
    pub(super) twins: HashMap<u64, Twin>,
    pub(super) already_there: usize,
    pub(super) wrong: Vec<WrongLine>,
}

impl Compared {
    /// # Errors
    /// When notes cannot be read.
    pub(super) async fn of(
        ctx: &dyn ToolContext,
        snapshot: &Snapshot,
        drafts: Vec<Draft>,
    ) -> Result<Self, ToolError> {
        let known = Known::read(ctx, &snapshot.books).await;
        let mut compared = Self::default();
        let mut imported: HashSet<String> = HashSet::new();
        let mut new = Vec::new();
        // A trade comes before its exchange. If the trade exists, so does the exchange, which the user may have noted
        // by hand as one amount for several trades.
        let mut there: HashMap<u64, &'static str> = HashMap::new();
        let has_own_cash = |currency: &str| {
            let own = |transfer: &Transfer| transfer.is_external() && transfer.import_id.is_none();
            snapshot.books.transfers.iter().any(|transfer| own(transfer) && transfer.currency == currency)
        };
        for draft in drafts {
            let ids = [draft.import_id(), draft.row_id.as_str()];
            if let Some(id) = ids.into_iter().find(|id| known.ids.contains(*id)) {
                imported.insert(id.to_owned());
                compared.already_there += 1;
                if draft.exchanged_for.is_none() {
                    there.insert(draft.line, draft.currency);
                }
            } else if draft.exchanged_for.is_some()
                && there.get(&draft.line).is_some_and(|currency| has_own_cash(currency))
            {
                compared.already_there += 1;
            } else {
                new.push(draft);
            }
        }
        for draft in new {
            match ready(draft, snapshot) {
                Ok(ready) => compared.new.push(ready),
                Err(wrong) => compared.wrong.push(wrong),
            }
        }
        let mut legs: HashMap<u64, Vec<usize>> = HashMap::new();
        for (place, twin) in twins(&snapshot.books, &compared.new, &imported)? {
            let Draft { line, exchanged_for, .. } = &compared.new[place].draft;
            match exchanged_for {
                None => {
                    compared.twins.insert(*line, twin);
                }
                Some(_) => legs.entry(*line).or_default().push(place),
            }
        }
        // The user noted the exchange by hand. One side of it alone is another transaction.
        let noted: HashSet<usize> = legs.into_values().filter(|legs| legs.len() == 2).flatten().collect();
        compared.already_there += noted.len();
        let mut place = 0..;
        compared.new.retain(|_| !place.next().is_some_and(|place| noted.contains(&place)));
        Ok(compared)
    }

    /// Moves trades that are impossible given the existing and the other new ones from `new` to `wrong`. Lines that
    /// are left out are ignored.
    ///
    /// # Errors
    /// When numbers are too large.
    pub(super) fn reject_invalid_trades(
        &mut self,
        snapshot: &Snapshot,
        left_out: &HashSet<u64>,
    ) -> Result<(), ToolError> {
        let books = &snapshot.books;
        let mut wrong: HashMap<u64, String> = HashMap::new();
        let by_symbol = BySymbol::of(books, &self.new);
        for (symbol, currency) in by_symbol.touched() {
            let trades = by_symbol.trades(symbol, currency, left_out);
            wrong.extend(trades.invalid_lines(snapshot, symbol));
        }
        for (symbol, quantity) in self.positions_without_trades(books) {
            let Some(position) = books.position(&symbol) else { continue };
            let trades = by_symbol.trades(&symbol, &position.currency, left_out);
            let held = Ledger::of(snapshot.method, &trades.all, None).ok();
            if held.map(|ledger| ledger.quantity().to_decimal()).transpose()? == Some(quantity) {
                continue;
            }
            for one in self.new.iter().filter(|one| one.draft.symbol.as_ref() == Some(&symbol)) {
                if one.event.as_ref().is_some_and(Event::moves) && !left_out.contains(&one.draft.line) {
                    wrong.entry(one.draft.line).or_insert_with(|| {
                        format!(
                            "the {quantity} {symbol} of {} are in no trade and would no longer count; remove the quantity there first",
                            position.path
                        )
                    });
                }
            }
        }
        self.new.retain(|one| !wrong.contains_key(&one.draft.line));
        self.wrong.extend(wrong.into_iter().map(|(line, problem)| WrongLine { line, problem }));
        self.wrong.sort_by_key(|one| one.line);
        Ok(())
    }

    /// Positions with a quantity and without trades, for which there is a new trade.
    fn positions_without_trades(&self, books: &Books) -> BTreeMap<String, Decimal> {
        let moving = self.new.iter().filter(|one| one.event.as_ref().is_some_and(Event::moves));
        let symbols: BTreeSet<&String> = moving.filter_map(|one| one.draft.symbol.as_ref()).collect();
        let alone = symbols.into_iter().filter(|symbol| !books.moves(symbol));
        alone
            .filter_map(|symbol| {
                let quantity = books.position(symbol)?.quantity.filter(|quantity| !quantity.is_zero())?;
                Some((symbol.clone(), quantity))
            })
            .collect()
    }

    /// Updates the positions whose quantity or cost equals that of their trades.
    pub(super) async fn follow(&self, ctx: &dyn ToolContext, snapshot: &Snapshot) -> Result<(), ToolError> {
        let none = HashSet::new();
        let before = BySymbol::of(&snapshot.books, &[]);
        let after = BySymbol::of(&snapshot.books, &self.new);
        for (symbol, currency) in after.touched() {
            let mut positions = snapshot.books.positions.iter();
            let is_own = |one: &&PositionNote| one.symbol == symbol && one.currency == currency;
            let Some(position) = positions.find(is_own) else { continue };
            let ledger =
                |of: &BySymbol| Ledger::of(snapshot.method, &of.trades(symbol, currency, &none).all, None);
            let (Ok(before), Ok(after)) = (ledger(&before), ledger(&after)) else { continue };
            follow(ctx, position, &before, &after).await?;
        }
        Ok(())
    }

    /// Refuses new trades that change the currency in which a record without one is read.
    ///
    /// # Errors
    /// `InvalidArguments` that says what to do first.
    pub(super) async fn check_other_currencies(
        &self,
        ctx: &dyn ToolContext,
        books: &Books,
    ) -> Result<(), ToolError> {
        let said: Vec<PlannedRecord> = self
            .new
            .iter()
            .map(|one| PlannedRecord {
                note: None,
                kind: TRADE,
                symbol: one.draft.symbol.as_deref().unwrap_or_default(),
                currency: Some(one.draft.currency),
            })
            .collect();
        check_other_currencies(
            &Books::read_with(ctx, &said).await?,
            books,
            None,
            said.first().and_then(|said| said.currency),
        )
    }
}

/// The ids of imported rows.
struct Known {
    ids: HashSet<String>,
}

impl Known {
    async fn read(ctx: &dyn ToolContext, books: &Books) -> Self {
        let trades = books.trades.iter().filter_map(|note| note.import_id.clone());
        let transfers = books.transfers.iter().filter_map(|note| note.import_id.clone());
        let mut ids: HashSet<String> = trades.chain(transfers).collect();
        // Rows of unreadable notes were imported, too.
        for problem in &books.unreadable {
            let Ok(path) = VaultPath::parse(&problem.path) else { continue };
            let Ok(bytes) = ctx.vault().read_file(&path).await else { continue };
            ids.extend(import_ids(&String::from_utf8_lossy(&bytes)));
        }
        Self { ids }
    }
}

/// Turns a row into an event and the fields of its note.
fn ready(draft: Draft, snapshot: &Snapshot) -> Result<Ready, WrongLine> {
    let line = draft.line;
    let of_account = draft.kind.is_of_account(draft.symbol.as_deref());
    let made = match of_account {
        true => transfer(draft.kind, &draft.numbers).map(|fields| (None, fields)),
        false => event(draft.kind, &draft.numbers, || Ok(Decimal::ONE))
            .map(|(event, fields)| (Some(event), fields)),
    };
    let (event, fields) = made.map_err(|error| WrongLine {
        line,
        problem: match error {
            ToolError::InvalidArguments { path, rule, .. } => {
                format!("its {} {rule}", path.trim_start_matches('/'))
            }
            error => error.to_string(),
        },
    })?;
    // Numbers that the ledger cannot compute with are refused.
    if let Some(event) = &event {
        let trade = Trade { date: draft.date, event: event.clone(), origin: 0 };
        if let Err((_, TradeError::TooLarge(error))) = Ledger::of(snapshot.method, &[trade], None) {
            return Err(WrongLine { line, problem: error.to_string() });
        }
    }
    Ok(Ready { draft, event, fields })
}

/// The key by which records are compared.
type Same<'a> = (&'static str, &'a str, &'a str, Decimal);

/// Pairs rows with existing records by kind, symbol, currency and quantity, or amount if there is none; each record
/// with one row. `imported` are the ids of records that belong to other rows of the file.
fn twins(books: &Books, new: &[Ready], imported: &HashSet<String>) -> Result<Vec<(usize, Twin)>, ToolError> {
    let mut records: Vec<(Same, &NotePath, Date)> = Vec::new();
    let is_other = |id: &Option<String>| id.as_ref().is_none_or(|id| !imported.contains(id));
    for note in books.trades.iter().filter(|note| is_other(&note.import_id)) {
        let Some(kind) = Kind::parse(note.kind) else { continue };
        let number = shared(&note.trade.event)?;
        records.push(((kind.word(), &note.symbol, &note.currency, number), &note.path, note.trade.date));
    }
    for transfer in books.transfers.iter().filter(|transfer| is_other(&transfer.import_id)) {
        let number = transfer.amount.abs().normalize();
        records.push(((transfer.kind, "", &transfer.currency, number), &transfer.path, transfer.date));
    }
    records.sort_by_key(|(_, _, date)| *date);
    let mut by_key: HashMap<Same, Vec<usize>> = HashMap::new();
    for (at, (key, ..)) in records.iter().enumerate() {
        by_key.entry(*key).or_default().push(at);
    }
    let mut candidates = Vec::new();
    for (place, one) in new.iter().enumerate() {
        let draft = &one.draft;
        let number = match &one.event {
            Some(event) => shared(event)?,
            None => draft.numbers.price.or(draft.numbers.fee).unwrap_or_default().normalize(),
        };
        let key = (draft.kind.word(), draft.symbol.as_deref().unwrap_or_default(), draft.currency, number);
        let same = by_key.get(&key).map(Vec::as_slice).unwrap_or_default();
        let earliest = draft.date.saturating_sub(DAYS.days());
        let begin = same.partition_point(|other| records[*other].2 < earliest);
        for other in same[begin..].iter().copied() {
            let apart = draft.date.until(records[other].2).map_or(i32::MAX, |span| span.get_days().abs());
            if apart > DAYS {
                break;
            }
            candidates.push(Candidate { distance: (apart, false), place, other });
        }
    }
    let pairs = pair_up(candidates).into_iter();
    let twin = |(place, other): (usize, usize)| {
        let (_, path, date) = records[other];
        (place, Twin { path: path.clone(), date })
    };
    Ok(pairs.map(twin).collect())
}

/// The number by which an event is compared.
fn shared(event: &Event) -> Result<Decimal, TooLarge> {
    Ok(match event {
        Event::Buy { quantity, .. } | Event::Sell { quantity, .. } => quantity.normalize(),
        Event::Dividend { quantity, price, .. } => quantity.checked_mul(*price).ok_or(TooLarge)?.normalize(),
        Event::Split { new, old } => new.checked_div(*old).ok_or(TooLarge)?.normalize(),
        Event::Fee { amount } => amount.normalize(),
    })
}

/// Existing and new trades by symbol.
struct BySymbol<'a> {
    /// Number of existing trades.
    existing: usize,
    old: HashMap<&'a str, Vec<&'a TradeNote>>,
    new: BTreeMap<&'a str, Vec<(usize, &'a Draft, &'a Event)>>,
}

impl<'a> BySymbol<'a> {
    fn of(books: &'a Books, new: &'a [Ready]) -> Self {
        let mut by_symbol = Self { existing: books.trades.len(), old: HashMap::new(), new: BTreeMap::new() };
        for note in &books.trades {
            by_symbol.old.entry(&note.symbol).or_default().push(note);
        }
        for (place, Ready { draft, event, .. }) in new.iter().enumerate() {
            if let (Some(symbol), Some(event)) = (&draft.symbol, event) {
                by_symbol.new.entry(symbol).or_default().push((place, draft, event));
            }
        }
        by_symbol
    }

    /// The symbols and currencies that new trades affect; a split affects all currencies.
    fn touched(&self) -> BTreeSet<(&'a str, &'a str)> {
        let mut touched = BTreeSet::new();
        for (symbol, new) in &self.new {
            touched.extend(new.iter().map(|(_, draft, _)| (*symbol, draft.currency)));
            if new.iter().any(|(.., event)| matches!(event, Event::Split { .. })) {
                let old = self.old.get(symbol).into_iter().flatten();
                touched.extend(old.map(|other| (*symbol, other.currency.as_str())));
            }
        }
        touched
    }

    fn trades(&self, symbol: &str, currency: &str, left_out: &HashSet<u64>) -> Trades {
        let old = self.old.get(symbol).into_iter().flatten().filter(|note| note.is_of(symbol, currency));
        let mut trades = Trades {
            all: old.map(|note| note.trade.clone()).collect(),
            existing: self.existing,
            lines: HashMap::new(),
        };
        for (place, draft, event) in self.new.get(symbol).into_iter().flatten() {
            let is_own = matches!(event, Event::Split { .. }) || draft.currency == currency;
            if is_own && !left_out.contains(&draft.line) {
                let origin = self.existing + place;
                trades.all.push(Trade { date: draft.date, event: (*event).clone(), origin });
                trades.lines.insert(origin, draft.line);
            }
        }
        trades
    }
}

/// The trades of a symbol in a currency.
struct Trades {
    all: Vec<Trade>,
    /// New trades have at least this origin.
    existing: usize,
    /// Of new trades, by origin.
    lines: HashMap<usize, u64>,
}

impl Trades {
    /// New sales of more than is held, and new sales that leave too little for a later existing one.
    fn invalid_lines(&self, snapshot: &Snapshot, symbol: &str) -> HashMap<u64, String> {
        let mut trades: Vec<&Trade> = self.all.iter().collect();
        in_order(&mut trades);
        let mut wrong = HashMap::new();
        // An existing contradiction is not blamed on new trades.
        let own: Vec<Trade> = self.all.iter().filter(|trade| trade.origin < self.existing).cloned().collect();
        let was_wrong = Ledger::of(snapshot.method, &own, None).is_err();
        let mut dropped: HashSet<usize> = HashSet::new();
        'again: loop {
            let mut ledger = Ledger::new(snapshot.method);
            let mut last_sale = None;
            for trade in &trades {
                if dropped.contains(&trade.origin) {
                    continue;
                }
                let is_new = trade.origin >= self.existing;
                let Err(why) = ledger.apply(trade) else {
                    if is_new && matches!(trade.event, Event::Sell { .. }) {
                        last_sale = Some(trade.origin);
                    }
                    continue;
                };
                if is_new {
                    dropped.insert(trade.origin);
                    wrong.extend(self.lines.get(&trade.origin).map(|line| (*line, refused(symbol, &why))));
                } else if let Some(sale) = last_sale.filter(|_| !was_wrong) {
                    dropped.insert(sale);
                    let path = snapshot.books.trades.get(trade.origin).map_or("", |note| note.path.as_str());
                    let problem = format!("it leaves too little for a later sale: {path}");
                    wrong.extend(self.lines.get(&sale).map(|line| (*line, problem)));
                    continue 'again;
                }
            }
            return wrong;
        }
    }
}

fn refused(symbol: &str, why: &TradeError) -> String {
    match why {
        TradeError::Oversold { date, sold, held } => {
            format!("{sold} {symbol} cannot be sold on {date}: {held} are held then")
        }
        TradeError::TooLarge(error) => error.to_string(),
    }
}
