use std::collections::BTreeMap;
use std::sync::Mutex;

use super::*;

/// A fake keychain.
#[derive(Default)]
struct InMemory(Mutex<BTreeMap<CredentialName, SecretString>>);

impl Backend for InMemory {
    fn kind(&self) -> StoreKind {
        StoreKind::Keychain
    }

    fn get(&self, name: &CredentialName) -> Result<Option<SecretString>, CredentialError> {
        Ok(self.0.lock().unwrap().get(name).cloned())
    }

    fn set(&self, name: &CredentialName, value: &SecretString) -> Result<(), CredentialError> {
        if value.expose_secret() == "refused" {
            return Err(CredentialError::Keychain { reason: "it is locked".into() });
        }
        self.0.lock().unwrap().insert(name.clone(), value.clone());
        Ok(())
    }

    fn remove(&self, name: &CredentialName) -> Result<bool, CredentialError> {
        Ok(self.0.lock().unwrap().remove(name).is_some())
    }

    fn names(&self) -> Result<Option<Vec<CredentialName>>, CredentialError> {
        Ok(None)
    }
}

fn name(text: &str) -> CredentialName {
    text.parse().unwrap()
}

fn passphrase() -> Option<SecretString> {
    Some("correct horse".into())
}

fn available(keychain: &Arc<InMemory>) -> Result<Arc<dyn Backend>, String> {
    Ok(keychain.clone())
}

fn unavailable() -> Result<Arc<dyn Backend>, String> {
    Err("no session bus".into())
}

fn names(store: &[CredentialName]) -> Vec<&str> {
    store.iter().map(CredentialName::as_str).collect()
}

#[test]
fn keychain_is_preferred_even_with_a_passphrase() {
    let data = tempfile::tempdir().unwrap();
    let store = CredentialStore::choose(data.path(), passphrase(), available(&Arc::default())).unwrap();
    assert_eq!(store.kind(), StoreKind::Keychain);
}

#[test]
fn passphrase_without_a_keychain_selects_the_file() {
    let data = tempfile::tempdir().unwrap();
    let store = CredentialStore::choose(data.path(), passphrase(), unavailable()).unwrap();
    assert_eq!(store.kind(), StoreKind::File);
}

#[test]
fn no_store_without_keychain_and_passphrase() {
    let data = tempfile::tempdir().unwrap();
    let error = CredentialStore::choose(data.path(), None, unavailable()).unwrap_err();
    assert!(matches!(error, CredentialError::NoStore { .. }), "{error}");
    assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0, "nothing is begun");
}

#[test]
fn unreachable_keychain_with_credentials_is_not_replaced() {
    let data = tempfile::tempdir().unwrap();
    let store = CredentialStore::choose(data.path(), None, available(&Arc::default())).unwrap();
    store.set_now(&name("openai/key"), &"sk-1".into()).unwrap();

    let error = CredentialStore::choose(data.path(), passphrase(), unavailable()).unwrap_err();
    assert!(
        matches!(error, CredentialError::Unreachable { store: StoreKind::Keychain, .. }),
        "a passphrase does not open another store: {error}"
    );
    assert!(!data.path().join("credentials.age").exists());
}

#[test]
fn file_with_credentials_is_used_after_a_keychain_appears() {
    let data = tempfile::tempdir().unwrap();
    let store = CredentialStore::choose(data.path(), passphrase(), unavailable()).unwrap();
    store.set_now(&name("openai/key"), &"sk-1".into()).unwrap();

    let keychain = Arc::default();
    let store = CredentialStore::choose(data.path(), passphrase(), available(&keychain)).unwrap();
    assert_eq!(store.kind(), StoreKind::File);
    let error = CredentialStore::choose(data.path(), None, available(&keychain)).unwrap_err();
    assert!(matches!(error, CredentialError::PassphraseNeeded), "{error}");
}

#[test]
fn missing_file_is_not_recreated() {
    let data = tempfile::tempdir().unwrap();
    let store = CredentialStore::choose(data.path(), passphrase(), unavailable()).unwrap();
    store.set_now(&name("openai/key"), &"sk-1".into()).unwrap();
    std::fs::remove_file(data.path().join("credentials.age")).unwrap();

    let error = CredentialStore::choose(data.path(), passphrase(), available(&Arc::default())).unwrap_err();
    assert!(matches!(error, CredentialError::Unreachable { store: StoreKind::File, .. }), "{error}");
}

