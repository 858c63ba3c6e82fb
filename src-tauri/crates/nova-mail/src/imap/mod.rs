//! A mailbox over IMAP. For reading, a folder is opened by EXAMINE and a message fetched by PEEK, so that nothing
//! changes; only `change` opens folders by SELECT.

mod change;
mod large;
mod list;
mod preview;
mod query;
mod roles;
mod signing_in;
mod starttls;
mod utf7;
mod watch;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;
use std::time::Duration;

use async_imap::error::Error;
use async_imap::types::{Capabilities, Capability, Fetch, NameAttribute};
use async_imap::{Client, Session};
use async_trait::async_trait;
use futures::TryStreamExt as _;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::bounded::{Bounded, TooDeep, TooMuch};
use crate::header_cache::FolderState;
use crate::{
    Appended, Changed, Counts, FetchedMessage, Folder, FoundMessages, HeaderCache, Listed, MailError,
    Mailbox, Mark, MessageError, MessageId, Preview, Role, SignIn, Wanted, visible_line,
};
use change::Offers;
use list::Of;

pub use starttls::{imap_begins_with_starttls, imap_start_tls};
pub use watch::Watched;

/// A connection to a server, already encrypted.
pub trait Stream: AsyncRead + AsyncWrite + Debug + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Debug + Send + Unpin> Stream for S {}

/// The time limit of one command.
const PATIENCE: Duration = Duration::from_secs(30);
/// How many bytes a server may send in one connection.
const MOST_BYTES: u64 = 64 << 20;
/// The largest message that is fetched as a whole.
const LARGEST: u64 = crate::message::MOST_BYTES as u64;
/// The most folders that are listed.
const FOLDERS: usize = 1_000;
/// How many messages of a conversation are shown, and how many ids are searched for.
const CONVERSATION: usize = 100;
const IDS: usize = 10;
/// The longest text of a server that is shown.
const LINE: usize = 200;

/// A signed-in connection.
#[derive(Debug)]
pub struct Imap<S: Stream> {
    session: Session<Bounded<S>>,
    literals: bool,
    offers: Offers,
}

impl<S: Stream> Imap<S> {
    /// Reads the greeting and signs in.
    ///
    /// # Errors
    /// `SignIn`, `NoPassword`, `Token`, `NoToken`, and as [`MailError`] lists.
    pub async fn sign_in(stream: S, who: &SignIn) -> Result<Self, MailError> {
        let mut client = Client::new(Bounded::of_imap(stream, MOST_BYTES));
        in_time(async { client.read_response().await.map_err(Error::Io)?.ok_or(Error::ConnectionLost) })
            .await?;
        Self::sign_in_client(client, who).await
    }

    /// Signs in after STARTTLS, when the greeting has been read.
    ///
    /// # Errors
    /// As for [`Imap::sign_in`].
    pub async fn sign_in_greeted(stream: S, who: &SignIn) -> Result<Self, MailError> {
        Self::sign_in_client(Client::new(Bounded::of_imap(stream, MOST_BYTES)), who).await
    }

    async fn sign_in_client(mut client: Client<Bounded<S>>, who: &SignIn) -> Result<Self, MailError> {
        // Drains what it sends before it is ready.
        in_time(client.run_command_and_check_ok("NOOP", None)).await?;
        let mut session = signing_in::sign_in(client, who).await?;
        let capabilities: Capabilities = in_time(session.capabilities()).await?;
        let has = |name: &str| capabilities.has(&Capability::Atom(name.into()));
        let literals = has("LITERAL+") || has("LITERAL-");
        // RFC 7162, 3.1: a server may omit mod-sequences until they are enabled, which is done before opening a
        // folder.
        let modseq = has("CONDSTORE")
            && has("ENABLE")
            && in_time(session.run_command_and_check_ok("ENABLE CONDSTORE")).await.is_ok();
        let idle = has("IDLE");
        let offers = Offers { r#move: has("MOVE"), expunge_one: has("UIDPLUS"), modseq, idle };
        Ok(Self { session, literals, offers })
    }

    async fn open(&mut self, folder: &str) -> Result<FolderState, MailError> {
        let opened = in_time(self.session.examine(spelled(folder)?)).await;
        let opened = opened.map_err(|error| no_folder(error, folder))?;
        Ok(FolderState {
            validity: opened.uid_validity.unwrap_or_default(),
            next: opened.uid_next.unwrap_or_default(),
            exists: opened.exists,
            modseq: opened.highest_modseq.filter(|_| self.offers.modseq).unwrap_or_default(),
        })
    }

    /// Opens the folder of an id, whose UIDVALIDITY must still match.
    async fn open_of(&mut self, id: &MessageId) -> Result<(), MailError> {
        let FolderState { validity, .. } = self.open(&id.folder).await?;
        if validity == id.validity { Ok(()) } else { Err(MailError::NoMessage) }
    }

    async fn matching(&mut self, keys: &str) -> Result<BTreeSet<u32>, MailError> {
        Ok(in_time(self.session.uid_search(keys)).await?.into_iter().collect())
    }
}

#[async_trait]
impl<S: Stream> Mailbox for Imap<S> {
    async fn folders(&mut self) -> Result<Vec<Folder>, MailError> {
        let names: Vec<_> =
            in_time(async { self.session.list(Some(""), Some("*")).await?.try_collect().await }).await?;
        let folders = names.iter().filter(|name| !name.attributes().contains(&NameAttribute::NoSelect));
        Ok(roles::folders(folders.take(FOLDERS).map(|name| (name.name(), name.attributes()))))
    }

