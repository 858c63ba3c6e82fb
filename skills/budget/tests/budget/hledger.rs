//! Compares each month with hledger, which `.ci/setup test` installs.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::Command;

use nova_skill::{Decimal, Value, json};

use crate::budget;
use crate::generated::generated;

/// hledger's amounts by account, for each month from January 2026.
fn by_hledger(journal: &str) -> Vec<BTreeMap<String, Decimal>> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(journal.as_bytes()).unwrap();
    let output = Command::new("hledger")
        .args(["balance", "expenses", "income", "--monthly", "--flat", "--no-total", "-O", "csv"])
        .args(["-b", "2026-01-01", "-e", "2027-01-01", "--forecast=2025-01-01..2027-01-01", "-f"])
        .arg(file.path())
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("hledger runs; `make setup` installs it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut months = vec![BTreeMap::new(); 12];
    for record in csv::Reader::from_reader(output.stdout.as_slice()).records() {
        let record = record.unwrap();
        for (month, cell) in months.iter_mut().zip(record.iter().skip(1)) {
            let amount: Decimal = cell.split(' ').next().unwrap().replace(',', "").parse().unwrap();
            if !amount.is_zero() {
                month.insert(record[0].to_owned(), amount.normalize());
            }
        }
    }
    months
}

/// The same for a summary. hledger books income as negative amounts of its account.
fn by_nova(summary: &Value) -> BTreeMap<String, Decimal> {
    let mut found = BTreeMap::new();
    let others = summary["other_currencies"].as_array().unwrap().iter();
    for of_currency in [summary].into_iter().chain(others) {
        let currency = of_currency["currency"].as_str().unwrap();
        for (list, amount, upcoming, account, sign) in [
            ("categories", "spent", "upcoming_spent", "expenses", Decimal::ONE),
            ("income_categories", "amount", "upcoming_amount", "income", Decimal::NEGATIVE_ONE),
        ] {
            for row in of_currency[list].as_array().unwrap() {
                // hledger reports the whole month, whatever today is.
                let parts = [row[amount].as_str(), row[upcoming].as_str()];
                let amount: Decimal =
                    parts.into_iter().flatten().map(|part| part.parse::<Decimal>().unwrap()).sum();
                if !amount.is_zero() {
                    let account = format!("{account}:{currency}:{}", row["category"].as_str().unwrap());
                    found.insert(account, (amount * sign).normalize());
                }
            }
        }
    }
    found
}

#[test]
fn every_month_equals_hledger_to_the_last_digit() {
    for seed in 0..12 {
        let made = generated(seed, 80);
        let budget = budget(&made.notes);
        let months = by_hledger(&made.journal);
        assert!(months.iter().all(|month| !month.is_empty()), "there is something to compare: {months:?}");
        for (at, expected) in months.into_iter().enumerate() {
            let month = format!("2026-{:02}", at + 1);
            let summary = budget.value("month_summary", json!({"month": month, "months": 1}));
            assert_eq!(by_nova(&summary), expected, "seed {seed}, {month}\n{}", made.journal);
        }
    }
}
