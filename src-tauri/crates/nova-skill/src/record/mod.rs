//! Record types as data: declared under `records:` in `manifest.yaml`, mapped to the names of the vault, with
//! everything derived from them.
//!
//! A *field* has the name used by skills and tools, a *property* the one used by the vault; both are equal
//! unless the user's configuration maps them ([`RecordTypes::with_config`]). Models and forms see fields;
//! notes contain properties.

mod check;
mod declaration;
mod duplicate;
mod fault;
mod form;
mod from_template;
mod given;
mod listed;
mod mapping;
mod matching;
mod own;
mod parameters;
mod plain;
mod read;
mod rules;
mod schema;
mod template;
mod write;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexMap;
use nova_vault::note::Value as PropertyValue;
use nova_vault::{Note, Recogniser};
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::Value;

use crate::ToolError;
use crate::figures::folded;

use fault::is_empty;
pub use form::FieldFault;
pub use from_template::Template;
pub use given::GivenFields;
pub use listed::OwnFields;
pub use mapping::ConfigFault;
pub use matching::MatchRule;
pub use parameters::{RecordFilters, RecordUse, ToolFields};
pub use read::Record;
pub use rules::{RecordDraft, RecordRules};

/// A kind of record, as declared by its skill.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordType {
    /// The folder for new notes; existing records may be anywhere.
    pub folder: String,
    /// Rules of which any makes a note a record of this type. Default: `type:` with the type's name, and
    /// notes in `folder` without a type whose properties fit.
    #[serde(default, rename = "match")]
    matches: Option<Vec<MatchRule>>,
    /// Excludes notes that match `match`, such as those of another type.
    #[serde(default)]
    except: Vec<MatchRule>,
    /// The field whose value names the note. If there is none, or a note omits it, the note's own name is
    /// used.
    #[serde(default)]
    pub title: Option<String>,
    /// Pattern for the name of a new note, with fields in braces, such as `{date} {payee}`; defaults to its
    /// title.
    #[serde(default)]
    pub file: Option<String>,
    /// The folder below `folder` for a new note, a single name with fields in braces; `.year` after the name
    /// of a date is its year, such as `{date.year}`.
    #[serde(default)]
    pub below: Option<String>,
    /// Fields besides the title with unique values, such as an e-mail address: the form of a new record
    /// reports a duplicate.
    #[serde(default)]
    pub unique: Vec<String>,
    /// Names in vaults that were not made for the skill: under `type` those of `type:` or of a folder, under
    /// a field those of its property. Only used for suggestions.
    #[serde(default)]
    pub also: IndexMap<String, Vec<String>>,
    /// In the order of properties in a new note.
    pub fields: IndexMap<String, Field>,
    /// The body of a new note.
    #[serde(default)]
    pub body: String,
    #[serde(skip)]
    name: String,
    #[serde(skip)]
    type_values: Vec<String>,
    /// Derived from the above.
    #[serde(skip)]
    recogniser: Recogniser,
    /// Whether the user declared it.
    #[serde(skip)]
    own: bool,
    /// The user's template for new records.
    #[serde(skip)]
    template_note: Option<String>,
    #[serde(skip)]
    undeclared: Undeclared,
}

/// Replaces a property: the field is the name of the note.
const FILE_NAME: &str = "$file";

