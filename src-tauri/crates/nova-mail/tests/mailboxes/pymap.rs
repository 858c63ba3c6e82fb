//! A mailbox on pymap, a server without folder roles: a second implementation beside Dovecot.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nova_mail::{
    Appended, HeaderCache, Imap, MailError, Mailbox, Mark, MessageId, Role, SearchQuery, SignIn, Stream,
    Wanted,
};
use tokio::net::TcpStream;

/// Installed by `.ci/setup test`. It has a few messages and stops when dropped.
struct Pymap {
    process: Child,
    port: u16,
}

impl Pymap {
    fn start() -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../.cache/mail/bin/pymap");
        assert!(program.exists(), "pymap is missing. Run `.ci/setup test`.");
        // Another program may take the free port first.
        for _ in 0..20 {
            let port =
                TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address").port();
            let process = Command::new(&program)
                .args(["--no-service", "admin", "--host", "127.0.0.1", "--no-tls", "--port"])
                .arg(port.to_string())
                .args(["dict", "--demo-data", "--demo-user", "jane", "--demo-password", "geheim"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("it starts");
            let mut server = Self { process, port };
            // It does not report when it listens.
            while server.process.try_wait().expect("its state").is_none() {
                if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                    return server;
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        panic!("pymap does not start");
    }

    async fn sign_in(&self, password: &str) -> Result<Imap<impl Stream + use<>>, MailError> {
        let who = SignIn::by_password("jane", password.to_owned());
        Imap::sign_in(TcpStream::connect(("127.0.0.1", self.port)).await.expect("the server answers"), &who)
            .await
    }
}

impl Drop for Pymap {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test]
async fn server_without_roles_is_read() {
    let server = Pymap::start();
    let mut mailbox = server.sign_in("geheim").await.expect("signed in");

    let folders = mailbox.folders().await.expect("the folders");
    let folders: Vec<_> = folders.iter().map(|folder| (&*folder.name, folder.role)).collect();
    assert_eq!(
        folders,
        [("INBOX", Some(Role::Inbox)), ("Sent", Some(Role::Sent)), ("Trash", Some(Role::Trash))]
    );

    let newest = Wanted { limit: 2, ..Wanted::default() };
    let found = mailbox.list("INBOX", &newest).await.expect("a list");
    let subjects: Vec<_> = found.messages.iter().map(|message| &*message.envelope.subject).collect();
    assert_eq!(
        (found.total, subjects),
        (4, vec!["Hello, World!", "Important notice regarding your account"])
    );

    let search = SearchQuery { subject: Some("question".into()), ..SearchQuery::default() };
    let found = mailbox
        .list("INBOX", &Wanted { search: Some(search), limit: 9, unread: false })
        .await
        .expect("a search");
    assert_eq!(found.messages.iter().map(|message| message.id.uid).collect::<Vec<_>>(), [102, 101]);
    assert_eq!((found.messages[0].answered, found.messages[0].unread), (true, false));

    let message = mailbox.fetch(&found.messages[0].id).await.expect("a message").read(&[]);
    assert_eq!(message.expect("it is read").envelope.from[0].address, "friend@example.com");

    let thread = mailbox.thread(&found.messages[0].id).await.expect("a conversation");
    assert_eq!(thread.total, 1, "none of them references another");

    let gone = MessageId { uid: 9_999, ..found.messages[0].id.clone() };
    assert!(matches!(mailbox.fetch(&gone).await, Err(MailError::NoMessage)));
    mailbox.close().await;
}

#[tokio::test]
async fn wrong_password_is_reported() {
    let error = Pymap::start().sign_in("wrong").await.expect_err("it is refused");
    assert!(matches!(error, MailError::SignIn { .. }), "{error:?}");
}

#[tokio::test]
async fn cached_list_has_current_flags() {
    let server = Pymap::start();
    let mut mailbox = server.sign_in("geheim").await.expect("signed in");
    let wanted = Wanted { limit: 4, ..Wanted::default() };
    let mut cache = HeaderCache::default();
    let first = mailbox.list_cached("INBOX", &wanted, &mut cache).await.expect("a list");
    let again = mailbox.list_cached("INBOX", &wanted, &mut cache).await.expect("a list");
    assert_eq!(again, first);

    let id = first.messages[0].id.clone();
    let mut other = server.sign_in("geheim").await.expect("signed in");
    other.mark(std::slice::from_ref(&id), Mark::Flagged).await.expect("marked");
    let changed = mailbox.list_cached("INBOX", &wanted, &mut cache).await.expect("a list");
    assert!(changed.messages[0].flagged && changed.messages[1..] == first.messages[1..]);
    let draft = b"Message-ID: <d@x.example>\r\nSubject: Draft\r\n\r\nHi\r\n";
    let draft = other.append("INBOX", draft, Appended::Draft).await.expect("added").expect("its id");
    let more = mailbox.list_cached("INBOX", &wanted, &mut cache).await.expect("a list");
    assert_eq!((more.total, &more.messages[1..]), (5, &changed.messages[..3]));
    other.remove_draft(&draft).await.expect("removed");
    let fewer = mailbox.list_cached("INBOX", &wanted, &mut cache).await.expect("a list");
    assert_eq!(fewer, changed);
}

#[tokio::test]
async fn watched_folder_reports_a_change() {
    let server = Pymap::start();
    let mut other = server.sign_in("geheim").await.expect("signed in");
    let wanted = Wanted { limit: 1, ..Wanted::default() };
    let id = other.list("INBOX", &wanted).await.expect("a list").messages[0].id.clone();
    let watched = server.sign_in("geheim").await.expect("signed in").watch("INBOX").await.expect("watched");
    let (changed, marked) = tokio::join!(
        tokio::time::timeout(Duration::from_secs(60), watched.changed()),
        other.mark(std::slice::from_ref(&id), Mark::Flagged)
    );
    marked.expect("marked");
    changed.expect("it is reported").expect("the connection stays");
}
