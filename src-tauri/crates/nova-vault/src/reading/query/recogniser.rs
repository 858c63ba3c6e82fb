//! What makes a note a record of some kind.

use std::fmt;
use std::sync::Arc;

use super::condition::Condition;
use crate::error::QueryError;
use crate::note::{Document, FrontMatter, VaultPath, folded, outline};
use crate::reading::index::{Note, Selection};

/// Decides which notes are records of some kind: those that any of its rules recognises.
///
/// A note whose front matter cannot be read is recognised by no rule. Templates and the copies of sync
/// programs are records of no kind, which [`View::records`](crate::View::records) sees to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recogniser {
    rules: Arc<[Rule]>,
    /// The types of the rules, folded.
    types: Arc<[String]>,
}

/// One rule of a [`Recogniser`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// The note's `type:`, whatever its case.
    Type(String),
    /// The note lies in or below this folder, whatever its case.
    Folder(String),
    /// The note has this tag or one below it, in its properties or its text; written without `#`.
    Tag(String),
    /// The note meets the condition; [`Rule::condition`] makes one.
    Where(Condition),
    /// The note lies in or below this folder, says no `type:`, and its properties fit.
    Fitting(String, Fits),
    /// The note meets the rule and is none of these records.
    Unless(Box<Rule>, Recogniser),
}

/// Whether a note's properties are what a record of some kind has. Two are equal: each is made of what stands
/// beside its rule.
#[derive(Clone)]
pub struct Fits(Arc<dyn Fn(&Document) -> bool + Send + Sync>);

impl Recogniser {
    /// Of these rules, any of which is enough.
    pub fn new(rules: impl IntoIterator<Item = Rule>) -> Self {
        let rules: Arc<[Rule]> = rules.into_iter().collect();
        let types = rules.iter().filter_map(|rule| match rule {
            Rule::Type(name) => Some(folded(name)),
            _ => None,
        });
        Self { types: types.collect(), rules }
    }

    /// Of the notes with one of these values of `type:`.
    pub fn of_types<T: AsRef<str>>(types: &[T]) -> Self {
        Self::new(types.iter().map(|name| Rule::Type(name.as_ref().to_owned())))
    }

    /// Of what any of these recognises.
    pub fn any_of<'a>(several: impl IntoIterator<Item = &'a Recogniser>) -> Self {
        Self::new(several.into_iter().flat_map(|one| one.rules.iter().cloned()))
    }

    /// In the order they were given.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Whether it recognises nothing.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether the note is one of these records.
    pub fn recognises(&self, note: &Note) -> bool {
        let record_type = note.document.record_type();
        self.may_select(&note.path, record_type)
            && self.decide(&note.path, &note.document, &|| {
                outline(&note.text).tags.into_iter().map(|used| used.tag).collect()
            })
    }

    /// Whether the type alone is enough.
    pub(crate) fn recognises_type(&self, record_type: Option<&str>) -> bool {
        record_type.is_some_and(|own| {
            // As most notes spell it, which needs no folding.
            let as_spelled = |rule: &Rule| matches!(rule, Rule::Type(name) if name == own);
            self.rules.iter().any(as_spelled) || !self.types.is_empty() && self.types.contains(&folded(own))
        })
    }

    /// Whether a rule is about a folder that the note lies in or below.
    pub(crate) fn has_folder_of(&self, path: &VaultPath) -> bool {
        self.rules.iter().filter_map(Rule::folder).any(|folder| is_below(path, folder))
    }

    /// Whether the note with these properties is recognised; `tags` are all that it has.
    pub(crate) fn decide(
        &self,
        path: &VaultPath,
        document: &Document,
        tags: &dyn Fn() -> Vec<String>,
    ) -> bool {
        if matches!(document.front_matter(), FrontMatter::Broken { .. }) {
            return false;
        }
        self.recognises_type(document.record_type())
            || self.rules.iter().any(|rule| {
                // Plain types are decided above.
                !matches!(rule, Rule::Type(_)) && rule.is_met_by(path, document, tags)
            })
    }
}

