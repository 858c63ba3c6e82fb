//! `nova-guard [LIMITS] -- COMMAND`; see the library.

fn main() -> std::process::ExitCode {
    nova_guard::main(std::env::args_os().skip(1))
}
