use nova_dav::caldav::{Condition, DavError, Resource, Written, delete, get, is_strong, put, resource_url};
use nova_dav::ical::Calendar;
use nova_skill::figures::folded;
use nova_skill::{ToolContext, ToolError};
use url::Url;

use super::kept::{self, Event, Events};
use super::signed::Signed;
use super::{Account, Conflict};

/// A calendar of a server whose events can be written, as last fetched.
pub(crate) struct Opened<'a> {
    ctx: &'a dyn ToolContext,
    account: Account,
    calendar: kept::Calendar,
    events: Events,
}

/// One event: all components with one UID.
pub(crate) struct Held {
    pub(crate) uid: String,
    path: String,
    etag: Option<String>,
    pub(crate) calendar: Calendar,
}

impl<'a> Opened<'a> {
    /// The calendar of that name, or that of an event id: `calendar/uid`.
    ///
    /// # Errors
    /// If there is none, none was fetched, or it is read-only.
    pub(crate) async fn find(
        ctx: &'a dyn ToolContext,
        account: Account,
        said: &str,
    ) -> Result<Self, ToolError> {
        let Some(kept) = kept::account(ctx, &account).await? else {
            return Err(super::not_fetched(&account.name));
        };
        let wanted = folded(said.trim());
        let names: Vec<String> = kept.calendars.iter().map(|calendar| calendar.name.clone()).collect();
        let is_meant = |calendar: &kept::Calendar| {
            wanted
                .strip_prefix(&folded(&calendar.name))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let found = kept.calendars.into_iter().filter(is_meant).max_by_key(|calendar| calendar.name.len());
        let Some(calendar) = found else {
            return Err(ToolError::NotFound { kind: "calendar".into(), name: said.into(), nearest: names });
        };
        if account.read_only || !calendar.writable {
            return Err(crate::sources::read_only(&calendar.name));
        }
        let Some(events) = kept::events(ctx, &calendar).await? else {
            return Err(super::not_fetched(&calendar.name));
        };
        Ok(Self { ctx, account, calendar, events })
    }

    pub(crate) fn account(&self) -> &Account {
        &self.account
    }

    pub(crate) fn name(&self) -> &str {
        &self.calendar.name
    }

    /// The event with the id `calendar/uid`.
    ///
    /// # Errors
    /// `NotFound`.
    pub(crate) fn event(&self, said: &str) -> Result<Held, ToolError> {
        let wanted = folded(said.trim());
        for (path, event) in &self.events.events {
            let Ok(calendar) = Calendar::parse(event.data.as_bytes()) else { continue };
            let uid = calendar.components("VEVENT").find_map(|event| event.text("UID"));
            if let Some(uid) = uid
                && folded(&format!("{}/{uid}", self.calendar.name)) == wanted
            {
                return Ok(Held { uid, path: path.clone(), etag: event.etag.clone(), calendar });
            }
        }
        Err(ToolError::NotFound { kind: "event".into(), name: said.into(), nearest: Vec::new() })
    }

    /// Adds an event; `name` is that of its file. Returns the event that has this name already: it may be the same one,
    /// whose answer was lost.
    ///
    /// # Errors
    /// If the server refuses it.
    pub(crate) async fn create(
        &mut self,
        name: &str,
        event: &Calendar,
    ) -> Result<Option<Calendar>, ToolError> {
        let path = format!("{}{name}.ics", self.calendar.url.path());
        let data = text(event);
        let server = Signed::new(self.ctx, &self.account).await?;
        let url = self.address(&path)?;
        let written = match put(&server, &url, &data, Condition::New).await {
            Err(DavError::Transport(error)) if !matches!(error, ToolError::Cancelled) => {
                match get(&server, &url).await {
                    Ok(theirs @ Some(_)) => Ok(Written::Conflict { theirs }),
                    Ok(None) | Err(_) => Err(DavError::Transport(error)),
                }
            }
            written => written,
        };
        match written.map_err(|error| server.told(error))? {
            Written::Done { etag } => {
                let event = written_event(&server, &url, data, etag).await;
                self.keep(path, event).await?;
                Ok(None)
            }
            Written::Conflict { theirs: Some(Resource { etag, data, .. }) } => {
                let theirs = Calendar::parse(data.as_bytes()).unwrap_or_default();
                self.keep(path, Event { etag, data }).await?;
                Ok(Some(theirs))
            }
            Written::Conflict { theirs: None } => Ok(Some(Calendar::default())),
        }
    }

    /// Writes a changed event unless it changed on the server since it was fetched. `said` describes what is changed:
    /// the event, or one instance. A concurrent change is stored instead, and returned as a conflict.
    ///
    /// # Errors
    /// If the server refuses it.
    pub(crate) async fn replace(
        &mut self,
        held: &Held,
        event: &Calendar,
        said: impl Fn(&Calendar) -> String + Send + Sync,
    ) -> Result<Option<Conflict>, ToolError> {
        let data = text(event);
        let server = Signed::new(self.ctx, &self.account).await?;
        let url = self.address(&held.path)?;
        let etag = match self.etag(&server, &url, held).await? {
            Ok(etag) => etag,
            Err(theirs) => return Ok(Some(self.conflict(held, said(event), theirs, said).await?)),
        };
        let written = put(&server, &url, &data, Condition::Unchanged(&etag))
            .await
            .map_err(|error| server.told(error))?;
        match written {
            Written::Done { etag } => {
                let event = written_event(&server, &url, data, etag).await;
                self.keep(held.path.clone(), event).await?;
                Ok(None)
            }
            Written::Conflict { theirs } => Ok(Some(self.conflict(held, said(event), theirs, said).await?)),
        }
    }

    /// Deletes an event unless it changed since it was fetched.
    ///
    /// # Errors
    /// As [`Opened::replace`].
    pub(crate) async fn delete(&mut self, held: &Held) -> Result<Option<Conflict>, ToolError> {
        let server = Signed::new(self.ctx, &self.account).await?;
        let url = self.address(&held.path)?;
        let written = match self.etag(&server, &url, held).await? {
            Ok(etag) => delete(&server, &url, &etag).await.map_err(|error| server.told(error))?,
            Err(theirs) => Written::Conflict { theirs },
        };
        match written {
            Written::Done { .. } => {
                self.events.events.remove(&held.path);
                kept::keep_events(self.ctx, &self.calendar, &self.events).await?;
                Ok(None)
            }
            Written::Conflict { theirs } => {
                let home = self.ctx.clock().zone();
                let said = |calendar: &Calendar| crate::properties::summary(calendar, &home);
                Ok(Some(self.conflict(held, "deleted".into(), theirs, said).await?))
            }
        }
    }

    fn address(&self, path: &str) -> Result<Url, ToolError> {
        resource_url(&self.calendar.url, path)
            .ok_or_else(|| ToolError::failed(format!("{path} is not in {}.", self.calendar.name), ""))
    }

    /// A strong ETag of the event, or the event as it is now where it changed. Where a server lists none, as through a
    /// proxy that compresses, the event is asked for its own.
    async fn etag(
        &self,
        server: &Signed<'_>,
        url: &Url,
        held: &Held,
    ) -> Result<Result<String, Option<Resource>>, ToolError> {
        let strong = |etag: &Option<String>| etag.clone().filter(|etag| is_strong(etag));
        if let Some(etag) = strong(&held.etag) {
            return Ok(Ok(etag));
        }
        let Some(now) = get(server, url).await.map_err(|error| server.told(error))? else {
            return Ok(Err(None));
        };
        let Some(etag) = strong(&now.etag) else {
            return Err(ToolError::failed(
                format!(
                    "The server of {} gives the event no strong ETag, so a change could overwrite another one.",
                    self.calendar.name
                ),
                "Change it in the calendar program it came from.",
            ));
        };
        let is_unchanged = Calendar::parse(now.data.as_bytes()).is_ok_and(|now| now == held.calendar);
        Ok(if is_unchanged { Ok(etag) } else { Err(Some(now)) })
    }

    async fn keep(&mut self, path: String, event: Event) -> Result<(), ToolError> {
        self.events.events.insert(path, event);
        kept::keep_events(self.ctx, &self.calendar, &self.events).await
    }

    async fn conflict(
        &mut self,
        held: &Held,
        mine: String,
        theirs: Option<Resource>,
        said: impl Fn(&Calendar) -> String + Send + Sync,
    ) -> Result<Conflict, ToolError> {
        let there = theirs.as_ref().map(|theirs| {
            Calendar::parse(theirs.data.as_bytes())
                .map_or_else(|error| format!("unreadable, {error}"), |calendar| said(&calendar))
        });
        match theirs {
            None => drop(self.events.events.remove(&held.path)),
            Some(theirs) => {
                let event = Event { etag: theirs.etag, data: theirs.data };
                self.events.events.insert(held.path.clone(), event);
            }
        }
        kept::keep_events(self.ctx, &self.calendar, &self.events).await?;
        let (calendar, before) = (self.calendar.name.clone(), said(&held.calendar));
        Ok(Conflict { calendar, before, mine, theirs: there })
    }
}

/// The event after a write. A server that returns no ETag may have changed it.
async fn written_event(server: &Signed<'_>, url: &Url, data: String, etag: Option<String>) -> Event {
    if etag.is_some() {
        return Event { etag, data };
    }
    match get(server, url).await {
        Ok(Some(resource)) => Event { etag: resource.etag, data: resource.data },
        // It was written: a failure to read it back is not a failure of the change.
        Ok(None) | Err(_) => Event { etag: None, data },
    }
}

fn text(calendar: &Calendar) -> String {
    String::from_utf8_lossy(&calendar.print()).into_owned()
}
