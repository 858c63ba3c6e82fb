//! The window's state that persists between starts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::NewImage;
use crate::parts::AttachedFile;

/// A message being written, and those waiting for the end of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DraftView {
    /// None for a new chat without messages.
    pub session: Option<String>,
    pub text: String,
    /// `skill.tool` it points at.
    pub tool: Option<String>,
    pub skills: Vec<String>,
    pub files: Vec<AttachedFile>,
    /// Kept by `keep_draft_image`; deleted when no message refers to it.
    #[serde(default)]
    pub images: Vec<DraftImage>,
    /// In sending order.
    pub queued: Vec<QueuedMessage>,
    /// Of one that is on its way, the id of its turn: as soon as that is in the log, the message is none
    /// that waits any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub turn: Option<String>,
}

impl DraftView {
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
            && self.tool.is_none()
            && self.skills.is_empty()
            && self.files.is_empty()
            && self.images.is_empty()
            && self.queued.is_empty()
    }
}

/// A message that is sent when the turns before it have ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QueuedMessage {
    pub text: String,
    pub tool: Option<String>,
    pub skills: Vec<String>,
    pub files: Vec<AttachedFile>,
    #[serde(default)]
    pub images: Vec<DraftImage>,
    /// Of one that is on its way, the id of its turn: as soon as that is in the log, the message is none
    /// that waits any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub turn: Option<String>,
}

/// An image that goes with a message that is not sent yet. Its bytes are kept once, not with every letter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DraftImage {
    pub id: String,
    pub name: String,
}

/// The texts of the system's file dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChooseFile {
    /// "Choose a bank file"
    pub title: String,
    /// The name of these file types, such as "CSV".
    pub kind: String,
    /// Without the dot.
    pub endings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChosenFile {
    /// None if the dialog was closed.
    pub file: Option<GivenFileView>,
}

/// A file that was dropped on the window; at most 32 MB.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GiveFile {
    pub name: String,
    /// Its bytes in base64.
    pub data: String,
}

/// A file that the user chose or dropped. Until four later ones, a tool that the user calls can read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GivenFileView {
    /// Its name in a tool's arguments.
    pub path: String,
    /// Without its folder.
    pub name: String,
    /// For display; none for a dropped file.
    pub folder: Option<String>,
    /// In bytes.
    #[ts(type = "number")]
    pub size: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct KeepDraftImage {
    /// None for a new chat without messages.
    pub session: Option<String>,
    pub image: NewImage,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DraftImageRef {
    pub session: Option<String>,
    pub id: String,
}

/// The window's last layout.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct WindowLayout {
    /// Only the rail of the list is shown.
    pub list_folded: bool,
    /// px; 0 until changed.
    pub list_width: u32,
    pub panel_open: bool,
    /// px; 0 until changed.
    pub panel_width: u32,
    /// Percent; 0 until changed.
    pub zoom: u32,
    /// The user's key bindings, by action.
    pub keys: BTreeMap<String, String>,
    /// Entries chosen in the palette, newest first.
    pub chosen: Vec<String>,
}

impl WindowLayout {
    /// The allowed zoom, in percent.
    pub const ZOOM: std::ops::RangeInclusive<u32> = 50..=300;

    /// The zoom as a factor; 1 by default.
    pub fn zoom_factor(&self) -> f64 {
        let percent = if self.zoom == 0 { 100 } else { self.zoom };
        f64::from(percent.clamp(*Self::ZOOM.start(), *Self::ZOOM.end())) / 100.0
    }
}
