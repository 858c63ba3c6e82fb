use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::view::View;

/// The permissions and limits of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    pub files: Files,
    /// Whether the command may create sockets. Otherwise it has only inherited descriptors and cannot connect
    /// to any server on the network, on this machine or behind a Unix socket; the only exception is
    /// [`View::proxy`].
    pub network: bool,
    /// Whether the command may create processes. Threads are always allowed.
    pub spawn: bool,
    pub limits: Limits,
    /// Whether to refuse to start if the system cannot enforce `files`, `network` and `spawn`. If false,
    /// [`Guarded`](crate::Guarded) reports what is not enforced. On Linux, limits are always enforced.
    pub require: bool,
}

/// The files a command may access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// All files accessible to the user.
    Any,
    /// Only these files and folders with their contents; all must exist and be absolute paths.
    ///
    /// In addition, the command may execute its own program and read the system's shared libraries (`/lib`,
    /// `/usr/lib`, …), and has `/dev/null`, `/dev/zero`, `/dev/random` and `/dev/urandom`.
    Only {
        /// To read, list and execute.
        read: Vec<PathBuf>,
        /// To read, list, execute and modify in every way.
        write: Vec<PathBuf>,
    },
    /// Only the contents of this view: the command gets its own namespaces (user, mount, PID, network, IPC,
    /// UTS), and Landlock in addition if the kernel has it. Always required; needs `spawn`.
    View(View),
}

/// Resource limits, per process unless stated otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Private writable memory in bytes: heap, thread stacks, private mappings.
    pub memory: Option<u64>,
    /// Address space in bytes, including shared memory. V8 reserves many gigabytes.
    pub address_space: Option<u64>,
    /// Open descriptors.
    pub open_files: Option<u64>,
    /// Processes and threads in addition to those the user has when the command starts. The kernel counts
    /// them per user, and exempts root.
    pub processes: Option<u64>,
    /// Size of a written file, in bytes.
    pub file_size: Option<u64>,
    /// CPU seconds, over all threads of a process.
    pub cpu_seconds: Option<u64>,
    /// Private memory of all its processes together, in bytes. Checked ten times a second; the guard kills
    /// the command above it. The contents of a view's `/tmp` do not count.
    pub all_memory: Option<u64>,
    /// Processes and threads of all its processes together, including the guard's own two of a view. Checked
    /// as often; in a view, Linux 6.14 and later also refuses to create more than 1.5 times as many.
    pub all_processes: Option<u64>,
}

/// A limit for all processes together, whose violation made the guard kill its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReachedLimit {
    Memory,
    Processes,
}

/// To what extent a part of a [`Confinement`] is enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enforced {
    NotAsked,
    Fully,
    /// Files only: on older kernels, truncation by name (before 6.2), device ioctls (6.10) or signals to
    /// outside processes (6.12) are not restricted.
    Partly,
    Not,
}

impl Confinement {
    /// No files, network or processes; all of it required.
    pub fn nothing() -> Self {
        Self {
            files: Files::Only { read: Vec::new(), write: Vec::new() },
            network: false,
            spawn: false,
            limits: Limits::default(),
            require: true,
        }
    }

    /// All permissions of the user; the command is only killed reliably. Programs that switch the user
    /// (`sudo`) do not work.
    pub fn supervised() -> Self {
        Self { files: Files::Any, network: true, spawn: true, limits: Limits::default(), require: false }
    }

    /// Whether the command can connect to a proxy and to nothing else.
    pub(crate) fn has_proxy(&self) -> bool {
        !self.network && matches!(&self.files, Files::View(view) if view.proxy)
    }

    /// Whether a seccomp filter is installed.
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

/// A guard's command line: `[OPTION VALUE]… -- PROGRAM [ARGUMENT]…`.
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

    /// Permissions that are not mentioned are denied.
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
    fn command_line_denies_by_default() {
        let line = line(&["--", "/bin/true", "--network", "yes"]).unwrap();
        assert_eq!(line.confinement, Confinement::nothing());
        assert_eq!(line.args, ["--network", "yes"], "after `--` everything belongs to the command");
    }

    #[test]
    fn confinement_round_trips_through_the_command_line() {
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
    fn unknown_option_or_value_is_refused() {
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
