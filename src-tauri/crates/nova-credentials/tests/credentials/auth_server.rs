use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use nova_credentials::{Endpoint, OAuthClient, Opener};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;
use url::form_urlencoded::parse;

/// An authorisation server on a local port, as strict as RFC 6749, 7636 and 9700 require.
#[derive(Clone)]
pub(crate) struct AuthServer {
    pub(crate) address: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) token_requests: Vec<HashMap<String, String>>,
    pub(crate) other_requests: Vec<String>,
    pub(crate) mode: Mode,
    /// The documents at other paths: status, headers after the first line, body.
    pub(crate) documents: HashMap<String, (&'static str, String, String)>,
    pub(crate) authorize_requests: Vec<HashMap<String, String>>,
    /// Prefix of each issued token.
    pub(crate) prefix: String,
    /// The secret that the token endpoint requires.
    pub(crate) client_secret: Option<String>,
    /// Whether a refresh issues a new refresh token and invalidates the old one.
    pub(crate) rotates: bool,
    /// Valid access tokens, for the provider's servers: each opens the mailbox of `user`.
    pub(crate) access: HashSet<String>,
    pub(crate) user: String,
    codes: HashMap<String, HashMap<String, String>>,
    refresh: HashSet<String>,
    issued: usize,
}

/// The behaviour of the token endpoint.
#[derive(Clone, Default)]
pub(crate) enum Mode {
    #[default]
    Normal,
    /// Reads the request and never responds.
    Silent,
    /// Status, headers after the first line, body.
    Fixed(&'static str, String, String),
}

impl AuthServer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let state = State { rotates: true, ..State::default() };
        let server = Self { address, state: Arc::new(Mutex::new(state)) };
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serving.clone().serve(stream));
            }
        });
        server
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub(crate) fn client(&self) -> OAuthClient {
        client_of(&self.address)
    }

    pub(crate) fn refreshes(&self) -> usize {
        self.state().token_requests.iter().filter(|form| form["grant_type"] == "refresh_token").count()
    }

    async fn serve(self, mut stream: TcpStream) {
        let (head, body) = read_request(&mut stream).await;
        let target = head.split(' ').nth(1).unwrap_or("/").to_owned();
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let (status, headers, body) = match path {
            "/authorize" => self.authorize(&form(query)),
            "/token" => {
                let form = with_client(&head, form(&body));
                self.state().token_requests.push(form.clone());
                let mode = self.state().mode.clone();
                match mode {
                    Mode::Normal => {
                        let (status, body) = self.state().token(&form);
                        (status, "Content-Type: application/json\r\n".to_owned(), body)
                    }
                    Mode::Silent => return std::future::pending().await,
                    Mode::Fixed(status, headers, body) => (status, headers, body),
                }
            }
            "/tokeninfo" => self.state().token_info(&form(query)["access_token"]),
            path => {
                self.state().other_requests.push(format!("{head}\r\n\r\n{body}"));
                let document = self.state().documents.get(path).cloned();
                if document.as_ref().is_some_and(|(status, ..)| status.is_empty()) {
                    return std::future::pending().await;
                }
                document.unwrap_or(("404 Not Found", String::new(), String::new()))
            }
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let _ = stream.write_all(answer.as_bytes()).await;
    }

    /// The user consents at once.
    fn authorize(&self, query: &HashMap<String, String>) -> (&'static str, String, String) {
        assert_eq!(query["response_type"], "code");
        assert_eq!(query["client_id"], "nova-desktop");
        assert_eq!(query["code_challenge_method"], "S256");
        let mut state = self.state();
        state.authorize_requests.push(query.clone());
        state.issued += 1;
        let code = format!("{}code-{}", state.prefix, state.issued);
        state.codes.insert(code.clone(), query.clone());
        let mut back = Url::parse(&query["redirect_uri"]).unwrap();
        back.query_pairs_mut().append_pair("code", &code).append_pair("state", &query["state"]);
        ("302 Found", format!("Location: {back}\r\n"), String::new())
    }
}

