//! Random vaults and moves, judged by an independent resolver that scans all files: after a move every link
//! resolves to the same note, and no byte outside of link targets has changed.

use std::collections::BTreeMap;

use super::*;
use crate::Scope;

/// xorshift64*: equal seeds give equal numbers on every machine.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % limit
    }

    pub(super) fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

const FOLDERS: [&str; 6] = ["", "a/", "b/", "a/b/", "ab/", "Ä x/"];
const NAMES: [&str; 8] = [
    "Note.md",
    "Jane Doe.md",
    "v1.2 plan.md",
    "Café.md",
    "it's (1).md",
    "View.base",
    "100% & more.md",
    "n.md",
];

/// The syntax around a link's target: prefix, suffix, and whether the target is percent-encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Code {
    Verbatim,
    Percent,
    SingleQuoted,
}

const BODY: [(&str, &str, Code); 9] = [
    ("[[", "]]", Code::Verbatim),
    ("[[", "|shown]]", Code::Verbatim),
    ("![[", "#Head|10x20]]", Code::Verbatim),
    ("| x | [[", "\\|in a table]] |", Code::Verbatim),
    ("- [x](", ")", Code::Percent),
    ("![x](", "#^b \"title\")", Code::Percent),
    ("[x](<", ">)", Code::Percent),
    ("\n[r]: ", " 'title'\n", Code::Percent),
    ("> quoted [[", "#H#H2]]", Code::Verbatim),
];

const MATTER: [(&str, &str, Code); 5] = [
    (": \"[[", "]]\" # comment", Code::Verbatim),
    (": '[[", "|it''s]]'", Code::SingleQuoted),
    (": [[", "#H]]", Code::Verbatim),
    (":\n  - x\n  - \"[[", "]]\"", Code::Verbatim),
    (": {in: [[[", "]], y]}", Code::Verbatim),
];

/// Text that is no link must not change.
const NOISE: [&str; 6] =
    ["`[[Note]]`\n", "```\n[[Note]]\n```\n", "%%[[Note]]%%\n", "\\[[Note]]\n", "$[[Note]]$\n", "Note\r\n"];

struct Written {
    source: String,
    target: String,
    code: Code,
}

/// A note in pieces: text, and links by number at odd indices.
struct Generated {
    pieces: BTreeMap<String, Vec<Piece>>,
    links: Vec<Written>,
}

enum Piece {
    Text(String),
    Link(usize),
}

fn generate(random: &mut Random, paths: &[String]) -> Generated {
    let mut generated = Generated { pieces: BTreeMap::new(), links: Vec::new() };
    for source in paths.iter().filter(|path| path.ends_with(".md")) {
        let mut pieces = Vec::new();
        let matter = random.below(3);
        if matter > 0 {
            pieces.push(Piece::Text("---\n".to_owned()));
            for key in 0..matter {
                let (before, behind, code) = *random.of(&MATTER);
                pieces.push(Piece::Text(format!("k{key}{before}")));
                pieces.push(generated.link(random, source, code, paths));
                pieces.push(Piece::Text(format!("{behind}\n")));
            }
            pieces.push(Piece::Text("---\n".to_owned()));
        }
        for _ in 0..random.below(6) {
            if random.below(3) == 0 {
                pieces.push(Piece::Text((*random.of(&NOISE)).to_owned()));
            }
            let (before, behind, code) = *random.of(&BODY);
            pieces.push(Piece::Text(format!("\ntext {before}").replace("text \n", "\n")));
            pieces.push(generated.link(random, source, code, paths));
            pieces.push(Piece::Text(format!("{behind}\n")));
        }
        generated.pieces.insert(source.clone(), pieces);
    }
    generated
}

