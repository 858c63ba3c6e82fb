//! CalDAV requests and responses, in the spelling of several servers.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use nova_dav::caldav::{
    Changes, Condition, DavError, Found, Known, Published, Request, Resource, Response, Transport, Written,
    XmlError, delete, discover, put, resource_url, sync,
};
use url::Url;

/// A fake server with scripted responses to `METHOD path`.
#[derive(Default)]
struct Server {
    answers: Mutex<BTreeMap<String, Vec<(u16, String)>>>,
    asked: Mutex<Vec<Request>>,
    /// Another host that may be reached.
    second: Option<&'static str>,
    published: Published,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nobody answers")]
struct Nobody;

impl Server {
    fn new(answers: &[(&str, u16, &str)]) -> Self {
        let server = Self::default();
        for (request, status, body) in answers {
            let mut all = server.answers.lock().unwrap();
            all.entry((*request).to_owned()).or_default().push((*status, (*body).to_owned()));
        }
        server
    }

    fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked.iter().map(|request| format!("{} {}", request.method, request.url.path())).collect()
    }
}

impl Transport for Server {
    type Error = Nobody;

    async fn send(&self, request: Request) -> Result<Response, Nobody> {
        let key = format!("{} {}", request.method, request.url.path());
        let url = request.url.clone();
        self.asked.lock().unwrap().push(request);
        let mut answers = self.answers.lock().unwrap();
        let left = answers.get_mut(&key).filter(|left| !left.is_empty()).ok_or(Nobody)?;
        let (status, body) = left.remove(0);
        let etag = (status == 201).then(|| "\"written\"".to_owned());
        Ok(Response { status, url, etag, body: body.into_bytes() })
    }

    fn may_reach(&self, url: &Url) -> bool {
        url.scheme() == "https" && url.port().is_none() && url.domain() == self.second
    }

    async fn published(&self, _: &str) -> Published {
        self.published.clone()
    }
}

/// Polls once: nothing here waits.
fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("a test waits for nothing"),
    }
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn found(address: &str, answers: &[(&str, u16, &str)]) -> Result<String, DavError<Nobody>> {
    let server = Server::new(answers);
    let (word, calendars) = match now(discover(&server, &url(address)))? {
        Found::Calendar(calendar) => ("calendar", vec![calendar]),
        Found::Account(calendars) => ("account", calendars),
    };
    let mut said = word.to_owned();
    for calendar in calendars {
        let name = calendar.name.unwrap_or_default();
        let color = calendar.color.unwrap_or_default();
        let right = if calendar.writable { "write" } else { "read" };
        write!(said, " | {} {name} {color} {right}", calendar.url.path()).unwrap();
        assert!(calendar.ctag.is_none_or(|ctag| !ctag.is_empty()));
    }
    Ok(said)
}

const RADICALE_ROOT: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><response><href>/</href><propstat><prop><resourcetype><collection /></resourcetype><current-user-principal><href>/nova/</href></current-user-principal></prop><status>HTTP/1.1 200 OK</status></propstat><propstat><prop><C:calendar-home-set /></prop><status>HTTP/1.1 404 Not Found</status></propstat></response></multistatus>"#;
const RADICALE_PRINCIPAL: &str = r#"<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><response><href>/nova/</href><propstat><prop><resourcetype><principal /><collection /></resourcetype><C:calendar-home-set><href>/nova/</href></C:calendar-home-set></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>"#;
const RADICALE_HOME: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:CS="http://calendarserver.org/ns/" xmlns:ICAL="http://apple.com/ns/ical/"><response><href>/nova/</href><propstat><prop><resourcetype><principal /><collection /></resourcetype><current-user-privilege-set><privilege><read /></privilege><privilege><all /></privilege></current-user-privilege-set></prop><status>HTTP/1.1 200 OK</status></propstat><propstat><prop><displayname /><CS:getctag /></prop><status>HTTP/1.1 404 Not Found</status></propstat></response><response><href>/nova/work/</href><propstat><prop><resourcetype><C:calendar /><collection /></resourcetype><displayname>Work</displayname><CS:getctag>"4f35"</CS:getctag><C:supported-calendar-component-set><C:comp name="VTODO" /><C:comp name="VEVENT" /></C:supported-calendar-component-set><current-user-privilege-set><privilege><read /></privilege><privilege><C:read-free-busy /></privilege><privilege><all /></privilege></current-user-privilege-set></prop><status>HTTP/1.1 200 OK</status></propstat><propstat><prop><ICAL:calendar-color /></prop><status>HTTP/1.1 404 Not Found</status></propstat></response></multistatus>"#;

