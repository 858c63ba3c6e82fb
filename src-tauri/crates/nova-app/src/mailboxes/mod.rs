//! Mailboxes in settings: entries of `skills.mail.config.mailboxes`.

mod entry;
mod grants;
mod reach;
mod tests_kept;
pub(crate) mod watch;

use std::cell::RefCell;

use nova_protocol::*;
use nova_skill::Secret;
use nova_skill_mail::setting_up::{
    CheckedMailbox, Kind, OwnAddress, Provider, Publisher, Step, cached, check, credential, find_servers,
    imap_begins_with_starttls, servers, sign_in, smtp_begins_with_starttls, written,
};
use serde_json::{Map, Value, json};

use self::entry::{entry_of, key_of, put, shown, switch};
use self::reach::FromSettings;
use crate::app::App;
use crate::chat::unknown_skill;
use crate::skill_rows::object_at;

/// The skill that reads mailboxes, and its configuration key for them.
const SKILL: &str = "mail";
const LIST: &str = "mailboxes";

impl App {
    pub(crate) async fn list_mailboxes(&self, _: Nothing) -> Result<MailboxesView, UserError> {
        let tests = self.tested_mailboxes().await;
        let mut mailboxes = Vec::new();
        for entry in self.mailboxes()? {
            let Some(credential) = credential(&entry) else { continue };
            let servers = servers(&entry);
            let (password, reason) = self.password_of(&credential, &servers).await;
            let mailbox = entry_of(&entry);
            let tested = tests.get(&mailbox.name).and_then(|kept| kept.of(&entry));
            let sign_in_host = self.inner.user_credentials.sign_in_host(&credential);
            let row = MailboxRow { mailbox, credential, password, reason, sign_in_host, servers, tested };
            mailboxes.push(row);
        }
        Ok(MailboxesView { mailboxes })
    }

    pub(crate) async fn find_mail_servers(&self, asked: MailAddress) -> Result<FoundMailServers, UserError> {
        let address: OwnAddress = asked.address.parse().map_err(|_| {
            let message = format!("\"{}\" is not a mailbox address.", crate::plain_line(&asked.address));
            UserError::new(ErrorCode::BadRequest, message, "Write it as jane@example.org.")
        })?;
        let found = find_servers(&self.web_of_settings(), &address).await;
        let proposed = found.proposal.map(|proposal| {
            let servers = proposal.servers;
            let hosts = std::iter::once(&servers.imap).chain(&servers.smtp).map(|server| server.host.clone());
            let mut elsewhere: Vec<String> = hosts.filter(|host| !address.owns(host)).collect();
            elsewhere.dedup();
            ProposedMailServers {
                provider: servers.provider,
                from: proposal.from,
                from_database: proposal.publisher == Publisher::Thunderbird,
                imap: written(&servers.imap, Kind::Imap),
                imap_starttls: imap_begins_with_starttls(servers.imap.port),
                smtp: servers.smtp.as_ref().map(|server| written(server, Kind::Smtp)).unwrap_or_default(),
                smtp_starttls: servers.smtp.is_some_and(|server| smtp_begins_with_starttls(server.port)),
                user: servers.user,
                sign_in: Provider::of_server(&servers.imap.host).map(shown),
                elsewhere,
                left_out: servers.left_out,
            }
        });
        let without = found.without.into_iter().map(|(host, reason)| AskedHost { host, reason });
        Ok(FoundMailServers {
            address: address.as_str().to_owned(),
            domain: address.domain().to_owned(),
            found: proposed,
            without: without.collect(),
        })
    }

