//! Output of a running tool, and the notes it is drawn from.

use std::collections::BTreeSet;

use nova_protocol::Event;
use nova_registry::{ReachedNotes, ToolEntry};
use nova_skill::{OutputPart, VaultPath};
use serde_json::Value;

use super::Running;
use super::planning::reached;
use crate::draft_vault::DraftVault;
use crate::received::{self, ReceivedNotes};

impl Running<'_> {
    /// Reports output of the running tool. Output drawn from notes that a rule protects is withheld; if it
    /// may be shown at all, it is part of the result.
    pub(super) fn emit_part(&self, tool: &ToolEntry, args: &Value, vault: &DraftVault, part: OutputPart) {
        let (fraction, mut message, mut partial) = match part {
            OutputPart::Progress(progress) => (progress.fraction, progress.message, None),
            OutputPart::Partial(value) => (None, None, Some(value)),
            OutputPart::End(_) => return,
        };
        let texts = || -> Vec<String> {
            let parts = partial.as_ref().map(received::texts).unwrap_or_default();
            parts.into_iter().chain(message.clone()).collect()
        };
        let mut so_far = reached(vault, Vec::new(), None);
        let sources = self.protected_sources(tool, args, vault, &so_far, texts);
        so_far.read.extend(sources);
        if self.withholds(tool, args, &so_far) {
            return;
        }
        let local_only = vault.local_only().is_revealed_in(texts);
        message.iter_mut().for_each(|message| self.secrets.scrub(message));
        partial.iter_mut().for_each(|value| self.secrets.scrub_value(value));
        self.questions.watch.said(message.as_ref(), partial.as_ref(), vault.seen(), local_only);
        let call = self.id.clone();
        self.scope.events.emit(Event::ToolCallProgress { call, fraction, message, partial });
    }

    /// Returns the notes that the texts are drawn from and that a rule protects, among those that the tool
    /// received in a list and does not name.
    pub(super) fn protected_sources(
        &self,
        tool: &ToolEntry,
        args: &Value,
        vault: &DraftVault,
        named: &ReachedNotes,
        texts: impl FnOnce() -> Vec<String>,
    ) -> Vec<VaultPath> {
        vault.with_received(|received| self.protected_sources_in(tool, args, received, named, texts))
    }

    fn protected_sources_in(
        &self,
        tool: &ToolEntry,
        args: &Value,
        received: &ReceivedNotes,
        named: &ReachedNotes,
        texts: impl FnOnce() -> Vec<String>,
    ) -> Vec<VaultPath> {
        if received.is_empty() {
            return Vec::new();
        }
        let known: BTreeSet<VaultPath> = named.read.iter().chain(&named.written).cloned().collect();
        let listed: Vec<VaultPath> =
            received.paths().filter(|path| !known.contains(*path)).cloned().collect();
        let matters = |paths: &[VaultPath]| {
            let notes = ReachedNotes { read: paths.to_vec(), written: Vec::new() };
            self.notes_matter(tool, args, &notes)
        };
        // Rules about notes are rare: checking all of them at once usually settles it.
        let all: Vec<VaultPath> = known.iter().chain(&listed).cloned().collect();
        if listed.is_empty() || !matters(&all) {
            return Vec::new();
        }
        let mut meant: Vec<VaultPath> =
            listed.iter().filter(|path| matters(std::slice::from_ref(*path))).cloned().collect();
        if meant.is_empty() && !self.notes_matter(tool, args, named) {
            // A rule about several arguments may only match several notes together.
            meant = listed;
        }
        received.sources_in(&texts(), meant.into_iter(), &known, args)
    }
}
