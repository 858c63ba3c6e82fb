//! Third-party skills: where they are found, their review by the user, and the agreement.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use nova_protocol::{
    ErrorCode, FileChange, ReviewState, ReviewedFile, ReviewedTool, SkillRef, SkillReview, UserError,
};
use nova_registry::{ForeignRoot, ForeignSkill, SkillEntry, ToolFile};

use crate::app::App;
use crate::blocking::blocking;
use crate::pending_tools::{definition, problem};
use crate::trust::AgreedSkill;

/// Shared skills folder, relative to the home folder and to a vault.
const SHARED: [&str; 2] = [".agents", "skills"];

impl App {
    /// Rescans for third-party skills: in the home folder, and in the open vault if the user trusts it.
    pub(crate) fn follow_foreign_skills(&self) {
        self.inner.tool_files.scan_foreign(self.foreign_roots());
    }

    fn foreign_roots(&self) -> Vec<ForeignRoot> {
        let shared = |root: &Path, behind_links| ForeignRoot {
            folder: SHARED.iter().fold(root.to_owned(), |path, part| path.join(part)),
            behind_links,
        };
        let of_home = self.places().home.as_deref().map(|home| shared(home, true));
        // Links out of a vault are not followed.
        let of_vault = self.trusted_vault().map(|vault| shared(&vault, false));
        of_home.into_iter().chain(of_vault).collect()
    }

    /// The open vault, if the user trusts it.
    fn trusted_vault(&self) -> Option<PathBuf> {
        let vault = self.vault().ok()?.root().canonicalize().ok()?;
        let trusted = self.config().trusted_vaults;
        let is_trusted = trusted.iter().any(|root| root.canonicalize().is_ok_and(|root| root == vault));
        is_trusted.then_some(vault)
    }

    /// Whether the skill on disk is the version that the user agreed to.
    pub(crate) fn agreed_to(&self, skill: &SkillEntry) -> bool {
        let agreed = self.inner.trust.agreed_skill(&skill.id);
        agreed.is_some_and(|agreed| Some(&agreed.fingerprint) == skill.fingerprint.as_ref())
    }

    /// What the user reviews. Its tools are loaded in a script process, where they can reach nothing; no
    /// other code of the skill has run before.
    pub(crate) async fn review_skill(&self, skill: SkillRef) -> Result<SkillReview, UserError> {
        let skill = self.foreign_skill(&skill.skill).await?;
        let mut tools = Vec::new();
        for file in &skill.tools {
            tools.push(self.reviewed(file).await);
        }
        let defined = || tools.iter().filter_map(|tool| tool.definition.as_ref());
        let hosts: BTreeSet<String> =
            defined().flat_map(|tool| tool.hosts.iter().chain(&tool.proposed_hosts)).cloned().collect();
        let required = skill.manifest.requires.credentials.iter().cloned();
        let credentials: BTreeSet<String> =
            defined().flat_map(|tool| tool.credentials.clone()).chain(required).collect();
        let before = self.inner.trust.agreed_skill(&skill.id);
        let files = skill.files.iter().map(|file| ReviewedFile {
            path: file.path.clone(),
            bytes: file.bytes,
            change: before.as_ref().and_then(|before| match before.files.get(&file.path) {
                None => Some(FileChange::Added),
                Some(hash) => (*hash != file.hash).then_some(FileChange::Changed),
            }),
        });
        let there: BTreeSet<&str> = skill.files.iter().map(|file| file.path.as_str()).collect();
        let removed = before.iter().flat_map(|before| before.files.keys());
        Ok(SkillReview {
            files: files.collect(),
            removed: removed.filter(|path| !there.contains(path.as_str())).cloned().collect(),
            hosts: hosts.into_iter().collect(),
            credentials: credentials.into_iter().collect(),
            tools,
            env: skill.manifest.requires.env.keys().cloned().collect(),
            state: match &before {
                None => ReviewState::New,
                Some(before) if before.fingerprint == skill.fingerprint => ReviewState::Agreed,
                Some(_) => ReviewState::Changed,
            },
            skill: skill.id,
            description: skill.skill_md.description,
            instructions: skill.skill_md.instructions,
            allowed_tools: skill.skill_md.allowed_tools,
            folder: self.places().shown(&skill.folder),
            fingerprint: skill.fingerprint,
        })
    }

