//! How the days and the numbers of a file are written, as its cells tell it.

use std::collections::BTreeSet;

use nova_skill::{Date, Decimal, ToolError, Value, json};

use crate::question::{Question, choice};
use crate::table::Table;
use crate::values::{DATE_FORMATS, DateFormat, amount, date_formats, decimal_signs, is_date};

/// What was said or found out, or what has to be asked.
pub type Written<T> = Result<T, Question>;

/// The cells of a column, without a second header.
pub fn cells(table: &Table, at: usize) -> impl Iterator<Item = &str> {
    table.rows.iter().filter(|row| !row.is_of_names()).map(move |row| row.cells[at].as_str())
}

/// How the days of a column are written.
///
/// # Errors
/// When the format that was said is not known, or no cell is a date.
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
        // What is no day at all, such as a total, does not decide between two formats.
        formats = date_formats(cells(table, at).filter(|cell| is_date(cell)));
    }
    Ok(match formats.as_slice() {
        // No format fits all: the commonest of the first rows, so that the errors name the others.
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

/// The decimal sign of the numbers of these columns. `places` is how many digits stand behind it at most, where that
/// is known.
///
/// # Errors
/// When the sign that was said is none.
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
    // Where words may stand between the numbers, they decide nothing.
    let is_number = |cell: &&str| amount(cell, '.').is_some() || amount(cell, ',').is_some();
    let numbers = numbers.filter(|cell| places.is_some() || is_number(cell));
    Ok(match decimal_signs(numbers, places).as_slice() {
        [one] => Ok(*one),
        // Neither fits all: the errors name the lines.
        [] => Ok(if table.delimiter == "semicolon" { ',' } else { '.' }),
        _ => Err(Question {
            about: "decimal".into(),
            asks: "Which sign separates the cents?".into(),
            choices: vec![",".into(), ".".into()],
        }),
    })
}

/// The question about the format with a day of the file that differs between the choices.
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

/// The question about the decimal sign with a number of the file that differs; `shown` writes a number.
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
    const LOOKED_AT: usize = 100;
    let fits = |format: &DateFormat| {
        let first = table.rows.iter().take(LOOKED_AT);
        first.filter(|row| format.read(&row.cells[at]).is_some()).count()
    };
    // Of formats that fit as many rows the first known one.
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
