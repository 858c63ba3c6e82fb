//! An image in a message.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use imagesize::{ImageType, blob_size, image_type};

/// An image in a format that every dialect supports.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// Derived from its bytes: equal images have equal ids.
    pub id: String,
    /// Detected from its bytes, whatever its name is.
    pub media_type: &'static str,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Its bytes in base64.
    pub data: Arc<str>,
}

/// Why an image cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// Neither PNG nor JPEG, WebP or GIF.
    #[error("it is not a PNG, JPEG, WebP or GIF")]
    Unknown,
    /// More than [`Image::MOST_BYTES`].
    #[error("it is larger than 3.9 MB")]
    TooLarge,
    /// A side of more than [`Image::MOST_SIDE`].
    #[error("one side is longer than {} pixels", Image::MOST_SIDE)]
    TooWide,
    /// It starts like one of these formats but has no size.
    #[error("it is damaged")]
    Damaged,
}

impl Image {
    /// 5 MB in base64, which every provider accepts.
    pub const MOST_BYTES: usize = 3_932_160;
    /// The maximum length of a side that all providers accept, in pixels.
    pub const MOST_SIDE: u32 = 8_000;

    /// Parses the header of the bytes, without decoding the image.
    ///
    /// # Errors
    /// If they are not an image, too many, or the image is too wide or too high.
    pub fn read(bytes: &[u8]) -> Result<Self, ImageError> {
        if bytes.len() > Self::MOST_BYTES {
            return Err(ImageError::TooLarge);
        }
        let media_type = match image_type(bytes) {
            Ok(ImageType::Png) => "image/png",
            Ok(ImageType::Jpeg) => "image/jpeg",
            Ok(ImageType::Webp) => "image/webp",
            Ok(ImageType::Gif) => "image/gif",
            _ => return Err(ImageError::Unknown),
        };
        let size = blob_size(bytes).map_err(|_| ImageError::Damaged)?;
        let side = |pixels: usize| u32::try_from(pixels).ok().filter(|pixels| *pixels > 0);
        let (Some(width), Some(height)) = (side(size.width), side(size.height)) else {
            return Err(ImageError::Damaged);
        };
        if width.max(height) > Self::MOST_SIDE {
            return Err(ImageError::TooWide);
        }
        let id = blake3::hash(bytes).to_hex()[..32].to_owned();
        Ok(Self { id, media_type, width, height, data: STANDARD.encode(bytes).into() })
    }

    /// Its bytes.
    pub fn bytes(&self) -> Vec<u8> {
        STANDARD.decode(self.data.as_bytes()).unwrap_or_default()
    }
}

/// Prints the id instead of the data.
impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({} {}×{} {})", self.media_type, self.width, self.height, self.id)
    }
}

/// Estimates the tokens of an image of this size.
///
/// Uses Anthropic's rule for all providers: a token per 750 pixels, after the longer side was reduced to
/// 1,568 pixels and the whole to 1,600 tokens. Others count less (OpenAI 85, and 170 for each tile of 512
/// pixels; local models 256 to 1,500), and the provider's own count corrects the estimate.
pub fn image_tokens(width: u32, height: u32) -> u64 {
    const LONGEST: u64 = 1_568;
    const MOST: u64 = 1_600;
    let (mut width, mut height) = (u64::from(width), u64::from(height));
    let longest = width.max(height);
    if longest > LONGEST {
        (width, height) = (width * LONGEST / longest, height * LONGEST / longest);
    }
    (width * height).div_ceil(750).clamp(1, MOST)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The first bytes of a PNG of this size.
    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes
    }

    #[test]
    fn format_and_size_are_detected_from_bytes() {
        let gif = [b"GIF89a".as_slice(), &[2, 0, 1, 0, 0, 0, 0]].concat();
        let jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 2, 0xff, 0xc0, 0, 11, 8, 0, 3, 0, 4, 1].to_vec();
        let mut webp = b"RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0".to_vec();
        webp.extend([9, 0, 0, 4, 0, 0]);
        for (bytes, media_type, size) in [
            (png(640, 480), "image/png", (640, 480)),
            (gif, "image/gif", (2, 1)),
            (jpeg, "image/jpeg", (4, 3)),
            (webp, "image/webp", (10, 5)),
        ] {
            let image = Image::read(&bytes).unwrap();
            assert_eq!((image.media_type, (image.width, image.height)), (media_type, size));
            assert_eq!(image.bytes(), bytes);
            assert_eq!(image, Image::read(&bytes).unwrap());
        }
        assert_ne!(Image::read(&png(1, 1)).unwrap().id, Image::read(&png(1, 2)).unwrap().id);
    }

    #[test]
    fn other_bytes_are_refused() {
        let bmp = [b"BM".as_slice(), &[0; 60]].concat();
        let svg = b"<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>".to_vec();
        for bytes in [Vec::new(), b"hello".to_vec(), bmp, svg, b"RIFF\0\0\0\0WAVEfmt ".to_vec()] {
            assert_eq!(Image::read(&bytes), Err(ImageError::Unknown), "{bytes:?}");
        }
        for bytes in [
            png(0, 4),
            b"\x89PNG\r\n\x1a\n\0\0\0\0".to_vec(),
            vec![0xff, 0xd8, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ] {
            assert_eq!(Image::read(&bytes), Err(ImageError::Damaged), "{bytes:?}");
        }
        let mut large = png(1, 1);
        large.resize(Image::MOST_BYTES + 1, 0);
        assert_eq!(Image::read(&large), Err(ImageError::TooLarge));
    }

    /// Anthropic refuses the whole request for an image above 5 MB of base64, or 8,000 pixels on a side.
    #[test]
    fn images_above_provider_limits_are_refused() {
        let mut most = png(8_000, 8_000);
        most.resize(3_932_160, 0);
        assert_eq!(Image::read(&most).unwrap().data.len(), 5 * 1024 * 1024);
        for (width, height) in [(8_001, 1), (1, 8_001)] {
            assert_eq!(Image::read(&png(width, height)), Err(ImageError::TooWide));
        }
    }

    #[test]
    fn tokens_grow_with_the_pixels_up_to_a_limit() {
        assert_eq!(image_tokens(1, 1), 1);
        assert_eq!(image_tokens(200, 200), 54);
        assert_eq!(image_tokens(1_000, 1_000), 1_334);
        assert_eq!(image_tokens(u32::MAX, u32::MAX), 1_600);
        assert_eq!(image_tokens(u32::MAX, 1), 1);
    }
}
