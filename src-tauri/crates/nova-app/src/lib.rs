//! The application layer: one function per command, the wiring of all parts, the list of built-in skills.
//!
//! Window, command line and tests all use this crate. It never mentions Tauri and never draws anything;
//! nothing below it reads the environment or the home folder.
//!
//! [`App`] implements the trait `Commands` of `nova-protocol`, one method per command. Desktop features
//! (dialogs, opening URLs, notifications, zoom) are behind the trait [`Desktop`].
//!
//! # Invariants
//!
//! - A broken configuration, a missing vault, a locked keychain or an unresponsive provider never prevents
//!   the start. Each becomes a problem with a remedy, and the last valid settings stay in force:
//!   `tests/journeys/bad_input.rs`, `src/config.rs`.
//! - A literal secret in `nova.config.json` is refused; unknown keys are retained: `src/config.rs`.
//! - A skill setting of the wrong type is reported with its key, and the last valid settings stay in force:
//!   `src/skill_settings.rs`, `tests/journeys/reading_the_terminal.rs`.
//! - Unreadable agreements are never overwritten; unknown keys of `trust.json` are retained:
//!   `src/trust/tests.rs`.
//! - Adding or removing a rule changes nothing else in `permissions.yaml`: `src/rule_file.rs`.
//! - Concurrent updates of a skill's store by two Nova processes are both applied: `src/stores.rs`.
//! - What a panel's declaration refers to exists in the results of its tools: `tests/journeys/panels.rs`.
//! - A mailbox is stored only on the user's click and after its test, and its password only as a credential:
//!   `tests/journeys/adding_mailboxes.rs`.
//! - A glance asks no questions, does not count as use of a skill and reaches no model:
//!   `tests/journeys/due_items.rs`.
//! - The record form adds records of every type, and the note links back to it:
//!   `tests/journeys/recording.rs`.

mod agreed_servers;
mod app;
mod author_files;
mod blocking;
mod caller;
mod changes;
mod chat;
mod check_skill;
mod clients;
mod commands;
mod config;
mod config_line;
mod conflicts;
mod credentials;
mod desktop;
mod errors;
mod events;
mod feed;
mod field_proposals;
mod file_changes;
mod first_run;
mod foreign_skills;
mod found_servers;
mod given_files;
mod glances;
mod health;
mod images;
mod known_models;
mod last_good;
mod mail_watch;
mod mailboxes;
mod mcp;
mod model_place;
mod models;
mod native_skill;
mod new_provider;
mod new_skill;
mod notes;
mod notices;
mod open_conflicts;
mod own_files;
mod panels;
mod passed_on;
mod pending_tools;
mod permissions;
mod places;
mod presence;
mod provider_rows;
mod questions;
mod recent_vaults;
mod record_forms;
mod record_mark;
mod record_page;
mod record_problems;
mod record_reach;
mod reminders;
mod resident;
mod routines;
mod routing;
mod rule_file;
mod sandbox;
mod sandboxes;
mod server_now;
mod servers;
mod sessions;
mod skill_files;
mod skill_rows;
mod skill_settings;
mod skills;
mod stores;
mod sub_agents;
mod system;
mod tool_files;
mod tool_runs;
mod trust;
mod unconfined;
mod vault_page;
mod vaults;
mod window_state;
mod window_tools;
mod workflow;
mod workspaces;

pub use app::{App, AppOptions, LocalServer, SecretByName};
pub use chat::{ChatEnd, ChatRequest};
pub use check_skill::SkillFinding;
pub use clients::{ClientCall, McpClient};
pub use config::{Config, ConfigError};
pub use credentials::{CredentialsFrom, PassphraseSource, SignIn, StoreOptions};
pub use desktop::{Desktop, NoDesktop, notification_markup};
pub use images::images_from_files;
pub use new_skill::NewSkill;
pub use nova_registry::harmless_line as plain_line;
pub use places::Places;
pub use questions::Questions;
pub use resident::{Resident, show_resident};
pub use servers::{reason_of, state_of};
pub use system::{SystemClock, UlidIds};
pub use tool_runs::ToolRun;
pub use unconfined::Unconfined;
pub use window_state::WindowPlace;

// Re-exported for the programs that use this crate.
pub use nova_calls::{Answer, ApprovalRequest, Approver, NoApprover};
pub use nova_calls::{NoCredentials, is_foreign};
pub use nova_credentials::{Opener as SignInOpener, ProviderServers};
pub use nova_http::{Web, WebOptions};
pub use nova_mcp::{LaunchEnvironment, Phase, Probed, ServerReview, ServerStatus};
pub use nova_provider::{ProviderKind, is_same_model};
pub use nova_registry::{Confusion, ConfusionKind, NoToolHost, ToolHost};
pub use nova_session::{Branches, SessionInfo, TurnEnd};
pub use nova_skill::{Elicitation, Relationship, Wanted};
pub use nova_vault::{
    ChangeSetKind, Condition, Links, Query, QueryError, QueryRow, Search, SearchHit, SearchMode, SortKey,
};
pub use nova_workspace::{DAMAGED, Documents, Format, InProcess, read_document};
pub use tokio_util::sync::CancellationToken;
