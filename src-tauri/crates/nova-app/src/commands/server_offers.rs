//! Commands for prompts and resources of MCP servers.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nova_mcp::{Offers, Prompt, Resource, ServerMedia};
use nova_protocol::{
    AttachedFile, CompletePrompt, ErrorCode, FillPrompt, ImageData, Nothing, ResourceSuggestion,
    ServerMediaRef, ServerPrompt, SuggestResources, UserError,
};
use nova_registry::shown_name;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::blocking::blocking;

/// Maximum number of suggested resources.
const SUGGESTED: usize = 8;
/// Maximum number of attached resources of one message, and bytes of text of each.
const TAKEN_ALONG: usize = 8;
const TEXT: usize = 120_000;

impl App {
    pub(crate) async fn list_server_prompts(&self, _: Nothing) -> Result<Vec<ServerPrompt>, UserError> {
        let mut rows = Vec::new();
        for server in self.inner.mcp.offered() {
            let Offers { prompts, completes, .. } = server.offers;
            rows.extend(prompts.into_iter().map(|prompt| ServerPrompt {
                server: server.name.clone(),
                skill: server.id.clone(),
                completes,
                input_schema: schema_of(&prompt),
                name: prompt.name,
                title: prompt.title,
                description: prompt.description,
            }));
        }
        Ok(rows)
    }

    pub(crate) async fn fill_server_prompt(&self, fill: FillPrompt) -> Result<AttachedFile, UserError> {
        let config = self.mcp_server(&fill.server)?;
        let given = fill.args.into_iter().filter(|(_, value)| !value.is_empty());
        let args: Map<String, Value> = given.map(|(name, value)| (name, Value::from(value))).collect();
        let filled = self.inner.mcp.fill_prompt(&config.name, &fill.prompt, args).await;
        let filled = filled.ok_or_else(|| {
            UserError::new(
                ErrorCode::BadRequest,
                format!("{} has no prompt \"{}\".", config.name, fill.prompt),
                "Choose another one.",
            )
        })?;
        let text = filled?;
        let from = Some(shown_name(&config.id, &fill.prompt));
        Ok(AttachedFile { name: format!("prompt {}", fill.prompt), text, from, uri: None })
    }

    pub(crate) async fn complete_server_prompt(
        &self,
        complete: CompletePrompt,
    ) -> Result<Vec<String>, UserError> {
        let config = self.mcp_server(&complete.server)?;
        let others: HashMap<String, String> = complete
            .args
            .into_iter()
            .filter(|(name, value)| *name != complete.argument && !value.is_empty())
            .collect();
        let CompletePrompt { prompt, argument, text, .. } = complete;
        Ok(self.inner.mcp.complete_argument(&config.name, &prompt, &argument, &text, others).await)
    }

    pub(crate) async fn read_server_media(&self, media: ServerMediaRef) -> Result<ImageData, UserError> {
        let media = self.server_media(&media.id)?;
        Ok(ImageData { media_type: media.media_type, data: STANDARD.encode(&media.bytes) })
    }

    pub(crate) async fn show_server_media(&self, media: ServerMediaRef) -> Result<Nothing, UserError> {
        let ServerMedia { media_type, bytes } = self.server_media(&media.id)?;
        let name = format!("{}.{}", &media.id[..media.id.len().min(12)], ending(&media_type));
        let file = self.places().data.join("mcp").join("files").join(name);
        let saved = file.clone();
        blocking(move || {
            crate::own_files::write(&saved, &bytes).map_err(|error| {
                UserError::new(
                    ErrorCode::Io,
                    format!("The file cannot be saved: {error}."),
                    "Make the data folder writable, then try again.",
                )
            })
        })
        .await?;
        self.show_in_file_manager(file).await?;
        Ok(Nothing {})
    }

    fn server_media(&self, id: &str) -> Result<ServerMedia, UserError> {
        self.inner.mcp.media(id).ok_or_else(|| {
            UserError::new(
                ErrorCode::BadRequest,
                "It is no longer available: Nova caches the files of recent answers only, and only until it is closed.",
                "Call the tool again.",
            )
        })
    }

