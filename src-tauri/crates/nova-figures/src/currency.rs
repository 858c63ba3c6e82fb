use std::sync::LazyLock;

/// Returns the ISO 4217 code that a text consists of, ignoring case and surrounding white space.
///
/// ```
/// use nova_figures::currency_code;
/// assert_eq!(currency_code(" eur "), Some("EUR"));
/// assert_eq!(currency_code("Euro"), None);
/// assert_eq!(currency_code("XXX"), None);
/// ```
pub fn currency_code(text: &str) -> Option<&'static str> {
    // Called for every record, so it walks the sorted list of codes without allocating.
    let code: [u8; 3] = text.trim().as_bytes().try_into().ok()?;
    let code = code.map(|letter| letter.to_ascii_uppercase());
    let found = IN_ORDER.binary_search_by(|known| known.as_bytes().cmp(&code)).ok()?;
    Some(IN_ORDER[found])
}

/// Codes that differ from a text in one letter, as suggestions for an error message.
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

/// Decimal places of amounts in a currency; two for an unknown currency.
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

/// ISO 4217 currencies without a minor unit.
const WITHOUT_PLACES: &str = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF";
const THREE_PLACES: &str = "BHD IQD JOD KWD LYD OMR TND";

/// The ISO 4217 codes of currencies (excluding funds, metals and test codes), plus BTC, CLF and CNH, which
/// are used for prices.
const CODES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTC BTN \
BWP BYN BZD CAD CDF CHF CLF CLP CNH CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD \
GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR \
LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP \
PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP \
TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";
