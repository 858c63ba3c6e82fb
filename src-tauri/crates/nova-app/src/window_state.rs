use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use nova_protocol::{
    DraftImage, DraftImageRef, DraftView, ErrorCode, Event, KeepDraftImage, NewImage, Nothing, RequestedPage,
    UserError, WindowLayout,
};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::blocking::blocking;
use crate::own_files;

/// Position and size of the window, in logical pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WindowPlace {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub maximized: bool,
}

/// Size limit of a draft, which consists of text and a few small files.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// Length of an image id, the hexadecimal hash of its bytes.
const IMAGE_ID: usize = 32;

/// Each chat's draft has its own file, so that two Nova processes do not overwrite each other's.
impl App {
    /// Unreadable files are skipped.
    pub(crate) fn drafts(&self) -> Result<Vec<DraftView>, UserError> {
        let files = match std::fs::read_dir(self.draft_folder()) {
            Ok(files) => files,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(cannot("be read", &self.draft_folder(), &error)),
        };
        let drafts = files.filter_map(|file| {
            let path = file.ok()?.path();
            (path.extension()? == "json").then(|| read(&path)).flatten()
        });
        Ok(drafts.collect())
    }

    /// Removes messages that are already in the log, if Nova was killed before the page removed them.
    pub(crate) async fn without_sent(&self, drafts: Vec<DraftView>) -> Result<Vec<DraftView>, UserError> {
        let mut left = Vec::new();
        for draft in drafts {
            // On an error the draft is shown unchanged, so that no other draft is lost.
            let unsent = match self.unsent_of(&draft).await {
                Ok(unsent) => unsent,
                Err(error) => {
                    tracing::warn!(error = error.message, "cannot check whether a draft was sent");
                    draft.clone()
                }
            };
            if unsent != draft {
                let (app, unsent) = (self.clone(), unsent.clone());
                if let Err(error) = blocking(move || app.keep_draft_of(&unsent)).await {
                    tracing::warn!(error = error.message, "cannot save a draft");
                }
            }
            if !unsent.is_empty() {
                left.push(unsent);
            }
        }
        Ok(left)
    }

    async fn unsent_of(&self, draft: &DraftView) -> Result<DraftView, UserError> {
        let is_sent = async |turn: &Option<String>| match (&draft.session, turn) {
            (Some(session), Some(turn)) => self.inner.store.has_turn(session, turn).await,
            _ => Ok(false),
        };
        let mut unsent = draft.clone();
        if is_sent(&draft.turn).await? {
            unsent = DraftView { session: unsent.session, ..DraftView::default() };
        }
        unsent.queued.clear();
        for message in &draft.queued {
            if !is_sent(&message.turn).await? {
                unsent.queued.push(message.clone());
            }
        }
        Ok(unsent)
    }

    pub(crate) fn keep_draft_of(&self, draft: &DraftView) -> Result<(), UserError> {
        let file = self.draft_file(draft.session.as_deref())?;
        if draft.is_empty() {
            remove(&file)?;
            return self.sweep_images(draft);
        }
        let bytes = serde_json::to_vec(draft)
            .map_err(|error| UserError::new(ErrorCode::Internal, error.to_string(), ""))?;
        if bytes.len() > MOST_BYTES {
            return Err(UserError::new(
                ErrorCode::BadRequest,
                format!(
                    "The draft is {} MB; at most {} MB can be saved.",
                    bytes.len() >> 20,
                    MOST_BYTES >> 20
                ),
                "Attach less, or save it in a note.",
            ));
        }
        own_files::write(&file, &bytes).map_err(|error| cannot("be written", &file, &error))?;
        self.sweep_images(draft)
    }

    /// Images have their own files beside the draft, so that they are not rewritten with every keystroke.
    pub(crate) async fn keep_draft_image(&self, kept: KeepDraftImage) -> Result<DraftImage, UserError> {
        let folder = self.image_folder(kept.session.as_deref())?;
        blocking(move || write_image(&folder, &kept.image)).await
    }

    pub(crate) async fn read_draft_image(&self, image: DraftImageRef) -> Result<NewImage, UserError> {
        let legal = image.id.len() == IMAGE_ID && image.id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let file = self.image_folder(image.session.as_deref())?.join(&image.id);
        let read = blocking(move || Ok(legal.then(|| read(&file)).flatten())).await?;
        read.ok_or_else(|| {
            UserError::new(ErrorCode::Io, "An image of the draft no longer exists.", "Attach it again.")
        })
    }

    /// Deletes the draft of a purged session.
    pub(crate) fn forget_draft(&self, session: &str) -> Result<(), UserError> {
        remove(&self.draft_file(Some(session))?)?;
        self.sweep_images(&DraftView { session: Some(session.to_owned()), ..DraftView::default() })
    }