impl Generated {
    fn link(&mut self, random: &mut Random, source: &str, code: Code, paths: &[String]) -> Piece {
        let to = random.of(paths);
        let stem = |path: &str| path.strip_suffix(".md").unwrap_or(path).to_owned();
        let near = relative(folder(source), to);
        let mut target = match random.below(10) {
            0..=3 => name(to).to_owned(),
            4 | 5 => to.clone(),
            6 => near,
            7 => format!("./{near}"),
            8 => format!("/{to}"),
            _ => "Nobody.md".to_owned(),
        };
        if random.below(2) == 0 {
            target = stem(&target);
        }
        if random.below(6) == 0 {
            target = target.to_lowercase();
        }
        self.links.push(Written { source: source.to_owned(), target, code });
        Piece::Link(self.links.len() - 1)
    }

    fn text(&self, source: &str) -> String {
        self.pieces[source]
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Link(link) => encode(&self.links[*link].target, self.links[*link].code),
            })
            .collect()
    }

    /// The present targets of a note's links, by number, if nothing else in it changed.
    fn targets(&self, source: &str, text: &str) -> Option<Vec<(usize, String)>> {
        let mut rest = text;
        let mut found = Vec::new();
        let mut open = None;
        for piece in &self.pieces[source] {
            match piece {
                Piece::Link(link) => open = Some(*link),
                Piece::Text(piece) => {
                    let at = if open.is_some() { rest.find(piece.as_str())? } else { 0 };
                    if let Some(link) = open.take() {
                        found.push((link, rest[..at].to_owned()));
                    }
                    rest = rest[at..].strip_prefix(piece.as_str())?;
                }
            }
        }
        rest.is_empty().then_some(found)
    }
}

fn encode(target: &str, code: Code) -> String {
    match code {
        Code::Verbatim => target.to_owned(),
        Code::SingleQuoted => target.replace('\'', "''"),
        Code::Percent => {
            let mut out = String::new();
            for c in target.chars() {
                match c {
                    ' ' => out.push_str("%20"),
                    '%' => out.push_str("%25"),
                    '(' => out.push_str("%28"),
                    ')' => out.push_str("%29"),
                    c => out.push(c),
                }
            }
            out
        }
    }
}

fn decode(raw: &str, code: Code) -> String {
    match code {
        Code::Verbatim => raw.to_owned(),
        Code::SingleQuoted => raw.replace("''", "'"),
        Code::Percent => raw.replace("%20", " ").replace("%28", "(").replace("%29", ")").replace("%25", "%"),
    }
}

fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..=at])
}

fn name(path: &str) -> &str {
    &path[folder(path).len()..]
}

fn relative(folder: &str, to: &str) -> String {
    let mut up = String::new();
    let mut from = folder;
    while !to.starts_with(from) {
        up.push_str("../");
        from = from[..from.len() - 1].rfind('/').map_or("", |at| &from[..=at]);
    }
    format!("{up}{}", &to[from.len()..])
}

/// The documented rules, applied to each file.
fn resolve(paths: &[String], target: &str, source: &str) -> Option<String> {
    let target = target.to_lowercase();
    let is_there = |file: &str| paths.iter().any(|path| name(path).to_lowercase() == file);
    let target = match name(&target) {
        file if file.contains('.') && is_there(file) => target.clone(),
        _ => format!("{target}.md"),
    };
    let here = folder(source).to_lowercase();
    let place = |path: &str| -> Option<(u8, usize)> {
        if target.starts_with("./") || target.starts_with("../") {
            let mut base = here.as_str();
            let mut rest = target.as_str();
            loop {
                if let Some(next) = rest.strip_prefix("./") {
                    rest = next;
                } else if let Some(next) = rest.strip_prefix("../") {
                    if base.is_empty() {
                        return None;
                    }
                    base = base[..base.len() - 1].rfind('/').map_or("", |at| &base[..=at]);
                    rest = next;
                } else {
                    break;
                }
            }
            return (path == format!("{base}{rest}")).then_some((0, 0));
        }
        if let Some(rooted) = target.strip_prefix('/') {
            return (path == rooted).then_some((0, 0));
        }
        if path == target {
            return Some((0, 0));
        }
        let ends = path.ends_with(&format!("/{target}"));
        let nearness = if path.starts_with(&here) { 1 } else { 2 };
        ends.then(|| (nearness, path.chars().count()))
    };
    paths
        .iter()
        .filter_map(|path| Some((place(&path.to_lowercase())?, path.clone())))
        .min()
        .map(|(_, path)| path)
}

