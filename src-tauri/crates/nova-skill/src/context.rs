//! What a tool may ask for while it runs. Each part is a trait: the real one is bound to the call
//! by `nova-calls`, a double stands in `nova-testkit`.

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

use crate::{Delegate, Progress, RecordTypes, ToolCalls, ToolError, ToolFiles, ToolProcess, ToolUser};

/// A note's place in the vault.
pub type NotePath = VaultPath;

/// Everything a running tool has. Nothing else is reachable: no environment, no home folder, no
/// global clock.
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
    /// A file from anywhere that the user chose or dropped in the window, by the name that the arguments call it.
    /// Only a call of the user's own hand has any.
    fn given_file(&self, _name: &str) -> Option<Arc<GivenFile>> {
        None
    }
    /// A small store of the skill's own; never the truth about anything.
    fn store(&self) -> &dyn ToolStore;
    /// What was fetched and can be fetched again, shared by the skills compiled into Nova.
    fn cache(&self) -> &dyn ToolCache {
        &()
    }
    /// Guarded child processes, for native tools that request them ([`crate::ToolSpec::runs_commands`]).
    fn process(&self) -> &dyn ToolProcess;
    /// Gives tasks to sub-agents.
    fn delegate(&self) -> &dyn Delegate;
    /// The other tools of the chat.
    fn tools(&self) -> &dyn ToolCalls {
        &()
    }
    /// Answers what another program asks in the middle of this call.
    fn user(&self) -> &dyn ToolUser {
        &()
    }
    fn request(&self) -> &RequestInfo;
    /// The record types of this skill.
    fn records(&self) -> &RecordTypes;
    /// The skill's configuration: its defaults with the user's changes.
    fn config(&self) -> &Value;
    /// [`Preview::digest`](crate::Preview) of what the user was shown of this call, where the tool previews and its call was asked about.
    fn shown(&self) -> Option<&str> {
        None
    }
    /// Set when the user stops the call; long work looks at it.
    fn cancel(&self) -> &CancellationToken;
    fn progress(&self, progress: Progress);
    fn log(&self, level: LogLevel, message: &str);
}

