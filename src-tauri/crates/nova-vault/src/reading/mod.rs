//! Reading: which notes there are, what they say, what they link to, and the answers of bases.
//!
//! Every question is answered from the disk as it is at that moment; what is remembered only saves
//! reading again what did not change. It changes nothing: moving a note plans the new links in a
//! [`Draft`](crate::Draft), and nothing here knows how one is written.
//!
//! ```text
//! index      all notes, compared with the disk at every question
//! search     what they say        query   their properties
//! links      what leads where     base    the views of `.base` files, over query and links
//! tasks      list items with a checkbox
//! held       what files hold now, for whoever has read them before
//! ```

pub(crate) mod base;
pub(crate) mod held;
pub(crate) mod index;
pub(crate) mod links;
pub(crate) mod query;
pub(crate) mod search;
pub(crate) mod tasks;
