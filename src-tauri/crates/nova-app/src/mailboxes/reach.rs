use std::sync::Arc;

use async_trait::async_trait;
use nova_http::{HostGate, Web, WebError};
use nova_skill::{BeforeTls, Connection, HttpRequest, HttpResponse, ToolError, ToolHttp};

/// The web, as the user reaches it by a button of settings: public addresses by https, and mail servers that the user
/// entered, on this machine, too.
pub(super) struct FromSettings(pub(super) Arc<Web>);

/// The button names whom it asks; the address filter is that of every request.
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
}
