//! Headers from earlier lists, in the cache of the data folder. Bodies are never cached.

use nova_mail::{FoundMessages, HeaderCache, MailError, Wanted};
use nova_skill::{ContentHash, LogLevel, ToolContext};

use crate::accounts::Account;
use crate::opened::Opened;

/// How many folders of a mailbox are cached; if two share a slot, the later one stays.
const SLOTS: u8 = 32;

/// As [`nova_mail::Mailbox::list`]; headers that are cached are not fetched again.
///
/// # Errors
/// As for the list itself. A cache that cannot be read or written is not an error.
pub(crate) async fn list(
    ctx: &dyn ToolContext,
    opened: &mut Opened,
    folder: &str,
    wanted: &Wanted,
) -> Result<FoundMessages, MailError> {
    let key = key(&opened.account, slot(folder));
    let cached = ctx.cache().get(&key).await.ok().flatten();
    let mut cache = cached.and_then(|bytes| HeaderCache::decode(&bytes, folder)).unwrap_or_default();
    let found = opened.mailbox.list_cached(folder, wanted, &mut cache).await?;
    if cache.is_changed()
        && let Err(error) = ctx.cache().set(&key, cache.encode(folder)).await
    {
        ctx.log(LogLevel::Warn, &format!("The headers were not cached: {error}"));
    }
    Ok(found)
}

/// The keys of everything cached of a mailbox.
pub(crate) fn keys(account: &Account) -> Vec<String> {
    (0..SLOTS).map(|slot| key(account, slot)).collect()
}

fn key(account: &Account, slot: u8) -> String {
    let of = format!("{} {}", account.server(), account.user);
    format!("mail-{}-{slot}", ContentHash::of(of.as_bytes()))
}

fn slot(folder: &str) -> u8 {
    let hash = ContentHash::of(folder.as_bytes()).to_string();
    hash.bytes().fold(0_u8, |slot, byte| slot.wrapping_mul(31).wrapping_add(byte)) % SLOTS
}
