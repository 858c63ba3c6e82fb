//! Sends a mail once, whatever happens in between.
//!
//! Before the message is handed over, its Message-ID is on disk and its text among the drafts. A send that got no
//! answer, because the connection broke or Nova ended, is looked up in Sent by that id; if it is not found, it is not
//! sent again automatically, as the server may have accepted it.

use std::time::Duration;

use nova_mail::{Appended, MessageId, Outbox, Role, SendError, SignIn, Smtp};
use nova_skill::jiff::Timestamp;
use nova_skill::{ContentHash, ToolContext, ToolError, Value, json};

use crate::accounts::Account;
use crate::connection::to_smtp;
use crate::noted::{self, Note, noted, sent_already};
use crate::opened::{Opened, told};
use crate::outgoing::Outgoing;
use crate::proof::{lapsed, proof, renewed};
use crate::row::minute;

/// How long Sent is searched for a mail whose sending ended without an answer.
const SEARCHING: Duration = Duration::from_secs(20);

/// Sends it; what it replaces is removed once it is in Sent.
///
/// # Errors
/// If it was not sent, with the reason; if it is unknown whether it was.
pub(crate) async fn send(ctx: &dyn ToolContext, outgoing: &Outgoing) -> Result<Value, ToolError> {
    let digest = outgoing.digest();
    let account = &outgoing.account;
    let mut mailbox = Opened::new(ctx, account.clone()).await?;
    let sent = mailbox.with_role(Role::Sent).await?;
    let before = noted(ctx, &digest).await?;
    let mut is_meant = false;
    if let Some(note) = before.as_ref().filter(|note| !note.is_over(ctx)) {
        let searched = search(ctx, &mut mailbox, sent.as_deref(), &note.message_id).await;
        if note.sent || searched == Searched::Found {
            let is_found = searched == Searched::Found;
            let done = finish(ctx, outgoing, &digest, note.clone(), &mut mailbox, sent, is_found).await;
            mailbox.close().await;
            let mut done = done?;
            if note.is_complete() {
                return Err(sent_already(ctx, note));
            }
            if note.sent {
                done["note"] = "The same mail was sent before, and is not sent again.".into();
            }
            return Ok(done);
        }
        // The user has seen its draft and wants it sent.
        is_meant = outgoing.replaced.as_ref().is_some_and(|old| note.draft.as_ref() == Some(&old.said));
        if !is_meant {
            mailbox.close().await;
            return Err(unknown(ctx, account, note, sent.as_deref(), &searched));
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
    // From here on another call with the same mail finds the record.
    if !noted::note(ctx.store(), &digest, Some(before.as_ref()), Some(&note), at).await? {
        smtp.close().await;
        remove(&mut mailbox, note.draft.as_deref()).await;
        mailbox.close().await;
        return Err(ToolError::failed(
            "Nothing was sent: another call is sending the same mail.",
            "Wait for that call.",
        ));
    }
    let message = outgoing.draft.message(&note.message_id, at, false);
    let mut is_found = false;
    match smtp.deliver(&message).await {
        Ok(()) => {}
        Err(SendError::Unknown) => {
            let searched = search(ctx, &mut mailbox, sent.as_deref(), &note.message_id).await;
            is_found = searched == Searched::Found;
            if !is_found {
                // Of two drafts of the same mail, the user decides about the newer one.
                if let (Some(old), true, true) = (&outgoing.replaced, is_meant, note.draft.is_some()) {
                    let _ = mailbox.mailbox.remove_draft(&old.id).await;
                }
                mailbox.close().await;
                return Err(unknown(ctx, account, &note, sent.as_deref(), &searched));
            }
        }
        // The server refused it: all is as before, and the new draft is not needed.
        Err(error) => {
            noted::note(ctx.store(), &digest, None, before.as_ref(), at).await?;
            remove(&mut mailbox, note.draft.as_deref()).await;
            mailbox.close().await;
            return Err(not_sent(account, &error));
        }
    }
    smtp.close().await;
    let done = finish(ctx, outgoing, &digest, note, &mut mailbox, sent, is_found).await;
    mailbox.close().await;
    done
}

/// What a search of Sent for a mail found.
#[derive(Debug, PartialEq, Eq)]
enum Searched {
    Found,
    Missing,
    /// The mailbox has no folder for it.
    NoSent,
    /// Why it could not be searched.
    Failed(String),
}

async fn search(
    ctx: &dyn ToolContext,
    mailbox: &mut Opened,
    sent: Option<&str>,
    message_id: &str,
) -> Searched {
    let Some(sent) = sent else { return Searched::NoSent };
    let searching = async {
        if let Ok(found) = mailbox.mailbox.find(sent, message_id).await {
            return Ok(found);
        }
        // The connection may have ended while the other server took its time.
        *mailbox = Opened::new(ctx, mailbox.account.clone()).await?;
        mailbox.mailbox.find(sent, message_id).await.map_err(|error| told(&mailbox.account, &error))
    };
    match tokio::time::timeout(SEARCHING, searching).await {
        Ok(Ok(Some(_))) => Searched::Found,
        Ok(Ok(None)) => Searched::Missing,
        Ok(Err(error)) => Searched::Failed(error.to_string()),
        Err(_) => Searched::Failed(format!("It did not answer in {} s.", SEARCHING.as_secs())),
    }
}

/// Records that it was sent, adds the copy to Sent if it is missing, and then removes its drafts: without the
/// copy they are all that its sender has.
async fn finish(
    ctx: &dyn ToolContext,
    outgoing: &Outgoing,
    digest: &str,
    mut note: Note,
    mailbox: &mut Opened,
    sent: Option<String>,
    is_found: bool,
) -> Result<Value, ToolError> {
    note.sent = true;
    note.copied |= is_found || outgoing.account.files_sent_itself();
    noted::note(ctx.store(), digest, None, Some(&note), ctx.clock().now()).await?;
    let mut problem = None;
    match (&sent, note.copied) {
        (_, true) => {}
        (None, false) => problem = Some(format!("{} has no folder for it.", outgoing.account.name)),
        (Some(sent), false) => {
            let copy = outgoing.draft.message(&note.message_id, note.at, true);
            match mailbox.mailbox.append(sent, &copy, Appended::Sent).await {
                Ok(_) => note.copied = true,
                Err(error) => problem = Some(told(&outgoing.account, &error).to_string()),
            }
        }
    }
    if note.copied {
        remove(mailbox, note.draft.take().as_deref()).await;
        if let Some(old) = &outgoing.replaced {
            // One that no longer exists is removed, too.
            let _ = mailbox.mailbox.remove_draft(&old.id).await;
        }
    }
    noted::note(ctx.store(), digest, None, Some(&note), ctx.clock().now()).await?;
    let mut done = json!({
        "sent": minute(ctx, note.at), "message_id": note.message_id, "copy": sent.filter(|_| note.copied),
    });
    if let Some(problem) = problem {
        let kept = note.draft.as_ref().or(outgoing.replaced.as_ref().map(|old| &old.said));
        let kept = kept.map_or_else(String::new, |draft| format!(" It is kept as the draft {draft}."));
        done["problem"] = format!(
            "It was sent, and no copy was put into Sent: {problem}{kept} The same call again does not send it, and puts the \
             copy into Sent."
        )
        .into();
    }
    Ok(done)
}

/// Saves the mail as a draft, so that it is not lost whatever happens; `None` if the mailbox accepts none.
async fn keep(
    outgoing: &Outgoing,
    mailbox: &mut Opened,
    at: Timestamp,
    message_id: &str,
) -> Option<MessageId> {
    let drafts = mailbox.with_role(Role::Drafts).await.ok()??;
    // With its own id: some servers treat two messages with one id as the same.
    let message = outgoing.draft.message(&format!("draft.{message_id}"), at, true);
    mailbox.mailbox.append(&drafts, &message, Appended::Draft).await.ok()?
}

async fn remove(mailbox: &mut Opened, draft: Option<&str>) {
    let id =
        draft.and_then(|draft| draft.strip_prefix(&mailbox.account.name)?.strip_prefix('/')?.parse().ok());
    if let Some(id) = id {
        // An extra draft does no harm.
        let _ = mailbox.mailbox.remove_draft(&id).await;
    }
}

/// A unique id, without the name of this machine.
fn message_id(ctx: &dyn ToolContext, digest: &str, at: Timestamp, outgoing: &Outgoing) -> String {
    let request = ctx.request();
    let unique = format!("{}\n{}\n{at:?}\n{digest}", request.session, request.call);
    let hash = ContentHash::of(unique.as_bytes()).to_string();
    let hash: String = hash.chars().filter(char::is_ascii_alphanumeric).take(32).collect();
    let domain = outgoing.draft.from.address.rsplit('@').next().filter(|domain| domain.is_ascii());
    format!("{hash}@{}", domain.unwrap_or("mail.invalid"))
}

/// A signed-in connection.
async fn connect(ctx: &dyn ToolContext, account: &Account) -> Result<Smtp, ToolError> {
    let who = proof(ctx, account).await?;
    let mut signed_in = sign_in(ctx, account, &who).await?;
    if matches!(signed_in, Err(SendError::Token { .. })) {
        let renewed = renewed(ctx, account, &who).await?;
        signed_in = sign_in(ctx, account, &renewed).await?;
    }
    signed_in.map_err(|error| not_sent(account, &error))
}

async fn sign_in(
    ctx: &dyn ToolContext,
    account: &Account,
    who: &SignIn,
) -> Result<Result<Smtp, SendError>, ToolError> {
    let (stream, greeted) = to_smtp(ctx.http(), account).await?;
    Ok(Smtp::sign_in(stream, greeted, who).await)
}

fn not_sent(account: &Account, error: &SendError) -> ToolError {
    match error {
        SendError::SignIn { said, .. } => ToolError::SignInRefused {
            account: account.name.clone(),
            said: said.clone(),
            remedy: format!(
                "Nothing was sent. Check the user in Settings, Skills, Mail, and set the password with: nova \
                 credential set {}. Many servers want an app password.",
                account.credential
            ),
        },
        SendError::Token { said } => lapsed(account, said),
        error => ToolError::failed(format!("{}: {error}.", account.name), error.hint()),
    }
}

fn unknown(
    ctx: &dyn ToolContext,
    account: &Account,
    note: &Note,
    sent: Option<&str>,
    searched: &Searched,
) -> ToolError {
    let sent = sent.unwrap_or("Sent");
    let looked = match searched {
        Searched::Failed(why) => format!("{sent} could not be searched for it: {why}"),
        Searched::NoSent => "The mailbox has no Sent to search for it.".into(),
        Searched::Found | Searched::Missing => format!("It is not in {sent}."),
    };
    let kept = note.draft.as_ref().map_or_else(
        || "To send it again, change its text.".to_owned(),
        |draft| {
            format!(
                "It is kept as the draft {draft}: when the user knows that it did not arrive and wants it sent \
                 again, make the same call with draft: {draft:?}."
            )
        },
    );
    ToolError::MaybeSent {
        what: format!(
            "{}: the mail was handed over on {}, and the connection ended before the server answered: it may have been \
             sent. {looked}",
            account.name,
            minute(ctx, note.at),
        ),
        remedy: format!("Tell the user, and do not send it again by yourself. {kept}"),
        draft: note.draft.clone(),
    }
}
