//! Connections to the servers of a mailbox, encrypted before anything else is said.

use nova_mail::{StartTlsError, begins_with_starttls, start_tls};
use nova_skill::{BeforeTls, Connection, ToolError, ToolHttp, async_trait};

use crate::accounts::{Account, PORT, SMTP_PORT};

/// # Errors
/// When the server is not reached, or its certificate does not fit.
pub(crate) async fn to_imap(
    http: &dyn ToolHttp,
    account: &Account,
) -> Result<Box<dyn Connection>, ToolError> {
    http.connect_to_configured(&account.host, account.port, PORT).await
}

/// The connection, and whether the server has greeted already.
///
/// # Errors
/// When the mailbox has no such server, it is not reached, or its certificate does not fit.
pub(crate) async fn to_smtp(
    http: &dyn ToolHttp,
    account: &Account,
) -> Result<(Box<dyn Connection>, bool), ToolError> {
    let Some((host, port)) = &account.smtp else {
        return Err(ToolError::failed(
            format!("{} has no server through which mail is sent.", account.name),
            "Set its SMTP server in Settings, Skills, Mail.",
        ));
    };
    let port = *port;
    let greeted = begins_with_starttls(port);
    let stream = match greeted {
        true => http.connect_to_configured_after(host, port, SMTP_PORT, &StartTls).await?,
        false => http.connect_to_configured(host, port, SMTP_PORT).await?,
    };
    Ok((stream, greeted))
}

struct StartTls;

#[async_trait]
impl BeforeTls for StartTls {
    async fn agree(&self, plain: &mut dyn Connection) -> std::io::Result<()> {
        start_tls(plain).await.map_err(|error| match error {
            StartTlsError::Io(error) => error,
            error => std::io::Error::other(error),
        })
    }
}
