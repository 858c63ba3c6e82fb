/// The state of a skill. Whether it is *active* is a state of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Available,
    Disabled,
    Unavailable,
    NeedsSignIn,
    NeedsReview,
    Starting,
    Failed,
    Broken,
}
