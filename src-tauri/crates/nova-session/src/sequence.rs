use std::sync::{Mutex, MutexGuard, PoisonError};

use nova_protocol::Event;

/// The numbers of a session's events. Whoever listens is told in their order: number and telling are
/// one, and what happens while a turn's end is being written waits until the end is told.
#[derive(Debug, Default)]
pub(crate) struct Sequence(Mutex<Numbers>);

#[derive(Debug, Default)]
struct Numbers {
    next: i64,
    /// What waits for the end of a turn, while one is being written.
    held: Option<Vec<Event>>,
}

impl Sequence {
    pub(crate) fn starting_at(next: i64) -> Self {
        Self(Mutex::new(Numbers { next, held: None }))
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

    /// Whether it was put off until [`Sequence::let_go`].
    pub(crate) fn put_off(&self, event: &Event) -> bool {
        let mut numbers = self.lock();
        numbers.held.as_mut().map(|held| held.push(event.clone())).is_some()
    }

    /// From now on what does not belong to the turn waits.
    pub(crate) fn hold_back(&self) {
        self.lock().held.get_or_insert_default();
    }

    /// What waited, in the order it came.
    pub(crate) fn let_go(&self) -> Vec<Event> {
        self.lock().held.take().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Numbers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
    use std::sync::Arc;

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
        let sequence = Sequence::default();
        assert!(!sequence.put_off(&event("a")), "nothing is being ended");
        sequence.hold_back();
        assert!(sequence.put_off(&event("b")) && sequence.put_off(&event("c")));
        assert_eq!(sequence.let_go(), [event("b"), event("c")]);
        assert!(!sequence.put_off(&event("d")));
    }
}
