//! Reads a note that another program may be writing in place.

use std::time::Duration;

use crate::step::Steps;

/// An unexpected text may be half of one that another program is writing in place: reads again until two
/// reads agree. `what` is the path of the note.
pub(super) fn settled<T: PartialEq, E>(
    steps: &Steps,
    what: &str,
    first: Option<T>,
    read: impl Fn() -> Result<Option<T>, E>,
) -> Result<Option<T>, E> {
    let mut last = first;
    for _ in 0..20 {
        steps.settle(what, Duration::from_millis(15));
        let next = read()?;
        if next == last {
            break;
        }
        last = next;
    }
    Ok(last)
}
