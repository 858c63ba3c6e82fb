use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use nova_skill::{
    Note, Problem, PropertyEdit, PropertyValue, RecordTypes, ToolError, ToolVault, VaultError, VaultPath,
};
use nova_vault::note::{ContentHash, FrontMatter};
use nova_vault::{Draft, Vault};

/// Which notes a principal's model may not see.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Privacy {
    /// The model is not on this machine.
    pub remote: bool,
    /// Folders and notes the user listed as private.
    pub private: Vec<String>,
}

impl Privacy {
    /// Whether the note must not be shown.
    pub fn hides(&self, note: &Note) -> bool {
        self.remote && (self.listed(&note.path) || is_marked_private(note))
    }

    /// Whether a note of that path must not be shown, whatever it holds.
    pub fn lists(&self, path: &VaultPath) -> bool {
        self.remote && self.listed(path)
    }

    fn listed(&self, path: &VaultPath) -> bool {
        self.private.iter().any(|entry| {
            let entry = entry.trim_matches('/');
            path.as_str() == entry
                || path.as_str().strip_suffix(".md") == Some(entry)
                || path.as_str().strip_prefix(entry).is_some_and(|rest| rest.starts_with('/'))
        })
    }
}

fn is_marked_private(note: &Note) -> bool {
    // Properties that cannot be read cannot say that the note may be shown.
    if matches!(note.document.front_matter(), FrontMatter::Broken { .. }) {
        return true;
    }
    let marked = note.document.property("nova").and_then(PropertyValue::as_text);
    marked.is_some_and(|text| text.eq_ignore_ascii_case("private"))
}

/// The vault of one call: reads go to the disk, writes into a draft.
#[derive(Clone)]
pub(crate) struct DraftVault {
    state: Option<Arc<State>>,
    privacy: Arc<Privacy>,
    records: Arc<RecordTypes>,
}

struct State {
    vault: Vault,
    draft: Mutex<Draft>,
    seen: Mutex<BTreeMap<VaultPath, ContentHash>>,
}

impl DraftVault {
    pub(crate) fn new(vault: Option<&Vault>, privacy: Arc<Privacy>, records: Arc<RecordTypes>) -> Self {
        let state = vault.map(|vault| {
            Arc::new(State { vault: vault.clone(), draft: Mutex::new(vault.draft()), seen: Mutex::default() })
        });
        Self { state, privacy, records }
    }

    /// The planned writes, when the tool has returned. Nothing is planned any more afterwards.
    pub(crate) fn take_draft(&self) -> Option<Draft> {
        let state = self.state.as_ref()?;
        let mut draft = state.draft.lock().unwrap_or_else(PoisonError::into_inner);
        let draft = std::mem::replace(&mut *draft, state.vault.draft());
        (!draft.is_empty()).then_some(draft)
    }

    /// The notes that were read, with what they held.
    pub(crate) fn seen(&self) -> BTreeMap<VaultPath, ContentHash> {
        self.state.as_ref().map_or_else(BTreeMap::new, |state| {
            state.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
        })
    }

