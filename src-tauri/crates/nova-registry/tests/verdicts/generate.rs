//! Odd front matters by seed: what people write, with one to four odd things done to it, and lines
//! of YAML put together at random.

/// xorshift64*: the same numbers for the same seed, on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % limit
    }

    fn of<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

/// The folder that each of them lies in.
pub(crate) const FOLDER: &str = "odd";

#[rustfmt::skip]
const NAMES: &[&str] = &[
    "name: odd", "name: \"odd\"", "name: 'odd'", "name:  odd  # c", "name: >-\n  odd", "name: |\n  odd",
    "name:\n  odd", "\"name\": odd", "'name': odd", "name : odd", "? name\n: odd", "name: &a odd",
    "name: !!str odd", "name: ! odd", "name: on", "name: yes", "name: 0o17", "name: 1_000", "name: ~",
    "name: .nan", "name: 2026-01-02", "name:odd", "name: [odd]", "name: \"o\\u0064d\"", "name: \"odd\\n\"",
    "name: \" odd\\t\"", "name: \"\\x1codd\"", "name: \u{85}odd", "name: \u{2028}odd", "name: odd\u{2029}", "name: <<",
    "name: \u{ff4f}dd", "name: \u{feff}odd", "name: odd\u{feff}", "name: 'odd'# c", "name:\n# c\n  odd",
    "name: Odd", "name: \"\\x6fdd\"", "name: \"o\\/d\"", "name: odd:", "name: odd\n odd",
];

#[rustfmt::skip]
const DESCRIPTIONS: &[&str] = &[
    "description: Does it.", "description: \"Does: it.\"", "description: 'It''s.'",
    "description: >\n  Folded\n  text.", "description: |\n  Two\n  lines.", "description: Two\n  lines.",
    "description: Use when: asked", "description: yes", "description: ~", "description: null",
    "description: 1", "description:", "description: \"\"", "description: - a", "description: @a",
    "description: `a`", "description: %a", "description: a #b", "description: #b", "description: a: b",
    "description: [a] b", "description: {a} b", "description: *a", "description: &a",
    "description: &a text", "description: !t text", "description: !!int 5", "description: \"a\\tb\"",
    "description: \"a\\qb\"", "description: 'a", "description: a\tb", "description:\tText.",
    "description: Text.\t", "description: |2\n    a", "description: |+\n  a\n\n", "description: >-\n\n  a",
    "description: |\n a\n\tb", "description: |\n\ta", "description: \"a\n  b\"", "description: \"a\nb\"",
    "description: 'a\n  b'", "description:\n  a: b", "description:\n  - a", "description:\n- a",
    "description: ? a", "description: ?a", "description: -a", "description: -", "description: :a",
    "description: a,b]", "description: |x\n  a", "description: | # c\n  a", "description: a\n# c\n  b",
    "description: a ---", "description: ...", "description: a\u{a0}b", "description: \u{1f600}",
    "description: a\u{2028}b", "description: a\u{85}b", "description: a\u{7f}b", "description: a\u{7}b",
    "description: \"\\ud83d\\ude00\"", "description: \u{feff}a", "description: ,a", "description: ]",
    "description: }", "description: |\n  a\n b", "description: >\n   a\n  b", "description: >1\n  a",
    "description: \"a\\\n  b\"", "description: <<", "description: =", "description: a & b",
    "description: a * b", "description: a ! b", "description: 'a' b", "description: \"a\" # c",
    "description: \"a\"# c", "description: \"a\"b", "description: 'a'# c", "description: \"\\x1c\"", "description: \"\\0\"",
    "description: \"\\ud800\"", "description: \"\\U00110000\"", "description: \"\\x4\"", "description: 'a\u{2028}b'",
    "description: \"a\u{85}b\"", "description: \"a\u{2029}  b\"", "description: |\n  a\u{2028}b", "description: |\u{85}  a",
    "description: >-\u{2028}  a", "description: a\u{2028}# b", "description: a\u{85}license: MIT", "description: |-2\n   a",
    "description: |0\n  a", "description: |+2\n    a", "description: |+-\n  a", "description: |99\n  a", "description: |#c\n  a",
    "description: >+ # c\n\n  a\n\n# d", "description: |\n\n\n", "description: >\n\n  # no comment\n", "description: 'a\n\n\n  b'",
    "description: 'a\n...\n  b'", "description: \"a\n... b\"", "description: a\n...\n", "description: \"a\\\u{2028} b\"",
    "description: 'a\n\tb'", "description: \"a\t\n b\"", "description: a\n\n\n  b # c\n\n# d", "description: # c\n  a",
    "description: \"\\U0001F600\"", "description: \"a\\\tb\"", "description: a#b", "description: a: # c", "description: a :b",
    "description:\u{a0}a", "description:\u{2028}a", "description:\u{85}  a",
];

