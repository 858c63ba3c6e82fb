use std::collections::BTreeMap;

use nova_figures::currency_code;

/// A share or fund on one exchange, as far as known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listing {
    pub symbol: String,
    /// A name of the exchange, such as XETRA.
    pub exchange: Option<String>,
    /// Expected currency; a price in another one is refused.
    pub currency: Option<String>,
    /// Symbols configured by the user, by the source's name in the configuration.
    pub own: BTreeMap<String, String>,
}

/// A search result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// In the source's spelling.
    pub symbol: String,
    pub name: String,
    pub exchange: Option<String>,
    /// Such as "equity" or "etf".
    pub kind: Option<String>,
}

/// An exchange: its names, its symbol suffixes by source, and its currency. There is no suffix if a source
/// does not cover it, or quotes it in a subunit of the currency.
struct Exchange {
    names: &'static [&'static str],
    /// Market identifier code (ISO 10383); the United States have several.
    market: Option<&'static str>,
    currency: &'static str,
    stooq: Option<&'static str>,
    yahoo: &'static str,
}

const EXCHANGES: &[Exchange] = &[
    Exchange {
        names: &[
            "US",
            "NYSE",
            "NASDAQ",
            "AMEX",
            "XNYS",
            "XNAS",
            "NASDAQGS",
            "NASDAQGM",
            "NASDAQCM",
            "NYSE ARCA",
            "NYSEARCA",
        ],
        market: None,
        currency: "USD",
        stooq: Some(".us"),
        yahoo: "",
    },
    Exchange {
        names: &["XETRA", "XETR", "FRANKFURT"],
        market: Some("XETR"),
        currency: "EUR",
        stooq: Some(".de"),
        yahoo: ".DE",
    },
    Exchange {
        names: &["LSE", "LONDON", "XLON"],
        market: Some("XLON"),
        currency: "GBP",
        stooq: None,
        yahoo: ".L",
    },
    Exchange { names: &["PARIS", "XPAR"], market: Some("XPAR"), currency: "EUR", stooq: None, yahoo: ".PA" },
    Exchange {
        names: &["AMSTERDAM", "XAMS"],
        market: Some("XAMS"),
        currency: "EUR",
        stooq: None,
        yahoo: ".AS",
    },
    Exchange { names: &["MILAN", "XMIL"], market: Some("XMIL"), currency: "EUR", stooq: None, yahoo: ".MI" },
    Exchange { names: &["MADRID", "XMAD"], market: Some("XMAD"), currency: "EUR", stooq: None, yahoo: ".MC" },
    Exchange { names: &["VIENNA", "XWBO"], market: Some("XWBO"), currency: "EUR", stooq: None, yahoo: ".VI" },
    Exchange {
        names: &["SIX", "ZURICH", "XSWX"],
        market: Some("XSWX"),
        currency: "CHF",
        stooq: None,
        yahoo: ".SW",
    },
    Exchange {
        names: &["WSE", "WARSAW", "XWAR"],
        market: Some("XWAR"),
        currency: "PLN",
        stooq: Some(""),
        yahoo: ".WA",
    },
    Exchange {
        names: &["TSE", "TOKYO", "XTKS"],
        market: Some("XTKS"),
        currency: "JPY",
        stooq: Some(".jp"),
        yahoo: ".T",
    },
    Exchange {
        names: &["HKEX", "HONG KONG", "XHKG"],
        market: Some("XHKG"),
        currency: "HKD",
        stooq: Some(".hk"),
        yahoo: ".HK",
    },
    Exchange {
        names: &["TSX", "TORONTO", "XTSE"],
        market: Some("XTSE"),
        currency: "CAD",
        stooq: None,
        yahoo: ".TO",
    },
    Exchange {
        names: &["ASX", "SYDNEY", "XASX"],
        market: Some("XASX"),
        currency: "AUD",
        stooq: None,
        yahoo: ".AX",
    },
];

