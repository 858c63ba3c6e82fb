//! Parses a file into rows of cells with their line numbers.

use std::collections::HashMap;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use nova_skill::ToolError;

use crate::values::{amount, is_date};

/// The delimiters, with their names in mappings and notes.
pub const DELIMITERS: [(u8, &str); 4] =
    [(b',', "comma"), (b';', "semicolon"), (b'\t', "tab"), (b'|', "pipe")];

/// The number of rows in which the header is searched.
const ROWS_BEFORE_HEADER: usize = 40;

/// The maximum number of cells in a row, and of bytes in all its cells.
const MOST_CELLS: usize = 200;
const MOST_BYTES: usize = 32_000;

/// The maximum number of lines named in an error.
const LINES_NAMED: usize = 3;

#[derive(Debug)]
pub struct Table {
    /// The file's name in errors.
    pub file: String,
    pub encoding: &'static str,
    /// One of the names in [`DELIMITERS`].
    pub delimiter: &'static str,
    /// The names of the columns, or their numbers from 1 if the file has no header.
    pub header: Vec<String>,
    pub header_line: u64,
    /// Each has as many cells as the header.
    pub rows: Vec<Row>,
}

#[derive(Debug)]
pub struct Row {
    pub line: u64,
    pub cells: Vec<String>,
}

impl Row {
    /// Whether it looks like a header: words without digits.
    pub fn is_of_names(&self) -> bool {
        let filled = || self.cells.iter().filter(|cell| !cell.trim().is_empty());
        filled().count() > 1 && filled().all(|cell| !cell.contains(|c: char| c.is_ascii_digit()))
    }

    /// Whether it looks like a data row: amounts with more than a label.
    fn is_of_amounts(&self, columns: usize) -> bool {
        let is_amount = |cell: &String| amount(cell, '.').is_some() || amount(cell, ',').is_some();
        let filled = self.cells.iter().filter(|cell| !cell.trim().is_empty()).count();
        self.cells.len() == columns && filled > 2.min(columns - 1) && self.cells.iter().any(is_amount)
    }
}

impl Table {
    /// Parses the bytes of a file; encoding and delimiter are detected if `None`.
    ///
    /// # Errors
    /// With the file and line: an unknown encoding, bytes that are invalid in it, no row with a date, a row
    /// that is too large, or one with more or fewer cells than there are columns.
    pub fn read(
        file: &str,
        bytes: &[u8],
        encoding: Option<&str>,
        delimiter: Option<&str>,
    ) -> Result<Self, ToolError> {
        refuse_other_kinds(file, bytes)?;
        let (text, encoding) = decoded(file, bytes, encoding)?;
        let wanted = delimiter.map(delimiter_of).transpose()?;
        let mut best: Option<(usize, Self)> = None;
        let mut refused = None;
        for (byte, name) in DELIMITERS {
            if wanted.is_some_and(|wanted| wanted != byte) {
                continue;
            }
            let rows = match split(file, &text, byte)? {
                Split::Rows(rows) => rows,
                Split::Refused(error) => {
                    // Another delimiter may fit.
                    refused.get_or_insert(error);
                    continue;
                }
            };
            let Some(found) = Found::of(&rows) else { continue };
            let fits = found.fitting * found.columns;
            if best.as_ref().is_none_or(|(before, _)| fits > *before) {
                let table = Self {
                    file: file.to_owned(),
                    encoding: encoding.name(),
                    delimiter: name,
                    header: found.header,
                    header_line: found.header_line,
                    rows: found.rows,
                };
                best = Some((fits, table));
            }
        }
        let Some((_, mut table)) = best else {
            return Err(refused.unwrap_or_else(|| no_table(file, &text)));
        };
        // Concatenated files repeat their header.
        let header = table.header.iter().map(|name| name.trim()).collect::<Vec<_>>();
        table.rows.retain(|row| !row.cells.iter().map(|cell| cell.trim()).eq(header.iter().copied()));
        table.square()?;
        Ok(table)
    }

