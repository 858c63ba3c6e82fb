use url::Url;

use super::answer::{Answer, Multistatus};
use super::place::{folder, resolved};
use super::xml::Space;
use super::{DavError, Request, Transport};

/// A calendar as described by its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    pub url: Url,
    pub name: Option<String>,
    /// `#RRGGBB` or `#RRGGBBAA`.
    pub color: Option<String>,
    /// Changes with each modification of the calendar.
    pub ctag: Option<String>,
    /// Whether events may be written; true if the server does not say.
    pub writable: bool,
}

/// The result of [`discover`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The URL is that of one calendar.
    Calendar(Collection),
    /// All calendars of an account, sorted by path.
    Account(Vec<Collection>),
}

const PROPERTIES: &str = concat!(
    r#"<?xml version="1.0" encoding="utf-8"?><D:propfind xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" "#,
    r#"xmlns:S="http://calendarserver.org/ns/" xmlns:A="http://apple.com/ns/ical/"><D:prop><D:resourcetype/>"#,
    r"<D:displayname/><D:current-user-principal/><D:current-user-privilege-set/><C:calendar-home-set/>",
    r"<C:supported-calendar-component-set/><S:getctag/><A:calendar-color/></D:prop></D:propfind>"
);

/// Finds the calendars behind the URL of a calendar, an account, a bare server or a domain that publishes its
/// server in DNS (RFC 6764).
///
/// # Errors
/// When there are none, and when they are on a host that the transport may not reach: the error names it.
pub async fn discover<T: Transport>(transport: &T, address: &Url) -> Result<Found, DavError<T::Error>> {
    let error = match at(transport, address).await {
        Err(
            error @ (DavError::Transport(_)
            | DavError::NoCalendar
            | DavError::Status(_)
            | DavError::Answer(_)),
        ) => error,
        found => return found,
    };
    let Some(domain) = address.domain().filter(|_| is_domain(address)) else { return Err(error) };
    let published = transport.published(domain).await;
    match published.servers.iter().find_map(|(host, port)| service_url(host, *port, &published.texts)) {
        // Anyone on the path can forge a record: a password goes to a host below the domain only.
        Some(url) if !is_below(domain, &url) || !transport.may_reach(&url) => {
            Err(DavError::Elsewhere(url.to_string()))
        }
        Some(url) if url != *address => at(transport, &url).await,
        _ => Err(error),
    }
}

fn is_below(domain: &str, url: &Url) -> bool {
    let before = url.domain().and_then(|host| host.strip_suffix(domain));
    before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// The URL of a published server; `None` for a target that is no host name.
fn service_url(host: &str, port: u16, texts: &[String]) -> Option<Url> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    if !host.contains('.') || !host.chars().all(is_plain) {
        return None;
    }
    let mut url = Url::parse(&format!("https://{}:{port}/", host.trim_end_matches('.'))).ok()?;
    let path = texts.iter().find_map(|text| text.strip_prefix("path="));
    url.set_path(path.filter(|path| path.starts_with('/')).unwrap_or("/"));
    url.domain().is_some().then_some(url)
}

/// As [`discover`], at this address alone.
async fn at<T: Transport>(transport: &T, address: &Url) -> Result<Found, DavError<T::Error>> {
    let named = properties(transport, address, "0").await;
    let found = match named {
        Ok(found) => Some(found),
        Err(DavError::NoCalendar | DavError::Status(_) | DavError::Answer(_)) if is_domain(address) => None,
        Err(error) => return Err(error),
    };
    if let Some(about) = found.as_ref().and_then(|found| found.answers.first()) {
        if let Some(calendar) = found.as_ref().and_then(|found| collection(&found.url, about)) {
            return Ok(Found::Calendar(calendar));
        }
        if let Some(home) = home(transport, found.as_ref()).await? {
            return Ok(Found::Account(calendars(transport, &home).await?));
        }
    }
    if !is_domain(address) {
        return Err(DavError::NoCalendar);
    }
    let mut known = address.clone();
    known.set_path("/.well-known/caldav");
    let found = properties(transport, &known, "0").await?;
    if let Some(home) = home(transport, Some(&found)).await? {
        return Ok(Found::Account(calendars(transport, &home).await?));
    }
    Err(DavError::NoCalendar)
}

