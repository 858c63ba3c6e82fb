use std::collections::HashMap;

use nova_protocol::ImageView;
use nova_provider::Image;

/// An image as the user sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedImage {
    /// As its file is called.
    pub name: String,
    pub image: Image,
}

impl NamedImage {
    pub(crate) fn view(&self) -> ImageView {
        ImageView {
            id: self.image.id.clone(),
            name: self.name.clone(),
            media_type: self.image.media_type.to_owned(),
            width: self.image.width,
            height: self.image.height,
        }
    }
}

/// The images of a session that are in memory while a turn runs, by id.
pub(crate) type Images = HashMap<String, Image>;
