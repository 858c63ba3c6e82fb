//! A snapshot of all incomes, expenses and transfers, with the rules and limits.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use nova_skill::figures::{Days, currency_code, folded, money, near_currency_codes};
use nova_skill::serde_json::Map;
use nova_skill::{
    Date, Decimal, Note, NotePath, Problem, Record, RecordType, RecordTypes, ToolContext, ToolError, Value,
    json, par_map_chunks,
};

use crate::arguments::invalid_argument;
use crate::properties::{missing, property_problem, text};
use crate::recurring::{Every, occurrences};
use crate::rules::Rule;
use crate::transfer::{Side, Transfer};

pub(crate) const INCOME: &str = "income";
pub(crate) const EXPENSE: &str = "expense";
pub(crate) const TRANSFER: &str = "transfer";
pub(crate) const RULE: &str = "rule";
pub(crate) const LIMIT: &str = "limit";

/// The label of entries without a category.
pub(crate) const UNCATEGORISED: &str = "uncategorised";

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// By path.
    pub(crate) entries: Vec<Entry>,
    /// Transfers between the user's own accounts, by path; in no sum of income or expenses.
    pub(crate) transfers: Vec<Transfer>,
    /// In the order in which they are tried.
    pub(crate) rules: Vec<Rule>,
    /// At most one for each category and currency.
    pub(crate) limits: Vec<Limit>,
    /// Further limits of the same category and currency; they have no effect.
    pub(crate) repeated_limits: Vec<Limit>,
    /// Notes that cannot be read; they are in no sum.
    pub(crate) unreadable: Vec<Problem>,
    /// The default currency: the configured one, or else the most frequent in the notes.
    pub(crate) currency: Option<String>,
}

/// A note of an income or an expense, recurring or not.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) path: NotePath,
    pub(crate) is_income: bool,
    /// For a recurring entry, its first day.
    pub(crate) date: Date,
    /// Unrounded, never negative.
    pub(crate) amount: Decimal,
    /// Whether it reverses an expense or an income.
    pub(crate) is_refund: bool,
    pub(crate) currency: String,
    pub(crate) category: Option<String>,
    /// The folded category, for comparison.
    pub(crate) category_key: Arc<str>,
    pub(crate) payee: Option<String>,
    pub(crate) memo: Option<String>,
    pub(crate) account: Option<String>,
    pub(crate) every: Option<Every>,
    pub(crate) until: Option<Date>,
    pub(crate) import_id: Option<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Limit {
    pub(crate) path: NotePath,
    pub(crate) category: String,
    pub(crate) amount: Decimal,
    pub(crate) currency: String,
    /// The values of the user's own fields.
    pub(crate) own: Map<String, Value>,
}

impl Ledger {
    pub(crate) async fn read(ctx: &dyn ToolContext) -> Result<Self, ToolError> {
        let read = ctx.vault().read_records(&[INCOME, EXPENSE, TRANSFER, RULE, LIMIT]).await?;
        let mut ledger = Self { unreadable: read.unreadable, ..Self::default() };
        ledger.currency = match configured_currency(ctx.config())? {
            Some(code) => Some(code),
            None => most_frequent_currency(ctx.records(), &read.notes, &[], |record| {
                record.text_there("currency")
            })?,
        };
        let (records, default) = (ctx.records(), ledger.currency.as_deref());
        for chunk in par_map_chunks(&read.notes, |notes| Chunk::read(records, notes, default)) {
            let Chunk { entries, transfers, rules, limits, unreadable } = chunk?;
            match ledger.entries.is_empty() {
                true => ledger.entries = entries,
                false => ledger.entries.extend(entries),
            }
            ledger.transfers.extend(transfers);
            ledger.rules.extend(rules);
            ledger.unreadable.extend(unreadable);
            for (limit, declared, note) in limits {
                let problem = ledger.add_limit(limit, declared, note);
                ledger.unreadable.extend(problem);
            }
        }
        ledger.unreadable.sort();
        ledger.rules.sort_by(Rule::order);
        Ok(ledger)
    }

