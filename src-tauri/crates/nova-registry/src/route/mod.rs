//! Finds the skill and tool for a request without a model.
//!
//! A single ranking for `search_tools`, the picker, the command line and the router. Pure: the same skills
//! and text give the same result, without I/O or state.

mod confusion;
mod english;
mod index;
mod phrases;
mod profile;
mod sure;
mod words;

#[cfg(test)]
mod default_install;
#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod measure;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub use confusion::{Confusion, ConfusionKind, MissingHint, test_routing, would_take};

use self::english::{is_question, is_talk};
use self::index::{Documents, Field, Index, Vocabulary};
use self::phrases::{Owner, Phrases};
use self::profile::Profile;
use self::words::{Mark, Token, name_tokens, tokens, tokens_with_notes};
use crate::SkillEntry;

/// Ranks the tools of the skills of one snapshot.
pub struct Router {
    skills: Vec<Profile>,
    /// By tool: its skill and its index there; `None` for a skill without tools.
    tools: Vec<(usize, Option<usize>)>,
    /// By skill: index of its first tool in `tools`.
    first_tool: Vec<usize>,
    vocabulary: Vocabulary,
    of_skills: Index,
    of_tools: Index,
    phrases: Phrases,
    /// By phrase.
    meanings: Vec<Meaning>,
    synonyms: HashMap<String, Vec<String>>,
    weights: Weights,
}

/// How well a tool fits a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The skill's id.
    pub skill: String,
    /// The tool's id; `None` if the skill has no tools.
    pub tool: Option<String>,
    /// Greater than 0, at most 2.22: 0.8 and 0.5 if the skill and the tool contain all words of the request,
    /// 0.52 for a similar phrase of the tool, 0.4 if another skill's hint refers here. A skill without tools
    /// counts as its own tool. Comparable between requests to the same skills.
    pub score: f32,
}

/// The meaning of a match with a phrase.
enum Meaning {
    /// The owner, and the text of the example if it is one.
    For(Owner, Option<String>),
    Against {
        owner: Owner,
        instead: Option<Owner>,
    },
}

/// Similarities of the phrases to a request.
struct PhraseScores {
    /// By skill: the greatest similarity to one of its own phrases.
    for_skill: Vec<f32>,
    /// By tool: likewise.
    for_tool: Vec<f32>,
    /// The skill to demote, the one to promote, and the similarity.
    against: Vec<(Owner, Option<Owner>, f32)>,
}

/// The weight of each sign. Chosen on `tests/routing/dev`.
#[derive(Debug, Clone, Copy)]
struct Weights {
    skill: f32,
    tool: f32,
    phrase: f32,
    against: f32,
    instead: f32,
    synonym: f32,
    similar: f32,
    mark: f32,
    unknown_name: f32,
    light: f32,
    question: f32,
    parameter: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            skill: 0.8,
            tool: 0.5,
            phrase: 0.4,
            against: 0.7,
            instead: 0.4,
            synonym: 0.6,
            similar: 0.6,
            mark: 0.8,
            unknown_name: 0.3,
            light: 0.4,
            question: 0.6,
            parameter: 2.0,
        }
    }
}

