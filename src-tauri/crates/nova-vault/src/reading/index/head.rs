//! What the index knows about one note.

use std::sync::{Arc, LazyLock, OnceLock};

use super::TextBudget;
use crate::disk::{Stamp, timestamp};
use crate::error::VaultError;
use crate::note::{ContentHash, Document, FrontMatter, VaultPath, may_have_aliases, quick_record_type};
use crate::privacy::Privacy;
use crate::problem::Problem;
use crate::reading::index::Note;
use crate::task::{Task, tasks};

/// A note as of its last read.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) path: VaultPath,
    record_type: Option<Arc<str>>,
    /// Where `type:` is a list: those after the first.
    further_types: Box<[Arc<str>]>,
    /// Parsed on first use, if the text is cached and the front matter is certainly readable. Has no
    /// properties if the note is unreadable.
    document: OnceLock<Arc<Document>>,
    /// Nanoseconds since 1970.
    modified: i64,
    /// Loaded on first use ([`Texts`](super::Texts)).
    content: OnceLock<Box<Content>>,
    /// Whether the text may contain a base; computed on first use.
    base: OnceLock<bool>,
    /// Computed on first use.
    tasks: OnceLock<Box<[Task]>>,
}

#[derive(Debug)]
enum Content {
    /// Cached text; the hash is computed on first use.
    Remembered { text: Arc<str>, hash: OnceLock<ContentHash> },
    /// Over budget; read again on demand.
    OnDisk { hash: ContentHash },
    /// The note cannot be read.
    Unreadable { problem: String, remedy: String },
}

impl Head {
    /// The facts known about every note; does not cache its text.
    pub(super) fn new(path: VaultPath, text: &str, stamp: &Stamp, types: &mut Types) -> Head {
        let (record_type, further_types, document) = match quick_record_type(text) {
            Some(record_type) => {
                (record_type.map(|name| types.shared(name)), Box::default(), OnceLock::new())
            }
            None => {
                let document = Document::parse(text);
                let mut said = document.record_types().map(|name| types.shared(name));
                (said.next(), said.collect(), Arc::new(document).into())
            }
        };
        let (modified, content) = (stamp.modified_nanos(), OnceLock::new());
        let (base, tasks) = (OnceLock::new(), OnceLock::new());
        Head { path, record_type, further_types, document, modified, content, base, tasks }
    }

    /// Caches the text, which must be the one the head was made from, within the budget.
    pub(super) fn remember(&self, text: &str, texts: &TextBudget) {
        self.content.get_or_init(|| {
            Box::new(match texts.take(text) {
                Some(text) => Content::Remembered { text, hash: OnceLock::new() },
                None => {
                    self.document.get_or_init(|| Arc::new(Document::parse(text)));
                    Content::OnDisk { hash: ContentHash::of(text.as_bytes()) }
                }
            })
        });
    }

    /// Whether nothing is left to be loaded.
    pub(crate) fn is_complete(&self) -> bool {
        self.content.get().is_some()
    }

    pub(super) fn unreadable(path: VaultPath, error: &VaultError) -> Head {
        Head {
            path,
            record_type: None,
            further_types: Box::default(),
            document: Arc::new(Document::parse("")).into(),
            modified: 0,
            content: Box::new(Content::Unreadable { problem: error.message(), remedy: error.hint() }).into(),
            base: OnceLock::new(),
            tasks: OnceLock::new(),
        }
    }

    /// Whether the note still has this text and modification time, as far as cached.
    pub(super) fn holds(&self, text: &str, stamp: &Stamp) -> bool {
        self.modified == stamp.modified_nanos()
            && match self.content() {
                Some(Content::Remembered { text: remembered, .. }) => **remembered == *text,
                Some(Content::OnDisk { hash }) => *hash == ContentHash::of(text.as_bytes()),
                Some(Content::Unreadable { .. }) | None => false,
            }
    }

    /// Whether the note was unreadable before for the same reason.
    pub(super) fn fails_as(&self, error: &VaultError) -> bool {
        matches!(self.content(), Some(Content::Unreadable { problem, .. }) if *problem == error.message())
    }

    fn content(&self) -> Option<&Content> {
        self.content.get().map(|content| &**content)
    }

    /// Bytes of cached text.
    pub(super) fn text_bytes(&self) -> usize {
        self.text().map_or(0, |text| text.len())
    }

    /// The note, if its text is cached.
    pub(super) fn note(&self) -> Option<Note> {
        Some(Note {
            path: self.path.clone(),
            text: Arc::clone(self.text()?),
            hash: self.hash()?,
            document: Arc::clone(self.document()),
            modified: timestamp(self.modified),
        })
    }

