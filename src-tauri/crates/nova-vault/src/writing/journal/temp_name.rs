//! Names of temporary files next to notes: `.nova-<set>-<record>.<number>.<mark>.tmp`. The name alone
//! identifies the write and its change set.

/// The temporary file `number` of record `n`. Numbers are unique within a change set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TempName {
    pub(crate) n: u64,
    pub(crate) number: u64,
}

impl TempName {
    /// The file name in change set `set`; `mark` is the data folder's.
    pub(crate) fn file_name(self, set: &str, mark: Option<&str>) -> String {
        format!("{}{}.{}{}", temp_prefix(set), self.n, self.number, suffix(mark))
    }

    /// Parses a file name of change set `set`, with any mark; `None` for other files.
    pub(crate) fn parse(set: &str, file: &str) -> Option<TempName> {
        let mut parts = file.strip_prefix(&temp_prefix(set))?.strip_suffix(".tmp")?.split('.');
        let (n, number) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        // The mark.
        (parts.count() <= 1).then_some(TempName { n, number })
    }

    /// The change set of a file with this mark; `None` for other files.
    pub(crate) fn set_of<'a>(file: &'a str, mark: &str) -> Option<&'a str> {
        let (set, name) = file.strip_prefix(".nova-")?.strip_suffix(&suffix(Some(mark)))?.rsplit_once('-')?;
        let is_set = !set.is_empty() && set.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        (is_set && is_name).then_some(set)
    }
}

/// The prefix of every temporary file of a change set.
pub(crate) fn temp_prefix(set: &str) -> String {
    format!(".nova-{set}-")
}

fn suffix(mark: Option<&str>) -> String {
    mark.map_or_else(|| ".tmp".to_owned(), |mark| format!(".{mark}.tmp"))
}
