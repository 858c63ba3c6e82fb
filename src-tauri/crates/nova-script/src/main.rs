//! `nova-script`: reads messages of Nova's on its standard input, runs scripts, answers on its
//! standard output. See the library's `child`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nova_script::child::main()
}
