//! A slow server may answer `server/discover` only after rmcp has given up waiting and sent `initialize`.
//! rmcp would take that for a response without a request.

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;

/// Drops the late response to an abandoned `server/discover`.
pub(crate) struct LateAnswer<T> {
    transport: T,
    /// The id of the last `server/discover`.
    discover: Option<RequestId>,
    is_given_up: bool,
}

impl<T> LateAnswer<T> {
    pub(crate) fn dropped_from(transport: T) -> Self {
        Self { transport, discover: None, is_given_up: false }
    }

    fn note(&mut self, message: &TxJsonRpcMessage<RoleClient>) {
        let JsonRpcMessage::Request(request) = message else { return };
        match request.request {
            ClientRequest::DiscoverRequest(_) => self.discover = Some(request.id.clone()),
            ClientRequest::InitializeRequest(_) => self.is_given_up = true,
            _ => {}
        }
    }

    fn is_late(&self, message: &ServerJsonRpcMessage) -> bool {
        let answered = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        self.is_given_up && answered.is_some() && answered == self.discover.as_ref()
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for LateAnswer<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.note(&message);
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let message = self.transport.receive().await?;
            if !self.is_late(&message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await
    }
}
