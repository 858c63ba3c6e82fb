//! How far a running tool reaches beyond its notes: the web, and secrets.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use nova_http::Web;
use nova_protocol::Event;
use nova_registry::ToolEntry;
use nova_skill::{
    Consumer, CredentialSource, Credentials, HttpRequest, HttpResponse, Secret, Source, ToolError, ToolHttp,
};
use tokio_util::sync::CancellationToken;

use crate::CallEvents;
use crate::hosts::CallHosts;
use crate::secrets::Secrets;

/// The web, as one call may use it.
#[derive(Clone)]
pub(crate) struct CallHttp {
    pub(crate) web: Arc<Web>,
    pub(crate) hosts: Arc<CallHosts>,
    pub(crate) heard: Arc<Heard>,
    /// Set when the tool has ended, whatever it left running.
    pub(crate) ended: CancellationToken,
}

#[async_trait]
impl ToolHttp for CallHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, ToolError> {
        let response = tokio::select! {
            biased;
            () = self.ended.cancelled() => return Err(ToolError::Cancelled),
            response = self.web.send(request, self.hosts.as_ref()) => response?,
        };
        self.heard.add(&response);
        Ok(response)
    }
}

/// Where the answers that a call got from the web came from.
#[derive(Default)]
pub(crate) struct Heard(Mutex<Vec<Source>>);

impl Heard {
    fn add(&self, response: &HttpResponse) {
        // A query can carry keys: only the place is kept.
        let mut url = response.url.clone();
        url.set_query(None);
        url.set_fragment(None);
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            heard.iter().any(|source| matches!(source, Source::Web { url: old, .. } if *old == url.as_str()));
        if !known {
            heard.push(Source::Web { url: url.into(), at: response.at.clone() });
        }
    }

    /// Whether anybody has answered.
    pub(crate) fn anything(&self) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    pub(crate) fn sources(&self) -> Vec<Source> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A store without a secret.
pub struct NoCredentials;

#[async_trait]
impl CredentialSource for NoCredentials {
    async fn secret(&self, _consumer: &Consumer, _name: &str) -> Result<Option<Secret>, ToolError> {
        Ok(None)
    }

    async fn has(&self, _consumer: &Consumer, _name: &str) -> bool {
        false
    }
}

/// The secrets that one tool declares.
#[derive(Clone)]
pub(crate) struct CallCredentials {
    source: Arc<dyn CredentialSource>,
    events: Arc<dyn CallEvents>,
    secrets: Arc<Secrets>,
    consumer: Consumer,
    declared: Arc<[String]>,
}

impl CallCredentials {
    pub(crate) fn new(
        source: Arc<dyn CredentialSource>,
        events: Arc<dyn CallEvents>,
        secrets: Arc<Secrets>,
        tool: &ToolEntry,
    ) -> Self {
        Self {
            source,
            events,
            secrets,
            consumer: Consumer {
                skill: tool.skill.clone(),
                tool: tool.id.clone(),
                definition: tool.spec().definition.clone(),
            },
            declared: tool.spec().credentials.clone().into(),
        }
    }

    /// # Errors
    /// When one that the tool declares is not there; the user is told which.
    pub(crate) async fn all_there(&self) -> Result<(), ToolError> {
        for name in self.declared.iter() {
            if !self.source.has(&self.consumer, name).await {
                return Err(self.needed(name));
            }
        }
        Ok(())
    }

    fn needed(&self, name: &str) -> ToolError {
        self.events.emit(Event::CredentialNeeded {
            credential: name.to_owned(),
            consumer: self.consumer.to_string(),
        });
        ToolError::CredentialNeeded { credential: name.to_owned() }
    }

    /// `service` declares all keys of the service.
    fn declares(&self, name: &str) -> bool {
        self.declared.iter().any(|declared| {
            name.strip_prefix(declared.as_str())
                .is_some_and(|rest| rest.is_empty() || (rest.starts_with('/') && !declared.contains('/')))
        })
    }
}

#[async_trait]
impl Credentials for CallCredentials {
    async fn get(&self, name: &str) -> Result<Secret, ToolError> {
        if !self.declares(name) {
            return Err(ToolError::NotDeclared {
                what: format!("This tool has not declared the credential \"{name}\"."),
                remedy: "Only tools that declare their credentials get them.".into(),
            });
        }
        let secret = self.source.secret(&self.consumer, name).await?.ok_or_else(|| self.needed(name))?;
        self.secrets.add(&secret);
        Ok(secret)
    }

    async fn has(&self, name: &str) -> bool {
        self.declares(name) && self.source.has(&self.consumer, name).await
    }
}
