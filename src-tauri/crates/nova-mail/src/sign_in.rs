use secrecy::{ExposeSecret as _, SecretString};

/// Who signs in.
#[derive(Debug, Clone)]
pub struct SignIn {
    pub user: String,
    pub proof: Proof,
}

/// A user's credential.
#[derive(Debug, Clone)]
pub enum Proof {
    Password(SecretString),
    /// An access token of OAuth 2, by XOAUTH2 (developers.google.com/gmail/imap/xoauth2-protocol) or OAUTHBEARER
    /// (RFC 7628).
    Token(SecretString),
}

impl SignIn {
    pub fn by_password(user: impl Into<String>, password: impl Into<SecretString>) -> Self {
        Self { user: user.into(), proof: Proof::Password(password.into()) }
    }

    pub fn by_token(user: impl Into<String>, token: impl Into<SecretString>) -> Self {
        Self { user: user.into(), proof: Proof::Token(token.into()) }
    }

    /// Whether a server would be told the same.
    pub fn is_same(&self, other: &Self) -> bool {
        let proofs = match (&self.proof, &other.proof) {
            (Proof::Password(one), Proof::Password(other)) | (Proof::Token(one), Proof::Token(other)) => {
                (one, other)
            }
            _ => return false,
        };
        self.user == other.user && proofs.0.expose_secret() == proofs.1.expose_secret()
    }
}

/// A SASL mechanism for access tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bearer {
    Xoauth2,
    Oauthbearer,
}

impl Bearer {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Xoauth2 => "XOAUTH2",
            Self::Oauthbearer => "OAUTHBEARER",
        }
    }

    /// The client's initial response.
    pub(crate) fn initial(self, user: &str, token: &SecretString) -> String {
        let token = token.expose_secret();
        match self {
            Self::Xoauth2 => format!("user={user}\x01auth=Bearer {token}\x01\x01"),
            // RFC 5801, 4: characters that would end the name are escaped.
            Self::Oauthbearer => {
                let user = user.replace('=', "=3D").replace(',', "=2C");
                format!("n,a={user},\x01auth=Bearer {token}\x01\x01")
            }
        }
    }

    /// The response to the challenge in which a server explains a refusal; the refusal itself follows.
    pub(crate) fn acknowledgement(self) -> &'static str {
        match self {
            Self::Xoauth2 => "",
            Self::Oauthbearer => "\x01",
        }
    }
}

/// Whether user and token can be sent: a control character would start another field.
pub(crate) fn can_be_said(user: &str, token: &SecretString) -> bool {
    let plain = |text: &str| !text.is_empty() && !text.chars().any(char::is_control);
    plain(user) && plain(token.expose_secret())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initial_response_matches_the_mechanism() {
        let token: SecretString = "ya29.x".to_owned().into();
        // The example of XOAUTH2's page, and RFC 7628, 4.1, without host and port.
        assert_eq!(
            Bearer::Xoauth2.initial("someuser@example.com", &token),
            "user=someuser@example.com\x01auth=Bearer ya29.x\x01\x01"
        );
        assert_eq!(
            Bearer::Oauthbearer.initial("a,b=c@example.com", &token),
            "n,a=a=2Cb=3Dc@example.com,\x01auth=Bearer ya29.x\x01\x01"
        );
    }

    #[test]
    fn only_the_same_user_and_secret_are_the_same() {
        let jane = SignIn::by_password("jane", "secret".to_owned());
        assert!(jane.is_same(&jane.clone()));
        for other in [
            SignIn::by_password("jane", "Secret".to_owned()),
            SignIn::by_password("joe", "secret".to_owned()),
            SignIn::by_token("jane", "secret".to_owned()),
        ] {
            assert!(!jane.is_same(&other), "{other:?}");
        }
    }

    #[test]
    fn a_user_cannot_add_a_field() {
        let token: SecretString = "t".to_owned().into();
        assert!(can_be_said("jane@example.com", &token));
        for user in ["", "jane\x01auth=Bearer other", "jane\r\n"] {
            assert!(!can_be_said(user, &token), "{user:?}");
        }
    }
}
