use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// `noor:secret-of-noor`
const AUTHORIZATION: &str = "Basic bm9vcjpzZWNyZXQtb2Ytbm9vcg==";

/// A real calendar server on a local port: Radicale, installed by `.ci/setup test`. It is stopped on drop.
pub struct Radicale {
    process: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Radicale {
    /// The password of its user, `noor`.
    pub const PASSWORD: &str = "secret-of-noor";

    /// Starts a server with a user who has no calendar yet.
    ///
    /// # Panics
    /// If it is not installed, or does not start.
    pub fn start() -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../.cache/radicale/bin/radicale");
        assert!(program.exists(), "Radicale is missing. Run `.ci/setup test`.");
        let folder = tempfile::tempdir().expect("a folder");
        let users = folder.path().join("users");
        std::fs::write(&users, format!("noor:{}\n", Self::PASSWORD)).expect("a file");
        // Another program may take a port that is free now.
        for _ in 0..20 {
            let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
            let port = free.expect("a free port").port();
            let mut process = Command::new(&program)
                .args(["--config", "", "--hosts", &format!("127.0.0.1:{port}")])
                .args(["--auth-type", "htpasswd", "--auth-htpasswd-encryption", "plain"])
                .args(["--auth-delay", "0", "--storage-filesystem-folder"])
                .arg(folder.path().join("data"))
                .arg("--auth-htpasswd-filename")
                .arg(&users)
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .expect("it runs");
            let said = BufReader::new(process.stderr.take().expect("piped"));
            let mut lines = said.lines().map_while(Result::ok);
            if lines.any(|line| line.contains("server ready")) {
                // Its later log must be read by somebody.
                std::thread::spawn(move || lines.for_each(drop));
                let server = Self { process, port, _folder: folder };
                // Its first request makes the user.
                server.send("PROPFIND", "/", &[("depth", "0")], "");
                return server;
            }
            process.wait().expect("it ended");
        }
        panic!("Radicale does not start");
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Sends a request of another program of the user; the answer includes its headers.
    ///
    /// # Panics
    /// If there is no answer.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nhost: 127.0.0.1\r\nauthorization: {AUTHORIZATION}\r\ncontent-length: {}\r\n{headers}\r\n{body}",
            body.len()
        )
        .expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// # Panics
    /// If it is refused.
    pub fn make_calendar(&self, id: &str, name: &str) {
        let body = format!(
            r#"<?xml version="1.0"?><C:mkcalendar xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop><displayname>{name}</displayname></prop></set></C:mkcalendar>"#
        );
        let answer = self.send("MKCALENDAR", &format!("/noor/{id}/"), &[], &body);
        assert!(answer.contains(" 201 "), "{answer}");
    }

    /// Writes an event of the calendar `work`; `lines` are those of its `VEVENT` except the UID, which is `id`.
    ///
    /// # Panics
    /// If it is refused.
    pub fn put(&self, id: &str, lines: &str) {
        let answer = self
            .put_file(id, &format!("BEGIN:VEVENT\nUID:{id}\nDTSTAMP:20261101T000000Z\n{lines}\nEND:VEVENT"));
        assert!(answer.contains(" 201 ") || answer.contains(" 204 ") || answer.contains(" 200 "), "{answer}");
    }

    /// Writes a file of the calendar `work`.
    ///
    /// # Panics
    /// If there is no answer.
    pub fn put_file(&self, id: &str, components: &str) -> String {
        let body =
            format!("BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Other//EN\n{components}\nEND:VCALENDAR\n");
        let body = body.replace('\n', "\r\n");
        self.send("PUT", &format!("/noor/work/{id}.ics"), &[("content-type", "text/calendar")], &body)
    }

    /// Reads an event of the calendar `work`.
    ///
    /// # Panics
    /// If there is no answer.
    pub fn get(&self, id: &str) -> String {
        self.send("GET", &format!("/noor/work/{id}.ics"), &[], "")
    }
}

impl Drop for Radicale {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
