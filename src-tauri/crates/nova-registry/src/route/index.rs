use std::collections::HashMap;

use super::words::Token;

/// BM25's k1: how quickly repetitions of a term stop counting.
const SATURATION: f32 = 1.2;
/// BM25's b, 0 to 1: how strongly long fields are discounted.
const LENGTH: f32 = 0.5;

/// Maps all terms of the skills to ids.
#[derive(Default)]
pub(super) struct Vocabulary {
    ids: HashMap<Box<str>, u32>,
    by_trigram: HashMap<[char; 3], Vec<u32>>,
    trigrams: Vec<u32>,
}

/// BM25F over documents with several weighted fields (Robertson, Zaragoza: The Probabilistic Relevance
/// Framework, 2009, §3.6). A term's contribution to a document does not depend on the request, so it is
/// precomputed.
#[derive(Default)]
pub(super) struct Index {
    /// By term: documents with the term's contribution, at most its rarity.
    postings: Vec<Vec<(u32, f32)>>,
    rarity: Vec<f32>,
    documents: usize,
}

/// The documents of an [`Index`] under construction.
#[derive(Default)]
pub(super) struct Documents {
    /// By document: its fields and their terms.
    fields: Vec<Vec<(Field, Vec<u32>)>>,
}

/// The weight of a field, and of a term in it.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) kind: usize,
    pub(super) weight: f32,
}

impl Vocabulary {
    pub(super) fn id(&self, term: &str) -> Option<u32> {
        self.ids.get(term).copied()
    }

    pub(super) fn add(&mut self, term: &str) -> u32 {
        if let Some(id) = self.id(term) {
            return id;
        }
        let id = self.ids.len() as u32;
        self.ids.insert(term.into(), id);
        let grams = trigrams(term);
        self.trigrams.push(grams.len() as u32);
        for gram in grams {
            self.by_trigram.entry(gram).or_default().push(id);
        }
        id
    }

    /// Adds the terms of words that count, and of their marks; returns their ids.
    pub(super) fn add_all(&mut self, tokens: &[Token]) -> Vec<u32> {
        let terms = tokens.iter().filter(|token| !token.common).filter_map(|token| match token.mark {
            Some(mark) if token.word.is_empty() => Some(mark.term()),
            _ => (!token.word.is_empty()).then_some(token.word.as_str()),
        });
        terms.map(|term| self.add(term)).collect()
    }

    /// Terms with a similar spelling, with the share of common trigrams.
    pub(super) fn similar(&self, word: &str) -> Vec<(u32, f32)> {
        let grams = trigrams(word);
        if grams.len() < 4 {
            return Vec::new();
        }
        let mut shared: HashMap<u32, u32> = HashMap::new();
        for gram in &grams {
            for id in self.by_trigram.get(gram).into_iter().flatten() {
                *shared.entry(*id).or_default() += 1;
            }
        }
        let mut near: Vec<(u32, f32)> = shared
            .into_iter()
            .map(|(id, shared)| {
                (id, 2.0 * shared as f32 / (grams.len() as u32 + self.trigrams[id as usize]) as f32)
            })
            .filter(|(_, similarity)| *similarity >= 0.5)
            .collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.truncate(4);
        near
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }
}

impl Documents {
    pub(super) fn push(&mut self, fields: Vec<(Field, Vec<u32>)>) {
        self.fields.push(fields);
    }

    pub(super) fn index(self, vocabulary: &Vocabulary) -> Index {
        let mut lengths: HashMap<usize, (f32, f32)> = HashMap::new();
        for (field, terms) in self.fields.iter().flatten().filter(|(_, terms)| !terms.is_empty()) {
            let (sum, count) = lengths.entry(field.kind).or_default();
            *sum += terms.len() as f32;
            *count += 1.0;
        }
        let documents = self.fields.len();
        let mut postings: Vec<Vec<(u32, f32)>> = vec![Vec::new(); vocabulary.len()];
        for (document, fields) in self.fields.into_iter().enumerate() {
            let mut weights: HashMap<u32, f32> = HashMap::new();
            for (field, terms) in fields {
                let (sum, count) = lengths.get(&field.kind).copied().unwrap_or((1.0, 1.0));
                let long = 1.0 - LENGTH + LENGTH * terms.len() as f32 / (sum / count);
                for term in terms {
                    *weights.entry(term).or_default() += field.weight / long;
                }
            }
            for (term, weight) in weights {
                postings[term as usize].push((document as u32, weight / (SATURATION + weight)));
            }
        }
        let rarity = postings.iter().map(|list| rarity(documents, list.len())).collect::<Vec<_>>();
        for (list, rarity) in postings.iter_mut().zip(&rarity) {
            list.iter_mut().for_each(|(_, weight)| *weight *= rarity);
        }
        Index { postings, rarity, documents }
    }
}

impl Index {
    /// Documents with the term, and its contribution to each.
    pub(super) fn documents_with(&self, term: u32) -> &[(u32, f32)] {
        self.postings.get(term as usize).map_or(&[], Vec::as_slice)
    }

    /// The rarity of a term; the maximum for a term in no document.
    pub(super) fn rarity(&self, term: Option<u32>) -> f32 {
        let known = term.filter(|term| !self.documents_with(*term).is_empty());
        known.map_or_else(|| rarity(self.documents, 1), |term| self.rarity[term as usize])
    }
}

fn rarity(documents: usize, with_term: usize) -> f32 {
    let (all, with) = (documents as f32, with_term as f32);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

fn trigrams(word: &str) -> Vec<[char; 3]> {
    if word.starts_with('<') || word.contains(' ') {
        return Vec::new();
    }
    let chars: Vec<char> = [' '].into_iter().chain(word.chars()).chain([' ']).collect();
    let mut grams: Vec<[char; 3]> = chars.windows(3).map(|gram| [gram[0], gram[1], gram[2]]).collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}
