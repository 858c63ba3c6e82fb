//! How messages begin, and whether files are attached. A few KiB of each message are fetched, never all of it.

use std::collections::{BTreeMap, HashMap};

use async_imap::imap_proto::{MessageSection, SectionPath};
use async_imap::types::Fetch;
use futures::TryStreamExt as _;

use super::{Imap, Stream, in_time};
use crate::message::{is_file, is_mixed};
use crate::{MailError, MessageId, Preview};

/// How many bytes of a message are fetched for the beginning of its text.
const START: u32 = 4096;

impl<S: Stream> Imap<S> {
    /// As [`crate::Mailbox::previews`].
    pub(super) async fn previews_of(
        &mut self,
        ids: &[MessageId],
        receiver: &[&str],
    ) -> Result<HashMap<MessageId, Preview>, MailError> {
        let mut by_folder: BTreeMap<(&str, u32), Vec<&MessageId>> = BTreeMap::new();
        for id in ids {
            by_folder.entry((&id.folder, id.validity)).or_default().push(id);
        }
        let mut previews = HashMap::new();
        for ((folder, validity), ids) in by_folder {
            if self.open(folder).await?.validity != validity {
                continue;
            }
            let of_uid: HashMap<u32, &MessageId> = ids.iter().map(|id| (id.uid, *id)).collect();
            let mut mixed = Vec::new();
            for message in self.fetched(&uids(ids.iter().map(|id| id.uid)), &beginning()).await? {
                let Some(id) = message.uid.and_then(|uid| of_uid.get(&uid)) else { continue };
                let headers = message.header().unwrap_or_default();
                let start = message.text().unwrap_or_default();
                previews.insert((*id).clone(), Preview::of(headers, start, receiver));
                if is_mixed(headers) {
                    mixed.push(id.uid);
                }
            }
            if mixed.is_empty() {
                continue;
            }
            for message in self.fetched(&uids(mixed), PARTS).await? {
                let Some(id) = message.uid.and_then(|uid| of_uid.get(&uid)) else { continue };
                if let Some(preview) = previews.get_mut(*id) {
                    preview.attached = (2..=LAST_PART).any(|part| {
                        let path = SectionPath::Part(vec![part], Some(MessageSection::Mime));
                        message.section(&path).is_some_and(is_file)
                    });
                }
            }
        }
        Ok(previews)
    }

    async fn fetched(&mut self, uids: &str, wanted: &str) -> Result<Vec<Fetch>, MailError> {
        let session = &mut self.session;
        in_time(async { session.uid_fetch(uids, wanted).await?.try_collect().await }).await
    }
}

/// Some headers, and the first bytes of the text.
fn beginning() -> String {
    format!(
        "(UID BODY.PEEK[HEADER.FIELDS (FROM MIME-VERSION CONTENT-TYPE CONTENT-TRANSFER-ENCODING \
         AUTHENTICATION-RESULTS)] BODY.PEEK[TEXT]<0.{START}>)"
    )
}

/// The parts after the text, which is the first. Only one level is requested: a complete structure, which may be
/// nested as deep as its sender likes, would have to be parsed.
const PARTS: &str = "(UID BODY.PEEK[2.MIME] BODY.PEEK[3.MIME] BODY.PEEK[4.MIME])";
const LAST_PART: u32 = 4;

fn uids(uids: impl IntoIterator<Item = u32>) -> String {
    uids.into_iter().map(|uid| uid.to_string()).collect::<Vec<_>>().join(",")
}
