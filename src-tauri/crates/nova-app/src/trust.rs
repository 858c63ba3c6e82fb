use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use nova_calls::{Approval, Approved, Standing, ToolContent, ToolFace};
use nova_protocol::{ConfigProblemView, ErrorCode, UserError};
use nova_provider::key_variable;
use nova_registry::{AgreedSkills, canonical, shown_name};
use serde::{Deserialize, Serialize};

/// The user's agreements, in `<data>/trust.json`. Unknown keys of newer versions are retained.
pub(crate) struct Trust {
    file: PathBuf,
    /// The user was told that the file is unreadable: the next agreement may start a new one.
    reported: AtomicBool,
}

/// `trust.json` could not be read or written; nothing was changed.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct TrustError(#[from] std::io::Error);

impl From<TrustError> for UserError {
    fn from(error: TrustError) -> Self {
        Self::new(
            ErrorCode::Io,
            format!("Your agreements cannot be saved: {error}."),
            "Make the data folder writable, then try again.",
        )
    }
}

type Rest = serde_json::Map<String, serde_json::Value>;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Record {
    /// Provider id → the agreed host. Other hosts are not agreed to.
    providers: BTreeMap<String, String>,
    /// Provider id → the fingerprint of its kind and URL at the time of the agreement, to which the key in
    /// its environment variable is bound. It outlives the agreement.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    addresses: BTreeMap<String, String>,
    /// Provider id of a local server → the hosts to which it may forward notes.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    passed_on: BTreeMap<String, BTreeSet<String>>,
    /// `skill.tool` → the last approved content. Others are not approved.
    tools: BTreeMap<String, ApprovedTool>,
    /// Canonical id of a third-party skill → the agreed version. Nothing else of it is used.
    skills: BTreeMap<String, AgreedSkill>,
    /// Name of an MCP server → the fingerprint of the agreed configuration.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    mcp_servers: BTreeMap<String, String>,
    /// Time of each of these agreements, RFC 3339.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    mcp_agreed_at: BTreeMap<String, String>,
    /// Whether TypeScript tools may run unconfined on systems without confinement; `None` until the user was
    /// asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    unconfined: Option<bool>,
    #[serde(flatten)]
    rest: Rest,
}

/// The agreed version of a third-party skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AgreedSkill {
    /// Hash of all its files.
    pub(crate) fingerprint: String,
    /// Path → hash, to report changes later.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    #[serde(flatten)]
    pub(crate) rest: Rest,
}

/// Approval of a third-party tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ApprovedTool {
    definition: String,
    /// For every call, not only the first.
    #[serde(default)]
    pub(crate) always: bool,
    /// Not approved by the user, but recorded when the tool was first seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unasked: bool,
    /// Its presentation at that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    face: Option<KeptFace>,
    /// Hosts that every call may contact, in addition to declared ones.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) hosts: BTreeSet<String>,
    #[serde(flatten)]
    rest: Rest,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptFace {
    #[serde(flatten)]
    face: ToolFace,
    #[serde(flatten)]
    rest: Rest,
}

impl Trust {
    pub(crate) fn new(data: &Path) -> Self {
        Self { file: data.join("trust.json"), reported: AtomicBool::new(false) }
    }

    /// Why the file is unreadable, and what will happen to it. Callers must show it to the user.
    pub(crate) fn problem(&self) -> Option<ConfigProblemView> {
        let error = self.try_read().err()?;
        let is_broken = error.kind() == ErrorKind::InvalidData;
        self.reported.store(is_broken, Ordering::SeqCst);
        let remedy = if is_broken {
            "Correct it and restart Nova. Until then agreements go to a new file, and this one is kept with \
             the ending .broken."
        } else {
            "Make it readable and writable."
        };
        Some(ConfigProblemView {
            file: self.file.display().to_string(),
            line: error
                .get_ref()
                .and_then(|inner| inner.downcast_ref::<serde_json::Error>())
                .and_then(|error| u32::try_from(error.line()).ok().filter(|line| *line > 0)),
            message: format!(
                "Your agreements cannot be read, so none is in force: {}: {error}. {remedy}",
                self.file.display()
            ),
        })
    }

