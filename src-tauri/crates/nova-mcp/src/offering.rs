//! Requests the prompts and resources of a server, and the text of a prompt.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use nova_registry::{harmless, harmless_line};
use rmcp::model::{
    ArgumentInfo, ClientRequest, CompleteRequest, CompleteRequestParams, CompletionContext, GetPromptRequest,
    GetPromptRequestParams, ListPromptsRequest, PaginatedRequestParams, PromptMessage, Reference, Role,
    ServerResult,
};
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::connection::Connection;
use crate::definition::cut;
use crate::limits;
use crate::offers::{Offers, Prompt, PromptArgument, Resource};
use crate::output::said;
use crate::trouble::Trouble;

impl Connection {
    /// The server's current offers; a list that fails is taken from `before`.
    pub(crate) async fn offers(&self, limit: Duration, before: Offers) -> Offers {
        let info = self.info();
        let offered = info.as_ref().map(|info| &info.capabilities);
        let prompts = match offered.and_then(|offered| offered.prompts.as_ref()) {
            Some(_) => self.list_prompts(limit).await.unwrap_or_else(|trouble| {
                tracing::debug!(error = %trouble.line(), "cannot list prompts");
                before.prompts
            }),
            None => Vec::new(),
        };
        let until = Instant::now() + limit;
        let resources = match offered.and_then(|offered| offered.resources.as_ref()) {
            Some(_) => match self.resource_pages(until, limit).await {
                Ok((listed, _)) => listed.iter().filter_map(resource).collect(),
                Err(trouble) => {
                    tracing::debug!(error = %trouble.line(), "cannot list resources");
                    before.resources
                }
            },
            None => Vec::new(),
        };
        let completes = offered.is_some_and(|offered| offered.completions.is_some());
        Offers { prompts, resources, completes }
    }

    async fn list_prompts(&self, limit: Duration) -> Result<Vec<Prompt>, Trouble> {
        let until = Instant::now() + limit;
        let (mut prompts, mut cursor) = (Vec::new(), None);
        let mut names = BTreeSet::new();
        for _ in 0..limits::PAGES {
            let request = ListPromptsRequest {
                method: Default::default(),
                params: Some(PaginatedRequestParams::default().with_cursor(cursor.take())),
                extensions: Default::default(),
            };
            let left = until.saturating_duration_since(Instant::now());
            let ServerResult::ListPromptsResult(page) =
                self.ask(ClientRequest::ListPromptsRequest(request), left, limit).await?
            else {
                return Err(self.faulty("sent an invalid answer to the request for its prompts"));
            };
            prompts
                .extend(page.prompts.iter().filter_map(prompt).filter(|one| names.insert(one.name.clone())));
            cursor = page.next_cursor;
            if cursor.is_none() || prompts.len() >= limits::PROMPTS {
                break;
            }
        }
        prompts.truncate(limits::PROMPTS);
        Ok(prompts)
    }