/// One field of a record.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The kind of its values.
    pub kind: FieldKind,
    /// Whether a record without it is invalid.
    #[serde(default)]
    pub required: bool,
    /// Written into a new note if no value is given.
    #[serde(default)]
    pub default: Option<Value>,
    /// The initial value in the form of a new record, which the user may change.
    #[serde(default)]
    pub starts: Option<Start>,
    /// For `choice`: the allowed values.
    #[serde(default)]
    pub choices: Vec<String>,
    /// For `choice`: a key of the skill's configuration that, if set, replaces the values: texts, or objects
    /// with a `name`.
    #[serde(default)]
    pub choices_from: Option<String>,
    /// For `currency`: codes allowed in addition to ISO 4217, such as BTC.
    #[serde(default)]
    pub codes: Vec<String>,
    /// For `list`: the kind of its items; text by default.
    #[serde(default)]
    pub items: Option<ItemKind>,
    /// For `decimal` and `integer`: the minimum.
    #[serde(default)]
    pub min: Option<Decimal>,
    /// For `decimal` and `integer`: the maximum.
    #[serde(default)]
    pub max: Option<Decimal>,
    /// For `text`, `link`, `currency` and `list`: fields of this skill's records whose values are offered, such as
    /// `expense.category`. Another value is a new one.
    #[serde(default)]
    pub values_from: Vec<String>,
    /// Its label; derived from the field's name by default.
    #[serde(default, alias = "label")]
    pub title: Option<String>,
    /// A short hint below the field in a form.
    #[serde(default)]
    pub help: Option<String>,
    /// One sentence for the model.
    #[serde(default)]
    pub description: Option<String>,
    /// Commonly used in vaults before the skill existed: the user's own declaration under its name, of any
    /// kind, replaces it.
    #[serde(default)]
    pub may_be_own: bool,
    #[serde(skip)]
    property: String,
    /// Keyed by the folded value in the vault: its spelling, and the skill's value; `None` for no value.
    #[serde(skip)]
    values: IndexMap<String, (String, Option<String>)>,
    /// Whether the user added it.
    #[serde(skip)]
    own: bool,
}

/// The kind of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// Any text; a number or a link is converted.
    Text,
    /// The name of another note, with or without `[[` and `]]`; written as `"[[Name]]"`, with the file's
    /// name.
    Link,
    /// `YYYY-MM-DD`
    Date,
    /// A plain decimal: digits, at most one point, at most one leading minus.
    Decimal,
    /// A whole number.
    Integer,
    /// `true` or `false`
    Bool,
    /// One of the declared choices; case is ignored.
    Choice,
    /// A currency code, such as EUR; case is ignored.
    Currency,
    /// A list of texts or links.
    List,
}

/// The initial value of a field in the form of a new record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// For `date`: today.
    Today,
    /// For `currency` and `text`: the skill's configured `currency`, otherwise the most common one in its
    /// records.
    Currency,
}

/// The kind of a list's items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    #[default]
    Text,
    Link,
}

/// The record types of one skill.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(try_from = "IndexMap<String, RecordType>")]
pub struct RecordTypes {
    types: IndexMap<String, RecordType>,
    undeclared: Undeclared,
}

impl RecordTypes {
    /// Returns the record type of that declared name.
    ///
    /// # Errors
    /// [`ToolError::NotDeclared`] if the manifest has no such record type.
    pub fn get(&self, name: &str) -> Result<&RecordType, ToolError> {
        self.types.get(name).ok_or_else(|| {
            self.undeclared.note(format!("the record type {name}"));
            ToolError::NotDeclared {
                what: format!("The record type \"{name}\" is not declared."),
                remedy: "Add it under records: in manifest.yaml.".into(),
            }
        })
    }

    /// In the order of the manifest.
    pub fn iter(&self) -> impl Iterator<Item = &RecordType> {
        self.types.values()
    }

    /// The first type that the note is a record of.
    pub fn of_note(&self, note: &Note) -> Option<&RecordType> {
        // Fast path: most notes spell a type as their skill does, which needs no folding.
        let is_of = |record: &&RecordType| {
            let mut said = note.document.record_types();
            record.except.is_empty() && said.any(|said| record.type_values.iter().any(|own| own == said))
        };
        let by_type = self.iter().find(is_of);
        by_type.or_else(|| self.iter().find(|record| record.recognises(note)))
    }

    /// Recognises records of all types.
    pub fn recogniser(&self) -> Recogniser {
        Recogniser::any_of(self.iter().map(RecordType::recogniser))
    }

    /// Recognises records of these types.
    ///
    /// # Errors
    /// As [`RecordTypes::get`].
    pub fn recogniser_of(&self, names: &[&str]) -> Result<Recogniser, ToolError> {
        let types = names.iter().map(|name| self.get(name)).collect::<Result<Vec<_>, _>>()?;
        Ok(Recogniser::any_of(types.into_iter().map(RecordType::recogniser)))
    }

    /// Recognises records of the type with that name, in any case; `None` if there is no such type.
    pub fn recogniser_named(&self, name: &str) -> Option<&Recogniser> {
        let wanted = folded(name);
        self.iter().find(|record| folded(&record.name) == wanted).map(RecordType::recogniser)
    }

