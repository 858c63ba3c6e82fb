//! Files in the formats of real banks; each is mapped correctly without a question.

use std::collections::BTreeMap;

use nova_skill::{Value, json};
use nova_testkit::SkillInVault;

use crate::budget;

/// A bank's file, the meaning of its columns, and its first outgoing and first incoming transaction
/// as `date amount currency payee, memo`.
struct Layout {
    bank: &'static str,
    /// UTF-8 unless stated otherwise.
    encoding: &'static encoding_rs::Encoding,
    text: &'static str,
    /// Mapping keys and columns, in the order of the keys.
    mapping: &'static [(&'static str, &'static str)],
    out: &'static str,
    came: &'static str,
}

const LAYOUTS: [Layout; 14] = [
    Layout {
        bank: "German savings bank, CAMT",
        encoding: encoding_rs::WINDOWS_1252,
        text: "\"Auftragskonto\";\"Buchungstag\";\"Valutadatum\";\"Buchungstext\";\"Verwendungszweck\";\"Glaeubiger ID\";\"Mandatsreferenz\";\"Kundenreferenz (End-to-End)\";\"Sammlerreferenz\";\"Lastschrift Ursprungsbetrag\";\"Auslagenersatz Ruecklastschrift\";\"Beguenstigter/Zahlungspflichtiger\";\"Kontonummer/IBAN\";\"BIC (SWIFT-Code)\";\"Betrag\";\"Waehrung\";\"Info\"
\"DE02100100100006820101\";\"20.11.26\";\"20.11.26\";\"KARTENZAHLUNG\";\"Einkauf für Müller\";\"\";\"\";\"NOTPROVIDED\";\"\";\"\";\"\";\"Corner Market\";\"DE02120300000000202051\";\"BYLADEM1001\";\"-1.084,20\";\"EUR\";\"Umsatz gebucht\"
\"DE02100100100006820101\";\"13.11.26\";\"13.11.26\";\"GUTSCHR. UEBERWEISUNG\";\"Rechnung 114\";\"\";\"\";\"NOTPROVIDED\";\"\";\"\";\"\";\"Quillon Labs\";\"DE02120300000000202051\";\"BYLADEM1001\";\"2.400,00\";\"EUR\";\"Umsatz gebucht\"
",
        mapping: &[
            ("amount", "Betrag"),
            ("currency", "Waehrung"),
            ("date", "Buchungstag"),
            ("memo", "Verwendungszweck"),
            ("payee", "Beguenstigter/Zahlungspflichtiger"),
        ],
        out: "2026-11-20 1084.20 EUR Corner Market, Einkauf für Müller",
        came: "2026-11-13 2400.00 EUR Quillon Labs, Rechnung 114",
    },
    Layout {
        bank: "German direct bank, payer and recipient apart",
        encoding: encoding_rs::UTF_8,
        text: "\"Girokonto\";\"DE02120300000000202051\"
\"Kontostand vom 21.11.2026:\";\"4.182,10 €\"
\"\"
\"Buchungsdatum\";\"Wertstellung\";\"Status\";\"Zahlungspflichtige*r\";\"Zahlungsempfänger*in\";\"Verwendungszweck\";\"Umsatztyp\";\"IBAN\";\"Betrag (€)\";\"Gläubiger-ID\";\"Mandatsreferenz\";\"Kundenreferenz\"
\"20.11.26\";\"20.11.26\";\"Gebucht\";\"Jo Doe\";\"Corner Market\";\"Karte 4711\";\"Ausgang\";\"DE02100100100006820101\";\"-54,20\";\"\";\"\";\"\"
\"13.11.26\";\"13.11.26\";\"Gebucht\";\"Quillon Labs\";\"Jo Doe\";\"Rechnung 114\";\"Eingang\";\"DE02100100100006820101\";\"2.400\";\"\";\"\";\"\"
",
        mapping: &[
            ("amount", "Betrag (€)"),
            ("date", "Buchungsdatum"),
            ("memo", "Verwendungszweck"),
            ("payee", "Zahlungsempfänger*in"),
            ("payer", "Zahlungspflichtige*r"),
        ],
        out: "2026-11-20 54.20 EUR Corner Market, Karte 4711",
        came: "2026-11-13 2400.00 EUR Quillon Labs, Rechnung 114",
    },
    Layout {
        bank: "German direct bank, two currencies in a row",
        encoding: encoding_rs::WINDOWS_1252,
        text: "Umsatzanzeige;Datei erstellt am: 21.11.2026 10:22

IBAN;DE02 5001 0517 0000 0000 01
Kontoname;Girokonto
Kunde;Jo Doe
Zeitraum;01.11.2026 - 21.11.2026
Saldo;4.182,10;EUR

Sortierung;Datum absteigend

In der CSV-Datei finden Sie alle bereits gebuchten Umsätze.

Buchung;Wertstellungsdatum;Auftraggeber/Empfänger;Buchungstext;Verwendungszweck;Saldo;Währung;Betrag;Währung
20.11.2026;20.11.2026;Corner Market;Lastschrift;Karte 4711;4.182,10;EUR;-54,20;EUR
13.11.2026;13.11.2026;Quillon Labs;Gutschrift;Rechnung 114;4.236,30;EUR;2.400,00;EUR
",
        mapping: &[
            ("amount", "Betrag"),
            ("currency", "9"),
            ("date", "Buchung"),
            ("memo", "Verwendungszweck"),
            ("payee", "Auftraggeber/Empfänger"),
        ],
        out: "2026-11-20 54.20 EUR Corner Market, Karte 4711",
        came: "2026-11-13 2400.00 EUR Quillon Labs, Rechnung 114",
    },
    Layout {
        bank: "German app bank, in English",
        encoding: encoding_rs::UTF_8,
        text: "\"Booking Date\",\"Value Date\",\"Partner Name\",\"Partner Iban\",Type,\"Payment Reference\",\"Account Name\",\"Amount (EUR)\",\"Original Amount\",\"Original Currency\",\"Exchange Rate\"
2026-11-20,2026-11-20,Corner Market,,Presentment,Card 4711,Main Account,-54.20,-58.10,USD,0.93
2026-11-13,2026-11-14,Quillon Labs,DE02100100100006820101,Credit Transfer,Invoice 114,Main Account,2400.00,,,
",
        mapping: &[
            ("amount", "Amount (EUR)"),
            ("date", "Booking Date"),
            ("memo", "Payment Reference"),
            ("payee", "Partner Name"),
        ],
        out: "2026-11-20 54.20 EUR Corner Market, Card 4711",
        came: "2026-11-13 2400.00 EUR Quillon Labs, Invoice 114",
    },
    Layout {
        bank: "picture of the import",
        encoding: encoding_rs::WINDOWS_1252,
        text: "Buchungstag;Auftraggeber / Begünstigter;Verwendungszweck;Betrag (EUR);Kundenreferenz;Saldo
20.11.26;Corner Market;Card 4711;-54,20;R-77102;4.182,10
13.11.26;Quillon Labs;Invoice 2026-114;2.400,00;R-77081;4.236,30
",
        mapping: &[
            ("amount", "Betrag (EUR)"),
            ("date", "Buchungstag"),
            ("memo", "Verwendungszweck"),
            ("payee", "Auftraggeber / Begünstigter"),
        ],
        out: "2026-11-20 54.20 EUR Corner Market, Card 4711",
        came: "2026-11-13 2400.00 EUR Quillon Labs, Invoice 2026-114",
    },
    Layout {
        bank: "French online bank",
        encoding: encoding_rs::UTF_8,
        text: "dateOp;dateVal;label;category;categoryParent;supplierFound;amount;comment;accountNum;accountLabel;accountbalance
2026-11-20;2026-11-20;\"CARTE 20/11 CORNER\";\"Alimentation\";\"Vie quotidienne\";\"Corner Market\";\"-1 084,20\";;00040123456;\"Compte bancaire\";4182.10
2026-11-13;2026-11-13;\"VIR Facture 114\";\"Virements reçus\";\"Revenus\";\"Quillon Labs\";\"2 400,00\";;00040123456;\"Compte bancaire\";4236.30
",
        mapping: &[
            ("amount", "amount"),
            ("category", "category"),
            ("date", "dateOp"),
            ("memo", "label"),
            ("payee", "supplierFound"),
        ],
        out: "2026-11-20 1084.20 EUR Corner Market, CARTE 20/11 CORNER",
        came: "2026-11-13 2400.00 EUR Quillon Labs, VIR Facture 114",
    },
    Layout {
        bank: "French cooperative bank",
        encoding: encoding_rs::WINDOWS_1252,
        text: "Téléchargement du 21/11/2026;

Compte de Dépôt carte n° 00012345678;
Solde au 21/11/2026 4 182,10 €

Liste des opérations du compte entre le 01/11/2026 et le 21/11/2026;

Date;Libellé;Débit euros;Crédit euros;
20/11/2026;\"CORNER MARKET
     CARTE 4711\";1 084,20;;
13/11/2026;QUILLON LABS;;2 400,00;
",
        mapping: &[
            ("credit", "Crédit euros"),
            ("date", "Date"),
            ("debit", "Débit euros"),
            ("payee", "Libellé"),
        ],
        out: "2026-11-20 1084.20 EUR CORNER MARKET CARTE 4711, ",
        came: "2026-11-13 2400.00 EUR QUILLON LABS, ",
    },
    Layout {
        bank: "British app bank",
        encoding: encoding_rs::UTF_8,
        text: "Transaction ID,Date,Time,Type,Name,Emoji,Category,Amount,Currency,Local amount,Local currency,Notes and #tags,Address,Receipt,Description,Category split,Money Out,Money In
tx_0000A1,20/11/2026,10:22:01,Card payment,Corner Market,🛒,Groceries,-54.20,GBP,-60.00,EUR,,1 High St,,CORNER MARKET LONDON,,-54.20,
tx_0000A2,13/11/2026,09:00:00,Faster payment,Quillon Labs,,Income,2400.00,GBP,2400.00,GBP,,,,Invoice 114,,,2400.00
",
        mapping: &[
            ("amount", "Amount"),
            ("category", "Category"),
            ("currency", "Currency"),
            ("date", "Date"),
            ("id", "Transaction ID"),
            ("memo", "Description"),
            ("payee", "Name"),
        ],
        out: "2026-11-20 54.20 GBP Corner Market, CORNER MARKET LONDON",
        came: "2026-11-13 2400.00 GBP Quillon Labs, Invoice 114",
    },
    Layout {
        bank: "British high street bank",
        encoding: encoding_rs::UTF_8,
        text: "Transaction Date,Transaction Type,Sort Code,Account Number,Transaction Description,Debit Amount,Credit Amount,Balance
20/11/2026,DEB,'30-00-00,12345678,CORNER MARKET CD 4711,54.20,,4182.10
13/11/2026,FPI,'30-00-00,12345678,QUILLON LABS,,2400.00,4236.30
",
        mapping: &[
            ("credit", "Credit Amount"),
            ("date", "Transaction Date"),
            ("debit", "Debit Amount"),
            ("memo", "Transaction Type"),
            ("payee", "Transaction Description"),
        ],
        out: "2026-11-20 54.20 EUR CORNER MARKET CD 4711, DEB",
        came: "2026-11-13 2400.00 EUR QUILLON LABS, FPI",
    },
    Layout {
        bank: "American bank, checking account",
        encoding: encoding_rs::UTF_8,
        text: "Details,Posting Date,Description,Amount,Type,Balance,Check or Slip #
DEBIT,11/20/2026,\"CORNER MARKET 4711\",-54.20,DEBIT_CARD,4182.10,,
CREDIT,11/13/2026,\"QUILLON LABS PAYROLL\",2400.00,ACH_CREDIT,4236.30,,
",
        mapping: &[
            ("amount", "Amount"),
            ("date", "Posting Date"),
            ("memo", "Type"),
            ("payee", "Description"),
        ],
        out: "2026-11-20 54.20 EUR CORNER MARKET 4711, DEBIT_CARD",
        came: "2026-11-13 2400.00 EUR QUILLON LABS PAYROLL, ACH_CREDIT",
    },
    Layout {
        bank: "American bank, with a summary above",
        encoding: encoding_rs::UTF_8,
        text: "Description,,Summary Amt.
Beginning balance as of 11/01/2026,,\"1,836.30\"
Total credits,,\"2,400.00\"
Total debits,,\"-54.20\"
Ending balance as of 11/21/2026,,\"4,182.10\"

Date,Description,Amount,Running Bal.
11/01/2026,Beginning balance as of 11/01/2026,,\"1,836.30\"
11/13/2026,\"QUILLON LABS\",\"2,400.00\",\"4,236.30\"
11/20/2026,\"CORNER MARKET\",\"-54.20\",\"4,182.10\"
11/21/2026,\"KIOSK\",\"-2.00\",\"4,180.10\"
11/21/2026,\"KIOSK\",\"-2.00\",\"4,178.10\"
11/22/2026,\"KIOSK\",\"-3.00\",\"4,175.10\"
",
        mapping: &[("amount", "Amount"), ("date", "Date"), ("payee", "Description")],
        out: "2026-11-20 54.20 EUR CORNER MARKET, ",
        came: "2026-11-13 2400.00 EUR QUILLON LABS, ",
    },
    Layout {
        bank: "Dutch bank, side in a column",
        encoding: encoding_rs::UTF_8,
        text: "\"Datum\";\"Naam / Omschrijving\";\"Rekening\";\"Tegenrekening\";\"Code\";\"Af Bij\";\"Bedrag (EUR)\";\"Mutatiesoort\";\"Mededelingen\"
\"20261120\";\"Corner Market\";\"NL20INGB0001234567\";\"\";\"BA\";\"Af\";\"54,20\";\"Betaalautomaat\";\"Pasvolgnr: 001\"
\"20261113\";\"Quillon Labs\";\"NL20INGB0001234567\";\"NL91ABNA0417164300\";\"OV\";\"Bij\";\"2400,00\";\"Overschrijving\";\"Factuur 114\"
",
        mapping: &[
            ("amount", "Bedrag (EUR)"),
            ("date", "Datum"),
            ("memo", "Mededelingen"),
            ("payee", "Naam / Omschrijving"),
            ("side", "Af Bij"),
        ],
        out: "2026-11-20 54.20 EUR Corner Market, Pasvolgnr: 001",
        came: "2026-11-13 2400.00 EUR Quillon Labs, Factuur 114",
    },
    Layout {
        bank: "Dutch cooperative bank",
        encoding: encoding_rs::WINDOWS_1252,
        text: "\"IBAN/BBAN\",\"Munt\",\"BIC\",\"Volgnr\",\"Datum\",\"Rentedatum\",\"Bedrag\",\"Saldo na trn\",\"Tegenrekening IBAN/BBAN\",\"Naam tegenpartij\",\"Naam uiteindelijke partij\",\"Naam initiërende partij\",\"BIC tegenpartij\",\"Code\",\"Batch ID\",\"Transactiereferentie\",\"Machtigingskenmerk\",\"Incassant ID\",\"Betalingskenmerk\",\"Omschrijving-1\",\"Omschrijving-2\"
\"NL44RABO0123456789\",\"EUR\",\"RABONL2U\",\"000000000000001235\",\"2026-11-20\",\"2026-11-20\",\"-54,20\",\"+4182,10\",\"\",\"Corner Market\",\"\",\"\",\"\",\"ba\",\"\",\"\",\"\",\"\",\"\",\"Betaalautomaat\",\" \"
\"NL44RABO0123456789\",\"EUR\",\"RABONL2U\",\"000000000000001234\",\"2026-11-13\",\"2026-11-13\",\"+2400,00\",\"+4236,30\",\"NL91ABNA0417164300\",\"Quillon Labs\",\"\",\"\",\"ABNANL2A\",\"bg\",\"\",\"\",\"\",\"\",\"\",\"Factuur 114\",\" \"
",
        mapping: &[
            ("amount", "Bedrag"),
            ("currency", "Munt"),
            ("date", "Datum"),
            ("id", "Volgnr"),
            ("memo", "Omschrijving-1"),
            ("payee", "Naam tegenpartij"),
        ],
        out: "2026-11-20 54.20 EUR Corner Market, Betaalautomaat",
        came: "2026-11-13 2400.00 EUR Quillon Labs, Factuur 114",
    },
    Layout {
        bank: "Spanish bank",
        encoding: encoding_rs::WINDOWS_1252,
        text: "F.Valor;Fecha;Concepto;Movimiento;Importe;Divisa;Disponible;Divisa;Observaciones
20/11/2026;20/11/2026;Corner Market;Pago con tarjeta;-1.084,20;EUR;4.182,10;EUR;4711 compra
13/11/2026;13/11/2026;Quillon Labs;Transferencia recibida;2.400,00;EUR;4.236,30;EUR;Factura nº 114
",
        mapping: &[
            ("amount", "Importe"),
            ("currency", "6"),
            ("date", "Fecha"),
            ("memo", "Observaciones"),
            ("payee", "Concepto"),
        ],
        out: "2026-11-20 1084.20 EUR Corner Market, 4711 compra",
        came: "2026-11-13 2400.00 EUR Quillon Labs, Factura nº 114",
    },
];