impl Selection for Recogniser {
    fn types(&self) -> &[String] {
        &self.types
    }

    fn is_by_type_alone(&self) -> bool {
        self.rules.len() == self.types.len()
    }

    fn may_select_otherwise(&self, path: &VaultPath, record_type: Option<&str>) -> bool {
        let mut others = self.rules.iter().filter(|rule| !matches!(rule, Rule::Type(_)));
        others.any(|rule| rule.may_be_met_by(path, record_type))
    }

    fn may_select(&self, path: &VaultPath, record_type: Option<&str>) -> bool {
        self.recognises_type(record_type) || self.may_select_otherwise(path, record_type)
    }
}

impl Rule {
    /// Of the notes that meet `KEY OP VALUE`.
    ///
    /// # Errors
    /// When it is not a condition, or is about the file's size or times, which say nothing of what a note is.
    pub fn condition(text: &str) -> Result<Rule, QueryError> {
        let condition = Condition::parse(text)?;
        if condition.is_about_file_facts() {
            let problem = "the size and the times of a file do not say what a note is";
            return Err(QueryError::new("condition", text, problem, "write it about a property or `tags`"));
        }
        Ok(Rule::Where(condition))
    }

    fn is_met_by(&self, path: &VaultPath, document: &Document, tags: &dyn Fn() -> Vec<String>) -> bool {
        match self {
            Self::Type(name) => document.record_type().is_some_and(|own| folded(own) == folded(name)),
            Self::Folder(folder) => is_below(path, folder),
            Self::Fitting(folder, fits) => {
                document.record_type().is_none() && is_below(path, folder) && (fits.0)(document)
            }
            Self::Tag(wanted) => {
                let wanted = folded(wanted);
                tags().iter().map(|tag| folded(tag)).any(|tag| {
                    tag.strip_prefix(&wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                })
            }
            Self::Where(condition) => condition.is_met_by(path, document, tags),
            Self::Unless(rule, others) => {
                rule.is_met_by(path, document, tags) && !others.decide(path, document, tags)
            }
        }
    }

    /// As [`Rule::is_met_by`], as far as the path and the type tell.
    fn may_be_met_by(&self, path: &VaultPath, record_type: Option<&str>) -> bool {
        match self {
            Self::Type(name) => record_type.is_some_and(|own| folded(own) == folded(name)),
            Self::Folder(folder) => is_below(path, folder),
            Self::Fitting(folder, _) => record_type.is_none() && is_below(path, folder),
            Self::Tag(_) | Self::Where(_) => true,
            Self::Unless(rule, _) => rule.may_be_met_by(path, record_type),
        }
    }

    fn folder(&self) -> Option<&str> {
        match self {
            Self::Folder(folder) | Self::Fitting(folder, _) => Some(folder),
            Self::Unless(rule, _) => rule.folder(),
            Self::Type(_) | Self::Tag(_) | Self::Where(_) => None,
        }
    }
}

impl Fits {
    /// By what `fits` says of a note's properties.
    pub fn new(fits: impl Fn(&Document) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(fits))
    }
}

impl fmt::Debug for Fits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fits")
    }
}

impl PartialEq for Fits {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Fits {}

/// Whether the note lies in the folder or below it, whatever the case of either.
fn is_below(path: &VaultPath, folder: &str) -> bool {
    let (path, folder) = (path.as_str(), folder.trim_matches('/'));
    // Nearly every note lies elsewhere, and ASCII needs no folding.
    if path.is_ascii() && folder.is_ascii() {
        let (path, folder) = (path.as_bytes(), folder.as_bytes());
        return path.len() > folder.len()
            && path[folder.len()] == b'/'
            && path[..folder.len()].eq_ignore_ascii_case(folder);
    }
    folded(path).strip_prefix(&folded(folder)).is_some_and(|rest| rest.starts_with('/'))
}
