use std::collections::HashMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use imagesize::{ImageType, blob_size, image_type};
use mail_parser::{Message as Parsed, MimeHeaders as _, PartType};
use url::Url;

use super::{RemotePicture, web_address};
use crate::message::parse;

/// The most remote pictures that are listed, and the longest URL of one.
const REMOTE: usize = 50;
const URL: usize = 2_000;
/// The most bytes of all pictures of a page, each counted as often as it is shown.
const SHOWN: usize = 8 << 20;

/// A picture that a window can draw: a PNG, JPEG, GIF or WebP, whatever its name and its sender say.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    media_type: &'static str,
    bytes: Vec<u8>,
    pixels: usize,
}

/// Why a picture is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// Such as SVG, which is a document.
    #[error("it is not a PNG, JPEG, GIF or WebP")]
    Unknown,
    #[error("it has more than {} MB", Picture::MOST_BYTES >> 20)]
    TooLarge,
    /// Decoded, it would take hundreds of megabytes of memory.
    #[error("it has more than {} million pixels", Picture::MOST_PIXELS / 1_000_000)]
    TooManyPixels,
    #[error("it is damaged")]
    Damaged,
}

impl Picture {
    pub const MOST_BYTES: usize = 8 << 20;
    pub const MOST_PIXELS: usize = 40_000_000;

    /// Reads its header only.
    ///
    /// # Errors
    /// If it is not a picture, or exceeds a limit.
    pub fn read(bytes: Vec<u8>) -> Result<Self, PictureError> {
        if bytes.len() > Self::MOST_BYTES {
            return Err(PictureError::TooLarge);
        }
        let media_type = match image_type(&bytes) {
            Ok(ImageType::Png) => "image/png",
            Ok(ImageType::Jpeg) => "image/jpeg",
            Ok(ImageType::Gif) => "image/gif",
            Ok(ImageType::Webp) => "image/webp",
            _ => return Err(PictureError::Unknown),
        };
        let size = blob_size(&bytes).map_err(|_| PictureError::Damaged)?;
        let pixels = size.width.saturating_mul(size.height);
        if pixels > Self::MOST_PIXELS {
            return Err(PictureError::TooManyPixels);
        }
        Ok(Self { media_type, bytes, pixels })
    }

    /// `data:image/png;base64,…`
    pub fn data_uri(&self) -> String {
        format!("data:{};base64,{}", self.media_type, STANDARD.encode(&self.bytes))
    }

    /// In bytes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }
}

/// Without the bytes.
impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({}, {} bytes)", self.media_type, self.bytes.len())
    }
}

/// Whether it has the form of [`Picture::data_uri`].
pub(super) fn is_data_uri(source: &str) -> bool {
    let data = source.strip_prefix("data:image/").and_then(|rest| rest.split_once(";base64,"));
    data.is_some_and(|(kind, data)| {
        matches!(kind, "png" | "jpeg" | "gif" | "webp")
            && data.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
    })
}

/// `name`, or `name:port` if the port is not the default.
fn server(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// The pictures of a page: attached to the message, embedded in its HTML, or loaded from the web.
pub(super) struct Pictures<'a> {
    raw: &'a [u8],
    parsed: &'a Parsed<'a>,
    loaded: &'a HashMap<String, Picture>,
    /// Attached pictures that were shown before, by their Content-ID.
    read: HashMap<String, Option<Picture>>,
    shown: Shown,
    pub(super) remote: Vec<RemotePicture>,
}

impl<'a> Pictures<'a> {
    pub(super) fn new(raw: &'a [u8], parsed: &'a Parsed<'a>, loaded: &'a HashMap<String, Picture>) -> Self {
        Self { raw, parsed, loaded, read: HashMap::new(), shown: Shown::default(), remote: Vec::new() }
    }

    /// The `data:` URI to draw for the source of an image. A remote one that was not loaded is recorded, unless it is
    /// a tracking pixel (`reports`).
    pub(super) fn drawn(&mut self, source: &str, reports: bool) -> Option<String> {
        let source = source.trim();
        let (scheme, rest) = source.split_once(':')?;
        if scheme.eq_ignore_ascii_case("cid") {
            return self.of_message(rest);
        }
        if scheme.eq_ignore_ascii_case("data") {
            let (_, data) = rest.split_once(";base64,")?;
            let data: Vec<u8> = data.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
            let picture = Picture::read(STANDARD.decode(data).ok()?).ok()?;
            return within_limits(&mut self.shown, &picture);
        }
        let host = server(&web_address(source).filter(|_| source.len() <= URL && !reports)?)?;
        if let Some(picture) = self.loaded.get(source) {
            return within_limits(&mut self.shown, picture);
        }
        if self.remote.len() < REMOTE && self.remote.iter().all(|known| known.url != source) {
            self.remote.push(RemotePicture { url: source.to_owned(), host });
        }
        None
    }

    /// A `cid:` URL names a part by its Content-ID (RFC 2392).
    fn of_message(&mut self, id: &str) -> Option<String> {
        let id = id.replace("%40", "@").replace("%24", "$");
        let (raw, parsed) = (self.raw, self.parsed);
        let picture = self.read.entry(id).or_insert_with_key(|id| {
            let part = parsed.parts.iter().find(|part| {
                matches!(part.body, PartType::Binary(_) | PartType::InlineBinary(_))
                    && part.content_id().is_some_and(|own| own.trim_matches(['<', '>']) == id)
            })?;
            Picture::read(parse::decoded(raw, part).into_owned()).ok()
        });
        within_limits(&mut self.shown, picture.as_ref()?)
    }
}

/// Totals of all pictures of a page, each counted as often as it is shown. A small file may decode to many pixels,
/// which take memory once the page is drawn.
#[derive(Default)]
struct Shown {
    bytes: usize,
    pixels: usize,
}

/// Adds the picture to those shown, unless the total would exceed the limits.
fn within_limits(shown: &mut Shown, picture: &Picture) -> Option<String> {
    let bytes = shown.bytes.saturating_add(picture.size());
    let pixels = shown.pixels.saturating_add(picture.pixels);
    if bytes > SHOWN || pixels > Picture::MOST_PIXELS {
        return None;
    }
    *shown = Shown { bytes, pixels };
    Some(picture.data_uri())
}
