//! Statements of banks and brokers: a CSV file of any dialect as rows, what its columns are called, how its days and
//! numbers are written, and what an import needs besides: questions, identifiers of rows, pairs of likely duplicates,
//! and the note that remembers the columns.
//!
//! What a row means is up to the skill that imports it. Nothing here guesses: a day or a number that can be read in
//! two ways is a [`Question`], a line that cannot be read is [`Wrong`] and named. Only [`remember`] changes notes.
//!
//! # Invariants
//!
//! - A row keeps its identifier however it is read: `skills/budget/tests/budget/importing.rs`.
//! - Files beyond the limits of rows, cells and bytes are refused: `skills/budget/tests/budget/importing_limits.rs`.
//! - No crate of Nova but nova-skill is below: `.ci/layers`.

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
pub use question::{OfAlike, Question, Wrong, choice, first_open, refuse_wrong};
pub use remembered::{remember, remembered};
pub use table::{DELIMITERS, Row, Table};
pub use values::{
    DATE_FORMATS, DateFormat, amount, currencies_of_sign, currency_beside, date_formats, decimal_signs,
    is_date, is_negative,
};
pub use writing::{Written, cells, date_format, date_question, decimal, decimal_question};
