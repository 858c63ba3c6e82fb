//! Decides when a request needs a skill beyond doubt, so that it is activated before the model is called.

use std::collections::HashSet;

use super::english::{is_general_question, is_mine, is_of_somebody, is_possessive, is_to_the_assistant};
use super::profile::Profile;
use super::words::{Mark, Token, name_tokens, tokens};
use super::{Router, spread};

impl Router {
    /// Returns the skill to activate without asking the model, if there is a certain one.
    ///
    /// This takes two independent signs: words specific to the skill, similarity to one of its phrases, a
    /// possessive. One common word is not enough, however rare it is: a contact lens is not a contact.
    /// Neither are two words that only its tools use. A general question must resemble a phrase of the skill.
    ///
    /// The thresholds were chosen on `tests/routing/dev` and `default_install/dev.txt`, where the router was
    /// right whenever it acted. It acts on 27 of 100 requests that need one of the sixteen skills of the
    /// first set, and on 49 of 100 for the eight skills of the second, which also has 64 similar requests
    /// that need none. On held-out requests, it acted 14 times for other skills (13 of 100 requests), and 20
    /// times for built-in skills (44 of 100, with 44 that need none), always correctly. So few cases only
    /// show a precision of nine in ten, and these totals, although not the requests behind them, were known
    /// when the rule was made. In all other cases the model decides.
    ///
    /// These figures assume that the required skill is installed. With any six skills of a set, given the
    /// requests for all of it, the router may take one of them for a missing one: it is right in 97 (dev) and
    /// 93 (held out) of 100 cases in which it acts.
    pub fn confident(&self, text: &str) -> Option<&str> {
        let signs = self.signs(text)?;
        signs.suffice(Doubt::default()).then(|| self.skills[signs.skill].id.as_str())
    }

    /// Collects the signs for the best skill.
    pub(super) fn signs(&self, text: &str) -> Option<Signs> {
        let tokens = tokens(text);
        let ranked = self.rank(text, &tokens, None, usize::MAX);
        let best = ranked.first()?;
        let skill = self.skills.iter().position(|skill| skill.id == best.skill)?;
        let other = ranked.iter().find(|other| other.skill != best.skill).map_or(0.0, |other| other.score);
        let words = spread(&self.of_skills, &self.wanted(&tokens), self.skills.len());
        let (own, has_name, of_itself) = self.own_terms(&tokens, skill);
        Some(Signs {
            skill,
            skills: self.skills.len(),
            score: best.score,
            lead: (best.score - other) / best.score,
            own,
            has_name,
            of_itself,
            like: self.phrase_scores(&tokens, None).for_skill[skill],
            words: words[skill],
            length: tokens.iter().filter(|token| !token.common).count(),
            possessive: is_possessive(text),
            question: Question::of(text, &tokens),
        })
    }

    /// Counts the words and marks of the request that are specific enough to the skill to be a sign; also
    /// returns whether one of them is a mark or from its name, and whether one is from the skill's own
    /// description. Generic verbs do not count.
    fn own_terms(&self, said: &[Token], skill: usize) -> (usize, bool, bool) {
        let names = names(&self.skills[skill]);
        let said_of_itself = words_about(&self.skills[skill]);
        let most = self.of_skills.rarity(None);
        let says = |term: &str| {
            let adds = self.vocabulary.id(term).and_then(|term| {
                self.of_skills.documents_with(term).iter().find(|(at, _)| *at as usize == skill)
            });
            adds.map_or(0.0, |(_, adds)| adds / most)
        };
        let mut seen: Vec<&str> = Vec::new();
        let (mut has_name, mut of_itself) = (false, false);
        for token in said.iter().filter(|token| !token.common && !token.light) {
            let (term, names_it) = match token.mark {
                Some(mark) if token.word.is_empty() || says(&token.word) == 0.0 => (mark.term(), true),
                _ => (token.word.as_str(), names.iter().any(|name| name.word == token.word)),
            };
            if !seen.contains(&term) && says(term) >= OWN_WORD {
                seen.push(term);
                has_name |= names_it;
                of_itself |= said_of_itself.contains(term);
            }
        }
        (seen.len(), has_name, of_itself)
    }
}

fn names(skill: &Profile) -> Vec<Token> {
    name_tokens(&skill.id).into_iter().chain(tokens(&skill.name)).collect()
}

