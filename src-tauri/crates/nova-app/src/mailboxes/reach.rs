use std::sync::Arc;

use async_trait::async_trait;
use nova_http::{HostGate, Web, WebError};
use nova_skill::{
    BeforeTls, Connection, HttpRequest, HttpResponse, SrvName, SrvRecords, ToolError, ToolHttp,
};

/// Network access for buttons in settings: public addresses by https, and mail servers that the user entered,
/// including local ones.
pub(super) struct FromSettings(pub(super) Arc<Web>);

/// Allows all hosts, as the button names them; the address filter still applies.
struct AsAsked;

#[async_trait]
impl HostGate for AsAsked {
    async fn may_contact(&self, _host: &str) -> Result<(), ToolError> {
        Ok(())
    }
}

#[async_trait]
impl ToolHttp for FromSettings {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, ToolError> {
        if request.url.scheme() != "https" {
            return Err(WebError::Scheme { scheme: request.url.scheme().to_owned() }.into());
        }
        Ok(self.0.send(request, &AsAsked).await?)
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
        _usual: u16,
        before: &dyn BeforeTls,
    ) -> Result<Box<dyn Connection>, ToolError> {
        Ok(Box::new(self.0.connect_to_named_after(host, port, &AsAsked, before).await?))
    }

    async fn srv_records(&self, name: SrvName, domain: &str) -> Result<SrvRecords, ToolError> {
        Ok(self.0.srv_records(name, domain).await?)
    }
}