#[rustfmt::skip]
const MORE: &[&str] = &[
    "license: MIT", "license:", "license: [MIT]", "license: {a: b}", "license:\n  - a", "license:\n  a: b",
    "allowed-tools:\n  a: b", "compatibility: git", "compatibility: 5", "compatibility: [a]",
    "compatibility:\n  - a", "compatibility:", "compatibility: true", "allowed-tools: Read Write",
    "allowed-tools: [Read]", "allowed-tools:\n  - Read\n  - Write", "allowed-tools:\n- Read",
    "allowed-tools: Bash(git:*) Read", "allowed-tools: *", "metadata:\n  a: b", "metadata:\n  a: b\n  a: c",
    "metadata:\n  a:\n    b: c", "metadata:\n  a:\n    b: c\n  d:\n      e: f", "metadata:",
    "metadata: text", "metadata: {}", "metadata:\n  - a", "metadata:\n  1: b", "metadata:\n  true: b",
    "metadata:\n  ~: b", "metadata:\n  ? a\n  : b", "metadata:\n  ? [a]\n  : b",
    "metadata:\n  a: &x b\n  c: *x", "metadata: &x\n  a: b", "metadata: !!map\n  a: b",
    "metadata:\n  <<: b", "metadata:\n  a: b\n  <<:\n    c: d", "metadata:\n  a: 1.10",
    "metadata:\n  a: |\n    x\n  b: c", "metadata:\n    a: b\n    c:\n      d: e",
    "metadata:\n  a: b\n c: d", "metadata:\n  a: b\n   c: d", "metadata:\n\ta: b", "metadata:\n  a:\tb",
    "metadata:\n  \"a b\": c", "metadata:\n  - a: b\n    c: d", "metadata:\n  a: [1, 2]", "<<: x",
    "<<:\n  name: odd", "<<: {name: odd}", "<<: *a", "author: me", "1: a", "true: a", "~: a", "null: a",
    "? a\n: b", "? [a]\n: b", "? a", "[a]: b", "{a: b}: c", "- a", ": a", "\"\": a", "'': a", "name: odd",
    "\"name\": odd", "description: again", "---", "--- a", "...", "... a", "%YAML 1.1", "%TAG ! a",
    "# comment", "  # comment", "#comment: a", "", "   ", "\t", "\t# c", " license: MIT", "\tlicense: MIT",
    "license : MIT", "license:MIT", "text", "License: MIT", "licen\u{17f}e: MIT", "\u{feff}license: MIT",
    "!!str license: MIT", "&a license: MIT", "*a : MIT", "license: 'a", "license: \"a",
    "license: a\n\n\n  b", "license: !<tag:yaml.org,2002:str> MIT", "license: !!binary aGk=",
    "license: !!python/none x", "license: 0b1", "license: 12:30:45", "license: +1", "license: .inf",
    "license: 1e400", "license: 08", "compatibility: |\n  a\n  b", "allowed-tools: >\n  a\n\n  b",
    "metadata:\n  a: b # c\n  # c\n  d: e", "metadata:\n# c\n  a: b", "metadata: # c\n  a: b",
    "allowed-tools:\n  -\n  - a", "allowed-tools:\n  - - a", "allowed-tools:\n  - a: b\n  - c",
    "allowed-tools:\n    - a\n  - b", "allowed-tools:\n  - &a b\n  - *a", "allowed-tools:\n  - !t b",
    "allowed-tools:\n  - [b]", "allowed-tools:\n  - |\n    b", "compatibility: <<", "compatibility: =", "compatibility: \"<<\"",
    "compatibility: ''", "compatibility:\n\n# c", "license: =", "metadata:\n  =: b", "metadata:\n  <<:\n    - a: b",
    "metadata:\n  <<:\n    - a: b\n    - c: d\n", "metadata:\n  <<:\n    - a", "metadata:\n  <<:\n    a: b\n  <<:\n    c: d",
    "metadata:\n  \"<<\": b", "metadata:\n  ? - a\n  : b", "metadata:\n  ? a: b\n  : c", "metadata:\n  ?\n  : b", "metadata:\n  ? a",
    "metadata:\n  : b", "metadata:\n  ? |\n    a\n  : b", "metadata:\n  ? 'a'\n  ? b", "metadata:\n  \"\": a\n  '': b",
    "metadata:\n  a b: c\u{2028}d: e", "metadata:\n  a: b\u{85}  c: d", "metadata:\u{2028}  a: b", "%a", "%YAML 1.2 # c",
    "# c\u{85}license: MIT", "# c\u{2028}", "\u{85}", "\u{2028}", "\u{2029} # c", "\u{feff}", "\u{feff}# c", "license: MIT\u{feff}",
    "license: MIT # c\n\n# d\n\n\n# e", "license: # c\n\n  # d\n  MIT", "license: |\n  a\n\n# c\n\n  # d", "\n\n\t\n", "\n\n\tlicense: MIT",
    "\n\n  \t  # c", "allowed-tools: # c\n# d\n- a # e\n# f\n- b", "allowed-tools:\n# c\n\n# d\n  - a\n\n# e\n  - b", "allowed-tools:\n-\n# c\n-\n",
    "metadata: # c\n\n# d\n  a: # e\n    b # f\n\n# g", "metadata:\n  a: # c\n  b: # d\n", "metadata:\n  a:\n    - b\n   - c", "metadata:\n  a:\n  - b\n  - c\n  d: e",
    "metadata:\n  a: - b", "metadata:\n  - a\n  b: c", "metadata:\n  a: 'b'c", "metadata:\n  'a'b: c", "metadata:\n  a: b: c", "metadata:\n  a:: c",
    "metadata:\n  a : b", "metadata:\n  a  :\tb", "metadata:\n  a:b", "metadata:\n  'a':b", "metadata:\n  ? a : b", "metadata:\n  -a: b",
];

