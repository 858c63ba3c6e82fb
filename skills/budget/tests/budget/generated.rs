//! Entries generated from a seed, as notes and as an hledger journal.

use std::fmt::Write as _;

/// The entries of a seed.
pub(crate) struct Generated {
    /// Notes in the format of [`nova_testkit::TempVault`].
    pub(crate) notes: String,
    /// The same for hledger, with recurring entries as periodic transactions. The accounts are
    /// `expenses:CODE:category` and `income:CODE:category`.
    pub(crate) journal: String,
}

const CATEGORIES: [&str; 5] = ["groceries", "rent", "eating out", "transport", "uncategorised"];
const CURRENCIES: [&str; 2] = ["EUR", "CHF"];

pub(crate) fn generated(seed: u64, entries: usize) -> Generated {
    let mut random = Random(seed);
    let mut made = Generated { notes: String::new(), journal: String::new() };
    for n in 0..entries {
        let is_income = random.below(4) == 0;
        let (category, currency) = (CATEGORIES[random.below(5)], CURRENCIES[random.below(2)]);
        let (year, month, day) = (2025 + random.below(2), 1 + random.below(12), 1 + random.below(28));
        let date = format!("{year}-{month:02}-{day:02}");
        let amount = match random.below(3) {
            0 => format!("{}", 1 + random.below(2000)),
            _ => format!("{}.{:02}", random.below(500), random.below(100)),
        };
        let is_refund = random.below(6) == 0;
        // One in six recurs, half of these with an end.
        let every = if random.below(6) == 0 { random.below(3) + 1 } else { 0 };
        let until =
            (every > 0 && random.below(2) == 0).then(|| format!("2026-{:02}-17", 1 + random.below(12)));
        let until = until.filter(|until| *until >= date);

        let kind = if is_income { "income" } else { "expense" };
        let mut note = format!(
            "//- Notes/{n}.md\n---\ntype: {kind}\ndate: {date}\namount: {amount}\ncurrency: {currency}\n"
        );
        if category != "uncategorised" {
            writeln!(note, "category: {category}").unwrap();
        }
        if is_refund {
            note.push_str("kind: refund\n");
        }
        if every > 0 {
            writeln!(note, "recurring: {}", ["weekly", "monthly", "yearly"][every - 1]).unwrap();
        }
        if let Some(until) = &until {
            writeln!(note, "until: {until}").unwrap();
        }
        made.notes.push_str(&note);
        made.notes.push_str("---\n");

        let to = until.map(|until| format!(" to {}", day_after(&until))).unwrap_or_default();
        let head = match every {
            0 => date,
            1 => format!("~ every 7 days from {date}{to}"),
            2 => format!("~ every {day}{} day of month from {date}{to}", ordinal(day)),
            _ => format!("~ every {month:02}/{day:02} from {date}{to}"),
        };
        let sign = if is_income == is_refund { "" } else { "-" };
        let account = if is_income { "income" } else { "expenses" };
        writeln!(
            made.journal,
            "{head}\n    {account}:{currency}:{category}  {sign}{amount} {currency}\n    assets\n"
        )
        .unwrap();
    }
    made
}

/// hledger's end is exclusive. All ends are on the 17th.
fn day_after(until: &str) -> String {
    until.replace("-17", "-18")
}

fn ordinal(day: usize) -> &'static str {
    match day {
        1 | 21 => "st",
        2 | 22 => "nd",
        3 | 23 => "rd",
        _ => "th",
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}
