//! The settings page for how a vault stores a skill's records.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::{Confidence, ProblemView};

/// How the vault would be read with unsaved settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PreviewRecords {
    pub skill: String,
    pub record_type: String,
    /// What `skills.<id>.config.records.<type>` would be. Without it what is in force, or what the notes suggest
    /// where the user has set nothing.
    #[serde(default)]
    #[ts(optional)]
    pub own: Option<Value>,
    /// Rules to count, as entries of `match`, those that are not used included. Without it those in force and
    /// those that the notes suggest.
    #[serde(default)]
    #[ts(optional)]
    pub rules: Option<Vec<Value>>,
    /// Which of the records to read as one note, from 0.
    #[serde(default)]
    #[ts(optional)]
    pub note: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RecordsPreview {
    pub skill: String,
    pub record_type: String,
    /// For a person: "Contact".
    pub label: String,
    /// Whether the user declared the type.
    pub is_own: bool,
    /// All types of the skill, in its order.
    pub types: Vec<TypeTab>,
    /// Notes that were read.
    pub read: u32,
    /// What `records.<type>` would be: as asked for, in force, or suggested.
    pub own: Value,
    /// What it is now; null if the user has set nothing.
    pub in_force: Value,
    /// The user's whole configuration of the skill with `own` in it.
    pub config: Value,
    /// The problems of `own`. The rest is then read with the settings in force.
    pub faults: Vec<RecordsFault>,
    pub rules: Vec<RulePreview>,
    pub fields: Vec<FieldPreview>,
    /// Properties of the records, the most common first.
    pub properties: Vec<PropertyUse>,
    /// Properties that are no field of the skill, with those the user made one.
    pub own_fields: Vec<OwnFieldPreview>,
    /// Records there would be.
    pub taken: u32,
    pub left_out: Vec<NoteGroup>,
    /// Values that no field can hold: the notes are records, the field stays empty.
    pub not_understood: Vec<NoteGroup>,
    /// Notes that are records of another type, too.
    pub shared: Vec<SharedNotes>,
    /// Notes that seem to be records and cannot be read.
    pub broken: Vec<ProblemView>,
    /// Records that no remote model reads.
    pub private: Vec<NoteGroup>,
    pub note: Option<NoteAsRead>,
    pub new_notes: NewNotes,
    /// "By in Notes/, 29 of 30 notes are records of contact", if the rules match nearly every note.
    pub takes_nearly_all: Option<String>,
}

/// A type of the skill with its number of records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TypeTab {
    pub record_type: String,
    pub label: String,
    /// In force, else as the notes suggest.
    pub notes: u32,
}

/// A key of the settings and its problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RecordsFault {
    /// Below `records.<type>`, such as `match[0]`.
    pub key: String,
    /// A sentence.
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RulePreview {
    /// An entry of `match`.
    pub entry: Value,
    /// "in People/", "#person"
    pub words: String,
    pub used: bool,
    pub notes: u32,
    /// Notes not matched by an earlier rule.
    pub more: u32,
    /// Paths of a few of the notes.
    pub examples: Vec<String>,
    pub confidence: Confidence,
    /// "158 have e-mail"
    pub reason: String,
    /// Why it cannot be read; then nothing is counted.
    pub fault: Option<String>,
}

/// A field of the skill and the property it is read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FieldPreview {
    pub field: String,
    pub label: String,
    /// `$file` for the name of the note.
    pub property: String,
    /// Whether the name of the note may be its value.
    pub may_be_file_name: bool,
    /// Another property that would fit better.
    pub suggested: Option<String>,
    /// Records that have a value.
    pub notes: u32,
    pub examples: Vec<String>,
    /// Of these, how many the field cannot hold.
    pub odd: u32,
    /// "a date"
    pub needs: String,
    pub confidence: Confidence,
    /// Allowed values; empty if any of its kind.
    pub choices: Vec<String>,
    /// Values of the vault that are no choice, with those that stand for one.
    pub values: Vec<ValuePreview>,
}

/// A value of the vault and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ValuePreview {
    pub value: String,
    pub notes: u32,
    pub meaning: ValueMeaning,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ValueMeaning {
    /// Nothing was chosen: the value is not understood.
    Open,
    /// As if there were no value.
    Nothing,
    Choice {
        choice: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PropertyUse {
    pub property: String,
    pub notes: u32,
}

/// A property that is no field of the skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OwnFieldPreview {
    pub property: String,
    /// A kind of a field, such as `date`: as set, else as the values are.
    pub kind: String,
    pub used: bool,
    pub notes: u32,
    pub examples: Vec<String>,
    /// Values that are not of the kind.
    pub odd: u32,
    /// What the notes say, the most common first, where these are few enough to be choices.
    pub values: Vec<String>,
}

/// Notes with what they have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NoteGroup {
    /// "`last` is not a date", "with tag #person"
    pub what: String,
    /// The field it is about.
    pub field: Option<String>,
    /// Examples of values.
    pub values: Vec<String>,
    pub notes: u32,
    /// Their paths, 50 at most.
    pub paths: Vec<String>,
}

/// Notes that another type claims, too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SharedNotes {
    /// `what` names the other type: "company", "task of Projects".
    pub group: NoteGroup,
    /// The skill of the other type.
    pub skill: String,
    pub record_type: String,
    /// Entries of `except` that would leave the notes to the other type.
    pub except: Vec<Value>,
}

/// A record with where each of its values comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NoteAsRead {
    /// Among the records, from 0.
    pub at: u32,
    pub path: String,
    pub values: Vec<ValueAsRead>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ValueAsRead {
    pub field: String,
    /// The parsed value; empty if it is not understood.
    pub value: String,
    /// "org, line 4", "file name", "status: active, line 6"
    pub from: String,
    pub understood: bool,
}

/// How new records are created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NewNotes {
    pub folder: String,
    /// What makes them records: "categories: [[People]]".
    pub mark: Option<String>,
    /// Their template note.
    pub template: Option<String>,
}

/// What would make a note a record of its folder's type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RecordMark {
    pub skill: String,
    pub record_type: String,
    /// "type: contact"
    pub mark: String,
}

/// Makes a note a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MarkRecord {
    pub skill: String,
    pub record_type: String,
    pub path: String,
    /// An id chosen by the caller; the events of the change carry it as `session`.
    pub run: String,
}