    async fn list_cached(
        &mut self,
        folder: &str,
        wanted: &Wanted,
        cache: &mut HeaderCache,
    ) -> Result<FoundMessages, MailError> {
        self.listed(folder, wanted, cache).await
    }

    async fn fetch(&mut self, id: &MessageId) -> Result<FetchedMessage, MailError> {
        self.open_of(id).await?;
        let uid = id.uid.to_string();
        let session = &mut self.session;
        let sizes: Vec<Fetch> =
            in_time(async { session.uid_fetch(&uid, "(UID RFC822.SIZE)").await?.try_collect().await })
                .await?;
        let of_message = |message: &&Fetch| message.uid == Some(id.uid);
        if !sizes.iter().any(|message| of_message(&message)) {
            return Err(MailError::NoMessage);
        }
        // An update of flags may be reported as well.
        let size = sizes.iter().filter(of_message).find_map(|message| message.size);
        if u64::from(size.unwrap_or_default()) > LARGEST {
            return self.fetch_large(id.uid).await;
        }
        let session = &mut self.session;
        // Never more than that, even if the reported size was wrong.
        let asked = format!("(UID BODY.PEEK[]<0.{}>)", LARGEST + 1);
        let fetched: Vec<Fetch> =
            in_time(async { session.uid_fetch(&uid, &asked).await?.try_collect().await }).await?;
        let found = fetched.iter().filter(of_message).find_map(Fetch::body);
        let raw = found.ok_or(MailError::NoMessage)?;
        if raw.len() as u64 > LARGEST {
            return Err(MailError::TooLarge { size: raw.len() as u64, most: LARGEST });
        }
        Ok(FetchedMessage::whole(raw.to_vec()))
    }

    async fn fetch_part(
        &mut self,
        id: &MessageId,
        message: &FetchedMessage,
        at: usize,
        most: u64,
    ) -> Result<Vec<u8>, MailError> {
        match message.remote(at)? {
            Some(part) => self.fetched_part(id, part, most).await,
            None => Ok(message.part(at)?),
        }
    }

    async fn thread(&mut self, id: &MessageId) -> Result<FoundMessages, MailError> {
        self.open_of(id).await?;
        let own = self.headers(&id.folder, id.validity, Of::Uids(&id.uid.to_string())).await?;
        let own = own.into_iter().find(|message| message.id == *id).ok_or(MailError::NoMessage)?;
        // Most replies of a conversation reference its first message.
        let mut ids: Vec<String> = own.envelope.references.iter().take(IDS / 2).cloned().collect();
        ids.extend(own.envelope.message_id.clone());
        ids.extend(own.envelope.references.iter().rev().take(IDS / 2).cloned());
        let mut seen = BTreeSet::new();
        ids.retain(|id| seen.insert(id.clone()));
        let Some(keys) = query::conversation(&ids) else {
            return Ok(FoundMessages { messages: vec![own], total: 1 });
        };
        let mut folders = vec![id.folder.clone()];
        let others = self.folders().await?.into_iter().filter(|folder| {
            matches!(folder.role, Some(Role::Inbox | Role::Sent | Role::Archive | Role::All))
        });
        folders.extend(others.map(|folder| folder.name).filter(|name| *name != id.folder));
        let mut all = FoundMessages { messages: vec![own], total: 0 };
        let mut known: BTreeSet<String> =
            all.messages.iter().filter_map(|own| own.envelope.message_id.clone()).collect();
        for folder in folders {
            let opened = match self.open(&folder).await {
                Err(MailError::NoFolder { .. }) => continue,
                opened => opened?,
            };
            let found = self.matching(&keys).await?;
            for message in self.newest_of(&folder, opened, &found, CONVERSATION).await? {
                // The same message may be in several folders.
                let is_new = message.id != *id
                    && message.envelope.message_id.clone().is_none_or(|message_id| known.insert(message_id));
                if is_new {
                    all.messages.push(message);
                }
            }
        }
        all.total = all.messages.len();
        all.messages.sort_by_key(|message| (message.envelope.date.or(message.received), message.id.clone()));
        all.messages.truncate(CONVERSATION);
        Ok(all)
    }

