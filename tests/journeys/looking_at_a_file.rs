//! Images that the assistant reads.

use nova_app::{App, NoApprover, TurnEnd};
use nova_testkit::{Answer, ModelServer, calls, error, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, turn};

/// A GIF of one pixel.
const GIF: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x01D\0;";
const GIF_BASE64: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

fn nova(kind: &str, sees: bool, answers: impl IntoIterator<Item = Answer>) -> Nova {
    let mut nova = Nova::new(PEOPLE, []);
    nova.model = ModelServer::start(answers);
    if sees {
        nova.model = nova.model.that_sees();
    }
    nova.settings(&json!({
        "vault": nova.vault.root(),
        "providers": [{"id": "near", "kind": kind, "base_url": nova.model.base_url()}],
        "model": "near/scripted",
    }));
    nova
}

/// The model reads two files, the first an attachment of the vault.
fn reads() -> Answer {
    calls([
        ("core__read", json!({"path": "vault/Dot.gif"})),
        ("core__read", json!({"path": "vault/Ideas.md"})),
    ])
}

async fn ask(nova: &Nova) -> (App, String) {
    std::fs::write(nova.vault.root().join("Dot.gif"), GIF).unwrap();
    let app = nova.start().await;
    let (end, _) = turn(&app, None, "What is it?", NoApprover).await;
    assert!(matches!(end.end, TurnEnd::Completed { .. }), "{:?}", end.end);
    (app, end.session)
}

/// The role, text and images of each message after the one with the calls.
fn after_calls(request: &Value) -> Vec<(String, String, Vec<String>)> {
    let messages = request["messages"].as_array().unwrap();
    let calls = messages.iter().rposition(|message| message["tool_calls"].is_array()).unwrap();
    let part = |message: &Value| {
        let role = message["role"].as_str().unwrap().to_owned();
        let Some(parts) = message["content"].as_array() else {
            return (role, message["content"].as_str().unwrap().to_owned(), Vec::new());
        };
        let images = parts.iter().filter_map(|part| part["image_url"]["url"].as_str());
        let images = images.map(|url| url.split_once(";base64,").unwrap().1.to_owned());
        (role, parts.iter().filter_map(|part| part["text"].as_str()).collect(), images.collect())
    };
    messages[calls + 1..].iter().map(part).collect()
}

#[tokio::test]
async fn image_follows_the_outputs_in_every_dialect() {
    for kind in ["openai", "anthropic", "ollama"] {
        let nova = nova(kind, true, [reads(), text("A dot."), text("Still.")]);
        let (app, session) = ask(&nova).await;
        let shown = after_calls(&nova.model.requests()[1]);
        let roles: Vec<&str> = shown.iter().map(|(role, ..)| role.as_str()).collect();
        // A notice of the skill's instructions may follow.
        assert_eq!(roles[..3], ["tool", "tool", "user"], "{kind}");
        let expected = r#"{"path":"vault/Dot.gif","image":"image/gif","width":1,"height":1,"size":42}"#;
        assert!(shown[0].1.contains(expected), "{kind}: {}", shown[0].1);
        assert!(shown[2].1.ends_with("(With the image \"Dot.gif\".)"), "{kind}: {}", shown[2].1);
        assert_eq!(shown[2].2, [GIF_BASE64], "{kind}");

        // Later requests extend earlier ones, also from another process.
        drop(app);
        let app = nova.start().await;
        turn(&app, Some(&session), "Sure?", NoApprover).await;
        let requests = nova.model.requests();
        let messages = |request: &Value| request["messages"].as_array().unwrap().clone();
        let (before, after) = (messages(&requests[1]), messages(&requests[2]));
        assert_eq!(after[..before.len()], before[..], "{kind}");
        nova.model.finish();
    }
}

#[tokio::test]
async fn model_without_vision_reads_kind_and_size() {
    let refusal = json!({"error": {"message": "No endpoints found that support image input", "code": 404}});
    let of_openai = nova("openai", true, [reads(), error(404, refusal), text("An image.")]);
    let of_ollama = nova("ollama", false, [reads(), text("An image.")]);
    for nova in [of_openai, of_ollama] {
        ask(&nova).await;
        let request = nova.model.requests().pop().unwrap();
        let shown = after_calls(&request);
        assert!(shown[0].1.contains(r#""image":"image/gif","width":1,"height":1"#), "{}", shown[0].1);
        assert!(shown[2].1.contains("not sent: this model cannot read images"), "{}", shown[2].1);
        assert!(!request.to_string().contains(GIF_BASE64));
        nova.model.finish();
    }
}

#[tokio::test]
async fn oversized_image_is_named() {
    let nova = nova("openai", true, [reads(), text("Too large.")]);
    let mut large = GIF.to_vec();
    large.resize(4 * 1024 * 1024, 0);
    let app = nova.start().await;
    std::fs::write(nova.vault.root().join("Dot.gif"), &large).unwrap();
    turn(&app, None, "What is it?", NoApprover).await;
    let shown = after_calls(&nova.model.requests()[1]);
    let shows =
        |(_, text, images): &(String, String, Vec<String>)| !images.is_empty() || text.contains("Nova shows");
    assert!(!shown.iter().any(shows), "no message shows it: {shown:?}");
    assert!(shown[0].1.contains("cannot be shown: it is larger than 3.9 MB."), "{}", shown[0].1);
    nova.model.finish();
}
