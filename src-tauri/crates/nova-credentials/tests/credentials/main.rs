//! Tests credentials with real files, processes, a Secret Service and an authorisation server.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod auth_server;
mod canary;
mod children;
mod encrypted_file;
mod grants;
mod renewing;
mod secret_service;
mod signing_in;
mod signing_in_for;
mod signing_in_known;
mod support;
