//! The log of a tool, shown on its card.

use std::sync::{Mutex, PoisonError};

use nova_protocol::{LogLevel as LevelView, LogLine};
use nova_skill::LogLevel;

/// Maximum number of lines per call.
const MOST_LINES: usize = 200;
/// Maximum length of a line in bytes.
const LONGEST_LINE: usize = 1_000;

#[derive(Default)]
pub(crate) struct CallLog(Mutex<Vec<LogLine>>);

impl CallLog {
    /// Adds a message, with secrets removed.
    pub(crate) fn add(&self, level: LogLevel, message: &str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let level = match level {
            LogLevel::Debug => LevelView::Debug,
            LogLevel::Info => LevelView::Info,
            LogLevel::Warn => LevelView::Warn,
            LogLevel::Error => LevelView::Error,
        };
        match lines.len() {
            0..MOST_LINES => {
                let end = message.floor_char_boundary(LONGEST_LINE);
                lines.push(LogLine { level, message: message[..end].to_owned() });
            }
            MOST_LINES => lines
                .push(LogLine { level: LevelView::Warn, message: "Further log lines were dropped.".into() }),
            _ => {}
        }
    }

    pub(crate) fn take(&self) -> Vec<LogLine> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flood_of_lines_is_truncated_with_a_note() {
        let log = CallLog::default();
        for at in 0..500 {
            log.add(LogLevel::Info, &format!("{at}{}", "ä".repeat(5_000)));
        }
        let lines = log.take();
        assert_eq!(lines.len(), MOST_LINES + 1);
        assert!(lines.iter().all(|line| line.message.len() <= LONGEST_LINE));
        assert_eq!(lines.last().map(|line| line.level), Some(LevelView::Warn));
    }
}
