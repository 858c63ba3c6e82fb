//! iCalendar syntax: lines, components and values.

mod line;
mod parse;
mod value;

pub use line::{Property, escape, unescape};
pub use parse::{IcalError, Limits};
pub use value::{Length, Moment, ValueError};

/// A calendar file: one or more `VCALENDAR`s.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Calendar {
    entries: Vec<Entry>,
    /// CRLF, unless the parsed file uses LF.
    newline: Newline,
}

/// A component, from `BEGIN:NAME` to `END:NAME`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Component {
    name: String,
    entries: Vec<Entry>,
    /// The original `BEGIN` and `END` lines; empty for a new component.
    begin: Vec<u8>,
    end: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Entry {
    Property(Property),
    Component(Component),
    /// Lines that are not properties, such as empty ones, retained for printing.
    Other(Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Newline {
    #[default]
    CrLf,
    Lf,
}

impl Newline {
    fn text(self) -> &'static str {
        match self {
            Self::CrLf => "\r\n",
            Self::Lf => "\n",
        }
    }
}

impl Calendar {
    /// Parses a file within the [default limits](Limits::default).
    pub fn parse(bytes: &[u8]) -> Result<Self, IcalError> {
        parse::parse(bytes, &Limits::default())
    }

    pub fn parse_within(bytes: &[u8], limits: &Limits) -> Result<Self, IcalError> {
        parse::parse(bytes, limits)
    }

    /// An empty `VCALENDAR` with this `PRODID`.
    pub fn new(product: &str) -> Self {
        let mut calendar = Component::new("VCALENDAR");
        calendar.add(Property::new("VERSION", "2.0"));
        calendar.add(Property::text("PRODID", product));
        Self { entries: vec![Entry::Component(calendar)], newline: Newline::CrLf }
    }

    /// Appends the `VCALENDAR`s of another file.
    pub fn append(&mut self, other: Self) {
        self.entries.extend(other.entries);
    }

    /// Serialises the file: unchanged lines keep their bytes, new ones are folded at 75 octets.
    pub fn print(&self) -> Vec<u8> {
        let mut out = Vec::new();
        print(&self.entries, self.newline.text(), &mut out);
        out
    }

    /// The `VCALENDAR`s.
    pub fn calendars(&self) -> impl Iterator<Item = &Component> {
        components(&self.entries)
    }

    pub fn calendars_mut(&mut self) -> impl Iterator<Item = &mut Component> {
        components_mut(&mut self.entries)
    }

    /// The direct children of all `VCALENDAR`s with this name, such as `VEVENT`.
    pub fn components(&self, name: &str) -> impl Iterator<Item = &Component> {
        self.calendars().flat_map(Component::components).filter(move |component| component.is(name))
    }

    pub fn components_mut(&mut self, name: &str) -> impl Iterator<Item = &mut Component> {
        self.calendars_mut().flat_map(Component::components_mut).filter(move |component| component.is(name))
    }
}

impl Component {
    pub fn new(name: &str) -> Self {
        Self { name: name.to_ascii_uppercase(), entries: Vec::new(), begin: Vec::new(), end: Vec::new() }
    }

    /// In upper case.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    pub fn all(&self) -> impl Iterator<Item = &Property> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Property(property) => Some(property),
            _ => None,
        })
    }

    /// The properties with this name, ignoring case.
    pub fn properties(&self, name: &str) -> impl Iterator<Item = &Property> {
        self.all().filter(move |property| property.is(name))
    }

    /// For properties that may be repeated, such as `ATTENDEE`.
    pub fn properties_mut(&mut self, name: &str) -> impl Iterator<Item = &mut Property> {
        self.entries.iter_mut().filter_map(move |entry| match entry {
            Entry::Property(property) if property.is(name) => Some(property),
            _ => None,
        })
    }

    pub fn property(&self, name: &str) -> Option<&Property> {
        self.properties(name).next()
    }

    /// The unescaped text; `None` if the property is missing or empty.
    pub fn text(&self, name: &str) -> Option<String> {
        self.property(name).map(|property| unescape(property.value())).filter(|text| !text.is_empty())
    }

    pub fn components(&self) -> impl Iterator<Item = &Component> {
        components(&self.entries)
    }

    pub fn components_mut(&mut self) -> impl Iterator<Item = &mut Component> {
        components_mut(&mut self.entries)
    }

    /// Replaces all properties with this name by one, at the position of the first. An equal property keeps
    /// its original bytes.
    pub fn set(&mut self, property: Property) {
        if self.properties(property.name()).count() == 1
            && self.property(property.name()).is_some_and(|before| before.says_the_same(&property))
        {
            return;
        }
        let place = self
            .entries
            .iter()
            .position(|entry| matches!(entry, Entry::Property(before) if before.is(property.name())));
        match place {
            None => self.add(property),
            Some(place) => {
                self.remove(property.name());
                self.entries.insert(place, Entry::Property(property));
            }
        }
    }

    /// Appends a property after the others and before child components.
    pub fn add(&mut self, property: Property) {
        let place = self
            .entries
            .iter()
            .rposition(|entry| matches!(entry, Entry::Property(_)))
            .map_or(0, |last| last + 1);
        self.entries.insert(place, Entry::Property(property));
    }

    pub fn remove(&mut self, name: &str) {
        self.entries.retain(|entry| !matches!(entry, Entry::Property(property) if property.is(name)));
    }

    /// Removes the properties that match.
    pub fn remove_properties(&mut self, mut condition: impl FnMut(&Property) -> bool) {
        self.entries.retain(|entry| !matches!(entry, Entry::Property(property) if condition(property)));
    }

    pub fn push(&mut self, component: Component) {
        self.entries.push(Entry::Component(component));
    }

    /// Removes the components that match, and returns their number.
    pub fn remove_components(&mut self, mut condition: impl FnMut(&Component) -> bool) -> usize {
        let before = self.entries.len();
        self.entries.retain(|entry| !matches!(entry, Entry::Component(component) if condition(component)));
        before - self.entries.len()
    }
}

fn components(entries: &[Entry]) -> impl Iterator<Item = &Component> {
    entries.iter().filter_map(|entry| match entry {
        Entry::Component(component) => Some(component),
        _ => None,
    })
}

fn components_mut(entries: &mut [Entry]) -> impl Iterator<Item = &mut Component> {
    entries.iter_mut().filter_map(|entry| match entry {
        Entry::Component(component) => Some(component),
        _ => None,
    })
}

fn print(entries: &[Entry], newline: &str, out: &mut Vec<u8>) {
    for entry in entries {
        match entry {
            Entry::Other(raw) => out.extend_from_slice(raw),
            Entry::Property(property) => property.print(newline, out),
            Entry::Component(component) => {
                frame(&component.begin, "BEGIN", component, newline, out);
                print(&component.entries, newline, out);
                frame(&component.end, "END", component, newline, out);
            }
        }
    }
}

fn frame(raw: &[u8], word: &str, component: &Component, newline: &str, out: &mut Vec<u8>) {
    // The file's last line may lack its ending, which is needed once something follows.
    if !out.is_empty() && out.last() != Some(&b'\n') {
        out.extend_from_slice(newline.as_bytes());
    }
    if raw.is_empty() {
        out.extend_from_slice(format!("{word}:{}{newline}", component.name).as_bytes());
    } else {
        out.extend_from_slice(raw);
    }
}
