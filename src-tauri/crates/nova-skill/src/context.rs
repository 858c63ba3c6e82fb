//! What a tool may use while it runs. Each part is a trait, bound to the call by `nova-calls`, with test
//! doubles in `nova-testkit`.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use nova_vault::note::{PropertyEdit, VaultPath};
use nova_vault::{
    Attached, BaseAnswer, Links, MentionAnswer, MentionQuery, Moved, NewNote, Note, ObsidianSettings,
    Problem, Query, QueryAnswer, RecordsRead, Search, SearchAnswer, TagCount, TaskAnswer, TaskQuery, Trash,
};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::{
    Delegate, Progress, RecordTypes, SrvName, SrvRecords, ToolCalls, ToolError, ToolFiles, ToolProcess,
    ToolUser,
};

/// The path of a note in the vault.
pub type NotePath = VaultPath;

/// Everything that a running tool can reach: no environment, no home folder, no global clock.
pub trait ToolContext: Send + Sync {
    /// The vault, bound to this call's change set and to what the principal may see.
    fn vault(&self) -> &dyn ToolVault;
    /// Folders outside of the vault.
    fn files(&self) -> &dyn ToolFiles {
        &()
    }
    /// The web, bound to the skill's declared hosts.
    fn http(&self) -> &dyn ToolHttp;
    fn credentials(&self) -> &dyn Credentials;
    fn clock(&self) -> &dyn Clock;
    /// A file from anywhere that the user chose or dropped in the window, by its name in the arguments. Only
    /// calls made by the user directly have any.
    fn given_file(&self, _name: &str) -> Option<Arc<GivenFile>> {
        None
    }
    /// A small store for the skill's own data; never the source of truth.
    fn store(&self) -> &dyn ToolStore;
    /// A cache of fetched data, shared by all compiled skills.
    fn cache(&self) -> &dyn ToolCache {
        &()
    }
    /// Sandboxed child processes, for native tools that declare them ([`crate::ToolSpec::runs_commands`]).
    fn process(&self) -> &dyn ToolProcess;
    /// Delegates tasks to sub-agents.
    fn delegate(&self) -> &dyn Delegate;
    /// The other tools of the chat.
    fn tools(&self) -> &dyn ToolCalls {
        &()
    }
    /// Forwards another program's questions to the user during this call.
    fn user(&self) -> &dyn ToolUser {
        &()
    }
    fn request(&self) -> &RequestInfo;
    /// The record types of this skill.
    fn records(&self) -> &RecordTypes;
    /// The skill's configuration: its defaults with the user's changes.
    fn config(&self) -> &Value;
    /// The [`Preview::digest`](crate::Preview) that the user was shown, if the tool previews calls and this
    /// one was asked about.
    fn shown(&self) -> Option<&str> {
        None
    }
    /// Cancelled when the user stops the call; long computations must check it.
    fn cancel(&self) -> &CancellationToken;
    fn progress(&self, progress: Progress);
    fn log(&self, level: LogLevel, message: &str);
}

