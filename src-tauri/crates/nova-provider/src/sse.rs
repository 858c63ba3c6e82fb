//! Decodes server-sent events incrementally.
//!
//! Not `eventsource-stream`: that crate rescans an unfinished line from its start with every chunk, and
//! buffers invalid UTF-8 until the end, so a hostile server could keep it busy for minutes within any
//! reasonable size limit. This decoder reads each byte once and fails immediately.
//! Format: WHATWG HTML, "Server-sent events", parsing an event stream. `id` and `retry` are ignored: there
//! are no reconnections.

/// One event of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// The `event` field, empty if there was none.
    pub(crate) kind: String,
    /// The `data` lines, joined by line feeds.
    pub(crate) data: String,
}

/// Why a stream is invalid.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SseError {
    NotUtf8,
    TooLong,
}

/// Maximum size of an event, in bytes. A whole note in one call's arguments is far below it.
pub(crate) const LONGEST_EVENT: usize = 8 * 1024 * 1024;

/// The state between two chunks.
#[derive(Default)]
pub(crate) struct SseDecoder {
    line: Vec<u8>,
    /// The last line ended with CR: a directly following LF belongs to the same line end.
    after_cr: bool,
    started: bool,
    kind: String,
    data: Option<String>,
}

impl SseDecoder {
    /// Decodes a chunk and appends the events it completes, including those before an error.
    pub(crate) fn push(&mut self, bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), SseError> {
        for &byte in bytes {
            let pair = std::mem::take(&mut self.after_cr) && byte == b'\n';
            if pair {
                continue;
            }
            match byte {
                b'\n' | b'\r' => {
                    self.after_cr = byte == b'\r';
                    events.extend(self.end_line()?);
                }
                _ => {
                    self.line.push(byte);
                    if self.line.len() + self.data.as_ref().map_or(0, String::len) > LONGEST_EVENT {
                        return Err(SseError::TooLong);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the incomplete event of a stream without a final empty line: the caller decides whether it is
    /// usable.
    pub(crate) fn rest(mut self) -> Option<SseEvent> {
        if !self.line.is_empty() {
            self.end_line().ok()?;
        }
        self.end_line().ok()?
    }

    fn end_line(&mut self) -> Result<Option<SseEvent>, SseError> {
        let line = String::from_utf8(std::mem::take(&mut self.line)).map_err(|_| SseError::NotUtf8)?;
        let line = match std::mem::replace(&mut self.started, true) {
            false => line.strip_prefix('\u{feff}').unwrap_or(&line),
            true => &line,
        };
        if line.is_empty() {
            let kind = std::mem::take(&mut self.kind);
            return Ok(self.data.take().map(|data| SseEvent { kind, data }));
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "event" => self.kind = value.to_owned(),
            _ => {} // A comment (empty field name), or a field that has no meaning here.
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_EVENT, SseDecoder, SseError};

    /// Decodes the stream in one piece and byte by byte, with the same result.
    #[track_caller]
    fn check(stream: &str, expected: &[(&str, &str)]) {
        for size in [stream.len().max(1), 1] {
            let mut decoder = SseDecoder::default();
            let mut events = Vec::new();
            for chunk in stream.as_bytes().chunks(size) {
                decoder.push(chunk, &mut events).expect("a readable stream");
            }
            let found: Vec<_> = events.iter().map(|e| (e.kind.as_str(), e.data.as_str())).collect();
            assert_eq!(found, expected, "in pieces of {size}");
        }
    }

    #[test]
    fn events_follow_the_standard() {
        check("data: one\n\ndata: two\n\n", &[("", "one"), ("", "two")]);
        check("data: one\r\n\r\ndata: two\r\n\r\n", &[("", "one"), ("", "two")]);
        check("data: one\r\rdata: two\r\r", &[("", "one"), ("", "two")]);
        check("data: a\ndata:\ndata:b\n\n", &[("", "a\n\nb")]);
        check("\u{feff}data: ü€😀\n\n", &[("", "ü€😀")]);
        check(": keep-alive\n\nevent: error\ndata: x\nid: 7\n\n", &[("error", "x")]);
        check("event: ping\n\ndata: x\n\n", &[("", "x")]);
        check("data\n\n", &[("", "")]);
        check("data: begun, never ended\n", &[]);
    }

    #[test]
    fn rest_is_the_incomplete_event() {
        for (stream, expected) in [
            ("data: [DO", Some("[DO")),
            ("data: a\n", Some("a")),
            ("data: a\r\ndata: b", Some("a\nb")),
            ("data: a\n\n", None),
            (": comment", None),
            ("", None),
        ] {
            let mut decoder = SseDecoder::default();
            let mut events = Vec::new();
            decoder.push(stream.as_bytes(), &mut events).expect("readable");
            let rest = decoder.rest().map(|event| event.data);
            assert_eq!(rest.as_deref(), expected, "{stream:?}");
        }
    }

    #[test]
    fn invalid_utf8_ends_the_stream_after_earlier_events() {
        let mut events = Vec::new();
        let outcome = SseDecoder::default().push(b"data: one\n\ndata: \xff\n\n", &mut events);
        assert_eq!(outcome, Err(SseError::NotUtf8));
        assert_eq!(events.len(), 1);
    }

    #[test]
    fn endless_event_is_refused() {
        let mut decoder = SseDecoder::default();
        let line = format!("data: {}\n", "x".repeat(LONGEST_EVENT / 4));
        let outcome = (0..5).try_for_each(|_| decoder.push(line.as_bytes(), &mut Vec::new()));
        assert_eq!(outcome, Err(SseError::TooLong));
    }
}
