use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use nova_credentials::{
    CredentialStore, Destination, GrantConsumer, GrantedCredentials, Grants, Place, Template,
};
use secrecy::SecretString;
use tempfile::tempdir;

use crate::auth_server::{AuthServer, Mode, browser};
use crate::signing_in::oauth_in;
use crate::support::{TestClock, name, store_in};

const CANARY: &str = "canary-9f3b71";

#[derive(Clone, Default)]
struct Logged(Arc<Mutex<Vec<u8>>>);

impl io::Write for Logged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Everything logged in this process, on all threads.
fn logged() -> &'static Logged {
    static LOGGED: OnceLock<Logged> = OnceLock::new();
    LOGGED.get_or_init(|| {
        let logged = Logged::default();
        let writer = logged.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
        logged
    })
}

/// Checks for the secret in plain text, base64 and hexadecimal.
fn assert_clean(bytes: &[u8], place: &str) {
    let mut spellings = vec![CANARY.to_owned(), CANARY.bytes().map(|byte| format!("{byte:02x}")).collect()];
    for before in ["", "a", "ab"] {
        let encoded = STANDARD_NO_PAD.encode(format!("{before}{CANARY}"));
        spellings.push(encoded[4..encoded.len() - 2].to_owned());
    }
    for spelling in spellings {
        let found = bytes.windows(spelling.len()).any(|part| part == spelling.as_bytes());
        assert!(!found, "{place} holds {spelling}");
    }
}

fn assert_folder_clean(folder: &Path) -> usize {
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        assert_clean(entry.file_name().as_encoded_bytes(), "a file's name");
        if entry.file_type().unwrap().is_dir() {
            files += assert_folder_clean(&entry.path());
        } else {
            assert_clean(&std::fs::read(entry.path()).unwrap(), &entry.path().display().to_string());
            files += 1;
        }
    }
    files
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secret_appears_only_in_the_encrypted_store() {
    let logged = logged();
    let (data, server, clock) = (tempdir().unwrap(), AuthServer::start().await, TestClock::new());
    server.state().prefix = format!("{CANARY}-");
    let mut printed = Vec::new();

    // Store, read, use in a header, reject.
    let store = store_in(&data).await;
    let secret = || SecretString::from(format!("{CANARY}-key"));
    store.set(&name("openai/key"), secret()).await.unwrap();
    store.set(&name("torn/key"), format!("{CANARY}\r\nx").into()).await.unwrap();
    let granted = GrantedCredentials { store: store.clone(), grants: Grants::of(data.path()) };
    let consumer = GrantConsumer::new("provider:openai", &["openai", "https://api.openai.example"]);
    let there = Destination::hosts(["api.openai.example"]);
    printed.push(format!("{granted:?} {:?}", secret()));
    let error = granted.get_for(&consumer, &there, &name("openai/key")).await.unwrap_err();
    printed.push(format!("{error} {error:?} {}", error.hint()));
    let lookup = async |name| Ok(store.get(&name).await?.unwrap());
    for text in ["Bearer ${credentials:openai/key}", "${credentials:torn/key}"] {
        let resolved = Template::parse(Place::Header, text).unwrap().resolve(lookup).await;
        printed.push(format!("{resolved:?}"));
    }
    let error = CredentialStore::open_file(data.path(), CANARY.into()).await.unwrap_err();
    printed.push(format!("{error} {error:?} {}", error.hint()));
    let error = store.set(&name("big/key"), CANARY.repeat(10_000).into()).await.unwrap_err();
    printed.push(format!("{error} {error:?}"));

    // Sign in, renew, and a refusal by a server that repeats the request.
    let oauth = oauth_in(&data, &clock).await;
    let mut client = server.client();
    oauth.sign_in(&name("mail/login"), &client, &browser()).await.unwrap();
    clock.advance(4000);
    printed.push(format!("{:?}", oauth.access_token(&name("mail/login"), &client).await.unwrap()));
    client.client_secret = Some(secret());
    printed.push(format!("{client:?}"));
    clock.advance(4000);
    let json = "Content-Type: application/json\r\n".to_owned();
    for (status, body) in [
        ("200 OK", format!("{{\"access_token\":\"{CANARY}")),
        ("400 Bad Request", format!("{{\"error\":\"{CANARY}\",\"error_description\":\"{CANARY}\"}}")),
        ("400 Bad Request", format!("{{\"error\":\"invalid_grant\",\"error_description\":\"{CANARY}\"}}")),
    ] {
        server.state().mode = Mode::Fixed(status, json.clone(), body);
        let error = oauth.access_token(&name("mail/login"), &client).await.unwrap_err();
        printed.push(format!("{error} {error:?} {}", error.hint()));
    }
    assert_eq!(server.refreshes(), 4, "all of it has happened");

    for text in &printed {
        assert_clean(text.as_bytes(), text);
    }
    assert!(assert_folder_clean(data.path()) >= 4);
    tracing::info!("the log is read");
    let logged = logged.0.lock().unwrap();
    let log = String::from_utf8_lossy(&logged);
    assert!(log.contains("the log is read"), "the log is caught");
    let line = log.lines().find(|line| line.contains(CANARY));
    assert_eq!(line, None);
    assert_clean(&logged, "the log");
}
