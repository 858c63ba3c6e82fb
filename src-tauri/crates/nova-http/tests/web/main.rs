//! Requests to real local servers under public-looking names, and attacks those servers may try.

mod hostile;
mod limits;
mod named_server;
mod proxy;
mod srv;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use nova_http::{HostGate, Limits, Names, WebOptions, is_public};
use nova_skill::{HttpRequest, ToolError};
use nova_testkit::FixedClock;

/// Allows every host except the named one, and records what it was asked.
#[derive(Default)]
struct Gate {
    closed: Option<&'static str>,
    asked: Mutex<Vec<String>>,
}

impl Gate {
    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("not poisoned").clone()
    }
}

#[async_trait]
impl HostGate for Gate {
    async fn may_contact(&self, host: &str) -> Result<(), ToolError> {
        self.asked.lock().expect("not poisoned").push(host.to_owned());
        match self.closed {
            Some(closed) if closed == host => Err(ToolError::failed("Denied by you.", "")),
            _ => Ok(()),
        }
    }
}

fn get(url: &str) -> HttpRequest {
    HttpRequest {
        method: "GET".into(),
        url: url.parse().expect("an address"),
        headers: BTreeMap::new(),
        body: None,
        timeout: None,
    }
}

fn options(names: impl Names + 'static, limits: Limits) -> WebOptions {
    let mut options = WebOptions::new(Arc::new(FixedClock::default()));
    options.names = Arc::new(names);
    options.limits = limits;
    options.allow = public_or_first_loopback;
    options
}

/// Treats 127.0.0.1, where the test servers listen, as public; all other addresses, 127.0.0.2 included, keep
/// their meaning.
fn public_or_first_loopback(address: IpAddr) -> bool {
    address == Ipv4Addr::LOCALHOST || is_public(address)
}
