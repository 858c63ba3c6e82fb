use nova_protocol::ServerStateView;

/// What of a server is reported when it becomes another.
#[derive(PartialEq)]
pub(crate) struct ServerNow {
    pub(crate) id: String,
    pub(crate) state: ServerStateView,
    pub(crate) reason: Option<String>,
    pub(crate) offers_changed: u64,
}