#[test]
fn invalid_record_is_an_error() {
    let data = tempfile::tempdir().unwrap();
    std::fs::write(data.path().join("credentials.json"), "{\"kept_in\": \"key").unwrap();
    let error = CredentialStore::choose(data.path(), passphrase(), unavailable()).unwrap_err();
    assert!(matches!(error, CredentialError::Damaged { .. }), "{error}");
}

#[test]
fn concurrent_start_in_another_store_is_an_error() {
    let data = tempfile::tempdir().unwrap();
    let in_file = CredentialStore::choose(data.path(), passphrase(), unavailable()).unwrap();
    let in_keychain = CredentialStore::choose(data.path(), None, available(&Arc::default())).unwrap();
    in_file.set_now(&name("a/b"), &"1".into()).unwrap();
    let error = in_keychain.set_now(&name("c/d"), &"2".into()).unwrap_err();
    assert!(matches!(error, CredentialError::StoreChanged { store: StoreKind::File }), "{error}");
}

#[tokio::test]
async fn keychain_without_search_is_listed_from_the_record() {
    let data = tempfile::tempdir().unwrap();
    let store = CredentialStore::choose(data.path(), None, available(&Arc::default())).unwrap();
    store.set(&name("b/key"), "1".into()).await.unwrap();
    store.set(&name("a/key"), "2".into()).await.unwrap();
    store.set(&name("c/key"), "refused".into()).await.unwrap_err();
    assert_eq!(names(&store.list().await.unwrap()), ["a/key", "b/key"]);
    assert!(store.remove(&name("b/key")).await.unwrap());
    assert!(!store.remove(&name("b/key")).await.unwrap());
    assert_eq!(names(&store.list().await.unwrap()), ["a/key"]);
}

#[tokio::test]
async fn rejects_empty_and_long_values_and_case_variants() {
    let data = tempfile::tempdir().unwrap();
    let store = CredentialStore::choose(data.path(), None, available(&Arc::default())).unwrap();
    store.set(&name("OpenAI/key"), "1".into()).await.unwrap();
    let error = store.set(&name("openai/key"), "2".into()).await.unwrap_err();
    assert!(matches!(error, CredentialError::CaseConflict { .. }), "{error}");
    let error = store.set(&name("a/key"), "".into()).await.unwrap_err();
    assert!(matches!(error, CredentialError::Empty { .. }), "{error}");
    let error = store.set(&name("a/key"), "x".repeat(65_537).into()).await.unwrap_err();
    assert!(matches!(error, CredentialError::TooLong { max: 65_536, .. }), "{error}");
    assert_eq!(names(&store.list().await.unwrap()), ["OpenAI/key"]);
}

/// A backend that checks for the record whenever a secret is written.
struct RecordProbe {
    data: std::path::PathBuf,
    kind: StoreKind,
    recorded: Mutex<Option<bool>>,
}

impl Backend for RecordProbe {
    fn kind(&self) -> StoreKind {
        self.kind
    }

    fn get(&self, _name: &CredentialName) -> Result<Option<SecretString>, CredentialError> {
        Ok(None)
    }

    fn set(&self, _name: &CredentialName, _value: &SecretString) -> Result<(), CredentialError> {
        *self.recorded.lock().unwrap() = Some(self.data.join("credentials.json").exists());
        Ok(())
    }

    fn remove(&self, _name: &CredentialName) -> Result<bool, CredentialError> {
        Ok(false)
    }

    fn names(&self) -> Result<Option<Vec<CredentialName>>, CredentialError> {
        Ok(None)
    }
}

#[test]
fn first_credential_is_written_in_a_crash_safe_order() {
    for (kind, recorded) in [(StoreKind::Keychain, true), (StoreKind::File, false)] {
        let data = tempfile::tempdir().unwrap();
        let probe = Arc::new(RecordProbe { data: data.path().to_owned(), kind, recorded: Mutex::new(None) });
        let store = CredentialStore { record: Arc::new(Record::of(data.path())), backend: probe.clone() };
        store.set_now(&name("a/b"), &"1".into()).unwrap();
        assert_eq!(*probe.recorded.lock().unwrap(), Some(recorded), "{kind:?}");
    }
}
