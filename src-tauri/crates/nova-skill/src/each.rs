use std::panic::resume_unwind;
use std::thread;

/// What `look` finds in each item, in the order of the items: [`look_at_parts`] for one at a time.
pub fn look_at_each<'a, T: Sync, R: Send>(items: &'a [T], look: impl Fn(&'a T) -> R + Sync) -> Vec<R> {
    let mut parts = look_at_parts(items, |part| part.iter().map(&look).collect::<Vec<R>>()).into_iter();
    let mut all = parts.next().unwrap_or_default();
    all.extend(parts.flatten());
    all
}

/// What `look` finds in each part of the items, in their order. Of thousands there are several parts,
/// each looked at by a thread of its own: to read a record is work for the processor alone.
///
/// A panic of `look` continues in the caller.
pub fn look_at_parts<'a, T: Sync, R: Send>(items: &'a [T], look: impl Fn(&'a [T]) -> R + Sync) -> Vec<R> {
    /// Below this many for each of two, starting a thread takes longer than it saves.
    const FEW: usize = 1_000;
    /// More hardly help: what is found is put together by one.
    const MOST: usize = 8;
    let cores = thread::available_parallelism().map_or(1, usize::from).min(MOST);
    look_at(cores.min(items.len() / FEW), items, look)
}

/// As [`look_at_parts`] with so many, one of them for this thread.
fn look_at<'a, T: Sync, R: Send>(parts: usize, items: &'a [T], look: impl Fn(&'a [T]) -> R + Sync) -> Vec<R> {
    if parts < 2 {
        return vec![look(items)];
    }
    let look = &look;
    let mut parts = items.chunks(items.len().div_ceil(parts).max(1));
    let first = parts.next().unwrap_or_default();
    thread::scope(|scope| {
        let others: Vec<_> = parts
            .map(|part| (part, thread::Builder::new().spawn_scoped(scope, move || look(part))))
            .collect();
        let mut found = vec![look(first)];
        for (part, other) in others {
            match other.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(more)) => found.push(more),
                Ok(Err(panic)) => resume_unwind(panic),
                // No thread is to be had.
                Err(_) => found.push(look(part)),
            }
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_many_look_they_find_what_one_finds_in_the_same_order() {
        let items: Vec<usize> = (0..5_347).collect();
        for parts in [0, 1, 2, 3, 7, 8] {
            for length in [0, 1, 2, 7, 8, 9, 2_000, 5_347] {
                let found = look_at(parts, &items[..length], <[usize]>::to_vec);
                assert!(found.len() <= parts.max(1), "{parts}, {length}: {}", found.len());
                assert_eq!(found.concat(), items[..length], "{parts}, {length}");
            }
        }
        let text = |item: &usize| format!("{item} is {}", item % 7);
        assert_eq!(look_at_each(&items, text), items.iter().map(text).collect::<Vec<_>>());
        assert_eq!(look_at_each(&items[..0], text), [""; 0]);
    }

    #[test]
    fn each_part_is_looked_at_by_a_thread_of_its_own() {
        let [one, other] = look_at(2, &[1, 2], |_| thread::current().id())[..] else { panic!("two parts") };
        assert_ne!(one, other);
    }

    #[test]
    fn a_panic_reaches_the_one_who_asked() {
        let asked = std::panic::catch_unwind(|| look_at(2, &[1, 2], |part| assert_ne!(part, [2], "odd")));
        let panic = asked.expect_err("the second part panics");
        assert!(panic.downcast_ref::<String>().is_some_and(|said| said.contains("odd")), "{panic:?}");
    }
}
