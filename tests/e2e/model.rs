//! The model of the window tests: a server on loopback that follows its script and answers only from its
//! tools' output.

use nova_testkit::{Answer, ModelServer, call, calls, pause, text};
use serde_json::{Value, json};

/// Understands "Set NAME to STAGE" and "Where does NAME stand?".
pub(crate) fn start() -> ModelServer {
    ModelServer::replying(reply)
}

fn reply(request: &Value) -> Answer {
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    // Nova's notices may follow the message to answer.
    let last = messages.iter().rev().find(|message| !is_notice(message)).cloned().unwrap_or_default();
    let said = last["content"].as_str().unwrap_or_default();
    let wish = wish(&messages);
    if wish == SIGNED {
        return signed(&messages);
    }
    if wish == TRACK {
        return match last["role"] == "tool" {
            true => text(&format!("It says: {said}")),
            false => call("parcel__track", json!({})),
        };
    }
    if wish == SCANS {
        return match last["role"] == "tool" {
            true => text("I stopped after 3 files."),
            false => call("core__bash", json!({"command": COMMAND})),
        };
    }
    if last["role"] == "tool" {
        return answer_from(said, &wish);
    }
    if let Some((name, stage)) = wish.strip_prefix("Set ").and_then(|rest| rest.split_once(" to ")) {
        return call("crm__update_contact", json!({"name": name, "stage": stage}));
    }
    if wish == "Show everything" {
        return text(EVERYTHING).in_chunks_of(160);
    }
    if wish == "Begin and wait" {
        return text("It begins.").and(pause()).and(text(" It ends."));
    }
    match wish.strip_prefix("Where does ").and_then(|rest| rest.split_once(" stand?")) {
        Some((name, _)) => call("crm__get_contact", json!({"name": name})),
        None => text("I only set stages and tell where people stand."),
    }
}

/// Answered by a server's tool, `parcel.track`.
pub(crate) const TRACK: &str = "Track my parcel";

/// Answered by a command that prints a lot and then hangs.
pub(crate) const SCANS: &str = "Turn the scans into text";

const COMMAND: &str =
    "for f in scans/2026-0{1..9}-{invoice,annex}.pdf; do printf '%-27s 1 page\\n' \"$f\"; done; sleep 1000";

/// A message with several requests.
pub(crate) const SIGNED: &str = "Harborline signed today. Log the call with Mara, move the deal to won, then tell me who \
     to follow up with this week.";

/// Logs and reads, reports what was read, then wants to move the deal.
fn signed(messages: &[Value]) -> Answer {
    let moves = |call: &Value| call["function"]["name"] == "crm__move_deal";
    let mut calls_made = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    if calls_made.any(moves) {
        return text("That is all.");
    }
    let outputs = messages.iter().filter(|message| message["role"] == "tool");
    let outputs: Vec<Value> =
        outputs.filter_map(|output| serde_json::from_str(output["content"].as_str()?).ok()).collect();
    let of = |key: &str| outputs.iter().find(|output| output.get(key).is_some());
    let (Some(people), Some(pipeline)) = (of("follow_ups"), of("won_this_quarter")) else {
        let said = "Signed by phone, starts in January. See [[Harborline rollout]]";
        return calls([
            ("crm__log_interaction", json!({"name": "Mara Lindholt", "text": said})),
            ("crm__follow_ups", json!({})),
            ("crm__pipeline", json!({})),
        ]);
    };
    let due = people["follow_ups"].as_array().into_iter().flatten();
    let due: Vec<String> = due
        .filter(|one| one["group"] == "overdue" || one["group"] == "this_week")
        .map(|one| {
            let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
            let when = if one["group"] == "overdue" { "overdue since" } else { "due" };
            format!("1. [[{}]], {}: {when} {}", text("name"), text("company"), day(&text("next_contact")))
        })
        .collect();
    let amount = |key: &str| {
        let digits = pipeline[key][0]["amount"].as_str().unwrap_or_default().to_owned();
        let (thousands, rest) = digits.split_at(digits.len().saturating_sub(3));
        format!("€{thousands},{rest}")
    };
    let said = format!(
        "The call is in Mara’s log. **{} follow-ups** are due this week or overdue:\n\n{}\n\nThe open pipeline is {}, \
         and this quarter’s wins are {}.",
        due.len(),
        due.join("\n"),
        amount("open"),
        amount("won_this_quarter"),
    );
    text(&said).and(call("crm__move_deal", json!({"title": "Harborline rollout", "stage": "won"})))
}

/// `2026-11-17` as "17 Nov".
fn day(date: &str) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut parts = date.split('-').skip(1).filter_map(|part| part.parse::<usize>().ok());
    match (parts.next().and_then(|month| MONTHS.get(month.checked_sub(1)?)), parts.next()) {
        (Some(month), Some(day)) => format!("{day} {month}"),
        _ => date.to_owned(),
    }
}

/// The user's last message, ignoring Nova's notices.
fn wish(messages: &[Value]) -> String {
    let users = messages.iter().rev().filter(|message| message["role"] == "user");
    let mut texts =
        users.filter(|message| !is_notice(message)).filter_map(|message| message["content"].as_str());
    let said = texts.next().unwrap_or_default();
    // After the message comes the tool that the user chose.
    let (message, _) = said.split_once("\n\n(The user points at the tool").unwrap_or((said, ""));
    message.trim().to_owned()
}

fn is_notice(message: &Value) -> bool {
    message["role"] == "user"
        && message["content"].as_str().is_some_and(|text| text.starts_with("<nova-notice"))
}

fn answer_from(output: &str, wish: &str) -> Answer {
    let output: Value = serde_json::from_str(output).unwrap_or_default();
    if let Some(message) = output["error"]["message"].as_str() {
        return text(&format!("That did not happen: {message}"));
    }
    if wish.starts_with("Set ") {
        let name = wish.trim_start_matches("Set ").split(" to ").next().unwrap_or_default();
        return text(&format!("Done. See [[{name}]]."));
    }
    let name = wish.trim_start_matches("Where does ").split(" stand?").next().unwrap_or_default();
    let stage = output.pointer("/properties/stage").or_else(|| output.get("stage"));
    let stage = stage.and_then(Value::as_str).unwrap_or("unknown");
    text(&format!("[[{name}]] stands at **{stage}**."))
}

/// Every kind of content that a message can have.
pub(crate) const EVERYTHING: &str = "\
The **three offers** of [[Jane Doe]] differ in how they grow.[^terms] Each year adds $r$ per cent:

$$
V_n = V_0 \\left(1 + \\frac{r}{100}\\right)^n
$$

| Offer | First year | Third year |
|:--|--:|--:|
| Basic | €1,200.00 | €1,249.92 |
| Plus | €2,400.00 | €2,598.00 |

- [x] Terms read
- [ ] Answer sent

```rust
/// The value after `years`.
fn grown(value: f64, rate: f64, years: i32) -> f64 {
    value * (1.0 + rate / 100.0).powi(years)
}
```

See ![the chart](https://charts.example/growth.png) and `grown`.

> Prices hold until Friday.

[^terms]: As in the letter of 12 November.
";
