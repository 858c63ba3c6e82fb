//! Sending a mail once, whatever happens in between.
//!
//! Before the message is handed over, its Message-ID is on the disk and its text among the drafts. A send that ended
//! without an answer, by a cut connection or the end of Nova, is looked for in Sent by that id; where it is not found, it
//! is not sent again by itself, as the server may have taken it all the same.

use nova_mail::{Appended, MessageId, Outbox, Role, SendError, SignIn, Smtp, StartTlsError, start_tls};
use nova_skill::jiff::Timestamp;
use nova_skill::serde_json::Map;
use nova_skill::{
    BeforeTls, Connection, ContentHash, ToolContext, ToolError, ToolStore, Value, async_trait, json,
};

use crate::accounts::{Account, SMTP_PORT};
use crate::opened::{Opened, told};
use crate::outgoing::Outgoing;
use crate::row::minute;

/// Where what was sent is noted.
const KEY: &str = "sending";
/// How long a note stays, and how long the very same mail is not sent again, in seconds.
const NOTED: i64 = 30 * 86_400;
const NOT_AGAIN: i64 = 86_400;
/// How often a note is tried while other calls write theirs.
const TRIES: usize = 20;

/// What is known of a mail that was sent or may have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    message_id: String,
    at: Timestamp,
    /// The server said that it has it.
    sent: bool,
    /// Its copy lies in Sent.
    copied: bool,
    /// The draft that holds it, `mailbox/folder/numbers`.
    draft: Option<String>,
}

/// What is noted of a mail with this digest.
///
/// # Errors
/// When the notes cannot be read.
pub(crate) async fn noted(ctx: &dyn ToolContext, digest: &str) -> Result<Option<Note>, ToolError> {
    let notes = ctx.store().get(KEY).await?.unwrap_or_default();
    Ok(Note::read(&notes[digest]))
}

/// Why a mail that was sent is not sent again.
pub(crate) fn sent_already(ctx: &dyn ToolContext, note: &Note) -> ToolError {
    ToolError::failed(
        format!("This very mail was sent on {} already. It was not sent again.", minute(ctx, note.at)),
        "Nothing is to be done; change its text to send another one.",
    )
}

/// Sends it. `draft`: what it was before, removed when it is sent.
///
/// # Errors
/// When it was not sent, with the reason; when nobody knows whether it was.
pub(crate) async fn send(
    ctx: &dyn ToolContext,
    outgoing: &Outgoing,
    draft: Option<(String, MessageId)>,
) -> Result<Value, ToolError> {
    let digest = outgoing.digest();
    let account = &outgoing.account;
    let mut mailbox = Opened::new(ctx, account.clone()).await?;
    let sent = mailbox.with_role(Role::Sent).await?;
    let before = noted(ctx, &digest).await?;
    if let Some(note) = before.as_ref().filter(|note| !note.is_over(ctx)) {
        let found = match &sent {
            Some(sent) => {
                mailbox.mailbox.find(sent, &note.message_id).await.map_err(|error| told(account, &error))?
            }
            None => None,
        };
        if note.sent || found.is_some() {
            // The copy may be missing after a kill.
            let done =
                finish(ctx, outgoing, &digest, note.clone(), &mut mailbox, sent, found.is_some()).await;
            mailbox.close().await;
            let done = done?;
            return if note.sent { Err(sent_already(ctx, note)) } else { Ok(done) };
        }
        // The user looked at the draft of it and wants it sent.
        let is_meant = draft.as_ref().is_some_and(|(said, _)| note.draft.as_deref() == Some(said));
        if !is_meant {
            mailbox.close().await;
            return Err(unknown(ctx, account, note, sent.as_deref()));
        }
    }
    let at = ctx.clock().now();
    let message_id = message_id(ctx, &digest, at, outgoing);
    let mut smtp = connect(ctx, account).await?;
    if let Err(error) = smtp.offer(&outgoing.draft).await {
        smtp.close().await;
        mailbox.close().await;
        return Err(not_sent(account, &error));
    }
    let kept = keep(outgoing, &mut mailbox, at, &message_id).await;
    let kept = kept.map(|id| account.id(&id));
    let note = Note { message_id, at, sent: false, copied: false, draft: kept };
    // From here on another call with the same mail finds the note.
    if !write(ctx.store(), &digest, Some(before.as_ref()), Some(&note), at).await? {
        smtp.close().await;
        remove(&mut mailbox, note.draft.as_deref()).await;
        mailbox.close().await;
        return Err(ToolError::failed(
            "Nothing was sent: another call sends this very mail.",
            "Wait for that call.",
        ));
    }
    let message = outgoing.draft.message(&note.message_id, at, false);
    match smtp.deliver(&message).await {
        Ok(()) => {}
        Err(SendError::Unknown) => {
            // The newer draft is the one to decide about.
            if let (Some((_, old)), true) = (&draft, note.draft.is_some()) {
                let _ = mailbox.mailbox.remove(old).await;
            }
            mailbox.close().await;
            return Err(unknown(ctx, account, &note, sent.as_deref()));
        }
        // The server said no: the mail is as new as before, and its draft is not needed.
        Err(error) => {
            write(ctx.store(), &digest, None, None, at).await?;
            remove(&mut mailbox, note.draft.as_deref()).await;
            mailbox.close().await;
            return Err(not_sent(account, &error));
        }
    }
    smtp.close().await;
    if let Some((_, id)) = draft {
        // Also one that is gone meanwhile is not there any more.
        let _ = mailbox.mailbox.remove(&id).await;
    }
    let done = finish(ctx, outgoing, &digest, note, &mut mailbox, sent, false).await;
    mailbox.close().await;
    done
}

