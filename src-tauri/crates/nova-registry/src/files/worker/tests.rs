#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::{AgreedSkills, LastGood, LastGoodTool, NoToolHost, ToolFiles, ToolFolders};

/// Counts logged errors.
#[derive(Clone, Default)]
struct Errors(Arc<AtomicUsize>);

impl Subscriber for Errors {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        if *event.metadata().level() == Level::ERROR {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// A store without agreements and versions, which panics during scans if `panics` is set.
struct Nothing {
    panics: bool,
}

impl AgreedSkills for Nothing {
    fn fingerprint(&self, _: &str) -> Option<String> {
        None
    }
}

impl LastGood for Nothing {
    fn get(&self, _: &str) -> Option<LastGoodTool> {
        None
    }

    fn keep(&self, _: &str, _: &LastGoodTool) {}

    fn forget(&self, _: &str) {}

    fn remove_others(&self, _: &str, _: &dyn Fn(&str) -> bool) {
        assert!(!self.panics, "the store panics");
    }
}

/// The number of errors logged when files are checked on this runtime.
fn errors(runtime: &tokio::runtime::Handle, panics: bool) -> usize {
    let root = tempfile::tempdir().expect("a folder");
    let at = |name: &str| root.path().join(name);
    let folders = ToolFolders {
        config: root.path().to_owned(),
        dynamic: at("dynamic"),
        pending: at("pending"),
        skills: at("skills"),
    };
    let errors = Errors::default();
    tracing::subscriber::with_default(errors.clone(), || {
        let nothing = Arc::new(Nothing { panics });
        runtime.block_on(ToolFiles::start(folders, Arc::new(NoToolHost), nothing.clone(), nothing));
    });
    errors.0.load(Ordering::SeqCst)
}

#[test]
fn exit_before_the_first_scan_is_not_an_error() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    assert_eq!(errors(runtime.handle(), false), 0);
    assert_eq!(errors(runtime.handle(), true), 1, "the failure is reported");
    let handle = runtime.handle().clone();
    runtime.shutdown_background();
    assert_eq!(errors(&handle, false), 0);
}

#[test]
fn skill_folders_beyond_the_limit_are_reported_once() {
    let root = tempfile::tempdir().unwrap();
    let make = |numbers: std::ops::Range<u32>| {
        for number in numbers {
            std::fs::create_dir(root.path().join(format!("skill-{number:04}"))).unwrap();
        }
    };
    make(0..1000);
    assert_eq!(super::left_out(root.path()), None);
    make(1000..1003);
    let problem = super::left_out(root.path()).unwrap();
    assert_eq!(problem.id, "skill-1000");
    let folder = root.path().display();
    assert_eq!(
        problem.reason,
        format!("It and 2 more are not read: only the first 1000 folders of {folder} are. Remove some.")
    );
}
