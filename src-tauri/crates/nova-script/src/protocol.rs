//! What Nova and the process that runs scripts say to each other, over the latter's standard input
//! and output.
//!
//! A message is a length of four bytes (little endian, at most [`MAX_MESSAGE`]) and that much JSON.
//! The process answers each [`ToChild::Load`] with any number of `At` and one `Loaded` or `Failed`, and each
//! [`ToChild::Call`] with any number of `Ask`, `Log`, `Progress` and `Partial` and then one `Done`
//! or `Failed`. It works on one of them at a time.

use std::io::{self, Read, Write};

use nova_skill::VaultAccess;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// The longest message, in bytes of JSON. A longer one ends the process.
pub const MAX_MESSAGE: u32 = 32 * 1024 * 1024;

/// Why a message could not be sent or understood.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    #[error("a message of {0} bytes is longer than {MAX_MESSAGE} bytes")]
    TooLong(u64),
    #[error("not a message: {0}")]
    Malformed(#[from] serde_json::Error),
    #[error("the other side is gone: {0}")]
    Gone(#[from] io::Error),
}

/// A message with its length before it, as it goes over the pipe.
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, MessageError> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)?;
    let length = (bytes.len() - 4) as u64;
    match u32::try_from(length) {
        Ok(fits) if fits <= MAX_MESSAGE => bytes[..4].copy_from_slice(&fits.to_le_bytes()),
        _ => return Err(MessageError::TooLong(length)),
    }
    Ok(bytes)
}

/// How many bytes of JSON follow the four bytes of a length; nothing is allocated before.
pub fn length(head: [u8; 4]) -> Result<usize, MessageError> {
    match u32::from_le_bytes(head) {
        length if length <= MAX_MESSAGE => Ok(length as usize),
        length => Err(MessageError::TooLong(length.into())),
    }
}

/// The next message; None where the other side has ended between two.
pub fn read<T: DeserializeOwned>(from: &mut impl Read) -> Result<Option<T>, MessageError> {
    let mut head = [0; 4];
    match from.read(&mut head[..1])? {
        0 => return Ok(None),
        _ => from.read_exact(&mut head[1..])?,
    }
    let mut bytes = vec![0; length(head)?];
    from.read_exact(&mut bytes)?;
    Ok(Some(serde_json::from_slice(&bytes)?))
}

