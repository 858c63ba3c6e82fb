//! Runs the tools of the skill on small vaults, through the same path as the app.
#![allow(clippy::unwrap_used)]

mod benchmark;
mod brokers;
mod cash;
mod closes;
mod contradicting;
mod converting;
mod dividends;
mod examples;
mod files;
mod importing;
mod ledger;
mod other_programs;
mod quoting;
mod returning;
mod saving;
mod trading;
mod valuing;
mod watching;

use futures::FutureExt as _;
use nova_skill::{StoreSource as _, Value, serde_json};
use nova_testkit::SkillInVault;

fn portfolio(vault: &str) -> SkillInVault {
    SkillInVault::new(nova_skill_portfolio::skill(), vault)
}

/// The bytes of an entry of the shared cache.
fn cached(skill: &SkillInVault, key: &str) -> Option<Vec<u8>> {
    skill.stores.cache().get(key).now_or_never().unwrap().unwrap()
}

/// The cached quotes of a listing by day; null if there are none.
fn stored(skill: &SkillInVault, listing: &str) -> Value {
    let bytes = cached(skill, &format!("quotes-{listing}"));
    bytes.map_or(Value::Null, |bytes| serde_json::from_slice(&bytes).unwrap())
}

/// The note of a trade.
fn trade(file: &str, properties: &str) -> String {
    format!("//- Portfolio/Trades/{file}.md\n---\ntype: trade\n{properties}\n---\n")
}

/// A sample portfolio as of 21 November 2026, the date of these tests.
const OWNED: &str = "
//- Portfolio/Positions/NGTL.md
---
type: position
symbol: NGTL
name: Northgate Tooling
exchange: XETRA
currency: EUR
quantity: 300
---
//- Portfolio/Positions/FRNH.md
---
type: position
symbol: FRNH
currency: EUR
quantity: 640
cost_basis: 6304.00
opened: 2024-09-02
---
//- Portfolio/Trades/a.md
---
type: trade
symbol: NGTL
kind: buy
date: 2026-03-12
quantity: 200
price: 30.00
fee: 5.00
currency: EUR
---
//- Portfolio/Trades/b.md
---
type: trade
symbol: NGTL
kind: buy
date: 2026-06-03
quantity: 200
price: 34.40
fee: 5.00
currency: EUR
---
//- Portfolio/Trades/c.md
---
type: trade
symbol: NGTL
kind: sell
date: 2026-09-15
quantity: 100
price: 40.00
fee: 4.00
currency: EUR
---
//- Portfolio/Trades/d.md
---
type: trade
symbol: NGTL
kind: dividend
date: 2026-10-05
quantity: 300
price: 0.60
fee: 27.00
currency: EUR
---
//- Portfolio/Prices/NGTL.md
---
type: price
symbol: NGTL
date: 2026-11-20
close: 42.18
currency: EUR
---
//- Portfolio/Prices/FRNH.md
---
type: price
symbol: FRNH
date: 2026-11-12
close: 11.42
currency: EUR
---
";
