use std::path::PathBuf;
use std::sync::Arc;

use nova_app::{
    App, AppOptions, CredentialsFrom, Desktop, LocalServer, Places, ProviderKind, ProviderServers, Questions,
    StoreOptions, Web, WebOptions,
};
use nova_protocol::{ErrorCode, UserError};
use tracing_appender::non_blocking::WorkerGuard;

use crate::args::Args;

/// Starts the app, configured by the command line and the environment.
pub async fn app(args: &Args, desktop: Arc<dyn Desktop>) -> Result<App, UserError> {
    let places = places(args)?;
    let clock = Arc::new(nova_app::SystemClock);
    App::start(AppOptions {
        web: Arc::new(Web::new(WebOptions::new(clock.clone()))),
        credentials: CredentialsFrom::Store(StoreOptions {
            keychain: true,
            passphrase: crate::passphrase::source(args.passphrase_fd),
        }),
        providers: ProviderServers::default(),
        launch_environment: crate::children::launch_environment(),
        documents: crate::children::documents(),
        tool_host: crate::children::tool_host(&places, desktop.clone()),
        places,
        desktop,
        clock,
        ids: Arc::new(nova_app::UlidIds),
        secret: Arc::new(|name| std::env::var(name).ok().filter(|key| !key.is_empty()).map(Into::into)),
        local_servers: local_servers(),
        proxy: proxy(),
        settle: App::SETTLE,
    })
    .await
}

/// Opens only the vault given by the command line and the environment.
pub(crate) async fn questions(args: &Args) -> Result<Questions, UserError> {
    let (clock, ids) = (Arc::new(nova_app::SystemClock), Arc::new(nova_app::UlidIds));
    Ok(Questions::open(&places(args)?, clock, ids).await)
}

/// The folders that the command line and the environment name.
///
/// # Errors
/// When the platform has no home folder and no option replaces it.
pub fn places(args: &Args) -> Result<Places, UserError> {
    let places = Places::find(args.config.clone(), args.data.clone(), args.vault.clone(), |name| {
        std::env::var_os(name)
    })
    .map_err(|message| UserError::new(ErrorCode::BadRequest, message, ""))?;
    Ok(Places { vault: places.vault.map(|vault| absolute(&vault)), ..places })
}

/// Runs a future on a new multi-threaded runtime.
pub(crate) fn on_runtime<T>(future: impl Future<Output = Result<T, UserError>>) -> Result<T, UserError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        UserError::new(ErrorCode::Internal, format!("Nova could not start: {error}."), "Try again.")
    })?;
    let result = runtime.block_on(future);
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    result
}

/// Logs to stderr, filtered by `NOVA_LOG`, until the guard is dropped. A line is lost when stderr is full: an MCP
/// client that never reads it must not block the program. Messages of `rmcp` are off by default: they duplicate
/// Nova's errors, or concern refused requests.
pub(crate) fn log() -> WorkerGuard {
    let filter = tracing_subscriber::EnvFilter::try_from_env("NOVA_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn,rmcp=off"));
    let (stderr, guard) = tracing_appender::non_blocking(std::io::stderr());
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr).try_init();
    guard
}

fn absolute(path: &std::path::Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Ollama, and the default addresses of LM Studio and llama.cpp. `NOVA_LOCAL_SERVERS` replaces the latter
/// two: `ID=ADDRESS`, separated by commas, or empty.
fn local_servers() -> Vec<LocalServer> {
    let others = std::env::var("NOVA_LOCAL_SERVERS")
        .unwrap_or_else(|_| "lm-studio=http://127.0.0.1:1234/v1,llama-cpp=http://127.0.0.1:8080/v1".into());
    let ollama = LocalServer { id: "ollama".into(), kind: ProviderKind::Ollama, address: ollama_address() };
    let others = others.split(',').filter_map(|server| server.trim().split_once('='));
    let others = others.map(|(id, address)| LocalServer {
        id: id.into(),
        kind: ProviderKind::OpenAi,
        address: address.into(),
    });
    std::iter::once(ollama).chain(others).collect()
}

/// Ollama's own variable, or its default address.
fn ollama_address() -> String {
    let host = std::env::var("OLLAMA_HOST").unwrap_or_default();
    let host = host.trim().trim_end_matches('/');
    match host {
        "" => "http://127.0.0.1:11434".into(),
        // The wildcard address can be listened on, but not connected to.
        "0.0.0.0" => "http://127.0.0.1:11434".into(),
        host if host.contains("://") => host.to_owned(),
        host if host.contains(':') => format!("http://{}", host.replace("0.0.0.0", "127.0.0.1")),
        host => format!("http://{host}:11434"),
    }
}

fn proxy() -> Option<String> {
    ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|address| !address.is_empty()))
}
