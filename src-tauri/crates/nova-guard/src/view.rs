//! A root folder of the command's own: what it shows, as data.

use std::ffi::{OsStr, OsString};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

/// What a command sees in place of the system's root: these folders, and nothing else of the user's.
///
/// Besides, it has the system's program folders (`/usr`, `/bin`, `/lib`, `/opt`, a few files of `/etc`) to read,
/// a `/dev` with `null`, `zero`, `full`, `random` and `urandom`, a `/proc` with its own processes alone, and an
/// empty `/tmp` that is gone with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    pub folders: Vec<ShownFolder>,
    /// Each a path in the view, and the path in the view that it leads to. One that cannot be made is left out.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Bytes that fit into `/tmp`; half of the machine's memory where none are given.
    pub tmp: Option<u64>,
    /// Whether there is a proxy for the command at [`PROXY`], on the loopback address of its own network: the process that
    /// started the command accepts the connections, and it can make no other. Without meaning
    /// where the [`Confinement`](crate::Confinement) allows the network.
    pub proxy: bool,
}

/// Where a command with a proxy finds it. Nothing else listens in its network.
pub const PROXY: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 3128);

/// A folder that a view shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownFolder {
    /// By absolute path and without links; must exist.
    pub source: PathBuf,
    /// Where the command sees it, by absolute path; no folder of a view lies in another.
    pub at: PathBuf,
    pub write: bool,
}

impl View {
    /// With [`View::take`] the other way of the guard's command line.
    pub(crate) fn to_options(&self) -> Vec<(&'static str, OsString)> {
        let mut options = vec![("--view", OsString::from("yes"))];
        for folder in &self.folders {
            let name = if folder.write { "--show-to-write" } else { "--show" };
            options.extend([(name, folder.source.clone().into()), ("--at", folder.at.clone().into())]);
        }
        for (at, to) in &self.links {
            options.extend([("--link", at.clone().into()), ("--to", to.clone().into())]);
        }
        options.extend(self.proxy.then(|| ("--proxy", OsString::from("yes"))));
        options.extend(self.tmp.map(|bytes| ("--tmp", OsString::from(bytes.to_string()))));
        options
    }

    /// Takes in one option; whether it is one of a view's.
    pub(crate) fn take(&mut self, name: &str, value: &OsStr) -> bool {
        let path = || Path::new(value).to_owned();
        match name {
            "--show" | "--show-to-write" => {
                let write = name == "--show-to-write";
                self.folders.push(ShownFolder { source: path(), at: PathBuf::new(), write });
            }
            "--at" => self.folders.last_mut().into_iter().for_each(|folder| folder.at = path()),
            "--link" => self.links.push((path(), PathBuf::new())),
            "--to" => self.links.last_mut().into_iter().for_each(|link| link.1 = path()),
            "--proxy" => self.proxy = value == "yes",
            "--tmp" => self.tmp = value.to_str().and_then(|bytes| bytes.parse().ok()),
            _ => return false,
        }
        true
    }

    pub(crate) fn writable(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().filter(|folder| folder.write).map(|folder| folder.at.as_path())
    }
}
