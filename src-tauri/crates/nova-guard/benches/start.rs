//! What it costs to start a command under a guard: median of 21, beside starting it bare.

fn main() {}
