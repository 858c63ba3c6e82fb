//! A mail to be sent or saved as a draft, built from the arguments of a call.

use nova_mail::{Attachment, Draft, DraftError, Finding, Person};
use nova_skill::{ContentHash, Detail, NotePath, Preview, ToolContext, ToolError};

use crate::accounts::{Account, message};
use crate::bodies;
use crate::known::{Known, known};
use crate::noted::{noted, sent_already};
use crate::old_draft::OldDraft;
use crate::opened::{Opened, told};
use crate::read::warning;
use crate::row::{minute, people};

/// The recipients, subject and text that the arguments give.
#[derive(Debug, Default)]
pub(crate) struct Given {
    pub(crate) to: Vec<String>,
    pub(crate) cc: Vec<String>,
    pub(crate) bcc: Vec<String>,
    pub(crate) subject: String,
    pub(crate) text: String,
    /// Paths of files in the vault.
    pub(crate) attachments: Vec<String>,
}

/// A mail with the details of its card.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) account: Account,
    pub(crate) draft: Draft,
    /// Deleted once this one is safe.
    pub(crate) replaced: Option<OldDraft>,
    /// The sender of the message that it answers, and what was found about them.
    answered: String,
    findings: Vec<Finding>,
    /// Where the attachments come from, in order.
    origins: Vec<String>,
    /// The address of the mailing list that it goes to.
    list: Option<String>,
}

impl Outgoing {
    /// # Errors
    /// For addresses, a subject or attachments that cannot be sent.
    pub(crate) async fn new(
        ctx: &dyn ToolContext,
        account: Account,
        given: Given,
    ) -> Result<Self, ToolError> {
        let draft = Draft {
            from: sender(&account)?,
            to: addresses("/to", &given.to)?,
            cc: addresses("/cc", &given.cc)?,
            bcc: addresses("/bcc", &given.bcc)?,
            subject: given.subject.trim().to_owned(),
            text: given.text,
            attachments: attachments(ctx, &given.attachments).await?,
            references: Vec::new(),
        };
        let origins = given.attachments;
        let (answered, findings) = Default::default();
        let outgoing = Self { account, draft, replaced: None, answered, findings, origins, list: None };
        outgoing.draft.check_parts().map_err(|error| refused(&error))?;
        Ok(outgoing)
    }

    /// A reply to the message of that id; `all` also to its other recipients.
    ///
    /// # Errors
    /// As [`Outgoing::new`], and if the message cannot be read.
    pub(crate) async fn reply(
        ctx: &dyn ToolContext,
        id: &str,
        text: &str,
        all: bool,
        files: Vec<String>,
    ) -> Result<Self, ToolError> {
        let (account, id) = message(ctx.config(), id, None)?;
        let from = sender(&account)?;
        let mut opened = Opened::new(ctx, account.clone()).await?;
        let fetched = bodies::fetch(&mut opened, &id).await.map_err(|error| told(&account, &error));
        opened.close().await;
        let fetched = fetched?;
        let receiver: Vec<&str> = account.checked_by.as_deref().into_iter().collect();
        let original = fetched.read(&receiver).map_err(|error| told(&account, &error.into()))?;
        let own = [from.address.clone(), account.user.clone()];
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        let mut draft = Draft::reply(from, &original, text, all, &own).map_err(|error| refused(&error))?;
        // Addresses from a received message are validated like typed ones.
        for person in draft.recipients() {
            let typed: Result<Person, _> = person.address.parse();
            typed.map_err(|error| {
                ToolError::failed(
                    format!("Nothing was sent: the address to reply to is invalid: {error}."),
                    "Write to an address that you know with mail.send.",
                )
            })?;
        }
        draft.attachments = attachments(ctx, &files).await?;
        let mut findings = original.findings;
        findings.retain(|finding| !matches!(finding, Finding::Hidden { .. } | Finding::Runs { .. }));
        let list = fetched.list_address();
        let answered = people(&original.envelope.from);
        let outgoing = Self { account, draft, replaced: None, answered, findings, origins: files, list };
        outgoing.draft.check().map_err(|error| refused(&error))?;
        Ok(outgoing)
    }

