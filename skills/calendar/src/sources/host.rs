use url::Url;

/// The host, with its port if that is not the scheme's default.
pub(crate) fn host(url: &Url) -> Option<String> {
    // As requests to this machine spell it.
    let host = if url.host_str()? == "localhost" { "127.0.0.1" } else { url.host_str()? };
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}