/// Notes. Writes are planned, and reach the disk only after the call was allowed and the tool has returned;
/// reads include planned writes.
#[async_trait]
pub trait ToolVault: Send + Sync {
    async fn read(&self, path: &VaultPath) -> Result<Note, ToolError>;
    /// Notes with that path, name or alias.
    async fn find(&self, name: &str) -> Result<Vec<VaultPath>, ToolError>;
    /// The sorted paths of all notes.
    async fn paths(&self) -> Result<Vec<VaultPath>, ToolError>;
    /// Notes whose `type:` is that of the record type, in any folder, sorted by path. Excludes templates (in
    /// the [`nova_vault::TemplateFolder`]).
    async fn records(&self, record_type: &str) -> Result<Vec<Note>, ToolError>;
    /// Notes that appear to be of the record type (by their folder or type) but cannot be read as records,
    /// sorted by path.
    async fn unreadable(&self, record_type: &str) -> Result<Vec<Problem>, ToolError>;
    /// Combines [`ToolVault::records`] and [`ToolVault::unreadable`] for several record types, from one scan.
    async fn read_records(&self, record_types: &[&str]) -> Result<RecordsRead, ToolError>;
    /// The vault's name for an absolute path; `None` if it is outside of the vault.
    async fn name_of(&self, place: &str) -> Result<Option<String>, ToolError>;
    /// Whether the folder exists, in any case.
    async fn has_folder(&self, folder: &str) -> Result<bool, ToolError>;
    /// Reads a file of the vault that is not a note, such as a bank's list of transactions: at most 16 MB,
    /// and never in a hidden folder or, for a remote model, a private one.
    async fn read_file(&self, path: &VaultPath) -> Result<Vec<u8>, ToolError>;
    /// A path for a new note: the display name as a file name, with ` 2` on collision.
    async fn free_path(&self, folder: &str, display_name: &str) -> Result<VaultPath, ToolError>;
    /// Creates a note; fails if it exists.
    async fn create(&self, path: &VaultPath, text: String) -> Result<(), ToolError>;
    /// Adds a file that is not a note to this folder, for the note that will show it; a number is appended to
    /// the name on collision.
    async fn attach(
        &self,
        folder: &str,
        name: &str,
        text: String,
        note: Option<&VaultPath>,
    ) -> Result<Attached, ToolError>;
    /// As [`ToolVault::attach`], for bytes of any kind, at most [`nova_vault::MAX_FILE_BYTES`]. They cannot
    /// be read until they are written.
    async fn attach_file(&self, folder: &str, name: &str, bytes: Vec<u8>) -> Result<Attached, ToolError>;
    /// Creates many notes, each under a free name in its folder; returns their paths in the same order.
    async fn create_all(&self, notes: Vec<NewNote>) -> Result<Vec<VaultPath>, ToolError>;
    async fn set_properties(&self, path: &VaultPath, edits: &[PropertyEdit]) -> Result<(), ToolError>;
    /// Replaces exact text, `count` times (once by default).
    async fn replace(
        &self,
        path: &VaultPath,
        old: &str,
        new: &str,
        count: Option<usize>,
    ) -> Result<(), ToolError>;
    /// Replaces a line, which must be equal to `old`. The line number is 1-based; lines exclude their line
    /// break.
    async fn replace_line(
        &self,
        path: &VaultPath,
        line: u32,
        old: &str,
        new: &[String],
    ) -> Result<(), ToolError>;
    /// Appends text to the note, or to the section under a heading.
    async fn append(&self, path: &VaultPath, text: &str, heading: Option<&str>) -> Result<(), ToolError>;
    /// Returns the trash that will contain the note.
    async fn delete(&self, path: &VaultPath) -> Result<Trash, ToolError>;
    /// Moves a note and updates the links to it.
    async fn move_note(&self, from: &VaultPath, to: &VaultPath) -> Result<Moved, ToolError>;
    /// Searches the notes on disk, without planned writes.
    async fn search(&self, search: &Search) -> Result<SearchAnswer, ToolError>;
    /// Queries notes on disk by their properties. A type that a skill declares also matches the types that
    /// the user's configuration maps to it.
    async fn query(&self, query: &Query) -> Result<QueryAnswer, ToolError>;
    /// Tasks of the notes on disk.
    async fn tasks(&self, query: &TaskQuery) -> Result<TaskAnswer, ToolError>;
    /// The result of a view of a base: the view of that name, or the first.
    async fn query_base(&self, path: &VaultPath, view: Option<&str>) -> Result<BaseAnswer, ToolError>;
    /// Resolves a link to a file on disk.
    async fn resolve(&self, link: &str) -> Result<Option<VaultPath>, ToolError>;
    /// The links of a note on disk, and its backlinks.
    async fn links(&self, path: &VaultPath) -> Result<Links, ToolError>;
    /// Mentions in notes on disk that could be links.
    async fn mentions(&self, query: &MentionQuery) -> Result<MentionAnswer, ToolError>;
    /// All tags of the notes on disk.
    async fn tags(&self) -> Result<Vec<TagCount>, ToolError>;
    /// The user's Obsidian settings for this vault.
    async fn obsidian(&self) -> Result<ObsidianSettings, ToolError>;
}

/// A file that the user chose or dropped, as it was at that time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenFile {
    /// Without the folder.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Files that the user chose or dropped since the start of the program.
pub trait GivenFiles: Send + Sync {
    fn get(&self, name: &str) -> Option<Arc<GivenFile>>;
}

/// No files, for calls that the user did not make directly.
impl GivenFiles for () {
    fn get(&self, _: &str) -> Option<Arc<GivenFile>> {
        None
    }
}

/// HTTP to the hosts that the skill declares.
#[async_trait]
pub trait ToolHttp: Send + Sync {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, ToolError>;

    /// Sends to a server whose address is in the user's configuration of the skill: it may be on this
    /// machine, and redirects are not followed. Any other address is refused.
    async fn send_to_configured(&self, request: HttpRequest) -> Result<HttpResponse, ToolError> {
        self.send(request).await
    }

    /// Opens an encrypted connection, for another protocol, to a server that the user's configuration of the
    /// skill names: `host:port`, or `host` if the port is `usual`. Its certificate must match that name.
    /// Read-only tools need no approval.
    async fn connect_to_configured(
        &self,
        host: &str,
        port: u16,
        _usual: u16,
    ) -> Result<Box<dyn Connection>, ToolError> {
        Err(ToolError::NotDeclared {
            what: format!("{host}:{port} was not contacted: this call reaches the web alone."),
            remedy: "Run the tool where its skill is.".into(),
        })
    }

    /// As [`ToolHttp::connect_to_configured`], for protocols that negotiate encryption in plain text
    /// (STARTTLS). Only `before` communicates unencrypted.
    async fn connect_to_configured_after(
        &self,
        host: &str,
        port: u16,
        usual: u16,
        _before: &dyn BeforeTls,
    ) -> Result<Box<dyn Connection>, ToolError> {
        self.connect_to_configured(host, port, usual).await
    }

