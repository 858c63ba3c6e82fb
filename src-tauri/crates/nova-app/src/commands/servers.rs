//! Commands for MCP servers.

use nova_protocol::{
    AgreeToServer, ErrorCode, ImportServers, Nothing, ServerFile, ServerRef, ServersView, UserError,
};

use crate::app::App;

impl App {
    pub(crate) async fn agree_to_server(&self, agree: AgreeToServer) -> Result<ServersView, UserError> {
        self.agree_to_mcp_server(&agree.server, &agree.fingerprint).await?;
        self.list_servers(Nothing {}).await
    }

    pub(crate) async fn stop_server(&self, server: ServerRef) -> Result<Nothing, UserError> {
        self.inner.mcp.stop(&server.server).await;
        Ok(Nothing {})
    }

    pub(crate) async fn remove_server(&self, server: ServerRef) -> Result<ServersView, UserError> {
        self.remove_mcp_server(&server.server)?;
        self.list_servers(Nothing {}).await
    }

    pub(crate) async fn list_server_files(&self, _: Nothing) -> Result<Vec<ServerFile>, UserError> {
        self.server_files(None).await
    }

    pub(crate) async fn import_servers(&self, import: ImportServers) -> Result<ServersView, UserError> {
        let known = self.places().server_files().into_iter().map(|(_, file)| file);
        let file = known.into_iter().find(|file| file.display().to_string() == import.file);
        let file = file.ok_or_else(|| {
            UserError::new(
                ErrorCode::BadRequest,
                format!("{} is not one of the configurations found.", import.file),
                "Import it with: nova mcp import FILE.",
            )
        })?;
        self.import_from(&file, &import.names).await?;
        self.list_servers(Nothing {}).await
    }
}
