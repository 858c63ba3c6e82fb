//! Writes whose answer is lost, and ETags that no condition can name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use nova_skill::{Value, json};
use nova_testkit::{Reply, SkillInVault, WebRequest};

use crate::caldav::{about, answered, refresh};
use crate::calendar;

const RETRO: &str = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:retro\r\nSUMMARY:Retro\r\nDTSTART:20261124T160000Z\r\n\
                     DTEND:20261124T170000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// A calendar server with one calendar, /team/.
#[derive(Default)]
struct Server {
    events: BTreeMap<String, String>,
    /// Closes the connection after so many writes were made, without an answer.
    lost: usize,
    /// Answers no GET, either.
    is_gone: bool,
    /// Before each ETag: `W/` as of a proxy that compresses.
    listed: &'static str,
    got: &'static str,
}

impl Server {
    fn answer(&mut self, request: &WebRequest) -> Reply {
        let path = request.path.clone();
        let etag = |data: &str| format!("\"{}-{}\"", data.len(), data.matches("Room").count());
        let header = |name: &str| request.headers.get(name).map(String::as_str);
        match request.method.as_str() {
            "PROPFIND" => answered(&about("/team/", "<resourcetype><C:calendar/></resourcetype>")),
            "REPORT" => {
                let row = |(path, data): (&String, &String)| {
                    about(
                        path,
                        &format!(
                            "<getetag>{}{}</getetag><C:calendar-data>{data}</C:calendar-data>",
                            self.listed,
                            etag(data)
                        ),
                    )
                };
                answered(&self.events.iter().map(row).collect::<String>())
            }
            "GET" if self.is_gone => Reply::Bytes(Vec::new()),
            "GET" => match self.events.get(&path) {
                Some(data) => Reply::with(200, &[("etag", &format!("{}{}", self.got, etag(data)))], data),
                None => Reply::with(404, &[], ""),
            },
            "PUT" => {
                let there = self.events.get(&path);
                let holds = match header("if-match") {
                    Some(wanted) => there.is_some_and(|data| etag(data) == wanted),
                    None => there.is_none(),
                };
                if !holds {
                    return Reply::with(412, &[], "");
                }
                self.events.insert(path, String::from_utf8(request.body.clone()).unwrap());
                if self.lost == 0 {
                    return Reply::with(201, &[], "");
                }
                self.lost -= 1;
                Reply::Bytes(Vec::new())
            }
            other => panic!("{other} {path}"),
        }
    }
}

fn with(server: Server) -> (Arc<Mutex<Server>>, SkillInVault) {
    let server = Arc::new(Mutex::new(server));
    let there = server.clone();
    let skill = calendar("").with_web(&[], move |request| there.lock().unwrap().answer(request));
    let address = format!("{}/team/", skill.web_address());
    let entry = json!({"name": "Team", "caldav": address, "email": "noor@example.org"});
    let skill = skill.with_config(json!({"calendars": [entry]}));
    refresh(&skill);
    (server, skill)
}

fn lunch(title: &str) -> Value {
    json!({"title": title, "start": "2026-11-25T12:00", "calendar": "Team", "attendees": ["ann@example.org"]})
}

fn titles(server: &Mutex<Server>) -> Vec<String> {
    let server = server.lock().unwrap();
    let title =
        |data: &String| data.lines().find_map(|line| line.strip_prefix("SUMMARY:").map(str::to_owned));
    server.events.values().filter_map(title).collect()
}

#[test]
fn event_whose_answer_was_lost_is_found_on_the_server() {
    let (server, skill) = with(Server { lost: 1, ..Server::default() });
    let made = skill.value("create_event", lunch("Lunch"));
    assert_eq!(titles(&server), ["Lunch"]);
    let event = skill.value("get_event", json!({"event": made["event"]}));
    assert_eq!(event["title"], "Lunch");
}

#[test]
fn repeated_call_invites_nobody_twice() {
    let (server, skill) = with(Server { lost: 1, is_gone: true, ..Server::default() });
    skill.error("create_event", lunch("Lunch"));
    server.lock().unwrap().is_gone = false;
    let made = skill.value("create_event", lunch("Lunch"));
    assert_eq!(titles(&server), ["Lunch"]);
    assert_eq!(made["note"], "It was added before by the same call, and was not added again.");
    let again = skill.value("create_event", lunch("Lunch"));
    assert_eq!((&again["event"], titles(&server).len()), (&made["event"], 1));
    skill.value("create_event", lunch("Dinner"));
    assert_eq!(titles(&server).len(), 2);
}

#[test]
fn identical_event_is_added_again_once_the_first_was_changed() {
    let (server, skill) = with(Server::default());
    let made = skill.value("create_event", lunch("Lunch"));
    let change = json!({"event": made["event"], "title": "Early lunch", "notify": ["ann@example.org"]});
    skill.value("update_event", change);
    let second = skill.value("create_event", lunch("Lunch"));
    assert_ne!(second["event"], made["event"]);
    let mut titles = titles(&server);
    titles.sort();
    assert_eq!(titles, ["Early lunch", "Lunch"]);
}

fn retro() -> BTreeMap<String, String> {
    [("/team/retro.ics".to_owned(), RETRO.to_owned())].into()
}

/// `If-Match` with a weak ETag would fail each time, as if somebody else had changed the event.
#[test]
fn weak_etag_of_a_listing_is_replaced_by_a_strong_one() {
    let (server, skill) = with(Server { events: retro(), listed: "W/", ..Server::default() });
    skill.value("update_event", json!({"event": "Team/retro", "location": "Room 1"}));
    assert!(server.lock().unwrap().events["/team/retro.ics"].contains("LOCATION:Room 1"));

    server.lock().unwrap().events = retro();
    refresh(&skill);
    server.lock().unwrap().events.insert("/team/retro.ics".into(), RETRO.replace("Retro", "Review"));
    let error = skill.error("update_event", json!({"event": "Team/retro", "location": "Room 1"}));
    assert!(error.message.contains("the event changed on the server"), "{}", error.message);
    assert!(server.lock().unwrap().events["/team/retro.ics"].contains("Review"));
}

#[test]
fn event_without_a_strong_etag_is_not_overwritten() {
    let (server, skill) = with(Server { events: retro(), listed: "W/", got: "W/", ..Server::default() });
    let error = skill.error("update_event", json!({"event": "Team/retro", "location": "Room 1"}));
    assert!(error.message.contains("gives the event no strong ETag"), "{}", error.message);
    assert_eq!(server.lock().unwrap().events, retro());
}
