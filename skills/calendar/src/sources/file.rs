use nova_dav::events::Agenda;
use nova_dav::ical::Calendar;
use nova_skill::{ToolContext, ToolError, Value, VaultError, VaultPath, async_trait};

use super::{Loaded, Source};

/// A calendar file in the vault.
pub(crate) struct File {
    name: String,
    path: String,
}

/// The calendar files of the skill's configuration.
pub(super) fn configured(config: &Value) -> impl Iterator<Item = File> {
    config["calendars"].as_array().into_iter().flatten().filter_map(|calendar| {
        let text = |key: &str| calendar[key].as_str().map(|text| text.trim().to_owned());
        Some(File { name: text("name")?, path: text("file")? })
    })
}

#[async_trait]
impl Source for File {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "file"
    }

    fn read_only(&self) -> bool {
        true
    }

    async fn load(&self, ctx: &dyn ToolContext) -> Result<Loaded, ToolError> {
        let remedy = "Correct the file in the settings of the skill calendar.";
        let path = VaultPath::parse(&self.path)
            .map_err(|error| ToolError::failed(format!("The file {} {error}.", self.path), remedy))?;
        let bytes = ctx.vault().read_file(&path).await.map_err(|error| match error {
            ToolError::Vault(VaultError::TooLarge { bytes, .. }) => ToolError::failed(
                format!("{path} has {bytes} bytes, more than the 16 MiB that are read."),
                "Export fewer events, such as those of this year.",
            ),
            error => error,
        })?;
        let calendar = Calendar::parse(&bytes).map_err(|error| {
            ToolError::failed(
                format!("{path} cannot be read: {error}."),
                "Export the calendar again, as iCalendar (.ics).",
            )
        })?;
        Ok(Loaded { agenda: Agenda::new(calendar), problems: Vec::new(), fetched: None })
    }
}
