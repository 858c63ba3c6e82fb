//! Finding a session by what was said in it.

use futures::TryStreamExt as _;
use indexmap::IndexMap;
use nova_protocol::Speaker;
use sqlx::{QueryBuilder, Row as _, Sqlite};
use unicode_normalization::UnicodeNormalization as _;

use crate::error::SessionError;
use crate::search_text::{fold, searchable};
use crate::store::{SessionInfo, Store};

/// How many words of a query are looked for.
const MOST_WORDS: usize = 32;
/// How many places are listed of one session.
const MOST_PLACES: usize = 3;
/// The index has no shorter pieces.
const PIECE: usize = 3;
/// Of a text, in characters: what is shown of it, and how much of that before the first hit.
const SHOWN: usize = 140;
const BEFORE: usize = 40;

/// A session in which every word of a query was found, at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub session: SessionInfo,
    /// The title, where it was found there.
    pub title: Option<Vec<TextPart>>,
    /// Newest first.
    pub said: Vec<Said>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub turn: String,
    pub by: Speaker,
    pub at: String,
    /// Some words around the first hit.
    pub snippet: Vec<TextPart>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPart {
    pub text: String,
    /// It is what was looked for.
    pub hit: bool,
}

impl Store {
    /// Sessions by what the user and Nova said in them and by their titles: titles first, then by what
    /// was said last. Each word of the query has to be there, in any case and also as a part of a word;
    /// no sign in the query has a meaning.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn search(&self, query: &str, limit: usize) -> Result<Vec<Found>, SessionError> {
        let words = Words::of(query);
        if words.0.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let mut sessions: IndexMap<String, SessionInfo> =
            self.list().await?.into_iter().map(|info| (info.id.clone(), info)).collect();
        let said = self.said(&words, limit, &sessions).await?;
        let mut found: IndexMap<String, Found> = IndexMap::new();
        for info in sessions.values() {
            if let Some(title) = words.marked(&info.title) {
                let one = Found { session: info.clone(), title: Some(title), said: Vec::new() };
                found.insert(info.id.clone(), one);
            }
        }
        for (id, said) in said {
            match (found.get_mut(&id), sessions.swap_remove(&id)) {
                (Some(found), _) => found.said = said,
                (None, Some(session)) => drop(found.insert(id, Found { session, title: None, said })),
                (None, None) => {}
            }
        }
        found.truncate(limit);
        Ok(found.into_values().collect())
    }

    /// What was said, by session, newest first.
    async fn said(
        &self,
        words: &Words,
        limit: usize,
        sessions: &IndexMap<String, SessionInfo>,
    ) -> Result<IndexMap<String, Vec<Said>>, SessionError> {
        let mut query = words.query();
        let mut rows = query.build().fetch(self.pool());
        let mut said: IndexMap<String, Vec<Said>> = IndexMap::new();
        while let Some(row) = rows.try_next().await? {
            let session: &str = row.try_get("session")?;
            if !sessions.contains_key(session) {
                continue;
            }
            match said.get(session) {
                Some(places) if places.len() >= MOST_PLACES => continue,
                None if said.len() >= limit => break,
                _ => {}
            }
            let text: &str = row.try_get("text")?;
            let place = Said {
                turn: row.try_get("turn")?,
                by: if row.try_get::<&str, _>("speaker")? == "user" { Speaker::User } else { Speaker::Nova },
                at: row.try_get("at")?,
                snippet: words.snippet(text),
            };
            said.entry(session.to_owned()).or_default().push(place);
        }
        Ok(said)
    }
}

/// What is looked for, word by word.
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

    /// Reads what was said with all of the words, newest first.
    fn query(&self) -> QueryBuilder<Sqlite> {
        let folded = self.0.iter().map(|word| folded(word).into_iter().collect::<String>());
        let (long, short): (Vec<String>, Vec<String>) =
            folded.partition(|word| word.chars().count() >= PIECE);
        let mut query = QueryBuilder::new("SELECT session, turn, speaker, at, said.text AS text FROM ");
        // Whatever a word holds, within quotes it is a text; one in it is doubled.
        let quoted: Vec<String> =
            long.iter().map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect();
        if quoted.is_empty() {
            query.push("said WHERE TRUE");
        } else {
            // The index knows its newest entries first; the other order would sort all of them.
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

    /// The text with the hits marked, where all words are in it.
    fn marked(&self, text: &str) -> Option<Vec<TextPart>> {
        let text: Vec<char> = text.nfc().collect();
        let (hits, all) = self.hits(&text);
        all.then(|| parts(&text, &hits, 0, text.len()))
    }

    /// Some words around the first hit, on one line.
    fn snippet(&self, text: &str) -> Vec<TextPart> {
        let text: Vec<char> = text.split_whitespace().collect::<Vec<_>>().join(" ").nfc().collect();
        let (hits, _) = self.hits(&text);
        let first = hits.first().map_or(0, |(from, _)| *from);
        let from = first.saturating_sub(BEFORE);
        // Whole words, where words have spaces between them.
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

    /// Where the words are, in their order and without overlaps, and whether all are there.
    fn hits(&self, text: &[char]) -> (Vec<(usize, usize)>, bool) {
        // Folding may make several characters of one, or none.
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

/// The text from one place to another, cut where a hit begins or ends.
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

/// A word as it is compared: without case and accents.
fn folded(word: &str) -> Vec<char> {
    searchable(word).chars().collect()
}

#[cfg(test)]
mod tests;
