use nova_protocol::ServerStateView;

/// The reported state of a server.
#[derive(PartialEq)]
pub(crate) struct ServerNow {
    pub(crate) id: String,
    pub(crate) state: ServerStateView,
    pub(crate) reason: Option<String>,
    pub(crate) offers_changed: u64,
}