/// The words in a skill's own description, examples and tool names. Descriptions of its tools are excluded:
/// tools that edit text mention words and lines, as anyone does.
fn words_about(skill: &Profile) -> HashSet<String> {
    let examples = skill.examples.iter().map(|example| &example.text);
    let texts = [&skill.description, &skill.tags].into_iter().chain(&skill.use_when).chain(examples);
    let texts = texts.flat_map(|text| tokens(text));
    let tools = skill.tools.iter().flat_map(|tool| name_tokens(&tool.id));
    names(skill).into_iter().chain(texts).chain(tools).map(|token| token.word).collect()
}

/// A word is a sign of a skill from this share of the maximum weight on.
const OWN_WORD: f32 = 0.35;

/// The signs for the best skill.
#[derive(Debug)]
pub(super) struct Signs {
    pub(super) skill: usize,
    /// The number of skills.
    skills: usize,
    score: f32,
    /// The lead over the best tool of any other skill, as a share of the score.
    lead: f32,
    /// Words and marks of the request that are specific to the skill.
    own: usize,
    has_name: bool,
    /// One of them is from the skill's own description, not only its tools'.
    of_itself: bool,
    /// The greatest similarity to one of its phrases.
    like: f32,
    /// The share of all words of the request that the skill contains.
    words: f32,
    /// The number of words and marks of the request that are not stop words.
    length: usize,
    possessive: bool,
    question: Question,
}

/// The subject of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    /// Not a question, or one about something of the user's or something named.
    None,
    /// `What is Mara's number?`
    OfSomebody,
    /// `When was the first iPhone released?`
    OfTheWorld,
    /// `Change the tone of your answer`: about the assistant's output, although not a question.
    OfTheAssistant,
}

/// The thresholds of confidence. Chosen on `tests/routing/dev` and `default_install/dev.txt`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Doubt {
    pub(super) score: f32,
    pub(super) lead: f32,
    /// The similarity to a phrase that is a sign, and the one that suffices alone.
    pub(super) like: f32,
    pub(super) very_like: f32,
    /// The similarity to a phrase that a general question needs.
    pub(super) question: f32,
    /// The share of all words that the skill must contain if no phrase is a sign: for one specific word and a
    /// possessive, for two with one from its name, and for any two.
    pub(super) possessive: f32,
    pub(super) named: f32,
    pub(super) two_words: f32,
    /// Added to the last one, divided by the number of skills.
    pub(super) few_words: f32,
}

impl Default for Doubt {
    fn default() -> Self {
        Self {
            score: 0.40,
            lead: 0.40,
            like: 0.5,
            very_like: 0.75,
            question: 0.6,
            possessive: 0.5,
            named: 0.3,
            two_words: 0.2,
            few_words: 3.0,
        }
    }
}

impl Signs {
    pub(super) fn suffice(&self, doubt: Doubt) -> bool {
        if self.score < doubt.score || self.lead < doubt.lead {
            return false;
        }
        if self.like >= doubt.very_like {
            return true;
        }
        let least_like = match self.question {
            Question::None => 0.0,
            Question::OfSomebody => doubt.like,
            Question::OfTheWorld => doubt.question,
            Question::OfTheAssistant => doubt.very_like,
        };
        if self.like < least_like || self.length < 2 {
            return false;
        }
        let alike = self.like >= doubt.like;
        match self.own {
            0 => false,
            1 => alike || self.possessive && self.words >= doubt.possessive,
            _ if self.has_name => alike || self.words >= doubt.named,
            // Among few skills, most words are rare.
            _ => {
                alike
                    || self.of_itself && self.words >= doubt.two_words + doubt.few_words / self.skills as f32
            }
        }
    }
}

impl Question {
    fn of(text: &str, tokens: &[Token]) -> Self {
        let is_named = tokens.iter().any(|token| {
            matches!(
                token.mark,
                Some(Mark::Note | Mark::Url | Mark::Email | Mark::Path | Mark::Key | Mark::Tag)
            )
        });
        if is_to_the_assistant(text) {
            Self::OfTheAssistant
        } else if !is_general_question(text) || is_mine(text) || is_named {
            Self::None
        } else if is_of_somebody(text) {
            Self::OfSomebody
        } else {
            Self::OfTheWorld
        }
    }
}
