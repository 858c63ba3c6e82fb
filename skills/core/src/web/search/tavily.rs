use std::collections::BTreeMap;

use nova_skill::{HttpRequest, Value, json};
use url::Url;

use super::{Found, RESULTS, SearchSource, listed};

/// Tavily, with the user's key.
pub(super) struct Tavily;

pub(super) const HOST: &str = "api.tavily.com";
/// The credential for `TAVILY_API_KEY`.
pub(super) const CREDENTIAL: &str = "core/TAVILY_API_KEY";

impl SearchSource for Tavily {
    fn name(&self) -> &'static str {
        "Tavily"
    }

    fn address(&self) -> Option<&'static str> {
        Some("https://api.tavily.com/")
    }

    fn credential(&self) -> Option<&'static str> {
        Some(CREDENTIAL)
    }

    fn request(&self, base: &Url, query: &str, key: &str) -> HttpRequest {
        HttpRequest {
            method: "POST".into(),
            url: base.join("search").unwrap_or_else(|_| base.clone()),
            headers: BTreeMap::from([
                ("accept".to_owned(), "application/json".to_owned()),
                ("authorization".to_owned(), format!("Bearer {key}")),
                ("content-type".to_owned(), "application/json".to_owned()),
            ]),
            body: Some(json!({"query": query, "max_results": RESULTS}).to_string().into_bytes()),
            timeout: None,
        }
    }

    fn results(&self, answer: &Value) -> Option<Vec<Found>> {
        listed(answer.get("results")?, "content", "published_date")
    }

    fn refusal(&self, status: u16) -> Option<(&'static str, &'static str)> {
        match status {
            401 | 403 => Some(("refuses the key", "Set a valid TAVILY_API_KEY in Settings, Credentials.")),
            432 | 433 => {
                Some(("has no searches left on this plan", "See the plan of the key at tavily.com."))
            }
            _ => None,
        }
    }
}
