use std::sync::LazyLock;

/// The currency that a text names: three letters of ISO 4217, whatever their case.
///
/// ```
/// use nova_figures::currency_code;
/// assert_eq!(currency_code(" eur "), Some("EUR"));
/// assert_eq!(currency_code("Euro"), None);
/// assert_eq!(currency_code("XXX"), None);
/// ```
pub fn currency_code(text: &str) -> Option<&'static str> {
    // Asked of every record: by the letters, in order, and without a copy of them.
    let code: [u8; 3] = text.trim().as_bytes().try_into().ok()?;
    let code = code.map(|letter| letter.to_ascii_uppercase());
    let found = IN_ORDER.binary_search_by(|known| known.as_bytes().cmp(&code)).ok()?;
    Some(IN_ORDER[found])
}

/// The codes that differ from a text in one letter, for an error.
///
/// ```
/// use nova_figures::near_currency_codes;
/// assert_eq!(near_currency_codes("EUK"), ["EUR"]);
/// ```
pub fn near_currency_codes(text: &str) -> Vec<&'static str> {
    let code = text.trim().to_ascii_uppercase();
    let near = |known: &&str| {
        known.len() == code.len() && known.bytes().zip(code.bytes()).filter(|(a, b)| a != b).count() == 1
    };
    IN_ORDER.iter().copied().filter(near).collect()
}

static IN_ORDER: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut codes: Vec<_> = CODES.split_ascii_whitespace().collect();
    codes.sort_unstable();
    codes
});

/// How many digits amounts of a currency have behind their point; two where it is no known currency.
///
/// ```
/// use nova_figures::places;
/// assert_eq!([places("EUR"), places("JPY"), places("KWD"), places("BTC")], [2, 0, 3, 8]);
/// ```
pub fn places(currency: &str) -> u32 {
    let is_one_of = |codes: &str| codes.split_ascii_whitespace().any(|code| code == currency);
    match currency {
        "EUR" | "USD" => 2,
        "CLF" => 4,
        "BTC" => 8,
        _ if is_one_of(WITHOUT_PLACES) => 0,
        _ if is_one_of(THREE_PLACES) => 3,
        _ => 2,
    }
}

/// By the minor units of ISO 4217.
const WITHOUT_PLACES: &str = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF";
const THREE_PLACES: &str = "BHD IQD JOD KWD LYD OMR TND";

/// The codes of ISO 4217 that money is kept in (funds, metals and test codes of the standard are left out),
/// and BTC, CLF and CNH, in which prices are given.
const CODES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTC BTN \
BWP BYN BZD CAD CDF CHF CLF CLP CNH CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD \
GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR \
LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP \
PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP \
TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";
