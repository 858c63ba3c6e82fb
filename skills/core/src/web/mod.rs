//! The web: `web_search` finds pages and `web_fetch` reads one.
//!
//! Answers are untrusted: they are read within limits of size, elements, depth and time, and their text is marked.

mod charset;
mod cut;
mod date;
mod feed;
mod fetch;
mod html;
mod isolated;
mod page;
mod page_cache;
mod search;

use url::Url;

pub(crate) use fetch::WebFetch;
pub(crate) use search::WebSearch;

/// The host of an address, as named by cards and grants.
fn host(url: &Url) -> Option<String> {
    // Requests to this machine name it like this.
    let host = if url.host_str()? == "localhost" { "127.0.0.1" } else { url.host_str()? };
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}
