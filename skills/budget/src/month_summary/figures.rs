use nova_skill::figures::{folded, money};
use nova_skill::{Date, Decimal, Figure, NotePath, Value};

use super::row::Row;
use super::{Amounts, Summary, Transferred};
use crate::ledger::Entry;
use crate::list::paths;

/// The figures of a month in one currency, with the notes behind each.
pub(super) struct Figures<'a> {
    pub(super) summary: &'a Summary<'a>,
    pub(super) currency: &'a str,
    /// The prefix of their JSON pointers.
    pub(super) at: &'a str,
    pub(super) caution: Option<String>,
}

const SPENT: &str = "Σ expenses − refunds";
const INCOME: &str = "Σ incomes − what was paid back";

impl Figures<'_> {
    pub(super) fn of_month(
        &self,
        amounts: &Amounts,
        categories: &[Row<'_>],
        incomes: &[Value],
    ) -> Vec<Figure> {
        let month = self.summary.month.in_full();
        let label = |what: &str| format!("{what} {month}");
        let currency = self.currency;
        let so_far =
            |of: &dyn Fn(&Entry) -> bool| self.notes(|day, entry| day <= self.summary.today && of(entry));
        let upcoming =
            |of: &dyn Fn(&Entry) -> bool| self.notes(|day, entry| day > self.summary.today && of(entry));

        let mut income = self.figure("income", label("Income in"), amounts.income).formula(INCOME);
        let mut upcoming_income = self
            .figure("upcoming_income", label("Upcoming income in"), amounts.upcoming_income)
            .formula(INCOME);
        for row in incomes {
            let category = row["category"].as_str().unwrap_or_default();
            if let Some(amount) = row["amount"].as_str() {
                income = income.part(category, amount, currency);
            }
            if let Some(amount) = row["upcoming_amount"].as_str() {
                upcoming_income = upcoming_income.part(category, amount, currency);
            }
        }
        let mut spent = self.figure("spent", label("Spent in"), amounts.spent).formula(SPENT);
        let mut upcoming_spent =
            self.figure("upcoming_spent", label("Upcoming in"), amounts.upcoming_spent).formula(SPENT);
        for row in categories {
            if row.count > 0 {
                spent = spent.part(&row.category, row.spent, currency);
            }
            if row.upcoming_count > 0 {
                upcoming_spent = upcoming_spent.part(&row.category, row.upcoming, currency);
            }
        }
        vec![
            income.from_notes(so_far(&|entry| entry.is_income)),
            spent.from_notes(so_far(&|entry| !entry.is_income)),
            self.figure("left", label("Left in"), amounts.left)
                .formula("income − spent")
                .part("Income", amounts.income, currency)
                .part("Spent", amounts.spent, currency)
                .from_notes(so_far(&|_| true)),
            upcoming_income.from_notes(upcoming(&|entry| entry.is_income)),
            upcoming_spent.from_notes(upcoming(&|entry| !entry.is_income)),
            self.figure("left_with_upcoming", label("Left at the end of"), amounts.left_with_upcoming)
                .formula("left + upcoming income − upcoming spent")
                .part("Left", amounts.left, currency)
                .part("Upcoming income", amounts.upcoming_income, currency)
                .part("Upcoming spent", amounts.upcoming_spent, currency)
                .from_notes(self.notes(|_, _| true)),
        ]
    }

    pub(super) fn of_categories(&self, categories: &[Row<'_>]) -> Vec<Figure> {
        let month = self.summary.month.in_full();
        let mut figures = Vec::new();
        for (at, row) in categories.iter().enumerate() {
            let key = folded(&row.category);
            let notes = |is_upcoming: bool| {
                self.notes(|day, entry| {
                    (day > self.summary.today) == is_upcoming && !entry.is_income && entry.has_category(&key)
                })
            };
            if row.count > 0 {
                let label = format!("{}, {month}", row.category);
                let mut figure = self
                    .figure(&format!("categories/{at}/spent"), label, row.spent)
                    .formula(SPENT)
                    .from_notes(notes(false));
                if let Some((limit, _)) = row.limit {
                    figure = figure.part("Limit", limit, self.currency);
                }
                figures.push(figure);
            }
            if row.upcoming_count > 0 {
                let label = format!("{}, upcoming in {month}", row.category);
                figures.push(
                    self.figure(&format!("categories/{at}/upcoming_spent"), label, row.upcoming)
                        .formula(SPENT)
                        .from_notes(notes(true)),
                );
            }
        }
        figures
    }

    pub(super) fn of_transfers(&self, transferred: &Transferred) -> Vec<Figure> {
        let month = self.summary.month.in_full();
        let mut figures = Vec::new();
        for (key, label, amount, is_upcoming, is_any) in [
            (
                "transferred",
                "Transferred in",
                transferred.so_far,
                false,
                transferred.count + transferred.upcoming_count > 0,
            ),
            (
                "upcoming_transferred",
                "Upcoming transfers in",
                transferred.upcoming,
                true,
                transferred.upcoming_count > 0,
            ),
        ] {
            if is_any {
                let own = self.summary.transfers.iter().filter(|transfer| {
                    let out = &transfer.out;
                    out.currency == self.currency && (out.date > self.summary.today) == is_upcoming
                });
                figures.push(
                    self.figure(key, format!("{label} {month}"), money(amount, self.currency))
                        .formula("Σ transfers")
                        .from_notes(paths(own.map(|transfer| &transfer.path))),
                );
            }
        }
        figures
    }

    fn figure(&self, key: &str, label: String, amount: Decimal) -> Figure {
        let at = format!("{}/{key}", self.at);
        Figure::new(at, label, amount, self.currency).caution(self.caution.clone())
    }

    /// The notes of the entries that `fits` selects by day and entry.
    fn notes(&self, fits: impl Fn(Date, &Entry) -> bool) -> Vec<NotePath> {
        let own = self.summary.entries.iter().filter(|(_, entry)| entry.currency == self.currency);
        paths(own.filter(|(day, entry)| fits(*day, entry)).map(|(_, entry)| &entry.path))
    }
}
