use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use jiff::Timestamp;

use crate::{Envelope, Listed, MessageId};

/// The most messages of a folder that are cached, and the most bytes of their headers. The oldest are evicted.
const MESSAGES: usize = 2_000;
const BYTES: usize = 2 << 20;
/// Longer headers, such as those of hundreds of recipients, are fetched each time.
const HEADERS: usize = 16 << 10;

/// Headers of one folder as [`crate::Mailbox::list_cached`] fetched them.
///
/// The server is always asked which messages a folder has, and which a search finds; only their headers come from here.
/// Flags are cached with the mod-sequence (RFC 7162) at which they were current.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeaderCache {
    /// At the last list.
    state: FolderState,
    /// How many of the newest messages of that state are cached without a gap.
    newest: u32,
    /// By UID.
    messages: BTreeMap<u32, CachedMessage>,
    changed: bool,
}

/// A folder when it was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FolderState {
    /// UIDVALIDITY
    pub(crate) validity: u32,
    /// UIDNEXT; 0 where the server does not say.
    pub(crate) next: u32,
    pub(crate) exists: u32,
    /// HIGHESTMODSEQ; 0 without mod-sequences.
    pub(crate) modseq: u64,
}

/// What is cached of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CachedMessage {
    pub(crate) flags: Flags,
    /// HIGHESTMODSEQ when the flags were current; 0 without mod-sequences.
    pub(crate) modseq: u64,
    /// INTERNALDATE, in seconds since 1970.
    pub(crate) received: Option<i64>,
    /// RFC822.SIZE
    pub(crate) size: u32,
    /// The header fields of a list, as they were sent.
    pub(crate) headers: Vec<u8>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) seen: bool,
    pub(crate) flagged: bool,
    pub(crate) answered: bool,
    pub(crate) draft: bool,
}

impl HeaderCache {
    /// Whether it differs from what was decoded.
    pub fn is_changed(&self) -> bool {
        self.changed
    }

    /// Clears the cache if the folder was renumbered, or may have been: without UIDVALIDITY, UIDs are valid for one
    /// session, and UIDNEXT and mod-sequences only grow in the same folder.
    pub(crate) fn open(&mut self, now: &FolderState) {
        let validity = now.validity;
        let modseq = self.messages.values().map(|message| message.modseq).max().unwrap_or_default();
        let has_gone_back = (now.next > 0 && now.next < self.state.next)
            || (now.modseq > 0 && now.modseq < self.state.modseq.max(modseq));
        if self.state.validity != validity || (validity == 0 && !self.is_empty()) || has_gone_back {
            *self = Self { state: FolderState { validity, ..FolderState::default() }, ..Self::default() };
            self.changed = true;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    pub(crate) fn get(&self, uid: u32) -> Option<&CachedMessage> {
        self.messages.get(&uid)
    }

    /// The UIDs of the newest messages, newest first, if the folder is unchanged since the last list.
    pub(crate) fn current(&self, now: &FolderState, most: usize) -> Option<Vec<u32>> {
        // Without mod-sequences, flags may have changed.
        let is_same = self.state == *now && now.modseq > 0 && now.next > 0;
        let is_complete = self.newest >= now.exists.min(u32::try_from(most).unwrap_or(u32::MAX));
        (is_same && is_complete).then(|| self.messages.keys().rev().take(most).copied().collect())
    }

    /// Sets flags as of this mod-sequence.
    pub(crate) fn set_flags(&mut self, uid: u32, flags: Flags, modseq: u64) {
        if let Some(message) = self.messages.get_mut(&uid) {
            self.changed |= message.flags != flags || message.modseq != modseq;
            (message.flags, message.modseq) = (flags, modseq);
        }
    }

    pub(crate) fn remove(&mut self, uid: u32) {
        self.changed |= self.messages.remove(&uid).is_some();
    }

    /// Adds messages, preferring the newest while there is room.
    pub(crate) fn add(&mut self, fetched: BTreeMap<u32, CachedMessage>) {
        let short = fetched.into_iter().filter(|(_, message)| message.headers.len() <= HEADERS);
        for (uid, message) in short {
            self.changed |= self.messages.insert(uid, message).is_none();
        }
        let mut bytes: usize = self.messages.values().map(|message| message.headers.len()).sum();
        while self.messages.len() > MESSAGES || bytes > BYTES {
            let Some((_, oldest)) = self.messages.pop_first() else { break };
            bytes -= oldest.headers.len();
        }
        self.newest = self.newest.min(u32::try_from(self.messages.len()).unwrap_or(u32::MAX));
    }

    /// Records the state of the folder; `newest` are its newest messages, newest first.
    pub(crate) fn listed(&mut self, now: FolderState, newest: &[u32]) {
        if let Some(oldest) = newest.last() {
            let before = self.messages.len();
            // They are in descending order.
            let is_listed = |uid: &u32| newest.binary_search_by(|one| uid.cmp(one)).is_ok();
            self.messages.retain(|uid, _| uid < oldest || is_listed(uid));
            self.changed |= self.messages.len() != before;
        } else if now.exists == 0 {
            self.changed |= !self.messages.is_empty();
            self.messages.clear();
        }
        let cached = newest.iter().take_while(|uid| self.messages.contains_key(uid)).count();
        let cached = u32::try_from(cached).unwrap_or(u32::MAX);
        self.changed |= self.state != now || self.newest != cached;
        (self.state, self.newest) = (now, cached);
    }
}

impl CachedMessage {
    pub(crate) fn listed(&self, id: MessageId) -> Listed {
        Listed {
            id,
            envelope: Envelope::of_headers(&self.headers),
            received: self.received.and_then(|second| Timestamp::from_second(second).ok()),
            size: u64::from(self.size),
            unread: !self.flags.seen,
            flagged: self.flags.flagged,
            answered: self.flags.answered,
            draft: self.flags.draft,
        }
    }
}

/// First of the encoded bytes; it changes with the format.
const MAGIC: &[u8] = b"nova-mail headers 2\n";

impl HeaderCache {
    /// Encodes it for a file, with the name of its folder. Integers are little-endian: folder, state, count of the
    /// newest, then each message, then a hash of all of it.
    pub fn encode(&self, folder: &str) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        put(&mut bytes, folder.as_bytes());
        let FolderState { validity, next, exists, modseq } = self.state;
        bytes.extend([validity, next, exists, self.newest].iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(modseq.to_le_bytes());
        for (uid, message) in &self.messages {
            bytes.extend(uid.to_le_bytes());
            bytes.extend(message.size.to_le_bytes());
            bytes.extend(message.modseq.to_le_bytes());
            bytes.extend(message.received.unwrap_or(i64::MIN).to_le_bytes());
            let Flags { seen, flagged, answered, draft } = message.flags;
            let bits = [seen, flagged, answered, draft];
            bytes.push(bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit)));
            put(&mut bytes, &message.headers);
        }
        let hash = hash(&bytes);
        bytes.extend(hash.to_le_bytes());
        bytes
    }