impl Router {
    /// Creates a router for these skills, which must be available.
    pub(crate) fn of<'a>(skills: impl Iterator<Item = &'a SkillEntry>) -> Self {
        Self::build(skills.map(Profile::of).collect(), Weights::default())
    }

    /// The best `k` tools for a request, best first; tools without anything in common with it are omitted.
    /// Only the start and end of a very long text count.
    pub fn route(&self, text: &str, k: usize) -> Vec<Ranked> {
        self.rank(text, &tokens(text), None, k)
    }

    /// As [`Router::route`] for an example of a skill: examples with the same text are ignored, since it
    /// would always match itself.
    pub fn route_example(&self, text: &str, k: usize) -> Vec<Ranked> {
        self.rank(text, &tokens(text), Some(text), k)
    }

    /// As [`Router::route`]; `is_note` tests whether a few words are the name of a note.
    pub fn route_with_notes(&self, text: &str, k: usize, is_note: &dyn Fn(&str) -> bool) -> Vec<Ranked> {
        self.rank(text, &tokens_with_notes(text, is_note), None, k)
    }

    fn build(skills: Vec<Profile>, weights: Weights) -> Self {
        let mut vocabulary = Vocabulary::default();
        let mut of_skills = Documents::default();
        let mut of_tools = Documents::default();
        let (mut tools, mut first_tool) = (Vec::new(), Vec::new());
        for (at, skill) in skills.iter().enumerate() {
            first_tool.push(tools.len());
            of_skills.push(skill_fields(skill, &mut vocabulary, weights));
            for (tool, profile) in skill.tools.iter().enumerate() {
                of_tools.push(tool_fields(profile, &mut vocabulary, weights));
                tools.push((at, Some(tool)));
            }
            if skill.tools.is_empty() {
                of_tools.push(Vec::new());
                tools.push((at, None));
            }
        }
        let (of_skills, of_tools) = (of_skills.index(&vocabulary), of_tools.index(&vocabulary));
        let (said, meanings) = phrases_of(&skills);
        let phrases = Phrases::new(&said, &|word| vocabulary.id(word).is_some(), skills.len());
        let synonyms = english::synonyms();
        Self {
            skills,
            tools,
            first_tool,
            vocabulary,
            of_skills,
            of_tools,
            phrases,
            meanings,
            synonyms,
            weights,
        }
    }

    /// Ignores examples equal to `without`, so that a tested example does not match itself.
    fn rank(&self, text: &str, tokens: &[Token], without: Option<&str>, k: usize) -> Vec<Ranked> {
        let wanted = self.wanted(tokens);
        let skill_scores = spread(&self.of_skills, &wanted, self.skills.len());
        let mut scores = spread(&self.of_tools, &wanted, self.tools.len());
        let PhraseScores { for_skill, for_tool, against } = self.phrase_scores(tokens, without);
        let w = &self.weights;
        let share = if is_talk(text) { 0.5 } else { 1.0 };
        let question = is_question(text);
        for (at, score) in scores.iter_mut().enumerate() {
            let (skill, tool) = self.tools[at];
            // A skill without tools performs the work itself.
            let (words, said) = match tool {
                Some(_) => (*score, for_tool[at]),
                None => (skill_scores[skill], for_skill[skill]),
            };
            let phrase = for_skill[skill].max(said) + 0.3 * said;
            *score = w.skill * skill_scores[skill] + w.tool * words + w.phrase * phrase;
            if question && self.changes(at) {
                *score *= w.question;
            }
        }
        for (at, score) in scores.iter_mut().enumerate() {
            // Only the best match counts: repeating a hint gains nothing.
            let (mut minus, mut plus) = (0.0_f32, 0.0_f32);
            for (owner, instead, similarity) in &against {
                if self.belongs(at, *owner) {
                    minus = minus.max(*similarity);
                } else if instead.is_some_and(|instead| self.belongs(at, instead)) {
                    plus = plus.max(*similarity);
                }
            }
            *score = *score * (1.0 - w.against * minus) + w.instead * plus;
        }
        let mut order: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
        let name = |at: usize| {
            let (skill, tool) = self.tools[at];
            (&self.skills[skill].id, tool.map(|tool| &self.skills[skill].tools[tool].id))
        };
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then_with(|| name(*a).cmp(&name(*b))));
        let ranked = order.into_iter().take(k).map(|at| {
            let (skill, tool) = name(at);
            Ranked { skill: skill.clone(), tool: tool.cloned(), score: scores[at] * share }
        });
        ranked.collect()
    }

    /// The query: for each word the terms that match it, each with its share, and the weight of the word.
    fn wanted(&self, tokens: &[Token]) -> Vec<(Vec<(u32, f32)>, f32)> {
        let w = &self.weights;
        let mut seen: Vec<&str> = Vec::new();
        let mut wanted = Vec::new();
        let mut marks: Vec<Mark> = Vec::new();
        for token in tokens {
            let known = self.vocabulary.id(&token.word);
            if let Some(mark) = token.mark
                && (mark != Mark::Ticker || known.is_none())
                && !marks.contains(&mark)
            {
                marks.push(mark);
                if let Some(term) = self.vocabulary.id(mark.term()) {
                    wanted.push((vec![(term, 1.0)], w.mark));
                }
            }
            let stands_alone = token.mark.is_none_or(|mark| matches!(mark, Mark::Ticker | Mark::Tag));
            if token.common || token.word.is_empty() || (!stands_alone && known.is_none()) {
                continue;
            }
            if token.mark == Some(Mark::Ticker) && known.is_none() || seen.contains(&token.word.as_str()) {
                continue;
            }
            seen.push(&token.word);
            let mut terms: Vec<(u32, f32)> = known.map(|term| (term, 1.0)).into_iter().collect();
            for other in self.synonyms.get(&token.word).into_iter().flatten() {
                terms.extend(self.vocabulary.id(other).map(|term| (term, w.synonym)));
            }
            if terms.is_empty() && w.similar > 0.0 {
                let near = self.vocabulary.similar(&token.word);
                terms.extend(near.into_iter().map(|(term, similarity)| (term, similarity * w.similar)));
            }
            let importance = match token {
                Token { name: true, .. } if terms.is_empty() => w.unknown_name,
                Token { light: true, .. } => w.light,
                _ => 1.0,
            };
            wanted.push((terms, importance));
        }
        wanted
    }

    /// Similarities of phrases to the request.
    fn phrase_scores(&self, tokens: &[Token], without: Option<&str>) -> PhraseScores {
        let request = self.phrases.request_terms(tokens, &|word| self.vocabulary.id(word).is_some());
        let mut for_skill = vec![0.0_f32; self.skills.len()];
        let mut for_tool = vec![0.0_f32; self.tools.len()];
        let mut against = Vec::new();
        for (at, meaning) in self.meanings.iter().enumerate() {
            let similarity = self.phrases.similarity(&request, at);
            match meaning {
                Meaning::For(owner, example) => {
                    if example.is_some() && example.as_deref() == without {
                        continue;
                    }
                    for_skill[owner.skill] = for_skill[owner.skill].max(similarity);
                    if let Some(tool) = owner.tool {
                        let tool = self.first_tool[owner.skill] + tool;
                        for_tool[tool] = for_tool[tool].max(similarity);
                    }
                }
                Meaning::Against { owner, instead } if similarity >= 0.4 => {
                    against.push((*owner, *instead, similarity));
                }
                Meaning::Against { .. } => {}
            }
        }
        PhraseScores { for_skill, for_tool, against }
    }

    /// Whether the tool's name denotes an action, not a question.
    fn changes(&self, tool: usize) -> bool {
        const VERBS: &[&str] = &[
            "add", "append", "archive", "cancel", "complete", "create", "delete", "deploy", "draft", "edit",
            "lock", "log", "make", "mark", "merge", "move", "order", "pause", "play", "post", "postpone",
            "prepare", "record", "remove", "rename", "resolve", "rollback", "run", "save", "send", "set",
            "share", "start", "update", "write",
        ];
        let (skill, tool) = self.tools[tool];
        let id = tool.map_or("", |tool| self.skills[skill].tools[tool].id.as_str());
        VERBS.contains(&id.split(['_', '-']).next().unwrap_or_default())
    }

    fn belongs(&self, tool: usize, owner: Owner) -> bool {
        let (skill, own) = self.tools[tool];
        skill == owner.skill && (owner.tool.is_none() || owner.tool == own)
    }
}

