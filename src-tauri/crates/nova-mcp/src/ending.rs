use std::process::ExitStatus;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Why a connection ended, as far as anybody has found out.
#[derive(Default)]
pub(crate) struct Ending(Mutex<Told>);

#[derive(Default)]
struct Told {
    why: Option<String>,
    status: Option<String>,
    noise: Option<String>,
}

impl Ending {
    /// Without a full stop. The first reason is the reason.
    pub(crate) fn say(&self, why: String) {
        self.told().why.get_or_insert(why);
    }

    pub(crate) fn process_ended(&self, status: ExitStatus) {
        let ended = match status.code() {
            // A guard tells the signal that ended its command in this way.
            Some(code @ 129..=192) => format!("It was ended by signal {}", code - 128),
            Some(code) => format!("It ended with code {code}"),
            None => "It was ended".to_owned(),
        };
        self.told().status.get_or_insert(ended);
    }

    /// Something was printed where only messages belong.
    pub(crate) fn hear_noise(&self, line: &str) {
        self.told().noise.get_or_insert_with(|| line.to_owned());
    }

    pub(crate) fn has_process_ended(&self) -> bool {
        self.told().status.is_some()
    }

    /// Why, without a full stop, where it is known.
    pub(crate) fn why(&self) -> Option<String> {
        let told = self.told();
        told.why.clone().or_else(|| told.status.clone())
    }

    pub(crate) fn noise(&self) -> Option<String> {
        self.told().noise.clone()
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
