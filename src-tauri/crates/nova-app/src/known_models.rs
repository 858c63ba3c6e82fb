//! What providers reported about their models since the start.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use nova_provider::ModelInfo;

use crate::config::ProviderConfig;

#[derive(Default)]
pub(crate) struct KnownModels {
    /// By `provider/model`, normalised.
    reported: Mutex<HashMap<String, ReportedModel>>,
    lists: Mutex<ModelLists>,
}

/// The last list of each provider, by id, kind and URL.
type ModelLists = HashMap<[String; 3], (Instant, Vec<ModelInfo>)>;

#[derive(Clone, Copy, Default)]
struct ReportedModel {
    /// In tokens.
    context: Option<u64>,
    images: Option<bool>,
}

impl KnownModels {
    /// Records what a provider reports about a model, `provider/model`. Missing values do not erase earlier
    /// ones.
    pub(crate) fn note(&self, name: &str, model: &ModelInfo) {
        let mut known = self.reported();
        let reported = known.entry(folded(name)).or_default();
        reported.context = model.context.or(reported.context);
        reported.images = model.images.or(reported.images);
    }

    /// In tokens.
    pub(crate) fn context(&self, name: &str) -> Option<u64> {
        self.reported().get(&folded(name))?.context
    }

    pub(crate) fn takes_images(&self, name: &str) -> Option<bool> {
        self.reported().get(&folded(name))?.images
    }

    /// The last list of a provider, and its time.
    pub(crate) fn listed(&self, config: &ProviderConfig) -> Option<(Instant, Vec<ModelInfo>)> {
        self.lists().get(&list_key(config)).cloned()
    }

    pub(crate) fn note_list(&self, config: &ProviderConfig, models: Vec<ModelInfo>) {
        self.lists().insert(list_key(config), (Instant::now(), models));
    }

    /// Invalidates the lists, so that they are requested again.
    pub(crate) fn clear_lists(&self) {
        self.lists().clear();
    }

    fn reported(&self) -> MutexGuard<'_, HashMap<String, ReportedModel>> {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lists(&self) -> MutexGuard<'_, ModelLists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn list_key(config: &ProviderConfig) -> [String; 3] {
    [config.id.clone(), config.kind.to_string(), config.address().unwrap_or_default().to_owned()]
}

/// Normalises the spelling of a model: [`nova_provider::is_same_model`].
fn folded(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    name.strip_suffix(":latest").map(str::to_owned).unwrap_or(name)
}
