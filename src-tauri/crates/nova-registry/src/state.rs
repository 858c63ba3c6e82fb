/// How far a skill is. That it is *active* belongs to a session.
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
