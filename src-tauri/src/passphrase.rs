//! The passphrase of the encrypted credentials, from a descriptor, a file or the environment.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use nova_app::PassphraseSource;
use secrecy::SecretString;

/// Size limit, to detect a wrong file.
const LONGEST: u64 = 64 * 1024;

/// Read on first use and cached: a descriptor can only be read once.
pub(crate) fn source(descriptor: Option<u32>) -> PassphraseSource {
    let known: OnceLock<Result<Option<SecretString>, String>> = OnceLock::new();
    Arc::new(move || known.get_or_init(|| find(descriptor)).clone())
}

fn find(descriptor: Option<u32>) -> Result<Option<SecretString>, String> {
    if let Some(descriptor) = descriptor {
        return from_descriptor(descriptor).map(Some);
    }
    if let Some(file) = std::env::var_os("NOVA_PASSPHRASE_FILE").filter(|file| !file.is_empty()) {
        let file = PathBuf::from(file);
        let read = read(&file).map_err(|error| format!("{}: {error}", file.display()));
        return read.map(Some);
    }
    let Some(passphrase) = std::env::var("NOVA_PASSPHRASE").ok().filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    tracing::warn!(
        "other programs can read NOVA_PASSPHRASE; use NOVA_PASSPHRASE_FILE or --passphrase-fd instead"
    );
    Ok(Some(passphrase.into()))
}

#[cfg(unix)]
fn from_descriptor(descriptor: u32) -> Result<SecretString, String> {
    let path = PathBuf::from(format!("/dev/fd/{descriptor}"));
    read(&path).map_err(|error| format!("descriptor {descriptor}: {error}"))
}

#[cfg(not(unix))]
fn from_descriptor(_: u32) -> Result<SecretString, String> {
    Err("--passphrase-fd is for Linux and macOS; use NOVA_PASSPHRASE_FILE".into())
}

/// Reads the first line only: the writer of a pipe may keep it open.
fn read(path: &std::path::Path) -> std::io::Result<SecretString> {
    let mut text = String::new();
    BufReader::new(File::open(path)?.take(LONGEST)).read_line(&mut text)?;
    Ok(without_line_end(&text).into())
}

/// Removes one trailing line ending, which is not part of a secret.
pub(crate) fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}
