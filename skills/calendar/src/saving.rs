//! Validates an event saved with its form, so that it can be listed afterwards.

use std::str::FromStr;

use nova_dav::rule::Rule;
use nova_dav::zone::Zones;
use nova_skill::figures::plain_date;
use nova_skill::{RecordDraft, RecordRules, ToolContext, ToolError, async_trait};

use crate::note::clock;
use crate::period::invalid;
use crate::sources::EVENT;

pub(crate) struct Rules;

#[async_trait]
impl RecordRules for Rules {
    async fn apply(&self, draft: &mut RecordDraft, _: &dyn ToolContext) -> Result<(), ToolError> {
        if draft.record_type() != EVENT {
            return Ok(());
        }
        let weekdays = draft
            .values()
            .get("daysOfWeek")
            .and_then(|days| days.as_array())
            .is_some_and(|days| !days.is_empty());
        let dated = ["date", "startDate", "startRecur"].iter().any(|field| draft.text(field).is_some());
        if !dated && !weekdays {
            return Err(invalid("/date", "an event needs its day"));
        }
        for field in ["startTime", "endTime"] {
            if let Some(text) = draft.text(field)
                && clock(text).is_none()
            {
                return Err(invalid(
                    &format!("/{field}"),
                    &format!("\"{text}\" is not a time such as 09:30"),
                ));
            }
        }
        let day = |field: &str| draft.text(field).and_then(|text| plain_date(text.trim()));
        if let (Some(first), Some(last)) = (day("date"), day("endDate"))
            && last < first
        {
            return Err(invalid("/endDate", &format!("is before {first}")));
        }
        if let Some(zone) = draft.text("timezone")
            && Zones::default().get(zone.trim()).is_err()
        {
            return Err(invalid("/timezone", &format!("unknown time zone \"{zone}\"")));
        }
        if let Some(rule) = draft.text("rrule") {
            let rule = rule.trim();
            Rule::from_str(rule.strip_prefix("RRULE:").unwrap_or(rule))
                .map_err(|error| invalid("/rrule", &error.to_string()))?;
        }
        Ok(())
    }
}
