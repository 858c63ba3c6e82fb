//! Published examples, to the last digit.

use nova_skill::Decimal;
use nova_skill_portfolio::ledger::{Event, Ledger, Method, Trade};

fn dec(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn buy(quantity: &str, price: &str, fee: &str) -> Event {
    Event::Buy { quantity: dec(quantity), price: dec(price), fee: dec(fee) }
}

fn sell(quantity: &str, price: &str, fee: &str) -> Event {
    Event::Sell { quantity: dec(quantity), price: dec(price), fee: dec(fee) }
}

/// Checks the cost and gain of the last sale, and the remaining quantity and cost.
#[track_caller]
fn check(method: Method, events: Vec<Event>, expected: [&str; 4]) {
    let day = |at: usize| format!("2026-01-{:02}", at + 1).parse().unwrap();
    let trades: Vec<Trade> = events
        .into_iter()
        .enumerate()
        .map(|(at, event)| Trade { date: day(at), event, origin: at })
        .collect();
    let ledger = Ledger::of(method, &trades, None).unwrap();
    let sale = ledger.sales.last().unwrap();
    let found = [sale.cost, sale.gain, ledger.quantity().to_decimal().unwrap(), ledger.cost()];
    assert_eq!(found.map(|number| number.normalize()), expected.map(dec));
}

/// Firstrade, Tax Center, *Tax lots*: lot A of 100 at $5, lot B of 100 at $7; 150 sold at $10 cost
/// $500 + $350 and gain $650; all 200 are worth $800 more than their $1,200.
#[test]
fn firstrade_example_of_fifo() {
    check(
        Method::Fifo,
        vec![buy("100", "5", "0"), buy("100", "7", "0"), sell("150", "10", "0")],
        ["850", "650", "50", "350"],
    );
}

/// HM Revenue & Customs, Capital Gains Manual CG51624: 10,000 shares for £100,000; 5,000 of them sold
/// for £60,000 with £4,000 allowable costs of disposal. The pool gives £50,000, the unindexed gain is
/// £6,000.
#[test]
fn hmrc_example_of_an_average_cost_pool() {
    check(
        Method::Average,
        vec![buy("10000", "10", "0"), sell("5000", "12", "4000")],
        ["50000", "6000", "5000", "50000"],
    );
}
