/// The effect of a call, shown on its card before it is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// In display order.
    pub details: Vec<Detail>,
    /// Differs if the call would have another effect. The tool compares it with
    /// [`ToolContext::shown`](crate::ToolContext::shown) when it runs.
    pub digest: String,
}

/// One line of a preview, such as a recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    /// "To"
    pub label: String,
    pub value: String,
    /// A remark on the value: "14 mails since March 2024".
    pub note: Option<String>,
    /// The note is a warning.
    pub caution: bool,
}

impl Detail {
    pub fn new(label: &str, value: impl Into<String>) -> Self {
        Self { label: label.to_owned(), value: value.into(), note: None, caution: false }
    }

    #[must_use]
    pub fn noted(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }

    #[must_use]
    pub fn warned(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), caution: true, ..self }
    }
}