    async fn look(&mut self, ids: &[MessageId]) -> Result<Vec<Listed>, MailError> {
        let mut found = Vec::new();
        for (folder, ids) in change::by_folder(ids) {
            let FolderState { validity, .. } = match self.open(&folder).await {
                Err(MailError::NoFolder { .. }) => continue,
                opened => opened?,
            };
            let uids: Vec<String> = ids.iter().map(|id| id.uid.to_string()).collect();
            let mut messages = self.headers(&folder, validity, Of::Uids(&uids.join(","))).await?;
            messages.retain(|message| ids.contains(&message.id));
            found.extend(messages);
        }
        Ok(found)
    }

    async fn draft(&mut self, id: &MessageId) -> Result<Listed, MailError> {
        self.draft_of(id).await
    }

    async fn find(&mut self, folder: &str, message_id: &str) -> Result<Option<MessageId>, MailError> {
        let FolderState { validity, .. } = self.open(folder).await?;
        let found = self.matching(&query::with_id(message_id)?).await?;
        Ok(found.last().map(|uid| MessageId { folder: folder.to_owned(), validity, uid: *uid }))
    }

    async fn move_to(&mut self, ids: &[MessageId], folder: &str) -> Result<Vec<Changed>, MailError> {
        self.moved(ids, folder).await
    }

    async fn mark(&mut self, ids: &[MessageId], mark: Mark) -> Result<Vec<Changed>, MailError> {
        self.marked(ids, mark).await
    }

    async fn append(
        &mut self,
        folder: &str,
        message: &[u8],
        kind: Appended,
    ) -> Result<Option<MessageId>, MailError> {
        self.appended(folder, message, kind).await
    }

    async fn remove_draft(&mut self, id: &MessageId) -> Result<(), MailError> {
        self.draft_removed(id).await
    }

    async fn previews(
        &mut self,
        ids: &[MessageId],
        receiver: &[&str],
    ) -> Result<HashMap<MessageId, Preview>, MailError> {
        self.previews_of(ids, receiver).await
    }

    async fn counts(&mut self, folder: &str) -> Result<Counts, MailError> {
        let status = in_time(self.session.status(utf7::encode(folder), "(MESSAGES UNSEEN)")).await;
        match status {
            Ok(said) => Ok(Counts { total: said.exists, unread: said.unseen.unwrap_or_default() }),
            Err(MailError::Refused { .. }) => Err(MailError::NoFolder { folder: visible_line(folder, LINE) }),
            Err(error) => Err(error),
        }
    }

    async fn close(&mut self) {
        // Every command was answered, so nothing can be lost.
        let _ = tokio::time::timeout(Duration::from_secs(2), self.session.logout()).await;
    }
}

/// Encodes a folder's name for IMAP.
fn spelled(folder: &str) -> Result<String, MailError> {
    if folder.chars().any(char::is_control) || folder.chars().count() > 500 {
        return Err(MailError::Argument { what: "The name of a folder", most: 500 });
    }
    Ok(utf7::encode(folder))
}

/// Maps a refusal to open a folder.
fn no_folder(error: MailError, folder: &str) -> MailError {
    match error {
        MailError::Refused { .. } => MailError::NoFolder { folder: visible_line(folder, LINE) },
        error => error,
    }
}

async fn in_time<T>(step: impl Future<Output = Result<T, Error>>) -> Result<T, MailError> {
    in_time_of(PATIENCE, step).await
}

async fn in_time_of<T>(
    after: Duration,
    step: impl Future<Output = Result<T, Error>>,
) -> Result<T, MailError> {
    match tokio::time::timeout(after, step).await {
        Ok(done) => done.map_err(failed),
        Err(_) => Err(MailError::TooSlow { after }),
    }
}

fn failed(error: Error) -> MailError {
    match error {
        Error::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<TooMuch>()) => {
            MailError::Flood { most: MOST_BYTES }
        }
        // Only the structure of a message nests lists.
        Error::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<TooDeep>()) => {
            MessageError::Unreadable.into()
        }
        Error::Io(error) if error.kind() == std::io::ErrorKind::Other => MailError::Invalid,
        Error::Io(_) | Error::ConnectionLost => MailError::Closed,
        Error::No(said) | Error::Bad(said) => MailError::Refused { said: visible_line(&said, LINE) },
        Error::Append => MailError::Refused { said: "it does not take the message".into() },
        Error::Validate(_) => MailError::Argument { what: "The user or the password", most: 1_000 },
        _ => MailError::Invalid,
    }
}
