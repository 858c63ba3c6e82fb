use std::io::{self, Write as _};
use std::path::Path;

/// Atomically changes one of Nova's own files, with a lock among all Nova processes. `make` reads the current
/// contents and returns the new bytes; if it fails nothing is changed.
///
/// # Errors
/// Errors of `make`, and system errors converted by `wrap`.
pub(crate) fn change<T, E>(
    file: &Path,
    wrap: impl Fn(io::Error) -> E,
    make: impl FnOnce() -> Result<(Vec<u8>, T), E>,
) -> Result<T, E> {
    // Follows a link to a file elsewhere, so that it stays a link.
    let file = &std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().unwrap_or(Path::new("."));
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    std::fs::create_dir_all(folder).map_err(&wrap)?;
    let lock = folder.join(format!(".{name}.lock"));
    let lock = nova_files::open_lock(&lock)
        .map_err(|error| wrap(io::Error::new(error.kind(), format!("{}: {error}", lock.display()))))?;
    lock.lock().map_err(&wrap)?;
    let (bytes, made) = make()?;
    let mut fresh = tempfile::NamedTempFile::new_in(folder).map_err(&wrap)?;
    fresh.write_all(&bytes).map_err(&wrap)?;
    fresh.as_file().sync_all().map_err(&wrap)?;
    fresh.persist(file).map_err(|error| wrap(error.error))?;
    Ok(made)
}

/// Atomically writes a file that only Nova writes; creates its folder if necessary.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    fresh(file, bytes)?.persist(file).map_err(|error| error.error)?;
    Ok(())
}

/// Like [`write`], but fails if the file exists.
pub(crate) fn create(file: &Path, bytes: &[u8]) -> io::Result<()> {
    fresh(file, bytes)?.persist_noclobber(file).map_err(|error| error.error)?;
    Ok(())
}

/// Writes and syncs the bytes to a hidden temporary file in the same folder.
fn fresh(file: &Path, bytes: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut fresh = tempfile::Builder::new().prefix(".nova-").suffix(".tmp").tempfile_in(folder)?;
    fresh.write_all(bytes)?;
    fresh.as_file().sync_all()?;
    Ok(fresh)
}
