//! Turns that come after one another, and where one was begun anew.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use nova_protocol::{Envelope, Event};

use crate::error::SessionError;
use crate::message::Entry;

/// What a new turn comes after.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum After {
    /// The last turn of the branch in force.
    #[default]
    Last,
    /// Nothing: the first message is said anew.
    Nothing,
    Turn(String),
}

/// Which turn of a session comes after which. The log is one line; where two turns come after the same
/// one, the newer is in force until the user chooses the other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Branches {
    /// By turn, the one before it; in the order of the log.
    before: IndexMap<String, Option<String>>,
    /// By turn, or None for the beginning, the one that is in force after it.
    next: HashMap<Option<String>, String>,
    /// The last one in force.
    last: Option<String>,
}

impl Branches {
    /// Follows what the log says of turns.
    pub fn hear(&mut self, envelope: &Envelope) {
        match (&envelope.event, &envelope.turn) {
            (Event::TurnStarted { after, .. }, Some(turn)) => self.started(turn, after.as_ref()),
            (Event::BranchChosen { chosen }, _) => self.choose(chosen),
            _ => {}
        }
    }

    /// The turns of the branch in force, oldest first.
    pub fn in_force(&self) -> Vec<&str> {
        let mut turns = Vec::new();
        let mut at = None;
        while let Some(next) = self.next.get(&at) {
            turns.push(next.as_str());
            at = Some(next.clone());
        }
        turns
    }

    /// Which one the turn is of those that come after the same turn, from 1, and how many they are.
    pub(crate) fn place(&self, turn: &str) -> (usize, usize) {
        let before = self.before.get(turn);
        let siblings = self.before.iter().filter(|(_, of)| before == Some(*of));
        let siblings: Vec<&String> = siblings.map(|(sibling, _)| sibling).collect();
        (siblings.iter().take_while(|sibling| sibling.as_str() != turn).count() + 1, siblings.len())
    }

    pub(crate) fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }

    pub(crate) fn has(&self, turn: &str) -> bool {
        self.before.contains_key(turn)
    }

    /// The turns up to what a new one would come after, oldest first.
    fn up_to(&self, after: &After) -> Result<Vec<&str>, SessionError> {
        match after {
            After::Last => Ok(self.in_force()),
            After::Nothing => Ok(Vec::new()),
            After::Turn(turn) => {
                let (last, _) =
                    self.before.get_key_value(turn).ok_or_else(|| SessionError::UnknownTurn(turn.clone()))?;
                let before = |turn: &&str| self.before.get(*turn)?.as_deref();
                let mut turns: Vec<&str> = std::iter::successors(Some(last.as_str()), before).collect();
                turns.reverse();
                Ok(turns)
            }
        }
    }

    /// A log from before there were branches names no turn before: each comes after the last.
    fn started(&mut self, turn: &str, after: Option<&Option<String>>) {
        if self.has(turn) {
            return;
        }
        let before = match after {
            Some(Some(before)) if self.has(before) => Some(before.clone()),
            Some(None) => None,
            Some(Some(_)) | None => self.last.clone(),
        };
        let goes_on = before == self.last;
        self.before.insert(turn.to_owned(), before.clone());
        if goes_on {
            self.next.insert(before, turn.to_owned());
        } else {
            self.put_in_force(turn);
        }
        self.last = Some(turn.to_owned());
    }

    fn choose(&mut self, turn: &str) {
        if self.has(turn) {
            self.put_in_force(turn);
            self.last = self.in_force().last().map(|last| (*last).to_owned());
        }
    }

    /// The turn and what it comes after.
    fn put_in_force(&mut self, turn: &str) {
        let mut turn = turn.to_owned();
        while let Some(before) = self.before.get(&turn).cloned() {
            self.next.insert(before.clone(), turn);
            match before {
                Some(before) => turn = before,
                None => return,
            }
        }
    }
}

/// Entries with their numbers.
type Numbered = Vec<(i64, Entry)>;

