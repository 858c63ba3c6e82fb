//! Moves a note and updates every link to it.

mod left;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;

use super::names::{Names, keys_of};
use super::outlines::Outlined;
use super::rewrite::{Change, rewritten};
use crate::change::{Conflict, NoteChangeKind};
use crate::draft::Draft;
use crate::error::VaultError;
use crate::note::{VaultPath, folded, unreadable_matter, wikilinks};
use crate::obsidian::{LinkFormat, ObsidianSettings};
use crate::reading::base::may_hold_base;
use crate::reading::index::{Head, Listing, Texts};

use left::text_of;

/// The result of planning a move.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Notes and canvases with rewritten links, by their new paths. Those hidden from the reader are
    /// rewritten as well, but not listed.
    pub rewritten: Vec<VaultPath>,
    /// Links that will be broken because Nova does not edit them: in unreadable front matter, in
    /// expressions of bases, and in canvas text nodes with needless escapes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftLink>,
}

/// A link that a move leaves unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftLink {
    /// The file with the link.
    pub path: VaultPath,
    /// 1-based.
    pub line: u32,
    /// The link as written; for an expression, its line.
    pub text: String,
}

impl Draft {
    /// Plans to move a note or a `.base` file and to update, in every note and canvas, the links that would
    /// otherwise resolve differently or break: links to the note, links that its new name would capture or
    /// its old name release to another note, and relative links in the note itself. Only the target of such
    /// a link changes. Links that still resolve after the move are left unchanged, including links by
    /// alias.
    ///
    /// [`VaultError::Unlinkable`] if a link cannot be written, [`VaultError::Ambiguous`] if one would have
    /// to name a note hidden from the reader; then nothing is planned.
    pub fn move_note(&mut self, from: &VaultPath, to: &VaultPath) -> Result<Moved, VaultError> {
        if from.is_note() != to.is_note() {
            return Err(VaultError::NotANote { path: to.clone() });
        }
        if from == to {
            // Also checks that it exists, is visible and is writable.
            return self.clone().rename(from, to).map(|()| Moved::default());
        }
        let mut planned = self.plan_move(from, to)?;
        for _ in 0..RENAMES_FOLLOWED {
            if self.listing()?.has_paths_of(&planned.listing) {
                break;
            }
            planned = self.plan_move(from, to)?;
        }
        *self = planned.draft;
        Ok(planned.moved)
    }

    fn plan_move(&self, from: &VaultPath, to: &VaultPath) -> Result<PlannedMove, VaultError> {
        let mut moved_draft = self.clone();
        moved_draft.rename(from, to)?;
        moved_draft.refuse_twin(to)?;
        let before = Snapshot::of(self)?;
        if before.names.contains(to) {
            return Err(VaultError::Exists { path: to.clone() });
        }
        let after = Names::new(before.paths.iter().map(|path| if path == from { to } else { path }));
        let plan = MovePlan {
            before: &before.names,
            after: &after,
            hidden: &before.hidden,
            from,
            to,
            format: ObsidianSettings::read(&self.vault().core().disk).link_format,
            keys: [from, to].into_iter().flat_map(keys_of).collect(),
        };

        let mut moved = Moved::default();
        let mut texts = Vec::new();
        for source in &before.sources {
            if let Some(text) = plan.rewrite(self, source, &mut moved)? {
                texts.push((source, text));
            }
        }
        let canvases = before.paths.iter().filter(|path| path.as_str().ends_with(".canvas"));
        let mut canvas_texts = Vec::new();
        for path in canvases {
            let Some(text) = text_of(self, path) else { continue };
            let is_visible = !before.hidden.contains(path);
            let canvas = plan.rewrite_canvas(path, &text, is_visible)?;
            if is_visible {
                let left = canvas.left.into_iter();
                moved.left.extend(left.map(|(line, text)| LeftLink { path: path.clone(), line, text }));
            }
            canvas_texts.extend(canvas.text.map(|rewritten| (path, is_visible, text, rewritten)));
        }
        moved.left.extend(plan.left_in_bases(self, before.paths.iter()));
        for source in before.sources.iter().filter(|source| source.is_visible && source.may_hold_base(self)) {
            moved.left.extend(plan.left_in_blocks(&source.path, &source.text(self)?));
        }
        for (source, text) in texts {
            let path = plan.path_after(&source.path);
            if source.is_visible {
                moved.rewritten.push(path.clone());
            }
            moved_draft.rewrite_links(path, &plan.text_of(self, source)?, text, source.is_visible);
        }
        for (path, is_visible, before, text) in canvas_texts {
            if is_visible {
                moved.rewritten.push(path.clone());
            }
            moved_draft.rewrite_links(path, &before, text, is_visible);
        }
        Ok(PlannedMove { draft: moved_draft, moved, listing: before.listing })
    }

