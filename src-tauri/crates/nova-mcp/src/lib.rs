//! MCP servers as skills: each entry of `mcpServers` is started or contacted on demand, and its tools are
//! tools like any other.
//!
//! This crate never starts a server that the user has not agreed to, never trusts a server's claims about a
//! tool's effects, and makes no policy decisions.
//!
//! [`McpServers`] is a [`Source`](nova_registry::Source). `server` manages one server: its phase, its last
//! known tools, and when it may be restarted. `start` starts one, over `stdio` under Nova's guard or over
//! `http`, and performs the handshake of the newest protocol or an earlier one; `connection` is a live
//! connection. `offers` are prompts and resources for the user, and `offering` requests them; `media` holds
//! the images and files of results for the window. `import` reads configurations of other programs.
//! Persistence is behind the trait [`Agreements`].
//!
//! # Invariants
//!
//! - Only a call waits for its server: `scan` returns what is known.
//! - A server that hangs, floods, crashes or violates the protocol fails within its timeout with one line
//!   that states the reason and the remedy; the others are unaffected: `tests/servers/misbehaving.rs`.
//! - No process of a server outlives its connection or Nova, grandchildren included:
//!   `tests/servers/ending.rs`.
//! - An idle server is stopped, and the next call restarts it: `tests/servers/ending.rs`.
//! - A configuration of another program is parsed within bounds, and starts nothing:
//!   `src/import/tests.rs`.
//! - A cancelled call is cancelled at the server; a process that continues it is killed:
//!   `tests/servers/ending.rs`.
//! - A command, URL or environment that the user has not agreed to is neither started nor contacted:
//!   `tests/servers/agreeing.rs`.
//! - A tool whose definition changed, or that was added after the first list, cannot be called until the user
//!   has approved it, also after a change of the configuration or if the approvals are unreadable:
//!   `src/known_tools.rs`, `tests/servers/agreeing.rs`.
//! - A server that sends without end does not slow down the rest of Nova: `src/throttled.rs`, and in the window
//!   `tests/e2e/hostile_servers.rs`.
//! - A server's streams are not reopened at the speed of the network: `src/paced.rs`,
//!   `tests/servers/at_an_address.rs`.
//! - A server's question reaches the user bound to its call; only data that the user submitted is sent, and a
//!   server that keeps asking is stopped: `tests/servers/asking.rs`.
//! - A question that any of several calls may have asked waits until one is left, and is cancelled if its
//!   call may have ended: `src/elicitation_router.rs`.
//! - Prompts and resources are listed within bounds, and filled in or read only for the user:
//!   `tests/servers/offers.rs`.
//! - A secret is sent only to the server whose entry references it, and is scrubbed from everything it
//!   sends: `src/scrubbed.rs`, `tests/servers/agreeing.rs`.
//! - A token is sent only to the server it was issued for, and only after that server refused a request
//!   without it; it is refreshed once and the request repeated once: `tests/servers/authorizing.rs`.
//! - A remote server is reached at public addresses, or on this machine if its URL says so:
//!   `nova-http/tests/web/named_server.rs`.

mod asking;
mod authorized;
mod config;
mod connection;
mod definition;
mod elicitation_router;
mod ending;
mod host;
mod http;
mod import;
mod known_tools;
mod last_lines;
mod late_answer;
mod launch_environment;
mod limits;
mod media;
mod offering;
mod offers;
mod output;
mod paced;
mod pause;
mod probe;
mod resources;
mod scrubbed;
mod server;
mod source;
mod start;
mod stdio;
mod throttled;
mod tool;
mod trouble;

pub use config::{GivenSignIn, ServerConfig, Text, ToolChoice, Way, read_servers};
pub use definition::Definition;
pub use host::Agreements;
pub use import::{Form, FormError, FoundServer, credential_of, find_servers};
pub use known_tools::{ChangedTool, KnownTools};
pub use launch_environment::LaunchEnvironment;
pub use media::ServerMedia;
pub use offers::{Offers, Prompt, PromptArgument, Resource};
pub use pause::Pause;
pub use probe::{Probed, ProbedTool};
pub use server::{ListedTool, Phase};
pub use source::{McpOptions, McpServers, OfferedBy, ServerReview, ServerStatus};
pub use trouble::{Trouble, TroubleKind};
