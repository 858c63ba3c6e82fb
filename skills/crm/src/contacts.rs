use nova_skill::{Note, Problem, PropertyValue, Record, RecordType, ToolContext, ToolError, folded};

/// The `type:` of a contact, as the manifest declares it.
pub(crate) const CONTACT: &str = "contact";

/// All contacts of the vault, read at one moment.
pub(crate) struct Contacts {
    declared: RecordType,
    notes: Vec<Note>,
    /// Notes that seem to be contacts and cannot be read, by path.
    pub(crate) unreadable: Vec<Problem>,
}

/// One contact.
pub(crate) struct Contact<'a> {
    pub(crate) record: Record<'a>,
    /// The `name` property, else the note's name.
    pub(crate) name: String,
}

impl Contacts {
    pub(crate) async fn read(ctx: &dyn ToolContext) -> Result<Self, ToolError> {
        Ok(Self {
            declared: ctx.records().get(CONTACT)?.clone(),
            notes: ctx.vault().records(CONTACT).await?,
            unreadable: ctx.vault().unreadable(CONTACT).await?,
        })
    }

    /// By path.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Contact<'_>> {
        self.notes.iter().map(|note| {
            let record = self.declared.read(note);
            Contact { name: record.title(), record }
        })
    }
}

impl Contact<'_> {
    pub(crate) fn note(&self) -> &Note {
        self.record.note()
    }

    pub(crate) fn path(&self) -> &str {
        self.note().path.as_str()
    }

    /// Whether this is the contact's name or the name of its note, whatever the case.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        let name = folded(name);
        folded(&self.name) == name || folded(self.note().path.name()) == name
    }

    pub(crate) fn has_email(&self, email: &str) -> Result<bool, ToolError> {
        let own = self.record.text("email")?;
        Ok(own.is_some_and(|own| folded(&own) == folded(email)))
    }

    /// Obsidian's own `aliases`, a list or one text.
    pub(crate) fn aliases(&self) -> Vec<String> {
        let text = |value: &PropertyValue| value.as_text().map(|text| text.into_owned());
        match self.note().document.property("aliases") {
            Some(PropertyValue::List(items)) => items.iter().filter_map(text).collect(),
            Some(single) => text(single).into_iter().collect(),
            None => Vec::new(),
        }
    }
}
