//! The first list of an inbox of 10,000 messages on Dovecot, compared with Python's imaplib, which fetches the same and
//! parses none of it; and the next list, from the cache. Goals: 1.5 times as long, 60 MB above idle.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use nova_mail::{HeaderCache, Imap, Mailbox as _, SignIn, Wanted};
use nova_testkit::Dovecot;
use tokio::runtime::Runtime;

const MESSAGES: usize = 10_000;
const RUNS: usize = 7;
const GOAL: f64 = 1.5;
const GOAL_MEMORY: u64 = 60_000_000;

fn main() -> ExitCode {
    let runtime = Runtime::new().unwrap();
    let server = Dovecot::start();
    for number in 0..MESSAGES {
        server.deliver("jane", "INBOX", if number % 3 == 0 { "" } else { "S" }, &message(number));
    }
    // The server reads its files once; that is not measured.
    seconds_of_imaplib(&server);
    // Resets VmHWM.
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let idle = status("VmRSS:");
    runtime.block_on(list(&server, &mut HeaderCache::default()));
    let memory = status("VmHWM:").saturating_sub(idle);

    let (mut ours, mut theirs, mut cached) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let mut cache = HeaderCache::default();
        ours.push(runtime.block_on(list(&server, &mut cache)));
        theirs.push(seconds_of_imaplib(&server));
        cached.push(runtime.block_on(newest(&server, &mut cache)));
    }
    let [ours, theirs, cached] = [ours, theirs, cached].map(median);
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!(
        "{MESSAGES} headers listed first: {ours:.1?}; imaplib: {theirs:.1?}; ratio {ratio:.2} (goal {GOAL})"
    );
    println!("the newest 100 again, from the cache: {cached:.1?}");
    println!("memory above idle: {} MB (goal {})", memory / 1_000_000, GOAL_MEMORY / 1_000_000);
    let fits = ratio <= GOAL && memory <= GOAL_MEMORY;
    println!("within the goals: {}", if fits { "yes" } else { "NO" });
    if fits { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// From the connection to the last header.
async fn list(server: &Dovecot, cache: &mut HeaderCache) -> Duration {
    let begin = Instant::now();
    let who = SignIn::by_password("jane", Dovecot::PASSWORD.to_owned());
    let mut mailbox = Imap::sign_in(server.connect().await, &who).await.unwrap();
    let wanted = Wanted { limit: MESSAGES, ..Wanted::default() };
    let found = mailbox.list_cached("INBOX", &wanted, cache).await.unwrap();
    let took = begin.elapsed();
    assert_eq!(found.messages.len(), MESSAGES);
    assert_eq!(found.messages[0].envelope.subject, subject(MESSAGES - 1));
    mailbox.close().await;
    took
}

async fn newest(server: &Dovecot, cache: &mut HeaderCache) -> Duration {
    let begin = Instant::now();
    let who = SignIn::by_password("jane", Dovecot::PASSWORD.to_owned());
    let mut mailbox = Imap::sign_in(server.connect().await, &who).await.unwrap();
    let wanted = Wanted { limit: 100, ..Wanted::default() };
    assert_eq!(mailbox.list_cached("INBOX", &wanted, cache).await.unwrap().messages.len(), 100);
    let took = begin.elapsed();
    mailbox.close().await;
    took
}

fn seconds_of_imaplib(server: &Dovecot) -> Duration {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../.ci/bench/headers.py");
    let mut python = Command::new("python3");
    python
        .arg("-B")
        .arg(script)
        .arg(server.port().to_string())
        .args([Dovecot::PASSWORD, &MESSAGES.to_string()]);
    let output = python.output().expect("python3 is installed");
    let said = String::from_utf8(output.stdout).unwrap();
    Duration::from_secs_f64(
        said.trim()
            .parse()
            .unwrap_or_else(|_| panic!("imaplib fails: {}", String::from_utf8_lossy(&output.stderr))),
    )
}

fn subject(number: usize) -> String {
    format!("Re: Minutes of meeting {number}, with the figures of the quarter")
}

fn message(number: usize) -> Vec<u8> {
    format!(
        "Received: from mx.example.org by mail.home.example; Fri, 27 Nov 2026 10:00:00 +0000\r\n\
         From: Sender {number} <sender{}@shop.example>\r\nTo: Jane Okell <jane@home.example>\r\n\
         Cc: Team <team@home.example>, Noor <noor@home.example>\r\nSubject: {}\r\n\
         Date: Fri, 27 Nov 2026 10:00:00 +0000\r\nMessage-ID: <{number}@shop.example>\r\n\
         References: <{}@shop.example> <{}@home.example>\r\nIn-Reply-To: <{}@home.example>\r\n\
         MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThe minutes are attached.\r\n",
        number % 97,
        subject(number),
        number / 2,
        number / 2,
        number / 2,
    )
    .into_bytes()
}

/// A field of this process's status, in bytes.
fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1_000
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
