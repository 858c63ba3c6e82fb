//! Elicitation at the terminal: field by field, submitted only on confirmation.

use nova_app::{Answer, ApprovalRequest, Elicitation, Wanted};
use nova_protocol::Decision;
use serde_json::{Map, Number, Value, json};
use tokio::io::{AsyncBufRead, Lines};

use crate::print;

/// Asks until the user submits, declines or cancels.
pub(super) async fn ask<R: AsyncBufRead + Unpin>(
    lines: &mut Lines<R>,
    request: &ApprovalRequest,
    elicitation: &Elicitation,
) -> Answer {
    let Elicitation { from, message, wanted } = elicitation;
    print::note("");
    print::note(&format!("{} asks, for {}:", print::one_line(from), request.tool));
    message.lines().for_each(|line| print::note(&format!("  {}", print::one_line(line))));
    let (mut values, send) = match wanted {
        Wanted::Visit(url) => {
            print::note(&format!("  Open in your browser: {url}"));
            print::note(&format!("  It leads to {}.", request.host.as_deref().unwrap_or_default()));
            (None, "I opened it")
        }
        Wanted::Values(schema) => match fill_in(lines, schema).await {
            Some(values) => (Some(values), "send"),
            None => return ended(),
        },
    };
    if let Some(values) = &values {
        print::note(&format!("  {}", print::one_line(&values.to_string())));
    }
    loop {
        print::note(&format!("  [o] {send}, [d] decline, [c] close?"));
        let Ok(Some(line)) = lines.next_line().await else { return ended() };
        let decision = match line.trim().to_lowercase().as_str() {
            "o" => Decision::Once,
            "d" => Decision::Deny,
            "c" => Decision::Cancel,
            _ => continue,
        };
        let args = values.take().filter(|_| decision == Decision::Once);
        return Answer::Decided { decision, args, by: "you".into(), reason: None };
    }
}

/// Reads the values of all fields; `None` at the end of the input.
async fn fill_in<R: AsyncBufRead + Unpin>(lines: &mut Lines<R>, schema: &Value) -> Option<Value> {
    let mut values = Map::new();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let required =
            schema["required"].as_array().into_iter().flatten().any(|other| other == name.as_str());
        print::note(&format!("  {}", prompt(name, field, required)));
        loop {
            let line = lines.next_line().await.ok()??;
            match read(field, line.trim()) {
                Ok(None) if required => print::note("  It is required."),
                Ok(value) => {
                    values.extend(value.map(|value| (name.clone(), value)));
                    break;
                }
                Err(why) => print::note(&format!("  {why}")),
            }
        }
    }
    Some(values.into())
}

fn prompt(name: &str, field: &Value, required: bool) -> String {
    let label = field["title"].as_str().unwrap_or(name);
    let mut parts = vec![print::one_line(label)];
    parts.extend(field["description"].as_str().map(|said| format!("({})", print::one_line(said))));
    let options: Vec<String> = options(field).iter().map(|(value, _)| print::one_line(value)).collect();
    if !options.is_empty() {
        parts.push(format!("one of {}", options.join(", ")));
    }
    match field.get("default") {
        Some(default) => parts.push(format!("[Enter: {}]", print::one_line(&text_of(default)))),
        None if !required => parts.push("[Enter: none]".into()),
        None => {}
    }
    parts.join(" ") + ":"
}

/// The options of a field: value and display name.
fn options(field: &Value) -> Vec<(String, String)> {
    let field = if field["type"] == "array" { &field["items"] } else { field };
    let plain = field["enum"].as_array().into_iter().flatten().map(|value| (text_of(value), text_of(value)));
    let named = ["oneOf", "anyOf"].into_iter().flat_map(|word| field[word].as_array().into_iter().flatten());
    plain.chain(named.map(|option| (text_of(&option["const"]), text_of(&option["title"])))).collect()
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Parses a typed line as a value of the field; an empty line is its default, or no value.
fn read(field: &Value, typed: &str) -> Result<Option<Value>, String> {
    if typed.is_empty() {
        return Ok(field.get("default").cloned());
    }
    let options = options(field);
    let chosen = |typed: &str| {
        let found = options.iter().find(|(value, name)| value == typed || name.eq_ignore_ascii_case(typed));
        match found {
            Some((value, _)) => Ok(json!(value)),
            None if options.is_empty() => Ok(json!(typed)),
            None => Err(format!(
                "Type one of {}.",
                options.iter().map(|(value, _)| value.clone()).collect::<Vec<_>>().join(", ")
            )),
        }
    };
    let value = match field["type"].as_str() {
        Some("boolean") => match typed.to_lowercase().as_str() {
            "y" | "yes" | "true" => json!(true),
            "n" | "no" | "false" => json!(false),
            _ => return Err("Type yes or no.".into()),
        },
        Some("integer") => json!(typed.parse::<i64>().map_err(|_| "Type a whole number.".to_owned())?),
        Some("number") => json!(typed.parse::<Number>().map_err(|_| "Type a number.".to_owned())?),
        Some("array") => {
            typed.split(',').map(|part| chosen(part.trim())).collect::<Result<Vec<_>, _>>()?.into()
        }
        _ => chosen(typed)?,
    };
    Ok(Some(value))
}

fn ended() -> Answer {
    Answer::Unanswered { reason: "the input ended".into() }
}

#[cfg(test)]
mod tests {
    use nova_protocol::{Effect, PrincipalKind, PrincipalView};
    use tokio::io::AsyncBufReadExt as _;

    use super::*;

    async fn answer(typed: &str) -> Answer {
        let schema = json!({
            "type": "object",
            "properties": {
                "age": {"type": "integer"},
                "color": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}], "default": "r"},
                "sure": {"type": "boolean"},
            },
            "required": ["sure"],
        });
        let elicitation =
            Elicitation { from: "shop".into(), message: "Who?".into(), wanted: Wanted::Values(schema) };
        let request = ApprovalRequest {
            call: "c".into(),
            tool: "shop.buy".into(),
            args: Value::Null,
            effect: Effect::External,
            principal: PrincipalView { kind: PrincipalKind::User, name: "you".into() },
            question: "shop asks you.".into(),
            decisions: vec![Decision::Once, Decision::Deny, Decision::Cancel],
            editable: true,
            diff: None,
            details: Vec::new(),
            host: None,
            credentials: Vec::new(),
            elicitation: Some(elicitation.clone()),
            revision: 1,
        };
        ask(&mut typed.as_bytes().lines(), &request, &elicitation).await
    }

    fn decided(decision: Decision, args: Option<Value>) -> Answer {
        Answer::Decided { decision, args, by: "you".into(), reason: None }
    }

    #[tokio::test]
    async fn fields_are_submitted_only_on_confirmation() {
        let values = json!({"age": 7, "color": "r", "sure": true});
        assert_eq!(answer("7\n\nyes\no\n").await, decided(Decision::Once, Some(values)));
        let corrected = json!({"color": "r", "sure": false});
        assert_eq!(
            answer("\nblue\nred\n\nmaybe\nno\nwhat\no\n").await,
            decided(Decision::Once, Some(corrected))
        );
        assert_eq!(answer("7\n\nyes\nd\n").await, decided(Decision::Deny, None));
        assert_eq!(answer("7\n\nyes\nc\n").await, decided(Decision::Cancel, None));
        assert_eq!(answer("7\n\nyes\n").await, ended());
        assert_eq!(answer("7\n").await, ended());
    }
}
