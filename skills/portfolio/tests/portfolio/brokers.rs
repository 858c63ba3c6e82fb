//! Invented files in the export formats of real brokers: columns, words and currencies are recognised, and
//! each row becomes the right trade.

use nova_skill::{Value, json};
use nova_testkit::SkillInVault;

use crate::portfolio;

/// A file, the questions about it, and its trades as `date kind symbol quantity × price + fee currency`.
struct Broker {
    text: &'static str,
    /// The user's answers, as parts of the mapping.
    answers: Value,
    /// The topics of the questions.
    asks: &'static [&'static str],
    currency: Option<&'static str>,
    trades: &'static [&'static str],
}

fn with_file(vault: &str, text: &str) -> SkillInVault {
    let skill = portfolio(vault);
    skill.vault.write_bytes("trades.csv", text.as_bytes());
    skill
}

fn row(entry: &Value) -> String {
    let text = |key: &str| entry[key].as_str().unwrap_or("-").to_owned();
    let number = |key: &str| {
        entry[key].as_str().map_or("-".into(), |text| {
            let number: nova_skill::Decimal = text.parse().unwrap();
            number.normalize().to_string()
        })
    };
    format!(
        "{} {} {} {} × {} + {} = {} {}",
        text("date"),
        text("kind"),
        text("symbol"),
        number("quantity"),
        number("price"),
        number("fee"),
        number("amount"),
        text("currency"),
    )
}

