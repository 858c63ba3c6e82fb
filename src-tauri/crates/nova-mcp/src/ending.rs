use std::process::ExitStatus;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Why a connection ended, as far as known.
#[derive(Default)]
pub(crate) struct Ending(Mutex<State>);

#[derive(Default)]
struct State {
    why: Option<String>,
    status: Option<String>,
    noise: Option<String>,
}

impl Ending {
    /// Records a reason without a full stop. The first one wins.
    pub(crate) fn say(&self, why: String) {
        self.lock().why.get_or_insert(why);
    }

    pub(crate) fn process_ended(&self, status: ExitStatus) {
        let ended = match status.code() {
            // The guard's exit code for a command that was killed by a signal.
            Some(code @ 129..=192) => format!("It was ended by signal {}", code - 128),
            Some(code) => format!("It ended with code {code}"),
            None => "It was ended".to_owned(),
        };
        self.lock().status.get_or_insert(ended);
    }

    /// Records output on stdout that is not a message.
    pub(crate) fn hear_noise(&self, line: &str) {
        self.lock().noise.get_or_insert_with(|| line.to_owned());
    }

    pub(crate) fn has_process_ended(&self) -> bool {
        self.lock().status.is_some()
    }

    /// The reason without a full stop, if known.
    pub(crate) fn why(&self) -> Option<String> {
        let state = self.lock();
        state.why.clone().or_else(|| state.status.clone())
    }

    pub(crate) fn noise(&self) -> Option<String> {
        self.lock().noise.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