    /// Looks up in DNS what a domain publishes about a service; empty if it publishes nothing. A tool may ask
    /// only about a domain that its card shows.
    async fn srv_records(&self, _name: SrvName, domain: &str) -> Result<SrvRecords, ToolError> {
        Err(ToolError::NotDeclared {
            what: format!("The services of {domain} were not looked up: this call reaches the web alone."),
            remedy: "Run the tool where its skill is.".into(),
        })
    }
}

/// The exchange before a connection is encrypted. It must not read bytes of the encrypted part.
#[async_trait]
pub trait BeforeTls: Send + Sync {
    /// # Errors
    /// If the server does not agree to encrypt; nothing else is sent to it.
    async fn agree(&self, plain: &mut dyn Connection) -> std::io::Result<()>;
}

/// No exchange: the connection is encrypted from its first byte.
#[async_trait]
impl BeforeTls for () {
    async fn agree(&self, _: &mut dyn Connection) -> std::io::Result<()> {
        Ok(())
    }
}

/// An encrypted connection to a server whose certificate was verified.
pub trait Connection: AsyncRead + AsyncWrite + Debug + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Debug + Send + Unpin> Connection for S {}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    pub method: String,
    pub url: url::Url,
    pub headers: BTreeMap<String, String>,
    pub body: Option<Vec<u8>>,
    /// Total time limit; defaults to the context's own limit.
    pub timeout: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// The URL of the response, after redirects.
    pub url: url::Url,
    /// RFC 3339.
    pub at: String,
}

/// Secrets by name, `service/key`, each only with the user's grant for this skill.
#[async_trait]
pub trait Credentials: Send + Sync {
    async fn get(&self, name: &str) -> Result<Secret, ToolError>;
    async fn has(&self, name: &str) -> bool;
    /// Another token of a sign-in, because a server refused this one although its time is not over. A secret that was
    /// typed stays the same.
    async fn renewed(&self, name: &str, refused: &Secret) -> Result<Secret, ToolError>;
}

/// A secret text: formats as `[REDACTED]`, is not serialisable, and is zeroed on drop.
pub type Secret = secrecy::SecretString;

pub trait Clock: Send + Sync {
    fn now(&self) -> jiff::Timestamp;
    /// The user's time zone.
    fn zone(&self) -> jiff::tz::TimeZone;

    /// Today in the user's time zone.
    fn today(&self) -> jiff::civil::Date {
        self.now().to_zoned(self.zone()).date()
    }
}

/// Values by key: lower-case letters, digits and hyphens.
#[async_trait]
pub trait ToolStore: Send + Sync {
    async fn get(&self, key: &str) -> Result<Option<Value>, ToolError>;
    async fn set(&self, key: &str, value: Value) -> Result<(), ToolError>;
    /// Sets the value if it still equals `before`, atomically across processes; returns whether it did.
    /// Callers that add to a value retry.
    async fn replace(&self, key: &str, before: Option<&Value>, value: Value) -> Result<bool, ToolError>;
    async fn remove(&self, key: &str) -> Result<(), ToolError>;
}

/// Bytes by key, with the keys of [`ToolStore`]. Never the source of truth: entries may be deleted any time.
#[async_trait]
pub trait ToolCache: Send + Sync {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, ToolError>;
    async fn set(&self, key: &str, bytes: Vec<u8>) -> Result<(), ToolError>;
    /// Removing a missing entry is no error.
    async fn remove(&self, key: &str) -> Result<(), ToolError>;
}

/// Stores nothing.
#[async_trait]
impl ToolCache for () {
    async fn get(&self, _: &str) -> Result<Option<Vec<u8>>, ToolError> {
        Ok(None)
    }

    async fn set(&self, _: &str, _: Vec<u8>) -> Result<(), ToolError> {
        Ok(())
    }

    async fn remove(&self, _: &str) -> Result<(), ToolError> {
        Ok(())
    }
}

/// Provides a store per skill, and the shared cache.
pub trait StoreSource: Send + Sync {
    fn of(&self, skill: &str) -> Box<dyn ToolStore>;
    fn cache(&self) -> Box<dyn ToolCache>;
}

/// The call and turn in which the tool runs, and its principal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestInfo {
    pub call: String,
    /// The id of the session or of the form run.
    pub session: String,
    pub turn: Option<String>,
    pub principal: Principal,
}

/// The principal on whose behalf a call runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    pub kind: PrincipalKind,
    pub name: String,
    pub relationship: Relationship,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrincipalKind {
    User,
    Subagent,
    McpClient,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relationship {
    Owner,
    Delegate,
    Known,
    Unknown,
}

impl Principal {
    /// The user of this machine.
    pub fn owner() -> Self {
        Self { kind: PrincipalKind::User, name: "you".into(), relationship: Relationship::Owner }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    Debug,
    Info,
    Warn,
    Error,
}
