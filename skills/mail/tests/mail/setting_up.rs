//! Servers found for an address on a local web server, and mailboxes tested on real mail servers.

use nova_http::{HostGate, Web};
use nova_skill::{
    BeforeTls, Connection, HttpRequest, HttpResponse, Secret, SrvName, SrvRecords, ToolError, ToolHttp,
    Value, async_trait, json,
};
use nova_skill_mail::setting_up::{
    CheckedMailbox, FoundServers, Kind, OwnAddress, ProposedServer, Publisher, Step, check, fault,
    find_servers, servers, watch, written,
};
use nova_testkit::{Dovecot, NameServer, Reply, SmtpServer, WebServer, web_of, web_trusting, web_with};

/// The network of a test: its web servers speak plain HTTP.
struct Reach(Web);

struct Anybody;

#[async_trait]
impl HostGate for Anybody {
    async fn may_contact(&self, _: &str) -> Result<(), ToolError> {
        Ok(())
    }
}

#[async_trait]
impl ToolHttp for Reach {
    async fn send(&self, mut request: HttpRequest) -> Result<HttpResponse, ToolError> {
        assert_eq!(request.url.scheme(), "https", "{}", request.url);
        request.url.set_scheme("http").expect("an address of the web");
        Ok(self.0.send(request, &Anybody).await?)
    }

    async fn connect_to_configured(
        &self,
        host: &str,
        port: u16,
        usual: u16,
    ) -> Result<Box<dyn Connection>, ToolError> {
        self.connect_to_configured_after(host, port, usual, &()).await
    }

    async fn connect_to_configured_after(
        &self,
        host: &str,
        port: u16,
        _: u16,
        before: &dyn BeforeTls,
    ) -> Result<Box<dyn Connection>, ToolError> {
        Ok(Box::new(self.0.connect_to_named_after(host, port, &Anybody, before).await?))
    }

    async fn srv_records(&self, name: SrvName, domain: &str) -> Result<SrvRecords, ToolError> {
        Ok(self.0.srv_records(name, domain).await?)
    }
}

const OWN: &str = "autoconfig.example.org";
const WELL_KNOWN: &str = "example.org";
const DNS: &str = "the DNS of example.org";
const DATABASE: &str = "autoconfig.thunderbird.net";

fn file(host: &str) -> String {
    format!(
        "<clientConfig version=\"1.1\"><emailProvider id=\"x\"><displayName>Fernhill</displayName>\
         <incomingServer type=\"imap\"><hostname>{host}</hostname><port>993</port><socketType>SSL</socketType>\
         <username>%EMAILADDRESS%</username></incomingServer></emailProvider></clientConfig>"
    )
}

/// What is found for an address of example.org if these hosts answer like this, and the paths that were requested.
async fn found(answers: &[(&str, Reply)]) -> (FoundServers, Vec<(String, String)>) {
    let answers: Vec<(String, Reply)> =
        answers.iter().map(|(host, reply)| ((*host).to_owned(), reply.clone())).collect();
    let of_server = answers.clone();
    let server = WebServer::start(move |request| {
        let host = request.headers["host"].as_str();
        of_server.iter().find(|(known, _)| known == host).expect("a host of the test").1.clone()
    })
    .await;
    let names: Vec<(&str, &WebServer)> = answers.iter().map(|(host, _)| (host.as_str(), &server)).collect();
    let address: OwnAddress = "jane.secret@example.org".parse().expect("an address");
    let found = find_servers(&Reach(web_of(&names)), &address).await;
    let asked = server.requests();
    assert!(!format!("{asked:?}").contains("secret"), "the part before the @ is not sent: {asked:?}");
    let mut asked: Vec<_> =
        asked.into_iter().map(|request| (request.headers["host"].clone(), request.path)).collect();
    asked.sort();
    (found, asked)
}

fn missing() -> Reply {
    Reply::with(404, &[], "")
}

