//! Lists of a folder: the server selects the messages; their headers come from the cache or by FETCH.

use std::collections::{BTreeMap, BTreeSet};

use async_imap::error::Error;
use async_imap::types::{Fetch, Flag};
use futures::{StreamExt as _, TryStreamExt as _};

use super::{Imap, Stream, in_time, query};
use crate::header_cache::{CachedMessage, Flags, FolderState};
use crate::{FoundMessages, HeaderCache, Listed, MailError, MessageId, Wanted};

/// The most messages of a list.
const LISTED: usize = 10_000;

const HEADERS: &str = "(UID FLAGS INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER.FIELDS (FROM REPLY-TO TO CC BCC SUBJECT DATE \
    MESSAGE-ID REFERENCES IN-REPLY-TO)])";
const FLAGS: &str = "(UID FLAGS)";

/// The messages that a command refers to.
pub(super) enum Of<'a> {
    Numbers(&'a str),
    Uids(&'a str),
}

impl<S: Stream> Imap<S> {
    /// As [`crate::Mailbox::list_cached`].
    pub(super) async fn listed(
        &mut self,
        folder: &str,
        wanted: &Wanted,
        cache: &mut HeaderCache,
    ) -> Result<FoundMessages, MailError> {
        let most = wanted.limit.min(LISTED);
        let keys = query::keys(wanted, self.literals)?;
        let now = self.open(folder).await?;
        cache.open(&now);
        let Some(keys) = keys else {
            let total = now.exists as usize;
            let messages = self.newest(folder, now, most, cache).await?;
            return Ok(FoundMessages { messages, total });
        };
        let found = self.matching(&keys).await?;
        let uids: Vec<u32> = found.iter().rev().take(most).copied().collect();
        let messages = self.of_uids(folder, now, uids, cache).await?;
        Ok(FoundMessages { messages, total: found.len() })
    }

    /// The newest messages of the opened folder, newest first.
    async fn newest(
        &mut self,
        folder: &str,
        now: FolderState,
        most: usize,
        cache: &mut HeaderCache,
    ) -> Result<Vec<Listed>, MailError> {
        if most == 0 {
            return Ok(Vec::new());
        }
        if now.exists == 0 {
            cache.listed(now, &[]);
            return Ok(Vec::new());
        }
        let of = |uid| MessageId { folder: folder.to_owned(), validity: now.validity, uid };
        if let Some(uids) = cache.current(&now, most) {
            let cached = |uid| cache.get(uid).map(|message| message.listed(of(uid)));
            return Ok(uids.into_iter().filter_map(cached).collect());
        }
        let first = now.exists.saturating_sub(u32::try_from(most).unwrap_or(u32::MAX)).saturating_add(1);
        let range = format!("{first}:{}", now.exists);
        let (mut uids, fetched) = if cache.is_empty() {
            let fetched = self.fetch_headers(Of::Numbers(&range), now.modseq).await?;
            (fetched.keys().copied().collect(), fetched)
        } else {
            let flags = self.fetch_flags(Of::Numbers(&range), FLAGS).await?;
            flags.iter().for_each(|(uid, flags)| cache.set_flags(*uid, *flags, now.modseq));
            let missing = flags.keys().copied().filter(|uid| cache.get(*uid).is_none());
            let missing: Vec<u32> = missing.collect();
            (flags.into_keys().collect::<Vec<u32>>(), self.fetch_missing(&missing, now.modseq).await?)
        };
        // A server may send more than requested.
        uids.reverse();
        uids.truncate(most);
        let messages = joined(&uids, &fetched, cache, of);
        cache.add(fetched);
        cache.listed(now, &uids);
        Ok(messages)
    }

    /// These messages of the opened folder, as found by a search, in their order.
    async fn of_uids(
        &mut self,
        folder: &str,
        now: FolderState,
        uids: Vec<u32>,
        cache: &mut HeaderCache,
    ) -> Result<Vec<Listed>, MailError> {
        let (known, missing): (Vec<u32>, Vec<u32>) = uids.iter().partition(|uid| cache.get(**uid).is_some());
        let modseq_of = |uid: &u32| cache.get(*uid).map_or(0, |message| message.modseq);
        let is_stale = |uid: &u32| now.modseq == 0 || modseq_of(uid) != now.modseq;
        let stale: Vec<u32> = known.into_iter().filter(is_stale).collect();
        let since = stale.iter().map(modseq_of).min().filter(|since| *since > 0 && now.modseq > 0);
        if !stale.is_empty() {
            let items = match since {
                Some(since) => format!("{FLAGS} (CHANGEDSINCE {since})"),
                None => FLAGS.to_owned(),
            };
            let flags = self.fetch_flags(Of::Uids(&set(&stale)), &items).await?;
            for uid in stale {
                match (flags.get(&uid), cache.get(uid).map(|message| message.flags)) {
                    (Some(now_set), _) => cache.set_flags(uid, *now_set, now.modseq),
                    (None, Some(unchanged)) if since.is_some() => cache.set_flags(uid, unchanged, now.modseq),
                    // It was expunged since the search.
                    (None, _) => cache.remove(uid),
                }
            }
        }
        let fetched = self.fetch_missing(&missing, now.modseq).await?;
        let of = |uid| MessageId { folder: folder.to_owned(), validity: now.validity, uid };
        let messages = joined(&uids, &fetched, cache, of);
        cache.add(fetched);
        Ok(messages)
    }

    /// As `of_uids` without a cache; the newest of these, newest first.
    pub(super) async fn newest_of(
        &mut self,
        folder: &str,
        now: FolderState,
        uids: &BTreeSet<u32>,
        most: usize,
    ) -> Result<Vec<Listed>, MailError> {
        let newest = uids.iter().rev().take(most).copied().collect();
        self.of_uids(folder, now, newest, &mut HeaderCache::default()).await
    }

    pub(super) async fn headers(
        &mut self,
        folder: &str,
        validity: u32,
        of: Of<'_>,
    ) -> Result<Vec<Listed>, MailError> {
        let fetched = self.fetch_headers(of, 0).await?;
        let of = |uid| MessageId { folder: folder.to_owned(), validity, uid };
        Ok(fetched.into_iter().map(|(uid, message)| message.listed(of(uid))).collect())
    }

    async fn fetch_missing(
        &mut self,
        uids: &[u32],
        modseq: u64,
    ) -> Result<BTreeMap<u32, CachedMessage>, MailError> {
        if uids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let mut fetched = self.fetch_headers(Of::Uids(&set(uids)), modseq).await?;
        fetched.retain(|uid, _| uids.contains(uid));
        Ok(fetched)
    }

    /// By UID. Unsolicited responses, such as an update of flags, have no headers and are skipped.
    async fn fetch_headers(
        &mut self,
        of: Of<'_>,
        modseq: u64,
    ) -> Result<BTreeMap<u32, CachedMessage>, MailError> {
        self.fetch_each(of, HEADERS, |message| {
            let cached = CachedMessage {
                flags: flags(message),
                modseq,
                received: message.internal_date().map(|date| date.timestamp()),
                size: message.size.unwrap_or_default(),
                headers: message.header()?.to_vec(),
            };
            Some((message.uid?, cached))
        })
        .await
    }

    async fn fetch_flags(&mut self, of: Of<'_>, items: &str) -> Result<BTreeMap<u32, Flags>, MailError> {
        self.fetch_each(of, items, |message| Some((message.uid?, flags(message)))).await
    }

    /// Collects what `read` returns for each response, one at a time.
    async fn fetch_each<T>(
        &mut self,
        of: Of<'_>,
        items: &str,
        read: impl Fn(&Fetch) -> Option<(u32, T)>,
    ) -> Result<BTreeMap<u32, T>, MailError> {
        let session = &mut self.session;
        in_time(async {
            let responses = match of {
                Of::Numbers(range) => session.fetch(range, items).await?.left_stream(),
                Of::Uids(uids) => session.uid_fetch(uids, items).await?.right_stream(),
            };
            let read = responses.try_filter_map(|message| std::future::ready(Ok::<_, Error>(read(&message))));
            read.try_collect().await
        })
        .await
    }
}

fn joined(
    uids: &[u32],
    fetched: &BTreeMap<u32, CachedMessage>,
    cache: &HeaderCache,
    of: impl Fn(u32) -> MessageId,
) -> Vec<Listed> {
    let message = |uid: &u32| Some(fetched.get(uid).or_else(|| cache.get(*uid))?.listed(of(*uid)));
    uids.iter().filter_map(message).collect()
}

fn flags(message: &Fetch) -> Flags {
    let mut flags = Flags::default();
    for flag in message.flags() {
        match flag {
            Flag::Seen => flags.seen = true,
            Flag::Flagged => flags.flagged = true,
            Flag::Answered => flags.answered = true,
            Flag::Draft => flags.draft = true,
            _ => {}
        }
    }
    flags
}

/// As a set of UIDs in a command: `3:7,9`.
fn set(uids: &[u32]) -> String {
    let mut sorted = uids.to_vec();
    sorted.sort_unstable();
    let ranges = sorted.chunk_by(|one, next| one.checked_add(1) == Some(*next));
    let range = |range: &[u32]| match range {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}:{last}"),
        [] => String::new(),
    };
    ranges.map(range).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::set;

    #[test]
    fn consecutive_uids_form_a_range() {
        assert_eq!(set(&[9, 4, 3, 5, 7, u32::MAX]), "3:5,7,9,4294967295");
        assert_eq!(set(&[]), "");
    }
}