#[rustfmt::skip]
const ENDS: &[&str] = &[
    "---\nBody.\n", "---\nBody.\n", "---\nBody.\n", "---\nBody.\n", "---\nBody.\n", "---", "---\n",
    "---  \nBody.\n", "---\t\nBody.\n", "----\nBody.\n", " ---\nBody.\n", "...\nBody.\n",
    "...\n---\nBody.\n", "---Body.\n", "--- # c\nBody.\n", "\n---\n\nBody.\n", "---\nBody.\n---\nMore.\n",
    "", "Body.\n",
];

#[rustfmt::skip]
const STARTS: &[&str] = &[
    "---\n", "---\n", "---\n", "---\n", "---\n", "---\n", "---\n", "---  \n", "---\t\n", "--- # c\n",
    "---#c\n", "----\n", " ---\n", "\n---\n", "\u{feff}---\n", "---\n\n", "---\n# c\n", "---\n---\n",
    "--- ", "---", "--- |\n", "--- !!map\n", "--- &a\n", "---\n%YAML 1.2\n---\n", "\u{feff}\u{feff}---\n",
];

/// What is put into the text somewhere.
#[rustfmt::skip]
const SPLINTERS: &[&str] = &[
    "\t", " ", "  ", "\n", "\n\n", ":", ": ", " #", "#", "'", "\"", "&a ", "*a", "!!str ", "! ", "[", "]",
    "{", "}", ",", "? ", "- ", "|", ">", "%", "@", "`", "\\", "---", "...", "\r", "\r\n", "\u{0}", "\u{1}",
    "\u{7f}", "\u{85}", "\u{a0}", "\u{2028}", "\u{2029}", "\u{feff}", "\u{fffe}", "\u{1f600}", "<<: ", "~",
    "=",
];

