//! The day page: the tool calls that the skills' manifests request, and the sections built from their
//! results. Pure.

use std::sync::Arc;

use nova_protocol::{Effect, Glance, TodayFetched, TodayRow, TodaySection, TodayTick, TodayTotal, TodayView};
use nova_registry::{SkillEntry, Snapshot};
use nova_skill::figures::{Sums, plain_date};
use nova_skill::jiff::ToSpan as _;
use nova_skill::{Date, Decimal};
use serde_json::{Map, Value, json};

use crate::effect_view;

/// Maximum number of rows per section; the rest is not counted, since no page shows it.
const MOST: usize = 200;

/// One call for a day, and the entries built from its result.
pub struct Ask {
    pub skill: Arc<SkillEntry>,
    /// `skill.tool`
    pub tool: String,
    pub args: Value,
    pub glances: Vec<Glance>,
}

/// The calls for a day, in the order of the skills; entries with the same tool and arguments share a call.
pub fn asks(snapshot: &Snapshot, day: Date) -> Vec<Ask> {
    let declared = asks_of_glances(snapshot, day).into_iter();
    declared.filter(|ask| ask.glances.iter().any(|glance| glance.today.is_some())).collect()
}

/// As [`asks`], including entries without a section.
pub fn asks_of_glances(snapshot: &Snapshot, day: Date) -> Vec<Ask> {
    let mut asks: Vec<Ask> = Vec::new();
    // Declarations of foreign skills do not cause calls.
    for skill in snapshot.available().filter(|skill| !skill.foreign) {
        for glance in declared(skill) {
            let tool = nova_registry::shown_name(&skill.id, &glance.tool);
            let args = Value::Object(of_day(&glance.args, day));
            match asks.iter_mut().find(|ask| ask.tool == tool && ask.args == args) {
                Some(ask) => ask.glances.push(glance),
                None => asks.push(Ask { skill: skill.clone(), tool, args, glances: vec![glance] }),
            }
        }
    }
    asks
}

/// Returns the declared entries whose tools may run unattended. Invalid declarations are ignored; the skill
/// works without them.
fn declared(skill: &SkillEntry) -> Vec<Glance> {
    let Some(declared) = &skill.manifest.glance else { return Vec::new() };
    match Glance::read(declared) {
        Ok(glances) => glances.into_iter().filter(|glance| only_reads(skill, glance)).collect(),
        Err(problem) => {
            tracing::warn!(skill = %skill.id, %problem, "invalid glance in manifest.yaml");
            Vec::new()
        }
    }
}

fn only_reads(skill: &SkillEntry, glance: &Glance) -> bool {
    let tool = skill.tools.iter().find(|tool| tool.id == glance.tool);
    tool.is_some_and(|tool| effect_view(tool.effect()) == Effect::Read)
}

/// Substitutes the day for `{date}` and `{date+13}` in arguments.
fn of_day(args: &Map<String, Value>, day: Date) -> Map<String, Value> {
    let filled = |value: &Value| {
        let Some((before, rest)) = value.as_str().and_then(|text| text.split_once("{date")) else {
            return value.clone();
        };
        let Some((days, after)) = rest.split_once('}') else { return value.clone() };
        let days: i64 = days.strip_prefix('+').unwrap_or("0").parse().unwrap_or_default();
        format!("{before}{}{after}", day.saturating_add(days.days())).into()
    };
    args.iter().map(|(key, value)| (key.clone(), filled(value))).collect()
}

/// The sections of a day, left before right, each in its declared position.
pub fn sections<'a>(
    answers: impl Iterator<Item = (&'a Ask, Result<&'a Value, String>)>,
    day: Date,
) -> Vec<TodayView> {
    let mut all: Vec<TodayView> = answers
        .flat_map(|(ask, answer)| {
            let declared = ask.glances.iter().filter_map(|glance| glance.today.as_ref());
            declared.map(move |declared| section(&ask.skill, declared, answer.clone(), day))
        })
        .filter(|section| !section.rows.is_empty() || section.problem.is_some())
        .collect();
    all.sort_by_key(|section| (section.side, section.order));
    all
}

