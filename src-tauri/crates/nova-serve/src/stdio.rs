//! One client on stdin and stdout.

use nova_app::App;
use nova_protocol::{ErrorCode, UserError};
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::limits;
use crate::served::Served;
use crate::server::{Server, Shared};

/// Serves the client until its input ends or `stop` is cancelled. Nothing else may write to `output`.
///
/// # Errors
/// When a skill is unknown, or the client violates the protocol's handshake.
pub async fn on_stdio(
    app: &App,
    served: Served,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) -> Result<(), UserError> {
    served.check(app)?;
    let shared = Shared::new(app.clone(), served, stop.clone());
    let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(limits::MESSAGE);
    match Server::new(shared.clone(), None).serve_with_ct(transport, stop).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                tracing::error!(%error, "the server task failed");
            }
            shared.stop.cancel();
            shared.calls.ended().await;
            Ok(())
        }
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(UserError::new(
            ErrorCode::BadRequest,
            format!("The MCP client did not follow the protocol at its start: {error}."),
            "Use a client that speaks MCP over stdio.",
        )),
    }
}
