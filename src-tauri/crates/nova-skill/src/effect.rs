/// The worst effect that a tool may have, which rules and approvals depend on (`Undeclared` counts as the
/// worst).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Reads data on this machine.
    Read,
    /// Changes notes of the vault, undoably.
    Write,
    /// Sends data off this machine.
    External,
    /// Cannot be undone.
    Destructive,
    /// Reaches a person.
    Send,
    /// Not declared by its author.
    Undeclared,
}
