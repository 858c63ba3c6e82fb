//! What the store keeps of calendar servers. Unreadable data is fetched again.

use std::collections::BTreeMap;

use nova_skill::jiff::Timestamp;
use nova_skill::{ContentHash, ToolContext, ToolError, serde_json};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use url::Url;

/// The calendars of an account.
#[derive(Serialize, Deserialize)]
pub(super) struct Calendars {
    pub(super) calendars: Vec<Calendar>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Calendar {
    /// Its name in answers.
    pub(super) name: String,
    pub(super) url: Url,
    /// According to the server.
    pub(super) writable: bool,
    /// The account: two users may see different events at one address.
    pub(super) account: String,
}

/// The events of one calendar.
#[derive(Serialize, Deserialize)]
pub(super) struct Events {
    pub(super) at: Timestamp,
    pub(super) token: Option<String>,
    /// By path.
    pub(super) events: BTreeMap<String, Event>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Event {
    pub(super) etag: Option<String>,
    /// As iCalendar.
    pub(super) data: String,
}

pub(super) async fn account(
    ctx: &dyn ToolContext,
    account: &super::Account,
) -> Result<Option<Calendars>, ToolError> {
    read(ctx, &account.key()).await
}

pub(super) async fn keep_account(
    ctx: &dyn ToolContext,
    account: &super::Account,
    calendars: &Calendars,
) -> Result<(), ToolError> {
    write(ctx, &account.key(), calendars, &account.name).await
}

pub(super) async fn events(ctx: &dyn ToolContext, calendar: &Calendar) -> Result<Option<Events>, ToolError> {
    read(ctx, &key(calendar)).await
}

pub(super) async fn keep_events(
    ctx: &dyn ToolContext,
    calendar: &Calendar,
    events: &Events,
) -> Result<(), ToolError> {
    write(ctx, &key(calendar), events, &calendar.name).await
}

pub(super) async fn remove_events(ctx: &dyn ToolContext, calendar: &Calendar) -> Result<(), ToolError> {
    ctx.store().remove(&key(calendar)).await
}

fn key(calendar: &Calendar) -> String {
    let what = format!("{}\n{}", calendar.account, calendar.url);
    format!("events-{}", ContentHash::of(what.as_bytes()))
}

async fn read<T: DeserializeOwned>(ctx: &dyn ToolContext, key: &str) -> Result<Option<T>, ToolError> {
    let kept = ctx.store().get(key).await?;
    Ok(kept.and_then(|kept| serde_json::from_value(kept).ok()))
}

async fn write<T: Serialize + Sync>(
    ctx: &dyn ToolContext,
    key: &str,
    value: &T,
    name: &str,
) -> Result<(), ToolError> {
    let value = serde_json::to_value(value)
        .map_err(|error| ToolError::failed(format!("{name} cannot be stored: {error}."), ""))?;
    ctx.store().set(key, value).await
}
