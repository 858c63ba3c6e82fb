//! Transfers between two of the user's accounts: neither income nor expense.

use nova_skill::figures::{currency_code, folded};
use nova_skill::serde_json::Map;
use nova_skill::{Date, Decimal, Note, NotePath, Record, RecordType, ToolError, Value, json};

use crate::arguments::{invalid_argument, written};
use crate::properties::{missing, property_problem, text};

/// The record of a transfer.
#[derive(Debug, Clone)]
pub(crate) struct Transfer {
    pub(crate) path: NotePath,
    pub(crate) out: Side,
    pub(crate) into: Side,
}

/// One side of a transfer as its account reports it; an entry can be one as well.
#[derive(Debug, Clone, Default)]
pub(crate) struct Side {
    pub(crate) date: Date,
    /// Never negative.
    pub(crate) amount: Decimal,
    pub(crate) currency: String,
    /// Always known for a transfer.
    pub(crate) account: Option<String>,
    pub(crate) payee: Option<String>,
    pub(crate) memo: Option<String>,
    pub(crate) category: Option<String>,
    pub(crate) import_id: Option<String>,
}

/// The fields of a transfer with the texts of one side.
struct Fields {
    account: &'static str,
    payee: &'static str,
    memo: &'static str,
    category: &'static str,
    import_id: &'static str,
}

const OUT_FIELDS: Fields =
    Fields { account: "from", payee: "payee", memo: "memo", category: "category", import_id: "import_id" };

const INTO_FIELDS: Fields = Fields {
    account: "to",
    payee: "to_payee",
    memo: "to_memo",
    category: "to_category",
    import_id: "to_import_id",
};

/// Why two sides cannot form a transfer, and the field at fault.
pub(crate) struct Mismatch {
    pub(crate) field: &'static str,
    pub(crate) rule: String,
}

impl Transfer {
    /// `currency` is the currency of the outgoing side.
    pub(crate) fn read(
        declared: &RecordType,
        note: &Note,
        record: &Record,
        currency: String,
    ) -> Result<Self, ToolError> {
        let date = record.date("date")?.ok_or_else(|| missing(declared, note))?;
        let amount = record.decimal("amount")?.ok_or_else(|| missing(declared, note))?;
        let to_currency =
            text(record, "to_currency")?.and_then(|code| currency_code(&code).map(str::to_owned));
        let into_currency = to_currency.unwrap_or_else(|| currency.clone());
        let out = Side::read(record, &OUT_FIELDS, date, amount, currency)?;
        let into_date = record.date("to_date")?.unwrap_or(date);
        let to_amount = record.decimal("to_amount")?;
        let into = Side::read(record, &INTO_FIELDS, into_date, to_amount.unwrap_or(amount), into_currency)?;
        if out.account.is_none() || into.account.is_none() {
            return Err(missing(declared, note));
        }
        let mismatch = mismatch(&out, &into).or_else(|| {
            let is_open = to_amount.is_none() && out.currency != into.currency;
            is_open.then(|| Mismatch { field: "to_amount", rule: NEEDS_TO_AMOUNT.into() })
        });
        match mismatch {
            None => Ok(Self { path: note.path.clone(), out, into }),
            Some(Mismatch { field, rule }) => Err(ToolError::BrokenRecord(property_problem(
                declared,
                note,
                field,
                |property| format!("`{property}` {rule}"),
                "Correct it, or split the transfer into an expense and an income.".into(),
            ))),
        }
    }

    /// The display title, such as "Current account → Savings".
    pub(crate) fn title(&self) -> String {
        format!("{} → {}", self.out.account(), self.into.account())
    }
}

pub(crate) const NEEDS_TO_AMOUNT: &str = "is needed if the currencies differ";

