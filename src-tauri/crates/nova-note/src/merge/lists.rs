//! Three-way merge of lists by item.

use std::collections::{HashMap, HashSet};

use super::super::list::{Key, keys};
use super::super::value::Value;

/// Merges a list to which both sides added or removed items. `None` if either side reordered items, an item
/// occurs twice, or a value is no list.
///
/// Items of `theirs` come first, in their order; an item added by `mine` follows the item it was added
/// after, or goes to the end. Linear in the number of items.
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
    // Items added by `mine`, by the surviving item before them (`None` at the beginning); and those added
    // at the end.
    let mut behind: HashMap<Option<&Key>, Vec<&Value>> = HashMap::new();
    let mut at_the_end = Vec::new();
    let last_of_base = my_keys.iter().rposition(|key| in_base.contains(key));
    let mut before = None;
    for (at, (item, key)) in mine.iter().zip(&my_keys).enumerate() {
        if in_theirs.contains(key) {
            before = Some(key);
        } else if in_base.contains(key) {
            // Removed by theirs.
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

/// The keys as a set; `None` if there are duplicates.
fn set(keys: &[Key]) -> Option<HashSet<&Key>> {
    let set: HashSet<&Key> = keys.iter().collect();
    (set.len() == keys.len()).then_some(set)
}