impl Listing {
    /// Parses a symbol as the user writes it: "ngtl", or with the suffix of its exchange, "NGTL.DE".
    pub fn parse(said: &str) -> Self {
        let said = said.trim().to_uppercase();
        let marked = EXCHANGES.iter().filter(|exchange| !exchange.yahoo.is_empty());
        let parts = marked.filter_map(|exchange| Some((said.strip_suffix(exchange.yahoo)?, exchange))).next();
        match parts {
            Some((symbol, exchange)) if !symbol.is_empty() => Self {
                symbol: symbol.to_owned(),
                exchange: Some(exchange.names[0].into()),
                ..Self::default()
            },
            _ => Self { symbol: said, ..Self::default() },
        }
    }

    /// The listing of a search result.
    pub fn found(found: &Found) -> Self {
        let mut listing = Self::parse(&found.symbol);
        let said = found.exchange.as_deref().filter(|exchange| known(exchange).is_ok());
        listing.exchange = listing.exchange.or(said.map(str::to_owned));
        listing
    }

    /// The two currencies of an exchange rate, such as USD/EUR.
    pub fn pair(&self) -> Option<(&'static str, &'static str)> {
        let (from, to) = self.symbol.split_once('/')?;
        Some((currency_code(from)?, currency_code(to)?))
    }

    /// Whether it is listed in the United States, which is the default.
    pub fn is_in_the_us(&self) -> bool {
        self.listed().is_ok_and(|(exchange, _)| exchange.names[0] == EXCHANGES[0].names[0])
    }

    /// The symbol for Stooq, and the currency, which Stooq does not report.
    ///
    /// # Errors
    /// When it is unknown: a guess could be another share with the same letters.
    pub(crate) fn for_stooq(&self) -> Result<(String, String), String> {
        let (exchange, currency) = self.listed()?;
        if let Some(own) = self.own("stooq") {
            return Ok((own.to_lowercase(), currency));
        }
        let mark = exchange.stooq.ok_or_else(|| format!("does not quote {}", exchange.names[0]))?;
        Ok((format!("{}{mark}", self.hyphenated().to_lowercase()), currency))
    }

    /// The symbol for Yahoo, which reports the currency.
    ///
    /// # Errors
    /// When the exchange is unknown.
    pub(crate) fn for_yahoo(&self) -> Result<String, String> {
        if let Some(own) = self.own("yahoo") {
            return Ok(own.to_owned());
        }
        match &self.exchange {
            Some(name) => Ok(format!("{}{}", self.hyphenated(), known(name)?.yahoo)),
            None => Ok(self.hyphenated()),
        }
    }

    /// The symbol for Finnhub, and the currency, which Finnhub does not report.
    ///
    /// # Errors
    /// See [`Listing::for_stooq`].
    pub(crate) fn for_finnhub(&self) -> Result<(String, String), String> {
        let (exchange, currency) = self.listed()?;
        let symbol =
            self.own("finnhub").map_or_else(|| format!("{}{}", self.symbol, exchange.yahoo), str::to_owned);
        Ok((symbol, currency))
    }

    /// The symbol for Twelve Data, which reports the currency, and the market identifier code if known.
    ///
    /// # Errors
    /// When the exchange is unknown.
    pub(crate) fn for_twelve_data(&self) -> Result<(String, Option<&'static str>), String> {
        if let Some(own) = self.own("twelve_data") {
            return Ok((own.to_owned(), None));
        }
        let (exchange, _) = self.listed()?;
        Ok((self.symbol.clone(), exchange.market))
    }

    /// The symbol for a source that covers only the United States, and the dollar.
    ///
    /// # Errors
    /// When it is listed elsewhere.
    pub(crate) fn in_the_us(&self, source: &str) -> Result<(String, String), String> {
        let (exchange, currency) = self.listed()?;
        match self.own(source) {
            Some(own) => Ok((own.to_owned(), currency)),
            None if exchange.currency == "USD" => Ok((self.hyphenated(), currency)),
            None => Err(format!("does not quote {}", exchange.names[0])),
        }
    }

    /// The symbol with the share class as most sources write it: BRK.B is BRK-B. Other letters after a point
    /// are suffixes of exchanges.
    fn hyphenated(&self) -> String {
        match self.symbol.rsplit_once('.') {
            Some((company, class @ ("A" | "B"))) => format!("{company}-{class}"),
            _ => self.symbol.clone(),
        }
    }

    fn own(&self, source: &str) -> Option<&str> {
        self.own.get(source).map(String::as_str).filter(|own| !own.trim().is_empty())
    }

    /// The exchange and the currency; the United States by default.
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
