use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use nova_skill::{StoreSource, ToolCache, ToolError, ToolStore, Value};

use crate::own_files;

/// File-based stores: a folder per skill in the data folder with one JSON file per value; and one cache
/// folder with a file per entry.
pub(crate) struct FileStores {
    folder: PathBuf,
    cache: PathBuf,
}

impl FileStores {
    pub(crate) fn new(data: &Path) -> Self {
        Self { folder: data.join("store"), cache: data.join("cache") }
    }
}

impl StoreSource for FileStores {
    fn of(&self, skill: &str) -> Box<dyn ToolStore> {
        Box::new(FileStore { folder: self.folder.join(skill) })
    }

    fn cache(&self) -> Box<dyn ToolCache> {
        Box::new(FileCache { folder: self.cache.clone() })
    }
}

struct FileCache {
    folder: PathBuf,
}

/// Maximum size of a cache entry, in bytes.
const MOST_CACHED: usize = 64 * 1024 * 1024;

#[async_trait]
impl ToolCache for FileCache {
    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, ToolError> {
        let file = self.folder.join(file_name(key, "bin")?);
        let bytes = tokio::task::spawn_blocking(move || nova_files::read(&file)).await;
        match bytes.map_err(std::io::Error::other).flatten() {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("read", &error)),
        }
    }

    async fn set(&self, key: &str, bytes: Vec<u8>) -> Result<(), ToolError> {
        let file = self.folder.join(file_name(key, "bin")?);
        if bytes.len() > MOST_CACHED {
            return Err(too_large(key, bytes.len(), MOST_CACHED));
        }
        let written = tokio::task::spawn_blocking(move || own_files::write(&file, &bytes)).await;
        written.map_err(std::io::Error::other).flatten().map_err(|error| failed("written", &error))
    }

    async fn remove(&self, key: &str) -> Result<(), ToolError> {
        removed(&self.folder.join(file_name(key, "bin")?)).await
    }
}

async fn removed(file: &Path) -> Result<(), ToolError> {
    match tokio::fs::remove_file(file).await {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed("removed", &error)),
        _ => Ok(()),
    }
}

fn file_name(key: &str, ending: &str) -> Result<String, ToolError> {
    let legal = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if key.is_empty() || key.len() > 100 || !key.bytes().all(legal) {
        return Err(ToolError::failed(
            format!("\"{key}\" is not a valid store key."),
            "A key has lower-case letters, digits and hyphens.",
        ));
    }
    Ok(format!("{key}.{ending}"))
}

fn too_large(key: &str, bytes: usize, most: usize) -> ToolError {
    ToolError::failed(
        format!("\"{key}\" has {bytes} bytes; a store takes at most {most}."),
        "Store less in it.",
    )
}

struct FileStore {
    folder: PathBuf,
}

/// Values are small; larger data belongs in notes.
const MOST_BYTES: usize = 8 * 1024 * 1024;

impl FileStore {
    fn file(&self, key: &str) -> Result<PathBuf, ToolError> {
        Ok(self.folder.join(file_name(key, "json")?))
    }

    /// Compare and set: writes the value if the current one matches, and returns whether it did. Locked among
    /// all Nova processes.
    async fn write(
        &self,
        key: &str,
        value: Value,
        fits: impl FnOnce(Option<Value>) -> bool + Send + 'static,
    ) -> Result<bool, ToolError> {
        let file = self.file(key)?;
        let bytes = value.to_string().into_bytes();
        if bytes.len() > MOST_BYTES {
            return Err(too_large(key, bytes.len(), MOST_BYTES));
        }
        let written = tokio::task::spawn_blocking(move || {
            own_files::change(&file, NotWritten::Failed, || {
                let now = read(nova_files::read(&file)).map_err(NotWritten::Failed)?;
                if fits(now) { Ok((bytes, ())) } else { Err(NotWritten::Other) }
            })
        });
        match written.await.unwrap_or_else(|error| Err(NotWritten::Failed(std::io::Error::other(error)))) {
            Ok(()) => Ok(true),
            Err(NotWritten::Other) => Ok(false),
            Err(NotWritten::Failed(error)) => Err(failed("written", &error)),
        }
    }
}

