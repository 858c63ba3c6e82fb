//! Rules that make a note a record of some kind.

use std::fmt;
use std::sync::Arc;

use super::condition::Condition;
use crate::error::QueryError;
use crate::note::{Document, FrontMatter, VaultPath, folded, outline};
use crate::reading::index::{Head, Note, Selection};

/// Decides which notes are records of some kind: those that match any of its rules.
///
/// A note with unreadable front matter matches no rule. Templates and conflicted copies are never records,
/// which [`View::records`](crate::View::records) ensures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recogniser {
    rules: Arc<[Rule]>,
    /// The types of the rules, folded.
    types: Arc<[String]>,
}

/// One rule of a [`Recogniser`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// The note's `type:` or one of its list, whatever the case.
    Type(String),
    /// The note is in or below this folder, ignoring case.
    Folder(String),
    /// The note has this tag or a nested one, in its properties or body; written without `#`.
    Tag(String),
    /// The note satisfies the condition; constructed by [`Rule::condition`].
    Where(Condition),
    /// The note is in or below this folder, has no `type:`, and its properties fit.
    Fitting(String, Fits),
    /// The note matches the rule and is none of these records.
    Unless(Box<Rule>, Recogniser),
}

/// Predicate on a note's properties. All instances compare equal: each is derived from data next to its
/// rule.
#[derive(Clone)]
pub struct Fits(Arc<dyn Fn(&Document) -> bool + Send + Sync>);

impl Recogniser {
    /// From rules, any of which suffices.
    pub fn new(rules: impl IntoIterator<Item = Rule>) -> Self {
        let rules: Arc<[Rule]> = rules.into_iter().collect();
        let types = rules.iter().filter_map(|rule| match rule {
            Rule::Type(name) => Some(folded(name)),
            _ => None,
        });
        Self { types: types.collect(), rules }
    }

    /// For notes with one of these values of `type:`.
    pub fn of_types<T: AsRef<str>>(types: &[T]) -> Self {
        Self::new(types.iter().map(|name| Rule::Type(name.as_ref().to_owned())))
    }

    /// Union of several recognisers.
    pub fn any_of<'a>(several: impl IntoIterator<Item = &'a Recogniser>) -> Self {
        Self::new(several.into_iter().flat_map(|one| one.rules.iter().cloned()))
    }

    /// In the given order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Whether it recognises nothing.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether the note is one of these records.
    pub fn recognises(&self, note: &Note) -> bool {
        self.decide(&note.path, &note.document, &|| {
            outline(&note.text).tags.into_iter().map(|used| used.tag).collect()
        })
    }

    /// Whether one of the types alone is enough.
    pub(crate) fn recognises_type<'t>(&self, mut record_types: impl Iterator<Item = &'t str>) -> bool {
        record_types.any(|own| {
            // Fast path: most notes spell the type exactly so.
            let as_spelled = |rule: &Rule| matches!(rule, Rule::Type(name) if name == own);
            self.rules.iter().any(as_spelled) || !self.types.is_empty() && self.types.contains(&folded(own))
        })
    }

    /// Whether a rule names a folder that contains the note.
    pub(crate) fn has_folder_of(&self, path: &VaultPath) -> bool {
        self.rules.iter().filter_map(Rule::folder).any(|folder| is_below(path, folder))
    }

    /// Whether a note with these properties is recognised; `tags` are all of its tags.
    pub(crate) fn decide(
        &self,
        path: &VaultPath,
        document: &Document,
        tags: &dyn Fn() -> Vec<String>,
    ) -> bool {
        if matches!(document.front_matter(), FrontMatter::Broken { .. }) {
            return false;
        }
        self.recognises_type(document.record_types())
            || self.rules.iter().any(|rule| {
                // Type rules are decided above.
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

    fn may_select_otherwise(&self, head: &Head) -> bool {
        let mut others = self.rules.iter().filter(|rule| !matches!(rule, Rule::Type(_)));
        others.any(|rule| rule.may_be_met_by(head))
    }

    fn may_select(&self, head: &Head) -> bool {
        self.recognises_type(head.record_types()) || self.may_select_otherwise(head)
    }
}

impl Rule {
    /// For notes that satisfy `KEY OP VALUE`.
    ///
    /// # Errors
    /// If the condition is invalid, or concerns the file's size or times, which do not characterise a note.
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
            Self::Type(name) => is_one_of(document.record_types(), name),
            Self::Folder(folder) => is_below(path, folder),
            Self::Fitting(folder, fits) => {
                is_below(path, folder) && document.record_type().is_none() && (fits.0)(document)
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

    /// As [`Rule::is_met_by`], as far as the path and the types tell.
    fn may_be_met_by(&self, head: &Head) -> bool {
        match self {
            Self::Type(name) => is_one_of(head.record_types(), name),
            Self::Folder(folder) => is_below(&head.path, folder),
            Self::Fitting(folder, _) => head.record_type().is_none() && is_below(&head.path, folder),
            Self::Tag(_) | Self::Where(_) => true,
            Self::Unless(rule, _) => rule.may_be_met_by(head),
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
    /// From a predicate on a note's properties.
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

fn is_one_of<'t>(mut record_types: impl Iterator<Item = &'t str>, name: &str) -> bool {
    let name = folded(name);
    record_types.any(|own| folded(own) == name)
}

/// Whether the note is in or below the folder, ignoring case.
fn is_below(path: &VaultPath, folder: &str) -> bool {
    let (path, folder) = (path.as_str(), folder.trim_matches('/'));
    // Fast path: most notes are elsewhere, and ASCII needs no folding.
    if path.is_ascii() && folder.is_ascii() {
        let (path, folder) = (path.as_bytes(), folder.as_bytes());
        return path.len() > folder.len()
            && path[folder.len()] == b'/'
            && path[..folder.len()].eq_ignore_ascii_case(folder);
    }
    folded(path).strip_prefix(&folded(folder)).is_some_and(|rest| rest.starts_with('/'))
}