    /// Suggests resources; names with a matching prefix come first.
    pub(crate) async fn suggest_resources(
        &self,
        words: SuggestResources,
    ) -> Result<Vec<ResourceSuggestion>, UserError> {
        let words = words.text.trim().to_lowercase();
        let mut found: Vec<(u8, ResourceSuggestion)> = Vec::new();
        for server in self.inner.mcp.offered() {
            let Some(tool) = server.resource_tool else { continue };
            let tool = shown_name(&server.id, &tool);
            for resource in server.offers.resources {
                let Some(rank) = rank(&resource, &words) else { continue };
                let Resource { uri, name, description, media_type } = resource;
                let (server, tool) = (server.name.clone(), tool.clone());
                found.push((rank, ResourceSuggestion { server, tool, uri, name, description, media_type }));
            }
        }
        found.sort_by_key(|(rank, _)| *rank);
        Ok(found.into_iter().take(SUGGESTED).map(|(_, resource)| resource).collect())
    }

    /// Checks that a message attaches only resources of servers, read with the server's own tool.
    pub(crate) fn check_outside(&self, outside: &[AttachedFile]) -> Result<(), UserError> {
        if outside.is_empty() {
            return Ok(());
        }
        let wrong = |message: String, hint: &str| UserError::new(ErrorCode::BadRequest, message, hint);
        if outside.len() > TAKEN_ALONG {
            let most = format!("A message can have at most {TAKEN_ALONG} prompts and resources.");
            return Err(wrong(most, "Remove one."));
        }
        let offered = self.inner.mcp.offered();
        for file in outside {
            let is_of = |id: &str| file.from().split_once('.').is_some_and(|(skill, _)| skill == id);
            let server = offered.iter().find(|server| is_of(&server.id));
            let Some(server) = server else {
                let gone = format!("The server of \"{}\" cannot be used.", file.name);
                return Err(wrong(gone, "Remove it from the message, or see Settings, MCP servers."));
            };
            if file.text.len() > TEXT {
                return Err(wrong(format!("\"{}\" is too large.", file.name), "Remove it from the message."));
            }
            let reader = server.resource_tool.as_ref().map(|tool| shown_name(&server.id, tool));
            if file.uri.is_some() && reader.as_deref() != Some(file.from()) {
                let unread = format!("\"{}\" cannot be read: its tool is off.", file.name);
                return Err(wrong(unread, "Switch it on under Settings, MCP servers."));
            }
        }
        Ok(())
    }
}

/// The file name extension for a media type; nothing executable, whatever the server says.
fn ending(media_type: &str) -> &'static str {
    match media_type.split(';').next().unwrap_or_default().trim() {
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        "audio/mpeg" | "audio/mp3" => "mp3",
        "audio/ogg" => "ogg",
        "audio/flac" => "flac",
        "audio/mp4" | "audio/aac" => "m4a",
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "application/pdf" => "pdf",
        "application/zip" => "zip",
        "application/gzip" => "gz",
        "text/plain" => "txt",
        _ => "bin",
    }
}

fn rank(resource: &Resource, words: &str) -> Option<u8> {
    let name = resource.name.to_lowercase();
    match () {
        () if name.starts_with(words) => Some(0),
        () if name.contains(words) => Some(1),
        () if resource.uri.to_lowercase().contains(words) => Some(2),
        () => None,
    }
}

fn schema_of(prompt: &Prompt) -> Value {
    let field = |argument: &nova_mcp::PromptArgument| {
        let mut field = Map::from_iter([("type".to_owned(), json!("string"))]);
        if let Some(title) = &argument.title {
            field.insert("title".into(), title.as_str().into());
        }
        if !argument.description.is_empty() {
            field.insert("description".into(), argument.description.as_str().into());
        }
        (argument.name.clone(), Value::Object(field))
    };
    let properties: Map<String, Value> = prompt.arguments.iter().map(field).collect();
    let required: Vec<&str> =
        prompt.arguments.iter().filter(|one| one.required).map(|one| one.name.as_str()).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}