    /// Adds a limit; returns a problem if its category already has one.
    fn add_limit(&mut self, limit: Limit, declared: &RecordType, note: &Note) -> Option<Problem> {
        let key = folded(&limit.category);
        let is_same = |other: &&Limit| other.currency == limit.currency && folded(&other.category) == key;
        let Some(first) = self.limits.iter().find(is_same) else {
            self.limits.push(limit);
            return None;
        };
        let describe = |_: &str| {
            format!("{} is another limit of \"{}\", and that one is used", first.path, first.category)
        };
        let problem = property_problem(declared, note, "category", describe, "Delete one of the two.".into());
        self.repeated_limits.push(limit);
        Some(problem)
    }

    /// Checks that adding notes with these currencies, so many of each, changes the currency of no other
    /// note.
    ///
    /// # Errors
    /// `InvalidArguments`, saying what to do first.
    pub(crate) async fn check_other_currencies(
        &self,
        ctx: &dyn ToolContext,
        new: &[(&str, usize)],
    ) -> Result<(), ToolError> {
        // More notes of the default currency cannot change it.
        if new.iter().all(|(code, _)| self.currency.as_deref() == Some(code)) {
            return Ok(());
        }
        DefaultCurrency::after_change(ctx, CurrencyChange::NewNotes(new)).await?.check_other_currencies()
    }

    /// The given currency, or else the default of the ledger.
    pub(crate) fn currency_or(&self, given: Option<&str>) -> Result<String, ToolError> {
        if let Some(given) = given.map(str::trim).filter(|given| !given.is_empty()) {
            return currency_code(given).map(str::to_owned).ok_or_else(|| ToolError::InvalidArguments {
                path: "/currency".into(),
                rule: format!("\"{given}\" is not a currency; use a code such as EUR"),
                allowed: near_currency_codes(given).into_iter().map(str::to_owned).collect(),
            });
        }
        self.currency.clone().ok_or_else(|| {
            ToolError::failed(
                "No currency was given, and the notes name no usual one.",
                "Give the argument currency, such as EUR, or set the currency of the skill budget.",
            )
        })
    }

    /// The category as spelled in its limit, or else in the first entry that has it.
    pub(crate) fn spelling(&self, category: &str) -> String {
        let wanted = folded(category);
        let limits = self.limits.iter().map(|limit| &limit.category);
        let entries = self.entries.iter().filter_map(|entry| entry.category.as_ref());
        let mut known = limits.chain(entries);
        known.find(|known| folded(known) == wanted).cloned().unwrap_or_else(|| category.trim().to_owned())
    }

    /// The account as spelled in the notes.
    pub(crate) fn account_spelling(&self, account: &str) -> String {
        let wanted = folded(account);
        let sides =
            self.transfers.iter().flat_map(|transfer| [&transfer.out.account, &transfer.into.account]);
        let mut known = self.entries.iter().map(|entry| &entry.account).chain(sides).flatten();
        known.find(|known| folded(known) == wanted).cloned().unwrap_or_else(|| account.trim().to_owned())
    }

    /// The unreadable notes as rows of an answer.
    pub(crate) fn unreadable_rows(&self) -> Vec<Value> {
        let row = |problem: &Problem| {
            json!({
                "path": problem.path, "line": problem.line,
                "problem": problem.problem, "remedy": problem.remedy,
            })
        };
        self.unreadable.iter().map(row).collect()
    }

    /// The caution of a figure when notes could not be read.
    pub(crate) fn caution(&self) -> Option<String> {
        match self.unreadable.len() {
            0 => None,
            1 => Some("1 note cannot be read".to_owned()),
            n => Some(format!("{n} notes cannot be read")),
        }
    }
}

/// The records of a chunk of the notes.
#[derive(Default)]
struct Chunk<'a> {
    entries: Vec<Entry>,
    transfers: Vec<Transfer>,
    rules: Vec<Rule>,
    limits: Vec<(Limit, &'a RecordType, &'a Note)>,
    unreadable: Vec<Problem>,
}

