use std::time::Duration;

/// Back-off after failures: exponential, with jitter.
#[derive(Debug, Clone, Copy)]
pub struct Pause {
    pub first: Duration,
    pub longest: Duration,
}

impl Pause {
    pub(crate) fn after(self, failures: u32) -> Duration {
        let whole = self.first.saturating_mul(1 << failures.min(16)).min(self.longest);
        let mut byte = [0];
        let _ = getrandom::fill(&mut byte);
        whole.mul_f64(0.75 + f64::from(byte[0]) / 1_020.0)
    }
}

impl Default for Pause {
    fn default() -> Self {
        Self { first: Duration::from_secs(2), longest: Duration::from_secs(300) }
    }
}