const NEXTCLOUD_ROOT: &str = r#"<?xml version="1.0"?>
<d:multistatus xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" xmlns:cal="urn:ietf:params:xml:ns:caldav" xmlns:cs="http://calendarserver.org/ns/" xmlns:oc="http://owncloud.org/ns" xmlns:nc="http://nextcloud.org/ns"><d:response><d:href>/remote.php/dav/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype><d:current-user-principal><d:href>/remote.php/dav/principals/users/noor/</d:href></d:current-user-principal></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat><d:propstat><d:prop><d:displayname/><cal:calendar-home-set/><cs:getctag/></d:prop><d:status>HTTP/1.1 404 Not Found</d:status></d:propstat></d:response></d:multistatus>"#;
const NEXTCLOUD_PRINCIPAL: &str = r#"<?xml version="1.0"?>
<d:multistatus xmlns:d="DAV:" xmlns:cal="urn:ietf:params:xml:ns:caldav"><d:response><d:href>/remote.php/dav/principals/users/noor/</d:href><d:propstat><d:prop><d:resourcetype><d:principal/></d:resourcetype><d:displayname>Noor</d:displayname><cal:calendar-home-set><d:href>/remote.php/dav/calendars/noor/</d:href></cal:calendar-home-set></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>"#;
const NEXTCLOUD_HOME: &str = r##"<?xml version="1.0"?>
<d:multistatus xmlns:d="DAV:" xmlns:cal="urn:ietf:params:xml:ns:caldav" xmlns:cs="http://calendarserver.org/ns/" xmlns:x1="http://apple.com/ns/ical/"><d:response><d:href>/remote.php/dav/calendars/noor/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response><d:response><d:href>/remote.php/dav/calendars/noor/personal/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/><cal:calendar/></d:resourcetype><d:displayname>Pers&#246;nlich &amp; mehr</d:displayname><d:current-user-privilege-set><d:privilege><d:write/></d:privilege><d:privilege><d:read/></d:privilege></d:current-user-privilege-set><cal:supported-calendar-component-set><cal:comp name="VEVENT"/><cal:comp name="VTODO"/></cal:supported-calendar-component-set><cs:getctag>http://sabre.io/ns/sync/12</cs:getctag><x1:calendar-color>#0082c9</x1:calendar-color></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response><d:response><d:href>/remote.php/dav/calendars/noor/tasks/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/><cal:calendar/></d:resourcetype><cal:supported-calendar-component-set><cal:comp name="VTODO"/></cal:supported-calendar-component-set></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response><d:response><d:href>/remote.php/dav/calendars/noor/contact_birthdays/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/><cal:calendar/></d:resourcetype><d:displayname>Contact birthdays</d:displayname><d:current-user-privilege-set><d:privilege><d:read/></d:privilege><d:privilege><d:write-properties/></d:privilege></d:current-user-privilege-set></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response><d:response><d:href>/remote.php/dav/calendars/noor/inbox/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/><cal:schedule-inbox/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>"##;

const GOOGLE_EVENTS: &str = r##"<?xml version="1.0" encoding="UTF-8"?>
<D:multistatus xmlns:D="DAV:" xmlns:caldav="urn:ietf:params:xml:ns:caldav" xmlns:cs="http://calendarserver.org/ns/" xmlns:ical="http://apple.com/ns/ical/">
 <D:response>
  <D:href>/caldav/v2/noor%40example.org/events/</D:href>
  <D:propstat>
   <D:status>HTTP/1.1 200 OK</D:status>
   <D:prop>
    <D:resourcetype><D:collection/><caldav:calendar/></D:resourcetype>
    <D:displayname>noor@example.org</D:displayname>
    <D:current-user-principal><D:href>/caldav/v2/noor%40example.org/user/</D:href></D:current-user-principal>
    <D:current-user-privilege-set><D:privilege><D:read/></D:privilege><D:privilege><D:write/></D:privilege></D:current-user-privilege-set>
    <caldav:supported-calendar-component-set><caldav:comp name="VEVENT"/></caldav:supported-calendar-component-set>
    <cs:getctag>63893475</cs:getctag>
    <ical:calendar-color>#9fe1e7ff</ical:calendar-color>
   </D:prop>
  </D:propstat>
 </D:response>
