//! How many notes the rules of a record type take: rules that take nearly the whole vault were hardly meant.

use nova_protocol::{ErrorCode, SetSkill, UserError};
use nova_skill::RecordType;
use nova_vault::{Problem, VaultError, View};

use crate::app::App;
use crate::blocking::blocking;
use crate::chat::unknown_skill;

/// Of a vault with fewer notes nothing is said.
const FEW: usize = 20;

impl App {
    /// Refuses a configuration by whose `match` nearly every note would be a record. A user who means it writes it
    /// into the file.
    pub(crate) async fn check_reach(&self, set: &SetSkill) -> Result<(), UserError> {
        let Some(config) = &set.config else { return Ok(()) };
        let snapshot = self.inner.registry.snapshot();
        let skill = snapshot.listed(&set.skill).ok_or_else(|| unknown_skill(&snapshot, &set.skill))?;
        // What is wrong with it is said where it is set.
        let (Ok(records), Ok(vault)) = (skill.manifest.records.with_config(config), self.vault()) else {
            return Ok(());
        };
        let in_force = skill.records.clone();
        let view = vault.seen_by_owner();
        blocking(move || {
            let is_new = |declared: &&RecordType| in_force.iter().all(|old| old != *declared);
            for declared in records.iter().filter(is_new) {
                if let Some(said) = takes_nearly_all(&view, declared)? {
                    return Err(UserError::new(
                        ErrorCode::InvalidArguments,
                        format!("{said}. Nothing was changed."),
                        "Narrow the rules. If you mean it, write them into nova.config.json.",
                    ));
                }
            }
            Ok(())
        })
        .await
    }
}

/// Says how many notes a type takes, where these are nearly all.
fn takes_nearly_all(view: &View, declared: &RecordType) -> Result<Option<String>, VaultError> {
    if !declared.has_own_match() {
        return Ok(None);
    }
    let (taken, all) = (view.records(declared.recogniser())?.len(), view.notes()?.len());
    let rules = declared.recognised_by();
    let said = format!("By {rules}, {taken} of {all} notes are records of {}", declared.name());
    Ok((all >= FEW && taken * 10 >= all * 9).then_some(said))
}

/// The same as a problem of the configuration.
pub(crate) fn reach_problem(
    view: &View,
    skill: &str,
    declared: &RecordType,
) -> Result<Option<Problem>, VaultError> {
    Ok(takes_nearly_all(view, declared)?.map(|problem| Problem {
        path: "nova.config.json".to_owned(),
        line: 1,
        problem,
        remedy: format!("Narrow `match` under skills.{skill}.config.records.{}.", declared.name()),
    }))
}
