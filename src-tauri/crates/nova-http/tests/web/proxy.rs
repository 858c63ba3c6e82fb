//! The proxy of a command: which requests pass, whatever the client sends, and the log of them.

use std::sync::Arc;

use nova_http::{HostGate, HostPattern};
use nova_skill::{CommandProxy, NetworkRequest, ToolError};
use nova_testkit::{Reply, WebServer, web_of, web_with};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Allows hosts that match these patterns.
struct Named(Vec<HostPattern>);

#[async_trait::async_trait]
impl HostGate for Named {
    async fn may_contact(&self, host: &str) -> Result<(), ToolError> {
        match self.0.iter().any(|named| named.covers(host)) {
            true => Ok(()),
            false => Err(ToolError::failed(format!("{host} is not named."), "Name it.")),
        }
    }
}

fn gate(hosts: &[&str]) -> Arc<Named> {
    Arc::new(Named(hosts.iter().map(|host| HostPattern::parse(host).expect("a host")).collect()))
}

/// A running proxy and its log.
struct Running {
    proxy: Arc<nova_http::Proxy>,
    at: std::net::SocketAddr,
    task: tokio::task::JoinHandle<()>,
}

impl Running {
    async fn start(proxy: nova_http::Proxy) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let (proxy, at) = (Arc::new(proxy), listener.local_addr().expect("an address"));
        let serving = proxy.clone();
        let task = tokio::spawn(async move {
            let mut all = tokio::task::JoinSet::new();
            while let Ok((connection, _)) = listener.accept().await {
                let proxy = serving.clone();
                all.spawn(async move { proxy.serve(connection).await });
            }
        });
        Self { proxy, at, task }
    }

    async fn connection(&self) -> TcpStream {
        TcpStream::connect(self.at).await.expect("a connection")
    }

    /// Sends this text and returns the response up to the end of the connection.
    async fn says(&self, text: &str) -> String {
        let mut connection = self.connection().await;
        connection.write_all(text.as_bytes()).await.expect("sent");
        connection.shutdown().await.expect("half closed");
        let mut said = String::new();
        connection.read_to_string(&mut said).await.expect("an answer");
        said
    }

    fn log(&self) -> Vec<NetworkRequest> {
        self.proxy.log().requests
    }

    /// Each request as `HOST:PORT`, with the reason if it was refused.
    fn lines(&self) -> Vec<String> {
        let line = |request: NetworkRequest| {
            let refused = request.refused.map(|why| format!(" {why}")).unwrap_or_default();
            format!("{}:{}{refused}", request.host, request.port)
        };
        self.log().into_iter().map(line).collect()
    }
}

fn status(said: &str) -> &str {
    said.split(' ').nth(1).unwrap_or_else(|| panic!("no status: {said:?}"))
}

#[tokio::test]
async fn named_host_is_reached_and_logged() {
    let server = WebServer::start(|_| Reply::text("hello")).await;
    let web = web_of(&[("files.example.org", &server)]);
    let running = Running::start(web.proxy(gate(&["files.example.org"]))).await;
    let said = running
        .says(
            "GET http://files.example.org/a?b=1 HTTP/1.1\r\nHost: files.example.org\r\nProxy-Connection: keep-alive\r\n\
             Connection: close, X-Secret\r\nX-Secret: 1\r\nTE: trailers\r\n\r\n",
        )
        .await;
    assert!(said.starts_with("HTTP/1.1 200") && said.ends_with("hello"), "{said}");
    let requests = server.requests();
    assert_eq!(
        (requests[0].path.as_str(), requests[0].headers["host"].as_str()),
        ("/a?b=1", "files.example.org")
    );
    for header in ["proxy-connection", "x-secret", "te", "connection"] {
        assert!(!requests[0].headers.contains_key(header), "{header}");
    }
    let log = running.log();
    assert_eq!((log.len(), log[0].host.as_str(), log[0].port), (1, "files.example.org", 80));
    assert!(log[0].sent > 40 && log[0].received > 20 && log[0].refused.is_none(), "{log:?}");
}

#[tokio::test]
async fn body_is_forwarded_completely() {
    let server = WebServer::start(|request| Reply::text(&request.body.len().to_string())).await;
    let web = web_of(&[("files.example.org", &server)]);
    let running = Running::start(web.proxy(gate(&["files.example.org"]))).await;
    let body = "x".repeat(100_000);
    let head =
        "POST http://files.example.org/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\n";
    let said = running.says(&format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())).await;
    assert!(said.ends_with("100000"), "{said}");
    assert!(running.log()[0].sent > 100_000);
}