</D:multistatus>"##;

const ICLOUD_ROOT: &str = r#"<?xml version='1.0' encoding='UTF-8'?><multistatus xmlns='DAV:'>
  <response>
    <href>/</href>
    <propstat>
      <prop><current-user-principal><href>/1234567/principal/</href></current-user-principal></prop>
      <status>HTTP/1.1 200 OK</status>
    </propstat>
  </response></multistatus>"#;
const ICLOUD_PRINCIPAL: &str = r#"<?xml version='1.0' encoding='UTF-8'?><multistatus xmlns='DAV:'><response xmlns='DAV:'><href>/1234567/principal/</href><propstat><prop><calendar-home-set xmlns='urn:ietf:params:xml:ns:caldav'><href xmlns='DAV:'>https://p34-caldav.icloud.com:443/1234567/calendars/</href></calendar-home-set></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>"#;
const ICLOUD_HOME: &str = r#"<?xml version='1.0' encoding='UTF-8'?><multistatus xmlns='DAV:'><response xmlns='DAV:'><href>/1234567/calendars/home/</href><propstat><prop><displayname xmlns='DAV:'><![CDATA[Home & Family]]></displayname><resourcetype xmlns='DAV:'><collection/><calendar xmlns='urn:ietf:params:xml:ns:caldav'/></resourcetype><supported-calendar-component-set xmlns='urn:ietf:params:xml:ns:caldav'><comp name='VEVENT' xmlns='urn:ietf:params:xml:ns:caldav'/></supported-calendar-component-set><getctag xmlns='http://calendarserver.org/ns/'>HwoQEgwAA</getctag></prop><status>HTTP/1.1 200 OK</status></propstat></response><response xmlns='DAV:'><href>/1234567/calendars/notification/</href><propstat><prop><resourcetype xmlns='DAV:'><collection/><notification xmlns='http://calendarserver.org/ns/'/></resourcetype></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>"#;

const BAIKAL_PRINCIPAL: &str = r#"<?xml version="1.0"?>
<d:multistatus xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" xmlns:cal="urn:ietf:params:xml:ns:caldav"><d:response><d:href>/dav.php/principals/noor/</d:href><d:propstat><d:prop><cal:calendar-home-set><d:href>/dav.php/calendars/noor/</d:href></cal:calendar-home-set></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>"#;
const BAIKAL_HOME: &str = r#"<?xml version="1.0"?>
<d:multistatus xmlns:d="DAV:" xmlns:cal="urn:ietf:params:xml:ns:caldav"><d:response><d:href>/dav.php/calendars/noor/default/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/><cal:calendar/></d:resourcetype><d:displayname>Default calendar</d:displayname></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>"#;

