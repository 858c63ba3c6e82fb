//! Builds the root of a view, in the namespaces created by `enter`.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::unistd::{chdir, pivot_root};

use crate::confinement::Limits;
use crate::view::View;

/// System programs and their dependencies, with nothing of the user's.
const PROGRAMS: [&str; 11] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
];
/// System configuration that programs read, without passwords, keys or host names.
const SETTINGS: [&str; 27] = [
    "/etc/ImageMagick-6",
    "/etc/ImageMagick-7",
    "/etc/alternatives",
    "/etc/ca-certificates/extracted",
    "/etc/debian_version",
    "/etc/fonts",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/libreoffice",
    "/etc/locale.alias",
    "/etc/locale.conf",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/papersize",
    "/etc/passwd",
    "/etc/perl",
    "/etc/pki/ca-trust/extracted",
    "/etc/pki/tls/certs",
    "/etc/ssl/certs",
    "/etc/terminfo",
    "/etc/texmf",
    "/etc/timezone",
];
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// Entries of `/proc` that affect the whole system.
const SYSTEM_WIDE: [&str; 5] = ["bus", "fs", "irq", "sys", "sysrq-trigger"];

/// Mount points for the new root and, temporarily, the system's root.
const NEW: &str = "/new";
const OLD: &str = "/old";

/// Makes the view the root of this process and its descendants, and unmounts the system's root.
pub(crate) fn make(view: &View, limits: &Limits) -> Result<(), String> {
    mount_staging_root().map_err(said("a root of its own"))?;
    for path in PROGRAMS.into_iter().chain(SETTINGS) {
        show_of_system(Path::new(path))?;
    }
    for folder in &view.folders {
        if is_of_system(&folder.at) {
            // Its mount point would be created in the system's own folder.
            return Err(format!("{} is a system folder", folder.at.display()));
        }
        bind(&folder.source, &folder.at)?;
    }
    devices()?;
    let tmp = format!("mode=1777,{}", view.tmp.map(|bytes| format!("size={bytes}")).unwrap_or_default());
    fresh("tmpfs", "/tmp", MsFlags::MS_NOSUID | MsFlags::MS_NODEV, Some(tmp.trim_end_matches(',')))?;
    fresh("proc", "/proc", MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC, None)?;
    limit_processes(limits.all_processes);
    for name in SYSTEM_WIDE {
        let path = inside(Path::new("/proc")).join(name);
        // A kernel without the file needs no protection of it.
        let _ = mount(Some(&path), &path, None::<&str>, MsFlags::MS_BIND | MsFlags::MS_REC, None::<&str>);
    }
    close_mounts(view)?;
    // Not earlier: mounted folders are the system's, and no link may be created in them.
    for (at, to) in view.links.iter().filter(|(at, _)| !view.writable().any(|folder| at.starts_with(folder)))
    {
        let at = inside(at);
        // If the path is taken, the command uses the path in the view instead.
        let _ = at.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| symlink(to, &at));
    }
    close(Path::new(NEW), MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV)?;
    enter().map_err(said("a root of its own"))
}

/// Mounts a fresh root with two folders: an empty one for the view, and the system's root.
fn mount_staging_root() -> nix::Result<()> {
    const BASE: &str = "/tmp";
    let none = None::<&str>;
    // Stops mounts from propagating to the outside.
    mount(none, "/", none, MsFlags::MS_SLAVE | MsFlags::MS_REC, none)?;
    mount(Some("tmpfs"), BASE, Some("tmpfs"), MsFlags::MS_NOSUID | MsFlags::MS_NODEV, Some("mode=755"))?;
    chdir(BASE)?;
    for folder in ["new", "old"] {
        fs::create_dir(folder).map_err(|error| errno(&error))?;
    }
    mount(Some("new"), "new", none, MsFlags::MS_BIND | MsFlags::MS_REC, none)?;
    pivot_root(".", "old")?;
    chdir("/")
}

/// Shows a system folder or file; a link is recreated, so that it resolves within the view.
fn show_of_system(path: &Path) -> Result<(), String> {
    let source = outside(path);
    let Ok(found) = fs::symlink_metadata(&source) else { return Ok(()) };
    if !found.is_symlink() {
        return bind(path, path);
    }
    let place = inside(path);
    let target = fs::read_link(&source).map_err(|error| format!("{}: {error}", path.display()))?;
    let parent = place.parent().map_or(Ok(()), fs::create_dir_all);
    parent.and_then(|()| symlink(target, &place)).map_err(|error| format!("{}: {error}", path.display()))
}

fn bind(source: &Path, at: &Path) -> Result<(), String> {
    let describe = |error: std::io::Error| format!("{}: {error}", source.display());
    let (from, place) = (outside(source), inside(at));
    let is_folder = fs::metadata(&from).map_err(describe)?.is_dir();
    if is_folder {
        fs::create_dir_all(&place).map_err(describe)?;
    } else {
        place.parent().map_or(Ok(()), fs::create_dir_all).map_err(describe)?;
        File::create(&place).map_err(describe)?;
    }
    // Including submounts: the kernel forbids revealing what they cover.
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount(Some(&from), &place, None::<&str>, flags, None::<&str>)
        .map_err(|error| format!("{}: {error}", source.display()))
}

fn devices() -> Result<(), String> {
    let describe = |error: std::io::Error| format!("/dev: {error}");
    for device in DEVICES {
        bind(Path::new(device), Path::new(device))?;
    }
    let links = [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
        ("shm", "/tmp"),
    ];
    links
        .into_iter()
        .try_for_each(|(name, target)| symlink(target, inside(Path::new("/dev")).join(name)))
        .map_err(describe)
}