    async fn with<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Vault, &mut Draft) -> Result<R, VaultError> + Send + 'static,
    ) -> Result<R, ToolError> {
        let state = self.state.clone().ok_or(ToolError::NoVault)?;
        let done = tokio::task::spawn_blocking(move || {
            let mut draft = state.draft.lock().unwrap_or_else(PoisonError::into_inner);
            work(&state.vault, &mut draft)
        });
        match done.await {
            Ok(result) => Ok(result?),
            Err(error) => Err(ToolError::failed(format!("Reading the vault broke: {error}."), "Try again.")),
        }
    }

    fn saw(&self, note: &Note) -> Result<(), ToolError> {
        if self.privacy.hides(note) {
            return Err(ToolError::Private { path: note.path.to_string() });
        }
        if let Some(state) = &self.state {
            let mut seen = state.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.insert(note.path.clone(), note.hash);
        }
        Ok(())
    }

    /// What is edited must be visible to the principal, too.
    async fn check_visible(&self, path: &VaultPath) -> Result<(), ToolError> {
        if self.privacy.remote {
            self.read(path).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl ToolVault for DraftVault {
    async fn read(&self, path: &VaultPath) -> Result<Note, ToolError> {
        let path = path.clone();
        let note = self.with(move |_, draft| draft.read(&path)).await?;
        self.saw(&note)?;
        Ok(note)
    }

    async fn find(&self, name: &str) -> Result<Vec<VaultPath>, ToolError> {
        let name = name.to_owned();
        let found = self.with(move |vault, _| vault.find(&name)).await?;
        Ok(found.into_iter().filter(|path| !(self.privacy.remote && self.privacy.listed(path))).collect())
    }

    async fn records(&self, record_type: &str) -> Result<Vec<Note>, ToolError> {
        self.records.get(record_type)?;
        let wanted = record_type.to_owned();
        let notes = self.with(move |vault, _| vault.records(&[&wanted])).await?;
        Ok(notes.into_iter().filter(|note| self.saw(note).is_ok()).collect())
    }

    async fn unreadable(&self, record_type: &str) -> Result<Vec<Problem>, ToolError> {
        let folder = self.records.get(record_type)?.folder.trim_matches('/').to_owned();
        let (wanted, privacy) = (record_type.to_owned(), self.privacy.clone());
        self.with(move |vault, _| {
            let mut problems = vault.problems()?;
            problems.retain(|problem| {
                let Ok(path) = VaultPath::parse(&problem.path) else { return false };
                // Its properties cannot be read, so its lines say what it is.
                let text = vault.read(&path).map(|note| note.text).unwrap_or_default();
                let says = |key: &str, value: &str| {
                    text.lines().any(|line| {
                        line.split_once(':').is_some_and(|(left, right)| {
                            let right = right.trim().trim_matches(['"', '\'']);
                            left.trim() == key && right.eq_ignore_ascii_case(value)
                        })
                    })
                };
                let hidden = privacy.remote && (privacy.listed(&path) || says("nova", "private"));
                let in_folder = path.as_str().strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'));
                path.is_note() && !hidden && (in_folder || says("type", &wanted))
            });
            Ok(problems)
        })
        .await
    }

    async fn free_path(&self, folder: &str, display_name: &str) -> Result<VaultPath, ToolError> {
        let (folder, name) = (folder.to_owned(), display_name.to_owned());
        self.with(move |_, draft| draft.free_path(&folder, &name)).await
    }

    async fn create(&self, path: &VaultPath, text: String) -> Result<(), ToolError> {
        let path = path.clone();
        self.with(move |_, draft| draft.create(&path, text)).await
    }

    async fn set_properties(&self, path: &VaultPath, edits: &[PropertyEdit]) -> Result<(), ToolError> {
        self.check_visible(path).await?;
        let (path, edits) = (path.clone(), edits.to_vec());
        self.with(move |_, draft| draft.set_properties(&path, &edits)).await
    }

    async fn replace(
        &self,
        path: &VaultPath,
        old: &str,
        new: &str,
        count: Option<usize>,
    ) -> Result<(), ToolError> {
        self.check_visible(path).await?;
        let (path, old, new) = (path.clone(), old.to_owned(), new.to_owned());
        self.with(move |_, draft| draft.replace(&path, &old, &new, count)).await
    }

    async fn append(&self, path: &VaultPath, text: &str, heading: Option<&str>) -> Result<(), ToolError> {
        self.check_visible(path).await?;
        let (path, text, heading) = (path.clone(), text.to_owned(), heading.map(str::to_owned));
        self.with(move |_, draft| draft.append(&path, &text, heading.as_deref())).await
    }

    async fn delete(&self, path: &VaultPath) -> Result<(), ToolError> {
        self.check_visible(path).await?;
        let path = path.clone();
        self.with(move |_, draft| draft.delete(&path)).await
    }
}
