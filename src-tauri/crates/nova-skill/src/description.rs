/// A tool's description for the model, composed of typed fragments.
///
/// ```
/// use nova_skill::Description;
/// let text = Description::purpose("Lists contacts.")
///     .use_when("the user asks who they know")
///     .not_when("the question is about one person", "crm.get_contact")
///     .to_string();
/// assert_eq!(
///     text,
///     "Lists contacts. Use when the user asks who they know. \
///      Not when the question is about one person: use crm.get_contact."
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Description {
    fragments: Vec<Fragment>,
}

/// One sentence of a [`Description`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fragment {
    /// What the tool does, a whole sentence.
    Purpose(String),
    /// A clause that follows "Use when".
    UseWhen(String),
    /// A clause that follows "Not when", and the tool to use then.
    NotWhen { clause: String, instead: String },
    /// What an answer built on the result must name.
    Cite(String),
    /// A request a person might make.
    Example(String),
}

impl Description {
    pub fn purpose(sentence: impl Into<String>) -> Self {
        Self { fragments: vec![Fragment::Purpose(sentence.into())] }
    }

    pub fn use_when(self, clause: impl Into<String>) -> Self {
        self.with(Fragment::UseWhen(clause.into()))
    }

    pub fn not_when(self, clause: impl Into<String>, instead: impl Into<String>) -> Self {
        self.with(Fragment::NotWhen { clause: clause.into(), instead: instead.into() })
    }

    pub fn cite(self, what: impl Into<String>) -> Self {
        self.with(Fragment::Cite(what.into()))
    }

    pub fn example(self, request: impl Into<String>) -> Self {
        self.with(Fragment::Example(request.into()))
    }

    pub fn with(mut self, fragment: Fragment) -> Self {
        self.fragments.push(fragment);
        self
    }

    pub fn fragments(&self) -> &[Fragment] {
        &self.fragments
    }
}

impl std::fmt::Display for Description {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, fragment) in self.fragments.iter().enumerate() {
            if at > 0 {
                out.write_str(" ")?;
            }
            match fragment {
                Fragment::Purpose(sentence) => write!(out, "{sentence}")?,
                Fragment::UseWhen(clause) => write!(out, "Use when {clause}.")?,
                Fragment::NotWhen { clause, instead } => {
                    write!(out, "Not when {clause}: use {instead}.")?;
                }
                Fragment::Cite(what) => write!(out, "Name {what} in the answer.")?,
                Fragment::Example(request) => write!(out, "For example: \"{request}\".")?,
            }
        }
        Ok(())
    }
}
