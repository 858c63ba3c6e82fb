//! The providers in `nova.config.json`.

use nova_protocol::ModelPrice;
use nova_provider::{ProviderKind, Thinking, default_address};
use serde_json::Value;

use super::{ConfigError, shape, texts};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProviderConfig {
    pub id: String,
    pub kind: ProviderKind,
    pub base_url: Option<String>,
    /// Usually `${credentials:service/key}`; a short literal for servers that require any key.
    pub api_key: Option<String>,
    pub headers: Vec<(String, String)>,
    /// Offered in addition to those the provider lists.
    pub models: Vec<String>,
    /// Context window of its models in tokens; for `ollama` also the one to request.
    pub context: Option<u64>,
    /// Timeout without output, in seconds.
    pub timeout: Option<u64>,
    /// Total timeout of an answer, in seconds.
    pub answer_timeout: Option<u64>,
    /// `"adaptive"`, or the budget in tokens, for kinds that take it in the request.
    pub thinking: Option<Thinking>,
    /// Whether to defer tool definitions (`defer_loading`), for kinds that support it if the server does not
    /// report it.
    pub deferred_tools: Option<bool>,
    /// Whether its models accept images, if it does not report that.
    pub images: Option<bool>,
    /// By model; per million tokens.
    pub prices: Vec<ModelPrice>,
}

impl ProviderConfig {
    /// A provider with default settings.
    pub(crate) fn new(id: &str, kind: impl Into<ProviderKind>) -> Self {
        Self { id: id.to_owned(), kind: kind.into(), ..Self::default() }
    }

    /// Its URL; `None` for an unknown kind without a configured one.
    pub(crate) fn address(&self) -> Option<&str> {
        self.base_url.as_deref().or_else(|| default_address(&self.kind))
    }
}

/// Parses the key `providers`.
pub(super) fn read(file: &str, value: Option<&Value>) -> Result<Vec<ProviderConfig>, ConfigError> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let list = value.as_array().ok_or_else(|| shape(file, "providers", "must be a list"))?;
    let mut found: Vec<ProviderConfig> = Vec::new();
    for (at, item) in list.iter().enumerate() {
        let text = |key: &str| item[key].as_str().map(str::to_owned);
        let needed =
            |key: &str| text(key).ok_or_else(|| shape(file, &format!("providers[{at}].{key}"), "is missing"));
        let id = needed("id")?;
        if id.is_empty() || id.contains('/') || found.iter().any(|other| other.id == id) {
            return Err(shape(file, &format!("providers[{at}].id"), "must be unique and without a slash"));
        }
        let headers = item["headers"].as_object().into_iter().flatten();
        found.push(ProviderConfig {
            kind: needed("kind")?.as_str().into(),
            base_url: text("base_url"),
            api_key: text("api_key"),
            headers: headers
                .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
                .collect(),
            models: texts(file, &format!("providers[{at}].models"), item.get("models"))?,
            context: number_of("tokens", file, &format!("providers[{at}].context"), item.get("context"))?,
            timeout: number_of("seconds", file, &format!("providers[{at}].timeout"), item.get("timeout"))?,
            answer_timeout: number_of(
                "seconds",
                file,
                &format!("providers[{at}].answer_timeout"),
                item.get("answer_timeout"),
            )?,
            thinking: thinking(file, &format!("providers[{at}].thinking"), item.get("thinking"))?,
            deferred_tools: on_or_off(
                file,
                &format!("providers[{at}].deferred_tools"),
                item.get("deferred_tools"),
            )?,
            images: on_or_off(file, &format!("providers[{at}].images"), item.get("images"))?,
            prices: prices(file, &format!("providers[{at}].prices"), item.get("prices"))?,
            id,
        });
    }
    Ok(found)
}

fn on_or_off(file: &str, key: &str, value: Option<&Value>) -> Result<Option<bool>, ConfigError> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    value.as_bool().map(Some).ok_or_else(|| shape(file, key, "must be true or false"))
}

fn number_of(unit: &str, file: &str, key: &str, value: Option<&Value>) -> Result<Option<u64>, ConfigError> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    let number = value.as_u64().filter(|number| *number > 0);
    number.map(Some).ok_or_else(|| shape(file, key, &format!("must be a number of {unit}")))
}