impl<'a> Chunk<'a> {
    /// `default` is the default currency.
    fn read(declared: &'a RecordTypes, notes: &'a [Note], default: Option<&str>) -> Result<Self, ToolError> {
        let mut keys = KeyInterner::default();
        let mut chunk = Self { entries: Vec::with_capacity(notes.len()), ..Self::default() };
        for note in notes {
            let Some(declared) = declared.of_note(note) else { continue };
            match chunk.add(declared, note, default, &mut keys) {
                Err(ToolError::BrokenRecord(problem)) => chunk.unreadable.push(problem),
                other => other?,
            }
        }
        Ok(chunk)
    }

    fn add(
        &mut self,
        declared: &'a RecordType,
        note: &'a Note,
        default: Option<&str>,
        keys: &mut KeyInterner,
    ) -> Result<(), ToolError> {
        let record = declared.read(note);
        match declared.name() {
            RULE => self.rules.push(Rule::read(declared, &record)?),
            TRANSFER => {
                let currency = currency_of(declared, &record, default)?;
                self.transfers.push(Transfer::read(declared, note, &record, currency)?);
            }
            LIMIT => {
                let limit = Limit {
                    path: note.path.clone(),
                    category: text(&record, "category")?.ok_or_else(|| missing(declared, note))?,
                    amount: record.decimal("amount")?.ok_or_else(|| missing(declared, note))?,
                    currency: currency_of(declared, &record, default)?,
                    own: record.own_fields(),
                };
                self.limits.push((limit, declared, note));
            }
            name => {
                let category = text(&record, "category")?;
                let (date, until) = (record.date("date")?, record.date("until")?);
                if let (Some(date), Some(until)) = (date, until)
                    && until < date
                {
                    return Err(ToolError::BrokenRecord(property_problem(
                        declared,
                        note,
                        "until",
                        |property| format!("`{property}` is {until}, before the first day, {date}"),
                        format!("Write a day from {date} on, or remove it."),
                    )));
                }
                let entry = Entry {
                    path: note.path.clone(),
                    is_income: name == INCOME,
                    date: date.ok_or_else(|| missing(declared, note))?,
                    amount: record.decimal("amount")?.ok_or_else(|| missing(declared, note))?,
                    is_refund: record.choice("kind")?.is_some(),
                    currency: currency_of(declared, &record, default)?,
                    category_key: keys.of(category.as_deref().unwrap_or(UNCATEGORISED)),
                    category,
                    payee: text(&record, "payee")?,
                    memo: text(&record, "memo")?,
                    account: text(&record, "account")?,
                    every: record.choice("recurring")?.and_then(Every::parse),
                    until,
                    import_id: text(&record, "import_id")?,
                };
                self.entries.push(entry);
            }
        }
        Ok(())
    }
}

/// The record's own currency, or else the default.
fn currency_of(declared: &RecordType, record: &Record, default: Option<&str>) -> Result<String, ToolError> {
    let property = || declared.fields.get("currency").map_or("currency", |field| field.property());
    let error = |problem: String, remedy: String| {
        ToolError::BrokenRecord(property_problem(declared, record.note(), "currency", |_| problem, remedy))
    };
    match text(record, "currency")? {
        Some(text) if default == Some(&text) => Ok(text),
        Some(text) => currency_code(&text).map(str::to_owned).ok_or_else(|| {
            let problem = format!("`{}` is `{text}`, which is not a currency", property());
            error(problem, "Write its code, such as EUR.".into())
        }),
        None => default.map(str::to_owned).ok_or_else(|| {
            let why = "is missing, and the other notes name no usual currency";
            let remedy = format!("Add `{}: EUR`, or set the currency of the skill.", property());
            error(format!("`{}` {why}", property()), remedy)
        }),
    }
}

/// The default currency before and after a change, and the notes that depend on it.
pub(crate) struct DefaultCurrency {
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    /// The other notes without a currency.
    dependents: Vec<NotePath>,
}

