use url::Url;

use super::place::{event_path, folder};
use super::{DavError, Request, Resource, Response, Transport};

/// Under which condition an event is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition<'a> {
    /// There is none at its address yet.
    New,
    /// It is still the one with this ETag.
    Unchanged(&'a str),
}

/// What became of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// `etag`: of what was written; `None` where the server changed it or does not say.
    Done { etag: Option<String> },
    /// The condition does not hold, and nothing was written. `theirs` is what is there; `None`: it was deleted.
    Conflict { theirs: Option<Resource> },
}

/// The address of an event in its calendar; `None` for a path that is not directly in it.
pub fn resource_url(calendar: &Url, path: &str) -> Option<Url> {
    let path = event_path(calendar, path)?;
    folder(calendar).join(&path).ok()
}

/// Writes one event.
///
/// # Errors
/// When the server refuses it or does not answer; then it is unknown whether it was written.
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

/// Deletes one event that is still the one with this ETag.
///
/// # Errors
/// As [`put`].
pub async fn delete<T: Transport>(
    transport: &T,
    url: &Url,
    etag: &str,
) -> Result<Written, DavError<T::Error>> {
    let request = Request::new("DELETE", url.clone()).with("if-match", etag);
    let response = transport.send(request).await.map_err(DavError::Transport)?;
    outcome(transport, url, response).await
}

/// One event as it is now; `None` where there is none.
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
        200 | 201 | 204 => Ok(Written::Done { etag: response.etag }),
        // 404 and 410: what was to be changed is gone.
        404 | 409 | 410 | 412 => match get(transport, url).await? {
            // Another reason than the condition, such as a UID that exists under another address.
            theirs if response.status == 409 && theirs.is_none() => Err(DavError::Status(409)),
            theirs => Ok(Written::Conflict { theirs }),
        },
        status => Err(DavError::of_status(status)),
    }
}
