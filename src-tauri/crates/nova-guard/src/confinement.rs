use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::view::View;

/// What a command may reach, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    pub files: Files,
    /// Whether the command may make sockets. Without, it has the descriptors that it was given and
    /// no way to a server, be it on the net, on this machine or behind a Unix socket. [`View::proxy`] is
    /// the one exception.
    pub network: bool,
    /// Whether the command may start processes. Threads are always allowed.
    pub spawn: bool,
    pub limits: Limits,
    /// Whether the command must not start where the system cannot enforce `files`, `network` and
    /// `spawn`. If false, what could not be enforced is reported by [`Guarded`](crate::Guarded). Limits
    /// always act on Linux.
    pub require: bool,
}

/// Which files a command may open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// What the user may.
    Any,
    /// What is in these folders or is one of these files; all must exist, by absolute path.
    ///
    /// Besides, the command may execute its own program and read the system's shared libraries
    /// (`/lib`, `/usr/lib`, …), and has `/dev/null`, `/dev/zero`, `/dev/random` and `/dev/urandom`.
    Only {
        /// May be read, listed and executed.
        read: Vec<PathBuf>,
        /// May be read, listed, executed, and changed in every way.
        write: Vec<PathBuf>,
    },
    /// What is in this view: the command gets namespaces of its own (user, mount, process, network, IPC, host name),
    /// and where the kernel has Landlock that holds within the view, too. Always required; needs `spawn`.
    View(View),
}

/// How much a command may use; each process of it by itself, but for those that say otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of private writable memory: heap, stacks of threads, private mappings.
    pub memory: Option<u64>,
    /// Bytes of address space, so also memory that is shared. V8 reserves many gigabytes.
    pub address_space: Option<u64>,
    /// Descriptors open at a time.
    pub open_files: Option<u64>,
    /// Processes and threads beside those that the user has when the command starts. The system
    /// counts all of a user's together, and does not hold the superuser to it.
    pub processes: Option<u64>,
    /// Bytes of the largest file that may be written.
    pub file_size: Option<u64>,
    /// Seconds of computing, over all threads of a process.
    pub cpu_seconds: Option<u64>,
    /// Bytes of private memory in use by all of its processes together. Looked at ten times a second; above it the
    /// guard ends the command. What lies in a view's `/tmp` does not count.
    pub all_memory: Option<u64>,
    /// Processes and threads of it together, the guard's own two of a view included. Looked at as often; in a
    /// view, Linux 6.14 and later refuses those beyond half as many again.
    pub all_processes: Option<u64>,
}

/// A limit for all processes together, for which a guard ends its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReachedLimit {
    Memory,
    Processes,
}

/// How far a part of a [`Confinement`] holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforced {
    NotAsked,
    Fully,
    /// Files: an older kernel, which leaves truncating files by name (before 6.2), commands to
    /// devices (6.10) or signals to processes outside (6.12) unguarded.
    Partly,
    Not,
}

impl Confinement {
    /// No files, no network, no processes, and all of it required.
    pub fn nothing() -> Self {
        Self {
            files: Files::Only { read: Vec::new(), write: Vec::new() },
            network: false,
            spawn: false,
            limits: Limits::default(),
            require: true,
        }
    }

    /// Everything that the user may do; the command is only ended reliably. Programs that would
    /// give it another user's rights (`sudo`) do not.
    pub fn supervised() -> Self {
        Self { files: Files::Any, network: true, spawn: true, limits: Limits::default(), require: false }
    }

    /// Whether the command may connect to a proxy, and to nothing else.
    pub(crate) fn has_proxy(&self) -> bool {
        !self.network && matches!(&self.files, Files::View(view) if view.proxy)
    }

    /// Whether system calls are filtered.
    pub(crate) fn filters_calls(&self) -> bool {
        self.files != Files::Any || !self.network || !self.spawn
    }
}

impl ReachedLimit {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Processes => "processes",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [Self::Memory, Self::Processes].into_iter().find(|limit| limit.word() == word)
    }
}

impl Enforced {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Enforced::NotAsked => "not-asked",
            Enforced::Fully => "fully",
            Enforced::Partly => "partly",
            Enforced::Not => "not",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [Enforced::NotAsked, Enforced::Fully, Enforced::Partly, Enforced::Not]
            .into_iter()
            .find(|enforced| enforced.word() == word)
    }
}

/// What stands on a guard's command line: `[OPTION VALUE]… -- PROGRAM [ARGUMENT]…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandLine {
    pub confinement: Confinement,
    pub folder: PathBuf,
    pub program: PathBuf,
    pub args: Vec<OsString>,
}

