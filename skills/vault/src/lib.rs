//! The user's notes: finding, reading and changing any of them.
//!
//! It works only through the vault it is given: it never leaves the machine, never writes a byte that was not
//! requested, and never chooses between two notes of one name.
//!
//! # Invariants
//!
//! - No path, name or move of a tool leaves the vault: `tests/vault/refusing.rs`. No answer names a private note:
//!   `tests/vault/privacy.rs`.

use std::sync::Arc;

use nova_skill::{Skill, Tool, native};

mod add_attachment;
mod add_task;
mod append_to_note;
mod complete_task;
mod create_note;
mod daily_note;
mod delete_note;
mod edit_note;
mod links;
mod list_tasks;
mod move_note;
mod notes;
mod query;
mod query_base;
mod read_note;
mod search;
mod set_properties;
mod suggest_links;
mod tags;
mod task_line;
mod today;
mod update_task;

/// The skill `vault`.
pub fn skill() -> Box<dyn Skill> {
    Box::new(Vault)
}

struct Vault;

impl Skill for Vault {
    fn skill_md(&self) -> &str {
        include_str!("../SKILL.md")
    }

    fn manifest(&self) -> &str {
        include_str!("../manifest.yaml")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            native(read_note::ReadNote),
            native(create_note::CreateNote),
            native(edit_note::EditNote),
            native(append_to_note::AppendToNote),
            native(set_properties::SetProperties),
            native(add_attachment::AddAttachment),
            native(move_note::MoveNote),
            native(delete_note::DeleteNote),
            native(search::SearchNotes),
            native(query::QueryNotes),
            native(query_base::QueryBase),
            native(links::LinksOfNote),
            native(suggest_links::SuggestLinks),
            native(tags::Tags),
            native(daily_note::DailyNote),
            native(list_tasks::ListTasks),
            native(add_task::AddTask),
            native(complete_task::CompleteTask),
            native(update_task::UpdateTask),
            native(today::Today),
        ]
    }
}
