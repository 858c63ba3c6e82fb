//! What the record types are called in the manifest.

pub(crate) const TRADE: &str = "trade";
pub(crate) const POSITION: &str = "position";
pub(crate) const PRICE: &str = "price";
