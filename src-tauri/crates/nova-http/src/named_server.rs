use std::net::IpAddr;
use std::sync::Arc;

use reqwest::Client;
use reqwest::redirect::{Attempt, Policy};
use url::{Host, Url};

use crate::host::checked;
use crate::resolve::Filtered;
use crate::{Names, WebError, is_public};

/// Redirects followed per request.
const REDIRECTS: usize = 5;

/// The filter for addresses of a server that the user named: loopback if the URL names this machine,
/// otherwise public addresses.
///
/// # Errors
/// When the URL is neither, or uses plain http to another machine.
pub fn named_server(url: &Url) -> Result<fn(IpAddr) -> bool, WebError> {
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name.trim_end_matches('.') == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if is_here && matches!(url.scheme(), "http" | "https") {
        return Ok(|address| address.is_loopback());
    }
    checked(url.clone(), is_public)?;
    if url.scheme() != "https" {
        return Err(WebError::Plain { host: url.host_str().unwrap_or_default().to_owned() });
    }
    Ok(is_public)
}

/// Replaces `localhost` by 127.0.0.1, which is how requests and questions name this machine: as a name it
/// would be looked up like any other.
pub fn by_address(mut url: Url) -> Url {
    if url.host_str().is_some_and(|host| host.trim_end_matches('.') == "localhost") {
        // Setting the host succeeds for every URL that has one.
        let _ = url.set_host(Some("127.0.0.1"));
    }
    url
}

/// A client for one server that the user named. Its responses may be streams, so it has no limits of time and
/// size; the caller sets them. It follows redirects only to the same scheme, host and port and with the same
/// method, so that no header reaches another host.
///
/// # Errors
/// As for [`named_server`], and when the client cannot be built on this machine.
pub fn client_for(url: &Url, names: Arc<dyn Names>) -> Result<Client, WebError> {
    let allow = named_server(url)?;
    Filtered { names, allow }
        .client()
        .redirect(Policy::custom(same_origin))
        .build()
        .map_err(|error| WebError::Setup { reason: error.to_string() })
}

fn same_origin(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let from = attempt.previous().last().map(Url::origin);
    let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
    if keeps_method && from == Some(attempt.url().origin()) && attempt.previous().len() <= REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}
