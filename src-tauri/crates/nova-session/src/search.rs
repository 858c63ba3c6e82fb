//! Full-text search over sessions.

use futures::TryStreamExt as _;
use indexmap::IndexMap;
use nova_protocol::Speaker;
use sqlx::{QueryBuilder, Row as _, Sqlite};
use unicode_normalization::UnicodeNormalization as _;

use crate::error::SessionError;
use crate::search_text::{fold, searchable};
use crate::store::{SessionInfo, Store};

/// Maximum number of words in a query.
const MOST_WORDS: usize = 32;
/// Maximum number of hits listed per session.
const MOST_PLACES: usize = 3;
/// The index's minimum token length (trigrams).
const PIECE: usize = 3;
/// Length of a snippet, and of its part before the first hit, in characters.
const SHOWN: usize = 140;
const BEFORE: usize = 40;

/// A session with a message or a title that contains every word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub session: SessionInfo,
    /// The title, if it matches.
    pub title: Option<Vec<TextPart>>,
    /// Newest first.
    pub hits: Vec<MessageHit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageHit {
    pub turn: String,
    pub by: Speaker,
    pub at: String,
    /// The text around the first hit.
    pub snippet: Vec<TextPart>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPart {
    pub text: String,
    /// It matches the query.
    pub hit: bool,
}

impl Store {
    /// Searches the messages and titles of sessions: matching titles first, then by the newest matching
    /// message. Each word of the query must occur, in any case and also within a word; the query has no
    /// special syntax.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn search(&self, query: &str, limit: usize) -> Result<Vec<Found>, SessionError> {
        let words = Words::of(query);
        if words.0.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let mut sessions: IndexMap<String, SessionInfo> =
            self.list().await?.into_iter().map(|info| (info.id.clone(), info)).collect();
        let hits = self.hits(&words, limit, &sessions).await?;
        let mut found: IndexMap<String, Found> = IndexMap::new();
        for info in sessions.values() {
            if let Some(title) = words.marked(&info.title) {
                let one = Found { session: info.clone(), title: Some(title), hits: Vec::new() };
                found.insert(info.id.clone(), one);
            }
        }
        for (id, hits) in hits {
            match (found.get_mut(&id), sessions.swap_remove(&id)) {
                (Some(found), _) => found.hits = hits,
                (None, Some(session)) => drop(found.insert(id, Found { session, title: None, hits })),
                (None, None) => {}
            }
        }
        found.truncate(limit);
        Ok(found.into_values().collect())
    }

    /// Matching messages by session, newest first.
    async fn hits(
        &self,
        words: &Words,
        limit: usize,
        sessions: &IndexMap<String, SessionInfo>,
    ) -> Result<IndexMap<String, Vec<MessageHit>>, SessionError> {
        let mut query = words.query();
        let mut rows = query.build().fetch(self.pool());
        let mut hits: IndexMap<String, Vec<MessageHit>> = IndexMap::new();
        while let Some(row) = rows.try_next().await? {
            let session: &str = row.try_get("session")?;
            if !sessions.contains_key(session) {
                continue;
            }
            match hits.get(session) {
                Some(places) if places.len() >= MOST_PLACES => continue,
                None if hits.len() >= limit => break,
                _ => {}
            }
            let text: &str = row.try_get("text")?;
            let place = MessageHit {
                turn: row.try_get("turn")?,
                by: if row.try_get::<&str, _>("speaker")? == "user" { Speaker::User } else { Speaker::Nova },
                at: row.try_get("at")?,
                snippet: words.snippet(text),
            };
            hits.entry(session.to_owned()).or_default().push(place);
        }
        Ok(hits)
    }
}

/// The words of the query.
struct Words(Vec<String>);

impl Words {
    fn of(query: &str) -> Self {
        let composed: String = query.nfc().collect();
        let mut words: Vec<String> = Vec::new();
        for word in composed.split(|c: char| c.is_whitespace() || c.is_control()) {
            let is_new = !words.iter().any(|known| known == word);
            if words.len() < MOST_WORDS && is_new && !folded(word).is_empty() {
                words.push(word.to_owned());
            }
        }
        Self(words)
    }