fn fresh(kind: &str, at: &str, flags: MsFlags, data: Option<&str>) -> Result<(), String> {
    let place = inside(Path::new(at));
    fs::create_dir_all(&place).map_err(|error| format!("{at}: {error}"))?;
    mount(Some(kind), &place, Some(kind), flags, data).map_err(said(at))
}

/// Before Linux 6.14 `pid_max` is global and must not be changed.
fn limit_processes(limit: Option<u64>) {
    /// The kernel does not reuse PIDs below this.
    const RESERVED: u64 = 300;
    let release = fs::read_to_string(outside(Path::new("/proc/sys/kernel/osrelease"))).unwrap_or_default();
    let mut numbers = release.split(['.', '-']).map(|number| number.parse::<u32>().unwrap_or_default());
    let version = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    if let Some(limit) = limit.filter(|_| version >= (6, 14)) {
        // 1.5 times the limit, so that the guard can observe and report that it is exceeded. If it cannot be
        // set, only the guard enforces it.
        let most = RESERVED + limit + limit / 2;
        let _ = fs::write(inside(Path::new("/proc/sys/kernel/pid_max")), most.to_string());
    }
}

/// Restricts all mounts of the view except its root: read-only unless writable, no devices except in `/dev`,
/// no setuid programs.
fn close_mounts(view: &View) -> Result<(), String> {
    let mounts = fs::read(outside(Path::new("/proc/self/mountinfo"))).map_err(|error| error.to_string())?;
    for (place, own) in mounts.split(|byte| *byte == b'\n').filter_map(mount_of) {
        let Some(below) = place.strip_prefix(NEW).ok().filter(|below| *below != Path::new("")) else {
            continue;
        };
        let at = Path::new("/").join(below);
        let writes = at == Path::new("/tmp")
            || at == Path::new("/proc")
            || at.starts_with("/dev")
            || view.writable().any(|folder| at.starts_with(folder));
        let mut flags = own | MsFlags::MS_NOSUID;
        flags.set(MsFlags::MS_RDONLY, own.contains(MsFlags::MS_RDONLY) || !writes);
        flags.set(MsFlags::MS_NODEV, own.contains(MsFlags::MS_NODEV) || !at.starts_with("/dev"));
        close(&place, flags)?;
    }
    Ok(())
}

fn close(place: &Path, flags: MsFlags) -> Result<(), String> {
    let change = MsFlags::MS_BIND | MsFlags::MS_REMOUNT;
    mount(None::<&str>, place, None::<&str>, change | flags, None::<&str>)
        .map_err(|error| format!("{}: {error}", place.display()))
}

/// Whether the path is in a system folder shown by the view.
fn is_of_system(at: &Path) -> bool {
    let top = |path: &Path| path.components().nth(1).map(|name| name.as_os_str().to_owned());
    let mut own = PROGRAMS.into_iter().chain(["/etc", "/dev", "/proc", "/tmp"]);
    top(at).is_none() || own.any(|path| top(Path::new(path)) == top(at))
}

/// Parses mount point and options from a line as in proc(5): `36 35 98:0 /root /point rw,noatime …`.
fn mount_of(line: &[u8]) -> Option<(PathBuf, MsFlags)> {
    let mut words = line.split(|byte| *byte == b' ').skip(4);
    let place = PathBuf::from(std::ffi::OsString::from_vec(unescaped(words.next()?)));
    let options = str::from_utf8(words.next()?).ok()?;
    let flags = options.split(',').map(|option| match option {
        "ro" => MsFlags::MS_RDONLY,
        "nosuid" => MsFlags::MS_NOSUID,
        "nodev" => MsFlags::MS_NODEV,
        "noexec" => MsFlags::MS_NOEXEC,
        "noatime" => MsFlags::MS_NOATIME,
        "nodiratime" => MsFlags::MS_NODIRATIME,
        "relatime" => MsFlags::MS_RELATIME,
        _ => MsFlags::empty(),
    });
    Some((place, flags.collect()))
}

/// Decodes octal escapes such as `\040` for a space.
fn unescaped(word: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = word;
    while let Some((first, more)) = rest.split_first() {
        let octal = more.get(..3).filter(|_| *first == b'\\');
        let octal = octal.and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 8).ok());
        (bytes, rest) = match octal {
            Some(byte) => ([bytes, vec![byte]].concat(), &more[3..]),
            None => ([bytes, vec![*first]].concat(), more),
        };
    }
    bytes
}

fn enter() -> nix::Result<()> {
    chdir(NEW)?;
    // Stacks the new root on the old one, which is unmounted next; see pivot_root(2).
    pivot_root(".", ".")?;
    umount2(".", MntFlags::MNT_DETACH)?;
    chdir("/")
}

fn inside(at: &Path) -> PathBuf {
    Path::new(NEW).join(at.strip_prefix("/").unwrap_or(at))
}

fn outside(path: &Path) -> PathBuf {
    Path::new(OLD).join(path.strip_prefix("/").unwrap_or(path))
}

fn said(what: &str) -> impl Fn(nix::Error) -> String {
    move |error| format!("{what}: {error}")
}

fn errno(error: &std::io::Error) -> nix::Error {
    match error.kind() {
        ErrorKind::PermissionDenied => nix::Error::EACCES,
        _ => error.raw_os_error().map_or(nix::Error::EIO, nix::Error::from_raw),
    }
}
