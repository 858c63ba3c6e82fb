//! Commands for providers and models.

use nova_protocol::{
    ErrorCode, Event, ListProviders, Nothing, ProviderRef, ProviderRow, SetFavourite, SetModel, UserError,
};
use serde_json::Value;

use crate::app::App;

impl App {
    pub(crate) async fn list_providers(&self, list: ListProviders) -> Result<Vec<ProviderRow>, UserError> {
        if list.again {
            self.inner.models.clear_lists();
        }
        Ok(self.list_provider_rows().await)
    }

    pub(crate) async fn agree_provider(&self, provider: ProviderRef) -> Result<Nothing, UserError> {
        match &provider.host {
            Some(host) => self.agree_to_host(&provider.provider, host).await?,
            None => self.agree_to_provider(&provider.provider).await?,
        }
        Ok(Nothing {})
    }

    pub(crate) async fn revoke_provider(&self, provider: ProviderRef) -> Result<Nothing, UserError> {
        self.revoke_provider_agreement(&provider.provider, provider.host.as_deref())?;
        Ok(Nothing {})
    }

    pub(crate) async fn set_model(&self, set: SetModel) -> Result<Nothing, UserError> {
        match set.session {
            Some(session) => {
                self.inner.store.set_model(&session, &set.model).await?;
                self.emit(Event::SessionChanged { id: session });
            }
            None => self.change_config(|config| {
                config.insert("model".into(), Value::String(set.model.clone()));
            })?,
        }
        Ok(Nothing {})
    }

    pub(crate) async fn set_favourite(&self, set: SetFavourite) -> Result<Nothing, UserError> {
        if !set.model.contains('/') {
            return Err(UserError::new(
                ErrorCode::UnknownModel,
                format!("\"{}\" is not a model.", set.model),
                "Write it as provider/model.",
            ));
        }
        self.change_config(|config| {
            let favourites = config.entry("favourites").or_insert_with(|| Value::Array(Vec::new()));
            if let Some(favourites) = favourites.as_array_mut() {
                favourites.retain(|model| model.as_str() != Some(&set.model));
                if set.favourite {
                    favourites.push(Value::String(set.model.clone()));
                }
            }
        })?;
        Ok(Nothing {})
    }
}
