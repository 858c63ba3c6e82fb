//! What is found about a sender.

use nova_mail::{Check, Checked, Finding, SenderCheck};

use super::reading::read;

const NONE: [Finding; 0] = [];

const FROM: &str = "From: Ann <ann@shop.example>\n";

#[track_caller]
fn findings(headers: &str) -> Vec<Finding> {
    read(&format!("{headers}\nHello.\n")).findings
}

fn checked(results: &str) -> SenderCheck {
    read(&format!("Authentication-Results: mx.home.example; {results}\n{FROM}\nHi\n")).sender
}

/// The result, the domain that was checked, and whether that is the sender's.
fn said(check: &Option<Checked>) -> Option<(Check, &str, bool)> {
    let Checked { result, domain, aligned } = check.as_ref()?;
    Some((*result, domain.as_deref().unwrap_or_default(), *aligned))
}

#[test]
fn only_the_receiving_server_counts() {
    let sender = checked(
        "spf=pass smtp.mailfrom=shop.example;\n dkim=fail (bad; dkim=pass) header.d=shop.example; dmarc=pass",
    );
    assert!(sender.checked);
    assert_eq!(said(&sender.spf), Some((Check::Passed, "shop.example", true)));
    assert_eq!(said(&sender.dkim), Some((Check::Failed, "shop.example", true)));
    assert_eq!(said(&sender.dmarc), Some((Check::Passed, "shop.example", true)));

    let forged = "Authentication-Results: mx.evil.example; spf=pass; dkim=pass; dmarc=pass\n";
    assert!(!read(&format!("{forged}{FROM}\nHi\n")).sender.checked);

    let below = "Authentication-Results: mx.home.example; dmarc=fail\nAuthentication-Results: mx.home.example; dmarc=pass\n";
    let sender = read(&format!("{below}{FROM}\nHi\n")).sender;
    assert_eq!(sender.verified(), Some(false), "the upper one is the server's own");
}

#[test]
fn results_for_another_domain_verify_nobody() {
    for results in [
        "spf=pass smtp.mailfrom=x@evil.example; dkim=pass header.d=evil.example",
        "spf=pass smtp.mailfrom=evil.example; dkim=pass header.i=@evil.example",
        "spf=pass; dkim=pass",
        "spf=pass smtp.mailfrom=notshop.example; dkim=pass header.d=shop.example.evil.example",
        "dkim=pass header.d=example",
        "spf=pass smtp.helo=shop.example; spf=pass smtp.mailfrom=\"\" smtp.helo=shop.example",
        // The part before the @ is the sender's choice.
        "spf=pass smtp.mailfrom=\"; dkim=pass header.d=shop.example; x\"@evil.example",
        "spf=pass smtp.mailfrom=\"x@shop.example \"@evil.example",
        "dmarc=pass header.from=evil.example",
        "dmarc=none; spf=neutral smtp.mailfrom=shop.example",
    ] {
        let sender = checked(results);
        assert_eq!((sender.checked, sender.verified()), (true, None), "{results}: {sender:?}");
    }
    let two = "Authentication-Results: mx.home.example; dmarc=pass header.from=evil.example\n\
        From: Ann <ann@shop.example>, x@evil.example\n\nHi\n";
    assert_eq!(read(two).sender.verified(), None, "nobody knows which of two senders it is");
}

#[test]
fn results_for_the_senders_domain_verify_it() {
    for results in [
        "spf=pass smtp.mailfrom=ann@shop.example",
        "spf=pass smtp.mailfrom=bounces.shop.example",
        "spf = pass smtp.mailfrom = SHOP.example",
        "dkim=pass header.i=@shop.example header.s=a header.b=Qk0=",
        "dkim/1=pass reason=\"good; fine\" header.d=mail.shop.example",
        "dkim=pass header.d=evil.example; dkim=pass header.d=shop.example",
        "spf=fail smtp.mailfrom=list.example; dkim=pass header.d=shop.example",
        "spf=fail smtp.mailfrom=shop.example; dmarc=pass header.from=shop.example",
    ] {
        let sender = checked(results);
        assert_eq!(sender.verified(), Some(true), "{results}: {sender:?}");
    }
}

#[test]
fn a_sender_that_failed_is_a_finding() {
    let not_verified = vec![Finding::NotVerified { domain: "shop.example".into() }];
    for failed in [
        "dmarc=fail",
        "spf=softfail; dkim=none",
        "spf=fail; dkim=pass header.d=evil.example",
        "dkim=fail header.d=shop.example; dkim=pass header.d=evil.example",
    ] {
        let headers = format!("Authentication-Results: mx.home.example; {failed}\n{FROM}");
        assert_eq!(findings(&headers), not_verified, "{failed}");
    }
    assert_eq!(
        findings(&format!(
            "Authentication-Results: mx.home.example; spf=fail; dkim=pass header.d=shop.example\n{FROM}"
        )),
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
    let reply_to = "help@mail.shop.example".to_owned();
    assert_eq!(
        findings(&format!("{FROM}Reply-To: {reply_to}\n")),
        [Finding::ReplyToOther { from: "ann@shop.example".into(), reply_to: reply_to.clone() }]
    );
    assert_eq!(
        findings(&format!("{FROM}Reply-To: {reply_to}, ann@other.example\n")),
        [Finding::ReplyElsewhere { from: "ann@shop.example".into(), reply_to: "ann@other.example".into() }]
    );
    assert_eq!(findings(&format!("{FROM}Reply-To: Ann <Ann@Shop.example>\n")), NONE);
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
