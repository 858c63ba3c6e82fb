//! Random three-way merges, judged by the changes intended by both sides.

use super::super::{Document, Merge, Value, merge, summarize};
use super::generate::Random;
use crate::tests::work;

/// One side's change to one line.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    None,
    Replace,
    Delete,
    InsertBehind,
}

/// The base with changed lines; `who` marks the new ones.
fn changed(base: &[String], changes: &[(Change, &str)]) -> String {
    let mut text = String::new();
    for (line, (change, who)) in base.iter().zip(changes) {
        match change {
            Change::None => text.push_str(line),
            Change::Replace => text.push_str(&format!("{who} changed {line}")),
            Change::Delete => {}
            Change::InsertBehind => text.push_str(&format!("{line}{who} added behind {line}")),
        }
    }
    text
}

/// Changes separated by an untouched line merge to a text with all of them.
#[test]
fn separate_changes_are_all_kept() {
    for seed in 1..=2_000 {
        let random = &mut Random::new(seed);
        let base: Vec<String> = (0..random.below(40)).map(|line| format!("line {line}\n")).collect();
        let none = vec![(Change::None, ""); base.len()];
        let (mut mine, mut theirs, mut both) = (none.clone(), none.clone(), none);
        let mut line = random.below(3);
        while line < base.len() {
            let change = *random.of(&[Change::Replace, Change::Delete, Change::InsertBehind]);
            match random.below(3) {
                0 => (mine[line], both[line]) = ((change, "N"), (change, "N")),
                1 => (theirs[line], both[line]) = ((change, "O"), (change, "O")),
                _ => {
                    let same = (change, "S");
                    (mine[line], theirs[line], both[line]) = (same, same, same);
                }
            }
            line += 2 + random.below(4);
        }
        let text = base.concat();
        let (mine, theirs) = (changed(&base, &mine), changed(&base, &theirs));
        match merge(&text, &mine, &theirs) {
            Merge::Clean { text, .. } => assert_eq!(text, changed(&base, &both), "seed {seed}"),
            conflict => panic!("seed {seed}: {conflict:?}\n{mine}\n{theirs}"),
        }
    }
}

/// For any changes, a clean merge contains every line that either side added and none that either side
/// removed.
#[test]
fn no_line_is_lost() {
    let mut clean = 0;
    for seed in 1..=2_000 {
        let random = &mut Random::new(seed ^ 0x5EED);
        let base: Vec<String> = (0..1 + random.below(12)).map(|line| format!("line {line}\n")).collect();
        let side = |random: &mut Random, who: &'static str| -> Vec<(Change, &'static str)> {
            base.iter()
                .map(|_| match random.below(8) {
                    0 => (Change::Replace, who),
                    1 => (Change::Delete, who),
                    2 => (Change::InsertBehind, who),
                    _ => (Change::None, who),
                })
                .collect()
        };
        let (my_changes, their_changes) = (side(random, "N"), side(random, "O"));
        let (mine, theirs) = (changed(&base, &my_changes), changed(&base, &their_changes));
        let Merge::Clean { text, .. } = merge(&base.concat(), &mine, &theirs) else {
            continue;
        };
        clean += 1;
        let count = |text: &str, wanted: &str| text.lines().filter(|line| *line == wanted).count();
        for line in mine.lines().chain(theirs.lines()) {
            let is_new = !base.iter().any(|old| old.trim_end() == line);
            let kept_by_both = count(&mine, line) > 0 && count(&theirs, line) > 0;
            let wanted = usize::from(is_new || kept_by_both);
            assert_eq!(
                count(&text, line),
                wanted,
                "seed {seed}: {line}\nof\n{mine}\nand\n{theirs}\nis\n{text}"
            );
        }
    }
    assert!(clean > 200, "only {clean} merges were clean");
}

/// Both sides append lines to sections: every added line occurs exactly once, in its side's order and under
/// its side's heading.
#[test]
fn additions_of_both_sides_occur_once() {
    const SECTIONS: usize = 4;
    let mut met = 0;
    for seed in 1..=2_000 {
        let random = &mut Random::new(seed ^ 0xADD);
        let sections: Vec<String> = (0..SECTIONS)
            .map(|n| {
                let heading = *random.of(&["## S{n}\n", "\nS{n}\n---\n", "\n# S{n}\n"]);
                let lines: String = (0..random.below(3)).map(|line| format!("- {n} old {line}\n")).collect();
                format!("{}{lines}{}", heading.replace("{n}", &n.to_string()), random.of(&["", "\n"]))
            })
            .collect();
        // A common prefix is a single addition.
        let side = |random: &mut Random, who: &str, shared: &[usize]| -> Vec<Vec<String>> {
            (0..SECTIONS)
                .map(|n| {
                    let shared = (0..shared[n]).map(|line| format!("- {n} shared {line}\n"));
                    let own = (0..random.below(4)).map(|line| format!("- {n} {who} {line}\n"));
                    shared.chain(own).collect()
                })
                .collect()
        };
        let shared: Vec<usize> = (0..SECTIONS).map(|_| random.below(2)).collect();
        let (mine, theirs) = (side(random, "mine", &shared), side(random, "theirs", &shared));
        let text = |additions: &[Vec<String>]| -> String {
            sections
                .iter()
                .zip(additions)
                .map(|(section, lines)| {
                    let (own, blank) = match section.strip_suffix("\n\n") {
                        Some(own) => (format!("{own}\n"), "\n"),
                        None => (section.clone(), ""),
                    };
                    format!("{own}{}{blank}", lines.concat())
                })
                .collect()
        };
        let nothing = vec![Vec::new(); SECTIONS];
        let is_cut = random.below(3) == 0;
        let cut = |text: String| match is_cut {
            true => text.trim_end().to_owned(),
            false => text,
        };
        let [base, mine_text, their_text] = [&nothing, &mine, &theirs].map(|side| cut(text(side)));
        let merged = match merge(&base, &mine_text, &their_text) {
            Merge::Clean { text, .. } => text,
            conflict => panic!("seed {seed}: {conflict:?}\n{mine_text}\nand\n{their_text}"),
        };
        let both: Vec<Vec<String>> = mine
            .iter()
            .zip(&theirs)
            .map(|(mine, theirs)| {
                let mut lines = theirs.clone();
                lines.extend(mine.iter().filter(|line| !theirs.contains(line)).cloned());
                lines
            })
            .collect();
        let words = |text: &str| -> Vec<String> {
            text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
        };
        assert_eq!(words(&merged), words(&text(&both)), "seed {seed}:\n{mine_text}\nand\n{their_text}");
        assert_eq!(merged.ends_with('\n'), !is_cut, "seed {seed}");
        met += usize::from(mine.iter().zip(&theirs).any(|(m, t)| m != t && !m.is_empty() && !t.is_empty()));
    }
    assert!(met > 1_500, "only {met} had additions at the same place");
}

