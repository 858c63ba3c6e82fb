use std::path::Path;
use std::sync::Arc;

use nova_mail::{Envelope, MailError, MessageId, Part, PartKind, is_program, media_type_of};
use nova_skill::{
    ATTACHMENTS, Attached, BINARY_ATTACHMENTS, Description, Detail, Effect, JsonSchema, MAX_FILE_BYTES,
    NativeTool, NoteScope, OpenFolder, Output, ToolContext, ToolError, ToolOutput, Value, async_trait, json,
    schemars,
};
use serde::Deserialize;

use crate::accounts::{hosts, message, unavailable};
use crate::bodies;
use crate::opened::{Opened, told};
use crate::outgoing::{media_type, size};
use crate::row::people;

pub(crate) struct SaveAttachment;

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-help" = "Saves an attachment as a file."))]
pub(crate) struct Which {
    /// The id of the message, as mail.list or mail.search returns it.
    id: String,
    /// The attachment, as mail.read names it.
    name: String,
    /// Which of several of that name, from 1.
    number: Option<usize>,
    /// A folder of the vault, or `NAME/…` of a folder that is open for writing; without one, where Obsidian
    /// puts attachments.
    to: Option<String>,
    /// Its mailbox, by name.
    mailbox: Option<String>,
}

#[async_trait]
impl NativeTool for SaveAttachment {
    type Args = Which;
    const ID: &'static str = "save_attachment";
    const EFFECT: Effect = Effect::Write;
    const SCOPE: NoteScope = NoteScope::Anywhere;
    const FENCED: bool = true;
    const OPTIONAL_CREDENTIALS: &'static [&'static str] = &["mail"];

    fn description(&self) -> Description {
        Description::purpose(
            "Saves an attachment of a mail as a file of the vault or of an open folder, under a name that is free.",
        )
        .use_when("the user wants an attachment kept, or a file of a mail used by another tool")
        .not_when("a text is to become a file", "vault.add_attachment")
        .example("Save the PDF from Fernhill's mail to my vault")
    }

    fn hosts(&self, args: &Value, config: &Value) -> Option<Vec<String>> {
        Some(hosts(config, args))
    }

    fn unavailable(&self, config: &Value) -> Option<String> {
        unavailable(config)
    }

    async fn run(&self, which: Which, ctx: Arc<dyn ToolContext>) -> Result<ToolOutput, ToolError> {
        let (account, id) = message(ctx.config(), &which.id, which.mailbox.as_deref())?;
        let target = Target::of(ctx.as_ref(), which.to.as_deref()).await?;
        let mut opened = Opened::new(ctx.as_ref(), account.clone()).await?;
        let fetched = fetched(&mut opened, &id, &which).await;
        opened.close().await;
        let Fetched { envelope, part, name, bytes } = fetched?;
        if is_program(&bytes) {
            return Err(ToolError::failed(
                format!("{} is a program, whatever its name says. Nova does not save it.", part.name),
                "Do not open it unless you expected it.",
            ));
        }
        let (kind, bytes_saved) = (type_line(&part, &bytes), bytes.len());
        let mut value = json!({"bytes": bytes_saved, "type": part.media_type});
        let path = match target {
            Target::Vault(folder) => {
                let Attached { path, link } = ctx.vault().attach_file(&folder, &name, bytes).await?;
                value["link"] = link.into();
                path.to_string()
            }
            Target::Files(folder) => ctx.files().attach_file(&folder, &name, bytes).await?,
        };
        value["path"] = path.clone().into();
        let details = [
            Detail::new("File", part.name.clone()).noted(size(bytes_saved)),
            kind,
            Detail::new("From", people(&envelope.from)).noted(envelope.subject.clone()),
            Detail::new("To", path),
        ];
        Ok(Output::new(value).details(details).untrusted().into())
    }
}

/// The folder of the file.
enum Target {
    /// Relative to the vault; empty for the vault itself.
    Vault(String),
    /// As the tools for files name it.
    Files(String),
}

