//! Events with attendees: the server notifies exactly those whom the call names.

use nova_protocol::{Decision, Effect};
use nova_skill::{Value, json};
use nova_testkit::{ScriptedApprover, SkillInVault, decided, edited};

use crate::caldav::{RETRO, refresh};
use crate::radicale::{Radicale, WithSkill as _};

const MINE: &str = "ORGANIZER:mailto:noor@example.org\nATTENDEE;PARTSTAT=ACCEPTED:mailto:noor@example.org\nATTENDEE;CN=Ann;X-SEEN=1;PARTSTAT=ACCEPTED:mailto:ann@example.org\nATTENDEE:MAILTO:Ben@example.org";
const INVITED: &str = "SEQUENCE:3\nORGANIZER;CN=Boss:mailto:boss@example.org\nATTENDEE;CN=Noor;X-SEEN=1;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:Noor@example.org\nATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ann@example.org";

/// The event "retro" with these people, in the calendar of noor@example.org.
fn with_people(people: &str) -> (Radicale, SkillInVault) {
    let server = Radicale::start();
    server.make_calendar("work", "Work");
    server.put("retro", &format!("{RETRO}\n{people}"));
    let skill = server.skill_with(json!({"email": "noor@example.org"}));
    refresh(&skill);
    (server, skill)
}

fn respond(answer: &str, organizer: &str) -> Value {
    json!({"event": "Mine/Work/retro", "answer": answer, "organizer": organizer})
}

/// The effect and the question of the last approval.
fn card(skill: &SkillInVault) -> (Effect, String) {
    let asked = skill.approver.asked();
    let card = asked.last().unwrap();
    (card.effect, card.question.clone())
}

#[test]
fn invitation_is_answered_after_the_organizer_is_shown() {
    let (server, skill) = with_people(INVITED);
    let event = skill.value("get_event", json!({"event": "Mine/Work/retro"}));
    assert_eq!(event["invitation"], json!({"organizer": "boss@example.org", "answer": "NEEDS-ACTION"}));
    let listed = |skill: &SkillInVault| skill.value("list_events", json!({}))["events"][0]["answer"].clone();
    assert_eq!(listed(&skill), "NEEDS-ACTION");
    let answer = skill.value("respond", respond("accept", "boss@example.org"));
    assert_eq!((&answer["answer"], &answer["changed"]), (&json!("ACCEPTED"), &json!(true)));
    assert_eq!(card(&skill), (Effect::Send, "Tell boss@example.org that you accept this event?".into()));
    let there = server.get("retro").replace("\r\n ", "");
    for line in [
        "ATTENDEE;CN=Noor;PARTSTAT=ACCEPTED;RSVP=TRUE;X-SEEN=1:mailto:Noor@example.org",
        "ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ann@example.org",
        "SEQUENCE:3",
        "DTSTAMP:20261121T090000Z",
    ] {
        assert!(there.contains(line), "{line}: {there}");
    }
    assert_eq!(listed(&skill), "ACCEPTED");
    let again = skill.value("respond", respond("accept", "boss@example.org"));
    assert_eq!(again["changed"], false);
    for (answer, state) in [("decline", "DECLINED"), ("tentative", "TENTATIVE")] {
        skill.value("respond", respond(answer, "BOSS@example.org"));
        assert!(server.get("retro").replace("\r\n ", "").contains(&format!("PARTSTAT={state};RSVP")));
    }
}

