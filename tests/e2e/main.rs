//! Nova's real window, driven like a user would: this checkout's program, the system's web view, temporary
//! config, data and vault folders. Tests the wiring from click to disk; everything else is tested below the
//! window. Uses no network beyond loopback.
//!
//! Run with `make test-window`, which builds the page and provides `tauri-driver`.

mod adding_mailboxes;
mod background;
mod calendar;
mod conversing;
mod filling_forms;
mod finding;
mod first_chat;
mod fixing_problems;
mod getting_a_model;
mod giving_tasks;
mod going_back;
mod harness;
mod hostile_page;
mod hostile_servers;
mod keeping_a_key;
mod mail;
mod mcp_servers;
mod model;
mod opening;
mod panels;
mod picking;
#[path = "../journeys/protected_server.rs"]
mod protected_server;
mod reading;
mod records_page;
mod running_code;
mod running_commands;
mod screener;
mod symbol;
mod today;
mod vault_settings;
mod waiting_tools;
mod web_pages;
mod without_a_model;
