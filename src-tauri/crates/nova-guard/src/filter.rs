//! Restricts system calls of this process, with seccomp.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use crate::confinement::{Confinement, Enforced};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Filters the system calls of this process, which must have one thread, and of all its descendants.
///
/// Calls that could circumvent a confinement are refused in any case: inspecting other processes, io_uring,
/// which bypasses filters, new namespaces, kernel settings. A call of another architecture (32-bit code)
/// kills the process.
pub(crate) fn install(confinement: &Confinement) -> Result<Enforced, String> {
    if !confinement.filters_calls() {
        return Ok(Enforced::NotAsked);
    }
    match install_all(confinement) {
        Ok(()) => Ok(Enforced::Fully),
        Err(error) if confinement.require => Err(format!(
            "this system cannot keep it from the network and from other processes as is required ({error}); that \
             takes a kernel with seccomp filters"
        )),
        Err(_) => Ok(Enforced::Not),
    }
}

fn install_all(confinement: &Confinement) -> seccompiler::Result<()> {
    let mut refused: Rules = AROUND.iter().map(|call| (*call, Vec::new())).collect();
    // Lowering its own limits is allowed; changing those of another process would be an attack.
    refused.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![condition(0, SeccompCmpOp::Ne, 0)?])?]);
    let mut clone = vec![SeccompRule::new(vec![has(libc::CLONE_NEWUSER)?])?];
    if !confinement.network {
        // All socket families, because Unix sockets lead to session services that start programs (D-Bus,
        // Docker, an SSH agent). `socketpair` stays allowed: both ends are its own. System V messages and
        // shared memory are shared with all processes of the user.
        let sockets = if confinement.has_proxy() { all_but_tcp()? } else { Vec::new() };
        refused.insert(libc::SYS_socket, sockets);
        refused.extend([libc::SYS_shmget, libc::SYS_msgget, libc::SYS_semget].map(|call| (call, Vec::new())));
    }
    if !confinement.spawn {
        clone.push(SeccompRule::new(vec![has_not(libc::CLONE_THREAD)?])?);
        #[cfg(target_arch = "x86_64")]
        refused.extend([libc::SYS_fork, libc::SYS_vfork].map(|call| (call, Vec::new())));
    }
    refused.insert(libc::SYS_clone, clone);
    // Its flags are in memory, which a filter cannot read. ENOSYS makes libc fall back to `clone`.
    let unknown = Rules::from([(libc::SYS_clone3, Vec::new())]);

    for (rules, error) in [(refused, libc::EPERM), (unknown, libc::ENOSYS)] {
        seccompiler::apply_filter(&compile(rules, error)?)?;
    }
    Ok(())
}

/// Calls that no confined command needs.
const AROUND: &[i64] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Bypass the filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Namespaces and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_open_by_handle_at,
    // The user's keyrings.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Large kernel attack surface.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

fn compile(rules: Rules, error: i32) -> seccompiler::Result<BpfProgram> {
    let rules = with_x32(rules);
    let arch = std::env::consts::ARCH.try_into()?;
    let refuse = SeccompAction::Errno(error.unsigned_abs());
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)?.try_into()?)
}

/// Adds the x32 variants of the calls, some of which have a third number.
fn with_x32(mut rules: Rules) -> Rules {
    #[cfg(target_arch = "x86_64")]
    {
        const X32: i64 = 0x4000_0000;
        // ptrace, kexec_load, process_vm_readv, process_vm_writev
        const OWN_NUMBERS: [i64; 4] = [521, 528, 539, 540];
        let again: Rules = rules.iter().map(|(call, rule)| (call | X32, rule.clone())).collect();
        rules.extend(again);
        if rules.contains_key(&libc::SYS_ptrace) {
            rules.extend(OWN_NUMBERS.map(|call| (call | X32, Vec::new())));
        }
    }
    rules
}

/// Matches `socket` for anything but TCP: each rule refuses one invalid argument.
fn all_but_tcp() -> seccompiler::Result<Vec<SeccompRule>> {
    let number = |value: i32| u64::from(value.unsigned_abs());
    let neither = |argument, one, other| -> seccompiler::Result<SeccompRule> {
        Ok(SeccompRule::new(vec![
            condition(argument, SeccompCmpOp::Ne, number(one))?,
            condition(argument, SeccompCmpOp::Ne, number(other))?,
        ])?)
    };
    // The type is in four bits, of which SOCK_STREAM sets only the lowest; flags are above them.
    let kind = |bit, value| -> seccompiler::Result<SeccompRule> {
        Ok(SeccompRule::new(vec![condition(1, SeccompCmpOp::MaskedEq(bit), value)?])?)
    };
    Ok(vec![
        neither(0, libc::AF_INET, libc::AF_INET6)?,
        neither(2, 0, libc::IPPROTO_TCP)?,
        kind(0b0001, 0)?,
        kind(0b0010, 0b0010)?,
        kind(0b0100, 0b0100)?,
        kind(0b1000, 0b1000)?,
    ])
}

fn condition(argument: u8, operator: SeccompCmpOp, value: u64) -> seccompiler::Result<SeccompCondition> {
    Ok(SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?)
}

/// Matches `clone` with this flag.
fn has(flag: i32) -> seccompiler::Result<SeccompCondition> {
    let flag = u64::from(flag.unsigned_abs());
    condition(0, SeccompCmpOp::MaskedEq(flag), flag)
}

/// Matches `clone` without this flag.
fn has_not(flag: i32) -> seccompiler::Result<SeccompCondition> {
    condition(0, SeccompCmpOp::MaskedEq(u64::from(flag.unsigned_abs())), 0)
}
