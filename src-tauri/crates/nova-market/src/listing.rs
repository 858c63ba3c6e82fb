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
/// does not cover it.
struct Exchange {
    names: &'static [&'static str],
    /// Market identifier code (ISO 10383); the United States have several.
    market: Option<&'static str>,
    currency: &'static str,
    /// The hundredth of the currency in which its shares are quoted. A source that states no currency is not
    /// asked for them.
    subunit: Option<&'static str>,
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
        subunit: None,
        stooq: Some(".us"),
        yahoo: "",
    },
    Exchange {
        names: &["XETRA", "XETR", "FRANKFURT"],
        market: Some("XETR"),
        currency: "EUR",
        subunit: None,
        stooq: Some(".de"),
        yahoo: ".DE",
    },
    Exchange {
        names: &["LSE", "LONDON", "XLON"],
        market: Some("XLON"),
        currency: "GBP",
        subunit: Some("pence"),
        stooq: None,
        yahoo: ".L",
    },
    Exchange {
        names: &["PARIS", "XPAR"],
        market: Some("XPAR"),
        currency: "EUR",
        subunit: None,
        stooq: None,
        yahoo: ".PA",
    },
    Exchange {
        names: &["AMSTERDAM", "XAMS"],
        market: Some("XAMS"),
        currency: "EUR",
        subunit: None,
        stooq: None,
        yahoo: ".AS",
    },
    Exchange {
        names: &["MILAN", "XMIL"],
        market: Some("XMIL"),
        currency: "EUR",
        subunit: None,
        stooq: None,
        yahoo: ".MI",
    },
    Exchange {
        names: &["MADRID", "XMAD"],
        market: Some("XMAD"),
        currency: "EUR",
        subunit: None,
        stooq: None,
        yahoo: ".MC",
    },
    Exchange {
        names: &["VIENNA", "XWBO"],
        market: Some("XWBO"),
        currency: "EUR",
        subunit: None,
        stooq: None,
        yahoo: ".VI",
    },
    Exchange {
        names: &["SIX", "ZURICH", "XSWX"],
        market: Some("XSWX"),
        currency: "CHF",
        subunit: None,
        stooq: None,
        yahoo: ".SW",
    },
    Exchange {
        names: &["WSE", "WARSAW", "XWAR"],
        market: Some("XWAR"),
        currency: "PLN",
        subunit: None,
        stooq: Some(""),
        yahoo: ".WA",
    },
    Exchange {
        names: &["TSE", "TOKYO", "XTKS"],
        market: Some("XTKS"),
        currency: "JPY",
        subunit: None,
        stooq: Some(".jp"),
        yahoo: ".T",
    },
    Exchange {
        names: &["HKEX", "HONG KONG", "XHKG"],
        market: Some("XHKG"),
        currency: "HKD",
        subunit: None,
        stooq: Some(".hk"),
        yahoo: ".HK",
    },
    Exchange {
        names: &["TSX", "TORONTO", "XTSE"],
        market: Some("XTSE"),
        currency: "CAD",
        subunit: None,
        stooq: None,
        yahoo: ".TO",
    },
    Exchange {
        names: &["ASX", "SYDNEY", "XASX"],
        market: Some("XASX"),
        currency: "AUD",
        subunit: None,
        stooq: None,
        yahoo: ".AX",
    },
    Exchange {
        names: &["JSE", "JOHANNESBURG", "XJSE"],
        market: Some("XJSE"),
        currency: "ZAR",
        subunit: Some("cents"),
        stooq: None,
        yahoo: ".JO",
    },
    Exchange {
        names: &["TASE", "TEL AVIV", "XTAE"],
        market: Some("XTAE"),
        currency: "ILS",
        subunit: Some("agorot"),
        stooq: None,
        yahoo: ".TA",
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

    /// Whether both are the same share at the same exchange, by whichever names.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_at_one = self.place() == other.place() || (self.is_in_the_us() && other.is_in_the_us());
        self.symbol == other.symbol && is_at_one
    }

    /// The one name of its exchange, if any is stated.
    pub fn place(&self) -> Option<&str> {
        self.exchange.as_deref().map(|name| known(name).map_or(name, |exchange| exchange.names[0]))
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
        let (exchange, currency) = self.without_subunit()?;
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
        let (exchange, currency) = self.without_subunit()?;
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
        let (exchange, currency) = self.without_subunit()?;
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

    /// The exchange and the currency, for a source that states none.
    ///
    /// # Errors
    /// When its prices are in a subunit, or its suffix is that of an unknown exchange.
    fn without_subunit(&self) -> Result<(&'static Exchange, String), String> {
        let (exchange, currency) = self.listed()?;
        if let Some(subunit) = exchange.subunit {
            let name = exchange.names[0];
            return Err(format!("states no currency, and {name} quotes in {subunit}"));
        }
        match self.hyphenated().rsplit_once('.') {
            Some((_, suffix)) if self.exchange.is_none() => {
                Err(format!("states no currency, and the exchange of the suffix .{suffix} is unknown"))
            }
            _ => Ok((exchange, currency)),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(symbol: &str, exchange: Option<&str>) -> Listing {
        Listing { exchange: exchange.map(str::to_owned), ..Listing::parse(symbol) }
    }

    #[test]
    fn one_exchange_has_several_names() {
        assert!(at("NGTL", Some("Frankfurt")).is_same(&Listing::parse("NGTL.DE")));
        assert!(at("NGTL", Some("xlon")).is_same(&at("NGTL", Some("London"))));
        assert!(at("NGTL", Some("NYSE")).is_same(&Listing::parse("NGTL")));
        assert!(at("NGTL", Some("Bolsa")).is_same(&at("NGTL", Some("Bolsa"))), "an unknown exchange");
        assert!(!at("NGTL", Some("LSE")).is_same(&Listing::parse("NGTL")));
        assert!(!at("NGTL", Some("XETRA")).is_same(&at("KSTL", Some("XETRA"))));
    }

    #[test]
    fn source_without_a_currency_is_not_asked_for_pence() {
        let own = |source: &str, symbol: &str| (source.to_owned(), symbol.to_owned());
        let named = [own("finnhub", "NGT.L"), own("stooq", "ngt.uk"), own("tiingo", "NGT")];
        for (symbol, why) in [
            ("NGT.L", "states no currency, and LSE quotes in pence"),
            ("NPN.JO", "states no currency, and JSE quotes in cents"),
            ("TEVA.TA", "states no currency, and TASE quotes in agorot"),
            ("2330.TW", "states no currency, and the exchange of the suffix .TW is unknown"),
        ] {
            let listing = Listing { own: named.clone().into(), ..Listing::parse(symbol) };
            assert_eq!(listing.for_finnhub(), Err(why.to_owned()));
            assert_eq!(listing.for_stooq(), Err(why.to_owned()));
            assert_eq!(listing.in_the_us("tiingo"), Err(why.to_owned()));
        }
        // These state the currency.
        assert_eq!(Listing::parse("NGT.L").for_yahoo(), Ok("NGT.L".into()));
        assert_eq!(Listing::parse("NGT.L").for_twelve_data(), Ok(("NGT".into(), Some("XLON"))));
        assert_eq!(Listing::parse("BRK.B").for_finnhub(), Ok(("BRK.B".into(), "USD".into())));
    }
}
