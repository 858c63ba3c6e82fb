use std::path::Path;
use std::sync::Arc;

use crate::desktop::Desktop;
use crate::trust::Trust;

const TITLE: &str = "Run TypeScript tools unconfined?";
const TEXT: &str = "This system has neither Landlock nor seccomp. A TypeScript tool would be kept from your files \
                    and the network by its script engine alone, and a flaw in the engine could give it both.";

/// Whether TypeScript tools may run unconfined on systems without confinement. The user is asked once.
pub struct Unconfined {
    trust: Trust,
    desktop: Arc<dyn Desktop>,
    asking: tokio::sync::Mutex<()>,
}

impl Unconfined {
    pub fn new(data: &Path, desktop: Arc<dyn Desktop>) -> Self {
        Self { trust: Trust::new(data), desktop, asking: tokio::sync::Mutex::default() }
    }

    /// The user's answer; false without one if nobody can be asked.
    pub async fn is_allowed(&self) -> bool {
        let _one_at_a_time = self.asking.lock().await;
        if let Some(answer) = self.trust.unconfined() {
            return answer;
        }
        let Some(answer) = self.desktop.confirm(TITLE, TEXT).await else { return false };
        if let Err(error) = self.trust.answer_unconfined(answer) {
            tracing::warn!(%error, "cannot save the answer about unconfined tools");
        }
        answer
    }
}
