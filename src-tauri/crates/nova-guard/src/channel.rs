//! The sockets between Nova and a guard, and between a guard and its inner step.
//!
//! One [`Order`] is sent in one direction: descriptors, and the command's environment. Lines come back:
//! `confined files=fully calls=fully`, then `started` or `failed REASON`.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// More than the kernel's default limit for arguments and environment together.
const MAX_ENVIRONMENT: usize = 8 << 20;

/// Reported by an inner step that stays the parent of a view: the command runs.
pub(crate) const RUNS: &str = "runs";

/// Names and values of environment variables.
pub(crate) type Environment = Vec<(OsString, OsString)>;

/// What a command receives besides its command line.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) stdin: OwnedFd,
    /// Socket over which the proxy's listening socket is sent.
    pub(crate) proxy: Option<OwnedFd>,
    pub(crate) environment: Environment,
}

/// Sends the descriptors together with the length of the environment that follows.
pub(crate) fn send_descriptors(
    socket: &UnixStream,
    stdin: BorrowedFd<'_>,
    proxy: Option<BorrowedFd<'_>>,
    length: usize,
) -> io::Result<()> {
    let length = u32::try_from(length).map_err(io::Error::other)?.to_le_bytes();
    let descriptors: Vec<BorrowedFd<'_>> = [Some(stdin), proxy].into_iter().flatten().collect();
    pass(socket.as_fd(), &length, &descriptors)
}

/// Assumes an empty socket, where a few bytes are always sent completely.
pub(crate) fn pass(socket: BorrowedFd<'_>, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
    sendmsg(socket, &[IoSlice::new(bytes)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Returns the number of bytes received, and the descriptors.
pub(crate) fn take(socket: BorrowedFd<'_>, bytes: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(socket, &mut [IoSliceMut::new(bytes)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let rights = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    Ok((received.bytes, rights.flatten().collect()))
}

/// Receives an order.
pub(crate) fn receive(socket: &mut UnixStream) -> io::Result<Order> {
    let mut length = [0; 4];
    let (bytes, descriptors) = take(socket.as_fd(), &mut length)?;
    let mut descriptors = descriptors.into_iter();
    let stdin = descriptors.next().ok_or_else(|| io::Error::other("the order has no standard input"))?;
    socket.read_exact(&mut length[bytes..])?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_ENVIRONMENT {
        return Err(io::Error::other("the environment is longer than 8 MB"));
    }
    let mut block = vec![0; length];
    socket.read_exact(&mut block)?;
    Ok(Order { stdin, proxy: descriptors.next(), environment: unpack(&block) })
}

pub(crate) fn send(socket: &mut UnixStream, order: &Order) -> io::Result<()> {
    let block = pack(&order.environment).map_err(io::Error::other)?;
    send_descriptors(socket, order.stdin.as_fd(), order.proxy.as_ref().map(OwnedFd::as_fd), block.len())?;
    socket.write_all(&block)
}

/// Serialises as NUL-terminated `NAME=value`.
pub(crate) fn pack(environment: &Environment) -> Result<Vec<u8>, String> {
    let mut block = Vec::new();
    for (name, value) in environment {
        if name.is_empty() || name.as_bytes().iter().any(|byte| matches!(byte, 0 | b'=')) {
            return Err(format!("{:?} cannot be the name of an environment variable", name.display()));
        }
        if value.as_bytes().contains(&0) {
            return Err(format!("the environment variable {} has a NUL in its value", name.display()));
        }
        block.extend_from_slice(name.as_bytes());
        block.push(b'=');
        block.extend_from_slice(value.as_bytes());
        block.push(0);
    }
    if block.len() > MAX_ENVIRONMENT {
        return Err("the environment is longer than 8 MB".into());
    }
    Ok(block)
}

fn unpack(block: &[u8]) -> Environment {
    let owned = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    block
        .split(|byte| *byte == 0)
        .filter_map(|entry| {
            let at = entry.iter().position(|byte| *byte == b'=')?;
            Some((owned(&entry[..at]), owned(&entry[at + 1..])))
        })
        .collect()
}

/// The value of a variable; the last one wins.
pub(crate) fn variable<'a>(environment: &'a Environment, name: &str) -> Option<&'a OsStr> {
    environment.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
}
