use std::panic::resume_unwind;
use std::thread;

/// Maps each item in parallel, preserving the order: [`par_map_chunks`] for single items.
pub fn par_map<'a, T: Sync, R: Send>(items: &'a [T], map: impl Fn(&'a T) -> R + Sync) -> Vec<R> {
    let mut parts = par_map_chunks(items, |part| part.iter().map(&map).collect::<Vec<R>>()).into_iter();
    let mut all = parts.next().unwrap_or_default();
    all.extend(parts.flatten());
    all
}

/// Maps parts of the items, preserving the order. Thousands of items are split into several parts, one per
/// thread: reading records is CPU-bound.
///
/// A panic of `map` resumes in the caller.
pub fn par_map_chunks<'a, T: Sync, R: Send>(items: &'a [T], map: impl Fn(&'a [T]) -> R + Sync) -> Vec<R> {
    /// Minimum part size: for fewer items, starting a thread takes longer than it saves.
    const FEW: usize = 1_000;
    /// Maximum number of parts: the results are merged by a single thread.
    const MOST: usize = 8;
    let cores = thread::available_parallelism().map_or(1, usize::from).min(MOST);
    map_chunks(cores.min(items.len() / FEW), items, map)
}

/// As [`par_map_chunks`] with a given number of parts, one of them for this thread.
fn map_chunks<'a, T: Sync, R: Send>(
    parts: usize,
    items: &'a [T],
    map: impl Fn(&'a [T]) -> R + Sync,
) -> Vec<R> {
    if parts < 2 {
        return vec![map(items)];
    }
    let map = &map;
    let mut parts = items.chunks(items.len().div_ceil(parts).max(1));
    let first = parts.next().unwrap_or_default();
    thread::scope(|scope| {
        let others: Vec<_> =
            parts.map(|part| (part, thread::Builder::new().spawn_scoped(scope, move || map(part)))).collect();
        let mut found = vec![map(first)];
        for (part, other) in others {
            match other.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(more)) => found.push(more),
                Ok(Err(panic)) => resume_unwind(panic),
                // The thread could not be started.
                Err(_) => found.push(map(part)),
            }
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_order_do_not_depend_on_threads() {
        let items: Vec<usize> = (0..5_347).collect();
        for parts in [0, 1, 2, 3, 7, 8] {
            for length in [0, 1, 2, 7, 8, 9, 2_000, 5_347] {
                let found = map_chunks(parts, &items[..length], <[usize]>::to_vec);
                assert!(found.len() <= parts.max(1), "{parts}, {length}: {}", found.len());
                assert_eq!(found.concat(), items[..length], "{parts}, {length}");
            }
        }
        let text = |item: &usize| format!("{item} is {}", item % 7);
        assert_eq!(par_map(&items, text), items.iter().map(text).collect::<Vec<_>>());
        assert_eq!(par_map(&items[..0], text), [""; 0]);
    }

    #[test]
    fn each_part_has_its_own_thread() {
        let [one, other] = map_chunks(2, &[1, 2], |_| thread::current().id())[..] else {
            panic!("two parts")
        };
        assert_ne!(one, other);
    }

    #[test]
    fn panic_resumes_in_the_caller() {
        let asked = std::panic::catch_unwind(|| map_chunks(2, &[1, 2], |part| assert_ne!(part, [2], "odd")));
        let panic = asked.expect_err("the second part panics");
        assert!(panic.downcast_ref::<String>().is_some_and(|said| said.contains("odd")), "{panic:?}");
    }
}
