//! `nova-script`: reads Nova's messages on stdin, runs scripts, and answers on stdout. See the library's
//! `child`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nova_script::child::main()
}
