//! A live connection to a server: its requests, their limits, and its end.

mod calls;
mod following;
mod pages;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use nova_calls::Secrets;
use nova_registry::harmless_line;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientRequest, CustomNotification, ElicitRequestParams, ElicitResult,
    ElicitationCapability, FormElicitationCapability, Implementation, JsonObject, ListToolsRequest,
    PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion, ResourceUpdatedNotificationParam,
    ServerNotification, ServerPeerInfo, ServerResult, SubscriptionFilter, UrlElicitationCapability,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, NotificationContext, Peer,
    PeerRequestOptions, RequestContext, RoleClient, RunningService, ServiceError,
};
use rmcp::transport::IntoTransport;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rmcp::{ClientHandler, ErrorData};
use tokio::sync::{Notify, broadcast};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::authorized::Gate;
use crate::definition::{Definition, Kind, cut, short};
use crate::elicitation_router::ElicitationRouter;
use crate::ending::Ending;
use crate::last_lines::LastLines;
use crate::late_answer::LateAnswer;
use crate::limits;
use crate::scrubbed::Scrubbed;
use crate::throttled::Throttled;
use crate::trouble::Trouble;

pub(crate) use self::calls::ProgressListener;
use self::following::Followed;

/// Total timeout of a call that reports progress, as a multiple of the timeout without progress.
pub(crate) const PROGRESS_TIMEOUT_FACTOR: u32 = 10;
/// Grace period for a server to stop a cancelled call, and then to answer a ping.
const CANCEL_GRACE: Duration = Duration::from_secs(2);

pub(crate) struct Connection {
    /// Name for messages.
    server: String,
    peer: Peer<RoleClient>,
    progress: broadcast::Sender<ProgressNotificationParam>,
    pub(crate) notifications: Notifications,
    followed: Followed,
    ending: Arc<Ending>,
    said: LastLines,
    /// Closes the connection.
    stop: CancellationToken,
    /// Together with `stop`: closes without waiting.
    at_once: CancellationToken,
    pub(crate) closed: CancellationToken,
    calls: AtomicUsize,
    elicitations: Arc<ElicitationRouter>,
    /// URLs whose visit the server reported as completed.
    visited: broadcast::Sender<String>,
    is_process: bool,
    gate: Option<Arc<Gate>>,
}

/// Wakes up when the server reports changed lists.
#[derive(Clone, Default)]
pub(crate) struct Notifications {
    pub(crate) tools: Arc<Notify>,
    /// Prompts or resources changed.
    pub(crate) offers: Arc<Notify>,
    /// A resource that was read has changed.
    changed: Arc<AtomicBool>,
}

impl Notifications {
    fn resource_changed(&self) {
        self.changed.store(true, Ordering::SeqCst);
        self.offers.notify_one();
    }

    /// Whether a resource that was read has changed since the last call.
    pub(crate) fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::SeqCst)
    }
}

/// Everything a connection needs besides its transport.
pub(crate) struct Parts {
    pub(crate) server: String,
    pub(crate) ending: Arc<Ending>,
    pub(crate) said: LastLines,
    pub(crate) at_once: CancellationToken,
    pub(crate) is_process: bool,
    /// For HTTP servers.
    pub(crate) gate: Option<Arc<Gate>>,
    /// Scrubbed from its messages.
    pub(crate) secrets: Arc<Secrets>,
}

/// Handles messages initiated by the server. The only client capability offered is elicitation.
struct ServerMessageHandler {
    progress: broadcast::Sender<ProgressNotificationParam>,
    notifications: Notifications,
    followed: Followed,
    elicitations: Arc<ElicitationRouter>,
    visited: broadcast::Sender<String>,
}

impl ClientHandler for ServerMessageHandler {
    fn get_info(&self) -> ClientConfig {
        let nova = Implementation::new("nova", env!("CARGO_PKG_VERSION"));
        let mut offered = ClientCapabilities::default();
        let form = FormElicitationCapability::new().with_schema_validation(true);
        offered.elicitation =
            Some(ElicitationCapability::new().with_form(form).with_url(UrlElicitationCapability::new()));
        ClientConfig::new(offered, nova).with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.progress.send(progress);
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        tokio::select! {
            answer = self.elicitations.ask(params) => Ok(answer),
            () = context.ct.cancelled() => Err(ErrorData::invalid_request("withdrawn", None)),
        }
    }

    async fn on_custom_notification(&self, told: CustomNotification, _: NotificationContext<RoleClient>) {
        let id = told.params.as_ref().and_then(|params| params["elicitationId"].as_str());
        if let (pages::COMPLETE, Some(id)) = (told.method.as_str(), id) {
            let _ = self.visited.send(id.to_owned());
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.notifications.tools.notify_one();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.notifications.offers.notify_one();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.notifications.offers.notify_one();
    }

    async fn on_resource_updated(
        &self,
        told: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.followed.resource_updated(&told.uri, &self.notifications);
    }
}

/// Handshake to use.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lifecycle {
    /// The newest protocol, with the earlier ones as a fallback.
    Auto,
    /// The newest protocol only.
    Discover,
    /// Earlier protocols only.
    Initialize,
}