    /// The index of a column, given its name or its number from 1.
    pub fn column(&self, argument: &str, name: &str) -> Result<usize, ToolError> {
        let wanted = nova_skill::figures::folded(name.trim());
        let named: Vec<usize> = (0..self.header.len())
            .filter(|at| nova_skill::figures::folded(self.header[*at].trim()) == wanted)
            .collect();
        let number = || name.trim().parse::<usize>().ok().filter(|n| (1..=self.header.len()).contains(n));
        match (named.as_slice(), number()) {
            ([one], _) => Ok(*one),
            ([], Some(number)) => Ok(number - 1),
            ([], None) => Err(ToolError::failed(
                format!(
                    "{}, line {}: there is no column \"{name}\" for {argument}.",
                    self.file, self.header_line
                ),
                format!("Name one of {}, or its number.", quoted(&self.header)),
            )),
            (several, _) => Err(ToolError::failed(
                format!(
                    "{}, line {}: {} columns are called \"{name}\".",
                    self.file,
                    self.header_line,
                    several.len()
                ),
                format!("Give the number of the one for {argument}, from 1."),
            )),
        }
    }

    /// Whether it has a header, by which its bank or broker is recognised.
    pub fn has_names(&self) -> bool {
        self.header.iter().enumerate().any(|(at, name)| *name != (at + 1).to_string())
    }

    /// Identifies the files of one bank or broker: their headers are equal.
    pub fn fingerprint(&self) -> String {
        self.header.iter().map(|name| name.trim()).collect::<Vec<_>>().join(" | ")
    }

    /// Gives every row as many cells as there are columns; surplus empty cells at its end are dropped.
    fn square(&mut self) -> Result<(), ToolError> {
        let columns = self.header.len();
        // Sentences below the table, such as a disclaimer.
        let is_sentence = |row: &Row| {
            let mut filled = row.cells.iter().filter(|cell| !cell.trim().is_empty());
            row.cells.len() < columns
                && matches!((filled.next(), filled.next()), (Some(only), None) if !is_date(only))
        };
        while self.rows.last().is_some_and(is_sentence) {
            self.rows.pop();
        }
        let mut wrong = Vec::new();
        for row in &mut self.rows {
            while row.cells.len() > columns && row.cells.last().is_some_and(|cell| cell.trim().is_empty()) {
                row.cells.pop();
            }
            if row.cells.len() != columns {
                wrong.push((row.line, row.cells.len()));
            }
        }
        let Some((line, cells)) = wrong.first() else { return Ok(()) };
        let others: Vec<String> =
            wrong.iter().skip(1).take(LINES_NAMED).map(|(line, _)| line.to_string()).collect();
        let more = match others.as_slice() {
            [] => String::new(),
            [one] => format!(" Line {one} is also wrong."),
            others => format!(" Lines {} are also wrong; {} in all.", others.join(", "), wrong.len()),
        };
        Err(ToolError::failed(
            format!(
                "{}, line {line}: it has {cells} cells, but the table has {columns} columns.{more}",
                self.file
            ),
            "Correct or delete these lines in the file, and import it again; nothing was imported.",
        ))
    }
}

/// The location of the table for one delimiter.
struct Found {
    header: Vec<String>,
    header_line: u64,
    rows: Vec<Row>,
    columns: usize,
    /// The number of rows with that many cells.
    fitting: usize,
}

