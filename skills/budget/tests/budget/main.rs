//! Runs the skill on vaults written as strings, through the same path as the app.
#![allow(clippy::unwrap_used)]

mod adding;
mod files;
mod generated;
mod hledger;
mod importing;
mod importing_limits;
mod layouts;
mod listing;
mod month;
mod properties;
mod reviewing;
mod rules;
mod saving;
mod transfers;

use nova_testkit::SkillInVault;

/// The skill on these notes; today is 21 November 2026.
fn budget(notes: &str) -> SkillInVault {
    SkillInVault::new(nova_skill_budget::skill(), notes)
}

/// A month calculated by hand: income 2400 and 50; groceries 84.20 + 15.80 − 10, rent 1180, uncategorised 5.
const NOVEMBER: &str = "
//- Budget/Expenses/2026/A.md
---
type: expense
date: 2026-11-03
amount: 84.20
currency: EUR
category: groceries
payee: Corner Market
---
//- Budget/Expenses/2026/B.md
---
type: expense
date: 2026-11-14
amount: 15.80
currency: EUR
category: Groceries
payee: Corner Market
account: Current account
---
//- Budget/Expenses/2026/C.md
---
type: expense
date: 2026-11-18
amount: 10
currency: EUR
category: groceries
payee: Corner Market
kind: refund
---
//- Elsewhere/Rent.md
---
type: expense
date: 2026-09-30
amount: 1180.00
currency: EUR
category: rent
payee: Linden Apartments
recurring: monthly
---
//- Budget/Expenses/2026/E.md
---
type: expense
date: 2026-11-20
amount: 5.00
currency: EUR
payee: Kiosk
---
//- Budget/Expenses/2026/F.md
---
type: expense
date: 2026-10-02
amount: 60.00
currency: EUR
category: groceries
payee: Corner Market
---
//- Budget/Expenses/2026/G.md
---
type: expense
date: 2026-11-05
amount: 12.00
currency: CHF
category: groceries
payee: Coop
---
//- Budget/Incomes/2026/H.md
---
type: income
date: 2026-11-13
amount: 2400.00
currency: EUR
category: salary
payee: Quillon Labs
---
//- Budget/Incomes/2026/I.md
---
type: income
date: 2026-11-21
amount: 50.00
currency: EUR
payee: Grandma
---
//- Budget/Limits/Groceries.md
---
type: limit
category: groceries
amount: 80.00
currency: EUR
---
//- Budget/Rules/Kiosk.md
---
type: rule
match: kiosk
category: snacks
priority: 5
---
//- Templates/Expense.md
---
type: expense
date:
amount:
---
";
