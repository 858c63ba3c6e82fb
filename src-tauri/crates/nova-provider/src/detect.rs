use std::time::Duration;

use crate::settings::Limits;
use crate::{ModelInfo, ProviderError, ProviderKind, ProviderSettings, connect};

/// How long a running server may be silent.
const SILENCE: Duration = Duration::from_secs(1);
/// How long it may take to say which models it has, and what each of them can.
const WHOLE: Duration = Duration::from_secs(3);

/// Asks the server at `address` for its models. An error means that there is none, or nothing that
/// speaks as this `kind` of server does; it comes within a second from one that is silent.
///
/// Nothing secret is sent: the user has not chosen the server at that port.
pub async fn detect(kind: impl Into<ProviderKind>, address: &str) -> Result<Vec<ModelInfo>, ProviderError> {
    let kind = kind.into();
    let settings = ProviderSettings {
        base_url: Some(address.to_owned()),
        limits: Limits { connect: SILENCE, read: SILENCE, tries: 1, ..Limits::default() },
        ..ProviderSettings::new(kind.as_str())
    };
    let provider = connect(kind, settings)?;
    // The limits above are per read.
    tokio::time::timeout(WHOLE, provider.models())
        .await
        .unwrap_or(Err(ProviderError::Timeout { after: WHOLE }))
}