    /// `None` for the bytes of another folder, and for any that [`HeaderCache::encode`] did not write.
    pub fn decode(bytes: &[u8], folder: &str) -> Option<Self> {
        let (body, said) = bytes.split_last_chunk::<8>()?;
        if hash(body) != u64::from_le_bytes(*said) {
            return None;
        }
        let mut rest = body.strip_prefix(MAGIC)?;
        if take(&mut rest)? != folder.as_bytes() {
            return None;
        }
        let mut numbers = [0; 4];
        for number in &mut numbers {
            *number = u32::from_le_bytes(array(&mut rest)?);
        }
        let [validity, next, exists, newest] = numbers;
        let modseq = u64::from_le_bytes(array(&mut rest)?);
        let state = FolderState { validity, next, exists, modseq };
        let mut messages = BTreeMap::new();
        while !rest.is_empty() {
            let uid = u32::from_le_bytes(array(&mut rest)?);
            let size = u32::from_le_bytes(array(&mut rest)?);
            let modseq = u64::from_le_bytes(array(&mut rest)?);
            let received = Some(i64::from_le_bytes(array(&mut rest)?)).filter(|second| *second != i64::MIN);
            let [bits] = array(&mut rest)?;
            let [seen, flagged, answered, draft] = [1, 2, 4, 8].map(|bit| bits & bit > 0);
            let flags = Flags { seen, flagged, answered, draft };
            let headers = take(&mut rest)?.to_vec();
            messages.insert(uid, CachedMessage { flags, modseq, received, size, headers });
        }
        Some(Self { state, newest, messages, changed: false })
    }
}

/// Detects damaged files. Another version of Rust may compute another hash, which is a miss.
fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

fn put(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend(u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(part);
}

fn array<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, others) = rest.split_first_chunk()?;
    *rest = others;
    Some(*first)
}

fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = u32::from_le_bytes(array(rest)?) as usize;
    let (part, others) = rest.split_at_checked(length)?;
    *rest = others;
    Some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(subject: &str) -> CachedMessage {
        CachedMessage {
            flags: Flags { seen: true, flagged: false, answered: true, draft: true },
            modseq: 9,
            received: Some(1_795_860_000),
            size: 700,
            headers: format!("Subject: {subject}\r\n\r\n").into_bytes(),
        }
    }

    fn cache(uids: &[u32]) -> HeaderCache {
        let mut cache = HeaderCache::default();
        cache.open(&FolderState { validity: 7, ..FolderState::default() });
        cache.add(uids.iter().map(|uid| (*uid, message("Offer"))).collect());
        let newest: Vec<u32> = uids.iter().rev().copied().collect();
        let exists = u32::try_from(uids.len()).expect("few");
        cache.listed(FolderState { validity: 7, next: 50, exists, modseq: 9 }, &newest);
        cache
    }

    #[test]
    fn cache_round_trips_under_its_folder() {
        let cache = cache(&[3, 5]);
        let bytes = cache.encode("INBOX");
        let read = HeaderCache::decode(&bytes, "INBOX").expect("it was encoded");
        assert!(!read.is_changed());
        assert_eq!(HeaderCache { changed: true, ..read }, cache);
        assert_eq!(HeaderCache::decode(&bytes, "Sent"), None);
    }

    #[test]
    fn damaged_bytes_are_a_miss() {
        let whole = cache(&[3, 5]).encode("INBOX");
        for length in 0..whole.len() {
            assert_eq!(HeaderCache::decode(&whole[..length], "INBOX"), None, "cut at {length}");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert_eq!(HeaderCache::decode(&damaged, "INBOX"), None, "changed at {at}");
        }
    }

    #[test]
    fn size_is_bounded_and_the_oldest_go_first() {
        let uids: Vec<u32> = (1..=2_500).collect();
        let many = cache(&uids);
        assert_eq!((many.messages.len(), many.newest), (2_000, 2_000));
        assert!(many.get(500).is_none() && many.get(501).is_some());

        let mut large = cache(&[1]);
        let of = |length: usize| CachedMessage { headers: vec![b'x'; length], ..message("") };
        large.add((10..400).map(|uid| (uid, of(16 << 10))).collect());
        assert!(large.encode("INBOX").len() < (2 << 20) + (64 << 10));
        large.add([(500, of((16 << 10) + 1))].into());
        assert!(large.get(500).is_none(), "too long to be cached");
    }

    #[test]
    fn only_an_unchanged_folder_is_current() {
        let cache = cache(&[3, 5]);
        let now = cache.state;
        assert_eq!(cache.current(&now, 10), Some(vec![5, 3]));
        assert_eq!(cache.current(&now, 1), Some(vec![5]));
        for changed in [
            FolderState { modseq: 10, ..now },
            FolderState { next: 51, ..now },
            FolderState { exists: 1, ..now },
            FolderState { validity: 8, ..now },
        ] {
            assert_eq!(cache.current(&changed, 10), None, "{changed:?}");
        }
        let mut gap = cache.clone();
        gap.listed(FolderState { exists: 3, ..now }, &[9, 5, 3]);
        assert_eq!(gap.current(&FolderState { exists: 3, ..now }, 10), None, "9 is not cached");
        let without = FolderState { modseq: 0, ..now };
        gap.listed(without, &[5, 3]);
        assert_eq!(gap.current(&without, 10), None, "flags may have changed");
    }

    #[test]
    fn renumbered_or_emptied_folder_drops_its_headers() {
        let kept = FolderState { validity: 7, next: 51, exists: 2, modseq: 9 };
        let dropped = [
            FolderState { validity: 8, ..kept },
            // Recreated with the old UIDVALIDITY, and restored from a backup.
            FolderState { next: 49, ..kept },
            FolderState { modseq: 8, ..kept },
        ];
        for (now, is_dropped) in dropped.map(|now| (now, true)).into_iter().chain([(kept, false)]) {
            let mut opened = cache(&[3, 5]);
            opened.open(&now);
            assert_eq!(opened.is_empty(), is_dropped, "{now:?}");
        }
        let without_validity = FolderState { validity: 0, ..kept };
        let mut of_yesterday = HeaderCache::default();
        of_yesterday.add(BTreeMap::from([(3, message("Offer"))]));
        of_yesterday.open(&without_validity);
        assert!(of_yesterday.is_empty());
        let mut emptied = cache(&[3, 5]);
        emptied.listed(FolderState { exists: 0, ..emptied.state }, &[]);
        assert!(emptied.is_empty());
        let mut expunged = cache(&[3, 5, 6]);
        expunged.listed(FolderState { exists: 2, ..expunged.state }, &[6, 3]);
        assert!(expunged.get(5).is_none() && expunged.get(3).is_some());
    }
}
