use std::collections::{HashMap, HashSet};

use super::words::{Mark, Token};

/// Whole phrases of the skills, compared with a request as a whole: `pull up TICKER` means more than its
/// words.
#[derive(Default)]
pub(super) struct Phrases {
    ids: HashMap<Box<str>, u32>,
    /// By term: its weight, 0 if every skill has it.
    weights: Vec<f32>,
    all: Vec<Phrase>,
    unknown: f32,
}

/// The owner of a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) skill: usize,
    pub(super) tool: Option<usize>,
}

struct Phrase {
    terms: Vec<u32>,
    length: f32,
}

/// A request prepared for comparison.
pub(super) struct RequestTerms {
    /// By term of the phrases; 0 if the request does not contain it.
    weights: Vec<f32>,
    length: f32,
}

impl Phrases {
    /// `phrases` are tokens with the index of their skill.
    pub(super) fn new(
        phrases: &[(usize, Vec<Token>)],
        is_word: &dyn Fn(&str) -> bool,
        skills: usize,
    ) -> Self {
        let mut made = Self::default();
        let mut said_by: Vec<HashSet<usize>> = Vec::new();
        let mut kinds: Vec<f32> = Vec::new();
        for (skill, tokens) in phrases {
            let mut terms = Vec::new();
            for (term, share) in terms_of(tokens, is_word) {
                let next = made.ids.len() as u32;
                let id = *made.ids.entry(term.into()).or_insert(next);
                if id == next {
                    said_by.push(HashSet::new());
                    kinds.push(share);
                }
                said_by[id as usize].insert(*skill);
                terms.push(id);
            }
            terms.sort_unstable();
            terms.dedup();
            made.all.push(Phrase { terms, length: 0.0 });
        }
        let rarity = |with: usize| (1.0 + skills as f32 / with as f32).ln();
        made.weights = said_by.iter().zip(&kinds).map(|(by, share)| share * rarity(by.len())).collect();
        made.unknown = rarity(1);
        for phrase in &mut made.all {
            let squares = phrase.terms.iter().map(|term| made.weights[*term as usize].powi(2));
            phrase.length = squares.sum::<f32>().sqrt();
        }
        made
    }

    pub(super) fn request_terms(&self, tokens: &[Token], is_word: &dyn Fn(&str) -> bool) -> RequestTerms {
        let mut weights = vec![0.0; self.weights.len()];
        let mut squares = 0.0_f32;
        let mut seen = HashSet::new();
        for (term, share) in terms_of(tokens, is_word) {
            if !seen.insert(term.clone()) {
                continue;
            }
            let known = self.ids.get(&*term).copied();
            let weight = known.map_or(self.unknown * share, |id| self.weights[id as usize]);
            // Pairs of words that are in no phrase are ignored.
            if known.is_some() || !term.contains(' ') {
                squares += weight * weight;
            }
            if let Some(id) = known {
                weights[id as usize] = weight;
            }
        }
        RequestTerms { weights, length: squares.sqrt() }
    }

    /// The similarity of a request and a phrase, 0 to 1.
    pub(super) fn similarity(&self, request: &RequestTerms, phrase: usize) -> f32 {
        let Some(phrase) = self.all.get(phrase) else { return 0.0 };
        if phrase.length == 0.0 || request.length == 0.0 {
            return 0.0;
        }
        let shared: f32 = phrase.terms.iter().map(|term| request.weights[*term as usize].powi(2)).sum();
        shared / (phrase.length * request.length)
    }
}

/// The terms of a phrase, with the weight of their kind.
fn terms_of(tokens: &[Token], is_word: &dyn Fn(&str) -> bool) -> Vec<(String, f32)> {
    let mut terms: Vec<(String, f32)> = Vec::new();
    let mut before: Option<&str> = None;
    for token in tokens {
        let mark = token.mark.filter(|mark| *mark != Mark::Ticker || !is_word(&token.word));
        let term = match mark {
            Some(Mark::Day) | None if !token.word.is_empty() => {
                let share = if token.common {
                    0.25
                } else if token.name && !is_word(&token.word) {
                    0.4
                } else {
                    1.0
                };
                terms.push((token.word.clone(), share));
                token.word.as_str()
            }
            Some(mark) => {
                terms.push((mark.term().to_owned(), 1.0));
                mark.term()
            }
            None => continue,
        };
        if let Some(before) = before {
            terms.push((format!("{before} {term}"), 0.5));
        }
        before = Some(term);
    }
    terms
}
