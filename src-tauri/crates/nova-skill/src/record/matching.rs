//! Decides which notes are records of a type, by the rules of its manifest or the user's configuration, and
//! which properties a new note needs to match.

use nova_vault::note::{Document, PropertyEdit, Value as PropertyValue};
use nova_vault::{Condition, Fits, Note, Recogniser, Rule};
use serde::Deserialize;

use super::declaration::is_name;
use super::fault::is_empty;
use super::{Field, RecordType};
use crate::ToolError;
use crate::figures::folded;

/// One entry of `match:`; a note that matches any of them is a record of the type.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Entry")]
pub enum MatchRule {
    /// `{type: contact}`: the note's `type:`.
    Type(String),
    /// `{folder: People}`: the note is in or below the folder.
    Folder(String),
    /// `{tag: person}`: the note has the tag or a nested one.
    Tag(String),
    /// `{where: "categories contains [[People]]"}`: the note meets the condition.
    Where(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(default, rename = "type")]
    record_type: Option<String>,
    #[serde(default)]
    folder: Option<String>,
    #[serde(default)]
    tag: Option<String>,
    #[serde(default, rename = "where")]
    condition: Option<String>,
}

impl TryFrom<Entry> for MatchRule {
    /// The error in the entry.
    type Error = String;

    fn try_from(entry: Entry) -> Result<Self, String> {
        let Entry { record_type, folder, tag, condition } = entry;
        let given = [
            record_type.map(Self::Type),
            folder.map(|folder| Self::Folder(folder.trim().trim_matches('/').to_owned())),
            tag.map(|tag| Self::Tag(tag.trim().trim_start_matches('#').trim_end_matches('/').to_owned())),
            condition.map(Self::Where),
        ];
        let mut given = given.into_iter().flatten();
        match (given.next(), given.next()) {
            (Some(rule), None) => rule.contradiction().map_or(Ok(rule), Err),
            _ => Err("an entry of `match` has one of type, folder, tag and where".into()),
        }
    }
}

impl MatchRule {
    fn contradiction(&self) -> Option<String> {
        match self {
            Self::Folder(folder) if matches!(folder.as_str(), "" | ".") => Some(
                "the folder is the whole vault, so every note would be a record; name a folder of it".into(),
            ),
            Self::Folder(folder) => {
                nova_vault::note::VaultPath::parse(folder).err().map(|error| format!("the folder {error}"))
            }
            Self::Type(name) | Self::Tag(name) => {
                (!is_name(name)).then(|| format!("{name:?} is not one line of text without spaces around it"))
            }
            Self::Where(condition) => Rule::condition(condition).err().map(|error| error.to_string()),
        }
    }

    /// As text: "type: contact", "in People/", "#person".
    pub fn in_words(&self) -> String {
        match self {
            Self::Type(name) => format!("type: {name}"),
            Self::Folder(folder) => format!("in {folder}/"),
            Self::Tag(tag) => format!("#{tag}"),
            Self::Where(condition) => condition.clone(),
        }
    }

    /// A recogniser for this rule alone; `None` if its condition cannot be parsed.
    pub fn recogniser(&self) -> Option<Recogniser> {
        self.rule().map(|rule| Recogniser::new([rule]))
    }

    /// The property that satisfies it.
    fn mark(&self) -> Option<Mark> {
        match self {
            Self::Type(name) => Some(Mark::Is("type".into(), PropertyValue::Text(name.clone()))),
            Self::Folder(_) => None,
            Self::Tag(tag) => Some(Mark::Has("tags".into(), PropertyValue::Text(tag.clone()))),
            Self::Where(condition) => mark_of(condition),
        }
    }

    fn rule(&self) -> Option<Rule> {
        match self {
            Self::Type(name) => Some(Rule::Type(name.clone())),
            Self::Folder(folder) => Some(Rule::Folder(folder.clone())),
            Self::Tag(tag) => Some(Rule::Tag(tag.clone())),
            // Validated when the entry was parsed.
            Self::Where(condition) => Rule::condition(condition).ok(),
        }
    }
}

