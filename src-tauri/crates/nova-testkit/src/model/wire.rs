//! The subset of HTTP/1.1 that a scripted server needs.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::TcpStream;

use serde_json::Value;

pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    /// The header of that name, `x-api-key` or `x-goog-api-key`.
    pub(super) authorization: Option<String>,
    pub(super) body: Vec<u8>,
}

/// `None` if the client disconnected before its request was complete.
pub(super) fn read_request(connection: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        read_more(connection, &mut bytes)?;
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let length = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse().ok())
        .unwrap_or(0);
    let start = head_end + 4;
    while bytes.len() < start + length {
        read_more(connection, &mut bytes)?;
    }
    let authorization = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| {
            ["authorization", "x-api-key", "x-goog-api-key"].iter().any(|key| name.eq_ignore_ascii_case(key))
        })
        .map(|(_, value)| value.trim().to_owned());
    let mut words = head.split_whitespace();
    Some(Request {
        method: words.next()?.to_owned(),
        path: words.next()?.to_owned(),
        authorization,
        body: bytes[start..start + length].to_vec(),
    })
}

fn read_more(connection: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    let mut buffer = [0; 8192];
    match connection.read(&mut buffer) {
        Ok(0) | Err(_) => None,
        Ok(count) => {
            bytes.extend_from_slice(&buffer[..count]);
            Some(())
        }
    }
}

/// Sends a complete response.
pub(super) fn json(connection: &mut TcpStream, status: u16, body: &Value) -> Result<()> {
    let body = body.to_string();
    write!(
        connection,
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )?;
    connection.flush()
}

/// A stream of events; each event is one HTTP chunk unless a size is set.
pub(super) struct Chunked<'a> {
    connection: &'a mut TcpStream,
    size: Option<usize>,
    held: Vec<u8>,
}

impl<'a> Chunked<'a> {
    pub(super) fn start(connection: &'a mut TcpStream, size: Option<usize>) -> Result<Self> {
        connection.set_nodelay(true)?;
        connection.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n",
        )?;
        Ok(Self { connection, size, held: Vec::new() })
    }

    pub(super) fn event(&mut self, bytes: &str) -> Result<()> {
        self.held.extend_from_slice(bytes.as_bytes());
        let Some(size) = self.size else { return self.flush() };
        while self.held.len() >= size {
            let rest = self.held.split_off(size);
            let chunk = std::mem::replace(&mut self.held, rest);
            self.chunk(&chunk)?;
        }
        Ok(())
    }

    /// Sends buffered data, without an end.
    pub(super) fn flush(&mut self) -> Result<()> {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() { Ok(()) } else { self.chunk(&held) }
    }

    pub(super) fn finish(mut self) -> Result<()> {
        self.flush()?;
        self.connection.write_all(b"0\r\n\r\n")
    }

    fn chunk(&mut self, bytes: &[u8]) -> Result<()> {
        let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
        chunk.extend_from_slice(bytes);
        chunk.extend_from_slice(b"\r\n");
        self.connection.write_all(&chunk)
    }
}

/// Waits until the client disconnects; returns the resulting error.
pub(super) fn wait_for_end(connection: &mut TcpStream) -> Error {
    let mut rest = [0; 1024];
    loop {
        match connection.read(&mut rest) {
            Ok(0) => return ErrorKind::ConnectionAborted.into(),
            Ok(_) => {}
            Err(error) => return error,
        }
    }
}
