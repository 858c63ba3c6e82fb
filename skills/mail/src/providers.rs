//! Providers where the user signs in with the browser instead of a password.

/// A provider. Its access token opens the whole mailbox, and goes to its own servers and to no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    Google,
    Microsoft,
}

/// IMAP, then SMTP, then their former names.
/// Sources: support.google.com/mail/answer/7126229; support.microsoft.com, *POP, IMAP, and SMTP settings for
/// Outlook.com*.
const GOOGLE: [&str; 4] = ["imap.gmail.com", "smtp.gmail.com", "imap.googlemail.com", "smtp.googlemail.com"];
const MICROSOFT: [&str; 4] =
    ["outlook.office365.com", "smtp.office365.com", "imap-mail.outlook.com", "smtp-mail.outlook.com"];

impl Provider {
    /// By its name in `sign_in` of a mailbox.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "google" => Some(Self::Google),
            "microsoft" => Some(Self::Microsoft),
            _ => None,
        }
    }

    /// The provider whose server this is.
    pub fn of_server(host: &str) -> Option<Self> {
        [Self::Google, Self::Microsoft]
            .into_iter()
            .find(|provider| provider.servers().contains(&&*host.to_lowercase()))
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Google => "google",
            Self::Microsoft => "microsoft",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Google => "Google",
            Self::Microsoft => "Microsoft",
        }
    }

    pub(crate) fn servers(self) -> &'static [&'static str] {
        match self {
            Self::Google => &GOOGLE,
            Self::Microsoft => &MICROSOFT,
        }
    }

    /// Whether a token may go to this host. A local program may forward to the provider's server.
    pub(crate) fn trusts(self, host: &str) -> bool {
        let host = host.to_lowercase();
        self.servers().contains(&host.as_str()) || matches!(host.as_str(), "localhost" | "127.0.0.1")
    }
}
