//! The names of the record types in the manifest.

pub(crate) const TRADE: &str = "trade";
pub(crate) const POSITION: &str = "position";
pub(crate) const PRICE: &str = "price";
