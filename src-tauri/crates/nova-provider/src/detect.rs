use std::time::Duration;

use crate::settings::Limits;
use crate::{ModelInfo, ProviderError, ProviderKind, ProviderSettings, connect};

/// Maximum time without data from a running server.
const SILENCE: Duration = Duration::from_secs(1);
/// Maximum time for listing its models with their capabilities.
const WHOLE: Duration = Duration::from_secs(3);

/// Asks the server at `address` for its models. An error means that there is no server, or not one of this
/// `kind`; a silent server fails within a second.
///
/// No secret is sent: the user has not chosen the server at that port.
pub async fn detect(kind: impl Into<ProviderKind>, address: &str) -> Result<Vec<ModelInfo>, ProviderError> {
    let kind = kind.into();
    let settings = ProviderSettings {
        base_url: Some(address.to_owned()),
        limits: Limits { connect: SILENCE, read: SILENCE, tries: 1, ..Limits::default() },
        ..ProviderSettings::new(kind.as_str())
    };
    let provider = connect(kind, settings)?;
    // The limits above apply to each read.
    tokio::time::timeout(WHOLE, provider.models())
        .await
        .unwrap_or(Err(ProviderError::Timeout { after: WHOLE }))
}
