use std::net::IpAddr;

use url::{Host, Url};

use crate::WebError;

/// Suffixes of names of this machine or its network, whatever a resolver answers.
const LOCAL_ENDINGS: [&str; 6] = ["localhost", "localdomain", "local", "internal", "lan", "home.arpa"];

/// The host of a URL as grants and questions name it: `name`, or `name:port` for a port other than the
/// scheme's default. `None` without a host.
///
/// ```
/// use nova_http::host_of;
/// assert_eq!(host_of(&"https://API.Weather.com./now".parse().unwrap()).unwrap(), "api.weather.com");
/// assert_eq!(host_of(&"https://weather.com:8443/".parse().unwrap()).unwrap(), "weather.com:8443");
/// ```
pub fn host_of(url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_end_matches('.');
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

/// Normalises a host declared by a tool to the spelling of [`host_of`]. `None` unless it names exactly one
/// host: addresses with a path, wildcards, empty text.
pub fn declared_host(text: &str) -> Option<String> {
    let text = text.trim();
    let plain = !text.is_empty() && !text.contains(['/', '\\', '?', '#', '@', '*']);
    let url = plain.then(|| Url::parse(&format!("https://{text}/")).ok()).flatten()?;
    // Port 80 is as much a default port as 443.
    let url = if url.port() == Some(80) { Url::parse(&format!("http://{text}/")).ok()? } else { url };
    host_of(&url).filter(|host| !host.is_empty())
}

/// The URL without its fragment and trailing dot, and its host.
///
/// # Errors
/// When a tool may not request the URL, whatever the user allows.
pub(crate) fn checked(mut url: Url, allow: fn(IpAddr) -> bool) -> Result<(Url, String), WebError> {
    let shown = host_of(&url).unwrap_or_default();
    if !matches!(url.scheme(), "http" | "https") {
        return Err(WebError::Scheme { scheme: url.scheme().to_owned() });
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(WebError::UserInfo { host: shown });
    }
    url.set_fragment(None);
    let internal = || WebError::Internal { host: shown.clone() };
    let name = match url.host() {
        Some(Host::Ipv4(address)) if allow(address.into()) => None,
        Some(Host::Ipv6(address)) if allow(address.into()) => None,
        Some(Host::Domain(name)) => Some(name.strip_suffix('.').unwrap_or(name).to_owned()),
        _ => return Err(internal()),
    };
    if let Some(name) = name {
        let local = LOCAL_ENDINGS.iter().any(|ending| {
            name.strip_suffix(ending).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        });
        // A single-label name would be resolved in the local network's search domain.
        // `*.` on a card stands for other hosts.
        if local || !name.contains('.') || name.contains('*') || name.split('.').any(str::is_empty) {
            return Err(internal());
        }
        // The host contacted must be exactly the host that was asked about.
        url.set_host(Some(&name)).map_err(|_| internal())?;
    }
    let host = host_of(&url).ok_or_else(internal)?;
    Ok((url, host))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::is_public;

    fn refused(url: &str) -> bool {
        checked(url.parse().expect("an address"), is_public).is_err()
    }

    #[test]
    fn every_spelling_of_this_machine_is_refused() {
        for url in [
            "http://127.0.0.1/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://2130706433/",
            "http://127.1/",
            "http://0/",
            "http://127.0.0.1./",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[::127.0.0.1]/",
            "http://[64:ff9b::127.0.0.1]/",
            "http://169.254.169.254/latest/meta-data/",
            "http://localhost/",
            "http://LOCALHOST./",
            "http://a.localhost/",
            "http://printer.local/",
            "http://metadata.google.internal/",
            "http://router/",
            "http://a..b/",
            "http://１２７.０.０.１/",
        ] {
            assert!(refused(url), "{url}");
        }
    }

    #[test]
    fn other_schemes_and_names_in_the_address_are_refused() {
        for url in [
            "file:///etc/passwd",
            "ftp://a.example.com/",
            "data:text/plain,x",
            "https://user@a.example.com/",
            "https://:secret@a.example.com/",
        ] {
            assert!(refused(url), "{url}");
        }
    }

    #[test]
    fn host_asked_about_is_the_host_contacted() {
        let (url, host) = checked("https://Weather.COM./now?x=1#y".parse().expect("an address"), is_public)
            .expect("public");
        assert_eq!((url.as_str(), host.as_str()), ("https://weather.com/now?x=1", "weather.com"));
        // Homographs are shown in Punycode.
        let (_, host) =
            checked("https://wеather.com/".parse().expect("an address"), is_public).expect("public");
        assert!(host.starts_with("xn--"), "{host}");
    }

    #[test]
    fn declared_hosts_are_normalised_like_urls() {
        for (text, expected) in [
            ("api.weather.com", Some("api.weather.com")),
            (" API.Weather.com. ", Some("api.weather.com")),
            ("weather.com:443", Some("weather.com")),
            ("weather.com:80", Some("weather.com")),
            ("weather.com:8443", Some("weather.com:8443")),
            ("*.weather.com", None),
            ("https://weather.com/", None),
            ("weather.com/path", None),
            ("good.com@evil.com", None),
            ("", None),
        ] {
            assert_eq!(declared_host(text).as_deref(), expected, "{text:?}");
        }
    }
}