impl State {
    fn token_info(&self, token: &str) -> (&'static str, String, String) {
        let json = "Content-Type: application/json\r\n".to_owned();
        match self.access.contains(token) {
            true => ("200 OK", json, format!(r#"{{"email":"{}"}}"#, self.user)),
            false => ("401 Unauthorized", json, r#"{"error":"invalid_token"}"#.to_owned()),
        }
    }

    fn token(&mut self, form: &HashMap<String, String>) -> (&'static str, String) {
        let refused = ("400 Bad Request", r#"{"error":"invalid_grant","error_description":"no"}"#.to_owned());
        let field = |key: &str| form.get(key).map(String::as_str).unwrap_or_default();
        if field("client_id") != "nova-desktop" {
            return ("401 Unauthorized", r#"{"error":"invalid_client"}"#.to_owned());
        }
        if self.client_secret.as_deref().is_some_and(|secret| field("client_secret") != secret) {
            return ("401 Unauthorized", r#"{"error":"invalid_client"}"#.to_owned());
        }
        let mut refresh = None;
        match field("grant_type") {
            "authorization_code" => {
                // A code is valid once.
                let Some(asked) = self.codes.remove(field("code")) else { return refused };
                let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(field("code_verifier")));
                if asked["code_challenge"] != challenge || asked["redirect_uri"] != field("redirect_uri") {
                    return refused;
                }
            }
            "refresh_token" if self.refresh.contains(field("refresh_token")) => {
                if self.rotates {
                    self.refresh.remove(field("refresh_token"));
                } else {
                    refresh = Some(String::new());
                }
            }
            _ => return refused,
        }
        self.issued += 1;
        let (prefix, n) = (&self.prefix, self.issued);
        let access = format!("{prefix}access-{n}");
        self.access.insert(access.clone());
        let more = match refresh {
            Some(_) => String::new(),
            None => {
                let refresh = format!("{prefix}refresh-{n}");
                self.refresh.insert(refresh.clone());
                format!(r#","refresh_token":"{refresh}""#)
            }
        };
        ("200 OK", format!(r#"{{"access_token":"{access}","token_type":"Bearer","expires_in":3600{more}}}"#))
    }
}

/// RFC 6749, 2.3.1: client authentication by header, with each part form-encoded.
fn with_client(head: &str, mut form: HashMap<String, String>) -> HashMap<String, String> {
    let basic = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("authorization").then(|| value.trim().strip_prefix("Basic "))?
    });
    if let Some(basic) = basic {
        let plain = String::from_utf8(STANDARD.decode(basic).unwrap()).unwrap();
        let (id, secret) = plain.split_once(':').unwrap();
        let decoded =
            |text: &str| parse(text.as_bytes()).map(|(key, _)| key.into_owned()).collect::<String>();
        form.insert("client_id".into(), decoded(id));
        form.insert("client_secret".into(), decoded(secret));
    }
    form
}

pub(crate) fn client_of(address: &str) -> OAuthClient {
    OAuthClient {
        authorize: Endpoint::parse("sign-in address", &format!("{address}/authorize?tenant=a")).unwrap(),
        token: Endpoint::parse("token address", &format!("{address}/token")).unwrap(),
        client_id: "nova-desktop".into(),
        client_secret: None,
        issuer: None,
        scopes: vec!["mail.read".into(), "mail.send".into()],
        extra: vec![("access_type".into(), "offline".into())],
        found: None,
    }
}

/// A fake browser, which requests the addresses that the function derives from its redirect.
pub(crate) struct Browser<F>(pub(crate) F);

/// Follows the redirect.
pub(crate) fn browser() -> Browser<impl Fn(Url) -> Vec<Url> + Send + Sync + 'static> {
    Browser(|back| vec![back])
}

#[async_trait]
impl<F: Fn(Url) -> Vec<Url> + Send + Sync> Opener for Browser<F> {
    async fn open(&self, address: &Url) -> Result<(), String> {
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let answer = client.get(address.clone()).send().await.unwrap();
        let back = Url::parse(answer.headers()["location"].to_str().unwrap()).unwrap();
        let visits = self.0(back);
        tokio::spawn(async move {
            for visit in visits {
                let _ = client.get(visit).send().await;
            }
        });
        Ok(())
    }
}

pub(crate) fn form(text: &str) -> HashMap<String, String> {
    parse(text.as_bytes()).into_owned().collect()
}

async fn read_request(stream: &mut TcpStream) -> (String, String) {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
                })
                .unwrap_or(0);
            if body.len() >= length {
                return (head.to_owned(), body.to_owned());
            }
        }
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return (String::new(), String::new());
        }
    }
}