/// What a line of YAML may be.
#[rustfmt::skip]
const LINES: &[&str] = &[
    "a: b", "b: c", "c: d", "d:", "e:", "f: |", "g: >", "h: |-", "i: >+", "j: |1", "k: >2", "- a", "- b", "-", "- - c", "- d: e",
    "- f:", "- |", "- >-", "? a", "? b", "?", ": c", ":", ": - d", "? - e", "a", "b c", "'a", "b'", "\"a", "b\"", "l: 'a", "m: \"b",
    "'n': o", "\"p\": q", "'r'", "\"s\"", "# c", "#c", "a # c", "a: # c", "- # c", "? # c", ": # c", "t: a # c", "u: 'a' # c",
    "v: 'a'#c", "w: |  # c", "", "", "   ", "\t", "x:\ty", "y: z\t", "<<: a", "<<:", "=: a", "...", "\\", "\u{a0}", "%", "a:b", "-b",
    "?c", ":d", "- - - e", "- ? f", "- : g", "z: - h", "a\u{2028}b: c", "aa: b\u{85}c", "- a\u{2029}- b", "'\u{2028}'", "ab: \u{85}",
    "# \u{85} c", "&a b", "*a", "!a b", "[a]", "{a: b}", "a, b", "@",
];

/// Where lines are put, how far they are indented at least, and what may follow.
const PLACES: &[(&str, usize)] = &[
    ("metadata:\n", 1),
    ("metadata:\n", 1),
    ("metadata:\n  a0: b0\n", 2),
    ("metadata:\n  a0:\n", 3),
    ("allowed-tools:\n", 0),
    ("allowed-tools:\n", 1),
    ("license:\n", 1),
    ("license: a\n", 1),
    ("license: \"a\n", 0),
    ("license: 'a\n", 0),
    ("license: |\n", 0),
    ("license: >\n", 1),
    ("", 0),
];

/// Mostly one line end, and mostly the indents that others have too.
fn lines(r: &mut Random) -> String {
    let (place, least) = PLACES[r.below(PLACES.len())];
    let mut text = place.to_owned();
    let mut indent = least;
    for _ in 0..1 + r.below(6) {
        match r.below(6) {
            0 => indent = least + r.below(4),
            1 => indent += 2,
            2 => indent = indent.saturating_sub(2).max(least),
            _ => {}
        }
        text += &" ".repeat(indent);
        text += r.of(LINES);
        text +=
            if r.below(40) == 0 { r.of(&["\u{85}", "\u{2028}", "\u{2029}", "\n\n", "\n \n"]) } else { "\n" };
    }
    match r.below(3) {
        0 => format!("{text}name: odd\ndescription: Does it.\n"),
        1 => format!("name: odd\n{text}description: Does it.\n"),
        _ => format!("name: odd\ndescription: Does it.\n{text}"),
    }
}

pub(crate) fn skill_md(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    if random.below(2) == 0 {
        let front = lines(&mut random);
        return format!("---\n{front}---\nBody.\n");
    }
    of_keys(&mut random)
}

fn of_keys(r: &mut Random) -> String {
    let plain = |r: &mut Random| r.below(3) == 0;
    let mut keys = vec![
        if plain(r) { r.of(NAMES) } else { NAMES[0] },
        if plain(r) { r.of(DESCRIPTIONS) } else { DESCRIPTIONS[0] },
    ];
    for _ in 0..r.below(3) {
        let at = r.below(keys.len() + 1);
        keys.insert(at, r.of(MORE));
    }
    match r.below(20) {
        0 => drop(keys.remove(0)),
        1 => keys.swap(0, 1),
        2 => keys.clear(),
        _ => {}
    }
    let mut front = keys.join("\n") + "\n";
    match r.below(25) {
        0 => front = front.lines().map(|line| format!("  {line}\n")).collect(),
        1 => front = front.lines().map(|line| format!("\t{line}\n")).collect(),
        2 => front = format!("{{{}}}\n", front.trim_end().replace('\n', ", ")),
        _ => {}
    }
    let (start, end) = (r.of(STARTS), r.of(ENDS));
    let mut text = format!("{start}{front}{end}");
    if r.below(3) == 0 {
        for _ in 0..1 + r.below(2) {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let at = places.get(r.below(places.len().max(1))).copied().unwrap_or_default();
            text.insert_str(at, r.of(SPLINTERS));
        }
    }
    match r.below(12) {
        0 => text = text.replace('\n', "\r\n"),
        1 => text = text.replace('\n', "\r"),
        _ => {}
    }
    text
}
