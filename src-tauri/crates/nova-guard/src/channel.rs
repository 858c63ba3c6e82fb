//! The socket between Nova and a guard, and between a guard and its inner step.
//!
//! One way goes, once, the command's standard input as a descriptor with its environment. The other
//! way come lines: `confined files=fully calls=fully`, then `started` or `failed REASON`.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// More than the kernel takes for arguments and environment together by default.
const MAX_ENVIRONMENT: usize = 8 << 20;

/// The line of an inner step that stays in front of a view: the command runs.
pub(crate) const RUNS: &str = "runs";

/// Names and values of environment variables.
pub(crate) type Environment = Vec<(OsString, OsString)>;

/// Sends the length of what follows, and the descriptor with it.
pub(crate) fn send_stdin(socket: &UnixStream, stdin: BorrowedFd<'_>, length: usize) -> io::Result<()> {
    let length = u32::try_from(length).map_err(io::Error::other)?.to_le_bytes();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let descriptors = [stdin];
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    // Four bytes into an empty socket go whole.
    sendmsg(socket, &[IoSlice::new(&length)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Gets the command's standard input and environment.
pub(crate) fn receive(socket: &mut UnixStream) -> io::Result<(OwnedFd, Environment)> {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received =
        recvmsg(&*socket, &mut [IoSliceMut::new(&mut length)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let stdin = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    let stdin = stdin.ok_or_else(|| io::Error::other("no standard input came with the order"))?;
    socket.read_exact(&mut length[received.bytes..])?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_ENVIRONMENT {
        return Err(io::Error::other("the environment is longer than 8 MB"));
    }
    let mut block = vec![0; length];
    socket.read_exact(&mut block)?;
    Ok((stdin, unpack(&block)))
}

pub(crate) fn send(
    socket: &mut UnixStream,
    stdin: BorrowedFd<'_>,
    environment: &Environment,
) -> io::Result<()> {
    let block = pack(environment).map_err(io::Error::other)?;
    send_stdin(socket, stdin, block.len())?;
    socket.write_all(&block)
}

/// `NAME=value` and a NUL for each.
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

/// The value of a variable, the last one if it is there twice.
pub(crate) fn variable<'a>(environment: &'a Environment, name: &str) -> Option<&'a OsStr> {
    environment.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
}
