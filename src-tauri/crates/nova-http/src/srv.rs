//! Services that a domain publishes in DNS: SRV records (RFC 2782) and the TXT records at the same name.

use std::cmp::Reverse;
use std::io;
use std::str::FromStr;
use std::time::Duration;

use domain::base::Name;
use domain::base::iana::{Rcode, Rtype};
use domain::rdata::{Srv, Txt};
use domain::resolv::StubResolver;
use domain::resolv::stub::Answer;
use domain::resolv::stub::conf::{ResolvConf, ServerConf, Transport};
use nova_skill::{SrvName, SrvRecords};
use url::Url;

use crate::host::checked;
use crate::{Web, WebError};

/// For all questions about one service.
const PATIENCE: Duration = Duration::from_secs(5);
/// Records of one kind that are used.
const RECORDS: usize = 20;

type DnsName = Name<Vec<u8>>;

impl Web {
    /// Looks up what a domain publishes about a service; empty if it publishes nothing. The answer is
    /// untrusted: nothing in it has been contacted or checked.
    ///
    /// # Errors
    /// `Internal` for a name of this machine or its network, `Names` if the name servers give no answer.
    pub async fn srv_records(&self, name: SrvName, domain: &str) -> Result<SrvRecords, WebError> {
        let failed = |reason: String| WebError::Names { domain: domain.to_owned(), reason };
        let url = Url::parse(&format!("https://{domain}/")).map_err(|error| failed(error.to_string()))?;
        let (_, host) = checked(url, |_| false)?;
        let full = DnsName::from_str(&format!("{}.{host}", name.label()))
            .map_err(|error| failed(error.to_string()))?;
        let resolver = self.resolver();
        // On Windows the resolver does not know the name servers of the system.
        let knows_none = self.options.name_servers.as_ref().map_or(cfg!(windows), Vec::is_empty);
        if knows_none {
            return Err(failed("no name server is known".into()));
        }
        let asked = async {
            let servers = servers(&resolver, &full).await?;
            // Only calendars have a path, and a path is of no use without a server.
            let texts = match name {
                SrvName::Caldavs if !servers.is_empty() => texts(&resolver, &full).await?,
                _ => Vec::new(),
            };
            Ok::<_, io::Error>(SrvRecords { servers, texts })
        };
        let answer: io::Result<SrvRecords> = match tokio::time::timeout(PATIENCE, asked).await {
            Ok(answer) => answer,
            Err(_) => Err(io::Error::other(format!("no answer in {} s", PATIENCE.as_secs()))),
        };
        answer.map_err(|error| failed(error.to_string()))
    }

    /// One for each lookup: the system's name servers change with the network.
    fn resolver(&self) -> StubResolver {
        let Some(name_servers) = &self.options.name_servers else { return StubResolver::new() };
        let mut conf = ResolvConf::new();
        conf.servers =
            name_servers.iter().map(|address| ServerConf::new(*address, Transport::UdpTcp)).collect();
        StubResolver::from_conf(conf)
    }
}

/// Servers by priority, then the one that is to be used most: a person looks at the first.
async fn servers(resolver: &StubResolver, name: &DnsName) -> io::Result<Vec<(String, u16)>> {
    let Some(answer) = asked(resolver, name, Rtype::SRV).await? else { return Ok(Vec::new()) };
    let message = answer.for_slice();
    let owner = message.canonical_name().ok_or_else(malformed)?;
    let mut found = Vec::new();
    let records = message.answer().map_err(|_| malformed())?.limit_to_in::<Srv<_>>();
    for record in records.flatten().filter(|record| record.owner() == &owner).take(RECORDS) {
        let server = record.data();
        // The root as the only target says that the service is not offered.
        if !server.target().is_root() && server.port() != 0 {
            let host = server.target().to_string().to_ascii_lowercase();
            found.push((server.priority(), Reverse(server.weight()), host, server.port()));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, _, host, port)| (host, port)).collect())
}

async fn texts(resolver: &StubResolver, name: &DnsName) -> io::Result<Vec<String>> {
    let Some(answer) = asked(resolver, name, Rtype::TXT).await? else { return Ok(Vec::new()) };
    let message = answer.for_slice();
    let owner = message.canonical_name().ok_or_else(malformed)?;
    let mut found = Vec::new();
    let records = message.answer().map_err(|_| malformed())?.limit_to_in::<Txt<_>>();
    for record in records.flatten().filter(|record| record.owner() == &owner).take(RECORDS) {
        let strings = record.data().iter().take(RECORDS);
        found.extend(strings.filter_map(|text| std::str::from_utf8(text).ok().map(str::to_owned)));
    }
    Ok(found)
}

/// `None` if the name does not exist.
async fn asked(resolver: &StubResolver, name: &DnsName, kind: Rtype) -> io::Result<Option<Answer>> {
    let answer = resolver.query((name, kind)).await?;
    match answer.header().rcode() {
        Rcode::NOERROR => Ok(Some(answer)),
        Rcode::NXDOMAIN => Ok(None),
        code => Err(io::Error::other(format!("the name server reports {code}"))),
    }
}

fn malformed() -> io::Error {
    io::Error::other("the answer of the name server is malformed")
}