#[test]
fn every_link_resolves_to_the_same_note_after_a_random_move() {
    let vaults = std::env::var("NOVA_FUZZ_MOVES").ok().and_then(|count| count.parse().ok()).unwrap_or(120);
    let (mut moves, mut rewritten, mut held) = (0, 0, 0);
    for seed in 1..=vaults {
        let random = &mut Random(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed) | 1);
        let mut paths: Vec<String> =
            (0..7).map(|_| format!("{}{}", random.of(&FOLDERS), random.of(&NAMES))).collect();
        paths.sort();
        paths.dedup();
        let generated = generate(random, &paths);
        let bed = Bed::new(&[]);
        let mut before = BTreeMap::new();
        for path in &paths {
            let text = if path.ends_with(".md") { generated.text(path) } else { "views: []\n".to_owned() };
            bed.put(path, &text);
            before.insert(path.clone(), text);
        }
        let format = *random.of(&["shortest", "relative", "absolute"]);
        bed.put(".obsidian/app.json", &format!("{{\"newLinkFormat\": \"{format}\"}}"));
        let from = random.of(&paths).clone();
        let new_name = if random.below(2) == 0 { name(&from) } else { *random.of(&NAMES) };
        let to = format!("{}{new_name}", random.of(&FOLDERS));
        if paths.contains(&to) || from.ends_with(".md") != to.ends_with(".md") {
            continue;
        }
        let context = format!("seed {seed}: {from} → {to} ({format}) in {before:#?}");

        let vault = bed.vault();
        let (id, _) = change(&vault, |draft| draft.move_note(&path(&from), &path(&to)).map(|_| ()))
            .unwrap_or_else(|error| panic!("{context}\n{error}"));
        moves += 1;

        let after_move = |path: &str| if path == from { to.clone() } else { path.to_owned() };
        let paths_after: Vec<String> = paths.iter().map(|path| after_move(path)).collect();
        for source in generated.pieces.keys() {
            let text = bed.text(&after_move(source));
            let targets = generated
                .targets(source, &text)
                .unwrap_or_else(|| panic!("{context}\n{source}: other bytes changed: {text:?}"));
            for (link, raw) in targets {
                let Written { source, target, code } = &generated.links[link];
                let now = decode(&raw, *code);
                let says = format!("{context}\n{source}: {target:?} became {now:?}");
                let Some(was) = resolve(&paths, target, source) else {
                    assert_eq!(raw, encode(target, *code), "{says}: it was broken before");
                    continue;
                };
                let wanted = Some(after_move(&was));
                assert_eq!(resolve(&paths_after, &now, &after_move(source)), wanted, "{says}");
                // In the moved note itself, a Markdown link with a relative path follows.
                let is_way = *source == from
                    && *code == Code::Percent
                    && (format == "relative" || target.contains('/'));
                if resolve(&paths_after, target, &after_move(source)) == wanted && !is_way {
                    assert_eq!(raw, encode(target, *code), "{says}: it was unchanged");
                    held += 1;
                } else {
                    rewritten += 1;
                }
            }
        }

        let outcome = vault.history().undo(&id, Scope::All, &Author::new("user")).unwrap();
        assert_eq!(outcome.conflicts, [], "{context}");
        for (path, text) in &before {
            assert_eq!(bed.text(path), *text, "{context}");
        }
        assert!(!bed.exists(&to), "{context}");
    }
    assert!(
        moves * 2 > vaults && rewritten > vaults / 2 && held > vaults / 2,
        "{moves} moves, {rewritten} rewritten, {held} held"
    );
}