/// Formats on one line why a tool failed, and what to do.
pub fn problem(message: &str, hint: &str) -> String {
    format!("{message} {hint}").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Builds a section from the result of its tool, or from its error.
pub fn section(
    skill: &SkillEntry,
    declared: &TodaySection,
    answer: Result<&Value, String>,
    day: Date,
) -> TodayView {
    let mut section = TodayView {
        title: declared.title.clone(),
        skill: skill.id.clone(),
        icon: declared.icon.clone().or_else(|| skill.manifest.icon.clone()),
        side: declared.side,
        order: declared.order,
        rows: Vec::new(),
        overdue: 0,
        total: Vec::new(),
        fetched: Vec::new(),
        panel: declared.panel,
        problem: None,
    };
    let answer = match answer {
        Ok(answer) => answer,
        Err(problem) => {
            section.problem = Some(problem);
            return section;
        }
    };
    let rows = answer.pointer(&declared.rows).and_then(Value::as_array).into_iter().flatten();
    let rows = rows.filter(|row| declared.keep.is_empty() || declared.keep.iter().any(|key| says(row, key)));
    section.rows = rows.filter_map(|row| declared_row(&skill.id, declared, row, day)).collect();
    // Rows without a time follow those with one, in their original order.
    section.rows.sort_by(|a, b| (a.at.is_empty(), &a.at).cmp(&(b.at.is_empty(), &b.at)));
    section.rows.truncate(MOST);
    section.overdue =
        u32::try_from(section.rows.iter().filter(|row| row.overdue).count()).unwrap_or(u32::MAX);
    if declared.total {
        section.total = totals(&section.rows);
    }
    let fetched = declared.fetched.as_deref().and_then(|at| answer.pointer(at)).and_then(Value::as_object);
    section.fetched = fetched
        .into_iter()
        .flatten()
        .filter_map(|(name, at)| Some(TodayFetched { name: name.clone(), at: at.as_str()?.to_owned() }))
        .collect();
    section
}

/// Builds a row, if it is within the days that the section shows.
fn declared_row(skill: &str, declared: &TodaySection, row: &Value, day: Date) -> Option<TodayRow> {
    let text = |key: &str| text_of(&row[key]);
    let field = |key: &Option<String>| key.as_deref().map(text).unwrap_or_default();
    let at = declared.at.iter().map(|key| text(key)).find(|at| !at.is_empty()).unwrap_or_default();
    let own_day = at.get(..10).and_then(plain_date);
    let after = own_day.and_then(|own| day.until(own).ok()).map(|span| i64::from(span.get_days()));
    if let (Some(within), Some(after)) = (declared.within, after)
        && after > i64::from(within)
    {
        return None;
    }
    let detail: Vec<String> =
        declared.detail.iter().map(|key| text(key)).filter(|said| !said.is_empty()).collect();
    Some(TodayRow {
        text: text(&declared.text),
        detail: detail.join(", "),
        path: Some(field(&declared.path)).filter(|path| path.ends_with(".md")),
        overdue: declared.late && after.is_some_and(|after| after < 0),
        at,
        until: field(&declared.until),
        value: field(&declared.value),
        format: declared.format,
        unit: field(&declared.unit),
        mark: field(&declared.mark),
        tick: declared.tick.as_ref().map(|tick| TodayTick {
            tool: nova_registry::shown_name(skill, &tick.tool),
            args: tick.args.iter().map(|(key, value)| (key.clone(), of_row(value, row))).collect(),
        }),
    })
}

/// Substitutes the row's field for a reference such as `{path}`; other values are unchanged.
fn of_row(value: &Value, row: &Value) -> Value {
    let key = value.as_str().and_then(|text| text.strip_prefix('{')?.strip_suffix('}'));
    key.map_or_else(|| value.clone(), |key| row[key].clone())
}

fn says(row: &Value, key: &str) -> bool {
    row[key] == Value::Bool(true) || !text_of(&row[key]).is_empty()
}

/// Returns a text as one line, or a number; empty for anything else.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// The sums of the rows' amounts by currency; empty if one of them is not an amount.
fn totals(rows: &[TodayRow]) -> Vec<TodayTotal> {
    let mut sums = Sums::default();
    for row in rows {
        let added = Decimal::from_str_exact(&row.value).is_ok_and(|value| sums.add(&row.unit, value).is_ok());
        if !added {
            return Vec::new();
        }
    }
    let total = |unit: &str| TodayTotal { value: sums.money(unit).to_string(), unit: unit.to_owned() };
    sums.currencies().map(total).collect()
}

/// Returns a section without fields that only a page needs.
pub(crate) fn for_model(section: &TodayView) -> Value {
    let row = |row: &TodayRow| {
        let mut out = Map::new();
        let mut say = |key: &str, text: &str| {
            if !text.is_empty() {
                out.insert(key.into(), text.into());
            }
        };
        say("text", &row.text);
        say("detail", &row.detail);
        say("at", &row.at);
        say("until", &row.until);
        say("amount", &row.value);
        say("currency", &row.unit);
        say("of", &row.mark);
        say("path", row.path.as_deref().unwrap_or_default());
        if let Some(line) = row.tick.as_ref().and_then(|tick| tick.args.get("line")) {
            out.insert("line".into(), line.clone());
        }
        if row.overdue {
            out.insert("overdue".into(), true.into());
        }
        Value::Object(out)
    };
    let rows: Vec<Value> = section.rows.iter().map(row).collect();
    let mut out = json!({"title": section.title, "skill": section.skill, "rows": rows});
    if section.overdue > 0 {
        out["overdue"] = section.overdue.into();
    }
    if !section.total.is_empty() {
        out["total"] = json!(section.total);
    }
    if !section.fetched.is_empty() {
        out["fetched"] = json!(section.fetched);
    }
    if let Some(problem) = &section.problem {
        out["problem"] = problem.clone().into();
    }
    out
}