impl Found {
    /// The table has as many columns as most rows with a date have cells, and begins with the first such row;
    /// lines before it describe the account. The header, if any, is directly above.
    fn of(rows: &[Row]) -> Option<Self> {
        let is_dated = |row: &Row| row.cells.iter().any(|cell| is_date(cell));
        let mut widths: HashMap<usize, usize> = HashMap::new();
        for row in rows.iter().filter(|row| row.cells.len() > 1 && is_dated(row)) {
            *widths.entry(row.cells.len()).or_default() += 1;
        }
        // On a tie the greater width: narrower rows are the preamble.
        let (columns, _) = widths.into_iter().max_by_key(|(width, count)| (*count, *width))?;
        let begins = |row: &Row| row.cells.len() == columns && is_dated(row);
        let dated = rows.iter().take(ROWS_BEFORE_HEADER).position(begins)?;
        // A row with an amount is data rather than a header, even if its date is invalid.
        let with_amounts = rows[..dated].iter().rev().take_while(|row| row.is_of_amounts(columns)).count();
        let first = dated - with_amounts;
        let above = first.checked_sub(1).map(|at| &rows[at]);
        let named = above.filter(|row| {
            let filled = row.cells.iter().filter(|cell| !cell.trim().is_empty()).count();
            // Either the rows or the header may have a trailing delimiter.
            row.cells.len().abs_diff(columns) <= 1 && filled > 1
        });
        let (header, header_line) = match named {
            Some(row) => {
                let mut names = row.cells.clone();
                while names.len() > 1 && names.last().is_some_and(|name| name.trim().is_empty()) {
                    names.pop();
                }
                (names, row.line)
            }
            None => ((1..=columns).map(|n| n.to_string()).collect(), rows[first].line),
        };
        let fitting = rows[first..].iter().filter(|row| row.cells.len() == columns).count();
        let rows = rows[first..].iter().map(|row| Row { line: row.line, cells: row.cells.clone() }).collect();
        Some(Self { columns: header.len(), header, header_line, rows, fitting })
    }
}

/// Rejects files that are not text, with how to get a text file.
fn refuse_other_kinds(file: &str, bytes: &[u8]) -> Result<(), ToolError> {
    let begins = |with: &str| bytes.trim_ascii_start().starts_with(with.as_bytes());
    let (kind, remedy) = match () {
        () if begins("%PDF") => ("a PDF", "Export CSV at your bank or broker, and choose that file."),
        () if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"\xd0\xcf\x11\xe0") => {
            ("a spreadsheet", "Save it as CSV, and choose that file.")
        }
        () if begins("<?xml") || begins("<") => {
            ("an XML file", "Export CSV at your bank or broker, and choose that file.")
        }
        () if begins("OFXHEADER") || begins("!Type:") || begins(":20:") => {
            ("not a CSV file", "Export CSV at your bank or broker, and choose that file.")
        }
        () => return Ok(()),
    };
    Err(ToolError::failed(format!("{file} is {kind}."), remedy))
}

fn no_table(file: &str, text: &str) -> ToolError {
    let lines = || text.lines().filter(|line| !line.trim().is_empty()).take(ROWS_BEFORE_HEADER);
    let is_one = |line: &str| !DELIMITERS.iter().any(|(byte, _)| line.as_bytes().contains(byte));
    if text.trim().is_empty() {
        return ToolError::failed(format!("{file} is empty."), "Export the transactions as CSV once more.");
    }
    if lines().count() > 1 && lines().all(is_one) {
        return ToolError::failed(
            format!("{file} has one column only."),
            "Export the transactions as CSV with a column each for the date, the payee and the amount.",
        );
    }
    ToolError::failed(
        format!(
            "{file}, line 1: no table with dates and amounts begins in the first {ROWS_BEFORE_HEADER} lines."
        ),
        "Export the transactions as CSV, with one transaction on each line, and import that file.",
    )
}

/// The result of splitting a text by a delimiter.
enum Split {
    Rows(Vec<Row>),
    /// A row exceeds the limits with this delimiter, or does not end.
    Refused(ToolError),
}