/// Notes. Writes are planned here and reach the disk only when the call was allowed and the tool
/// has returned; reads see the planned writes.
#[async_trait]
pub trait ToolVault: Send + Sync {
    async fn read(&self, path: &VaultPath) -> Result<Note, ToolError>;
    /// Notes with that path, name or alias.
    async fn find(&self, name: &str) -> Result<Vec<VaultPath>, ToolError>;
    /// The paths of all notes, in their order.
    async fn paths(&self) -> Result<Vec<VaultPath>, ToolError>;
    /// Notes whose `type:` is that of the record type, wherever they lie, by path. Templates
    /// (in the [`nova_vault::TemplateFolder`]) are not among them.
    async fn records(&self, record_type: &str) -> Result<Vec<Note>, ToolError>;
    /// Notes that seem to be of the record type (they lie in its folder, or name the type) and
    /// cannot be read as records, by path.
    async fn unreadable(&self, record_type: &str) -> Result<Vec<Problem>, ToolError>;
    /// Both of the above for several record types, from one look at the disk: a question about
    /// everything asks once.
    async fn read_records(&self, record_types: &[&str]) -> Result<RecordsRead, ToolError>;
    /// What lies at an absolute place of the disk, as the vault names it; `None` outside of the vault.
    async fn name_of(&self, place: &str) -> Result<Option<String>, ToolError>;
    /// Whether a folder of that path is there, in whatever case.
    async fn has_folder(&self, folder: &str) -> Result<bool, ToolError>;
    /// The bytes of a file of the vault that is no note, such as a bank's list of transactions: at
    /// most 16 MB, never one in a hidden or, for a model elsewhere, private folder.
    async fn read_file(&self, path: &VaultPath) -> Result<Vec<u8>, ToolError>;
    /// A path for a new note: the display name made a file name, with ` 2` on collision.
    async fn free_path(&self, folder: &str, display_name: &str) -> Result<VaultPath, ToolError>;
    /// Refuses where a note is.
    async fn create(&self, path: &VaultPath, text: String) -> Result<(), ToolError>;
    /// A file that is no note, in this folder, under its name or that with a number; for the note that is to
    /// show it.
    async fn attach(
        &self,
        folder: &str,
        name: &str,
        text: String,
        note: Option<&VaultPath>,
    ) -> Result<Attached, ToolError>;
    /// As [`ToolVault::attach`] for bytes of any kind, at most [`nova_vault::MAX_FILE_BYTES`] of them. They cannot
    /// be read before they are written.
    async fn attach_file(&self, folder: &str, name: &str, bytes: Vec<u8>) -> Result<Attached, ToolError>;
    /// Many at once, each under a free name of its folder; gives their paths in the same order.
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
    /// Puts other lines in the place of one, which must say `old`: its number is 1-based, no line has its line break.
    async fn replace_line(
        &self,
        path: &VaultPath,
        line: u32,
        old: &str,
        new: &[String],
    ) -> Result<(), ToolError>;
    /// Adds text at the end, or at the end of the section under a heading.
    async fn append(&self, path: &VaultPath, text: &str, heading: Option<&str>) -> Result<(), ToolError>;
    /// Says in which trash the note will be.
    async fn delete(&self, path: &VaultPath) -> Result<Trash, ToolError>;
    /// Moves a note and rewrites the links to it.
    async fn move_note(&self, from: &VaultPath, to: &VaultPath) -> Result<Moved, ToolError>;
    /// Looks into the notes on the disk; planned writes are not seen.
    async fn search(&self, search: &Search) -> Result<SearchAnswer, ToolError>;
    /// Notes by their properties, as they are on the disk. A type that a skill declares stands for those
    /// that the user's configuration gives it, too.
    async fn query(&self, query: &Query) -> Result<QueryAnswer, ToolError>;
    /// Tasks of the notes, as they are on the disk.
    async fn tasks(&self, query: &TaskQuery) -> Result<TaskAnswer, ToolError>;
    /// What a view of a base shows: the view of that name, or the first.
    async fn query_base(&self, path: &VaultPath, view: Option<&str>) -> Result<BaseAnswer, ToolError>;
    /// The file on the disk that a link means.
    async fn resolve(&self, link: &str) -> Result<Option<VaultPath>, ToolError>;
    /// What a note on the disk links to, and what links to it.
    async fn links(&self, path: &VaultPath) -> Result<Links, ToolError>;
    /// Mentions in the notes on the disk that could be links.
    async fn mentions(&self, query: &MentionQuery) -> Result<MentionAnswer, ToolError>;
    /// All tags of the notes on the disk.
    async fn tags(&self) -> Result<Vec<TagCount>, ToolError>;
    /// What the user set in Obsidian for this vault.
    async fn obsidian(&self) -> Result<ObsidianSettings, ToolError>;
}

/// A file that the user chose or dropped, as it was at that moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenFile {
    /// Without its folder.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The files that the user chose or dropped since the start.
pub trait GivenFiles: Send + Sync {
    fn get(&self, name: &str) -> Option<Arc<GivenFile>>;
}

/// None, for every call that is not the user's own.
impl GivenFiles for () {
    fn get(&self, _: &str) -> Option<Arc<GivenFile>> {
        None
    }
}

/// HTTP to the hosts that the skill declares.
#[async_trait]
pub trait ToolHttp: Send + Sync {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, ToolError>;

    /// To a server whose address the user wrote into the skill's configuration: it may run on this machine, and no
    /// redirect is followed. Any other address is refused.
    async fn send_to_configured(&self, request: HttpRequest) -> Result<HttpResponse, ToolError> {
        self.send(request).await
    }

    /// An encrypted connection, for another protocol, to a server whose name the user wrote into the skill's
    /// configuration: `host:port`, or `host` where the port is `usual`. Its certificate fits that name. For a tool that
    /// reads, nobody is asked.
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

