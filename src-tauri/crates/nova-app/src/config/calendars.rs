//! External calendars, configured outside of `skills` and passed to the skill `calendar`.

use nova_registry::{Settings, canonical};
use serde_json::{Map, Value, json};

/// The skill that reads calendars, and its configuration key for them.
const SKILL: &str = "calendar";
const LIST: &str = "calendars";

/// Converts `calendars` to entries of the skill's configuration.
///
/// # Errors
/// With the invalid key, and the reason.
pub(super) fn read(value: Option<&Value>) -> Result<Vec<Value>, (String, String)> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    let list = value.as_array().ok_or_else(|| ("calendars".to_owned(), "must be a list".to_owned()))?;
    list.iter().enumerate().map(|(at, calendar)| entry(at, calendar)).collect()
}

fn entry(at: usize, calendar: &Value) -> Result<Value, (String, String)> {
    let wrong = |name: &str, why: &str| Err((format!("calendars[{at}].{name}"), why.to_owned()));
    let text = |name: &str| calendar[name].as_str().map(str::trim).filter(|text| !text.is_empty());
    let Some(id) = text("id") else { return wrong("id", "must be the calendar's name") };
    let Some(url) = text("url") else { return wrong("url", "must be an address or a file of the vault") };
    let is_address = |schemes: &[&str]| schemes.iter().any(|scheme| url.starts_with(scheme));
    let mut entry = Map::from_iter([("name".to_owned(), json!(id))]);
    match text("kind") {
        Some("ics") if is_address(&["https://", "http://", "webcal://"]) => {
            entry.insert("address".into(), json!(url))
        }
        Some("ics") if !url.contains("://") => entry.insert("file".into(), json!(url)),
        Some("caldav") if is_address(&["https://", "http://"]) => entry.insert("caldav".into(), json!(url)),
        Some("ics" | "caldav") => return wrong("url", "must be an https: address"),
        _ => return wrong("kind", "must be \"ics\" or \"caldav\""),
    };
    for name in ["user", "password", "sign_in", "email"] {
        match &calendar[name] {
            Value::Null => {}
            Value::String(text) => drop(entry.insert(name.into(), json!(text.trim()))),
            _ => return wrong(name, "must be a string"),
        }
    }
    if let Some(password) = entry.get("password").and_then(Value::as_str)
        && !(password.starts_with("${credentials:calendar/") && password.ends_with('}'))
    {
        return wrong("password", "must be \"${credentials:calendar/ID}\"");
    }
    match &calendar["read_only"] {
        Value::Null => {}
        Value::Bool(read_only) => drop(entry.insert("read_only".into(), json!(read_only))),
        _ => return wrong("read_only", "must be true or false"),
    }
    Ok(entry.into())
}

/// Appends these calendars to the skill's own configuration, which takes precedence for duplicate names.
pub(super) fn given_to_skill(mut settings: Settings, calendars: &[Value]) -> Settings {
    if calendars.is_empty() {
        return settings;
    }
    let spelled = settings.0.keys().find(|id| canonical(id) == canonical(SKILL)).cloned();
    let own = settings.0.entry(spelled.unwrap_or_else(|| SKILL.to_owned())).or_default();
    if own.config.is_null() {
        own.config = json!({});
    }
    if let Some(config) = own.config.as_object_mut() {
        // A value of another type is left alone, and reported as such.
        if let Some(list) = config.entry(LIST).or_insert_with(|| json!([])).as_array_mut() {
            for calendar in calendars {
                if !list.iter().any(|own| own["name"] == calendar["name"]) {
                    list.push(calendar.clone());
                }
            }
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calendars_are_appended_to_the_skills_own() {
        let calendars = read(Some(&json!([
            {"id": "Team", "kind": "ics", "url": "Calendars/team.ics"},
            {"id": "Holidays", "kind": "ics", "url": "webcal://calendar.example/a.ics"},
            {"id": "Work", "kind": "caldav", "url": "https://dav.example/", "user": "noor",
             "password": "${credentials:calendar/work}", "email": "noor@example.org", "read_only": true},
        ])))
        .expect("three calendars");
        let own =
            json!({"Calendar": {"pinned": true, "config": {"calendars": [{"name": "A", "file": "a.ics"}]}}});
        let settings = crate::skill_settings::read(Some(&own)).expect("settings");
        let settings = given_to_skill(settings, &calendars);
        assert_eq!(
            settings.of("calendar").map(|own| &own.config["calendars"]),
            Some(&json!([
                {"name": "A", "file": "a.ics"},
                {"name": "Team", "file": "Calendars/team.ics"},
                {"name": "Holidays", "address": "webcal://calendar.example/a.ics"},
                {"name": "Work", "caldav": "https://dav.example/", "user": "noor",
                 "password": "${credentials:calendar/work}", "email": "noor@example.org", "read_only": true},
            ]))
        );
        assert_eq!(
            given_to_skill(Settings::default(), &calendars).0["calendar"].config["calendars"][0]["name"],
            "Team"
        );
    }

    #[test]
    fn invalid_calendar_is_reported_with_its_key() {
        let work = json!({"id": "W", "kind": "caldav", "url": "https://dav.example/"});
        for (change, key, why) in [
            (json!({"id": ""}), "calendars[0].id", "name"),
            (json!({"kind": "exchange"}), "calendars[0].kind", "\"ics\" or \"caldav\""),
            (json!({"url": null}), "calendars[0].url", "address"),
            (json!({"url": "ftp://dav.example"}), "calendars[0].url", "https:"),
            (json!({"url": "Calendars/a.ics"}), "calendars[0].url", "https:"),
            (json!({"kind": "ics", "url": "file:///etc/passwd"}), "calendars[0].url", "https:"),
            (json!({"user": 1}), "calendars[0].user", "string"),
            (json!({"password": "short"}), "calendars[0].password", "credentials:calendar/ID"),
            (json!({"password": "${credentials:openai/key}"}), "calendars[0].password", "calendar/ID"),
            (json!({"read_only": "no"}), "calendars[0].read_only", "true or false"),
        ] {
            let mut calendar = work.clone();
            for (name, value) in change.as_object().expect("an object") {
                calendar[name] = value.clone();
            }
            let (at, reason) = read(Some(&json!([calendar]))).expect_err(key);
            assert!(at == key && reason.contains(why), "{at} {reason}");
        }
        assert!(read(Some(&json!({}))).is_err_and(|(key, _)| key == "calendars"));
    }
}
