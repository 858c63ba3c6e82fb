//! The interface for skill authors: skills, tools, the context of a running tool, and its output.
//!
//! This crate never runs a tool, never accesses a disk, a network or a clock itself, and knows no session,
//! provider or window: a tool gets everything through [`ToolContext`], whose parts are implemented elsewhere.
//! A skill depends on this crate only.
//!
//! A record type (`record`) is data in `manifest.yaml`, from which follow the text of new notes, edits of
//! existing ones, problems, a schema, a form, an empty template and a `.base` view. With [`RecordRules`], a
//! compiled skill adds rules that a declaration cannot express, such as that no more may be sold than is
//! held; the form of the record applies them before it writes, in the same draft.
//!
//! # Invariants
//!
//! - No global state. Accessing an undeclared field is an error.
//! - A skill depends on this crate and on no other crate of Nova; the types of notes are re-exported from
//!   `nova-vault`, and `nova-figures` as [`figures`]: `.ci/layers`.
//! - Results over many records preserve the order of the notes, although several threads read them.

mod calls;
mod configured;
mod context;
mod credentials;
mod delegate;
mod description;
mod effect;
mod elicitation;
mod error;
mod files;
mod given;
mod mail_text;
mod manifest;
mod output;
mod parallel;
mod preview;
mod process;
mod record;
mod run_configured;
mod srv;
mod tool;

pub use calls::{CallError, ToolCalls};
pub use configured::{CommandInput, ConfiguredCommand};
pub use context::{
    BeforeTls, Clock, Connection, Credentials, GivenFile, GivenFiles, HttpRequest, HttpResponse, LogLevel,
    NotePath, Principal, PrincipalKind, Relationship, RequestInfo, Secret, StoreSource, ToolCache,
    ToolContext, ToolHttp, ToolStore, ToolVault,
};
pub use credentials::{Consumer, CredentialSource, Ground, HeldCredential};
pub use delegate::{Delegate, Task, TaskEnd, TaskLimits};
pub use description::{Description, Fragment};
pub use effect::Effect;
pub use elicitation::{Elicitation, Elicited, ToolUser, Wanted};
pub use error::ToolError;
pub use files::{FolderSource, FoundSoFar, OpenFolder, ToolFiles};
pub use given::{Change, GivenDecimal, date_argument};
pub use mail_text::mail_text;
pub use manifest::{Hints, Lifetime, Loading, Manifest, Mode, NotWhen, Requires, Routing};
pub use output::{
    Figure, FigurePart, Output, OutputImage, OutputPart, OutputStream, Parts, Progress, Source, ToolOutput,
    WebSource,
};
pub use parallel::{par_map, par_map_chunks};
pub use preview::{Detail, Preview};
pub use process::{
    CommandProxy, NetworkLog, NetworkRequest, OpenedNotes, ProcessLimit, ProcessNews, ProcessOutput,
    ProcessRun, ProcessSoFar, SaidSoFar, Sandbox, SandboxFacts, SandboxSource, ToolProcess, UserRun,
};
pub use record::{
    ConfigFault, Field, FieldFault, FieldKind, GivenFields, ItemKind, MatchRule, OwnFields, Record,
    RecordDraft, RecordFilters, RecordRules, RecordType, RecordTypes, RecordUse, Start, Template, ToolFields,
};
pub use srv::{SrvName, SrvRecords};
pub use tool::{CallToken, NativeTool, NoteScope, Skill, Tool, ToolSpec, VaultAccess, native};

// Money, decimals, currencies, dates and names.
pub use nova_figures as figures;

// Vault types in the signatures of skills, so that they need no other crate.
pub use nova_vault::VaultError;
pub use nova_vault::note::{
    ContentHash, FrontMatter, PathError, PropertyEdit, Value as PropertyValue, VaultPath, compose,
    edit_properties, file_name, has_heading, line_of, summarize,
};
pub use nova_vault::{
    ATTACHMENTS, AmbiguousName, Attached, BINARY_ATTACHMENTS, BaseAnswer, BaseColumn, BaseError, BaseGroup,
    BaseRow, Condition, DailyNotes, LinkBack, LinkOut, Links, MAX_FILE_BYTES, MentionAnswer, MentionLine,
    MentionLink, MentionQuery, Moved, NewNote, Note, ObsidianSettings, Problem, Query, QueryAnswer,
    QueryError, QueryRow, Recogniser, RecordsRead, RecurrenceRule, Search, SearchAnswer, SearchMode,
    SettingError, SortKey, TagCount, Task as NoteTask, TaskAnswer, TaskDue, TaskEditError, TaskField,
    TaskForm, TaskKind, TaskQuery, TaskRow, TaskRules, TaskSettings, TaskSort, TemplateFolder,
    TemplateValues, Templates, Trash, Unresolved, complete_task, fill_template, new_task, set_task_field,
    set_task_status, set_task_text, tasks,
};

// Folders outside of the vault.
pub use nova_workspace::{
    Access, Documents, Entry, EntryKind, FileError, FileImage, FileJournal, FileRead, Folder, Folders,
    GlobAnswer, Grep, GrepAnswer, GrepHit, Listing, Page, PathPattern, Range,
};

// Types in the signatures above.
pub use async_trait::async_trait;
pub use jiff::{self, civil::Date};
pub use rust_decimal::Decimal;
pub use schemars::{self, JsonSchema};
pub use serde_json::{self, Value, json};
