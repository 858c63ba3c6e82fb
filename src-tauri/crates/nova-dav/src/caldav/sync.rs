use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use super::answer::Multistatus;
use super::place::{event_path, folder};
use super::xml::{Space, escape};
use super::{DavError, Request, Transport};

/// Maximum number of events of a calendar.
const EVENTS: usize = 50_000;
/// Events fetched per request.
const AT_ONCE: usize = 50;
/// Maximum number of partial responses to follow.
const ROUNDS: usize = 200;

/// An event on a server: all components with one UID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its path on the server.
    pub path: String,
    pub etag: Option<String>,
    /// iCalendar with CRLF line endings.
    pub data: String,
}

/// The state of a calendar after the last sync.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    pub token: Option<String>,
    /// ETags by path.
    pub etags: BTreeMap<String, Option<String>>,
}

/// Changes on the server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    pub changed: Vec<Resource>,
    /// Paths of deleted events.
    pub removed: Vec<String>,
    /// The token for the next sync; `None` if the server has none or omitted an event.
    pub token: Option<String>,
}

/// Fetches the changes since the last sync. If the server has no token or no longer knows it, all events are
/// listed, and only those that differ are fetched.
///
/// # Errors
/// When a request fails or a response cannot be parsed; no changes are returned then. `TooLarge` if the
/// events exceed `most_bytes`.
pub async fn sync<T: Transport>(
    transport: &T,
    calendar: &Url,
    known: &Known,
    most_bytes: usize,
) -> Result<Changes, DavError<T::Error>> {
    let calendar = folder(calendar);
    let mut listed = match &known.token {
        Some(token) => since(transport, &calendar, Some(token)).await?,
        None => None,
    };
    if listed.is_none() {
        listed = since(transport, &calendar, None).await?;
    }
    let listed = match listed {
        Some(listed) => listed,
        None => everything(transport, &calendar).await?,
    };
    let mut removed = listed.removed;
    if listed.whole {
        removed.extend(known.etags.keys().filter(|path| !listed.etags.contains_key(*path)).cloned());
    }
    let is_new = |path: &String, etag: &Option<String>| etag.is_none() || known.etags.get(path) != Some(etag);
    let wanted: Vec<&String> =
        listed.etags.iter().filter(|(path, etag)| is_new(path, etag)).map(|(path, _)| path).collect();
    let mut changes = Changes { token: listed.token, ..Changes::default() };
    let mut bytes = 0_usize;
    for paths in wanted.chunks(AT_ONCE) {
        let got = fetch(transport, &calendar, paths).await?;
        for mut resource in got.found {
            bytes = bytes.saturating_add(resource.data.len());
            if bytes > most_bytes {
                return Err(DavError::TooLarge(most_bytes));
            }
            if resource.etag.is_none() {
                resource.etag = listed.etags.get(&resource.path).cloned().flatten();
            }
            changes.changed.push(resource);
        }
        removed.extend(got.gone);
        if got.incomplete {
            changes.token = None;
        }
    }
    removed.sort_unstable();
    removed.dedup();
    changes.removed = removed;
    Ok(changes)
}

#[derive(Debug, Default)]
struct Listed {
    etags: BTreeMap<String, Option<String>>,
    removed: Vec<String>,
    token: Option<String>,
    /// The listing is complete, rather than incremental.
    whole: bool,
}

