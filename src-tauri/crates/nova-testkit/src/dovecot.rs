use std::fmt::Debug;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use nova_http::{HostGate, Web, WebError, WebOptions};
use nova_skill::{BeforeTls, ToolError};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::FixedClock;

/// A real mail server on a local port, with mail added by the test: Dovecot, installed by `.ci/setup test`.
/// Every user's password is [`Dovecot::PASSWORD`]. It is stopped on drop.
pub struct Dovecot {
    process: Option<Child>,
    port: u16,
    folder: tempfile::TempDir,
    delivered: AtomicU64,
    tokens: Option<Tokens>,
    /// Encrypts by STARTTLS instead of from the first byte.
    starttls: bool,
}

/// How users sign in with access tokens.
struct Tokens {
    mechanism: &'static str,
    /// Where a token is looked up: the token is put behind it.
    lookup: String,
}

/// The time at which the first message is received.
const FIRST: u64 = 1_795_860_000;

impl Dovecot {
    pub const PASSWORD: &str = "geheim\"Grüße";

    /// # Panics
    /// If it is not installed, or does not start.
    pub fn start() -> Self {
        Self::run(None, false)
    }

    /// Takes access tokens, too, by `xoauth2` or `oauthbearer`. It asks `lookup` with the token behind it, and the answer
    /// is 200 with `{"email": user}` or a refusal.
    ///
    /// # Panics
    /// As [`Dovecot::start`].
    pub fn start_with_tokens(mechanism: &'static str, lookup: &str) -> Self {
        Self::run(Some(Tokens { mechanism, lookup: lookup.to_owned() }), false)
    }

    /// Encrypts by STARTTLS.
    ///
    /// # Panics
    /// As [`Dovecot::start`].
    pub fn start_with_starttls() -> Self {
        Self::run(None, true)
    }

    fn run(tokens: Option<Tokens>, starttls: bool) -> Self {
        let folder = tempfile::Builder::new().prefix("dovecot").tempdir().expect("a folder");
        let root = folder.path();
        for name in ["run", "state", "m"] {
            fs::create_dir(root.join(name)).expect("a folder");
        }
        certificate(root);
        if let Some(tokens) = &tokens {
            let lookup = format!("tokeninfo_url = {}\nusername_attribute = email\n", tokens.lookup);
            fs::write(root.join("tokens"), lookup).expect("a file");
        }
        let delivered = AtomicU64::new(0);
        let mut server = Self { process: None, port: 0, folder, delivered, tokens, starttls };
        // A free port may be taken by another program meanwhile.
        for _ in 0..20 {
            server.port =
                TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address").port();
            fs::write(server.root().join("conf"), server.configuration()).expect("a file");
            give_away(&["-R"], &[server.root()]);
            let mut process = run(&[program(), "-F", "-c"])
                .arg(server.root().join("conf"))
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .expect("Dovecot is missing. Run `.ci/setup test`.");
            let mut lines =
                BufReader::new(process.stderr.take().expect("piped")).lines().map_while(Result::ok);
            let log: Vec<String> = {
                let mut seen = Vec::new();
                for line in lines.by_ref() {
                    let is_up = line.contains("starting up");
                    seen.push(line);
                    if is_up {
                        break;
                    }
                }
                seen
            };
            server.process = Some(process);
            if log.last().is_some_and(|line| line.contains("starting up")) {
                // Its later log output must be drained.
                std::thread::spawn(move || lines.for_each(drop));
                return server;
            }
            server.stop();
            assert!(log.iter().any(|line| line.contains("in use")), "Dovecot does not start: {log:?}");
        }
        panic!("no free port");
    }

    /// The port of IMAP.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The server's self-signed certificate.
    ///
    /// # Panics
    /// If it cannot be read.
    pub fn certificate(&self) -> Vec<u8> {
        fs::read(self.root().join("cert.der")).expect("the certificate")
    }

    /// The certificate as a PEM file, for `SSL_CERT_FILE`.
    pub fn certificate_file(&self) -> PathBuf {
        self.root().join("cert.pem")
    }

    /// Where it looks tokens up.
    pub(crate) fn lookup(&self) -> &str {
        self.tokens.as_ref().map_or("", |tokens| &tokens.lookup)
    }

    /// The private key as a PEM file.
    pub(crate) fn key_file(&self) -> PathBuf {
        self.root().join("key.pem")
    }

    /// Opens a connection as a tool would.
    ///
    /// # Panics
    /// If that fails.
    pub async fn connect(&self) -> impl AsyncRead + AsyncWrite + Debug + Send + Unpin + use<> {
        self.connect_to(self.port, &()).await.expect("the server answers")
    }

