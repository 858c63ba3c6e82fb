use std::fmt;

use super::profile::{Example, Profile};
use super::words::{Mark, tokens};
use super::{Ranked, Router, Weights};
use crate::{SkillEntry, Snapshot};

/// From this score on, a near miss counts as routed to the skill.
const CONFUSED_SCORE: f32 = 0.45;

/// A misrouted request.
#[derive(Debug, Clone, PartialEq)]
pub struct Confusion {
    /// The skill whose example or near miss it is.
    pub skill: String,
    /// The tool that the example names.
    pub tool: Option<String>,
    pub kind: ConfusionKind,
    pub text: String,
    /// The first result; `None` if there was none.
    pub won: Option<Ranked>,
    /// The smallest set of hints that fixes it, if hints can.
    pub missing: Vec<MissingHint>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfusionKind {
    /// It belongs to the skill but was routed elsewhere.
    Example,
    /// It does not belong to the skill but was routed there.
    NearMiss,
}

/// A line to add to a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingHint {
    UseWhen {
        skill: String,
        phrase: String,
    },
    NotWhen {
        skill: String,
        phrase: String,
        /// The skill or `skill.tool` that it belongs to.
        instead: String,
    },
}

/// Routes the examples and near misses of all available skills. An example is excluded from the index while
/// it is tested itself; otherwise it would always match.
pub fn test_routing(snapshot: &Snapshot) -> Vec<Confusion> {
    confusions(snapshot.available().map(|skill| Profile::of(skill)).collect())
}

/// The examples of other skills that are misrouted once `skill` is enabled, but were not before.
pub fn would_take(snapshot: &Snapshot, skill: &SkillEntry) -> Vec<Confusion> {
    let others: Vec<Profile> =
        snapshot.available().filter(|other| other.id != skill.id).map(|other| Profile::of(other)).collect();
    let mut all = others.clone();
    all.push(Profile::of(skill));
    let before = confusions_of(&Router::build(others, Weights::default()));
    let mut taken = confusions_of(&Router::build(all.clone(), Weights::default()));
    taken.retain(|confusion| {
        let known = |old: &Confusion| (&old.skill, &old.text) == (&confusion.skill, &confusion.text);
        // An example that reaches another tool of its own skill was not taken.
        confusion.skill != skill.id
            && confusion.kind == ConfusionKind::Example
            && confusion.won.as_ref().is_some_and(|won| won.skill == skill.id)
            && !before.iter().any(known)
    });
    taken.iter_mut().for_each(|confusion| confusion.find_missing(&all));
    taken
}

fn confusions(profiles: Vec<Profile>) -> Vec<Confusion> {
    let mut found = confusions_of(&Router::build(profiles.clone(), Weights::default()));
    found.iter_mut().for_each(|confusion| confusion.find_missing(&profiles));
    found
}

fn confusions_of(router: &Router) -> Vec<Confusion> {
    let mut found = Vec::new();
    for skill in &router.skills {
        for example in &skill.examples {
            let first = first(router, &example.text);
            if !fits(first.as_ref(), &skill.id, example.tool.as_deref()) {
                let kind = ConfusionKind::Example;
                found.push(Confusion::new(skill, example.tool.clone(), kind, &example.text, first));
            }
        }
        for text in &skill.near_misses {
            let first = first(router, text);
            // A request that fits nothing still has a best result; a low score is no confusion.
            if first.as_ref().is_some_and(|first| first.skill == skill.id && first.score >= CONFUSED_SCORE) {
                found.push(Confusion::new(skill, None, ConfusionKind::NearMiss, text, first));
            }
        }
    }
    found
}

fn first(router: &Router, text: &str) -> Option<Ranked> {
    router.rank(text, &tokens(text), Some(text), 1).pop()
}

fn fits(first: Option<&Ranked>, skill: &str, tool: Option<&str>) -> bool {
    first.is_some_and(|first| {
        first.skill == skill && tool.is_none_or(|tool| first.tool.as_deref() == Some(tool))
    })
}

