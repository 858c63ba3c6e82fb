use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join;
use nova_mail::{OwnAddress, ProposedServers, Publisher, read_autoconfig};
use nova_skill::{HttpRequest, ToolHttp};
use url::Url;

/// For one file: the user waits beside a button.
const PATIENCE: Duration = Duration::from_secs(8);

/// The servers of an address, and who was asked in vain before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundServers {
    pub proposal: Option<Proposal>,
    /// Each host that gave no servers, with the reason.
    pub without: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub servers: ProposedServers,
    pub publisher: Publisher,
    /// The host that answered, after redirects.
    pub from: String,
}

/// Asks the domain of the address at both of its places, then Thunderbird's database. They learn the domain; nobody is
/// told the part before the `@`.
pub async fn find_servers(http: &dyn ToolHttp, address: &OwnAddress) -> FoundServers {
    let [(_, first), (_, second), (_, database)] = address.autoconfig_files();
    let (first, second) =
        join(ask(http, address, &first, Publisher::Domain), ask(http, address, &second, Publisher::Domain))
            .await;
    let mut without = Vec::new();
    for answer in [first, second] {
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
        Err(error) => Err((from, format!("What it answered was not used: {error}."))),
    }
}