#[tokio::test]
async fn connect_is_a_tunnel_to_a_named_host() {
    let server = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = server.local_addr().expect("an address").port();
    let web = web_with(&[], |options| options.names = Arc::new(All(port)));
    let running = Running::start(web.proxy(gate(&["files.example.org"]))).await;
    let mut client = running.connection().await;
    // Bytes sent right after the request belong to the tunnel.
    let head = "CONNECT files.example.org:443 HTTP/1.1\r\nHost: other.example\r\n\r\nping";
    client.write_all(head.as_bytes()).await.expect("sent");
    let (mut at_server, _) = server.accept().await.expect("a connection");
    let mut four = [0; 4];
    at_server.read_exact(&mut four).await.expect("ping");
    assert_eq!(&four, b"ping");
    // A half-closed client still receives the response.
    client.shutdown().await.expect("half closed");
    assert_eq!(at_server.read(&mut four).await.expect("the end"), 0);
    at_server.write_all(b"pong").await.expect("sent");
    drop(at_server);
    let mut said = String::new();
    client.read_to_string(&mut said).await.expect("an answer");
    assert!(said.starts_with("HTTP/1.1 200") && said.ends_with("\r\n\r\npong"), "{said}");
    let log = running.log();
    assert_eq!((log[0].sent, log[0].received), (4, 4), "{log:?}");
}

/// Resolves every name to this port on this machine.
struct All(u16);

#[async_trait::async_trait]
impl nova_http::Names for All {
    async fn lookup(&self, _: &str) -> std::io::Result<Vec<std::net::SocketAddr>> {
        Ok(vec![([127, 0, 0, 1], self.0).into()])
    }
}

/// Resolves every name to a private address.
struct Private;

#[async_trait::async_trait]
impl nova_http::Names for Private {
    async fn lookup(&self, _: &str) -> std::io::Result<Vec<std::net::SocketAddr>> {
        Ok(vec![([127, 0, 0, 2], 80).into(), ([10, 0, 0, 1], 80).into(), ([169, 254, 169, 254], 80).into()])
    }
}

#[tokio::test]
async fn other_hosts_are_refused_in_every_form() {
    let server = WebServer::start(|_| Reply::text("secret")).await;
    let web = web_with(&[("files.example.org", &server), ("evil.example", &server)], |_| {});
    let running = Running::start(web.proxy(gate(&["files.example.org", "*.example.net"]))).await;
    for (request, expected) in [
        ("GET http://evil.example/ HTTP/1.1\r\nHost: files.example.org\r\n", "403"),
        ("GET http://files.example.org@evil.example/ HTTP/1.1\r\nHost: files.example.org\r\n", "403"),
        ("GET http://files.example.org.evil.example/ HTTP/1.1\r\nHost: files.example.org\r\n", "403"),
        ("GET http://files.example.org:8080/ HTTP/1.1\r\nHost: files.example.org\r\n", "403"),
        ("GET http://example.net/ HTTP/1.1\r\nHost: example.net\r\n", "403"),
        ("GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n", "403"),
        ("GET http://127.0.0.2/ HTTP/1.1\r\nHost: x\r\n", "403"),
        ("GET http://169.254.169.254/latest/meta-data/ HTTP/1.1\r\nHost: x\r\n", "403"),
        ("GET http://2130706434/ HTTP/1.1\r\nHost: x\r\n", "403"),
        ("CONNECT evil.example:443 HTTP/1.1\r\nHost: files.example.org\r\n", "403"),
        ("CONNECT files.example.org:22 HTTP/1.1\r\nHost: files.example.org\r\n", "403"),
        ("CONNECT [::1]:443 HTTP/1.1\r\nHost: files.example.org\r\n", "403"),
        ("CONNECT files.example.org HTTP/1.1\r\nHost: files.example.org\r\n", "400"),
        ("GET https://files.example.org/ HTTP/1.1\r\nHost: files.example.org\r\n", "400"),
        ("GET ftp://files.example.org/ HTTP/1.1\r\nHost: files.example.org\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: files.example.org\r\n", "400"),
        ("not a request at all\r\n", "400"),
    ] {
        let said = running.says(&format!("{request}Connection: close\r\n\r\n")).await;
        assert_eq!(status(&said), expected, "{request}: {said}");
        assert!(!said.contains("secret"), "{request}: {said}");
    }
    assert_eq!(server.requests(), []);
    let lines = running.lines();
    assert_eq!(lines[0], "evil.example:80 evil.example is not named. Name it.");
    assert_eq!(lines[5], "localhost:80 localhost is not a public address.");
    let log = running.log();
    assert!(log.iter().all(|request| request.refused.is_some() && request.sent == 0), "{log:?}");
}

