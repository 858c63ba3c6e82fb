use nova_skill::jiff::Timestamp;
use nova_skill::jiff::tz::TimeZone;
use nova_skill::{Date, Secret, ToolContext, Value, async_trait, serde_json};
use secrecy::ExposeSecret;
use url::Url;

use super::{Asked, Get, QuoteSource, Quoted, SourceError, number};

/// The quotes of finnhub.io, for those who have a key.
pub(super) struct Finnhub {
    pub(super) base: Url,
    pub(super) key: Secret,
}

/// What `FINNHUB_API_KEY` is called where credentials are kept.
pub(crate) const CREDENTIAL: &str = "portfolio/FINNHUB_API_KEY";

/// The key, where there is one: without it the source is off.
pub(super) async fn key(ctx: &dyn ToolContext) -> Option<Secret> {
    if !ctx.credentials().has(CREDENTIAL).await {
        return None;
    }
    ctx.credentials().get(CREDENTIAL).await.ok().filter(|key| !key.expose_secret().trim().is_empty())
}

#[async_trait]
impl QuoteSource for Finnhub {
    fn name(&self) -> &'static str {
        "Finnhub"
    }

    async fn quote(&self, asked: &Asked, ctx: &dyn ToolContext) -> Result<Quoted, SourceError> {
        let (symbol, currency) = asked.for_finnhub().map_err(SourceError::Symbol)?;
        let mut url = self
            .base
            .join("/api/v1/quote")
            .map_err(|error| SourceError::Source(format!("has no address: {error}")))?;
        url.query_pairs_mut().append_pair("symbol", &symbol);
        let mut get = Get::new(url);
        get.headers.insert("X-Finnhub-Token".into(), self.key.expose_secret().to_owned());
        let answer = get.send(ctx).await?;
        let page: Value = serde_json::from_str(&answer.text)
            .map_err(|_| SourceError::Source("sent an answer that is not JSON".into()))?;
        if let Some(said) = page.get("error").and_then(Value::as_str) {
            return Err(SourceError::Symbol(format!("says: {}", said.trim_end_matches('.'))));
        }
        let decimal = |name: &str| {
            page.get(name).and_then(Value::as_number).and_then(|value| number(&value.to_string()))
        };
        let second = page.get("t").and_then(Value::as_i64).unwrap_or_default();
        let (Some(price), Ok(time)) = (decimal("c"), Timestamp::from_second(second)) else {
            return Err(SourceError::Symbol("has no price of it".into()));
        };
        // What it does not know it answers with zeros.
        if second == 0 && price.is_zero() {
            return Err(SourceError::Symbol("has no price of it".into()));
        }
        Ok(Quoted {
            price,
            currency,
            date: time.to_zoned(TimeZone::UTC).date(),
            at: Some(time.to_string()),
            before: decimal("pc").filter(|before| !before.is_zero()),
            url: answer.url,
            fetched: answer.at,
        })
    }

    async fn history(&self, _: &Asked, _: Date, _: &dyn ToolContext) -> Result<Vec<Quoted>, SourceError> {
        Err(SourceError::Symbol("gives no past prices without a paid plan".into()))
    }

    async fn rate(&self, _: &str, _: &str, _: &dyn ToolContext) -> Result<Quoted, SourceError> {
        Err(SourceError::Symbol("gives no rates without a paid plan".into()))
    }
}