#[tokio::test]
async fn servers_are_found_at_the_domain_before_the_database() {
    let good = |host| Reply::text(&file(host));
    let own = (OWN.to_owned(), "/mail/config-v1.1.xml".to_owned());
    let well_known = (WELL_KNOWN.to_owned(), "/.well-known/autoconfig/mail/config-v1.1.xml".to_owned());
    let database = (DATABASE.to_owned(), "/v1.1/example.org".to_owned());

    let all = [(OWN, good("a.example.org")), (WELL_KNOWN, good("b.example.org")), (DATABASE, missing())];
    let (first, asked) = found(&all).await;
    let proposal = first.proposal.expect("servers");
    assert_eq!(
        (proposal.servers.imap.host.as_str(), proposal.publisher),
        ("a.example.org", Publisher::Domain)
    );
    assert_eq!((proposal.from.as_str(), first.without), (OWN, Vec::new()));
    assert_eq!(proposal.servers.user, "jane.secret@example.org");
    assert_eq!(asked, [own.clone(), well_known.clone()], "the database is not queried");

    let (second, _) =
        found(&[(OWN, missing()), (WELL_KNOWN, good("b.example.org")), (DATABASE, missing())]).await;
    assert_eq!(second.proposal.expect("servers").from, WELL_KNOWN);
    assert_eq!(second.without, [(OWN.to_owned(), "It answered 404.".to_owned())]);

    let (third, asked) = found(&[(OWN, missing()), (DATABASE, good("imap.fernhill.example"))]).await;
    let proposal = third.proposal.expect("servers");
    assert_eq!((proposal.from.as_str(), proposal.publisher), (DATABASE, Publisher::Thunderbird));
    assert_eq!(asked, [own, database], "example.org has no address in this test");
    assert!(third.without[1].1.contains("example.org"), "{:?}", third.without);
}

#[tokio::test]
async fn invalid_file_is_reported_and_the_next_host_queried() {
    let plain = file("imap.example.org").replace("SSL", "plain");
    for (answer, why) in [
        (Reply::with(200, &[("content-type", "text/html")], "<!doctype html><p>Welcome"), "it is a web page"),
        (Reply::text(&" ".repeat(300 << 10)), "at most"),
        (Reply::Endless(b"HTTP/1.1 200 X\r\n\r\n".to_vec(), vec![b'a'; 1 << 20]), "more than"),
        (Reply::text(&plain), "imap.example.org:993 is not encrypted"),
        (Reply::text(&file("127.0.0.1")), "is not a server name"),
        (Reply::with(500, &[], ""), "It answered 500."),
        (Reply::with(204, &[], ""), "It answered 204."),
        (Reply::Bytes(Vec::new()), OWN),
    ] {
        let (found, _) = found(&[(OWN, answer), (WELL_KNOWN, missing()), (DATABASE, missing())]).await;
        assert_eq!(found.proposal, None, "{why}");
        let hosts: Vec<&str> = found.without.iter().map(|(host, _)| host.as_str()).collect();
        assert_eq!(hosts, [OWN, WELL_KNOWN, DNS, DATABASE]);
        assert!(found.without[0].1.contains(why), "{why}: {:?}", found.without);
        assert!(found.without.iter().all(|(_, reason)| reason.len() < 300));
    }
}

#[tokio::test]
async fn a_redirect_names_the_host_that_answered() {
    let (found, _) = found(&[
        (OWN, Reply::to(302, "http://autoconfig.fernhill.example/x.xml")),
        ("autoconfig.fernhill.example", Reply::text(&file("imap.fernhill.example"))),
        (WELL_KNOWN, missing()),
    ])
    .await;
    assert_eq!(found.proposal.expect("servers").from, "autoconfig.fernhill.example");
}

/// What is found for an address of example.org if its domain has these records and no file.
async fn found_in_dns(zone: &str) -> FoundServers {
    let names = NameServer::start(zone);
    let server = WebServer::start(|_| missing()).await;
    let hosts = [(OWN, &server), (WELL_KNOWN, &server), (DATABASE, &server)];
    let web = web_with(&hosts, |options| options.name_servers = Some(vec![names.address()]));
    find_servers(&Reach(web), &"jane@example.org".parse().expect("an address")).await
}

#[tokio::test]
async fn servers_in_dns_are_proposed_without_a_file() {
    let found = found_in_dns(
        "_imaps._tcp.example.org. 60 IN SRV 10 1 993 second.example.org.\n\
         _imaps._tcp.example.org. 60 IN SRV 0 1 993 imap.fernhill.example.\n\
         _submissions._tcp.example.org. 60 IN SRV 0 0 0 .\n\
         _submission._tcp.example.org. 60 IN SRV 0 1 587 smtp.fernhill.example.\n",
    )
    .await;
    let proposal = found.proposal.expect("servers");
    assert_eq!((proposal.from.as_str(), proposal.publisher), (DNS, Publisher::Domain));
    assert_eq!(written(&proposal.servers.imap, Kind::Imap), "imap.fernhill.example");
    let smtp = proposal.servers.smtp.expect("a server for sending");
    assert_eq!(written(&smtp, Kind::Smtp), "smtp.fernhill.example:587");
    assert_eq!(proposal.servers.user, "jane@example.org");
    let before: Vec<&str> = found.without.iter().map(|(host, _)| host.as_str()).collect();
    assert_eq!(before, [OWN, WELL_KNOWN], "the database is not queried");
}

