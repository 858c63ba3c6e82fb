//! Drafts and the window's layout survive a kill of Nova.

use nova_app::{App, WindowPlace};
use nova_protocol::{
    AttachedFile, Commands as _, DraftImageRef, DraftView, ErrorCode, Event, KeepDraftImage, NewImage,
    Nothing, PurgeSessions, QueuedMessage, SendMessage, SessionRef, SessionView, WindowLayout,
};
use nova_testkit::{pause, text};

use super::nova::{Nova, PEOPLE, wait_for};

fn draft(session: Option<&str>, text: &str) -> DraftView {
    DraftView { session: session.map(str::to_owned), text: text.into(), ..DraftView::default() }
}

/// Drafts and queued texts, by session.
async fn written(app: &App) -> Vec<(Option<String>, String, Vec<String>)> {
    let drafts = app.list_drafts(Nothing {}).await.unwrap();
    let texts = |draft: DraftView| {
        let queued = draft.queued.into_iter().map(|message| message.text).collect();
        (draft.session, draft.text, queued)
    };
    drafts.into_iter().map(texts).collect()
}

#[tokio::test]
async fn message_in_flight_during_a_kill_is_sent_or_still_a_draft() {
    let nova = Nova::new(PEOPLE, [text("Jane.")]);
    let app = nova.start().await;
    let session = app.new_session().await.unwrap().id;
    let on_its_way = |text: &str, turn: &str| QueuedMessage {
        text: text.into(),
        tool: None,
        skills: Vec::new(),
        files: Vec::new(),
        images: Vec::new(),
        turn: Some(turn.into()),
    };
    let kept = DraftView {
        turn: Some("turn-of-the-page".into()),
        queued: vec![on_its_way("And when?", "another-turn")],
        ..draft(Some(&session), "Who waits?")
    };
    app.keep_draft(kept).await.unwrap();
    let message = SendMessage {
        session: session.clone(),
        text: "Who waits?".into(),
        turn: Some("turn-of-the-page".into()),
        ..SendMessage::default()
    };
    let mut events = app.events();
    let sent = app.send_message(message.clone()).await.unwrap();
    assert_eq!(sent.turn, "turn-of-the-page");

    // The command has returned, so another process finds it in the log, whatever happens to this one.
    let after = nova.start().await;
    let view = after.open_session(SessionRef { session: session.clone() }).await.unwrap();
    let said = |view: &SessionView| {
        let texts = view.events.iter().filter_map(|envelope| match &envelope.event {
            Event::TurnStarted { text, .. } => Some(text.clone()),
            _ => None,
        });
        texts.collect::<Vec<_>>()
    };
    assert_eq!(said(&view), ["Who waits?"]);
    assert_eq!(written(&after).await, [(Some(session.clone()), String::new(), vec!["And when?".into()])]);

    // A client that missed the confirmation sends it again; it is stored once.
    assert_eq!(after.send_message(message).await.unwrap().turn, "turn-of-the-page");
    let view = after.open_session(SessionRef { session }).await.unwrap();
    assert_eq!(said(&view), ["Who waits?"]);
    wait_for(&mut events, |event| matches!(event, Event::TurnCompleted { .. })).await;
    nova.model.finish();
}

#[tokio::test]
async fn message_that_no_turn_took_is_refused_where_it_was_sent() {
    let nova = Nova::new(PEOPLE, [text("One").and(pause())]);
    let app = nova.start().await;
    let session = app.new_session().await.unwrap().id;
    let message = SendMessage { session, text: "One".into(), ..SendMessage::default() };
    app.send_message(message.clone()).await.unwrap();
    nova.model.wait_for_pause(1).await;

    // The other process's turn is detected only when this one is to begin.
    let other = nova.start().await;
    let refused = other.send_message(message).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::SessionBusy);
    app.stop_everything().await;
    nova.model.finish();
}

