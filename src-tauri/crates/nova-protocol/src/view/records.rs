//! Records in forms, and the vault's names for their types and fields.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::{ProblemView, ToolResult};

/// A kind of record of an available skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RecordTypeRow {
    pub skill: String,
    /// Its name in the manifest.
    pub record_type: String,
    /// For a person: "Contact".
    pub label: String,
    /// Where new notes go.
    pub folder: String,
    /// The field that names the note, if any.
    pub title: Option<String>,
}

/// A record to add, or with a path one to change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RecordFormRef {
    pub skill: String,
    pub record_type: String,
    /// Of the note, or its name; a new record without.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
}

/// The form of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RecordFormView {
    pub skill: String,
    pub record_type: String,
    pub label: String,
    /// Of the note; none for a new record.
    pub path: Option<String>,
    /// The record's name; none for a new one.
    pub name: Option<String>,
    /// JSON Schema of the fields, by their declared names and in their order.
    pub schema: Value,
    /// Hints beside it, as react-jsonschema-form has them: `ui:title`, `ui:widget`, `ui:placeholder`.
    pub ui_schema: Value,
    /// An object: what the fields show. To be handed back when it is saved.
    pub values: Value,
    /// The note's problems, by line.
    pub problems: Vec<ProblemView>,
    /// The note cannot be read as a record: nothing can be saved until that is fixed.
    pub broken: Option<ProblemView>,
    /// Of the note's bytes.
    pub hash: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SaveRecord {
    pub skill: String,
    pub record_type: String,
    /// The note as the form named it; a new one without.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    /// The values that the form was opened with: what differs now was changed by the user, and
    /// nothing else is written.
    #[serde(default)]
    #[ts(optional)]
    pub before: Option<Value>,
    /// All values of the form. Absent, null and empty values are removed from the note.
    pub values: Value,
    /// The user confirmed adding another record beside the existing one, under a free name.
    #[serde(default)]
    #[ts(optional)]
    pub another: Option<bool>,
    /// An id chosen by the caller; the events of the save carry it as `session`.
    pub run: String,
}

/// The result of saving a record. With errors, or if it already exists, nothing was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SavedRecord {
    /// By field, in their order.
    pub errors: Vec<FieldErrorView>,
    /// The existing record that a new one duplicates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub same: Option<SameRecord>,
    /// None if there are errors, or if it already exists.
    pub result: Option<ToolResult>,
}

/// An existing record, or a note that has the name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SameRecord {
    pub path: String,
    /// A sentence about the existing one.
    pub message: String,
    /// It is a record of the same type, which has a form.
    pub is_record: bool,
    /// The name that another note would get.
    pub free_name: String,
}

/// Why a field cannot be saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct FieldErrorView {
    pub field: String,
    /// Sentences: what is wrong, then what to do.
    pub message: String,
    /// The note was changed while the form was open: what it holds now, null for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub theirs: Option<Value>,
}

/// The currency that a new record of a skill begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UsualCurrency {
    /// None if nothing is set and no currency is the most common.
    pub currency: Option<String>,
}

/// Fields of a skill's records, each as `type.field`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FieldsOfRecords {
    pub skill: String,
    pub fields: Vec<String>,
}

/// The values that a field has in the vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ValuesInUse {
    /// `type.field`
    pub field: String,
    /// Declared choices in their order, then values of records, the most common first.
    pub values: Vec<String>,
}

/// Text typed into a field that links to a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SuggestNotes {
    pub text: String,
    /// The skill whose records come first; may be empty.
    pub skill: String,
    /// The field it is typed into: records of that type come before all.
    #[serde(default)]
    #[ts(optional)]
    pub field: Option<String>,
    /// The field names a record of this type, found by its title or its note's name: nothing else is
    /// suggested.
    #[serde(default)]
    #[ts(optional)]
    pub record_type: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NoteSuggestion {
    /// As a link writes it.
    pub name: String,
    pub path: String,
    /// Its `type:`.
    pub record_type: Option<String>,
}

/// How the notes of a vault that was not made for a skill could be its records. A proposal only: in
/// force once `config` is set as the skill's configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct FieldProposal {
    pub skill: String,
    /// Types with a proposal.
    pub types: Vec<TypeProposal>,
    /// The user's whole configuration of the skill with the proposal in it; null if nothing is
    /// proposed.
    pub config: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TypeProposal {
    pub record_type: String,
    /// "12 notes look like contacts (type: person)"
    pub summary: String,
    /// Notes that would become records, or whose properties would be found.
    pub notes: u32,
    /// Values of `type:` that would count from now on.
    pub type_values: Vec<String>,
    /// Paths of a few of the notes.
    pub examples: Vec<String>,
    pub fields: Vec<PropertyProposal>,
    /// Rules other than the type that match the notes, the surest first.
    pub rules: Vec<RuleProposal>,
    /// Similar notes that would not be records.
    pub left_out: Vec<LeftOut>,
    /// Values that no field can hold: the notes would be records, the field stays empty.
    pub not_understood: Vec<NotUnderstood>,
    /// Required fields that some of the notes lack: they would be reported as unreadable.
    pub unreadable: Vec<UnreadableField>,
}

/// A rule that would make notes records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RuleProposal {
    /// "in People/", "#person", "categories contains [[People]]"
    pub rule: String,
    pub notes: u32,
    /// Notes not matched by an earlier rule.
    pub more: u32,
    /// Paths of a few of the notes.
    pub examples: Vec<String>,
    pub confidence: Confidence,
    /// "158 have e-mail"
    pub reason: String,
    /// Whether it is part of the proposed configuration.
    pub used: bool,
}

/// The confidence that notes are records of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// At least 95 % of them have a property that can be read as a field.
    Sure,
    /// Half of them have, or a table of the user's own shows them.
    Likely,
    Unlikely,
}

/// Notes of a rule that is not used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LeftOut {
    /// The rule.
    pub what: String,
    pub notes: u32,
}

/// A property whose value is invalid for its field in some notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NotUnderstood {
    pub field: String,
    pub property: String,
    /// Number of these notes.
    pub notes: u32,
    /// "a date"
    pub needs: String,
    /// Examples of values.
    pub examples: Vec<String>,
}

/// A required field that cannot be read in some of the notes of a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UnreadableField {
    pub field: String,
    /// For a person.
    pub label: String,
    /// Number of these notes.
    pub notes: u32,
    /// The required form: "a date"
    pub needs: String,
    /// An example of the value instead; none if it is missing.
    pub example: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PropertyProposal {
    pub field: String,
    /// For a person.
    pub label: String,
    /// Its name in the notes.
    pub property: String,
    /// Number of the notes that have it.
    pub notes: u32,
    /// Values of a few notes.
    pub examples: Vec<String>,
    /// "is another name for email", "holds e-mail addresses"
    pub because: String,
}
