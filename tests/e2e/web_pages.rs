//! A chat that read pages, in the real window. Its tools ran below the window over local servers, because the
//! program itself contacts public addresses only.

use std::sync::Arc;
use std::time::Duration;

use nova_app::{
    App, AppOptions, CancellationToken, ChatRequest, CredentialsFrom, InProcess, LaunchEnvironment,
    NoDesktop, Places, ProviderServers,
};
use nova_guard::Guard;
use nova_protocol::Decision;
use nova_testkit::{
    CountingIds, FixedClock, FixedCredentials, LineToolHost, ModelServer, Reply, ScriptedApprover, WebServer,
    calls, text, web_of,
};
use serde_json::json;

use crate::harness::{Home, Window};

/// The user's question, which becomes the chat's title.
pub(crate) const QUESTION: &str = "What does Quillon charge for the licence?";
const PRICES: &str = "http://quillon.example/prices";
const HOSTING: &str = "http://quillon.example/hosting";

/// The model of the chat, also used by the window.
pub(crate) fn model() -> ModelServer {
    ModelServer::start([
        calls([("core__web_fetch", json!({"url": PRICES})), ("core__web_fetch", json!({"url": HOSTING}))]),
        text(&format!(
            "Quillon lists the licence at €1,480 a year [1]({PRICES}), hosting is billed apart [2]({HOSTING})."
        )),
        text("Quillon's licence"),
    ])
}

/// Runs the chat in this home.
pub(crate) async fn read_pages(home: &Home) {
    let server = WebServer::start(|request| {
        let page = match request.path.as_str() {
            "/prices" => format!(
                "<title>Price list 2026</title><meta itemprop=datePublished content=2026-11-02><article><p>The licence \
                 costs €1,480 a year for each seat.</p><p>{}</p></article>",
                "Prices are without tax and hold until the end of the year. ".repeat(150)
            ),
            _ => "<title>Hosting terms</title><article><p>Hosting is billed apart, by the month.</p></article>".to_owned(),
        };
        Reply::with(200, &[("content-type", "text/html; charset=utf-8")], &page)
    })
    .await;
    let app = App::start(AppOptions {
        places: Places {
            config: home.config(),
            data: home.data(),
            vault: Some(home.vault()),
            documents: home.documents(),
            home: None,
            settings: None,
            obsidian: None,
            trash: None,
        },
        desktop: Arc::new(NoDesktop),
        clock: Arc::new(FixedClock::default()),
        ids: Arc::new(CountingIds::new("pages")),
        secret: Arc::new(|_| None),
        local_servers: Vec::new(),
        proxy: None,
        launch_environment: LaunchEnvironment::new(
            Guard::new(env!("CARGO_BIN_EXE_nova"), ["guard".into()]),
            [],
        ),
        tool_host: Arc::new(LineToolHost::default()),
        documents: Arc::new(InProcess),
        web: Arc::new(web_of(&[("quillon.example", &server)])),
        settle: Duration::from_secs(600),
        credentials: CredentialsFrom::StandIn(Arc::new(FixedCredentials::default())),
        providers: ProviderServers::default(),
    })
    .await
    .expect("Nova starts");
    let request = ChatRequest {
        session: None,
        text: QUESTION.into(),
        skills: Vec::new(),
        tool: None,
        after: None,
        images: Vec::new(),
        model: None,
        approver: Arc::new(ScriptedApprover::always(Decision::Once)),
        cancel: CancellationToken::new(),
    };
    app.chat(request).await.expect("the turn ends");
}

#[tokio::test]
async fn citation_opens_the_page_that_the_card_names() {
    let model = model();
    let home = Home::new().provider(&model.base_url()).launcher("echo \"$*\" >>\"$HOME/opened\"");
    read_pages(&home).await;
    let window = Window::open(&home).await;
    window.click_named(QUESTION).await;
    window.wait_for_text("[data-testid=web-pages]", "Price list 2026 quillon.example, dated 2 Nov").await;
    window.wait_for_text("[data-testid=message]", "€1,480 a year 1, hosting is billed apart 2.").await;
    window.click("[data-testid=message] .nova-cite").await;
    window.wait_for_file(&home.in_home("opened"), PRICES).await;
    window.close().await;
}