    /// `address` is a fingerprint of the provider's kind and URL. Agreements of older versions cover the host
    /// only.
    pub(crate) fn agrees(&self, provider: &str, host: &str, address: &str) -> bool {
        let record = self.read();
        record.providers.get(provider).is_some_and(|agreed| agreed == host)
            && record.is_bound(provider, address)
    }

    pub(crate) fn agree(&self, provider: &str, host: &str, address: &str) -> Result<(), TrustError> {
        self.change(|record| {
            record.providers.insert(provider.to_owned(), host.to_owned());
            record.addresses.insert(provider.to_owned(), address.to_owned());
        })
    }

    /// Whether the provider's key may be sent to this URL. Never if the file is unreadable.
    pub(crate) fn is_bound(&self, provider: &str, address: &str) -> bool {
        self.try_read().is_ok_and(|record| record.is_bound(provider, address))
    }

    /// Binds a key to this URL if it was bound to another one; an unbound key stays unbound.
    pub(crate) fn rebind(&self, provider: &str, address: &str) -> Result<(), TrustError> {
        if self.is_bound(provider, address) {
            return Ok(());
        }
        self.change(|record| {
            record.addresses.insert(provider.to_owned(), address.to_owned());
        })
    }

    /// Whether the local server with this provider id may forward notes to the host.
    pub(crate) fn agrees_to_pass_on(&self, provider: &str, host: &str) -> bool {
        self.read().passed_on.get(provider).is_some_and(|hosts| hosts.contains(host))
    }

    pub(crate) fn agree_to_pass_on(
        &self,
        provider: &str,
        hosts: &BTreeSet<String>,
    ) -> Result<(), TrustError> {
        self.change(|record| {
            record.passed_on.entry(provider.to_owned()).or_default().extend(hosts.iter().cloned());
        })
    }

    /// Revokes the agreement for one host, or all of the provider's.
    pub(crate) fn revoke(&self, provider: &str, host: Option<&str>) -> Result<(), TrustError> {
        self.change(|record| {
            let Some(host) = host else {
                record.providers.remove(provider);
                record.passed_on.remove(provider);
                return;
            };
            if record.providers.get(provider).is_some_and(|agreed| agreed == host) {
                record.providers.remove(provider);
            }
            if let Some(hosts) = record.passed_on.get_mut(provider) {
                hosts.remove(host);
            }
            record.passed_on.retain(|_, hosts| !hosts.is_empty());
        })
    }

    pub(crate) fn unconfined(&self) -> Option<bool> {
        self.read().unconfined
    }

    pub(crate) fn answer_unconfined(&self, allowed: bool) -> Result<(), TrustError> {
        self.change(|record| record.unconfined = Some(allowed))
    }

    pub(crate) fn agreed_server(&self, server: &str) -> Option<String> {
        self.read().mcp_servers.remove(server)
    }

    /// Time of the agreement to a server, RFC 3339.
    pub(crate) fn agreed_to_server_at(&self, server: &str) -> Option<String> {
        self.read().mcp_agreed_at.remove(server)
    }

    pub(crate) fn agree_to_server(
        &self,
        server: &str,
        fingerprint: &str,
        at: &str,
    ) -> Result<(), TrustError> {
        self.change(|record| {
            // Approving a changed tool is not a new agreement to its server.
            if record.mcp_servers.insert(server.to_owned(), fingerprint.to_owned()).as_deref()
                != Some(fingerprint)
            {
                record.mcp_agreed_at.insert(server.to_owned(), at.to_owned());
            }
        })
    }

    pub(crate) fn forget_server(&self, server: &str) -> Result<(), TrustError> {
        if self.agreed_server(server).is_none() {
            return Ok(());
        }
        self.change(|record| {
            record.mcp_servers.remove(server);
            record.mcp_agreed_at.remove(server);
        })
    }

    pub(crate) fn agreed_skill(&self, skill: &str) -> Option<AgreedSkill> {
        self.read().skills.remove(&canonical(skill))
    }

