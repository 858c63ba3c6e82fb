//! Error messages of servers, made presentable: short, on one line, without secrets.

use std::time::Duration;

use reqwest::header::HeaderMap;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

/// Maximum length of a displayed server message, in characters.
const SHOWN_CHARS: usize = 300;

/// A server's error message.
pub(crate) struct ServerMessage {
    /// Short text for the user; empty if there was nothing readable.
    pub(crate) text: String,
    /// The server's error code (`code` or `type`), or empty.
    pub(crate) word: String,
    /// The model's context size in tokens, if the error has a field for it.
    context: Option<u64>,
    /// The wait that it asks for.
    pub(crate) wait: Option<Duration>,
}

impl ServerMessage {
    pub(crate) fn of_body(body: &[u8], scrub: &Scrub) -> Self {
        match serde_json::from_slice::<Value>(body) {
            // Gemini, for an answer that would have been a list.
            Ok(Value::Array(said)) if said.len() == 1 => {
                Self::of_error(said[0].get("error").unwrap_or(&said[0]), scrub)
            }
            // OpenAI nests `error`, FastAPI uses `detail`, others put `message` at the top level.
            Ok(said) => Self::of_error(said.get("error").unwrap_or(&said), scrub),
            Err(_) => {
                let text = String::from_utf8_lossy(body);
                let page = text.trim_start().starts_with('<');
                let text = if page { String::new() } else { shown(&scrub.text(&text)) };
                Self { text, word: String::new(), context: None, wait: None }
            }
        }
    }

    pub(crate) fn of_error(error: &Value, scrub: &Scrub) -> Self {
        let word_of = |key: &str| error.get(key).and_then(Value::as_str);
        let text = error
            .as_str()
            .or_else(|| word_of("message"))
            .or_else(|| word_of("detail"))
            .or_else(|| word_of("error"))
            .map_or_else(
                || {
                    if error.is_null() { String::new() } else { error.to_string() }
                },
                str::to_owned,
            );
        let word = word_of("code").or_else(|| word_of("type")).unwrap_or_default();
        // llama.cpp
        let context = error.get("n_ctx").and_then(Value::as_u64);
        Self { text: shown(&scrub.text(&text)), word: word.to_owned(), context, wait: asked_wait(error) }
    }

    /// Whether the request is longer than the model's context, or than the server accepts.
    pub(crate) fn too_long(&self) -> bool {
        // Anthropic's code for too many bytes.
        self.word == "request_too_large" || self.too_many_tokens()
    }

    /// Whether the request is longer than the model's context.
    pub(crate) fn too_many_tokens(&self) -> bool {
        // By code: OpenAI and many compatible servers, llama.cpp.
        const WORDS: [&str; 2] = ["context_length_exceeded", "exceed_context_size_error"];
        // By message: OpenAI, vLLM, DeepSeek, OpenRouter, Together; llama.cpp; LM Studio; Anthropic; Ollama;
        // Gemini; xAI; Mistral; Groq; Bedrock; Cohere.
        const PHRASES: [&str; 14] = [
            "maximum context length",
            "available context size",
            "context length of only",
            "context the overflows",
            "prompt is too long",
            "prompt too long",
            "exceeds the context",
            "exceed context limit",
            "input token count",
            "maximum prompt length",
            "too large for model with",
            "reduce the length of the messages",
            "input is too long",
            "too many tokens",
        ];
        let text = self.text.to_lowercase();
        WORDS.contains(&self.word.as_str()) || PHRASES.iter().any(|phrase| text.contains(phrase))
    }

    /// Whether it reports an invalid key: Gemini, which does so with status 400.
    pub(crate) fn bad_key(&self) -> bool {
        let text = self.text.to_lowercase();
        text.contains("api key not valid") || text.contains("api key expired")
    }

    /// The model's context size in tokens, if the refusal of a too long request states it.
    pub(crate) fn context(&self) -> Option<u64> {
        const BEFORE: [&str; 7] = [
            "maximum context length is ",
            "maximum context length of ",
            "context length of only ",
            "maximum prompt length is ",
            "tokens allowed (",
            "available context size (",
            "tokens > ",
        ];
        let text = self.text.to_lowercase();
        let named = BEFORE.iter().find_map(|before| {
            let (_, rest) = text.split_once(before)?;
            let digits: String =
                rest.chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(|c| *c != ',').collect();
            digits.parse().ok()
        });
        self.context.or(named).filter(|tokens| *tokens > 0)
    }

    /// Whether the model does not accept images: OpenRouter, OpenAI and DeepSeek (which do not know the
    /// part), vLLM, llama.cpp, Ollama, LM Studio, Groq, Mistral and Gemini.
    pub(crate) fn no_images(&self) -> bool {
        const PHRASES: [&str; 13] = [
            "support image input",
            "image input is not supported",
            "does not support image",
            "doesn't support image",
            "not support images",
            "unknown variant `image_url`",
            "image_url is only supported",
            "'image_url'. supported types",
            "not a multimodal model",
            "data required for image input",
            "content must be a string",
            "image inputs are not supported",
            "image input modality is not enabled",
        ];
        let text = self.text.to_lowercase();
        PHRASES.iter().any(|phrase| text.contains(phrase))
    }

    /// Whether the model does not exist, rather than the whole address.
    pub(crate) fn no_model(&self, status: u16) -> bool {
        let text = self.text.to_lowercase();
        self.word == "model_not_found"
            || text.contains("not a valid model")
            || (status == 404 && text.contains("model"))
    }
}

/// Google's wait, in the details of the error: `{"retryDelay": "34.5s"}`.
fn asked_wait(error: &Value) -> Option<Duration> {
    let details = error.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds.ceil()).ok()
}

/// Rewords a provider's reason for the end of an answer: "PROHIBITED_CONTENT" becomes "prohibited content".
/// At most 60 characters.
pub(crate) fn humanise(word: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' };
    let words: String = word.chars().take(60).map(plain).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes secrets from a server's text.
#[derive(Clone)]
pub(crate) struct Scrub(Vec<SecretString>);

impl Scrub {
    pub(crate) fn new(key: Option<&SecretString>, headers: &HeaderMap) -> Self {
        let headers = headers.values().filter_map(|value| value.to_str().ok());
        // For `Bearer abc`, the word after the space is hidden too.
        let parts = headers.flat_map(str::split_whitespace).chain(key.map(|key| key.expose_secret().trim()));
        // A short value is not a secret, and removing it would make the text unreadable.
        Self(parts.filter(|part| part.len() >= 8).map(SecretString::from).collect())
    }

    fn text(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.expose_secret(), "…"))
    }
}

/// At most [`SHOWN_CHARS`] characters on one line.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for c in line.chars().filter(|c| !c.is_control()).take(SHOWN_CHARS) {
        out.push(c);
    }
    if line.chars().count() > SHOWN_CHARS {
        out.push('…');
    }
    out
}