    /// Fills in a prompt and returns its text.
    pub(crate) async fn fill_prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        limit: Duration,
    ) -> Result<String, Trouble> {
        let mut params = GetPromptRequestParams::new(name);
        params.arguments = Some(arguments);
        let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
        let filled = match self.ask(request, limit, limit).await? {
            ServerResult::GetPromptResult(filled) => filled,
            ServerResult::InputRequiredResult(_) => {
                return Err(Trouble::failed(
                    format!("{} asks for input before it returns this prompt.", self.server()),
                    "Use one of its tools, which can ask you.",
                ));
            }
            _ => return Err(self.faulty("sent an invalid answer to the request for a prompt")),
        };
        let text = text_of(&filled.messages);
        if text.trim().is_empty() {
            return Err(self.faulty("gave an empty prompt"));
        }
        Ok(text)
    }

    /// Completions for an argument of a prompt; empty if the server has none.
    pub(crate) async fn complete(
        self: &Arc<Self>,
        prompt: &str,
        argument: &str,
        begun: &str,
        others: HashMap<String, String>,
        limit: Duration,
    ) -> Vec<String> {
        let offers = self.info().is_some_and(|info| info.capabilities.completions.is_some());
        if !offers {
            return Vec::new();
        }
        let of = Reference::for_prompt(prompt);
        let mut params = CompleteRequestParams::new(of, ArgumentInfo::new(argument, begun));
        params.context = Some(CompletionContext::with_arguments(others));
        let request = ClientRequest::CompleteRequest(CompleteRequest::new(params));
        match self.ask(request, limit, limit).await {
            Ok(ServerResult::CompleteResult(result)) => {
                let values = result.completion.values.into_iter();
                // The displayed text must equal the text sent.
                values.filter(|value| is_plain(value, limits::QUOTE)).take(limits::COMPLETIONS).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// `None` if its name cannot be displayed exactly.
fn prompt(listed: &rmcp::model::Prompt) -> Option<Prompt> {
    let arguments = listed.arguments.iter().flatten().take(limits::FIELDS);
    let arguments: Option<Vec<PromptArgument>> = arguments
        .map(|argument| {
            is_plain(&argument.name, limits::NAME).then(|| PromptArgument {
                name: argument.name.clone(),
                title: line(argument.title.as_deref()),
                description: line(argument.description.as_deref()).unwrap_or_default(),
                required: argument.required == Some(true),
            })
        })
        .collect();
    is_plain(&listed.name, limits::NAME).then_some(Prompt {
        name: listed.name.clone(),
        title: line(listed.title.as_deref()),
        description: line(listed.description.as_deref()).unwrap_or_default(),
        arguments: arguments?,
    })
}

fn resource(listed: &rmcp::model::Resource) -> Option<Resource> {
    let shown = listed.title.as_deref().unwrap_or(&listed.name);
    is_plain(&listed.uri, limits::URL).then(|| Resource {
        uri: listed.uri.clone(),
        name: line(Some(shown)).unwrap_or_else(|| listed.uri.clone()),
        description: line(listed.description.as_deref()).unwrap_or_default(),
        media_type: line(listed.mime_type.as_deref()),
    })
}

fn line(said: Option<&str>) -> Option<String> {
    said.map(|said| cut(&harmless_line(said), limits::QUOTE)).filter(|said| !said.is_empty())
}

/// Whether it is short enough and free of invisible characters and markup.
fn is_plain(said: &str, most: usize) -> bool {
    !said.is_empty() && said.len() <= most && harmless(said) == said && !said.contains(['\n', '\r', '\t'])
}

/// Names the speakers only if there are several.
fn text_of(messages: &[PromptMessage]) -> String {
    let is_talk = messages.iter().any(|message| message.role != Role::User);
    let parts = messages.iter().map(|message| match (is_talk, &message.role) {
        (false, _) => said(&message.content),
        (true, Role::User) => format!("User: {}", said(&message.content)),
        (true, Role::Assistant) => format!("Assistant: {}", said(&message.content)),
    });
    let text = parts.collect::<Vec<_>>().join("\n\n");
    if text.len() <= limits::PROMPT {
        return text;
    }
    let end = (0..=limits::PROMPT).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    format!("{}\n[{} more bytes were left out.]", &text[..end], text.len() - end)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(messages: Value) -> String {
        text_of(&serde_json::from_value::<Vec<PromptMessage>>(messages).expect("messages"))
    }

    #[test]
    fn speakers_are_named_only_in_conversations() {
        let says = |role: &str, text: &str| json!({"role": role, "content": {"type": "text", "text": text}});
        assert_eq!(filled(json!([says("user", "Review it.")])), "Review it.");
        assert_eq!(filled(json!([says("user", "a"), says("user", "b")])), "a\n\nb");
        let talk = filled(json!([says("user", "a"), says("assistant", "b")]));
        assert_eq!(talk, "User: a\n\nAssistant: b");
        assert!(filled(json!([says("user", &"x".repeat(300_000))])).len() < limits::PROMPT + 100);
    }

    #[test]
    fn non_text_content_is_named() {
        let of = |content: Value| filled(json!([{ "role": "user", "content": content }]));
        let image = json!({"type": "image", "mimeType": "image/png", "data": "AAAA"});
        assert_eq!(of(image), "[image left out: image/png, 3 bytes]");
        let embedded = json!({"type": "resource", "resource": {"uri": "a:b", "text": "milk"}});
        assert_eq!(of(embedded), "a:b:\nmilk");
    }

    #[test]
    fn prompt_with_undisplayable_name_is_skipped() {
        let read = |listed: Value| prompt(&serde_json::from_value(listed).expect("a prompt"));
        let good =
            read(json!({"name": "review", "description": "Reviews\nit.", "arguments": [{"name": "file"}]}));
        let good = good.expect("a prompt");
        assert_eq!((good.description.as_str(), good.arguments[0].required), ("Reviews it.", false));
        assert_eq!(read(json!({"name": "re\u{202e}view"})), None);
        assert_eq!(read(json!({"name": "x".repeat(300)})), None);
        assert_eq!(read(json!({"name": "a", "arguments": [{"name": "</tool-text>"}]})), None);
    }
}
