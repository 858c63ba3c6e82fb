//! Operations on configured MCP servers, for the window and the command line.

use std::time::Duration;

use nova_credentials::{Grant, Opener};
use nova_mcp::{Probed, ServerConfig, ServerReview, ServerStatus};
use nova_protocol::{ErrorCode, UserError};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::blocking::blocking;

/// Sign-ins per probe: a server may demand more scopes each time.
const SIGN_INS: usize = 3;

impl App {
    pub fn mcp_servers(&self) -> Vec<ServerStatus> {
        self.inner.mcp.statuses()
    }

    /// Invalid entries of `mcpServers`: id and reason.
    pub fn mcp_problems(&self) -> Vec<(String, String)> {
        self.inner.mcp.problems().into_iter().map(|problem| (problem.id, problem.reason)).collect()
    }

    /// What the user reviews before agreeing to a server or to its changed tools. Starts nothing.
    ///
    /// # Errors
    /// When there is no such server.
    pub async fn review_mcp_server(&self, name: &str) -> Result<ServerReview, UserError> {
        self.inner.mcp.review(name).await.ok_or_else(|| unknown_server(name))
    }

    /// Agrees to the reviewed version of a server, with the credentials it references and its listed tools;
    /// starts it if its tools are unknown.
    ///
    /// # Errors
    /// When it has changed since the review, or the agreement cannot be stored.
    pub async fn agree_to_mcp_server(&self, name: &str, fingerprint: &str) -> Result<(), UserError> {
        let config = self.mcp_server(name)?;
        let review = self.review_mcp_server(name).await?;
        if review.fingerprint != fingerprint {
            return Err(UserError::new(
                ErrorCode::SkillNeedsReview,
                format!("The server {} changed since your review.", config.name),
                format!("Review it again: nova mcp review {}.", config.name),
            ));
        }
        let (trust, of, agreed) = (self.inner.trust.clone(), config.name.clone(), review.own.clone());
        let at = self.inner.options.clock.now().to_string();
        blocking(move || Ok(trust.agree_to_server(&of, &agreed, &at)?)).await?;
        let (consumer, destination) = config.grantee();
        for credential in config.credentials() {
            let grant = Grant { credential, consumer: consumer.clone(), destination: destination.clone() };
            self.inner.user_credentials.grants.grant(grant)?;
        }
        self.forget_tools(&config.id, review.tools.iter().map(|changed| changed.tool.as_str()))?;
        self.inner.mcp.agreed_to(&review);
        self.inner.reload_registry();
        Ok(())
    }

    /// Adds a server to the configuration. It does not start before the user agrees to it.
    ///
    /// # Errors
    /// When the name is taken, or the entry is invalid; nothing is changed then.
    pub fn add_mcp_server(&self, name: &str, entry: &Value) -> Result<(), UserError> {
        let wrong = |reason: String| UserError::new(ErrorCode::BadRequest, reason, "Nothing was changed.");
        let added = ServerConfig::read(name, entry).map_err(wrong)?;
        let taken = self.inner.mcp.statuses().into_iter().find(|server| server.id == added.id);
        if let Some(taken) = taken {
            return Err(UserError::new(
                ErrorCode::BadRequest,
                format!("There is already a server \"{}\".", taken.name),
                format!("Choose another name, or run: nova mcp remove {}", taken.name),
            ));
        }
        self.change_config(|config| {
            let servers = config.entry("mcpServers").or_insert_with(|| Value::Object(Map::new()));
            if let Some(servers) = servers.as_object_mut() {
                servers.insert(name.to_owned(), entry.clone());
            }
        })
    }

    /// Removes a server from the configuration, together with the agreement.
    ///
    /// # Errors
    /// When there is no such server, or the file cannot be written.
    pub fn remove_mcp_server(&self, name: &str) -> Result<(), UserError> {
        let has = |config: &mut Map<String, Value>| {
            config
                .get_mut("mcpServers")
                .and_then(Value::as_object_mut)
                .is_some_and(|servers| servers.remove(name).is_some())
        };
        if !has(&mut self.config().whole().clone()) {
            return Err(unknown_server(name));
        }
        self.change_config(|config| {
            has(config);
        })?;
        Ok(self.inner.trust.forget_server(name)?)
    }

    /// Starts a separate instance of a server and lists its tools; with `call`, calls each of them. Probing a
    /// configured server implies agreement.
    ///
    /// # Errors
    /// Why it does not run, or why signing in failed if `opener` is given.
    pub async fn probe_mcp_server(
        &self,
        what: &str,
        call: bool,
        opener: Option<&dyn Opener>,
    ) -> Result<Probed, UserError> {
        let is_address = what.contains("://");
        let config = if is_address {
            ServerConfig::read("probe", &json!({ "url": what }))
                .map_err(|reason| UserError::new(ErrorCode::BadRequest, reason, ""))?
        } else {
            let config = self.mcp_server(what)?;
            let review = self.review_mcp_server(&config.name).await?;
            if !review.agreed {
                self.agree_to_mcp_server(&config.name, &review.fingerprint).await?;
            }
            config
        };
        let mut sign_ins = 0;
        let probed = loop {
            let (probed, wanted) = self.inner.mcp.probe(&config, call).await;
            match (wanted, opener) {
                (Some(wanted), Some(opener)) if sign_ins < SIGN_INS => {
                    if let Err(refused) = self.sign_in_for(&config, wanted, opener).await {
                        break Err(refused);
                    }
                    sign_ins += 1;
                }
                _ => break probed.map_err(UserError::from),
            }
        };
        // In any case: nothing else uses these tokens.
        if is_address && sign_ins > 0 {
            self.remove_server_sign_in(&config).await?;
        }
        probed
    }

    /// Waits until the tools of a server, or of all, are known or it has failed, with a timeout.
    pub async fn mcp_ready(&self, name: Option<&str>, at_most: Duration) {
        self.inner.mcp.ready(name, at_most).await;
        self.inner.reload_registry();
    }

    pub(crate) fn mcp_server(&self, name: &str) -> Result<ServerConfig, UserError> {
        self.inner.mcp.config(name).ok_or_else(|| unknown_server(name))
    }
}

pub(crate) fn unknown_server(name: &str) -> UserError {
    UserError::new(
        ErrorCode::UnknownSkill,
        format!("There is no MCP server \"{name}\"."),
        "List them with: nova mcp list.",
    )
}
