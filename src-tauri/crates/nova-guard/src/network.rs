//! The network of a command with a proxy: a loopback interface with one server.

use std::io;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};

use crate::channel;
use crate::view::PROXY;

/// Creates the socket that listens for the command's connections and sends it over `nova`. This process must
/// be in a new network namespace.
pub(crate) fn listen(nova: BorrowedFd<'_>) -> io::Result<()> {
    loopback_up()?;
    let listener = TcpListener::bind(PROXY)?;
    channel::pass(nova, &[0], &[listener.as_fd()])
}

/// Like `ip link set lo up`: the interface of a new namespace is down. See rtnetlink(7).
fn loopback_up() -> io::Result<()> {
    const RTM_NEWLINK: u16 = 16;
    const NLM_F_REQUEST_AND_ACK: u16 = 1 | 4;
    const IFF_UP: u32 = 1;
    // It is the first interface of each namespace.
    const LOOPBACK: i32 = 1;

    let mut message = Vec::new();
    // nlmsghdr: length, type, flags, sequence, port
    message.extend(32_u32.to_ne_bytes());
    message.extend(RTM_NEWLINK.to_ne_bytes());
    message.extend(NLM_F_REQUEST_AND_ACK.to_ne_bytes());
    message.extend([0; 8]);
    // ifinfomsg: family and type, index, flags, which of them change
    message.extend([0; 4]);
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(IFF_UP.to_ne_bytes());
    message.extend(IFF_UP.to_ne_bytes());

    // Protocol 0 is NETLINK_ROUTE.
    let socket =
        rustix::net::socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    rustix::net::send(&socket, &message, SendFlags::empty())?;
    // An nlmsghdr followed by an error number, 0 for success.
    let mut answer = [0_u8; 64];
    rustix::net::recv(&socket, &mut answer, RecvFlags::empty())?;
    match i32::from_ne_bytes([answer[16], answer[17], answer[18], answer[19]]) {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(-error)),
    }
}
