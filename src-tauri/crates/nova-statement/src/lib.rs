//! Reads statements of banks and brokers: the rows of a CSV file in any dialect, the names of columns, and the
//! formats of dates and numbers. It also provides the other parts of an import: questions, ids of rows, matching of
//! possible duplicates, and notes that remember the columns.
//!
//! The meaning of a row is up to the skill that imports it. It never guesses: an ambiguous date or number
//! is a [`Question`], and an unreadable line is reported as [`WrongLine`]. Only [`remember`] changes notes.
//!
//! # Invariants
//!
//! - The id of a row does not depend on how the row is parsed: `skills/budget/tests/budget/importing.rs`.
//! - Files beyond the limits of rows, cells and bytes are rejected:
//!   `skills/budget/tests/budget/importing_limits.rs`.
//! - It depends on no crate of Nova but nova-skill: `.ci/layers`.

mod columns;
mod file;
mod headings;
mod id;
mod pairs;
mod question;
mod remembered;
mod table;
mod values;
mod writing;

pub use columns::{column_name, described};
pub use file::{Read, report_reading};
pub use headings::{currency_in, has_words, named, words};
pub use id::{RowIds, import_ids};
pub use pairs::{Candidate, pair_up};
pub use question::{OfAlike, Question, WrongLine, choice, first_open, refuse_wrong_lines};
pub use remembered::{remember, remembered};
pub use table::{DELIMITERS, Row, Table};
pub use values::{
    DATE_FORMATS, DateFormat, amount, currencies_of_sign, currency_beside, date_formats, decimal_signs,
    is_date, is_negative,
};
pub use writing::{Written, cells, date_format, date_question, decimal, decimal_question};