enum NotWritten {
    /// The current value does not match.
    Other,
    Failed(std::io::Error),
}

/// A file that is not JSON counts as missing.
fn read(read: std::io::Result<Vec<u8>>) -> std::io::Result<Option<Value>> {
    match read {
        Ok(bytes) => Ok(nova_skill::serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[async_trait]
impl ToolStore for FileStore {
    /// A file that is not JSON counts as missing: a store never holds primary data.
    async fn get(&self, key: &str) -> Result<Option<Value>, ToolError> {
        let file = self.file(key)?;
        let bytes = tokio::task::spawn_blocking(move || nova_files::read(&file)).await;
        read(bytes.map_err(std::io::Error::other).flatten()).map_err(|error| failed("read", &error))
    }

    async fn set(&self, key: &str, value: Value) -> Result<(), ToolError> {
        self.write(key, value, |_| true).await.map(|_| ())
    }

    async fn replace(&self, key: &str, before: Option<&Value>, value: Value) -> Result<bool, ToolError> {
        let before = before.cloned();
        self.write(key, value, move |now| now == before).await
    }

    async fn remove(&self, key: &str) -> Result<(), ToolError> {
        removed(&self.file(key)?).await
    }
}

fn failed(done: &str, error: &std::io::Error) -> ToolError {
    ToolError::failed(
        format!("A file in the data folder cannot be {done}: {error}."),
        "Check the data folder and the disk, then try again.",
    )
}

#[cfg(test)]
mod tests {
    use nova_skill::json;

    use super::*;

    #[tokio::test]
    async fn value_is_kept_by_skill_and_key() {
        let data = tempfile::tempdir().expect("a folder");
        let stores = FileStores::new(data.path());
        stores.of("portfolio").set("quotes", json!({"A": "1.50"})).await.expect("kept");
        let again = FileStores::new(data.path());
        assert_eq!(again.of("portfolio").get("quotes").await.expect("read"), Some(json!({"A": "1.50"})));
        assert_eq!(again.of("budget").get("quotes").await.expect("read"), None);
        again.of("portfolio").remove("quotes").await.expect("removed");
        assert_eq!(again.of("portfolio").get("quotes").await.expect("read"), None);
        again.of("portfolio").remove("quotes").await.expect("removing a missing key succeeds");
    }

    #[tokio::test]
    async fn value_changed_by_another_process_is_not_replaced() {
        let data = tempfile::tempdir().expect("a folder");
        let (one, other) = (FileStores::new(data.path()), FileStores::new(data.path()));
        let (one, other) = (one.of("portfolio"), other.of("portfolio"));
        assert!(one.replace("quotes", None, json!([1])).await.expect("set"));
        let before = one.get("quotes").await.expect("read");
        assert!(other.replace("quotes", before.as_ref(), json!([1, 2])).await.expect("set"));
        assert!(!one.replace("quotes", before.as_ref(), json!([1, 3])).await.expect("read"));
        assert!(!one.replace("quotes", None, json!([3])).await.expect("read"));
        assert_eq!(one.get("quotes").await.expect("read"), Some(json!([1, 2])));
    }

    #[tokio::test]
    async fn broken_file_is_missing_and_keys_cannot_escape_the_folder() {
        let data = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(data.path().join("store/portfolio")).expect("a folder");
        std::fs::write(data.path().join("store/portfolio/quotes.json"), "{").expect("a file");
        let store = FileStores::new(data.path()).of("portfolio");
        assert_eq!(store.get("quotes").await.expect("read"), None);
        for key in ["", "..", "../budget/x", "A", "a/b"] {
            assert!(store.set(key, json!(1)).await.is_err(), "{key}");
        }
    }
}
