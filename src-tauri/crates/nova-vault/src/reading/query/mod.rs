//! Questions about properties: which notes have which, in what order.
//!
//! Nothing is converted and nothing is guessed: values are compared by what they are
//! ([`Condition`] says how), and every question is answered from the disk as it is now.

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

/// Which notes are wanted, and in what order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Only records of one of these types, compared without case; notes of every type where there is
    /// none. Notes in the [`crate::TemplateFolder`] are forms, not records, and do not count then.
    pub record_types: Vec<String>,
    /// Records that count besides those of [`Query::record_types`].
    pub records: Recogniser,
    /// All of them have to be met.
    pub conditions: Vec<Condition>,
    /// The first decides, the next among equals, at last the path. Notes without a value come
    /// last, ascending or descending.
    pub sort: Vec<SortKey>,
    /// At most so many rows, the first ones after sorting.
    pub limit: Option<usize>,
}

/// A note that meets a query. Serializes as `{path, type, properties}`.
#[derive(Debug, Clone)]
pub struct QueryRow {
    /// Where it lies.
    pub path: VaultPath,
    /// Its `type:`.
    pub record_type: Option<String>,
    /// The note, parsed.
    pub document: Arc<Document>,
    /// What its bytes were; `None` when it cannot be read.
    pub hash: Option<ContentHash>,
}

/// The notes that meet a query.
#[derive(Debug, Clone, Serialize)]
pub struct QueryAnswer {
    /// In the wanted order, at most as many as the limit.
    pub rows: Vec<QueryRow>,
    /// How many there are without the limit.
    pub total: usize,
    /// How many notes more might be meant: they meet the other conditions and have the property,
    /// but what it holds has no order with the value (`amount >= 5` where it is a text).
    #[serde(skip_serializing_if = "is_zero")]
    pub not_comparable: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl View {
    /// The notes that meet a query, as they are on the disk now, without hidden ones.
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

    /// What the note holds under this key.
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

    /// Whether the note must not be shown. What cannot be read cannot say that it may be.
    pub(crate) fn hides_head(&self, head: &Head) -> bool {
        head.is_hidden_by(self.privacy()) || (self.privacy().remote && !head.is_readable())
    }
}

/// The order of two rows by their sort keys, `true` for a descending one; a missing value
/// comes last either way.
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