/// Why two sides cannot form one transfer: the same account, or an amount that would be lost.
pub(crate) fn mismatch(out: &Side, into: &Side) -> Option<Mismatch> {
    if folded(out.account()) == folded(into.account()) {
        return Some(Mismatch { field: "to", rule: format!("is {}, as `from` is", into.account()) });
    }
    if out.currency == into.currency && out.amount != into.amount {
        let rule = format!(
            "is {}, and {} went out: a fee is an expense of its own",
            written(into.amount),
            written(out.amount)
        );
        return Some(Mismatch { field: "to_amount", rule });
    }
    None
}

/// The values of a transfer with these two sides.
///
/// # Errors
/// `InvalidArguments` if they cannot form a transfer.
pub(crate) fn values(out: &Side, into: &Side) -> Result<Map<String, Value>, ToolError> {
    if let Some(Mismatch { field, rule }) = mismatch(out, into) {
        return Err(invalid_argument(field, rule));
    }
    let mut values = out.values(&OUT_FIELDS);
    values.insert("date".into(), json!(out.date));
    values.insert("amount".into(), json!(written(out.amount)));
    values.insert("currency".into(), json!(out.currency));
    values.extend(into.values(&INTO_FIELDS));
    if into.date != out.date {
        values.insert("to_date".into(), json!(into.date));
    }
    if into.currency != out.currency {
        values.insert("to_amount".into(), json!(written(into.amount)));
        values.insert("to_currency".into(), json!(into.currency));
    }
    Ok(values)
}

/// The values that an import adds to the side of an existing transfer: its id, and the texts that the note
/// lacks.
pub(crate) fn added_values(side: &Side, is_incoming: bool, new: &Side) -> Map<String, Value> {
    let fields = if is_incoming { &INTO_FIELDS } else { &OUT_FIELDS };
    let open = |own: &Option<String>, new: &Option<String>| own.is_none().then(|| new.clone()).flatten();
    let added = Side {
        account: None,
        payee: open(&side.payee, &new.payee),
        memo: open(&side.memo, &new.memo),
        category: None,
        import_id: new.import_id.clone(),
        ..new.clone()
    };
    added.values(fields)
}

/// The name of a transfer's note, without date and amount.
pub(crate) fn name(out: &Side, into: &Side) -> String {
    format!("{} to {}", out.account(), into.account())
}

/// A transfer as a row of an answer.
pub(crate) fn row(out: &Side, into: &Side) -> Value {
    let mut row = json!({
        "date": out.date,
        "amount": written(out.amount),
        "currency": out.currency,
        "from": out.account,
        "to": into.account,
    });
    if out.currency != into.currency {
        row["to_amount"] = json!(written(into.amount));
        row["to_currency"] = json!(into.currency);
    }
    row
}

impl Side {
    fn read(
        record: &Record,
        fields: &Fields,
        date: Date,
        amount: Decimal,
        currency: String,
    ) -> Result<Self, ToolError> {
        Ok(Self {
            date,
            amount,
            currency,
            account: text(record, fields.account)?,
            payee: text(record, fields.payee)?,
            memo: text(record, fields.memo)?,
            category: text(record, fields.category)?,
            import_id: text(record, fields.import_id)?,
        })
    }

    pub(crate) fn account(&self) -> &str {
        self.account.as_deref().unwrap_or_default()
    }

    /// The side as the values of an income or an expense.
    pub(crate) fn entry_values(&self) -> Map<String, Value> {
        let mut values = self.values(&Fields { account: "account", ..OUT_FIELDS });
        values.insert("date".into(), json!(self.date));
        values.insert("amount".into(), json!(written(self.amount)));
        values.insert("currency".into(), json!(self.currency));
        values
    }

    /// The texts that are known.
    fn values(&self, fields: &Fields) -> Map<String, Value> {
        [
            (fields.account, &self.account),
            (fields.payee, &self.payee),
            (fields.memo, &self.memo),
            (fields.category, &self.category),
            (fields.import_id, &self.import_id),
        ]
        .into_iter()
        .filter_map(|(field, value)| Some((field.to_owned(), value.as_deref()?.into())))
        .collect()
    }
}
