//! Messages that show images.

use nova_app::App;
use nova_protocol::{
    Commands as _, ErrorCode, Event, ImageRef, ImageView, NewImage, Nothing, SendMessage, SessionRef,
    SetModel, UserError,
};
use nova_testkit::{Answer, ModelServer, error, text};
use serde_json::{Value, json};

use super::nova::{Nova, PEOPLE, drain, wait_for};

/// A GIF of one pixel, in base64 that every decoder accepts.
const GIF: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
/// The header of a PNG of 1,000 by 1,000 pixels.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAA+gAAAPo";

fn image(name: &str, data: &str) -> NewImage {
    NewImage { name: name.into(), media_type: None, data: data.into() }
}

fn nova(kind: &str, answers: impl IntoIterator<Item = Answer>) -> Nova {
    let mut nova = Nova::new(PEOPLE, []);
    nova.model = ModelServer::start(answers).that_sees();
    nova.settings(&settings(&nova, kind, json!({})));
    nova
}

fn settings(nova: &Nova, kind: &str, more: Value) -> Value {
    let mut provider = json!({"id": "near", "kind": kind, "base_url": nova.model.base_url()});
    provider.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({
        "vault": nova.vault.root(),
        "providers": [provider],
        "model": "near/scripted",
    })
}

/// Runs a turn to its end as the window does.
async fn send(app: &App, session: &str, words: &str, images: Vec<NewImage>) -> Result<Vec<Event>, UserError> {
    let mut events = app.events();
    let mut told = app.events();
    let message = SendMessage { session: session.into(), text: words.into(), images, ..Default::default() };
    app.send_message(message).await?;
    wait_for(&mut told, |event| {
        matches!(event, Event::TurnCompleted { .. } | Event::TurnFailed { .. } | Event::TurnCancelled { .. })
    })
    .await;
    Ok(drain(&mut events))
}

fn shown(events: &[Event]) -> Vec<ImageView> {
    let started = events.iter().find_map(|event| match event {
        Event::TurnStarted { images, .. } => Some(images.clone()),
        _ => None,
    });
    started.unwrap()
}

fn failure(events: &[Event]) -> (ErrorCode, String) {
    let failed = events.iter().find_map(|event| match event {
        Event::TurnFailed { code, hint, .. } => Some((*code, hint.clone())),
        _ => None,
    });
    failed.unwrap_or_else(|| panic!("it did not fail: {events:?}"))
}

/// The last message of the user: its text, and its images as base64.
fn last_message(request: &Value) -> (String, Vec<String>) {
    let message = request["messages"].as_array().unwrap().iter().rev().find(|one| one["role"] == "user");
    parts(message.unwrap())
}

fn parts(message: &Value) -> (String, Vec<String>) {
    let Some(parts) = message["content"].as_array() else {
        return (message["content"].as_str().unwrap().to_owned(), Vec::new());
    };
    let texts = parts.iter().filter_map(|part| part["text"].as_str());
    let images = parts.iter().filter_map(|part| part["image_url"]["url"].as_str());
    let data = |url: &str| url.split_once(";base64,").unwrap().1.to_owned();
    (texts.collect(), images.map(data).collect())
}