    /// What its card shows, besides what is known of the recipients.
    fn shown(&self) -> String {
        let warnings: Vec<String> = self.findings.iter().map(warning).collect();
        ContentHash::of(format!("{}{:?}{warnings:?}", self.digest(), self.replaced).as_bytes()).to_string()
    }

    /// A digest of the mail's content and recipients, to recognise the same mail.
    pub(crate) fn digest(&self) -> String {
        let draft = &self.draft;
        let list = |people: &[Person]| people.iter().map(|person| format!("{person:?}")).collect::<Vec<_>>();
        let files = draft
            .attachments
            .iter()
            .map(|attachment| format!("{} {}", attachment.name, ContentHash::of(&attachment.bytes)));
        let all = (
            (&self.account.name, &draft.from, list(&draft.to), list(&draft.cc), list(&draft.bcc)),
            (&draft.subject, &draft.text, files.collect::<Vec<_>>(), &draft.references),
        );
        ContentHash::of(format!("{all:?}").as_bytes()).to_string()
    }

    /// The details of the card, with what is known of the recipients.
    ///
    /// # Errors
    /// If the mailbox cannot be read.
    pub(crate) async fn details(&self, ctx: &dyn ToolContext) -> Result<Vec<Detail>, ToolError> {
        let draft = &self.draft;
        let known = known(ctx, &self.account, draft.recipients()).await?;
        let mut details = vec![
            Detail::new("From", people(std::slice::from_ref(&draft.from)))
                .noted(format!("mailbox {}", self.account.name)),
        ];
        for (label, list) in [("To", &draft.to), ("Cc", &draft.cc), ("Bcc", &draft.bcc)] {
            details.extend(list.iter().map(|person| {
                let detail = Detail::new(label, people(std::slice::from_ref(person)));
                let list = self.list.as_ref();
                if list.is_some_and(|list| list.eq_ignore_ascii_case(&person.address)) {
                    return detail.warned("a mailing list: all its members read it");
                }
                let (known, is_new) = match known.get(&person.address.to_lowercase()) {
                    Some(Known::Since(text)) => (text.as_str(), false),
                    Some(Known::Never) => ("never written to before", true),
                    None => ("not checked", true),
                };
                match Finding::look_alike(&person.address) {
                    Some(look_alike) => detail.warned(format!("{known}. {}", warning(&look_alike))),
                    None if is_new => detail.warned(known),
                    None => detail.noted(known),
                }
            }));
        }
        if let Some(note) = noted(ctx, &self.digest()).await?.filter(|note| !note.is_over(ctx)) {
            let at = minute(ctx, note.at);
            details.push(Detail::new("Before", at).warned(match note.sent {
                true => "sent then; only its copy is put into Sent",
                false => "handed over then; it may have been sent",
            }));
        }
        details.extend(self.findings.iter().map(|finding| {
            let detail = Detail::new("Answers", self.answered.clone());
            match finding {
                Finding::ReplyToOther { .. } => detail.noted(warning(finding)),
                _ => detail.warned(warning(finding)),
            }
        }));
        details.push(Detail::new("Subject", draft.subject.clone()));
        details.push(Detail::new("Text", draft.text.clone()));
        details.extend(draft.attachments.iter().zip(&self.origins).map(|(attachment, origin)| {
            Detail::new("Attachment", attachment.name.clone()).noted(format!(
                "{}, {}, from {origin}",
                size(attachment.bytes.len()),
                attachment.media_type
            ))
        }));
        details.extend(self.replaced.as_ref().map(OldDraft::detail));
        Ok(details)
    }

    /// # Errors
    /// As [`Outgoing::details`].
    pub(crate) async fn preview(&self, ctx: &dyn ToolContext) -> Result<Preview, ToolError> {
        Ok(Preview { details: self.details(ctx).await?, digest: self.shown() })
    }

