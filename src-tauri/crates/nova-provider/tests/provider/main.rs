//! A provider against a real loopback server with byte-exact scripted responses.
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
