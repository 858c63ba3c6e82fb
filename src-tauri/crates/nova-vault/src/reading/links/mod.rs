//! Links, unlinked mentions and tags, and moving a note without breaking links.

mod canvas;
mod embed;
mod format;
mod marked;
mod mentions;
mod moving;
mod names;
mod new_link;
mod outlines;
mod parts;
mod rewrite;

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;

use crate::error::VaultError;
use crate::note::{ContentHash, Link, LinkKind, Outline, VaultPath, folded};
use crate::reading::index::{Head, Listing, Texts};
use crate::vault::Vault;
use crate::view::View;

pub use mentions::{AmbiguousName, MentionAnswer, MentionLine, MentionLink, MentionQuery};
pub use moving::{LeftLink, Moved};
use names::{Names, key, keys_of};
pub(crate) use outlines::{Outlined, Outlines};
use parts::Parts;

/// The links of one note, ordered by note and line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Links {
    /// Outgoing links.
    pub out: Vec<LinkOut>,
    /// Links from other notes.
    pub back: Vec<LinkBack>,
    /// Outgoing links to missing notes.
    pub unresolved: Vec<Unresolved>,
    /// The notes of these lines, with their hashes.
    #[serde(skip)]
    pub read: BTreeMap<VaultPath, ContentHash>,
}

/// A link to a file of the vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkOut {
    /// The target: a note, an attachment, or the note itself.
    pub path: VaultPath,
    /// The line, 1-based.
    pub line: u32,
    /// The text of the line.
    pub text: String,
    /// How it is written.
    pub kind: LinkKind,
    /// The heading (`Log`) or block (`^id`) in the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subpath: Option<String>,
    /// The target has no such heading or block.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub subpath_missing: bool,
    /// It names an alias. Obsidian suggests aliases while typing, but does not resolve links that contain
    /// one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_alias: bool,
}

/// A link from another note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkBack {
    /// The linking note.
    pub path: VaultPath,
    /// The line, 1-based.
    pub line: u32,
    /// The text of the line.
    pub text: String,
    /// How it is written.
    pub kind: LinkKind,
}

/// A link to a missing note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unresolved {
    /// The target as written.
    pub target: String,
    /// The line, 1-based.
    pub line: u32,
    /// The text of the line.
    pub text: String,
}

/// A tag and the number of notes with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TagCount {
    /// Without `#`, as spelled by the first note with it.
    pub tag: String,
    /// Number of notes with it or with a nested tag.
    pub notes: usize,
}

/// The tags of all notes, from a single snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TagsRead {
    /// Sorted by name.
    pub tags: Vec<TagCount>,
    /// Whether the counts include notes whose existence a remote reader must not learn.
    pub stay_here: bool,
}

impl View {
    /// The file's outgoing links, backlinks and broken links. A link to a hidden note counts as broken.
    pub fn links(&self, path: &VaultPath) -> Result<Links, VaultError> {
        let question = Question::new(self)?;
        let mut links = Links::default();
        if path.is_note() {
            let note = self.read(path)?;
            links.read.insert(note.path.clone(), note.hash);
            let outlined = self.vault().outlines().of(note.hash, || Some(Arc::clone(&note.text)));
            if let Some(outlined) = outlined {
                question.forward(path, &note.text, &outlined.outline, &mut links);
            }
        } else if !question.names.contains(path) {
            return Err(VaultError::NotFound { name: path.as_str().to_owned() });
        }
        question.back(path, &mut links);
        Ok(links)
    }

    /// All tags, sorted by name, with the number of notes that have them. As in Obsidian's tag list, a note
    /// with `inbox/to-read` also has the tag `inbox`; case is ignored. Of a tag with more than 64 levels
    /// only the first 64 and the whole tag are listed.
    pub fn tags(&self) -> Result<TagsRead, VaultError> {
        let question = Question::new(self)?;
        let elsewhere = self.privacy().elsewhere();
        let mut stay_here = false;
        let mut counts: BTreeMap<String, TagCount> = BTreeMap::new();
        for head in &question.heads {
            let Some(outlined) = question.outlined(head) else { continue };
            // One such note suffices.
            stay_here = stay_here || !outlined.outline.tags.is_empty() && head.is_hidden_by(&elsewhere);
            let mut seen = HashSet::new();
            for used in &outlined.outline.tags {
                for tag in with_those_above(&used.tag) {
                    let name = folded(tag);
                    let count = counts
                        .entry(name.clone())
                        .or_insert_with(|| TagCount { tag: tag.to_owned(), notes: 0 });
                    if seen.insert(name) {
                        count.notes += 1;
                    }
                }
            }
        }
        Ok(TagsRead { tags: counts.into_values().collect(), stay_here })
    }