#[test]
fn all_instances_of_a_series_are_answered() {
    let (server, skill) = with_people(INVITED);
    let part = |more: &str| {
        format!(
            "BEGIN:VEVENT\nUID:jour\nDTSTAMP:20260101T000000Z\nDTEND:20261201T100000Z\n{more}\n{INVITED}\nEND:VEVENT"
        )
    };
    let series = part("DTSTART:20261201T090000Z\nRRULE:FREQ=DAILY;COUNT=3")
        + "\n"
        + &part("DTSTART:20261202T110000Z\nRECURRENCE-ID:20261202T090000Z")
            .replace("DTEND:20261201T10", "DTEND:20261202T12");
    assert!(server.put_file("jour", &series).contains(" 201 "));
    refresh(&skill);
    skill.value(
        "respond",
        json!({"event": "Mine/Work/jour", "answer": "decline", "organizer": "boss@example.org"}),
    );
    assert_eq!(server.get("jour").matches("PARTSTAT=DECLINED").count(), 2);
}

/// Somebody who is invited to one instance does not get the series.
#[test]
fn invitation_to_one_instance_is_opened_and_answered() {
    let (server, skill) = with_people(INVITED);
    let one = format!(
        "BEGIN:VEVENT\nUID:jour\nDTSTAMP:20260101T000000Z\nRECURRENCE-ID:20261202T090000Z\nSUMMARY:Board\nDTSTART:20261202T110000Z\nDTEND:20261202T120000Z\n{INVITED}\nEND:VEVENT"
    );
    assert!(server.put_file("jour", &one).contains(" 201 "));
    refresh(&skill);
    let event = skill.value("get_event", json!({"event": "board"}));
    assert_eq!((&event["event"], &event["title"]), (&json!("Mine/Work/jour"), &json!("Board")));
    assert_eq!(event["next"][0]["start"], "2026-12-02T12:00");
    assert_eq!(event["invitation"]["organizer"], "boss@example.org");
    skill.value(
        "respond",
        json!({"event": "Mine/Work/jour", "answer": "accept", "organizer": "boss@example.org"}),
    );
    assert_eq!(server.get("jour").matches("PARTSTAT=ACCEPTED").count(), 1);
}

#[test]
fn answer_to_an_invitation_that_changed_is_the_choice_of_the_user() {
    let (server, mut skill) = with_people(INVITED);
    server.put("retro", &format!("{}\n{INVITED}", RETRO.replace("Room 1", "Room 2")));
    skill.approver = ScriptedApprover::new([decided(Decision::Once), edited(json!({"keep": "mine"}))]);
    skill.value("respond", respond("accept", "boss@example.org"));
    let there = server.get("retro").replace("\r\n ", "");
    assert!(there.contains("LOCATION:Room 2") && there.contains("PARTSTAT=ACCEPTED;RSVP"), "{there}");
}

#[test]
fn declined_invitation_takes_no_time() {
    let (_server, skill) = with_people(INVITED);
    let free = |skill: &SkillInVault| {
        let day = json!({"days": 1, "from": "2026-11-24", "duration": 60, "between": "16:00-19:00"});
        skill.value("free_time", day)["slots"].as_array().map(Vec::len)
    };
    let count = |skill: &SkillInVault, args: Value| skill.value("list_events", args)["count"].clone();
    assert_eq!(free(&skill), Some(2));
    skill.value("respond", respond("decline", "boss@example.org"));
    assert_eq!(free(&skill), Some(1));
    assert_eq!(count(&skill, json!({})), 1);
    // As Today and reminders ask.
    assert_eq!(count(&skill, json!({"declined": false})), 0);
    skill.value("respond", respond("tentative", "boss@example.org"));
    assert_eq!(count(&skill, json!({"declined": false})), 1);
    assert_eq!(free(&skill), Some(2));
}