    async fn reviewed(&self, file: &ToolFile) -> ReviewedTool {
        let host = self.inner.options.tool_host.clone();
        let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // A separate owner, so that it shares no process with the skill in use.
        let asked = ToolFile { owner: format!("review/{}", file.owner), ..file.clone() };
        match tokio::time::timeout(Self::CALL_LIMIT, host.load(asked)).await {
            Ok(Ok(tool)) => {
                ReviewedTool { file: name, definition: Some(definition(tool.spec())), problem: None }
            }
            Ok(Err(error)) => ReviewedTool { file: name, definition: None, problem: Some(problem(&error)) },
            Err(_) => {
                let late = nova_registry::ToolFileError {
                    file: name.clone(),
                    line: None,
                    column: None,
                    message: format!("it did not load within {} s", Self::CALL_LIMIT.as_secs()),
                };
                ReviewedTool { file: name, definition: None, problem: Some(problem(&late)) }
            }
        }
    }

    /// Agrees to the reviewed version of the skill, and enables it.
    pub(crate) async fn agree_to_skill(&self, id: &str, fingerprint: &str) -> Result<(), UserError> {
        let skill = self.foreign_skill(id).await?;
        if skill.fingerprint != fingerprint {
            return Err(UserError::new(
                ErrorCode::SkillNeedsReview,
                format!("The skill {} changed since your review.", skill.id),
                format!("Review it again: nova skill review {}.", skill.id),
            ));
        }
        let files: BTreeMap<String, String> =
            skill.files.iter().map(|file| (file.path.clone(), file.hash.clone())).collect();
        let agreed = AgreedSkill { fingerprint: skill.fingerprint.clone(), files, rest: Default::default() };
        let (trust, of) = (self.inner.trust.clone(), skill.id.clone());
        blocking(move || Ok(trust.agree_to_skill(&of, &agreed)?)).await?;
        // The change of the configuration notifies other Nova processes.
        self.set_enabled(&skill.id, true)?;
        self.tools_loaded(Self::CALL_LIMIT).await;
        Ok(())
    }

    /// The skill as currently on disk.
    async fn foreign_skill(&self, id: &str) -> Result<ForeignSkill, UserError> {
        self.follow_foreign_skills();
        self.tools_loaded(Self::CALL_LIMIT).await;
        if let Some(skill) = self.inner.tool_files.to_review(id) {
            return Ok(skill);
        }
        let snapshot = self.registry().snapshot();
        let broken = || {
            snapshot
                .skills()
                .iter()
                .find(|skill| nova_registry::canonical(&skill.id) == nova_registry::canonical(id))
        };
        Err(match snapshot.skill(id).or_else(broken) {
            Some(skill) if skill.state == nova_registry::State::Broken => UserError::new(
                ErrorCode::SkillUnavailable,
                format!("The skill {} cannot be reviewed.", skill.id),
                skill.reason.clone().unwrap_or_default(),
            ),
            Some(skill) => UserError::new(
                ErrorCode::BadRequest,
                format!("The skill {} is your own or built in, so it needs no review.", skill.id),
                "Only skills from elsewhere are reviewed.",
            ),
            None => UserError::new(
                ErrorCode::UnknownSkill,
                format!("There is no skill \"{id}\"."),
                "List skills with: nova skill list.",
            ),
        })
    }
}

pub(crate) fn needs_review(id: &str) -> UserError {
    UserError::new(
        ErrorCode::SkillNeedsReview,
        format!("The skill {id} comes from elsewhere, and you have not accepted its current files."),
        format!("Review it with: nova skill review {id}. Then add --accept."),
    )
}
