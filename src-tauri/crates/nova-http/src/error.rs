use std::time::Duration;

use nova_skill::ToolError;

/// Why a request was not made, or had no usable answer. Messages contain only the host of the URL: the rest
/// may contain keys.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// Neither http nor https.
    #[error("Addresses that start with {scheme}: cannot be fetched.")]
    Scheme { scheme: String },
    #[error("The address of {host} contains a user name or a password.")]
    UserInfo { host: String },
    /// This machine, its network, or an address that only appears to be public.
    #[error("{} is not a public address.", if host.is_empty() { "This" } else { host })]
    Internal { host: String },
    /// Plain http to another machine, which anyone on the path could read.
    #[error("Plain http to {host} is refused: anyone on the network path could read it.")]
    Plain { host: String },
    /// The request itself is invalid.
    #[error("The request cannot be sent: {reason}.")]
    Request { reason: String },
    /// The gate refused the host.
    #[error(transparent)]
    NotAllowed(ToolError),
    #[error("{host} cannot be reached: {reason}.")]
    Unreachable { host: String, reason: String },
    /// The certificate is for another server, or is not trusted by the system.
    #[error("The certificate of {host} is not valid: {reason}.")]
    Certificate { host: String, reason: String },
    /// No name server gave an answer about the services of a domain.
    #[error("The services of {domain} cannot be looked up: {reason}.")]
    Names { domain: String, reason: String },
    #[error("{host} did not answer in {} s.", after.as_secs_f32())]
    TooSlow { host: String, after: Duration },
    #[error("{host} sent more than {most} bytes of {what}.")]
    TooLarge { host: String, what: &'static str, most: usize },
    #[error("{host} sent an invalid response: {reason}.")]
    BadAnswer { host: String, reason: String },
    #[error("{host} redirected: {reason}.")]
    Redirect { host: String, reason: String },
    /// The HTTP client cannot be set up on this machine.
    #[error("The web cannot be reached from this machine: {reason}.")]
    Setup { reason: String },
}

impl WebError {
    /// The user's next step, one sentence.
    pub fn hint(&self) -> String {
        match self {
            Self::Scheme { .. } => "Use an https address.",
            Self::Plain { .. } => "Use its https address.",
            Self::UserInfo { .. } => "Send it in a header, from ctx.credentials.",
            Self::Internal { .. } => "Tools reach public hosts only.",
            Self::Request { .. } => "Correct the tool.",
            Self::NotAllowed(error) => return error.hint(),
            Self::Unreachable { .. } | Self::Names { .. } | Self::TooSlow { .. } => {
                "Check the connection, then try again."
            }
            Self::Certificate { .. } => {
                "Check the name of the server; a private certificate authority must be installed on this system."
            }
            Self::TooLarge { .. } => "Request less at once.",
            Self::BadAnswer { .. } => "Try again; the server may be at fault.",
            Self::Redirect { .. } => "Use the address that it redirects to.",
            Self::Setup { .. } => "Install the certificates of this system (ca-certificates).",
        }
        .into()
    }
}

impl From<WebError> for ToolError {
    fn from(error: WebError) -> Self {
        match error {
            WebError::NotAllowed(error) => error,
            error => Self::failed(error.to_string(), error.hint()),
        }
    }
}
