use nova_protocol::{ErrorCode, MailboxPassword, UserError};
use nova_skill::{Consumer, Ground, Secret};
use nova_skill_mail::setting_up::credential;

use super::SKILL;
use crate::app::App;

/// A granted credential: the tool of the skill, and the credential's name.
pub(super) struct Granted {
    tool: String,
    credential: String,
}

impl App {
    /// Whether the password exists, and is granted to a tool for these servers; or why that is unknown.
    pub(super) async fn password_of(
        &self,
        credential: &str,
        servers: &[String],
    ) -> (MailboxPassword, Option<String>) {
        match self.consumer_with(credential, servers).await {
            Ok(Held::Granted(_)) => (MailboxPassword::Kept, None),
            Ok(Held::NotGranted) => (MailboxPassword::NotGranted, None),
            Ok(Held::Missing) => (MailboxPassword::Missing, None),
            Err(error) if error.code == ErrorCode::NeedsSignIn => {
                (MailboxPassword::NeedsSignIn, Some(error.message))
            }
            Err(error) => (MailboxPassword::Unknown, Some(error.message)),
        }
    }

    /// The password or token, as available to a tool with a grant for these servers; another token in place of a
    /// refused one.
    ///
    /// # Errors
    /// `credential_needed`, `credential_not_granted`, `needs_sign_in`, and when the credentials are unavailable.
    pub(super) async fn granted_password(
        &self,
        credential: &str,
        servers: &[String],
        refused: Option<&Secret>,
    ) -> Result<Secret, UserError> {
        let missing = || {
            UserError::new(
                ErrorCode::CredentialNeeded,
                format!("The password {credential} is missing."),
                "Edit the mailbox and type its password.",
            )
        };
        match self.consumer_with(credential, servers).await? {
            Held::Granted(consumer) => {
                let credentials = &self.inner.credentials;
                let secret = match refused {
                    None => credentials.secret(&consumer, credential, Ground::Grant).await,
                    Some(refused) => credentials.renewed(&consumer, credential, Ground::Grant, refused).await,
                };
                secret.map_err(UserError::from)?.ok_or_else(missing)
            }
            Held::NotGranted => Err(UserError::new(
                ErrorCode::CredentialNotGranted,
                format!("Mail may not send the password {credential} to {} yet.", servers.join(" and ")),
                "Allow it if these are the servers of the mailbox.",
            )),
            Held::Missing => Err(missing()),
        }
    }

    /// Finds a tool that reaches all these servers and has the grant.
    async fn consumer_with(&self, credential: &str, servers: &[String]) -> Result<Held, UserError> {
        let servers: Vec<String> =
            servers.iter().filter_map(|server| nova_http::declared_host(server)).collect();
        let mut state = match self.inner.user_credentials.names().await {
            Ok(names) if names.iter().any(|name| name.as_str() == credential) => Held::NotGranted,
            _ => Held::Missing,
        };
        for consumer in self.mail_tools() {
            if !servers.iter().all(|server| consumer.hosts.contains(server)) {
                continue;
            }
            let held = self.inner.credentials.held(&consumer, credential).await?;
            match held.iter().find(|held| held.name == credential) {
                Some(held) if held.granted => return Ok(Held::Granted(Box::new(consumer))),
                Some(_) => state = Held::NotGranted,
                None => {}
            }
        }
        Ok(state)
    }

    /// The grants of the skill's tools for mailbox credentials.
    pub(super) async fn granted_to_mail(&self) -> Result<Vec<Granted>, UserError> {
        let mut granted = Vec::new();
        for consumer in self.mail_tools() {
            let held = match self.inner.credentials.held(&consumer, SKILL).await {
                // All of them wait for their users.
                Err(nova_skill::ToolError::NeedsSignIn { .. }) => continue,
                held => held?,
            };
            let held = held.into_iter().filter(|held| held.granted);
            granted.extend(held.map(|held| Granted { tool: consumer.tool.clone(), credential: held.name }));
        }
        Ok(granted)
    }

    /// Renews grants after the user added or removed a server, because a grant covers all servers that a tool
    /// reaches. The credential whose own servers changed is excluded.
    pub(super) async fn keep_granted(
        &self,
        before: Vec<Granted>,
        changed: Option<&str>,
    ) -> Result<(), UserError> {
        let in_use: Vec<String> = self.mailboxes()?.iter().filter_map(credential).collect();
        let tools = self.mail_tools();
        for granted in before {
            if changed == Some(granted.credential.as_str()) || !in_use.contains(&granted.credential) {
                continue;
            }
            if let Some(tool) = tools.iter().find(|tool| tool.tool == granted.tool) {
                self.inner.credentials.grant(tool, &granted.credential).await?;
            }
        }
        Ok(())
    }

    fn mail_tools(&self) -> Vec<Consumer> {
        let snapshot = self.inner.registry.snapshot();
        let Some(skill) = snapshot.listed(SKILL) else { return Vec::new() };
        let tools = skill.tools.iter().chain(&skill.tools_not_ready);
        tools.map(|tool| nova_calls::consumer(tool, &skill.config)).collect()
    }
}

enum Held {
    Granted(Box<Consumer>),
    NotGranted,
    Missing,
}