impl Confusion {
    fn new(
        skill: &Profile,
        tool: Option<String>,
        kind: ConfusionKind,
        text: &str,
        won: Option<Ranked>,
    ) -> Self {
        Self { skill: skill.id.clone(), tool, kind, text: text.to_owned(), won, missing: Vec::new() }
    }

    /// Tries hints until one fixes it.
    fn find_missing(&mut self, profiles: &[Profile]) {
        let router = Router::build(profiles.to_vec(), Weights::default());
        let phrase = generalised(&router, &self.text);
        let not_when = self.won.as_ref().and_then(|won| {
            let instead = match self.kind {
                ConfusionKind::Example if won.skill == self.skill => return None,
                ConfusionKind::Example => match &self.tool {
                    Some(tool) => format!("{}.{tool}", self.skill),
                    None => self.skill.clone(),
                },
                ConfusionKind::NearMiss => self.owner_of_near_miss(&router)?,
            };
            Some(MissingHint::NotWhen { skill: won.skill.clone(), phrase: phrase.clone(), instead })
        });
        let use_when = match (self.kind, &not_when) {
            (ConfusionKind::Example, _) => Some(self.skill.clone()),
            (ConfusionKind::NearMiss, Some(MissingHint::NotWhen { instead, .. })) => {
                instead.split('.').next().map(str::to_owned)
            }
            _ => None,
        }
        .map(|skill| MissingHint::UseWhen { skill, phrase });
        let tries: Vec<Vec<MissingHint>> = match (use_when, not_when) {
            // A skill that attracts another's request is reported first.
            (Some(plus), Some(minus)) => {
                vec![vec![minus.clone()], vec![plus.clone()], vec![minus, plus]]
            }
            (plus, minus) => vec![plus.into_iter().chain(minus).collect()],
        };
        let mends = |hints: &Vec<MissingHint>| {
            let mut amended = profiles.to_vec();
            hints.iter().for_each(|hint| hint.add_to(&mut amended));
            !confusions_of(&Router::build(amended, Weights::default())).iter().any(|left| {
                (left.kind, &left.skill, &left.text, &left.tool)
                    == (self.kind, &self.skill, &self.text, &self.tool)
            })
        };
        let best = tries.iter().position(mends).unwrap_or(tries.len().saturating_sub(1));
        self.missing = tries.into_iter().nth(best).unwrap_or_default();
    }

    /// The skill that has it as an example, otherwise the next best one.
    fn owner_of_near_miss(&self, router: &Router) -> Option<String> {
        let has_it = |skill: &&Profile| skill.examples.iter().any(|Example { text, .. }| *text == self.text);
        if let Some(owner) = router.skills.iter().find(has_it) {
            return Some(owner.id.clone());
        }
        let ranked = router.rank(&self.text, &tokens(&self.text), None, usize::MAX);
        ranked.into_iter().find(|ranked| ranked.skill != self.skill).map(|ranked| ranked.skill)
    }
}

impl MissingHint {
    fn add_to(&self, profiles: &mut [Profile]) {
        let (Self::UseWhen { skill, .. } | Self::NotWhen { skill, .. }) = self;
        let Some(profile) = profiles.iter_mut().find(|profile| profile.id == *skill) else { return };
        match self {
            Self::UseWhen { phrase, .. } => profile.use_when.push(phrase.clone()),
            Self::NotWhen { phrase, instead, .. } => profile.not_when.push((phrase.clone(), instead.clone())),
        }
    }
}

impl fmt::Display for MissingHint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UseWhen { skill, phrase } => {
                write!(out, "Add {phrase:?} to hints.use_when of {skill}.")
            }
            Self::NotWhen { skill, phrase, instead } => {
                write!(out, "Add {{phrase: {phrase:?}, instead: {instead}}} to hints.not_when of {skill}.")
            }
        }
    }
}

/// Replaces symbols by `TICKER`, so that the hint covers all requests of the kind.
fn generalised(router: &Router, text: &str) -> String {
    let words = text.split_whitespace().map(|word| match tokens(word).first() {
        Some(token) if token.mark == Some(Mark::Ticker) && router.vocabulary.id(&token.word).is_none() => {
            "TICKER"
        }
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}
