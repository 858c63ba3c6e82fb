//! Files as providers publish them, and as an attacker would.

use nova_mail::{AutoconfigError, OwnAddress, ProposedServer, Publisher, XmlError, read_autoconfig};

fn address(text: &str) -> OwnAddress {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn server(element: &str, kind: &str, host: &str, port: &str, encryption: &str, more: &str) -> String {
    format!(
        "<{element} type=\"{kind}\"><hostname>{host}</hostname><port>{port}</port>\
         <socketType>{encryption}</socketType>{more}</{element}>"
    )
}

fn imap(host: &str, port: &str, encryption: &str, more: &str) -> String {
    server("incomingServer", "imap", host, port, encryption, more)
}

fn smtp(host: &str, port: &str, encryption: &str, more: &str) -> String {
    server("outgoingServer", "smtp", host, port, encryption, more)
}

fn file(servers: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<clientConfig version=\"1.1\">\n\
         <emailProvider id=\"example.org\"><domain>example.org</domain><displayName>Fernhill &amp; Sons Mail</displayName>\
         {servers}</emailProvider></clientConfig>"
    )
}

const BY_ADDRESS: &str =
    "<username>%EMAILADDRESS%</username><authentication>password-cleartext</authentication>";

/// `host:port`, with the user, the SMTP server and what is left out.
fn read(servers: &str) -> Result<(String, String, Option<String>, Vec<String>), AutoconfigError> {
    let shown = |server: ProposedServer| format!("{}:{}", server.host, server.port);
    let found = read_autoconfig(file(servers).as_bytes(), &address("jane.doe@example.org"))?;
    Ok((shown(found.imap), found.user, found.smtp.map(shown), found.left_out))
}

fn refused(servers: &str) -> String {
    read(servers).expect_err(servers).to_string()
}

#[test]
fn servers_of_a_whole_file_are_proposed() {
    let text = "<?xml version=\"1.0\"?>\n<!-- for all customers -->\n<clientConfig version=\"1.1\">\n\
        <emailProvider id=\"fernhill.example\">\n  <domain>fernhill.example</domain>\n  <domain purpose=\"mx\">mx.fernhill.example</domain>\n\
        <displayName>Fernhill</displayName>\n<displayShortName>F</displayShortName>\n\
        <incomingServer type=\"pop3\">\n<hostname>pop.fernhill.example</hostname><port>995</port>\
        <socketType>SSL</socketType><username>%EMAILADDRESS%</username></incomingServer>\n\
        <incomingServer type=\"imap\">\n   <hostname>imap.fernhill.example</hostname>\n   <port>143</port>\n   \
        <socketType>STARTTLS</socketType>\n <username>%EMAILLOCALPART%</username>\n <authentication>password-cleartext</authentication>\n</incomingServer>\n\
        <incomingServer type=\"imap\">\n   <hostname>IMAP.%EMAILDOMAIN%.</hostname>\n   <port> 993 </port>\n   \
        <socketType>SSL</socketType>\n <authentication>OAuth2</authentication>\n <authentication>password-cleartext</authentication>\n\
        <username>%EMAILLOCALPART%</username></incomingServer>\n\
        <outgoingServer type=\"smtp\"><hostname>smtp.fernhill.example</hostname><port>587</port>\
        <socketType>STARTTLS</socketType><username>%EMAILLOCALPART%</username>\
        <authentication>password-encrypted</authentication><restriction>client-IP-address</restriction></outgoingServer>\n\
        <documentation url=\"https://fernhill.example/help\"><descr lang=\"en\">Set <![CDATA[it]]> up</descr></documentation>\n\
        </emailProvider><webMail><loginPage url=\"https://fernhill.example/\"/></webMail></clientConfig>\n";
    let found =
        read_autoconfig(text.as_bytes(), &address("Jane.Doe@Fernhill.example")).expect("a configuration");
    assert_eq!(found.provider.as_deref(), Some("Fernhill"));
    assert_eq!(found.user, "Jane.Doe");
    assert_eq!(found.imap, ProposedServer { host: "imap.fernhill.example".into(), port: 143 });
    assert_eq!(found.smtp, Some(ProposedServer { host: "smtp.fernhill.example".into(), port: 587 }));
    assert_eq!(found.left_out, [""; 0]);
}

