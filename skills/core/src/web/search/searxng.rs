use nova_skill::{HttpRequest, Value};
use url::Url;

use super::{Found, SearchSource, get, listed};

/// The user's own SearXNG, or a public one; needs no key.
pub(super) struct SearXng;

impl SearchSource for SearXng {
    fn name(&self) -> &'static str {
        "SearXNG"
    }

    fn address(&self) -> Option<&'static str> {
        None
    }

    fn credential(&self) -> Option<&'static str> {
        None
    }

    fn request(&self, base: &Url, query: &str, _: &str) -> HttpRequest {
        let mut url = base.join("search").unwrap_or_else(|_| base.clone());
        url.query_pairs_mut().append_pair("q", query).append_pair("format", "json");
        get(url, &[])
    }

    fn results(&self, answer: &Value) -> Option<Vec<Found>> {
        listed(answer.get("results")?, "content", "publishedDate")
    }

    fn refusal(&self, status: u16) -> Option<(&'static str, &'static str)> {
        (status == 403).then_some((
            "does not answer programs",
            "Add json to search.formats in its settings.yml and restart it.",
        ))
    }
}
