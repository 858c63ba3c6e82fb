//! Three-way merge of lists by items.

use std::collections::{HashMap, HashSet};

use super::super::list::{Key, keys};
use super::super::value::Value;

/// A list to which one side added or removed items while the other did too. `None` when an order
/// was changed, an item is there twice, or it is no list.
///
/// The items of theirs come first, in their order; each that mine added follows the one it was
/// added behind, or at the end. Every item is checked a few times, however many there are.
pub(super) fn merge_lists(
    base: Option<&Value>,
    mine: Option<&Value>,
    theirs: Option<&Value>,
) -> Option<Vec<Value>> {
    let (Some(Value::List(mine)), Some(Value::List(theirs))) = (mine, theirs) else {
        return None;
    };
    let base: &[Value] = match base {
        None | Some(Value::Null) => &[],
        Some(Value::List(base)) => base,
        Some(_) => return None,
    };
    let [base_keys, my_keys, their_keys] = [base, mine, theirs].map(keys);
    let (in_base, in_mine, in_theirs) = (set(&base_keys)?, set(&my_keys)?, set(&their_keys)?);
    let kept_order = |keys: &[Key], side: &HashSet<&Key>| {
        let kept = keys.iter().filter(|key| in_base.contains(key));
        kept.eq(base_keys.iter().filter(|key| side.contains(key)))
    };
    if !kept_order(&my_keys, &in_mine) || !kept_order(&their_keys, &in_theirs) {
        return None;
    }

    let stays = |key: &Key| in_mine.contains(key) || !in_base.contains(key);
    // What mine added: after which of those that stay, at the beginning without one, and at the end.
    let mut behind: HashMap<Option<&Key>, Vec<&Value>> = HashMap::new();
    let mut at_the_end = Vec::new();
    let last_of_base = my_keys.iter().rposition(|key| in_base.contains(key));
    let mut before = None;
    for (at, (item, key)) in mine.iter().zip(&my_keys).enumerate() {
        if in_theirs.contains(key) {
            before = Some(key);
        } else if in_base.contains(key) {
            // Taken out by theirs.
        } else if last_of_base.is_some_and(|last| at < last) {
            behind.entry(before).or_default().push(item);
        } else {
            at_the_end.push(item);
        }
    }
    let mut merged: Vec<Value> = Vec::with_capacity(theirs.len() + mine.len());
    let mut add = |items: Option<Vec<&Value>>| merged.extend(items.into_iter().flatten().cloned());
    add(behind.remove(&None));
    for (item, key) in theirs.iter().zip(&their_keys).filter(|(_, key)| stays(key)) {
        add(Some(vec![item]));
        add(behind.remove(&Some(key)));
    }
    add(Some(at_the_end));
    Some(merged)
}

/// The keys, unless one is there twice.
fn set(keys: &[Key]) -> Option<HashSet<&Key>> {
    let set: HashSet<&Key> = keys.iter().collect();
    (set.len() == keys.len()).then_some(set)
}
