use nova_dav::events::Agenda;
use nova_dav::ical::Calendar;
use nova_skill::jiff::Timestamp;
use nova_skill::{ContentHash, ToolContext, ToolError, Value, async_trait};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{Loaded, Source};

/// A calendar at an address, as last fetched.
pub(crate) struct Address {
    pub(crate) name: String,
    pub(crate) url: Url,
}

/// The stored part of a response.
#[derive(Serialize, Deserialize)]
pub(crate) struct Fetched {
    pub(crate) at: Timestamp,
    pub(crate) etag: Option<String>,
    pub(crate) modified: Option<String>,
    pub(crate) text: String,
}

/// The addresses of the skill's configuration; invalid ones are skipped.
pub(crate) fn configured(config: &Value) -> impl Iterator<Item = Address> {
    config["calendars"].as_array().into_iter().flatten().filter_map(|calendar| {
        let address = calendar["address"].as_str()?.trim();
        // Calendar programs write it for https.
        let address =
            address.strip_prefix("webcal://").map_or(address.to_owned(), |rest| format!("https://{rest}"));
        let url = Url::parse(&address).ok().filter(|url| matches!(url.scheme(), "https" | "http"))?;
        Some(Address { name: calendar["name"].as_str()?.trim().to_owned(), url })
    })
}

impl Address {
    pub(crate) async fn fetched(&self, ctx: &dyn ToolContext) -> Result<Option<Fetched>, ToolError> {
        let kept = ctx.store().get(&self.key()).await?;
        // Unreadable data is fetched again.
        Ok(kept.and_then(|kept| nova_skill::serde_json::from_value(kept).ok()))
    }

    pub(crate) async fn keep(&self, ctx: &dyn ToolContext, fetched: &Fetched) -> Result<(), ToolError> {
        let value = nova_skill::serde_json::to_value(fetched)
            .map_err(|error| ToolError::failed(format!("{} cannot be stored: {error}.", self.name), ""))?;
        ctx.store().set(&self.key(), value).await
    }

    /// The address may be a secret, so it is hashed.
    fn key(&self) -> String {
        format!("fetched-{}", ContentHash::of(self.url.as_str().as_bytes()))
    }
}

#[async_trait]
impl Source for Address {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "address"
    }

    fn read_only(&self) -> bool {
        true
    }

    async fn load(&self, ctx: &dyn ToolContext) -> Result<Loaded, ToolError> {
        let Some(fetched) = self.fetched(ctx).await? else {
            return Err(ToolError::failed(
                format!("{} has not been fetched yet.", self.name),
                "Call calendar.refresh_calendars.",
            ));
        };
        let calendar = Calendar::parse(fetched.text.as_bytes()).map_err(|error| {
            ToolError::failed(
                format!("{} cannot be read: {error}.", self.name),
                "Call calendar.refresh_calendars.",
            )
        })?;
        Ok(Loaded { agenda: Agenda::new(calendar), problems: Vec::new(), fetched: Some(fetched.at) })
    }
}