/// The share of the query found in each document, 0 to 1. A word contributes at most its own rarity, even if
/// a matching term is rarer: otherwise a word that all skills have could count many times through a rare
/// synonym.
fn spread(index: &Index, wanted: &[(Vec<(u32, f32)>, f32)], documents: usize) -> Vec<f32> {
    let mut scores = vec![0.0_f32; documents];
    let mut most = 0.0_f32;
    // The contribution of the word to each document, and the documents concerned.
    let mut best = vec![0.0_f32; documents];
    let mut touched: Vec<usize> = Vec::new();
    for (terms, importance) in wanted {
        let most_of_word = index.rarity(terms.first().map(|(term, _)| *term));
        most += importance * most_of_word;
        for (term, share) in terms {
            for (document, adds) in index.documents_with(*term) {
                let document = *document as usize;
                if best[document] == 0.0 {
                    touched.push(document);
                }
                best[document] = best[document].max(share * adds);
            }
        }
        for document in touched.drain(..) {
            scores[document] += importance * best[document].min(most_of_word);
            best[document] = 0.0;
        }
    }
    if most > 0.0 {
        scores.iter_mut().for_each(|score| *score /= most);
    }
    scores
}

fn skill_fields(skill: &Profile, vocabulary: &mut Vocabulary, weights: Weights) -> Vec<(Field, Vec<u32>)> {
    let mut fields = Vec::new();
    let mut add = |kind, weight, tokens: Vec<Token>| {
        fields.push((Field { kind, weight }, vocabulary.add_all(&tokens)));
    };
    let each = |texts: &mut dyn Iterator<Item = &str>| texts.flat_map(tokens).collect::<Vec<_>>();
    add(0, 3.0, name_tokens(&skill.id).into_iter().chain(tokens(&skill.name)).collect());
    add(1, 2.0, tokens(&skill.description));
    add(2, 1.5, tokens(&skill.tags));
    add(3, 2.0, each(&mut skill.use_when.iter().map(String::as_str)));
    add(4, 1.5, skill.tools.iter().flat_map(|tool| name_tokens(&tool.id)).collect());
    add(5, 1.5, each(&mut skill.tools.iter().map(|tool| tool.purpose.as_str())));
    add(
        6,
        0.5,
        skill.tools.iter().flat_map(|tool| &tool.parameters).flat_map(|name| name_tokens(name)).collect(),
    );
    add(7, 1.0, each(&mut skill.tools.iter().flat_map(|tool| &tool.use_when).map(String::as_str)));
    fields.push((
        Field { kind: 8, weight: weights.parameter },
        parameter_marks(&mut skill.tools.iter().flat_map(|tool| &tool.parameters), vocabulary),
    ));
    fields
}