#[tokio::test]
async fn image_is_stored_and_resent_in_every_dialect() {
    for kind in ["openai", "openai_responses", "anthropic", "gemini", "ollama"] {
        let nova = nova(kind, [text("A dot."), text("Still a dot."), text("Yes.")]);
        let app = nova.start().await;
        let session = app.create_session(Nothing {}).await.unwrap().id;
        let images = vec![image("dot.gif", GIF), image("C:\\big.png", PNG)];
        let events = send(&app, &session, "What is this?", images).await.unwrap();

        let views = shown(&events);
        let told: Vec<_> =
            views.iter().map(|image| (image.name.as_str(), image.media_type.as_str(), image.width)).collect();
        assert_eq!(told, [("dot.gif", "image/gif", 1), ("big.png", "image/png", 1_000)], "{kind}");
        let request = nova.model.requests().pop().unwrap();
        let said = "What is this?\n\n(With the images \"dot.gif\", \"big.png\".)".to_owned();
        assert_eq!(last_message(&request), (said, vec![GIF.to_owned(), PNG.to_owned()]), "{kind}");

        let wanted = ImageRef { session: session.clone(), id: views[0].id.clone() };
        let read = app.read_image(wanted.clone()).await.unwrap();
        assert_eq!((read.media_type.as_str(), read.data.as_str()), ("image/gif", GIF));
        let unknown = ImageRef { id: "no".into(), ..wanted };
        assert_eq!(app.read_image(unknown).await.unwrap_err().code, ErrorCode::BadRequest);

        // Later requests extend earlier ones, also from another process.
        send(&app, &session, "Sure?", Vec::new()).await.unwrap();
        drop(app);
        let app = nova.start().await;
        let events = send(&app, &session, "", vec![image("again.gif", GIF)]).await.unwrap();
        assert_eq!(shown(&events)[0].id, views[0].id, "equal images are one");
        for pair in nova.model.requests().windows(2) {
            let messages = |request: &Value| request["messages"].as_array().unwrap().clone();
            let (before, after) = (messages(&pair[0]), messages(&pair[1]));
            assert_eq!(after[..before.len()], before[..], "{kind}");
        }
        let view = app.open_session(SessionRef { session: session.clone() }).await.unwrap();
        let stored: Vec<Event> = view.events.into_iter().map(|envelope| envelope.event).collect();
        assert_eq!(shown(&stored), views, "{kind}");
        nova.model.finish();
    }
}

#[tokio::test]
async fn failed_image_store_keeps_message_with_reason() {
    let nova = nova("openai", [text("Without them.")]);
    let app = nova.start().await;
    let session = app.create_session(Nothing {}).await.unwrap().id;
    let database = format!("sqlite://{}", nova.data().join("nova.db").display());
    let database = sqlx::SqlitePool::connect(&database).await.unwrap();
    let full =
        "CREATE TRIGGER full BEFORE INSERT ON images BEGIN SELECT RAISE(ABORT, 'the disk is full'); END";
    sqlx::query(full).execute(&database).await.unwrap();

    let events = send(&app, &session, "What is this?", vec![image("dot.gif", GIF)]).await.unwrap();
    assert_eq!(failure(&events).0, ErrorCode::Io);
    assert!(nova.model.requests().is_empty(), "nothing was sent");
    let view = app.open_session(SessionRef { session: session.clone() }).await.unwrap();
    let stored: Vec<Event> = view.events.into_iter().map(|envelope| envelope.event).collect();
    assert_eq!(shown(&stored)[0].name, "dot.gif", "other processes can read it");

    // The chat continues.
    let events = send(&app, &session, "Then without.", Vec::new()).await.unwrap();
    assert!(events.iter().any(|event| matches!(event, Event::TurnCompleted { .. })), "{events:?}");
    nova.model.finish();
}

#[tokio::test]
async fn invalid_images_begin_no_turn() {
    let nova = nova("openai", []);
    let app = nova.start().await;
    let session = app.create_session(Nothing {}).await.unwrap().id;
    let too_many = vec![image("dot.gif", GIF); 11];
    let pdf = vec![image("paper.png", "JVBERi0xLjcKJeLjz9M=")];
    let large = vec![image("large.gif", &format!("{}{}", &GIF[..56], "A".repeat(8 * 1024 * 1024)))];
    for (images, says) in [(too_many, "at most 10 images"), (pdf, "paper.png"), (large, "larger than 3.9 MB")]
    {
        let error = send(&app, &session, "Look", images).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::BadRequest);
        assert!(error.message.contains(says) && !error.hint.is_empty(), "{error:?}");
    }
    assert_eq!(send(&app, &session, " ", Vec::new()).await.unwrap_err().code, ErrorCode::BadRequest);
    let view = app.open_session(SessionRef { session }).await.unwrap();
    assert!(view.events.is_empty() && !view.row.running, "{view:?}");
}

