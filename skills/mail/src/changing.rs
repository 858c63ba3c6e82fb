//! Changes messages by their ids, in several mailboxes at once.

use futures::future::join_all;
use nova_mail::{Changed, MailError, Mark, MessageId, Role};
use nova_skill::serde_json::Map;
use nova_skill::{ContentHash, Detail, Output, Preview, ToolContext, ToolError, ToolOutput, Value, json};

use crate::accounts::{Account, message};
use crate::opened::{Opened, told};
use crate::row::people;

/// What to do with the messages.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// To a folder, by its name or role.
    Move(String),
    Mark(Mark),
    Archive,
    /// To the trash.
    Delete,
}

/// The messages of one mailbox.
struct Batch {
    account: Account,
    ids: Vec<MessageId>,
}

/// Changes the messages; those that stayed as they were are among the problems. `mailbox`: that of all of them, where the
/// call names it.
///
/// # Errors
/// For an invalid id or one of another mailbox, and for a read-only mailbox, before anything is changed; when nothing was changed.
pub(crate) async fn change(
    ctx: &dyn ToolContext,
    ids: &[String],
    mailbox: Option<&str>,
    change: &Change,
) -> Result<ToolOutput, ToolError> {
    let changing = batches(ctx.config(), ids, mailbox)?.into_iter().map(|batch| async move {
        let Batch { account, ids } = batch;
        let outcome = changed(ctx, &account, &ids, change).await;
        (account, outcome)
    });
    let (mut done, mut problems, mut first) = (Vec::new(), Vec::new(), None);
    for (account, outcome) in join_all(changing).await {
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
            Err(error) => {
                problems.push(problem(json!({"mailbox": account.name}), &error));
                first.get_or_insert(error);
                continue;
            }
        };
        for Changed { id, now } in outcome {
            match now {
                Ok(new) => {
                    let mut row = Map::from_iter([("id".to_owned(), account.id(&id).into())]);
                    row.extend(new.map(|new| ("new_id".to_owned(), account.id(&new).into())));
                    done.push(Value::Object(row));
                }
                Err(error) => {
                    let error = match (change, &error) {
                        (Change::Delete, MailError::AlreadyThere { .. }) => ToolError::failed(
                            "The mail is already in the trash, and nothing is deleted for good.",
                            "The user can empty the trash in a mail program.",
                        ),
                        _ => told(&account, &error),
                    };
                    problems.push(problem(json!({"id": account.id(&id)}), &error));
                    first.get_or_insert(error);
                }
            }
        }
    }
    match first {
        Some(error) if done.is_empty() => Err(error),
        None => Ok(Output::new(json!({"done": done})).into()),
        Some(_) => Ok(Output::new(json!({"done": done, "problems": problems})).into()),
    }
}

/// The card: each message by its sender and subject, and where it goes.
///
/// # Errors
/// As [`change`], and when a mailbox cannot be read.
pub(crate) async fn preview(
    ctx: &dyn ToolContext,
    ids: &[String],
    mailbox: Option<&str>,
    change: &Change,
) -> Result<Option<Preview>, ToolError> {
    let mut details = Vec::new();
    for Batch { account, ids } in batches(ctx.config(), ids, mailbox)? {
        let mut opened = Opened::new(ctx, account.clone()).await?;
        let target = target(&mut opened, change).await;
        let found = opened.mailbox.look(&ids).await.map_err(|error| told(&account, &error));
        opened.close().await;
        let (target, found) = (target?, found?);
        for id in &ids {
            let name = found.iter().find(|message| message.id == *id).map(|message| {
                let envelope = &message.envelope;
                format!("{}: {}", people(&envelope.from), envelope.subject)
            });
            let detail = Detail::new("Mail", name.unwrap_or_else(|| "no longer exists".into()));
            let place = format!("{}, {}", account.name, id.folder);
            details.push(detail.noted(match &target {
                Some(target) => format!("{place} → {target}"),
                None => place,
            }));
        }
    }
    let digest = ContentHash::of(format!("{details:?}").as_bytes()).to_string();
    Ok(Some(Preview { details, digest }))
}

/// "3 mails"
pub(crate) fn count(args: &Value) -> String {
    match args["ids"].as_array().map_or(0, Vec::len) {
        1 => "1 mail".into(),
        many => format!("{many} mails"),
    }
}

fn batches(config: &Value, ids: &[String], mailbox: Option<&str>) -> Result<Vec<Batch>, ToolError> {
    let mut batches: Vec<Batch> = Vec::new();
    for id in ids {
        let (account, id) = message(config, id, mailbox)?;
        account.check_writable()?;
        match batches.iter_mut().find(|batch| batch.account == account) {
            Some(batch) => batch.ids.push(id),
            None => batches.push(Batch { account, ids: vec![id] }),
        }
    }
    Ok(batches)
}

async fn changed(
    ctx: &dyn ToolContext,
    account: &Account,
    ids: &[MessageId],
    change: &Change,
) -> Result<Vec<Changed>, ToolError> {
    let mut opened = Opened::new(ctx, account.clone()).await?;
    let outcome = match (target(&mut opened, change).await, change) {
        (Err(error), _) => Err(error),
        (Ok(Some(folder)), _) => {
            opened.mailbox.move_to(ids, &folder).await.map_err(|error| told(account, &error))
        }
        (Ok(None), Change::Mark(mark)) => {
            opened.mailbox.mark(ids, *mark).await.map_err(|error| told(account, &error))
        }
        (Ok(None), _) => Ok(Vec::new()),
    };
    opened.close().await;
    outcome
}

/// The target folder; `None` if the messages are not moved.
async fn target(opened: &mut Opened, change: &Change) -> Result<Option<String>, ToolError> {
    let name = opened.account.name.clone();
    let (folder, missing, remedy) = match change {
        Change::Mark(_) => return Ok(None),
        Change::Move(to) => (
            opened.folder(Some(to)).await?,
            format!("{name} has no folder \"{}\".", nova_mail::visible_line(to, 100)),
            "Call mail.folders for the names of the folders.",
        ),
        Change::Archive => (
            match opened.with_role(Role::Archive).await? {
                Some(archive) => Some(archive),
                None => opened.with_role(Role::All).await?,
            },
            format!("{name} has no archive."),
            "Move the messages with mail.move to one of its folders.",
        ),
        Change::Delete => (
            opened.with_role(Role::Trash).await?,
            format!("{name} has no trash, and nothing is deleted for good."),
            "Move the messages with mail.move, or delete them in a mail program.",
        ),
    };
    folder.map(Some).ok_or_else(|| ToolError::failed(missing, remedy))
}

fn problem(mut of: Value, error: &ToolError) -> Value {
    of["problem"] = error.to_string().into();
    of["remedy"] = error.hint().into();
    of
}
