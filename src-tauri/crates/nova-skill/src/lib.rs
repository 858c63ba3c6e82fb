//! The contract a skill author sees: what a skill is, what a tool is, what a tool may ask for while
//! it runs, and what it gives back.
//!
//! This crate never runs a tool, never touches a disk, a network or a clock by itself and knows of
//! no session, provider or window: everything a tool needs is handed to it through [`ToolContext`],
//! whose parts are implemented elsewhere. A skill depends on this crate alone.

mod context;
mod description;
mod effect;
mod error;
mod folded;
mod manifest;
mod output;
mod record;
mod tool;

pub use context::{
    Clock, Credentials, Delegate, HttpRequest, HttpResponse, LogLevel, NotePath, Principal, PrincipalKind,
    ProcessOutput, Progress, Relationship, RequestInfo, Secret, ToolContext, ToolHttp, ToolProcess,
    ToolStore, ToolVault,
};
pub use description::{Description, Fragment};
pub use effect::Effect;
pub use error::ToolError;
pub use folded::folded;
pub use manifest::{Hints, Lifetime, Loading, Manifest, Mode, NotWhen, Requires, Routing};
pub use output::{Output, OutputPart, OutputStream, Source, ToolOutput};
pub use record::{Field, FieldKind, Record, RecordType, RecordTypes};
pub use tool::{CallToken, NativeTool, NoteScope, Skill, Tool, ToolSpec, native};

// What skills say about notes, so that they need no other crate.
pub use nova_vault::VaultError;
pub use nova_vault::note::{PropertyEdit, Value as PropertyValue, VaultPath, compose, summarize};
pub use nova_vault::{LinkBack, LinkOut, Links, Moved, TagCount, Unresolved};
pub use nova_vault::{Note, Problem};

// What the signatures above are made of.
pub use async_trait::async_trait;
pub use schemars::{self, JsonSchema};
pub use serde_json::{self, Value, json};