/// Proposes, answers and imports the file, compares the trades, and checks that a second import adds nothing.
#[track_caller]
fn check(vault: &str, broker: Broker) {
    let Broker { text, answers, asks, currency, trades } = broker;
    let skill = with_file(vault, text);
    let mut args = json!({"path": "trades.csv"});
    let first = skill.value("import_transactions", args.clone());
    assert_eq!(first["needs_confirmation"], true, "{first:#}");
    let about = |value: &Value| -> Vec<String> {
        let questions = value["questions"].as_array().unwrap();
        questions.iter().map(|one| one["about"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(about(&first), asks, "{first:#}");
    if let Some(currency) = currency {
        args["currency"] = currency.into();
    }
    args["mapping"] = first["mapping"].clone();
    for (key, answer) in answers.as_object().unwrap() {
        args["mapping"][key] = answer.clone();
    }
    args["review"] = true.into();
    let review = skill.value("import_transactions", args.clone());
    assert_eq!(review["questions"], json!([]), "{review:#}");
    assert_eq!(review["problems"], json!([]), "{review:#}");
    let found: Vec<String> = review["entries"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(found, trades, "{:#}", review["mapping"]);
    args["review"] = false.into();
    let done = skill.value("import_transactions", args);
    assert_eq!(done["imported"], trades.len(), "{done:#}");
    assert_eq!(skill.value("list_trades", json!({}))["unreadable"], json!([]));
    // The columns are remembered; ambiguities in the file are asked about again.
    let before = skill.vault.files();
    let again = skill.value("import_transactions", json!({"path": "trades.csv", "mapping": done["mapping"]}));
    assert_eq!((&again["imported"], &again["already_there"]), (&json!(0), &json!(trades.len())), "{again:#}");
    assert_eq!(skill.vault.files(), before);
}

#[test]
fn interactive_brokers_activity_statement() {
    check(
        "",
        Broker {
            text: "\
Statement,Header,Field Name,Field Value
Statement,Data,BrokerName,Interactive Brokers
Statement,Data,Period,\"January 1, 2026 - November 20, 2026\"
Account Information,Header,Field Name,Field Value
Account Information,Data,Account,U0000001
Account Information,Data,Base Currency,USD
Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,C. Price,Proceeds,Comm/Fee,Basis,Realized P/L,MTM P/L,Code
Trades,Data,Order,Stocks,USD,BWOP,\"2026-03-12, 10:22:01\",\"1,200\",10.50,10.55,-12600,-6,12606,0,60,O
Trades,Data,Order,Stocks,USD,BWOP,\"2026-06-15, 15:30:59\",-200,12.25,12.2,2450,-1.05,-2101,347.95,10,C
Trades,SubTotal,,Stocks,USD,BWOP,,\"1,000\",,,-10150,-7.05,10505,347.95,70,
Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,,Proceeds,Comm in USD,,,MTM in USD,Code
Trades,Data,Order,Forex,USD,EUR.USD,\"2026-03-12, 10:20:00\",-1000,1.0850,,1085,-2,,,0.5,
Trades,Data,Order,Equity and Index Options,USD,BWOP 18SEP26 12 C,\"2026-03-13, 10:20:00\",1,0.50,0.5,-50,-1,51,0,0,O
Deposits & Withdrawals,Header,Currency,Settle Date,Description,Amount
Deposits & Withdrawals,Data,EUR,2026-03-10,Electronic Fund Transfer,\"5,000\"
Deposits & Withdrawals,Data,Total,,,5000
Fees,Header,Subtitle,Currency,Date,Description,Amount
Fees,Data,Other Fees,USD,2026-10-02,Market data,-1.50
Dividends,Header,Currency,Date,Description,Amount
Dividends,Data,USD,2026-09-15,BWOP(US0000000001) Cash Dividend USD 0.10 per Share (Ordinary Dividend),100
Dividends,Data,Total,,,100
Withholding Tax,Header,Currency,Date,Description,Amount,Code
Withholding Tax,Data,USD,2026-09-15,BWOP(US0000000001) Cash Dividend USD 0.10 per Share - US Tax,-15,
Interest,Header,Currency,Date,Description,Amount
Interest,Data,USD,2026-10-05,USD Credit Interest for Sep-2026,1.23
Interest,Data,EUR,2026-07-03,EUR Debit Interest for Jun-2026,-0.40
Interest,Data,Total Interest in USD,,,0.80
Financial Instrument Information,Header,Asset Category,Symbol,Description,Conid,Security ID,Underlying,Listing Exch,Multiplier,Type,Code
Financial Instrument Information,Data,Stocks,BWOP,BRIGHTWATER OPTICS,1,US0000000001,BWOP,NASDAQ,1,COMMON,
",
            answers: json!({}),
            asks: &[],
            currency: None,
            trades: &[
                "2026-10-05 interest - - × - + - = 1.23 USD",
                "2026-10-02 fee - - × - + - = -1.5 USD",
                "2026-09-15 dividend BWOP 1 × 100 + - = 100 USD",
                "2026-09-15 tax BWOP - × - + - = -15 USD",
                "2026-07-03 fee - - × - + - = -0.4 EUR",
                "2026-06-15 sell BWOP 200 × 12.25 + 1.05 = 2448.95 USD",
                "2026-03-12 buy BWOP 1200 × 10.5 + 6 = -12606 USD",
                "2026-03-12 withdrawal - - × - + - = -1000 EUR",
                "2026-03-12 deposit - - × - + - = 1085 USD",
                "2026-03-12 fee - - × - + - = -2 USD",
                "2026-03-10 deposit - - × - + - = 5000 EUR",
            ],
        },
    );
}

#[test]
fn interactive_brokers_flex_query() {
    check(
        "",
        Broker {
            text: "\
\"ClientAccountID\",\"CurrencyPrimary\",\"Symbol\",\"Description\",\"ISIN\",\"TradeDate\",\"Quantity\",\"TradePrice\",\"NetCash\",\"IBCommission\",\"Buy/Sell\",\"TradeID\"
\"U0000001\",\"USD\",\"BWOP\",\"BRIGHTWATER OPTICS\",\"US0000000001\",\"20260312;102201\",\"100\",\"10.5\",\"-1051\",\"-1\",\"BUY\",\"7001\"
\"U0000001\",\"USD\",\"BWOP\",\"BRIGHTWATER OPTICS\",\"US0000000001\",\"20260615;153059\",\"-40\",\"12.25\",\"489\",\"-1\",\"SELL\",\"7002\"
",
            answers: json!({}),
            asks: &[],
            currency: None,
            trades: &[
                "2026-06-15 sell BWOP 40 × 12.25 + 1 = 489 USD",
                "2026-03-12 buy BWOP 100 × 10.5 + 1 = -1051 USD",
            ],
        },
    );
}

/// A price in pence, one in dollars with an exchange rate, a dividend with withheld tax, a deposit, and
/// interest.
#[test]
fn trading_212() {
    check(
        "",
        Broker {
            text: "\
Action,Time,ISIN,Ticker,Name,Notes,ID,No. of shares,Price / share,Currency (Price / share),Exchange rate,Result,Currency (Result),Total,Currency (Total),Withholding tax,Currency (Withholding tax),Currency conversion fee,Currency (Currency conversion fee)
Deposit,2026-03-10 08:00:00.123,,,,Bank Transfer,d-1,,,,,,,2000.00,GBP,,,,
Market buy,2026-03-12 09:31:12.400,GB0000000001,FRNH,Fernhill Dairy,,EOF1,100.0000000000,345.5000000000,GBX,100,,,345.50,GBP,,,,
Limit buy,2026-03-13 15:02:44.010,US0000000001,BWOP,Brightwater Optics,,EOF2,10.5000000000,42.0000000000,USD,1.26000000,,,350.53,GBP,,,0.53,GBP
Dividend (Ordinary),2026-09-15 10:00:00,US0000000001,BWOP,Brightwater Optics,,,10.5000000000,0.200000,USD,Not available,,,1.42,GBP,0.32,USD,,
Interest on cash,2026-09-30 02:00:00,,,,,i-1,,,,,,,1.15,GBP,,,,
",
            answers: json!({}),
            asks: &[],
            currency: None,
            // 10.5 × 42 ÷ 1.26 + 0.53 = 350.53; 0.53 × 1.26 = 0.6678.
            trades: &[
                "2026-09-30 interest - - × - + - = 1.15 GBP",
                "2026-09-15 dividend BWOP 10.5 × 0.2 + 0.32 = 1.78 USD",
                "2026-09-15 withdrawal - - × - + - = -1.78 USD",
                "2026-09-15 deposit - - × - + - = 1.42 GBP",
                "2026-03-13 buy BWOP 10.5 × 42 + 0.67 = -441.67 USD",
                "2026-03-13 withdrawal - - × - + - = -350.53 GBP",
                "2026-03-13 deposit - - × - + - = 441.67 USD",
                "2026-03-12 buy FRNH 100 × 3.455 + - = -345.5 GBP",
                "2026-03-10 deposit - - × - + - = 2000 GBP",
            ],
        },
    );
}

/// There is no column for the kind of trade, currencies are in unnamed columns, and fees are in euros.
#[test]
fn degiro() {
    check(
        "",
        Broker {
            text: "\
Datum,Uhrzeit,Produkt,ISIN,Referenzbörse,Ausführungsort,Anzahl,Kurs,,Wert in Lokalwährung,,Wert,,Wechselkurs,Transaktionsgebühren,,Gesamt,,Order-ID
15-06-2026,16:02,BRIGHTWATER OPTICS,US0000000001,NDQ,XNAS,-4,\"45,5000\",USD,\"182,00\",USD,\"165,45\",EUR,\"1,1000\",\"-2,00\",EUR,\"163,45\",EUR,b2
13-03-2026,15:45,BRIGHTWATER OPTICS,US0000000001,NDQ,XNAS,10,\"42,0000\",USD,\"-420,00\",USD,\"-385,32\",EUR,\"1,0900\",\"-2,00\",EUR,\"-387,32\",EUR,b1
",
            answers: json!({"symbols": {"US0000000001": "BWOP"}}),
            asks: &[],
            currency: None,
            // €2.00 at 1.10 and at 1.09.
            trades: &[
                "2026-06-15 sell BWOP 4 × 45.5 + 2.2 = 179.8 USD",
                "2026-03-13 buy BWOP 10 × 42 + 2.18 = -422.18 USD",
            ],
        },
    );
}

#[test]
fn comdirect() {
    check(
        "",
        Broker {
            text: "\
\"Umsätze Depot\";\"Zeitraum: 01.01.2026 - 20.11.2026\";
\"\"
\"Buchungstag\";\"Geschäftstag\";\"Stück / Nom.\";\"Bezeichnung\";\"WKN\";\"Währung\";\"Ausführungskurs\";\"Umsatz in EUR\"
\"18.09.2026\";\"15.09.2026\";\"-50\";\"NORTHGATE TOOLING AG\";\"A0NGTL\";\"EUR\";\"40,00\";\"2.000,00\"
\"16.03.2026\";\"12.03.2026\";\"1.200\";\"NORTHGATE TOOLING AG\";\"A0NGTL\";\"EUR\";\"30,00\";\"-36.000,00\"
",
            answers: json!({}),
            asks: &[],
            currency: None,
            trades: &[
                "2026-09-15 sell A0NGTL 50 × 40 + - = 2000 EUR",
                "2026-03-12 buy A0NGTL 1200 × 30 + - = -36000 EUR",
            ],
        },
    );
}

/// Two fees, a savings plan, an unknown word, and a position with a known ISIN.
#[test]
fn consorsbank() {
    check(
        "//- Portfolio/Positions/NGTL.md\n---\ntype: position\nsymbol: NGTL\nname: Northgate Tooling\nisin: DE000A0NGTL1\ncurrency: EUR\n---\n",
        Broker {
            text: "\
Datum;Vorgang;Wertpapier;ISIN;Stück;Kurs;Währung;Provision;Spesen;Betrag
02.11.2026;Depotgebühr;;;;;EUR;;;-5,00
05.10.2026;Ausschüttung;Northgate Tooling;DE000A0NGTL1;200,5;0,60;EUR;;;120,30
01.04.2026;Kauf aus Sparplan;Northgate Tooling;DE000A0NGTL1;0,5;31,00;EUR;;;-15,50
12.03.2026;Zeichnung;Northgate Tooling;DE000A0NGTL1;200;30,00;EUR;9,95;1,50;-6.011,45
",
            answers: json!({"actions": {"Zeichnung": "buy"}}),
            asks: &["actions/Zeichnung"],
            currency: None,
            trades: &[
                "2026-11-02 fee - - × - + - = -5 EUR",
                "2026-10-05 dividend NGTL 200.5 × 0.6 + - = 120.3 EUR",
                "2026-04-01 buy NGTL 0.5 × 31 + - = -15.5 EUR",
                "2026-03-12 buy NGTL 200 × 30 + 11.45 = -6011.45 EUR",
            ],
        },
    );
}

#[test]
fn trade_republic() {
    check(
        "",
        Broker {
            text: "\
datetime,date,account_type,category,type,asset_class,name,symbol,shares,price,amount,fee,tax,currency,original_amount,original_currency,fx_rate,description,transaction_id
2026-10-01T00:00:00.000Z,2026-10-01,DEFAULT,CASH,INTEREST_PAYMENT,,,,,,1.15,,,EUR,,,,Interest,t-4
2026-06-15T10:00:00.000Z,2026-06-15,DEFAULT,TRADING,SELL,STOCK,Northgate Tooling,DE000A0NGTL1,-4.000000,40.000000,160.00,-1.00,-2.50,EUR,,,,Sell,t-3
2026-03-12T09:31:12.400Z,2026-03-12,DEFAULT,TRADING,BUY,STOCK,Northgate Tooling,DE000A0NGTL1,10.000000,30.000000,-300.00,-1.00,,EUR,,,,Buy,t-2
2026-03-10T09:31:12.400Z,2026-03-10,DEFAULT,CASH,CUSTOMER_INPAYMENT,,,,,,500.00,,,EUR,,,,Deposit,t-1
",
            answers: json!({}),
            asks: &[],
            currency: None,
            trades: &[
                "2026-10-01 interest - - × - + - = 1.15 EUR",
                "2026-06-15 sell DE000A0NGTL1 4 × 40 + 3.5 = 156.5 EUR",
                "2026-03-12 buy DE000A0NGTL1 10 × 30 + 1 = -301 EUR",
                "2026-03-10 deposit - - × - + - = 500 EUR",
            ],
        },
    );
}

/// An ambiguous currency symbol, two dates in one cell, and a total below the table.
#[test]
fn schwab() {
    check(
        "",
        Broker {
            text: "\
\"Date\",\"Action\",\"Symbol\",\"Description\",\"Quantity\",\"Price\",\"Fees & Comm\",\"Amount\"
\"09/15/2026\",\"Sell\",\"BWOP\",\"BRIGHTWATER OPTICS\",\"4\",\"$45.50\",\"$0.01\",\"$181.99\"
\"06/15/2026 as of 06/14/2026\",\"Qualified Dividend\",\"BWOP\",\"BRIGHTWATER OPTICS\",\"\",\"\",\"\",\"$2.10\"
\"03/13/2026\",\"Buy\",\"BWOP\",\"BRIGHTWATER OPTICS\",\"1,000\",\"$42.00\",\"$1.00\",\"-$42,001.00\"
\"Transactions Total\",\"\",\"\",\"\",\"\",\"\",\"\",\"-$41,816.91\"
",
            answers: json!({}),
            asks: &["currency"],
            currency: Some("USD"),
            trades: &[
                "2026-09-15 sell BWOP 4 × 45.5 + 0.01 = 181.99 USD",
                "2026-06-15 dividend BWOP 1 × 2.1 + - = 2.1 USD",
                "2026-03-13 buy BWOP 1000 × 42 + 1 = -42001 USD",
            ],
        },
    );
}

/// A sentence describes the transaction, and another one is below the table.
#[test]
fn fidelity() {
    check(
        "",
        Broker {
            text: "


Run Date,Action,Symbol,Description,Type,Quantity,Price ($),Commission ($),Fees ($),Accrued Interest ($),Amount ($),Settlement Date
09/16/2026,Electronic Funds Transfer Paid (Cash), ,No Description,Cash,0.000,,,,,-100,
09/15/2026,YOU SOLD BRIGHTWATER OPTICS (BWOP) (Cash), BWOP,BRIGHTWATER OPTICS,Cash,-4,45.5,,0.01,,181.99,09/16/2026
06/15/2026,DIVIDEND RECEIVED BRIGHTWATER OPTICS (BWOP) (Cash), BWOP,BRIGHTWATER OPTICS,Cash,0.000,,,,,2.1,
03/13/2026,YOU BOUGHT BRIGHTWATER OPTICS (BWOP) (Cash), BWOP,BRIGHTWATER OPTICS,Cash,10,42,,,,-420,03/16/2026

\"The data and information in this spreadsheet is provided to you solely for your use, and is not a statement.\"
",
            answers: json!({}),
            asks: &["currency"],
            currency: Some("USD"),
            trades: &[
                "2026-09-16 withdrawal - - × - + - = -100 USD",
                "2026-09-15 sell BWOP 4 × 45.5 + 0.01 = 181.99 USD",
                "2026-06-15 dividend BWOP 1 × 2.1 + - = 2.1 USD",
                "2026-03-13 buy BWOP 10 × 42 + - = -420 USD",
            ],
        },
    );
}
