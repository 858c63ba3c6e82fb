//! `nova-script`: reads messages of Nova's on its standard input, runs scripts, answers on its
//! standard output. See the library's `child`.

fn main() {}