#[test]
fn only_encrypted_servers_with_a_password_are_proposed() {
    let good = imap("imap.example.org", "993", "SSL", BY_ADDRESS);
    let (found, user, none, left_out) = read(&good).expect("servers");
    assert_eq!((found.as_str(), user.as_str()), ("imap.example.org:993", "jane.doe@example.org"));
    assert_eq!((none, left_out), (None, Vec::new()));

    let (begins_plain, ..) = read(&imap("imap.example.org", "143", "STARTTLS", BY_ADDRESS)).expect("servers");
    assert_eq!(begins_plain, "imap.example.org:143");
    for (server, why) in [
        (imap("imap.example.org", "143", "plain", BY_ADDRESS), "imap.example.org:143 is not encrypted"),
        (imap("imap.example.org", "993", "", BY_ADDRESS), "is not encrypted"),
        (imap("imap.example.org", "993", "ssl3", BY_ADDRESS), "is not encrypted"),
        (imap("imap.example.org", "143", "SSL", BY_ADDRESS), "the encryption of its port"),
        (imap("imap.example.org", "993", "STARTTLS", BY_ADDRESS), "the encryption of its port"),
        (
            imap("imap.example.org", "993", "SSL", "<authentication>OAuth2</authentication>"),
            "only a sign-in on a web page",
        ),
        (
            server("incomingServer", "pop3", "pop.example.org", "995", "SSL", BY_ADDRESS),
            "names no IMAP server",
        ),
        (String::new(), "names no IMAP server"),
    ] {
        assert!(refused(&server).contains(why), "{}", refused(&server));
    }

    for (port, encryption, expected) in [
        ("465", "SSL", Some("smtp.example.org:465")),
        ("8465", "SSL", Some("smtp.example.org:8465")),
        ("587", "STARTTLS", Some("smtp.example.org:587")),
        ("2525", "STARTTLS", Some("smtp.example.org:2525")),
        ("25", "STARTTLS", Some("smtp.example.org:25")),
        ("25", "plain", None),
        ("587", "plain", None),
        // Nova's configuration has only the port, so the encryption must follow from it.
        ("587", "SSL", None),
        ("465", "STARTTLS", None),
    ] {
        let both = format!("{good}{}", smtp("smtp.example.org", port, encryption, BY_ADDRESS));
        let (_, _, smtp, left_out) = read(&both).expect("servers");
        assert_eq!(smtp.as_deref(), expected, "{port} {encryption}");
        assert_eq!(left_out.len(), usize::from(expected.is_none()), "{port} {encryption}: {left_out:?}");
    }
}

#[test]
fn an_smtp_server_with_another_user_is_left_out() {
    let two = [
        imap("imap.example.org", "993", "SSL", BY_ADDRESS),
        smtp("smtp.example.org", "465", "SSL", "<username>relay</username>"),
        smtp("smtp2.example.org", "465", "SSL", BY_ADDRESS),
    ];
    assert_eq!(read(&two.concat()).expect("servers").2.as_deref(), Some("smtp2.example.org:465"));
    let (_, _, smtp, left_out) = read(&two[..2].concat()).expect("servers");
    assert_eq!(smtp, None);
    assert!(left_out[0].contains("another user name"), "{left_out:?}");
}

#[test]
fn server_needs_a_dns_name_and_a_port() {
    for host in [
        "127.0.0.1",
        "10.0.0.1",
        "[::1]",
        "localhost",
        "imap.localhost",
        "printer.local",
        "router.lan",
        "imap",
        "",
        ".",
        "a..example.org",
        "-a.example.org",
        "imap.example.org:993",
        "imap.example.org/x",
        "a@example.org",
        "imap .example.org",
        "imap.example.org\u{200b}",
        "іmap.example.org",
        "${credentials:mail/home}",
        "%SECRET%.example.org",
    ] {
        let said = refused(&imap(host, "993", "SSL", BY_ADDRESS));
        assert!(said.contains("is not a server name"), "{host}: {said}");
    }
    for port in ["", "0", "-1", "65536", "imap", "993 994", "9999999999999999999999"] {
        let said = refused(&imap("imap.example.org", port, "SSL", BY_ADDRESS));
        assert!(said.contains("invalid port"), "{port}: {said}");
    }
    let long = refused(&imap(&"a".repeat(10_000), "993", "SSL", BY_ADDRESS));
    assert!(long.len() < 300, "{} bytes", long.len());
}

#[test]
fn a_user_name_is_one_visible_line() {
    let user = |written: &str| {
        read(&imap("imap.example.org", "993", "SSL", &format!("<username>{written}</username>")))
            .map(|found| found.1)
    };
    assert_eq!(user("").expect("servers"), "jane.doe@example.org");
    assert_eq!(user("%EMAILLOCALPART%.%EMAILDOMAIN%").expect("servers"), "jane.doe.example.org");
    assert_eq!(user("fixed").expect("servers"), "fixed");
    for hostile in ["a&#10;b", "a\u{202e}b", "a&#x200b;b", "%REALNAME%", &"a".repeat(300)] {
        assert!(user(hostile).is_err(), "{hostile}");
    }
    // An address may itself contain a placeholder.
    let odd = address("%EMAILDOMAIN%x@example.org");
    let text = file(&imap("imap.example.org", "993", "SSL", BY_ADDRESS));
    assert_eq!(read_autoconfig(text.as_bytes(), &odd).expect("servers").user, "%EMAILDOMAIN%x@example.org");
}

