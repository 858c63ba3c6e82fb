//! `nova-guard -- COMMAND`: see the library.

fn main() {}
