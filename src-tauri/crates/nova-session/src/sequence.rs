use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The numbers of a session's events. Whoever listens is told in their order: number and telling are
/// one, and what gets a number while a turn's end is being written is told after that end.
#[derive(Debug, Default)]
pub(crate) struct Sequence(Mutex<Numbers>);

#[derive(Debug, Default)]
struct Numbers {
    next: i64,
    /// What is to be told after the end of a turn, while one is being written.
    held: Option<Vec<Telling>>,
}

/// Tells what has its number.
pub(crate) struct Telling(Box<dyn FnOnce() + Send>);

impl Telling {
    pub(crate) fn new(tell: impl FnOnce() + Send + 'static) -> Self {
        Self(Box::new(tell))
    }
}

impl fmt::Debug for Telling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Telling")
    }
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

    /// Takes a number for what is then told before anybody else gets the next, or after the end of the
    /// turn that is being written.
    pub(crate) fn take_and_tell(&self, prepare: impl FnOnce(i64) -> Telling) {
        let mut numbers = self.lock();
        let number = numbers.take();
        let telling = prepare(number);
        match &mut numbers.held {
            Some(held) => held.push(telling),
            None => telling.0(),
        }
    }

    /// The number of a turn's end: what gets one from now on waits for [`Sequence::let_go`].
    pub(crate) fn take_and_hold(&self) -> i64 {
        let mut numbers = self.lock();
        numbers.held.get_or_insert_default();
        numbers.take()
    }

    /// The end is told by `end` if it could be written, and after it what waited.
    pub(crate) fn let_go(&self, end: impl FnOnce()) {
        let mut numbers = self.lock();
        end();
        for telling in numbers.held.take().unwrap_or_default() {
            telling.0();
        }
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

    type Told = Arc<Mutex<Vec<i64>>>;

    fn tell(sequence: &Sequence, told: &Told) {
        let told = told.clone();
        sequence.take_and_tell(|number| {
            Telling::new(move || told.lock().unwrap_or_else(PoisonError::into_inner).push(number))
        });
    }

    fn numbers(told: &Told) -> Vec<i64> {
        told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    #[test]
    fn numbers_are_told_in_their_order_by_any_number_of_tellers() {
        let sequence = Arc::new(Sequence::starting_at(7));
        let told = Told::default();
        let tellers: Vec<_> = (0..4)
            .map(|_| {
                let (sequence, told) = (sequence.clone(), told.clone());
                std::thread::spawn(move || (0..1_000).for_each(|_| tell(&sequence, &told)))
            })
            .collect();
        tellers.into_iter().for_each(|teller| assert!(teller.join().is_ok()));
        assert_eq!(numbers(&told), (7..4_007).collect::<Vec<i64>>());
    }

    #[test]
    fn what_comes_while_an_end_is_written_is_told_after_it() {
        let (sequence, told) = (Sequence::default(), Told::default());
        tell(&sequence, &told);
        let end = sequence.take_and_hold();
        tell(&sequence, &told);
        tell(&sequence, &told);
        assert_eq!(numbers(&told), [0], "the end is being written");
        sequence.let_go(|| told.lock().unwrap_or_else(PoisonError::into_inner).push(end));
        tell(&sequence, &told);
        assert_eq!(numbers(&told), [0, 1, 2, 3, 4]);
    }
}
