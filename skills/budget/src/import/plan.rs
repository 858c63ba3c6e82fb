//! Compares a file with the vault and plans what to write.

use std::collections::{BTreeMap, HashMap, HashSet};

use nova_skill::figures::folded;
use nova_skill::{NewNote, NotePath, ToolContext, ToolError, Value, VaultPath, json};
use nova_statement::import_ids;

use super::choices::Choices;
use super::duplicates::Duplicates;
use super::transactions::Transaction;
use super::transfers::{Accounts, MAX_LISTED, Pair, pairs};
use super::{BANK, PREVIEW_ROWS};
use crate::add_entry::new_note;
use crate::arguments::written;
use crate::ledger::{EXPENSE, INCOME, Ledger, UNCATEGORISED};
use crate::properties::text;
use crate::rules::first_match;
use crate::transfer::Side;

/// The existing state of the vault.
pub(super) struct Imported<'a> {
    pub(super) ledger: &'a Ledger,
    /// The account of the file, if known.
    account: Option<String>,
    pub(super) currency: Option<String>,
    /// The accounts of banks with imported files.
    banks: Vec<String>,
    /// The accounts in which each import id exists.
    existing_ids: HashMap<&'a str, Vec<Option<String>>>,
    /// The import ids in unreadable notes, which must not be imported again.
    unreadable_ids: HashSet<String>,
}

/// The planned changes.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) notes: Vec<NewNote>,
    /// The index of the transaction of each note.
    places: Vec<usize>,
    /// The number of transactions that become a side of a transfer.
    pub(super) joined: usize,
    pub(super) already_imported: usize,
    pub(super) without_amount: usize,
    /// The number of possible duplicates skipped on the user's decision.
    pub(super) left_out: usize,
    pub(super) without_a_category: usize,
    /// The number of notes in each currency.
    pub(super) currencies: BTreeMap<String, usize>,
    pub(super) preview: Vec<Value>,
}

impl<'a> Imported<'a> {
    pub(super) async fn of(
        ctx: &dyn ToolContext,
        ledger: &'a Ledger,
        account: Option<String>,
        currency: Option<String>,
    ) -> Result<Self, ToolError> {
        let mut existing_ids: HashMap<&str, Vec<Option<String>>> = HashMap::new();
        for entry in &ledger.entries {
            if let Some(id) = &entry.import_id {
                existing_ids.entry(id).or_default().push(entry.account.as_deref().map(folded));
            }
        }
        for transfer in &ledger.transfers {
            for side in [&transfer.out, &transfer.into] {
                if let Some(id) = &side.import_id {
                    existing_ids.entry(id).or_default().push(side.account.as_deref().map(folded));
                }
            }
        }
        let declared = ctx.records().get(BANK)?;
        let mut banks = Vec::new();
        for note in ctx.vault().records(BANK).await? {
            banks.extend(text(&declared.read(&note), "account")?);
        }
        let mut unreadable_ids = HashSet::new();
        for problem in &ledger.unreadable {
            let Ok(path) = VaultPath::parse(&problem.path) else { continue };
            let Ok(bytes) = ctx.vault().read_file(&path).await else { continue };
            unreadable_ids.extend(import_ids(&String::from_utf8_lossy(&bytes)));
        }
        Ok(Self { ledger, account, currency, banks, existing_ids, unreadable_ids })
    }