/// The entries that a turn after `after` continues from, in their order, and the turns that they are of.
/// What happened outside of turns belongs to the turn that was last in force then.
pub(crate) fn of_branch(entries: Numbered, after: &After) -> Result<(Numbered, Vec<String>), SessionError> {
    let mut branches = Branches::default();
    let mut here: Option<String> = None;
    let mut owned = Vec::with_capacity(entries.len());
    for (seq, entry) in entries {
        let mut of = None;
        if let Entry::Event(envelope) = &entry {
            branches.hear(envelope);
            match &envelope.event {
                Event::TurnStarted { .. } => here.clone_from(&envelope.turn),
                Event::BranchChosen { .. } => here = branches.last().map(str::to_owned),
                _ => of = envelope.turn.clone().filter(|turn| branches.has(turn)),
            }
        }
        owned.push((of.or_else(|| here.clone()), seq, entry));
    }
    let branch: Vec<String> = branches.up_to(after)?.into_iter().map(str::to_owned).collect();
    let turns: HashSet<&String> = branch.iter().collect();
    let kept = owned.into_iter().filter(|(turn, ..)| turn.as_ref().is_none_or(|turn| turns.contains(turn)));
    Ok((kept.map(|(_, seq, entry)| (seq, entry)).collect(), branch))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::message::LogMessage;

    /// A log in words: `a` begins a turn after the last, `b<a` after a turn, `c<` after nothing; `!a`
    /// chooses a branch, `.x` is a message, `-` an event outside of turns.
    fn log(words: &str) -> Vec<(i64, Entry)> {
        let entry = |word: &str| match word.split_at(1) {
            ("!", turn) => event(None, Event::BranchChosen { chosen: turn.into() }),
            (".", text) => Entry::Message(LogMessage::User { text: text.into(), images: Vec::new() }),
            ("-", skill) => {
                let by = nova_protocol::DeactivatedBy::User;
                event(None, Event::SkillDeactivated { skill: skill.into(), by })
            }
            (turn, "") => event(Some(turn), started(None)),
            (turn, "<") => event(Some(turn), started(Some(None))),
            (turn, before) => event(Some(turn), started(Some(Some(before[1..].into())))),
        };
        (0..).zip(words.split_whitespace().map(entry)).collect()
    }

    fn started(after: Option<Option<String>>) -> Event {
        Event::TurnStarted {
            text: String::new(),
            model: String::new(),
            skills: Vec::new(),
            tool: None,
            after,
            by_nova: false,
            images: Vec::new(),
            outside: Vec::new(),
        }
    }

    fn event(turn: Option<&str>, event: Event) -> Entry {
        let turn = turn.map(str::to_owned);
        Entry::Event(Envelope { v: 1, seq: 0, at: String::new(), session: None, turn, event })
    }

    /// The turns in force, then what a turn after `after` continues from.
    fn seen(words: &str, after: &After) -> String {
        let (kept, branch) = of_branch(log(words), after).unwrap();
        let words = kept.iter().map(|(_, entry)| match entry {
            Entry::Message(LogMessage::User { text, .. }) => format!(".{text}"),
            Entry::Event(Envelope { event: Event::SkillDeactivated { skill, .. }, .. }) => {
                format!("-{skill}")
            }
            Entry::Event(Envelope { turn, .. }) => turn.clone().unwrap_or_default(),
            Entry::Message(_) => unreachable!("the log has none"),
        });
        let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
        format!("{} | {}", words.join(" "), branch.last().cloned().unwrap_or_default())
    }

    #[test]
    fn the_newest_branch_is_in_force_until_another_is_chosen() {
        for (words, kept) in [
            ("", " | "),
            // A log from before there were branches.
            ("a .1 b .2", "a .1 b .2 | b"),
            ("a .1 b<a .2 c<a .3", "a .1 c .3 | c"),
            ("a .1 b<a .2 c<a .3 !b", "a .1 b .2 | b"),
            // What came after the chosen turn comes along.
            ("a .1 b<a .2 c<b .3 d<a .4 !b", "a .1 b .2 c .3 | c"),
            ("a .1 b<a .2 c<b .3 d<b .4 e<a .5 !b", "a .1 b .2 d .4 | d"),
            ("a .1 b< .2", "b .2 | b"),
            ("a .1 b< .2 !a c<a .3", "a .1 c .3 | c"),
            // What is not known changes nothing.
            ("a .1 !z b<z .2", "a .1 b .2 | b"),
        ] {
            assert_eq!(seen(words, &After::Last), kept, "{words}");
        }
    }

    #[test]
    fn a_turn_may_come_after_any_turn_or_none() {
        let words = "a .1 b<a .2 c<b .3 d<a .4";
        assert_eq!(seen(words, &After::Turn("b".into())), "a .1 b .2 | b");
        assert_eq!(seen(words, &After::Nothing), " | ");
        let unknown = of_branch(log(words), &After::Turn("z".into())).unwrap_err();
        assert!(matches!(unknown, SessionError::UnknownTurn(turn) if turn == "z"));
    }

    #[test]
    fn what_happens_between_turns_stays_in_its_branch() {
        let words = "a .1 b<a .2 c<a .3 !b -crm !c";
        assert_eq!(seen(words, &After::Last), "a .1 c .3 | c");
        assert_eq!(seen(&format!("{words} !b"), &After::Last), "a .1 b .2 -crm | b");
    }
}
