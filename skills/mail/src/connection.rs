//! Encrypted connections to the servers of a mailbox.

use std::sync::{Mutex, PoisonError};

use nova_mail::{
    Imap, MailError, Proof, SignIn, StartTlsError, imap_begins_with_starttls, imap_start_tls,
    smtp_begins_with_starttls, smtp_start_tls,
};
use nova_skill::{BeforeTls, Connection, ToolError, ToolHttp, async_trait};

use crate::accounts::{Account, PORT, SMTP_PORT};

/// An encrypted connection to an IMAP server, before sign-in.
pub(crate) struct ImapConnection {
    server: String,
    stream: Box<dyn Connection>,
    greeted: bool,
}

/// Passwords that a server refused, with its refusal: servers lock accounts after some. In the memory of this process.
static REFUSED: Mutex<Vec<Refused>> = Mutex::new(Vec::new());

struct Refused {
    server: String,
    who: SignIn,
    error: MailError,
}

/// The refusal of this password by the server of this mailbox. Only a test by the user tries it again; it holds until
/// [`ImapConnection::sign_in`] succeeds, or the password, the user or the server changes.
pub(crate) fn refused(account: &Account, who: &SignIn) -> Option<MailError> {
    let all = REFUSED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same = |refused: &&Refused| refused.server == account.server() && refused.who.is_same(who);
    all.iter().find(is_same).map(|refused| refused.error.clone())
}

impl ImapConnection {
    /// # Errors
    /// As for [`Imap::sign_in`].
    pub(crate) async fn sign_in(self, who: &SignIn) -> Result<Imap<Box<dyn Connection>>, MailError> {
        let signed_in = match self.greeted {
            true => Imap::sign_in_greeted(self.stream, who).await,
            false => Imap::sign_in(self.stream, who).await,
        };
        let mut all = REFUSED.lock().unwrap_or_else(PoisonError::into_inner);
        match &signed_in {
            Err(error @ MailError::SignIn { .. }) if matches!(who.proof, Proof::Password(_)) => {
                all.retain(|refused| refused.server != self.server || refused.who.user != who.user);
                all.push(Refused { server: self.server, who: who.clone(), error: error.clone() });
            }
            Ok(_) => all.retain(|refused| refused.server != self.server || refused.who.user != who.user),
            Err(_) => {}
        }
        signed_in
    }
}

/// # Errors
/// If the server is unreachable, does not encrypt, or its certificate is invalid.
pub(crate) async fn to_imap(http: &dyn ToolHttp, account: &Account) -> Result<ImapConnection, ToolError> {
    let Account { host, port, .. } = account;
    let greeted = imap_begins_with_starttls(*port);
    let stream = match greeted {
        true => http.connect_to_configured_after(host, *port, PORT, &StartTls::Imap).await?,
        false => http.connect_to_configured(host, *port, PORT).await?,
    };
    Ok(ImapConnection { server: account.server(), stream, greeted })
}

/// The connection, and whether the server has greeted already.
///
/// # Errors
/// As for [`to_imap`], and if the mailbox has no SMTP server.
pub(crate) async fn to_smtp(
    http: &dyn ToolHttp,
    account: &Account,
) -> Result<(Box<dyn Connection>, bool), ToolError> {
    let Some((host, port)) = &account.smtp else {
        return Err(ToolError::failed(
            format!("{} has no SMTP server.", account.name),
            "Set its SMTP server in Settings, Skills, Mail.",
        ));
    };
    let port = *port;
    let greeted = smtp_begins_with_starttls(port);
    let stream = match greeted {
        true => http.connect_to_configured_after(host, port, SMTP_PORT, &StartTls::Smtp).await?,
        false => http.connect_to_configured(host, port, SMTP_PORT).await?,
    };
    Ok((stream, greeted))
}

enum StartTls {
    Imap,
    Smtp,
}

#[async_trait]
impl BeforeTls for StartTls {
    async fn agree(&self, plain: &mut dyn Connection) -> std::io::Result<()> {
        let agreed = match self {
            Self::Imap => imap_start_tls(plain).await,
            Self::Smtp => smtp_start_tls(plain).await,
        };
        agreed.map_err(|error| match error {
            StartTlsError::Io(error) => error,
            error => std::io::Error::other(error),
        })
    }
}