    /// Removes earlier approvals of its tools, which were for other files.
    pub(crate) fn agree_to_skill(&self, skill: &str, agreed: &AgreedSkill) -> Result<(), TrustError> {
        let id = canonical(skill);
        self.change(|record| {
            let before = record.skills.remove(&id).filter(|before| before.is_like(agreed));
            let is_other = before.is_none();
            record.skills.insert(id.clone(), before.unwrap_or_else(|| agreed.clone()));
            let of_skill = |tool: &str| tool.split_once('.').is_some_and(|(skill, _)| canonical(skill) == id);
            record.tools.retain(|tool, _| !(is_other && of_skill(tool)));
        })
    }

    /// Approvals by the user, with the name at that time, `skill.tool`.
    pub(crate) fn approved_tools(&self) -> Vec<(String, ApprovedTool)> {
        let tools = self.read().tools.into_iter().filter(|(_, tool)| !tool.unasked);
        tools
            .map(|(name, tool)| (tool.face.as_ref().map_or(name, |kept| kept.face.name.clone()), tool))
            .collect()
    }

    /// Records tools that are accepted until they change. Known tools are not modified.
    pub(crate) fn first_sights(&self, seen: &[(ToolContent, ToolFace)]) -> Result<(), TrustError> {
        // This is not an agreement, so a broken file is left alone.
        let known = self.try_read()?.tools;
        let is_new = |content: &ToolContent| {
            !known.contains_key(&canonical_name(content))
                && !known.contains_key(&shown_name(&content.skill, &content.tool))
        };
        let new: Vec<_> = seen.iter().filter(|(content, _)| is_new(content)).collect();
        if new.is_empty() {
            return Ok(());
        }
        self.change(|record| {
            for (content, face) in new {
                record.tools.entry(canonical_name(content)).or_insert_with(|| ApprovedTool {
                    definition: content.definition.clone(),
                    always: false,
                    unasked: true,
                    face: Some(KeptFace::of(face)),
                    hosts: BTreeSet::new(),
                    rest: Rest::new(),
                });
            }
        })
    }

    /// Removes the approval, so that the next call asks as the first one did. Returns whether there was one.
    pub(crate) fn forget_tool(&self, name: &str) -> Result<bool, TrustError> {
        let wanted = canonical(name);
        let mut found = false;
        self.change(|record| {
            record.tools.retain(|name, _| {
                canonical(name) != wanted || {
                    found = true;
                    false
                }
            });
        })?;
        Ok(found)
    }

    /// Removes the permission for a host, so that the next request asks. Returns whether there was one.
    pub(crate) fn forget_host(&self, name: &str, host: &str) -> Result<bool, TrustError> {
        let wanted = canonical(name);
        let mut found = false;
        self.change(|record| {
            for (name, tool) in &mut record.tools {
                found |= canonical(name) == wanted && tool.hosts.remove(host);
            }
        })?;
        Ok(found)
    }

    /// An unreadable file counts as empty.
    fn read(&self) -> Record {
        self.try_read().unwrap_or_default()
    }

