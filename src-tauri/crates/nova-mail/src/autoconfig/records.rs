use super::{LINE, OwnAddress, ProposedServer, ProposedServers, SERVERS, is_name};
use crate::imap::imap_begins_with_starttls;
use crate::smtp::smtp_begins_with_starttls;
use crate::visible_line;

/// The servers in the SRV records of a domain (RFC 6186, RFC 8314), each in the order to try them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MailRecords {
    /// `_imaps._tcp`
    pub imaps: Vec<ProposedServer>,
    /// `_imap._tcp`
    pub imap: Vec<ProposedServer>,
    /// `_submissions._tcp`
    pub submissions: Vec<ProposedServer>,
    /// `_submission._tcp`
    pub submission: Vec<ProposedServer>,
}

/// Why the records of a domain propose no server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it names no IMAP server that can be used{}", super::reasons(.0))]
pub struct NoServer(Vec<String>);

/// Proposes servers for an address from the records of its domain. The user name is the whole address
/// (RFC 6186, 4).
///
/// # Errors
/// If no record names an IMAP server that can be used.
pub fn read_records(records: &MailRecords, address: &OwnAddress) -> Result<ProposedServers, NoServer> {
    let mut left_out = Vec::new();
    let encrypts = |begins_with_starttls: fn(u16) -> bool, by_starttls: bool| {
        move |port| match begins_with_starttls(port) == by_starttls {
            true => Ok(()),
            false => Err("does not use the encryption of its port"),
        }
    };
    let imap = first(&records.imaps, &mut left_out, encrypts(imap_begins_with_starttls, false))
        .or_else(|| first(&records.imap, &mut left_out, encrypts(imap_begins_with_starttls, true)));
    let Some(imap) = imap else { return Err(NoServer(left_out)) };
    let smtp = first(&records.submissions, &mut left_out, encrypts(smtp_begins_with_starttls, false))
        .or_else(|| first(&records.submission, &mut left_out, encrypts(smtp_begins_with_starttls, true)));
    Ok(ProposedServers { provider: None, user: address.text.clone(), imap, smtp, left_out })
}

/// The first server that can be used, with the reason for each one rejected before it.
fn first(
    servers: &[ProposedServer],
    left_out: &mut Vec<String>,
    fits: impl Fn(u16) -> Result<(), &'static str>,
) -> Option<ProposedServer> {
    for ProposedServer { host, port } in servers.iter().take(SERVERS) {
        let name = host.trim_end_matches('.').to_ascii_lowercase();
        if !is_name(&name) {
            left_out.push(format!("\"{}\" is not a server name", visible_line(&name, LINE)));
        } else if let Err(reason) = fits(*port) {
            left_out.push(format!("{name}:{port} {reason}"));
        } else {
            return Some(ProposedServer { host: name, port: *port });
        }
    }
    None
}
