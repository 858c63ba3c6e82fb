//! A calendar with a sign-in: a server that accepts access tokens, as Google's does.

use std::sync::Arc;

use nova_skill::json;
use nova_testkit::{FixedCredentials, Reply, SkillInVault, WebRequest};

use crate::caldav::{about, answered, one_is_broken, refresh, two_listed};
use crate::calendar;

/// The calendar Team on a server that accepts only the token `good`.
fn team(credentials: FixedCredentials) -> SkillInVault {
    let answer = |request: &WebRequest| {
        if request.headers.get("authorization").is_none_or(|header| header != "Bearer good") {
            return Reply::with(401, &[], "");
        }
        match request.method.as_str() {
            "PROPFIND" => answered(&about("/team/", "<resourcetype><C:calendar/></resourcetype>")),
            _ if String::from_utf8_lossy(&request.body).contains("multiget") => one_is_broken(),
            _ => two_listed(),
        }
    };
    let skill = calendar("").with_web(&[], answer);
    let entry = json!({
        "name": "Team", "caldav": format!("{}/team/", skill.web_address()), "sign_in": "google",
        "user": "jane@x.example", "password": "${credentials:calendar/team}",
    });
    let mut skill = skill.with_config(json!({"calendars": [entry]}));
    skill.credentials = Arc::new(credentials);
    skill
}

fn tokens(skill: &SkillInVault) -> Vec<String> {
    let headers = skill.requests().into_iter().map(|request| request.headers["authorization"].clone());
    headers.collect()
}

#[test]
fn the_token_is_sent_and_not_the_user() {
    let skill = team(FixedCredentials::default().with("calendar/team", "good"));
    assert_eq!(refresh(&skill)[0]["changed"], true);
    assert!(tokens(&skill).iter().all(|token| token == "Bearer good"), "{:?}", tokens(&skill));
}

#[test]
fn expired_token_is_renewed() {
    let skill =
        team(FixedCredentials::default().with("calendar/team", "ended").renewed_to("calendar/team", "good"));
    assert_eq!(refresh(&skill)[0]["changed"], true);
    assert_eq!(tokens(&skill)[..2], ["Bearer ended", "Bearer good"]);
}

#[test]
fn a_refused_sign_in_is_not_repeated() {
    let credentials = FixedCredentials::default().with("calendar/team", "ended");
    let skill = team(credentials.renewed_to("calendar/team", "ended, too"));
    let row = refresh(&skill)[0].clone();
    assert_eq!(row["problem"], "calendar/team needs a sign-in: the server of Team does not accept it.");
    assert!(row["remedy"].as_str().unwrap().contains("nova credential sign-in calendar/team"), "{row}");
    assert_eq!(tokens(&skill), ["Bearer ended", "Bearer ended, too"]);
}

#[test]
fn token_is_not_sent_to_another_server() {
    let skill = calendar("").with_web(&["dav.evil.example"], |_| Reply::with(404, &[], ""));
    let entry = json!({
        "name": "Team", "caldav": "https://dav.evil.example/team/", "sign_in": "google",
        "password": "${credentials:calendar/team}",
    });
    let mut skill = skill.with_config(json!({"calendars": [entry]}));
    skill.credentials = Arc::new(FixedCredentials::default().with("calendar/team", "good"));
    let row = refresh(&skill)[0].clone();
    assert_eq!(
        row["problem"],
        "A sign-in with Google is for apidata.googleusercontent.com only, and the server of Team is dav.evil.example."
    );
    assert_eq!(skill.requests(), []);
}
