//! The crate's behaviour by examples and properties; expected texts are written by hand.
#![allow(clippy::unwrap_used)]

mod body;
mod diff;
mod edits;
mod generate;
mod merge;
mod outline;
mod paths;
mod prose;
mod random_edits;
mod random_merges;
mod reading;
mod simple;

/// Counts comparisons of list items, so that a test can bound the work of a diff.
pub(crate) mod work {
    use std::cell::Cell;

    thread_local! {
        static DONE: Cell<usize> = const { Cell::new(0) };
    }

    pub(crate) fn done() {
        DONE.with(|done| done.set(done.get() + 1));
    }

    /// The result and the number of comparisons on this thread.
    pub(crate) fn of<T>(work: impl FnOnce() -> T) -> (T, usize) {
        let before = DONE.with(Cell::get);
        let result = work();
        (result, DONE.with(Cell::get) - before)
    }
}