    /// The file that a link refers to: `Jane Doe`, `CRM/Jane Doe#Log`, `[[pic.png]]`. `from` is the note
    /// with the link, which disambiguates equal names and is the base of relative paths. An alias matches
    /// if no file has the name and only one note has the alias.
    pub fn resolve(&self, link: &str, from: Option<&VaultPath>) -> Result<Option<VaultPath>, VaultError> {
        let question = Question::new(self)?;
        let target = bare_target(link);
        Ok(question.resolve(target, from).map(|(path, _)| path.clone()))
    }
}

/// Maximum levels of a tag that count as tags. A hostile tag of one megabyte has half a million levels,
/// whose prefixes would take quadratic memory.
const MAX_LEVELS: usize = 64;

/// `a/b/c` belongs to `a`, `a/b` and itself.
fn with_those_above(tag: &str) -> impl Iterator<Item = &str> {
    let above = tag.match_indices('/').map(|(at, _)| &tag[..at]).filter(|above| !above.is_empty());
    above.take(MAX_LEVELS).chain([tag])
}

impl Vault {
    /// The tags of a note, in front matter and text, deduplicated and without `#`.
    pub(crate) fn tags_of(&self, head: &Head) -> Vec<String> {
        let text = || self.index().note(&self.core().disk, head).map(|note| note.text);
        let outlined = head.hash().and_then(|hash| self.outlines().of(hash, text));
        let used = outlined.iter().flat_map(|outlined| &outlined.outline.tags);
        let mut seen = HashSet::new();
        used.filter(|used| seen.insert(folded(&used.tag))).map(|used| used.tag.clone()).collect()
    }
}

/// The links between the files visible to a reader, loaded on first use.
pub(crate) struct LazyLinks<'a> {
    view: &'a View,
    question: OnceCell<Result<Question<'a>, VaultError>>,
}

impl<'a> LazyLinks<'a> {
    pub(crate) fn of(view: &'a View) -> LazyLinks<'a> {
        LazyLinks { view, question: OnceCell::new() }
    }

    /// The file to which a link in `from` points.
    pub(crate) fn resolve(&self, link: &str, from: &VaultPath) -> Option<VaultPath> {
        let question = self.question().ok()?;
        question.resolve(bare_target(link), Some(from)).map(|(path, _)| path.clone())
    }

    /// The files that `file` links to, deduplicated.
    pub(crate) fn links_of(&self, file: &VaultPath) -> Result<Vec<VaultPath>, &VaultError> {
        let question = self.question()?;
        let outlined = question.head(file).and_then(|head| question.outlined(head));
        let links = outlined.iter().flat_map(|outlined| &outlined.outline.links);
        let paths = links.filter_map(|link| Some(question.resolve(&link.target, Some(file))?.0));
        let mut seen = HashSet::new();
        Ok(paths.filter(|path| seen.insert(*path)).cloned().collect())
    }

    fn question(&self) -> Result<&Question<'a>, &VaultError> {
        self.question.get_or_init(|| Question::new(self.view)).as_ref()
    }
}

/// A snapshot for one query, as far as the reader may see it: hidden notes are not among its names, so that
/// link resolution reveals nothing about them.
struct Question<'a> {
    view: &'a View,
    /// The whole vault.
    listing: Arc<Listing>,
    heads: Vec<Arc<Head>>,
    names: Names,
    /// Notes by folded alias; `None` if several have it.
    aliases: HashMap<String, Option<VaultPath>>,
}

