//! Properties as parsed.

use indexmap::IndexMap;

use super::value::Value;

/// A property's value and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    pub value: Value,
    /// The line of its key in the file, 1-based.
    pub line: u32,
}

/// A note's properties, in the order of the file.
pub type Properties = IndexMap<String, Property>;
