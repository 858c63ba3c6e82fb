use nova_skill::figures::{currency_code, rounded_to};
use nova_skill::jiff::Timestamp;
use nova_skill::jiff::tz::{Offset, TimeZone};
use nova_skill::{Date, Decimal, ToolContext, Value, async_trait, serde_json};
use url::Url;

use super::get::Answer;
use super::{Asked, Get, QuoteSource, Quoted, SourceError, number};

/// The chart pages of Yahoo Finance: `/v8/finance/chart/SYMBOL`, JSON.
pub(super) struct Yahoo {
    pub(super) base: Url,
}

#[async_trait]
impl QuoteSource for Yahoo {
    fn name(&self) -> &'static str {
        "Yahoo"
    }

    async fn quote(&self, asked: &Asked, ctx: &dyn ToolContext) -> Result<Quoted, SourceError> {
        let symbol = asked.for_yahoo().map_err(SourceError::Symbol)?;
        self.newest(&symbol, ctx).await
    }

    async fn history(
        &self,
        asked: &Asked,
        since: Date,
        ctx: &dyn ToolContext,
    ) -> Result<Vec<Quoted>, SourceError> {
        let symbol = asked.for_yahoo().map_err(SourceError::Symbol)?;
        let begin = since.to_zoned(TimeZone::UTC).map_or(0, |begin| begin.timestamp().as_second());
        let now = ctx.clock().now().as_second();
        let query = format!("period1={begin}&period2={now}&interval=1d");
        let chart = self.chart(&symbol, &query, ctx).await?;
        chart.closes()
    }

    async fn rate(&self, from: &str, to: &str, ctx: &dyn ToolContext) -> Result<Quoted, SourceError> {
        self.newest(&format!("{from}{to}=X"), ctx).await
    }
}

impl Yahoo {
    async fn newest(&self, symbol: &str, ctx: &dyn ToolContext) -> Result<Quoted, SourceError> {
        self.chart(symbol, "range=1d&interval=1d", ctx).await?.newest()
    }

    async fn chart(&self, symbol: &str, query: &str, ctx: &dyn ToolContext) -> Result<Chart, SourceError> {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["v8", "finance", "chart", symbol]);
        }
        url.set_query(Some(query));
        let answer = Get::new(url).send(ctx).await?;
        let page: Value = serde_json::from_str(&answer.text)
            .map_err(|_| SourceError::Source("sent an answer that is not JSON".into()))?;
        let said = page.pointer("/chart/error/description").and_then(Value::as_str);
        if let Some(said) = said {
            return Err(SourceError::Symbol(format!("says: {}", said.trim_end_matches('.'))));
        }
        let result = page.pointer("/chart/result/0").cloned();
        let result = result.ok_or_else(|| SourceError::Symbol("has no price of it".into()))?;
        let said = result.pointer("/meta/symbol").and_then(Value::as_str).unwrap_or_default();
        if !said.eq_ignore_ascii_case(symbol) {
            return Err(SourceError::Symbol(format!("answered about {said} instead of {symbol}")));
        }
        Ok(Chart { result, answer })
    }
}

struct Chart {
    result: Value,
    answer: Answer,
}

impl Chart {
    fn meta(&self, name: &str) -> Option<&Value> {
        self.result.pointer(&format!("/meta/{name}")).filter(|value| !value.is_null())
    }

    fn newest(&self) -> Result<Quoted, SourceError> {
        let price = self.meta("regularMarketPrice").and_then(decimal);
        let price = price.ok_or_else(|| SourceError::Symbol("has no price of it".into()))?;
        let second = self.meta("regularMarketTime").and_then(Value::as_i64);
        let time = second.and_then(|second| Timestamp::from_second(second).ok());
        let time = time.ok_or_else(|| SourceError::Symbol("does not say when its price is from".into()))?;
        let before = self.meta("chartPreviousClose").or_else(|| self.meta("previousClose")).and_then(decimal);
        let mut quoted = self.quoted(price, time)?;
        quoted.at = Some(time.to_string());
        let parts = self.currency().map_or(Decimal::ONE, |(_, parts)| parts);
        quoted.before = before
            .and_then(|before| before.checked_div(parts))
            .map(|before| rounded_to(before, 6).normalize());
        Ok(quoted)
    }

    fn closes(&self) -> Result<Vec<Quoted>, SourceError> {
        let list = |at: &str| self.result.pointer(at).and_then(Value::as_array).cloned().unwrap_or_default();
        let (times, closes) = (list("/timestamp"), list("/indicators/quote/0/close"));
        let mut quotes = Vec::new();
        // A day without trading has null.
        for (time, close) in times.iter().zip(&closes) {
            let time = time.as_i64().and_then(|second| Timestamp::from_second(second).ok());
            if let (Some(time), Some(close)) = (time, decimal(close)) {
                // Closes are printed from numbers of 32 bits: 227.52000427246094.
                quotes.push(self.quoted(rounded_to(close, 4), time)?);
            }
        }
        Ok(quotes)
    }

    fn quoted(&self, price: Decimal, time: Timestamp) -> Result<Quoted, SourceError> {
        let (currency, parts) =
            self.currency().ok_or_else(|| SourceError::Symbol("does not say its currency".into()))?;
        let offset =
            self.meta("gmtoffset").and_then(Value::as_i64).and_then(|seconds| i32::try_from(seconds).ok());
        let offset = Offset::from_seconds(offset.unwrap_or_default()).unwrap_or(Offset::UTC);
        Ok(Quoted {
            price: price.checked_div(parts).unwrap_or_default().normalize(),
            currency,
            date: offset.to_datetime(time).date(),
            at: None,
            before: None,
            url: self.answer.url.clone(),
            fetched: self.answer.at.clone(),
        })
    }

    /// The currency, and how many of the quoted units it has: London quotes in pence.
    fn currency(&self) -> Option<(String, Decimal)> {
        let said = self.meta("currency").and_then(Value::as_str)?;
        Some(match said {
            "GBp" | "GBX" => ("GBP".into(), Decimal::ONE_HUNDRED),
            "ILA" => ("ILS".into(), Decimal::ONE_HUNDRED),
            "ZAc" => ("ZAR".into(), Decimal::ONE_HUNDRED),
            said => (currency_code(said)?.to_owned(), Decimal::ONE),
        })
    }
}

fn decimal(value: &Value) -> Option<Decimal> {
    value.as_number().and_then(|value| number(&value.to_string()))
}
