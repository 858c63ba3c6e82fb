//! The order of turns, and the branches among them.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use nova_protocol::{Envelope, Event};

use crate::error::SessionError;
use crate::message::Entry;

/// The predecessor of a new turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum After {
    /// The last turn of the current branch.
    #[default]
    Last,
    /// None: the first message is replaced.
    Nothing,
    Turn(String),
}

/// The predecessor of each turn in a session. The log is linear; if two turns have the same predecessor, the
/// newer one is current until the user chooses the other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Branches {
    /// By turn, its predecessor; in log order.
    before: IndexMap<String, Option<String>>,
    /// By turn, or `None` for the beginning, its current successor.
    next: HashMap<Option<String>, String>,
    /// The last turn of the current branch.
    last: Option<String>,
}

impl Branches {
    /// Applies an event about turns.
    pub fn observe(&mut self, envelope: &Envelope) {
        match (&envelope.event, &envelope.turn) {
            (Event::TurnStarted { after, .. }, Some(turn)) => self.started(turn, after.as_ref()),
            (Event::BranchChosen { chosen }, _) => self.choose(chosen),
            _ => {}
        }
    }

    /// The turns of the current branch, oldest first.
    pub fn in_force(&self) -> Vec<&str> {
        let mut turns = Vec::new();
        let mut at = None;
        while let Some(next) = self.next.get(&at) {
            turns.push(next.as_str());
            at = Some(next.clone());
        }
        turns
    }

    /// The position of the turn among those with the same predecessor, from 1, and their number.
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

    /// The turns up to the predecessor of a new one, oldest first.
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

    /// Logs from before branches existed name no predecessor: each turn follows the last.
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

    /// Makes the turn and its successors current.
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

/// Entries with their sequence numbers.
type Numbered = Vec<(i64, Entry)>;

/// The entries that a turn after `after` continues from, in order, and their turns. Events outside of turns
/// belong to the turn that was current then.
pub(crate) fn of_branch(entries: Numbered, after: &After) -> Result<(Numbered, Vec<String>), SessionError> {
    let mut branches = Branches::default();
    let mut here: Option<String> = None;
    let mut owned = Vec::with_capacity(entries.len());
    for (seq, entry) in entries {
        let mut of = None;
        if let Entry::Event(envelope) = &entry {
            branches.observe(envelope);
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

    /// A log in a compact notation: `a` begins a turn after the last, `b<a` after a turn, `c<` after nothing;
    /// `!a` chooses a branch, `.x` is a message, `-` an event outside of turns.
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

    /// The current branch, then the entries that a turn after `after` continues from.
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
    fn newest_branch_is_current_until_another_is_chosen() {
        for (words, kept) in [
            ("", " | "),
            // A log from before branches existed.
            ("a .1 b .2", "a .1 b .2 | b"),
            ("a .1 b<a .2 c<a .3", "a .1 c .3 | c"),
            ("a .1 b<a .2 c<a .3 !b", "a .1 b .2 | b"),
            // The successors of the chosen turn are included.
            ("a .1 b<a .2 c<b .3 d<a .4 !b", "a .1 b .2 c .3 | c"),
            ("a .1 b<a .2 c<b .3 d<b .4 e<a .5 !b", "a .1 b .2 d .4 | d"),
            ("a .1 b< .2", "b .2 | b"),
            ("a .1 b< .2 !a c<a .3", "a .1 c .3 | c"),
            // Unknown turns are ignored.
            ("a .1 !z b<z .2", "a .1 b .2 | b"),
        ] {
            assert_eq!(seen(words, &After::Last), kept, "{words}");
        }
    }

    #[test]
    fn turn_may_follow_any_turn_or_none() {
        let words = "a .1 b<a .2 c<b .3 d<a .4";
        assert_eq!(seen(words, &After::Turn("b".into())), "a .1 b .2 | b");
        assert_eq!(seen(words, &After::Nothing), " | ");
        let unknown = of_branch(log(words), &After::Turn("z".into())).unwrap_err();
        assert!(matches!(unknown, SessionError::UnknownTurn(turn) if turn == "z"));
    }

    #[test]
    fn events_between_turns_stay_in_their_branch() {
        let words = "a .1 b<a .2 c<a .3 !b -crm !c";
        assert_eq!(seen(words, &After::Last), "a .1 c .3 | c");
        assert_eq!(seen(&format!("{words} !b"), &After::Last), "a .1 b .2 -crm | b");
    }
}
