use url::Url;

/// The registrable domain of a URL's host by the Public Suffix List: `icloud.com` for `caldav.icloud.com`. Hosts
/// below it belong to one owner. `None` for IP addresses, names of one label, public suffixes and other
/// schemes than https.
///
/// ```
/// use nova_dav::caldav::site;
/// assert_eq!(site(&"https://caldav.icloud.com/".parse().unwrap()).unwrap(), "icloud.com");
/// assert_eq!(site(&"https://dav.example.co.uk:8443/".parse().unwrap()).unwrap(), "example.co.uk");
/// assert_eq!(site(&"https://co.uk/".parse().unwrap()), None);
/// ```
pub fn site(url: &Url) -> Option<String> {
    let host = url.domain().filter(|_| url.scheme() == "https")?;
    psl::domain_str(host.trim_end_matches('.')).map(str::to_owned)
}