    pub(crate) async fn save_mailbox(&self, save: SaveMailbox) -> Result<SavedMailbox, UserError> {
        let before = save.before.as_deref().map(|name| self.mailbox(name)).transpose()?;
        let password = save.password.map(SecretText::take).filter(|password| !password.is_empty());
        // A sign-in brings what there is to test, later.
        let password = password.filter(|_| save.mailbox.sign_in.is_none());
        let name = self.credential_for(before.as_ref(), &save.mailbox.name, password.is_some()).await?;
        let mut wanted = before.clone().unwrap_or_else(|| json!({}));
        put(&mut wanted, &save.mailbox, &name);
        self.check_mailbox_entry(before.as_ref(), &wanted)?;
        let elsewhere = before.as_ref().is_none_or(|before| {
            ["user", "sign_in"].iter().any(|key| before[key] != wanted[key])
                || servers(before) != servers(&wanted)
        });
        // The user types a password for these servers, or is going to sign in.
        let chosen = password.is_some() || (elsewhere && sign_in(&wanted).is_some());
        if elsewhere && !chosen {
            return Err(bad_request(
                "The password is missing.",
                match before {
                    Some(_) => "Type it again: it goes to another server or user now.",
                    None => "Type the password of the mailbox.",
                },
            ));
        }
        let mut test = None;
        if let (Some(password), false) = (&password, save.untested) {
            let tested = self.tested(&wanted, Secret::from(password.clone())).await?;
            if tested.steps.iter().any(|step| step.problem.is_some()) {
                return Ok(SavedMailbox { saved: false, test: Some(tested) });
            }
            test = Some(tested);
        }
        let _one_at_a_time = self.inner.mailbox_changes.lock().await;
        // Another mailbox may have been stored during the test.
        let name = self.credential_for(before.as_ref(), &save.mailbox.name, chosen).await?;
        put(&mut wanted, &save.mailbox, &name);
        self.check_mailbox_entry(before.as_ref(), &wanted)?;
        self.store_mailbox(before.as_ref(), &wanted, chosen, password.map(Secret::from)).await?;
        if let Some(tested) = &test {
            self.keep_test(&wanted, tested).await?;
        }
        Ok(SavedMailbox { saved: true, test })
    }

    pub(crate) async fn set_mailbox(&self, set: SetMailbox) -> Result<MailboxesView, UserError> {
        self.mailbox(&set.name)?;
        self.change_mailboxes(|list| {
            let entry = position(list, &set.name)?;
            let Some(entry) = list[entry].as_object_mut() else { return Ok(()) };
            if let Some(sending) = set.sending {
                switch(entry, "sending", sending, "ask".into(), "off".into());
            }
            if let Some(read_only) = set.read_only {
                switch(entry, "read_only", read_only, true.into(), false.into());
            }
            Ok(())
        })?;
        self.list_mailboxes(Nothing {}).await
    }

    pub(crate) async fn test_mailbox(&self, asked: TestMailbox) -> Result<MailboxesView, UserError> {
        let entry = self.mailbox(&asked.name)?;
        let name = credential(&entry).unwrap_or_default();
        if asked.grant {
            self.grant_credential_to(&name, &format!("skill:{SKILL}"))?;
        }
        let servers = servers(&entry);
        let password = self.granted_password(&name, &servers, None).await?;
        let mut tested = self.tested(&entry, password.clone()).await?;
        // The provider may have ended the token before its time; a password stays the same.
        if sign_in(&entry).is_some() && is_refused(&tested) {
            match self.granted_password(&name, &servers, Some(&password)).await {
                Ok(renewed) => tested = self.tested(&entry, renewed).await?,
                Err(error) => tracing::info!(code = ?error.code, "a refused token was not renewed"),
            }
        }
        self.keep_test(&entry, &tested).await?;
        self.list_mailboxes(Nothing {}).await
    }

    pub(crate) async fn remove_mailbox(&self, remove: RemoveMailbox) -> Result<MailboxesView, UserError> {
        let entry = self.mailbox(&remove.name)?;
        let sign_ins = self.inner.user_credentials.sign_ins();
        let granted = self.granted_to_mail().await?;
        self.change_mailboxes(|list| {
            let at = position(list, &remove.name)?;
            list.remove(at);
            Ok(())
        })?;
        let left = self.mailboxes()?;
        self.remove_cached(&entry).await;
        self.keep_granted(granted, None).await?;
        let name = credential(&entry)
            .filter(|name| left.iter().all(|other| credential(other).as_ref() != Some(name)));
        if let (Some(name), true) = (name, remove.password) {
            // Without its entry nobody knows where they are from.
            let parsed = name.parse()?;
            self.inner.user_credentials.revoke_tokens(&parsed, sign_ins.get(&parsed)).await;
            match self.remove_credential_named(&name).await {
                // It was never set.
                Err(error) if error.code == ErrorCode::CredentialNeeded => {}
                removed => removed?,
            }
        }
        self.list_mailboxes(Nothing {}).await
    }