fn is_domain(address: &Url) -> bool {
    matches!(address.path(), "" | "/")
}

/// The calendar home of the principal in a response.
async fn home<T: Transport>(
    transport: &T,
    found: Option<&Multistatus>,
) -> Result<Option<Url>, DavError<T::Error>> {
    let Some((found, about)) = found.and_then(|found| Some((found, found.answers.first()?))) else {
        return Ok(None);
    };
    if let Some(home) = link(transport, &found.url, about, Space::Cal, "calendar-home-set")? {
        return Ok(Some(home));
    }
    let Some(principal) = link(transport, &found.url, about, Space::Dav, "current-user-principal")? else {
        return Ok(None);
    };
    let found = properties(transport, &principal, "0").await?;
    let Some(about) = found.answers.first() else { return Ok(None) };
    let home = link(transport, &found.url, about, Space::Cal, "calendar-home-set")?;
    // Radicale has no separate home: the calendars are children of the principal.
    Ok(Some(home.unwrap_or(principal)))
}

async fn calendars<T: Transport>(transport: &T, home: &Url) -> Result<Vec<Collection>, DavError<T::Error>> {
    let found = properties(transport, &folder(home), "1").await?;
    let mut calendars: Vec<Collection> =
        found.answers.iter().filter_map(|about| collection(&found.url, about)).collect();
    calendars.sort_by(|a, b| a.url.path().cmp(b.url.path()));
    calendars.dedup_by(|a, b| a.url == b.url);
    Ok(calendars)
}

async fn properties<T: Transport>(
    transport: &T,
    url: &Url,
    depth: &str,
) -> Result<Multistatus, DavError<T::Error>> {
    let request = Request::asking("PROPFIND", url, depth, PROPERTIES.into());
    Multistatus::read(transport.send(request).await.map_err(DavError::Transport)?)
}

/// Resolves the href in a property. That of the home may be on another host, as with iCloud.
///
/// # Errors
/// When it points to a host that the transport may not reach.
fn link<T: Transport>(
    transport: &T,
    base: &Url,
    about: &Answer,
    space: Space,
    name: &str,
) -> Result<Option<Url>, DavError<T::Error>> {
    let Some(url) =
        about.prop(space, name).and_then(|prop| prop.href()).and_then(|href| resolved(base, href))
    else {
        return Ok(None);
    };
    let is_reached = url.origin() == base.origin() || transport.may_reach(&url);
    if is_reached { Ok(Some(url)) } else { Err(DavError::Elsewhere(url.to_string())) }
}

/// `None` if it is not a calendar of events, or on another host than the home that lists it.
fn collection(base: &Url, about: &Answer) -> Option<Collection> {
    about.prop(Space::Dav, "resourcetype")?.child(Space::Cal, "calendar")?;
    let holds_events = about.prop(Space::Cal, "supported-calendar-component-set").is_none_or(|set| {
        let mut kinds = set.all(Space::Cal, "comp").filter_map(|comp| comp.named.as_deref()).peekable();
        kinds.peek().is_none() || kinds.any(|kind| kind.eq_ignore_ascii_case("VEVENT"))
    });
    let url = folder(&resolved(base, &about.href)?);
    if !holds_events || url.origin() != base.origin() {
        return None;
    }
    let writable = about.prop(Space::Dav, "current-user-privilege-set").is_none_or(|set| {
        set.all(Space::Dav, "privilege").flat_map(|privilege| &privilege.children).any(|right| {
            right.space == Space::Dav && matches!(right.name.as_str(), "all" | "write" | "write-content")
        })
    });
    Some(Collection {
        url,
        name: about.text(Space::Dav, "displayname"),
        color: about.text(Space::Apple, "calendar-color"),
        ctag: about.text(Space::Server, "getctag"),
        writable,
    })
}
