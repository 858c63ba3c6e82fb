//! Parses RSS, Atom and JSON feeds into entries.

use feed_rs::model::{Entry, Feed};
use url::Url;

use super::html::{Readable, markdown};
use super::isolated::Stop;

/// Maximum number of entries shown.
const ENTRIES: usize = 200;
/// Maximum characters of an entry's summary.
const SUMMARY: usize = 1000;

/// Whether a text begins like a feed.
pub(super) fn is_feed(text: &str, content_type: &str) -> bool {
    let begin = text.get(..text.floor_char_boundary(2000.min(text.len()))).unwrap_or_default();
    let xml = ["<rss", "<feed", "<rdf:RDF"].iter().any(|root| begin.contains(root));
    let json = begin.trim_start().starts_with('{') && begin.contains("jsonfeed.org/version/");
    (xml && (content_type.contains("xml")
        || begin.trim_start().starts_with("<?xml")
        || !begin.contains("<html")))
        || json
}

/// `None` if it cannot be parsed as a feed.
pub(super) fn read(text: &str, url: &Url, stop: &Stop) -> Option<Readable> {
    let parser = feed_rs::parser::Builder::new().base_uri(Some(url.as_str())).build();
    // It is already decoded, whatever its declaration says.
    let text = text
        .trim_start()
        .strip_prefix("<?xml")
        .and_then(|rest| rest.split_once("?>"))
        .map_or(text, |(_, rest)| rest);
    let feed = parser.parse(text.as_bytes()).ok()?;
    let mut page = Readable {
        title: feed.title.as_ref().map(|title| title.content.trim().to_owned()),
        author: feed.authors.first().and_then(|author| author.name.clone()).filter(|name| !name.is_empty()),
        date: newest(&feed),
        ..Readable::default()
    };
    for entry in feed.entries.iter().take(ENTRIES) {
        if stop.is_set() {
            return None;
        }
        page.text.push_str(&written(entry, url, stop));
    }
    if feed.entries.len() > ENTRIES {
        page.note = Some("Only the first 200 entries are shown.");
    }
    Some(page)
}

fn newest(feed: &Feed) -> Option<String> {
    let entries = feed.entries.iter().filter_map(|entry| entry.published.or(entry.updated));
    let newest = feed.updated.or(feed.published).or(entries.max())?;
    Some(newest.date_naive().to_string())
}

fn written(entry: &Entry, url: &Url, stop: &Stop) -> String {
    let title = entry.title.as_ref().map(|title| as_text(&title.content, url, stop)).unwrap_or_default();
    let title = if title.is_empty() { "No title" } else { &title };
    let mut text = match entry.links.first() {
        Some(link) => format!("## [{title}]({})\n\n", link.href),
        None => format!("## {title}\n\n"),
    };
    let date = entry.published.or(entry.updated).map(|time| time.date_naive().to_string());
    let author = entry.authors.first().and_then(|author| author.name.clone());
    let about: Vec<String> = date.into_iter().chain(author).filter(|said| !said.is_empty()).collect();
    if !about.is_empty() {
        text.push_str(&format!("{}\n\n", about.join(", ")));
    }
    let body = || entry.content.as_ref().and_then(|content| content.body.clone());
    if let Some(summary) = entry.summary.as_ref().map(|summary| summary.content.clone()).or_else(body) {
        let summary = markdown(&summary, url, stop).unwrap_or_default();
        match summary.char_indices().nth(SUMMARY) {
            Some((end, _)) => text.push_str(&format!("{}…\n\n", &summary[..end])),
            None => text.push_str(&format!("{summary}\n\n")),
        }
    }
    text
}

/// A title on one line, without markup.
fn as_text(html: &str, url: &Url, stop: &Stop) -> String {
    let text = markdown(html, url, stop).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace(['[', ']'], "")
}