#[test]
fn provider_name_is_one_visible_line() {
    let text = file(&imap("imap.example.org", "993", "SSL", BY_ADDRESS));
    let named = |name: &str| {
        let text = text.replace("Fernhill &amp; Sons Mail", name);
        read_autoconfig(text.as_bytes(), &address("jane@example.org")).expect("servers").provider
    };
    assert_eq!(named("Fernhill &amp; Sons&#10;Mail").as_deref(), Some("Fernhill & Sons Mail"));
    assert_eq!(named("Good\u{202e}\u{200b} Mail").as_deref(), Some("Good Mail"));
    assert_eq!(named(" "), None);
    assert!(named(&"x".repeat(5_000)).expect("servers").len() < 200);
}

#[test]
fn invalid_configurations_are_rejected_with_their_reason() {
    let good = file(&imap("imap.example.org", "993", "SSL", BY_ADDRESS));
    let refused = |bytes: &[u8]| read_autoconfig(bytes, &address("jane@example.org")).expect_err("refused");
    let bomb = "<!DOCTYPE c [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><clientConfig>&b;</clientConfig>";
    let file_entity =
        "<!DOCTYPE c [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><clientConfig>&a;</clientConfig>";
    for (bytes, expected) in [
        (vec![b' '; 10 << 20], XmlError::TooLarge(10 << 20)),
        (b"\xff\xfe<\0".to_vec(), XmlError::Encoding),
        (b"<!DOCTYPE html><html><body>Welcome</body></html>".to_vec(), XmlError::WebPage),
        (b"\n <HTML><head>".to_vec(), XmlError::WebPage),
        (bomb.as_bytes().to_vec(), XmlError::DocumentType),
        (file_entity.as_bytes().to_vec(), XmlError::DocumentType),
        (b"<clientConfig>&nbsp;</clientConfig>".to_vec(), XmlError::Entity),
        (b"{\"imap\": 1}".to_vec(), XmlError::Malformed),
        (Vec::new(), XmlError::Malformed),
        (good.as_bytes()[..good.len() / 2].to_vec(), XmlError::Malformed),
        (b"<clientConfig></emailProvider>".to_vec(), XmlError::Malformed),
        (b"<rss/>".to_vec(), XmlError::Unexpected),
        ("<a>".repeat(5_000).into_bytes(), XmlError::TooMany),
        (format!("<clientConfig>{}</clientConfig>", "<a/>".repeat(5_000)).into_bytes(), XmlError::TooMany),
    ] {
        assert_eq!(refused(&bytes), AutoconfigError::Xml(expected));
    }
    assert_eq!(refused(b"<clientConfig version=\"1.1\"/>"), AutoconfigError::NoProvider);
    // A byte order mark and trailing content change nothing.
    let marked = format!("\u{feff}{good}<rss/>");
    assert!(read_autoconfig(marked.as_bytes(), &address("jane@example.org")).is_ok());
}

#[test]
fn urls_omit_the_local_part_of_the_address() {
    let asked = address("jane.secret@M\u{fc}ller.example").autoconfig_files();
    let expected = [
        (Publisher::Domain, "https://autoconfig.xn--mller-kva.example/mail/config-v1.1.xml"),
        (Publisher::Domain, "https://xn--mller-kva.example/.well-known/autoconfig/mail/config-v1.1.xml"),
        (Publisher::Thunderbird, "https://autoconfig.thunderbird.net/v1.1/xn--mller-kva.example"),
    ];
    assert_eq!(asked, expected.map(|(publisher, file)| (publisher, file.to_owned())));

    for text in [
        "",
        "jane",
        "jane@",
        "@example.org",
        "jane@localhost",
        "jane@127.0.0.1",
        "jane@[::1]",
        "jane@printer.local",
        "jane@example.org/../x",
        "jane@example.org:8443",
        "jane@exa mple.org",
        "jane@a@example.org?x",
        "jane@example.org#x",
        "a,b@example.org",
        "Jane <jane@example.org>",
    ] {
        assert!(text.parse::<OwnAddress>().is_err(), "{text}");
    }
}

#[test]
fn a_host_of_another_domain_is_not_owned() {
    let own = address("jane@example.org");
    assert!(own.owns("example.org") && own.owns("imap.Example.org"));
    for other in ["notexample.org", "example.org.evil.example", "imap.example.com", "org"] {
        assert!(!own.owns(other), "{other}");
    }
}
