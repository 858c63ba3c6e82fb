//! MCP servers as skills: each entry of `mcpServers` is started or contacted when it is needed, and its
//! tools are tools like any other.
//!
//! This crate never starts a server that the user has not agreed to, never takes a server's word for what
//! a tool does, and decides about no call.
//!
//! [`McpServers`] is a [`Source`](nova_registry::Source). `server` is one server: how far it is, its tools as
//! they were last listed, and when it may be started again. `start` starts one, by `stdio` under Nova's guard
//! or by `http`, and greets it in the newest protocol or the one before; `connection` is a server that answers.
//! `offers` are prompts and resources, for the user, and `offering` asks for them; `media` the images and files of answers, for the window.
//! `elsewhere` reads servers as other programs configure them.
//! What outlives Nova is behind the trait [`Agreements`].
//!
//! # Invariants
//!
//! - Nothing waits for a server but its own call: `scan` answers with what is known.
//! - A server that hangs, floods, dies or talks nonsense fails within its time limit with one line that says why
//!   and what to do; the others continue: `tests/servers/misbehaving.rs`.
//! - No process of a server outlives its connection or Nova, grandchildren included: `tests/servers/ending.rs`.
//! - A server that no call needs ends after a while, and the next call starts it again: `tests/servers/ending.rs`.
//! - A text of another program is read within bounds, and starts nothing: `src/elsewhere/tests.rs`.
//! - A call that is stopped is stopped at the server; a process that continues with it is ended:
//!   `tests/servers/ending.rs`.
//! - A command, address or environment that the user has not agreed to is neither started nor contacted:
//!   `tests/servers/agreeing.rs`.
//! - A tool whose definition changed, or that its server did not list at first, cannot be called until the user has
//!   approved it: `tests/servers/agreeing.rs`.
//! - A question of a server reaches the user bound to the call that it works on; nothing is sent that the user did
//!   not send, and a server that asks again and again is stopped: `tests/servers/asking.rs`.
//! - A question that any of several calls may have asked waits until one is left, and is cancelled where its call may be
//!   gone: `src/askers.rs`.
//! - Prompts and resources are listed within bounds, and filled in or read only for the user:
//!   `tests/servers/offers.rs`.
//! - A secret goes to the server that names it and comes back in nothing that it says: `src/output.rs`,
//!   `tests/servers/agreeing.rs`.
//! - A token goes only to the server that it was given for, and only once that server refused a request without
//!   it; it is renewed once and the request repeated once: `tests/servers/authorizing.rs`.
//! - A server at an address is reached at public addresses, or on this machine where the address says so:
//!   `nova-http/tests/web/named_server.rs`.

mod askers;
mod asking;
mod authorized;
mod config;
mod connection;
mod definition;
mod elsewhere;
mod ending;
mod host;
mod http;
mod last_lines;
mod late_answer;
mod limits;
mod media;
mod offering;
mod offers;
mod output;
mod pause;
mod probe;
mod resources;
mod server;
mod source;
mod start;
mod stdio;
mod surroundings;
mod tool;
mod trouble;

pub use config::{GivenSignIn, ServerConfig, Text, ToolChoice, Way, read_servers};
pub use definition::{ChangedTool, Definition, KnownTools};
pub use elsewhere::{Form, FormError, FoundServer, credential_of, find_servers};
pub use host::Agreements;
pub use media::ServerMedia;
pub use offers::{Offers, Prompt, PromptArgument, Resource};
pub use pause::Pause;
pub use probe::{Probed, ProbedTool};
pub use server::{ListedTool, Phase};
pub use source::{McpOptions, McpServers, OfferedBy, ServerReview, ServerStatus};
pub use surroundings::Surroundings;
pub use trouble::{Trouble, TroubleKind};