#[tokio::test]
async fn model_without_vision_is_marked_in_advance() {
    for (kind, more) in [("ollama", json!({})), ("openai", json!({"images": false, "models": ["scripted"]}))]
    {
        let mut nova = nova(kind, []);
        nova.model = ModelServer::start([text("Hello.")]);
        nova.settings(&settings(&nova, kind, more));
        let app = nova.start().await;
        let session = app.create_session(Nothing {}).await.unwrap().id;
        if kind == "ollama" {
            // Its server is asked within the turn, which is visible and can be stopped while it is slow.
            let events = send(&app, &session, "What is this?", vec![image("dot.gif", GIF)]).await.unwrap();
            assert_eq!(failure(&events).0, ErrorCode::ModelWithoutImages);
        }
        let error = send(&app, &session, "What is this?", vec![image("dot.gif", GIF)]).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::ModelWithoutImages, "{kind}: {error:?}");
        assert!(error.message.contains("scripted") && error.hint.contains("images"), "{error:?}");
        assert_eq!(app.list_provider_rows().await[0].without_images, ["scripted"], "{kind}");
        // Nothing was sent, and nothing blocks the next message.
        assert!(nova.model.requests().is_empty());
        send(&app, &session, "Hello", Vec::new()).await.unwrap();
        nova.model.finish();
    }
}

#[tokio::test]
async fn provider_that_refuses_images_does_not_block_the_chat() {
    let refusal = json!({"error": {"message": "No endpoints found that support image input", "code": 404}});
    let nova = nova("openai", [error(404, refusal), text("Never mind."), text("A dot.")]);
    let mut with_other = settings(&nova, "openai", json!({}));
    with_other["providers"]
        .as_array_mut()
        .unwrap()
        .push(json!({"id": "sees", "kind": "openai", "base_url": nova.model.base_url(), "images": true}));
    nova.settings(&with_other);
    let app = nova.start().await;
    let session = app.create_session(Nothing {}).await.unwrap().id;
    let (code, hint) =
        failure(&send(&app, &session, "What is this?", vec![image("dot.gif", GIF)]).await.unwrap());
    assert_eq!(code, ErrorCode::ModelWithoutImages);
    assert!(hint.contains("Choose a model"), "{hint}");

    // From now on this is known, and only the image's name is sent.
    let error = send(&app, &session, "And this?", vec![image("dot.gif", GIF)]).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ModelWithoutImages);
    send(&app, &session, "Go on", Vec::new()).await.unwrap();
    let request = nova.model.requests().pop().unwrap();
    let all: Vec<_> = request["messages"].as_array().unwrap().iter().map(parts).collect();
    assert!(all.iter().all(|(_, images)| images.is_empty()), "{all:?}");
    assert!(
        all.iter().any(|(text, _)| text.contains("\"dot.gif\", not sent: this model cannot read")),
        "{all:?}"
    );

    // A model with vision receives it.
    app.set_model(SetModel { session: Some(session.clone()), model: "sees/scripted".into() }).await.unwrap();
    send(&app, &session, "Now?", Vec::new()).await.unwrap();
    let request = nova.model.requests().pop().unwrap();
    let all: Vec<_> = request["messages"].as_array().unwrap().iter().map(parts).collect();
    assert!(all.iter().any(|(_, images)| images == &[GIF]), "{all:?}");
    nova.model.finish();
}

#[tokio::test]
async fn refused_image_blocks_no_other_message() {
    let refusal = json!({"error": {"message": "messages.0.content.1.image: could not process image"}});
    for status in [400, 413] {
        let answers = [error(status, refusal.clone()), text("Never mind."), text("A dot.")];
        let nova = nova("openai", answers);
        let app = nova.start().await;
        let session = app.create_session(Nothing {}).await.unwrap().id;
        let events = send(&app, &session, "What is this?", vec![image("dot.gif", GIF)]).await.unwrap();
        assert_eq!(failure(&events).0, ErrorCode::ProviderFailed, "{status}");

        let all = |request: &Value| -> Vec<_> {
            request["messages"].as_array().unwrap().iter().map(parts).collect()
        };
        let events = send(&app, &session, "Go on", Vec::new()).await.unwrap();
        assert!(
            events.iter().any(|event| matches!(event, Event::TurnCompleted { .. })),
            "{status}: {events:?}"
        );
        let said = all(&nova.model.requests()[1]);
        assert!(said.iter().all(|(_, images)| images.is_empty()), "{said:?}");
        assert!(said.iter().any(|(text, _)| text.contains("\"dot.gif\", no longer sent")), "{said:?}");

        // Showing it again is intentional.
        send(&app, &session, "And now?", vec![image("dot.gif", GIF)]).await.unwrap();
        assert_eq!(last_message(&nova.model.requests()[2]).1, [GIF]);
        nova.model.finish();
    }
}

