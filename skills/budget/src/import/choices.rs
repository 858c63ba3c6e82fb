//! The user's decisions about single lines of a file.

use std::collections::{HashMap, HashSet};

use nova_skill::figures::folded;
use nova_skill::serde_json::Map;
use nova_skill::{JsonSchema, NewNote, ToolContext, ToolError, Value, schemars};
use nova_statement::OfAlike;
use serde::Deserialize;

use super::duplicates::Duplicates;
use super::transactions::Transaction;
use crate::arguments::line;
use crate::ledger::{Ledger, RULE};

/// The decision about one line.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(super) struct Line {
    /// The number of the line in the file, from 1.
    line: u64,
    /// false leaves it out; true imports it although it may be a duplicate.
    import: Option<bool>,
    /// Its category, in place of the one by rule.
    category: Option<String>,
    /// Also adds a rule that gives its payee this category.
    rule: Option<bool>,
}

/// The decisions, by the transaction's index.
#[derive(Debug, Default)]
pub(super) struct Choices {
    left_out: HashSet<usize>,
    categories: HashMap<usize, String>,
    /// New rules as payee and category, in the order of the file.
    rules: Vec<(String, String)>,
    /// The indices of undecided possible duplicates.
    open: HashSet<usize>,
}

impl Choices {
    /// `answer` applies to possible duplicates without a decision for their line.
    pub(super) fn of(
        lines: &[Line],
        ledger: &Ledger,
        transactions: &[Transaction],
        duplicates: &Duplicates<'_>,
        answer: Option<OfAlike>,
    ) -> Result<Self, ToolError> {
        let by_line: HashMap<u64, &Line> = lines.iter().map(|line| (line.line, line)).collect();
        let mut choices = Self::default();
        for (place, transaction) in transactions.iter().enumerate() {
            let decision = by_line.get(&transaction.line);
            match (decision.and_then(|decision| decision.import), duplicates.get(place), answer) {
                (Some(false), _, _) | (None, Some(_), Some(OfAlike::LeaveOut)) => {
                    choices.left_out.insert(place);
                }
                (None, Some(_), None) => {
                    choices.open.insert(place);
                }
                _ => {}
            }
            let Some(decision) = decision else { continue };
            let Some(category) = line("lines/category", decision.category.as_deref())? else { continue };
            let category = ledger.spelling(&category);
            if decision.rule == Some(true)
                && let Some(payee) = &transaction.payee
                && !choices.has_rule(ledger, payee)
            {
                choices.rules.push((payee.clone(), category.clone()));
            }
            choices.categories.insert(place, category);
        }
        Ok(choices)
    }

    fn has_rule(&self, ledger: &Ledger, payee: &str) -> bool {
        let known = ledger.rules.iter().map(|rule| rule.pattern_text.as_str());
        let new = self.rules.iter().map(|(payee, _)| payee.as_str());
        known.chain(new).any(|text| folded(text) == folded(payee))
    }

    pub(super) fn leaves_out(&self, place: usize) -> bool {
        self.left_out.contains(&place)
    }

    pub(super) fn category(&self, place: usize) -> Option<&str> {
        self.categories.get(&place).map(String::as_str)
    }

    /// The number of undecided possible duplicates.
    pub(super) fn open(&self) -> usize {
        self.open.len()
    }

    pub(super) fn is_open(&self, place: usize) -> bool {
        self.open.contains(&place)
    }

    /// The notes of the new rules.
    pub(super) fn rule_notes(&self, ctx: &dyn ToolContext) -> Result<Vec<NewNote>, ToolError> {
        let declared = ctx.records().get(RULE)?;
        let note = |(payee, category): &(String, String)| {
            // Between slashes, the text would be a regular expression.
            let pattern = payee.trim_matches('/');
            let values = Map::from_iter([
                ("match".to_owned(), Value::from(pattern)),
                ("category".to_owned(), Value::from(category.as_str())),
            ]);
            Ok(NewNote {
                folder: declared.folder.clone(),
                name: format!("{pattern} is {category}"),
                text: declared.new_note(&values)?,
            })
        };
        self.rules.iter().map(note).collect()
    }
}

/// The numbers of the lines to skip, readable or not.
pub(super) fn left_out(lines: &[Line]) -> HashSet<u64> {
    lines.iter().filter(|line| line.import == Some(false)).map(|line| line.line).collect()
}
