use std::time::Duration;

use crate::MessageError;

/// Why a mailbox could not be read or changed. A server's text is cut to one visible line.
#[derive(Debug, Clone, thiserror::Error)]
pub enum MailError {
    /// The server does not accept the user and the password.
    #[error("the server does not accept the user and the password: {said}")]
    SignIn { said: String, why: SignInFault },
    /// It offers no way to sign in with a password.
    #[error("the server does not offer signing in with a password")]
    NoPassword,
    /// The server does not accept the access token: it has expired, is another account's, or does not allow this.
    #[error("the server does not accept the sign-in: {said}")]
    Token { said: String },
    /// It offers no way to sign in with an access token.
    #[error("the server does not offer signing in with Google, Microsoft or another provider (OAuth)")]
    NoToken,
    #[error("there is no folder \"{folder}\"")]
    NoFolder { folder: String },
    /// The message was deleted or moved, or the server renumbered its folder.
    #[error("the message no longer exists")]
    NoMessage,
    /// Not an id that a list returned.
    #[error("\"{id}\" is not the id of a message")]
    Id { id: String },
    /// A search term or a name that IMAP cannot carry.
    #[error(
        "{what} cannot be sent to a mail server: it has a control character or more than {most} characters"
    )]
    Argument { what: &'static str, most: usize },
    #[error("the message has {size} bytes, more than the {most} that are read")]
    TooLarge { size: u64, most: u64 },
    #[error("the attachment has about {size} bytes, more than the {most} of a file")]
    PartTooLarge { size: u64, most: u64 },
    /// The server sent more than the limit.
    #[error("the server sent more than {most} bytes")]
    Flood { most: u64 },
    #[error("the server did not answer in {} s", after.as_secs())]
    TooSlow { after: Duration },
    #[error("the server closed the connection")]
    Closed,
    /// The server refused a command, in its own words.
    #[error("the server refused: {said}")]
    Refused { said: String },
    /// The response is not valid IMAP.
    #[error("the server sent an invalid answer")]
    Invalid,
    /// The message is already in the target folder.
    #[error("the message is already in \"{folder}\"")]
    AlreadyThere { folder: String },
    /// A message is to be deleted that its user did not write.
    #[error("the message in \"{folder}\" is no draft, and nothing else is deleted for good")]
    NotADraft { folder: String },
    /// The server has no command for this that leaves all other messages alone.
    #[error("the server does not offer {what}")]
    NotOffered { what: &'static str },
    #[error(transparent)]
    Message(#[from] MessageError),
}

/// What is wrong with a sign-in, as far as the answer of the server says (RFC 5530).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInFault {
    /// The user or the password.
    Password,
    /// EXPIRED
    Expired,
    /// CONTACTADMIN
    Administrator,
    /// The account, in words.
    Locked,
}

impl SignInFault {
    pub(crate) fn of(said: &str) -> Self {
        let said = said.to_uppercase();
        let codes =
            [("[EXPIRED]", Self::Expired), ("[CONTACTADMIN]", Self::Administrator), ("LOCKED", Self::Locked)];
        let found = codes.into_iter().find(|(code, _)| said.contains(code));
        found.map_or(Self::Password, |(_, fault)| fault)
    }

    /// What to do about it, one sentence.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Password => "Check the user and the password; many servers want an app password.",
            Self::Expired => {
                "The password has expired: choose a new one at the provider, then set it in Nova."
            }
            Self::Administrator => {
                "Only the administrator of the server can help; then test the mailbox in Settings, Skills, Mail."
            }
            Self::Locked => {
                "The account is locked: unlock it at the provider, then test the mailbox in Settings, Skills, Mail."
            }
        }
    }
}

impl MailError {
    /// What to do about it, one sentence.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::SignIn { why, .. } => why.remedy(),
            Self::NoPassword => "Use a mailbox whose server takes a password.",
            Self::Token { .. } => "Sign in again with the account of this mailbox.",
            Self::NoToken => "Use the servers of the provider, or a password.",
            Self::NoFolder { .. } => "Call mail.folders for the names of the folders.",
            Self::NoMessage => "List the messages again.",
            Self::Id { .. } => "Use an id as mail.list or mail.search returns it.",
            Self::Argument { .. } => "Use a shorter text without control characters.",
            Self::TooLarge { .. } => "Open it in a mail program.",
            Self::PartTooLarge { .. } => "Save it with a mail program.",
            Self::Flood { .. } | Self::Invalid => "Check the address of the server.",
            Self::TooSlow { .. } | Self::Closed => "Try again later.",
            Self::Refused { .. } => "Try again later, or look at the mailbox in a mail program.",
            Self::AlreadyThere { .. } => "Leave it out.",
            Self::NotADraft { .. } => {
                "Use an id that mail.list returns for the folder drafts; mail.delete moves other mails to the trash."
            }
            Self::NotOffered { .. } => "Do it in a mail program.",
            Self::Message(_) => "Open it in a mail program.",
        }
    }
}
