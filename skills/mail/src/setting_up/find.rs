use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::{join3, try_join4};
use nova_mail::{
    MailRecords, OwnAddress, ProposedServer, ProposedServers, Publisher, read_autoconfig, read_records,
};
use nova_skill::{HttpRequest, SrvName, ToolError, ToolHttp};
use url::Url;

/// The time limit of one file: the user is waiting.
const PATIENCE: Duration = Duration::from_secs(8);

/// The servers of an address, and the hosts that were queried without result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundServers {
    pub proposal: Option<Proposal>,
    /// Each host that proposed no servers, with the reason.
    pub without: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub servers: ProposedServers,
    pub publisher: Publisher,
    /// The host that answered, after redirects, or the DNS of the domain.
    pub from: String,
}

/// Queries the domain of the address at both of its places and its DNS, then Thunderbird's database. They learn the
/// domain; the part before the `@` is sent to nobody.
pub async fn find_servers(http: &dyn ToolHttp, address: &OwnAddress) -> FoundServers {
    let [(_, first), (_, second), (_, database)] = address.autoconfig_files();
    let (first, second, records) = join3(
        ask(http, address, &first, Publisher::Domain),
        ask(http, address, &second, Publisher::Domain),
        ask_dns(http, address),
    )
    .await;
    let mut without = Vec::new();
    for answer in [first, second, records] {
        match answer {
            Ok(proposal) => return FoundServers { proposal: Some(proposal), without },
            Err(reason) => without.push(reason),
        }
    }
    match ask(http, address, &database, Publisher::Thunderbird).await {
        Ok(proposal) => FoundServers { proposal: Some(proposal), without },
        Err(reason) => {
            without.push(reason);
            FoundServers { proposal: None, without }
        }
    }
}

async fn ask(
    http: &dyn ToolHttp,
    address: &OwnAddress,
    file: &str,
    publisher: Publisher,
) -> Result<Proposal, (String, String)> {
    let url = Url::parse(file).map_err(|error| (file.to_owned(), error.to_string()))?;
    let host = url.host_str().unwrap_or_default().to_owned();
    let request = HttpRequest {
        method: "GET".into(),
        url,
        headers: BTreeMap::new(),
        body: None,
        timeout: Some(PATIENCE),
    };
    let answer = http.send(request).await.map_err(|error| (host.clone(), error.to_string()))?;
    let from = answer.url.host_str().unwrap_or(&host).to_owned();
    if answer.status != 200 {
        return Err((from, format!("It answered {}.", answer.status)));
    }
    match read_autoconfig(&answer.body, address) {
        Ok(servers) => Ok(Proposal { servers, publisher, from }),
        Err(error) => Err((from, format!("Its answer was not used: {error}."))),
    }
}

/// Looks up the SRV records of the domain. Their targets are a proposal like any other: the user sees the hosts
/// before a connection is made, and each certificate must match its host (RFC 6186, 6).
async fn ask_dns(http: &dyn ToolHttp, address: &OwnAddress) -> Result<Proposal, (String, String)> {
    let from = format!("the DNS of {}", address.domain());
    match services(http, address).await {
        Err(error) => Err((from, error.to_string())),
        Ok(records) => match read_records(&records, address) {
            Ok(servers) => Ok(Proposal { servers, publisher: Publisher::Domain, from }),
            Err(error) => Err((from, format!("Its answer was not used: {error}."))),
        },
    }
}

async fn services(http: &dyn ToolHttp, address: &OwnAddress) -> Result<MailRecords, ToolError> {
    let (imaps, imap, submissions, submission) = try_join4(
        servers(http, address, SrvName::Imaps),
        servers(http, address, SrvName::Imap),
        servers(http, address, SrvName::Submissions),
        servers(http, address, SrvName::Submission),
    )
    .await?;
    Ok(MailRecords { imaps, imap, submissions, submission })
}

async fn servers(
    http: &dyn ToolHttp,
    address: &OwnAddress,
    name: SrvName,
) -> Result<Vec<ProposedServer>, ToolError> {
    let published = http.srv_records(name, address.domain()).await?;
    Ok(published.servers.into_iter().map(|(host, port)| ProposedServer { host, port }).collect())
}
