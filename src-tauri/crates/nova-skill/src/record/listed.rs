//! The user's own fields in lists whose rows a skill builds from its records.

use std::collections::HashMap;

use nova_vault::VaultPath;
use serde_json::{Map, Value};

use super::{Field, Record, RecordFilters, RecordType};
use crate::{ToolContext, ToolError};

/// The records that match filters by own fields, with the values of these fields.
#[derive(Debug)]
pub struct OwnFields {
    /// By path, for records that match; `None` if no type has such a field.
    of_note: Option<HashMap<VaultPath, Map<String, Value>>>,
    filters: bool,
}

impl OwnFields {
    /// Reads the records of these types, if the user added a field to one of them. A record whose type lacks
    /// a filtered field does not match.
    ///
    /// # Errors
    /// [`ToolError::InvalidArguments`] for a value that cannot be compared with its field.
    pub async fn read(
        ctx: &dyn ToolContext,
        record_types: &[&str],
        wanted: &Map<String, Value>,
    ) -> Result<Self, ToolError> {
        let filters = wanted.values().any(|value| !is_empty(value));
        let mut of_types: Vec<(&RecordType, Option<RecordFilters<'_>>)> = Vec::new();
        for name in record_types {
            let declared = ctx.records().get(name)?;
            of_types.push((declared, declared.own_filters(wanted)?));
        }
        if !of_types.iter().any(|(declared, _)| declared.fields.values().any(Field::is_own)) {
            return Ok(Self { of_note: None, filters });
        }
        let notes = ctx.vault().read_records(record_types).await?.notes;
        let mut of_note = HashMap::new();
        for note in &notes {
            let Some(declared) = ctx.records().of_note(note) else { continue };
            let of_type = of_types.iter().find(|(other, _)| other.name() == declared.name());
            let Some((declared, Some(filters))) = of_type else { continue };
            let record: Record<'_> = declared.read(note);
            if filters.fit(&record) {
                of_note.insert(note.path.clone(), record.own_fields());
            }
        }
        Ok(Self { of_note: Some(of_note), filters })
    }

    /// Whether the record at this path matches.
    pub fn fit(&self, path: &VaultPath) -> bool {
        self.of_note.as_ref().is_none_or(|of_note| of_note.contains_key(path))
    }

    /// Whether rows that are not notes match: they have no such fields.
    pub fn fit_elsewhere(&self) -> bool {
        !self.filters
    }

    /// Adds the record's own fields to a row, without overwriting existing keys.
    pub fn add_to(&self, row: &mut Value, path: &VaultPath) {
        let own = self.of_note.as_ref().and_then(|of_note| of_note.get(path));
        let (Some(own), Some(row)) = (own, row.as_object_mut()) else { return };
        for (key, value) in own {
            row.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
}

impl RecordType {
    /// The filters; `None` if a filtered field is not one of this type.
    fn own_filters(&self, wanted: &Map<String, Value>) -> Result<Option<RecordFilters<'_>>, ToolError> {
        let given: Map<String, Value> = wanted
            .iter()
            .filter(|(_, value)| !is_empty(value))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if given.keys().any(|key| !self.fields.contains_key(key)) {
            return Ok(None);
        }
        self.filters(&given).map(Some)
    }
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}
