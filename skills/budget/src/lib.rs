//! What the user earns and spends, as notes with `type: income` and `type: expense`, and what moves between
//! their own accounts, `type: transfer`, which is neither.
//!
//! It computes with decimals and checked arithmetic, never adds one currency to another, never writes
//! the later days of a recurring entry, and keeps nothing but notes.

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
mod money;
mod month_summary;
mod period;
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
