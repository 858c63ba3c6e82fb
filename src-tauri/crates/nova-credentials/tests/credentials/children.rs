//! Child processes: this test program, with its task in the environment.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use nova_credentials::{CredentialError, CredentialStore, OAuth, StoreKind};

use crate::auth_server::client_of;
use crate::support::{PASSPHRASE, TestClock, name, shown};

pub(crate) const TASK: &str = "NOVA_TEST_TASK";
pub(crate) const DATA: &str = "NOVA_TEST_DATA";
pub(crate) const SERVER: &str = "NOVA_TEST_SERVER";
pub(crate) const ARGS: [&str; 4] = ["--exact", "children::is_a_child", "--ignored", "--nocapture"];
/// Several KB of ASCII and multi-byte characters.
pub(crate) fn long_value() -> String {
    "påß-🔑-0123456789/".repeat(400)
}

pub(crate) fn child(task: &str, data: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(ARGS).env(TASK, task).env(DATA, data);
    command
}

pub(crate) fn start(mut command: Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// The rest of the line that starts with `ANSWER `.
pub(crate) fn answer_in(output: &str) -> &str {
    output.lines().find_map(|line| line.split_once("ANSWER ")).map(|(_, answer)| answer).unwrap_or_else(
        || {
            panic!("no answer: {output}");
        },
    )
}

#[tokio::test]
#[ignore = "is started by other tests"]
async fn is_a_child() {
    let variables: HashMap<String, String> = std::env::vars().collect();
    let data = Path::new(&variables[DATA]);
    let in_file = || CredentialStore::open_file(data, PASSPHRASE.into());
    let in_keychain = async || {
        let store = CredentialStore::open(data, None).await.unwrap();
        assert_eq!(store.kind(), StoreKind::Keychain);
        store
    };
    match variables[TASK].as_str() {
        "set six" => {
            let store = in_file().await.unwrap();
            let prefix = std::process::id();
            for i in 0..6 {
                store.set(&name(&format!("p{prefix}/k{i}")), format!("{prefix} {i}").into()).await.unwrap();
            }
        }
        "set for ever" => {
            let store = in_file().await.unwrap();
            println!("ANSWER begun");
            for i in 0_u64.. {
                store.set(&name("victim/key"), format!("whole {i}").into()).await.unwrap();
            }
        }
        "token" => {
            let oauth = OAuth::new(in_file().await.unwrap(), data, Arc::new(later())).unwrap();
            println!("READY");
            let mut line = String::new();
            std::io::stdin().read_line(&mut line).unwrap();
            let token =
                oauth.access_token(&name("mail/login"), &client_of(&variables[SERVER])).await.unwrap();
            println!("ANSWER {}", shown(&token));
        }
        "keychain set" => {
            let store = in_keychain().await;
            assert!(store.list().await.unwrap().is_empty());
            store.set(&name("openai/key"), "first".into()).await.unwrap();
            store.set(&name("openai/key"), "second".into()).await.unwrap();
            store.set(&name("mail/login"), long_value().into()).await.unwrap();
        }
        "keychain read" => {
            let store = in_keychain().await;
            let names = store.list().await.unwrap();
            assert_eq!(
                names.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
                ["mail/login", "openai/key"]
            );
            assert_eq!(shown(&store.get(&name("openai/key")).await.unwrap().unwrap()), "second");
            assert_eq!(shown(&store.get(&name("mail/login")).await.unwrap().unwrap()), long_value());
            assert!(store.get(&name("openai/other")).await.unwrap().is_none());
        }
        "keychain remove" => {
            let store = in_keychain().await;
            assert!(store.remove(&name("openai/key")).await.unwrap());
            assert!(!store.remove(&name("openai/key")).await.unwrap());
            assert!(!store.has(&name("openai/key")).await.unwrap());
            let names = store.list().await.unwrap();
            assert_eq!(names.iter().map(|name| name.as_str()).collect::<Vec<_>>(), ["mail/login"]);
        }
        "no keychain" => {
            let error = CredentialStore::open(data, Some(PASSPHRASE.into())).await.unwrap_err();
            assert!(
                matches!(error, CredentialError::Unreachable { store: StoreKind::Keychain, .. }),
                "{error}"
            );
        }
        other => panic!("unknown task {other}"),
    }
    println!("ANSWER done");
}

/// After the expiry of the test server's tokens.
fn later() -> TestClock {
    let clock = TestClock::new();
    clock.advance(4000);
    clock
}