impl From<Lifecycle> for ClientLifecycleMode {
    fn from(lifecycle: Lifecycle) -> Self {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        match lifecycle {
            Lifecycle::Auto => Self::Auto {
                preferred_versions,
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
            Lifecycle::Discover => Self::Discover { preferred_versions },
            Lifecycle::Initialize => Self::Initialize,
        }
    }
}

impl Connection {
    /// Performs the handshake.
    pub(crate) async fn greet<T, E, A>(
        transport: T,
        lifecycle: Lifecycle,
        parts: Parts,
    ) -> Result<Arc<Self>, ClientInitializeError>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let (progress, _) = broadcast::channel(64);
        let (visited, _) = broadcast::channel(64);
        let notifications = Notifications::default();
        let elicitations = Arc::<ElicitationRouter>::default();
        let followed = Followed::default();
        let handler = ServerMessageHandler {
            progress: progress.clone(),
            notifications: notifications.clone(),
            followed: followed.clone(),
            elicitations: elicitations.clone(),
            visited: visited.clone(),
        };
        let Parts { server, ending, said, at_once, is_process, gate, secrets } = parts;
        let transport = LateAnswer::dropped_from(Throttled::from(transport.into_transport()));
        let transport = Scrubbed::from(transport, secrets);
        let service = handler.serve_with_lifecycle(transport, lifecycle.into()).await?;
        let (stop, closed) = (CancellationToken::new(), CancellationToken::new());
        let connection = Arc::new(Self {
            server,
            peer: service.peer().clone(),
            progress,
            notifications,
            followed,
            ending,
            said,
            stop: stop.clone(),
            at_once,
            closed: closed.clone(),
            calls: AtomicUsize::new(0),
            elicitations,
            visited,
            is_process,
            gate,
        });
        tokio::spawn(run(service, stop, closed));
        connection.subscribe();
        Ok(connection)
    }

