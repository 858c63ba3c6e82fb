//! Warns about match rules that include nearly the whole vault, which is hardly intended.

use nova_protocol::{ErrorCode, SetSkill, UserError};
use nova_skill::RecordType;
use nova_vault::{Problem, VaultError, View};

use crate::app::App;
use crate::blocking::blocking;
use crate::chat::unknown_skill;
use crate::config_line::line_of;

/// No warning for vaults with fewer notes.
const FEW: usize = 20;

impl App {
    /// Refuses a configuration whose `match` would turn nearly every note into a record, unless the user has
    /// confirmed it.
    pub(crate) async fn check_reach(&self, set: &SetSkill) -> Result<(), UserError> {
        let Some(config) = set.config.as_ref().filter(|_| set.nearly_all != Some(true)) else {
            return Ok(());
        };
        let snapshot = self.inner.registry.snapshot();
        let skill = snapshot.listed(&set.skill).ok_or_else(|| unknown_skill(&snapshot, &set.skill))?;
        // Other problems are reported where the setting is applied.
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

/// The warning with the number of notes, if a type includes nearly all.
fn takes_nearly_all(view: &View, declared: &RecordType) -> Result<Option<String>, VaultError> {
    if !declared.has_own_match() {
        return Ok(None);
    }
    let (taken, all) = (view.records(declared.recogniser())?.len(), view.notes()?.len());
    Ok(nearly_all_warning(declared, taken, all))
}

/// Like [`takes_nearly_all`], for known numbers.
pub(crate) fn nearly_all_warning(declared: &RecordType, taken: usize, all: usize) -> Option<String> {
    if !declared.has_own_match() {
        return None;
    }
    let rules = declared.recognised_by();
    let said = format!("By {rules}, {taken} of {all} notes are records of {}", declared.name());
    (all >= FEW && taken * 10 >= all * 9).then_some(said)
}

/// The same as a problem of the configuration; `config` is the text of its file.
pub(crate) fn reach_problem(
    view: &View,
    skill: &str,
    declared: &RecordType,
    config: &str,
) -> Result<Option<Problem>, VaultError> {
    let key = format!("skills.{skill}.config.records.{}", declared.name());
    Ok(takes_nearly_all(view, declared)?.map(|problem| Problem {
        path: "nova.config.json".to_owned(),
        line: line_of(config, &format!("{key}.match")),
        problem,
        remedy: format!("Narrow `match` under {key}."),
    }))
}