/// A property that makes a new note a record of its type.
#[derive(Debug, Clone, PartialEq)]
enum Mark {
    Is(String, PropertyValue),
    /// An item of a list.
    Has(String, PropertyValue),
}

impl RecordType {
    /// Recognises its records.
    pub fn recogniser(&self) -> &Recogniser {
        &self.recogniser
    }

    /// Whether the note is a record of this type. Templates and copies by sync programs never are; the vault
    /// identifies these.
    pub fn recognises(&self, note: &Note) -> bool {
        self.recogniser.recognises(note)
    }

    /// Whether its manifest or the configuration defines rules.
    pub fn has_own_match(&self) -> bool {
        self.matches.is_some()
    }

    /// Its rules: those of the manifest or the configuration, otherwise its type. In the latter case, notes
    /// in [`RecordType::folder`] without a type also match if their properties fit.
    pub fn match_rules(&self) -> Vec<MatchRule> {
        match &self.matches {
            Some(rules) => rules.clone(),
            None => self.type_values.iter().cloned().map(MatchRule::Type).collect(),
        }
    }

    /// Its rules in a sentence: "type: contact or in People/".
    pub fn recognised_by(&self) -> String {
        let rules: Vec<String> = self.match_rules().iter().map(MatchRule::in_words).collect();
        rules.join(" or ")
    }

    /// Rebuilds its recogniser after its rules, fields or folder were set.
    pub(super) fn settle(&mut self) {
        if let Some(rules) = &self.matches {
            let types = rules.iter().filter_map(|rule| match rule {
                MatchRule::Type(name) => Some(name.clone()),
                _ => None,
            });
            self.type_values = types.collect();
        }
        let rules: Vec<MatchRule> = self.match_rules();
        let own_folder = self.matches.is_none().then(|| {
            let (fields, title) = (self.fields.clone(), self.title.clone());
            let fits = move |document: &Document| fits(&fields, title.as_deref(), document);
            Rule::Fitting(self.folder.trim_matches('/').to_owned(), Fits::new(fits))
        });
        let except = Recogniser::new(self.except.iter().filter_map(MatchRule::rule));
        let narrowed = |rule: Rule| match except.is_empty() {
            true => rule,
            false => Rule::Unless(Box::new(rule), except.clone()),
        };
        let rules = rules.iter().filter_map(MatchRule::rule).chain(own_folder);
        self.recogniser = Recogniser::new(rules.map(narrowed));
    }

    /// The faulty key, and why no new note in its folder could be recognised.
    pub(super) fn cannot_mark(&self) -> Option<(&'static str, String)> {
        let mark = self.mark();
        let excepts_new =
            |rule: &&MatchRule| self.is_by_folder(rule) || mark.is_some() && rule.mark() == mark;
        if let Some(rule) = self.except.iter().find(excepts_new) {
            let rule = rule.in_words();
            return Some((
                "except",
                format!("leaves out new notes, too ({rule}); name what new notes do not have"),
            ));
        }
        let by_folder = self.match_rules().iter().any(|rule| self.is_by_folder(rule));
        (!by_folder && mark.is_none()).then(|| {
            let folder = self.folder.trim_matches('/');
            let reason = format!(
                "does not recognise new notes, which go to {folder}/; add an entry for that folder, for a type or a tag, \
                 or a condition with = or contains"
            );
            ("match", reason)
        })
    }