    /// Checks before the user is asked.
    ///
    /// # Errors
    /// If sending is off, the mail is incomplete, or the same mail was sent before.
    pub(crate) async fn check(&self, ctx: &dyn ToolContext) -> Result<(), ToolError> {
        self.account.check_sending()?;
        self.draft.check().map_err(|error| refused(&error))?;
        match noted(ctx, &self.digest()).await? {
            // The copy in Sent may be missing after a kill: running the call adds it.
            Some(note) if note.is_complete() && !note.is_over(ctx) => Err(sent_already(ctx, &note)),
            _ => Ok(()),
        }
    }

    /// Checks that it is still what the user was shown.
    ///
    /// # Errors
    /// If it is not, or nothing was shown.
    pub(crate) fn check_shown(&self, ctx: &dyn ToolContext) -> Result<(), ToolError> {
        if ctx.shown() == Some(&self.shown()) {
            return Ok(());
        }
        Err(ToolError::failed(
            "Nothing was sent: the mail is not the one that was shown, as an attachment, its draft or the mail that it \
             answers changed.",
            "Call it again, so that the user sees it as it is.",
        ))
    }
}

/// Why a mail cannot be sent.
pub(crate) fn refused(error: &DraftError) -> ToolError {
    let remedy = match error {
        DraftError::NoRecipient => "Give at least one address in to.",
        DraftError::TooManyRecipients { .. } => {
            "Send it to fewer, reply without `all`, or use a mailing list."
        }
        DraftError::Subject => "Give a subject of one line.",
        DraftError::TooLarge { .. } => "Leave out large attachments, or share them in another way.",
        DraftError::AttachmentName => "Rename the file.",
    };
    ToolError::failed(format!("Nothing was sent: {error}."), remedy)
}

fn sender(account: &Account) -> Result<Person, ToolError> {
    let address = account.address.as_deref().and_then(|address| address.parse().ok());
    address.ok_or_else(|| {
        ToolError::failed(
            format!("{} has no sender address.", account.name),
            "Set its address in Settings, Skills, Mail.",
        )
    })
}

fn addresses(path: &str, given: &[String]) -> Result<Vec<Person>, ToolError> {
    let parsed = given.iter().enumerate().map(|(at, text)| {
        text.parse().map_err(|error: nova_mail::AddressError| ToolError::InvalidArguments {
            path: format!("{path}/{at}"),
            rule: format!("must be one address: {error}"),
            allowed: Vec::new(),
        })
    });
    parsed.collect()
}

async fn attachments(ctx: &dyn ToolContext, paths: &[String]) -> Result<Vec<Attachment>, ToolError> {
    let mut files = Vec::new();
    for path in paths {
        let place: NotePath = path.parse().map_err(|_| ToolError::InvalidArguments {
            path: "/attachments".into(),
            rule: format!("must be paths of files in the vault, and {path:?} is not one"),
            allowed: Vec::new(),
        })?;
        let bytes = ctx.vault().read_file(&place).await?;
        let name = place.as_str().rsplit('/').next().unwrap_or_default().to_owned();
        files.push(Attachment { media_type: media_type(&name).to_owned(), name, bytes });
    }
    Ok(files)
}

/// By the file extension; an unknown one is bytes.
pub(crate) fn media_type(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "pdf" => "application/pdf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "txt" | "log" => "text/plain",
        "md" => "text/markdown",
        "csv" => "text/csv",
        "ics" => "text/calendar",
        "vcf" => "text/vcard",
        "json" => "application/json",
        "zip" => "application/zip",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "odt" => "application/vnd.oasis.opendocument.text",
        "ods" => "application/vnd.oasis.opendocument.spreadsheet",
        "mp3" => "audio/mpeg",
        "mp4" => "video/mp4",
        _ => "application/octet-stream",
    }
}

/// "12 KB"
pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}
