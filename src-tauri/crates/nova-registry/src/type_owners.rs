use std::collections::BTreeMap;

use nova_skill::figures::folded;
use nova_skill::{ConfigFault, Manifest, RecordType, RecordTypes};
use serde_json::Value;

use crate::manifest_file::config_faults;

/// The skill that declares each record type in its manifest: type names are unique.
#[derive(Debug, Default)]
pub struct TypeOwners(BTreeMap<String, String>);

impl TypeOwners {
    /// If two skills declare one type, the first owns it.
    pub(crate) fn add(&mut self, skill: &str, records: &RecordTypes) {
        for declared in records.iter().filter(|declared| !declared.is_own()) {
            self.0.entry(folded(declared.name())).or_insert_with(|| skill.to_owned());
        }
    }

    /// The skill that declares the type.
    pub fn owner(&self, record_type: &str) -> Option<&str> {
        self.0.get(&folded(record_type)).map(String::as_str)
    }

    /// Errors for types that the user added to `skill` under the name of another skill's type, which would be
    /// ambiguous.
    pub fn taken(&self, skill: &str, records: &RecordTypes) -> Vec<ConfigFault> {
        let own = records.iter().filter(|declared| declared.is_own()).map(RecordType::name);
        own.filter_map(|name| {
            let owner = self.owner(name).filter(|owner| *owner != skill)?;
            let reason = format!("has the name of a record type of the skill {owner}; choose another name");
            Some(ConfigFault { key: format!("records.{name}"), reason })
        })
        .collect()
    }

    /// The record types of a skill under that configuration.
    ///
    /// # Errors
    /// The errors of the configuration, each with its key.
    pub(crate) fn fitting(
        &self,
        skill: &str,
        manifest: &Manifest,
        config: &Value,
    ) -> Result<RecordTypes, Vec<String>> {
        let faults = config_faults(manifest.config.as_ref(), config).into_iter().map(|fault| {
            let dot = if fault.key.is_empty() { ": " } else { "." };
            format!("{dot}{}.", fault.said)
        });
        let records = manifest.records.with_config(config).and_then(|records| {
            let taken = self.taken(skill, &records);
            if taken.is_empty() { Ok(records) } else { Err(taken) }
        });
        let faults: Vec<String> = faults.collect();
        match records {
            Ok(records) if faults.is_empty() => Ok(records),
            Ok(_) => Err(faults),
            Err(of_records) => {
                Err(of_records.iter().map(|fault| format!(".{fault}")).chain(faults).collect())
            }
        }
    }
}