    fn listing(&self) -> Result<Arc<Listing>, VaultError> {
        self.vault().index().listing(&self.vault().core().disk, Texts::All)
    }
}

/// Maximum number of times a move is planned again because of concurrent renames. After that, a link in a
/// note that keeps being renamed stays unchanged.
const RENAMES_FOLLOWED: usize = 4;

struct PlannedMove {
    draft: Draft,
    moved: Moved,
    /// The listing used for the plan.
    listing: Arc<Listing>,
}

/// The vault after the draft is applied.
struct Snapshot {
    listing: Arc<Listing>,
    paths: BTreeSet<VaultPath>,
    names: Names,
    sources: Vec<Source>,
    /// Notes and files hidden from the reader.
    hidden: HashSet<VaultPath>,
}

/// A note that may contain links.
struct Source {
    path: VaultPath,
    outlined: Arc<Outlined>,
    is_visible: bool,
    /// Its head; `None` if a text is planned.
    head: Option<Arc<Head>>,
    /// Its planned text; `None` for the text on disk.
    planned: Option<Arc<str>>,
    hash: Option<crate::note::ContentHash>,
    is_broken: bool,
}

impl Snapshot {
    fn of(draft: &Draft) -> Result<Snapshot, VaultError> {
        let vault = draft.vault();
        let disk = &vault.core().disk;
        let listing = draft.listing()?;
        vault.outlines().keep(listing.heads.iter().filter_map(|head| head.hash()));
        let planned: HashMap<VaultPath, Arc<str>> = draft.planned_texts().collect();
        let gone: HashSet<&VaultPath> = draft.origins().collect();
        let mut paths: BTreeSet<VaultPath> = listing.heads.iter().map(|head| head.path.clone()).collect();
        paths.extend(listing.files.iter().cloned());
        paths.retain(|path| !gone.contains(path));
        paths.extend(planned.keys().cloned());

        let privacy = draft.view().privacy();
        let mut hidden: HashSet<VaultPath> =
            paths.iter().filter(|path| privacy.lists(path) || draft.is_unseen(path)).cloned().collect();
        let mut sources = Vec::new();
        for head in &listing.heads {
            let is_visible = !head.is_hidden_by(privacy);
            if !is_visible {
                hidden.insert(head.path.clone());
            }
            if gone.contains(&head.path) || planned.contains_key(&head.path) {
                continue;
            }
            let Some(hash) = head.hash() else { continue };
            let text = || vault.index().note(disk, head).map(|note| note.text);
            let Some(outlined) = vault.outlines().of(hash, text) else { continue };
            sources.push(Source {
                path: head.path.clone(),
                outlined,
                is_visible,
                head: Some(Arc::clone(head)),
                planned: None,
                hash: Some(hash),
                is_broken: head.broken().is_some(),
            });
        }
        for (path, text) in planned {
            if path.is_note() {
                sources.push(Source {
                    outlined: Arc::new(Outlined::of(&text)),
                    is_visible: !draft.is_unseen(&path),
                    is_broken: unreadable_matter(&text).is_some(),
                    head: None,
                    planned: Some(text),
                    hash: None,
                    path,
                });
            }
        }
        sources.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Snapshot { listing, names: Names::new(paths.iter()), paths, sources, hidden })
    }
}

impl Source {
    /// A note on disk is scanned once until it changes.
    fn may_hold_base(&self, draft: &Draft) -> bool {
        match (&self.planned, &self.head) {
            (Some(text), _) => may_hold_base(text),
            (None, Some(head)) => head.may_hold_base(|| Some(may_hold_base(&self.text(draft).ok()?))),
            (None, None) => false,
        }
    }

    fn text(&self, draft: &Draft) -> Result<Arc<str>, VaultError> {
        if let Some(text) = &self.planned {
            return Ok(Arc::clone(text));
        }
        let note = draft.vault().read(&self.path)?;
        if self.hash != Some(note.hash) {
            // Written between the listing and now: the plan is stale.
            return Err(VaultError::Conflict(Box::new(Conflict {
                path: self.path.clone(),
                from: None,
                kind: NoteChangeKind::Modified,
                mine: note.text.to_string(),
                theirs: note.text.to_string(),
                what: vec!["body".to_owned()],
            })));
        }
        Ok(note.text)
    }
}