#[tokio::test]
async fn draft_is_on_disk_when_the_command_returns() {
    let nova = Nova::new("", []);
    let app = nova.start().await;
    let waiting = QueuedMessage {
        text: "and then".into(),
        tool: Some("crm.move_deal".into()),
        skills: vec!["post".into()],
        files: vec![AttachedFile { name: "list.csv".into(), text: "a,b\n".into(), ..Default::default() }],
        images: Vec::new(),
        turn: None,
    };
    let written = DraftView { queued: vec![waiting], ..draft(Some("01JB"), "Grüße an [[Jane Doe]]") };
    app.keep_draft(written.clone()).await.unwrap();
    app.keep_draft(draft(None, "a new chat")).await.unwrap();
    // Nothing is stopped or flushed: another process reads what this command confirmed.
    let after = nova.start().await;
    let mut drafts = after.list_drafts(Nothing {}).await.unwrap();
    drafts.sort_by(|a, b| a.session.cmp(&b.session));
    assert_eq!(drafts, [draft(None, "a new chat"), written]);

    app.keep_draft(draft(None, "")).await.unwrap();
    app.keep_draft(draft(None, "")).await.unwrap();
    assert_eq!(after.list_drafts(Nothing {}).await.unwrap().len(), 1, "an empty draft is deleted");
}

#[tokio::test]
async fn attached_images_survive_and_go_with_their_draft() {
    let nova = Nova::new("", []);
    let app = nova.start().await;
    let image = |name: &str, data: &str| NewImage {
        name: name.into(),
        media_type: Some("image/png".into()),
        data: data.into(),
    };
    let keep = |image: NewImage| app.keep_draft_image(KeepDraftImage { session: Some("01JB".into()), image });
    let plan = keep(image("plan.png", "iVBORw==")).await.unwrap();
    let map = keep(image("map.png", "iVBORg==")).await.unwrap();
    assert_eq!(keep(image("plan.png", "iVBORw==")).await.unwrap(), plan, "equal images are stored once");
    let waiting = QueuedMessage {
        text: String::new(),
        tool: None,
        skills: Vec::new(),
        files: Vec::new(),
        images: vec![map.clone()],
        turn: None,
    };
    let written = DraftView { images: vec![plan.clone()], queued: vec![waiting], ..draft(Some("01JB"), "") };
    app.keep_draft(written.clone()).await.unwrap();

    let after = nova.start().await;
    let read = |session: &str, id: &str| {
        after.read_draft_image(DraftImageRef { session: Some(session.into()), id: id.into() })
    };
    assert_eq!(after.list_drafts(Nothing {}).await.unwrap(), std::slice::from_ref(&written));
    assert_eq!(read("01JB", &plan.id).await.unwrap(), image("plan.png", "iVBORw=="));
    assert_eq!(read("01JB", &map.id).await.unwrap(), image("map.png", "iVBORg=="));
    for (session, id) in
        [("01JC", plan.id.as_str()), ("01JB", "../01JB.json"), ("..", &plan.id), ("01JB", "")]
    {
        assert!(read(session, id).await.is_err(), "{session}/{id}");
    }

    app.keep_draft(DraftView { queued: Vec::new(), ..written }).await.unwrap();
    assert_eq!(read("01JB", &map.id).await.unwrap_err().code, ErrorCode::Io, "the image was removed");
    assert!(read("01JB", &plan.id).await.is_ok());
    app.keep_draft(draft(Some("01JB"), "")).await.unwrap();
    let left: Vec<_> = std::fs::read_dir(nova.data().join("drafts")).unwrap().collect();
    assert!(left.is_empty(), "a sent message leaves nothing behind: {left:?}");
}

