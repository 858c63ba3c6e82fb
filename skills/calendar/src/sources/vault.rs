use nova_dav::events::Agenda;
use nova_dav::ical::Calendar;
use nova_skill::{Problem, ToolContext, ToolError, Value, async_trait, json};

use super::{Loaded, Source};
use crate::note::component;

/// The `type:` of an event, as the manifest declares it.
pub(crate) const EVENT: &str = "event";
/// The name of the calendar that consists of notes.
const VAULT: &str = "vault";

/// The name of its kind, used by no other.
pub(super) const KIND: &str = "notes";

/// The notes with `type: event`.
pub(crate) struct Notes;

#[async_trait]
impl Source for Notes {
    fn name(&self) -> &str {
        VAULT
    }

    fn kind(&self) -> &'static str {
        KIND
    }

    fn read_only(&self) -> bool {
        false
    }

    async fn load(&self, ctx: &dyn ToolContext) -> Result<Loaded, ToolError> {
        let declared = ctx.records().get(EVENT)?;
        let read = ctx.vault().read_records(&[EVENT]).await?;
        let mut problems: Vec<Value> = read.unreadable.iter().map(row).collect();
        let mut calendar = Calendar::new("-//Nova//EN");
        for note in &read.notes {
            match component(&declared.read(note)) {
                Ok(event) => {
                    if let Some(all) = calendar.calendars_mut().next() {
                        all.push(event);
                    }
                }
                Err(ToolError::BrokenRecord(problem)) => problems.push(row(&problem)),
                Err(error) => return Err(error),
            }
        }
        Ok(Loaded { agenda: Agenda::new(calendar), problems, fetched: None })
    }
}

fn row(problem: &Problem) -> Value {
    json!({
        "event": problem.path,
        "calendar": VAULT,
        "line": problem.line,
        "problem": problem.problem,
        "remedy": problem.remedy,
    })
}
