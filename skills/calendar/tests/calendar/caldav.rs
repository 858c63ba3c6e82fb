//! Calendars of a real CalDAV server.

use nova_protocol::{Decision, Effect};
use nova_skill::{Value, json};
use nova_testkit::{
    FixedCredentials, NameServer, Reply, SkillInVault, WebRequest, decided, edited, web_with,
};

use crate::calendar;
use crate::radicale::{Radicale, WithSkill as _};

pub(crate) const RETRO: &str =
    "SUMMARY:Retro\nDTSTART:20261124T160000Z\nDTEND:20261124T170000Z\nLOCATION:Room 1";

pub(crate) fn with_retro() -> (Radicale, SkillInVault) {
    let server = Radicale::start();
    server.make_calendar("work", "Work");
    server.put("retro", RETRO);
    let skill = server.skill();
    refresh(&skill);
    (server, skill)
}

pub(crate) fn refresh(skill: &SkillInVault) -> Value {
    skill.value("refresh_calendars", json!({}))["calendars"].clone()
}

/// Title and start of each event.
pub(crate) fn listed(skill: &SkillInVault, from: &str, days: i64) -> Vec<String> {
    let answer = skill.value("list_events", json!({"from": from, "days": days}));
    assert_eq!(answer["problems"], Value::Null);
    let row =
        |event: &Value| format!("{} {}", event["start"].as_str().unwrap(), event["title"].as_str().unwrap());
    answer["events"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn the_calendars_of_an_account_are_found_and_listed() {
    let (server, skill) = with_retro();
    server.make_calendar("home", "Home &amp; garden");
    assert_eq!(
        refresh(&skill),
        json!([
            {"calendar": "Mine/Home & garden", "fetched": "2026-11-21T09:00:00Z", "changed": true},
            {"calendar": "Mine/Work", "fetched": "2026-11-21T09:00:00Z", "changed": false},
        ])
    );
    let answer = skill.value("list_events", json!({}));
    assert_eq!(answer["events"][0]["title"], "Retro");
    assert_eq!(answer["events"][0]["event"], "Mine/Work/retro");
    assert_eq!(answer["fetched"]["Mine/Work"], "2026-11-21T09:00:00Z");
    let calendars = skill.value("calendars", json!({}))["calendars"].clone();
    assert_eq!(
        calendars[2],
        json!({"calendar": "Mine/Work", "kind": "caldav", "read_only": false, "events": 1,
            "fetched": "2026-11-21T09:00:00Z", "problems": []})
    );
    let event = skill.value("get_event", json!({"event": "Mine/Work/retro"}));
    assert_eq!(
        (&event["location"], &event["next"][0]["start"]),
        (&json!("Room 1"), &json!("2026-11-24T17:00"))
    );
    let free = skill.value(
        "free_time",
        json!({"days": 1, "from": "2026-11-24", "duration": 60, "between": "16:00-19:00"}),
    );
    assert_eq!(free["slots"].as_array().unwrap().len(), 2, "{free}");
}

#[test]
fn the_address_of_one_calendar_is_that_calendar() {
    let (server, _) = with_retro();
    server.make_calendar("home", "Home");
    let skill =
        server.skill_with(json!({"caldav": format!("{}noor/work/", server.address()), "read_only": true}));
    assert_eq!(refresh(&skill)[0]["calendar"], "Mine");
    let calendars = skill.value("calendars", json!({}))["calendars"].clone();
    assert_eq!((calendars.as_array().unwrap().len(), &calendars[1]["read_only"]), (2, &json!(true)));
    let error = skill.error("update_event", json!({"event": "Mine/retro", "title": "Other"}));
    assert_eq!(error.message, "The calendar Mine is read-only.");
}

#[test]
fn only_changes_on_the_server_are_fetched() {
    let (server, skill) = with_retro();
    server.put("lunch", "SUMMARY:Lunch\nDTSTART;VALUE=DATE:20261125");
    server.put("retro", &RETRO.replace("T16", "T15").replace("T17", "T16"));
    assert_eq!(refresh(&skill)[0]["changed"], true);
    assert_eq!(listed(&skill, "2026-11-24", 2), ["2026-11-24T16:00 Retro", "2026-11-25 Lunch"]);
    assert_eq!(refresh(&skill)[0]["changed"], false);
    server.send("DELETE", "/noor/work/retro.ics", &[], "");
    assert_eq!(refresh(&skill)[0]["changed"], true);
    assert_eq!(listed(&skill, "2026-11-24", 2), ["2026-11-25 Lunch"]);
}

/// As after a server was set up again.
#[test]
fn unknown_sync_token_loses_nothing() {
    let (server, skill) = with_retro();
    server.send("DELETE", "/noor/work/", &[], "");
    server.make_calendar("work", "Work");
    server.put("lunch", "SUMMARY:Lunch\nDTSTART;VALUE=DATE:20261125");
    assert_eq!(refresh(&skill)[0]["changed"], true);
    assert_eq!(listed(&skill, "2026-11-24", 2), ["2026-11-25 Lunch"]);
}

#[test]
fn without_the_server_the_last_state_is_listed_with_its_age() {
    let (server, skill) = with_retro();
    drop(server);
    let row = refresh(&skill)[0].clone();
    assert_eq!((&row["calendar"], &row["fetched"]), (&json!("Mine/Work"), &json!("2026-11-21T09:00:00Z")));
    assert!(row["problem"].as_str().unwrap().contains("127.0.0.1"), "{row}");
    assert_eq!(listed(&skill, "2026-11-24", 1), ["2026-11-24T17:00 Retro"]);
}

#[test]
fn wrong_or_missing_password_has_a_remedy() {
    let (server, _) = with_retro();
    let mut skill = server.skill();
    skill.credentials =
        std::sync::Arc::new(FixedCredentials::default().with("calendar/mine", "not-the-password"));
    let row = refresh(&skill)[0].clone();
    assert_eq!(row["problem"], "Mine refused the sign-in.");
    assert!(row["remedy"].as_str().unwrap().contains("nova credential set calendar/mine"), "{row}");
    assert!(!row.to_string().contains("not-the-password"));
    skill.credentials = std::sync::Arc::new(FixedCredentials::default());
    assert_eq!(refresh(&skill)[0]["problem"], "The credential calendar/mine is missing.");
}

/// A password is not sent to a host that only a DNS record names.
#[test]
fn dns_server_on_another_site_is_proposed_but_not_contacted() {
    let names = NameServer::start(
        "_caldavs._tcp.example.org. 60 IN SRV 0 1 443 dav.fernhill.example.\n\
         _caldavs._tcp.example.org. 60 IN TXT \"path=/dav\"\n",
    );
    let web = web_with(&[], |options| options.name_servers = Some(vec![names.address()]));
    let entry = json!({
        "name": "Mine", "caldav": "https://example.org", "user": "noor", "password": "${credentials:calendar/mine}",
    });
    let mut skill = calendar("").with_web_of(web).with_config(json!({"calendars": [entry]}));
    skill.credentials =
        std::sync::Arc::new(FixedCredentials::default().with("calendar/mine", "secret-of-noor"));
    let row = refresh(&skill)[0].clone();
    assert_eq!(
        row["problem"],
        "The server of Mine: its calendars are at https://dav.fernhill.example/dav, which is not the address that was set."
    );
    assert_eq!(row["remedy"], "Set that address in Settings, Skills, Calendar.");
    let asked = skill.approver.asked();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(asked[0].question.contains("*.example.org"), "{}", asked[0].question);
}

/// The clocks change on 29 March and 25 October 2026 in Berlin, and on 8 March and 1 November in New York.
#[test]
fn recurring_events_keep_their_clock_over_both_changes() {
    let server = Radicale::start();
    server.make_calendar("work", "Work");
    let series = "BEGIN:VEVENT\nUID:jour\nDTSTAMP:20260101T000000Z\nSUMMARY:Jour fixe\nDTSTART;TZID=America/New_York:20260303T090000\nDTEND;TZID=America/New_York:20260303T100000\nRRULE:FREQ=WEEKLY\nEXDATE;TZID=America/New_York:20260317T090000\nEND:VEVENT\nBEGIN:VEVENT\nUID:jour\nDTSTAMP:20260101T000000Z\nRECURRENCE-ID;TZID=America/New_York:20260324T090000\nSUMMARY:Jour fixe\\, moved\nDTSTART;TZID=Europe/Berlin:20260325T110000\nDTEND;TZID=Europe/Berlin:20260325T120000\nEND:VEVENT";
    assert!(server.put_file("jour", series).contains(" 201 "));
    let skill = server.skill();
    refresh(&skill);
    // Six hours apart; five while only one of the two zones has changed its clock.
    assert_eq!(
        listed(&skill, "2026-03-03", 35),
        [
            "2026-03-03T15:00 Jour fixe",
            "2026-03-10T14:00 Jour fixe",
            "2026-03-25T11:00 Jour fixe, moved",
            "2026-03-31T15:00 Jour fixe",
        ]
    );
    assert_eq!(
        listed(&skill, "2026-10-20", 15),
        ["2026-10-20T15:00 Jour fixe", "2026-10-27T14:00 Jour fixe", "2026-11-03T15:00 Jour fixe"]
    );
}

#[test]
fn an_event_is_added_after_the_user_allowed_it() {
    let (server, skill) = with_retro();
    let added = skill.value(
        "create_event",
        json!({"title": "Dentist; tooth", "start": "2026-11-25T09:30", "calendar": "Mine/Work", "location": "Marktplatz 4"}),
    );
    let asked = skill.approver.asked();
    let card = asked.last().unwrap();
    assert_eq!(
        (card.effect, card.question.as_str()),
        (Effect::External, "Add an event to the calendar Mine/Work?")
    );
    assert_eq!(
        card.host.as_deref(),
        Some(server.address().trim_start_matches("http://").trim_end_matches('/'))
    );
    assert_eq!(listed(&skill, "2026-11-25", 1), ["2026-11-25T09:30 Dentist; tooth"]);
    let uid = added["event"].as_str().unwrap().trim_start_matches("Mine/Work/").to_owned();
    let there = server.get(&uid);
    assert!(there.contains("SUMMARY:Dentist\\; tooth") && there.contains("BEGIN:VTIMEZONE"), "{there}");
    assert!(there.contains("DTSTART;TZID=Europe/Berlin:20261125T093000"), "{there}");
    // What was written is stored.
    assert_eq!(refresh(&skill)[0]["changed"], false);
}

#[test]
fn denied_change_is_not_sent() {
    let (server, mut skill) = with_retro();
    let before = server.get("retro");
    skill.approver = nova_testkit::ScriptedApprover::new([decided(Decision::Deny)]);
    skill.error("update_event", json!({"event": "Mine/Work/retro", "title": "Other"}));
    let body = |answer: &str| answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
    assert_eq!(body(&server.get("retro")), body(&before));
}

/// Another program sets more properties than Nova knows.
#[test]
fn edit_keeps_unknown_properties() {
    let (server, skill) = with_retro();
    server.put(
        "retro",
        &format!("{RETRO}\nX-OTHER;X-P=\"a;b\":kept\nCATEGORIES:A,B\nSEQUENCE:4\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT5M\nX-ALARM:q\nEND:VALARM"),
    );
    refresh(&skill);
    let moved = skill.value("update_event", json!({"event": "Mine/Work/retro", "start": "2026-11-25T10:00"}));
    assert_eq!(moved["now"], "Retro (2026-11-25 10:00, Room 1)");
    let there = server.get("retro");
    for line in [
        "X-OTHER;X-P=\"a;b\":kept",
        "CATEGORIES:A,B",
        "SEQUENCE:5",
        "X-ALARM:q",
        "DTSTART:20261125T090000Z",
        "DTEND:20261125T100000Z",
    ] {
        assert!(there.contains(line), "{line}: {there}");
    }
    assert_eq!(listed(&skill, "2026-11-24", 2), ["2026-11-25T10:00 Retro"]);
}

#[test]
fn concurrent_change_is_a_conflict() {
    let (server, skill) = with_retro();
    server.put("retro", &RETRO.replace("Retro", "Retro of all").replace("Room 1", "Room 2"));
    let error = skill.error("update_event", json!({"event": "Mine/Work/retro", "location": "Room 3"}));
    assert_eq!(
        error.message,
        "Nothing was written: the event changed on the server of Mine/Work in the meantime. Before: Retro (2026-11-24 17:00, Room 1). Yours: Retro (2026-11-24 17:00, Room 3). Theirs: Retro of all (2026-11-24 17:00, Room 2)."
    );
    assert!(server.get("retro").contains("Room 2"));
    // The server's version is stored.
    assert_eq!(listed(&skill, "2026-11-24", 1), ["2026-11-24T17:00 Retro of all"]);

    server.put("retro", RETRO);
    let error = skill.error("delete_event", json!({"event": "Mine/Work/retro"}));
    assert!(
        error.message.contains("Yours: deleted. Theirs: Retro (2026-11-24 17:00, Room 1)."),
        "{}",
        error.message
    );
    server.send("DELETE", "/noor/work/retro.ics", &[], "");
    let error = skill.error("update_event", json!({"event": "Mine/Work/retro", "title": "X"}));
    assert!(error.message.ends_with("Theirs: deleted."), "{}", error.message);
    assert!(listed(&skill, "2026-11-24", 1).is_empty());
}

#[test]
fn user_chooses_a_version_in_a_chat() {
    let change = json!({"event": "Mine/Work/retro", "location": "Room 3"});
    let theirs = RETRO.replace("Retro", "Retro of all");
    let chosen = |keep: &str| {
        let (server, mut skill) = with_retro();
        server.put("retro", &theirs);
        // The call itself, then the conflict.
        skill.approver =
            nova_testkit::ScriptedApprover::new([decided(Decision::Once), edited(json!({"keep": keep}))]);
        (server, skill)
    };

    let (server, skill) = chosen("mine");
    let written = skill.value("update_event", change.clone());
    assert_eq!(written["now"], "Retro of all (2026-11-24 17:00, Room 3)");
    let there = server.get("retro");
    assert!(there.contains("SUMMARY:Retro of all") && there.contains("LOCATION:Room 3"), "{there}");
    let card = skill.approver.asked()[1].elicitation.clone().unwrap();
    assert_eq!(card.from, "Mine/Work");
    for line in [
        "Server: Retro of all (2026-11-24 17:00, Room 1)",
        "Your change, to the version before: Retro (2026-11-24 17:00, Room 3)",
        "Before: Retro (2026-11-24 17:00, Room 1)",
    ] {
        assert!(card.message.lines().any(|said| said == line), "{line}: {}", card.message);
    }

    let (server, skill) = chosen("theirs");
    let error = skill.error("update_event", change);
    assert_eq!(
        error.message,
        "Nothing was written: the user keeps the version of the server, Retro of all (2026-11-24 17:00, Room 1)."
    );
    assert!(server.get("retro").contains("LOCATION:Room 1"));

    let (server, skill) = chosen("mine");
    skill.value("delete_event", json!({"event": "Mine/Work/retro"}));
    assert!(server.get("retro").contains(" 404 "));
}

#[test]
fn an_event_or_one_day_of_it_is_deleted() {
    let (server, skill) = with_retro();
    server
        .put("daily", "SUMMARY:Stand-up\nDTSTART:20261123T080000Z\nDURATION:PT15M\nRRULE:FREQ=DAILY;COUNT=4");
    refresh(&skill);
    let skipped = skill.value("delete_event", json!({"event": "Mine/Work/daily", "date": "2026-11-24"}));
    assert_eq!(skipped["skipped"], "2026-11-24");
    assert_eq!(skill.approver.asked().last().unwrap().effect, Effect::Destructive);
    assert!(server.get("daily").contains("EXDATE:20261124T080000Z"));
    skill.value("delete_event", json!({"event": "Mine/Work/retro"}));
    assert!(server.get("retro").contains(" 404 "));
    let rows = ["2026-11-23T09:00 Stand-up", "2026-11-25T09:00 Stand-up", "2026-11-26T09:00 Stand-up"];
    assert_eq!(listed(&skill, "2026-11-23", 7), rows);
}

/// A call that names only a title is about notes, and changes nothing on a server.
#[test]
fn title_of_a_server_event_is_answered_with_its_id() {
    let (_server, skill) = with_retro();
    let error = skill.error("update_event", json!({"event": "Retro", "title": "X"}));
    assert_eq!(error.message, "Retro is in the calendar Mine/Work, not in the vault.");
    assert_eq!(error.hint, "Call it again with the event \"Mine/Work/retro\".");
    let error =
        skill.error("create_event", json!({"title": "X", "start": "2026-11-25", "calendar": "Mine/Nothing"}));
    assert_eq!(error.message, "There is no calendar \"Mine/Nothing\".");
}

pub(crate) fn answered(props: &str) -> Reply {
    let body = format!(
        r#"<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><sync-token>t</sync-token>{props}</multistatus>"#
    );
    Reply::with(207, &[("content-type", "application/xml")], &body)
}

pub(crate) fn about(href: &str, props: &str) -> String {
    format!(
        "<response><href>{href}</href><propstat><prop>{props}</prop><status>HTTP/1.1 200 OK</status></propstat></response>"
    )
}

/// The calendar Team on a server that answers listing and fetching events like this.
fn team(listed: fn() -> Reply, fetched: fn() -> Reply) -> SkillInVault {
    let answer = move |request: &WebRequest| match request.method.as_str() {
        "PROPFIND" => answered(&about("/team/", "<resourcetype><C:calendar/></resourcetype>")),
        _ if String::from_utf8_lossy(&request.body).contains("multiget") => fetched(),
        _ => listed(),
    };
    let skill = calendar("").with_web(&[], answer);
    let address = format!("{}/team/", skill.web_address());
    skill.with_config(json!({"calendars": [{"name": "Team", "caldav": address}]}))
}

pub(crate) fn two_listed() -> Reply {
    let etag = |name: &str| about(&format!("/team/{name}.ics"), &format!("<getetag>\"{name}\"</getetag>"));
    answered(&(etag("a") + &etag("b")))
}

pub(crate) fn one_is_broken() -> Reply {
    let data = |name: &str, text: &str| {
        about(
            &format!("/team/{name}.ics"),
            &format!("<getetag>\"{name}\"</getetag><C:calendar-data>{text}</C:calendar-data>"),
        )
    };
    let good = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:b\nSUMMARY:Retro\nDTSTART:20261124T160000Z\nEND:VEVENT\nEND:VCALENDAR";
    answered(&(data("a", "BEGIN:VCALENDAR\nBEGIN:VEVENT\n") + &data("b", good)))
}

#[test]
fn unreadable_event_hides_no_other() {
    let skill = team(two_listed, one_is_broken);
    assert_eq!(refresh(&skill)[0]["changed"], true);
    let answer = skill.value("list_events", json!({}));
    assert_eq!(answer["count"], 1);
    assert_eq!(
        answer["problems"],
        json!([{"calendar": "Team", "event": "a.ics",
            "problem": "line 2: BEGIN:VEVENT is never closed; the file is truncated"}])
    );
}

#[test]
fn failing_server_changes_nothing() {
    type Failure = (fn() -> Reply, &'static str);
    let failures: [Failure; 5] = [
        (
            || Reply::text("<!DOCTYPE html><html>Sign in</html>"),
            "The server of Team: it has no calendar at this address.",
        ),
        (
            || Reply::with(207, &[], "<!DOCTYPE html><html>Sign in<br></html>"),
            "The server of Team: its answer cannot be read: it is a web page, not an answer of a calendar server.",
        ),
        (|| Reply::with(503, &[], ""), "The server of Team: it answers with status 503."),
        (
            || Reply::Bytes(b"HTTP/1.1 207 X\r\ncontent-length: 900\r\n\r\n<multi".to_vec()),
            "sent an invalid response",
        ),
        (|| Reply::Stall(b"HTTP/1.1 207 X\r\n\r\n<multi".to_vec()), "did not answer in 15 s"),
    ];
    for (failure, reason) in failures {
        let skill = team(two_listed, failure);
        if reason.contains("15 s") {
            skill.skip_waiting();
        }
        let row = refresh(&skill)[0].clone();
        assert!(row["problem"].as_str().is_some_and(|problem| problem.contains(reason)), "{row}");
        assert_eq!(row["fetched"], Value::Null);
        assert_eq!(
            skill.value("list_events", json!({}))["problems"][0]["problem"],
            "Team has not been fetched yet."
        );
    }
}
