//! Discovers how to sign in for a server: its resource metadata (RFC 9728) name an authorisation server,
//! whose own metadata (RFC 8414, OpenID Connect Discovery) name its endpoints.

use serde::Deserialize;
use url::Url;

use super::reach::Reach;
use super::{Challenge, Endpoint, cannot_sign_in, scopes};
use crate::CredentialError;

/// The maximum number of authorisation servers tried.
const MAX_SERVERS: usize = 3;
const RESOURCE_METADATA_PATH: &str = "/.well-known/oauth-protected-resource";
const SERVER_METADATA_PATH: &str = "/.well-known/oauth-authorization-server";
const OPENID_CONFIGURATION_PATH: &str = "/.well-known/openid-configuration";
const ASK_AUTHOR: &str = "Tell the server's author, or use a token in its headers.";

/// What a sign-in needs to know about its server.
pub(super) struct Discovery {
    /// The resource of the tokens (RFC 8707).
    pub(super) resource: String,
    /// The default scopes of the resource.
    pub(super) scopes: Vec<String>,
    pub(super) issuer: String,
    pub(super) authorize: Endpoint,
    pub(super) token: Endpoint,
    pub(super) register: Option<Endpoint>,
    /// The revocation endpoint (RFC 7009).
    pub(super) revoke: Option<Endpoint>,
    /// The client authentication methods of the token endpoint; empty if unknown.
    pub(super) auth_methods: Vec<String>,
    /// Whether it supports client id metadata documents, where a client id is a document's URL.
    pub(super) supports_client_documents: bool,
    /// Whether its authorisation responses contain the issuer (RFC 9207).
    pub(super) sends_issuer: bool,
    /// Whether it issues refresh tokens on request (`offline_access`).
    pub(super) offers_offline_access: bool,
}

#[derive(Deserialize)]
struct ResourceMetadata {
    resource: String,
    #[serde(default)]
    authorization_servers: Vec<String>,
    #[serde(default)]
    scopes_supported: Vec<String>,
}

#[derive(Deserialize)]
struct ServerMetadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    registration_endpoint: Option<String>,
    revocation_endpoint: Option<String>,
    response_types_supported: Option<Vec<String>>,
    code_challenge_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
    #[serde(default)]
    scopes_supported: Vec<String>,
    #[serde(default)]
    client_id_metadata_document_supported: bool,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

pub(super) async fn discover(reach: &Reach<'_>, challenge: &Challenge) -> Result<Discovery, CredentialError> {
    let Some(resource) = resource_metadata(reach, challenge).await? else {
        // Before resource metadata existed, a server was its own authorisation server.
        let issuer = with_path(reach.server, "");
        let Some(metadata) = server_metadata(reach, &issuer).await? else {
            let host = reach.server.host_str().unwrap_or_default();
            return Err(cannot_sign_in(format!("{host} does not say where"), ASK_AUTHOR));
        };
        // No issuer was announced to compare with, so only the origin is checked.
        if !Url::parse(&metadata.issuer).is_ok_and(|named| named.origin() == issuer.origin()) {
            return Err(issuer_mismatch(&issuer, &metadata.issuer));
        }
        return validated(reach, metadata, reach.server.to_string(), Vec::new());
    };
    if !is_part_of(reach.server, &resource.resource) {
        let host = reach.server.host_str().unwrap_or_default();
        return Err(cannot_sign_in(format!("the metadata of {host} describe another server"), ASK_AUTHOR));
    }
    for named in resource.authorization_servers.iter().take(MAX_SERVERS) {
        let issuer = reach.endpoint("address of the authorisation server", named)?;
        let Some(metadata) = server_metadata(reach, issuer.url()).await? else { continue };
        if !is_same_issuer(named, &metadata.issuer) {
            return Err(issuer_mismatch(issuer.url(), &metadata.issuer));
        }
        return validated(reach, metadata, resource.resource, scopes(resource.scopes_supported));
    }
    let named = resource.authorization_servers.iter().take(MAX_SERVERS);
    let hosts: Vec<_> =
        named.filter_map(|named| Url::parse(named).ok()?.host_str().map(str::to_owned)).collect();
    let reason = match hosts.as_slice() {
        [] => "its metadata name no authorisation server".to_owned(),
        hosts => format!("{} has no metadata", hosts.join(", ")),
    };
    Err(cannot_sign_in(reason, ASK_AUTHOR))
}

async fn resource_metadata(
    reach: &Reach<'_>,
    challenge: &Challenge,
) -> Result<Option<ResourceMetadata>, CredentialError> {
    let mut places = Vec::new();
    if let Some(named) = &challenge.metadata {
        places.push(reach.endpoint("address of the server's metadata", named)?);
    }
    let path = reach.server.path().trim_end_matches('/');
    for path in [format!("{RESOURCE_METADATA_PATH}{path}"), RESOURCE_METADATA_PATH.to_owned()] {
        let place = reach.endpoint("address of the server", with_path(reach.server, &path).as_str())?;
        if !places.contains(&place) {
            places.push(place);
        }
    }
    for place in &places {
        if let Some(metadata) = reach.document(place).await? {
            return Ok(Some(metadata));
        }
    }
    Ok(None)
}

