//! The resources of a server, listed and read by one tool of Nova's own.

use std::time::Duration;

use nova_registry::harmless_line;
use nova_skill::{Output, ToolError, Value};
use rmcp::model::{
    ClientRequest, ListResourceTemplatesRequest, ListResourcesRequest, PaginatedRequestParams,
    ReadResourceRequest, ReadResourceRequestParams, ReadResourceResult, Resource, ResourceContents,
    ServerResult,
};
use serde_json::{Map, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::asking::Asked;
use crate::connection::{Connection, ProgressListener};
use crate::definition::{Definition, Kind, cut};
use crate::limits;
use crate::media::Media;
use crate::output;
use crate::trouble::Trouble;

/// Nova's tool, under a name that none of the server's tools has.
fn tool(others: &[Definition]) -> Definition {
    let is_free = |name: &&&str| !others.iter().any(|other| other.name.eq_ignore_ascii_case(name));
    let name =
        ["read_resource", "read_server_resource"].iter().find(is_free).unwrap_or(&"nova_read_resource");
    Definition {
        name: (*name).to_owned(),
        title: None,
        description: "Reads one resource of the server by its uri; without a uri lists them all.".into(),
        parameters: json!({
            "type": "object",
            "properties": {"uri": {"type": "string", "description": "as the list has it, or made of a template of it"}},
            "additionalProperties": false,
        }),
        output: None,
        hints: None,
        kind: Kind::Resources,
    }
}

impl Connection {
    /// The server's tools and Nova's own.
    pub(crate) async fn tools(&self, limit: Duration) -> Result<Vec<Definition>, Trouble> {
        let mut tools = self.list_tools(limit).await?;
        tools.extend(self.own_tool(&tools));
        Ok(tools)
    }

    pub(crate) fn own_tool(&self, others: &[Definition]) -> Option<Definition> {
        let has_resources = self.info().is_some_and(|info| info.capabilities.resources.is_some());
        has_resources.then(|| tool(others))
    }

    /// Lists resources and resource templates, within bounds.
    pub(crate) async fn list_resources(&self, limit: Duration) -> Result<Value, Trouble> {
        let until = Instant::now() + limit;
        let (listed_now, more) = self.resource_pages(until, limit).await?;
        let resources: Vec<Value> = listed_now
            .iter()
            .map(|one| {
                listed(json!({
                    "uri": one.uri, "name": one.name, "title": one.title, "description": one.description,
                    "type": one.mime_type, "bytes": one.size,
                }))
            })
            .collect();
        let mut list = json!({ "resources": resources });
        let templates = self.list_templates(until.saturating_duration_since(Instant::now()), limit).await;
        if !templates.is_empty() {
            list["templates"] = templates.into();
        }
        if more {
            list["left_out"] = json!(format!("more than {} resources", limits::RESOURCES));
        }
        Ok(list)
    }

    /// The listed resources up to the limit, and whether there are more.
    pub(crate) async fn resource_pages(
        &self,
        until: Instant,
        limit: Duration,
    ) -> Result<(Vec<Resource>, bool), Trouble> {
        let (mut resources, mut cursor) = (Vec::new(), None);
        for _ in 0..limits::PAGES {
            let request = ListResourcesRequest {
                method: Default::default(),
                params: Some(PaginatedRequestParams::default().with_cursor(cursor.take())),
                extensions: Default::default(),
            };
            let left = until.saturating_duration_since(Instant::now());
            let ServerResult::ListResourcesResult(page) =
                self.ask(ClientRequest::ListResourcesRequest(request), left, limit).await?
            else {
                return Err(self.faulty("sent an invalid answer to the request for its resources"));
            };
            resources.extend(page.resources);
            cursor = page.next_cursor;
            if cursor.is_none() || resources.len() >= limits::RESOURCES {
                break;
            }
        }
        let more = cursor.is_some() || resources.len() > limits::RESOURCES;
        resources.truncate(limits::RESOURCES);
        Ok((resources, more))
    }

    /// The first page of templates. A server with resources may not support the request.
    async fn list_templates(&self, left: Duration, limit: Duration) -> Vec<Value> {
        let request = ListResourceTemplatesRequest {
            method: Default::default(),
            params: Some(PaginatedRequestParams::default()),
            extensions: Default::default(),
        };
        let asked = self.ask(ClientRequest::ListResourceTemplatesRequest(request), left, limit).await;
        let Ok(ServerResult::ListResourceTemplatesResult(page)) = asked else { return Vec::new() };
        let templates = page.resource_templates.iter().take(limits::RESOURCES).map(|one| {
            listed(json!({
                "uri_template": one.uri_template, "name": one.name, "title": one.title,
                "description": one.description, "type": one.mime_type,
            }))
        });
        templates.collect()
    }

    pub(crate) async fn read_resource(
        self: &std::sync::Arc<Self>,
        uri: &str,
        limit: Duration,
        asks: &mpsc::Sender<Asked>,
        on_progress: &ProgressListener<'_>,
    ) -> Result<ReadResourceResult, Trouble> {
        let request = |answers, state| {
            let mut params = ReadResourceRequestParams::new(uri);
            (params.input_responses, params.request_state) = (answers, state);
            let mut request = ReadResourceRequest::new(params);
            request.extensions = Default::default();
            ClientRequest::ReadResourceRequest(request)
        };
        match self.ask_in_rounds(request, limit, asks, on_progress).await? {
            ServerResult::ReadResourceResult(read) => Ok(read),
            _ => Err(self.faulty("sent an invalid answer to the request for a resource")),
        }
    }
}

/// An entry without empty fields, with each text bounded and on one line.
fn listed(entry: Value) -> Value {
    let Value::Object(entry) = entry else { return entry };
    let said = entry.into_iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| match value {
        // URIs are used verbatim.
        Value::String(text) if key.starts_with("uri") => (key, Value::String(cut(&text, limits::URL))),
        Value::String(text) => (key, Value::String(cut(&harmless_line(&text), limits::QUOTE))),
        value => (key, value),
    });
    Value::Object(said.collect::<Map<_, _>>())
}

