//! Incomes, expenses and transfers between the user's own accounts, kept as notes with `type: income`,
//! `expense` and `transfer`.
//!
//! The skill uses decimals and checked arithmetic. It never adds amounts of different currencies, never
//! writes future occurrences of a recurring entry, and stores nothing but notes.
//!
//! # Invariants
//!
//! - A transfer is in no sum of income or expenses, and only unambiguous sides are joined:
//!   `tests/budget/transfers.rs`.
//! - A month's categories equal what hledger computes from the same entries, and sum to its total:
//!   `tests/budget/hledger.rs`, `tests/budget/properties.rs`.
//! - An import is complete, adds nothing when repeated, and its undo restores every byte:
//!   `tests/budget/properties.rs`, `tests/journeys/keeping_a_budget.rs`.
//! - Changing the currency of a note in its form changes no figure of another note: `tests/budget/saving.rs`.

use std::sync::Arc;

use nova_skill::{RecordRules, Skill, Tool, native};

mod add_entry;
mod add_rule;
mod add_transfer;
mod apply_rules;
mod arguments;
mod convert;
mod import;
mod join;
mod ledger;
mod list;
mod month_summary;
mod properties;
mod recurring;
mod rules;
mod saving;
mod set_limit;
mod transfer;

/// The skill `budget`.
pub fn skill() -> Box<dyn Skill> {
    Box::new(Budget)
}

struct Budget;

impl Skill for Budget {
    fn skill_md(&self) -> &str {
        include_str!("../SKILL.md")
    }

    fn manifest(&self) -> &str {
        include_str!("../manifest.yaml")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            native(month_summary::MonthSummary),
            native(list::List),
            native(add_entry::AddExpense),
            native(add_entry::AddIncome),
            native(add_transfer::AddTransfer),
            native(join::JoinTransfer),
            native(join::SplitTransfer),
            native(set_limit::SetLimit),
            native(add_rule::AddRule),
            native(apply_rules::ApplyRules),
            native(import::ImportTransactions),
        ]
    }

    fn record_rules(&self) -> Option<Arc<dyn RecordRules>> {
        Some(Arc::new(saving::Rules))
    }
}
