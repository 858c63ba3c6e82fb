use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nova_registry::harmless_line;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::definition::short;
use crate::limits;

/// The tail of a process's stderr.
#[derive(Clone, Default)]
pub(crate) struct LastLines(Arc<Mutex<VecDeque<u8>>>);

impl LastLines {
    /// Reads to the end, so that the process never blocks on a full pipe.
    pub(crate) async fn follow(self, mut from: impl AsyncRead + Unpin) {
        let mut read = vec![0; 8 << 10];
        while let Ok(length @ 1..) = from.read(&mut read).await {
            let mut kept = self.kept();
            kept.extend(&read[..length]);
            let over = kept.len().saturating_sub(limits::STDERR);
            kept.drain(..over);
        }
    }

    /// Resets for a new process.
    pub(crate) fn clear(&self) {
        self.kept().clear();
    }

    /// The last non-empty lines, oldest first.
    pub(crate) fn last(&self, most: usize) -> Vec<String> {
        let kept: Vec<u8> = self.kept().iter().copied().collect();
        let text = String::from_utf8_lossy(&kept);
        let lines = text.lines().rev().map(|line| short(&harmless_line(line)));
        let mut last: Vec<String> = lines.filter(|line| !line.is_empty()).take(most).collect();
        last.reverse();
        last
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn newest_output_is_kept() {
        let lines = LastLines::default();
        let flood = [b"old\n".repeat(1 << 20), b"one\n\n\x1b[31mtwo\xff\n".to_vec()].concat();
        lines.clone().follow(flood.as_slice()).await;
        assert_eq!(lines.kept().len(), limits::STDERR);
        assert_eq!(lines.last(2), ["one", "[U+001B][31mtwo\u{fffd}"]);
        assert_eq!(LastLines::default().last(3), [""; 0]);
    }
}