#[tokio::test]
async fn records_of_local_hosts_propose_nothing() {
    let found = found_in_dns(
        "_imaps._tcp.example.org. 60 IN SRV 0 1 993 localhost.\n\
         _imaps._tcp.example.org. 60 IN SRV 1 1 993 router.lan.\n\
         _imaps._tcp.example.org. 60 IN SRV 2 1 993 10.0.0.1.\n",
    )
    .await;
    assert_eq!(found.proposal, None);
    let (_, reason) = found.without.iter().find(|(host, _)| host == DNS).expect("the DNS was asked");
    for target in ["localhost", "router.lan", "10.0.0.1"] {
        assert!(reason.contains(&format!("\"{target}\" is not a server name")), "{reason}");
    }
}

fn entry(server: &Dovecot, smtp: Option<&SmtpServer>) -> Value {
    let mut entry = json!({
        "name": "Home", "imap": format!("127.0.0.1:{}", server.port()), "user": "jane",
        "password": "${credentials:mail/home}",
    });
    if let Some(smtp) = smtp {
        entry["smtp"] = format!("127.0.0.1:{}", smtp.port()).into();
    }
    entry
}

async fn checked(web: Web, entry: &Value, password: &str) -> CheckedMailbox {
    check(&Reach(web), entry, Secret::from(password)).await.expect("an entry with a server")
}