    /// Stores the password, then the entry, and grants a newly entered password to the skill.
    async fn store_mailbox(
        &self,
        before: Option<&Value>,
        wanted: &Value,
        chosen: bool,
        password: Option<Secret>,
    ) -> Result<(), UserError> {
        let name: nova_credentials::CredentialName = credential(wanted).unwrap_or_default().parse()?;
        let granted = self.granted_to_mail().await?;
        let signs_in = chosen && password.is_none();
        if before.is_some_and(|before| sign_in(before) != sign_in(wanted)) {
            // Where they are from is known only until the entry says something else.
            let sign_ins = self.inner.user_credentials.sign_ins();
            self.inner.user_credentials.revoke_tokens(&name, sign_ins.get(&name)).await;
        }
        if let Some(password) = password {
            self.inner.user_credentials.set(&name, password).await?;
        }
        let written = self.change_mailboxes(|list| match before {
            None => {
                list.push(wanted.clone());
                Ok(())
            }
            Some(before) => {
                let at = position(list, before["name"].as_str().unwrap_or_default())?;
                list[at] = wanted.clone();
                Ok(())
            }
        });
        if let Err(error) = written {
            if before.is_none() {
                // Without the entry, the password is useless.
                let _ = self.inner.user_credentials.remove(&name).await;
            }
            return Err(error);
        }
        if signs_in && before.is_some() && self.inner.user_credentials.may_have_stored() {
            // It is of another account, or a password.
            self.inner.user_credentials.remove(&name).await?;
        }
        self.refresh_credentials().await;
        if let Some(before) = before.filter(|before| cached(before) != cached(wanted)) {
            self.remove_cached(before).await;
        }
        let changed = before.is_none_or(|before| servers(before) != servers(wanted));
        if changed {
            // Grants for the previous servers do not cover the new ones.
            self.inner.user_credentials.grants.revoke(&name, None)?;
        }
        self.keep_granted(granted, changed.then_some(name.as_str())).await?;
        if chosen && let Err(error) = self.grant_credential_to(name.as_str(), &format!("skill:{SKILL}")) {
            // A disabled skill has no tools; their first call will ask.
            tracing::info!(%name, error = error.message, "the password is not granted yet");
        }
        Ok(())
    }

    /// Removes the cached headers of a mailbox.
    async fn remove_cached(&self, entry: &Value) {
        let cache = self.inner.stores.cache();
        for key in cached(entry) {
            if let Err(error) = cache.remove(&key).await {
                tracing::warn!(%error, "cached headers of a mailbox are still there");
            }
        }
    }

    /// The entries in force.
    fn mailboxes(&self) -> Result<Vec<Value>, UserError> {
        let snapshot = self.inner.registry.snapshot();
        let skill = snapshot.listed(SKILL).ok_or_else(|| unknown_skill(&snapshot, SKILL))?;
        Ok(skill.config[LIST].as_array().cloned().unwrap_or_default())
    }

    fn mailbox(&self, name: &str) -> Result<Value, UserError> {
        let mut list = self.mailboxes()?;
        let at = position(&list, name)?;
        Ok(list.swap_remove(at))
    }

    /// Refuses an entry that the skill could not use, and a duplicate name.
    fn check_mailbox_entry(&self, before: Option<&Value>, wanted: &Value) -> Result<(), UserError> {
        if let Some(fault) = nova_skill_mail::setting_up::fault(wanted) {
            return Err(bad_request(fault, "Nothing was stored."));
        }
        let mut list = self.mailboxes()?;
        if let Some(before) = before {
            list.retain(|entry| entry["name"] != before["name"]);
        }
        let named = |entry: &Value| nova_skill::figures::folded(entry["name"].as_str().unwrap_or_default());
        if list.iter().any(|entry| named(entry) == named(wanted)) {
            return Err(bad_request(
                format!("There is already a mailbox \"{}\".", wanted["name"].as_str().unwrap_or_default()),
                "Choose another name.",
            ));
        }
        let snapshot = self.inner.registry.snapshot();
        let skill = snapshot.listed(SKILL).ok_or_else(|| unknown_skill(&snapshot, SKILL))?;
        let faults = skill.faults_of_config(&json!({LIST: [wanted]}), &snapshot.type_owners());
        if faults.is_empty() { Ok(()) } else { Err(bad_request(faults.join(" "), "Nothing was stored.")) }
    }

