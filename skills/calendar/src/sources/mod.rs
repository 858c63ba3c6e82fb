//! All calendars, each read by a source of its kind.

pub(crate) mod address;
pub(crate) mod caldav;
mod file;
mod host;
mod vault;

use self::host::host;
use nova_dav::events::Agenda;
use nova_skill::jiff::Timestamp;
use nova_skill::{ToolContext, ToolError, Value, async_trait, json};
pub(crate) use vault::EVENT;

/// The source of a calendar.
#[async_trait]
pub(crate) trait Source: Send + Sync {
    /// The user's name for it.
    fn name(&self) -> &str;
    /// Its kind, for a person: "notes of the vault".
    fn kind(&self) -> &'static str;
    fn read_only(&self) -> bool;
    /// The user's address, as its invitations name it.
    fn email(&self) -> Option<&str> {
        None
    }
    /// # Errors
    /// If nothing of it can be read; other calendars are not affected.
    async fn load(&self, ctx: &dyn ToolContext) -> Result<Loaded, ToolError>;
}

/// The events of one calendar.
pub(crate) struct Loaded {
    pub(crate) agenda: Agenda,
    /// Notes that cannot be read as events, as an answer reports them.
    pub(crate) problems: Vec<Value>,
    /// When it was fetched, unless it is local.
    pub(crate) fetched: Option<Timestamp>,
}

/// A calendar as it was read, or why it was not.
pub(crate) struct Read {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) read_only: bool,
    /// The user's address, as its invitations name it.
    pub(crate) email: Option<String>,
    pub(crate) agenda: Agenda,
    pub(crate) problems: Vec<Value>,
    pub(crate) fetched: Option<Timestamp>,
}

impl Read {
    /// By its kind: an untrusted calendar may have the same name.
    pub(crate) fn is_vault(&self) -> bool {
        self.kind == vault::KIND
    }
}

/// The hosts of all remote calendars, as a card shows them.
pub(crate) fn hosts(config: &Value) -> Vec<String> {
    let addresses = address::configured(config).filter_map(|calendar| host(&calendar.url));
    let accounts = caldav::configured(config).flat_map(|account| account.hosts());
    let mut hosts: Vec<String> = addresses.chain(accounts).collect();
    hosts.sort();
    hosts.dedup();
    hosts
}

pub(crate) fn read_only(calendar: &str) -> ToolError {
    ToolError::failed(
        format!("The calendar {calendar} is read-only."),
        "Change the event in the program it came from, or add a note of your own with calendar.create_event.",
    )
}

/// All calendars, or the one of that name.
///
/// # Errors
/// `NotFound` for an unknown name; `Cancelled`.
pub(crate) async fn read(ctx: &dyn ToolContext, name: Option<&str>) -> Result<Vec<Read>, ToolError> {
    let mut sources: Vec<Box<dyn Source>> = vec![Box::new(vault::Notes)];
    sources.extend(file::configured(ctx.config()).map(|file| Box::new(file) as Box<dyn Source>));
    sources.extend(address::configured(ctx.config()).map(|address| Box::new(address) as Box<dyn Source>));
    for account in caldav::configured(ctx.config()) {
        sources.extend(caldav::sources(ctx, account).await?);
    }
    if let Some(name) = name {
        let folded = nova_skill::figures::folded;
        let names: Vec<String> = sources.iter().map(|source| source.name().to_owned()).collect();
        sources.retain(|source| folded(source.name()) == folded(name));
        if sources.is_empty() {
            return Err(ToolError::NotFound { kind: "calendar".into(), name: name.into(), nearest: names });
        }
    }
    let mut calendars = Vec::new();
    for source in sources {
        let (agenda, problems, fetched) = match source.load(ctx).await {
            Ok(Loaded { agenda, mut problems, fetched }) => {
                problems.extend(agenda.problems().iter().map(|problem| {
                    let title = problem.title.clone().filter(|_| source.kind() != vault::KIND);
                    let title = title.unwrap_or_else(|| problem.uid.clone());
                    json!({"event": title, "calendar": source.name(), "problem": problem.reason})
                }));
                (agenda, problems, fetched)
            }
            Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
            Err(error) => {
                let problem = json!({
                    "calendar": source.name(),
                    "problem": error.to_string(),
                    "remedy": error.hint(),
                });
                (Agenda::default(), vec![problem], None)
            }
        };
        calendars.push(Read {
            name: source.name().to_owned(),
            kind: source.kind(),
            read_only: source.read_only(),
            email: source.email().map(str::to_owned),
            agenda,
            problems,
            fetched,
        });
    }
    Ok(calendars)
}
