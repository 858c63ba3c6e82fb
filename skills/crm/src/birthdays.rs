use std::sync::Arc;

use nova_skill::figures::folded;
use nova_skill::jiff::ToSpan as _;
use nova_skill::{
    Date, Description, Effect, JsonSchema, NativeTool, Output, ToolContext, ToolError, ToolOutput, Value,
    async_trait, date_argument, json, schemars,
};
use serde::Deserialize;

use crate::dates::Birthday;
use crate::details::BIRTHDAY_REMEDY;
use crate::records::{CONTACT, Entry, Records, problem_row};

/// The default and the maximum number of days; within 366 days each birthday occurs once.
const DAYS: (u32, u32) = (30, 366);

pub(crate) struct Birthdays;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists upcoming birthdays."))]
pub(crate) struct Period {
    /// The first day, YYYY-MM-DD; default: today.
    #[serde(default)]
    #[schemars(extend("format" = "date", "x-help" = "Today if left empty"))]
    from: Option<String>,
    /// How many days; default: 30, at most 366.
    #[serde(default)]
    #[schemars(range(min = 1, max = 366), extend("x-help" = "30 if left empty"))]
    days: Option<u32>,
}

#[async_trait]
impl NativeTool for Birthdays {
    type Args = Period;
    const ID: &'static str = "birthdays";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Lists the upcoming birthdays of contacts, the next first, with the age where the year is known.",
        )
        .use_when("the user asks whose birthday is next, or which birthdays are coming up")
        .not_when("one person is asked about", "crm.get_contact")
        .example("Which birthdays are coming up?")
    }

    async fn run(&self, period: Period, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let from = period.from.as_deref().map(str::trim).filter(|day| !day.is_empty());
        let from = from.map_or_else(|| Ok(ctx.clock().today()), |day| date_argument("from", day))?;
        let days = i64::from(period.days.unwrap_or(DAYS.0).min(DAYS.1));
        let last = from.saturating_add((days - 1).days());
        let contacts = Records::read(ctx.as_ref(), CONTACT).await?;

        let mut problems = Vec::new();
        let mut listed: Vec<(Date, Birthday, Entry)> = Vec::new();
        for contact in contacts.iter() {
            let Some(text) = contact.record.text("birthday")? else { continue };
            match Birthday::parse(&text) {
                Some(birthday) => {
                    if let Some(next) = birthday.next(from).filter(|next| *next <= last) {
                        listed.push((next, birthday, contact));
                    }
                }
                None => {
                    let problem = contacts.invalid_value(&contact, "birthday", &text, BIRTHDAY_REMEDY);
                    let message = format!("{} is not among the birthdays: {}", contact.name, problem.problem);
                    problems.push(problem_row(&problem, message));
                }
            }
        }
        listed.sort_by_cached_key(|(next, _, contact)| (*next, folded(&contact.name), contact.path()));
        let rows: Vec<Value> = listed
            .iter()
            .map(|(next, birthday, contact)| row(contact, *birthday, *next))
            .collect::<Result<_, ToolError>>()?;
        let mut out =
            json!({"from": from.to_string(), "to": last.to_string(), "count": rows.len(), "birthdays": rows});
        for (key, list) in [("problems", problems), ("unreadable", contacts.unreadable_rows())] {
            if !list.is_empty() {
                out[key] = list.into();
            }
        }
        let sources = listed.iter().map(|(_, _, contact)| contact.note().path.clone());
        Ok(Output::new(out).from_notes(sources).into())
    }
}

fn row(contact: &Entry, birthday: Birthday, next: Date) -> Result<Value, ToolError> {
    let mut row = json!({"name": contact.name, "date": next.to_string(), "path": contact.path()});
    if let Some(company) = contact.record.text("company")? {
        row["company"] = company.into();
    }
    if let Some(age) = birthday.age(next) {
        row["turns"] = format!("turns {age}").into();
    }
    Ok(row)
}
