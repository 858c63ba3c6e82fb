use std::collections::HashMap;
use std::sync::Arc;

use nova_skill::figures::folded;
use nova_skill::serde_json::Map;
use nova_skill::{
    Date, Description, Effect, JsonSchema, NativeTool, Output, Problem, ToolContext, ToolError, ToolOutput,
    Value, async_trait, date_argument, json, schemars,
};
use serde::Deserialize;

use crate::dates::Cadence;
use crate::deals::Deals;
use crate::details::EVERY_REMEDY;
use crate::find::without_md;
use crate::list_deals;
use crate::records::{CONTACT, Entry, Records, or_problem, problem_row};

/// "This week" is today and the next six days.
const DAYS: i32 = 7;

pub(crate) struct FollowUps;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Lists people to contact."))]
pub(crate) struct Until {
    /// Only those due by this day, YYYY-MM-DD; default: all that have a date.
    #[schemars(extend("format" = "date"))]
    #[schemars(extend("x-help" = "The last day"))]
    until: Option<String>,
}

#[async_trait]
impl NativeTool for FollowUps {
    type Args = Until;
    const ID: &'static str = "follow_ups";
    const EFFECT: Effect = Effect::Read;

    fn description(&self) -> Description {
        Description::purpose(
            "Lists the follow-ups by the contacts' next_contact, else by their cadence `every` from the last contact: overdue, \
             within seven days, later. Names the company and \
             the deal of each, and counts the people without a date.",
        )
        .use_when("the user asks whom to call or get back to, which follow-ups are due or overdue")
        .not_when("the date of one person is asked for", "crm.get_contact")
        .example("Who is overdue for a call?")
    }

    async fn run(&self, wanted: Until, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let until = wanted.until.map(|day| date_argument("until", &day)).transpose()?;
        let today = ctx.clock().today();
        let contacts = Records::read(ctx.as_ref(), CONTACT).await?;
        let deals = Deals::read(ctx.as_ref()).await?;
        let open = open_deals(&deals)?;

        let mut due = Due::default();
        let mut listed = Vec::new();
        for contact in contacts.iter() {
            let Some(date) = due.add(&contacts, &contact, today)? else { continue };
            if until.is_none_or(|until| date <= until) {
                listed.push((date, contact));
            }
        }
        listed.sort_by_cached_key(|(date, contact)| (*date, folded(&contact.name), contact.path()));

        let rows: Vec<Value> = listed
            .iter()
            .map(|(date, contact)| row(contact, *date, today, &open))
            .collect::<Result<_, ToolError>>()?;
        let mut out = json!({
            "today": today.to_string(),
            "follow_ups": rows,
            "overdue": due.overdue,
            "this_week": due.this_week,
            "later": due.later,
            "without_date": due.without_date,
        });
        let mut unreadable = contacts.unreadable_rows();
        unreadable.extend(deals.records.unreadable_rows());
        for (key, list) in [("problems", due.problems), ("unreadable", unreadable)] {
            if !list.is_empty() {
                out[key] = list.into();
            }
        }
        let sources = listed.iter().map(|(_, contact)| contact.note().path.clone());
        Ok(Output::new(out).from_notes(sources).into())
    }
}

/// The numbers of follow-ups by due date.
#[derive(Default)]
pub(crate) struct Due {
    pub(crate) overdue: usize,
    pub(crate) this_week: usize,
    pub(crate) later: usize,
    pub(crate) without_date: usize,
    /// Contacts with an unreadable date; they are in none of the counts.
    pub(crate) problems: Vec<Value>,
}

impl Due {
    pub(crate) fn count(contacts: &Records, today: Date) -> Result<Self, ToolError> {
        let mut due = Self::default();
        for contact in contacts.iter() {
            due.add(contacts, &contact, today)?;
        }
        Ok(due)
    }

