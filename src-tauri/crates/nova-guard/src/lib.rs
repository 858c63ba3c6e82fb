//! How Nova starts a child process and how that process ends: under a guard that confines it and
//! leaves no descendant behind, however Nova itself ends.
//!
//! This crate knows nothing of tools, skills or notes, and it never starts a command that its
//! caller has not named with its whole environment.