#[tokio::test]
async fn earlier_images_block_no_message_of_another_process() {
    let blind = json!({"error": {"message": "No endpoints found that support image input"}});
    let broken = json!({"error": {"message": "could not process image"}});
    for (status, refusal) in [(404, blind), (400, broken)] {
        let nova = nova("openai", [error(status, refusal.clone()), error(status, refusal), text("Hello.")]);
        let app = nova.start().await;
        let session = app.create_session(Nothing {}).await.unwrap().id;
        failure(&send(&app, &session, "What is this?", vec![image("dot.gif", GIF)]).await.unwrap());
        drop(app);
        // Like a client at the terminal, which starts anew for each message.
        let app = nova.start().await;
        let events = send(&app, &session, "Hello", Vec::new()).await.unwrap();
        assert!(events.iter().any(|event| matches!(event, Event::TurnCompleted { .. })), "{events:?}");
        let shown: Vec<bool> =
            nova.model.requests().iter().map(|request| request.to_string().contains(GIF)).collect();
        assert_eq!(shown, [true, true, false], "{status}");
        nova.model.finish();
    }
}

#[tokio::test]
async fn image_counts_towards_the_context() {
    let nova = nova("openai", [text("Seen."), text("Seen.")]);
    let app = nova.start().await;
    let used = |events: &[Event]| {
        let told = events.iter().find_map(|event| match event {
            Event::StepStarted { context, .. } => context.clone(),
            _ => None,
        });
        told.unwrap().used
    };
    let mut tokens = Vec::new();
    for images in [Vec::new(), vec![image("big.png", PNG)]] {
        let session = app.create_session(Nothing {}).await.unwrap().id;
        tokens.push(used(&send(&app, &session, "Look", images).await.unwrap()));
    }
    // 1,000 × 1,000 / 750, plus its name.
    let more = tokens[1] - tokens[0];
    assert!((1_334..1_360).contains(&more), "{tokens:?}");
}

#[tokio::test]
async fn image_is_deleted_with_its_session() {
    let nova = nova("openai", [text("A dot.")]);
    let canary = b"the-canary-sings";
    let bytes = [b"GIF89a\x01\0\x01\0".as_slice(), canary].concat();
    let file = nova.home().join("dot.gif");
    std::fs::write(&file, &bytes).unwrap();
    let output = nova.run(&["chat", "-p", "What is this?", "--image", file.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    let started: Value = said.lines().map(|line| serde_json::from_str(line).unwrap()).next().unwrap();
    assert_eq!(started["images"][0]["name"], "dot.gif");
    assert_eq!(last_message(&nova.model.requests()[0]).1.len(), 1);
    let session = started["session"].as_str().unwrap();

    let exported = nova.run(&["session", "export", session]);
    let exported = String::from_utf8(exported.stdout).unwrap();
    assert!(exported.contains("> Images: `dot.gif`\n>\n> What is this?\n"), "{exported}");

    let holds = || {
        let files = std::fs::read_dir(nova.data()).unwrap().flatten().filter(|one| one.path().is_file());
        files
            .map(|one| std::fs::read(one.path()).unwrap())
            .any(|bytes| bytes.windows(canary.len()).any(|part| part == canary))
    };
    assert!(holds());
    nova.run(&["session", "delete", session]);
    assert!(holds(), "it can be restored");
    nova.run(&["session", "purge"]);
    assert!(!holds(), "leftover files");
}

#[tokio::test]
async fn file_that_is_no_image_is_refused_at_the_terminal() {
    let nova = nova("openai", []);
    let file = nova.home().join("notes.png");
    std::fs::write(&file, "hello").unwrap();
    for (file, says) in
        [(file.to_str().unwrap(), "notes.png cannot be sent"), ("/nowhere.png", "cannot be read")]
    {
        let output = nova.run(&["chat", "-p", "Look", "--image", file]);
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(says), "{said}");
    }
    assert_eq!(nova.json(&["session", "list"]).1, json!([]), "no empty session is left behind");
}