/// Reference implementation of the list merge, item by item.
fn merged_list(base: &[char], mine: &[char], theirs: &[char]) -> Option<Vec<char>> {
    let is_set = |items: &[char]| items.iter().enumerate().all(|(at, item)| !items[..at].contains(item));
    let kept_order = |side: &[char]| {
        let kept = side.iter().filter(|item| base.contains(item));
        kept.eq(base.iter().filter(|item| side.contains(item)))
    };
    if ![base, mine, theirs].into_iter().all(is_set) || !kept_order(mine) || !kept_order(theirs) {
        return None;
    }
    let stays = |item: &&char| mine.contains(item) || !base.contains(item);
    let mut merged: Vec<char> = theirs.iter().filter(stays).copied().collect();
    for (at, item) in mine.iter().enumerate() {
        if base.contains(item) || merged.contains(item) {
            continue;
        }
        let is_at_the_end = mine[at..].iter().all(|item| !base.contains(item));
        let place = match is_at_the_end {
            true => merged.len(),
            false => {
                let before = mine[..at].iter().rev();
                let mut found = before.filter_map(|item| merged.iter().position(|other| other == item));
                found.next().map_or(0, |index| index + 1)
            }
        };
        merged.insert(place, *item);
    }
    Some(merged)
}

#[test]
fn lists_are_merged_item_by_item() {
    let note = |items: &[char]| {
        let items: String = items.iter().map(|item| format!("- {item}\n")).collect();
        format!("---\nt:{}\n---\n", if items.is_empty() { " []".to_owned() } else { format!("\n{items}") })
            .replace("\n\n", "\n")
    };
    let text_of = |item: &char| Value::Text(item.to_string());
    let side = |random: &mut Random, base: &[char]| {
        let mut side = base.to_vec();
        for _ in 0..random.below(5) {
            let at = random.below(side.len() + 1);
            match random.below(3) {
                0 if at < side.len() => drop(side.remove(at)),
                1 if random.below(8) == 0 && at < side.len() => side.reverse(),
                _ => side.insert(at, *random.of(&['p', 'q', 'r', 's', 't', 'u', 'v', 'w'])),
            }
        }
        side
    };
    let (mut clean, mut conflicts) = (0, 0);
    for seed in 1..=3_000 {
        let random = &mut Random::new(seed ^ 0x1157);
        let base: Vec<char> = ('a'..='h').take(random.below(7)).collect();
        let (mine, theirs) = (side(random, &base), side(random, &base));
        if mine == base || theirs == base || mine == theirs {
            continue;
        }
        let expected = merged_list(&base, &mine, &theirs);
        match merge(&note(&base), &note(&mine), &note(&theirs)) {
            Merge::Clean { text, .. } => {
                let expected = expected.map(|list| Value::List(list.iter().map(text_of).collect()));
                assert_eq!(Document::parse(&text).property("t"), expected.as_ref(), "seed {seed}: {text}");
                clean += 1;
            }
            Merge::Conflict { .. } => {
                assert_eq!(expected, None, "seed {seed}: {base:?} {mine:?} {theirs:?}");
                conflicts += 1;
            }
        }
    }
    assert!(clean > 500 && conflicts > 100, "{clean} {conflicts}");
}

/// Guards against a quadratic merge of lists.
#[test]
fn list_merge_compares_each_item_a_few_times() {
    const ITEMS: usize = 10_000;
    let list = |items: std::ops::Range<usize>| {
        let items: String = items.map(|n| format!("  - item {n}\n")).collect();
        format!("---\nt:\n{items}---\n")
    };
    let (base, mine, theirs) = (list(1..ITEMS), list(1..ITEMS + 1), list(0..ITEMS));
    let (summary, compared) = work::of(|| summarize(&base, &mine));
    assert_eq!(summary, ["t: + item 10000"]);
    assert!((1..5 * ITEMS).contains(&compared), "{compared}");
    let (merged, compared) = work::of(|| merge(&base, &mine, &theirs));
    let outside = vec!["t: + item 0".to_owned()];
    assert_eq!(merged, Merge::Clean { text: list(0..ITEMS + 1), outside });
    assert!((1..50 * ITEMS).contains(&compared), "{compared}");
}