    /// Name for messages.
    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    pub(crate) fn info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.peer.peer_info()
    }

    /// Closes the connection and waits until all its processes have ended.
    pub(crate) async fn close(&self) {
        self.stop.cancel();
        self.closed.cancelled().await;
    }

    fn kill(&self, why: String) {
        self.ending.say(why);
        self.at_once.cancel();
        self.stop.cancel();
    }

    /// Why it ended, for the user.
    pub(crate) fn end(&self) -> Trouble {
        ended(&self.server, &self.ending, &self.said)
    }

    /// Lists the server's tools, up to the limit.
    pub(crate) async fn list_tools(&self, limit: Duration) -> Result<Vec<Definition>, Trouble> {
        let until = Instant::now() + limit;
        let (mut tools, mut cursor, mut size) = (Vec::new(), None, 0);
        for _ in 0..limits::PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor.take());
            let request = ListToolsRequest {
                method: Default::default(),
                params: Some(params),
                extensions: Default::default(),
            };
            let left = until.saturating_duration_since(Instant::now());
            match self.ask(ClientRequest::ListToolsRequest(request), left, limit).await? {
                ServerResult::ListToolsResult(page) => {
                    let page_of = tools.len();
                    tools.extend(page.tools.into_iter().map(definition));
                    size += tools[page_of..].iter().map(Definition::size).sum::<usize>();
                    if size > limits::LIST {
                        return Err(self.faulty("lists more than 4 MB of tools"));
                    }
                    cursor = page.next_cursor;
                }
                // Malformed: a tool without a name, a schema that is a string.
                _ => return Err(self.faulty("sent an invalid answer to the request for its tools")),
            }
            if cursor.is_none() || tools.len() >= limits::LISTED {
                break;
            }
        }
        tools.truncate(limits::LISTED);
        Ok(tools)
    }

    /// Sends a request that is not part of a call, with the remaining time `left` of a limit.
    pub(crate) async fn ask(
        &self,
        request: ClientRequest,
        left: Duration,
        limit: Duration,
    ) -> Result<ServerResult, Trouble> {
        let asked = async {
            let handle =
                self.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await?;
            handle.await_response().await
        };
        match tokio::time::timeout(left, asked).await {
            Ok(answer) => answer.map_err(|error| self.trouble(error)),
            Err(_) => Err(self.late(limit)),
        }
    }

    /// In the newest protocol, notifications require a subscription.
    fn subscribe(self: &Arc<Self>) {
        let Some(info) = self.info().filter(|info| !info.protocol_version.has_initialize()) else { return };
        let offered = &info.capabilities;
        let tells = |list_changed: Option<bool>| list_changed == Some(true);
        let mut wanted = SubscriptionFilter::builder();
        let mut is_any = false;
        if tells(offered.tools.as_ref().and_then(|tools| tools.list_changed)) {
            (wanted, is_any) = (wanted.tools_list_changed(), true);
        }
        if tells(offered.prompts.as_ref().and_then(|prompts| prompts.list_changed)) {
            (wanted, is_any) = (wanted.prompts_list_changed(), true);
        }
        if tells(offered.resources.as_ref().and_then(|resources| resources.list_changed)) {
            (wanted, is_any) = (wanted.resources_list_changed(), true);
        }
        if !is_any {
            return;
        }
        let (peer, closed, notifications) =
            (self.peer.clone(), self.closed.clone(), self.notifications.clone());
        tokio::spawn(async move {
            let Ok(mut subscription) = peer.listen(wanted.build()).await else { return };
            loop {
                tokio::select! {
                    told = subscription.next() => match told {
                        Ok(Some(ServerNotification::ToolListChangedNotification(_))) => {
                            notifications.tools.notify_one();
                        }
                        Ok(Some(_)) => notifications.offers.notify_one(),
                        _ => return,
                    },
                    () = closed.cancelled() => return,
                }
            }
        });
    }

    fn late(&self, limit: Duration) -> Trouble {
        let noise =
            self.ending.noise().map(|line| format!(" It printed \"{line}\", which is not a message."));
        Trouble::failed(
            format!(
                "{} did not answer in {} s.{}",
                self.server,
                limit.as_secs_f32(),
                noise.unwrap_or_default()
            ),
            format!("Try again, or set a longer timeout_ms for {} in nova.config.json.", self.server),
        )
    }

    pub(crate) fn faulty(&self, what: &str) -> Trouble {
        Trouble::failed(
            format!("{} {what}.", self.server),
            "Update the server; if it happens again, tell its author.",
        )
    }

    fn trouble(&self, error: ServiceError) -> Trouble {
        if let Some(gate) = &self.gate
            && error.auth_challenge().is_some()
        {
            return gate.trouble();
        }
        match error {
            ServiceError::McpError(error) => Trouble::failed(
                format!("{} refused it: {}.", self.server, sentence(&error.message)),
                "Change the arguments and call again.",
            ),
            ServiceError::TransportClosed => self.end(),
            ServiceError::TransportSend(error) => {
                if self.closed.is_cancelled() || self.is_process {
                    return self.end();
                }
                unreachable(&self.server, &innermost(&*error.error))
            }
            error => self.faulty(&format!("could not be asked ({})", sentence(&error.to_string()))),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn run(
    service: RunningService<RoleClient, ServerMessageHandler>,
    stop: CancellationToken,
    closed: CancellationToken,
) {
    let _guard = closed.drop_guard();
    let own = service.cancellation_token();
    let waiting = service.waiting();
    tokio::pin!(waiting);
    tokio::select! {
        _ = &mut waiting => {}
        () = stop.cancelled() => {
            own.cancel();
            let _ = waiting.await;
        }
    }
}

fn definition(tool: rmcp::model::Tool) -> Definition {
    let json = |object: &JsonObject| serde_json::Value::Object(object.clone());
    Definition {
        name: tool.name.into_owned(),
        title: tool.title.map(|title| bounded(title, limits::DESCRIPTION)),
        description: bounded(tool.description.unwrap_or_default().into_owned(), limits::STORED_DESCRIPTION),
        parameters: json(&tool.input_schema),
        output: tool.output_schema.as_deref().map(json),
        hints: tool.annotations.and_then(|hints| serde_json::to_value(hints).ok()),
        kind: Kind::Tool,
    }
}

/// Cuts a text that is stored; a change of the rest changes the hash.
fn bounded(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let hash = blake3::hash(text.as_bytes()).to_hex();
    format!("{} [{} bytes, {}]", cut(&text, most), text.len(), &hash[..32])
}

/// Why a server has ended, with its last output.
pub(crate) fn ended(server: &str, ending: &Ending, said: &LastLines) -> Trouble {
    let why = ending.why().unwrap_or_else(|| "It closed the connection".into());
    let mut last = said.last(3);
    if last.is_empty() {
        last.extend(ending.noise());
    }
    let last = match last.as_slice() {
        [] => String::new(),
        lines => format!(" It said: {}.", lines.join(" / ").trim_end_matches('.')),
    };
    Trouble::failed(
        format!("{server} is not running. {why}.{last}"),
        format!("Check its command and settings, or run it by hand: nova mcp probe {server}."),
    )
}

pub(crate) fn unreachable(server: &str, reason: &str) -> Trouble {
    Trouble::failed(
        format!("{server} cannot be reached: {}.", sentence(reason)),
        "Check its address and the connection, then try again.",
    )
}

/// The root cause, usually the most specific message.
pub(crate) fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |cause| cause.source().or_else(|| of_request(*cause)));
    causes.last().map_or_else(String::new, ToString::to_string)
}

/// The library does not expose it as a source.
fn of_request<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> Option<&'a (dyn std::error::Error + 'static)> {
    match error.downcast_ref::<StreamableHttpError<reqwest::Error>>()? {
        StreamableHttpError::Client(error) => Some(error),
        _ => None,
    }
}

/// Sanitises external text for use within a sentence.
pub(crate) fn sentence(said: &str) -> String {
    short(harmless_line(said).trim_end_matches('.'))
}
