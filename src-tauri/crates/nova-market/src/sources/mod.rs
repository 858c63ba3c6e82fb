//! The supported services, each in its own file with its terms and limits.

mod alpha_vantage;
pub(crate) mod custom;
mod ecb;
mod finnhub;
pub mod sec;
mod stooq;
mod tiingo;
mod twelve_data;
mod yahoo;

use secrecy::SecretString;
use url::Url;

use crate::Source;

pub use custom::Description;

/// A supported service.
pub struct Known {
    /// Its name in the configuration: "twelve_data".
    pub name: &'static str,
    /// Its base URL, unless the user configures another.
    pub address: &'static str,
    /// The credential with its key, shared by all skills; `None` if it needs none.
    pub key: Option<&'static str>,
    make: fn(Url, SecretString) -> Box<dyn Source>,
}

/// All services that can be configured.
pub const KNOWN: [Known; 7] = [
    Known {
        name: "stooq",
        address: "https://stooq.com",
        key: None,
        make: |base, _| Box::new(stooq::Stooq { base }),
    },
    Known {
        name: "yahoo",
        address: "https://query1.finance.yahoo.com",
        key: None,
        make: |base, _| Box::new(yahoo::Yahoo { base }),
    },
    Known {
        name: "finnhub",
        address: "https://finnhub.io",
        key: Some("portfolio/FINNHUB_API_KEY"),
        make: |base, key| Box::new(finnhub::Finnhub { base, key }),
    },
    Known {
        name: "twelve_data",
        address: "https://api.twelvedata.com",
        key: Some("portfolio/TWELVE_DATA_API_KEY"),
        make: |base, key| Box::new(twelve_data::TwelveData { base, key }),
    },
    Known {
        name: "tiingo",
        address: "https://api.tiingo.com",
        key: Some("portfolio/TIINGO_API_KEY"),
        make: |base, key| Box::new(tiingo::Tiingo { base, key }),
    },
    Known {
        name: "alpha_vantage",
        address: "https://www.alphavantage.co",
        key: Some("portfolio/ALPHA_VANTAGE_API_KEY"),
        make: |base, key| Box::new(alpha_vantage::AlphaVantage { base, key }),
    },
    Known {
        name: "ecb",
        address: "https://www.ecb.europa.eu",
        key: None,
        make: |base, _| Box::new(ecb::Ecb::new(base)),
    },
];

/// The hosts of [`KNOWN`].
pub const HOSTS: [&str; 7] = [
    "stooq.com",
    "query1.finance.yahoo.com",
    "finnhub.io",
    "api.twelvedata.com",
    "api.tiingo.com",
    "www.alphavantage.co",
    "www.ecb.europa.eu",
];

/// The hosts of [`KNOWN`] and of reports.
pub const WITH_REPORTS: [&str; HOSTS.len() + sec::HOSTS.len()] = {
    let mut hosts = [""; HOSTS.len() + sec::HOSTS.len()];
    let mut place = 0;
    while place < hosts.len() {
        hosts[place] = if place < HOSTS.len() { HOSTS[place] } else { sec::HOSTS[place - HOSTS.len()] };
        place += 1;
    }
    hosts
};

/// The credentials of [`KNOWN`].
pub const CREDENTIALS: [&str; 4] = [
    "portfolio/FINNHUB_API_KEY",
    "portfolio/TWELVE_DATA_API_KEY",
    "portfolio/TIINGO_API_KEY",
    "portfolio/ALPHA_VANTAGE_API_KEY",
];

impl Known {
    pub fn of(name: &str) -> Option<&'static Self> {
        KNOWN.iter().find(|known| known.name == name)
    }

    /// Creates the service at a base URL, with its key.
    pub fn at(&self, base: Url, key: Option<SecretString>) -> Box<dyn Source> {
        (self.make)(base, key.unwrap_or_default())
    }
}

/// Creates a user-defined source; `today` is the day of its newest price.
pub fn described(description: Description, today: jiff::civil::Date) -> Box<dyn Source> {
    Box::new(custom::Custom { description, today })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_is_https_and_hosts_and_keys_are_listed() {
        let hosts = KNOWN.map(|known| {
            let address = Url::parse(known.address).expect("an address");
            assert_eq!(address.scheme(), "https");
            address.host_str().map(str::to_owned)
        });
        assert_eq!(hosts, HOSTS.map(|host| Some(host.to_owned())));
        let keys: Vec<&str> = KNOWN.iter().filter_map(|known| known.key).collect();
        assert_eq!(keys, CREDENTIALS);
    }
}
