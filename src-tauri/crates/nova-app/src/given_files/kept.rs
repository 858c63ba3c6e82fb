//! The last files that the user gave, by the name used in a call's arguments.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use nova_skill::GivenFile;

/// Number of files retained; the oldest is evicted first.
pub(super) const KEPT: usize = 4;

/// The retained files by name.
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
        // A colon cannot occur in a vault path.
        let name = format!("given:{}/{}", kept.count, file.name);
        kept.files.push_back((name.clone(), Arc::new(file)));
        if kept.files.len() > KEPT {
            kept.files.pop_front();
        }
        name
    }
}