    /// Resolves `type.field` to the record type and the key of the field.
    pub fn field_named<'a>(&self, name: &'a str) -> Option<(&RecordType, &'a str)> {
        let (record, key) = name.split_once('.')?;
        let record = self.types.get(record)?;
        record.fields.contains_key(key).then_some((record, key))
    }

    /// Undeclared record types and fields that code has accessed since the manifest was read. For tests of a
    /// skill, since the error may have been discarded; the testkit checks this after each call.
    pub fn undeclared(&self) -> Vec<String> {
        self.undeclared.all()
    }
}

impl RecordType {
    /// The declared name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The values of `type:` that its rules accept, if any; new notes get the first.
    pub fn type_values(&self) -> &[String] {
        &self.type_values
    }

    /// Whether the user declared it instead of the manifest.
    pub fn is_own(&self) -> bool {
        self.own
    }

    /// Its display name: "Contact".
    pub fn label(&self) -> String {
        in_words(&self.name)
    }

    /// Reads a note as a record of this type.
    pub fn read<'a>(&'a self, note: &'a Note) -> Record<'a> {
        Record::new(self, note)
    }

    /// A declared field.
    fn field(&self, key: &str) -> Result<&Field, ToolError> {
        // Linear search: for a handful of fields it is faster than hashing.
        let field = self.fields.iter().find(|(name, _)| *name == key);
        field.map(|(_, field)| field).ok_or_else(|| {
            self.undeclared.note(format!("the field {key} of {}", self.name));
            ToolError::NotDeclared {
                what: format!("The field \"{key}\" is not declared."),
                remedy: "Add it to the record type in manifest.yaml.".into(),
            }
        })
    }

    /// A declared field of one of these kinds.
    fn field_of(&self, key: &str, kinds: &[FieldKind]) -> Result<&Field, ToolError> {
        let field = self.field(key)?;
        if kinds.contains(&field.kind) {
            return Ok(field);
        }
        let kind = field.kind.noun();
        self.undeclared.note(format!("the field {key} of {} as something else than {kind}", self.name));
        Err(ToolError::NotDeclared {
            what: format!("The field \"{key}\" is declared as {kind} and is asked for as something else."),
            remedy: "Change its kind in manifest.yaml, or ask for that kind.".into(),
        })
    }
}

impl Field {
    /// Its name in the vault.
    pub fn property(&self) -> &str {
        &self.property
    }

    /// Its label: `close_date` is "Close date" unless the manifest says otherwise.
    pub fn label(&self, key: &str) -> String {
        if let Some(title) = &self.title {
            return title.clone();
        }
        in_words(key)
    }

    /// What a record without it lacks: "a date", or the choices.
    pub fn needs(&self) -> String {
        match self.choices.as_slice() {
            [] => self.kind.noun().to_owned(),
            choices => format!("one of {}", choices.join(", ")),
        }
    }

    /// Whether a property's value is of the declared kind and within its limits. Empty values and the plain
    /// text of a link are valid.
    pub fn fits(&self, value: &PropertyValue) -> bool {
        is_empty(value)
            || match self.kind {
                FieldKind::Link => value.as_text().is_some(),
                _ => self.fault(value).is_none(),
            }
    }

    fn items(&self) -> ItemKind {
        self.items.unwrap_or_default()
    }
}

impl FieldKind {
    /// With an article.
    fn noun(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Link => "a link",
            Self::Date => "a date",
            Self::Decimal => "a decimal",
            Self::Integer => "a whole number",
            Self::Bool => "true or false",
            Self::Choice => "a choice",
            Self::Currency => "a currency",
            Self::List => "a list",
        }
    }
}

/// `close_date` as "Close date".
fn in_words(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Undeclared names that were accessed, shared by all clones of the parsed types. Not part of a type's
/// identity, so it is ignored in comparisons.
#[derive(Debug, Clone, Default)]
struct Undeclared(Arc<Mutex<BTreeSet<String>>>);

impl Undeclared {
    fn note(&self, what: String) {
        const ENOUGH: usize = 32;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < ENOUGH && all.insert(what.clone()) {
            tracing::error!(what, "a skill uses something its manifest does not declare");
        }
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

impl PartialEq for Undeclared {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A name with its article: "a trip", "an expense".
fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {name}")
}