    /// The same where the protocol agrees in plain text to encrypt the connection (STARTTLS). `before` is all that is
    /// said unencrypted.
    async fn connect_to_configured_after(
        &self,
        host: &str,
        port: u16,
        usual: u16,
        _before: &dyn BeforeTls,
    ) -> Result<Box<dyn Connection>, ToolError> {
        self.connect_to_configured(host, port, usual).await
    }
}

/// What a protocol says before its connection is encrypted. It reads no byte that belongs to the encrypted part.
#[async_trait]
pub trait BeforeTls: Send + Sync {
    /// # Errors
    /// When the server does not agree: nothing else is said to it.
    async fn agree(&self, plain: &mut dyn Connection) -> std::io::Result<()>;
}

/// Nothing: the connection is encrypted from its first byte.
#[async_trait]
impl BeforeTls for () {
    async fn agree(&self, _: &mut dyn Connection) -> std::io::Result<()> {
        Ok(())
    }
}

/// An encrypted connection to a server whose certificate was checked.
pub trait Connection: AsyncRead + AsyncWrite + Debug + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Debug + Send + Unpin> Connection for S {}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    pub method: String,
    pub url: url::Url,
    pub headers: BTreeMap<String, String>,
    pub body: Option<Vec<u8>>,
    /// At most this long in all; the context's own limit where none is given.
    pub timeout: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// Where the answer came from after redirects.
    pub url: url::Url,
    /// RFC 3339.
    pub at: String,
}

/// Secrets by name, `service/key`, each only with the user's grant for this skill.
#[async_trait]
pub trait Credentials: Send + Sync {
    async fn get(&self, name: &str) -> Result<Secret, ToolError>;
    async fn has(&self, name: &str) -> bool;
}

/// A secret text: prints as `[REDACTED]`, does not serialise, is wiped when dropped.
pub type Secret = secrecy::SecretString;

pub trait Clock: Send + Sync {
    fn now(&self) -> jiff::Timestamp;
    /// The user's zone.
    fn zone(&self) -> jiff::tz::TimeZone;

    /// Today in the user's zone.
    fn today(&self) -> jiff::civil::Date {
        self.now().to_zoned(self.zone()).date()
    }
}

/// Values by key: lower-case letters, digits and hyphens.
#[async_trait]
pub trait ToolStore: Send + Sync {
    async fn get(&self, key: &str) -> Result<Option<Value>, ToolError>;
    async fn set(&self, key: &str, value: Value) -> Result<(), ToolError>;
    /// Sets the value where it is still `before`, among all Novas; whether it did. Who adds to a value reads
    /// it again where it did not.
    async fn replace(&self, key: &str, before: Option<&Value>, value: Value) -> Result<bool, ToolError>;
    async fn remove(&self, key: &str) -> Result<(), ToolError>;
}

/// Bytes by key, as of [`ToolStore`]: never the truth about anything, and gone whenever somebody deletes them.
#[async_trait]
pub trait ToolCache: Send + Sync {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, ToolError>;
    async fn set(&self, key: &str, bytes: Vec<u8>) -> Result<(), ToolError>;
}

/// Keeps nothing.
#[async_trait]
impl ToolCache for () {
    async fn get(&self, _: &str) -> Result<Option<Vec<u8>>, ToolError> {
        Ok(None)
    }

    async fn set(&self, _: &str, _: Vec<u8>) -> Result<(), ToolError> {
        Ok(())
    }
}

/// Where the stores of the skills are: one for each, and the cache of all.
pub trait StoreSource: Send + Sync {
    fn of(&self, skill: &str) -> Box<dyn ToolStore>;
    fn cache(&self) -> Box<dyn ToolCache>;
}

/// In which call of which turn the tool runs, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestInfo {
    pub call: String,
    /// The session, or the form run.
    pub session: String,
    pub turn: Option<String>,
    pub principal: Principal,
}

/// On whose behalf a call runs.
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
    /// The person at this machine.
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
