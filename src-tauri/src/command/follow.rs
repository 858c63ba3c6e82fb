use std::sync::Arc;

use nova_app::SignInOpener;
use nova_http::{SystemNames, client_for};
use url::Url;

use super::credential::Printed;

/// Redirects followed from the address of a sign-in.
const REDIRECTS: usize = 10;

/// Prints the address of a sign-in and requests it, for servers that consent without a user. Of this machine,
/// only Nova's own address for the answer is requested, unless the sign-in itself is on this machine.
pub(super) struct Followed;

#[async_trait::async_trait]
impl SignInOpener for Followed {
    async fn open(&self, address: &Url) -> Result<(), String> {
        Printed.open(address).await?;
        tokio::spawn(follow(address.clone()));
        Ok(())
    }
}

async fn follow(address: Url) {
    let answer = address.query_pairs().find(|(key, _)| key == "redirect_uri").map(|(_, to)| to.into_owned());
    let answer = answer.and_then(|answer| Url::parse(&answer).ok());
    let is_answer = |page: &Url| {
        answer.as_ref().is_some_and(|answer| answer.origin() == page.origin() && answer.path() == page.path())
    };
    let mut page = address.clone();
    for _ in 0..REDIRECTS {
        let Ok(client) = client_for(&page, Arc::new(SystemNames)) else { return };
        let Ok(response) = client.get(page.clone()).send().await else { return };
        let to = response.headers().get("location").and_then(|to| to.to_str().ok());
        let Some(to) = to.and_then(|to| page.join(to).ok()) else { return };
        let is_allowed = is_answer(&to) || to.scheme() == "https" || to.origin() == address.origin();
        if is_answer(&page) || !is_allowed {
            return;
        }
        page = to;
    }
}
