//! The last files that the user gave, by the name used in a call's arguments.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use nova_skill::GivenFile;

/// Number of files retained; the oldest is evicted first.
pub(super) const MOST: usize = 4;

/// The retained files by name.
#[derive(Default)]
pub(crate) struct GivenFiles(Mutex<Recent>);

#[derive(Default)]
struct Recent {
    files: VecDeque<(String, Arc<GivenFile>)>,
    count: u64,
}

impl nova_skill::GivenFiles for GivenFiles {
    fn get(&self, name: &str) -> Option<Arc<GivenFile>> {
        let recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recent.files.iter().find(|(own, _)| own == name).map(|(_, file)| file.clone())
    }
}

impl GivenFiles {
    pub(super) fn add(&self, file: GivenFile) -> String {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recent.count += 1;
        // A colon cannot occur in a vault path.
        let name = format!("given:{}/{}", recent.count, file.name);
        recent.files.push_back((name.clone(), Arc::new(file)));
        if recent.files.len() > MOST {
            recent.files.pop_front();
        }
        name
    }
}
