use nova_skill::{Elicitation, Elicited, ToolContext, ToolError, Wanted, json};

/// An event that changed on its server since it was fetched. Nothing was written; the server's version is stored.
pub(crate) struct Conflict {
    pub(super) calendar: String,
    pub(super) before: String,
    pub(super) mine: String,
    /// `None`: it was deleted.
    pub(super) theirs: Option<String>,
}

impl Conflict {
    /// Shows both versions in a chat, where the user chooses one. The panel has its own card for the error.
    ///
    /// # Errors
    /// With both versions, unless the user chose to apply the change to the server's version.
    pub(crate) async fn settle(self, ctx: &dyn ToolContext) -> Result<(), ToolError> {
        let Some(theirs) = self.theirs.as_ref().filter(|_| ctx.request().turn.is_some()) else {
            return Err(self.error());
        };
        let question = Elicitation {
            from: self.calendar.clone(),
            message: format!(
                "The event changed on the server in the meantime, so nothing was written yet.\n\nServer: {theirs}\nYour \
                 change, to the version before: {}\nBefore: {}",
                self.mine, self.before
            ),
            wanted: Wanted::Values(json!({
                "type": "object",
                "required": ["keep"],
                "properties": { "keep": { "type": "string", "title": "Version", "oneOf": [
                    { "const": "theirs", "title": "Keep the server's" },
                    { "const": "mine", "title": "Make my change to the server's version" },
                ] } },
            })),
        };
        match ctx.user().ask(&question).await? {
            Elicited::Accepted(values) if values["keep"] == "mine" => Ok(()),
            Elicited::Accepted(_) => Err(ToolError::failed(
                format!("Nothing was written: the user keeps the version of the server, {theirs}."),
                "Do not make the change again unless the user asks for it.",
            )),
            Elicited::Declined | Elicited::Cancelled => Err(self.error()),
        }
    }

    fn error(&self) -> ToolError {
        ToolError::failed(
            format!(
                "Nothing was written: the event changed on the server of {} in the meantime. Before: {}. Yours: {}. Theirs: {}.",
                self.calendar,
                self.before,
                self.mine,
                self.theirs.as_deref().unwrap_or("deleted")
            ),
            "Ask the user which version to keep. Another call would change theirs.",
        )
    }
}
