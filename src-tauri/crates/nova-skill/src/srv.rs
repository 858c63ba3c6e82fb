/// A service that a domain may publish in DNS: RFC 6764 for calendars, RFC 6186 and RFC 8314 for mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SrvName {
    /// CalDAV over https.
    Caldavs,
    /// IMAP, encrypted from the first byte.
    Imaps,
    /// IMAP, plain or with STARTTLS.
    Imap,
    /// Submission of mail, encrypted from the first byte.
    Submissions,
    /// Submission of mail with STARTTLS.
    Submission,
}

/// What a domain publishes about a service. Anyone on the path could have written it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SrvRecords {
    /// Host and port, in the order to try them. The host is neither verified nor a valid name for certain.
    pub servers: Vec<(String, u16)>,
    /// The strings of the TXT records at the same name, such as `path=/dav`.
    pub texts: Vec<String>,
}

impl SrvName {
    /// The name of its records below a domain, as in RFC 2782.
    pub fn label(self) -> &'static str {
        match self {
            Self::Caldavs => "_caldavs._tcp",
            Self::Imaps => "_imaps._tcp",
            Self::Imap => "_imap._tcp",
            Self::Submissions => "_submissions._tcp",
            Self::Submission => "_submission._tcp",
        }
    }
}