    /// The entries that new transactions may duplicate.
    pub(super) fn duplicates(&self, transactions: &[Transaction]) -> Duplicates<'a> {
        Duplicates::of(self.ledger, self.account.as_deref(), transactions, |transaction| {
            if transaction.amount.is_zero() || self.is_imported(transaction) {
                return None;
            }
            let known = || self.ledger.currency_or(self.currency.as_deref()).ok();
            transaction.currency.clone().or_else(known)
        })
    }

    /// Whether the transaction was imported already. A missing account matches any: a skipped transaction,
    /// which the answer counts, is better than a duplicate.
    pub(super) fn is_imported(&self, transaction: &Transaction) -> bool {
        let account = self.account.as_deref().map(folded);
        [transaction.import_id(), &transaction.row_id].into_iter().any(|id| {
            self.unreadable_ids.contains(id)
                || self.existing_ids.get(id).is_some_and(|accounts| {
                    accounts.iter().any(|own| own.is_none() || account.is_none() || *own == account)
                })
        })
    }

    /// The transaction as an entry; `None` if it exists already or is skipped.
    pub(super) fn new_side(
        &self,
        place: usize,
        transaction: &Transaction,
        choices: &Choices,
    ) -> Result<Option<Side>, ToolError> {
        if transaction.amount.is_zero() || self.is_imported(transaction) || choices.leaves_out(place) {
            return Ok(None);
        }
        let currency = match &transaction.currency {
            Some(currency) => currency.clone(),
            None => self.ledger.currency_or(self.currency.as_deref())?,
        };
        let payee = transaction.payee.as_deref().unwrap_or_default();
        let category = choices.category(place).or(transaction.category.as_deref()).map(str::to_owned);
        let category = category.or_else(|| {
            let rule = first_match(&self.ledger.rules, payee, transaction.memo.as_deref());
            rule.map(|rule| rule.category.clone())
        });
        Ok(Some(Side {
            date: transaction.date,
            amount: written(transaction.amount.abs()),
            currency,
            account: self.account.clone(),
            payee: transaction.payee.clone(),
            memo: transaction.memo.clone(),
            category,
            import_id: Some(transaction.import_id().to_owned()),
        }))
    }

    /// The pairs of transactions and existing notes that are or may be transfers.
    fn likely_pairs(&self, transactions: &[Transaction], choices: &Choices) -> Vec<Pair<'a>> {
        let accounts = Accounts::of(self.ledger, &self.banks, self.account.as_deref());
        pairs(self.ledger, &accounts, transactions, |place, transaction| {
            self.new_side(place, transaction, choices).ok().flatten()
        })
    }

    /// The possible transfers as rows of an answer, before anything is written.
    pub(super) fn transfers(&self, transactions: &[Transaction], choices: &Choices) -> Vec<Value> {
        let pairs = self.likely_pairs(transactions, choices);
        pairs.iter().take(MAX_LISTED).map(Pair::row).collect()
    }

    /// The pairs; one is certain only if the existing note can be converted to a transfer.
    pub(super) async fn pairs(
        &self,
        ctx: &dyn ToolContext,
        transactions: &[Transaction],
        choices: &Choices,
    ) -> Result<Vec<Pair<'a>>, ToolError> {
        let mut pairs = self.likely_pairs(transactions, choices);
        for pair in pairs.iter_mut().filter(|pair| pair.is_certain) {
            pair.is_certain = pair.can_write(ctx).await?;
        }
        Ok(pairs)
    }

    pub(super) async fn plan(
        &self,
        ctx: &dyn ToolContext,
        transactions: Vec<Transaction>,
        duplicates: &Duplicates<'_>,
        choices: &Choices,
        pairs: &[Pair<'_>],
    ) -> Result<Plan, ToolError> {
        let mut plan = Plan::default();
        let of_income = ctx.records().get(INCOME)?.user_template(ctx).await?;
        let of_expense = ctx.records().get(EXPENSE)?.user_template(ctx).await?;
        let joined: HashSet<usize> =
            pairs.iter().filter(|pair| pair.is_certain).map(|pair| pair.place).collect();
        for (place, transaction) in transactions.into_iter().enumerate() {
            let duplicate = duplicates.get(place);
            let Some(side) = self.new_side(place, &transaction, choices)? else {
                if transaction.amount.is_zero() {
                    plan.without_amount += 1;
                } else if self.is_imported(&transaction) {
                    plan.already_imported += 1;
                } else {
                    plan.left_out += 1;
                }
                continue;
            };
            match plan.currencies.get_mut(&side.currency) {
                Some(times) => *times += 1,
                None => drop(plan.currencies.insert(side.currency.clone(), 1)),
            }
            if joined.contains(&place) {
                plan.joined += 1;
                continue;
            }
            let record_type = if transaction.amount.is_sign_positive() { INCOME } else { EXPENSE };
            if side.category.is_none() {
                plan.without_a_category += 1;
            }
            if plan.preview.len() < PREVIEW_ROWS {
                let mut row = json!({
                    "date": side.date,
                    "kind": record_type,
                    "amount": side.amount,
                    "currency": side.currency,
                    "payee": side.payee,
                    "category": side.category.as_deref().unwrap_or(UNCATEGORISED),
                });
                if let Some(duplicate) = duplicate {
                    row["looks_like"] = json!(duplicate.entry.path);
                }
                plan.preview.push(row);
            }
            let declared = ctx.records().get(record_type)?;
            let payee = side.payee.as_deref();
            let mut note = new_note(declared, &side.entry_values(), side.date, payee, side.amount)?;
            let template = if record_type == INCOME { &of_income } else { &of_expense };
            if let Some(template) = template {
                note.text = template.under(&note.text, &note.name)?;
            }
            plan.notes.push(note);
            plan.places.push(place);
        }
        Ok(plan)
    }
}

impl Plan {
    /// Such as "4 imported, 2 already there, 3 left out, 1 without a category".
    pub(super) fn summary(&self, dry_run: bool) -> String {
        let done = if dry_run { "to import" } else { "imported" };
        let rest = [
            (self.joined, "joined"),
            (self.already_imported, "already there"),
            (self.left_out, "left out"),
            (self.without_amount, "without an amount"),
            (self.without_a_category, "without a category"),
        ];
        let counts = rest.into_iter().filter(|(count, _)| *count > 0);
        let words: Vec<String> = [(self.notes.len(), done)]
            .into_iter()
            .chain(counts)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        words.join(", ")
    }

    /// Joins the certain pairs, and sets `paths` in `rows` to the notes of both sides. `made` are the plan's
    /// new notes.
    pub(super) async fn write_transfers(
        &self,
        ctx: &dyn ToolContext,
        pairs: &[Pair<'_>],
        made: &[NotePath],
        rows: &mut [Value],
    ) -> Result<(), ToolError> {
        let note_of: HashMap<usize, &NotePath> = self.places.iter().copied().zip(made).collect();
        for (at, pair) in pairs.iter().enumerate() {
            let paths = match pair.is_certain {
                true => vec![pair.write(ctx).await?],
                false => [Some(pair.path()), note_of.get(&pair.place).copied()]
                    .into_iter()
                    .flatten()
                    .cloned()
                    .collect(),
            };
            if let Some(row) = rows.get_mut(at) {
                row["paths"] = json!(paths);
            }
        }
        Ok(())
    }
}
