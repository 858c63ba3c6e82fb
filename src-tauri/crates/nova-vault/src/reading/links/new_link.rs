//! Links put around words of a note.

use super::Question;
use super::format::without_extension;
use super::names::Names;
use super::rewrite::{percent_encoded, wiki};
use crate::note::VaultPath;
use crate::obsidian::LinkFormat;

/// Writes new links in a vault's configured format.
pub(super) struct NewLinks<'a> {
    names: &'a Names,
    format: LinkFormat,
    is_markdown: bool,
}

impl<'a> NewLinks<'a> {
    pub(super) fn of(question: &'a Question<'_>) -> NewLinks<'a> {
        let (settings, privacy) = (question.view.obsidian(), question.view.privacy());
        let hides_some = || {
            let is_hidden = |path: &VaultPath| privacy.lists(path);
            question.listing.heads.iter().any(|head| head.is_hidden_by(privacy))
                || question.listing.files.iter().any(is_hidden)
        };
        // The shortest name would refer to a hidden file of that name, or reveal that one exists.
        let format = match settings.link_format {
            LinkFormat::Shortest if hides_some() => LinkFormat::Absolute,
            format => format,
        };
        NewLinks { names: &question.names, format, is_markdown: settings.markdown_links }
    }

    /// The link from the note at `from` to the one at `to` with these words as its text; `None` if it
    /// cannot be written.
    pub(super) fn text(
        &self,
        from: &VaultPath,
        to: &VaultPath,
        words: &str,
        in_table: bool,
    ) -> Option<String> {
        if words.contains(['[', ']', '|', '\\', '\n', '`', '<']) {
            return None;
        }
        let means = |target: &str| self.names.resolve(target, Some(from)) == Some(to);
        let targets = self.format.new_targets(from.folder(), to, self.names);
        if self.is_markdown {
            let target = targets.iter().find(|target| means(target))?;
            return Some(format!("[{words}]({})", percent_encoded(target, false, false)));
        }
        let short = targets.iter().map(|target| without_extension(target.clone()));
        let target =
            short.chain(targets.iter().cloned()).find(|target| means(target) && wiki(target).is_some())?;
        let bar = if in_table { "\\|" } else { "|" };
        Some(if target == words { format!("[[{words}]]") } else { format!("[[{target}{bar}{words}]]") })
    }
}
