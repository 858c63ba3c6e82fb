use nova_skill::{ToolContext, Value};

use crate::books::Books;

/// What is asked for, as far as the vault knows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) symbol: String,
    exchange: Option<String>,
    /// In which it is kept.
    pub(crate) currency: Option<String>,
    /// What the user says each source calls it.
    own: Value,
}

/// What an exchange is called, how sources mark its symbols, and what it quotes in. Where a source
/// does not cover it, or quotes it in fractions of its currency, it has no mark.
struct Exchange {
    names: &'static [&'static str],
    currency: &'static str,
    stooq: Option<&'static str>,
    yahoo: &'static str,
}

const EXCHANGES: &[Exchange] = &[
    Exchange {
        names: &["US", "NYSE", "NASDAQ", "AMEX", "XNYS", "XNAS"],
        currency: "USD",
        stooq: Some(".us"),
        yahoo: "",
    },
    Exchange { names: &["XETRA", "XETR", "FRANKFURT"], currency: "EUR", stooq: Some(".de"), yahoo: ".DE" },
    Exchange { names: &["LSE", "LONDON", "XLON"], currency: "GBP", stooq: None, yahoo: ".L" },
    Exchange { names: &["PARIS", "XPAR"], currency: "EUR", stooq: None, yahoo: ".PA" },
    Exchange { names: &["AMSTERDAM", "XAMS"], currency: "EUR", stooq: None, yahoo: ".AS" },
    Exchange { names: &["MILAN", "XMIL"], currency: "EUR", stooq: None, yahoo: ".MI" },
    Exchange { names: &["MADRID", "XMAD"], currency: "EUR", stooq: None, yahoo: ".MC" },
    Exchange { names: &["VIENNA", "XWBO"], currency: "EUR", stooq: None, yahoo: ".VI" },
    Exchange { names: &["SIX", "ZURICH", "XSWX"], currency: "CHF", stooq: None, yahoo: ".SW" },
    Exchange { names: &["WSE", "WARSAW", "XWAR"], currency: "PLN", stooq: Some(""), yahoo: ".WA" },
    Exchange { names: &["TSE", "TOKYO", "XTKS"], currency: "JPY", stooq: Some(".jp"), yahoo: ".T" },
    Exchange { names: &["HKEX", "HONG KONG", "XHKG"], currency: "HKD", stooq: Some(".hk"), yahoo: ".HK" },
    Exchange { names: &["TSX", "TORONTO", "XTSE"], currency: "CAD", stooq: None, yahoo: ".TO" },
    Exchange { names: &["ASX", "SYDNEY", "XASX"], currency: "AUD", stooq: None, yahoo: ".AX" },
];

impl Asked {
    pub(crate) fn new(symbol: &str, books: &Books, ctx: &dyn ToolContext) -> Self {
        let position = books.position(symbol);
        let of_trade =
            || books.trades.iter().find(|note| note.symbol == symbol).map(|note| note.currency.clone());
        let own = ctx.config().get("symbols").and_then(|symbols| symbols.get(symbol));
        Self {
            symbol: symbol.to_owned(),
            exchange: position.and_then(|position| position.exchange.clone()),
            currency: position.map(|position| position.currency.clone()).or_else(of_trade),
            own: own.cloned().unwrap_or_default(),
        }
    }

    /// What Stooq calls it and the currency that it quotes it in, which it does not say itself.
    ///
    /// # Errors
    /// When that cannot be known: a guess could be a stock of the same letters.
    pub(super) fn for_stooq(&self) -> Result<(String, String), String> {
        let (exchange, currency) = self.listed()?;
        if let Some(own) = self.own("stooq") {
            return Ok((own.to_lowercase(), currency));
        }
        let mark = exchange.stooq.ok_or_else(|| format!("does not quote {}", exchange.names[0]))?;
        Ok((format!("{}{mark}", self.symbol.to_lowercase()), currency))
    }

    /// What Yahoo calls it; it says the currency itself.
    ///
    /// # Errors
    /// When the exchange is not known.
    pub(super) fn for_yahoo(&self) -> Result<String, String> {
        if let Some(own) = self.own("yahoo") {
            return Ok(own.to_owned());
        }
        match &self.exchange {
            Some(name) => Ok(format!("{}{}", self.symbol, known(name)?.yahoo)),
            None => Ok(self.symbol.clone()),
        }
    }

    /// What Finnhub calls it, and the currency, which it does not say.
    ///
    /// # Errors
    /// As [`Asked::for_stooq`].
    pub(super) fn for_finnhub(&self) -> Result<(String, String), String> {
        let (exchange, currency) = self.listed()?;
        let symbol =
            self.own("finnhub").map_or_else(|| format!("{}{}", self.symbol, exchange.yahoo), str::to_owned);
        Ok((symbol, currency))
    }

    fn own(&self, source: &str) -> Option<&str> {
        self.own.get(source).and_then(Value::as_str).filter(|own| !own.trim().is_empty())
    }

    /// Where it is listed: in the United States where nothing says otherwise.
    fn listed(&self) -> Result<(&'static Exchange, String), String> {
        let exchange = match (&self.exchange, &self.currency) {
            (Some(name), _) => known(name)?,
            (None, Some(currency)) if currency != "USD" => {
                return Err(format!(
                    "cannot know which {} is meant: add `exchange:` to its position, such as XETRA",
                    self.symbol
                ));
            }
            (None, _) => &EXCHANGES[0],
        };
        Ok((exchange, exchange.currency.to_owned()))
    }
}

fn known(name: &str) -> Result<&'static Exchange, String> {
    let wanted = name.trim().to_uppercase();
    EXCHANGES.iter().find(|exchange| exchange.names.contains(&wanted.as_str())).ok_or_else(|| {
        let names: Vec<&str> = EXCHANGES.iter().map(|exchange| exchange.names[0]).collect();
        format!("was not asked: the exchange {name} is not one of {}", names.join(", "))
    })
}
