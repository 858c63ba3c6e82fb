//! The program under test: `probe WORD [ARGUMENT]…`, see [`main`].
//!
//! Prints one line per result: `done`, or the system's error.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::net::{TcpStream, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::process::Command;

use nova_guard::{Confinement, Guard};
use rustix::process::{Pid, Signal};

pub(crate) fn main() {
    let mut args = std::env::args_os().skip(1);
    let word = args.next().expect("a word").into_string().expect("text");
    let args: Vec<OsString> = args.collect();
    let text = |index: usize| args[index].to_str().expect("text");
    match word.as_str() {
        "parent" => parent(&args),
        "without" => without(text(0), &args[1..]),
        "all" => try_everything(text(0), text(1), text(2)),
        "read" => tell("read", fs::read(&args[0])),
        "write" => tell("write", fs::write(&args[0], "written")),
        "truncate" => tell("truncate", fs::File::options().write(true).truncate(true).open(&args[0])),
        "device" => tell(
            "device",
            rustix::fs::mknodat(
                rustix::fs::CWD,
                &args[0],
                rustix::fs::FileType::BlockDevice,
                rustix::fs::Mode::RWXU,
                rustix::fs::makedev(1, 0),
            ),
        ),
        "socket" => tell("unix", UnixStream::connect(&args[0])),
        "signal" => {
            let pid = text(0).parse().ok().and_then(Pid::from_raw).expect("a process id");
            tell("signal", rustix::process::kill_process(pid, Signal::TERM));
        }
        "spawn" => tell("spawn", Command::new("/bin/true").status()),
        "allocate" => {
            let mut bytes: Vec<u8> = Vec::new();
            tell("allocate", bytes.try_reserve_exact(text(0).parse().expect("bytes")));
        }
        "open" => {
            let files: io::Result<Vec<_>> = (0..100).map(|_| fs::File::open("/dev/null")).collect();
            tell("open", files);
        }
        "compute" => {
            let mut number = 0_u64;
            loop {
                number = std::hint::black_box(number.wrapping_add(1));
            }
        }
        _ => panic!("{word} is not known"),
    }
}

fn tell<T>(what: &str, result: Result<T, impl std::fmt::Display>) {
    let answer = result.map_or_else(|error| error.to_string(), |_| "done".to_owned());
    writeln!(io::stdout(), "{what}: {answer}").expect("standard output");
}

/// `all FILE ADDRESS PID`: tries everything that an unprivileged command must not be able to do.
fn try_everything(file: &str, address: &str, pid: &str) {
    let pid: Pid = pid.parse().ok().and_then(Pid::from_raw).expect("a process id");
    tell("read", fs::read(file));
    tell("list", fs::read_dir(std::path::Path::new(file).parent().expect("a folder")));
    tell("write", fs::write(format!("{file}.new"), "new"));
    tell("append", fs::File::options().append(true).open(file));
    tell("remove", fs::remove_file(file));
    tell("passwd", fs::read("/etc/passwd"));
    tell("environ", fs::read(format!("/proc/{pid}/environ")));
    tell("memory", fs::read(format!("/proc/{pid}/maps")));
    tell("tcp", TcpStream::connect(address));
    tell("udp", UdpSocket::bind("127.0.0.1:0"));
    tell("unix", UnixDatagram::unbound());
    tell("listen", UnixListener::bind(format!("{file}.socket")));
    tell("pair", UnixStream::pair());
    tell("signal", rustix::process::kill_process(pid, Signal::TERM));
    let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    tell("prlimit", rustix::process::prlimit(Some(pid), rustix::process::Resource::Core, none));
    tell("spawn", Command::new("/proc/self/exe").status());
    tell("thread", std::thread::Builder::new().spawn(|| {}).map(|thread| thread.join().is_ok()));
}

/// `parent GUARD PROGRAM [ARGUMENT]…`: starts a command under a guard, prints `guard PID`, then the command's
/// output.
fn parent(args: &[OsString]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let guard = Guard::new(&args[0], []);
        let command = guard.command(&Confinement::supervised(), &args[1]).args(&args[2..]);
        let mut guarded = command.env("PATH", "/usr/bin:/bin").start().await.expect("a start");
        writeln!(io::stdout(), "guard {}", guarded.guard_id().expect("a guard")).expect("standard output");
        let mut output = guarded.stdout.take().expect("output");
        tokio::io::copy(&mut output, &mut tokio::io::stdout()).await.expect("copied");
        std::future::pending::<()>().await;
    });
}

/// `without landlock|seccomp PROGRAM [ARGUMENT]…`: executes the program as if the kernel lacked a feature.
fn without(part: &str, args: &[OsString]) {
    use seccompiler::{
        SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    };
    let rules = match part {
        "landlock" => vec![(libc::SYS_landlock_create_ruleset, vec![])],
        // `seccomp(SECCOMP_SET_MODE_FILTER)` and `prctl(PR_SET_SECCOMP)`
        "seccomp" => {
            let argument = |value: i32| {
                let value = value.unsigned_abs().into();
                SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
                    .expect("a condition")
            };
            vec![
                (libc::SYS_seccomp, vec![]),
                (
                    libc::SYS_prctl,
                    vec![SeccompRule::new(vec![argument(libc::PR_SET_SECCOMP)]).expect("a rule")],
                ),
            ]
        }
        _ => panic!("{part} is not known"),
    };
    let refuse = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into().expect("a known architecture");
    let filter = SeccompFilter::new(rules.into_iter().collect(), SeccompAction::Allow, refuse, arch);
    let filter: seccompiler::BpfProgram = filter.expect("a filter").try_into().expect("a program");
    seccompiler::apply_filter(&filter).expect("filtered");
    panic!("{}", Command::new(&args[0]).args(&args[1..]).exec());
}