impl<'a> Question<'a> {
    fn new(view: &'a View) -> Result<Question<'a>, VaultError> {
        let vault = view.vault();
        let listing = vault.index().listing(&vault.core().disk, Texts::All)?;
        let (mut heads, mut files) = (listing.heads.clone(), listing.files.clone());
        vault.outlines().keep(heads.iter().filter_map(|head| head.hash()));
        heads.retain(|head| head.is_readable() && !head.is_hidden_by(view.privacy()));
        files.retain(|path| !view.privacy().lists(path));
        let names = Names::new(heads.iter().map(|head| &head.path).chain(&files));
        let mut aliases: HashMap<String, Option<VaultPath>> = HashMap::new();
        for head in &heads {
            for alias in head.aliases() {
                aliases
                    .entry(folded(alias.trim()))
                    .and_modify(|path| {
                        if path.as_ref() != Some(&head.path) {
                            *path = None;
                        }
                    })
                    .or_insert_with(|| Some(head.path.clone()));
            }
        }
        Ok(Question { view, listing, heads, names, aliases })
    }

    /// The file, and whether it was found by an alias.
    fn resolve(&self, target: &str, from: Option<&VaultPath>) -> Option<(&VaultPath, bool)> {
        if let Some(path) = self.names.resolve(target, from) {
            return Some((path, false));
        }
        let by_alias = self.aliases.get(&folded(target.trim()))?.as_ref()?;
        Some((by_alias, true))
    }

    fn outlined(&self, head: &Head) -> Option<Arc<Outlined>> {
        let vault = self.view.vault();
        let text = || vault.index().note(&vault.core().disk, head).map(|note| note.text);
        vault.outlines().of(head.hash()?, text)
    }

    fn head(&self, path: &VaultPath) -> Option<&Arc<Head>> {
        let at = self.heads.binary_search_by(|head| head.path.cmp(path)).ok()?;
        self.heads.get(at)
    }

    fn forward(&self, path: &VaultPath, text: &str, outline: &Outline, links: &mut Links) {
        let lines = Lines::of(text);
        let mut parts: HashMap<&VaultPath, Option<Parts>> = HashMap::new();
        let mut lacks = |to, part: &str| {
            let parts = parts.entry(to).or_insert_with(|| self.parts(to));
            // Other files have no known parts.
            parts.as_ref().is_some_and(|parts| !parts.have(part))
        };
        for link in &outline.links {
            let shown = lines.around(link);
            match self.resolve(&link.target, Some(path)) {
                Some((to, by_alias)) => links.out.push(LinkOut {
                    path: to.clone(),
                    line: link.line,
                    text: shown,
                    kind: link.kind,
                    subpath: link.subpath.clone(),
                    subpath_missing: link.subpath.as_deref().is_some_and(|part| lacks(to, part)),
                    by_alias,
                }),
                None => links.unresolved.push(Unresolved {
                    target: link.target.clone(),
                    line: link.line,
                    text: shown,
                }),
            }
        }
    }

    fn back(&self, path: &VaultPath, links: &mut Links) {
        let mut keys = HashSet::from(keys_of(path));
        if let Some(head) = self.head(path) {
            keys.extend(head.aliases().iter().map(|alias| key(alias)));
        }
        for head in self.heads.iter().filter(|head| head.path != *path) {
            let Some(outlined) = self.outlined(head) else { continue };
            let leads_here =
                |link: &Link| self.resolve(&link.target, Some(&head.path)).is_some_and(|(to, _)| to == path);
            let mut found = outlined
                .outline
                .links
                .iter()
                .zip(&outlined.keys)
                .filter(|(link, key)| keys.contains(*key) && leads_here(link))
                .map(|(link, _)| link)
                .peekable();
            if found.peek().is_none() {
                continue;
            }
            let vault = self.view.vault();
            let Some(note) = vault.index().note(&vault.core().disk, head) else { continue };
            // Read again after its text was evicted: it may have changed.
            if Some(note.hash) != head.hash() {
                continue;
            }
            links.read.insert(note.path.clone(), note.hash);
            let lines = Lines::of(&note.text);
            links.back.extend(found.map(|link| LinkBack {
                path: head.path.clone(),
                line: link.line,
                text: lines.around(link),
                kind: link.kind,
            }));
        }
    }

    /// The possible subpaths of links to a note; `None` for other files.
    fn parts(&self, path: &VaultPath) -> Option<Parts> {
        let outlined = self.head(path).and_then(|head| self.outlined(head))?;
        Some(Parts::of(&outlined.outline))
    }
}

/// The bare target of a link given with or without brackets, subpath and display text.
fn bare_target(link: &str) -> &str {
    let link = link.trim();
    let link = link.strip_prefix('!').unwrap_or(link);
    let inner = link.strip_prefix("[[").and_then(|link| link.strip_suffix("]]")).unwrap_or(link);
    let name = inner.split('|').next().unwrap_or(inner);
    name.split('#').next().unwrap_or(name).trim()
}

/// A text's lines, for display.
struct Lines<'a> {
    text: &'a str,
}

/// In characters; longer lines are truncated around the link.
const MAX_SHOWN: usize = 300;

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Lines<'a> {
        Lines { text }
    }

    /// The line on which a link begins, trimmed.
    fn around(&self, link: &Link) -> String {
        let reach = MAX_SHOWN * 4;
        let mut from = link.span.start.saturating_sub(reach);
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        let mut to = (link.span.end + reach).min(self.text.len());
        while !self.text.is_char_boundary(to) {
            to -= 1;
        }
        let before = &self.text[from..link.span.start];
        let line_start = before.rfind('\n').map_or(from, |at| from + at + 1);
        let line_end = self.text[link.span.start..to].find('\n').map_or(to, |at| link.span.start + at);
        let line = self.text[line_start..line_end].trim();
        if line.chars().count() <= MAX_SHOWN {
            return line.to_owned();
        }
        let room = MAX_SHOWN / 2;
        let start = self.text[line_start..link.span.start].char_indices().rev().take(room).last();
        let shown = &self.text[start.map_or(link.span.start, |(at, _)| line_start + at)..line_end];
        let shown: String = shown.chars().take(MAX_SHOWN).collect();
        shown.trim().to_owned()
    }
}
