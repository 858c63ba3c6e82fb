//! Adds a provider with a key, after testing it.

use std::time::Duration;

use futures::StreamExt as _;
use nova_protocol::{CheckedProvider, ErrorCode, NewProvider, Nothing, SecretText, SetContext, UserError};
use nova_provider::{
    ChatEvent, ChatRequest, Limits, Locality, Message, ModelInfo, Provider, ProviderError, ProviderKind,
    ToolChoice, connect, default_address, locality_of,
};
use nova_skill::Secret;
use secrecy::SecretString;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::config::ProviderConfig;
use crate::credentials::provider_keys::own_key;

/// Number of models tried before the provider counts as unresponsive: a list may begin with models that do
/// not chat.
const MODELS_ASKED: usize = 4;

/// Timeout: the user is waiting at a button.
const PATIENCE: Duration = Duration::from_secs(20);

/// In tokens, above the limit of any model.
const MOST_CONTEXT: u64 = 10_000_000;

impl App {
    /// Requests the provider's models, and one word from one of them.
    ///
    /// # Errors
    /// With the remedy, when the input is invalid or the provider does not answer.
    pub(crate) async fn check_provider(&self, new: NewProvider) -> Result<CheckedProvider, UserError> {
        let config = checked_entries(&new)?;
        let key = key_of(&new);
        let mut settings = self.settings(&config);
        settings.limits = Limits { connect: PATIENCE, read: PATIENCE, tries: 1, ..Limits::default() };
        settings.key = std::sync::Arc::new(move || key.clone());
        let provider = connect(config.kind.clone(), settings)?;
        let said = async {
            let models = provider.models().await?;
            let mut talking: Vec<ModelInfo> = models.into_iter().filter(|model| talks(&model.id)).collect();
            let answered = first_that_answers(provider.as_ref(), &talking).await?;
            let first = talking.remove(answered);
            talking.insert(0, first);
            Ok(talking)
        };
        let models = said.await.map_err(|error| in_place(&error))?;
        self.inner.models.note_list(&config, models.clone());
        let (local, host) = match provider.locality() {
            Locality::Local => (true, address(&config)),
            Locality::Remote { host } => (false, host),
        };
        let without_tools = models.iter().filter(|model| model.tools == Some(false));
        Ok(CheckedProvider {
            host,
            local,
            passed_on: if local { self.passed_on(&new.id, &models) } else { Vec::new() },
            without_tools: without_tools.map(|model| model.id.clone()).collect(),
            models: models.into_iter().map(|model| model.id).collect(),
        })
    }

    /// Tests the provider, then stores its key and adds it to `nova.config.json`.
    ///
    /// # Errors
    /// As for [`Self::check_new_provider`], when the credentials are unavailable, and when the file cannot be
    /// written. The file is not changed then.
    pub(crate) async fn add_provider(&self, new: NewProvider) -> Result<CheckedProvider, UserError> {
        let config = checked_entries(&new)?;
        self.refuse_another(&config)?;
        let checked = self.check_provider(new.clone()).await?;
        let name = match new.key.map(SecretText::take).filter(|key| !key.trim().is_empty()) {
            None => None,
            Some(key) => {
                let name: nova_credentials::CredentialName = own_key(&config.id).parse()?;
                let secret = Secret::from(key.trim().to_owned());
                self.inner.user_credentials.set(&name, secret).await?;
                Some(name)
            }
        };
        let reference = name.as_ref().map(|name| format!("${{credentials:{name}}}"));
        self.change_config(|root| put(root, &config, reference.as_deref()))?;
        if let Some(name) = name {
            self.grant_credential_to(name.as_str(), &format!("provider:{}", config.id))?;
            self.refresh_credentials().await;
        }
        Ok(checked)
    }

