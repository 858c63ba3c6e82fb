//! Mailboxes and calendars whose entry says `sign_in`: their credentials are got at a provider that Nova knows.

use std::collections::BTreeMap;

use nova_credentials::{Access, CredentialError, CredentialName, Provider};
use nova_registry::Settings;
use serde_json::Value;

/// Whose sign-ins, in which list of its configuration, and for what.
const LISTS: [(&str, &str, Access); 2] =
    [("mail", "mailboxes", Access::Mail), ("calendar", "calendars", Access::Calendar)];

/// A sign-in with the user's own client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSignIn {
    pub(super) provider: Provider,
    pub(super) access: Access,
    /// The account that is proposed to sign in with.
    pub(super) user: Option<String>,
}

impl KnownSignIn {
    /// What the user has to keep of their client.
    pub(super) fn wanted(&self) -> Result<Vec<CredentialName>, CredentialError> {
        let [id, secret] = self.client()?;
        Ok(if self.provider.has_client_secret() { vec![id, secret] } else { vec![id] })
    }

    /// Its id, and its secret, which a public client has none of.
    pub(super) fn client(&self) -> Result<[CredentialName; 2], CredentialError> {
        Ok([self.provider.client_id(self.access)?, self.provider.client_secret(self.access)?])
    }
}

/// Those of the entries of the skills in force, by credential. A credential belongs to the skill whose entry names it.
pub(crate) fn of_entries(skills: &Settings) -> BTreeMap<CredentialName, KnownSignIn> {
    let mut all = BTreeMap::new();
    for (skill, list, access) in LISTS {
        let entries = skills.of(skill).and_then(|own| own.config[list].as_array());
        for entry in entries.into_iter().flatten() {
            if let Some((name, sign_in)) = of_entry(skill, entry, access) {
                all.entry(name).or_insert(sign_in);
            }
        }
    }
    all
}

fn of_entry(skill: &str, entry: &Value, access: Access) -> Option<(CredentialName, KnownSignIn)> {
    let provider = Provider::named(entry["sign_in"].as_str()?.trim()).filter(|known| known.offers(access))?;
    let written = entry["password"].as_str()?.trim();
    let name: CredentialName = written.strip_prefix("${credentials:")?.strip_suffix('}')?.parse().ok()?;
    if name.service() != skill {
        return None;
    }
    let addresses = ["user", "email", "address"].into_iter().filter_map(|key| entry[key].as_str());
    let user = addresses.map(str::trim).find(|address| address.contains('@')).map(str::to_owned);
    Some((name, KnownSignIn { provider, access, user }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_entry_is_signed_in_for_at_its_provider() {
        let mailbox = |name: &str, sign_in: &str, password: &str| json!({"name": name, "sign_in": sign_in, "user": "jane@x.example", "password": password});
        let settings = json!({
            "mail": {"config": {"mailboxes": [
                mailbox("Home", "google", "${credentials:mail/home}"),
                mailbox("Work", "microsoft", "${credentials:mail/work}"),
                mailbox("Odd", "yahoo", "${credentials:mail/odd}"),
                mailbox("Keys", "google", "${credentials:openai/key}"),
                {"name": "Old", "password": "${credentials:mail/old}"},
            ]}},
            "calendar": {"config": {"calendars": [
                {"name": "Own", "sign_in": "google", "password": "${credentials:calendar/own}"},
                {"name": "Outlook", "sign_in": "microsoft", "password": "${credentials:calendar/outlook}"},
            ]}},
        });
        let settings = crate::skill_settings::read(Some(&settings)).expect("settings");
        let known = of_entries(&settings);
        let known: Vec<_> = known
            .iter()
            .map(|(name, known)| (name.as_str(), known.provider, known.access, known.user.as_deref()))
            .collect();
        assert_eq!(
            known,
            [
                ("calendar/own", Provider::Google, Access::Calendar, None),
                ("mail/home", Provider::Google, Access::Mail, Some("jane@x.example")),
                ("mail/work", Provider::Microsoft, Access::Mail, Some("jane@x.example")),
            ]
        );
    }
}
