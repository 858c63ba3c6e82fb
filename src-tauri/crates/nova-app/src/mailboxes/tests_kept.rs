//! The last test of each mailbox, in the skill's store. It is valid for the tested servers and user only.

use std::collections::BTreeMap;

use nova_protocol::{MailboxTest, UserError};
use nova_skill_mail::setting_up::servers;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::SKILL;
use crate::app::App;

/// Key in the store.
const KEY: &str = "tests";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct KeptTest {
    of: String,
    test: MailboxTest,
}

impl KeptTest {
    /// `None` if the mailbox has other servers or another user now.
    pub(super) fn of(&self, entry: &Value) -> Option<MailboxTest> {
        (self.of == tested_of(entry)).then(|| self.test.clone())
    }
}

fn tested_of(entry: &Value) -> String {
    format!("{} {}", servers(entry).join(" "), entry["user"])
}

impl App {
    /// By mailbox name.
    pub(super) async fn tested_mailboxes(&self) -> BTreeMap<String, KeptTest> {
        // On an error, nothing counts as tested.
        let kept = self.inner.stores.of(SKILL).get(KEY).await.ok().flatten();
        kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default()
    }

    /// Stores a test, and deletes those of removed mailboxes.
    pub(super) async fn keep_test(&self, entry: &Value, test: &MailboxTest) -> Result<(), UserError> {
        let store = self.inner.stores.of(SKILL);
        let name = entry["name"].as_str().unwrap_or_default().to_owned();
        let names: Vec<Value> = self.mailboxes()?.into_iter().map(|entry| entry["name"].clone()).collect();
        loop {
            let before = store.get(KEY).await?;
            let kept = before.clone().and_then(|kept| serde_json::from_value(kept).ok());
            let mut tests: BTreeMap<String, KeptTest> = kept.unwrap_or_default();
            tests.retain(|name, _| names.iter().any(|known| known == name));
            tests.insert(name.clone(), KeptTest { of: tested_of(entry), test: test.clone() });
            let now = serde_json::to_value(tests).unwrap_or_default();
            if store.replace(KEY, before.as_ref(), now).await? {
                return Ok(());
            }
        }
    }
}
