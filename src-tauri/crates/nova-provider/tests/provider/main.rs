//! A provider against a real server on loopback that answers whatever a test says, to the byte.
#![allow(clippy::unwrap_used)]

mod anthropic;
mod calls;
mod endings;
mod gemini;
mod images;
mod listings;
mod ollama;
mod openai_responses;
mod refusals;
mod requests;
mod secrets;
mod streams;
mod support;