#[tokio::test]
async fn drafts_of_a_chat_are_purged_with_it() {
    let nova = Nova::new("", []);
    let app = nova.start().await;
    let mut chats = Vec::new();
    for _ in 0..3 {
        let session = app.new_session().await.unwrap().id;
        app.keep_draft(draft(Some(&session), "not sent")).await.unwrap();
        chats.push(session);
    }
    let [one, other, stays] = <[String; 3]>::try_from(chats).unwrap();
    for session in [&one, &other] {
        app.delete_session(SessionRef { session: session.clone() }).await.unwrap();
    }
    assert_eq!(app.list_drafts(Nothing {}).await.unwrap().len(), 3, "it can be restored");
    let purge = |session: Option<String>| app.purge_sessions(PurgeSessions { session });
    assert_eq!(purge(Some(one.clone())).await.unwrap().purged, 1);
    assert_eq!(app.list_drafts(Nothing {}).await.unwrap().len(), 2);
    // Neither a purged chat nor one outside the trash.
    for session in [one, stays.clone()] {
        assert_eq!(purge(Some(session)).await.unwrap_err().code, ErrorCode::UnknownSession);
    }
    assert_eq!(purge(None).await.unwrap().purged, 1);
    assert_eq!(app.list_drafts(Nothing {}).await.unwrap(), [draft(Some(&stays), "not sent")]);
}

#[tokio::test]
async fn draft_that_cannot_be_deleted_blocks_no_other() {
    for broken in [0, 1] {
        let nova = Nova::new("", []);
        let app = nova.start().await;
        let mut chats = Vec::new();
        for _ in 0..2 {
            let session = app.new_session().await.unwrap().id;
            app.keep_draft(draft(Some(&session), "not sent")).await.unwrap();
            app.delete_session(SessionRef { session: session.clone() }).await.unwrap();
            chats.push(session);
        }
        let file = nova.data().join("drafts").join(format!("{}.json", chats[broken]));
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        let failed = app.purge_sessions(PurgeSessions { session: None }).await.unwrap_err();
        assert_eq!(failed.code, ErrorCode::Io);
        assert!(app.list_drafts(Nothing {}).await.unwrap().is_empty(), "the other is gone");
    }
}

#[tokio::test]
async fn draft_stays_in_its_folder_and_a_broken_one_hides_no_other() {
    let nova = Nova::new("", []);
    let app = nova.start().await;
    for session in ["../trust", "a/b", "", "a\0b", "..", "C:x"] {
        let refused = app.keep_draft(draft(Some(session), "x")).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::BadRequest, "{session:?}");
    }
    app.keep_draft(draft(Some("good"), "x")).await.unwrap();
    std::fs::write(nova.data().join("drafts/torn.json"), "{\"text\":").unwrap();
    assert_eq!(app.list_drafts(Nothing {}).await.unwrap(), [draft(Some("good"), "x")]);

    let large = "x".repeat(9 * 1024 * 1024);
    let refused = app.keep_draft(draft(Some("good"), &large)).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::BadRequest);
    assert_eq!(app.list_drafts(Nothing {}).await.unwrap(), [draft(Some("good"), "x")], "the last one stays");
}

#[tokio::test]
async fn window_layout_is_restored() {
    let nova = Nova::new("", []);
    let app = nova.start().await;
    assert_eq!(app.window_layout(Nothing {}).await.unwrap(), WindowLayout::default());
    assert_eq!(app.window_place(), None);
    let layout = WindowLayout {
        list_folded: true,
        panel_width: 420,
        zoom: 200,
        keys: [("find".to_owned(), "Ctrl G".to_owned())].into(),
        chosen: vec!["panel budget".into()],
        ..WindowLayout::default()
    };
    let place = WindowPlace { x: 10.0, y: 20.0, width: 1000.0, height: 700.0, maximized: false };
    app.keep_layout(layout.clone()).await.unwrap();
    app.keep_window_place(place).unwrap();
    let after = nova.start().await;
    assert_eq!(after.window_layout(Nothing {}).await.unwrap(), layout);
    assert_eq!(after.window_place(), Some(place));
    assert!((after.window_zoom() - 2.0).abs() < 0.001, "it keeps its size");
    // A file in another version's format must not prevent the start.
    std::fs::write(nova.data().join("window/layout.json"), "[]").unwrap();
    assert_eq!(after.window_layout(Nothing {}).await.unwrap(), WindowLayout::default());
}
