use nova_credentials::{
    CredentialError, CredentialStore, Destination, Grant, GrantConsumer, GrantedCredentials, Grants,
};
use nova_skill::{Consumer, ToolError};
use tempfile::{TempDir, tempdir};
use url::Url;

use crate::support::{name, shown, store_in};

struct Fixture {
    _data: TempDir,
    credentials: GrantedCredentials,
}

/// A credential `weather/key`, granted to the tool of one file for one host.
async fn fixture() -> Fixture {
    let data = tempdir().unwrap();
    let store: CredentialStore = store_in(&data).await;
    store.set(&name("weather/key"), "w-1".into()).await.unwrap();
    let grants = Grants::of(data.path());
    grants
        .grant(Grant {
            credential: name("weather/key"),
            consumer: tool("file v1"),
            destination: host("https://api.weather.example"),
        })
        .unwrap();
    Fixture { _data: data, credentials: GrantedCredentials { store, grants } }
}

fn tool(definition: &str) -> GrantConsumer {
    GrantConsumer::from(&Consumer {
        skill: "dynamic".into(),
        tool: "weather".into(),
        definition: Some(definition.into()),
        hosts: vec!["api.weather.example".into()],
    })
}

fn host(address: &str) -> Destination {
    Destination::host(&Url::parse(address).unwrap())
}

impl Fixture {
    async fn get(
        &self,
        consumer: &GrantConsumer,
        destination: &Destination,
        credential: &str,
    ) -> Result<String, String> {
        let got = self.credentials.get_for(consumer, destination, &name(credential)).await;
        got.map(|secret| shown(&secret).to_owned()).map_err(|error| error.code().as_str().to_owned())
    }
}

#[tokio::test]
async fn granted_consumer_gets_the_secret() {
    let fixture = fixture().await;
    let got = fixture
        .get(&tool("file v1"), &host("https://api.weather.example/v2/now?city=x"), "weather/key")
        .await;
    assert_eq!(got.unwrap(), "w-1");
}

#[tokio::test]
async fn grant_requires_equal_content_host_name_and_consumer() {
    let fixture = fixture().await;
    let here = host("https://api.weather.example");
    let refused = Err("credential_not_granted".to_owned());
    assert_eq!(fixture.get(&tool("file v2"), &here, "weather/key").await, refused);
    for elsewhere in [
        "https://evil.example",
        "http://api.weather.example",
        "https://api.weather.example:8443",
        "https://api.weather.example.evil.example",
        "https://evil.example/https://api.weather.example",
        "https://api.weather.example@evil.example",
    ] {
        assert_eq!(
            fixture.get(&tool("file v1"), &host(elsewhere), "weather/key").await,
            refused,
            "{elsewhere}"
        );
    }
    assert_eq!(
        fixture.get(&tool("file v1"), &here, "weather/other").await,
        refused,
        "not even whether it is there"
    );
    let server = GrantConsumer::new("server:weather", &["tool", "file v1"]);
    assert_eq!(fixture.get(&server, &here, "weather/key").await, refused);
}

#[tokio::test]
async fn refusal_names_consumer_credential_and_destination() {
    let fixture = fixture().await;
    let here = host("https://api.weather.example");
    let error = fixture.credentials.get_for(&tool("v2"), &here, &name("weather/key")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "tool:dynamic.weather may not have the credential weather/key for https://api.weather.example:443."
    );
    assert!(matches!(ToolError::from(error), ToolError::CredentialNotGranted { .. }));
}

#[tokio::test]
async fn new_grant_revokes_that_of_the_old_content() {
    let fixture = fixture().await;
    let here = host("https://api.weather.example");
    let grant =
        Grant { credential: name("weather/key"), consumer: tool("file v2"), destination: here.clone() };
    fixture.credentials.grants.grant(grant.clone()).unwrap();
    assert_eq!(fixture.get(&tool("file v2"), &here, "weather/key").await.unwrap(), "w-1");
    assert!(fixture.get(&tool("file v1"), &here, "weather/key").await.is_err());
    fixture.credentials.grants.grant(grant.clone()).unwrap();
    assert_eq!(fixture.credentials.grants.list().unwrap(), [grant], "the same twice is one");
}

#[tokio::test]
async fn revoked_or_removed_credential_is_not_granted() {
    let fixture = fixture().await;
    let here = host("https://api.weather.example");
    let grants = &fixture.credentials.grants;
    assert_eq!(grants.revoke(&name("weather/key"), Some("tool:dynamic.other")).unwrap(), 0);
    assert_eq!(grants.revoke(&name("weather/key"), Some("tool:dynamic.weather")).unwrap(), 1);
    assert!(fixture.get(&tool("file v1"), &here, "weather/key").await.is_err());

    let grant =
        Grant { credential: name("weather/key"), consumer: tool("file v1"), destination: here.clone() };
    grants.grant(grant).unwrap();
    assert!(fixture.credentials.remove(&name("weather/key")).await.unwrap());
    fixture.credentials.store.set(&name("weather/key"), "w-2".into()).await.unwrap();
    assert_eq!(
        fixture.get(&tool("file v1"), &here, "weather/key").await,
        Err("credential_not_granted".into())
    );
}

#[tokio::test]
async fn invalid_file_grants_nothing() {
    let data = tempdir().unwrap();
    std::fs::write(data.path().join("grants.json"), "{\"grants\": [").unwrap();
    let grants = Grants::of(data.path());
    let error = grants.allow(&name("a/b"), &tool("x"), &host("https://x.example")).unwrap_err();
    assert!(matches!(error, CredentialError::Damaged { .. }), "{error}");
    let grant =
        Grant { credential: name("a/b"), consumer: tool("x"), destination: host("https://x.example") };
    grants.grant(grant).unwrap_err();
    assert_eq!(std::fs::read_to_string(data.path().join("grants.json")).unwrap(), "{\"grants\": [");
}

#[test]
fn a_changed_command_is_another_destination() {
    let granted = Destination::command("npx", &["-y", "server"]);
    assert_eq!(granted, Destination::command("npx", &["-y", "server"]));
    for other in [
        Destination::command("npx", &["-y", "server2"]),
        Destination::command("npx", &["-y server"]),
        Destination::command("/tmp/npx", &["-y", "server"]),
    ] {
        assert_ne!(granted, other);
    }
    assert_eq!(
        Destination::hosts(["B.example", "a.example"]),
        Destination::hosts(["a.example", "b.example"])
    );
    assert_ne!(Destination::hosts(["a.example"]), Destination::hosts(["a.example", "b.example"]));
}

#[test]
fn concurrent_grants_are_all_stored() {
    let data = tempdir().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let grants = Grants::of(data.path());
            scope.spawn(move || {
                for i in 0..10 {
                    let credential = name(&format!("s{thread}/k{i}"));
                    let grant =
                        Grant { credential, consumer: tool("x"), destination: host("https://x.example") };
                    grants.grant(grant).unwrap();
                }
            });
        }
    });
    assert_eq!(Grants::of(data.path()).list().unwrap().len(), 80);
}
