use std::sync::Arc;

use include_dir::{Dir, DirEntry};
use nova_skill::{Skill, Tool};

/// A skill without code: a folder of text, embedded.
pub(crate) struct Workflow(pub(crate) &'static Dir<'static>);

impl Workflow {
    fn text(&self, file: &str) -> &'static str {
        self.0.get_file(file).and_then(|file| file.contents_utf8()).unwrap_or_default()
    }
}

impl Skill for Workflow {
    fn skill_md(&self) -> &str {
        self.text("SKILL.md")
    }

    fn manifest(&self) -> &str {
        self.text("manifest.yaml")
    }

    fn resources(&self) -> Vec<(&'static str, &'static str)> {
        let mut found = Vec::new();
        collect(self.0, &mut found);
        found.retain(|(path, _)| !["SKILL.md", "manifest.yaml"].contains(path));
        found
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }
}

fn collect(dir: &'static Dir<'static>, found: &mut Vec<(&'static str, &'static str)>) {
    for entry in dir.entries() {
        match entry {
            DirEntry::Dir(dir) => collect(dir, found),
            DirEntry::File(file) => found.extend(file.path().to_str().zip(file.contents_utf8())),
        }
    }
}