/// Notes that it was sent, puts the copy into Sent where it is missing, and removes the draft.
async fn finish(
    ctx: &dyn ToolContext,
    outgoing: &Outgoing,
    digest: &str,
    mut note: Note,
    mailbox: &mut Opened,
    sent: Option<String>,
    found: bool,
) -> Result<Value, ToolError> {
    note.sent = true;
    note.copied |= found;
    write(ctx.store(), digest, None, Some(&note), ctx.clock().now()).await?;
    let mut problem = None;
    if let (Some(sent), false) = (&sent, note.copied || outgoing.account.files_sent_itself()) {
        let copy = outgoing.draft.message(&note.message_id, note.at, true);
        match mailbox.mailbox.append(sent, &copy, Appended::Sent).await {
            Ok(_) => note.copied = true,
            Err(error) => problem = Some(told(&outgoing.account, &error)),
        }
    }
    remove(mailbox, note.draft.take().as_deref()).await;
    write(ctx.store(), digest, None, Some(&note), ctx.clock().now()).await?;
    let copy = sent.filter(|_| note.copied || outgoing.account.files_sent_itself());
    let mut done = json!({
        "sent": minute(ctx, note.at), "message_id": note.message_id, "copy": copy,
    });
    if let Some(problem) = problem {
        done["problem"] = format!("It was sent, and no copy was put into Sent: {problem}").into();
    }
    Ok(done)
}

/// The mail as a draft, so that it is not lost whatever happens; none where the mailbox takes none.
async fn keep(
    outgoing: &Outgoing,
    mailbox: &mut Opened,
    at: Timestamp,
    message_id: &str,
) -> Option<MessageId> {
    let drafts = mailbox.with_role(Role::Drafts).await.ok()??;
    // With an id of its own: some servers take two messages with one id for the same.
    let message = outgoing.draft.message(&format!("draft.{message_id}"), at, true);
    mailbox.mailbox.append(&drafts, &message, Appended::Draft).await.ok()?
}

async fn remove(mailbox: &mut Opened, draft: Option<&str>) {
    let id =
        draft.and_then(|draft| draft.strip_prefix(&mailbox.account.name)?.strip_prefix('/')?.parse().ok());
    if let Some(id) = id {
        // A draft too many is no harm.
        let _ = mailbox.mailbox.remove(&id).await;
    }
}

/// Unlike any other, without the name of this machine.
fn message_id(ctx: &dyn ToolContext, digest: &str, at: Timestamp, outgoing: &Outgoing) -> String {
    let request = ctx.request();
    let unique = format!("{}\n{}\n{at:?}\n{digest}", request.session, request.call);
    let hash = ContentHash::of(unique.as_bytes()).to_string();
    let hash: String = hash.chars().filter(char::is_ascii_alphanumeric).take(32).collect();
    let domain = outgoing.draft.from.address.rsplit('@').next().filter(|domain| domain.is_ascii());
    format!("{hash}@{}", domain.unwrap_or("mail.invalid"))
}