    /// The mailbox's credential; a new one if it has none, or if a new password would change that of another
    /// mailbox.
    async fn credential_for(
        &self,
        before: Option<&Value>,
        name: &str,
        typed: bool,
    ) -> Result<String, UserError> {
        let others = self.mailboxes()?;
        let others =
            others.iter().filter(|entry| before.is_none_or(|before| before["name"] != entry["name"]));
        let others: Vec<String> = others.filter_map(credential).collect();
        if let Some(own) = before.and_then(credential).filter(|own| !typed || !others.contains(own)) {
            return Ok(own);
        }
        let kept = self.inner.user_credentials.names().await?;
        // Not the name of the skill's own requirement, which could be set as a credential.
        let own = format!("{SKILL}/{LIST}");
        let mut taken: Vec<&str> = kept.iter().map(|name| name.as_str()).collect();
        taken.extend(others.iter().map(String::as_str).chain([own.as_str()]));
        let is_taken = |name: &String| taken.iter().any(|taken| taken.eq_ignore_ascii_case(name));
        let key = key_of(name);
        let mut names =
            std::iter::once(format!("{SKILL}/{key}")).chain((2..=999).map(|n| format!("{SKILL}/{key}-{n}")));
        names.find(|name| !is_taken(name)).ok_or_else(|| {
            bad_request(
                "Too many passwords of that name are stored.",
                "Remove some in Settings, Credentials.",
            )
        })
    }

    /// Edits the list in the file. If `edit` refuses, nothing is changed.
    fn change_mailboxes(
        &self,
        edit: impl Fn(&mut Vec<Value>) -> Result<(), UserError>,
    ) -> Result<(), UserError> {
        let refused = RefCell::new(Ok(()));
        self.change_skill(SKILL, |skill: &mut Map<String, Value>| {
            let Some(config) = object_at(skill, "config") else { return };
            let list = config.entry(LIST).or_insert_with(|| json!([]));
            if let Some(list) = list.as_array_mut() {
                *refused.borrow_mut() = edit(list);
            }
        })?;
        refused.into_inner()
    }

    fn web_of_settings(&self) -> FromSettings {
        FromSettings(self.inner.options.web.clone())
    }

    async fn tested(&self, entry: &Value, password: Secret) -> Result<MailboxTest, UserError> {
        let CheckedMailbox { steps, unread } = check(&self.web_of_settings(), entry, password)
            .await
            .ok_or_else(|| bad_request("The mailbox has no server.", "Set its IMAP server."))?;
        let steps = steps.into_iter().map(|step| MailboxStep {
            step: match step.step {
                Step::Connect => MailboxStepKind::Connect,
                Step::SignIn => MailboxStepKind::SignIn,
                Step::Folders => MailboxStepKind::Folders,
                Step::ConnectToSend => MailboxStepKind::ConnectToSend,
                Step::SignInToSend => MailboxStepKind::SignInToSend,
            },
            server: step.server,
            problem: step.problem.map(|problem| MailboxProblem {
                message: problem.message,
                hint: problem.hint,
                refused: problem.refused,
            }),
        });
        let at = self.inner.options.clock.now().to_string();
        Ok(MailboxTest { at, steps: steps.collect(), unread })
    }
}

/// # Errors
/// When no mailbox has that name.
fn position(list: &[Value], name: &str) -> Result<usize, UserError> {
    let found = list.iter().position(|entry| entry["name"] == name);
    found.ok_or_else(|| {
        bad_request(
            format!("There is no mailbox \"{name}\"."),
            "It was renamed or removed: look at the list again.",
        )
    })
}

fn is_refused(test: &MailboxTest) -> bool {
    test.steps.iter().any(|step| step.problem.as_ref().is_some_and(|problem| problem.refused))
}

fn bad_request(message: impl Into<String>, hint: impl Into<String>) -> UserError {
    UserError::new(ErrorCode::BadRequest, message, hint)
}
