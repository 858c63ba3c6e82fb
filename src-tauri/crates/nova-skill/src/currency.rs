use std::sync::LazyLock;

/// The currency that a text names: three letters of ISO 4217, whatever their case.
///
/// ```
/// use nova_skill::currency_code;
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
/// use nova_skill::near_currency_codes;
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

/// The codes of ISO 4217 that money is kept in. (Funds, metals and test codes of the
/// standard are left out.)
const CODES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN \
BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD \
GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR \
LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP \
PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP \
TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";
