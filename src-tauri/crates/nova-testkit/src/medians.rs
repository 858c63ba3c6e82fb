use std::time::{Duration, Instant};

/// The median times of two operations that alternate for this many rounds; the first round is a warm-up. For
/// benchmarks.
pub fn medians_by_turns(rounds: usize, ours: impl Fn(), theirs: impl Fn()) -> [Duration; 2] {
    let timed = |work: &dyn Fn()| {
        let begin = Instant::now();
        work();
        begin.elapsed()
    };
    let times = (0..=rounds).map(|_| (timed(&ours), timed(&theirs))).skip(1);
    let (mut ours, mut theirs): (Vec<_>, Vec<_>) = times.unzip();
    [&mut ours, &mut theirs].map(|times| {
        times.sort();
        times[rounds / 2]
    })
}
