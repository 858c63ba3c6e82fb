use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::limits;

/// Base64 with or without padding.
const READER: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// An image, audio or file of a result.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerMedia {
    /// As reported by the server.
    pub media_type: String,
    pub bytes: Arc<[u8]>,
}

impl fmt::Debug for ServerMedia {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServerMedia({:?}, {} bytes)", self.media_type, self.bytes.len())
    }
}

/// Media of recent results, for the window, in memory only. Models and chat logs see only their ids.
#[derive(Default)]
pub(crate) struct Media(Mutex<VecDeque<(String, ServerMedia)>>);

impl Media {
    /// The id of the stored data; `None` if it is invalid or too large.
    pub(crate) fn keep(&self, media_type: &str, base64: &str) -> Option<String> {
        let bytes = decode(base64)?;
        let id = blake3::hash(&bytes).to_hex()[..32].to_owned();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(other, _)| *other != id);
        let media = ServerMedia { media_type: media_type.to_owned(), bytes: bytes.into() };
        kept.push_back((id.clone(), media));
        while kept.iter().map(|(_, media)| media.bytes.len()).sum::<usize>() > limits::ALL_MEDIA {
            kept.pop_front();
        }
        Some(id)
    }

    pub(crate) fn get(&self, id: &str) -> Option<ServerMedia> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(other, _)| other == id).map(|(_, media)| media.clone())
    }
}

/// `None` if it is invalid or too large.
pub(crate) fn decode(base64: &str) -> Option<Vec<u8>> {
    let bytes = READER.decode(base64.trim()).ok()?;
    (!bytes.is_empty() && bytes.len() <= limits::MEDIA).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_media_are_kept_within_the_limit() {
        let media = Media::default();
        let large = |letter: char| {
            let text = letter.to_string().repeat(limits::MEDIA / 3 * 4);
            media.keep("image/png", &text).expect("the media is stored")
        };
        let ids: Vec<String> = ('A'..='Z').map(large).collect();
        let left = ids.iter().filter(|id| media.get(id).is_some()).count();
        assert_eq!(left, limits::ALL_MEDIA / (limits::MEDIA / 3 * 3));
        assert!(media.get(&ids[25]).is_some() && media.get(&ids[0]).is_none());
    }

    #[test]
    fn invalid_or_too_large_base64_is_not_kept() {
        let media = Media::default();
        assert_eq!(media.keep("image/png", "no base64!"), None);
        assert_eq!(media.keep("image/png", ""), None);
        assert_eq!(media.keep("image/png", &"AAAA".repeat(limits::MEDIA / 3 + 1)), None);
        let (with, without) = (media.keep("a/b", "AA=="), media.keep("a/b", "AA"));
        assert!(with.is_some() && with == without);
    }
}