/// `{"MODEL": {"input": 1.25, "cached": 0.125, "output": 10, "currency": "USD"}}`
fn prices(file: &str, key: &str, value: Option<&Value>) -> Result<Vec<ModelPrice>, ConfigError> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    let models = value.as_object().ok_or_else(|| shape(file, key, "must be an object of models"))?;
    let price = |(model, price): (&String, &Value)| {
        let amount = |part: &str| match &price[part] {
            Value::Null => Ok(None),
            Value::Number(amount) if amount.as_f64().is_some_and(|amount| amount >= 0.0) => {
                Ok(Some(amount.to_string()))
            }
            _ => Err(shape(file, &format!("{key}.{model}.{part}"), "must be a number, 0 or more")),
        };
        let needed = |part: &str| {
            amount(part)?.ok_or_else(|| shape(file, &format!("{key}.{model}.{part}"), "is missing"))
        };
        let currency = price.get("currency").map_or(Some("USD"), Value::as_str);
        let currency =
            currency.filter(|word| word.len() == 3 && word.chars().all(|c| c.is_ascii_uppercase()));
        let currency = currency.ok_or_else(|| {
            shape(file, &format!("{key}.{model}.currency"), "must be three capital letters, such as EUR")
        })?;
        Ok(ModelPrice {
            model: model.clone(),
            currency: currency.to_owned(),
            input: needed("input")?,
            cached: amount("cached")?,
            output: needed("output")?,
        })
    };
    models.iter().map(price).collect()
}

fn thinking(file: &str, key: &str, value: Option<&Value>) -> Result<Option<Thinking>, ConfigError> {
    /// The minimum budget of the API.
    const FEWEST: u32 = 1_024;
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    let tokens = value.as_u64().and_then(|tokens| u32::try_from(tokens).ok());
    match (value.as_str(), tokens) {
        (Some("adaptive"), _) => Ok(Some(Thinking::Adaptive)),
        (_, Some(tokens)) if tokens >= FEWEST => Ok(Some(Thinking::Budget(tokens))),
        _ => Err(shape(file, key, "must be \"adaptive\" or a number of tokens, 1024 or more")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    #[test]
    fn thinking_is_adaptive_or_has_a_budget() {
        let read = |thinking: &str| {
            let provider = format!(r#"{{"id":"a","kind":"anthropic","thinking":{thinking}}}"#);
            Config::parse("f", &format!(r#"{{"providers":[{provider}]}}"#))
                .map(|config| config.providers[0].thinking)
        };
        assert_eq!(read("null").expect("none"), None);
        assert_eq!(read(r#""adaptive""#).expect("a word"), Some(Thinking::Adaptive));
        assert_eq!(read("2048").expect("a number"), Some(Thinking::Budget(2048)));
        for wrong in ["1023", "true", r#""much""#, "1e12"] {
            let error = read(wrong).expect_err(wrong).to_string();
            assert!(error.starts_with("f: providers[0].thinking must be"), "{error}");
        }
    }

    #[test]
    fn only_valid_prices_are_accepted() {
        let read = |prices: &str| {
            let provider = format!(r#"{{"id":"a","kind":"openai","prices":{prices}}}"#);
            Config::parse("f", &format!(r#"{{"providers":[{provider}]}}"#))
                .map(|config| config.providers[0].prices.clone())
        };
        let price = |currency: &str, input: &str, cached: Option<&str>, output: &str| ModelPrice {
            model: "m".into(),
            currency: currency.into(),
            input: input.into(),
            cached: cached.map(str::to_owned),
            output: output.into(),
        };
        assert_eq!(read("null").expect("none"), []);
        assert_eq!(
            read(r#"{"m":{"input":1.25,"cached":0.125,"output":10}}"#).expect("a price"),
            [price("USD", "1.25", Some("0.125"), "10")]
        );
        assert_eq!(
            read(r#"{"m":{"input":0,"output":0,"currency":"EUR"}}"#).expect("a price"),
            [price("EUR", "0", None, "0")]
        );
        for (wrong, key) in [
            ("[]", "prices"),
            (r#"{"m":{"input":1}}"#, "prices.m.output"),
            (r#"{"m":{"input":-1,"output":1}}"#, "prices.m.input"),
            (r#"{"m":{"input":"1","output":1}}"#, "prices.m.input"),
            (r#"{"m":{"input":1,"output":1,"currency":"euro"}}"#, "prices.m.currency"),
        ] {
            let error = read(wrong).expect_err(wrong).to_string();
            assert!(error.starts_with(&format!("f: providers[0].{key} ")), "{error}");
        }
    }
}