async fn server_metadata(reach: &Reach<'_>, issuer: &Url) -> Result<Option<ServerMetadata>, CredentialError> {
    let path = issuer.path().trim_end_matches('/');
    let mut paths =
        vec![format!("{SERVER_METADATA_PATH}{path}"), format!("{OPENID_CONFIGURATION_PATH}{path}")];
    if !path.is_empty() {
        paths.push(format!("{path}{OPENID_CONFIGURATION_PATH}"));
    }
    for path in paths {
        let place =
            reach.endpoint("address of the authorisation server", with_path(issuer, &path).as_str())?;
        if let Some(metadata) = reach.document(&place).await? {
            return Ok(Some(metadata));
        }
    }
    Ok(None)
}

fn validated(
    reach: &Reach<'_>,
    metadata: ServerMetadata,
    resource: String,
    scopes: Vec<String>,
) -> Result<Discovery, CredentialError> {
    let has = |list: &Option<Vec<String>>, wanted: &str| {
        list.as_ref().is_some_and(|list| list.iter().any(|offered| offered == wanted))
    };
    let authorize = reach.endpoint("address to sign in at", &metadata.authorization_endpoint)?;
    let token = reach.endpoint("address of the token server", &metadata.token_endpoint)?;
    let register = metadata.registration_endpoint.as_deref();
    let register = register.map(|register| reach.endpoint("address to register at", register)).transpose()?;
    // The revocation endpoint is optional.
    let revoke = metadata.revocation_endpoint.as_deref();
    let revoke = revoke.and_then(|revoke| reach.endpoint("address to revoke tokens at", revoke).ok());
    // Without PKCE, a stolen code would be as good as Nova's.
    if !has(&metadata.code_challenge_methods_supported, "S256") {
        return Err(cannot_sign_in(
            format!("{} does not protect the code (PKCE, S256)", authorize.host()),
            ASK_AUTHOR,
        ));
    }
    if metadata.response_types_supported.is_some() && !has(&metadata.response_types_supported, "code") {
        return Err(cannot_sign_in(format!("{} gives no codes", authorize.host()), ASK_AUTHOR));
    }
    Ok(Discovery {
        resource,
        scopes,
        issuer: metadata.issuer,
        authorize,
        token,
        register,
        revoke,
        auth_methods: metadata.token_endpoint_auth_methods_supported,
        supports_client_documents: metadata.client_id_metadata_document_supported,
        sends_issuer: metadata.authorization_response_iss_parameter_supported,
        offers_offline_access: metadata.scopes_supported.iter().any(|scope| scope == "offline_access"),
    })
}

/// The server's URL with another path.
fn with_path(server: &Url, path: &str) -> Url {
    let mut place = server.clone();
    place.set_query(None);
    place.set_fragment(None);
    place.set_path(path);
    place
}

/// Whether a token for `resource` covers this server: the server's URL is at or below it.
fn is_part_of(server: &Url, resource: &str) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    let whole = resource.path().trim_end_matches('/');
    let rest = server.path().strip_prefix(whole);
    resource.fragment().is_none()
        && resource.origin() == server.origin()
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Compares exactly (RFC 8414, 3.3), except for the slash that some append to a host.
fn is_same_issuer(expected: &str, actual: &str) -> bool {
    let plain = |issuer: &str| {
        let is_host = Url::parse(issuer).is_ok_and(|url| url.path() == "/" && url.query().is_none());
        if is_host { issuer.trim_end_matches('/').to_owned() } else { issuer.to_owned() }
    };
    plain(expected) == plain(actual)
}

fn issuer_mismatch(expected: &Url, actual: &str) -> CredentialError {
    let actual = Url::parse(actual).ok().and_then(|actual| actual.host_str().map(str::to_owned));
    let (expected, actual) =
        (expected.host_str().unwrap_or_default(), actual.unwrap_or_else(|| "nobody".into()));
    cannot_sign_in(
        format!("the metadata of {expected} name another issuer ({actual})"),
        "Do not sign in there; tell the server's author.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_covers_the_server_only_from_its_own_path() {
        let server: Url = "https://mcp.example.com/team/mcp".parse().expect("an address");
        for (resource, expected) in [
            ("https://mcp.example.com/team/mcp", true),
            ("https://mcp.example.com/team/", true),
            ("https://mcp.example.com", true),
            ("https://mcp.example.com/te", false),
            ("https://mcp.example.com/team/mcp/more", false),
            ("https://mcp.example.com:8443/team/mcp", false),
            ("http://mcp.example.com/team/mcp", false),
            ("https://evil.example/team/mcp", false),
            ("https://mcp.example.com/team/mcp#x", false),
            ("mcp", false),
        ] {
            assert_eq!(is_part_of(&server, resource), expected, "{resource}");
        }
    }

    #[test]
    fn issuers_are_compared_exactly() {
        assert!(is_same_issuer("https://a.example.com/", "https://a.example.com"));
        for other in
            ["https://a.example.com/x", "https://A.example.com", "https://a.example.com.evil.example", ""]
        {
            assert!(!is_same_issuer("https://a.example.com", other), "{other}");
        }
        assert!(!is_same_issuer("https://a.example.com/x/", "https://a.example.com/x"));
    }
}