/// Lists by `sync-collection`; `None` if the server does not know the token or the report.
async fn since<T: Transport>(
    transport: &T,
    calendar: &Url,
    token: Option<&str>,
) -> Result<Option<Listed>, DavError<T::Error>> {
    let mut listed = Listed { whole: token.is_none(), ..Listed::default() };
    let mut asked = token.unwrap_or_default().to_owned();
    for _ in 0..ROUNDS {
        let body = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><D:sync-collection xmlns:D=\"DAV:\"><D:sync-token>{}</D:sync-token>\
             <D:sync-level>1</D:sync-level><D:prop><D:getetag/></D:prop></D:sync-collection>",
            escape(&asked)
        );
        let request = Request::asking("REPORT", calendar, "0", body);
        let response = transport.send(request).await.map_err(DavError::Transport)?;
        // The token is unknown or expired (RFC 6578, 3.2), or the report is not supported.
        if matches!(response.status, 400 | 403 | 405 | 406 | 409 | 410 | 412 | 415 | 422 | 501 | 507) {
            return Ok(None);
        }
        let answer = Multistatus::read(response)?;
        let mut more = false;
        for about in &answer.answers {
            let Some(path) = event_path(calendar, &about.href) else {
                // 507 for the calendar itself: the response is truncated (RFC 6578, 3.6).
                more |= about.status == Some(507);
                continue;
            };
            if matches!(about.status, Some(404 | 410)) {
                listed.etags.remove(&path);
                listed.removed.push(path);
            } else {
                listed.removed.retain(|removed| *removed != path);
                listed.etags.insert(path, about.text(Space::Dav, "getetag"));
            }
        }
        if listed.etags.len() + listed.removed.len() > EVENTS {
            return Err(DavError::TooMany(EVENTS));
        }
        let next = answer.token.filter(|token| *token != asked);
        listed.token = next.clone().or(listed.token);
        match next {
            Some(next) if more => asked = next,
            // Truncated without a token to continue with: fall back to a full listing.
            None if more => return Ok(None),
            _ => {
                return Ok(Some(Listed {
                    token: listed.token.or(Some(asked)).filter(|token| !token.is_empty()),
                    ..listed
                }));
            }
        }
    }
    Err(DavError::TooMany(EVENTS))
}

/// Lists all members of the calendar.
async fn everything<T: Transport>(transport: &T, calendar: &Url) -> Result<Listed, DavError<T::Error>> {
    const BODY: &str = concat!(
        r#"<?xml version="1.0" encoding="utf-8"?><D:propfind xmlns:D="DAV:"><D:prop><D:getetag/><D:resourcetype/>"#,
        r"</D:prop></D:propfind>"
    );
    let request = Request::asking("PROPFIND", calendar, "1", BODY.into());
    let answer = Multistatus::read(transport.send(request).await.map_err(DavError::Transport)?)?;
    let etags: BTreeMap<_, _> = answer
        .answers
        .iter()
        .filter_map(|about| Some((event_path(calendar, &about.href)?, about.text(Space::Dav, "getetag"))))
        .collect();
    if etags.len() > EVENTS {
        return Err(DavError::TooMany(EVENTS));
    }
    Ok(Listed { etags, whole: true, ..Listed::default() })
}

struct Fetched {
    found: Vec<Resource>,
    gone: Vec<String>,
    /// Some requested events are missing from the response.
    incomplete: bool,
}

/// Fetches by `calendar-multiget`.
async fn fetch<T: Transport>(
    transport: &T,
    calendar: &Url,
    paths: &[&String],
) -> Result<Fetched, DavError<T::Error>> {
    let hrefs: String = paths.iter().map(|path| format!("<D:href>{}</D:href>", escape(path))).collect();
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><C:calendar-multiget xmlns:D=\"DAV:\" \
         xmlns:C=\"urn:ietf:params:xml:ns:caldav\"><D:prop><D:getetag/><C:calendar-data/></D:prop>{hrefs}\
         </C:calendar-multiget>"
    );
    let request = Request::asking("REPORT", calendar, "1", body);
    let answer = Multistatus::read(transport.send(request).await.map_err(DavError::Transport)?)?;
    let mut missing: BTreeSet<&str> = paths.iter().map(|path| path.as_str()).collect();
    let (mut found, mut gone) = (Vec::new(), Vec::new());
    for about in &answer.answers {
        let Some(path) = event_path(calendar, &about.href) else { continue };
        if matches!(about.status, Some(404 | 410)) {
            if missing.remove(path.as_str()) {
                gone.push(path);
            }
        } else if let Some(data) = about.prop(Space::Cal, "calendar-data")
            && missing.remove(path.as_str())
        {
            let data = crlf(data.text.trim_start());
            found.push(Resource { path, etag: about.text(Space::Dav, "getetag"), data });
        }
    }
    Ok(Fetched { found, gone, incomplete: !missing.is_empty() })
}

/// Restores CRLF, which XML normalises to line feeds (XML 1.0, 2.11).
fn crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}
