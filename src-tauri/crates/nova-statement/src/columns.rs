//! Describes columns in an answer.

use nova_skill::figures::folded;
use nova_skill::{Value, json};

use crate::table::Table;

/// The number of example cells of a column.
const EXAMPLES: usize = 3;

/// Each column with its first cells and its meaning; `mapping` yields the keys with the names of their
/// columns.
pub fn described<'a>(
    table: &Table,
    mapping: impl IntoIterator<Item = (&'static str, &'a Option<String>)>,
) -> Vec<Value> {
    let meant: Vec<(usize, &str)> = mapping
        .into_iter()
        .filter_map(|(key, name)| Some((table.column(key, name.as_deref()?).ok()?, key)))
        .collect();
    let column = |at: usize| {
        let cells = table.rows.iter().map(|row| row.cells[at].trim()).filter(|cell| !cell.is_empty());
        json!({
            "name": table.header[at].trim(),
            "column": column_name(&table.header, at),
            "means": meant.iter().find(|(of, _)| *of == at).map(|(_, key)| *key),
            "examples": cells.take(EXAMPLES).collect::<Vec<_>>(),
        })
    };
    (0..table.header.len()).map(column).collect()
}

/// The name of a column if it is unique, or else its number, counted from 1.
pub fn column_name(header: &[String], at: usize) -> String {
    let name = header[at].trim();
    let same = header.iter().filter(|other| folded(other.trim()) == folded(name)).count();
    if same == 1 && !name.is_empty() { name.to_owned() } else { (at + 1).to_string() }
}
