use std::io::Write as _;
use std::process::{Command, Stdio};

use nova_testkit::{Dovecot, SmtpServer};
use serde_json::{Value, json};

use super::Home;

#[allow(dead_code, reason = "each test target uses its part of the harness")]
impl Home {
    /// Adds mailboxes of this server, by name and user. Their password is stored and granted to the skill,
    /// and the server's certificate is trusted by the system.
    pub(crate) fn mailboxes(self, server: &Dovecot, mailboxes: &[(&str, &str)]) -> Self {
        let entry = |(name, user): &(&str, &str)| entry(server, name, user);
        self.with_mailboxes(server, mailboxes.iter().map(entry).collect())
    }

    /// Adds one mailbox that sends through that server, asking each time.
    pub(crate) fn mailbox_that_sends(self, server: &Dovecot, smtp: &SmtpServer, user: &str) -> Self {
        let mut entry = entry(server, "Work", user);
        entry["smtp"] = format!("127.0.0.1:{}", smtp.port()).into();
        entry["address"] = format!("{user}@okell.example").into();
        entry["sending"] = "ask".into();
        self.with_mailboxes(server, vec![entry])
    }

    /// No mailbox, but a trusted server certificate and an available passphrase.
    pub(crate) fn near_mail_server(mut self, server: &Dovecot) -> Self {
        let passphrase = self.path("passphrase");
        std::fs::write(&passphrase, "correct horse battery staple\n").expect("the passphrase");
        self.desktop.push(("NOVA_PASSPHRASE_FILE", passphrase));
        self.desktop.push(("SSL_CERT_FILE", server.certificate_file()));
        self
    }

    fn with_mailboxes(self, server: &Dovecot, entries: Vec<Value>) -> Self {
        let home = self.near_mail_server(server);
        let vault = home.vault();
        let home =
            home.settings(&json!({"vault": vault, "skills": {"mail": {"config": {"mailboxes": entries}}}}));
        home.run(&["credential", "set", "mail/test"], Dovecot::PASSWORD);
        home.run(&["credential", "grant", "mail/test", "--to", "skill:mail"], "");
        home
    }

    fn run(&self, args: &[&str], input: &str) {
        let mut program = Command::new(env!("CARGO_BIN_EXE_nova"))
            .args(args)
            .envs(self.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        program.stdin.take().expect("piped").write_all(input.as_bytes()).expect("the program reads stdin");
        let output = program.wait_with_output().expect("the program ends");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

fn entry(server: &Dovecot, name: &str, user: &str) -> Value {
    json!({
        "name": name, "imap": format!("127.0.0.1:{}", server.port()), "user": user,
        "password": "${credentials:mail/test}", "checked_by": "mx.okell.example",
    })
}
