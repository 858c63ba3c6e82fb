use std::collections::BTreeMap;

use nova_skill::serde_json::Map;
use nova_skill::{
    Decimal, FieldKind, Output, Problem, Record, RecordType, ToolContext, ToolError, Value, json,
};

use super::run::{Records, currency_of};
use super::{filters, is_number};

/// The totals of one group.
#[derive(Default)]
struct Total {
    records: usize,
    values: usize,
    sum: Decimal,
}

pub(super) fn parameters(declared: &RecordType) -> Value {
    let mut properties = filters(declared);
    let numbers: Vec<&String> = keys(declared, is_number).collect();
    if !numbers.is_empty() {
        properties.insert(
            "of".into(),
            json!({
                "type": "string", "enum": numbers,
                "description": "The number to add up and average; without it only the count is given.",
            }),
        );
    }
    let groups: Vec<&String> = keys(declared, |kind| !is_number(kind)).collect();
    if !groups.is_empty() {
        properties.insert(
            "by".into(),
            json!({
                "type": "string", "enum": groups,
                "description": "The field to group by; a date groups by its month.",
            }),
        );
    }
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn keys(declared: &RecordType, wanted: impl Fn(FieldKind) -> bool) -> impl Iterator<Item = &String> {
    declared.fields.iter().filter(move |(_, field)| wanted(field.kind)).map(|(key, _)| key)
}

pub(super) async fn summarize(
    declared: &RecordType,
    mut args: Map<String, Value>,
    ctx: &dyn ToolContext,
) -> Result<Output, ToolError> {
    let text = |value: Option<Value>| value.and_then(|value| value.as_str().map(str::to_owned));
    let (of, by) = (text(args.remove("of")), text(args.remove("by")));
    let records = Records::read(declared, ctx).await?;
    let fitting = records.fitting(&args)?;
    let currency = currency_of(declared);
    let mut totals: BTreeMap<(String, String), Total> = BTreeMap::new();
    let mut problems: Vec<Problem> = Vec::new();
    for record in &fitting {
        let number = match of.as_deref().map(|of| record.decimal(of)) {
            None => None,
            Some(Ok(number)) => number,
            Some(Err(ToolError::BrokenRecord(problem))) => {
                problems.push(problem);
                None
            }
            Some(Err(error)) => return Err(error),
        };
        let unit = match (number, currency) {
            (Some(_), Some(currency)) => record.text_there(currency).ok().flatten().unwrap_or_default(),
            _ => Default::default(),
        };
        for group in groups(declared, record, by.as_deref())? {
            let total = totals.entry((group, unit.to_string())).or_default();
            total.records += 1;
            if let Some(number) = number {
                total.values += 1;
                total.sum = total.sum.checked_add(number).ok_or_else(|| {
                    ToolError::failed("The sum has too many digits.", "Narrow it with filters.")
                })?;
            }
        }
    }
    let rows = totals.into_iter().map(|((group, unit), total)| {
        let mut row = Map::new();
        if let Some(by) = &by {
            row.insert(by.clone(), if group.is_empty() { Value::Null } else { group.into() });
        }
        row.insert("count".into(), total.records.into());
        if !unit.is_empty() {
            row.insert("currency".into(), unit.into());
        }
        if total.values > 0 {
            row.insert("sum".into(), total.sum.normalize().to_string().into());
            let average = total.sum / Decimal::from(total.values);
            row.insert("average".into(), average.round_dp(2).normalize().to_string().into());
        }
        Value::Object(row)
    });
    let rows: Vec<Value> = rows.collect();
    let mut out = json!({"count": fitting.len(), "groups": rows});
    records.and_unreadable(&mut out, problems);
    Ok(Output::new(out).from_notes(fitting.iter().map(|record| record.note().path.clone())))
}

/// The groups that the record belongs to; the empty one if it has no value.
fn groups(declared: &RecordType, record: &Record, by: Option<&str>) -> Result<Vec<String>, ToolError> {
    let Some(by) = by else { return Ok(vec![String::new()]) };
    let kind = declared.fields.get(by).map(|field| field.kind);
    let mut groups = match kind {
        Some(FieldKind::List) => record.list(by)?,
        Some(FieldKind::Date) => {
            let month = record.date(by).ok().flatten().map(|date| date.strftime("%Y-%m").to_string());
            month.into_iter().collect()
        }
        _ => record.text_there(by).ok().flatten().map(|text| text.into_owned()).into_iter().collect(),
    };
    if groups.is_empty() {
        groups.push(String::new());
    }
    Ok(groups)
}
