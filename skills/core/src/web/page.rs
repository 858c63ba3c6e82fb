//! Converts a response into text.

use nova_skill::{FileError, FileImage, HttpResponse, Range, ToolContext, ToolError};
use url::Url;

use super::cut::{self, Part};
use super::html::{HtmlError, Readable};
use super::isolated::isolated;
use super::{charset, feed, html};

/// A fetched page.
#[derive(Debug)]
pub(super) struct Page {
    /// Its address after redirects.
    pub(super) url: String,
    /// Time of the request, RFC 3339.
    pub(super) at: String,
    /// `page`, `feed`, `text`, or the detected document format.
    pub(super) kind: &'static str,
    pub(super) title: Option<String>,
    pub(super) author: Option<String>,
    pub(super) date: Option<String>,
    pub(super) site: Option<String>,
    pub(super) note: Option<&'static str>,
    body: Body,
}

#[derive(Debug)]
enum Body {
    /// Its lines.
    Text(Vec<String>),
    /// A document such as a PDF, which is parsed part by part.
    Document(Vec<u8>),
}

/// Lines of a document parsed at once.
const LINES: usize = 2000;

impl Page {
    pub(super) async fn of(response: HttpResponse, ctx: &dyn ToolContext) -> Result<Self, ToolError> {
        let content_type = response.headers.get("content-type").map(|text| text.to_ascii_lowercase());
        let content_type = content_type.unwrap_or_default();
        let (url, at, bytes) = (response.url, response.at, response.body);
        if bytes.iter().all(u8::is_ascii_whitespace) {
            let host = url.host_str().unwrap_or_default();
            return Err(ToolError::failed(
                format!("{host} sent an empty page."),
                "Look for another page about it.",
            ));
        }
        if !is_text(&bytes, &content_type) {
            let page = Self::new(url, at, "document", Readable::default(), Body::Document(bytes));
            return Ok(page);
        }
        let place = url.clone();
        let read = isolated(ctx, move |stop| {
            let text = charset::decoded(&bytes, &content_type);
            if feed::is_feed(&text, &content_type)
                && let Some(feed) = feed::read(&text, &place, stop)
            {
                return Ok(("feed", feed));
            }
            if is_html(&text, &content_type) {
                return html::read(&text, &place, stop).map(|page| ("page", page));
            }
            Ok(("text", Readable { text, ..Readable::default() }))
        });
        let (kind, page) = read.await?.map_err(|error| match error {
            HtmlError::Stopped => ToolError::Cancelled,
            error => ToolError::failed(
                format!("The page cannot be read: {error}."),
                "Look for another page about it.",
            ),
        })?;
        let lines = cut::lines(&page.text);
        Ok(Self::new(url, at, kind, page, Body::Text(lines)))
    }

    fn new(url: Url, at: String, kind: &'static str, page: Readable, body: Body) -> Self {
        let Readable { title, author, date, site, note, .. } = page;
        Self { url: url.into(), at, kind, title, author, date, site, note, body }
    }

    /// The text from that line on, and its detected format.
    pub(super) async fn part(
        &self,
        offset: u64,
        ctx: &dyn ToolContext,
    ) -> Result<(Part, &'static str), ToolError> {
        let past_end = |lines: usize| ToolError::InvalidArguments {
            path: "/offset".into(),
            rule: format!("the page has {lines} lines"),
            allowed: Vec::new(),
        };
        match &self.body {
            Body::Text(lines) => {
                let from = usize::try_from(offset - 1).unwrap_or(usize::MAX);
                let rest = lines.get(from..).filter(|rest| !rest.is_empty() || from == 0);
                let rest = rest.ok_or_else(|| past_end(lines.len()))?;
                Ok((cut::part(rest, offset, false), self.kind))
            }
            Body::Document(bytes) => {
                let name = self.name();
                let range = Range { offset, limit: LINES };
                let read = ctx.files().read_bytes(&name, bytes.clone(), range).await;
                let read = read.map_err(|error| match error {
                    ToolError::File(error) => no_text(&error),
                    error => error,
                })?;
                if let Some(FileImage { width, height, bytes }) = read.image {
                    let kind = format!("{}, {width} × {height} pixels,", read.read_as);
                    return Err(no_text(&FileError::NotText { path: name, kind, size: bytes.len() as u64 }));
                }
                let lines: Vec<String> = read.page.lines.into_iter().map(|(_, line)| line).collect();
                if lines.is_empty() && offset > 1 {
                    return Err(past_end(usize::try_from(offset - 1).unwrap_or(usize::MAX)));
                }
                let kind = match read.read_as {
                    "PDF" => "PDF",
                    "an office document" => "office document",
                    _ => "text",
                };
                Ok((cut::part(&lines, offset, read.page.next.is_some()), kind))
            }
        }
    }

    /// The word count, if the whole text is available.
    pub(super) fn words(&self) -> Option<usize> {
        match &self.body {
            Body::Text(lines) => Some(lines.iter().map(|line| line.split_whitespace().count()).sum()),
            Body::Document(_) => None,
        }
    }

    /// In bytes.
    pub(super) fn size(&self) -> usize {
        match &self.body {
            Body::Text(lines) => lines.iter().map(String::len).sum(),
            Body::Document(bytes) => bytes.len(),
        }
    }

    /// The last path segment: its extension identifies office documents.
    pub(super) fn name(&self) -> String {
        let url = Url::parse(&self.url).ok();
        let last = url.as_ref().and_then(|url| url.path_segments()?.next_back().map(str::to_owned));
        last.filter(|name| !name.is_empty()).unwrap_or_else(|| self.url.clone())
    }
}

/// Replaces the hint of a file error, which is about the user's files.
fn no_text(error: &FileError) -> ToolError {
    ToolError::failed(format!("{error}."), "Look for a page about it.")
}

fn is_html(text: &str, content_type: &str) -> bool {
    let begin = text.trim_start().get(..15).unwrap_or_default().to_ascii_lowercase();
    content_type.contains("html")
        || (!content_type.starts_with("text/plain")
            && (begin.starts_with("<!doctype html") || begin.starts_with("<html")))
}

/// Whether the media type is text and the content does not begin like a document.
fn is_text(bytes: &[u8], content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    let is_document = bytes.starts_with(b"%PDF-") || bytes.starts_with(b"PK\x03\x04");
    let named = kind.starts_with("text/")
        || ["json", "xml", "javascript", "yaml", "toml"].iter().any(|word| kind.contains(word));
    // Media types of office documents contain "xml".
    !is_document && (named || (kind.is_empty() && bytes.trim_ascii_start().starts_with(b"<")))
}
