/// The worst that a tool may do. Rules and approvals go by it (`Undeclared` counts as the worst).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Looks at things on this machine.
    Read,
    /// Changes notes of the vault, all of it undoable.
    Write,
    /// Leaves this machine.
    External,
    /// Cannot be taken back.
    Destructive,
    /// Reaches a person.
    Send,
    /// Its author did not say.
    Undeclared,
}
