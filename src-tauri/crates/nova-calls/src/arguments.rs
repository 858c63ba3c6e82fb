use nova_http::HostPattern;
use nova_protocol::{ErrorCode, UserError, inexact_number};
use nova_registry::ToolEntry;
use nova_skill::figures::folded;
use serde_json::{Map, Value};

use crate::named_hosts::named_hosts;

/// Arguments that fit the tool's schema, with simple mistakes fixed ("5" for 5, "Won" for the choice "won"). Hosts of commands are public ones.
///
/// # Errors
/// `invalid_arguments`, with the path of each invalid value, the violated rule and what is allowed.
pub(crate) fn fit(tool: &ToolEntry, args: Value) -> Result<Value, UserError> {
    let args = fit_to_schema(tool, args)?;
    let other = || named_hosts(&args).find(|host| HostPattern::parse(host).is_none());
    match tool.spec().runs_commands.then(other).flatten() {
        None => Ok(args),
        Some(host) => Err(UserError::new(
            ErrorCode::InvalidArguments,
            format!(
                "The arguments do not fit {}: hosts: \"{}\" is not a public host.",
                tool.shown_name(),
                shortened(host)
            ),
            "Name hosts as api.example.org or *.example.org, without https:// and path.",
        )),
    }
}

fn fit_to_schema(tool: &ToolEntry, args: Value) -> Result<Value, UserError> {
    let mut args = if args.is_null() { Value::Object(Map::new()) } else { args };
    if tool.validate(&args).is_ok() {
        return Ok(args);
    }
    coerce(&mut args, &tool.spec().parameters);
    let Err(left) = tool.validate(&args) else { return Ok(args) };
    let listed: Vec<String> = left
        .iter()
        .map(|(path, rule)| if path.is_empty() { rule.clone() } else { format!("{path}: {rule}") })
        .collect();
    Err(UserError::new(
        ErrorCode::InvalidArguments,
        format!("The arguments do not fit {}: {}.", tool.shown_name(), listed.join("; ")),
        allowed(&tool.spec().parameters),
    ))
}

/// Parses arguments that a model wrote as the text of a JSON object.
///
/// # Errors
/// `invalid_arguments` if the text is not an object, or contains a number that parsing would change.
pub(crate) fn parse(tool: &ToolEntry, text: &str) -> Result<Value, UserError> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let reason = match serde_json::from_str::<Value>(text) {
        Ok(value @ Value::Object(_)) => match inexact_number(text) {
            None => return Ok(value),
            Some(number) => {
                return Err(UserError::new(
                    ErrorCode::InvalidArguments,
                    format!("The number {} has more digits than JSON keeps.", shortened(number)),
                    format!("Pass it as text: \"{}\".", shortened(number)),
                ));
            }
        },
        Ok(_) => "they are not a JSON object".to_owned(),
        Err(error) => format!("they are not JSON ({error})"),
    };
    Err(UserError::new(
        ErrorCode::InvalidArguments,
        format!("The arguments of {} cannot be read: {reason}.", tool.shown_name()),
        allowed(&tool.spec().parameters),
    ))
}

/// Shortens a number or a host for an error message.
fn shortened(number: &str) -> String {
    const MOST: usize = 60;
    match number.get(..MOST) {
        Some(start) if number.len() > MOST => format!("{start}…"),
        _ => number.to_owned(),
    }
}

fn allowed(schema: &Value) -> String {
    let Some(properties) = schema["properties"].as_object().filter(|map| !map.is_empty()) else {
        return "The tool takes no arguments.".into();
    };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let names: Vec<String> = properties
        .keys()
        .map(
            |name| {
                if required.contains(&name.as_str()) { format!("{name} (required)") } else { name.clone() }
            },
        )
        .collect();
    format!("Allowed: {}.", names.join(", "))
}

/// Converts values to the type that their schema requires, if the conversion is lossless.
fn coerce(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map.iter_mut() {
                coerce(inner, &schema["properties"][key.as_str()]);
            }
            // A null for an optional argument means that it was omitted; in an object with free keys it is a
            // value.
            let required: Vec<&str> =
                schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            map.retain(|key, inner| {
                !inner.is_null()
                    || schema["properties"][key.as_str()].is_null()
                    || required.contains(&key.as_str())
                    || accepts(&schema["properties"][key], "null")
            });
        }
        Value::String(text) if accepts(schema, "string") && schema["enum"].is_array() => {
            let choices = || schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let wanted = folded(text);
            let meant = choices()
                .find(|choice| *choice == text)
                .or_else(|| choices().find(|choice| folded(choice) == wanted));
            if let Some(meant) = meant {
                *text = meant.to_owned();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| coerce(item, &schema["items"])),
        Value::String(text) if !accepts(schema, "string") => {
            let text = text.trim();
            let parsed = serde_json::from_str::<Value>(text).ok();
            match parsed {
                Some(number @ Value::Number(_)) if accepts(schema, "number") => *value = number,
                Some(number @ Value::Number(_)) if accepts(schema, "integer") && number.is_i64() => {
                    *value = number
                }
                Some(flag @ Value::Bool(_)) if accepts(schema, "boolean") => *value = flag,
                Some(list @ Value::Array(_)) if accepts(schema, "array") => *value = list,
                // A number that parsing would change stays text, so that validation rejects it.
                Some(object @ Value::Object(_))
                    if accepts(schema, "object") && inexact_number(text).is_none() =>
                {
                    *value = object
                }
                _ if accepts(schema, "array") => *value = Value::Array(vec![Value::String(text.to_owned())]),
                _ => {}
            }
        }
        Value::Number(number) if accepts(schema, "string") && !accepts(schema, "number") => {
            *value = Value::String(number.to_string());
        }
        _ => {}
    }
}

fn accepts(schema: &Value, kind: &str) -> bool {
    match &schema["type"] {
        Value::String(one) => one == kind,
        Value::Array(several) => several.iter().any(|one| one == kind),
        _ => false,
    }
}
