//! The private root of a command, as data.

use std::ffi::{OsStr, OsString};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

/// The root that a command sees instead of the system's: these folders, and nothing else of the user's.
///
/// In addition, it has the system's program folders (`/usr`, `/bin`, `/lib`, `/opt`, a few files of `/etc`)
/// read-only, a `/dev` with `null`, `zero`, `full`, `random` and `urandom`, a `/proc` with only its own
/// processes, and an empty temporary `/tmp`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    pub folders: Vec<ShownFolder>,
    /// Symbolic links: the path of the link and its target, both in the view. A link that cannot be created
    /// is skipped.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Size of `/tmp` in bytes; half of the machine's memory by default.
    pub tmp: Option<u64>,
    /// Whether the command has a proxy at [`PROXY`], on the loopback interface of its own network, as its
    /// only connection: the process that started the command accepts the connections. Has no effect if the
    /// [`Confinement`](crate::Confinement) allows the network.
    pub proxy: bool,
}

/// The proxy's address as seen by the command. Nothing else listens in its network.
pub const PROXY: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 3128);

/// A folder shown in a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownFolder {
    /// Absolute path without links; must exist.
    pub source: PathBuf,
    /// Absolute path in the view; the folders of a view must not be nested.
    pub at: PathBuf,
    pub write: bool,
}

impl View {
    /// Inverse of [`View::take`], for the guard's command line.
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

    /// Applies one option; returns whether it belongs to a view.
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
