//! Record types as data: what a skill declares under `records:` in `manifest.yaml`, as the vault at
//! hand spells it, and everything that follows from it.
//!
//! A *field* has a name that skills and tools use, and a *property* is what the vault calls it; both
//! are the same unless the user's configuration says otherwise ([`RecordTypes::with_config`]). What
//! is shown to a model or a form says field, what is read from or written to a note says property.

mod check;
mod declaration;
mod fault;
mod form;
mod from_template;
mod listed;
mod mapping;
mod matching;
mod own;
mod parameters;
mod plain;
mod read;
mod rules;
mod same;
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
pub use listed::OwnFields;
pub use mapping::ConfigFault;
pub use matching::MatchRule;
pub use parameters::{RecordFilters, RecordUse};
pub use read::Record;
pub use rules::{RecordDraft, RecordRules};

/// A kind of record, as its skill declares it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordType {
    /// Where new notes go; a record counts wherever it lies.
    pub folder: String,
    /// What makes a note a record of this type, any entry being enough. Where nothing is said: `type:` with the
    /// type's name, and notes in `folder` that say no type and whose properties fit.
    #[serde(default, rename = "match")]
    matches: Option<Vec<MatchRule>>,
    /// Notes that are none of these records although they meet `match`, such as those of another type.
    #[serde(default)]
    except: Vec<MatchRule>,
    /// The field whose value names the note. Without one, and where a note leaves it out, the note's
    /// own name does.
    #[serde(default)]
    pub title: Option<String>,
    /// What a new note is called, with fields in braces, such as `{date} {payee}`; where nothing is
    /// said, what its title is.
    #[serde(default)]
    pub file: Option<String>,
    /// The folder below `folder` for a new note, one name with fields in braces; `.year` behind the
    /// name of a date is its year, such as `{date.year}`.
    #[serde(default)]
    pub below: Option<String>,
    /// Fields besides the title whose value no two records share, such as an e-mail address: the form
    /// of a new record says where one has it already.
    #[serde(default)]
    pub unique: Vec<String>,
    /// Other names in vaults that were not made for it: under `type` those of `type:` or of a folder,
    /// under a field those of its property. They are looked for and change nothing by themselves.
    #[serde(default)]
    pub also: IndexMap<String, Vec<String>>,
    /// In the order they stand in a new note.
    pub fields: IndexMap<String, Field>,
    /// The body of a new note.
    #[serde(default)]
    pub body: String,
    #[serde(skip)]
    name: String,
    #[serde(skip)]
    type_values: Vec<String>,
    /// Made of what stands above.
    #[serde(skip)]
    recogniser: Recogniser,
    /// Whether the user declared it.
    #[serde(skip)]
    own: bool,
    /// The user's note that new ones are made from.
    #[serde(skip)]
    template_note: Option<String>,
    #[serde(skip)]
    undeclared: Undeclared,
}

/// In place of a property: the field is the name of the note.
const FILE_NAME: &str = "$file";

/// One field of a record.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// What its values are.
    pub kind: FieldKind,
    /// Whether a record without it is broken.
    #[serde(default)]
    pub required: bool,
    /// Written into a new note where no value is given.
    #[serde(default)]
    pub default: Option<Value>,
    /// What the form of a new record begins with; the user sees it and may change it.
    #[serde(default)]
    pub starts: Option<Start>,
    /// For `choice`: the values it may have.
    #[serde(default)]
    pub choices: Vec<String>,
    /// For `choice`: the key of the skill's configuration that, where it is set, lists the values
    /// instead: texts, or objects with a `name`.
    #[serde(default)]
    pub choices_from: Option<String>,
    /// For `currency`: codes that count besides those of ISO 4217, such as BTC.
    #[serde(default)]
    pub codes: Vec<String>,
    /// For `list`: what its items are; texts where nothing is said.
    #[serde(default)]
    pub items: Option<ItemKind>,
    /// For `decimal` and `integer`: the smallest value.
    #[serde(default)]
    pub min: Option<Decimal>,
    /// For `decimal` and `integer`: the largest value.
    #[serde(default)]
    pub max: Option<Decimal>,
    /// For `text` and `link`: fields of this skill's records whose values are offered, such as
    /// `expense.category`. Another value is a new one.
    #[serde(default)]
    pub values_from: Vec<String>,
    /// Its name for a person; made of the field's name where nothing is said.
    #[serde(default, alias = "label")]
    pub title: Option<String>,
    /// A few words for a person, below the field of a form.
    #[serde(default)]
    pub help: Option<String>,
    /// One sentence for a model.
    #[serde(default)]
    pub description: Option<String>,
    /// Many vaults had it before the skill: what the user declares under its name, of whatever kind, takes its place.
    #[serde(default)]
    pub may_be_own: bool,
    #[serde(skip)]
    property: String,
    /// By what the vault writes, folded: how it writes it, and what that means; `None` for no value.
    #[serde(skip)]
    values: IndexMap<String, (String, Option<String>)>,
    /// Whether the user added it.
    #[serde(skip)]
    own: bool,
}