impl Layout {
    /// A vault whose configured currency is the euro.
    fn vault(&self) -> SkillInVault {
        let budget = budget("").with_config(json!({"currency": "EUR"}));
        budget.vault.write_bytes("bank.csv", &self.encoding.encode(self.text).0);
        budget
    }
}

#[test]
fn bank_formats_are_mapped_without_questions() {
    for layout in &LAYOUTS {
        let bank = layout.bank;
        let review = layout.vault().value("import_transactions", json!({"path": "bank.csv", "review": true}));
        assert_eq!(review["questions"], json!([]), "{bank}");
        assert_eq!(review["problems"], json!([]), "{bank}");
        let meant = review["mapping"].as_object().unwrap();
        let columns: BTreeMap<&str, &str> = meant
            .iter()
            .filter(|(key, _)| !["date_format", "decimal", "delimiter", "encoding"].contains(&key.as_str()))
            .map(|(key, column)| (key.as_str(), column.as_str().unwrap()))
            .collect();
        assert_eq!(columns, layout.mapping.iter().copied().collect(), "{bank}");
        let transactions = |kind: &str| {
            let entries = review["entries"].as_array().unwrap();
            let entry = entries.iter().rfind(|entry| entry["kind"] == kind).unwrap();
            let text = |key: &str| entry[key].as_str().unwrap_or_default();
            let [date, amount, currency, payee] = ["date", "amount", "currency", "payee"].map(text);
            format!("{date} {amount} {currency} {payee}, {}", text("memo"))
        };
        assert_eq!(transactions("expense"), layout.out, "{bank}");
        assert_eq!(transactions("income"), layout.came, "{bank}");
    }
}

#[test]
fn bank_formats_are_imported_as_previewed() {
    for layout in &LAYOUTS {
        let budget = layout.vault();
        let review = budget.value("import_transactions", json!({"path": "bank.csv", "review": true}));
        let call = json!({"path": "bank.csv", "mapping": review["mapping"], "currency": review["currency"]});
        let done = budget.value("import_transactions", call);
        assert_eq!(done["imported"], review["total"], "{}", layout.bank);
        let again: Value = budget.value("import_transactions", json!({"path": "bank.csv", "review": true}));
        assert_eq!(
            (&again["total"], &again["already_there"]),
            (&json!(0), &review["total"]),
            "{}",
            layout.bank
        );
        assert_eq!(again["bank"], "bank", "{}", layout.bank);
    }
}
