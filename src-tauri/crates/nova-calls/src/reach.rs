//! How far a running tool reaches into the web.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use nova_http::Web;
use nova_skill::{HttpRequest, HttpResponse, Source, ToolError, ToolHttp};
use tokio_util::sync::CancellationToken;

use crate::hosts::CallHosts;
use crate::secrets::Secrets;

/// The web, as one call may use it.
#[derive(Clone)]
pub(crate) struct CallHttp {
    pub(crate) web: Arc<Web>,
    pub(crate) hosts: Arc<CallHosts>,
    pub(crate) heard: Arc<Heard>,
    /// What the call was given, which goes to the tool's own hosts only.
    pub(crate) secrets: Arc<Secrets>,
    /// Set when the tool has ended, whatever it left running.
    pub(crate) ended: CancellationToken,
}

#[async_trait]
impl ToolHttp for CallHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, ToolError> {
        self.keeps_secrets(&request)?;
        let response = tokio::select! {
            biased;
            () = self.ended.cancelled() => return Err(ToolError::Cancelled),
            response = self.web.send(request, self.hosts.as_ref()) => response?,
        };
        self.heard.add(&response);
        Ok(response)
    }
}

impl CallHttp {
    /// A credential was granted for the hosts that the tool declares: that the user let it contact
    /// another one says nothing about the credential.
    fn keeps_secrets(&self, request: &HttpRequest) -> Result<(), ToolError> {
        let host = nova_http::host_of(&request.url).unwrap_or_default();
        if self.hosts.shows(&host) || !self.secrets.are_in_request(request) {
            return Ok(());
        }
        Err(ToolError::NotDeclared {
            what: format!("{host} was not contacted: the request carries a credential that is not for it."),
            remedy: "A credential goes only to the hosts that its tool declares.".into(),
        })
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

    pub(crate) fn sources(&self) -> Vec<Source> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
