//! Reading: notes, full-text search, queries, links, tasks and bases.
//!
//! Every query reflects the disk at that moment; caches only save reading unchanged files again. Nothing is
//! written: moving a note plans the new links in a [`Draft`](crate::Draft), and nothing here knows how a
//! draft is applied.
//!
//! ```text
//! index      all notes, revalidated against the disk on every query
//! search     full text         query   properties
//! links      link resolution   base    the views of `.base` files, over query and links
//! tasks      list items with a checkbox
//! held       the present content of files, for callers that read them before
//! ```

pub(crate) mod base;
pub(crate) mod held;
pub(crate) mod index;
pub(crate) mod links;
pub(crate) mod query;
pub(crate) mod search;
pub(crate) mod tasks;
