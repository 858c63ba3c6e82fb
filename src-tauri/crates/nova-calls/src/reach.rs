//! The web access of a running tool.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use nova_http::{HostGate as _, Web, WebError};
use nova_skill::{
    BeforeTls, Connection, HttpRequest, HttpResponse, Source, SrvName, SrvRecords, ToolError, ToolHttp,
    Value, WebSource,
};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::connection::Ended;
use crate::hosts::{CallHosts, ConfiguredServer};
use crate::secrets::Secrets;

/// The web access of one call.
#[derive(Clone)]
pub(crate) struct CallHttp {
    pub(crate) web: Arc<Web>,
    pub(crate) hosts: Arc<CallHosts>,
    pub(crate) web_sources: Arc<WebSources>,
    pub(crate) side_effects: Arc<SideEffects>,
    /// The credentials passed to the call, which are sent only to the tool's own hosts.
    pub(crate) secrets: Arc<Secrets>,
    /// The skill's configuration: the user chose the addresses in it.
    pub(crate) config: Arc<Value>,
    /// Cancelled when the tool has ended, even if it leaves tasks running.
    pub(crate) ended: CancellationToken,
}

#[async_trait]
impl ToolHttp for CallHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, ToolError> {
        self.check(&request)?;
        self.answered(self.web.send(request, self.hosts.as_ref())).await
    }

    async fn send_to_configured(&self, mut request: HttpRequest) -> Result<HttpResponse, ToolError> {
        if !names_server(&self.config, &request.url) {
            let host = nova_http::host_of(&request.url).unwrap_or_default();
            return Err(ToolError::NotDeclared {
                what: format!("{host} was not contacted: the skill's configuration does not name it."),
                remedy: "Set the address in the skill's settings.".into(),
            });
        }
        request.url = nova_http::by_address(request.url);
        self.check(&request)?;
        self.answered(self.web.send_to_named(request, self.hosts.as_ref())).await
    }

    async fn connect_to_configured(
        &self,
        host: &str,
        port: u16,
        usual: u16,
    ) -> Result<Box<dyn Connection>, ToolError> {
        self.connect_to_configured_after(host, port, usual, &()).await
    }

    async fn connect_to_configured_after(
        &self,
        host: &str,
        port: u16,
        usual: u16,
        before: &dyn BeforeTls,
    ) -> Result<Box<dyn Connection>, ToolError> {
        let named = format!("{host}:{port}");
        // The data on the connection is not inspected: it can only go to a host on the call's card.
        let shown = nova_http::declared_host(&named).is_some_and(|host| self.hosts.shows(&host));
        if !shown || !names_host(&self.config, host, port, usual) {
            return Err(ToolError::NotDeclared {
                what: format!("{named} was not contacted: the skill's configuration does not name it."),
                remedy: "Set the server in the skill's settings.".into(),
            });
        }
        let gate = ConfiguredServer(&self.hosts);
        let connection = tokio::select! {
            biased;
            () = self.ended.cancelled() => return Err(ToolError::Cancelled),
            connection = self.web.connect_to_named_after(host, port, &gate, before) => connection?,
        };
        Ok(Box::new(Ended { connection, ended: Box::pin(self.ended.clone().cancelled_owned()) }))
    }

    async fn srv_records(&self, name: SrvName, domain: &str) -> Result<SrvRecords, ToolError> {
        // A name that the tool composes could carry data to whoever answers for it.
        if !self.hosts.shows(domain) {
            return Err(ToolError::NotDeclared {
                what: format!("The services of {domain} were not looked up: the call does not declare it."),
                remedy: "Set the address in the skill's settings.".into(),
            });
        }
        self.hosts.may_contact(domain).await?;
        tokio::select! {
            biased;
            () = self.ended.cancelled() => Err(ToolError::Cancelled),
            published = self.web.srv_records(name, domain) => Ok(published?),
        }
    }
}

impl CallHttp {
    fn check(&self, request: &HttpRequest) -> Result<(), ToolError> {
        self.keeps_secrets(request)?;
        self.side_effects.note(&request.method);
        Ok(())
    }

    async fn answered(
        &self,
        response: impl Future<Output = Result<HttpResponse, WebError>>,
    ) -> Result<HttpResponse, ToolError> {
        let response = tokio::select! {
            biased;
            () = self.ended.cancelled() => return Err(ToolError::Cancelled),
            response = response => response?,
        };
        self.web_sources.add(&response);
        Ok(response)
    }

    /// Credentials are granted for the hosts that the tool declares; an approval of another host does not
    /// extend to them.
    fn keeps_secrets(&self, request: &HttpRequest) -> Result<(), ToolError> {
        let host = nova_http::host_of(&request.url).unwrap_or_default();
        if self.hosts.shows(&host) || !self.secrets.are_in_request(request) {
            return Ok(());
        }
        Err(ToolError::NotDeclared {
            what: format!("{host} was not contacted: the request carries a credential for another host."),
            remedy: "A credential is sent only to hosts that its tool declares.".into(),
        })
    }
}

/// Whether the configuration names the host with this port, or without a port if the port is the default.
fn names_host(config: &Value, host: &str, port: u16, usual: u16) -> bool {
    match config {
        Value::String(text) => {
            let text = text.trim();
            text.eq_ignore_ascii_case(&format!("{host}:{port}"))
                || port == usual && text.eq_ignore_ascii_case(host)
        }
        Value::Array(items) => items.iter().any(|item| names_host(item, host, port, usual)),
        Value::Object(map) => map.values().any(|value| names_host(value, host, port, usual)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether the configuration contains an address with the same scheme, host and port.
fn names_server(config: &Value, url: &Url) -> bool {
    match config {
        Value::String(text) => Url::parse(text).is_ok_and(|named| named.origin() == url.origin()),
        Value::Array(items) => items.iter().any(|item| names_server(item, url)),
        Value::Object(map) => map.values().any(|value| names_server(value, url)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether a call has sent a request that may have an effect on its server. Requests with a safe method (IANA
/// registry) do not count.
#[derive(Default)]
pub(crate) struct SideEffects(AtomicBool);

impl SideEffects {
    fn note(&self, method: &str) {
        let only_asks = ["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT"]
            .iter()
            .any(|safe| safe.eq_ignore_ascii_case(method));
        if !only_asks {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    pub(crate) fn any(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// The sources of the web responses that a call received.
#[derive(Default)]
pub(crate) struct WebSources(Mutex<Vec<Source>>);

impl WebSources {
    fn add(&self, response: &HttpResponse) {
        // A query may contain keys, so only the address without it is recorded.
        let mut url = response.url.clone();
        url.set_query(None);
        url.set_fragment(None);
        let mut sources = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            sources.iter().any(|source| matches!(source, Source::Web(old) if old.url == url.as_str()));
        if !known {
            sources.push(Source::Web(WebSource::new(url, &response.at)));
        }
    }

    /// Whether there was any response.
    pub(crate) fn any(&self) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    pub(crate) fn sources(&self) -> Vec<Source> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
