use nova_protocol::{MailProvider, MailboxEntry};
use nova_skill_mail::setting_up::{Provider, sign_in};
use serde_json::{Map, Value};

/// Converts an entry of the configuration for the window.
pub(super) fn entry_of(entry: &Value) -> MailboxEntry {
    let text = |key: &str| entry[key].as_str().unwrap_or_default().trim().to_owned();
    MailboxEntry {
        name: text("name"),
        imap: text("imap"),
        smtp: text("smtp"),
        user: text("user"),
        sign_in: sign_in(entry).map(shown),
        address: text("address"),
        checked_by: text("checked_by"),
        sending: entry["sending"] == "ask",
        read_only: entry["read_only"] == true,
    }
}

/// A provider as the window has it.
pub(super) fn shown(provider: Provider) -> MailProvider {
    match provider {
        Provider::Google => MailProvider::Google,
        Provider::Microsoft => MailProvider::Microsoft,
    }
}

/// Updates the entry; keys unknown to the window stay.
pub(super) fn put(entry: &mut Value, mailbox: &MailboxEntry, credential: &str) {
    let Some(entry) = entry.as_object_mut() else { return };
    let password = format!("${{credentials:{credential}}}");
    let provider = match mailbox.sign_in {
        Some(MailProvider::Google) => Provider::Google.name(),
        Some(MailProvider::Microsoft) => Provider::Microsoft.name(),
        None => "",
    };
    let texts: [(&str, &str); 8] = [
        ("name", &mailbox.name),
        ("imap", &mailbox.imap),
        ("user", &mailbox.user),
        ("password", &password),
        ("sign_in", provider),
        ("smtp", &mailbox.smtp),
        ("address", &mailbox.address),
        ("checked_by", &mailbox.checked_by),
    ];
    for (key, text) in texts {
        match text.trim() {
            "" => drop(entry.remove(key)),
            text => drop(entry.insert(key.into(), text.into())),
        }
    }
    switch(entry, "sending", mailbox.sending, "ask".into(), "off".into());
    switch(entry, "read_only", mailbox.read_only, true.into(), false.into());
}

/// Omits a key with its default value.
pub(super) fn switch(entry: &mut Map<String, Value>, key: &str, is_on: bool, on: Value, off: Value) {
    if is_on || entry.contains_key(key) {
        entry.insert(key.into(), if is_on { on } else { off });
    }
}

/// Credential key for a mailbox name: "Fernhill & Sons" → "fernhill-sons".
pub(super) fn key_of(name: &str) -> String {
    let words = name.to_lowercase();
    let words = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let key: String = words.collect::<Vec<_>>().join("-").chars().take(40).collect();
    let key = key.trim_end_matches('-');
    if key.is_empty() { "mailbox".into() } else { key.into() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entry_omits_defaults_and_keeps_unknown_keys() {
        let mailbox = MailboxEntry {
            name: " Home ".into(),
            imap: "imap.example.org".into(),
            user: "jane@example.org".into(),
            ..MailboxEntry::default()
        };
        let mut new = json!({});
        put(&mut new, &mailbox, "mail/home");
        let written = json!({
            "name": "Home", "imap": "imap.example.org", "user": "jane@example.org",
            "password": "${credentials:mail/home}",
        });
        assert_eq!(new, written);

        let mut old = json!({
            "name": "Old", "imap": "a", "user": "b", "password": "c", "smtp": "smtp.example.org", "sending": "ask",
            "read_only": true, "later": 1,
        });
        put(&mut old, &mailbox, "mail/home");
        let mut expected = written;
        expected["sending"] = "off".into();
        expected["read_only"] = false.into();
        expected["later"] = 1.into();
        assert_eq!(old, expected);
    }

    #[test]
    fn entry_round_trips() {
        let mailbox = MailboxEntry {
            name: "Work".into(),
            imap: "imap.example.org:1993".into(),
            smtp: "smtp.example.org:587".into(),
            user: "jane".into(),
            sign_in: Some(MailProvider::Microsoft),
            address: "jane@example.org".into(),
            checked_by: "mx.example.org".into(),
            sending: true,
            read_only: true,
        };
        let mut entry = json!({});
        put(&mut entry, &mailbox, "mail/work");
        assert_eq!(entry["sign_in"], "microsoft");
        assert_eq!(entry_of(&entry), mailbox);
    }

    #[test]
    fn key_is_valid_in_a_credential_name() {
        for (name, key) in [
            ("Home", "home"),
            ("Fernhill & Sons", "fernhill-sons"),
            ("  ../etc ", "etc"),
            ("日本", "mailbox"),
            ("", "mailbox"),
            (&"a".repeat(60), &"a".repeat(40)),
        ] {
            assert_eq!(key_of(name), key);
            let name: nova_credentials::CredentialName = format!("mail/{key}").parse().expect("a name");
            assert_eq!(name.service(), "mail");
        }
    }
}
