//! Results of calls as MCP content.

use nova_protocol::{ErrorCode, ToolResult, UserError};
use nova_registry::fenced_output;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use crate::limits;
use crate::served::ServedTool;

/// The value with sources and changes, as structured content and, for clients that read text only, as JSON
/// text.
pub(crate) fn of(result: ToolResult, tool: &ServedTool) -> CallToolResult {
    if let Some(mut error) = result.error {
        if tool.is_foreign && error.code == ErrorCode::ToolFailed {
            error.message = fenced_output(&tool.name, &error.message);
        }
        return failed(&refused(error, &tool.name));
    }
    let mut value = result.value.unwrap_or_default();
    if tool.is_foreign {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        value = fenced_output(&tool.name, &text).into();
    }
    let mut out = Map::new();
    out.insert("value".into(), value);
    out.insert("sources".into(), json!(result.sources));
    if !result.figures.is_empty() {
        out.insert("figures".into(), json!(result.figures));
    }
    if result.change_set.is_some() {
        out.insert("changes".into(), json!(result.changes));
        out.insert("change_set".into(), json!(result.change_set));
    }
    let out = Value::Object(out);
    let size = out.to_string().len();
    if size > limits::ANSWER && result.change_set.is_none() {
        return failed(&UserError::new(
            ErrorCode::ToolFailed,
            format!("The answer has {size} bytes, more than Nova sends to an MCP client."),
            "Ask for less: use the tool's limit or a narrower question.",
        ));
    }
    CallToolResult::structured(out)
}

/// An error result, which the client's model can read and react to.
pub(crate) fn failed(error: &UserError) -> CallToolResult {
    let text = format!("{} {}", error.message, error.hint);
    let mut result = CallToolResult::error(vec![ContentBlock::text(text.trim_end().to_owned())]);
    result.structured_content = Some(json!({ "error": error }));
    result
}

/// If the question was not answered, adds the rule that would allow the call.
pub(crate) fn refused(mut error: UserError, tool: &str) -> UserError {
    if error.code == ErrorCode::ApprovalUnanswered {
        let pattern = tool.replacen('.', "__", 1);
        error.hint = format!(
            "To allow it without asking, add to permissions.yaml: policies: [{{name: MCP clients, match: \
             {{principal: {{kind: mcp_client}}}}, permissions: {{tools: {{allow: [{pattern}]}}}}}}]"
        );
    }
    error
}

/// Finds a number with more digits than a JSON double preserves: its value may have changed in transit.
pub(crate) fn inexact_number(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) if number.is_f64() => {
            let text = number.to_string();
            let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
            let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
            let significant = digits.trim_start_matches('0').trim_end_matches('0').len();
            (significant > 15).then_some(text)
        }
        Value::Array(items) => items.iter().find_map(inexact_number),
        Value::Object(fields) => fields.values().find_map(inexact_number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn numbers_that_lost_digits_are_found() {
        for (text, inexact) in [
            ("[12.5, 0.1, 1e20, 1234567890123.45]", false),
            ("18446744073709551615", false),
            (r#"{"amount": 0.1000000000000000000001}"#, false),
            (r#"{"a": [{"amount": 0.30000000000000004}]}"#, true),
            ("12345678901234567890123", true),
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(inexact_number(&value).is_some(), inexact, "{text}");
        }
    }
}
