//! A calendar server of another author, on a port of its own: Radicale, fetched by `.ci/setup test`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use nova_skill::{Value, json};
use nova_testkit::{FixedClock, FixedCredentials, SkillInVault, TempVault};

/// `noor:secret-of-noor`
const AUTHORIZATION: &str = "Basic bm9vcjpzZWNyZXQtb2Ytbm9vcg==";

pub(crate) struct Radicale {
    _process: Running,
    port: u16,
    _folder: tempfile::TempDir,
}

/// Ends with the test.
struct Running(Child);

impl Radicale {
    /// With the user noor, who has no calendar yet.
    pub(crate) fn start() -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/radicale/bin/radicale");
        assert!(program.exists(), "Radicale is missing. Run `.ci/setup test`.");
        let folder = tempfile::tempdir().unwrap();
        let users = folder.path().join("users");
        std::fs::write(&users, "noor:secret-of-noor\n").unwrap();
        // Another program may take a port that is free now.
        for _ in 0..20 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let process = Command::new(&program)
                .args(["--config", "", "--hosts", &format!("127.0.0.1:{port}")])
                .args(["--auth-type", "htpasswd", "--auth-htpasswd-encryption", "plain"])
                .args(["--auth-delay", "0", "--storage-filesystem-folder"])
                .arg(folder.path().join("data"))
                .arg("--auth-htpasswd-filename")
                .arg(&users)
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut process = Running(process);
            let mut lines = BufReader::new(process.0.stderr.take().unwrap()).lines().map_while(Result::ok);
            if lines.any(|line| line.contains("server ready")) {
                // What it logs later has to go somewhere.
                std::thread::spawn(move || lines.for_each(drop));
                let server = Self { _process: process, port, _folder: folder };
                // Its first request makes the user.
                server.send("PROPFIND", "/", &[("depth", "0")], "");
                return server;
            }
        }
        panic!("Radicale does not start");
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// What another program of the user asks; the answer with its headers.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nhost: 127.0.0.1\r\nauthorization: {AUTHORIZATION}\r\ncontent-length: {}\r\n{headers}\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    pub(crate) fn make_calendar(&self, id: &str, name: &str) {
        let body = format!(
            r#"<?xml version="1.0"?><C:mkcalendar xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop><displayname>{name}</displayname></prop></set></C:mkcalendar>"#
        );
        let answer = self.send("MKCALENDAR", &format!("/noor/{id}/"), &[], &body);
        assert!(answer.contains(" 201 "), "{answer}");
    }

    /// Lines of one `VEVENT` without its UID, which is `id`.
    pub(crate) fn put(&self, id: &str, lines: &str) {
        let answer = self
            .put_file(id, &format!("BEGIN:VEVENT\nUID:{id}\nDTSTAMP:20261101T000000Z\n{lines}\nEND:VEVENT"));
        assert!(answer.contains(" 201 ") || answer.contains(" 204 ") || answer.contains(" 200 "), "{answer}");
    }

    pub(crate) fn put_file(&self, id: &str, components: &str) -> String {
        let body =
            format!("BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Other//EN\n{components}\nEND:VCALENDAR\n");
        let body = body.replace('\n', "\r\n");
        self.send("PUT", &format!("/noor/work/{id}.ics"), &[("content-type", "text/calendar")], &body)
    }

    pub(crate) fn get(&self, id: &str) -> String {
        self.send("GET", &format!("/noor/work/{id}.ics"), &[], "")
    }

    /// The skill with this server as the account "Mine".
    pub(crate) fn skill(&self) -> SkillInVault {
        self.skill_with(json!({}))
    }

    pub(crate) fn skill_with(&self, more: Value) -> SkillInVault {
        let mut entry = json!({
            "name": "Mine", "caldav": self.address(), "user": "noor", "password": "${credentials:calendar/mine}",
        });
        for (key, value) in more.as_object().unwrap() {
            entry[key] = value.clone();
        }
        let vault = TempVault::from("").with_clock(FixedClock::default().in_zone("Europe/Berlin"));
        let skill = SkillInVault::new(nova_skill_calendar::skill(), vault);
        let mut skill = skill.with_config(json!({"calendars": [entry]}));
        skill.credentials =
            std::sync::Arc::new(FixedCredentials::default().with("calendar/mine", "secret-of-noor"));
        skill
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
