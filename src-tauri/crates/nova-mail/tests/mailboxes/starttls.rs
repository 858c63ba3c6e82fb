//! Connections that begin in plain text, with Dovecot and with impostors.

use nova_mail::{Imap, Mailbox, SignIn, Wanted, imap_start_tls};
use nova_skill::{BeforeTls, Connection, async_trait};
use nova_testkit::Dovecot;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

struct StartTls;

#[async_trait]
impl BeforeTls for StartTls {
    async fn agree(&self, plain: &mut dyn Connection) -> std::io::Result<()> {
        imap_start_tls(plain).await.map_err(std::io::Error::other)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mailbox_is_listed_after_starttls() {
    let server = Dovecot::start_with_starttls();
    server.deliver("jane", "INBOX", "", b"Subject: Lunch\n\nAt noon?\n");
    let stream = server.connect_to(server.port(), &StartTls).await.expect("an encrypted connection");
    let who = SignIn::by_password("jane", Dovecot::PASSWORD.to_owned());
    let mut mailbox = Imap::sign_in_greeted(stream, &who).await.expect("signed in");
    let found = mailbox.list("INBOX", &Wanted { limit: 5, ..Wanted::default() }).await.expect("a list");
    assert_eq!(found.messages[0].envelope.subject, "Lunch");
    mailbox.close().await;
}

/// A local server that answers each command with `answer`, in which `{tag}` is its tag; returns what it received
/// after that.
async fn plain(answers: [&'static str; 2]) -> (u16, tokio::task::JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        stream.write_all(b"* OK ready\r\n").await.expect("sent");
        let mut stream = BufReader::new(stream);
        for answer in answers {
            let mut line = String::new();
            stream.read_line(&mut line).await.expect("a command");
            let tag = line.split(' ').next().unwrap_or_default();
            stream.write_all(answer.replace("{tag}", tag).as_bytes()).await.expect("sent");
        }
        let mut rest = Vec::new();
        // The read ends with a reset if the client closes with bytes unread.
        let _ = stream.read_to_end(&mut rest).await;
        rest
    });
    (port, served)
}

#[tokio::test(flavor = "multi_thread")]
async fn text_injected_before_encryption_is_an_error() {
    let server = Dovecot::start();
    let offer = "* CAPABILITY IMAP4rev1 STARTTLS\r\n{tag} OK done\r\n";
    let added =
        "{tag} OK begin\r\n* OK [ALERT] added\r\nA0001 OK done\r\n* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n";
    let (port, served) = plain([offer, added]).await;
    let error = server.connect_to(port, &StartTls).await.map(drop).expect_err("it is not encrypted");
    let sent = served.await.expect("the server ends");
    assert!(!sent.is_ascii() || sent.is_empty(), "nothing but a handshake: {sent:?} {error}");
    assert!(!String::from_utf8_lossy(&sent).contains("AUTHENTICATE"));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_after_a_stripped_offer() {
    let server = Dovecot::start();
    let (port, served) = plain(["* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n{tag} OK done\r\n", ""]).await;
    let error = server.connect_to(port, &StartTls).await.map(drop).expect_err("it is not encrypted");
    assert!(error.to_string().contains("does not offer encryption (STARTTLS)"), "{error}");
    assert_eq!(served.await.expect("the server ends"), b"");
}
