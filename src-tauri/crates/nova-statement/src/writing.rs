//! Detects the formats of dates and numbers from the cells of a file.

use std::collections::BTreeSet;

use nova_skill::{Date, Decimal, ToolError, Value, json};

use crate::question::{Question, choice};
use crate::table::Table;
use crate::values::{DATE_FORMATS, DateFormat, amount, date_formats, decimal_signs, is_date};

/// A given or detected format, or the question that is open.
pub type Written<T> = Result<T, Question>;

/// The cells of a column, without repeated headers.
pub fn cells(table: &Table, at: usize) -> impl Iterator<Item = &str> {
    table.rows.iter().filter(|row| !row.is_of_names()).map(move |row| row.cells[at].as_str())
}

/// The format of the dates in a column.
///
/// # Errors
/// If the given format is unknown, or no cell is a date.
pub fn date_format(table: &Table, said: Option<&str>, at: usize) -> Result<Written<DateFormat>, ToolError> {
    if let Some(name) = said {
        let known = DateFormat::named(name).ok_or_else(|| ToolError::InvalidArguments {
            path: "/mapping/date_format".into(),
            rule: format!("\"{name}\" is not a known date format"),
            allowed: DATE_FORMATS.map(|format| format.name.to_owned()).into(),
        });
        return known.map(Ok);
    }
    let mut formats = date_formats(cells(table, at));
    if formats.is_empty() {
        // Cells that are not dates, such as totals, do not count.
        formats = date_formats(cells(table, at).filter(|cell| is_date(cell)));
    }
    Ok(match formats.as_slice() {
        // If no format fits all, takes the most frequent of the first rows, so that errors name the others.
        [] => Ok(likeliest_format(table, at)?),
        [one] => Ok(*one),
        several => {
            let example = cells(table, at).find(|cell| !cell.trim().is_empty()).unwrap_or_default();
            Err(Question {
                about: "date_format".into(),
                asks: format!("How are the dates written, such as \"{}\"?", example.trim()),
                choices: several.iter().map(|format| format.name.to_owned()).collect(),
            })
        }
    })
}

/// The decimal sign of the numbers in these columns. `places` is the maximum number of decimals, if known.
///
/// # Errors
/// If the given sign is invalid.
pub fn decimal(
    table: &Table,
    said: Option<&str>,
    columns: &[usize],
    places: Option<u32>,
) -> Result<Written<char>, ToolError> {
    match said {
        Some(".") => return Ok(Ok('.')),
        Some(",") => return Ok(Ok(',')),
        Some(other) => {
            return Err(ToolError::InvalidArguments {
                path: "/mapping/decimal".into(),
                rule: format!("\"{other}\" is not a decimal sign"),
                allowed: vec![".".into(), ",".into()],
            });
        }
        None => {}
    }
    let numbers = columns.iter().flat_map(|at| cells(table, *at));
    // Columns that may contain words: these do not count.
    let is_number = |cell: &&str| amount(cell, '.').is_some() || amount(cell, ',').is_some();
    let numbers = numbers.filter(|cell| places.is_some() || is_number(cell));
    Ok(match decimal_signs(numbers, places).as_slice() {
        [one] => Ok(*one),
        // Neither fits all; errors name the lines.
        [] => Ok(if table.delimiter == "semicolon" { ',' } else { '.' }),
        _ => Err(Question {
            about: "decimal".into(),
            asks: "Which sign separates the cents?".into(),
            choices: vec![",".into(), ".".into()],
        }),
    })
}

/// The question about the date format, with a date from the file that the choices read differently.
pub fn date_question(question: &Question, table: &Table, at: Option<usize>) -> Value {
    let read = |name: &String, cell: &str| DateFormat::named(name).and_then(|format| format.read(cell));
    let differ = |cell: &&str| {
        question.choices.iter().map(|name| read(name, cell)).collect::<BTreeSet<Option<Date>>>().len() > 1
    };
    let example = at.and_then(|at| table.rows.iter().map(|row| row.cells[at].trim()).find(differ));
    let example = example.unwrap_or_default();
    let label = |name: &String| {
        let day = read(name, example);
        choice(name, day.map_or_else(|| name.clone(), |day| day.strftime("%-d %B %Y").to_string()))
    };
    json!({
        "about": "date_format",
        "question": format!("Which day is {example}?"),
        "choices": question.choices.iter().map(label).collect::<Vec<_>>(),
    })
}

/// The question about the decimal sign, with a number from the file that the choices read differently;
/// `shown` formats it.
pub fn decimal_question(
    question: &Question,
    table: &Table,
    columns: impl IntoIterator<Item = usize>,
    shown: impl Fn(Decimal) -> String,
) -> Value {
    let differ = |cell: &&str| amount(cell, ',') != amount(cell, '.');
    let mut columns = columns.into_iter();
    let example = columns
        .find_map(|at| table.rows.iter().map(|row| row.cells[at].trim()).find(differ))
        .unwrap_or_default();
    let label = |sign: &String| {
        let read = amount(example, if sign == "," { ',' } else { '.' });
        choice(sign, read.map_or_else(|| sign.clone(), &shown))
    };
    json!({
        "about": "decimal",
        "question": format!("How much is {example}?"),
        "choices": question.choices.iter().map(label).collect::<Vec<_>>(),
    })
}

/// The format of most of the first rows.
fn likeliest_format(table: &Table, at: usize) -> Result<DateFormat, ToolError> {
    const SAMPLE_ROWS: usize = 100;
    let fits = |format: &DateFormat| {
        let first = table.rows.iter().take(SAMPLE_ROWS);
        first.filter(|row| format.read(&row.cells[at]).is_some()).count()
    };
    // On a tie the first known format.
    let best = DATE_FORMATS.into_iter().rev().max_by_key(fits).filter(|format| fits(format) > 0);
    best.ok_or_else(|| {
        let row = table.rows.first();
        ToolError::failed(
            format!(
                "{}, line {}: \"{}\" is not a date.",
                table.file,
                row.map_or(1, |row| row.line),
                row.map_or("", |row| row.cells[at].trim())
            ),
            "Name the column of the day in the mapping.",
        )
    })
}
