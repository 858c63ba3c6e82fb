//! SRV records as domains publish them, and as an attacker would.

use nova_mail::{MailRecords, OwnAddress, ProposedServer, read_records};

fn servers(list: &[(&str, u16)]) -> Vec<ProposedServer> {
    list.iter().map(|(host, port)| ProposedServer { host: (*host).to_owned(), port: *port }).collect()
}

fn address() -> OwnAddress {
    "Jane.Doe@example.org".parse().expect("an address")
}

#[test]
fn encrypted_servers_are_proposed_in_order() {
    let records = MailRecords {
        imaps: servers(&[("IMAP.example.org.", 993), ("imap2.example.org", 993)]),
        imap: servers(&[("imap.example.org", 143)]),
        submissions: servers(&[("smtp.example.net", 465)]),
        submission: servers(&[("smtp.example.org", 587)]),
    };
    let found = read_records(&records, &address()).expect("servers");
    assert_eq!(vec![found.imap], servers(&[("imap.example.org", 993)]));
    assert_eq!(found.smtp.into_iter().collect::<Vec<_>>(), servers(&[("smtp.example.net", 465)]));
    assert_eq!((found.user.as_str(), found.left_out.as_slice()), ("Jane.Doe@example.org", &[][..]));
}

#[test]
fn submission_with_starttls_is_the_fallback() {
    let records = MailRecords {
        imaps: servers(&[("imap.example.org", 993)]),
        submissions: servers(&[("smtp.example.org", 587)]),
        submission: servers(&[("smtp.example.org", 465), ("smtp.example.org", 587)]),
        ..MailRecords::default()
    };
    let found = read_records(&records, &address()).expect("servers");
    assert_eq!(found.smtp.into_iter().collect::<Vec<_>>(), servers(&[("smtp.example.org", 587)]));
    assert_eq!(
        found.left_out,
        [
            "smtp.example.org:587 does not use the encryption of its port",
            "smtp.example.org:465 does not use the encryption of its port",
        ]
    );
}

#[test]
fn imap_with_starttls_is_the_fallback() {
    let records = MailRecords { imap: servers(&[("imap.example.org", 143)]), ..MailRecords::default() };
    let found = read_records(&records, &address()).expect("servers");
    assert_eq!(vec![found.imap], servers(&[("imap.example.org", 143)]));
}

#[test]
fn records_without_an_encrypted_imap_server_propose_nothing() {
    let refused =
        |records: MailRecords| read_records(&records, &address()).expect_err("no server").to_string();
    let odd = MailRecords { imap: servers(&[("imap.example.org", 1143)]), ..MailRecords::default() };
    assert!(refused(odd).contains("imap.example.org:1143 does not use the encryption of its port"));
    assert_eq!(refused(MailRecords::default()), "it names no IMAP server that can be used");
    for host in ["localhost", "10.0.0.1", "router.lan", "imap", "a\u{202e}b.example", "-a.example", ""] {
        let imaps = servers(&[(host, 993)]);
        let said = refused(MailRecords { imaps, ..MailRecords::default() });
        assert!(said.contains("is not a server name") && !said.contains('\u{202e}'), "{said}");
    }
    let many = MailRecords { imaps: servers(&[("localhost", 993); 500]), ..MailRecords::default() };
    assert!(refused(many).len() < 2_000);
}