    /// As [`Dovecot::connect`], to another server that uses its certificate, with an exchange before the
    /// encryption.
    ///
    /// # Errors
    /// As `Web::connect_to_named` lists.
    pub async fn connect_to(
        &self,
        port: u16,
        before: &dyn BeforeTls,
    ) -> Result<impl AsyncRead + AsyncWrite + Debug + Send + Unpin + use<>, WebError> {
        struct Any;
        #[async_trait]
        impl HostGate for Any {
            async fn may_contact(&self, _: &str) -> Result<(), ToolError> {
                Ok(())
            }
        }
        web_trusting(&[self]).connect_to_named_after("127.0.0.1", port, &Any, before).await
    }

    /// Adds a message to a folder, `INBOX` or a name such as `Archive/2026`, one minute after the previous
    /// one. `flags` are those of a Maildir: `S` for seen, `F` flagged, `R` answered.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn deliver(&self, user: &str, folder: &str, flags: &str, message: &[u8]) {
        let minutes = self.delivered.load(Ordering::Relaxed);
        self.deliver_at(user, folder, flags, message, FIRST + minutes * 60);
    }

    /// As [`Dovecot::deliver`], received at that time, in seconds since 1970.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn deliver_at(&self, user: &str, folder: &str, flags: &str, message: &[u8], seconds: u64) {
        let number = self.delivered.fetch_add(1, Ordering::Relaxed);
        let place = self.place(user, folder);
        let [waiting, new, delivered] = ["tmp", "new", "cur"].map(|name| place.join(name));
        for folder in [&waiting, &new, &delivered] {
            fs::create_dir_all(folder).expect("a folder");
        }
        // The server is running, so the message must be complete and owned by it before it is visible.
        let name = format!("{seconds}.M{number}P1.test:2,{flags}");
        let file = waiting.join(&name);
        fs::write(&file, message).expect("a message");
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        File::options().write(true).open(&file).and_then(|file| file.set_modified(at)).expect("its time");
        let users = self.root().join("m");
        let user = users.join(user);
        give_away(&[], &[&users, &user, &user.join("M"), &place, &waiting, &new, &delivered, &file]);
        fs::rename(&file, delivered.join(name)).expect("delivered");
    }

    /// Numbers the messages of a folder anew, as after a backup was restored: its UIDVALIDITY changes. Nobody may be signed
    /// in.
    ///
    /// # Panics
    /// If that fails.
    pub fn renumber(&self, user: &str, folder: &str) {
        for entry in fs::read_dir(self.place(user, folder)).expect("a folder") {
            let file = entry.expect("an entry").path();
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name == "dovecot-uidlist" || name.starts_with("dovecot.index") {
                fs::remove_file(file).expect("removed");
            }
        }
    }

    /// Whether the existing folder takes new messages: one that is full does not.
    ///
    /// # Panics
    /// If that fails.
    pub fn set_full(&self, user: &str, folder: &str, is_full: bool) {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = if is_full { 0o500 } else { 0o700 };
        let waiting = self.place(user, folder).join("tmp");
        fs::set_permissions(waiting, fs::Permissions::from_mode(mode)).expect("its permissions");
    }

    fn place(&self, user: &str, folder: &str) -> PathBuf {
        let root = self.root().join("m").join(user).join("M");
        if folder == "INBOX" { root } else { root.join(format!(".{}", folder.replace('/', "."))) }
    }

    /// The file names of a user's messages with their flags, by folder, to detect changes by a mail program.
    ///
    /// # Panics
    /// If they cannot be read.
    pub fn messages(&self, user: &str) -> Vec<PathBuf> {
        let mut waiting = vec![self.root().join("m").join(user).join("M")];
        let mut found = Vec::new();
        while let Some(place) = waiting.pop() {
            for entry in fs::read_dir(&place).expect("a folder").map(|entry| entry.expect("an entry").path())
            {
                if entry.is_dir() {
                    waiting.push(entry);
                } else if place.ends_with("cur") || place.ends_with("new") {
                    found.push(entry);
                }
            }
        }
        found.sort();
        found
    }

    /// How many clients are signed in.
    ///
    /// # Panics
    /// If the processes of this machine cannot be listed.
    pub fn connections(&self) -> usize {
        self.sessions().len()
    }

    /// Ends the connections of all clients that are signed in, like a network that fails.
    ///
    /// # Panics
    /// As [`Dovecot::connections`].
    pub fn cut_connections(&self) {
        for session in self.sessions() {
            let _ = Command::new("kill").args(["-9", &session]).status();
        }
    }

    /// The ids of its processes that each serve one client (proc_pid_stat(5)).
    fn sessions(&self) -> Vec<String> {
        let Some(server) = self.process.as_ref().map(|process| process.id().to_string()) else {
            return Vec::new();
        };
        let of_server = |id: &String| {
            let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            let Some((name, state)) = stat.rsplit_once(") ") else { return false };
            name.ends_with("(imap") && state.split(' ').nth(1) == Some(&server)
        };
        let processes = fs::read_dir("/proc").expect("the processes of a Linux").flatten();
        processes.filter_map(|entry| entry.file_name().into_string().ok()).filter(of_server).collect()
    }

    /// Stops it, like a server that becomes unavailable.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = Command::new("kill").arg(process.id().to_string()).status();
            let _ = process.wait();
        }
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn configuration(&self) -> String {
        let (user, group) =
            if is_root() { ("daemon".into(), "daemon".into()) } else { (id("-un"), id("-gn")) };
        let root = self.root().display();
        let [plain, encrypted] = if self.starttls { [self.port, 0] } else { [0, self.port] };
        let password = Self::PASSWORD;
        let tokens = self.tokens.as_ref().map_or_else(String::new, |Tokens { mechanism, .. }| {
            format!(
                "auth_mechanisms = plain login {mechanism}\n\
                 passdb {{\n driver = oauth2\n mechanisms = {mechanism}\n args = {root}/tokens\n}}\n"
            )
        });
        // A failure would otherwise delay the next sign-in from the same address.
        let no_penalty = "unix_listener anvil-auth-penalty {\n mode = 0\n}";
        format!(
            "base_dir = {root}/run\nstate_dir = {root}/state\nlog_path = /dev/stderr\nprotocols = imap\n\
             listen = 127.0.0.1\ndefault_internal_user = {user}\ndefault_internal_group = {group}\n\
             default_login_user = {user}\nfirst_valid_uid = 1\nfirst_valid_gid = 1\nssl = required\n\
             ssl_cert = <{root}/cert.pem\nssl_key = <{root}/key.pem\nmail_location = maildir:~/M\n\
             auth_failure_delay = 0\n{tokens}\
             passdb {{\n driver = static\n args = password={password}\n}}\n\
             userdb {{\n driver = static\n args = uid={user} gid={group} home={root}/m/%u\n}}\n\
             namespace inbox {{\n inbox = yes\n separator = /\n\
             mailbox Sent {{\n auto = create\n special_use = \\Sent\n}}\n\
             mailbox Archive {{\n auto = create\n special_use = \\Archive\n}}\n\
             mailbox Drafts {{\n auto = create\n special_use = \\Drafts\n}}\n\
             mailbox Trash {{\n auto = create\n special_use = \\Trash\n}}\n}}\n\
             service anvil {{\n chroot =\n {no_penalty}\n}}\n\
             service imap-login {{\n chroot =\n inet_listener imap {{\n port = {plain}\n}}\n\
             inet_listener imaps {{\n port = {encrypted}\n ssl = yes\n}}\n}}\n"
        )
    }
}

