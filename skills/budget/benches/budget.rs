//! Times a month of ten thousand notes against the vault's own query for them, and an import against merely
//! creating as many files.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::fs::{self, File};
use std::io::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nova_skill::json;
use nova_testkit::{SkillInVault, TempVault, medians_by_turns};

const NOTES: usize = 10_000;
const ROUNDS: usize = 5;

fn main() -> ExitCode {
    let met = [month_summary(NOTES), import(NOTES)];
    largest_import();
    if met.iter().all(|met| *met) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn month_summary(notes: usize) -> bool {
    let vault = TempVault::from("");
    for n in 0..notes {
        let (year, month, day) = (2022 + n % 5, 1 + n % 12, 1 + n % 28);
        let text = format!(
            "---\ntype: expense\ndate: {year}-{month:02}-{day:02}\namount: {}.{:02}\ncurrency: EUR\ncategory: c{}\n\
             payee: Shop {}\n---\n",
            n % 400,
            n % 100,
            n % 20,
            n % 97
        );
        vault.write(&format!("Budget/Expenses/{year}/{n}.md"), &text);
    }
    // The vault rereads recently written files at every query; after two seconds they are trusted.
    std::thread::sleep(Duration::from_millis(2100));
    let opened = vault.open();
    let budget = SkillInVault::new(nova_skill_budget::skill(), vault);
    let ours = || drop(budget.value("month_summary", json!({"month": "2026-11"})));
    let theirs = || assert_eq!(opened.records(&["expense"]).unwrap().len(), notes);
    let [ours, theirs] = medians_by_turns(15, ours, theirs);
    at_most(&format!("month_summary of {notes} records / query of them"), ours, theirs, 2.0)
}

/// A statement of this many distinct rows.
fn statement(rows: usize) -> String {
    let mut file = String::from("Date,Payee,Amount\n");
    for n in 0..rows {
        file.push_str(&format!(
            "{}-{:02}-{:02},Shop {},-{}.{:02}\n",
            2022 + n % 5,
            1 + n % 12,
            1 + n % 28,
            n % 97,
            n % 400,
            1 + n % 99
        ));
    }
    file
}

/// Imports the maximum number of rows, a note for each, and checks that a second import adds none.
fn largest_import() {
    const MAX_ROWS: usize = 100_000;
    let budget = SkillInVault::new(nova_skill_budget::skill(), "");
    budget.vault.write("bank.csv", &statement(MAX_ROWS));
    let args = json!({
        "path": "bank.csv", "currency": "EUR",
        "mapping": {"date": "Date", "payee": "Payee", "amount": "Amount"},
    });
    let begin = Instant::now();
    let done = budget.value("import_transactions", args.clone());
    let took = begin.elapsed();
    assert_eq!(done["imported"], MAX_ROWS);
    let notes = || budget.vault.files().iter().filter(|path| path.starts_with("Budget/Expenses/")).count();
    assert_eq!(notes(), MAX_ROWS);
    let again = budget.value("import_transactions", args);
    assert_eq!(
        (again["imported"].as_u64(), again["already_there"].as_u64()),
        (Some(0), Some(MAX_ROWS as u64))
    );
    assert_eq!(notes(), MAX_ROWS);
    println!("{:<64} {:>9.2} ms", format!("import of {MAX_ROWS} rows"), took.as_secs_f64() * 1e3);
}

fn import(notes: usize) -> bool {
    let file = statement(notes);
    let mapping = json!({"date": "Date", "payee": "Payee", "amount": "Amount"});
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let budget = SkillInVault::new(nova_skill_budget::skill(), "");
        budget.vault.write("bank.csv", &file);
        let begin = Instant::now();
        let args = json!({"path": "bank.csv", "mapping": mapping, "currency": "EUR"});
        let done = budget.value("import_transactions", args);
        ours.push(begin.elapsed());
        assert_eq!(done["imported"], notes);

        let made = budget.vault.files().into_iter().filter(|path| path.starts_with("Budget/Expenses/"));
        let texts: Vec<(String, String)> = made.map(|path| (budget.vault.read(&path), path)).collect();
        let plain = tempfile::tempdir_in(budget.vault.root().parent().unwrap()).unwrap();
        let begin = Instant::now();
        let mut folders = std::collections::BTreeSet::new();
        for (text, path) in &texts {
            let path = plain.path().join(path);
            let folder = path.parent().unwrap().to_owned();
            if folders.insert(folder.clone()) {
                fs::create_dir_all(folder).unwrap();
            }
            File::create_new(path).unwrap().write_all(text.as_bytes()).unwrap();
        }
        for folder in folders {
            File::open(folder).unwrap().sync_all().unwrap();
        }
        theirs.push(begin.elapsed());
    }
    ours.sort();
    theirs.sort();
    at_most(
        &format!("import of {notes} rows / create each, sync each folder"),
        ours[ROUNDS / 2],
        theirs[ROUNDS / 2],
        2.0,
    )
}

fn at_most(what: &str, ours: Duration, theirs: Duration, goal: f64) -> bool {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    let verdict = if ratio <= goal { "met" } else { "MISSED" };
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{what:<64} {:>9.2} ms {:>9.2} ms {ratio:>6.2} goal ≤ {goal:.2} {verdict}",
        ms(ours),
        ms(theirs)
    );
    ratio <= goal
}
