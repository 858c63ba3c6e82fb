//! Nova's skills as an MCP server: `nova mcp serve`, on stdio or on a port of this machine.
//!
//! This crate never runs a tool itself: every call goes through `App::run_for_client`, with the rules, drafts
//! and change sets of any other call. It never answers a question for the user, and reports no private note to a
//! client unless the user said that the client is local.
//!
//! `server` answers the requests, `served` says what there is for this client, `asking` passes a question on to
//! the user through the client, and `stdio` and `http` carry the messages.
//!
//! # Invariants
//!
//! - Only skills and effects that the user named are served, whatever name a client calls:
//!   `tests/journeys/serving_skills.rs`.
//! - Nothing but messages is written to stdout: `tests/journeys/serving_skills.rs`.
//! - A call that would ask is asked through the client, or refused with the rule to write; the answer is for
//!   exactly the question asked, and for one call: `src/asking.rs`, `tests/journeys/asking_through_a_client.rs`.
//! - For a client that is not local, private notes are in no tool, resource or prompt:
//!   `tests/journeys/serving_skills.rs`.
//! - What a tool that did not come with Nova says is fenced, and every answer has the form that the list of tools
//!   declares: `tests/journeys/serving_outside_tools.rs`.
//! - On a port, a request without the token, or with another Host or Origin, reaches nothing:
//!   `tests/journeys/serving_on_a_port.rs`.
//! - Calls beyond the limits are refused at once, so that a flood does not pile up: `src/limits.rs`,
//!   `tests/journeys/serving_skills.rs`.

mod asking;
mod form;
mod http;
mod limits;
mod output;
mod resource;
mod served;
mod server;
mod stdio;

pub use nova_skill::Effect;

pub use http::{Listening, Token, TokenError, listen};
pub use served::Served;
pub use stdio::on_stdio;
