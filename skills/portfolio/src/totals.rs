use nova_skill::figures::{Sums, TooLarge, day_and_month, minus, money};
use nova_skill::{Date, Figure, NotePath};

use crate::books::Books;
use crate::holdings::Holding;
use crate::valuation::count;

/// The realised gains and income between two days, by currency. Each trade's amount is rounded, and totals
/// are sums of the rounded amounts.
#[derive(Default)]
pub(crate) struct Realised {
    pub(crate) gain: Sums,
    pub(crate) proceeds: Sums,
    pub(crate) cost: Sums,
    pub(crate) income: Sums,
    pub(crate) fees: Sums,
    /// Indices in [`Books::trades`], by currency.
    pub(crate) sales: Vec<(String, usize)>,
    pub(crate) payments: Vec<(String, usize)>,
    /// Every trade of the symbols sold: the gain depends on the buys as well.
    behind: Vec<(String, usize)>,
    since: Option<Date>,
}

impl Realised {
    pub(crate) fn of(held: &[Holding], since: Date, until: Date) -> Result<Self, TooLarge> {
        let mut all = Self { since: Some(since), ..Self::default() };
        for holding in held {
            all.add(holding, since, until)?;
        }
        Ok(all)
    }

    pub(crate) fn add(&mut self, holding: &Holding, since: Date, until: Date) -> Result<(), TooLarge> {
        let currency = holding.currency;
        let within = |day: Date| since <= day && day <= until;
        for sale in holding.ledger.sales.iter().filter(|sale| within(sale.date)) {
            let (proceeds, cost) = (money(sale.proceeds, currency), money(sale.cost, currency));
            self.proceeds.add(currency, proceeds)?;
            self.cost.add(currency, cost)?;
            self.gain.add(currency, minus(proceeds, cost)?)?;
            self.sales.push((currency.to_owned(), sale.origin));
        }
        if holding.ledger.sales.iter().any(|sale| within(sale.date)) {
            self.behind.extend(holding.trades.iter().map(|place| (currency.to_owned(), *place)));
        }
        for paid in holding.ledger.income.iter().filter(|paid| within(paid.date)) {
            self.income.add(currency, money(paid.amount, currency))?;
            self.payments.push((currency.to_owned(), paid.origin));
        }
        for paid in holding.ledger.fees.iter().filter(|paid| within(paid.date)) {
            self.fees.add(currency, money(paid.amount, currency))?;
        }
        Ok(())
    }
}

/// The figures of realised gain and income, at the pointers of their lists.
pub(crate) fn realised_figure(all: &Realised, gain_at: &str, income_at: &str, books: &Books) -> Vec<Figure> {
    let since =
        all.since.map(|day| format!(", since {} {}", day_and_month(day), day.year())).unwrap_or_default();
    let mut figures = Vec::new();
    for (place, (currency, gain)) in all.gain.iter().enumerate() {
        let trades = count(of(&all.sales, currency).count(), "sale");
        figures.push(
            Figure::new(format!("{gain_at}/{place}/amount"), format!("Realised gain{since}"), gain, currency)
                .formula("Σ proceeds less fees − cost of what was sold")
                .part(format!("Proceeds of {trades}"), all.proceeds.money(currency), currency)
                .part("Cost of what was sold", -all.cost.money(currency), currency)
                .from_notes(notes(&all.behind, currency, books)),
        );
    }
    for (place, (currency, income)) in all.income.iter().enumerate() {
        figures.push(
            Figure::new(format!("{income_at}/{place}/amount"), format!("Dividends{since}"), income, currency)
                .formula("Σ quantity × payment for each share, less what was withheld")
                .part("Payments", of(&all.payments, currency).count(), "")
                .from_notes(notes(&all.payments, currency, books)),
        );
    }
    figures
}

fn of<'a>(places: &'a [(String, usize)], currency: &'a str) -> impl Iterator<Item = usize> + 'a {
    places.iter().filter(move |(of, _)| of == currency).map(|(_, place)| *place)
}

fn notes(places: &[(String, usize)], currency: &str, books: &Books) -> Vec<NotePath> {
    of(places, currency).filter_map(|place| books.trades.get(place)).map(|note| note.path.clone()).collect()
}