    /// Whether the folder of new notes satisfies the rule.
    fn is_by_folder(&self, rule: &MatchRule) -> bool {
        let MatchRule::Folder(of) = rule else { return false };
        let (folder, of) = (folded(self.folder.trim_matches('/')), folded(of));
        folder.strip_prefix(&of).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The property that satisfies the first possible rule; `None` if the folder alone satisfies an earlier
    /// one.
    fn mark(&self) -> Option<Mark> {
        let rules = self.match_rules();
        let mut before = rules.iter().take_while(|rule| !self.is_by_folder(rule));
        before.find_map(MatchRule::mark)
    }

    /// The properties of a new note: the one that makes it a record of this type, then `properties`.
    ///
    /// # Errors
    /// [`ToolError::InvalidArguments`] if a value contradicts the property that makes it a record.
    pub(super) fn marked(
        &self,
        mut properties: Vec<(String, PropertyValue)>,
    ) -> Result<Vec<(String, PropertyValue)>, ToolError> {
        let own = |properties: &[(String, PropertyValue)], key: &str| {
            properties.iter().position(|(of, _)| folded(of) == folded(key))
        };
        match self.mark() {
            None => {}
            Some(Mark::Is(key, value)) => match own(&properties, &key) {
                None => properties.insert(0, (key, value)),
                Some(at) if is_empty(&properties[at].1) => properties[at].1 = value,
                Some(at) if matches!(properties[at].1, PropertyValue::List(_)) => {
                    put_item(&mut properties[at].1, value);
                }
                Some(at)
                    if properties[at].1.as_text().map(|text| folded(&text))
                        == value.as_text().map(|text| folded(&text)) => {}
                Some(_) => {
                    let rule = format!("must be {}, which makes the note a {}", value.display(), self.name);
                    return Err(ToolError::InvalidArguments {
                        path: format!("/{key}"),
                        rule,
                        allowed: Vec::new(),
                    });
                }
            },
            Some(Mark::Has(key, value)) => match own(&properties, &key) {
                None => properties.insert(0, (key, PropertyValue::List(vec![value]))),
                Some(at) => put_item(&mut properties[at].1, value),
            },
        }
        Ok(properties)
    }

    /// The edit that makes an existing note a record; `None` if no property can.
    pub fn marking(&self, note: &Note) -> Option<PropertyEdit> {
        let spelled = |key: String| note.document.spelled(&key).map_or(key.clone(), str::to_owned);
        let is_list = |key: &str| matches!(note.document.property(key), Some(PropertyValue::List(items)) if !items.is_empty());
        Some(match self.mark()? {
            // A note may be of several types.
            Mark::Is(key, item) if is_list(&key) => PropertyEdit::AddItem { key: spelled(key), item },
            Mark::Is(key, value) => PropertyEdit::Set { key: spelled(key), value },
            Mark::Has(key, item) => PropertyEdit::AddItem { key: spelled(key), item },
        })
    }

    /// The property of its new notes that is not a field, for the user: "categories: [[People]]".
    pub fn mark_in_words(&self) -> Option<String> {
        self.mark().map(|mark| {
            let (Mark::Is(key, value) | Mark::Has(key, value)) = mark;
            format!("{key}: {}", value.display())
        })
    }
}

/// Puts an item first in a list that does not have it; what is single becomes a list.
fn put_item(property: &mut PropertyValue, item: PropertyValue) {
    let items = match std::mem::replace(property, PropertyValue::Null) {
        PropertyValue::List(items) => items,
        empty if is_empty(&empty) => Vec::new(),
        single => vec![single],
    };
    let text = |item: &PropertyValue| item.as_text().map(|text| folded(&text));
    let has = items.iter().any(|own| text(own) == text(&item));
    let added = (!has).then_some(item);
    *property = PropertyValue::List(added.into_iter().chain(items).collect());
}

/// The property that satisfies `KEY = VALUE` or `KEY contains VALUE`.
fn mark_of(condition: &str) -> Option<Mark> {
    let (key, operator, value) = Condition::parts(condition)?;
    let value = PropertyValue::from_text(&value);
    match operator.as_str() {
        "=" => Some(Mark::Is(key, value)),
        "contains" => Some(Mark::Has(key, value)),
        _ => None,
    }
}

/// Whether the properties of a note without a type are those of such a record: it has all required fields and
/// at least one field, and all its fields are valid.
fn fits(fields: &indexmap::IndexMap<String, Field>, title: Option<&str>, document: &Document) -> bool {
    let mut has_one = false;
    for (key, field) in fields {
        match document.property(&field.property).filter(|value| !is_empty(value)) {
            Some(value) if field.fits(value) => has_one = true,
            Some(_) => return false,
            None if field.required && title != Some(key) => return false,
            None => {}
        }
    }
    has_one
}