#[test]
fn finds_the_calendars_of_each_server() {
    type Script<'a> = &'a [(&'a str, u16, &'a str)];
    let servers: [(&str, Script, &str); 6] = [
        (
            "http://127.0.0.1:5232/",
            &[
                ("PROPFIND /", 207, RADICALE_ROOT),
                ("PROPFIND /nova/", 207, RADICALE_PRINCIPAL),
                ("PROPFIND /nova/", 207, RADICALE_HOME),
            ],
            "account | /nova/work/ Work  write",
        ),
        (
            "https://cloud.example.org",
            &[
                ("PROPFIND /", 405, "<html>Method not allowed</html>"),
                ("PROPFIND /.well-known/caldav", 207, NEXTCLOUD_ROOT),
                ("PROPFIND /remote.php/dav/principals/users/noor/", 207, NEXTCLOUD_PRINCIPAL),
                ("PROPFIND /remote.php/dav/calendars/noor/", 207, NEXTCLOUD_HOME),
            ],
            "account | /remote.php/dav/calendars/noor/contact_birthdays/ Contact birthdays  read | /remote.php/dav/calendars/noor/personal/ Persönlich & mehr #0082c9 write",
        ),
        (
            "https://cloud.example.org/remote.php/dav/",
            &[
                ("PROPFIND /remote.php/dav/", 207, NEXTCLOUD_ROOT),
                ("PROPFIND /remote.php/dav/principals/users/noor/", 207, NEXTCLOUD_PRINCIPAL),
                ("PROPFIND /remote.php/dav/calendars/noor/", 207, BAIKAL_HOME),
            ],
            "account | /dav.php/calendars/noor/default/ Default calendar  write",
        ),
        (
            "https://apidata.googleusercontent.com/caldav/v2/noor%40example.org/events/",
            &[("PROPFIND /caldav/v2/noor%40example.org/events/", 207, GOOGLE_EVENTS)],
            "calendar | /caldav/v2/noor@example.org/events/ noor@example.org #9fe1e7ff write",
        ),
        (
            "https://p34-caldav.icloud.com/",
            &[
                ("PROPFIND /", 207, ICLOUD_ROOT),
                ("PROPFIND /1234567/principal/", 207, ICLOUD_PRINCIPAL),
                ("PROPFIND /1234567/calendars/", 207, ICLOUD_HOME),
            ],
            "account | /1234567/calendars/home/ Home & Family  write",
        ),
        (
            "https://dav.example.org/dav.php/principals/noor",
            &[
                ("PROPFIND /dav.php/principals/noor", 207, BAIKAL_PRINCIPAL),
                ("PROPFIND /dav.php/calendars/noor/", 207, BAIKAL_HOME),
            ],
            "account | /dav.php/calendars/noor/default/ Default calendar  write",
        ),
    ];
    for (address, answers, expected) in servers {
        assert_eq!(found(address, answers).unwrap(), expected, "{address}");
    }
}

