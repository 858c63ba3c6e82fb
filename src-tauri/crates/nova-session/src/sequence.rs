use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nova_protocol::Event;
use tokio::sync::Notify;

/// The numbers of a session's events. Whoever listens is told in their order: number and telling are
/// one, and what happens while a turn's end is being written waits until the end is told.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    numbers: Mutex<Numbers>,
    /// Wakes who waits for the end of a turn to be told.
    end_told: Notify,
}

#[derive(Debug, Default)]
struct Numbers {
    next: i64,
    /// What waits for the end of a turn, while one is being written.
    held: Option<Vec<Event>>,
}

impl Sequence {
    pub(crate) fn starting_at(next: i64) -> Self {
        Self { numbers: Mutex::new(Numbers { next, held: None }), end_told: Notify::new() }
    }

    /// Another Nova has used the numbers before this one.
    pub(crate) fn skip_to(&self, next: i64) {
        let mut numbers = self.lock();
        numbers.next = numbers.next.max(next);
    }

    pub(crate) fn take(&self) -> i64 {
        self.lock().take()
    }

    /// Takes a number and tells what has it, before anybody else gets the next.
    pub(crate) fn take_and_tell(&self, tell: impl FnOnce(i64)) {
        let mut numbers = self.lock();
        let number = numbers.take();
        tell(number);
    }

    /// Takes a number for what the work answers with, and tells it; does nothing, and answers None,
    /// while the end of a turn is being written.
    pub(crate) fn unless_ending(
        &self,
        work: impl FnOnce() -> Option<Event>,
        tell: impl FnOnce(i64, Event),
    ) -> Option<bool> {
        let mut numbers = self.lock();
        if numbers.held.is_some() {
            return None;
        }
        let event = work();
        let told = event.is_some();
        if let Some(event) = event {
            tell(numbers.take(), event);
        }
        Some(told)
    }

    /// Waits until no end of a turn is being written.
    pub(crate) async fn end_told(&self) {
        let mut told = pin!(self.end_told.notified());
        told.as_mut().enable();
        if self.lock().held.is_some() {
            told.await;
        }
    }

    /// Whether it was put off until [`Ending::told`].
    pub(crate) fn put_off(&self, event: &Event) -> bool {
        let mut numbers = self.lock();
        numbers.held.as_mut().map(|held| held.push(event.clone())).is_some()
    }

    /// From now on what does not belong to the turn waits.
    pub(crate) fn hold_back(self: &Arc<Self>) -> Ending {
        self.lock().held.get_or_insert_default();
        Ending { sequence: self.clone() }
    }

    fn let_go(&self) -> Vec<Event> {
        let held = self.lock().held.take().unwrap_or_default();
        self.end_told.notify_waiters();
        held
    }

    fn lock(&self) -> MutexGuard<'_, Numbers> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a turn while it is being written. What waits for it waits no longer than this lives.
pub(crate) struct Ending {
    sequence: Arc<Sequence>,
}

impl Ending {
    /// The end is told. What waited, in the order it came.
    pub(crate) fn told(self) -> Vec<Event> {
        self.sequence.let_go()
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.sequence.let_go();
    }
}

impl Numbers {
    fn take(&mut self) -> i64 {
        let number = self.next;
        self.next += 1;
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: &str) -> Event {
        Event::SessionChanged { id: id.into() }
    }

    #[test]
    fn numbers_are_told_in_their_order_by_any_number_of_tellers() {
        let sequence = Arc::new(Sequence::starting_at(7));
        let told = Arc::new(Mutex::new(Vec::new()));
        let tellers: Vec<_> = (0..4)
            .map(|_| {
                let (sequence, told) = (sequence.clone(), told.clone());
                std::thread::spawn(move || {
                    for _ in 0..1_000 {
                        sequence.take_and_tell(|number| {
                            told.lock().unwrap_or_else(PoisonError::into_inner).push(number);
                        });
                    }
                })
            })
            .collect();
        tellers.into_iter().for_each(|teller| assert!(teller.join().is_ok()));
        let told = told.lock().unwrap_or_else(PoisonError::into_inner).clone();
        assert_eq!(told, (7..4_007).collect::<Vec<i64>>());
    }

    #[test]
    fn what_comes_while_an_end_is_written_comes_after_it() {
        let sequence = Arc::new(Sequence::default());
        assert!(!sequence.put_off(&event("a")), "nothing is being ended");
        let ending = sequence.hold_back();
        assert!(sequence.put_off(&event("b")) && sequence.put_off(&event("c")));
        assert_eq!(ending.told(), [event("b"), event("c")]);
        assert!(!sequence.put_off(&event("d")));
    }

    #[tokio::test]
    async fn what_has_to_be_written_waits_for_the_end_that_is_being_written() {
        let sequence = Arc::new(Sequence::starting_at(5));
        let told = Mutex::new(Vec::new());
        let tell = |number, event| told.lock().unwrap_or_else(PoisonError::into_inner).push((number, event));
        let ending = sequence.hold_back();
        assert_eq!(sequence.unless_ending(|| panic!("it is not done"), tell), None);
        let waiting = tokio::spawn({
            let sequence = sequence.clone();
            async move { sequence.end_told().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        // The end itself.
        assert_eq!(sequence.take(), 5);
        ending.told();
        assert!(waiting.await.is_ok());
        assert_eq!(sequence.unless_ending(|| Some(event("a")), tell), Some(true));
        assert_eq!(sequence.unless_ending(|| None, tell), Some(false));
        assert_eq!(*told.lock().unwrap_or_else(PoisonError::into_inner), [(6, event("a"))]);
        sequence.end_told().await;
    }
}
