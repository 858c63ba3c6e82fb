//! A second calendar server: Xandikos, which stores events in Git, rewrites them and has a home besides the
//! principal. Installed by `.ci/setup test`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nova_skill::json;
use nova_testkit::{FixedClock, SkillInVault, TempVault};

use crate::caldav::{RETRO, listed, refresh};

/// Stopped at the end of the test.
struct Xandikos {
    process: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Xandikos {
    /// With the user nova, who has one calendar and needs no password.
    fn start() -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/xandikos/bin/xandikos");
        assert!(program.exists(), "Xandikos is missing. Run `.ci/setup test`.");
        let folder = tempfile::tempdir().unwrap();
        // Another program may take the free port first.
        for _ in 0..20 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let mut process = Command::new(&program)
                .args(["serve", "--current-user-principal", "/nova/", "--defaults", "--no-detect-systemd"])
                .args(["-l", "127.0.0.1", "-p", &port.to_string(), "-d"])
                .arg(folder.path().join("data"))
                .arg("--state-dir")
                .arg(folder.path().join("state"))
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
            let says_ready = lines.any(|line| line.contains("Listening on"));
            // Drains the rest of its log.
            std::thread::spawn(move || lines.for_each(drop));
            // It reports readiness just before it listens.
            while says_ready && process.try_wait().unwrap().is_none() {
                if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                    return Self { process, port, _folder: folder };
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            process.wait().unwrap();
        }
        panic!("Xandikos does not start");
    }

    fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// A request of another program of the user; returns the response with its headers.
    fn send(&self, method: &str, id: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(
            stream,
            "{method} /nova/calendars/calendar/{id}.ics HTTP/1.0\r\nhost: 127.0.0.1\r\ncontent-type: text/calendar\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Puts the lines of one `VEVENT` without its UID, which is `id`.
    fn put(&self, id: &str, lines: &str) {
        let body = format!(
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Other//EN\nBEGIN:VEVENT\nUID:{id}\nDTSTAMP:20261101T000000Z\n{lines}\nEND:VEVENT\nEND:VCALENDAR\n"
        );
        let answer = self.send("PUT", id, &body.replace('\n', "\r\n"));
        assert!(answer.contains(" 201 ") || answer.contains(" 204 "), "{answer}");
    }

    /// The skill with this server as the account "Mine".
    fn skill(&self) -> SkillInVault {
        let vault = TempVault::from("").with_clock(FixedClock::default().in_zone("Europe/Berlin"));
        let skill = SkillInVault::new(nova_skill_calendar::skill(), vault);
        skill.with_config(json!({"calendars": [{"name": "Mine", "caldav": self.address()}]}))
    }
}

impl Drop for Xandikos {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn with_retro() -> (Xandikos, SkillInVault) {
    let server = Xandikos::start();
    server.put("retro", RETRO);
    let skill = server.skill();
    let fetched = refresh(&skill);
    assert_eq!(
        fetched,
        json!([{"calendar": "Mine/calendar", "fetched": "2026-11-21T09:00:00Z", "changed": true}])
    );
    (server, skill)
}

#[test]
fn changes_on_the_server_are_fetched() {
    let (server, skill) = with_retro();
    assert_eq!(listed(&skill, "2026-11-24", 1), ["2026-11-24T17:00 Retro"]);
    assert_eq!(refresh(&skill)[0]["changed"], false);
    server.put("lunch", "SUMMARY:Lunch\nDTSTART;VALUE=DATE:20261125");
    server.put("retro", &RETRO.replace("T16", "T15").replace("T17", "T16"));
    assert_eq!(refresh(&skill)[0]["changed"], true);
    assert_eq!(listed(&skill, "2026-11-24", 2), ["2026-11-24T16:00 Retro", "2026-11-25 Lunch"]);
    server.send("DELETE", "retro", "");
    assert_eq!(refresh(&skill)[0]["changed"], true);
    assert_eq!(listed(&skill, "2026-11-24", 2), ["2026-11-25 Lunch"]);
}

#[test]
fn concurrent_change_is_a_conflict() {
    let (server, skill) = with_retro();
    server.put("retro", &RETRO.replace("Retro", "Retro of all"));
    let error = skill.error("update_event", json!({"event": "Mine/calendar/retro", "location": "Room 3"}));
    assert!(
        error.message.ends_with(
            "Yours: Retro (2026-11-24 17:00, Room 3). Theirs: Retro of all (2026-11-24 17:00, Room 1)."
        ),
        "{}",
        error.message
    );
    assert!(server.send("GET", "retro", "").contains("LOCATION:Room 1"));
    // Once the server's version is known, the same change is allowed.
    skill.value("update_event", json!({"event": "Mine/calendar/retro", "location": "Room 3"}));
    let there = server.send("GET", "retro", "");
    assert!(there.contains("SUMMARY:Retro of all") && there.contains("LOCATION:Room 3"), "{there}");
}

#[test]
fn written_event_is_changed_again_and_deleted() {
    let (server, skill) = with_retro();
    let added = skill.value(
        "create_event",
        json!({"title": "Dentist; tooth", "start": "2026-11-25T09:30", "calendar": "Mine/calendar"}),
    );
    let event = added["event"].as_str().unwrap().to_owned();
    skill.value("update_event", json!({"event": event, "start": "2026-11-25T10:30"}));
    refresh(&skill);
    assert_eq!(listed(&skill, "2026-11-25", 1), ["2026-11-25T10:30 Dentist; tooth"]);
    skill.value("delete_event", json!({"event": event}));
    let uid = event.trim_start_matches("Mine/calendar/");
    assert!(server.send("GET", uid, "").contains(" 404 "));
    refresh(&skill);
    assert!(listed(&skill, "2026-11-25", 1).is_empty());
}

#[test]
fn instances_of_a_series_are_moved_and_dropped() {
    let (server, skill) = with_retro();
    server
        .put("daily", "SUMMARY:Stand-up\nDTSTART:20261123T080000Z\nDURATION:PT15M\nRRULE:FREQ=DAILY;COUNT=4");
    refresh(&skill);
    skill.value("delete_event", json!({"event": "Mine/calendar/daily", "date": "2026-11-24"}));
    skill.value(
        "update_event",
        json!({"event": "Mine/calendar/daily", "date": "2026-11-25", "start": "2026-11-25T11:00"}),
    );
    server.send("DELETE", "retro", "");
    let expected = ["2026-11-23T09:00 Stand-up", "2026-11-25T11:00 Stand-up", "2026-11-26T09:00 Stand-up"];
    refresh(&skill);
    assert_eq!(listed(&skill, "2026-11-23", 7), expected);
    // A client without any state gets the same.
    let other = server.skill();
    refresh(&other);
    assert_eq!(listed(&other, "2026-11-23", 7), expected);
}
