//! The protocol between Nova and the script process, over the latter's stdin and stdout.
//!
//! A message is a length of four bytes (little endian, at most [`MAX_MESSAGE`]) followed by that much JSON.
//! The process answers each [`ToChild::Load`] with any number of `At` and one `Loaded` or `Failed`, and each
//! [`ToChild::Call`] with any number of `Ask`, `Log`, `Progress` and `Partial` followed by one `Done` or
//! `Failed`. It handles one request at a time.

use std::io::{self, Read, Write};

use nova_skill::VaultAccess;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// Maximum message size, in bytes of JSON. A longer one ends the process.
pub const MAX_MESSAGE: u32 = 32 * 1024 * 1024;

/// Why a message could not be sent or parsed.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    #[error("a message of {0} bytes is longer than {MAX_MESSAGE} bytes")]
    TooLong(u64),
    #[error("not a message: {0}")]
    Malformed(#[from] serde_json::Error),
    #[error("the peer closed the connection: {0}")]
    Gone(#[from] io::Error),
}

/// Serialises a message with its length prefix.
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

/// Decodes a length prefix and checks it before anything is allocated.
pub fn length(head: [u8; 4]) -> Result<usize, MessageError> {
    match u32::from_le_bytes(head) {
        length if length <= MAX_MESSAGE => Ok(length as usize),
        length => Err(MessageError::TooLong(length.into())),
    }
}

/// Reads the next message; `None` at the end of the stream between two messages.
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

/// Writes a complete message.
pub fn write(to: &mut impl Write, message: &impl Serialize) -> Result<(), MessageError> {
    to.write_all(&encode(message)?)?;
    Ok(to.flush()?)
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToChild {
    /// The first message, with the limits of the process.
    Start { limits: Limits },
    /// Strip the types of a file, run it, and return its definition. It replaces a module loaded under the
    /// same name before. If `more` files may follow, the process prepares for the next one while idle. A
    /// `snippet` is the body of a function that returns its last expression, and is run by a call.
    Load { file: String, source: String, more: bool, snippet: bool },
    /// Call the tool of a loaded file.
    Call { file: String, args: Value, request: Request, given: Box<Given> },
    /// The answer to an `Ask`.
    Answer { ask: u64, answer: Result<Answer, Refusal> },
    /// Cancel the running call: its `AbortSignal` fires.
    Cancel,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromChild {
    Loaded {
        definition: Box<Definition>,
    },
    /// The tool requests something that only Nova can do.
    Ask {
        ask: u64,
        want: Want,
    },
    /// While a file is loaded: the line of the next statement, so that it is known after a crash.
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
    /// A value yielded by an async generator.
    Partial {
        value: Value,
    },
    Done {
        value: Value,
    },
    /// End of a failed load or call. The process stays usable unless `fatal`.
    Failed {
        fault: Fault,
        fatal: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// JavaScript heap, in bytes.
    pub memory: u64,
    /// Processor time of one load or call, in milliseconds.
    pub computing_ms: u64,
    /// Bytes of JSON of one result, of all partial results of a call, and of all its logs.
    pub output: u64,
}

/// A file's definition of its tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    pub name: String,
    pub description: String,
    /// Structured parts of its description.
    #[serde(default)]
    pub fragments: Fragments,
    /// JSON Schema (2020-12) of the arguments.
    pub parameters: Value,
    /// As spelled in the file; `None` if undeclared.
    pub effect: Option<String>,
    /// `service` or `service/key`.
    pub credentials: Vec<String>,
    /// Credentials requested by name in its source, `service/key`: what to set if one is missing.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Declared hosts.
    pub hosts: Vec<String>,
    /// Undeclared hosts of URL literals in its source.
    pub proposed_hosts: Vec<String>,
    /// Declared access to notes.
    #[serde(default)]
    pub vault: Option<VaultAccess>,
}

/// The structured parts of a description, as in [`nova_skill::Description`].
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
    /// The tool to use instead.
    pub instead: String,
}

/// The parts of `ctx` that need no request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Given {
    /// The skill's configuration.
    pub config: Value,
    /// The time at which the call began.
    pub clock: Moment,
    /// The access that `ctx.vault` provides.
    pub vault: Option<VaultAccess>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// RFC 3339, in UTC.
    pub now: String,
    /// `YYYY-MM-DD` in the user's time zone.
    pub today: String,
    /// IANA name, or offset.
    pub zone: String,
}

/// The value of `ctx.request`.
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
    /// A tool of the skill `vault`, within this call.
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
        /// The final URL after redirects.
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

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub message: String,
    /// Set for a call of another tool: `denied_by_rule`.
    pub code: Option<String>,
}

/// An error in a script, with positions in its TypeScript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub kind: FaultKind,
    pub message: String,
    /// From 1, in the source file; columns count characters. Without a column, it is the line of the last
    /// statement begun.
    pub line: Option<u32>,
    pub column: Option<u32>,
    /// Stack frames, innermost first, as `name (file:line:column)`.
    pub stack: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The source is not valid TypeScript.
    Syntax,
    /// An unknown import.
    Import,
    /// The file exports no tool, or an invalid one.
    Definition,
    /// The arguments do not match the zod schema.
    Arguments,
    /// The script threw.
    Thrown,
    /// The result is not serialisable as JSON, or too long.
    Result,
    /// The time limit for computing was exceeded.
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
