//! Currencies and their subunits as brokers write them.

use nova_skill::Decimal;
use nova_skill::figures::currency_code;

/// A currency and the number of quoted units in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) code: &'static str,
    /// 100 for pence.
    pub(super) of_one: Decimal,
}

impl Unit {
    /// `GBX` and `GBp` are pence, `ZAc` and `ILA` the hundredths of rand and shekel.
    pub(super) fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let hundredth = match text {
            "GBX" | "GBp" | "gbx" => Some("GBP"),
            "ZAc" | "ZAC" => Some("ZAR"),
            "ILA" => Some("ILS"),
            _ => None,
        };
        match hundredth {
            Some(code) => Some(Self { code, of_one: Decimal::ONE_HUNDRED }),
            None => currency_code(text).map(Self::whole),
        }
    }

    pub(super) fn whole(code: &'static str) -> Self {
        Self { code, of_one: Decimal::ONE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pence_are_hundredths_of_a_pound() {
        for (text, unit) in [
            ("GBX", Some(("GBP", 100))),
            ("GBp", Some(("GBP", 100))),
            ("GBP", Some(("GBP", 1))),
            ("usd", Some(("USD", 1))),
            ("ILA", Some(("ILS", 100))),
            ("Stück", None),
        ] {
            let unit = unit.map(|(code, of_one)| Unit { code, of_one: Decimal::from(of_one) });
            assert_eq!(Unit::of(text), unit, "{text}");
        }
    }
}