/// What the values of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// Any text; a number or a link counts as its text.
    Text,
    /// The name of another note, with or without `[[` and `]]`; written as `"[[Name]]"`, the
    /// name as the note's file bears it.
    Link,
    /// `YYYY-MM-DD`
    Date,
    /// A plain decimal: digits, at most one point, at most one leading minus.
    Decimal,
    /// A whole number.
    Integer,
    /// `true` or `false`
    Bool,
    /// One of the declared choices; case does not matter.
    Choice,
    /// The code of a currency, such as EUR; case does not matter.
    Currency,
    /// A list of texts or links.
    List,
}

/// What a field of a new record begins with in a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// For `date`: this day.
    Today,
    /// For `currency` and `text`: the skill's configured `currency`, else the one that most of its records have.
    Currency,
}

/// What the items of a list are.
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
    /// The record type of that declared name.
    ///
    /// # Errors
    /// [`ToolError::NotDeclared`] when the manifest has no such record type.
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
        // Most notes spell a type as their skill does, which needs no folding.
        let said = note.document.record_type();
        let is_of = |record: &&RecordType, said: &str| {
            record.except.is_empty() && record.type_values.iter().any(|own| own == said)
        };
        let by_type = said.and_then(|said| self.iter().find(|record| is_of(record, said)));
        by_type.or_else(|| self.iter().find(|record| record.recognises(note)))
    }

    /// What recognises records of all types.
    pub fn recogniser(&self) -> Recogniser {
        Recogniser::any_of(self.iter().map(RecordType::recogniser))
    }

    /// What recognises the records of these types.
    ///
    /// # Errors
    /// As [`RecordTypes::get`].
    pub fn recogniser_of(&self, names: &[&str]) -> Result<Recogniser, ToolError> {
        let types = names.iter().map(|name| self.get(name)).collect::<Result<Vec<_>, _>>()?;
        Ok(Recogniser::any_of(types.into_iter().map(RecordType::recogniser)))
    }

    /// What recognises the records of that name, whatever its case; none where no type has it.
    pub fn recogniser_named(&self, name: &str) -> Option<&Recogniser> {
        let wanted = folded(name);
        self.iter().find(|record| folded(&record.name) == wanted).map(RecordType::recogniser)
    }

    /// The record type and the key of a field that is named as `type.field`.
    pub fn field_named<'a>(&self, name: &'a str) -> Option<(&RecordType, &'a str)> {
        let (record, key) = name.split_once('.')?;
        let record = self.types.get(record)?;
        record.fields.contains_key(key).then_some((record, key))
    }

    /// The record types and fields that code has asked for and that are not declared, since the
    /// manifest was read. For tests of a skill, because the error may have been
    /// swallowed on its way; the testkit does so after each call.
    pub fn undeclared(&self) -> Vec<String> {
        self.undeclared.all()
    }
}

impl RecordType {
    /// The name it is declared by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The values of `type:` that make a note one of these records, where its rules have any; new notes get
    /// the first.
    pub fn type_values(&self) -> &[String] {
        &self.type_values
    }

    /// Whether the user declared it, in place of the manifest.
    pub fn is_own(&self) -> bool {
        self.own
    }

    /// Its name for a person: "Contact".
    pub fn label(&self) -> String {
        in_words(&self.name)
    }

    /// Reads a note as a record of this type.
    pub fn read<'a>(&'a self, note: &'a Note) -> Record<'a> {
        Record::new(self, note)
    }

    /// A declared field.
    fn field(&self, key: &str) -> Result<&Field, ToolError> {
        // A type has a handful of fields: to compare is quicker than to hash.
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
    /// What the vault calls it.
    pub fn property(&self) -> &str {
        &self.property
    }

    /// Its name for a person: `close_date` is "Close date" where the manifest says nothing else.
    pub fn label(&self, key: &str) -> String {
        if let Some(title) = &self.title {
            return title.clone();
        }
        in_words(key)
    }

    /// What a record without it lacks: "a date", or the choices there are.
    pub fn needs(&self) -> String {
        match self.choices.as_slice() {
            [] => self.kind.noun().to_owned(),
            choices => format!("one of {}", choices.join(", ")),
        }
    }

    /// Whether a property's value is of the declared kind and in its limits. Nothing is, and so is
    /// the plain text of a link.
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
    /// With its article.
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

/// What was asked for and is not declared, shared by all copies of the types that were read
/// together. It says something about code, nothing about the types, so it does not tell them apart.
#[derive(Debug, Clone, Default)]
struct Undeclared(Arc<Mutex<BTreeSet<String>>>);

impl Undeclared {
    fn note(&self, what: String) {
        const ENOUGH: usize = 32;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < ENOUGH && all.insert(what.clone()) {
            tracing::error!("a skill asks for {what}, which its manifest does not declare");
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

/// A name in a sentence: "a trip", "an expense".
fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {name}")
}
