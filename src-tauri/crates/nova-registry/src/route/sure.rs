//! When a request speaks of a skill beyond doubt, so that it is activated before the model is asked.

use std::collections::HashSet;

use super::english::{is_general_question, is_mine, is_of_somebody, is_possessive, is_to_the_assistant};
use super::profile::Profile;
use super::words::{Mark, Token, name_tokens, tokens};
use super::{Router, spread};

impl Router {
    /// The skill to activate without asking the model, if there is one that is sure to be meant.
    ///
    /// It takes two signs that do not depend on each other: words that are the skill's own, similarity to a
    /// phrase of its own, a possessive. One word in common is not enough, however rare it is: a contact lens
    /// is no contact. Two words that only its tools use are not enough either. A question that anybody might
    /// ask must read like a phrase of the skill.
    ///
    /// All that it takes was chosen on `tests/routing/dev` and `default_install/dev.txt`, where it was right
    /// whenever it acted. It acts on 27 of 100 requests that need one of the sixteen skills of the first,
    /// and on 49 that need one of the eight of the second, among 64 requests that speak as those do and
    /// need none. Held out were 14 acts on other skills, on 13 of 100 requests, and 20 acts of the skills
    /// that come with Nova, on 44 of 100 beside 44 that need none; all 34 were right. So few cannot show
    /// more than that nine of ten are, and these totals, though no request behind them, were seen while the
    /// rule was made. What it is not sure of, the model decides.
    ///
    /// That is where the skill that is meant is there. Asked of any six neighbours of a set what belongs to
    /// all of it, it takes one of them for another that is missing: right in 97 (dev) and 93 (held out) of
    /// 100 cases that it acts.
    pub fn confident(&self, text: &str) -> Option<&str> {
        let signs = self.signs(text)?;
        signs.suffice(Doubt::default()).then(|| self.skills[signs.skill].id.as_str())
    }

    /// What speaks for the best skill.
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

    /// How many words and marks of the request say enough of the skill to be a sign, whether one of them
    /// is a mark or from its name, and whether one is what the skill says of itself. Verbs that go with
    /// anything say nothing.
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

/// The words that a skill says of itself, with its examples, and names its tools by. What its tools say
/// of their work is not among them: those that edit text speak of words and lines, as anybody does.
fn words_about(skill: &Profile) -> HashSet<String> {
    let examples = skill.examples.iter().map(|example| &example.text);
    let texts = [&skill.description, &skill.tags].into_iter().chain(&skill.use_when).chain(examples);
    let texts = texts.flat_map(|text| tokens(text));
    let tools = skill.tools.iter().flat_map(|tool| name_tokens(&tool.id));
    names(skill).into_iter().chain(texts).chain(tools).map(|token| token.word).collect()
}

/// From so much on of the most that a word can say of a skill, it is a sign of it.
const OWN_WORD: f32 = 0.35;

/// What speaks for the best skill.
#[derive(Debug)]
pub(super) struct Signs {
    pub(super) skill: usize,
    /// How many there are.
    skills: usize,
    score: f32,
    /// Over the best tool of any other skill, as a share of the score.
    lead: f32,
    /// Words and marks of the request that are its own.
    own: usize,
    has_name: bool,
    /// One of them is what the skill says of itself, not only its tools.
    of_itself: bool,
    /// The greatest similarity to a phrase of its own.
    like: f32,
    /// What it has of all words of the request.
    words: f32,
    /// Words and marks of the request that mean something.
    length: usize,
    possessive: bool,
    question: Question,
}

/// Whom a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    /// It is none, or about what is the user's own or named.
    None,
    /// `What is Mara's number?`
    OfSomebody,
    /// `When was the first iPhone released?`
    OfTheWorld,
    /// `Change the tone of your answer`: about what it said, although that is no question.
    OfTheAssistant,
}

/// From where on the router is sure. Chosen on `tests/routing/dev` and `default_install/dev.txt`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Doubt {
    pub(super) score: f32,
    pub(super) lead: f32,
    /// So much similarity to a phrase is a sign, and so much is enough alone.
    pub(super) like: f32,
    pub(super) very_like: f32,
    /// So like a phrase a question of the world must be.
    pub(super) question: f32,
    /// How much of all words the skill must have where no phrase is a sign: of a request with one word of
    /// its own and a possessive, with two of which one is from its name, and with any two.
    pub(super) possessive: f32,
    pub(super) named: f32,
    pub(super) two_words: f32,
    /// What the last is more, divided by the number of skills.
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
            // Among few skills most words are rare.
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
