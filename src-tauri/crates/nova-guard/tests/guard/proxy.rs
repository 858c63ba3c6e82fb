//! Connections of a command with a proxy, on the real kernel.

use std::net::TcpListener;

use nova_guard::{Confinement, Files, GuardedCommand, PROXY, View};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::*;

fn script(text: &str, proxy: bool) -> GuardedCommand {
    let view = View { proxy, ..View::default() };
    let confinement = Confinement { files: Files::View(view), spawn: true, ..Confinement::nothing() };
    let command = guard().command(&confinement, "/bin/bash").args(["-c", text]);
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin")
}

async fn kernel_has_namespaces() -> bool {
    let started = script("true", true).start().await;
    if let Err(error) = &started {
        eprintln!("SKIPPED, nothing was tested: {error}");
        assert!(error.to_string().contains("make namespaces"), "{error}");
    }
    started.is_ok()
}

#[tokio::test]
async fn connections_to_the_proxy_arrive() {
    if !kernel_has_namespaces().await {
        return;
    }
    let text = format!(
        "exec 3<>/dev/tcp/{}/{}; echo hello >&3; read -r answer <&3; echo \"$answer\"",
        PROXY.ip(),
        PROXY.port()
    );
    let mut guarded = script(&text, true).start().await.unwrap();
    let proxy = guarded.proxy.take().unwrap();
    let (mut connection, _) = soon(proxy.accept()).await.unwrap();
    let mut hello = [0; 6];
    soon(connection.read_exact(&mut hello)).await.unwrap();
    connection.write_all(b"hello yourself\n").await.unwrap();
    let mut said = String::new();
    soon(guarded.stdout.as_mut().unwrap().read_to_string(&mut said)).await.unwrap();
    assert_eq!((&hello, said.as_str()), (b"hello\n", "hello yourself\n"));
}

#[tokio::test]
async fn no_other_address_is_reached() {
    if !kernel_has_namespaces().await {
        return;
    }
    if !std::path::Path::new("/usr/bin/python3").exists() {
        eprintln!("SKIPPED, nothing was tested: there is no /usr/bin/python3");
        return;
    }
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let tries = format!(
        "import socket
def attempt(what, work):
    try:
        work()
        print(what, 'done')
    except OSError as error:
        print(what, type(error).__name__, error.errno)
attempt('server', lambda: socket.create_connection(('127.0.0.1', {port})))
attempt('public', lambda: socket.create_connection(('93.184.215.14', 80)))
attempt('private', lambda: socket.create_connection(('10.0.0.1', 80)))
attempt('metadata', lambda: socket.create_connection(('169.254.169.254', 80)))
attempt('v6', lambda: socket.create_connection(('2606:4700:4700::1111', 53)))
attempt('udp', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
attempt('udp6', lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC))
attempt('raw', lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt('seqpacket', lambda: socket.socket(socket.AF_INET, socket.SOCK_SEQPACKET, 132))
attempt('mptcp', lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262))
attempt('sctp', lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132))
attempt('packet', lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt('netlink', lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
attempt('unix', lambda: socket.socket(socket.AF_UNIX))
attempt('vsock', lambda: socket.socket(40, socket.SOCK_STREAM))
attempt('dns', lambda: socket.getaddrinfo('example.com', 80))
attempt('tcp', lambda: socket.socket(socket.AF_INET6, socket.SOCK_STREAM | socket.SOCK_NONBLOCK, 6))
",
        port = server.local_addr().unwrap().port()
    );
    let (said, _, errors) = said(script(&format!("exec /usr/bin/python3 -c \"{tries}\""), true)).await;
    let lines: Vec<&str> = said.lines().collect();
    let unreachable = ["public", "private", "metadata", "v6"];
    assert_eq!(lines.first(), Some(&"server ConnectionRefusedError 111"), "{errors}");
    for (line, what) in lines[1..5].iter().zip(unreachable) {
        // The kernel returns one of two errors, depending on the address.
        let known = [format!("{what} OSError 101"), format!("{what} OSError 99")];
        assert!(known.contains(&(*line).to_owned()), "{line}");
    }
    let refused = ["udp", "udp6", "raw", "seqpacket", "mptcp", "sctp", "packet", "netlink", "unix", "vsock"];
    assert_eq!(lines[5..15], refused.map(|what| format!("{what} PermissionError 1")));
    assert!(lines[15].starts_with("dns gaierror"), "{said}");
    assert_eq!(lines[16..], ["tcp done"]);
}

#[tokio::test]
async fn connection_fails_after_the_listener_is_dropped() {
    if !kernel_has_namespaces().await {
        return;
    }
    let text =
        format!("read -r; (exec 3<>/dev/tcp/{}/{}) 2>/dev/null || echo refused", PROXY.ip(), PROXY.port());
    let mut guarded = script(&text, true).start().await.unwrap();
    drop(guarded.proxy.take());
    guarded.stdin.take().unwrap().write_all(b"go\n").await.unwrap();
    let mut said = String::new();
    soon(guarded.stdout.as_mut().unwrap().read_to_string(&mut said)).await.unwrap();
    assert_eq!(said, "refused\n");
}

#[tokio::test]
async fn view_without_a_proxy_cannot_connect_to_one() {
    if !kernel_has_namespaces().await {
        return;
    }
    let text = format!("(exec 3<>/dev/tcp/{}/{}) 2>&1", PROXY.ip(), PROXY.port());
    let mut guarded = script(&text, false).start().await.unwrap();
    assert!(guarded.proxy.is_none());
    let mut said = String::new();
    soon(guarded.stdout.as_mut().unwrap().read_to_string(&mut said)).await.unwrap();
    assert!(said.contains("Operation not permitted"), "{said}");
}