/// People who attend only one instance are notified of a change to the series, too.
#[test]
fn attendees_of_single_instances_are_listed_with_the_event() {
    let (server, skill) = with_people(MINE);
    let part = |people: &str, more: &str| {
        format!(
            "BEGIN:VEVENT\nUID:jour\nDTSTAMP:20260101T000000Z\nDURATION:PT1H\n{more}\n{people}\nEND:VEVENT"
        )
    };
    let eve = format!("{MINE}\nATTENDEE:mailto:eve@example.com");
    let series = part(MINE, "DTSTART:20261201T090000Z\nRRULE:FREQ=DAILY;COUNT=3")
        + "\n"
        + &part(&eve, "DTSTART:20261202T110000Z\nRECURRENCE-ID:20261202T090000Z");
    assert!(server.put_file("jour", &series).contains(" 201 "));
    refresh(&skill);
    let event = skill.value("get_event", json!({"event": "Mine/Work/jour"}));
    let people = event["attendees"].as_array().unwrap().iter();
    let notify: Vec<&Value> = people.map(|person| &person["address"]).collect();
    assert_eq!(notify, ["noor@example.org", "ann@example.org", "Ben@example.org", "eve@example.com"]);
    skill.value("update_event", json!({"event": "Mine/Work/jour", "start": "11:00", "notify": notify}));
    assert!(server.get("jour").contains("DTSTART:20261201T100000Z"));
}

#[test]
fn an_answer_to_somebody_else_is_not_sent() {
    let (server, skill) = with_people(INVITED);
    let before = server.get("retro");
    let error = skill.error("respond", respond("accept", "mallory@example.com"));
    assert_eq!(error.message, "Nothing was sent: the organizer of the event is boss@example.org.");
    assert_eq!(error.hint, "Call it again with organizer: \"boss@example.org\".");

    let mut denied = skill;
    denied.approver = ScriptedApprover::new([decided(Decision::Deny)]);
    denied.error("respond", respond("accept", "boss@example.org"));
    let body = |answer: &str| answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
    assert_eq!(body(&server.get("retro")), body(&before));
}

#[test]
fn answering_without_an_invitation_is_an_error() {
    for (people, reason) in [
        ("CLASS:PUBLIC", "Nobody is waiting for an answer: the event has no organizer."),
        (MINE, "The event is the user's own, and nobody is waiting for an answer."),
        (
            "ORGANIZER:mailto:boss@example.org\nATTENDEE:mailto:ann@example.org",
            "Nothing was sent: noor@example.org is not among those who are invited.",
        ),
    ] {
        let (_server, skill) = with_people(people);
        assert_eq!(skill.error("respond", respond("accept", "boss@example.org")).message, reason);
    }
    let (server, _) = with_people(INVITED);
    let skill = server.skill();
    refresh(&skill);
    let error = skill.error("respond", respond("accept", "boss@example.org"));
    assert_eq!(error.message, "Nothing was changed: Nova does not know your e-mail address in Mine.");
    let error = skill.error(
        "respond",
        json!({"event": "Events/Retro.md", "answer": "accept", "organizer": "boss@example.org"}),
    );
    assert!(error.message.contains("must be an event of a CalDAV server"), "{}", error.message);
}

#[test]
fn change_notifies_only_those_named_in_the_call() {
    let (server, skill) = with_people(MINE);
    let move_it = |notify: Value| json!({"event": "Mine/Work/retro", "start": "18:00", "notify": notify});
    for notify in [json!(null), json!([]), json!(["ann@example.org"])] {
        let error = skill.error("update_event", move_it(notify));
        assert_eq!(
            (error.message.as_str(), error.hint.as_str()),
            (
                "Nothing was changed: the event has attendees, whom its server would notify.",
                "Call it again with notify: [\"ann@example.org\",\"Ben@example.org\"]."
            )
        );
    }
    let all = json!(["Ann@example.org", "ben@example.org"]);
    let error = skill
        .error("update_event", move_it(json!(["ann@example.org", "ben@example.org", "eve@example.com"])));
    assert!(error.message.contains("eve@example.com does not attend the event"), "{}", error.message);
    assert!(server.get("retro").contains("DTSTART:20261124T160000Z"));

    skill.value("update_event", move_it(all.clone()));
    assert_eq!(
        card(&skill),
        (
            Effect::Send,
            "Change this event in the calendar Mine and tell Ann@example.org, ben@example.org?".into()
        )
    );
    let there = server.get("retro").replace("\r\n ", "");
    assert!(there.contains("DTSTART:20261124T170000Z"), "{there}");
    assert!(there.contains("ATTENDEE;CN=Ann;PARTSTAT=ACCEPTED;X-SEEN=1:mailto:ann@example.org"), "{there}");

    skill.error("delete_event", json!({"event": "Mine/Work/retro"}));
    skill.value("delete_event", json!({"event": "Mine/Work/retro", "notify": all}));
    assert_eq!(card(&skill).0, Effect::Send);
    assert!(server.get("retro").contains(" 404 "));
}

