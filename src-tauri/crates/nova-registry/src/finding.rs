/// A problem in the files of a skill for its author to fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    /// Relative to the skill's folder.
    pub file: String,
    /// 1-based, if known.
    pub line: Option<u32>,
    /// The problem, then the remedy.
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It violates the standard or Nova's manifest format.
    Error,
    /// It should be improved.
    Warning,
}

impl Finding {
    pub(crate) fn error(file: &str, line: Option<u32>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, file: file.to_owned(), line, message: message.into() }
    }

    pub(crate) fn warning(file: &str, line: Option<u32>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(file, line, message) }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(out, "{}, line {line}: {}", self.file, self.message),
            None => write!(out, "{}: {}", self.file, self.message),
        }
    }
}

/// The line of a key at the top level of a YAML mapping, which starts `before` lines into the file.
pub(crate) fn line_of_key(yaml: &str, key: &str, before: u32) -> Option<u32> {
    let at = yaml.lines().position(|line| value_of_key(yaml, line, key).is_some())?;
    u32::try_from(at).ok().map(|at| at + 1 + before)
}

/// Returns the text after the key and its colon, if the line has that key of the top-level mapping, which may
/// be indented as a whole.
pub(crate) fn value_of_key<'a>(yaml: &str, line: &'a str, key: &str) -> Option<&'a str> {
    let is_key = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let indent = yaml.lines().find(is_key).map_or(0, |line| line.len() - line.trim_start_matches(' ').len());
    let line = line.get(indent..).filter(|_| line.starts_with(&" ".repeat(indent)))?;
    let rest = line.trim_start_matches(['"', '\'']).strip_prefix(key)?;
    rest.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')
}

/// The line and message of a YAML error, without the source excerpt.
pub(crate) fn yaml_fault(error: &serde_saphyr::Error, before: u32) -> (Option<u32>, String) {
    let line = error.location().and_then(|place| u32::try_from(place.line()).ok()).filter(|line| *line > 0);
    let whole = error.without_snippet().to_string();
    (line.map(|line| line + before), short(&whole))
}

/// Truncates a parser's message, which may quote input of any length.
pub(crate) fn short(said: &str) -> String {
    said.lines().next().unwrap_or_default().chars().take(300).collect()
}