/// The contents, with texts bounded. The output is untrusted.
pub(crate) fn output(read: &ReadResourceResult, media: &Media) -> Result<Output, ToolError> {
    let mut left = limits::RESOURCE;
    let contents = read.contents.iter().map(|contents| {
        let mut part = output::resource(contents, media);
        if let ResourceContents::TextResourceContents { text, .. } = contents
            && text.len() > left
        {
            part["text"] = cut_at(text, left).into();
            part["left_out"] = json!(format!("{} more bytes", text.len() - left));
        }
        left = left.saturating_sub(part["text"].as_str().map_or(0, str::len));
        part
    });
    let mut contents: Vec<Value> = contents.collect();
    let value = if contents.len() == 1 { contents.remove(0) } else { contents.into() };
    Ok(Output::new(value).untrusted())
}

fn cut_at(text: &str, most: usize) -> &str {
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_name_does_not_collide_with_the_servers_tools() {
        let own = tool(&[]);
        assert_eq!(own.name, "read_resource");
        assert_eq!(tool(&[Definition { name: "Read_Resource".into(), ..own }]).name, "read_server_resource");
    }

    #[test]
    fn contents_are_bounded_and_binary_data_is_named() {
        let read = |contents: Value| {
            let read = serde_json::from_value(json!({ "contents": contents })).expect("a result");
            output(&read, &Media::default()).expect("an output").value
        };
        let long = "ä".repeat(limits::RESOURCE);
        let value = read(json!([{"uri": "a:b", "text": long}, {"uri": "a:c", "text": "more"}]));
        assert_eq!(value[0]["text"].as_str().map(str::len), Some(limits::RESOURCE));
        assert_eq!(value[0]["left_out"], format!("{} more bytes", limits::RESOURCE));
        assert_eq!((&value[1]["text"], &value[1]["left_out"]), (&json!(""), &json!("4 more bytes")));
        let blob = read(json!([{"uri": "a:b", "mimeType": "image/png", "blob": "AAAA"}]));
        assert_eq!((&blob["resource"], &blob["bytes"]), (&json!("a:b"), &json!(3)));
        assert!(blob["media"].is_string(), "the window can show it: {blob}");
    }
}