    /// The number of follow-ups that are overdue or due this week.
    pub(crate) fn due_this_week(&self) -> usize {
        self.overdue + self.this_week
    }

    /// Counts a contact and returns its follow-up date.
    fn add(&mut self, contacts: &Records, contact: &Entry, today: Date) -> Result<Option<Date>, ToolError> {
        let mut problems: Vec<Problem> = Vec::new();
        let mut date = or_problem(contact.record.date("next_contact"), &mut problems)?;
        if date.is_none() && problems.is_empty() {
            date = due_by_cadence(contacts, contact, today, &mut problems)?;
        }
        for problem in &problems {
            let message = format!("{} is not among the follow-ups: {}", contact.name, problem.problem);
            self.problems.push(problem_row(problem, message));
        }
        match date {
            Some(date) => match Group::of(date, today) {
                Group::Overdue => self.overdue += 1,
                Group::ThisWeek => self.this_week += 1,
                Group::Later => self.later += 1,
            },
            None if problems.is_empty() => self.without_date += 1,
            None => {}
        }
        Ok(date)
    }
}

/// The date by the cadence, counted from the last contact; today if there was none.
fn due_by_cadence(
    contacts: &Records,
    contact: &Entry,
    today: Date,
    problems: &mut Vec<Problem>,
) -> Result<Option<Date>, ToolError> {
    let Some(text) = contact.record.text_there("every")? else { return Ok(None) };
    let Some(every) = Cadence::parse(&text) else {
        problems.push(contacts.invalid_value(contact, "every", &text, EVERY_REMEDY));
        return Ok(None);
    };
    let last = or_problem(contact.record.date("last_contact"), problems)?;
    Ok(if problems.is_empty() { Some(last.map_or(today, |last| every.after(last))) } else { None })
}

/// When a follow-up is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    Overdue,
    ThisWeek,
    Later,
}

impl Group {
    fn of(date: Date, today: Date) -> Self {
        match today.until(date).map_or(i32::MAX, |span| span.get_days()) {
            ..0 => Self::Overdue,
            0..DAYS => Self::ThisWeek,
            _ => Self::Later,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Overdue => "overdue",
            Self::ThisWeek => "this_week",
            Self::Later => "later",
        }
    }
}

/// The title of the open deal that closes first, by the folded name of its contact.
fn open_deals(deals: &Deals) -> Result<HashMap<String, String>, ToolError> {
    let all = deals.all()?;
    let mut open: Vec<_> = all.iter().filter(|deal| deal.is_open()).collect();
    list_deals::sort(&mut open);
    let mut titles = HashMap::new();
    for deal in open {
        if let Some(contact) = deal.entry.record.text("contact")? {
            titles.entry(folded(&contact)).or_insert_with(|| deal.entry.name.clone().into_owned());
        }
    }
    Ok(titles)
}

fn row(
    contact: &Entry,
    date: Date,
    today: Date,
    open_deals: &HashMap<String, String>,
) -> Result<Value, ToolError> {
    let mut row = Map::new();
    row.insert("name".into(), contact.name.clone().into());
    row.insert("group".into(), Group::of(date, today).name().into());
    row.insert("next_contact".into(), date.to_string().into());
    for field in ["company", "last_contact", "phone", "email"] {
        if let Some(text) = contact.record.text(field)? {
            row.insert(field.into(), text.into());
        }
    }
    if contact.record.date("next_contact")?.is_none()
        && let Some(every) = contact.record.text_there("every")?.and_then(|text| Cadence::parse(&text))
    {
        row.insert("every".into(), every.to_string().into());
    }
    let by_name = |name: &str| open_deals.get(&folded(name));
    let names = [without_md(contact.path()), contact.note().path.name(), &contact.name];
    if let Some(deal) = names.into_iter().find_map(by_name) {
        row.insert("deal".into(), deal.clone().into());
    }
    row.insert("path".into(), contact.path().into());
    Ok(Value::Object(row))
}
