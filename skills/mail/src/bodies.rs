//! Messages that were fetched lately, in the memory of this process: a card and its call read the same one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use nova_mail::{FetchedMessage, MailError, MessageId};

use crate::opened::Opened;

/// The most bytes of all of them.
const BYTES: usize = 32 << 20;

/// The last used one comes last.
static BODIES: Mutex<VecDeque<Body>> = Mutex::new(VecDeque::new());

struct Body {
    /// Its server and user.
    of: String,
    id: MessageId,
    message: Arc<FetchedMessage>,
}

/// As [`nova_mail::Mailbox::fetch`]. The server is always asked whether it has the message, and fetched from once.
///
/// # Errors
/// As for [`nova_mail::Mailbox::fetch`].
pub(crate) async fn fetch(opened: &mut Opened, id: &MessageId) -> Result<Arc<FetchedMessage>, MailError> {
    let of = format!("{} {}", opened.account.server(), opened.account.user);
    if let Some(message) = taken(&of, id) {
        if opened.mailbox.look(std::slice::from_ref(id)).await?.is_empty() {
            return Err(MailError::NoMessage);
        }
        add(Body { of, id: id.clone(), message: Arc::clone(&message) });
        return Ok(message);
    }
    let message = Arc::new(opened.mailbox.fetch(id).await?);
    add(Body { of, id: id.clone(), message: Arc::clone(&message) });
    Ok(message)
}

fn taken(of: &str, id: &MessageId) -> Option<Arc<FetchedMessage>> {
    let mut bodies = BODIES.lock().unwrap_or_else(PoisonError::into_inner);
    let at = bodies.iter().position(|body| body.of == of && body.id == *id)?;
    bodies.remove(at).map(|body| body.message)
}

fn add(new: Body) {
    let mut bodies = BODIES.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same_folder = |body: &Body| body.of == new.of && body.id.folder == new.id.folder;
    // A renumbered folder has none of its old messages.
    bodies.retain(|body| !is_same_folder(body) || (body.id.validity == new.id.validity && body.id != new.id));
    bodies.push_back(new);
    let mut bytes: usize = bodies.iter().map(|body| body.message.size()).sum();
    while bytes > BYTES {
        let Some(oldest) = bodies.pop_front() else { return };
        bytes -= oldest.message.size();
    }
}