fn tool_fields(
    tool: &profile::ToolProfile,
    vocabulary: &mut Vocabulary,
    weights: Weights,
) -> Vec<(Field, Vec<u32>)> {
    let mut fields = Vec::new();
    let mut add = |kind, weight, tokens: Vec<Token>| {
        fields.push((Field { kind, weight }, vocabulary.add_all(&tokens)));
    };
    add(0, 2.5, name_tokens(&tool.id));
    add(1, 2.0, tokens(&tool.purpose));
    add(2, 2.0, tool.use_when.iter().flat_map(|text| tokens(text)).collect());
    add(3, 0.7, tool.parameters.iter().flat_map(|name| name_tokens(name)).collect());
    fields.push((
        Field { kind: 4, weight: weights.parameter },
        parameter_marks(&mut tool.parameters.iter(), vocabulary),
    ));
    fields
}

fn parameter_marks(names: &mut dyn Iterator<Item = &String>, vocabulary: &mut Vocabulary) -> Vec<u32> {
    let mut marks: Vec<Mark> = names.filter_map(|name| Mark::of_parameter(name)).collect();
    marks.sort_unstable();
    marks.dedup();
    marks.into_iter().map(|mark| vocabulary.add(mark.term())).collect()
}

/// All phrases with the index of their skill, and their meaning.
fn phrases_of(skills: &[Profile]) -> (Vec<(usize, Vec<Token>)>, Vec<Meaning>) {
    let named = |name: &str| -> Option<Owner> {
        let (skill, tool) = name.split_once('.').map_or((name, None), |(skill, tool)| (skill, Some(tool)));
        let wanted = crate::canonical(skill);
        let at = skills.iter().position(|other| crate::canonical(&other.id) == wanted)?;
        let tool = tool.and_then(|tool| skills[at].tools.iter().position(|other| other.id == tool));
        Some(Owner { skill: at, tool })
    };
    let (mut said, mut meanings) = (Vec::new(), Vec::new());
    for (at, skill) in skills.iter().enumerate() {
        let mut say = |text: &str, meaning| {
            said.push((at, tokens(text)));
            meanings.push(meaning);
        };
        let whole = Owner { skill: at, tool: None };
        for text in &skill.use_when {
            say(text, Meaning::For(whole, None));
        }
        for example in &skill.examples {
            let tool =
                example.tool.as_ref().and_then(|id| skill.tools.iter().position(|tool| tool.id == *id));
            say(&example.text, Meaning::For(Owner { skill: at, tool }, Some(example.text.clone())));
        }
        for (tool, profile) in skill.tools.iter().enumerate() {
            let owner = Owner { skill: at, tool: Some(tool) };
            for text in &profile.use_when {
                say(text, Meaning::For(owner, None));
            }
            for (text, instead) in &profile.not_when {
                if let Some(instead) = named(instead) {
                    say(text, Meaning::Against { owner, instead: Some(instead) });
                }
            }
        }
        for (text, instead) in &skill.not_when {
            // A request for a missing skill may be routed here; one that belongs to no skill may not.
            let other = named(instead);
            if other.is_some() || instead.is_empty() {
                say(text, Meaning::Against { owner: whole, instead: other });
            }
        }
    }
    (said, meanings)
}
