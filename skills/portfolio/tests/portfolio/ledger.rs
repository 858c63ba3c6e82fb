//! Properties of the ledger for arbitrary trades.

use nova_skill::Decimal;
use nova_skill::figures::Quantity;
use nova_skill_portfolio::ledger::{Event, Ledger, Method, Trade, TradeError};
use proptest::prelude::*;

fn cents(number: u32) -> Decimal {
    Decimal::new(number.into(), 2)
}

fn event() -> impl Strategy<Value = Event> {
    let numbers = (1_u32..100_000, 1_u32..50_000, 0_u32..2_000);
    prop_oneof![
        4 => numbers.clone().prop_map(|(quantity, price, fee)| Event::Buy {
            quantity: cents(quantity), price: cents(price), fee: cents(fee)
        }),
        3 => numbers.clone().prop_map(|(quantity, price, fee)| Event::Sell {
            quantity: cents(quantity), price: cents(price), fee: cents(fee)
        }),
        1 => numbers.prop_map(|(quantity, price, _)| Event::Dividend {
            quantity: cents(quantity), price: cents(price), fee: Decimal::ZERO
        }),
        1 => (1_u32..5, 1_u32..5).prop_map(|(new, old)| Event::Split { new: new.into(), old: old.into() }),
    ]
}

/// Trades on consecutive days.
fn trades() -> impl Strategy<Value = Vec<Trade>> {
    prop::collection::vec(event(), 1..40).prop_map(|events| {
        let first = nova_skill::jiff::civil::date(2026, 1, 1);
        let day = |at: usize| first.checked_add(nova_skill::jiff::Span::new().days(at as i64)).unwrap();
        events.into_iter().enumerate().map(|(at, event)| Trade { date: day(at), event, origin: at }).collect()
    })
}

fn methods() -> impl Strategy<Value = Method> {
    prop_oneof![Just(Method::Fifo), Just(Method::Average)]
}

/// Applies the possible trades; sales above the holding are dropped.
fn applied(method: Method, trades: &[Trade]) -> (Ledger, Vec<&Trade>) {
    let mut ledger = Ledger::new(method);
    let possible = trades.iter().filter(|trade| ledger.apply(trade).is_ok()).collect();
    (ledger, possible)
}

proptest! {
    #[test]
    fn rejects_sale_above_the_holding(method in methods(), trades in trades()) {
        let mut ledger = Ledger::new(method);
        for trade in &trades {
            let before = ledger.clone();
            match ledger.apply(trade) {
                Ok(()) => {}
                Err(TradeError::Oversold { sold, held, .. }) => {
                    prop_assert!(sold > held || held.scale() == 10);
                    prop_assert_eq!(ledger.cost(), before.cost());
                    prop_assert_eq!(ledger.quantity(), before.quantity());
                }
                Err(error) => prop_assert!(false, "{}", error),
            }
            prop_assert!(!Quantity::ZERO.is_more_than(ledger.quantity()).unwrap());
            prop_assert!(ledger.cost() >= Decimal::ZERO);
        }
    }

    #[test]
    fn lots_sum_to_the_holding(method in methods(), trades in trades()) {
        let (ledger, _) = applied(method, &trades);
        let mut quantity = Quantity::ZERO;
        let mut cost = Decimal::ZERO;
        for lot in ledger.lots() {
            quantity = quantity.plus(lot.quantity).unwrap();
            cost += lot.cost;
        }
        prop_assert_eq!(quantity, ledger.quantity());
        prop_assert_eq!(cost, ledger.cost());
    }

    /// All money paid is either in the remaining cost or in the cost of sales, and a gain is the proceeds
    /// minus that cost.
    #[test]
    fn cost_of_sales_and_holding_sum_to_the_amount_paid(method in methods(), trades in trades()) {
        let (ledger, possible) = applied(method, &trades);
        let (mut paid, mut received) = (Decimal::ZERO, Decimal::ZERO);
        for trade in possible {
            match trade.event {
                Event::Buy { quantity, price, fee } => paid += quantity * price + fee,
                Event::Sell { quantity, price, fee } => received += quantity * price - fee,
                _ => {}
            }
        }
        let sold: Decimal = ledger.sales.iter().map(|sale| sale.cost).sum();
        let gained: Decimal = ledger.sales.iter().map(|sale| sale.gain).sum();
        prop_assert_eq!(sold + ledger.cost(), paid);
        prop_assert_eq!(gained, received - sold);
    }

    #[test]
    fn split_changes_neither_cost_nor_value(
        method in methods(), trades in trades(), new in 1_u32..20, old in 1_u32..20, price in 1_u32..50_000,
    ) {
        let (mut ledger, _) = applied(method, &trades);
        let (before, cost) = (ledger.quantity(), ledger.cost());
        let date = nova_skill::jiff::civil::date(2027, 1, 1);
        let event = Event::Split { new: new.into(), old: old.into() };
        ledger.apply(&Trade { date, event, origin: 0 }).unwrap();
        prop_assert_eq!(ledger.cost(), cost);
        // The quantity in old shares, and its value at the price of an old share, are unchanged.
        let back = Quantity::ratio(old.into(), new.into()).unwrap();
        let old_shares = ledger.quantity().times(back).unwrap();
        prop_assert_eq!(old_shares, before);
        prop_assert_eq!(old_shares.at(cents(price)).unwrap(), before.at(cents(price)).unwrap());
    }
}

#[test]
fn within_a_day_splits_precede_buys_and_buys_sales() {
    let date = nova_skill::jiff::civil::date(2026, 5, 4);
    let five = Decimal::from(5);
    let (price, fee) = (Decimal::TEN, Decimal::ZERO);
    let events = [
        Event::Sell { quantity: five, price, fee },
        Event::Buy { quantity: five, price, fee },
        Event::Split { new: five, old: Decimal::ONE },
    ];
    let trades: Vec<Trade> =
        events.into_iter().enumerate().map(|(origin, event)| Trade { date, event, origin }).collect();
    let ledger = Ledger::of(Method::Fifo, &trades, None).unwrap();
    assert!(ledger.quantity().is_zero());
    assert_eq!(ledger.sales[0].gain, Decimal::ZERO);
}
