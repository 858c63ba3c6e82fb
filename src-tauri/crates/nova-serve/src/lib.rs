//! Nova's skills as an MCP server: `nova mcp serve`, on stdio or on a port of this machine.
//!
//! This crate never runs a tool itself: every call goes through `App::run_for_client`, with the same rules,
//! drafts and change sets as any other call. It never answers a question for the user, and reveals no private
//! note to a client unless the user declared the client local.
//!
//! `server` handles requests, `served` selects what this client sees, `asking` forwards questions to the user
//! through the client, and `stdio` and `http` are the transports.
//!
//! # Invariants
//!
//! - Only skills and effects that the user named are served, whichever name a client calls:
//!   `tests/journeys/serving_skills.rs`.
//! - Only protocol messages are written to stdout: `tests/journeys/serving_skills.rs`.
//! - A call that needs approval is asked through the client, or refused with the rule that would allow it; an
//!   answer holds for exactly that question and one call, which runs once: `src/parked.rs`,
//!   `tests/journeys/asking_through_a_client.rs`.
//! - A client that is not local sees no private notes in tools, resources or prompts:
//!   `tests/journeys/serving_skills.rs`.
//! - Output of third-party tools is fenced, and every result conforms to the schema in the tool list:
//!   `tests/journeys/serving_outside_tools.rs`.
//! - On a port, requests without the token, or with another Host or Origin, are rejected:
//!   `tests/journeys/serving_on_a_port.rs`.
//! - Calls beyond the limits are refused at once, so that no queue builds up: `src/limits.rs`,
//!   `tests/journeys/serving_skills.rs`.

mod asking;
mod form;
mod http;
mod limits;
mod output;
mod parked;
mod resource;
mod served;
mod server;
mod sessions;
mod stdio;

pub use nova_skill::Effect;

pub use http::{Listening, Token, TokenError, listen};
pub use served::Served;
pub use stdio::on_stdio;