pub(super) struct MovePlan<'a> {
    pub(super) before: &'a Names,
    pub(super) after: &'a Names,
    pub(super) hidden: &'a HashSet<VaultPath>,
    pub(super) from: &'a VaultPath,
    pub(super) to: &'a VaultPath,
    format: LinkFormat,
    /// Outside of the moved note, only links with these keys can be affected.
    keys: HashSet<String>,
}

impl<'a> MovePlan<'a> {
    pub(super) fn path_after<'p>(&self, path: &'p VaultPath) -> &'p VaultPath
    where
        'a: 'p,
    {
        if path == self.from { self.to } else { path }
    }

    /// The text of a note with the updated links, `None` if none changes.
    fn rewrite(
        &self,
        draft: &Draft,
        source: &Source,
        moved: &mut Moved,
    ) -> Result<Option<String>, VaultError> {
        if source.outlined.outline.is_cut {
            let text = self.text_of(draft, source)?;
            if folded(&text).contains(&folded(self.from.name())) {
                return Err(self.unlinkable(source, 1));
            }
        }
        if source.is_broken && source.is_visible {
            self.leave(source, &self.text_of(draft, source)?, moved);
        }
        let changes = self.changes(&source.path, &source.outlined, source.is_visible)?;
        if changes.is_empty() {
            return Ok(None);
        }
        let text = self.text_of(draft, source)?;
        rewritten(&text, &source.outlined.outline, &changes)
            .map(Some)
            .map_err(|unwritable| self.unlinkable(source, unwritable.line))
    }

    /// The text of a note; an error does not name one that is hidden from the reader.
    fn text_of(&self, draft: &Draft, source: &Source) -> Result<Arc<str>, VaultError> {
        source.text(draft).map_err(|error| match source.is_visible {
            true => error,
            false => self.unlinkable(source, 1),
        })
    }

    /// The links to change in a text of the file `path`.
    pub(super) fn changes(
        &self,
        path: &VaultPath,
        outlined: &Outlined,
        is_visible: bool,
    ) -> Result<Vec<Change>, VaultError> {
        let is_moved = path == self.from;
        let here = self.path_after(path);
        let mut changes = Vec::new();
        for (index, link) in outlined.outline.links.iter().enumerate() {
            if link.target.is_empty() || !(is_moved || self.keys.contains(&outlined.keys[index])) {
                continue;
            }
            let Some(was) = self.before.resolve(&link.target, Some(path)) else { continue };
            let wanted = self.path_after(was);
            let means = |target: &str| self.after.resolve(target, Some(here)) == Some(wanted);
            let is_way = is_moved
                && self.from.folder() != self.to.folder()
                && self.format.is_way(link, self.from, was);
            if means(&link.target) && !is_way {
                continue;
            }
            let mut targets = self.format.targets(link, (path, was), (here, wanted), self.after);
            targets.retain(|target| means(target));
            if targets.first() == Some(&link.target) {
                continue;
            }
            // The new target would reveal where the hidden note is.
            if is_visible && self.hidden.contains(was) {
                return Err(VaultError::Ambiguous { to: self.to.clone() });
            }
            changes.push(Change { link: index, targets });
        }
        Ok(changes)
    }

    /// Reports links in unreadable front matter that the move breaks.
    fn leave(&self, source: &Source, text: &str, moved: &mut Moved) {
        let Some(range) = unreadable_matter(text) else { return };
        for link in wikilinks(text, range) {
            let was = self.before.resolve(&text[link.target.clone()], Some(&source.path));
            let is = self.after.resolve(&text[link.target.clone()], Some(self.path_after(&source.path)));
            if was.is_some_and(|was| is != Some(self.path_after(was))) {
                let line = text[..link.span.start].matches('\n').count() + 1;
                moved.left.push(LeftLink {
                    path: self.path_after(&source.path).clone(),
                    line: u32::try_from(line).unwrap_or(u32::MAX),
                    text: text[link.span].to_owned(),
                });
            }
        }
    }

    fn unlinkable(&self, source: &Source, line: u32) -> VaultError {
        VaultError::Unlinkable {
            path: source.is_visible.then(|| source.path.clone()),
            line,
            to: self.to.clone(),
        }
    }
}