#[tokio::test]
async fn name_that_resolves_to_a_private_address_is_refused() {
    let web = web_with(&[], |options| options.names = Arc::new(Private));
    let running = Running::start(web.proxy(gate(&["files.example.org"]))).await;
    for request in ["GET http://files.example.org/", "CONNECT files.example.org:443"] {
        let said = running.says(&format!("{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).await;
        assert_eq!(status(&said), "403", "{said}");
    }
    assert!(running.lines()[1].ends_with("files.example.org resolves to an address that is not public."));
}

#[tokio::test]
async fn request_target_counts_rather_than_the_host_header() {
    let server = WebServer::start(|_| Reply::text("hello")).await;
    let web = web_of(&[("files.example.org", &server)]);
    let running = Running::start(web.proxy(gate(&["files.example.org"]))).await;
    let said = running
        .says(
            "GET http://files.example.org/ HTTP/1.1\r\nHost: admin.example.org\r\nConnection: close\r\n\r\n",
        )
        .await;
    assert_eq!(status(&said), "200");
    assert_eq!(server.requests()[0].headers["host"], "files.example.org");
    // Two pipelined requests: the second is judged separately.
    let said = running
        .says(
            "GET http://files.example.org/ HTTP/1.1\r\nHost: x\r\n\r\n\
             GET http://evil.example/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        )
        .await;
    assert!(said.contains("HTTP/1.1 200") && said.contains("HTTP/1.1 403"), "{said}");
    // Conflicting lengths, which allow request smuggling.
    let said = running
        .says(
            "POST http://files.example.org/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\
             Connection: close\r\n\r\n0\r\n\r\nGET http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
        )
        .await;
    assert!(
        !said.contains("secret") && server.requests().iter().all(|request| request.path == "/"),
        "{said}"
    );
}

#[tokio::test]
async fn unreachable_server_is_reported() {
    let gone =
        TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("an address").port();
    let web = web_with(&[], |options| options.names = Arc::new(All(gone)));
    let running = Running::start(web.proxy(gate(&["files.example.org"]))).await;
    let said =
        running.says("GET http://files.example.org/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert_eq!(status(&said), "502");
    assert!(said.contains("files.example.org cannot be reached: Connection refused"), "{said}");
}

#[tokio::test]
async fn requests_beyond_a_hundred_are_only_counted() {
    let running = Running::start(web_of(&[]).proxy(gate(&[]))).await;
    let request = "GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n".repeat(149);
    running
        .says(&format!("{request}GET http://evil.example/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
        .await;
    let log = running.proxy.log();
    assert_eq!((log.requests.len(), log.left_out), (100, 50));
}

#[tokio::test]
async fn no_connection_outlives_the_proxy() {
    let server = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = server.local_addr().expect("an address").port();
    let web = web_with(&[], |options| options.names = Arc::new(All(port)));
    let running = Running::start(web.proxy(gate(&["files.example.org"]))).await;
    let mut tunnel = running.connection().await;
    tunnel.write_all(b"CONNECT files.example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n").await.expect("sent");
    let (mut first, _) = server.accept().await.expect("a tunnel");
    let mut plain = running.connection().await;
    plain.write_all(b"GET http://files.example.org/ HTTP/1.1\r\nHost: x\r\n\r\n").await.expect("sent");
    let (mut second, _) = server.accept().await.expect("a request");
    // An incomplete request.
    let mut half = running.connection().await;
    half.write_all(b"GET http://files.exam").await.expect("sent");
    running.task.abort();
    for connection in [&mut first, &mut second, &mut half] {
        let mut rest = Vec::new();
        // End of stream and reset are equally fine.
        let _ = tokio::time::timeout(nova_testkit::PATIENCE, connection.read_to_end(&mut rest))
            .await
            .expect("ended");
    }
}
