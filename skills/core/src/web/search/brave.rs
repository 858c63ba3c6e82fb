use nova_skill::{HttpRequest, Value};
use url::Url;

use super::{Found, RESULTS, SearchSource, get, listed};

/// Brave Search, with the user's key.
pub(super) struct Brave;

pub(super) const HOST: &str = "api.search.brave.com";
/// The credential for `BRAVE_API_KEY`.
pub(super) const CREDENTIAL: &str = "core/BRAVE_API_KEY";

impl SearchSource for Brave {
    fn name(&self) -> &'static str {
        "Brave"
    }

    fn address(&self) -> Option<&'static str> {
        Some("https://api.search.brave.com/")
    }

    fn credential(&self) -> Option<&'static str> {
        Some(CREDENTIAL)
    }

    fn request(&self, base: &Url, query: &str, key: &str) -> HttpRequest {
        let mut url = base.join("res/v1/web/search").unwrap_or_else(|_| base.clone());
        url.query_pairs_mut()
            .append_pair("q", query)
            .append_pair("count", &RESULTS.to_string())
            .append_pair("text_decorations", "false");
        get(url, &[("X-Subscription-Token", key)])
    }

    fn results(&self, answer: &Value) -> Option<Vec<Found>> {
        match answer.get("web") {
            Some(web) => listed(web.get("results")?, "description", "page_age"),
            // No results.
            None => (answer.get("type")?.as_str()? == "search").then(Vec::new),
        }
    }

    fn refusal(&self, status: u16) -> Option<(&'static str, &'static str)> {
        matches!(status, 401 | 403 | 422)
            .then_some(("refuses the key", "Set a valid BRAVE_API_KEY in Settings, Credentials."))
    }
}
