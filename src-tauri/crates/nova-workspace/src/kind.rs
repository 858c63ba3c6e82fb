//! Detects what a file is, by its metadata and contents.

use cap_std::fs::Metadata;

/// `None` for a regular file.
pub(crate) fn kind_of(found: &Metadata) -> Option<&'static str> {
    let kind = found.file_type();
    if kind.is_file() {
        return None;
    }
    if kind.is_dir() {
        return Some("a folder");
    }
    if kind.is_symlink() {
        return Some("a link");
    }
    #[cfg(unix)]
    {
        use cap_fs_ext::FileTypeExt as _;
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    Some("a device")
}

/// Media type, width and height of an image in a format that models accept.
pub(crate) fn picture(bytes: &[u8]) -> Option<(&'static str, usize, usize)> {
    let kind = infer::get(bytes)?.mime_type();
    let shown = ["image/png", "image/jpeg", "image/gif", "image/webp"].contains(&kind);
    let size = imagesize::blob_size(bytes).ok().filter(|_| shown)?;
    Some((kind, size.width, size.height))
}

/// Describes a binary file by its first bytes: `image/png, 640 × 480 pixels`.
pub(crate) fn described(head: &[u8]) -> String {
    let Some(kind) = infer::get(head) else { return "a binary file".to_owned() };
    match imagesize::blob_size(head) {
        Ok(size) => format!("{}, {} × {} pixels,", kind.mime_type(), size.width, size.height),
        Err(_) => kind.mime_type().to_owned(),
    }
}
