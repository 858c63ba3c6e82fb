use url::Url;

use super::place::{event_path, folder};
use super::{DavError, Request, Resource, Response, Transport};

/// The precondition of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition<'a> {
    /// No event exists at the URL.
    New,
    /// The event still has this ETag, [a strong one](is_strong).
    Unchanged(&'a str),
}

/// The outcome of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// `etag` is the new one; `None` if the server modified the event, or returns none or a weak one.
    Done { etag: Option<String> },
    /// The precondition failed and nothing was written. `theirs` is the current event; `None` if it was
    /// deleted.
    Conflict { theirs: Option<Resource> },
}

/// Whether `If-Match` can name an ETag: a weak one matches nothing (RFC 9110, 13.1.1).
pub fn is_strong(etag: &str) -> bool {
    !etag.trim_start().starts_with("W/")
}

/// The URL of an event in its calendar; `None` unless the path is a direct child of the calendar.
pub fn resource_url(calendar: &Url, path: &str) -> Option<Url> {
    let path = event_path(calendar, path)?;
    folder(calendar).join(&path).ok()
}

/// Writes one event.
///
/// # Errors
/// When the server refuses or does not answer; in the latter case it is unknown whether the event was
/// written.
pub async fn put<T: Transport>(
    transport: &T,
    url: &Url,
    data: &str,
    condition: Condition<'_>,
) -> Result<Written, DavError<T::Error>> {
    let request = Request::new("PUT", url.clone()).with("content-type", "text/calendar; charset=utf-8");
    let request = match condition {
        Condition::New => request.with("if-none-match", "*"),
        Condition::Unchanged(etag) => request.with("if-match", etag),
    };
    let request = Request { body: Some(data.to_owned()), ..request };
    let response = transport.send(request).await.map_err(DavError::Transport)?;
    outcome(transport, url, response).await
}

/// Deletes one event if it still has this ETag.
///
/// # Errors
/// See [`put`].
pub async fn delete<T: Transport>(
    transport: &T,
    url: &Url,
    etag: &str,
) -> Result<Written, DavError<T::Error>> {
    let request = Request::new("DELETE", url.clone()).with("if-match", etag);
    let response = transport.send(request).await.map_err(DavError::Transport)?;
    outcome(transport, url, response).await
}

/// Fetches one event; `None` if it does not exist.
///
/// # Errors
/// When the server refuses it or does not answer.
pub async fn get<T: Transport>(transport: &T, url: &Url) -> Result<Option<Resource>, DavError<T::Error>> {
    let request = Request::new("GET", url.clone()).with("accept", "text/calendar");
    let response = transport.send(request).await.map_err(DavError::Transport)?;
    match response.status {
        200 => Ok(Some(Resource {
            path: url.path().to_owned(),
            etag: response.etag,
            data: String::from_utf8_lossy(&response.body).into_owned(),
        })),
        404 | 410 => Ok(None),
        status => Err(DavError::of_status(status)),
    }
}

async fn outcome<T: Transport>(
    transport: &T,
    url: &Url,
    response: Response,
) -> Result<Written, DavError<T::Error>> {
    match response.status {
        200 | 201 | 204 => Ok(Written::Done { etag: response.etag.filter(|etag| is_strong(etag)) }),
        // 404 and 410: the event to be changed was deleted.
        404 | 409 | 410 | 412 => match get(transport, url).await? {
            // 409 for another reason than the precondition, such as a duplicate UID.
            theirs if response.status == 409 && theirs.is_none() => Err(DavError::Status(409)),
            theirs => Ok(Written::Conflict { theirs }),
        },
        status => Err(DavError::of_status(status)),
    }
}
