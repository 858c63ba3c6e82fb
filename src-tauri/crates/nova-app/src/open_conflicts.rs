use std::sync::{Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use nova_calls::change_kind_view;
use nova_protocol::{ConflictView, Envelope, Event};

/// The latest conflict of each note since the start, by its origin.
#[derive(Debug, Default)]
pub(crate) struct OpenConflicts(Mutex<IndexMap<Place, ConflictView>>);

/// The session, form run, or undone or finished change set; and the note.
type Place = (String, String);

impl OpenConflicts {
    pub(crate) fn lock(&self) -> MutexGuard<'_, IndexMap<Place, ConflictView>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a conflict from an event.
    pub(crate) fn observe(&self, envelope: &Envelope) {
        if let (Event::ConflictFound { note, from, kind, what, mine, theirs }, Some(session)) =
            (&envelope.event, &envelope.session)
        {
            let conflict = ConflictView {
                path: note.clone(),
                from: from.clone(),
                kind: *kind,
                what: what.clone(),
                mine: mine.clone(),
                theirs: theirs.clone(),
                unreadable: false,
            };
            self.add(session, conflict);
        }
    }

    /// Clears them when another vault is opened, into which they must not be written.
    pub(crate) fn forget(&self) {
        self.lock().clear();
    }

    pub(crate) fn add(&self, met_by: &str, conflict: ConflictView) {
        self.lock().insert((met_by.to_owned(), conflict.path.clone()), conflict);
    }
}

pub(crate) fn conflict_view(conflict: nova_vault::Conflict) -> ConflictView {
    ConflictView {
        path: conflict.path.to_string(),
        from: conflict.from.as_ref().map(ToString::to_string),
        kind: Some(change_kind_view(conflict.kind)),
        what: conflict.what,
        mine: conflict.mine,
        theirs: conflict.theirs,
        unreadable: false,
    }
}