/// A change of the currencies in the notes.
#[derive(Clone, Copy)]
pub(crate) enum CurrencyChange<'a> {
    /// This note names this currency, or none.
    OfNote(&'a NotePath, Option<&'a str>),
    /// New notes, so many of each currency.
    NewNotes(&'a [(&'a str, usize)]),
}

impl DefaultCurrency {
    pub(crate) async fn after_change(
        ctx: &dyn ToolContext,
        change: CurrencyChange<'_>,
    ) -> Result<Self, ToolError> {
        if let Some(code) = configured_currency(ctx.config())? {
            return Ok(Self { before: Some(code.clone()), after: Some(code), dependents: Vec::new() });
        }
        let (declared, notes) =
            (ctx.records(), ctx.vault().read_records(&[INCOME, EXPENSE, TRANSFER, LIMIT]).await?.notes);
        let before = most_frequent_currency(declared, &notes, &[], |record| record.text_there("currency"))?;
        let new = match change {
            CurrencyChange::OfNote(..) => &[],
            CurrencyChange::NewNotes(new) => new,
        };
        let after = most_frequent_currency(declared, &notes, new, |record| match change {
            CurrencyChange::OfNote(path, currency) if record.note().path == *path => {
                Ok(currency.map(Cow::Borrowed))
            }
            _ => record.text_there("currency"),
        })?;
        let others = notes
            .iter()
            .filter(|note| !matches!(change, CurrencyChange::OfNote(path, _) if note.path == *path));
        let lacks_currency = |note: &&Note| {
            let record = declared.of_note(note).map(|declared| declared.read(note));
            record.is_some_and(|record| matches!(text(&record, "currency"), Ok(None)))
        };
        Ok(Self {
            before,
            after,
            dependents: others.filter(lacks_currency).map(|note| note.path.clone()).collect(),
        })
    }

    /// Checks that the change affects the currency of no other note.
    ///
    /// # Errors
    /// `InvalidArguments`, saying what to do first.
    pub(crate) fn check_other_currencies(&self) -> Result<(), ToolError> {
        let (Some(before), [first, more @ ..]) = (&self.before, self.dependents.as_slice()) else {
            return Ok(());
        };
        if self.before == self.after {
            return Ok(());
        }
        let and = if more.is_empty() { String::new() } else { format!(" (and of {} more)", more.len()) };
        let rule = format!(
            "decides the currency of {first}{and}, which names none; write {before} there first, or set the \
             currency of the skill budget"
        );
        Err(invalid_argument("currency", rule))
    }
}

impl Entry {
    /// The entry as a side of a transfer.
    pub(crate) fn side(&self) -> Side {
        Side {
            date: self.date,
            amount: self.amount,
            currency: self.currency.clone(),
            account: self.account.clone(),
            payee: self.payee.clone(),
            memo: self.memo.clone(),
            category: self.category.clone(),
            import_id: self.import_id.clone(),
        }
    }

    /// Rounded for display.
    pub(crate) fn rounded(&self) -> Decimal {
        money(self.amount, &self.currency)
    }

    /// Its share of the income or spending; negative for a refund.
    pub(crate) fn counted(&self) -> Decimal {
        if self.is_refund { -self.rounded() } else { self.rounded() }
    }

    /// The change in the account's balance.
    pub(crate) fn signed(&self) -> Decimal {
        if self.is_income { self.counted() } else { -self.counted() }
    }

    pub(crate) fn days(&self, days: Days) -> Vec<Date> {
        occurrences(self.date, self.every, self.until, days)
    }

    /// The payee or payer; the note's name if none is given.
    pub(crate) fn payee(&self) -> &str {
        self.payee.as_deref().unwrap_or_else(|| self.path.name())
    }

    pub(crate) fn has_category(&self, key: &str) -> bool {
        *self.category_key == *key
    }
}

/// Interns folded names.
#[derive(Default)]
struct KeyInterner(HashMap<String, Arc<str>>);

