//! Parts of requests and answers that several dialects share.

use serde_json::{Value, json};

/// `None` if there is neither text nor an image.
pub(super) fn with_images(role: Value, text: &str, images: Vec<Value>) -> Option<Value> {
    if images.is_empty() {
        return (!text.is_empty()).then(|| json!({"role": role, "content": text}));
    }
    let text = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
    let parts: Vec<Value> = text.into_iter().chain(images).collect();
    Some(json!({"role": role, "content": parts}))
}

pub(super) fn image_part(media_type: &str, data: &str) -> Value {
    json!({"type": "image_url", "image_url": {"url": format!("data:{media_type};base64,{data}")}})
}

/// Splits arguments into pieces regardless of syntax.
pub(super) fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(9).map(|piece| piece.iter().collect()).collect()
}
