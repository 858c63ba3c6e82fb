//! What is found about a sender.

use nova_mail::{Check, Finding};

use super::reading::read;

const NONE: [Finding; 0] = [];

const FROM: &str = "From: Ann <ann@shop.example>\n";

#[track_caller]
fn findings(headers: &str) -> Vec<Finding> {
    read(&format!("{headers}\nHello.\n")).findings
}

#[test]
fn only_the_receiving_server_counts() {
    let own = "Authentication-Results: mx.home.example; spf=pass smtp.mailfrom=shop.example;\n dkim=fail (bad; dkim=pass) header.d=shop.example; dmarc=pass\n";
    let sender = read(&format!("{own}{FROM}\nHi\n")).sender;
    assert_eq!(
        (sender.checked, sender.spf, sender.dkim, sender.dmarc),
        (true, Some(Check::Passed), Some(Check::Failed), Some(Check::Passed))
    );

    let forged = "Authentication-Results: mx.evil.example; spf=pass; dkim=pass; dmarc=pass\n";
    assert!(!read(&format!("{forged}{FROM}\nHi\n")).sender.checked);

    let below = "Authentication-Results: mx.home.example; dmarc=fail\nAuthentication-Results: mx.home.example; dmarc=pass\n";
    let sender = read(&format!("{below}{FROM}\nHi\n")).sender;
    assert_eq!(sender.dmarc, Some(Check::Failed), "the upper one is the server's own");
}

#[test]
fn a_sender_that_failed_is_a_finding() {
    let not_verified = vec![Finding::NotVerified { domain: "shop.example".into() }];
    assert_eq!(
        findings(&format!("Authentication-Results: mx.home.example; dmarc=fail\n{FROM}")),
        not_verified
    );
    assert_eq!(
        findings(&format!("Authentication-Results: mx.home.example; spf=softfail; dkim=none\n{FROM}")),
        not_verified
    );
    assert_eq!(
        findings(&format!("Authentication-Results: mx.home.example; spf=fail; dkim=pass\n{FROM}")),
        NONE
    );
    assert_eq!(findings(FROM), NONE);
}

#[test]
fn a_reply_to_another_domain_is_a_finding() {
    assert_eq!(
        findings(&format!("{FROM}Reply-To: ann@other.example\n")),
        [Finding::ReplyElsewhere { from: "ann@shop.example".into(), reply_to: "ann@other.example".into() }]
    );
    assert_eq!(findings(&format!("{FROM}Reply-To: help@mail.shop.example\n")), NONE);
}

#[test]
fn a_name_that_is_another_address_is_a_finding() {
    assert_eq!(
        findings("From: \"boss@home.example\" <x@evil.example>\n"),
        [Finding::NameIsAddress { name: "boss@home.example".into(), address: "x@evil.example".into() }]
    );
    assert_eq!(findings("From: \"ann@shop.example\" <ann@shop.example>\n"), NONE);
}

#[test]
fn a_domain_that_looks_like_another_is_a_finding() {
    for domain in ["pаypal.example", "xn--pypal-4ve.example", "раураӏ.example"] {
        let found = findings(&format!("From: Ann <ann@{domain}>\n"));
        assert!(
            matches!(found.as_slice(), [Finding::LookAlike { ascii, .. }] if ascii.starts_with("xn--")),
            "{domain}: {found:?}"
        );
    }
    for domain in ["müller.example", "xn--mller-kva.example", "почта.example", "例え.example", "shop.example"]
    {
        assert_eq!(findings(&format!("From: Ann <ann@{domain}>\n")), NONE, "{domain}");
    }
}

#[test]
fn executable_or_opaque_part_is_a_finding() {
    let attached = |name: &str| {
        format!(
            "{FROM}MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nHi\n--x\n\
             Content-Type: application/pdf\nContent-Disposition: attachment; filename=\"{name}\"\n\nMZ\n--x--\n"
        )
    };
    assert_eq!(
        read(&attached("invoice.pdf.exe")).findings,
        [Finding::Runs { part: "invoice.pdf.exe".into() }]
    );
    assert_eq!(
        read(&attached("invoice\u{202e}fdp.exe")).findings,
        [Finding::Runs { part: "invoicefdp.exe".into() }],
        "no control character reverses the name"
    );
    assert_eq!(read(&attached("winmail.dat")).findings, [Finding::Hidden { part: "winmail.dat".into() }]);
    assert_eq!(read(&attached("invoice.pdf")).findings, NONE);
}

#[test]
fn no_sender_or_several_are_findings() {
    assert_eq!(findings("Subject: Hi\n"), [Finding::NoSender]);
    assert_eq!(findings("From: a@b.example, c@d.example\n"), [Finding::SeveralSenders { count: 2 }]);
}