/// Each step, and why it failed.
fn outcome(checked: &CheckedMailbox) -> Vec<(Step, Option<&str>)> {
    let steps = checked.steps.iter();
    steps.map(|step| (step.step, step.problem.as_ref().map(|problem| problem.message.as_str()))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn working_mailbox_passes_each_step_unchanged() {
    let server = Dovecot::start();
    let smtp = SmtpServer::start(&server);
    for (flags, subject) in [("S", "read"), ("", "one"), ("", "two")] {
        server.deliver("jane", "INBOX", flags, format!("Subject: {subject}\n\nHi\n").as_bytes());
    }
    let before = server.messages("jane");
    let both = entry(&server, Some(&smtp));
    let passed = checked(web_trusting(&[&server]), &both, Dovecot::PASSWORD).await;
    let steps = [Step::Connect, Step::SignIn, Step::Folders, Step::ConnectToSend, Step::SignInToSend];
    assert_eq!(outcome(&passed), steps.map(|step| (step, None)));
    assert_eq!(passed.unread, Some(2));
    assert_eq!(passed.steps[4].server, servers(&both)[1]);
    assert_eq!((smtp.taken(), server.messages("jane")), (Vec::new(), before));

    let reading = checked(web_trusting(&[&server]), &entry(&server, None), Dovecot::PASSWORD).await;
    assert_eq!(outcome(&reading), [Step::Connect, Step::SignIn, Step::Folders].map(|step| (step, None)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_is_tried_once() {
    let mut server = Dovecot::start();
    let smtp = SmtpServer::start(&server);
    let refused = checked(web_trusting(&[&server]), &entry(&server, Some(&smtp)), "wrong").await;
    let [(Step::Connect, None), (Step::SignIn, Some(said))] = outcome(&refused)[..] else {
        panic!("{refused:?}")
    };
    assert!(said.contains("does not accept") && said.contains("Authentication failed"), "{said}");
    let problem = refused.steps[1].problem.as_ref().expect("a problem");
    assert!(problem.refused && problem.hint.contains("an app password"), "{problem:?}");
    assert_eq!(refused.unread, None);

    // Only the user's test tries it again.
    server.stop();
    let web = Reach(web_trusting(&[&server]));
    let watched = watch(&web, &entry(&server, None), Secret::from("wrong")).await;
    assert!(watched.is_err_and(|problem| problem.refused), "the server is not asked");
    let again = checked(web_trusting(&[&server]), &entry(&server, None), "wrong").await;
    assert_eq!(outcome(&again).len(), 1, "it is not reached: {again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_server_is_reported_with_its_step() {
    let mut server = Dovecot::start();
    // Its certificate is not trusted.
    let untrusted = checked(web_of(&[]), &entry(&server, None), Dovecot::PASSWORD).await;
    let [(Step::Connect, Some(said))] = outcome(&untrusted)[..] else { panic!("{untrusted:?}") };
    assert!(said.contains("certificate"), "{said}");

    // IMAP does not speak SMTP.
    let mut wrong = entry(&server, None);
    wrong["smtp"] = wrong["imap"].clone();
    let no_smtp = checked(web_trusting(&[&server]), &wrong, Dovecot::PASSWORD).await;
    let steps = outcome(&no_smtp);
    assert_eq!(
        steps[..4],
        [Step::Connect, Step::SignIn, Step::Folders, Step::ConnectToSend].map(|step| (step, None))
    );
    assert!(matches!(steps[4..], [(Step::SignInToSend, Some(_))]), "{steps:?}");
    assert!(no_smtp.steps.iter().filter_map(|step| step.problem.as_ref()).all(|problem| !problem.refused));

    let (gone, web) = (entry(&server, None), web_trusting(&[&server]));
    server.stop();
    let not_reached = checked(web, &gone, Dovecot::PASSWORD).await;
    assert!(matches!(outcome(&not_reached)[..], [(Step::Connect, Some(_))]), "{not_reached:?}");
}

/// Accepts each connection and never sends anything.
struct Silent;

#[async_trait]
impl ToolHttp for Silent {
    async fn send(&self, _: HttpRequest) -> Result<HttpResponse, ToolError> {
        std::future::pending().await
    }

    async fn connect_to_configured(
        &self,
        _: &str,
        port: u16,
        _: u16,
    ) -> Result<Box<dyn Connection>, ToolError> {
        if port == 465 {
            std::future::pending::<()>().await;
        }
        let (here, there) = tokio::io::duplex(1 << 10);
        std::mem::forget(there);
        Ok(Box::new(here))
    }
}

#[tokio::test(start_paused = true)]
async fn hanging_server_times_out() {
    let entry = json!({
        "name": "Home", "imap": "imap.example.org", "smtp": "smtp.example.org", "user": "jane",
        "password": "${credentials:mail/home}",
    });
    let checked = check(&Silent, &entry, Secret::from("geheim")).await.expect("an entry with a server");
    let said = Some("The server did not answer in 20 s.");
    assert_eq!(outcome(&checked), [(Step::Connect, None), (Step::SignIn, said), (Step::ConnectToSend, said)]);
}

#[test]
fn invalid_entry_is_explained() {
    let good = json!({"name": "Home", "imap": "imap.example.org", "user": "jane", "smtp": "", "address": ""});
    assert_eq!(fault(&good), None);
    for (key, value, why) in [
        ("name", "", "1 to 60 characters"),
        ("name", &"n".repeat(61), "1 to 60 characters"),
        ("imap", "", "not a valid IMAP server"),
        ("imap", "imap example.org", "not a valid IMAP server"),
        ("imap", "https://imap.example.org", "not a valid IMAP server"),
        ("imap", "imap.example.org:0", "not a valid IMAP server"),
        ("imap", "imap.example.org:65536", "not a valid IMAP server"),
        ("imap", "imap.example.org:", "not a valid IMAP server"),
        ("smtp", "smtp.example.org:x", "not a valid SMTP server"),
        ("user", " ", "user is missing"),
        ("address", "jane", "is not an address"),
        ("address", "jane@a@b", "is not an address"),
        ("address", "jane, noor@example.org", "is not an address"),
    ] {
        let mut wrong = good.clone();
        wrong[key] = value.into();
        assert!(fault(&wrong).is_some_and(|said| said.contains(why)), "{key} {value}: {:?}", fault(&wrong));
    }
}

#[test]
fn default_port_is_omitted() {
    let server = |port| ProposedServer { host: "mail.example.org".into(), port };
    for (port, kind, expected) in [
        (993, Kind::Imap, "mail.example.org"),
        (1993, Kind::Imap, "mail.example.org:1993"),
        (465, Kind::Smtp, "mail.example.org"),
        (587, Kind::Smtp, "mail.example.org:587"),
    ] {
        assert_eq!(written(&server(port), kind), expected);
    }
}