/// Credentials are for the named host only.
#[test]
fn calendars_at_another_host_are_not_contacted() {
    let server = Server::new(&[
        ("PROPFIND /", 207, ICLOUD_ROOT),
        ("PROPFIND /1234567/principal/", 207, ICLOUD_PRINCIPAL),
    ]);
    let error = now(discover(&server, &url("https://caldav.icloud.com/"))).unwrap_err();
    assert_eq!(error, DavError::Elsewhere("https://p34-caldav.icloud.com/1234567/calendars/".into()));
    assert_eq!(
        error.to_string(),
        "its calendars are at https://p34-caldav.icloud.com/1234567/calendars/, which is not the address that was set"
    );
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn calendars_at_a_second_host_of_the_site_are_found() {
    let mut server = Server::new(&[
        ("PROPFIND /", 207, ICLOUD_ROOT),
        ("PROPFIND /1234567/principal/", 207, ICLOUD_PRINCIPAL),
        ("PROPFIND /1234567/calendars/", 207, ICLOUD_HOME),
    ]);
    server.second = Some("p34-caldav.icloud.com");
    let found = now(discover(&server, &url("https://caldav.icloud.com/"))).unwrap();
    let Found::Account(calendars) = found else { panic!("{found:?}") };
    assert_eq!(calendars[0].url.as_str(), "https://p34-caldav.icloud.com/1234567/calendars/home/");
    let asked = server.asked.lock().unwrap();
    let hosts: Vec<&str> = asked.iter().filter_map(|request| request.url.domain()).collect();
    assert_eq!(hosts, ["caldav.icloud.com", "caldav.icloud.com", "p34-caldav.icloud.com"]);
}

/// The domain itself answers with its web page; its records name another server.
fn published(servers: &[(&str, u16)], texts: &[&str], second: Option<&'static str>) -> Server {
    let page = "<html>Welcome</html>";
    let mut server = Server::new(&[
        ("PROPFIND /", 405, page),
        ("PROPFIND /.well-known/caldav", 404, page),
        ("PROPFIND /remote.php/dav", 207, NEXTCLOUD_ROOT),
        ("PROPFIND /remote.php/dav/principals/users/noor/", 207, NEXTCLOUD_PRINCIPAL),
        ("PROPFIND /remote.php/dav/calendars/noor/", 207, NEXTCLOUD_HOME),
    ]);
    server.published = Published {
        servers: servers.iter().map(|(host, port)| ((*host).to_owned(), *port)).collect(),
        texts: texts.iter().map(|text| (*text).to_owned()).collect(),
    };
    server.second = second;
    server
}

#[test]
fn server_in_dns_is_queried_if_its_host_may_be_reached() {
    let server =
        published(&[("dav.example.org", 443)], &["v=1", "path=/remote.php/dav"], Some("dav.example.org"));
    let found = now(discover(&server, &url("https://example.org/"))).unwrap();
    assert!(matches!(&found, Found::Account(calendars) if calendars.len() == 2), "{found:?}");
    assert_eq!(server.asked()[2], "PROPFIND /remote.php/dav");
}

#[test]
fn server_in_dns_on_another_host_is_reported_and_not_contacted() {
    for (host, port, expected) in [
        ("dav.evil.example", 443, "https://dav.evil.example/remote.php/dav"),
        ("dav.example.org", 8443, "https://dav.example.org:8443/remote.php/dav"),
    ] {
        let server = published(&[(host, port)], &["path=/remote.php/dav"], Some("dav.example.org"));
        let error = now(discover(&server, &url("https://example.org/"))).unwrap_err();
        assert_eq!(error, DavError::Elsewhere(expected.into()));
        assert_eq!(server.asked().len(), 2, "only the configured address is queried");
    }
}

#[test]
fn malformed_record_is_ignored() {
    for host in
        ["", ".", "localhost", "127.0.0.1", "a.example/x", "a@b.example", "a.example:1", "a b.example"]
    {
        let server = published(&[(host, 443)], &[], Some("dav.example.org"));
        let error = now(discover(&server, &url("https://example.org/"))).unwrap_err();
        assert_eq!(error, DavError::NoCalendar, "{host}");
    }
    // A path is not part of the host, whatever it begins with.
    for path in ["path=//evil.example/", "path=@evil.example", "path=.evil.example"] {
        let server = published(&[("dav.example.net", 443)], &[path], None);
        let error = now(discover(&server, &url("https://example.org/"))).unwrap_err();
        let DavError::Elsewhere(address) = error else { panic!("{error:?}") };
        assert_eq!(url(&address).domain(), Some("dav.example.net"), "{path}");
    }
}

/// A path identifies an account, and the published one may be another.
#[test]
fn address_with_a_path_is_not_looked_up() {
    let mut server = published(&[("dav.example.org", 443)], &[], Some("dav.example.org"));
    server.answers = Mutex::new([("PROPFIND /noor".to_owned(), vec![(404, String::new())])].into());
    let error = now(discover(&server, &url("https://example.org/noor"))).unwrap_err();
    assert_eq!(error, DavError::NoCalendar);
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn statuses_map_to_errors() {
    for (status, expected) in [
        (401, DavError::SignIn),
        (403, DavError::Forbidden),
        (404, DavError::NoCalendar),
        (200, DavError::NoCalendar),
        (503, DavError::Status(503)),
    ] {
        let answers = [("PROPFIND /a", status, "<html>")];
        assert_eq!(found("https://dav.example.org/a", &answers), Err(expected), "{status}");
    }
}

#[test]
fn hostile_answer_is_an_error() {
    let deep = format!(r#"<multistatus xmlns="DAV:">{}"#, "<a>".repeat(100_000));
    let bomb = r#"<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]><multistatus xmlns="DAV:"><response><href>&b;</href></response></multistatus>"#;
    let many = format!(r#"<multistatus xmlns="DAV:">{}</multistatus>"#, "<a/>".repeat(400_001));
    let large = format!(r#"<multistatus xmlns="DAV:">{}</multistatus>"#, "x".repeat(100 << 20));
    let page = "<!DOCTYPE html><html><head><meta charset=utf-8><body><p>Sign in<br></html>";
    let cut = RADICALE_HOME.split_at(RADICALE_HOME.len() / 2).0;
    for (body, expected) in [
        (deep.as_bytes(), XmlError::TooDeep),
        (bomb.as_bytes(), XmlError::DocumentType),
        (many.as_bytes(), XmlError::TooMany),
        (large.as_bytes(), XmlError::TooLarge(large.len())),
        (page.as_bytes(), XmlError::WebPage),
        (b"<html><body>", XmlError::WebPage),
        (b"", XmlError::Empty),
        (b"\xff\xfe<\0a\0>\0", XmlError::Encoding),
        (b"<a>\xe4</a>", XmlError::Encoding),
        (cut.as_bytes(), XmlError::CutOff),
        (
            b"<multistatus xmlns=\"DAV:\"><response><href>&x;</href></response></multistatus>",
            XmlError::Entity("x".into()),
        ),
        (b"<error xmlns=\"DAV:\"><valid-sync-token/></error>", XmlError::Unexpected("error".into())),
        (b"<multistatus><response/></multistatus>", XmlError::Unexpected("multistatus".into())),
    ] {
        let server = Raw(body.to_vec());
        let error = now(discover(&server, &url("https://dav.example.org/a"))).unwrap_err();
        assert_eq!(error, DavError::Answer(expected));
    }
}

struct Raw(Vec<u8>);

impl Transport for Raw {
    type Error = Nobody;

    async fn send(&self, request: Request) -> Result<Response, Nobody> {
        Ok(Response { status: 207, url: request.url, etag: None, body: self.0.clone() })
    }

    fn may_reach(&self, _: &Url) -> bool {
        false
    }

    async fn published(&self, _: &str) -> Published {
        Published::default()
    }
}

/// Responses truncated at any byte, and with any byte replaced, are parsed or rejected without a panic.
#[test]
fn damaged_answers_do_not_panic() {
    let mut seed = 7_u64;
    let mut next = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap()
    };
    let calendar = url("https://dav.example.org/nova/work/");
    let seeds = [RADICALE_HOME, NEXTCLOUD_HOME, GOOGLE_EVENTS, ICLOUD_HOME, SYNCED, EVENTS];
    for at in 0..2_000 {
        let mut body = seeds[at % seeds.len()].as_bytes().to_vec();
        match next() % 3 {
            0 => body.truncate(next() % body.len()),
            1 => {
                for _ in 0..=next() % 6 {
                    let place = next() % body.len();
                    body[place] = b"<>&;\"'/ \0\xff!]x"[next() % 13];
                }
            }
            _ => {
                let (from, length) = (next() % body.len(), next() % 40);
                let part: Vec<u8> = body[from..(from + length).min(body.len())].to_vec();
                let place = next() % body.len();
                body.splice(place..place, part);
            }
        }
        let server = Raw(body);
        let _ = now(discover(&server, &calendar));
        if let Ok(changes) = now(sync(&server, &calendar, &Known::default(), 1 << 20)) {
            for path in changes.changed.iter().map(|resource| &resource.path).chain(&changes.removed) {
                assert!(path.starts_with("/nova/work/"), "{path}");
            }
        }
    }
}

const SYNCED: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<multistatus xmlns="DAV:"><sync-token>http://radicale.org/ns/sync/2</sync-token><response><href>/nova/work/</href><propstat><prop><getetag>"self"</getetag></prop><status>HTTP/1.1 200 OK</status></propstat></response><response><href>/nova/work/a%40b.ics</href><propstat><prop><getetag>"a2"</getetag></prop><status>HTTP/1.1 200 OK</status></propstat></response><response><href>/nova/work/same.ics</href><propstat><prop><getetag>"s1"</getetag></prop><status>HTTP/1.1 200 OK</status></propstat></response><response><href>/nova/work/gone.ics</href><status>HTTP/1.1 404 Not Found</status></response><response><href>/nova/other/x.ics</href><propstat><prop><getetag>"x"</getetag></prop><status>HTTP/1.1 200 OK</status></propstat></response><response><href>/nova/work/../../etc/passwd</href><propstat><prop><getetag>"x"</getetag></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>"#;
const EVENTS: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><response><href>/nova/work/a@b.ics</href><propstat><prop><getetag>"a2"</getetag><C:calendar-data>BEGIN:VCALENDAR
BEGIN:VEVENT
UID:a
SUMMARY:You &amp; me&#13;
END:VEVENT
END:VCALENDAR
</C:calendar-data></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>"#;
const ALL: &str = r#"<d:multistatus xmlns:d="DAV:"><d:response><d:href>/nova/work/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response><d:response><d:href>/nova/work/same.ics</d:href><d:propstat><d:prop><d:getetag>"s1"</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>"#;

fn known(token: Option<&str>) -> Known {
    let etags = [("/nova/work/gone.ics", "g1"), ("/nova/work/same.ics", "s1")];
    let etags = etags.map(|(path, etag)| (path.to_owned(), Some(format!("\"{etag}\""))));
    Known { token: token.map(str::to_owned), etags: etags.into() }
}

fn synced(token: Option<&str>, answers: &[(&str, u16, &str)]) -> (Changes, Server) {
    let server = Server::new(answers);
    let changes =
        now(sync(&server, &url("https://dav.example.org/nova/work"), &known(token), 1 << 20)).unwrap();
    (changes, server)
}

#[test]
fn token_limits_the_response_to_changes() {
    let (changes, server) =
        synced(Some("t1"), &[("REPORT /nova/work/", 207, SYNCED), ("REPORT /nova/work/", 207, EVENTS)]);
    assert_eq!(
        changes,
        Changes {
            changed: vec![Resource {
                path: "/nova/work/a@b.ics".into(),
                etag: Some("\"a2\"".into()),
                data: "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nSUMMARY:You & me\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n".into(),
            }],
            removed: vec!["/nova/work/gone.ics".into()],
            token: Some("http://radicale.org/ns/sync/2".into()),
        }
    );
    let asked = server.asked.lock().unwrap();
    assert!(asked[0].body.as_ref().unwrap().contains("<D:sync-token>t1</D:sync-token>"));
    let multiget = asked[1].body.as_ref().unwrap();
    assert!(multiget.contains("a@b.ics") && !multiget.contains("same.ics") && !multiget.contains("passwd"));
}

/// Radicale answers 403, Xandikos 412, Google 410.
#[test]
fn lost_token_lists_everything_again() {
    for status in [403, 410, 412] {
        let (changes, server) = synced(
            Some("old"),
            &[
                ("REPORT /nova/work/", status, "<error xmlns=\"DAV:\"><valid-sync-token/></error>"),
                ("REPORT /nova/work/", 207, SYNCED),
                ("REPORT /nova/work/", 207, EVENTS),
            ],
        );
        assert_eq!(changes.removed, ["/nova/work/gone.ics"], "{status}");
        assert_eq!(changes.token.as_deref(), Some("http://radicale.org/ns/sync/2"));
        assert_eq!(server.asked().len(), 3);
    }
}

#[test]
fn server_without_sync_collection_is_listed() {
    let (changes, server) =
        synced(None, &[("REPORT /nova/work/", 501, ""), ("PROPFIND /nova/work/", 207, ALL)]);
    assert_eq!(changes, Changes { removed: vec!["/nova/work/gone.ics".into()], ..Changes::default() });
    assert_eq!(server.asked(), ["REPORT /nova/work/", "PROPFIND /nova/work/"]);
}

/// Without a token, the next sync asks again for what the server omitted.
#[test]
fn omitted_event_discards_the_token() {
    let none = r#"<multistatus xmlns="DAV:"></multistatus>"#;
    let (changes, _) =
        synced(Some("t1"), &[("REPORT /nova/work/", 207, SYNCED), ("REPORT /nova/work/", 207, none)]);
    assert_eq!((changes.changed.len(), changes.token), (0, None));
}

#[test]
fn truncated_response_is_continued() {
    let part = SYNCED.replace(
        "</multistatus>",
        "<response><href>/nova/work/</href><status>HTTP/1.1 507 Insufficient Storage</status></response></multistatus>",
    );
    let rest = r#"<multistatus xmlns="DAV:"><sync-token>t9</sync-token></multistatus>"#;
    let (changes, server) = synced(
        Some("t1"),
        &[
            ("REPORT /nova/work/", 207, &part),
            ("REPORT /nova/work/", 207, rest),
            ("REPORT /nova/work/", 207, EVENTS),
        ],
    );
    assert_eq!((changes.changed.len(), changes.token.as_deref()), (1, Some("t9")));
    assert!(server.asked.lock().unwrap()[1].body.as_ref().unwrap().contains("sync/2"));
}

#[test]
fn failed_or_too_large_sync_is_an_error() {
    let calendar = url("https://dav.example.org/nova/work/");
    let failed = |answers: &[(&str, u16, &str)], most| {
        now(sync(&Server::new(answers), &calendar, &known(Some("t1")), most)).unwrap_err()
    };
    let (report, home) = ("REPORT /nova/work/", "PROPFIND /nova/work/");
    assert_eq!(failed(&[], 1), DavError::Transport(Nobody));
    assert_eq!(failed(&[(report, 401, "")], 1), DavError::SignIn);
    assert_eq!(failed(&[(report, 404, "")], 1), DavError::NoCalendar);
    assert_eq!(failed(&[(report, 207, SYNCED)], 1), DavError::Transport(Nobody));
    assert_eq!(failed(&[(report, 207, SYNCED), (report, 207, EVENTS)], 1), DavError::TooLarge(1));
    let closed = [(report, 403, ""), (report, 403, ""), (home, 403, "")];
    assert_eq!(failed(&closed, 1), DavError::Forbidden);
}

#[test]
fn writes_send_their_precondition() {
    let event = resource_url(&url("https://dav.example.org/nova/work"), "/nova/work/a.ics").unwrap();
    let server = Server::new(&[("PUT /nova/work/a.ics", 201, ""), ("PUT /nova/work/a.ics", 204, "")]);
    assert_eq!(
        now(put(&server, &event, "X", Condition::New)),
        Ok(Written::Done { etag: Some("\"written\"".into()) })
    );
    assert_eq!(
        now(put(&server, &event, "X", Condition::Unchanged("\"1\""))),
        Ok(Written::Done { etag: None })
    );
    let asked = server.asked.lock().unwrap();
    assert_eq!(asked[0].headers["if-none-match"], "*");
    assert_eq!(asked[1].headers["if-match"], "\"1\"");
}

#[test]
fn failed_precondition_is_a_conflict_with_the_current_event() {
    let event = url("https://dav.example.org/nova/work/a.ics");
    let theirs = Resource { path: "/nova/work/a.ics".into(), etag: None, data: "THEIRS".into() };
    let (write, read) = ("PUT /nova/work/a.ics", "GET /nova/work/a.ics");
    let server = Server::new(&[(write, 412, ""), (read, 200, "THEIRS")]);
    let written = now(put(&server, &event, "MINE", Condition::Unchanged("\"1\"")));
    assert_eq!(written, Ok(Written::Conflict { theirs: Some(theirs.clone()) }));

    let server = Server::new(&[("DELETE /nova/work/a.ics", 412, ""), (read, 200, "THEIRS")]);
    assert_eq!(now(delete(&server, &event, "\"1\"")), Ok(Written::Conflict { theirs: Some(theirs) }));

    let server = Server::new(&[("DELETE /nova/work/a.ics", 404, ""), (read, 404, "")]);
    assert_eq!(now(delete(&server, &event, "\"1\"")), Ok(Written::Conflict { theirs: None }));

    for (status, expected) in [(403, DavError::Forbidden), (507, DavError::Status(507))] {
        let server = Server::new(&[(write, status, "")]);
        assert_eq!(now(put(&server, &event, "MINE", Condition::New)), Err(expected));
    }
}

#[test]
fn event_must_be_a_direct_child_of_its_calendar() {
    let calendar = url("https://dav.example.org/nova/work/");
    for path in [
        "/nova/other/a.ics",
        "/nova/work/",
        "/nova/work/x/a.ics",
        "../../a",
        "https://evil.example/nova/work/a.ics",
    ] {
        assert_eq!(resource_url(&calendar, path), None, "{path}");
    }
}