#[test]
fn event_of_another_organizer_is_not_changed() {
    let (server, skill) = with_people(INVITED);
    for (tool, args) in [
        (
            "update_event",
            json!({"event": "Mine/Work/retro", "title": "X", "notify": ["ann@example.org", "boss@example.org"]}),
        ),
        ("delete_event", json!({"event": "Mine/Work/retro"})),
    ] {
        assert_eq!(
            skill.error(tool, args).message,
            "Nothing was changed: the event belongs to boss@example.org, who alone can change it."
        );
    }
    assert!(server.get("retro").contains("SUMMARY:Retro"));
}

#[test]
fn people_are_invited_to_a_new_event() {
    let (server, skill) = with_people(MINE);
    let invite = |attendees: Value| json!({"title": "Lunch", "start": "2026-11-25T12:00", "calendar": "Mine/Work", "attendees": attendees});
    for wrong in
        ["Ann", "ann@", "a b@example.org", "ann@example.org,ben@example.org", "a@b\r\nX:1", "a:b@example.org"]
    {
        let error = skill.error("create_event", invite(json!([wrong])));
        assert!(error.message.contains("is not an e-mail address"), "{wrong}: {}", error.message);
    }
    let made = skill.value("create_event", invite(json!(["Ann Doe <ann@example.org>", "ben@example.org"])));
    assert_eq!(
        card(&skill),
        (
            Effect::Send,
            "Add an event to the calendar Mine/Work and invite Ann Doe <ann@example.org>, ben@example.org?"
                .into()
        )
    );
    let uid = made["event"].as_str().unwrap().trim_start_matches("Mine/Work/").to_owned();
    let there = server.get(&uid).replace("\r\n ", "");
    for line in [
        "ORGANIZER:mailto:noor@example.org",
        "CN=Ann Doe;PARTSTAT=NEEDS-ACTION;ROLE=REQ-PARTICIPANT;RSVP=TRUE:mailto:ann@example.org",
        "ATTENDEE;PARTSTAT=NEEDS-ACTION;ROLE=REQ-PARTICIPANT;RSVP=TRUE:mailto:ben@example.org",
    ] {
        assert!(there.contains(line), "{line}: {there}");
    }
}

#[test]
fn remaining_attendees_keep_their_answer() {
    let (server, skill) = with_people(MINE);
    let change = json!({
        "event": "Mine/Work/retro", "attendees": ["ann@example.org", "eve@example.com"],
        "notify": ["ann@example.org", "ben@example.org", "eve@example.com"],
    });
    skill.value("update_event", change);
    let there = server.get("retro").replace("\r\n ", "");
    assert!(there.contains("ATTENDEE;CN=Ann;PARTSTAT=ACCEPTED;X-SEEN=1:mailto:ann@example.org"), "{there}");
    assert!(there.contains(":mailto:eve@example.com") && !there.contains("Ben@"), "{there}");
}

#[test]
fn note_notifies_nobody() {
    let skill = crate::calendar("//- Events/Retro.md\n---\ntype: event\ndate: 2026-11-24\n---\n");
    for tool in ["update_event", "delete_event"] {
        let args = json!({"event": "Events/Retro.md", "notify": ["ann@example.org"]});
        let error = skill.error(tool, args);
        assert!(error.message.contains("a note, which notifies nobody"), "{}", error.message);
    }
}
