use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A real name server on a local port, by UDP and TCP: dnslib, installed by `.ci/setup test`. It is stopped on
/// drop.
pub struct NameServer {
    process: Child,
    port: u16,
}

impl NameServer {
    /// Starts a server that knows the records of a zone file (RFC 1035, 5) and no other name.
    ///
    /// # Panics
    /// If it is not installed, or does not start.
    pub fn start(zone: &str) -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut process = Command::new(here.join("../../../.cache/names/bin/python"))
            .arg(here.join("src/names.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("dnslib is missing. Run `.ci/setup test`.");
        let mut input = process.stdin.take().expect("piped");
        input.write_all(zone.as_bytes()).expect("a zone");
        drop(input);
        let mut line = String::new();
        let mut says = BufReader::new(process.stdout.take().expect("piped"));
        says.read_line(&mut line).expect("its port");
        let port = line.trim().parse().expect("dnslib does not start");
        Self { process, port }
    }

    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