    fn try_read(&self) -> std::io::Result<Record> {
        match nova_files::read(&self.file) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| std::io::Error::new(ErrorKind::InvalidData, error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Record::default()),
            Err(error) => Err(error),
        }
    }

    /// Edits the file. An unreadable one is never overwritten: once the user knows about it, it is copied to
    /// another name first.
    fn change(&self, edit: impl FnOnce(&mut Record)) -> Result<(), TrustError> {
        Ok(crate::own_files::change(&self.file, std::convert::identity, || {
            let mut record = match self.try_read() {
                Ok(record) => record,
                Err(error) if error.kind() == ErrorKind::InvalidData => {
                    if !self.reported.load(Ordering::SeqCst) {
                        let message = format!(
                            "{} is broken ({error}); correct it, or restart Nova to begin a new one",
                            self.file.display()
                        );
                        return Err(std::io::Error::new(ErrorKind::InvalidData, message));
                    }
                    let kept = self.keep_broken()?;
                    tracing::warn!(backup = %kept.display(), "trust record is unreadable; starting a new one");
                    Record::default()
                }
                Err(error) => return Err(error),
            };
            edit(&mut record);
            let mut bytes = serde_json::to_vec_pretty(&record)?;
            bytes.push(b'\n');
            Ok((bytes, ()))
        })?)
    }

    /// Copies the file to an unused name beside it.
    fn keep_broken(&self) -> std::io::Result<PathBuf> {
        let bytes = nova_files::read(&self.file)?;
        for number in 1_u32.. {
            let end = if number == 1 { "broken".to_owned() } else { format!("{number}.broken") };
            let kept = self.file.with_extension(format!("json.{end}"));
            match crate::own_files::create(&kept, &bytes) {
                Ok(()) => return Ok(kept),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }
}

impl AgreedSkill {
    fn is_like(&self, other: &Self) -> bool {
        (&self.fingerprint, &self.files) == (&other.fingerprint, &other.files)
    }
}

impl KeptFace {
    fn of(face: &ToolFace) -> Self {
        Self { face: face.clone(), rest: Rest::new() }
    }
}

impl Record {
    fn is_bound(&self, provider: &str, address: &str) -> bool {
        if let Some(bound) = self.addresses.get(provider) {
            return bound == address;
        }
        // Ids such as `far-x` and `far_x` share one environment variable, and with it one key.
        let variable = key_variable(provider);
        let mut others = self.addresses.iter().filter(|(id, _)| key_variable(id) == variable).peekable();
        others.peek().is_none() || others.any(|(_, bound)| bound == address)
    }

    /// Removes and returns the entry of the tool. Older files use the uncanonicalised name.
    fn take(&mut self, content: &ToolContent) -> Option<ApprovedTool> {
        let canonical = self.tools.remove(&canonical_name(content));
        let spelled = self.tools.remove(&shown_name(&content.skill, &content.tool));
        canonical.or(spelled)
    }
}

impl AgreedSkills for Trust {
    fn fingerprint(&self, skill: &str) -> Option<String> {
        self.agreed_skill(skill).map(|agreed| agreed.fingerprint)
    }
}

impl Approved for Trust {
    fn standing(&self, content: &ToolContent) -> Standing {
        match self.read().take(content) {
            None => Standing::Unknown,
            Some(approved) if approved.definition != content.definition => {
                Standing::Changed(approved.face.map(|kept| Box::new(kept.face)))
            }
            Some(ApprovedTool { always: true, .. }) => Standing::This(Approval::Always),
            Some(_) => Standing::This(Approval::Seen),
        }
    }

    fn keep(&self, content: &ToolContent, approval: Approval, face: &ToolFace) -> Result<(), String> {
        self.change(|record| {
            let before = record.take(content).filter(|before| before.definition == content.definition);
            // Permissions of a different content are dropped.
            let (hosts, rest) = before.map(|before| (before.hosts, before.rest)).unwrap_or_default();
            let approved = ApprovedTool {
                definition: content.definition.clone(),
                always: approval == Approval::Always,
                unasked: false,
                face: Some(KeptFace::of(face)),
                hosts,
                rest,
            };
            record.tools.insert(canonical_name(content), approved);
        })
        .map_err(|error| error.to_string())
    }

    fn covers_host(&self, content: &ToolContent, host: &str) -> bool {
        let approved = self.read().take(content);
        approved.is_some_and(|known| known.definition == content.definition && known.hosts.contains(host))
    }

    fn keep_host(&self, content: &ToolContent, host: &str) -> Result<(), String> {
        let mut kept = false;
        self.change(|record| {
            if let Some(mut approved) = record.take(content) {
                if approved.definition == content.definition {
                    approved.hosts.insert(host.to_owned());
                    kept = true;
                }
                record.tools.insert(canonical_name(content), approved);
            }
        })
        .map_err(|error| error.to_string())?;
        kept.then_some(()).ok_or_else(|| "its file has changed meanwhile".to_owned())
    }
}

/// Maps different spellings to the same tool.
fn canonical_name(content: &ToolContent) -> String {
    shown_name(&canonical(&content.skill), &canonical(&content.tool))
}

#[cfg(test)]
mod tests;