    /// Sets the context window of a configured provider.
    pub(crate) async fn set_context(&self, set: SetContext) -> Result<Nothing, UserError> {
        let (id, context) = (set.provider, set.context);
        let wrong = |message: String| {
            Err(UserError::new(ErrorCode::BadRequest, message, "Set its `context` in nova.config.json."))
        };
        if !(1..=MOST_CONTEXT).contains(&context) {
            return wrong(format!("The context must be 1 to {MOST_CONTEXT} tokens, not {context}."));
        }
        if !self.config().providers.iter().any(|provider| provider.id == id) {
            return wrong(format!("There is no provider \"{id}\" in nova.config.json."));
        }
        self.change_config(|root| {
            let providers = root.get_mut("providers").and_then(Value::as_array_mut).into_iter().flatten();
            for provider in providers.filter(|provider| provider["id"] == id) {
                provider["context"] = context.into();
            }
        })?;
        Ok(Nothing {})
    }

    /// Refuses an id that another provider has.
    fn refuse_another(&self, new: &ProviderConfig) -> Result<(), UserError> {
        let taken = self.config().providers.into_iter().find(|provider| provider.id == new.id);
        match taken {
            Some(taken) if taken.kind != new.kind || address(&taken) != address(new) => Err(UserError::new(
                ErrorCode::BadRequest,
                format!("The provider \"{}\" already exists, at {}.", taken.id, address(&taken)),
                "Choose another name, or remove the old one from nova.config.json.",
            )),
            _ => Ok(()),
        }
    }
}

/// Validates the input; returns the entry without its key.
fn checked_entries(new: &NewProvider) -> Result<ProviderConfig, UserError> {
    let wrong = |message: String, hint: &str| Err(UserError::new(ErrorCode::BadRequest, message, hint));
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !new.id.starts_with(|c: char| c.is_ascii_alphanumeric())
        || new.id.len() > 64
        || !new.id.chars().all(fits)
    {
        return wrong(
            format!("\"{}\" is not a valid provider name.", new.id.escape_debug()),
            "Use letters, digits, - and _.",
        );
    }
    let kind = new.kind.clone();
    let Some(usual) = default_address(&kind) else {
        return wrong(
            format!("Unknown kind \"{}\".", kind.as_str().escape_debug()),
            &format!("Use {}.", ProviderKind::choices()),
        );
    };
    let written = new.base_url.as_deref().map(str::trim).filter(|address| !address.is_empty());
    let Ok(url) = url::Url::parse(written.unwrap_or(usual)) else {
        return wrong("The address is invalid.".into(), "Write it as https://host/v1.");
    };
    let key = new.key.clone().map(SecretText::take).unwrap_or_default();
    let local = locality_of(&url) == Locality::Local;
    if url.scheme() == "http" && !local && !key.trim().is_empty() {
        return wrong(
            format!(
                "Over plain http, anyone on the network path to {} could read the key.",
                url.host_str().unwrap_or_default()
            ),
            "Use an https address, or reach the server through a tunnel at http://localhost (ssh -L).",
        );
    }
    if key.trim().chars().any(|c| !c.is_ascii_graphic()) {
        return wrong(
            "A key has no spaces, line breaks or special characters.".into(),
            "Copy the key again, without anything around it.",
        );
    }
    let base_url = written.map(|address| address.trim_end_matches('/').to_owned());
    Ok(ProviderConfig { base_url, ..ProviderConfig::new(&new.id, kind) })
}

fn key_of(new: &NewProvider) -> Option<SecretString> {
    let key = new.key.clone()?.take();
    Some(key.trim()).filter(|key| !key.is_empty()).map(SecretString::from)
}

fn address(config: &ProviderConfig) -> String {
    config.address().unwrap_or_default().trim_end_matches('/').to_owned()
}

