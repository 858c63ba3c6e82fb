use std::collections::BTreeMap;

use nova_skill::{RecordDraft, Skill, ToolContext as _, ToolError, VaultPath};
use serde_json::Value;

use crate::{TempVault, TestContext, snapshot_of};

/// The result of saving a record's form under the rules of its skill.
#[derive(Debug, Clone, PartialEq)]
pub struct FormSaved {
    /// The record's values, by field.
    pub values: Value,
    /// The texts of other notes that change with it, by path.
    pub others: BTreeMap<String, String>,
}

/// Fills in fields of the form of a note, or of a new record without a path, and applies the rules of the
/// skill, as the program does before it writes. Null empties a field.
///
/// # Errors
/// Why the rules refuse it.
///
/// # Panics
/// If the skill has no rules, or the input is invalid.
#[track_caller]
pub fn save_form(
    skill: fn() -> Box<dyn Skill>,
    vault: &TempVault,
    record_type: &str,
    path: Option<&str>,
    entered: &Value,
) -> Result<FormSaved, ToolError> {
    let ctx = TestContext::of(skill()).with_vault(&vault.open());
    let snapshot = snapshot_of(vec![skill()]);
    let skill = &snapshot.skills()[0];
    let rules = skill.record_rules.clone().expect("a skill with rules for its records");
    let declared = skill.records.get(record_type).expect("a declared record type");
    let entered = entered.as_object().expect("an object of fields");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime for the test");
    runtime.block_on(async {
        let mut draft = match path {
            None => RecordDraft::new(declared, entered),
            Some(path) => {
                let path = VaultPath::parse(path).expect("a vault path");
                let note = ctx.vault().read(&path).await?;
                let edits = declared.edits(&note, entered)?;
                RecordDraft::edited(declared, note, &edits)
            }
        };
        rules.apply(&mut draft, &ctx).await?;
        let mut others = BTreeMap::new();
        for planned in ctx.planned().diffs() {
            let text = ctx.vault().read(&planned.path).await?.text;
            others.insert(planned.path.to_string(), text.to_string());
        }
        Ok(FormSaved { values: Value::Object(draft.values().clone()), others })
    })
}