/// Sends a message whole.
pub fn write(to: &mut impl Write, message: &impl Serialize) -> Result<(), MessageError> {
    to.write_all(&encode(message)?)?;
    Ok(to.flush()?)
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToChild {
    /// The first message: what the process may use.
    Start { limits: Limits },
    /// Take the types out of a file, run it, and say what it defines. A module that was loaded
    /// under that name before is replaced. Where `more` files may follow, the process prepares for
    /// the next one while it has nothing else to do. A `snippet` is no file: it is the text of a function
    /// that returns its last expression, and a call runs it.
    Load { file: String, source: String, more: bool, snippet: bool },
    /// Call the tool that a loaded file defines.
    Call { file: String, args: Value, request: Request, given: Box<Given> },
    /// The answer to an `Ask`.
    Answer { ask: u64, answer: Result<Answer, Refusal> },
    /// Abort the running call: its `AbortSignal` fires.
    Cancel,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromChild {
    Loaded {
        definition: Box<Definition>,
    },
    /// The tool wants something that only Nova can do.
    Ask {
        ask: u64,
        want: Want,
    },
    /// While a file is loaded: the line of the statement that begins. It outlives the process.
    At {
        line: u32,
    },
    Log {
        level: Level,
        message: String,
    },
    Progress {
        fraction: Option<f64>,
        message: Option<String>,
    },
    /// A value that an async generator yielded.
    Partial {
        value: Value,
    },
    Done {
        value: Value,
    },
    /// Of a load or a call. The process goes on where `fatal` is false.
    Failed {
        fault: Fault,
        fatal: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of JavaScript's heap.
    pub memory: u64,
    /// Milliseconds of processor time for one load or call.
    pub computing_ms: u64,
    /// Bytes of JSON of one result, of all partial results of a call, and of all it logs.
    pub output: u64,
}

/// What a file says of its tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    pub name: String,
    pub description: String,
    /// What it says of itself beside its description.
    #[serde(default)]
    pub fragments: Fragments,
    /// JSON Schema (2020-12) of the arguments.
    pub parameters: Value,
    /// As the file spells it; None where it says nothing.
    pub effect: Option<String>,
    /// `service` or `service/key`.
    pub credentials: Vec<String>,
    /// Those that its source asks for by name, `service/key`: what to set where one is missing.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Hosts that the file declares.
    pub hosts: Vec<String>,
    /// Hosts of the addresses that stand in its source as literals and that it does not declare.
    pub proposed_hosts: Vec<String>,
    /// What it may do with notes.
    #[serde(default)]
    pub vault: Option<VaultAccess>,
}

/// The typed parts of a description, as [`nova_skill::Description`] has them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fragments {
    pub use_when: Vec<String>,
    pub not_when: Vec<NotWhen>,
    pub cite: Vec<String>,
    pub example: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotWhen {
    pub clause: String,
    /// The tool to use then.
    pub instead: String,
}

/// What `ctx` has without asking.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Given {
    /// The skill's configuration.
    pub config: Value,
    /// The moment at which the call began.
    pub clock: Moment,
    /// Which of `ctx.vault` there is.
    pub vault: Option<VaultAccess>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// RFC 3339, in UTC.
    pub now: String,
    /// `YYYY-MM-DD` in the user's zone.
    pub today: String,
    /// Its IANA name, or its offset.
    pub zone: String,
}

/// `ctx.request`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    pub request_id: String,
    pub turn_id: Option<String>,
    pub session_id: String,
    pub principal: Principal,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Principal {
    pub kind: String,
    pub name: String,
    pub relationship: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Want {
    Fetch {
        method: String,
        url: String,
        headers: Vec<(String, String)>,
        /// Base64.
        body: Option<String>,
    },
    Credential {
        service: String,
        key: String,
    },
    HasCredential {
        service: String,
    },
    /// Another tool of the chat: `skill.tool`.
    Call {
        tool: String,
        args: Value,
    },
    /// A tool of the skill `vault`, as part of this call.
    Vault {
        tool: String,
        args: Value,
    },
    /// The records of the tool's skill.
    Records(RecordsWant),
    /// The store of the tool's skill.
    Store(StoreWant),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum RecordsWant {
    Types,
    List {
        record: String,
    },
    Add {
        record: String,
        values: Map<String, Value>,
    },
    /// Null removes a value.
    Update {
        record: String,
        path: String,
        values: Map<String, Value>,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum StoreWant {
    Get { key: String },
    Set { key: String, value: Value },
    Remove { key: String },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer {
    Fetched {
        status: u16,
        headers: Vec<(String, String)>,
        /// Base64.
        body: String,
        /// After redirects.
        url: String,
    },
    Credential {
        value: String,
    },
    HasCredential {
        has: bool,
    },
    Called {
        value: Value,
    },
}

/// Why Nova did not do what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub message: String,
    /// Of a call of another tool: `denied_by_rule`.
    pub code: Option<String>,
}

/// What went wrong in a script, told in places of its TypeScript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub kind: FaultKind,
    pub message: String,
    /// 1-based, in the source file; columns count characters. A line without a column is that of the
    /// statement that was begun last, where nothing better is known.
    pub line: Option<u32>,
    pub column: Option<u32>,
    /// The calls that led there, innermost first, as `name (file:line:column)`.
    pub stack: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The source is not TypeScript.
    Syntax,
    /// An import that does not exist here.
    Import,
    /// The file exports no tool, or one that is not as it should be.
    Definition,
    /// The arguments do not fit the schema (as zod sees it).
    Arguments,
    /// The script threw.
    Thrown,
    /// The result cannot be written as JSON, or is too long.
    Result,
    /// Computing took too long.
    Time,
    Memory,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Debug,
    Info,
    Warn,
    Error,
}
