use nova_dav::ical::Component;

use crate::people::address_of;

/// A participant of an event.
pub(super) struct Person {
    pub(super) name: Option<String>,
    pub(super) address: Option<String>,
}

impl Person {
    pub(super) fn called(name: String) -> Self {
        Self { name: Some(name), address: None }
    }

    pub(super) fn is_at(&self, address: &str) -> bool {
        self.address.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(address))
    }

    /// `Odile`, `odile@example.org`, `Odile <odile@example.org>`. Never a link: the text may be untrusted, and a note
    /// lists contacts as links.
    pub(super) fn shown(&self) -> String {
        let text = match (&self.name, &self.address) {
            (Some(name), Some(address)) if name != address => format!("{name} <{address}>"),
            (Some(said), _) | (None, Some(said)) => said.clone(),
            (None, None) => String::new(),
        };
        let is_safe = |letter: &char| !matches!(letter, '[' | ']') && !letter.is_control();
        text.chars().filter(is_safe).collect()
    }
}

/// The organizer and all invited people who did not decline, each once, without rooms and groups.
pub(super) fn present(event: &Component) -> Vec<Person> {
    let mut all: Vec<Person> = Vec::new();
    for person in event.properties("ORGANIZER").chain(event.properties("ATTENDEE")) {
        let is =
            |param: &str, value: &str| person.param(param).is_some_and(|own| own.eq_ignore_ascii_case(value));
        let address = Some(address_of(person)).filter(|address| address.contains('@'));
        let name = person.param("CN").map(str::trim).filter(|name| !name.is_empty());
        let is_person = person.param("CUTYPE").is_none() || is("CUTYPE", "INDIVIDUAL");
        let is_known = address.is_some_and(|address| all.iter().any(|other| other.is_at(address)));
        if is_person && !is_known && !is("PARTSTAT", "DECLINED") && (name.is_some() || address.is_some()) {
            all.push(Person { name: name.map(str::to_owned), address: address.map(str::to_owned) });
        }
    }
    all
}
