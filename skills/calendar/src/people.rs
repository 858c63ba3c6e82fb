//! The organizer and the attendees of a server's event, by e-mail address: those whom the server notifies of a
//! change.

use nova_dav::ical::{Calendar, Component, Property};
use nova_skill::{Change, ToolError};

use crate::period::invalid;
use crate::sources::caldav::Account;

/// The address of an `ORGANIZER` or `ATTENDEE`, without `mailto:`.
pub(crate) fn address_of(person: &Property) -> &str {
    let address = person.value().trim();
    let scheme = address.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("mailto:"));
    scheme.map_or(address, |scheme| address[scheme.len()..].trim())
}

pub(crate) fn is_at(person: &Property, address: &str) -> bool {
    address_of(person).eq_ignore_ascii_case(address.trim())
}

pub(crate) fn organizer(calendar: &Calendar) -> Option<&str> {
    calendar.components("VEVENT").find_map(|event| event.property("ORGANIZER")).map(address_of)
}

/// All attendees of an event or one instance of it, each once.
pub(crate) fn attendees(calendar: &Calendar) -> Vec<String> {
    let mut all = Vec::new();
    for event in calendar.components("VEVENT") {
        event.properties("ATTENDEE").for_each(|person| add(&mut all, address_of(person)));
    }
    all
}

fn add(all: &mut Vec<String>, address: &str) {
    if !all.iter().any(|other| other.eq_ignore_ascii_case(address)) {
        all.push(address.to_owned());
    }
}

/// The user's answer to somebody else's invitation, and its organizer; `None` for any other event.
pub(crate) fn invitation<'a>(event: &'a Component, own: &str) -> Option<(&'a str, &'static str)> {
    let organizer =
        event.property("ORGANIZER").map(address_of).filter(|other| !other.eq_ignore_ascii_case(own))?;
    let answer = event.properties("ATTENDEE").find(|person| is_at(person, own))?.param("PARTSTAT");
    let is_given = |given: &&str| answer.is_some_and(|answer| answer.eq_ignore_ascii_case(given));
    let given = ["ACCEPTED", "DECLINED", "TENTATIVE"].into_iter().find(is_given);
    Some((organizer, given.unwrap_or("NEEDS-ACTION")))
}

pub(crate) fn has_declined(event: &Component, own: &str) -> bool {
    let mut user = event.properties("ATTENDEE").filter(|person| is_at(person, own));
    user.any(|person| person.param("PARTSTAT").is_some_and(|said| said.eq_ignore_ascii_case("DECLINED")))
}

/// Checks that a change notifies only those whom the call names. `after` is the event after the change, `None` if it
/// is deleted.
///
/// # Errors
/// If it has attendees whom the call does not name, or somebody else organizes it.
pub(crate) fn check_told(
    account: &Account,
    before: &Calendar,
    after: Option<&Calendar>,
    named: Option<&[String]>,
) -> Result<(), ToolError> {
    let mut told = attendees(before);
    after.map(attendees).unwrap_or_default().iter().for_each(|person| add(&mut told, person));
    if let Some(organizer) = organizer(before)
        && !organizer.eq_ignore_ascii_case(account.own_address()?)
    {
        return Err(ToolError::failed(
            format!("Nothing was changed: the event belongs to {organizer}, who alone can change it."),
            "Answer the invitation with calendar.respond, or ask its organizer.",
        ));
    }
    let own = account.email.as_deref().unwrap_or_default();
    told.retain(|person| !person.eq_ignore_ascii_case(own));
    let named = named.unwrap_or_default();
    let is_in = |list: &[String], person: &String| {
        list.iter().any(|other| other.trim().eq_ignore_ascii_case(person.trim()))
    };
    if told.iter().all(|person| is_in(named, person)) {
        let is_other = |person: &&String| !is_in(&told, person) && !person.trim().eq_ignore_ascii_case(own);
        return match named.iter().find(is_other) {
            None => Ok(()),
            Some(other) => Err(invalid("/notify", &format!("{other} does not attend the event"))),
        };
    }
    Err(ToolError::failed(
        "Nothing was changed: the event has attendees, whom its server would notify.",
        format!("Call it again with notify: {}.", nova_skill::json!(told)),
    ))
}

/// # Errors
/// If somebody is named: a note notifies nobody.
pub(crate) fn nobody_is_told(named: Option<&[String]>) -> Result<(), ToolError> {
    match named {
        None | Some([]) => Ok(()),
        Some(_) => Err(invalid("/notify", "the event is a note, which notifies nobody; leave it out")),
    }
}

/// The organizer and the attendees of a new event; empty for an event of the user alone.
///
/// # Errors
/// For an invalid e-mail address, and if the user's own is unknown.
pub(crate) fn invited(account: &Account, people: &[String]) -> Result<Vec<Property>, ToolError> {
    if people.is_empty() {
        return Ok(Vec::new());
    }
    let organizer = Property::new("ORGANIZER", format!("mailto:{}", account.own_address()?));
    let mut all = vec![organizer];
    for person in people {
        all.push(attendee(person)?);
    }
    Ok(all)
}

/// Sets the attendees of an event; those who stay keep their properties.
///
/// # Errors
/// As [`invited`].
pub(crate) fn set_attendees(
    event: &mut Component,
    account: &Account,
    people: &Change<Vec<String>>,
) -> Result<(), ToolError> {
    let people: &[String] = match people {
        Change::Keep => return Ok(()),
        Change::Remove => &[],
        Change::Set(people) => people,
    };
    let mut new = invited(account, people)?;
    new.retain(|person| {
        !event.all().any(|before| before.is(person.name()) && is_at(before, address_of(person)))
    });
    let stays = |person: &Property| {
        people.iter().any(|other| attendee(other).is_ok_and(|other| is_at(person, address_of(&other))))
    };
    event.remove_properties(|person| {
        person.is("ATTENDEE") && !stays(person) || person.is("ORGANIZER") && people.is_empty()
    });
    new.into_iter().for_each(|person| event.add(person));
    Ok(())
}

/// `ann@example.org`, `Ann Doe <ann@example.org>`.
///
/// # Errors
/// `InvalidArguments` for anything else.
fn attendee(person: &str) -> Result<Property, ToolError> {
    let (name, address) = match person.trim().strip_suffix('>').and_then(|person| person.rsplit_once('<')) {
        Some((name, address)) => (name.trim().trim_matches('"'), address.trim()),
        None => ("", person.trim()),
    };
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.contains(|letter: char| {
                letter.is_whitespace() || letter.is_control() || "<>()[],;:\\\"@".contains(letter)
            })
    };
    let is_address = address.split_once('@').is_some_and(|(user, host)| is_part(user) && is_part(host));
    if !is_address || name.contains(char::is_control) {
        return Err(invalid(
            "/attendees",
            &format!(
                "\"{person}\" is not an e-mail address; the server invites by addresses such as ann@example.org"
            ),
        ));
    }
    let mut made = Property::new("ATTENDEE", format!("mailto:{address}"));
    if !name.is_empty() {
        made = made.with("CN", name);
    }
    Ok(made.with("ROLE", "REQ-PARTICIPANT").with("PARTSTAT", "NEEDS-ACTION").with("RSVP", "TRUE"))
}