impl KeyInterner {
    fn of(&mut self, category: &str) -> Arc<str> {
        if let Some(known) = self.0.get(category) {
            return Arc::clone(known);
        }
        let key: Arc<str> = folded(category).into();
        self.0.insert(category.to_owned(), Arc::clone(&key));
        key
    }
}

/// How to display each category, by its folded name.
#[derive(Debug, Default)]
pub(crate) struct Spellings(HashMap<String, String>);

impl Spellings {
    pub(crate) fn of(ledger: &Ledger) -> Self {
        let mut spellings = HashMap::from([(folded(UNCATEGORISED), UNCATEGORISED.to_owned())]);
        let limits = ledger.limits.iter().map(|limit| &limit.category);
        for category in limits {
            spellings.entry(folded(category)).or_insert_with(|| category.clone());
        }
        for entry in &ledger.entries {
            if let Some(category) = &entry.category
                && !spellings.contains_key(&*entry.category_key)
            {
                spellings.insert(entry.category_key.to_string(), category.clone());
            }
        }
        Self(spellings)
    }

    pub(crate) fn get<'a>(&'a self, key: &'a str) -> &'a str {
        self.0.get(key).map_or(key, String::as_str)
    }
}

/// The currency configured for the skill.
fn configured_currency(config: &Value) -> Result<Option<String>, ToolError> {
    let Some(configured) =
        config.get("currency").and_then(Value::as_str).filter(|configured| !configured.trim().is_empty())
    else {
        return Ok(None);
    };
    currency_code(configured).map(str::to_owned).map(Some).ok_or_else(|| {
        ToolError::failed(
            format!("The currency of the skill budget, \"{configured}\", is not valid."),
            "Set it to a code such as EUR, in the settings of the skill.",
        )
    })
}

/// The most frequent currency, counting `new` notes; `None` on a tie.
fn most_frequent_currency<'a>(
    declared: &'a RecordTypes,
    notes: &'a [Note],
    new: &[(&str, usize)],
    currency_of: impl Fn(&Record<'a>) -> Result<Option<Cow<'a, str>>, ToolError> + Sync,
) -> Result<Option<String>, ToolError> {
    let count_chunk = |notes: &'a [Note]| {
        let mut counts: Vec<(&'static str, usize)> = Vec::new();
        for note in notes {
            let Some(declared) = declared.of_note(note).filter(|declared| declared.name() != RULE) else {
                continue;
            };
            let record = declared.read(note);
            let code = |text: Result<Option<Cow<'a, str>>, ToolError>| match text {
                Ok(text) => Ok(text.as_deref().and_then(currency_code)),
                // Reported where the record itself is read.
                Err(ToolError::BrokenRecord(_)) => Ok(None),
                Err(error) => Err(error),
            };
            let Some(own) = code(currency_of(&record))? else { continue };
            count(&mut counts, own, 1);
            // A transfer counts as two entries, so that joining them changes no other note's currency.
            if declared.name() == TRANSFER {
                count(&mut counts, code(record.text_there("to_currency"))?.unwrap_or(own), 1);
            }
        }
        Ok::<_, ToolError>(counts)
    };
    let mut counts = Vec::new();
    for (code, times) in new {
        currency_code(code).into_iter().for_each(|code| count(&mut counts, code, *times));
    }
    for chunk in par_map_chunks(notes, count_chunk) {
        chunk?.into_iter().for_each(|(code, times)| count(&mut counts, code, times));
    }
    let most = counts.iter().map(|(_, count)| *count).max();
    let mut most_frequent = counts.iter().filter(|(_, count)| Some(*count) == most).map(|(code, _)| *code);
    let first = most_frequent.next();
    Ok(first.filter(|_| most_frequent.next().is_none()).map(str::to_owned))
}

fn count(counts: &mut Vec<(&'static str, usize)>, code: &'static str, times: usize) {
    match counts.iter_mut().find(|(known, _)| *known == code) {
        Some((_, count)) => *count += times,
        None => counts.push((code, times)),
    }
}