impl Target {
    /// An open folder takes precedence over one of the vault with its name, which is `vault/NAME`.
    async fn of(ctx: &dyn ToolContext, to: Option<&str>) -> Result<Self, ToolError> {
        let Some(to) = to.map(str::trim).filter(|to| !to.is_empty()) else {
            let folder = ctx.vault().obsidian().await?.attachment_folder("").map_err(|error| {
                ToolError::failed(
                    format!("Obsidian's attachment folder cannot be used: {error}."),
                    "Name one in `to`.",
                )
            })?;
            return Ok(Self::Vault(folder));
        };
        let names = |folder: &OpenFolder| {
            to.split('/').next() == Some(folder.name.as_str()) || Path::new(to).starts_with(&folder.path)
        };
        if ctx.files().folders().await?.iter().any(names) {
            return Ok(Self::Files(to.trim_end_matches('/').to_owned()));
        }
        let below = to.strip_prefix("vault").filter(|below| below.is_empty() || below.starts_with('/'));
        Ok(Self::Vault(below.unwrap_or(to).trim_matches('/').to_owned()))
    }
}

struct Fetched {
    envelope: Envelope,
    part: Part,
    /// Its file name on disk.
    name: String,
    bytes: Vec<u8>,
}

/// Fetches a part only if it may be saved.
async fn fetched(opened: &mut Opened, id: &MessageId, which: &Which) -> Result<Fetched, ToolError> {
    let account = opened.account.clone();
    let failed = |error: MailError| told(&account, &error);
    let fetched = bodies::fetch(opened, id).await.map_err(failed)?;
    let mut mail = fetched.read(&[]).map_err(|error| failed(error.into()))?;
    let at = place_of(&mail.parts, which)?;
    let name = saved_name(&mail.parts[at])?;
    let bytes = opened.mailbox.fetch_part(id, &fetched, at, MAX_FILE_BYTES).await.map_err(failed)?;
    Ok(Fetched { envelope: mail.envelope, part: mail.parts.swap_remove(at), name, bytes })
}

/// The index of the chosen part in the message.
fn place_of(parts: &[Part], which: &Which) -> Result<usize, ToolError> {
    let named: Vec<usize> = (0..parts.len()).filter(|at| parts[*at].name == which.name.trim()).collect();
    match (named.as_slice(), which.number) {
        ([], _) => Err(ToolError::NotFound {
            kind: "attachment".into(),
            name: which.name.clone(),
            nearest: parts.iter().map(|part| part.name.clone()).collect(),
        }),
        ([one], None | Some(1)) => Ok(*one),
        (several, number) => number.and_then(|n| several.get(n.checked_sub(1)?)).copied().ok_or_else(|| {
            ToolError::InvalidArguments {
                path: "/number".into(),
                rule: "must say which of the attachments of that name, in the order of mail.read".into(),
                allowed: (1..=several.len()).map(|n| n.to_string()).collect(),
            }
        }),
    }
}

/// The file's name; rejects notes and types that a system runs when they are opened.
fn saved_name(part: &Part) -> Result<String, ToolError> {
    let is_named = |ending: &str| part.name.to_lowercase().ends_with(ending);
    if part.kind == PartKind::Message && !is_named(".eml") {
        // It is listed by its subject.
        return Ok(format!("{}.eml", part.name));
    }
    let ending = part.name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
    let is_known = |known: &[&str]| known.contains(&ending.as_str());
    if is_known(&ATTACHMENTS) || is_known(&BINARY_ATTACHMENTS) {
        return Ok(part.name.clone());
    }
    if part.kind == PartKind::Tnef {
        return Err(ToolError::failed(
            format!("{} is an Outlook container that hides its content.", part.name),
            "Open the mail in Outlook.",
        ));
    }
    Err(match ending.as_str() {
        "md" | "base" | "canvas" => ToolError::failed(
            format!("{} would become a note. Nova creates no notes from attachments.", part.name),
            "Open the mail in a mail program, read the file, and create the note yourself.",
        ),
        "" => {
            ToolError::failed(format!("{} has no file extension.", part.name), "Save it with a mail program.")
        }
        ending => ToolError::failed(
            format!("Nova saves no file that ends in .{ending}: it may run when it is opened."),
            "Save it with a mail program where you trust its sender.",
        ),
    })
}

/// The sender's type and the type by its first bytes, with a warning if they differ.
fn type_line(part: &Part, bytes: &[u8]) -> Detail {
    let line = Detail::new("Type", format!("{}, says the sender", part.media_type));
    let expected = media_type(&part.name);
    match media_type_of(bytes) {
        None => line,
        Some(found) if found == expected || found == part.media_type => {
            line.noted(format!("{found} by its bytes"))
        }
        // Office documents are archives.
        Some("application/zip") if expected.starts_with("application/vnd.") => {
            line.noted("an archive by its bytes")
        }
        Some(found) => line.warned(format!("{found} by its bytes")),
    }
}
