//! Random notes; the generator knows the bytes of the property to edit.

use serde_json::{Value as Json, json};

use super::super::Value;

/// xorshift64*: equal seeds give equal numbers on every machine.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).unwrap() % limit
    }

    pub(super) fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Possible text after a `key:`, up to the entry's final line break.
#[rustfmt::skip]
pub(super) const PIECES: &[&str] = &[
    "", " ", "   # todo", " ~", " null # n", " lead", "   lead", " lead   # hot", " lead\t# tab",
    " \"lead\"", " 'it''s' # q", " \"a\\\"b \\u00e9\"", " true", " yes", " 5", " 010", " 1.50",
    " -3e4", " 12345678901234567890", " 2026-01-02", " 12:30", " a:b", " a#b", " 東京 🍣#t # 注",
    " https://example.com/a?b=c#d", " \"[[Jane Doe]]\"", " '[[Jane|J]]'", " [[Jane Doe]]",
    " [[Acme, Inc]]", " [[Acme, Inc]] # c", " [[1, 2], [a, b]]", " [[1, 2]]",
    "\n  lead", "\n  \"lead\" # c", " a\n  b\n  c", " \"a\n  b\" # c", " []", " [ ]", " [a]",
    " [a, b]", " [a,  b] # c", " [ a , 'b' ,\"c\" ]", " [[[A]], \"[[B]]\"]", " [a, b,]",
    " [\n  a,\n  b,\n  ]", " [a, # one\n  b]", " [1, true, ~, [x, y], {k: v}]", "\n  - a\n  - b",
    "\n- a\n- b", "\n- - x\n  - y\n- b", "\n- [x]\n- a",
    " # c\n  - a # one\n  # between\n\n  -   b\n  - a: 1\n    b: 2",
    "\n    - 'a'\n    - \"[[B]]\"\n    - [[C]]", "\n  -\n  - a", "\n  - |\n    x\n    y\n  - b",
    "\n  - a\n    folded\n  - b", " {}", " {a: 1, b: [x], c: }",
    "\n  a: 1\n  b:\n    - x\n  c: |\n    t", " |\n  a\n\n  b", " |-\n  a", " >\n  a\n  b\n\n  c",
    " | # c\n  # no comment\n  b", " |2\n    a\n   b", " >-\n  - a\n  - b", " |\n  'a'\n  [b]",
    " &x lead", " &x\n  - a\n  - b", " !!str 5", " !t lead", " !!set {a, b}", " |+\n  a\n",
];

#[rustfmt::skip]
const KEYS: &[&str] = &[
    "type", "name", "last_contact", "名前", "\"é: x\"", "'it''s'", "tags", "5", "true", "\"k\" ",
    "e-mail", "a b", "🍣", "x.y",
];

#[rustfmt::skip]
const BETWEEN: &[&str] = &[
    "# a comment\n", "\n", "  # indented\n", "# k: v\n", "\n\n", "# 🍣\n",
];

#[rustfmt::skip]
const BODIES: &[&str] = &[
    "", "Body\n", "\n# Title\n\ntext", "---\nmore\n---\n", "| a | b |\n|---|---|\n", "k: v\n\n\n",
    "🍣",
];

/// Values to set, each with what a strict YAML reader must return afterwards.
pub(super) fn values() -> Vec<(Value, Json)> {
    let text = |text: &str| (Value::Text(text.to_owned()), json!(text));
    let texts = [
        "won",
        "yes",
        "true",
        "",
        "null",
        "5",
        "010",
        "1_000",
        "2026-01-02",
        "2026-11-21T10:00:00",
        "a: b",
        "a #b",
        " a ",
        "- a",
        "a\nb",
        "a\nb\n",
        "a\n\n",
        "\n a",
        "x\ty",
        "'",
        "\"",
        "\\",
        "a, b",
        "[x",
        "東京 🍣",
        "\u{85}\u{2028}",
        "# x",
        "*a",
        "?",
        "key:",
        "---",
        "...",
        "<<",
        "=",
        "a\r\nb",
        "\u{7f}\u{1}",
        "%",
        "| x",
        "> y",
        "!!str",
        "~",
        "0x1F",
        "1e3",
        ".inf",
        "no",
        "0o7",
        "-",
        "{a}",
        "a]",
        "a}",
        "\u{feff}a",
        "e\u{301}",
    ];
    let mut values: Vec<_> = texts.iter().map(|value| text(value)).collect();
    values.extend([
        (Value::Null, Json::Null),
        (Value::Bool(false), json!(false)),
        (Value::Number("42".to_owned()), json!(42)),
        (Value::Number("-1.5".to_owned()), json!(-1.5)),
        (Value::Link("Jane Doe".to_owned()), json!("[[Jane Doe]]")),
        (Value::Link("Acme, Inc".to_owned()), json!("[[Acme, Inc]]")),
        (Value::from_json(&json!([["Acme", "Inc"]])), json!([["Acme", "Inc"]])),
        (Value::List(vec![]), json!([])),
        (Value::List(vec![Value::Text("a".to_owned()), Value::Link("B".to_owned())]), json!(["a", "[[B]]"])),
        (
            Value::List(vec![Value::Text("b".to_owned()), Value::Text("z, y".to_owned()), Value::Null]),
            json!(["b", "z, y", null]),
        ),
        (Value::from_json(&json!({"a": "x: y", "b": [1, "2"]})), json!({"a": "x: y", "b": [1, "2"]})),
    ]);
    values
}