    /// Selects messages that contain all of the words, newest first.
    fn query(&self) -> QueryBuilder<Sqlite> {
        let folded = self.0.iter().map(|word| folded(word).into_iter().collect::<String>());
        let (long, short): (Vec<String>, Vec<String>) =
            folded.partition(|word| word.chars().count() >= PIECE);
        let mut query = QueryBuilder::new("SELECT session, turn, speaker, at, said.text AS text FROM ");
        // Quoted, so that no character is special; quotes are doubled.
        let quoted: Vec<String> =
            long.iter().map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect();
        if quoted.is_empty() {
            query.push("said WHERE TRUE");
        } else {
            // The index yields its newest entries first; the other join order would sort all of them.
            query.push("said_index CROSS JOIN said ON said.id = said_index.rowid WHERE said_index MATCH ");
            query.push_bind(quoted.join(" AND "));
        }
        for word in short {
            query.push(" AND instr(said.folded, ").push_bind(word).push(")");
        }
        query.push(if quoted.is_empty() {
            " ORDER BY said.id DESC"
        } else {
            " ORDER BY said_index.rowid DESC"
        });
        query
    }

    /// The text with marked hits, if it contains all words.
    fn marked(&self, text: &str) -> Option<Vec<TextPart>> {
        let text: Vec<char> = text.nfc().collect();
        let (hits, all) = self.hits(&text);
        all.then(|| parts(&text, &hits, 0, text.len()))
    }

    /// The text around the first hit, on one line.
    fn snippet(&self, text: &str) -> Vec<TextPart> {
        let text: Vec<char> = text.split_whitespace().collect::<Vec<_>>().join(" ").nfc().collect();
        let (hits, _) = self.hits(&text);
        let first = hits.first().map_or(0, |(from, _)| *from);
        let from = first.saturating_sub(BEFORE);
        // Starts at a word boundary, if there are spaces.
        let from = if from == 0 { 0 } else { space(&text[from..first]).map_or(from, |at| from + at + 1) };
        let to = text.len().min(from + SHOWN);
        let to = if to == text.len() {
            to
        } else {
            text[..to].iter().rposition(|c| *c == ' ').filter(|at| *at > first + SHOWN / 2).unwrap_or(to)
        };
        let mut snippet = parts(&text, &hits, from, to);
        if from > 0 {
            snippet.insert(0, TextPart { text: "…".into(), hit: false });
        }
        if to < text.len() {
            snippet.push(TextPart { text: "…".into(), hit: false });
        }
        snippet
    }

    /// The positions of the words, sorted and merged, and whether all of them occur.
    fn hits(&self, text: &[char]) -> (Vec<(usize, usize)>, bool) {
        // Folding may map a character to several ones, or to none.
        let (mut letters, mut places) = (Vec::new(), Vec::new());
        for (place, c) in text.iter().enumerate() {
            fold(*c, &mut |letter| {
                letters.push(letter);
                places.push(place);
            });
        }
        let (mut hits, mut all) = (Vec::new(), true);
        for word in &self.0 {
            let word = folded(word);
            let before = hits.len();
            if !word.is_empty() && word.len() <= letters.len() {
                let found = letters.windows(word.len()).enumerate().filter(|(_, piece)| *piece == word);
                hits.extend(found.map(|(at, piece)| (places[at], places[at + piece.len() - 1] + 1)));
            }
            all &= hits.len() > before;
        }
        hits.sort_unstable();
        let mut apart: Vec<(usize, usize)> = Vec::new();
        for (from, to) in hits {
            match apart.last_mut() {
                Some(last) if from < last.1 => last.1 = last.1.max(to),
                _ => apart.push((from, to)),
            }
        }
        (apart, all)
    }
}

/// A range of the text, split at the boundaries of hits.
fn parts(text: &[char], hits: &[(usize, usize)], from: usize, to: usize) -> Vec<TextPart> {
    let mut parts = Vec::new();
    let mut push = |from: usize, to: usize, hit| {
        if from < to {
            parts.push(TextPart { text: text[from..to].iter().collect(), hit });
        }
    };
    let mut at = from;
    for (start, end) in hits {
        let (start, end) = ((*start).clamp(at, to), (*end).clamp(at, to));
        push(at, start, false);
        push(start, end, true);
        at = end;
    }
    push(at, to, false);
    parts
}

fn space(text: &[char]) -> Option<usize> {
    text.iter().position(|c| *c == ' ')
}

/// Folds case and accents for comparison.
fn folded(word: &str) -> Vec<char> {
    searchable(word).chars().collect()
}

#[cfg(test)]
mod tests;
