use http_auth::parser::ChallengeParser;

use super::scopes;

/// A server's demand for a token, or for one with more scopes (RFC 6750, RFC 9728).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Challenge {
    /// The URL of the resource metadata.
    pub(super) metadata: Option<String>,
    /// The scopes that the refused request needs.
    pub scopes: Vec<String>,
    /// The token was valid but lacked a scope.
    pub insufficient_scope: bool,
}

impl Challenge {
    /// Parses a `WWW-Authenticate` header up to the first error; of several challenges, takes the one for
    /// bearer tokens.
    pub fn read(header: &str) -> Self {
        let mut challenges = ChallengeParser::new(header).map_while(Result::ok);
        let Some(bearer) = challenges.find(|challenge| challenge.scheme.eq_ignore_ascii_case("bearer"))
        else {
            return Self::default();
        };
        let param = |wanted: &str| {
            let mut params = bearer.params.iter();
            params.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.to_unescaped())
        };
        Self {
            metadata: param("resource_metadata"),
            scopes: scopes(param("scope").unwrap_or_default().split(' ')),
            insufficient_scope: param("error").is_some_and(|error| error == "insufficient_scope"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_bearer_challenge_of_a_header() {
        let read = Challenge::read(
            r#"Basic realm="x", bearer error="insufficient_scope", scope="a:b c", resource_metadata="https://m.example.com/\p""#,
        );
        assert_eq!(read.metadata.as_deref(), Some("https://m.example.com/p"));
        assert_eq!((read.scopes, read.insufficient_scope), (vec!["a:b".to_owned(), "c".to_owned()], true));
    }

    #[test]
    fn reads_nothing_from_an_invalid_challenge() {
        for header in
            ["", "Basic realm=x", "Bearer", "Bearer scope=\"\u{1}\" ,,= \"", "\"\"\"", "Negotiate abc=="]
        {
            assert_eq!(Challenge::read(header), Challenge::default(), "{header:?}");
        }
    }

    #[test]
    fn drops_invalid_scopes() {
        let many = (0..500).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
        let read = Challenge::read(&format!("Bearer scope=\"a\\\"b {} c c {many}\"", "x".repeat(500)));
        assert_eq!(read.scopes[..2], ["c", "0"]);
        assert_eq!(read.scopes.len(), 100);
    }
}
