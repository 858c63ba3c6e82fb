//! Import ids: identify a row when it is imported again.

use std::collections::HashMap;

use nova_skill::ContentHash;

use crate::table::Row;

/// The prefix of import ids; without it, YAML would read `1234567890e123` as a number.
const ID_PREFIX: &str = "tx-";

/// Long enough to make a collision among a million rows improbable.
const ID_DIGITS: usize = 20;

/// Assigns import ids to the rows of a file, in order.
#[derive(Debug, Default)]
pub struct RowIds {
    /// The issuer of the file's own ids: another one may use the same.
    scope: String,
    times: HashMap<String, usize>,
    lines: HashMap<String, u64>,
}

impl RowIds {
    /// The file's own ids are unique within `scope`.
    pub fn within(scope: String) -> Self {
        Self { scope, ..Self::default() }
    }

    /// An id derived from all cells as written, so that it does not depend on how they are parsed. Equal rows
    /// are numbered: the second of a file is the second in every file that contains the whole day.
    pub fn row(&mut self, row: &Row) -> String {
        let cells: Vec<String> =
            row.cells.iter().map(|cell| cell.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let cells = cells.join("\u{1f}");
        let time = self.times.entry(cells.clone()).or_insert(0);
        *time += 1;
        short_hash(&format!("{cells} #{time}"))
    }

    /// An id derived from the file's own id of the row, with a problem if an earlier line has the same.
    pub fn own(&mut self, own: &str, line: u64) -> (String, Option<String>) {
        let before = self.lines.insert(own.to_owned(), line);
        let problem = before.map(|before| format!("it has the same id as line {before}, \"{own}\""));
        (short_hash(&format!("id {}{own}", self.scope)), problem)
    }

    /// An id for an additional note of a row, such as its currency exchange.
    pub fn part(&self, id: &str, part: &str) -> String {
        short_hash(&format!("{id} {part}"))
    }
}

fn short_hash(text: &str) -> String {
    let mut hex = ContentHash::of(text.as_bytes()).to_string();
    hex.truncate(ID_DIGITS);
    format!("{ID_PREFIX}{hex}")
}

/// The import ids anywhere in a text.
pub fn import_ids(text: &str) -> impl Iterator<Item = String> {
    text.match_indices(ID_PREFIX).filter_map(|(at, _)| {
        let id = text.get(at..at + ID_PREFIX.len() + ID_DIGITS)?;
        let is_whole = id[ID_PREFIX.len()..].bytes().all(|byte| byte.is_ascii_hexdigit());
        is_whole.then(|| id.to_owned())
    })
}