impl CommandLine {
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let Confinement { files, network, spawn, limits, require } = &self.confinement;
        let mut args: Vec<OsString> = Vec::new();
        let mut option = |name: &str, value: &OsStr| args.extend([name.into(), value.to_owned()]);
        match files {
            Files::Any => option("--files", OsStr::new("any")),
            Files::Only { read, write } => {
                read.iter().for_each(|path| option("--read", path.as_os_str()));
                write.iter().for_each(|path| option("--write", path.as_os_str()));
            }
            Files::View(view) => view.to_options().iter().for_each(|(name, value)| option(name, value)),
        }
        for (name, allowed) in [("--network", network), ("--spawn", spawn), ("--require", require)] {
            option(name, OsStr::new(if *allowed { "yes" } else { "no" }));
        }
        for (name, limit) in limits.clone().by_name() {
            if let Some(limit) = limit {
                option(name, OsStr::new(&limit.to_string()));
            }
        }
        option("--folder", self.folder.as_os_str());
        args.push("--".into());
        args.push(self.program.clone().into());
        args.extend(self.args.iter().cloned());
        args
    }

    /// What is not said is not allowed.
    pub(crate) fn from_args(args: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut args = args.into_iter();
        let mut confinement = Confinement::nothing();
        let (mut read, mut write) = (Vec::new(), Vec::new());
        let (mut any_file, mut view) = (false, None::<View>);
        let mut folder = PathBuf::from("/");
        loop {
            let name = args.next().ok_or("`--` and the command are missing")?;
            if name == "--" {
                break;
            }
            let name = name.to_str().ok_or("an option is not text")?;
            let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
            let yes = value == "yes";
            match name {
                "--files" if value == "any" => any_file = true,
                "--read" => read.push(value.into()),
                "--write" => write.push(value.into()),
                "--network" => confinement.network = yes,
                "--spawn" => confinement.spawn = yes,
                "--require" => confinement.require = yes,
                "--folder" => folder = value.into(),
                "--view" if yes => view = Some(View::default()),
                _ if view.as_mut().is_some_and(|view| view.take(name, &value)) => {}
                _ => {
                    let number = value.to_str().and_then(|value| value.parse().ok());
                    let limit =
                        confinement.limits.by_name_mut().into_iter().find(|(known, _)| *known == name);
                    match (limit, number) {
                        (Some((_, limit)), Some(number)) => *limit = Some(number),
                        _ => return Err(format!("{name} {} is not known", value.display())),
                    }
                }
            }
        }
        confinement.files = match view {
            Some(view) => Files::View(view),
            None if any_file => Files::Any,
            None => Files::Only { read, write },
        };
        let program = args.next().ok_or("the command after `--` is missing")?.into();
        Ok(Self { confinement, folder, program, args: args.collect() })
    }
}

impl Limits {
    fn by_name(mut self) -> [(&'static str, Option<u64>); 8] {
        self.by_name_mut().map(|(name, limit)| (name, *limit))
    }

    fn by_name_mut(&mut self) -> [(&'static str, &mut Option<u64>); 8] {
        [
            ("--memory", &mut self.memory),
            ("--address-space", &mut self.address_space),
            ("--open-files", &mut self.open_files),
            ("--processes", &mut self.processes),
            ("--file-size", &mut self.file_size),
            ("--cpu-seconds", &mut self.cpu_seconds),
            ("--all-memory", &mut self.all_memory),
            ("--all-processes", &mut self.all_processes),
        ]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::view::ShownFolder;

    fn line(words: &[&str]) -> Result<CommandLine, String> {
        CommandLine::from_args(words.iter().map(OsString::from))
    }

    #[test]
    fn what_the_command_line_does_not_allow_is_not_allowed() {
        let line = line(&["--", "/bin/true", "--network", "yes"]).unwrap();
        assert_eq!(line.confinement, Confinement::nothing());
        assert_eq!(line.args, ["--network", "yes"], "after `--` everything belongs to the command");
    }

    #[test]
    fn a_confinement_comes_out_of_the_command_line_as_it_went_in() {
        let confinement = Confinement {
            files: Files::Only {
                read: vec!["/usr".into(), "--write".into()],
                write: vec!["/tmp/a b".into()],
            },
            network: true,
            spawn: false,
            limits: Limits { memory: Some(64 << 20), cpu_seconds: Some(5), ..Limits::default() },
            require: false,
        };
        let shown =
            |source: &str, at: &str, write| ShownFolder { source: source.into(), at: at.into(), write };
        let view = View {
            folders: vec![shown("/home/jane/Work", "/workspaces/--at", true), shown("/a", "/b", false)],
            links: vec![("/home/jane/Work".into(), "/workspaces/--at".into())],
            tmp: Some(1 << 20),
            proxy: true,
        };
        let of_view = Confinement { files: Files::View(view), spawn: true, ..Confinement::nothing() };
        for confinement in [confinement, of_view, Confinement::nothing(), Confinement::supervised()] {
            let program = "/bin/echo".into();
            let line = CommandLine { confinement, folder: "/tmp".into(), program, args: vec!["--".into()] };
            assert_eq!(CommandLine::from_args(line.to_args()), Ok(line));
        }
    }

    #[test]
    fn an_unknown_option_or_value_is_refused() {
        for words in [
            &["--memroy", "1", "--", "/bin/true"][..],
            &["--memory", "much", "--", "/bin/true"],
            &["--files", "some", "--", "/bin/true"],
            &["--read", "/usr"],
            &["--show", "/usr", "--at", "/usr", "--", "/bin/true"],
            &["--"],
        ] {
            assert!(line(words).is_err(), "{words:?}");
        }
    }
}
