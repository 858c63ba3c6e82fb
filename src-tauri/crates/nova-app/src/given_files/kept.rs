//! The last files that the user gave, by the name that a call's arguments have for them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use nova_skill::GivenFile;

/// How many are kept; the oldest is forgotten for a new one.
pub(super) const KEPT: usize = 4;

/// The last ones, by the name that a call's arguments have for them.
#[derive(Default)]
pub(crate) struct GivenFiles(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    files: VecDeque<(String, Arc<GivenFile>)>,
    count: u64,
}

impl nova_skill::GivenFiles for GivenFiles {
    fn get(&self, name: &str) -> Option<Arc<GivenFile>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.files.iter().find(|(own, _)| own == name).map(|(_, file)| file.clone())
    }
}

impl GivenFiles {
    pub(super) fn keep(&self, file: GivenFile) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.count += 1;
        // A colon is in no path of a vault.
        let name = format!("given:{}/{}", kept.count, file.name);
        kept.files.push_back((name.clone(), Arc::new(file)));
        if kept.files.len() > KEPT {
            kept.files.pop_front();
        }
        name
    }
}
