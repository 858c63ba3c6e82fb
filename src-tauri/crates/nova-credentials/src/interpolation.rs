use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret, SecretString};

use crate::{CredentialError, CredentialName};

const OPENING: &str = "${credentials:";

/// A configured text that may contain `${credentials:service/key}`. References within secrets are not
/// resolved.
#[derive(Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    Reference(CredentialName),
}

/// The context of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The environment of an MCP server.
    Env,
    /// A header of an MCP server or a provider.
    Header,
    /// A provider's `api_key`.
    ProviderKey,
    /// The arguments of a command, which may not contain references: every process can read them.
    Args,
}

impl Template {
    /// # Errors
    /// If a reference is malformed or in an argument.
    pub fn parse(place: Place, text: &str) -> Result<Self, CredentialError> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(OPENING) {
            let (name, after) = after.split_once('}').ok_or(CredentialError::BadReference)?;
            let name: CredentialName = name.parse().map_err(|_| CredentialError::BadReference)?;
            if place == Place::Args {
                return Err(CredentialError::InArgument { name });
            }
            if !before.is_empty() {
                parts.push(Part::Literal(before.to_owned()));
            }
            parts.push(Part::Reference(name));
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Literal(rest.to_owned()));
        }
        Ok(Self { parts })
    }

    /// The credentials referenced in the text.
    pub fn references(&self) -> impl Iterator<Item = &CredentialName> {
        self.parts.iter().filter_map(|part| match part {
            Part::Reference(name) => Some(name),
            Part::Literal(_) => None,
        })
    }

    /// Replaces the references by secrets. `secret` returns a secret by name, as
    /// [`crate::GrantedCredentials::get_for`] does.
    ///
    /// # Errors
    /// Those of `secret`, and a value that is invalid in a header or environment variable.
    pub async fn resolve<F>(
        &self,
        secret: impl Fn(CredentialName) -> F,
    ) -> Result<SecretString, CredentialError>
    where
        F: Future<Output = Result<SecretString, CredentialError>>,
    {
        let mut values = Vec::with_capacity(self.parts.len());
        for name in self.references() {
            let value = secret(name.clone()).await?;
            if value.expose_secret().chars().any(char::is_control) {
                return Err(CredentialError::InvalidValue { name: name.clone() });
            }
            values.push(value);
        }
        let mut values = values.iter();
        let texts: Vec<&str> = self
            .parts
            .iter()
            .map(|part| match part {
                Part::Literal(text) => text.as_str(),
                Part::Reference(_) => values.next().map_or("", ExposeSecret::expose_secret),
            })
            .collect();
        Ok(Zeroizing::new(texts.concat()).as_str().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn resolved(place: Place, text: &str) -> Result<String, CredentialError> {
        let secret = async |name: CredentialName| match name.as_str() {
            "github/token" => Ok(SecretString::from("ghp")),
            "sly/key" => Ok(SecretString::from("${credentials:github/token}")),
            "torn/key" => Ok(SecretString::from("a\r\nX-Evil: 1")),
            _ => Err(CredentialError::Missing { name }),
        };
        Template::parse(place, text)?.resolve(secret).await.map(|text| text.expose_secret().to_owned())
    }

    #[tokio::test]
    async fn references_are_replaced_and_other_text_is_unchanged() {
        for (text, expected) in [
            ("", ""),
            ("plain", "plain"),
            ("Bearer ${credentials:github/token}", "Bearer ghp"),
            ("${credentials:github/token}:${credentials:github/token}!", "ghp:ghp!"),
            ("$HOME ${HOME} $${x} {}", "$HOME ${HOME} $${x} {}"),
            ("${credentials:sly/key}", "${credentials:github/token}"),
        ] {
            assert_eq!(resolved(Place::Header, text).await.expect(text), expected);
        }
    }

    #[tokio::test]
    async fn missing_credential_is_named() {
        let error = resolved(Place::Env, "${credentials:gone/key}").await.expect_err("it is missing");
        assert_eq!(error.to_string(), "The credential gone/key is missing.");
        assert_eq!(error.hint(), "Run `nova credential set gone/key`.");
    }

    #[tokio::test]
    async fn rejects_references_in_arguments() {
        let error =
            resolved(Place::Args, "--key=${credentials:github/token}").await.expect_err("an argument");
        assert!(matches!(error, CredentialError::InArgument { .. }), "{error}");
        assert_eq!(resolved(Place::Args, "--verbose").await.expect("no reference"), "--verbose");
    }

    #[tokio::test]
    async fn rejects_malformed_references() {
        for text in
            ["${credentials:github/token", "${credentials:}", "${credentials:github}", "${credentials:../x}"]
        {
            let error = resolved(Place::Env, text).await.expect_err(text);
            assert!(matches!(error, CredentialError::BadReference), "{text}: {error}");
        }
    }

    #[tokio::test]
    async fn secret_cannot_inject_a_header() {
        let error = resolved(Place::Header, "${credentials:torn/key}").await.expect_err("a line break");
        assert!(matches!(error, CredentialError::InvalidValue { .. }), "{error}");
        assert!(!format!("{error:?}").contains("Evil"));
    }
}
