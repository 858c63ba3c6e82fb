use std::io::{BufRead, BufReader};

use nova_credentials::{CredentialError, CredentialStore};
use tempfile::tempdir;

use crate::children::{child, long_value, start};
use crate::support::{PASSPHRASE, name, shown, store_in};

#[tokio::test]
async fn secret_is_stored_listed_and_removed() {
    let data = tempdir().unwrap();
    let store = store_in(&data).await;
    store.set(&name("openai/key"), "sk-1".into()).await.unwrap();
    store.set(&name("mail/login"), long_value().into()).await.unwrap();

    let store = store_in(&data).await;
    assert_eq!(shown(&store.get(&name("openai/key")).await.unwrap().unwrap()), "sk-1");
    assert_eq!(shown(&store.get(&name("mail/login")).await.unwrap().unwrap()), long_value());
    assert!(store.remove(&name("openai/key")).await.unwrap());
    assert!(!store.has(&name("openai/key")).await.unwrap());
    assert_eq!(store.list().await.unwrap(), [name("mail/login")]);
}

#[tokio::test]
async fn wrong_passphrase_is_reported_and_changes_nothing() {
    let data = tempdir().unwrap();
    store_in(&data).await.set(&name("openai/key"), "sk-1".into()).await.unwrap();
    let before = std::fs::read(data.path().join("credentials.age")).unwrap();

    let error = CredentialStore::open_file(data.path(), "wrong horse".into()).await.unwrap_err();
    assert!(matches!(error, CredentialError::WrongPassphrase { .. }), "{error}");
    assert!(!format!("{error:?}").contains("wrong horse"));
    let error = CredentialStore::open_file(data.path(), "".into()).await.unwrap_err();
    assert!(matches!(error, CredentialError::EmptyPassphrase), "{error}");
    assert_eq!(std::fs::read(data.path().join("credentials.age")).unwrap(), before);
}

#[tokio::test]
async fn damaged_file_is_reported() {
    let data = tempdir().unwrap();
    let file = data.path().join("credentials.age");
    store_in(&data).await.set(&name("openai/key"), "sk-1".into()).await.unwrap();
    let whole = std::fs::read(&file).unwrap();
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for bytes in [&whole[..whole.len() - 20], &flipped[..], b"", b"not a file of age"] {
        std::fs::write(&file, bytes).unwrap();
        let error = CredentialStore::open_file(data.path(), PASSPHRASE.into()).await.unwrap_err();
        assert!(matches!(error, CredentialError::Damaged { .. }), "{} bytes: {error}", bytes.len());
    }
}

#[cfg(unix)]
#[tokio::test]
async fn files_are_readable_only_by_the_user() {
    use std::os::unix::fs::PermissionsExt;

    let outer = tempdir().unwrap();
    let data = outer.path().join("data");
    let store = CredentialStore::open_file(&data, PASSPHRASE.into()).await.unwrap();
    store.set(&name("openai/key"), "sk-1".into()).await.unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for file in ["credentials.age", "credentials.json", "credentials.json.lock", "credentials.age.lock"] {
        assert_eq!(mode(&data.join(file)), 0o600, "{file}");
    }
}

#[tokio::test]
async fn concurrent_processes_lose_no_write() {
    let data = tempdir().unwrap();
    let children = [child("set six", data.path()), child("set six", data.path())].map(start);
    let mut expected = Vec::new();
    for child in children {
        let id = child.id();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        expected.extend((0..6).map(|i| name(&format!("p{id}/k{i}"))));
    }
    expected.sort();
    assert_eq!(store_in(&data).await.list().await.unwrap(), expected);
}

#[tokio::test]
async fn process_killed_while_writing_leaves_a_valid_file() {
    let data = tempdir().unwrap();
    store_in(&data).await.set(&name("other/key"), "stays".into()).await.unwrap();
    for _ in 0..3 {
        let mut child = start(child("set for ever", data.path()));
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("ANSWER begun")));
        let before = std::fs::read(data.path().join("credentials.age")).unwrap();
        while std::fs::read(data.path().join("credentials.age")).unwrap() == before {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();

        let store = store_in(&data).await;
        assert_eq!(shown(&store.get(&name("other/key")).await.unwrap().unwrap()), "stays");
        assert!(shown(&store.get(&name("victim/key")).await.unwrap().unwrap()).starts_with("whole "));
        store.set(&name("after/key"), "works".into()).await.unwrap();
    }
}
