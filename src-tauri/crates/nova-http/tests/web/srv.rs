//! Services in DNS, from a real name server and from hostile ones.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;

use nova_http::{Web, WebError, WebOptions};
use nova_skill::{SrvName, SrvRecords};
use nova_testkit::{FixedClock, NameServer};
use tokio::net::UdpSocket;

fn web(name_server: SocketAddr) -> Web {
    let mut options = WebOptions::new(Arc::new(FixedClock::default()));
    options.name_servers = Some(vec![name_server]);
    Web::new(options)
}

async fn published(zone: &str, name: SrvName) -> SrvRecords {
    let names = NameServer::start(zone);
    web(names.address()).srv_records(name, "example.org").await.expect("an answer")
}

#[tokio::test]
async fn servers_are_sorted_by_priority_and_weight() {
    let zone = "_imaps._tcp.example.org. 60 IN SRV 10 5 993 last.example.org.\n\
        _imaps._tcp.example.org. 60 IN SRV 0 1 1993 seldom.example.org.\n\
        _imaps._tcp.example.org. 60 IN SRV 0 9 993 Often.example.net.\n\
        _imap._tcp.example.org. 60 IN SRV 0 1 143 other.example.org.\n\
        _imaps._tcp.example.org. 60 IN TXT \"path=/dav\"\n";
    let expected = [("often.example.net", 993), ("seldom.example.org", 1993), ("last.example.org", 993)];
    let found = published(zone, SrvName::Imaps).await;
    assert_eq!(found.servers, expected.map(|(host, port)| (host.to_owned(), port)));
    assert_eq!(found.texts, [""; 0], "mail has no path");
}

#[tokio::test]
async fn calendars_have_a_path() {
    let zone = "_caldavs._tcp.example.org. 60 IN SRV 0 1 443 dav.example.org.\n\
        _caldavs._tcp.example.org. 60 IN TXT \"txtvers=1\" \"path=/remote.php/dav\"\n";
    let found = published(zone, SrvName::Caldavs).await;
    assert_eq!(found.servers, [("dav.example.org".to_owned(), 443)]);
    assert_eq!(found.texts, ["txtvers=1", "path=/remote.php/dav"]);
}

#[tokio::test]
async fn domain_without_the_service_publishes_nothing() {
    for zone in [
        "other.example.org. 60 IN A 192.0.2.1\n",
        "_imaps._tcp.example.org. 60 IN SRV 0 0 0 .\n",
        "_imaps._tcp.example.org. 60 IN SRV 0 0 993 .\n",
    ] {
        assert_eq!(published(zone, SrvName::Imaps).await, SrvRecords::default(), "{zone}");
    }
}

/// The answer does not fit into a datagram, so that it is asked for by TCP.
#[tokio::test]
async fn only_some_of_a_thousand_records_are_used() {
    let mut zone = String::new();
    for number in 0..1_000 {
        writeln!(zone, "_imaps._tcp.example.org. 60 IN SRV 0 1 993 host{number}.example.org.").expect("text");
    }
    assert_eq!(published(&zone, SrvName::Imaps).await.servers.len(), 20);
}

#[tokio::test]
async fn names_of_this_machine_and_its_network_are_not_looked_up() {
    let asked = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
    let web = web(asked.local_addr().expect("an address"));
    for domain in ["localhost", "printer.local", "router", "10.0.0.1", "[::1]", "a.example@b.example"] {
        let refused = web.srv_records(SrvName::Imaps, domain).await;
        assert!(matches!(refused, Err(WebError::Internal { .. } | WebError::UserInfo { .. })), "{refused:?}");
    }
    assert!(asked.try_recv(&mut [0; 512]).is_err(), "the name server was asked");
}

/// Answers each question with what `lie` makes of it.
async fn liar(lie: impl Fn(&[u8]) -> Vec<u8> + Send + 'static) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
    let address = socket.local_addr().expect("an address");
    tokio::spawn(async move {
        let mut question = [0; 2048];
        while let Ok((length, asker)) = socket.recv_from(&mut question).await {
            let _ = socket.send_to(&lie(&question[..length]), asker).await;
        }
    });
    address
}

/// Name (that of the question), type SRV, class, TTL, length, priority, weight, port 993, `evil.example`.
const EVIL: &[u8] = b"\xc0\x0c\0\x21\0\x01\0\0\0\x3c\0\x14\0\0\0\0\x03\xe1\x04evil\x07example\0";

/// An answer to the question with one record.
fn answer(question: &[u8], record: &[u8]) -> Vec<u8> {
    let end = 12 + question[12..].iter().position(|byte| *byte == 0).expect("a name") + 5;
    let mut answer = question[..end].to_vec();
    answer[2] |= 0x80;
    answer[7] = 1;
    // EDNS followed the question.
    answer[11] = 0;
    answer.extend_from_slice(record);
    answer
}

async fn answered(lie: impl Fn(&[u8]) -> Vec<u8> + Send + 'static) -> Result<SrvRecords, WebError> {
    let server = liar(lie).await;
    web(server).srv_records(SrvName::Imaps, "example.org").await
}

#[tokio::test]
async fn hostile_answer_is_an_error_or_nothing() {
    let honest = answered(|question| answer(question, EVIL)).await.expect("an answer");
    assert_eq!(honest.servers, [("evil.example".to_owned(), 993)], "the answers below differ from this one");

    type Lie = fn(&[u8]) -> Vec<u8>;
    let lies: [(&str, Lie); 9] = [
        ("nothing", |_| Vec::new()),
        ("noise", |_| vec![0xff; 512]),
        ("the question itself", <[u8]>::to_vec),
        ("cut off", |question| answer(question, EVIL)[..40].to_vec()),
        ("about another name", |question| {
            let mut answer = answer(question, EVIL);
            answer[14] ^= 1;
            answer
        }),
        ("with another id", |question| {
            let mut answer = answer(question, EVIL);
            answer[0] ^= 0xff;
            answer
        }),
        ("a record of another name", |question| {
            let evil = [&b"\x01x\0"[..], &EVIL[2..]].concat();
            answer(question, &evil)
        }),
        // A target that points to itself.
        ("a loop", |question| {
            let mut record = EVIL[..18].to_vec();
            record[11] = 8;
            let target = u16::try_from(answer(question, &record).len()).expect("a short message");
            record.extend_from_slice(&(0xc000 | target).to_be_bytes());
            answer(question, &record)
        }),
        ("a record without an end", |question| {
            let mut record = EVIL.to_vec();
            record[10..12].fill(0xff);
            answer(question, &record)
        }),
    ];
    let answers = futures::future::join_all(lies.map(|(_, lie)| answered(lie))).await;
    for ((what, _), found) in lies.iter().zip(answers) {
        let nothing = found.as_ref().is_ok_and(|found| *found == SrvRecords::default());
        assert!(nothing || matches!(found, Err(WebError::Names { .. })), "{what}: {found:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn name_server_that_hangs_is_given_up() {
    let silent = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
    let web = web(silent.local_addr().expect("an address"));
    let error = web.srv_records(SrvName::Caldavs, "example.org").await.expect_err("no answer");
    assert!(matches!(&error, WebError::Names { domain, .. } if domain == "example.org"), "{error:?}");
}

#[tokio::test]
async fn name_server_that_is_gone_is_an_error() {
    let gone = UdpSocket::bind("127.0.0.1:0").await.expect("a socket").local_addr().expect("an address");
    let error = web(gone).srv_records(SrvName::Caldavs, "example.org").await.expect_err("no answer");
    assert!(error.to_string().starts_with("The services of example.org cannot be looked up"), "{error}");
}
