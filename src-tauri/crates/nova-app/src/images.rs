//! Images attached to the user's messages.

use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nova_protocol::{ErrorCode, ImageData, ImageRef, NewImage, UserError};
use nova_provider::{Image, ImageError};
use nova_session::NamedImage;

use crate::app::App;

/// Maximum number per message.
const MOST: usize = 10;
/// Maximum total size per message, in bytes of base64. Providers reject requests above 32 MB, which also
/// include earlier images.
const MOST_TOGETHER: usize = 20 * 1024 * 1024;
/// Maximum length of a displayed name, in characters.
const NAME_LENGTH: usize = 80;

impl App {
    /// The contents of an image in a session.
    pub(crate) async fn read_image(&self, wanted: ImageRef) -> Result<ImageData, UserError> {
        let image = self.inner.store.image(&wanted.session, &wanted.id).await;
        let image = image?.ok_or_else(|| {
            UserError::new(
                ErrorCode::BadRequest,
                format!("There is no image \"{}\" in this session.", wanted.id),
                "Use an id from a message of this session.",
            )
        })?;
        Ok(ImageData { media_type: image.media_type.to_owned(), data: image.data.to_string() })
    }
}

/// Validates images received from the window.
pub(crate) fn received(images: Vec<NewImage>) -> Result<Vec<NamedImage>, UserError> {
    few_enough(images.len())?;
    small_enough(images.into_iter().map(|image| named(&image.name, decoded(&image.data))).collect())
}

/// Reads images from files.
///
/// # Errors
/// When there are too many, they are too large in total, or one is unreadable or unsupported.
pub fn images_from_files(files: &[impl AsRef<Path>]) -> Result<Vec<NamedImage>, UserError> {
    few_enough(files.len())?;
    let read = |file: &Path| {
        let limit = Image::MOST_BYTES as u64 + 1;
        let mut bytes = Vec::new();
        std::fs::File::open(file).and_then(|file| file.take(limit).read_to_end(&mut bytes)).map_err(
            |error| {
                UserError::new(
                    ErrorCode::Io,
                    format!("{} cannot be read: {error}.", file.display()),
                    "Choose a readable file.",
                )
            },
        )?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        named(&name, Ok(bytes))
    };
    small_enough(files.iter().map(|file| read(file.as_ref())).collect())
}

fn few_enough(count: usize) -> Result<(), UserError> {
    if count > MOST {
        return Err(UserError::new(
            ErrorCode::BadRequest,
            format!("A message can have at most {MOST} images, not {count}."),
            "Send the rest with another message.",
        ));
    }
    Ok(())
}

fn small_enough(images: Result<Vec<NamedImage>, UserError>) -> Result<Vec<NamedImage>, UserError> {
    let images = images?;
    let together: usize = images.iter().map(|named| named.image.data.len()).sum();
    if together > MOST_TOGETHER {
        return Err(UserError::new(
            ErrorCode::BadRequest,
            "The images of a message exceed 15 MB together.",
            "Send some of them with another message, or make them smaller.",
        ));
    }
    Ok(images)
}

fn decoded(data: &str) -> Result<Vec<u8>, ImageError> {
    if data.len() / 4 * 3 > Image::MOST_BYTES + 2 {
        return Err(ImageError::TooLarge);
    }
    STANDARD.decode(data).map_err(|_| ImageError::Damaged)
}

fn named(name: &str, bytes: Result<Vec<u8>, ImageError>) -> Result<NamedImage, UserError> {
    let name = shown_name(name);
    match bytes.and_then(|bytes| Image::read(&bytes)) {
        Ok(image) => Ok(NamedImage { name, image }),
        Err(error) => Err(UserError::new(
            ErrorCode::BadRequest,
            format!("{name} cannot be sent: {error}."),
            match error {
                ImageError::Unknown => "Save it as PNG or JPEG and send that.",
                ImageError::TooWide => "Make it smaller.",
                ImageError::TooLarge => "Make it smaller, or save it as JPEG.",
                ImageError::Damaged => "Open it and save it again.",
            },
        )),
    }
}

/// The file name on one line: it is also sent to the model and exported.
fn shown_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain = last.chars().map(|c| if c.is_control() || c == '"' { ' ' } else { c });
    let name: String = plain.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
    match name.chars().count() {
        0 => "image".to_owned(),
        long if long > NAME_LENGTH => name.chars().take(NAME_LENGTH).collect::<String>() + "…",
        _ => name,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const GIF: &str = "R0lGODlhAgABAAAAAA==";

    fn new(name: &str, data: &str) -> NewImage {
        NewImage { name: name.into(), media_type: Some("image/png".into()), data: data.into() }
    }

    #[test]
    fn image_type_is_detected_and_its_name_is_one_line() {
        let images = received(vec![new("C:\\x\\../a \"b\"\n.png", GIF), new("", GIF)]).unwrap();
        let names: Vec<_> = images.iter().map(|one| (one.name.as_str(), one.image.media_type)).collect();
        assert_eq!(names, [("a b .png", "image/gif"), ("image", "image/gif")]);
        let long = received(vec![new(&"x".repeat(500), GIF)]).unwrap();
        assert_eq!(long[0].name.chars().count(), NAME_LENGTH + 1);
    }

    #[test]
    fn unsupported_images_are_refused_with_name_and_remedy() {
        for (data, why) in [
            ("aGVsbG8=".to_owned(), "not a PNG"),
            ("not base64".to_owned(), "damaged"),
            ("A".repeat(Image::MOST_BYTES * 2), "larger than 3.9 MB"),
        ] {
            let error = received(vec![new("a.png", &data)]).unwrap_err();
            assert!(
                error.message.starts_with("a.png cannot be sent") && error.message.contains(why),
                "{error:?}"
            );
            assert!(!error.hint.is_empty());
        }
        let wide = received(vec![new("a.png", "iVBORw0KGgoAAAANSUhEUgAAH0EAAAAB")]).unwrap_err();
        assert!(wide.message.contains("longer than 8000 pixels"), "{wide:?}");
        assert!(received(vec![new("a", GIF); MOST]).is_ok());
        assert!(received(vec![new("a", GIF); MOST + 1]).unwrap_err().message.contains("at most 10 images"));
        let large = format!("{}{}", &GIF[..16], "A".repeat(5 * 1024 * 1024 - 16));
        assert!(received(vec![new("a", &large); 4]).is_ok());
        let error = received(vec![new("a", &large); 5]).unwrap_err();
        assert!(error.message.contains("15 MB together") && !error.hint.is_empty(), "{error:?}");
    }
}