    /// The text, if cached.
    pub(crate) fn text(&self) -> Option<&Arc<str>> {
        match self.content()? {
            Content::Remembered { text, .. } => Some(text),
            Content::OnDisk { .. } | Content::Unreadable { .. } => None,
        }
    }

    /// Whether the text may contain a base. Scanned once; `look` returns `None` if it cannot be scanned.
    pub(crate) fn may_hold_base(&self, look: impl FnOnce() -> Option<bool>) -> bool {
        match self.base.get() {
            Some(known) => *known,
            None => look().is_some_and(|found| *self.base.get_or_init(|| found)),
        }
    }

    /// The tasks in the text, parsed once; `read` loads the text if it is not cached, and must return the
    /// same version.
    pub(crate) fn tasks(&self, read: impl FnOnce() -> Option<Arc<str>>) -> &[Task] {
        if let Some(known) = self.tasks.get() {
            return known;
        }
        let Some(text) = self.text().cloned().or_else(read) else { return &[] };
        self.tasks.get_or_init(|| tasks(&text).into())
    }

    /// The hash; `None` if the note was not or could not be read.
    pub(crate) fn hash(&self) -> Option<ContentHash> {
        match self.content()? {
            Content::Remembered { text, hash } => {
                Some(*hash.get_or_init(|| ContentHash::of(text.as_bytes())))
            }
            Content::OnDisk { hash } => Some(*hash),
            Content::Unreadable { .. } => None,
        }
    }

    /// The first of its types.
    pub(crate) fn record_type(&self) -> Option<&str> {
        self.record_type.as_deref()
    }

    /// What `type:` says: one type, or each of a list.
    pub(crate) fn record_types(&self) -> impl Iterator<Item = &str> {
        self.record_type.iter().chain(&self.further_types).map(|name| &**name)
    }

    /// The parsed text. If the text was not loaded ([`Texts`](super::Texts)), it is treated like unreadable
    /// front matter, hence hidden.
    pub(crate) fn document(&self) -> &Arc<Document> {
        static NOT_READ: LazyLock<Arc<Document>> =
            LazyLock::new(|| Arc::new(Document::parse("---\nnot: read\n")));
        match (self.document.get(), self.text()) {
            (Some(document), _) => document,
            (None, Some(text)) => self.document.get_or_init(|| Arc::new(Document::parse(text))),
            (None, None) => &NOT_READ,
        }
    }

    /// The note's aliases. Resolving links asks every note; notes without aliases are not parsed, because
    /// the parsed text would have to be cached.
    pub(crate) fn aliases(&self) -> Vec<String> {
        match (self.document.get(), self.text()) {
            (None, Some(text)) if !may_have_aliases(text) => Vec::new(),
            _ => self.document().aliases(),
        }
    }

    /// Whether the note must be hidden from a reader.
    pub(crate) fn is_hidden_by(&self, privacy: &Privacy) -> bool {
        // Avoid parsing for a reader who may see everything.
        privacy.remote && privacy.hides(&self.path, self.document())
    }

    /// Line and reason of unreadable front matter.
    pub(crate) fn broken(&self) -> Option<(u32, &str)> {
        // Notes not parsed yet are readable.
        match self.document.get()?.front_matter() {
            FrontMatter::Broken { line, reason } => Some((*line, reason)),
            FrontMatter::Absent | FrontMatter::Present(_) => None,
        }
    }

    /// Whether the note can be read as text.
    pub(crate) fn is_readable(&self) -> bool {
        !matches!(self.content(), Some(Content::Unreadable { .. }))
    }

    pub(crate) fn problem(&self) -> Option<Problem> {
        let (line, problem, remedy) = match (self.content(), self.broken()) {
            (Some(Content::Unreadable { problem, remedy }), _) => (1, problem.clone(), remedy.clone()),
            (_, Some((line, reason))) => (
                line,
                format!("the front matter cannot be read: {reason}"),
                "Correct that line in the note.".to_owned(),
            ),
            (_, None) => return None,
        };
        Some(Problem { path: self.path.as_str().to_owned(), line, problem, remedy })
    }
}

/// Interns recently seen types: most notes share a few.
#[derive(Debug, Default)]
pub(super) struct Types(Vec<Arc<str>>);

impl Types {
    fn shared(&mut self, name: &str) -> Arc<str> {
        /// Number of names to compare with.
        const MOST: usize = 16;
        let Types(lately) = self;
        match lately.iter().position(|known| **known == *name) {
            Some(at) => Arc::clone(&lately[at]),
            None => {
                if lately.len() == MOST {
                    lately.remove(0);
                }
                let name: Arc<str> = name.into();
                lately.push(Arc::clone(&name));
                name
            }
        }
    }
}