/// A connection that is signed in to, encrypted before anything else is said.
async fn connect(ctx: &dyn ToolContext, account: &Account) -> Result<Smtp, ToolError> {
    let Some((host, port)) = &account.smtp else {
        return Err(ToolError::failed(
            format!("{} has no server through which mail is sent.", account.name),
            "Set its SMTP server in Settings, Skills, Mail.",
        ));
    };
    let password = ctx.credentials().get(&account.credential).await?;
    let who = SignIn { user: account.user.clone(), password };
    let (http, port) = (ctx.http(), *port);
    let (stream, greeted) = match is_starttls(port) {
        true => (http.connect_to_configured_after(host, port, SMTP_PORT, &StartTls).await?, true),
        false => (http.connect_to_configured(host, port, SMTP_PORT).await?, false),
    };
    Smtp::sign_in(stream, greeted, &who).await.map_err(|error| not_sent(account, &error))
}

/// The port of submission (RFC 6409), and the old one of relays.
fn is_starttls(port: u16) -> bool {
    matches!(port, 25 | 587 | 2525)
}

struct StartTls;

#[async_trait]
impl BeforeTls for StartTls {
    async fn agree(&self, plain: &mut dyn Connection) -> std::io::Result<()> {
        start_tls(plain).await.map_err(|error| match error {
            StartTlsError::Io(error) => error,
            error => std::io::Error::other(error),
        })
    }
}

fn not_sent(account: &Account, error: &SendError) -> ToolError {
    let what = format!("{}: {error}.", account.name);
    match error {
        SendError::SignIn { .. } => ToolError::failed(
            what,
            format!(
                "Nothing was sent. Check the user in Settings, Skills, Mail, and set the password with: nova \
                 credential set {}. Many servers want a password made for one app.",
                account.credential
            ),
        ),
        error => ToolError::failed(what, error.hint()),
    }
}

fn unknown(ctx: &dyn ToolContext, account: &Account, note: &Note, sent: Option<&str>) -> ToolError {
    let looked =
        sent.map_or_else(|| "It has no Sent to look in.".to_owned(), |sent| format!("It is not in {sent}."));
    let kept = note.draft.as_ref().map_or_else(
        || "To send it again, change its text.".to_owned(),
        |draft| {
            format!(
                "It is kept as the draft {draft}: when the user knows that it did not arrive and wants it sent \
                 again, call mail.send with draft: {draft:?} and the same mail."
            )
        },
    );
    ToolError::failed(
        format!(
            "{}: the mail was handed over on {}, and the connection ended before the server answered: it may have been \
             sent. {looked}",
            account.name,
            minute(ctx, note.at),
        ),
        format!("Tell the user, and do not send it again by yourself. {kept}"),
    )
}

/// Sets the note of a mail, or removes it, where the one that is there is `expected`; whether it did.
async fn write(
    store: &dyn ToolStore,
    digest: &str,
    expected: Option<Option<&Note>>,
    note: Option<&Note>,
    now: Timestamp,
) -> Result<bool, ToolError> {
    for _ in 0..TRIES {
        let before = store.get(KEY).await?;
        let mut notes: Map<String, Value> =
            before.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
        let there = notes.get(digest).and_then(Note::read);
        if expected.is_some_and(|expected| expected != there.as_ref()) {
            return Ok(false);
        }
        notes.retain(|key, note| {
            let is_old = |note: Note| now.as_second() - note.at.as_second() > NOTED;
            key != digest && !Note::read(note).is_none_or(is_old)
        });
        notes.extend(note.map(|note| (digest.to_owned(), note.value())));
        if store.replace(KEY, before.as_ref(), notes.into()).await? {
            return Ok(true);
        }
    }
    Err(ToolError::failed("What is sent could not be noted.", "Try again later."))
}

impl Note {
    fn read(value: &Value) -> Option<Self> {
        Some(Self {
            message_id: value["message_id"].as_str()?.to_owned(),
            at: Timestamp::from_second(value["at"].as_i64()?).ok()?,
            sent: value["sent"].as_bool()?,
            copied: value["copied"].as_bool()?,
            draft: value["draft"].as_str().map(str::to_owned),
        })
    }

    fn value(&self) -> Value {
        json!({
            "message_id": self.message_id, "at": self.at.as_second(), "sent": self.sent,
            "copied": self.copied, "draft": self.draft,
        })
    }

    /// Whether the same mail may be sent again without further ado.
    pub(crate) fn is_over(&self, ctx: &dyn ToolContext) -> bool {
        self.sent && ctx.clock().now().as_second() - self.at.as_second() >= NOT_AGAIN
    }

    /// The server said that it has it, and its copy is made.
    pub(crate) fn is_complete(&self) -> bool {
        self.sent && self.copied
    }

    /// When it was handed over.
    pub(crate) fn at(&self) -> Timestamp {
        self.at
    }
}
