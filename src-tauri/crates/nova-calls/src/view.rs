//! Converts types of the vault and of skills to the plain data of events.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use nova_protocol::{
    DiffLineKind, DiffLineView, DiffWordView, Effect, HunkView, NoteChangeKind, NoteDiffView, PrincipalKind,
    PrincipalView, PropertyChangeView, SandboxView, SourceView,
};
use nova_skill::{Principal, SandboxFacts, Source, VaultPath, WebSource};
use nova_vault::note::{ChangeKind, LineKind, NoteDiff};
use nova_workspace::{FileChangeKind, PlannedFile};

/// What happened, or would happen, to a note.
pub fn change_kind_view(kind: nova_vault::NoteChangeKind) -> NoteChangeKind {
    match kind {
        nova_vault::NoteChangeKind::Created => NoteChangeKind::Created,
        nova_vault::NoteChangeKind::Modified => NoteChangeKind::Modified,
        nova_vault::NoteChangeKind::Deleted => NoteChangeKind::Deleted,
        nova_vault::NoteChangeKind::Renamed => NoteChangeKind::Renamed,
    }
}

/// What happened to a file outside of the vault.
pub fn file_change_kind_view(kind: FileChangeKind) -> NoteChangeKind {
    match kind {
        FileChangeKind::Created => NoteChangeKind::Created,
        FileChangeKind::Modified => NoteChangeKind::Modified,
        FileChangeKind::Deleted => NoteChangeKind::Deleted,
    }
}

/// A diff as shown in the window; `from` is the old path of a moved note.
pub fn diff_view(path: &VaultPath, from: Option<&VaultPath>, diff: &NoteDiff) -> NoteDiffView {
    NoteDiffView { path: path.to_string(), ..view_of(from, diff) }
}

fn view_of(from: Option<&VaultPath>, diff: &NoteDiff) -> NoteDiffView {
    NoteDiffView {
        path: String::new(),
        from: from.map(ToString::to_string),
        kind: match diff.kind {
            _ if from.is_some() => NoteChangeKind::Renamed,
            ChangeKind::Created => NoteChangeKind::Created,
            ChangeKind::Modified => NoteChangeKind::Modified,
            ChangeKind::Deleted => NoteChangeKind::Deleted,
        },
        properties: diff
            .properties
            .iter()
            .map(|change| PropertyChangeView {
                key: change.key.clone(),
                line: change.line,
                before: change.before.clone(),
                after: change.after.clone(),
            })
            .collect(),
        hunks: diff
            .hunks
            .iter()
            .map(|hunk| HunkView {
                skipped: hunk.skipped,
                lines: hunk
                    .lines
                    .iter()
                    .map(|line| DiffLineView {
                        kind: match line.kind {
                            LineKind::Context => DiffLineKind::Context,
                            LineKind::Added => DiffLineKind::Added,
                            LineKind::Removed => DiffLineKind::Removed,
                        },
                        old: line.old,
                        new: line.new,
                        words: line
                            .words
                            .iter()
                            .map(|word| DiffWordView { text: word.text.clone(), changed: word.changed })
                            .collect(),
                    })
                    .collect(),
            })
            .collect(),
        tail_skipped: diff.tail_skipped,
        summary: diff.summary.clone(),
    }
}

/// The planned change of a file outside of the vault, which is named by its path on disk.
pub(crate) fn file_diff_view(file: &PlannedFile) -> NoteDiffView {
    file_content_diff_view(&file.absolute(), (file.before(), file.after()), file.is_attached())
}

/// The change of a file outside of the vault, given its bytes before and after: by line, or by size for an
/// attached one.
pub fn file_content_diff_view(
    path: &Path,
    (before, after): (Option<&[u8]>, Option<&[u8]>),
    attached: bool,
) -> NoteDiffView {
    let diff = if attached {
        nova_vault::file_diff(before.map(<[u8]>::len), after.map(<[u8]>::len))
    } else {
        let [before, after] = [before, after].map(|bytes| bytes.map(String::from_utf8_lossy));
        nova_vault::note::diff(before.as_deref(), after.as_deref())
    };
    NoteDiffView { path: path.display().to_string(), ..view_of(None, &diff) }
}

pub fn principal_view(principal: &Principal) -> PrincipalView {
    PrincipalView {
        kind: match principal.kind {
            nova_skill::PrincipalKind::User => PrincipalKind::User,
            nova_skill::PrincipalKind::Subagent => PrincipalKind::Subagent,
            nova_skill::PrincipalKind::McpClient => PrincipalKind::McpClient,
        },
        name: principal.name.clone(),
    }
}

pub fn effect_view(effect: nova_skill::Effect) -> Effect {
    match effect {
        nova_skill::Effect::Read => Effect::Read,
        nova_skill::Effect::Write => Effect::Write,
        nova_skill::Effect::External => Effect::External,
        nova_skill::Effect::Destructive => Effect::Destructive,
        nova_skill::Effect::Send => Effect::Send,
        nova_skill::Effect::Undeclared => Effect::Undeclared,
    }
}

pub(crate) fn source_view(source: &Source) -> SourceView {
    match source {
        Source::Note(path) => SourceView::Note { path: Arc::<str>::from(path).into() },
        Source::Web(WebSource { url, at, title, date }) => {
            SourceView::Web { url: url.clone(), at: at.clone(), title: title.clone(), date: date.clone() }
        }
    }
}

/// `hosts`: the hosts that the call names.
pub(crate) fn sandbox_view(facts: &SandboxFacts, hosts: BTreeSet<String>) -> SandboxView {
    SandboxView {
        folder: facts.folder.clone(),
        reads: facts.reads.clone(),
        writes: facts.writes.clone(),
        vault: facts.vault,
        hosts: hosts.into_iter().collect(),
        seconds: facts.seconds,
        memory: facts.memory,
    }
}

pub(crate) fn detail_view(detail: &nova_skill::Detail) -> nova_protocol::DetailView {
    let nova_skill::Detail { label, value, note, caution } = detail.clone();
    nova_protocol::DetailView { label, value, note, caution }
}
