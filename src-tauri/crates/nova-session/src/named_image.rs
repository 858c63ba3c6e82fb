use std::collections::HashMap;

use nova_protocol::ImageView;
use nova_provider::Image;

/// An image as sent by the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedImage {
    /// The file name.
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

/// Images of a session that are in memory during a turn, by id.
pub(crate) type Images = HashMap<String, Image>;