    /// Deletes images that neither the draft nor its queued messages reference.
    fn sweep_images(&self, draft: &DraftView) -> Result<(), UserError> {
        let folder = self.image_folder(draft.session.as_deref())?;
        let Ok(files) = std::fs::read_dir(&folder) else { return Ok(()) };
        let queued = draft.queued.iter().flat_map(|message| &message.images);
        let named: Vec<&str> = draft.images.iter().chain(queued).map(|image| image.id.as_str()).collect();
        for file in files.flatten().filter(|file| !named.iter().any(|id| file.file_name() == *id)) {
            remove(&file.path())?;
        }
        if named.is_empty() {
            // Fails if another Nova process has added an image meanwhile.
            let _ = std::fs::remove_dir(&folder);
        }
        Ok(())
    }

    pub(crate) async fn window_layout(&self, _: Nothing) -> Result<WindowLayout, UserError> {
        let file = self.layout_file();
        blocking(move || Ok(read(&file).unwrap_or_default())).await
    }

    pub(crate) async fn keep_layout(&self, layout: WindowLayout) -> Result<Nothing, UserError> {
        let file = self.layout_file();
        self.inner.options.desktop.zoom(layout.zoom_factor());
        blocking(move || write(&file, &layout)).await?;
        Ok(Nothing {})
    }

    /// The zoom factor of the window.
    pub fn window_zoom(&self) -> f64 {
        read::<WindowLayout>(&self.layout_file()).unwrap_or_default().zoom_factor()
    }

    /// Whether closing the window hides it, as configured.
    pub fn keeps_running(&self) -> bool {
        self.inner.settings.read().unwrap_or_else(PoisonError::into_inner).config.keep_running
    }

    /// Lets the page show what the user chose outside of the window.
    pub fn request_page(&self, page: RequestedPage) {
        self.emit(Event::PageRequested { page });
    }

    /// `None` on the first start, or if it cannot be read.
    pub fn window_place(&self) -> Option<WindowPlace> {
        read(&self.place_file())
    }

    /// # Errors
    /// When the data folder cannot be written.
    pub fn keep_window_place(&self, place: WindowPlace) -> Result<(), UserError> {
        write(&self.place_file(), &place)
    }

    fn draft_folder(&self) -> PathBuf {
        self.places().data.join("drafts")
    }

    /// Validates the session id, which comes from the page, so that it cannot escape the folder.
    fn draft_file(&self, session: Option<&str>) -> Result<PathBuf, UserError> {
        let name = session.unwrap_or("new");
        check_id(name, "chat")?;
        Ok(self.draft_folder().join(format!("{name}.json")))
    }

    fn image_folder(&self, session: Option<&str>) -> Result<PathBuf, UserError> {
        Ok(self.draft_file(session)?.with_extension("images"))
    }

    fn layout_file(&self) -> PathBuf {
        self.places().data.join("window").join("layout.json")
    }

    fn place_file(&self) -> PathBuf {
        self.places().data.join("window").join("place.json")
    }
}

fn write_image(folder: &Path, image: &NewImage) -> Result<DraftImage, UserError> {
    let bytes = serde_json::to_vec(image)
        .map_err(|error| UserError::new(ErrorCode::Internal, error.to_string(), ""))?;
    if bytes.len() > MOST_BYTES {
        return Err(UserError::new(
            ErrorCode::BadRequest,
            format!(
                "{} is {} MB; at most {} MB can be saved.",
                image.name,
                bytes.len() >> 20,
                MOST_BYTES >> 20
            ),
            "Make it smaller, or save it as JPEG.",
        ));
    }
    let id = blake3::hash(&bytes).to_hex()[..IMAGE_ID].to_owned();
    let file = folder.join(&id);
    own_files::write(&file, &bytes).map_err(|error| cannot("be written", &file, &error))?;
    Ok(DraftImage { id, name: image.name.clone() })
}

/// Refuses an invalid id from the page; `kind` is used in the message.
pub(crate) fn check_id(id: &str, kind: &str) -> Result<(), UserError> {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !id.is_empty() && id.len() <= 64 && id.bytes().all(legal) {
        return Ok(());
    }
    Err(UserError::new(
        ErrorCode::BadRequest,
        format!("{id:?} is not the id of a {kind}."),
        "Update the window and the program together.",
    ))
}

fn read<T: serde::de::DeserializeOwned>(file: &Path) -> Option<T> {
    let bytes = nova_files::read(file).ok()?;
    serde_json::from_slice(&bytes)
        .inspect_err(|error| tracing::warn!(path = %file.display(), %error, "cannot parse a file"))
        .ok()
}

fn write<T: Serialize>(file: &Path, value: &T) -> Result<(), UserError> {
    let bytes = serde_json::to_vec(value)
        .map_err(|error| UserError::new(ErrorCode::Internal, error.to_string(), ""))?;
    own_files::write(file, &bytes).map_err(|error| cannot("be written", file, &error))
}

fn remove(file: &Path) -> Result<(), UserError> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(cannot("be removed", file, &error)),
        _ => Ok(()),
    }
}

fn cannot(what: &str, file: &Path, error: &std::io::Error) -> UserError {
    UserError::new(
        ErrorCode::Io,
        format!("{} cannot {what}: {error}.", file.display()),
        "Check the permissions and free space of the data folder.",
    )
}