/// A web that trusts the certificates of these servers.
pub fn web_trusting(servers: &[&Dovecot]) -> Web {
    let mut options = WebOptions::new(Arc::new(FixedClock::default()));
    options.authorities = servers.iter().map(|server| server.certificate().into()).collect();
    Web::new(options)
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Changes the owner to the account of the server, if that is not the test's own.
fn give_away(options: &[&str], places: &[&Path]) {
    if is_root() {
        let given = Command::new("chown").args(options).arg("daemon:daemon").args(places).status();
        assert!(given.is_ok_and(|status| status.success()), "the server owns the folder");
    }
}

fn is_root() -> bool {
    id("-u") == "0"
}

fn id(what: &str) -> String {
    let output = Command::new("id").arg(what).output().expect("id runs");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Debian installs it in a folder that is only in the PATH of root.
fn program() -> &'static str {
    const OF_DEBIAN: &str = "/usr/sbin/dovecot";
    if Path::new(OF_DEBIAN).exists() { OF_DEBIAN } else { "dovecot" }
}

/// Runs as an unprivileged account.
fn run(command: &[&str]) -> Command {
    let mut run = Command::new(if is_root() { "setpriv" } else { command[0] });
    if is_root() {
        run.args(["--reuid=daemon", "--regid=daemon", "--clear-groups"]).arg(command[0]);
    }
    run.args(&command[1..]);
    run
}

/// Creates a self-signed certificate for 127.0.0.1.
fn certificate(folder: &Path) {
    let settings = "[req]\ndistinguished_name = name\nx509_extensions = own\nprompt = no\n[name]\nCN = 127.0.0.1\n\
        [own]\nbasicConstraints = critical,CA:FALSE\nsubjectAltName = IP:127.0.0.1\n";
    fs::write(folder.join("req"), settings).expect("a file");
    let openssl = |args: &[&str]| {
        let output =
            Command::new("openssl").args(args).current_dir(folder).output().expect("openssl is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    openssl(&[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2000",
        "-config",
        "req",
        "-keyout",
        "key.pem",
        "-out",
        "cert.pem",
    ]);
    openssl(&["x509", "-in", "cert.pem", "-outform", "der", "-out", "cert.der"]);
}
