//! Fingerprints of the records that trigger routines. A routine's own changes are taken out of them, while
//! what others change meanwhile still triggers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use nova_protocol::UserError;
use nova_vault::note::Document;
use nova_vault::{ContentHash, Note, Recogniser, VaultPath};

use super::ledger::Ledger;
use super::note::RoutineNote;
use crate::app::App;
use crate::blocking::blocking;

/// The exclusive or of a digest of each record: adding a record and taking it out are the same operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Fingerprint([u8; 32]);

impl Fingerprint {
    fn toggle(&mut self, path: &VaultPath, hash: &ContentHash) {
        let digest = blake3::hash(format!("{path}\0{hash}").as_bytes());
        self.0.iter_mut().zip(digest.as_bytes()).for_each(|(own, other)| *own ^= other);
    }

    fn to_hex(self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    fn from_hex(hex: &str) -> Option<Self> {
        Some(Self(*blake3::Hash::from_hex(hex).ok()?.as_bytes()))
    }
}

impl App {
    /// Fingerprints of the records that trigger routines, by type.
    pub(super) async fn records_of(
        &self,
        notes: &[RoutineNote],
    ) -> Result<BTreeMap<String, String>, UserError> {
        let routines = notes.iter().filter_map(|note| note.routine.as_ref().ok());
        let types: BTreeSet<String> =
            routines.flat_map(|routine| routine.schedule.record_types().map(str::to_owned)).collect();
        if types.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (view, app) = (self.vault()?.seen_by_owner(), self.clone());
        blocking(move || {
            let mut found = BTreeMap::new();
            for record_type in types {
                let mut all = Fingerprint::default();
                for note in view.records(&app.recogniser_of(&record_type))? {
                    all.toggle(&note.path, &note.hash);
                }
                found.insert(record_type, all.to_hex());
            }
            Ok(found)
        })
        .await
    }

    /// Takes what the run of this session has written since the last call out of all fingerprints, so that
    /// changes by a routine trigger no routine.
    pub(super) async fn exclude_changes_of(&self, session: &str) -> Result<(), UserError> {
        let (vault, key) = (self.vault()?, self.vault_key()?);
        let sets: BTreeSet<String> = self
            .inner
            .store
            .change_sets()
            .await?
            .into_iter()
            .filter_map(|(set, of)| (of == session).then_some(set))
            .collect();
        if sets.is_empty() {
            return Ok(());
        }
        let (app, session) = (self.clone(), session.to_owned());
        blocking(move || {
            let mut changes = Vec::new();
            for set in sets {
                changes.push((vault.history().show(&set)?, set));
            }
            Ledger::change(&app.places().data, |ledger| {
                let Some(run) = ledger.run_mut(&session) else { return };
                let excluded = std::mem::take(&mut run.excluded);
                let now = changes.iter().map(|(detail, set)| (set.clone(), detail.texts.len()));
                run.excluded = now.collect();
                let new = changes.iter().flat_map(|(detail, set)| {
                    let known = excluded.get(set).copied().unwrap_or(0);
                    detail.texts.iter().zip(&detail.info.notes).skip(known)
                });
                let new: Vec<_> = new.collect();
                for (record_type, known) in
                    ledger.of_vault(&key).values_mut().flat_map(|entry| &mut entry.records)
                {
                    let Some(mut fingerprint) = Fingerprint::from_hex(known) else { continue };
                    let recogniser = app.recogniser_of(record_type);
                    for (texts, record) in &new {
                        let before = record.from.as_ref().unwrap_or(&texts.path);
                        for (path, text) in [(before, &texts.before), (&texts.path, &texts.after)] {
                            let Some(note) = text.as_ref().map(|text| note(path, text)) else { continue };
                            if recogniser.recognises(&note) {
                                fingerprint.toggle(&note.path, &note.hash);
                            }
                        }
                    }
                    *known = fingerprint.to_hex();
                }
            })
        })
        .await
    }

    fn recogniser_of(&self, record_type: &str) -> Recogniser {
        let declared = self.inner.registry.snapshot().recogniser_named(&[record_type.to_owned()]);
        Recogniser::any_of([&declared, &Recogniser::of_types(&[record_type])])
    }
}

fn note(path: &VaultPath, text: &str) -> Note {
    Note {
        path: path.clone(),
        document: Arc::new(Document::parse(text)),
        hash: ContentHash::of(text.as_bytes()),
        text: text.into(),
        modified: Timestamp::UNIX_EPOCH,
    }
}