/// Adds the entry, or corrects the key of an existing one.
fn put(root: &mut Map<String, Value>, new: &ProviderConfig, key: Option<&str>) {
    let providers = root.entry("providers").or_insert_with(|| json!([]));
    let Some(providers) = providers.as_array_mut() else { return };
    let at = providers.iter().position(|entry| entry["id"] == new.id.as_str()).unwrap_or_else(|| {
        let mut entry = Map::new();
        entry.insert("id".into(), new.id.clone().into());
        entry.insert("kind".into(), new.kind.as_str().into());
        if let Some(base_url) = &new.base_url {
            entry.insert("base_url".into(), base_url.clone().into());
        }
        providers.push(Value::Object(entry));
        providers.len() - 1
    });
    if let (Some(key), Some(entry)) = (key, providers[at].as_object_mut()) {
        entry.insert("api_key".into(), key.into());
    }
}

/// Excludes models for other purposes by words in their names.
fn talks(model: &str) -> bool {
    const OTHER_WORK: [&str; 17] = [
        "audio",
        "babbage",
        "computer-use",
        "dall-e",
        "davinci",
        "deep-research",
        "embed",
        "image",
        "moderation",
        "ocr",
        "realtime",
        "rerank",
        "robotics",
        "sora",
        "transcribe",
        "tts",
        "whisper",
    ];
    let model = model.to_lowercase();
    !OTHER_WORK.iter().any(|word| model.contains(word))
}

/// The index of the first model that answers.
async fn first_that_answers(provider: &dyn Provider, models: &[ModelInfo]) -> Result<usize, ProviderError> {
    let mut said = ProviderError::BadResponse {
        provider: provider.id().to_owned(),
        reason: "it lists no chat model".into(),
    };
    for (at, model) in models.iter().take(MODELS_ASKED).enumerate() {
        match one_word(provider, &model.id).await {
            Ok(()) => return Ok(at),
            // Specific to this model, not to the key.
            Err(
                error @ (ProviderError::ModelNotFound { .. }
                | ProviderError::BadResponse { .. }
                // Some have quotas per model, and none for the largest with a free key.
                | ProviderError::RateLimited { .. }
                | ProviderError::Failed { status: Some(400 | 404 | 422), .. }),
            ) => said = error,
            Err(error) => return Err(error),
        }
    }
    Err(said)
}

/// Requests one word, without any user data.
async fn one_word(provider: &dyn Provider, model: &str) -> Result<(), ProviderError> {
    let request = ChatRequest {
        model: model.to_owned(),
        system: String::new(),
        messages: vec![Message::User { content: "Say ok.".into(), images: Vec::new() }],
        tools: Vec::new(),
        deferred: Vec::new(),
        tool_choice: ToolChoice::Auto,
        max_output: Some(16),
    };
    let asking = async {
        let mut answer = provider.stream(&request, CancellationToken::new()).await?;
        while let Some(event) = answer.next().await {
            if let ChatEvent::End(_) = event? {
                return Ok(());
            }
        }
        Err(ProviderError::Truncated)
    };
    tokio::time::timeout(PATIENCE, asking).await.unwrap_or(Err(ProviderError::Timeout { after: PATIENCE }))
}

/// Converts an error, with the remedy for a key that was just pasted.
fn in_place(error: &ProviderError) -> UserError {
    let mut said = UserError::from(error);
    match error {
        ProviderError::RefusedKey { .. } => {
            said.hint = "Copy the whole key again, or create a new one at the provider.".into();
        }
        ProviderError::Unreachable { local: false, .. } | ProviderError::Timeout { .. } => {
            said.hint = "Check the network and the address, then try again.".into();
        }
        ProviderError::Unreachable { local: true, .. } => {
            said.hint = "Start the model server, then try again.".into();
        }
        ProviderError::RateLimited { .. } => {
            said.hint =
                "The key is valid, but the account accepts no requests: check its credit, or wait.".into();
        }
        ProviderError::BadResponse { .. } => {
            said.hint = "Check the address; for servers that copy OpenAI it usually ends in /v1.".into();
        }
        _ => {}
    }
    said
}