/// The non-empty rows; none if the text does not contain the delimiter.
fn split(file: &str, text: &str, delimiter: u8) -> Result<Split, ToolError> {
    if !text.as_bytes().contains(&delimiter) {
        return Ok(Split::Rows(Vec::new()));
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    let is_odd = text.bytes().filter(|byte| *byte == b'"').count() % 2 == 1;
    let (mut swallows, mut last) = (false, 1);
    let not_closed = |line: u64| {
        Split::Refused(ToolError::failed(
            format!("{file}, line {line}: a quotation mark is not closed."),
            "Correct the line, or export the file again.",
        ))
    };
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line);
            ToolError::failed(
                format!("{file}, line {line}: this line is not valid CSV."),
                "Correct the line, or export the file again.",
            )
        })?;
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let line = record.position().map_or(1, |position| line_of(text, position));
        // An unbalanced quotation mark swallows the following lines.
        swallows = is_odd && record.iter().next_back().is_some_and(|cell| cell.contains('\n'));
        last = line;
        let (cells, bytes) = (record.len(), record.as_slice().len());
        let limit = match () {
            () if cells > MOST_CELLS => {
                Some(format!("{cells} cells; a row of at most {MOST_CELLS} cells can be imported"))
            }
            () if bytes > MOST_BYTES => {
                Some(format!("{bytes} bytes; a row of at most {MOST_BYTES} bytes can be imported"))
            }
            () => None,
        };
        if let Some(limit) = limit {
            if swallows {
                return Ok(not_closed(line));
            }
            return Ok(Split::Refused(ToolError::failed(
                format!("{file}, line {line}: it has {limit}."),
                "Export the transactions as CSV, with one transaction on each line, and import that file.",
            )));
        }
        rows.push(Row { line, cells: record.iter().map(str::to_owned).collect() });
    }
    Ok(if swallows { not_closed(last) } else { Split::Rows(rows) })
}

/// The line of a row; the reader's count starts at the empty lines above it.
fn line_of(text: &str, begin: &csv::Position) -> u64 {
    let from = usize::try_from(begin.byte()).unwrap_or(usize::MAX);
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let empty = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    begin.line() + empty.filter(|byte| **byte == b'\n').count() as u64
}

/// Decodes by the byte order mark, or as UTF-8 if valid, or else as Windows-1252, a superset of Latin-1.
fn decoded(file: &str, bytes: &[u8], said: Option<&str>) -> Result<(String, &'static Encoding), ToolError> {
    let encoding = match said {
        Some(said) => {
            Encoding::for_label(said.trim().as_bytes()).ok_or_else(|| ToolError::InvalidArguments {
                path: "/mapping/encoding".into(),
                rule: format!("\"{said}\" is not a known encoding"),
                allowed: ["utf-8", "windows-1252", "iso-8859-15", "utf-16le"].map(str::to_owned).into(),
            })?
        }
        None => match Encoding::for_bom(bytes) {
            Some((encoding, _)) => encoding,
            None if std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0) => UTF_8,
            None => match bytes {
                [0, second, ..] if *second != 0 => UTF_16BE,
                [first, 0, ..] if *first != 0 => UTF_16LE,
                _ => WINDOWS_1252,
            },
        },
    };
    let (text, encoding, broken) = encoding.decode(bytes);
    if broken {
        let before = text.split('\u{fffd}').next().unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        return Err(ToolError::failed(
            format!("{file}, line {line}: its letters are not {}.", encoding.name()),
            "Give the right encoding in the mapping, such as windows-1252, or save the file as UTF-8.",
        ));
    }
    Ok((text.into_owned(), encoding))
}

/// The delimiter given by its name or as the character itself.
fn delimiter_of(said: &str) -> Result<u8, ToolError> {
    let found = DELIMITERS.iter().find(|(byte, name)| {
        nova_skill::figures::folded(said) == *name
            || said.as_bytes() == [*byte]
            || (said == "\\t" && *byte == b'\t')
    });
    found.map(|(byte, _)| *byte).ok_or_else(|| ToolError::InvalidArguments {
        path: "/mapping/delimiter".into(),
        rule: format!("\"{said}\" is not a delimiter"),
        allowed: DELIMITERS.map(|(_, name)| name.to_owned()).into(),
    })
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}
