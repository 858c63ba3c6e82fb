//! Queries on properties, sorted.
//!
//! Values are compared by type, without conversions or guesses (see [`Condition`]), and every query
//! reflects the disk now.

mod condition;
mod key;
mod number;
mod recogniser;
mod scalar;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

pub use condition::Condition;
pub use key::SortKey;
pub(crate) use key::{FileFacts, extension};
pub(crate) use number::Number;
pub use recogniser::{Fits, Recogniser, Rule};
pub(crate) use scalar::{Moment, Scalar, link_name};

use condition::Verdict;
use key::{FileKey, Key};

use crate::error::VaultError;
use crate::note::{ContentHash, Document, Value, VaultPath};
use crate::reading::index::{Head, Texts, is_record_place};
use crate::view::View;

/// Which notes to find, and in what order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Only records of one of these types, ignoring case; notes of every type if empty. Notes in the
    /// [`crate::TemplateFolder`] are templates, not records, and are then excluded.
    pub record_types: Vec<String>,
    /// Further records to include besides those of [`Query::record_types`].
    pub records: Recogniser,
    /// All must be satisfied.
    pub conditions: Vec<Condition>,
    /// The first key decides, the next ones break ties, finally the path. Missing values sort last in
    /// either direction.
    pub sort: Vec<SortKey>,
    /// Maximum number of rows, taken after sorting.
    pub limit: Option<usize>,
}

/// A note that satisfies a query. Serialised as `{path, type, properties}`.
#[derive(Debug, Clone)]
pub struct QueryRow {
    pub path: VaultPath,
    /// Its `type:`.
    pub record_type: Option<String>,
    /// The note, parsed.
    pub document: Arc<Document>,
    /// The hash of its bytes; `None` if it is unreadable.
    pub hash: Option<ContentHash>,
}

/// The notes that satisfy a query.
#[derive(Debug, Clone, Serialize)]
pub struct QueryAnswer {
    /// In the requested order, at most `limit`.
    pub rows: Vec<QueryRow>,
    /// Number of notes without the limit.
    pub total: usize,
    /// Number of notes that might be meant as well: they satisfy the other conditions and have the
    /// property, but its value is not comparable (`amount >= 5` if it is a text).
    #[serde(skip_serializing_if = "is_zero")]
    pub not_comparable: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl View {
    /// The notes that satisfy a query, as on disk now, without hidden ones.
    pub fn query(&self, query: &Query) -> Result<QueryAnswer, VaultError> {
        let core = self.vault().core();
        let only = Recogniser::any_of([&Recogniser::of_types(&query.record_types), &query.records]);
        let needed = if only.is_empty() { Texts::All } else { Texts::Of(&only) };
        let listing = self.vault().index().listing(&core.disk, needed)?;
        let templates = self.vault().template_folder();
        let mut not_comparable = 0;
        let mut meets = |head: &Head| {
            let is_wanted = only.is_empty()
                || is_record_place(&listing, &templates, &head.path)
                    && self.vault().is_recognised(head, &only);
            if !is_wanted || self.hides_head(head) {
                return false;
            }
            let mut comparable = true;
            for condition in &query.conditions {
                let value = self.value_of(&condition.key, head);
                match condition.judge(value.as_deref(), &core.zone) {
                    Verdict::Met => {}
                    Verdict::NotMet => return false,
                    Verdict::NotComparable => comparable = false,
                }
            }
            not_comparable += usize::from(!comparable);
            comparable
        };
        let mut found: Vec<(Vec<Vec<Scalar>>, &Arc<Head>)> = listing
            .heads
            .iter()
            .filter(|head| meets(head))
            .map(|head| {
                let sort_key = |sort: &SortKey| {
                    let value = self.value_of(&sort.key, head);
                    value.map(|value| Scalar::sort_key(&value, &core.zone)).unwrap_or_default()
                };
                (query.sort.iter().map(sort_key).collect(), head)
            })
            .collect();
        let directions: Vec<bool> = query.sort.iter().map(|sort| sort.descending).collect();
        found.sort_by(|(a, head_a), (b, head_b)| {
            compare_rows(a, b, &directions).then_with(|| head_a.path.cmp(&head_b.path))
        });
        let total = found.len();
        let rows = found.into_iter().take(query.limit.unwrap_or(total)).map(|(_, head)| row(head)).collect();
        Ok(QueryAnswer { rows, total, not_comparable })
    }

    /// The note's value for this key.
    fn value_of<'a>(&self, key: &Key, head: &'a Head) -> Option<Cow<'a, Value>> {
        let key = match key {
            Key::Property(name) => return head.document().property(name).map(Cow::Borrowed),
            Key::File(key) => key,
        };
        let text = |text: &str| Value::Text(text.to_owned());
        let core = self.vault().core();
        let facts = || FileFacts::of(&core.disk, &head.path);
        let moment = |at: Timestamp| Value::Text(core.zone.to_datetime(at).to_string());
        Some(Cow::Owned(match key {
            FileKey::Name => text(head.path.name()),
            FileKey::Path => text(head.path.as_str()),
            FileKey::Folder => text(head.path.folder()),
            FileKey::Ext => text(extension(&head.path)),
            FileKey::Size => Value::Number(facts()?.size.to_string()),
            FileKey::Mtime => moment(facts()?.modified),
            FileKey::Ctime => moment(facts()?.created),
            FileKey::Tags => Value::List(self.vault().tags_of(head).into_iter().map(Value::Text).collect()),
        }))
    }

    /// Whether the note must be hidden. An unreadable note cannot declare itself public.
    pub(crate) fn hides_head(&self, head: &Head) -> bool {
        head.is_hidden_by(self.privacy()) || (self.privacy().remote && !head.is_readable())
    }
}

/// Compares two rows by their sort keys; `true` means descending. Missing values sort last in either
/// direction.
pub(crate) fn compare_rows(a: &[Vec<Scalar>], b: &[Vec<Scalar>], descending: &[bool]) -> Ordering {
    a.iter()
        .zip(b)
        .zip(descending)
        .map(|((a, b), descending)| {
            let present = if *descending { b.cmp(a) } else { a.cmp(b) };
            match (a.is_empty(), b.is_empty()) {
                (false, false) => present,
                (missing_a, missing_b) => missing_a.cmp(&missing_b),
            }
        })
        .find(|ordering| ordering.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn row(head: &Head) -> QueryRow {
    QueryRow {
        path: head.path.clone(),
        record_type: head.record_type().map(str::to_owned),
        document: Arc::clone(head.document()),
        hash: head.hash(),
    }
}

impl Serialize for QueryRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let properties: indexmap::IndexMap<&str, &Value> = self
            .document
            .properties()
            .iter()
            .map(|(key, property)| (key.as_str(), &property.value))
            .collect();
        let mut row = serializer.serialize_struct("QueryRow", 3)?;
        row.serialize_field("path", &self.path)?;
        row.serialize_field("type", &self.record_type)?;
        row.serialize_field("properties", &properties)?;
        row.end()
    }
}