pub(super) struct Generated {
    pub(super) text: String,
    /// Syntax features of the note and of the entry to edit.
    pub(super) features: Vec<&'static str>,
    /// Whether an alias refers to this entry.
    pub(super) is_repeated: bool,
    /// The lines of the entry to edit; empty, before the closing fence, if it is new.
    pub(super) entry: std::ops::Range<usize>,
    pub(super) matter: std::ops::Range<usize>,
    pub(super) key: String,
    pub(super) is_crlf: bool,
}

pub(super) fn generate(random: &mut Random) -> Generated {
    let is_crlf = random.below(3) == 0;
    let eol = |text: &str| {
        if is_crlf { text.replace('\n', "\r\n") } else { text.to_owned() }
    };
    let mut text = if random.below(6) == 0 { "\u{feff}" } else { "" }.to_owned();
    text.push_str(&eol("---\n"));
    let start = text.len();
    let mut keys: Vec<&str> = KEYS.to_vec();
    let count = random.below(5);
    let edited = random.below(count + 1);
    let mut entry = None;
    let mut features = Vec::new();
    let mut anchored = None;
    let mut repeated = None;
    for index in 0..count {
        let mut piece = *random.of(PIECES);
        while piece.contains("&x") && anchored.is_some() {
            piece = *random.of(PIECES);
        }
        if piece.contains("&x") {
            anchored = Some(index);
        } else if anchored.is_some() && random.below(3) == 0 {
            piece = " *x";
            repeated = anchored;
        }
        let key = keys.remove(random.below(keys.len()));
        let from = text.len();
        text.push_str(&eol(&format!("{key}:{piece}\n")));
        if index == edited {
            entry = Some((from..text.len(), key));
            features = features_of(key, piece);
        }
        // Blank lines after `|+` would be part of its text.
        let separators = if piece.contains('+') { 0 } else { random.below(3) };
        for _ in 0..separators {
            let between = random.of(BETWEEN);
            // After a block scalar, an indented comment would be part of its text.
            if !(piece.contains(['|', '>']) && between.starts_with(' ')) {
                text.push_str(&eol(between));
            }
        }
    }
    if count == 0 && random.below(2) == 0 {
        (0..=random.below(3)).for_each(|_| text.push_str(&eol(random.of::<&str>(BETWEEN))));
    }
    if count == 0 {
        features.push(if text.contains('#') { "comment-only block" } else { "empty block" });
    }
    let is_repeated = entry.is_some() && repeated == Some(edited);
    if count == 1 && entry.is_some() {
        features.push("last key");
    }
    let (entry, key) = entry.unwrap_or_else(|| (text.len()..text.len(), keys[0]));
    let matter = start..text.len();
    text.push_str("---");
    let body = *random.of(BODIES);
    if !body.is_empty() || random.below(2) == 0 {
        text.push_str(&eol("\n"));
        text.push_str(&eol(body));
    }
    let key: Option<String> = serde_saphyr::from_str(key.trim()).ok();
    if is_crlf {
        features.push("CRLF");
    }
    if !text.ends_with('\n') {
        features.push("no final newline");
    }
    Generated { text, features, is_repeated, entry, matter, key: key.unwrap(), is_crlf }
}

/// Features of an entry, derived from its text.
fn features_of(key: &str, piece: &str) -> Vec<&'static str> {
    let value = piece.trim_start_matches([' ', '\t']);
    let value = value.strip_prefix("&x").unwrap_or(value).trim_start_matches(' ');
    let below = value.trim_start();
    let style = match below.chars().next() {
        None | Some('#') if !below.contains("\n  - ") => "no value",
        Some('[') if !below.starts_with("[[Jane") && !below.starts_with("[[Acme") => "flow list",
        Some('|' | '>') => "block scalar",
        Some('"' | '\'') => "quoted value",
        Some('-' | '#')
            if value.contains("\n- ") || value.contains("\n  - ") || value.contains("\n    - ") =>
        {
            "block list"
        }
        Some('*') => "alias",
        _ => "other value",
    };
    let mut features = vec![style];
    let mut add = |is: bool, feature| {
        if is {
            features.push(feature)
        }
    };
    add(key.starts_with(['"', '\'']), "quoted key");
    add(!key.is_ascii(), "multi-byte key");
    add(piece.contains("&x"), "anchor");
    add(piece.contains(" #") || piece.contains("\t#"), "comment");
    add(piece.starts_with("  "), "aligned spaces");
    features
}
