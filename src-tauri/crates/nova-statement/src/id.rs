//! What a row is known by when it is imported again.

use std::collections::HashMap;

use nova_skill::ContentHash;

use crate::table::Row;

/// What an import id begins with: a note that reads `1234567890e123` reads a number.
const ID_PREFIX: &str = "tx-";

/// Long enough that two of a million rows do not share one by chance.
const ID_DIGITS: usize = 20;

/// The identifiers of a file's rows, taken in their order.
#[derive(Debug, Default)]
pub struct RowIds {
    /// Whose numbers they are: those of another sender may be the same.
    scope: String,
    times: HashMap<String, usize>,
    lines: HashMap<String, u64>,
}

impl RowIds {
    /// The numbers of the rows are unique within `scope`.
    pub fn within(scope: String) -> Self {
        Self { scope, ..Self::default() }
    }

    /// Made of all cells as they are written, so that it stays the same however they are read. Two equal rows are
    /// two: the second of a file is the second of every file that has the whole day.
    pub fn row(&mut self, row: &Row) -> String {
        let cells: Vec<String> =
            row.cells.iter().map(|cell| cell.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let cells = cells.join("\u{1f}");
        let time = self.times.entry(cells.clone()).or_insert(0);
        *time += 1;
        short_hash(&format!("{cells} #{time}"))
    }

    /// Made of the number that the file gives the row, with what is wrong where an earlier line has the same.
    pub fn own(&mut self, own: &str, line: u64) -> (String, Option<String>) {
        let before = self.lines.insert(own.to_owned(), line);
        let problem = before.map(|before| format!("it has the same id as line {before}, \"{own}\""));
        (short_hash(&format!("id {}{own}", self.scope)), problem)
    }
}

fn short_hash(text: &str) -> String {
    let mut hex = ContentHash::of(text.as_bytes()).to_string();
    hex.truncate(ID_DIGITS);
    format!("{ID_PREFIX}{hex}")
}

/// The import ids that stand anywhere in a text.
pub fn import_ids(text: &str) -> impl Iterator<Item = String> {
    text.match_indices(ID_PREFIX).filter_map(|(at, _)| {
        let id = text.get(at..at + ID_PREFIX.len() + ID_DIGITS)?;
        let is_whole = id[ID_PREFIX.len()..].bytes().all(|byte| byte.is_ascii_hexdigit());
        is_whole.then(|| id.to_owned())
    })
}
