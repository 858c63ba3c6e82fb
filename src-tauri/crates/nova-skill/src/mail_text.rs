use crate::ToolError;

/// Formats a mail for programs that read it from standard input (`sendmail -t -i`, `msmtp -t`): `To` and
/// `Subject`, then the text as UTF-8. The program adds sender and date.
///
/// # Errors
/// If a recipient or the subject could be read as another header.
pub fn mail_text(to: &[String], subject: &str, text: &str) -> Result<Vec<u8>, ToolError> {
    let wrong = |path: &str, rule: &str| {
        Err(ToolError::InvalidArguments { path: path.into(), rule: rule.into(), allowed: Vec::new() })
    };
    if to.is_empty() || !to.iter().all(|address| is_address(address)) {
        return wrong("/to", "must be addresses such as jane@example.org");
    }
    if subject.trim().is_empty() || subject.chars().any(char::is_control) {
        return wrong("/subject", "must be one line of text");
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let head = format!(
        "To: {}\nSubject: {}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\
         Content-Transfer-Encoding: 8bit\n",
        to.join(",\n "),
        encoded(subject.trim())
    );
    Ok(format!("{head}\n{}\n", text.trim_end_matches('\n')).into_bytes())
}

/// Whether it is a single address without characters that are special in headers.
fn is_address(text: &str) -> bool {
    let plain = |part: &str| {
        let special = |c: char| c.is_whitespace() || c.is_control() || "<>()[]\\,;:@\"".contains(c);
        !part.is_empty() && !part.contains(special)
    };
    text.len() <= 254 && text.split_once('@').is_some_and(|(name, host)| plain(name) && plain(host))
}

/// Encodes non-ASCII text as RFC 2047 encoded words.
fn encoded(text: &str) -> String {
    /// With its delimiters, a word stays below 76 characters.
    const LONGEST: usize = 60;
    if text.is_ascii() && !text.contains("=?") && text.len() <= 900 {
        return text.to_owned();
    }
    let mut words = vec![String::new()];
    for c in text.chars() {
        let spelled: String = match c {
            ' ' => "_".into(),
            c if c.is_ascii_alphanumeric() => c.into(),
            c => c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("={byte:02X}")).collect(),
        };
        match words.last_mut() {
            Some(word) if word.len() + spelled.len() <= LONGEST => word.push_str(&spelled),
            _ => words.push(spelled),
        }
    }
    words.iter().map(|word| format!("=?utf-8?Q?{word}?=")).collect::<Vec<_>>().join("\n ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(to: &[&str], subject: &str, text: &str) -> Result<String, String> {
        let to: Vec<String> = to.iter().map(|address| (*address).to_owned()).collect();
        let mail = mail_text(&to, subject, text).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(mail).expect("UTF-8"))
    }

    #[test]
    fn mail_has_headers_and_text() {
        assert_eq!(
            mail(&["jane@example.org", "ali@example.org"], "Version 2.4", "Hello,\r\n\r\nit is out.\n"),
            Ok("To: jane@example.org,\n ali@example.org\nSubject: Version 2.4\nMIME-Version: 1.0\n\
                Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nHello,\n\nit is out.\n"
                .to_owned())
        );
    }

    #[test]
    fn non_ascii_subject_is_encoded_in_short_words() {
        let mail = mail(&["a@b.example"], &format!("Über {}", "ä".repeat(40)), "").expect("a mail");
        let subject: Vec<&str> = mail.lines().skip(1).take_while(|line| !line.starts_with("MIME")).collect();
        assert!(subject[0].starts_with("Subject: =?utf-8?Q?=C3=9Cber_=C3=A4"), "{subject:?}");
        assert!(subject.len() > 3 && subject.iter().all(|line| line.len() <= 80), "{subject:?}");
    }

    #[test]
    fn headers_cannot_be_injected() {
        for (to, subject) in [
            ("jane@example.org\nBcc: all@example.org", "Hello"),
            ("jane@example.org, all@example.org", "Hello"),
            ("Jane <jane@example.org>", "Hello"),
            ("jane", "Hello"),
            ("@example.org", "Hello"),
            ("-oQ/tmp", "Hello"),
            ("jane@example.org", "Hello\nBcc: all@example.org"),
            ("jane@example.org", "Hello\rBcc: all@example.org"),
            ("jane@example.org", "  "),
        ] {
            assert!(mail(&[to], subject, "text").is_err(), "{to:?} {subject:?}");
        }
        assert!(mail(&[], "Hello", "text").is_err());
    }
}
