//! Links to new files.

use super::names::Names;
use super::rewrite::{percent_encoded, wiki};
use crate::error::VaultError;
use crate::note::VaultPath;
use crate::obsidian::LinkFormat;
use crate::reading::index::Texts;
use crate::view::View;

impl View {
    /// The embed for file `to`, which does not exist yet, in the note at `from`, or in one in the vault's
    /// root; in the configured link format.
    pub(crate) fn embed_of_new(
        &self,
        to: &VaultPath,
        from: Option<&VaultPath>,
    ) -> Result<String, VaultError> {
        let listing = self.vault().index().listing(&self.vault().core().disk, Texts::Nobodys)?;
        let there = listing.heads.iter().map(|head| &head.path).chain(&listing.files);
        let names = Names::new(there.filter(|path| *path != to).chain([to]));
        let settings = self.obsidian();
        // The shortest name would reveal whether a private file has the same name.
        let format = match settings.link_format {
            LinkFormat::Shortest if !self.privacy().private.is_empty() => LinkFormat::Absolute,
            format => format,
        };
        let targets = format.new_targets(from.map_or("", VaultPath::folder), to, &names);
        let target = targets.iter().find(|target| names.resolve(target, from) == Some(to));
        let target = target.map_or(to.as_str(), String::as_str);
        Ok(match wiki(target).filter(|_| !settings.markdown_links) {
            Some(target) => format!("![[{target}]]"),
            None => format!("![]({})", percent_encoded(target, false, false)),
        })
    }
}
