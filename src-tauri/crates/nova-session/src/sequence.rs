use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nova_protocol::Event;
use tokio::sync::Notify;

/// Numbers a session's events. Listeners receive them in order: numbering and emitting are one step, and an
/// event numbered while a turn's end is being written is emitted after that end.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    numbers: Mutex<Numbers>,
    /// Wakes tasks that wait until the end of a turn is emitted.
    end_emitted: Notify,
}

#[derive(Debug, Default)]
struct Numbers {
    next: i64,
    /// The end of a turn is being written.
    ending: bool,
    /// Events to emit after that end, once the end has its number.
    held: Option<Vec<PendingEmit>>,
}

/// Emits a numbered event.
pub(crate) struct PendingEmit(Box<dyn FnOnce() + Send>);

impl PendingEmit {
    pub(crate) fn new(emit: impl FnOnce() + Send + 'static) -> Self {
        Self(Box::new(emit))
    }
}

impl fmt::Debug for PendingEmit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PendingEmit")
    }
}

impl Sequence {
    pub(crate) fn starting_at(next: i64) -> Self {
        Self { numbers: Mutex::new(Numbers { next, ..Numbers::default() }), end_emitted: Notify::new() }
    }

    /// Skips numbers that another Nova process has used.
    pub(crate) fn skip_to(&self, next: i64) {
        let mut numbers = self.lock();
        numbers.next = numbers.next.max(next);
    }

    pub(crate) fn take(&self) -> i64 {
        self.lock().take()
    }

    /// Takes a number and emits the event before anyone else takes the next, or after the end of the turn
    /// that is being written.
    pub(crate) fn emit_numbered(&self, prepare: impl FnOnce(i64) -> PendingEmit) {
        let mut numbers = self.lock();
        let number = numbers.take();
        let pending = prepare(number);
        match &mut numbers.held {
            Some(held) => held.push(pending),
            None => pending.0(),
        }
    }

    /// Takes the number of a turn's end: events numbered from now on are emitted after it.
    pub(crate) fn take_and_hold(&self) -> i64 {
        let mut numbers = self.lock();
        numbers.held.get_or_insert_default();
        numbers.take()
    }

    /// Takes a number for the event that `work` returns, and emits it; does nothing and returns `None` while
    /// the end of a turn is being written.
    pub(crate) fn unless_ending(
        &self,
        work: impl FnOnce() -> Option<Event>,
        emit: impl FnOnce(i64, Event),
    ) -> Option<bool> {
        let mut numbers = self.lock();
        if numbers.ending {
            return None;
        }
        let event = work();
        let emitted = event.is_some();
        if let Some(event) = event {
            emit(numbers.take(), event);
        }
        Some(emitted)
    }

    /// Waits until no end of a turn is being written.
    pub(crate) async fn end_emitted(&self) {
        let mut emitted = pin!(self.end_emitted.notified());
        emitted.as_mut().enable();
        if self.lock().ending {
            emitted.await;
        }
    }

    /// Starts writing the end of a turn.
    pub(crate) fn begin_end(self: &Arc<Self>) -> Ending {
        self.lock().ending = true;
        Ending(Some(self.clone()))
    }

    fn release(&self, end: impl FnOnce()) {
        let mut numbers = self.lock();
        end();
        for pending in numbers.held.take().unwrap_or_default() {
            pending.0();
        }
        numbers.ending = false;
        drop(numbers);
        self.end_emitted.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, Numbers> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a turn while it is being written. Others wait for it until it is dropped.
pub(crate) struct Ending(Option<Arc<Sequence>>);

impl Ending {
    /// `end` emits the end, if it could be written; then the waiting events are emitted in order.
    pub(crate) fn commit(mut self, end: impl FnOnce()) {
        if let Some(sequence) = self.0.take() {
            sequence.release(end);
        }
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if let Some(sequence) = self.0.take() {
            sequence.release(|| {});
        }
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

    type Emitted = Arc<Mutex<Vec<i64>>>;

    fn emit(sequence: &Sequence, emitted: &Emitted) {
        let emitted = emitted.clone();
        sequence.emit_numbered(|number| {
            PendingEmit::new(move || emitted.lock().unwrap_or_else(PoisonError::into_inner).push(number))
        });
    }

    fn numbers(emitted: &Emitted) -> Vec<i64> {
        emitted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    #[test]
    fn concurrent_events_are_emitted_in_order() {
        let sequence = Arc::new(Sequence::starting_at(7));
        let emitted = Emitted::default();
        let tellers: Vec<_> = (0..4)
            .map(|_| {
                let (sequence, emitted) = (sequence.clone(), emitted.clone());
                std::thread::spawn(move || (0..1_000).for_each(|_| emit(&sequence, &emitted)))
            })
            .collect();
        tellers.into_iter().for_each(|teller| assert!(teller.join().is_ok()));
        assert_eq!(numbers(&emitted), (7..4_007).collect::<Vec<i64>>());
    }

    #[test]
    fn events_during_the_write_of_an_end_are_emitted_after_it() {
        let (sequence, emitted) = (Arc::new(Sequence::default()), Emitted::default());
        let ending = sequence.begin_end();
        emit(&sequence, &emitted);
        let end = sequence.take_and_hold();
        emit(&sequence, &emitted);
        emit(&sequence, &emitted);
        assert_eq!(numbers(&emitted), [0], "the end is being written");
        ending.commit(|| emitted.lock().unwrap_or_else(PoisonError::into_inner).push(end));
        emit(&sequence, &emitted);
        assert_eq!(numbers(&emitted), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn failed_write_of_an_end_releases_waiting_events() {
        let (sequence, emitted) = (Arc::new(Sequence::default()), Emitted::default());
        let ending = sequence.begin_end();
        let _lost = sequence.take_and_hold();
        emit(&sequence, &emitted);
        drop(ending);
        emit(&sequence, &emitted);
        assert_eq!(numbers(&emitted), [1, 2]);
    }

    #[tokio::test]
    async fn writers_wait_for_the_end_being_written() {
        let event = |id: &str| Event::SessionChanged { id: id.into() };
        let sequence = Arc::new(Sequence::starting_at(5));
        let emitted = Mutex::new(Vec::new());
        let emit =
            |number, event| emitted.lock().unwrap_or_else(PoisonError::into_inner).push((number, event));
        let ending = sequence.begin_end();
        assert_eq!(sequence.unless_ending(|| panic!("the sequence is not done"), emit), None);
        let waiting = tokio::spawn({
            let sequence = sequence.clone();
            async move { sequence.end_emitted().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        assert_eq!(sequence.take_and_hold(), 5);
        ending.commit(|| {});
        assert!(waiting.await.is_ok());
        assert_eq!(sequence.unless_ending(|| Some(event("a")), emit), Some(true));
        assert_eq!(sequence.unless_ending(|| None, emit), Some(false));
        assert_eq!(*emitted.lock().unwrap_or_else(PoisonError::into_inner), [(6, event("a"))]);
        sequence.end_emitted().await;
    }
}
