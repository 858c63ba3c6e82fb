//! Settings of notifications while Nova runs.

use jiff::civil::Time;
use nova_protocol::Reminders;
use serde_json::Value;

/// The key `reminders`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RemindersConfig {
    /// Minutes before an event; `None` disables it.
    pub events: Option<u16>,
    /// Time of the daily summary.
    pub morning: Option<Time>,
}

const MOST: u16 = 24 * 60;

/// Parses `reminders`.
///
/// # Errors
/// With the invalid key, and the reason.
pub(super) fn read(value: Option<&Value>) -> Result<RemindersConfig, (String, String)> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(RemindersConfig::default()) };
    let wrong = |key: &str, why: &str| (format!("reminders{key}"), why.to_owned());
    if !value.is_object() {
        return Err(wrong("", "must be an object with events and morning"));
    }
    let events = match &value["events"] {
        Value::Null => None,
        minutes => Some(
            minutes
                .as_u64()
                .and_then(|minutes| u16::try_from(minutes).ok())
                .filter(|minutes| *minutes <= MOST)
                .ok_or_else(|| wrong(".events", "must be minutes, 0 to 1440, or null"))?,
        ),
    };
    let morning = match &value["morning"] {
        Value::Null => None,
        time => Some(
            time.as_str()
                .and_then(|time| Time::strptime("%H:%M", time).ok())
                .ok_or_else(|| wrong(".morning", "must be a time such as \"08:00\", or null"))?,
        ),
    };
    Ok(RemindersConfig { events, morning })
}

impl From<RemindersConfig> for Reminders {
    fn from(RemindersConfig { events, morning }: RemindersConfig) -> Self {
        Self { events, morning: morning.map(|time| time.strftime("%H:%M").to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn refused(value: Value, key: &str) {
        assert_eq!(read(Some(&value)).expect_err("a wrong value").0, key, "{value}");
    }

    #[test]
    fn reminders_are_off_by_default() {
        for value in [None, Some(Value::Null), Some(json!({})), Some(json!({"events": null}))] {
            assert_eq!(read(value.as_ref()), Ok(RemindersConfig::default()), "{value:?}");
        }
    }

    #[test]
    fn invalid_value_is_reported_with_its_key() {
        refused(json!(10), "reminders");
        refused(json!({"events": -1}), "reminders.events");
        refused(json!({"events": 1441}), "reminders.events");
        refused(json!({"events": "10"}), "reminders.events");
        refused(json!({"morning": "8"}), "reminders.morning");
        refused(json!({"morning": "24:10"}), "reminders.morning");
        refused(json!({"morning": 8}), "reminders.morning");
    }

    #[test]
    fn parsed_settings_match_the_windows_view() {
        let read = read(Some(&json!({"events": 0, "morning": "07:30"}))).expect("right values");
        assert_eq!(Reminders::from(read), Reminders { events: Some(0), morning: Some("07:30".into()) });
    }
}
